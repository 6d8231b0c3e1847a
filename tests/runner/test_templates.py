"""A template may do what prompts need; what repeats or grows without end is refused."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from acumen.errors import DataError
from acumen.runner import templates
from acumen.runner.prompts import inputs_used, names_used, render, zero_or_few_shot
from acumen.runner.task_file import parse_task

VALUES: dict[str, Any] = {
    "case": {"note": "one two\nthree", "reviews": [{"id": "R1", "text": "fine"}] * 3},
    "items": [{"name": "Sleep", "question": "How well?"}, {"name": "Tired", "question": ""}],
    "levels": [0, 1, 2, 3],
}


@pytest.mark.parametrize(
    ("template", "text"),
    [
        ("{{ levels | join(' < ') }}", "0 < 1 < 2 < 3"),
        ("{{ items | join(', ', attribute='name') }}", "Sleep, Tired"),
        ("{{ items | map(attribute='name') | map('upper') | join }}", "SLEEPTIRED"),
        ("{{ case.note | indent(2) }}", "one two\n  three"),
        ("{{ case.note | indent('> ', true) }}", "> one two\n> three"),
        ("{{ 'a\n\nb' | indent }}|{{ 'a\n\nb' | indent(1, blank=true) }}", "a\n\n    b|a\n \n b"),
        ("{{ case.note | replace('o', '0') | replace('e', '3', 1) }}", "0n3 tw0\nthree"),
        ("{{ case.note.split()[1].upper() }} {{ case.note | wordcount }}", "TWO 3"),
        ("{% for r in case.reviews %}{{ loop.index }}{{ r.id }};{% endfor %}", "1R1;2R1;3R1;"),
        ("{% for r in case.reviews if r.id %}{{ loop.last }} {% endfor %}", "False False True "),
        ("{% for i in range(3) %}{{ i }}{% else %}none{% endfor %}", "012"),
        ("{% for k, v in items[0] | items %}{{ k }}={{ v }} {% endfor %}", None),
        ("{{ '%.2f and %3d' | format(0.125, 7) }} {{ '%s!' % 'so' }}", "0.12 and   7 so!"),
        ("{{ 1 + 2 }} {{ 'a' + 'b' }} {{ 7 % 4 }} {{ [1] + [2] }}", "3 ab 3 [1, 2]"),
        ("{{ 'a' ~ 1 ~ levels[0] }} {{ 'in 2024: %(n)2d%%' | format(n=3) }}", "a10 in 2024:  3%"),
        ("{{ [1, 2.5] | sum }} {{ items | map('length') | sum }}", "3.5 4"),
        ("{% set ns = namespace(n=0) %}{% for i in levels %}{% set ns.n = ns.n + i %}"
         "{% endfor %}{{ ns.n }}", "6"),
        ("{% macro f(x, y=2) %}<{{ x }}{{ y }}>{% endmacro %}{{ f(1) }}{{ f(3, y=4) }}",
         "<12><34>"),
        ("{% set and = joiner(', ') %}{% for i in levels %}{{ and() }}{{ i }}{% endfor %}",
         "0, 1, 2, 3"),
        ("{{ levels | tojson }} {{ case.note | truncate(6) }}", "[0, 1, 2, 3] one..."),
        ("{% with x = levels | max %}{{ x }}{% endwith %}", "3"),
    ],
)  # fmt: skip
def test_what_prompts_need_works_as_jinja_has_it(template: str, text: str | None) -> None:
    if text is None:
        with pytest.raises(DataError):  # "items" is a variable here and no method
            render(template.replace("items[0] | items", "nothing"), VALUES)
        text = "name=Sleep question=How well? "
    assert render(template, VALUES) == text


_NS = "{% set ns = namespace(s='aaaaaaaa', n=999999, x=[1]) %}{% for i in range(60) %}"
BOMBS = {
    "loops in loops": "{% for a in range(9999) %}{% for b in range(9999) %}{% endfor %}"
    "{% endfor %}",
    "a long range": "{% for a in range(99999) %}{% endfor %}",
    "a loop that calls itself": "{% for x in [[1]] recursive %}{{ loop([x, x]) }}{% endfor %}",
    "a joint": _NS + "{% set ns.s = ns.s ~ ns.s %}{% endfor %}",
    "a sum of texts": _NS + "{% set ns.s = ns.s + ns.s %}{% endfor %}",
    "a sum of lists": _NS + "{% set ns.x = ns.x + ns.x %}{% endfor %}",
    "a product": _NS + "{% set ns.n = ns.n * ns.n %}{% endfor %}",
    "a replacement": _NS + "{% set ns.s = ns.s | replace('a', ns.s) %}{% endfor %}",
    "a separator": _NS + "{% set ns.s = [ns.s, ns.s] | join(ns.s) %}{% endfor %}",
    "a block": _NS + "{% set ns.s %}{{ ns.s }}{{ ns.s }}{% endset %}{% endfor %}",
    "a macro that doubles": "{% macro f(s) %}{{ s }}{{ s }}{% endmacro %}" + _NS
    + "{% set ns.s = f(ns.s) %}{% endfor %}",
    "a macro that calls itself twice": "{% macro f(n) %}{% if n %}{{ f(n - 1) }}{{ f(n - 1) }}"
    "{% endif %}{% endmacro %}{{ f(60) }}",
    "a macro without end": "{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}",
    "a block of itself": "{% block a %}{{ self.a() }}{{ self.a() }}{% endblock %}",
    "text in a loop in a block": "{% set x %}{% for a in range(9999) %}" + "x" * 9999
    + "{% endfor %}{% endset %}",
    "a list of itself": _NS + "{% set ns.x = [ns.x, ns.x] %}{% endfor %}{{ ns.x | string }}",
    "lists line by line": "{% set a = [1] %}" + "{% set a = [a, a] %}" * 60 + "{{ a == a }}",
    "mappings line by line": "{% set a = 1 %}" + "{% set a = {'a': a, 'b': a} %}" * 60 + "{{ a }}",
    "lists with names": "{% with a=[1] %}" + "{% with a=[a, a] %}" * 60 + "{{ a }}"
    + "{% endwith %}" * 61,
    "a namespace of namespaces": "{% set n = namespace(a=1) %}"
    + "{% set n = namespace(a=n, b=n) %}" * 60 + "{{ n }}",
    "a width": "{{ 'x' | center(3000000000) }}",
    "an indent": "{{ 'x\ny' | indent(3000000000) }}",
    "a mark before many lines": "{% set m = 'x' | indent(9999, true) %}"
    "{{ m | replace(' ', 'x\n') | indent(m) }}",
    "a format": "{{ '%3000000000d' | format(1) }}",
    "a format of a name": "{{ '%(a)3000000000d' | format(a=1) }}",
    "a format by an operator": "{{ '%3000000000d' % 1 }}",
    "a format with a star": "{{ '%*d' % (3000000000, 1) }}",
    "a format by a method": "{{ '{:3000000000}'.format(1) }}",
    "a method that pads": "{{ 'x'.ljust(3000000000) }}",
    "bytes of a number": "{{ (1).to_bytes(3000000000, 'big') }}",
    "an indent of JSON": "{{ [1] | tojson(3000000000) }}",
    "a product of words": "{{ lipsum(100000) }}",
    "many long texts": "{% set s = 'x' | indent(9999, true) %}"
    "{{ range(9999) | map('string') | map('replace', '1', s) | list | length }}",
    "a sum of lists as one": "{{ range(9999) | map('string') | map('list') | sum(start=[]) }}",
    "brackets": "{{ " + "(" * 20_000 + "1" + ")" * 20_000 + " }}",
    "operators": "{{ " + "1+" * 20_000 + "1 }}",
    "filters": "{{ 'a'" + "|upper" * 10_000 + " }}",
    "conditions": "{% if 1 %}" * 3000 + "{% endif %}" * 3000,
    "loops side by side": "{% for a in [1] %}" * 60 + "{% endfor %}" * 60,
    "digits": "{{ " + "9" * 90_000 + " }}",
}  # fmt: skip


@pytest.mark.parametrize("template", BOMBS.values(), ids=BOMBS)
def test_what_grows_without_end_is_refused(template: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(templates, "SECONDS", 0.5)
    with pytest.raises(DataError, match=r"too|more|unsafe|filter|undefined|rendering|not|no "):
        render(template, {})


# the peak of this process alone: getrusage would count the parent it was forked from
MEMORY = """
import re, sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from acumen.errors import DataError
from acumen.runner import templates
from acumen.runner.prompts import render
from test_templates import BOMBS
templates.SECONDS = 0.5
for bomb in BOMBS.values():
    try:
        render(bomb, {})
    except DataError:
        pass
print(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_what_grows_without_end_is_refused_while_it_is_small() -> None:
    """All of them in one process, whose largest size is looked at."""
    command = [sys.executable, "-c", MEMORY, str(Path(__file__).parent)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert int(done.stdout) << 10 < 400 << 20


@pytest.mark.parametrize("name", ["brackets", "operators", "conditions", "digits", "filters"])
def test_a_template_that_is_nested_too_deep_is_a_problem_of_its_task(
    name: str, flat_file: Any
) -> None:
    text = flat_file.read_text().replace("CASE", "CASE " + BOMBS[name].replace("'", ""))
    with pytest.raises(DataError, match=r"line \d+, prompt.user: (is nested|holds a number)"):
        parse_task(text.encode(), "mine.toml")


def test_names_of_a_deep_template_are_refused_as_the_template_is() -> None:
    from jinja2 import TemplateSyntaxError

    for names in (names_used, inputs_used):
        with pytest.raises(TemplateSyntaxError, match="nested too deep"):
            names(BOMBS["operators"])


def test_a_budget_is_one_templates_own() -> None:
    text = "{% set x %}" + "{{ case.note }}" * 9 + "{% endset %}{{ x | length }}"
    long = {"case": {"note": "x" * 1_000_000}}
    assert [render(text, long) for _ in range(3)] == ["9000000"] * 3
    with pytest.raises(DataError, match="more than 10,000,000 characters"):
        render(text.replace("{{ case.note }}" * 9, "{{ case.note }}" * 11), long)


def test_a_template_that_fails_for_one_case_names_task_case_and_line_and_no_text(
    plan_for: Any,
) -> None:
    text = (
        'name = "flat"\nscale = { levels = [0, 1, 2], items = ["Sleep"] }\n'
        'inputs = { text = "text" }\n'
        '[reply]\nlayout = "flat"\nscore = "score"\n[prompt]\n'
        "user = '''{{ case.text }}\n{% for c in case.text %}{% for d in case.text %}"
        "{% for e in case.text %}{% endfor %}{% endfor %}{% endfor %}'''\n"
    )
    task = parse_task(text.encode(), "flat.toml")
    cases = plan_for(task, ["short", "x" * 500]).cases.all
    assert zero_or_few_shot(task, cases[0])
    with pytest.raises(DataError) as caught:
        zero_or_few_shot(task, cases[1])
    told = str(caught.value)
    assert told.startswith("task flat: case 'xxx")
    assert "prompt.user: line 2 of the template: the template cannot be rendered: loops" in told
    assert "x" * 100 not in told
