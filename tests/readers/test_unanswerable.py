"""Words of the truth that say that a row cannot be judged, and how they are refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import acumen
from acumen.errors import DataError, UsageError
from acumen.readers.survey import survey
from acumen.table.judgments import Judgments

TRUTH = [2, "0", "n/a", "cannot tell", 1, None]
ANSWER = [2, 1, 0, None, None, 1]


def table(truth: Any = TRUTH, answer: Any = ANSWER, **keywords: Any) -> Judgments:
    keywords = {"unanswerable": ["N/A", "Cannot tell"], "scale": "0-2", **keywords}
    return acumen.from_columns(case=range(len(truth)), truth=truth, prediction=answer, **keywords)


def test_rows_whose_truth_is_such_a_word_stay_and_are_marked() -> None:
    own = table()
    assert own.unanswerable is not None
    assert own.unanswerable.tolist() == [False, False, True, True, False]
    assert own.truth.tolist() == [2, 0, -1, -1, 1]
    assert own.no_truth == 1  # the empty cell says nothing
    assert own.on_levels.cases == (0, 1, 4)
    assert table([0, 1, "n/a"], [0, 1, 2], unanswerable=[]).unanswerable is None
    assert [len(part) for part in (own.take(np.array([2, 4])), own.of_cases([3]))] == [2, 1]


def test_such_a_word_makes_no_level() -> None:
    own = table([1, 3, 2, 9], [1, 2, 3, 1], unanswerable=[9], scale=None)
    assert (own.scale.levels, own.truth.tolist()) == ((1, 2, 3), [0, 2, 1, -1])
    words = table(["low", "high", "?"], ["low", "low", "low"], unanswerable="?", scale="low,high")
    assert words.truth.tolist() == [0, 1, -1]
    with pytest.raises(DataError, match=r"the levels are 2 words, .* \(low, odd\)"):
        table(["low", "odd"] * 2 + ["?"], ["low"] * 5, unanswerable="?", scale=None)


@pytest.mark.parametrize(
    ("keywords", "said"),
    [
        ({"unanswerable": ["1"]}, "unanswerable: 1 is a level of 0..2"),
        ({"unanswerable": [1.0]}, "unanswerable: 1 is a level of 0..2"),
        ({"truth": None}, "unanswerable names words of the truth, and there is no truth"),
    ],
)
def test_words_that_cannot_be_meant_are_refused(keywords: dict[str, Any], said: str) -> None:
    columns: dict[str, Any] = {"case": range(6), "truth": [0, 1, 2, 0, 1, 2], "prediction": ANSWER}
    columns |= {"scale": "0-2", "unanswerable": ["n/a"]}
    with pytest.raises(UsageError, match=said):
        acumen.from_columns(**{**columns, **keywords})


def test_a_study_in_which_nothing_can_be_judged_is_refused() -> None:
    said = r"no row has a level for a truth: 3 rows cannot be judged \(unanswerable\)"
    with pytest.raises(DataError, match=said):
        table(["n/a"] * 3, [0, 1, None])


def test_words_that_no_row_says_are_told_and_what_none_is_has_no_measure() -> None:
    own = table([0, 1, 2] * 4, [0, 1, None] * 4, unanswerable=["n/a", "a,b"])
    assert own.unanswerable is not None
    assert not own.unanswerable.any()
    assert "truth: no row says n/a" in own.warnings
    hint = "; of several words name each: --unanswerable a --unanswerable b"
    assert f"truth: no row says a,b{hint}" in own.warnings
    numbers = acumen.evaluate(own, resamples=0).document.overall_by_input[0]
    recall = numbers["abstention_recall"]
    assert (recall.value, recall.reason) == (None, "no row is one that cannot be judged")
    assert numbers["false_abstentions"].value == pytest.approx(1 / 3)


def test_a_word_that_is_no_level_says_how_to_declare_it() -> None:
    with pytest.raises(DataError, match="--unanswerable 'cannot tell'"):
        table([0, 1, "cannot tell"], [0, 1, 2], unanswerable=())
    own = table([0, 1, "n/a"], [0, 1, 2], unanswerable=())
    assert any("cannot be judged: --unanswerable n/a" in warning for warning in own.warnings)


def raters(**keywords: Any) -> Judgments:
    """Three raters of four answers: none, one, two and all say that it cannot be judged."""
    said: list[list[Any]] = [[1, 1, 2], ["?", 1, 1], ["?", "?", 0], ["?", "?", "?"]]
    rows = [(c, r, said[c][r]) for c in range(4) for r in range(3)]
    return acumen.from_columns(
        case=[c for c, _, _ in rows],
        rater=[f"r{r}" for _, r, _ in rows],
        truth=[t for _, _, t in rows],
        prediction=[[1, 1, 0, None][c] for c, _, _ in rows],
        scale="0-2",
        unanswerable="?",
        **keywords,
    )


def test_of_several_raters_each_counts_for_its_part() -> None:
    own = raters()
    assert own.weight is not None
    assert own.unanswerable is not None
    assert (len(own), own.skips) == (12, 0)
    assert own.weight[own.unanswerable].sum() == pytest.approx(2)
    document = acumen.evaluate(own, loss="abs", resamples=0).document
    (part,) = document.abstention
    cells = part.answered, part.false_abstentions, part.false_answers, part.right_abstentions
    assert cells == pytest.approx((2, 0, 1, 1))
    # by case (0 + 0 + 1)/3, (2 + 0 + 0)/3 and (2 + 2 + 0)/3: a false answer costs 2 levels
    assert part.risk.value == pytest.approx(7 / 9)
    assert part.risk_without.value == pytest.approx((1 / 3) / 2)


@pytest.mark.parametrize(
    ("truth_is", "truth", "unanswerable"),
    [
        ("majority", [1, 1, -1, -1], [False, False, True, True]),
        ("median", [1, 1, -1, -1], [False, False, True, True]),
        ("r0", [1, -1, -1, -1], [False, True, True, True]),
        ("r2", [2, 1, 0, -1], [False, False, False, True]),
    ],
)
def test_what_several_raters_come_to(
    truth_is: str, truth: list[int], unanswerable: list[bool]
) -> None:
    own = raters(truth_is=truth_is)
    assert own.unanswerable is not None
    assert (own.truth.tolist(), own.unanswerable.tolist()) == (truth, unanswerable)


def test_where_half_of_the_raters_gave_a_level_it_is_theirs() -> None:
    own = acumen.from_columns(
        case=[1, 1, 2, 2],
        rater=["a", "b"] * 2,
        truth=["?", 2, 0, 1],
        prediction=[2, 2, 0, 0],
        scale="0-2",
        unanswerable="?",
        truth_is="median",
    )
    assert own.unanswerable is not None
    assert own.unanswerable.tolist() == [False, False]
    assert own.exact_truth.tolist() == [2.0, 0.5]


def test_a_mean_between_levels_and_rows_without_one_stand_side_by_side() -> None:
    own = raters(truth_is="mean")
    assert own.truth_rank is not None
    assert own.truth_rank[:2].tolist() == pytest.approx([4 / 3, 1])
    document = acumen.evaluate(own, loss="abs", resamples=0).document
    assert document.abstention[0].risk.value == pytest.approx((1 / 3 + 0 + 2) / 3)


def test_a_file_is_looked_at_and_its_mapping_proposes_the_words(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    lines = [f"{c},{'Cannot tell' if c % 5 == 0 else c % 3},{c % 3}" for c in range(20)]
    path.write_text("\n".join(["case,truth,prediction", *lines]))
    report = survey(path)
    assert report.mapping["unanswerable"] == ["Cannot tell"]
    assert report.measurable["abstention"].possible
    command = report.measurable["abstention"].command
    assert command is not None
    assert command.endswith("--unanswerable 'Cannot tell'")
    own = acumen.read(path, mapping=report.mapping)
    assert own.unanswerable is not None
    assert own.unanswerable.sum() == 4


def test_totals_take_a_case_without_a_level_for_one_without_truth() -> None:
    rows = [
        {"case": c, "item": i, "truth": "?" if c == 3 and i == "y" else 1, "prediction": 1}
        for c in range(6)
        for i in "xy"
    ]
    (system,) = acumen.total(rows, levels="0-3", unanswerable="?").document.systems
    assert (system.cases, [row.case for row in system.new]) == (5, [3])
