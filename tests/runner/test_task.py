"""Task files: what ships is sound, and what is wrong with one's own is said all at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from acumen.cli import run as acumen
from acumen.errors import DataError, UsageError
from acumen.runner.cases import read_cases, read_references
from acumen.runner.prompts import prompt_hash, render, zero_or_few_shot
from acumen.runner.question import request_options
from acumen.runner.retrieval import Retrieved
from acumen.runner.schema import reply_schema
from acumen.runner.settings import Settings
from acumen.runner.task import Task
from acumen.runner.task_file import builtin_tasks, parse_task, read_task

SOUND = """
name = "mood"
scale = { levels = ["low", "high"], items = ["mood"] }
inputs = { note = "text" }
[reply]
layout = "flat"
score = "mood"
[prompt]
user = "{{ case.note }}"
"""


@pytest.mark.parametrize("name", builtin_tasks())
def test_tasks_that_ship_are_sound_with_cases_and_references(name: str) -> None:
    task = read_task(name)
    cases = read_cases("demo", task)
    assert len(cases.all) >= 3
    assert task.takes_references
    references = read_references("demo", task)
    assert {r.item for r in references.all} == set(task.scale.items)
    assert {tuple(c.truth) for c in cases.all} == {task.scale.items}
    # truths on which a constant answer would be wrong
    assert len({level for c in cases.all for level in c.truth.values()}) == len(task.scale.levels)


def test_a_task_of_ones_own_is_one_short_file() -> None:
    task = parse_task(SOUND.encode(), "mood.toml")
    assert task.scale.levels == ("low", "high")
    assert reply_schema(task)["properties"]["mood"] == {
        "type": "string",
        "enum": ["low", "high", "N/A"],
    }


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('name = "mood"', 'name = "../mood"', "name: "),
        ('name = "mood"', "", "name: is missing"),
        ('name = "mood"', 'name = "mood"\nspeed = 3', "speed: is not a key of a task"),
        ("levels", "level", "scale.level: is not a key of a scale"),
        ('["low", "high"]', '["low", "LOW"]', "levels: must differ"),
        ('"low", "high"', '"low", 3', "all whole numbers or all text"),
        ('"flat"', '"nested"', "reply.layout: input should be 'by_item' or 'flat'"),
        (
            'items = ["mood"]',
            'items = ["mood", "sleep"]',
            "'flat' is for one item; the scale has 2",
        ),
        ("case.note", "case.note | nope", "prompt.user: line 1: No filter named 'nope'"),
        ("{{ case.note }}", "{{ case.note", "prompt.user: line 1: "),
        ("{{ case.note }}", "{{ secret }}", "prompt.user: uses secret; there are abstain, case"),
        ("case.note", "case.not", "prompt: the template cannot be rendered: 'dict object' has no"),
        ("case.note", "case.note + 1", "prompt: the template cannot be rendered: TypeError"),
        ("{{ case.note }}", "hello", "prompt.user: never shows the case"),
        ('"text"', '"picture"', "inputs.note: "),
        ('score = "mood"', 'score = "mood"\nconfidence = "mood"', "the key mood has two meanings"),
        ('score = "mood"', 'score = "mood"\nabstain = ["low"]', "low is also a level"),
        (
            'score = "mood"',
            'score = "mood"\nevidence = { key = "e", kind = "rows", from = "note" }',
            "reply.evidence.from: 'rows' are taken from an input of kind 'reviews'",
        ),
        ("[reply]", "[questions]\nsleep = '?'\n[reply]", "questions.sleep: is not an item"),
        ("[reply]", "[reply", "line 5, column 7: Expected"),
    ],
)
def test_what_is_wrong_with_a_task_file_is_named(old: str, new: str, said: str) -> None:
    assert old in SOUND
    with pytest.raises(DataError) as refused:
        parse_task(SOUND.replace(old, new).encode(), "mood.toml")
    assert said in str(refused.value)
    assert str(refused.value).startswith("mood.toml: ")


def test_a_task_file_nested_without_end_is_one_line() -> None:
    with pytest.raises(DataError, match=r"^mood\.toml: is nested too deep$"):
        parse_task(b"levels = " + b"[" * 50_000, "mood.toml")


@pytest.mark.parametrize("name", builtin_tasks())
def test_every_schema_keeps_to_what_strict_endpoints_take(name: str) -> None:
    task = read_task(name)
    sent = request_options(task, Settings("m", "api.openai.com"), 0)
    assert "max_completion_tokens" in sent
    assert "max_tokens" not in sent
    schemas = [sent["response_format"]["json_schema"]["schema"]]
    kinds = set()
    while schemas:
        schema = schemas.pop()
        assert set(schema) <= {
            "type", "properties", "required", "additionalProperties", "items", "enum", "anyOf",
        }  # fmt: skip
        assert "type" in schema or "anyOf" in schema
        if schema.get("type") == "object":
            assert schema["required"] == list(schema["properties"])
            assert schema["additionalProperties"] is False
        kinds.add(schema.get("type"))
        schemas += [*schema.get("properties", {}).values(), *schema.get("anyOf", ())]
        schemas += [schema["items"]] if "items" in schema else []
    assert {"object", "array", "string", "integer"} <= kinds


@pytest.mark.parametrize("name", builtin_tasks())
def test_no_list_and_no_text_of_a_reply_is_without_an_end(name: str) -> None:
    schemas = [reply_schema(read_task(name))]
    bounded = 0
    while schemas:
        schema = schemas.pop()
        if schema.get("type") == "array":
            assert schema["maxItems"] >= 1
            bounded += 1
        if schema.get("type") == "string":
            assert "enum" in schema or schema["maxLength"] >= 1
        schemas += [*schema.get("properties", {}).values(), *schema.get("anyOf", ())]
        schemas += [schema["items"]] if "items" in schema else []
    assert bounded


def test_all_that_is_wrong_is_said_at_once() -> None:
    text = SOUND.replace("{{ case.note }}", "{{ secret }}").replace('"mood"]', '"a", "b"]')
    with pytest.raises(DataError) as refused:
        parse_task(text.encode(), "mood.toml")
    assert len(refused.value.problems) == 3


def test_task_check_speaks_and_exits_three(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(SOUND)
    assert acumen(["task", "check", str(path)]) == 0
    assert "mood" in capsys.readouterr().out
    path.write_text(SOUND.replace("flat", "nested"))
    assert acumen(["task", "check", str(path)]) == 3
    assert "mine.toml: reply.layout" in capsys.readouterr().err
    assert acumen(["task", "check", "nothing"]) == 2
    assert "there are allergy, phq8" in capsys.readouterr().err


def test_an_unknown_task_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match="allergy, phq8"):
        read_task("phq9")


@pytest.mark.parametrize(
    "template",
    [
        "{{ ''.__class__.__mro__ }}",
        "{{ case.__class__ }}",
        "{{ 'a' * 1000000000 }}",
        "{{ 10 ** 100000 }}",
        "{% for i in range(9999) %}{% for j in range(9999) %}aaaaaaaa{% endfor %}{% endfor %}",
        "{% for i in range(1000000000) %}{% endfor %}",
        "{{ case.nothing_here }}",
        "{% include '/etc/passwd' %}",
        "{{ case.update({'note': 1}) }}",
    ],
)
def test_a_template_reaches_nothing_and_stays_small(template: str) -> None:
    with pytest.raises(DataError):
        render(template, {"case": {"note": "x"}})


def test_a_transcript_is_never_a_template(flat: Task, cases_file: object) -> None:
    path = cases_file("{{7*7}}{%raw%}")  # type: ignore[operator]
    case = read_cases(path, flat).all[0]
    assert zero_or_few_shot(flat, case)[-1]["content"] == "CASE {{7*7}}{%raw%}"


@pytest.mark.parametrize("name", builtin_tasks())
def test_few_shot_with_nothing_retrieved_is_the_zero_shot_prompt_to_the_byte(name: str) -> None:
    task = read_task(name)
    case = read_cases("demo", task).all[0]
    empty = {item: [] for item in task.scale.items}
    assert zero_or_few_shot(task, case, empty) == zero_or_few_shot(task, case)
    item = task.scale.items[0]
    some = {item: [Retrieved("a passage", task.scale.levels[0], 0.5)]}
    with_some = zero_or_few_shot(task, case, some)
    assert prompt_hash(with_some) != prompt_hash(zero_or_few_shot(task, case))
    assert "a passage" in with_some[-1]["content"]


def test_a_wrong_case_file_names_case_item_and_field_but_no_text(
    tmp_path: Path, flat: Task
) -> None:
    path = tmp_path / "cases.json"
    path.write_text(
        '{"cases": [{"id": 7, "text": ["my secret"], "truth": {"Sleep": "my secret"}},'
        ' {"id": "7", "text": "ok", "truth": {"Sleep": 4, "Nap": 1}}, {"text": "x"}]}'
    )
    with pytest.raises(DataError) as refused:
        read_cases(path, flat)
    said = str(refused.value)
    for part in (
        "case 7, text: must be text, not a list",
        "case 7, item Sleep, truth: text is not one of 0..3",
        "item Sleep, truth: 4 is not one of 0..3",
        "truth.Nap: is not an item of the task",
        "cases[2].id: must be text or a whole number, not null",
        "case 7: is there more than once",
    ):
        assert part in said
    assert "secret" not in said


def test_the_task_in_the_documentation_is_sound() -> None:
    page = Path(__file__).parents[2].joinpath("docs", "runner.md").read_text("utf-8")
    text = page.split("```toml\n")[1].split("```")[0]
    assert parse_task(text.encode(), "pain.toml").scale.items == ("Back", "Head")
