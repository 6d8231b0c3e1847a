"""Probabilities as they are written, and every way in which they can be wrong."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import acumen
from acumen.errors import DataError, UsageError
from acumen.readers.distribution import _level_parts
from acumen.table.judgments import Judgments

P = [[0.7, 0.2, 0.1], [0.25, 0.25, 0.5], [0.0, 1.0, 0.0]]
GOOD = [0.2, 0.3, 0.5]
COLUMNS = {"p_1": [0.7, 0.25, 0.0], "p_2": [0.2, 0.25, 1.0], "p_3": [0.1, 0.5, 0.0]}


def objects(label: str, number: str) -> list[Any]:
    return [[{label: str(k + 1), number: v} for k, v in enumerate(row)][::-1] for row in P]


def answers(kind: str) -> list[Any]:
    """As OpenAI's published types have them, and as TypeSafe's do."""
    score = [float(np.dot(row, range(3))) for row in P]
    if kind == "openai":
        return [
            {"type": "score", "name": "q", "score": s, "confidence": max(row), "probabilities":
             [{"label": f"l{k}", "value": k, "probability": v} for k, v in enumerate(row)]}
            for s, row in zip(score, P, strict=True)
        ]  # fmt: skip
    legend = {"0": "1", "1": "2", "2": "3"}
    return [
        {"type": "score", "score": s, "confidence": max(row), "legend": legend,
         "probabilities": {str(k): v for k, v in enumerate(row)}}
        for s, row in zip(score, P, strict=True)
    ]  # fmt: skip


def logs(row: list[float]) -> dict[str, float]:
    return {f" {k + 1}": math.log(v) for k, v in enumerate(row) if v}


SHAPES: dict[str, Any] = {
    "an array": np.array(P),
    "lists": P,
    "columns by level": COLUMNS,
    "columns in another order": dict(reversed(COLUMNS.items())),
    "columns of positions": {f"p{k}": v for k, v in enumerate(COLUMNS.values())},
    "mappings": [{str(k + 1): v for k, v in enumerate(row) if v} for row in P],
    "mappings of numbers": [{k + 1: v for k, v in enumerate(row)} for row in P],
    "texts of lists": [json.dumps(row) for row in P],
    "texts of mappings": [str({k + 1: v for k, v in enumerate(row)}) for row in P],
    "a classifier's objects": objects("label", "score"),
    "tokens with log-probabilities": [
        [{"token": t, "logprob": v, "bytes": [1]} for t, v in logs(row).items()] for row in P
    ],
    "log-probabilities by token": [logs(row) for row in P],
    "a reply of one token": [
        {
            "content": [
                {
                    "token": "1",
                    "logprob": -0.1,
                    "top_logprobs": [{"token": t, "logprob": v} for t, v in logs(row).items()],
                }
            ],
            "refusal": None,
        }
        for row in P
    ],
    "OpenAI's answers": answers("openai"),
    "OpenAI's responses": [{"answers": [answer], "model": "m"} for answer in answers("openai")],
    "TypeSafe's answers": answers("typesafe"),
    "TypeSafe's responses": [{"answers": {"q": answer}} for answer in answers("typesafe")],
    "draws": [[1] * 7 + [2, 2, 3], [1, 2, 3, 3], [2, 2]],
}


def read(distribution: Any, **more: Any) -> Judgments:
    asked = {"case": [1, 2, 3], "truth": [1, 3, 2], "scale": "1-3", **more}
    return acumen.from_columns(**asked, distribution=distribution)


@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_is_the_same_table(shape: str) -> None:
    table = read(SHAPES[shape])
    assert table.distribution is not None
    np.testing.assert_allclose(table.distribution, P, rtol=0, atol=1e-12)
    assert table.prediction.tolist() == [0, 2, 1]
    assert table.point == "mode"


PLACES = ("an array", "lists", "texts of lists", "OpenAI's answers", "OpenAI's responses")
"""Shapes that tell a level by its place alone."""
BY_NAME = [s for s in SHAPES if s not in (*PLACES, "columns of positions")]


@pytest.mark.parametrize("shape", BY_NAME)
def test_without_a_scale_their_names_and_the_truth_say_the_levels(shape: str) -> None:
    table = read(SHAPES[shape], scale=None, truth=[2, 3, 2])
    assert table.scale.levels == (1, 2, 3)


@pytest.mark.parametrize("shape", PLACES)
def test_those_that_have_no_names_are_refused_until_the_levels_are_named(shape: str) -> None:
    assert read(SHAPES[shape], scale=None, truth=[1, 3, 2]).prediction.tolist() == [0, 2, 1]
    with pytest.raises(DataError, match=r"for 2 levels.*name every level: --levels"):
        read(SHAPES[shape], scale=None, truth=[2, 3, 2])


def test_a_decision_model_brings_its_own_answer_and_confidence() -> None:
    table = read(answers("openai"))
    assert table.own is not None
    assert table.own.tolist() == [0, 1, 1]  # scores 0.4, 1.25 and 1, from the lowest level
    assert table.signals["confidence"].values.tolist() == [0.7, 0.5, 1.0]
    other = read(answers("typesafe")).own
    assert other is not None
    assert other.tolist() == [0, 1, 1]


def test_a_refusal_is_an_outcome_and_yes_or_no_is_two_levels() -> None:
    cells = [{"type": "refusal", "name": "q"}, {"type": "predicate", "probability": 0.75},
             {"type": "noul", "noul": 0.125}]  # fmt: skip
    table = acumen.from_columns(case=[1, 2, 3], truth=[0, 1, 0], distribution=cells, scale="0-1")
    assert table.outcomes["refused"] == 1
    assert table.distribution is not None
    assert table.distribution[1:].tolist() == [[0.25, 0.75], [0.875, 0.125]]


def test_where_no_answer_is_the_likeliest_the_row_abstains() -> None:
    cells = [{"1": 0.4, "N/A": 0.6}, {"1": 0.3, "2": 0.3, "N/A": 0.4}, {"2": 0.8, "N/A": 0.2}]
    table = read(cells)
    assert table.answered.tolist() == [False, False, True]
    assert table.distribution is not None
    assert table.distribution[2].tolist() == [0.0, 1.0, 0.0]  # of those who answer
    declared = read([{"1": 0.4, "unclear": 0.6}, GOOD, GOOD], abstain=["unclear"])
    assert declared.answered.tolist() == [False, True, True]
    drawn = read([[None, None, 2], [1, None, 1], [3]])
    assert drawn.answered.tolist() == [False, True, True]


def test_tokens_that_are_no_level_are_divided_away_and_told() -> None:
    row = {"2": math.log(0.6), " 2": math.log(0.2), "3": math.log(0.1), "The": math.log(0.05)}
    table = read([row, row, {"The": -0.1}])
    assert table.distribution is not None
    np.testing.assert_allclose(table.distribution[0], [0, 8 / 9, 1 / 9])
    assert table.outcomes["unparseable"] == 1
    assert (
        "90% of the mass is on the levels, 3 names that are no level left out"
        in (table.warnings[0])
    )


def test_a_sum_that_rounding_moved_is_divided_by_and_told() -> None:
    table = read([[0.33, 0.33, 0.33], GOOD, GOOD])
    assert table.distribution is not None
    assert table.distribution[0].sum() == pytest.approx(1, abs=1e-15)
    assert table.warnings == (
        "distribution: in 1 row the probabilities sum to 0.99; divided by it",
    )
    nearly = read([[0.33334, 0.33334, 0.33334], [0.33333, 0.33333, 0.33333], GOOD]).warnings[0]
    assert "in 2 rows the probabilities sum to 0.99999 to 1.00002; divided" in nearly
    assert not read([[0.1] * 3 + [0.7 - 1e-17], [0.25] * 4, [0.25] * 4], scale="1-4").warnings


WRONG: dict[str, tuple[Any, str]] = {
    "negative": ([0.5, -0.1, 0.6], "-0.1 is not a probability: it is negative"),
    "above 1": ([1.2, 0, 0], "1.2 is not a probability: it is above 1"),
    "NaN": ([math.nan, 0.5, 0.5], "NaN is not a probability"),
    "infinite": ([math.inf, 0.5, 0.5], "inf is not a probability"),
    "all zero": ([0, 0, 0], "the probabilities are all 0"),
    "too few": ([0.5, 0.5], r"2 probabilities for 3 levels \(1..3\)"),
    "too many": ([0.25] * 4, r"4 probabilities for 3 levels \(1..3\)"),
    "a text": (["a", 0.5, 0.5], "the text 'a' where a probability is expected"),
    "a number as text": (["0.5", 0.5, 0], "the text '0.5' where a probability is expected"),
    "a boolean": ([True, False, False], "the boolean true where a probability is expected"),
    "null in a mapping": ({"1": None, "2": 1.0}, "null where a probability is expected"),
    "a wrong sum": ([0.5, 0.2, 0.1], "the probabilities sum to 0.8, not to 1"),
    "a level twice": ({"1": 0.5, "1.0": 0.5}, "the level 1 is given twice"),
    "no level": ({"1": 0.5, "7": 0.5}, "the text '7' is not one of 1..3"),
    "a number": (0.5, "a list or a mapping of probabilities is expected, not 0.5"),
    "words": ("abc", "a list or a mapping of probabilities is expected, not the text 'abc'"),
    "empty": ([], "an empty list holds no probabilities"),
    "an empty mapping": ({}, "an empty mapping holds no probabilities"),
    "a list of lists": ([[0.5], [0.5], [0]], "a list where a probability is expected"),
    "objects of something": ([{"a": 1}], "objects with a label and a probability are expected"),
    "a reply of two tokens": (
        {"content": [{"token": "Score", "logprob": -1}, {"token": "1", "logprob": -1}]},
        "it holds 2 tokens: name the path of the rating, such as --distribution logprobs.content",
    ),
    "two answers": (
        {"answers": [{"type": "refusal"}, {"type": "refusal"}]},
        "it holds 2 answers: name the path of one",
    ),
}


@pytest.mark.parametrize("fault", WRONG)
def test_what_is_wrong_is_told_with_its_place(fault: str) -> None:
    cell, word = WRONG[fault]
    with pytest.raises(DataError, match=f"^case 2, distribution: {word}") as refused:
        read([GOOD, cell, GOOD])
    assert len(refused.value.problems) == 1


def test_all_that_is_wrong_is_told_at_once() -> None:
    with pytest.raises(DataError) as refused:
        read([[0.5, -0.1, 0.6], [0, 0, 0], GOOD], truth=[1, 9, 2])
    assert [p.field for p in refused.value.problems] == ["truth", "distribution", "distribution"]


def test_percent_and_numbers_that_are_no_logarithms_are_refused_with_a_hint() -> None:
    with pytest.raises(DataError, match="the rows sum to 100: divide percent by 100"):
        read([[20, 30, 50]] * 3)
    with pytest.raises(DataError, match="read as log-probabilities, and these sum to 2"):
        read([[-0.1, -0.2, -0.3]] * 3)


COLUMN_FAULTS: dict[str, tuple[dict[str, Any], str]] = {
    "a gap": (COLUMNS | {"p_2": [0.2, None, 1.0]}, "case 2, .*there is not a probability of 2"),
    "a text": (COLUMNS | {"p_2": [0.2, "x", 1.0]}, "case 2, distribution: the text 'x' where"),
    "too few": (dict(list(COLUMNS.items())[:2]), "2 columns of probabilities for 3 levels"),
    "words": (
        {f"p_{w}": v for w, v in zip("abc", COLUMNS.values(), strict=True)},
        "a is not one of 1..3, so the order of the columns is not known",
    ),
    "a level twice": (
        {f"p_{w}": v for w, v in zip(("1", "1.0", "3"), COLUMNS.values(), strict=True)},
        "the level 1 is given twice",
    ),
}


@pytest.mark.parametrize("fault", COLUMN_FAULTS)
def test_columns_that_cannot_be_meant_are_refused(fault: str) -> None:
    columns, word = COLUMN_FAULTS[fault]
    with pytest.raises(DataError, match=word):
        read(columns)


def test_a_row_without_any_is_an_abstention_and_its_number_may_not_differ() -> None:
    table = read({name: [None, *column[1:]] for name, column in COLUMNS.items()})
    assert table.answered.tolist() == [False, True, True]
    with pytest.raises(DataError, match="columns differ in length: case 3, truth 3, distribution"):
        read(np.ones((2, 3)) / 3)


def test_words_of_levels_are_in_the_order_of_the_scale() -> None:
    cells = [{"poor": 0.7, "good": 0.1, "fair": 0.2}] * 3
    table = read(cells, truth=["poor", "fair", "good"], scale=["poor", "fair", "good"])
    assert table.distribution is not None
    assert table.distribution[0].tolist() == pytest.approx([0.7, 0.2, 0.1])
    with pytest.raises(DataError, match="their order is not known"):
        read([{"aye": 0.5, "wug": 0.5}] * 3, truth=["aye", "wug", "aye"], scale=None)


@pytest.mark.parametrize(
    ("names", "parts"),
    [
        (["p_1", "p_2", "p_10"], ["1", "2", "10"]),
        (["p_10", "p_11"], ["10", "11"]),
        (["prob.low", "prob.lower"], ["low", "lower"]),
        (["p1", "p2"], ["1", "2"]),
        (["x_0.5_p", "x_1.5_p"], ["0.5", "1.5"]),
        (["low", "slow"], ["low", "slow"]),
    ],
)
def test_what_tells_columns_apart_names_their_levels(names: list[str], parts: list[str]) -> None:
    assert _level_parts(names) == parts


def write(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def test_a_file_is_read_by_its_option(tmp_path: Path) -> None:
    text = "case,truth,p_1,p_2,p_3\na,1,.7,.2,.1\nb,3,.25,.25,.5\nc,2,0,1,0\n"
    (tmp_path / "rows.csv").write_text(text, "utf-8")
    table = acumen.read(tmp_path / "rows.csv", distribution="p_1,p_2,p_3")
    assert table.prediction.tolist() == [0, 2, 1]
    assert "p_1" not in table.signals
    with pytest.raises(UsageError, match="the column p_1 is named twice"):
        acumen.read(tmp_path / "rows.csv", distribution="p_1,p_1,p_3")
    with pytest.raises(DataError, match=r"no column for the distribution \(p_9\)"):
        acumen.read(tmp_path / "rows.csv", distribution="p_1,p_2,p_9")


def test_a_path_leads_to_one_of_several_answers(tmp_path: Path) -> None:
    rows = [
        {"case": at, "truth": at + 1, "reply": {"answers": [answer, {"type": "refusal"}]}}
        for at, answer in enumerate(answers("openai"))
    ]
    path = write(tmp_path / "log.jsonl", rows)
    table = acumen.read(path, distribution="reply.answers[0]", levels="1-3")
    assert table.prediction.tolist() == [0, 2, 1]


def test_a_name_that_is_not_sure_does_not_stand_in_for_the_probabilities(tmp_path: Path) -> None:
    rows = [{"case": k, "truth": k + 1, "score": 1, "p": row} for k, row in enumerate(P)]
    path = write(tmp_path / "log.jsonl", rows)
    assert acumen.read(path, distribution="p", levels="1-3").prediction.tolist() == [0, 2, 1]
    own = acumen.read(path, distribution="p", prediction="score", levels="1-3")
    assert (own.prediction.tolist(), own.point) == ([0, 0, 0], None)
    both = acumen.read(path, distribution="p", prediction="score", point="median", levels="1-3")
    assert both.own is not None
    assert (both.prediction.tolist(), both.own.tolist()) == ([0, 1, 1], [0, 0, 0])


def test_raters_of_one_row_share_its_probabilities(tmp_path: Path) -> None:
    rows = [{"case": k, "a": 1, "b": 2, "p": row} for k, row in enumerate(P)]
    path = write(tmp_path / "raters.jsonl", rows)
    table = acumen.read(path, distribution="p", truth="a,b", levels="1-3")
    assert table.distribution is not None
    np.testing.assert_allclose(table.distribution, np.repeat(P, 2, axis=0))


MAPS = ("columns by level", "mappings", "texts of lists", "a classifier's objects",
        "log-probabilities by token", "OpenAI's responses", "TypeSafe's responses", "draws",
        "a reply of one token")  # fmt: skip


@pytest.mark.parametrize("shape", MAPS)
def test_map_recognises_them_and_prints_a_command_that_runs(shape: str, tmp_path: Path) -> None:
    given = SHAPES[shape]
    columns = given if isinstance(given, dict) else {"reply": given}
    rows = [
        {"case": f"c{at}", "truth": at % 3 + 1, **{n: c[at % 3] for n, c in columns.items()}}
        for at in range(30)
    ]
    path = write(tmp_path / "rows.jsonl", rows)
    document = acumen.survey(path).document
    option = "p_1,p_2,p_3" if isinstance(given, dict) else "reply"
    assert document.columns["distribution"] == option
    assert "prediction" not in document.columns
    command = document.measurable["agreement"].command
    assert f"--distribution {option}" in str(command)
    assert document.measurable["selective"].possible
    assert not document.problems
