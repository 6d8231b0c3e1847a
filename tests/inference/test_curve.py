"""One inference for the whole risk–coverage curve."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy import stats

from acumen.inference import resample
from acumen.inference.bands import risk_band
from acumen.inference.curve import curve_of, readings
from acumen.inference.infer import Inference, infer
from acumen.inference.options import Options
from acumen.inference.paired import compare
from acumen.metrics import METRICS
from acumen.values.measured import Interval
from acumen.views.ranking import Ranking, rank

PLAIN = Options(resamples=0)
RISK, CUT, COVERAGE = (
    METRICS[m] for m in ("mean_loss_at_coverage", "mean_loss_at_cut", "coverage_at_risk")
)


def study(n: int, *, ties: int = 0, seed: int = 0, silent: float = 0.2) -> Ranking:
    """Cases with a mood of their own; the surer, the less often wrong."""
    rng = np.random.default_rng(seed)
    mood, sure = 0.7 * rng.normal(size=(n, 1)), rng.random((n, 8))
    wrong = rng.random((n, 8)) < 1 / (1 + np.exp(1.2 * (2 * sure - 1) + 0.6 - mood))
    loss, answered = wrong * rng.integers(1, 4, (n, 8)), rng.random((n, 8)) >= silent
    sure = np.round(sure * ties) if ties else sure
    return rank(
        loss.ravel(), sure.ravel(), answered.ravel(), case=np.repeat(np.arange(n), 8), n_cases=n,
        most_loss=3, unit=1 / 3, item=np.tile(np.arange(8), n),
    )  # fmt: skip


def ends(number: Inference) -> Interval:
    assert isinstance(number.interval, Interval)
    return number.interval


def test_the_ends_of_a_risk_at_a_cut_are_those_of_a_mean_on_the_scale_of_roots() -> None:
    """Ten cases of one row, half of them accepted: losses 0, 1, 2, 1, 1, at a cut that stays."""
    view = rank([0, 1, 2, 1, 1, 0, 3, 0, 1, 2], range(10, 0, -1), most_loss=3)
    found = ends(infer([CUT.at(coverage=0.5)], view, PLAIN)["mean_loss_at_cut@0.5"])
    accepted = np.array([0, 1, 2, 1, 1, *[1] * 5])
    u = np.where(np.arange(10) < 5, (accepted - 1) / 5, 0.0)  # the mean is 1
    s = math.sqrt(10 / 9 * (u**2).sum())
    kurtosis = 10 * (u**4).sum() / (u**2).sum() ** 2
    t = stats.t(min(9, max(2, 20 / (kurtosis - 1)))).ppf(0.975)
    assert found.method == "root-jackknife-t"
    assert found.low == pytest.approx(max(0, 1 - t * s / 2) ** 2)
    # four accepted cases err: the upper end is no lower than that of one more error
    assert found.high >= (1 + t * s / 2) ** 2 - 1e-12


def test_an_error_that_was_not_accepted_says_what_one_may_cost_that_hides_among_the_accepted() -> (
    None
):
    """Twenty cases of one row; none of the ten surest errs, the others are off by 4 on average."""
    view = rank([0] * 10 + [3, 5] * 5, range(20, 0, -1), most_loss=10)
    found = infer([m.at(coverage=0.5) for m in (RISK, CUT)], view, PLAIN)
    for interval in map(ends, found.values()):
        assert interval.method == "zero-error bound"
        assert interval.high == pytest.approx(4 * (1 - 0.025 ** (1 / 10)))


@pytest.mark.parametrize("ties", [0, 5])
@pytest.mark.parametrize("n", [41, 1200])
def test_a_coverage_at_a_risk_ends_where_the_ends_of_the_risks_cross_it(n: int, ties: int) -> None:
    view = study(n, ties=ties)
    middle = float(
        infer([RISK.at(coverage=0.4)], view, PLAIN)["mean_loss_at_coverage@0.4"].value or 0
    )
    number = infer([COVERAGE.at(risk=middle)], view, PLAIN)[f"coverage_at_risk@{middle:g}"]
    found = ends(number)
    family = readings(view)
    low, high = family.ends(0.95)
    below = family.coverage[high <= middle]
    step = 0.02
    assert max(below, default=0.0) - 1e-9 <= found.low <= max(below, default=0.0) + step
    within = family.coverage[low <= middle]
    if within[-1] < family.coverage[-1]:
        assert within[-1] - 1e-9 <= found.high <= within[-1] + step
    assert number.value is not None
    assert found.low <= number.value <= found.high
    assert number.value >= 0.4 - 1e-9


def test_a_curve_that_lies_below_the_risk_as_a_whole_has_the_interval_of_all_that_is_answered() -> (
    None
):
    view = study(60)
    numbers = infer([COVERAGE.at(risk=0.9), METRICS["coverage"]], view, PLAIN)
    found, whole = ends(numbers["coverage_at_risk@0.9"]), ends(numbers["coverage"])
    assert [found.low, found.high] == pytest.approx([whole.low, whole.high])


def test_what_is_read_off_the_curve_is_one_family() -> None:
    view = study(41, ties=7)
    numbers = infer([RISK.at(coverage=c) for c in (0.2, 0.6)], view, PLAIN)
    family = readings(view)
    low, high = family.ends(0.95)
    band, _ = risk_band(view, PLAIN)
    assert band is not None
    for coverage in (0.2, 0.6):
        alone, at = ends(numbers[f"mean_loss_at_coverage@{coverage:g}"]), int(coverage * 50) - 1
        assert family.coverage[at] == pytest.approx(coverage)
        assert [low[at], high[at]] == pytest.approx([alone.low, alone.high])
        beside = int(np.argmin(np.abs(band.coverage - coverage)))
        assert band.low[beside] < alone.low
        assert band.high[beside] > alone.high


def test_intervals_do_not_jump_where_leaving_a_case_out_would() -> None:
    """Untied rows: the standard error is near that of many draws of such studies."""
    views = [study(41, seed=seed) for seed in range(60)]
    numbers = [
        infer([RISK.at(coverage=0.5)], view, PLAIN)["mean_loss_at_coverage@0.5"] for view in views
    ]
    spread = float(np.std([number.value or 0.0 for number in numbers]))
    errors = np.array([ends(number).standard_error for number in numbers])
    assert 0.9 < np.median(errors) / spread < 1.3
    assert errors.max() < 2 * spread


def test_weights_are_rows_written_so_often() -> None:
    view = study(20, ties=6)
    twice = replace(view, weight=np.full(len(view.case), 2.0))
    asked = [RISK.at(coverage=0.4), CUT.at(coverage=0.4), COVERAGE.at(risk=0.2)]
    one, other = (infer(asked, each, PLAIN) for each in (view, twice))
    for name in one:
        assert ends(one[name]).ends == pytest.approx(ends(other[name]).ends)


def test_of_very_many_cases_groups_stand_for_them(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = [RISK.at(coverage=0.4), COVERAGE.at(risk=0.2)]
    quick = infer(asked, study(1500, ties=20), PLAIN)
    assert len(curve_of(study(1500)).weight) == resample.MOST_GROUPS
    monkeypatch.setattr(resample, "MOST_LEFT_OUT", 2000)
    full = infer(asked, study(1500, ties=20), PLAIN)
    for name in quick:
        a, b = ends(quick[name]), ends(full[name])
        assert quick[name].value == full[name].value
        assert a.high - a.low == pytest.approx(b.high - b.low, rel=0.2)


def test_items_that_are_a_sample_make_it_wider() -> None:
    view = study(60, ties=9)
    asked = [RISK.at(coverage=0.4), CUT.at(coverage=0.4), COVERAGE.at(risk=0.2)]
    fixed, sampled = (infer(asked, view, replace(PLAIN, items=i)) for i in ("fixed", "random"))
    for name in fixed:
        a, b = ends(fixed[name]), ends(sampled[name])
        assert b.high - b.low >= a.high - a.low - 1e-12, name
        jackknife = sampled[name].jackknife
        assert jackknife.items is not None
        assert jackknife.items.n == 8


def test_a_difference_of_coverages_at_a_risk_has_an_interval() -> None:
    one, other = study(60, seed=1), study(60, seed=2)
    found = compare([COVERAGE.at(risk=0.25)], one, other, PLAIN)["coverage_at_risk@0.25"]
    assert isinstance(found.interval, Interval)
    same = compare([COVERAGE.at(risk=0.25)], one, one, PLAIN)["coverage_at_risk@0.25"].interval
    assert isinstance(same, Interval)
    assert same.has_zero


def test_too_few_cases_and_no_answer_have_no_interval() -> None:
    asked = [RISK.at(coverage=0.5), CUT.at(coverage=0.5), COVERAGE.at(risk=0.5)]
    for view in (rank([0, 1], [2, 1], case=[0, 0]), rank([0, 0], [2, 1], [False, False])):
        for number in infer(asked, view, PLAIN).values():
            assert not isinstance(number.interval, Interval)


def test_a_band_is_there_without_resamples_and_begins_with_three_erring_cases() -> None:
    view = study(41)
    band, reason = risk_band(view, PLAIN)
    assert reason is None
    assert band is not None
    erring = [e.erring_cases for e in readings(view).errors]
    assert (
        band.coverage[0] == readings(view).coverage[next(i for i, e in enumerate(erring) if e > 2)]
    )
    assert band.coverage[-1] == pytest.approx(float(curve_of(view).answered / curve_of(view).total))
