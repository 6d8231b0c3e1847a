"""Selective metrics on studies small enough to work out on paper."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
import pytest

from acumen.errors import UsageError
from acumen.metrics import METRICS
from acumen.metrics.conventions import conventions
from acumen.readers.columns import from_columns
from acumen.table.judgments import Judgments
from acumen.views.ranking import Ranking, rank, rank_judgments
from acumen.views.weights import CaseWeights


def measured(ranking: Ranking, name: str, **parameters: Any) -> float:
    metric = METRICS[name]
    metric = metric.at(**parameters) if parameters else metric
    value = metric.measure(ranking).value
    assert value is not None
    return value


def four_rows() -> Judgments:
    """(pred, truth, confidence): (2,2,2) (3,1,2) (1,1,1) (null,0,0)."""
    return from_columns(
        case=[1, 2, 3, 4],
        truth=[2, 1, 1, 0],
        prediction=[2, 3, 1, None],
        confidence=[2.0, 2.0, 1.0, 0.0],
    )


@pytest.mark.parametrize(("loss", "unit"), [("abs", 1.0), ("abs_norm", 1 / 3)])
def test_a_tie_and_an_abstention_worked_out_by_hand(loss: str, unit: float) -> None:
    table = four_rows()
    ranking = rank_judgments(table, table.signals["confidence"].values, loss)
    curve = ranking.curve()
    assert curve.threshold.tolist() == [2.0, 1.0]
    assert curve.coverage.tolist() == [0.5, 0.75]
    assert curve.selective_risk == pytest.approx([1 * unit, 2 / 3 * unit], abs=1e-15)
    assert curve.generalized_risk == pytest.approx([0.5 * unit, 0.5 * unit], abs=1e-15)
    assert measured(ranking, "aurc") == pytest.approx(17 / 24 * unit, abs=1e-15)
    assert measured(ranking, "augrc") == pytest.approx(unit / 4, abs=1e-15)
    assert measured(ranking, "mean_loss_at_cut", coverage=0.6) == pytest.approx(2 / 3 * unit)
    # 2.4 of the 4 rows: the tie with its loss of 2, and .4 of a row without any
    assert measured(ranking, "mean_loss_at_coverage", coverage=0.6) == pytest.approx(5 / 6 * unit)
    assert measured(ranking, "aurc_at_coverage", coverage=0.6) == pytest.approx(89 / 150 * unit)
    assert measured(ranking, "augrc_at_coverage", coverage=0.6) == pytest.approx(7 / 40 * unit)


LOSSES = [0, 1, 0, 1, 0, 0]


@pytest.mark.parametrize(
    ("losses", "confidence", "expected"),
    [
        (
            LOSSES,
            [6, 5, 4, 3, 2, 1],
            {
                "aurc": 0.3166667,
                "aurc_exact": 0.3246473,
                "augrc": 0.1944444,
                "aurc_exact_achievable": 0.2138827,
            },
        ),
        (
            LOSSES,
            [3, 3, 2, 2, 1, 1],
            {
                "aurc": 0.4722222,
                "aurc_random_ties": 0.4555556,
                "aurc_exact": 0.4684884,
                "augrc": 0.2222222,
            },
        ),
        ([1, 0, 0, 0, 1], [5, 4, 3, 2, 1], {"aurc_exact_achievable": 0.2661139}),
        (
            [0, 2, 0, 3, 1, 0],
            [6, 5, 4, 3, 2, 1],
            {"aurc_exact_achievable": 0.5858489, "augrc": 0.5, "augrc_achievable": 0.3888889},
        ),
        ([3, 3, 2, 0], [0, 0, 0, 3], {"aurc": 0.75, "aurc_optimal": 0.9166667}),
    ],
)
def test_known_numbers(
    losses: list[int], confidence: list[int], expected: dict[str, float]
) -> None:
    ranking = rank(losses, confidence)
    for name, value in expected.items():
        assert measured(ranking, name) == pytest.approx(value, abs=5.1e-8), name


def test_conventions_of_other_tools_and_how_they_relate() -> None:
    named = conventions(rank(LOSSES, [6, 5, 4, 3, 2, 1]))
    assert named["trapezoid"] == pytest.approx(0.3166667, abs=5.1e-8)
    assert named["mean"] == pytest.approx(0.3444444, abs=5.1e-8)
    assert named["rescaled"] == pytest.approx(0.38, abs=1e-12)
    assert named["random_ties"] == pytest.approx(named["mean"], abs=1e-12)
    n, r1, rn = 6, 0.0, 2 / 6
    assert named["trapezoid"] == pytest.approx(named["mean"] + (r1 - rn) / (2 * n))
    assert named["trapezoid"] == pytest.approx(named["rescaled"] * (1 - 1 / n) + r1 / n)


def test_random_ties_is_the_mean_convention_averaged_over_all_orders_in_ties() -> None:
    losses = [0, 2, 1, 1, 0]
    tied = rank(losses, [2, 2, 2, 1, 1])
    means = [
        conventions(rank([losses[i] for i in (*a, *b)], [5, 4, 3, 2, 1]))["mean"]
        for a in permutations(range(3))
        for b in permutations(range(3, 5))
    ]
    assert measured(tied, "aurc_random_ties") == pytest.approx(np.mean(means), abs=1e-14)


def test_over_all_untied_orders_the_areas_average_to_the_risk() -> None:
    losses, answered = [0, 1, 3, 2], 4
    n = 6  # two abstained
    values: dict[str, list[float]] = {"aurc": [], "augrc": []}
    for order in permutations(range(answered)):
        ranking = rank([*losses, 0, 0], [*order, 0, 0], [True] * answered + [False] * 2)
        for name in values:
            values[name].append(measured(ranking, name))
    cmax, risk = answered / n, np.mean(losses)
    assert np.mean(values["aurc"]) == pytest.approx(cmax * risk, abs=1e-14)
    assert np.mean(values["augrc"]) == pytest.approx(cmax**2 * risk / 2, abs=1e-14)


def test_augrc_of_binary_losses_follows_from_auroc_and_accuracy() -> None:
    rng = np.random.default_rng(7)
    for _ in range(50):
        n = int(rng.integers(4, 40))
        loss = rng.integers(0, 2, n)
        answered = rng.random(n) < 0.8
        ranking = rank(loss, rng.integers(0, 5, n), answered)
        if not 0 < loss[answered].sum() < answered.sum():
            assert METRICS["failure_auroc"].measure(ranking).value is None
            continue
        auroc, acc, cmax = (measured(ranking, m) for m in ("failure_auroc", "accuracy", "coverage"))
        expected = cmax**2 * ((1 - auroc) * acc * (1 - acc) + (1 - acc) ** 2 / 2)
        assert measured(ranking, "augrc") == pytest.approx(expected, abs=1e-14)


def test_the_pair_form_is_augrc() -> None:
    rng = np.random.default_rng(3)
    ranking = rank(rng.integers(0, 4, 200), rng.integers(0, 9, 200), rng.random(200) < 0.7)
    assert measured(ranking, "augrc_pairs") == pytest.approx(measured(ranking, "augrc"), abs=1e-14)


def test_a_system_that_never_answers_has_no_risk_but_a_coverage() -> None:
    ranking = rank([0, 0], [1, 2], answered=[False, False])
    assert METRICS["coverage"].measure(ranking).value == 0.0
    for name in ("mean_loss", "aurc", "augrc", "aurc_exact", "failure_auroc", "eaurc"):
        estimate = METRICS[name].measure(ranking)
        assert estimate.value is None
        assert estimate.reason == "no row was answered"
    assert measured(ranking, "aurc_charge", loss=1.0) == 1.0


def test_abstaining_on_half_halves_the_area_and_the_modes_undo_it() -> None:
    always_wrong = rank([1, 1, 1, 1], [4, 3, 2, 1])
    silent = rank([1, 1, 0, 0], [4, 3, 2, 1], answered=[True, True, False, False])
    assert measured(silent, "aurc") == measured(always_wrong, "aurc") / 2
    assert measured(silent, "aurc_normalized") == measured(always_wrong, "aurc_normalized") == 1.0
    assert measured(silent, "aurc_charge", loss=1.0) == measured(always_wrong, "aurc") == 1.0
    assert measured(silent, "aurc_extend") == pytest.approx(0.5 + 0.5 * (1 + 0.5) / 2)


def test_an_unreachable_coverage_and_risk_are_null_with_the_reason() -> None:
    ranking = rank([1, 1, 0], [3, 2, 1], answered=[True, True, False])
    estimate = METRICS["mean_loss_at_coverage"].at(coverage=0.9).measure(ranking)
    assert (estimate.value, estimate.reason) == (None, "the coverage asked for is not reached")
    estimate = METRICS["coverage_at_risk"].at(risk=0.5).measure(ranking)
    assert (estimate.value, estimate.reason) == (None, "no working point has so low a risk")


def test_a_percentage_of_nothing_is_null_with_the_reason() -> None:
    estimate = METRICS["aurc_gap_pct"].measure(rank([0, 0], [2, 1]))
    assert estimate.value is None
    assert estimate.reason == "aurc_optimal is 0, so there is no percentage of it"


def test_minus_zero_ties_with_zero_and_the_smallest_number_does_not() -> None:
    assert len(rank([0, 1], [-0.0, 0.0]).curve()) == 1
    assert len(rank([0, 1], [5e-324, 0.0]).curve()) == 2


def test_fractional_weights_interpolate_the_single_row_optimum_smoothly() -> None:
    ranking = rank([0, 1, 2], [3, 2, 1])
    near = [measured_at(ranking, 1 + e) for e in (-1e-7, 0.0, 1e-7)]
    assert near[0] == pytest.approx(near[1], abs=1e-6)
    assert near[2] == pytest.approx(near[1], abs=1e-6)


def measured_at(ranking: Ranking, weight: float) -> float:
    block = CaseWeights(np.full((3, 1), weight))
    return float(np.ravel(METRICS["aurc_optimal"](ranking, block))[0])


def test_case_weights_of_survey_rows_multiply() -> None:
    """Three rows of two cases; row weights 2, 1, 3; case 0 drawn twice."""
    weighted = rank([0, 1, 2], [3, 2, 1], case=[0, 0, 1], weight=[2, 1, 3])
    block = CaseWeights(np.array([[2], [1]], np.uint16))
    written = rank([0, 1, 2], [3, 2, 1])
    for name in ("aurc", "augrc", "mean_loss", "aurc_exact", "aurc_achievable", "failure_auroc"):
        once = METRICS[name](written, [4, 2, 3])
        assert np.ravel(METRICS[name](weighted, block))[0] == pytest.approx(once, abs=1e-15)


@pytest.mark.parametrize(
    ("loss", "confidence", "others", "said"),
    [
        ([0.5, 1.0], [2, 1], {}, "a loss is a whole number of rungs"),
        ([-1, 1], [2, 1], {}, "a loss of -1 levels"),
        ([0, 1], [np.nan, 1], {}, "an answered row has NaN for a confidence"),
        ([0, 1], [1], {}, "1 confidences for 2 rows"),
        ([0, 1], [2, 1], {"answered": [True]}, "1 answered for 2 rows"),
        ([0, 1], [2, 1], {"case": [0, 0, 1]}, "3 cases for 2 rows"),
    ],
)
def test_what_would_be_ranked_other_than_meant_is_refused(
    loss: list[float], confidence: list[float], others: dict[str, Any], said: str
) -> None:
    with pytest.raises(UsageError, match=said):
        rank(loss, confidence, **others)


def test_an_abstained_row_needs_neither_a_confidence_nor_a_loss() -> None:
    study = rank([0, -1, 1], [2, np.nan, 1], [True, False, True])
    assert METRICS["mean_loss"].measure(study).value == 0.5
