"""What a cell holds, which rows a rule means, and the bounds of both."""

from __future__ import annotations

import math
from typing import Any

import pytest

import acumen
from acumen.errors import DataError
from acumen.readers.lookup import NO_VALUE, Lookup, _condition, _parsed, value_in_text
from acumen.readers.mapping import Cell, Rule, merged, resemblance
from acumen.readers.records import ABSENT, Records

ROWS = Records(rows=[{"a": {"b": 1}, "c": "x"}, {"a": {"b": 2}, "c": " y "}, {"c": None}])


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        ({"a": 1}, {"a": 1}),
        (3, 3),
        (' {"a": [1]} ', {"a": [1]}),
        ("[1, null]", [1, None]),
        ("{'a': None, 'b': [1, -2.5e3]}", {"a": None, "b": [1, -2500.0]}),
        ("['it\\'s']", ["it's"]),
        ("{'a': NaN}", ABSENT),  # a name
        ("[f(1)]", ABSENT),
        ("{'a': (1, 2)}", ABSENT),
        ("[1, 2", ABSENT),
        ("{'a' 1}", ABSENT),
        ("plain", ABSENT),
        ("7", ABSENT),
        ("['" + "a" * (131_072 - 4) + "']", ["a" * (131_072 - 4)]),
        ("['" + "a" * (131_072 - 3) + "']", ABSENT),
    ],
)
def test_a_cell_of_text_isvalue_in_text_where_a_path_leads_into_it(cell: Any, value: Any) -> None:
    assert value_in_text(cell) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        ('{"a": 1}', {"a": 1}),
        ('{"a": 1, "a": 2}', NO_VALUE),
        ("NaN", NO_VALUE),
        ("{", NO_VALUE),
        ([1], [1]),
    ],
)
def test_json_in_a_cell_is_strict(text: Any, value: Any) -> None:
    assert _parsed(text) == value


@pytest.mark.parametrize(
    ("rule", "holds", "fails"),
    [
        ({"null": True}, [None, "", "  ", ABSENT], [0, "x", math.nan, False]),
        ({"null": False}, [0, "x", math.nan, False], [None, "", ABSENT]),
        ({"nan": True}, [math.nan], [None, 0.0, "nan", ABSENT]),
        ({"nan": False}, [None, 0.0, ABSENT], [math.nan]),
        ({"absent": True}, [ABSENT], [None, ""]),
        ({"absent": False}, [None, ""], [ABSENT]),
        ({"equals": [1, "b"]}, [1, 1.0, "1", " b "], [True, None, "", 2, ABSENT]),
        ({"equals": [""]}, [None, " "], [0, ABSENT]),
        ({"matches": "^a+$"}, ["aa"], ["ab", None, "", ABSENT]),
        ({"equals": ["aa"], "matches": "^a"}, ["aa"], ["ab", "b"]),
        ({"null": False, "matches": "x|^$"}, ["x"], ["", None]),
    ],
)
def test_a_rule_holds_of_some_values(
    rule: dict[str, Any], holds: list[Any], fails: list[Any]
) -> None:
    test = _condition(Rule(path="a", **rule))
    assert [test(value) for value in holds] == [True] * len(holds)
    assert [test(value) for value in fails] == [False] * len(fails)


def test_rows_are_looked_up_by_column_path_and_role() -> None:
    lookup = Lookup(ROWS, {"truth": Cell(path="a.b")})
    assert lookup.cells(Cell(path="a.b"), "truth") == [1, 2, ABSENT]
    assert lookup.equals("c", ["x", "y"]).tolist() == [True, True, False]
    assert lookup.holds(Rule(path="truth", equals=[2])).tolist() == [False, True, False]
    both = [{"path": "a.b", "absent": False}, {"path": "c", "equals": ["x"]}]
    assert lookup.holds(Rule.model_validate({"all": both})).tolist() == [True, False, False]
    # a record may lack any key, but a condition names one that is there
    assert lookup.holds(Rule(path="nowhere", absent=True)).tolist() == [True] * 3
    with pytest.raises(DataError, match=r"no column for the rule \(nowhere\); there are a, c$"):
        lookup.equals("nowhere", [1])
    with pytest.raises(DataError, match=r"truth: a\.x leads nowhere in any row"):
        lookup.cells(Cell(path="a.x"), "truth")


def test_a_column_that_is_not_there_is_told_with_the_one_that_may_be_meant() -> None:
    names = [f"column{k}" for k in range(31)]
    lookup = Lookup(Records(rows=[dict.fromkeys(names, 1)]), {})
    with pytest.raises(DataError) as refused:
        lookup.cells(Cell(path="colum7"), "truth")
    listed = ", ".join(names[:30])
    message = f"no column for the truth (colum7); there are {listed}; is column7 meant?"
    assert refused.value.problems[0].message == message


@pytest.mark.parametrize("names", [("nr", "part", "human", "ai"), ("nr", "crit", "human", "x")])
def test_a_named_column_that_is_not_there_is_told_whatever_else_is_found(
    names: tuple[str, ...],
) -> None:
    rows = [dict(zip(names, (n, f"p{k}", k, k), strict=True)) for n in range(8) for k in range(3)]
    with pytest.raises(DataError) as error:
        acumen.evaluate(rows, truth="nope")
    first, *others = str(error.value).splitlines()
    assert f"no column for the truth (nope); there are {', '.join(names)}" in first
    if others:
        assert "no column for the case and the prediction" in others[0]
        assert ("--truth", "human") in error.value.amends


@pytest.mark.parametrize(
    ("names", "mapping"),
    [
        (["trace_id", "gold_rating/value", "quality/value", "quality_confidence/value"], "mlflow"),
        (
            ["x", "trace_id", "gold_rating/value", "quality/value", "quality_confidence/value"],
            "mlflow",
        ),
        (["trace_id", "gold_rating/value", "quality/value"], ""),
        ([], ""),
    ],
)
def test_a_file_of_a_known_tool_is_recognised_by_all_its_columns(
    names: list[str], mapping: str
) -> None:
    hint = f"this looks like a file of {mapping}: --mapping {mapping} reads it" if mapping else ""
    assert resemblance(names) == hint


def test_the_rules_of_the_mapping_on_top_are_tried_first() -> None:
    below = {
        "columns": {"case": "a", "truth": "t"},
        "outcome": {"failed": [{"path": "e", "null": False}]},
    }
    above = {
        "columns": {"case": "b"},
        "outcome": {"refused": [{"path": "r", "null": False}]},
        "scale": None,
    }
    table = merged({"scale": "phq8"}, below, above)
    columns = table.columns.model_dump(exclude_none=True)
    assert {role: cell for role, cell in columns.items() if cell} == {
        "case": Cell(path="b").model_dump(exclude_none=True),
        "truth": [Cell(path="t").model_dump(exclude_none=True)],
    }
    assert [*table.outcome] == ["refused", "failed"]
    assert table.scale == "phq8"
