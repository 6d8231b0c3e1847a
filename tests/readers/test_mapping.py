"""The mapping file: its grammar, its errors, and what it makes of rows."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import acumen
from acumen.cli import run
from acumen.errors import DataError, UsageError
from acumen.readers.mapping import MappingTable, find_mapping, merged

WHOLE = """
format = "jsonl"
rows = "results.results"
levels = [1, 2, 3, 4, 5]
abstain = "don't know"
confidence_range = [0, 100]
[columns]
case = "metadata.participant"
item = "metadata.item"
truth = "target"
prediction = { path = "output.completion", extract = '\\[\\[(\\d)\\]\\]', labels = { "6" = 5 } }
confidence = "scores.ordinal.value.conf"
rater = "completed_by"
repeat = "epoch"
system = "provider.id"
group = ["metadata.sex"]
[outcome]
abstained = [{ path = "prediction", equals = ["ABSTAIN", ""] }, { path = "out", null = true }]
refused = [{ path = "output.choices[0].stop_reason", equals = "content_filter" }]
failed = { all = [{ path = "error", null = false }, { path = "kind", matches = "^E" }] }
unscored = [{ path = "scores.ordinal.value", nan = true }, { path = "scores", absent = true }]
[signals]
logprob = "output.choices[0].logprobs.content[0].logprob"
[where]
filter = "strict-match"
"""


def test_every_key_of_the_grammar_is_read_and_in_the_schema() -> None:
    document = tomllib.loads(WHOLE)
    table = merged(document)
    assert list(table.outcome) == ["abstained", "refused", "failed", "unscored"]
    assert table.columns.prediction is not None
    assert table.columns.prediction[0].labels == {"6": 5}
    assert [cell.path for cell in table.columns.group or ()] == ["metadata.sex"]
    jsonschema.validate(document, MappingTable.model_json_schema())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[columns]\ntruht = 'a'\n", "line 2, columns.truht: is not a key of a table of columns"),
        ("\n[columns]\ntruth = 3\n", "line 3, columns.truth[0]: must be a table, not 3"),
        ("[columns]\ntruth = { then = 'a' }\n", "columns.truth[0].path: is missing"),
        (
            "[columns]\nprediction = { path = 'a', extract = '(a+)+b' }\n",
            "line 2, columns.prediction[0].extract: a repeat inside a repeat",
        ),
        (
            "[columns]\nprediction = { path = 'a', extract = 'a' }\n",
            "columns.prediction[0].extract: must have 1 group in brackets, has 0",
        ),
        ("[outcome]\nlost = []\n", "line 2, outcome.lost"),
        ("[outcome]\nfailed = [{ path = 'a' }]\n", "outcome.failed[0]: says nothing: equals, null"),
        ("[outcome]\nfailed = [{ null = true }]\n", "outcome.failed[0]: needs a path"),
        (
            "[outcome]\nfailed = [{ path = 'a', matches = '(?=x)' }]\n",
            "outcome.failed[0].matches: look-around",
        ),
        ("rows = 'a..b'\n", "line 1, rows: is no path: it cannot be read from '..b' on"),
        ("scale = 'x'\n[scale]\n", "line 2"),
        ("unparseable = 'lost'\n", "unparseable: must be 'abstained' or 'failed'"),
    ],
)
def test_what_is_wrong_in_a_mapping_is_told_with_its_place(
    text: str, said: str, tmp_path: Path
) -> None:
    path = tmp_path / "m.toml"
    path.write_text(text)
    with pytest.raises(DataError) as error:
        find_mapping(path)
    assert str(error.value).startswith("m.toml: ")
    assert said in str(error.value)


def test_a_mapping_there_is_not_is_told_with_those_there_are() -> None:
    with pytest.raises(UsageError, match=r"no mapping 'toys'; there are .*, or a \.toml file"):
        find_mapping("toys")


def test_a_later_mapping_goes_over_an_earlier_one_role_by_role() -> None:
    own = {
        "columns": {"case": "id", "truth": "gold"},
        "outcome": {"failed": {"path": "e", "null": False}},
    }
    users = {"columns": {"truth": "target"}, "outcome": {"refused": {"path": "r", "equals": 1}}}
    table = merged(own, users, {"columns": {"case": "who"}, "format": None})
    assert table.columns.case is not None
    assert table.columns.truth is not None
    assert (table.columns.case.path, table.columns.truth[0].path) == ("who", "target")
    assert list(table.outcome) == ["refused", "failed"]  # the user's rules are tried first


LOG = [
    # a log: nested, with replies as text, refusals, errors and a scorer that failed
    {"who": {"id": 1}, "gold": 4, "out": {"text": "I say [[4]]", "p": 0.9}, "stop": "stop"},
    {"who": {"id": 2}, "gold": 2, "out": {"text": "[[3]]", "p": 0.4}, "stop": "stop"},
    {"who": {"id": 3}, "gold": 1, "out": {"text": "hm", "p": 0.1}, "stop": "stop"},
    {"who": {"id": 4}, "gold": 1, "out": {"text": "no [[1]]", "p": 0.1}, "stop": "filter"},
    {"who": {"id": 5}, "gold": 5, "out": {"text": None, "p": None}, "stop": "stop"},
    {"who": {"id": 6}, "gold": 5, "out": None, "error": "timeout"},
    {"who": {"id": 7}, "gold": 5, "out": {"text": "[[5]]", "p": 0.5}, "scorer": "crashed"},
    {"who": {"id": 8}, "gold": None, "out": {"text": "[[5]]", "p": 0.5}},
]
RULES = {
    "levels": [1, 2, 3, 4, 5],
    "columns": {
        "case": "who.id",
        "truth": "gold",
        "prediction": {"path": "out.text", "extract": r"\[\[(\d)\]\]"},
        "confidence": "out.p",
    },
    "outcome": {
        "failed": [{"path": "error", "null": False}],
        "refused": [{"path": "stop", "equals": ["filter"]}],
        "unscored": [{"path": "scorer", "matches": "^crash"}],
    },
}


def log_file(folder: Path) -> Path:
    path = folder / "log.json"
    path.write_text(json.dumps({"meta": {"n": 8}, "results": {"runs": LOG}}))
    return path


def test_the_first_rule_that_holds_makes_the_outcome_of_a_row(tmp_path: Path) -> None:
    table = acumen.read(log_file(tmp_path), mapping=RULES)
    by_case = dict(zip(table.cases, table.outcome.tolist(), strict=True))
    assert by_case == {1: 0, 2: 0, 3: 4, 4: 3, 5: 1, 6: 2, 7: 5}
    assert table.outcomes == {
        "answered": 2,
        "abstained": 1,
        "refused": 1,
        "unparseable": 1,
        "unscored": 1,
        "failed": 1,
        "no_truth": 1,
    }
    assert table.prediction[:2].tolist() == [3, 2]
    assert table.truth[:2].tolist() == [3, 1]


def test_an_unparseable_reply_may_count_as_failed(tmp_path: Path) -> None:
    table = acumen.read(log_file(tmp_path), mapping=RULES, unparseable="failed")
    assert (table.outcomes["failed"], table.outcomes["unparseable"]) == (2, 0)


def test_options_go_over_the_mapping(tmp_path: Path) -> None:
    table = acumen.read(log_file(tmp_path), mapping=RULES, truth="who.id", levels="1-8")
    assert table.truth.tolist() == list(range(8))
    assert table.scale.levels == tuple(range(1, 9))
    assert acumen.read(log_file(tmp_path), mapping=RULES, where="stop=filter").cases == (4,)


def test_rows_may_be_nested_and_have_the_keys_of_what_they_lie_in(tmp_path: Path) -> None:
    document = {
        "tests": [
            {"id": "t1", "gold": 1, "runs": [{"name": "a", "score": 1}, {"name": "b", "score": 2}]},
            {"id": "t2", "gold": 2, "runs": [{"name": "a", "score": 2}]},
        ]
    }
    path = tmp_path / "deep.json"
    path.write_text(json.dumps(document))
    roles = {"case": "id", "item": "name", "truth": "gold", "prediction": "score"}
    table = acumen.read(path, rows="tests[].runs[]", columns=roles)
    assert (table.cases, table.items, len(table)) == (("t1", "t2"), ("a", "b"), 3)
    picked = {"case": "id", "truth": "gold", "prediction": "runs[name=a].score"}
    assert acumen.read(path, columns=picked).prediction.tolist() == [0, 1]
    with pytest.raises(DataError, match="no rows at nowhere; there are lists of objects at tests"):
        acumen.read(path, rows="nowhere", columns=roles)


def test_json_kept_as_text_is_opened_and_an_object_taken_as_it_is(tmp_path: Path) -> None:
    rows = [
        {"id": 1, "gold": 1, "reply": '{"rating": 1}'},
        {"id": 2, "gold": 2, "reply": {"rating": 2}},
        {"id": 3, "gold": 2, "reply": "two, I think"},
    ]
    path = tmp_path / "rows.json"
    path.write_text(json.dumps(rows))
    cell = {"path": "reply", "json": True, "then": "rating"}
    table = acumen.read(path, truth="gold", mapping={"columns": {"prediction": cell}})
    assert table.prediction.tolist() == [0, 1, -1]
    assert table.outcomes["unparseable"] == 1


def test_a_column_that_is_there_is_no_path(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text('id,a.b,quality/value,"x[0]"\n1,1,2,1\n2,2,2,2\n')
    table = acumen.read(path, truth="a.b", prediction="quality/value", confidence_column="x[0]")
    assert table.truth.tolist() == [0, 1]
    assert table.prediction.tolist() == [1, 1]
    assert table.signals["confidence"].values.tolist() == [1, 2]


def test_a_cell_of_a_text_table_is_looked_into_as_json_or_as_a_literal(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    cells = ['"{""who"": 7}"', "\"{'who': 8, 'x': None}\"", "\"{'who': __import__('os')}\""]
    path.write_text("".join(["req,truth,pred\n", *(f"{c},1,2\n" for c in cells[:2])]))
    assert acumen.read(path, case="req.who").cases == (7, 8)
    path.write_text("".join(["req,truth,pred\n", *(f"{c},1,2\n" for c in cells)]))
    with pytest.raises(DataError, match=r"line 4.*case"):
        acumen.read(path, case="req.who")


def test_a_mapping_file_works_on_the_command_line_and_beside_its_scale(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "stars.toml").write_text('name = "stars"\nlevels = [1, 2, 3, 4, 5]\n')
    (tmp_path / "m.toml").write_text(
        'scale = "stars.toml"\nrows = "results.runs"\n[columns]\ncase = "who.id"\ntruth = "gold"\n'
        "prediction = { path = 'out.text', extract = '\\[\\[(\\d)\\]\\]' }\nconfidence = 'out.p'\n"
    )
    command = ["evaluate", str(log_file(tmp_path)), "--mapping", str(tmp_path / "m.toml")]
    assert run([*command, "--json", "--resamples", "0"]) == 0
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert document["scale"]["name"] == "stars"


def test_no_row_left_is_told(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no row is left where stop is nothing"):
        acumen.read(log_file(tmp_path), mapping=RULES, where="stop=nothing")
    with pytest.raises(UsageError, match="where takes COLUMN=VALUE, not 'stop'"):
        acumen.read(log_file(tmp_path), mapping=RULES, where="stop")
    with pytest.raises(DataError, match=r"no column for the rule \(stopp\).* is stop meant"):
        acumen.read(log_file(tmp_path), mapping=RULES, where="stopp=1")
