"""The intervals hold, the quick way: a few hundred simulated studies, with bounds to match.

The page docs/coverage.md has the long way. With S studies a share p errs by sqrt(p(1-p)/S); bounds
here are four of these below what the long simulation found, so a sound library fails about once in
10,000 changes of the seed, and the percentile interval would fail most of them.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from acumen.metrics import METRICS
from simulations import items, marks
from simulations.coverage import JUDGED, cover, cover_by_rows
from simulations.crowds import CROWDS
from simulations.paired import CONTESTS, err
from simulations.populations import POPULATIONS, Population, draw, large_sample, truth

STUDIES = 300
CASES = 40_000
"""Cases that stand for the population: enough for studies of 20 and 41."""
BY_NAME = {p.name: p for p in POPULATIONS}


def covered(tally: dict[str, Any]) -> float:
    return 1 - (tally["low"] + tally["high"]) / tally["given"]


def reach(share: float, studies: int) -> float:
    """Four binomial standard errors."""
    return 4 * math.sqrt(share * (1 - share) / studies)


@pytest.mark.parametrize("name", ["skewed, ties", "strong clustering", "unequal sizes"])
def test_the_default_interval_holds_the_truth_about_as_often_as_it_says(name: str) -> None:
    found = cover(BY_NAME[name], 20, STUDIES, JUDGED, resamples=0, truth_cases=CASES)
    for metric in JUDGED:
        tally = found[metric.name]["default"]
        assert tally["given"] == STUDIES
        # nominal 95%, measured 93-97: 93% less four standard errors is 87.1%
        assert covered(tally) >= 0.93 - reach(0.93, STUDIES), metric.name


def test_rare_errors_are_not_taken_for_none() -> None:
    found = cover(BY_NAME["rare errors"], 20, STUDIES, JUDGED, resamples=200, truth_cases=CASES)
    for name in ("mean_loss", "aurc", "augrc"):
        # measured 97 and more; the percentile interval holds the truth in 65-90%
        assert covered(found[name]["default"]) >= 0.96 - reach(0.96, STUDIES)
        assert covered(found[name]["percentile"]) < 0.91
        assert {"gamma", "zero-error bound"} <= found[name]["default"]["methods"].keys()


def test_drawing_rows_instead_of_cases_is_caught_under_strong_clustering() -> None:
    found = cover_by_rows(
        BY_NAME["strong clustering"], 41, STUDIES, resamples=200, truth_cases=CASES
    )
    for name in ("mean_loss", "aurc", "augrc", "coverage"):
        # measured 64-78%: 85% lies three standard errors or more above
        assert covered(found[name]) < 0.85, name


@pytest.mark.parametrize("contest", CONTESTS, ids=lambda c: c.name)
def test_a_comparison_does_not_cry_wolf(contest: Any) -> None:
    found = err(contest, 20, STUDIES, resamples=0, truth_cases=CASES)
    for name, cell in found.items():
        error = 1 - covered(cell["default"])
        # 6.5% and four standard errors: 12.2%
        assert error <= 0.065 + reach(0.065, STUDIES), name
        if contest.is_exchangeable:
            assert cell["rejected"] / cell["tested"] <= 0.065 + reach(0.065, STUDIES), name
            assert cell["told"] / STUDIES <= 0.065 + reach(0.065, STUDIES), name


def test_the_populations_are_what_they_are_called() -> None:
    means = {p.name: truth(p, JUDGED, 1, CASES) for p in POPULATIONS}
    assert means["coverage .15"]["coverage"] == pytest.approx(0.15, abs=0.005)
    assert means["coverage .95"]["coverage"] == pytest.approx(0.95, abs=0.005)
    assert means["rare errors"]["mean_loss"] == pytest.approx(0.02, abs=0.003)
    ties = large_sample(BY_NAME["heavy ties"], 1, CASES)
    assert len(ties.ends) == 2
    sizes = large_sample(BY_NAME["unequal sizes"], 1, CASES)
    rows = [int((sizes.case[: 20 * 400] == case).sum()) for case in range(400)]
    assert (min(rows), max(rows)) == (1, 20)


def test_the_systems_that_differ_have_equal_aurc() -> None:
    contest = next(c for c in CONTESTS if "AURC equal" in c.name)
    both = (contest.left, contest.right)
    values = [truth(p, [METRICS["aurc"], METRICS["mean_loss"]], 3, 4 * CASES) for p in both]
    assert values[0]["aurc"] == pytest.approx(values[1]["aurc"], rel=0.01)
    assert values[0]["mean_loss"] > 2 * values[1]["mean_loss"]


def clustered_share(population: Population) -> float:
    """Share of the variance of loss that lies between cases, over all rows, answered or not."""
    loss = draw(population, np.random.default_rng(5), 1, 20_000).loss[0].astype(float)
    between = loss.mean(axis=1).var(ddof=1) - loss.var(axis=1, ddof=1).mean() / loss.shape[1]
    return float(between / (between + loss.var(axis=1, ddof=1).mean()))


def test_clustering_is_strong_where_it_says_so_and_absent_where_it_says_so() -> None:
    # losses are the latent difficulty cut into levels, which loses some of its 0.65
    assert clustered_share(BY_NAME["strong clustering"]) > 0.45
    assert clustered_share(BY_NAME["independent items"]) == pytest.approx(0.0, abs=0.01)


def test_new_items_are_covered_where_they_are_taken_for_a_sample(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(items, "CROWD", (600, 300))
    studies = 80
    counts = items.cover(41, 8, 1.0, studies)
    for name in ("accuracy", "mean_loss", "quadratic_kappa"):
        fixed, random = (counts[name, how][1] / counts[name, how][0] for how in ("fixed", "random"))
        # measured 62-69% and 95-96% with 400 studies
        assert fixed < 0.85
        assert random >= 0.95 - reach(0.95, studies)


def test_verdicts_are_right_on_new_items_where_they_are_taken_for_a_sample() -> None:
    studies = 80
    counts = items.judge(300, 8, 1.0, studies)
    assert counts["fixed"][2] > 0.3 * studies  # 55% of 500 studies, against 5.6%
    assert counts["random"][2] <= studies * (0.05 + reach(0.05, studies))
    assert counts["random"][1] >= studies * (0.95 - reach(0.95, studies))


def test_a_rare_level_costs_coverage_only_where_it_is_marked() -> None:
    crowd = next(c for c in CROWDS if c.name == "verdict")
    counts = marks.cover(crowd, 20, 100, seed=3)
    tally, held = counts["auprc_ge@top"], counts["accuracy"]
    missed = tally["low"] + tally["high"]
    marked = tally["given"] - tally["plain"]
    assert marked > 0.8 * tally["given"]  # two cases of twenty are at the top
    assert (missed - tally["plain_missed"]) / marked > 0.2
    assert held["plain"] == held["given"] == 100
