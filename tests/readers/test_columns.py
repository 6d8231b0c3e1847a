"""Tables as people have them, built from columns: outcomes, levels and mean errors as counted."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from acumen.errors import DataError
from acumen.readers import read
from acumen.readers.columns import from_columns
from acumen.table.coded import Coded
from acumen.table.judgments import Judgments

SAMPLES = Path(__file__).parent.parent / "samples"


def cells(name: str, mark: str = ",") -> dict[str, list[str]]:
    """The columns of a CSV file, as text."""
    rows = list(csv.DictReader(io.StringIO((SAMPLES / name).read_text()), delimiter=mark))
    return {key: [row[key] for row in rows] for key in rows[0]}


def records(name: str) -> list[dict[str, Any]]:
    """The rows of a JSON file or of JSON Lines."""
    text = (SAMPLES / name).read_text()
    return list(map(json.loads, text.splitlines())) if name.endswith("l") else json.loads(text)


def columns(rows: Iterable[dict[str, Any]], **names: str) -> dict[str, Any]:
    rows = list(rows)
    return {role: [row[name] for row in rows] for role, name in names.items()}


def stars() -> Judgments:
    c = cells("stars.csv")
    return from_columns(
        case=c["id"],
        item=c["aspect"],
        truth=c["human_stars"],
        prediction=c["ai_stars"],
        confidence=np.array(c["confidence"], float),
    )


def binary() -> Judgments:
    c = cells("binary.tsv", "\t")
    roles = {"case": "patient", "item": "symptom", "truth": "label", "prediction": "pred"}
    columns: dict[str, Any] = {role: c[name] for role, name in roles.items()}
    return from_columns(**columns, abstain=["-1"])


def messy() -> Judgments:
    c = cells("messy.csv")
    rules = {"I can't": "refused", "ERROR": "failed"}
    outcome = [
        next((o for start, o in rules.items() if text.startswith(start)), None)
        for text in c["output"]
    ]
    return from_columns(
        case=c["entry"],
        item=c["measure"],
        truth=c["truth"],
        prediction=c["output"],
        outcome=outcome,
        scale=[1, 2, 3, 4, 5],
        abstain=["-1"],
    )


def likert() -> Judgments:
    rows = records("likert_half.jsonl")
    roles = columns(
        rows, case="subject", item="question", truth="expert", prediction="model_rating"
    )
    return from_columns(**roles, scale="1-10:0.5")


def words() -> Judgments:
    rows = records("words.json")
    roles = columns(rows, case="client", item="dimension", truth="truth", prediction="answer")
    return from_columns(**roles, scale="low,medium,high")


def raters() -> Judgments:
    c = cells("raters_long.csv")
    names = {"case": "document", "item": "criterion", "rater": "rater", "truth": "score"}
    columns: dict[str, Any] = {role: c[name] for role, name in names.items()}
    return from_columns(**columns, prediction=c["ai_score"])


def repeats() -> Judgments:
    rows = [{**r["key"], **r["out"], **r} for r in records("repeats.jsonl")]
    return from_columns(
        **columns(rows, case="case", item="item", repeat="run", truth="gold", prediction="rating")
    )


def subgroups() -> Judgments:
    c = cells("subgroups.csv")
    return from_columns(
        case=c["pid"],
        item=c["item"],
        truth=c["clinician"],
        prediction=c["llm"],
        groups={"sex": c["sex"]},
    )


@pytest.mark.parametrize(
    ("build", "levels", "counts", "error"),
    [
        (stars, (1, 2, 3, 4, 5), (30, 6, 0, 0, 0), 8 / 30),
        (binary, (0, 1), (23, 7, 0, 0, 0), 3 / 23),
        (messy, (1, 2, 3, 4, 5), (25, 6, 4, 4, 1), 9 / 25),
        (likert, tuple(1 + k / 2 for k in range(19)), (28, 2, 0, 0, 0), 27 / 28),
        (words, ("low", "medium", "high"), (15, 2, 0, 1, 0), 5 / 15),
        (raters, (1, 2, 3, 4, 5), (38, 9, 0, 0, 0), 18 / 38),
        (repeats, (1, 2, 3, 4, 5), (38, 4, 0, 0, 0), 17 / 38),
        (subgroups, (0, 1, 2, 3), (30, 6, 0, 0, 0), 9 / 30),
    ],
)
def test_a_sample_has_its_outcomes_levels_and_mean_error(
    build: Callable[[], Judgments], levels: tuple[Any, ...], counts: tuple[int, ...], error: float
) -> None:
    table = build()
    assert table.scale.levels == levels
    names = ("answered", "abstained", "refused", "unparseable", "failed")
    assert tuple(table.outcomes[name] for name in names) == counts
    off = np.abs(table.prediction - table.truth)[table.answered]
    assert off.mean() == pytest.approx(error, abs=1e-15)


def test_raters_and_repeats_are_rows_of_their_own() -> None:
    table = raters()
    assert table.rater is not None
    assert table.rater.values == ("rater1", "rater2", "rater3")
    assert table.rater.counts.tolist() == [16, 16, 15]
    assert (len(table), len(table.cases), len(table.items)) == (47, 8, 2)
    table = repeats()
    assert table.repeat is not None
    assert table.repeat.counts.tolist() == [14, 14, 14]


def test_two_systems_in_one_file_are_taken_apart() -> None:
    rows = records("mtbench_single.jsonl")
    roles = columns(rows, case="question_id", item="turn", prediction="score", system="model")
    outcome = [
        None if r["score"] != -1 else "failed" if r["judgment"] == "$ERROR$" else "unparseable"
        for r in rows
    ]
    table = from_columns(**roles, truth=None, outcome=outcome, scale="1-10")
    assert (table.outcomes["answered"], table.outcomes["unparseable"]) == (42, 5)
    assert table.outcomes["failed"] == 1
    one = table.of_system("vicuna-mock")
    assert (len(one), one.outcomes["answered"], one.system) == (24, 20, None)
    sexes = subgroups()
    assert sexes.groups["sex"].counts.tolist() == [16, 20]
    part = sexes.take(sexes.groups["sex"].codes == 0)
    assert (len(part.cases), int(part.answered.sum())) == (8, 11)


def test_only_predictions_may_abstain() -> None:
    table = from_columns(case=[1, 2, 3], truth=[1, 2, 3], prediction=[1, 2, 3], abstain=["1"])
    assert table.truth.tolist() == [0, 1, 2]
    assert table.outcomes["abstained"] == 1
    assert table.no_truth == 0


def test_raters_of_one_judgment_have_one_prediction() -> None:
    columns: dict[str, Any] = {"case": [1, 1, 2, 2], "rater": list("abab"), "truth": [1, 2, 3, 3]}
    assert len(from_columns(**columns, prediction=[1, 1, 2, 2])) == 4
    with pytest.raises(DataError) as error:
        from_columns(**columns, prediction=[1, 2, 2, None])
    (problem,) = error.value.problems
    assert (problem.case, problem.field, problem.rows) == (1, "prediction", 2)
    assert "raters of one judgment have different predictions" in str(problem)
    systems = list("xyxy")
    assert len(from_columns(**columns, prediction=[1, 2, 2, None], system=systems)) == 4


NONE_IS_A_LEVEL: Final[dict[str, Any]] = {
    "case": [1, 2, 3, 4],
    "truth": ["None", "Mild", "Severe", "Mild"],
    "prediction": ["None", "None", "n/a", "Mild"],
}


def test_a_word_for_no_answer_that_is_a_truth_is_a_level() -> None:
    for table in (
        from_columns(**NONE_IS_A_LEVEL),
        from_columns(**NONE_IS_A_LEVEL, scale="None,Mild,Severe"),
    ):
        assert table.scale.levels == ("None", "Mild", "Severe")
        assert table.answered.tolist() == [True, True, False, True]
        assert table.truth.tolist() == [0, 1, 2, 1]


def test_a_truth_that_a_scale_without_it_loses_is_told() -> None:
    table = from_columns(**NONE_IS_A_LEVEL, scale="Mild,Severe")
    note = "truth: read as no truth: 'None' (1 row); if it is a level, name it with --levels"
    judged = "if it says that this cannot be judged: --unanswerable None"
    assert table.warnings[0] == f"{note}; {judged}"
    assert table.no_truth == 1


@pytest.mark.parametrize("scale", [None, [False, True], ["False", "True"], "false,true", [0, 1]])
def test_true_and_false_are_levels_where_truth_and_prediction_are_both_boolean(scale: Any) -> None:
    truth, answers = np.array([True, False, True]), [False, None, True]
    table = from_columns(case=[1, 2, 3], truth=truth, prediction=answers, scale=scale)
    assert (table.truth.tolist(), table.prediction.tolist()) == ([1, 0, 1], [0, -1, 1])
    assert table.scale.inferred is (scale is None)


def test_true_among_numbers_is_no_level() -> None:
    with pytest.raises(DataError, match="the boolean true where a level"):
        from_columns(case=[1, 2, 3], truth=[True, 0, 1], prediction=[1, 0, 1], scale="0-1")


def test_a_percent_sign_is_told_with_the_way_out() -> None:
    with pytest.raises(DataError, match=r"'90%'; leave out the % and .*--confidence-range 0,100"):
        from_columns(
            case=[1, 2], truth=[1, 2], prediction=[1, 2],
            confidence=["90%", 0.5],  # type: ignore[arg-type]  # refused
        )  # fmt: skip


def test_words_for_no_answer_are_named_one_by_one() -> None:
    columns: dict[str, Any] = {"case": [1, 2, 3], "truth": [1, 2, 3], "prediction": [1, 2, "n/a"]}
    table = from_columns(**columns, scale=[1, 2, 3], abstain=["skip,don't know"])
    hint = "name each: --abstain skip --abstain 'don'\"'\"'t know'"
    assert [w for w in table.warnings if w.endswith(hint)]
    quiet = from_columns(**{**columns, "prediction": [1, 2, "a,b"]}, abstain="a,b", scale=[1, 2, 3])
    assert not quiet.warnings


@pytest.mark.parametrize("role", ["item", "system", "rater", "repeat"])
def test_a_blank_name_in_a_text_table_is_missing(role: str, tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text(f"case,truth,prediction,{role}\n1,1,2,a\n2,2,2,\n")
    names: Any = {role: role}
    with pytest.raises(DataError, match=rf"line 3, case 2, {role}: (is missing|must be a name)"):
        read(tmp_path / "rows.csv", **names)


def test_categories_that_no_row_has_are_no_levels() -> None:
    truth = Coded((0, 1, 2, 3, 9), np.array([1, 2, 3], np.int32))
    table = from_columns(case=[1, 2, 3], truth=truth, prediction=[1, 2, 3])
    assert table.scale.levels == (1, 2, 3)


def test_ids_beyond_signed_numbers_are_ids() -> None:
    ids = np.array([2**63 + 1, 2**63, 7], np.uint64)
    assert from_columns(case=ids, truth=[1, 2, 3], prediction=[1, 2, 3]).cases == (
        7,
        2**63,
        2**63 + 1,
    )
