"""Several raters of one judgment, worked out by hand.

Case 1 is rated 0 0 1, case 2 is 2 2 and a skip, case 3 is 3 1, case 4 is left open and rated 1 1 1,
case 5 nobody rated. Cases 2 and 3 are equally sure.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from acumen.errors import DataError, UsageError
from acumen.metrics import METRICS
from acumen.readers.columns import from_columns
from acumen.table.judgments import Judgments
from acumen.table.panel import apart
from acumen.views.confusion import confuse_judgments
from acumen.views.ranking import rank_judgments
from acumen.views.weights import CaseWeights

F = Fraction

COLUMNS: dict[str, Any] = {
    "case": [1, 1, 1, 2, 2, 2, 3, 3, 4, 4, 4, 5, 5],
    "rater": list("abcabcababcab"),
    "truth": [0, 0, 1, 2, 2, None, 3, 1, 1, 1, 1, None, None],
    "prediction": [0, 0, 0, 1, 1, 1, 3, 3, None, None, None, 2, 2],
    "confidence": [0.9] * 3 + [0.5] * 5 + [0.1] * 3 + [0.7] * 2,
    "scale": [0, 1, 2, 3],
}


def panel(truth_is: str | None = None, **changes: Any) -> Judgments:
    return from_columns(**COLUMNS | changes, truth_is=truth_is)


def value(name: str, table: Judgments, loss: str = "abs", **parameters: Any) -> float:
    view = rank_judgments(table, table.signals["confidence"].values, loss)
    metric = METRICS[name].at(**parameters) if parameters else METRICS[name]
    return float(np.ravel(metric(view, CaseWeights.once(view.n_cases)))[0])


@pytest.mark.parametrize("truth_is", [None, "panel"])
def test_a_judgment_counts_once_and_its_raters_share_its_weight(truth_is: str | None) -> None:
    table = panel(truth_is)
    assert table.weight is not None
    assert table.weight.tolist() == [1 / 3] * 3 + [1 / 2] * 4 + [1 / 3] * 3
    counts = {name: n for name, n in table.tally.items() if n}
    assert counts == {"answered": 3, "abstained": 1, "no_truth": 1}
    by_row = {name: n for name, n in table.outcomes.items() if n}
    assert by_row == {"answered": 7, "abstained": 3, "no_truth": 3}
    assert np.bincount(table.case, table.weight).tolist() == pytest.approx([1] * 4)


@pytest.mark.parametrize(
    ("metric", "wanted"),
    [
        # losses 1/3, then 1 and 1 in one tie; four judgments, one of them left open
        ("coverage", F(3, 4)),
        ("mean_loss", F(7, 9)),
        ("accuracy", (F(2, 3) + F(1, 2)) / 3),
        ("aurc", (F(1, 3) + (F(1, 3) + F(7, 9)) / 2 * 2) / 4),
        ("augrc", (F(1, 3) / 2 + (F(1, 3) + F(7, 3)) / 2 * 2) / 16),
        # judgments are ranked by their mean losses, not raters one by one: risks 1/3, 2/3, 7/9
        ("aurc_optimal", (F(1, 3) + (F(1, 3) + F(2, 3)) / 2 + (F(2, 3) + F(7, 9)) / 2) / 4),
        # right 2/3 above and 1/2 in the tie, wrong 1/3 above and 3/2 in the tie
        ("failure_auroc", (F(1, 9) + F(3, 2) * F(11, 12)) / (F(7, 6) * F(11, 6))),
    ],
)
def test_every_selective_metric_takes_the_mean_over_raters(metric: str, wanted: Fraction) -> None:
    assert value(metric, panel()) == pytest.approx(float(wanted), abs=1e-14)


def test_a_risk_at_a_coverage_is_that_of_judgments() -> None:
    assert value("mean_loss_at_coverage", panel(), coverage=0.25) == pytest.approx(1 / 3, abs=1e-12)
    assert value("mean_loss_at_coverage", panel(), coverage=0.5) == pytest.approx(2 / 3, abs=1e-12)


def test_levels_are_counted_by_shares_of_a_judgment() -> None:
    table = confuse_judgments(panel())
    square = table.square(CaseWeights.once(table.n_cases))[:, :, 0]
    wanted = np.zeros((4, 4))
    wanted[0, 0], wanted[1, 0], wanted[2, 1] = 2 / 3, 1 / 3, 1
    wanted[3, 3] = wanted[1, 3] = 1 / 2
    assert square == pytest.approx(wanted)


@pytest.mark.parametrize(
    ("truth_is", "truth", "no_truth"),
    [
        ("a", [0, 2, 3, 1], 1),
        ("c", [1, 1], 3),
        ("median", [0, 2, 2, 1], 1),
        ("majority", [0, 2, 1], 2),
    ],
)
def test_one_truth_may_be_made_of_several(truth_is: str, truth: list[int], no_truth: int) -> None:
    table = panel(truth_is)
    assert table.truth.tolist() == truth
    assert (table.no_truth, table.rater, table.weight) == (no_truth, None, None)
    tied = "1 row without a majority: left out"
    assert (tied in table.warnings) == (truth_is == "majority")


@pytest.mark.parametrize(
    ("loss", "wanted"),
    [("abs", F(1, 3) + 1 + 1), ("squared", F(1, 9) + 1 + 1), ("zero_one", F(3))],
)
def test_a_mean_between_levels_is_kept_for_losses_alone(loss: str, wanted: Fraction) -> None:
    table = panel("mean")
    assert table.truth_rank is not None
    assert table.truth_rank.tolist() == pytest.approx([1 / 3, 2, 2, 1])
    assert value("mean_loss", table, loss) == pytest.approx(float(wanted / 3), abs=1e-12)
    assert confuse_judgments(table).truth.tolist() == [2, 2, 1]
    assert (value("accuracy", table), value("off_by_one_accuracy", table)) == (0.0, 1.0)
    told = "1 row with a truth between two levels: metrics on levels leave them out"
    assert told in table.warnings


def test_the_median_of_an_even_panel_may_lie_between_levels() -> None:
    table = from_columns(
        case=[1, 1, 2, 2],
        rater=list("abab"),
        truth=[1, 2, 0, 3],
        prediction=[1, 1, 3, 3],
        confidence=[0.9, 0.9, 0.1, 0.1],
        scale=[0, 1, 2, 3],
        truth_is="median",
    )
    assert (table.truth.tolist(), table.has_truth) == ([-1, -1], True)
    assert value("mean_loss", table) == (0.5 + 1.5) / 2
    assert value("mean_loss", table, "squared") == (0.25 + 2.25) / 2
    assert np.isnan(value("accuracy", table))  # no truth is a level


def test_costs_by_level_are_taken_on_the_line_between_two() -> None:
    costs = [[0, 4], [2, 0]]
    table = from_columns(
        case=[1, 1],
        rater=list("ab"),
        truth=[0, 1],
        prediction=[0, 0],
        scale=[0, 1],
        truth_is="mean",
    )
    view = rank_judgments(table, [1.0], costs)
    assert (view.loss * view.unit).tolist() == [1.0]


def test_raters_are_apart_by_the_mean_over_ordered_pairs() -> None:
    table = panel()
    # 0 0 1: 4 of 6 ordered pairs differ by one; 2 2 by none; 3 1 by two
    assert apart(table, "abs") == pytest.approx([2 / 3] * 3 + [0] * 2 + [2] * 2 + [0] * 3)
    alone = from_columns(case=[1], rater=["a"], truth=[1], prediction=[1], scale=[0, 1])
    assert apart(alone, "abs") is None


def test_a_rater_that_is_not_there_is_told_with_those_who_are() -> None:
    with pytest.raises(UsageError, match=r"no rater zoe .* a, b, c, median, mean, majority, panel"):
        panel("zoe")
    one: dict[str, Any] = {"case": [1], "truth": [1], "prediction": [1], "scale": [0, 1]}
    with pytest.raises(UsageError, match="the truth is that of one rater"):
        from_columns(**one, truth_is="median")


def test_strict_refuses_an_empty_panel_and_no_skip() -> None:
    with pytest.raises(DataError, match=r"case 5.*has no truth, as 1 row in all"):
        panel(strict=True)
    rated: dict[str, Any] = {
        name: c[:11] if isinstance(c, list) and len(c) == 13 else c for name, c in COLUMNS.items()
    }
    assert len(from_columns(**rated, strict=True)) == 10
