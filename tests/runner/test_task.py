"""Task files: what ships is sound, and what is wrong with one's own is said all at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from acumen.cli import run as acumen
from acumen.errors import DataError, UsageError
from acumen.runner.adaptation import Shape
from acumen.runner.cases import read_cases, read_references
from acumen.runner.plan import Settings
from acumen.runner.prompts import prompt_hash, render, zero_or_few_shot
from acumen.runner.protocols import Ask
from acumen.runner.retrieval import Retrieved
from acumen.runner.schema import reply_schema
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
        ('name = "mood"', 'name = "../mood"', "name: must be letters, digits,"),
        ('name = "mood"', "", "name: is missing"),
        ('name = "mood"', 'name = "mood"\nspeed = 3', "speed: is not a key of a task"),
        ("levels", "level", "scale.level: is not a key of a scale"),
        ('["low", "high"]', '["low", "LOW"]', "levels: must differ"),
        ('"low", "high"', '"low", 3', "all numbers or all text"),
        (
            '"flat"',
            '"nested"',
            "line 6, reply.layout: must be 'by_item' or 'flat', not the text 'nested'",
        ),
        (
            'items = ["mood"]',
            'items = ["mood", "sleep"]',
            "'flat' is for one item; the scale has 2",
        ),
        ("case.note", "case.note | nope", "line 9, prompt.user: No filter named 'nope'"),
        ("{{ case.note }}", "{{ case.note", "line 9, prompt.user: "),
        ("{{ case.note }}", "{{ secret }}", "line 9, prompt.user: uses secret; there are abstain,"),
        (
            "case.note",
            "case.not",
            "line 9, prompt.user: the template cannot be rendered: 'dict object' has no attribute "
            "'not'; of a case there is note, and never id or truth",
        ),
        ("case.note", "case['id']", "attribute 'id'; of a case there is note, and never id or"),
        ("case.note", "case.truth", "'truth'; of a case there is note, and never id or truth"),
        ("case.note", "case.note + 1", "prompt.user: the template cannot be rendered: TypeError"),
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
        ("[reply]", f"many = {'9' * 5000}\n[reply]", "mood.toml: "),
        ("[reply]", f"deep = {'[' * 5000}\n[reply]", "is nested too deep"),
        ('score = "mood"', 'socre = "mood"', "reply.socre: is not a key of a reply; is 'score' m"),
        ('score = "mood"', 'score = "mood"\nrisk_score = "r"', "is for replies with evidence of"),
        (
            'score = "mood"',
            'score = "mood"\nabstain = "none"',
            "line 8, reply.abstain: must be a list, not the text 'none'",
        ),
        (
            'score = "mood"',
            'score = "mood"\nevidence = { kind = "quotes", from = "note", longest = 2000 }',
            "reply.evidence.longest: must be at most 1999, not 2000",
        ),
        ('note = "text"', 'truth = "text"', "inputs.truth: is a key every case has"),
        ("[prompt]", "max_tokens = 0\n[prompt]", "is not a key of a reply"),
        (
            "[reply]",
            "max_tokens = true\n[reply]",
            "max_tokens: must be a whole number, not the bo",
        ),
    ],
)
def test_what_is_wrong_with_a_task_file_is_named(old: str, new: str, said: str) -> None:
    assert old in SOUND
    with pytest.raises(DataError) as refused:
        parse_task(SOUND.replace(old, new).encode(), "mood.toml")
    assert said in str(refused.value)
    assert str(refused.value).startswith("mood.toml: ")


@pytest.mark.parametrize("name", builtin_tasks())
def test_every_schema_keeps_to_what_strict_endpoints_take(name: str) -> None:
    task = read_task(name)
    sent = Ask(task, Settings("m", "api.openai.com"), 0, []).body(Shape("schema"))
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
    assert {"object", "string", "integer"} <= kinds


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
    assert bounded or read_task(name).reply.evidence is None


BROKEN = """\
name = "no good"
scale = { levels = [0, 2, 3], items = ["a", "a"], colour = 1 }
inputs = { note = "picture", talk = "text" }
repairs = 9
questions = 3
[reply]
layout = "nested"
score = "score"
confidence = "score"
evidence = { key = "e", kind = "rows", from = 7, most = 0 }
[prompt]
system = "{{ items | nope }}"
user = \"\"\"
Rate it.
{{ secret }}
\"\"\"
repair = "{{ problems + 1 }}"
"""


def test_all_that_is_wrong_is_said_at_once_with_line_and_key() -> None:
    with pytest.raises(DataError) as refused:
        parse_task(BROKEN.encode(), "mood.toml")
    assert [(p.line, p.field) for p in refused.value.problems] == [
        (1, "name"),
        (2, "scale.levels"),
        (2, "scale.items"),
        (2, "scale.colour"),
        (3, "inputs.note"),
        (4, "repairs"),
        (5, "questions"),
        (6, "reply"),
        (7, "reply.layout"),
        (10, "reply.evidence.from"),
        (10, "reply.evidence.most"),
        (10, "reply.evidence"),
        (12, "prompt.system"),
        (13, "prompt.user"),
        (15, "prompt.user"),
        (17, "prompt.repair"),
    ]


def test_mending_one_problem_after_the_other_brings_no_new_ones() -> None:
    mendings = {
        "no good": "good",
        "[0, 2, 3]": "[0, 1]",
        '["a", "a"]': '["a"]',
        ", colour = 1": "",
        '"picture"': '"reviews"',
        "repairs = 9": "",
        "questions = 3": "",
        "nested": "flat",
        'confidence = "score"': "",
        "from = 7": 'from = "note"',
        "most = 0": 'fields = { F = ["x"] }',
        "| nope": "| length",
        "secret": "case.talk",
        "problems + 1": "problems",
    }
    text, counts = BROKEN, []
    for old, new in mendings.items():
        with pytest.raises(DataError) as refused:
            parse_task(text.encode(), "mood.toml")
        counts.append(len(refused.value.problems))
        assert text.count(old) == 1
        text = text.replace(old, new)
    assert counts == sorted(counts, reverse=True)
    assert counts[0] == 16
    assert parse_task(text.encode(), "mood.toml").is_verdict


@pytest.mark.parametrize("key", ["name", "scale", "inputs", "questions", "reply", "prompt"])
@pytest.mark.parametrize("value", ["3", "[1]", "true", '"x"', "{}", "{ a = 1 }", "1979-05-27"])
def test_a_value_of_any_kind_is_refused_by_its_key_or_taken(key: str, value: str) -> None:
    tables = {"reply": "[reply]", "prompt": "[prompt]"}
    lines = [line for line in SOUND.splitlines() if not line.startswith(f"{key} =")]
    if key in tables:  # the table and what stands in it
        start = lines.index(tables[key])
        end = next((n for n in range(start + 1, len(lines)) if lines[n][0] == "["), len(lines))
        del lines[start:end]
    text = "\n".join([f"{key} = {value}", *lines])
    try:
        parse_task(text.encode(), "mood.toml")
    except DataError as refused:
        fields = {(problem.field or "").partition(".")[0] for problem in refused.problems}
        assert key in fields


def test_a_template_written_with_escapes_tells_its_own_line() -> None:
    text = SOUND.replace("{{ case.note }}", "\\u0041 {{ case.note }}\\n{{ secret }}")
    with pytest.raises(DataError, match=r"line 9, prompt.user: line 2 of the template: uses"):
        parse_task(text.encode(), "mood.toml")


def test_task_check_speaks_and_exits_three(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(SOUND)
    assert acumen(["task", "check", str(path)]) == 0
    said = capsys.readouterr().out
    assert "mood" in said
    assert "  a case has  id, note, truth\n  prompts use case.note; never id or truth\n" in said
    path.write_text(SOUND.replace("flat", "nested"))
    assert acumen(["task", "check", str(path)]) == 3
    assert "mine.toml: line 6, reply.layout" in capsys.readouterr().err
    assert acumen(["task", "check", "nothing"]) == 2
    assert "there are allergy, judge, pairwise, phq8" in capsys.readouterr().err


def test_an_unknown_task_is_refused_with_the_known_ones() -> None:
    with pytest.raises(UsageError, match="allergy, judge, pairwise, phq8"):
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
    path = cases_file("{{7*7}}{%raw%}")
    case = read_cases(path, flat).all[0]
    assert zero_or_few_shot(flat, case)[-1]["content"] == "CASE {{7*7}}{%raw%}"


@pytest.mark.parametrize("name", builtin_tasks())
def test_few_shot_with_nothing_retrieved_is_the_zero_shot_prompt_to_the_byte(name: str) -> None:
    task = read_task(name)
    case = read_cases("demo", task).all[0]
    empty: dict[str, list[Any]] = {item: [] for item in task.scale.items}
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


@pytest.mark.parametrize("name", builtin_tasks())
def test_a_task_that_ships_can_be_printed_and_is_the_one_that_is_read(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert acumen(["task", "show", name]) == 0
    text = capsys.readouterr().out
    assert parse_task(text.encode(), "shown.toml") == read_task(name)


TURNS = """
[[prompt.turns]]
role = "user"
content = "What do the levels mean?"
[[prompt.turns]]
role = "assistant"
content = "{{ levels | join(' below ') }}"
"""


def test_earlier_turns_stand_between_the_role_and_the_question(tmp_path: Path) -> None:
    task = parse_task((SOUND + TURNS).encode(), "mood.toml")
    path = tmp_path / "cases.json"
    path.write_text('{"cases": [{"id": 1, "note": "hello", "truth": {"mood": "low"}}]}')
    case = read_cases(path, task).all[0]
    messages = [(m["role"], m["content"]) for m in zero_or_few_shot(task, case)]
    assert messages[-3:] == [
        ("user", "What do the levels mean?"),
        ("assistant", "low below high"),
        ("user", "hello"),
    ]
    with pytest.raises(DataError, match=r"line \d+, prompt.turns.*content: uses heights"):
        parse_task((SOUND + TURNS.replace("levels |", "heights |")).encode(), "mood.toml")
    with pytest.raises(DataError, match="must be 'user' or 'assistant'"):
        parse_task((SOUND + TURNS.replace('"assistant"', '"system"')).encode(), "mood.toml")


def test_a_new_task_is_written_once_and_runs_as_it_is(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "mine.toml"
    assert acumen(["task", "new", str(path)]) == 0
    assert acumen(["task", "check", str(path)]) == 0
    assert "Accuracy, Completeness, Clarity" in capsys.readouterr().out
    assert acumen(["task", "new", str(path), "--like", "phq8"]) == 2
    assert "is there already" in capsys.readouterr().err
    assert read_task(path).name == "judge"


def test_the_task_in_the_documentation_is_sound() -> None:
    page = Path(__file__).parents[2].joinpath("docs", "runner.md").read_text("utf-8")
    text = page.split("```toml\n")[1].split("```")[0]
    assert parse_task(text.encode(), "pain.toml").scale.items == ("Back", "Head")
