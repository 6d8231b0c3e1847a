"""Severity ranking: worked by hand, against scikit-learn, and the laws of its means."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, roc_auc_score

from acumen.metrics.ordinal import (
    auprc_ge,
    auroc_ge,
    nap_ge,
    ordinal_auprc,
    ordinal_auroc,
    ordinal_nap,
    severity_ordering_ap,
)
from acumen.metrics.registry import METRICS
from acumen.readers.columns import from_columns
from acumen.views.confusion import confuse_judgments
from acumen.views.severity import rank_judgments_by_severity, rank_severity
from acumen.views.weights import CaseWeights

RARE = np.repeat([0, 1, 2], [78, 21, 1])
ONES = np.ones(100)


def expected_ap_of_random_order(n: int, positives: int) -> float:
    harmonic = sum(Fraction(1, i) for i in range(1, n + 1))
    return float((Fraction(positives - 1, n - 1) * (n - harmonic) + harmonic) / n)


def test_perfect_scores_rank_perfectly() -> None:
    ranking = rank_severity(RARE, RARE)
    assert ordinal_auprc(ranking, ONES) == 1.0
    assert ordinal_nap(ranking, ONES) == 1.0
    assert severity_ordering_ap(ranking, ONES) == 1.0


def test_a_constant_score_has_the_prevalence() -> None:
    ranking = rank_severity(RARE, np.zeros(100))
    assert auprc_ge(ranking, ONES, level=1) == pytest.approx(0.22, abs=1e-15)
    assert auprc_ge(ranking, ONES, level=2) == pytest.approx(0.01, abs=1e-15)
    assert ordinal_auprc(ranking, ONES) == pytest.approx(0.115, abs=1e-15)
    assert ordinal_nap(ranking, ONES) == pytest.approx(0.0, abs=1e-15)
    assert ordinal_auroc(ranking, ONES) == 0.5


def test_the_worst_order_still_finds_something() -> None:
    ranking = rank_severity(RARE, -RARE - np.linspace(0, 0.5, 100))
    assert auprc_ge(ranking, ONES, level=1) == pytest.approx(0.1241, abs=5e-5)
    assert auprc_ge(ranking, ONES, level=2) == pytest.approx(0.01, abs=1e-15)
    assert ordinal_auprc(ranking, ONES) == pytest.approx(0.0670, abs=5e-5)
    assert ordinal_nap(ranking, ONES) == pytest.approx(-0.0615, abs=5e-5)


def test_random_untied_scores_average_above_the_prevalence() -> None:
    at_high, at_critical = (expected_ap_of_random_order(100, p) for p in (22, 1))
    assert at_high == pytest.approx(0.2530, abs=5e-5)
    assert at_critical == pytest.approx(0.0519, abs=5e-5)
    assert (at_high + at_critical) / 2 == pytest.approx(0.1524, abs=5e-5)
    random_nap = ((at_high - 0.22) / 0.78 + (at_critical - 0.01) / 0.99) / 2
    assert random_nap == pytest.approx(0.0423, abs=5e-5)
    rng = np.random.default_rng(5)
    drawn = [ordinal_auprc(rank_severity(RARE, rng.random(100)), ONES) for _ in range(4000)]
    error = np.std(drawn) / math.sqrt(len(drawn))
    assert np.mean(drawn) == pytest.approx(0.1524, abs=4 * error)
    assert np.mean(drawn) > 0.115 + 4 * error  # not the constant score's value


def test_over_all_orders_of_a_small_study_the_mean_is_the_formula() -> None:
    truth = np.array([1, 0, 0, 1, 0, 1])
    values = [
        auprc_ge(rank_severity(truth, np.array(order)), np.ones(6))
        for order in permutations(range(6))
    ]
    assert np.mean(values) == pytest.approx(expected_ap_of_random_order(6, 3), abs=1e-12)


def test_right_ranking_with_wrong_verdicts_is_a_perfect_ranking() -> None:
    # truth Low, Low, High, High: nothing is Critical, so one threshold alone is covered
    ranking = rank_severity([0, 0, 1, 1], [1, 2, 3, 4], levels=3)
    assert auprc_ge(ranking, np.ones(4), level=1) == 1.0
    assert math.isnan(auprc_ge(ranking, np.ones(4), level=2))
    assert ranking.covered == (1,)
    assert ordinal_auprc(ranking, np.ones(4)) == 1.0
    assert math.isnan(severity_ordering_ap(ranking, np.ones(4)))


def test_a_tie_enters_as_one_block() -> None:
    # by hand: the tie of scores 6 holds one positive and one negative
    ranking = rank_severity([0, 0, 1, 2], [1, 6, 6, 10])
    assert auprc_ge(ranking, np.ones(4), level=1) == pytest.approx((1 + 2 / 3) / 2, abs=1e-15)
    assert nap_ge(ranking, np.ones(4), level=1) == pytest.approx((5 / 6 - 0.5) / 0.5, abs=1e-15)
    assert auroc_ge(ranking, np.ones(4), level=1) == 3.5 / 4


def test_an_abstention_is_outside_the_ranking() -> None:
    with_one = rank_severity([0, 2, 1, 0], [1, 9, 2, 99], [True, True, True, False])
    without = rank_severity([0, 2, 1], [1, 9, 2])
    assert ordinal_auprc(with_one, np.ones(4)) == ordinal_auprc(without, np.ones(3)) == 1.0


def test_a_weighting_without_the_only_critical_case_leaves_the_mean_undefined() -> None:
    ranking = rank_severity(RARE, np.arange(100))
    counts = np.ones((100, 2))
    counts[99, 1] = 0
    values = METRICS["ordinal_auprc"](ranking, CaseWeights(counts))
    assert isinstance(values, np.ndarray)
    assert values[0] == 1.0
    assert math.isnan(values[1])
    assert METRICS["auprc_ge"](ranking, CaseWeights(counts))[1] == 1.0  # type: ignore[index]


def test_nobody_answered_has_a_reason() -> None:
    ranking = rank_severity([0, 1, 2], [1, 2, 3], [False, False, False])
    estimate = METRICS["ordinal_auprc"].measure(ranking)
    assert estimate.value is None
    assert estimate.reason == "no row was answered"


@pytest.mark.parametrize("tables", [300, pytest.param(1000, marks=pytest.mark.slow)])
def test_every_number_agrees_with_scikit_learn_on_random_tables(tables: int) -> None:
    rng = np.random.default_rng(11)
    compared = without = 0
    for _ in range(tables):
        n, levels = int(rng.integers(2, 40)), int(rng.integers(2, 6))
        truth = rng.integers(0, levels, n)
        # few distinct scores make many ties; weights are whole, zero among them
        score = rng.integers(0, int(rng.integers(1, 12)), n) / 4
        weight = rng.integers(0, 4, n)
        weight[0] = 1
        ranking = rank_severity(truth, score, levels=levels)
        long_truth, long_score = np.repeat(truth, weight), np.repeat(score, weight)
        for k in range(1, levels):
            positive = long_truth >= k
            if not positive.any() or positive.all():
                for metric in (auprc_ge, nap_ge, auroc_ge):
                    assert math.isnan(metric(ranking, weight, level=k))
                continue
            ap = average_precision_score(positive, long_score)
            prevalence = positive.mean()
            assert abs(auprc_ge(ranking, weight, level=k) - ap) < 1e-12
            assert (
                abs(nap_ge(ranking, weight, level=k) - (ap - prevalence) / (1 - prevalence)) < 1e-12
            )
            assert (
                abs(auroc_ge(ranking, weight, level=k) - roc_auc_score(positive, long_score))
                < 1e-12
            )
            compared += 1
        risky = long_truth >= 1
        top = long_truth[risky] == levels - 1
        if top.any() and not top.all():
            ap = average_precision_score(top, long_score[risky])
            assert abs(severity_ordering_ap(ranking, weight) - ap) < 1e-12
        else:
            assert math.isnan(severity_ordering_ap(ranking, weight))
            without += 1
    assert compared > 1.5 * tables
    assert without > 0.1 * tables


@pytest.mark.parametrize("metric", [auprc_ge, nap_ge, auroc_ge])
def test_the_threshold_is_the_first_unless_another_is_asked_for(metric: Any) -> None:
    ranking = rank_severity([0, 1, 0, 2, 1], [1, 2, 3, 4, 5])
    first, second = (metric(ranking, np.ones(5), level=k) for k in (1, 2))
    assert metric(ranking, np.ones(5)) == first != second


def test_the_worst_among_risky_needs_a_case_that_is_risky_but_not_worst() -> None:
    estimate = METRICS["severity_ordering_ap"].measure(rank_severity([0, 2, 2], [1, 2, 3]))
    assert estimate.value is None
    assert estimate.reason == (
        "the top level, or the levels between it and the lowest, have no case"
    )


def test_a_block_of_weightings_gives_what_each_gives_alone() -> None:
    rng = np.random.default_rng(3)
    case = np.sort(rng.integers(0, 12, 60)).astype(np.int32)
    truth, score = rng.integers(0, 4, 60), rng.integers(0, 9, 60)
    own = rng.integers(1, 4, 60).astype(float)
    ranking = rank_severity(truth, score, case=case, n_cases=12, weight=own)
    counts = rng.integers(0, 4, (12, 20)).astype(float)
    for name in ("ordinal_auprc", "ordinal_nap", "ordinal_auroc", "severity_ordering_ap"):
        together = METRICS[name](ranking, CaseWeights(counts))
        alone = [METRICS[name](ranking, counts[case, b] * own) for b in range(20)]
        np.testing.assert_allclose(np.array(together), np.array(alone), rtol=1e-13, equal_nan=True)


def test_any_increasing_change_of_score_leaves_the_ranking_alone() -> None:
    rng = np.random.default_rng(8)
    truth, score = rng.integers(0, 3, 50), rng.integers(-5, 5, 50).astype(float)
    one, other = rank_severity(truth, score), rank_severity(truth, np.exp(score) + 3)
    for name in ("ordinal_auprc", "ordinal_auroc", "severity_ordering_ap"):
        assert METRICS[name](one, np.ones(50)) == METRICS[name](other, np.ones(50))


def test_the_same_metrics_run_on_items_where_the_predicted_level_is_the_score() -> None:
    table = from_columns(
        case=[1, 1, 2, 2],
        item=["Sleep", "Tired", "Sleep", "Tired"],
        truth=[0, 3, 1, 2],
        prediction=[0, 3, 1, None],
    )
    ranking = rank_judgments_by_severity(table)
    assert ranking.ranked_by == "predicted level"
    assert (ranking.levels, ranking.n_cases, len(ranking)) == (4, 2, 3)
    assert METRICS["ordinal_auprc"].measure(ranking).value == 1.0
    confusion = confuse_judgments(table)
    assert METRICS["total_accuracy"].measure(confusion).value == 0.75
    assert METRICS["quadratic_kappa"].measure(confusion).value == 1.0
