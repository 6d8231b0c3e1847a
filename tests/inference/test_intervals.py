"""Every interval by its formula, computed again with scipy.stats; every fallback by its name."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

from acumen.errors import UsageError
from acumen.inference.infer import infer
from acumen.inference.intervals import default_interval
from acumen.inference.jackknife import Jackknife
from acumen.inference.options import Options
from acumen.inference.replicates import Replicates, bca, percentile, quantiles, spread
from acumen.inference.resample import Bootstrap, replicate
from acumen.metrics import METRICS
from acumen.metrics.registry import Kind, Metric
from acumen.metrics.reliability import noise_of
from acumen.report.words import note_of
from acumen.values.measured import Absence, Flag, Interval, NoInterval, RestsOn
from acumen.views.confusion import confuse
from acumen.views.forecast import forecast
from acumen.views.ranking import Ranking, rank
from acumen.views.severity import rank_severity
from acumen.views.weights import CaseWeights, Errors

LEFT_OUT = np.array([0.31, 0.28, 0.33, 0.30, 0.12, 0.29, 0.31, 0.30, 0.32, 0.31, 0.27, 0.30])
MANY = Errors(erring_cases=9, answered=80.0, cmax=0.8, worst_case=5.0, cases=12)


def moments(left_out: np.ndarray) -> tuple[int, float, float]:
    """Number, jackknife standard error and kurtosis degrees of freedom, spelled out."""
    n = len(left_out)
    d = left_out - left_out.mean()
    s = math.sqrt((n - 1) / n * sum(x * x for x in d))
    kurt = n * sum(x**4 for x in d) / sum(x * x for x in d) ** 2
    return n, s, min(n - 1, max(2, 2 * n / (kurt - 1)))


def interval(found: Interval | NoInterval) -> Interval:
    assert isinstance(found, Interval), found
    return found


def why(found: Interval | NoInterval) -> Absence:
    assert isinstance(found, NoInterval), found
    return found.why


@pytest.mark.parametrize("level", [0.95, 0.9])
def test_a_risk_gets_a_jackknife_t_on_the_log(level: float) -> None:
    _, s, df = moments(LEFT_OUT)
    assert 2 < df < 11  # one case carries most of the variance
    t = stats.t(df).ppf((1 + level) / 2)
    found = interval(
        default_interval(Kind.RISK, 0.3, Jackknife.of(LEFT_OUT), errors=MANY, level=level)
    )
    assert found.method == "log-jackknife-t"
    assert found.low == pytest.approx(0.3 * math.exp(-t * s / 0.3), rel=1e-12)
    assert found.high == pytest.approx(0.3 * math.exp(t * s / 0.3), rel=1e-12)
    assert found.standard_error == pytest.approx(s, rel=1e-12)
    assert found.confidence_level == level


def test_degrees_of_freedom_stay_between_2_and_n_minus_1() -> None:
    one_carries_all = np.array([1.0] + [0.0] * 99)
    assert Jackknife.of(one_carries_all).degrees == pytest.approx(moments(one_carries_all)[2])
    assert 2.0 <= Jackknife.of(one_carries_all).degrees < 2.1
    assert Jackknife.of(np.array([1.0, -1.0] * 5)).degrees == 9.0
    assert Jackknife.of(np.zeros(7)).degrees == 6.0


@pytest.mark.parametrize("level", [0.95, 0.8])
@pytest.mark.parametrize("unit", [1.0, 1 / 3])
@pytest.mark.parametrize(
    ("name", "share"), [("mean_loss", 1.0), ("aurc", 0.7), ("augrc", 0.7**2 / 2)]
)
def test_one_or_two_erring_cases_get_gamma_quantiles(
    name: str, share: float, unit: float, level: float
) -> None:
    left_out = np.array([0.05, 0.02] + [0.06] * 13) * unit
    theta, n = 0.055 * unit, 15
    errors = Errors(erring_cases=2, answered=90.0, cmax=0.7, worst_case=3.0, cases=15, unit=unit)
    found = interval(
        default_interval(
            Kind.RISK, theta, Jackknife.of(left_out),
            errors=errors, one_error=METRICS[name].one_error, level=level,
        )
    )  # fmt: skip
    _, s, _ = moments(left_out)
    p = (1 + level) / 2
    v = (s * stats.t(n - 1).ppf(p) / stats.norm.ppf(p)) ** 2
    e = 3.0 * share / 90.0 * unit
    low = stats.gamma(theta**2 / v, scale=v / theta).ppf(1 - p)
    mean, variance = theta + e, v + e * e
    high = stats.gamma(mean**2 / variance, scale=variance / mean).ppf(p)
    assert (found.method, found.flags, found.erring_cases) == ("gamma", (Flag.FEW_ERRORS,), 2)
    assert found.low == pytest.approx(low, rel=1e-9)
    assert found.high == pytest.approx(high, rel=1e-9)


def test_the_gamma_bound_counts_an_erring_case_as_one_level_at_least() -> None:
    errors = Errors(erring_cases=1, answered=10.0, cmax=1.0, worst_case=0.25, cases=10)
    left_out = np.array([0.0] + [0.03] * 9)
    one = METRICS["mean_loss"].one_error
    found = interval(
        default_interval(Kind.RISK, 0.025, Jackknife.of(left_out), errors=errors, one_error=one)
    )
    _, s, _ = moments(left_out)
    v = (s * stats.t(9).ppf(0.975) / stats.norm.ppf(0.975)) ** 2
    mean, variance = 0.025 + 0.1, v + 0.01
    assert found.high == pytest.approx(
        stats.gamma(mean**2 / variance, scale=variance / mean).ppf(0.975), rel=1e-9
    )


def test_an_excess_of_zero_with_an_erring_case_starts_at_zero() -> None:
    # the one error is ranked last, so the ranking is the best there is
    case = np.repeat(np.arange(12), 2)
    view = rank([0] * 23 + [2], -np.arange(24.0), case=case, n_cases=12)
    found = infer([METRICS["aurc_exact_excess"]], view, Options(resamples=200))
    made = interval(found["aurc_exact_excess"].interval)
    assert (found["aurc_exact_excess"].value, made.method, made.low) == (0.0, "gamma", 0.0)
    assert made.high > 0.0
    varying = Jackknife.of(np.array([0.0] * 11 + [0.1]))
    errors = Errors(erring_cases=2, answered=20.0, cmax=1.0, worst_case=2.0, cases=12)
    one = METRICS["aurc"].one_error
    at_zero = interval(default_interval(Kind.RISK, 0.0, varying, errors=errors, one_error=one))
    assert (at_zero.method, at_zero.low) == ("gamma", 0.0)
    assert at_zero.high > 0.1


def test_two_cases_that_err_alike_do_not_say_how_far_an_error_may_lie_off() -> None:
    alike = Jackknife.of(np.array([1.0, 1.0]))
    errors = Errors(erring_cases=2, answered=4.0, cmax=1.0, worst_case=2.0, cases=2)
    one = METRICS["aurc"].one_error
    risk = default_interval(Kind.RISK, 1.0, alike, errors=errors, one_error=one)
    assert why(risk) is Absence.NO_VARIATION
    none_right = Jackknife.of(np.array([0.0, 0.0]))
    share = interval(default_interval(Kind.PROPORTION, 0.0, none_right, errors=errors))
    assert (share.method, share.low) == ("Wilson", 0.0)
    assert share.high > 0.9
    assert why(default_interval(Kind.REAL, 1.0, alike)) is Absence.NO_VARIATION


def test_a_signed_error_ends_where_the_scale_does() -> None:
    view = confuse([0, 0], [1, 3], levels=4, case=[0, 1])
    found = infer([METRICS["signed_error"]], view, Options(resamples=0))["signed_error"]
    ends = interval(found.interval)
    assert (found.value, ends.low, ends.high) == (2.0, -3.0, 3.0)


@pytest.mark.parametrize("level", [0.95, 0.9])
@pytest.mark.parametrize(("name", "share"), [("mean_loss", 1.0), ("aurc", 0.8), ("augrc", 0.32)])
def test_no_error_at_all_gets_a_bound_that_says_what_it_assumes(
    name: str, share: float, level: float
) -> None:
    n, unit = 20, 0.5
    errors = Errors(erring_cases=0, answered=128.0, cmax=0.8, worst_case=0.0, cases=n, unit=unit)
    found = interval(
        default_interval(
            Kind.RISK, 0.0, Jackknife.of(np.zeros(n)),
            errors=errors, one_error=METRICS[name].one_error, level=level,
        )
    )  # fmt: skip
    # the chance that none of n cases errs is (1-p)^n; p is where that is (1-level)/2
    p = 1 - ((1 - level) / 2) ** (1 / n)
    assert stats.binom(n, p).pmf(0) == pytest.approx((1 - level) / 2)
    assert found.method == "zero-error bound"
    assert (found.low, found.high) == (0.0, pytest.approx(p * share * unit, rel=1e-12))
    assert found.flags == (Flag.NO_ERRORS,)


def test_a_risk_that_is_zero_though_cases_vary_is_cut_at_zero() -> None:
    found = interval(default_interval(Kind.RISK, 0.0, Jackknife.of(LEFT_OUT), errors=MANY))
    _, s, df = moments(LEFT_OUT)
    assert (found.method, found.low) == ("jackknife-t", 0.0)
    assert found.high == pytest.approx(stats.t(df).ppf(0.975) * s)


def test_a_risk_without_any_variation_has_no_interval() -> None:
    found = default_interval(Kind.RISK, 0.4, Jackknife.of(np.full(12, 0.4)), errors=MANY)
    assert why(found) is Absence.NO_VARIATION


def test_a_huge_relative_error_gives_an_open_end_not_an_overflow() -> None:
    left_out = np.array([0.0] * 11 + [1000.0])
    found = interval(default_interval(Kind.RISK, 1e-3, Jackknife.of(left_out), errors=MANY))
    assert (found.low, found.high) == (0.0, math.inf)


@pytest.mark.parametrize("level", [0.95, 0.68])
def test_a_proportion_gets_a_jackknife_t_on_the_logit(level: float) -> None:
    _, s, df = moments(LEFT_OUT)
    found = interval(default_interval(Kind.PROPORTION, 0.3, Jackknife.of(LEFT_OUT), level=level))
    reach = stats.t(df).ppf((1 + level) / 2) * s / (0.3 * 0.7)
    logit = math.log(0.3 / 0.7)
    assert found.method == "logit-jackknife-t"
    assert found.low == pytest.approx(1 / (1 + math.exp(-(logit - reach))), rel=1e-12)
    assert found.high == pytest.approx(1 / (1 + math.exp(-(logit + reach))), rel=1e-12)


@pytest.mark.parametrize("p", [0.0, 1.0, 0.25])
def test_a_proportion_without_variation_gets_wilsons_with_students_t(p: float) -> None:
    n = 16
    found = interval(default_interval(Kind.PROPORTION, p, Jackknife.of(np.full(n, p))))
    t = stats.t(n - 1).ppf(0.975)
    # the ends solve |p - q| = t * sqrt(q(1-q)/n)
    assert found.method == "Wilson"
    for end in (found.low, found.high):
        assert abs(p - end) == pytest.approx(t * math.sqrt(end * (1 - end) / n), abs=1e-12)
    assert found.low < found.high


def test_wilsons_interval_counts_cases_where_groups_were_left_out() -> None:
    grouped = Jackknife.of(np.ones(500), n_cases=10_000)
    found = interval(default_interval(Kind.PROPORTION, 1.0, grouped))
    t = stats.t(9_999).ppf(0.975)
    assert found.low == pytest.approx(1 / (1 + t * t / 10_000), rel=1e-12)


def test_a_distance_is_freed_of_noise_at_both_ends() -> None:
    _, s, df = moments(LEFT_OUT)
    reach = stats.t(df).ppf(0.975) * s
    found = interval(
        default_interval(Kind.DISTANCE, 0.6, Jackknife.of(LEFT_OUT), noise=(0.5, 0.06))
    )
    assert (found.low, found.high) == (
        pytest.approx(max(0.0, 0.5 - reach)),
        pytest.approx(min(1.0, 0.54 + reach)),
    )
    assert found.method == "jackknife-t less noise"
    assert found.flags == (Flag.NOISE_RAISES,)
    bare = interval(default_interval(Kind.DISTANCE, 0.6, Jackknife.of(LEFT_OUT)))
    assert bare.low == pytest.approx(max(0.0, 0.6 - reach))


def test_noise_of_two_bins_by_hand() -> None:
    # bin 0: residuals 3, 1, 1, 3 of cases that weigh 2 each: r = 1, off by ±1/8 four times
    # bin 1: residuals 1, -1, 1, -1: r = 0, off by ±1/8 four times
    residual, weight = np.array([[3.0, 1, 1, 3], [1, -1, 1, -1]]), np.full(4, 2.0)
    left, added = noise_of(residual, weight)
    sigma = math.sqrt(4 / 3 * 4 / 64)
    folded = stats.foldnorm(1 / sigma, scale=sigma).mean() - 1  # E|N(1, sigma)| - 1
    assert left == pytest.approx(math.sqrt(1 - sigma**2))
    assert added == pytest.approx(folded + sigma * math.sqrt(2 / math.pi))


def test_what_is_no_share_of_cases_gets_no_interval_where_nothing_varies() -> None:
    """All confidences .5 and all wrong: Brier is .25 and ECE .5 whatever happens."""
    view = forecast([0.5] * 12, [0.0] * 12)
    names = ["brier", "ece", "ece_equal_mass", "smooth_ece"]
    found = infer([METRICS[name] for name in names], view, Options(resamples=0))
    assert found["brier"].value == 0.25
    for name in names:
        assert why(found[name].interval) is Absence.NO_VARIATION


def test_a_gain_is_measured_by_what_is_missing_and_may_fall_below_minus_one() -> None:
    _, s, df = moments(LEFT_OUT)
    t = stats.t(df).ppf(0.975)
    found = interval(default_interval(Kind.GAIN, -1.4, Jackknife.of(LEFT_OUT)))
    assert found.low == pytest.approx(1 - 2.4 * math.exp(t * s / 2.4))
    assert found.high == pytest.approx(1 - 2.4 * math.exp(-t * s / 2.4))
    assert why(default_interval(Kind.GAIN, 1.0, Jackknife.of(np.ones(12)))) is Absence.NO_VARIATION
    truth, score = [0] * 3 + [1] * 27, [9.0, 10.0, 11.0, *np.arange(27) * 0.1]
    view = rank_severity(truth, score, levels=2)
    worst = infer([METRICS["nap_ge"]], view, Options(resamples=500))["nap_ge"]
    assert worst.value == pytest.approx(-1.4018, abs=1e-4)
    both = (interval(worst.interval), interval(worst.percentile))
    assert all(one.low < -1.4018 < one.high for one in both)


def test_a_correlation_gets_a_jackknife_t_on_atanh() -> None:
    _, s, df = moments(LEFT_OUT)
    found = interval(default_interval(Kind.CORRELATION, -0.4, Jackknife.of(LEFT_OUT)))
    reach = stats.t(df).ppf(0.975) * s / (1 - 0.16)
    assert found.method == "atanh-jackknife-t"
    assert found.low == pytest.approx(math.tanh(math.atanh(-0.4) - reach), rel=1e-12)
    assert found.high == pytest.approx(math.tanh(math.atanh(-0.4) + reach), rel=1e-12)


@pytest.mark.parametrize(
    ("value", "left_out"), [(1.0, np.ones(12)), (0.0, np.zeros(12)), (1.0, LEFT_OUT)]
)
def test_a_correlation_that_is_perfect_or_that_no_case_changes_has_no_interval(
    value: float, left_out: np.ndarray
) -> None:
    assert why(default_interval(Kind.CORRELATION, value, Jackknife.of(left_out))) is (
        Absence.NO_VARIATION
    )


def test_predictions_without_variation_have_a_kappa_of_zero_and_no_interval() -> None:
    view = confuse([0, 1, 2] * 4, [1] * 12, levels=3)
    found = infer([METRICS["quadratic_kappa"]], view, Options(resamples=0))["quadratic_kappa"]
    assert found.value == 0.0
    assert why(found.interval) is Absence.NO_VARIATION


def test_anything_else_gets_the_plain_jackknife_t() -> None:
    _, s, df = moments(LEFT_OUT)
    found = interval(default_interval(Kind.REAL, -7.0, Jackknife.of(LEFT_OUT)))
    reach = stats.t(df).ppf(0.975) * s
    assert found.method == "jackknife-t"
    assert (found.low, found.high) == (pytest.approx(-7 - reach), pytest.approx(-7 + reach))


def test_an_excess_is_a_risk_while_it_is_positive_and_uncut_when_ties_make_it_negative() -> None:
    above = interval(default_interval(Kind.EXCESS, 0.3, Jackknife.of(LEFT_OUT), errors=MANY))
    assert above == default_interval(Kind.RISK, 0.3, Jackknife.of(LEFT_OUT), errors=MANY)
    below = interval(default_interval(Kind.EXCESS, -0.1, Jackknife.of(LEFT_OUT), errors=MANY))
    assert below == default_interval(Kind.REAL, -0.1, Jackknife.of(LEFT_OUT))
    assert below.low < -0.1
    assert METRICS["eaurc"].kind is METRICS["aurc_gap_pct"].kind is Kind.EXCESS
    # losses 3, 3, 2 in one tie below a right answer: AURC .75, "optimal" .917
    tied = rank([3, 3, 2, 0] * 10, [0, 0, 0, 3] * 10, case=np.repeat(np.arange(10), 4), n_cases=10)
    assert METRICS["eaurc"].measure(tied).value < 0


def test_ends_are_cut_to_the_values_a_metric_may_take() -> None:
    cut = Interval(low=-0.2, high=1.3, method="x").within((0.0, 1.0))
    assert (cut.low, cut.high) == (0.0, 1.0)
    beyond = Interval(low=1.2, high=1.3, method="x").within((0.0, 1.0))
    assert (beyond.low, beyond.high) == (1.0, 1.0)


def test_too_many_undefined_leave_one_out_values_withhold_the_interval() -> None:
    values = np.append(np.linspace(0.2, 0.4, 18), [np.nan, np.nan])
    none = default_interval(Kind.REAL, 0.3, Jackknife.of(values))
    assert none == NoInterval(why=Absence.UNDEFINED_WITHOUT_CASES, count=2, of=20)
    fine = np.append(np.linspace(0.2, 0.4, 19), np.nan)  # 5% exactly
    assert Jackknife.of(fine).undefined == (19,)
    assert isinstance(default_interval(Kind.REAL, 0.3, Jackknife.of(fine)), Interval)
    assert isinstance(default_interval(Kind.REAL, 0.3, Jackknife.of(fine[1:])), NoInterval)
    nowhere = Jackknife.of(np.full(12, np.nan))
    assert default_interval(Kind.REAL, 0.3, nowhere) == NoInterval(
        why=Absence.UNDEFINED_WITHOUT_CASES, count=12, of=12
    )


def test_fewer_than_two_cases_have_no_interval() -> None:
    one = default_interval(Kind.REAL, 0.3, Jackknife.of(np.ones(1)))
    assert one == NoInterval(why=Absence.TOO_FEW_CASES, count=2, of=1)
    lone = rank([1, 0], [2, 1], case=[0, 0], n_cases=1)
    for method in ("default", "percentile", "bca"):
        found = infer([METRICS["mean_loss"]], lone, Options(method=method))["mean_loss"]
        assert found.value == 0.5
        assert why(found.interval) is Absence.TOO_FEW_CASES
        assert why(found.percentile) is Absence.TOO_FEW_CASES
        assert found.replicates.drop_rate is None


def test_two_cases_are_enough_for_an_interval() -> None:
    two = rank([1, 0, 2, 0], [4, 3, 2, 1], case=[0, 0, 1, 1], n_cases=2)
    found = infer([METRICS["mean_loss"]], two, Options(resamples=0))["mean_loss"]
    assert isinstance(found.interval, Interval)
    assert why(found.percentile) is Absence.NO_RESAMPLES


def small(n: int) -> Ranking:
    rng = np.random.default_rng(3)
    case = np.repeat(np.arange(n), 4)
    return rank(rng.integers(0, 3, 4 * n), rng.random(4 * n), case=case, n_cases=n)


@pytest.mark.parametrize("method", ["default", "percentile", "bca"])
def test_fewer_than_ten_cases_are_marked_unreliable(method: str) -> None:
    options = Options(resamples=500, method=method)  # type: ignore[arg-type]
    nine = interval(infer([METRICS["aurc"]], small(9), options)["aurc"].interval)
    ten = interval(infer([METRICS["aurc"]], small(10), options)["aurc"].interval)
    assert nine.flags == (Flag.FEW_CASES,)
    assert Flag.FEW_CASES not in ten.flags


def test_without_resamples_the_default_interval_is_still_there() -> None:
    found = infer([METRICS["aurc"]], small(12), Options(resamples=0))["aurc"]
    assert interval(found.interval).method == "log-jackknife-t"
    assert why(found.percentile) is Absence.NO_RESAMPLES
    asked = infer([METRICS["aurc"]], small(12), Options(resamples=0, method="bca"))["aurc"]
    assert why(asked.interval) is Absence.NO_RESAMPLES


def test_nobody_answered_is_undefined_with_the_reason() -> None:
    silent = rank([0] * 24, [1] * 24, [False] * 24, case=np.repeat(np.arange(12), 2), n_cases=12)
    found = infer([METRICS["aurc"]], silent, Options(resamples=50))["aurc"]
    assert (found.value, found.reason) == (None, "no row was answered")
    assert found.reason == "no row was answered"
    assert why(found.interval) is Absence.NO_VALUE
    assert found.replicates.drop_rate == 1.0


def test_a_metric_undefined_in_over_5_percent_of_resamples_has_no_interval() -> None:
    # only one of 12 cases answers: a resample lacks it with chance (11/12)^12 = .352
    answered = np.repeat(np.arange(12), 2) == 4
    lonely = rank(
        [1, 0] * 12, np.arange(24), answered, case=np.repeat(np.arange(12), 2), n_cases=12
    )
    for method in ("default", "percentile", "bca"):
        options = Options(resamples=4000, method=method)
        found = infer([METRICS["mean_loss"]], lonely, options)["mean_loss"]
        assert found.replicates.drop_rate == pytest.approx((11 / 12) ** 12, abs=0.04)
        assert why(found.interval) is Absence.UNDEFINED_IN_RESAMPLES


@pytest.mark.parametrize(("level", "needed"), [(0.95, 40), (0.8, 10), (0.99, 200)])
def test_a_percentile_interval_needs_a_resample_beyond_each_end(level: float, needed: int) -> None:
    replicates = np.arange(float(needed))
    found = interval(percentile(Replicates(replicates), level))
    assert 0.0 < found.low < found.high < needed - 1
    missing = percentile(Replicates(replicates[1:]), level)
    assert missing == NoInterval(why=Absence.TOO_FEW_RESAMPLES, count=needed, of=needed - 1)
    enumerated = percentile(
        Replicates(np.array([1.0, 2.0, 3.0]), np.array([0.25, 0.5, 0.25])), level
    )
    assert isinstance(enumerated, Interval)


def test_up_to_5_percent_undefined_resamples_are_dropped_and_counted() -> None:
    replicates = np.append(np.linspace(0, 1, 95), [np.nan] * 5)
    found = interval(percentile(Replicates(replicates)))
    assert (found.low, found.high) == (pytest.approx(0.025), pytest.approx(0.975))
    assert isinstance(percentile(Replicates(np.append(replicates, np.nan))), NoInterval)
    assert Replicates(replicates).dropped == pytest.approx(0.05)


def test_the_percentile_interval_takes_quantiles_of_the_replicates() -> None:
    replicates = np.random.default_rng(0).normal(size=501)
    found = interval(percentile(Replicates(replicates), 0.9))
    assert (found.low, found.high) == tuple(np.quantile(replicates, [0.05, 0.95]))
    assert found.standard_error == pytest.approx(replicates.std(), rel=1e-12)


@pytest.mark.parametrize("n", [1, 2, 3, 40, 41, 10_000])
def test_quantiles_are_those_of_numpy_to_the_last_digit(n: int) -> None:
    rng = np.random.default_rng(n)
    for values in (rng.standard_normal(n), rng.integers(0, 4, n) / 3, np.full(n, 0.1)):
        for at in ((0.025, 0.975), (0.05, 0.95), (0.0, 1.0), (0.3, 0.7)):
            assert quantiles(values, at) == tuple(np.quantile(values, at))


def test_enumerated_values_take_quantiles_of_their_law() -> None:
    values, chance = np.array([3.0, 1.0, 2.0]), np.array([0.5, 0.2, 0.3])
    assert quantiles(values, (0.2, 0.51), chance) == (1.0, 3.0)
    assert quantiles(values, (0.21, 0.5), chance) == (2.0, 2.0)
    assert spread(values, chance) == pytest.approx(math.sqrt(0.61))
    partly = Replicates(np.array([3.0, np.nan, 2.0]), chance)
    assert partly.dropped == pytest.approx(0.2)
    assert partly.defined()[1] == pytest.approx([0.625, 0.375])


def bca_by_hand(replicates: np.ndarray, theta: float, x: np.ndarray, level: float) -> np.ndarray:
    z0 = stats.norm.ppf((replicates < theta).mean() + (replicates == theta).mean() / 2)
    left_out = (x.sum() - x) / (len(x) - 1)
    u = left_out.mean() - left_out
    a = (u**3).sum() / (6 * (u**2).sum() ** 1.5)
    z = z0 + stats.norm.ppf([(1 - level) / 2, (1 + level) / 2])
    return np.quantile(replicates, stats.norm.cdf(z0 + z / (1 - a * z)))


@pytest.mark.parametrize("level", [0.95, 0.8])
def test_bca_moves_the_ends_by_bias_and_acceleration(level: float) -> None:
    x = np.random.default_rng(4).exponential(size=25)
    replicates = (x @ Bootstrap(25, 3000).block(0, 3000)) / 25
    jackknife = Jackknife.of((x.sum() - x) / 24)
    found = interval(bca(Replicates(replicates), x.mean(), jackknife, level))
    assert found.method == "BCa"
    assert [found.low, found.high] == pytest.approx(bca_by_hand(replicates, x.mean(), x, level))
    scipys = stats.bootstrap(
        (x,), np.mean, confidence_level=level, n_resamples=20_000,
        rng=np.random.default_rng(1), method="BCa",
    ).confidence_interval  # fmt: skip
    # other draws: a tail quantile of 3,000 replicates errs by a few percent of the width
    width = scipys.high - scipys.low
    assert [found.low, found.high] == pytest.approx([scipys.low, scipys.high], abs=0.05 * width)


def test_bca_falls_back_by_name_where_its_corrections_do_not_exist() -> None:
    x = np.arange(12.0)
    jackknife = Jackknife.of((x.sum() - x) / 11)
    constant = np.full(100, 5.0)
    for replicates, estimate, values in (
        (constant, 6.0, jackknife),  # every replicate below the estimate
        (np.linspace(0, 1, 100), 0.5, Jackknife.of(np.full(12, 0.5))),  # nothing to accelerate
    ):
        found = interval(bca(Replicates(replicates), estimate, values))
        assert (found.method, found.flags) == ("percentile", (Flag.FALLBACK,))
        assert [found.low, found.high] == pytest.approx(np.quantile(replicates, [0.025, 0.975]))


@pytest.mark.parametrize(
    ("wrong", "word"),
    [
        ({"confidence_level": 1.0}, "level"),
        ({"confidence_level": 95}, "level"),
        ({"resamples": -1}, "resamples"),
        ({"threads": 0}, "threads"),
        ({"method": "wald"}, "wald"),
        ({"weights": "uniform"}, "uniform"),
    ],
)
def test_options_that_make_no_sense_are_refused(wrong: dict[str, object], word: str) -> None:
    with pytest.raises(UsageError, match=word):
        Options(**wrong)  # type: ignore[arg-type]


def test_the_whole_chain_gives_the_formula_on_a_real_ranking() -> None:
    view = small(14)
    found = infer([METRICS["aurc"]], view, Options(resamples=100, confidence_level=0.9))["aurc"]
    left_out = []
    for case in range(14):
        counts = np.ones((14, 1))
        counts[case] = 0
        left_out.append(float(METRICS["aurc"](view, CaseWeights(counts))[0]))  # type: ignore[index]
    theta = METRICS["aurc"].measure(view).value
    assert theta is not None
    _, s, df = moments(np.array(left_out))
    reach = stats.t(df).ppf(0.95) * s / theta
    made = interval(found.interval)
    assert (made.low, made.high) == (
        pytest.approx(theta * math.exp(-reach), rel=1e-10),
        pytest.approx(theta * math.exp(reach), rel=1e-10),
    )


def test_a_metric_people_bring_gets_an_interval_too() -> None:
    def worst_loss(view: Ranking, weights: CaseWeights) -> np.ndarray:
        return np.sqrt(view.totals(weights).loss)

    brought = Metric("root_loss", worst_loss, Ranking, "lower", Kind.REAL, "never")
    found = infer([brought], small(12), Options(resamples=300))["root_loss"]
    assert interval(found.interval).method == "jackknife-t"
    plan = Bootstrap(12, 300)
    expected = replicate(lambda block: worst_loss(small(12), block)[None], plan)[0]
    assert np.array_equal(found.replicates.values, expected)


def test_replicates_equal_to_the_estimate_count_half_in_bcas_bias() -> None:
    x = np.random.default_rng(9).integers(0, 3, 15).astype(float)
    replicates = (x @ Bootstrap(15, 2000).block(0, 2000)) / 15
    assert (replicates == x.mean()).mean() > 0.05
    found = interval(bca(Replicates(replicates), x.mean(), Jackknife.of((x.sum() - x) / 14), 0.7))
    assert [found.low, found.high] == pytest.approx(bca_by_hand(replicates, x.mean(), x, 0.7))
    z = stats.norm.ppf((replicates <= x.mean()).mean())
    assert z - stats.norm.ppf((replicates < x.mean()).mean()) > 0.1


def test_a_risk_of_zero_beside_an_erring_case_has_an_interval_from_zero() -> None:
    """A perfectly ranked error: the excess is 0, yet it moves when cases are left out."""
    errors = Errors(erring_cases=1, answered=20.0, cmax=1.0, worst_case=1.0, cases=10)
    found = default_interval(
        Kind.RISK,
        0.0,
        Jackknife.of(np.array([0.0] * 9 + [0.01])),
        errors=errors,
        one_error=lambda cmax: cmax,
    )
    assert isinstance(found, Interval)
    assert found.low == 0.0
    assert found.high > 0.05


@pytest.mark.parametrize("answering", [2, 3, 10, 41])
def test_all_right_is_worth_as_much_as_the_cases_that_answered(answering: int) -> None:
    n = 41
    answered = np.arange(n) < answering
    view = rank(np.zeros(n, int), np.arange(n), answered)
    found = infer([METRICS["accuracy"], METRICS["coverage"]], view, Options(resamples=0))
    low = interval(found["accuracy"].interval).low
    # so many cases right with a chance of 2.5%, if each is right with this chance
    assert low == pytest.approx(0.025 ** (1 / answering), rel=1e-12)
    assert interval(found["accuracy"].interval).is_reliable == (answering >= 10)
    assert interval(found["coverage"].interval).flags == ()  # of all 41


def test_degrees_of_freedom_do_not_depend_on_the_unit() -> None:
    deviations = np.array([1.0, -2.0, 0.5, 0.5])
    one = Jackknife(deviations).degrees
    assert Jackknife(deviations * 1e-90).degrees == pytest.approx(one, rel=1e-12)
    assert Jackknife(deviations * 1e90).degrees == pytest.approx(one, rel=1e-12)


def test_numpy_numbers_are_options_like_any_other() -> None:
    options = Options(resamples=np.int64(200), seed=np.int64(3))  # type: ignore[arg-type]
    assert type(options.resamples) is int
    assert type(options.seed) is int


def test_an_endless_loss_is_refused_by_name() -> None:
    with pytest.raises(UsageError, match="a loss of inf levels"):
        rank([np.inf, 1.0], [1, 2])


def all_right(cases: int, rows: int, wrong: int = 0) -> tuple[Any, Any]:
    """Cases of some rows each; the first ``wrong`` cases are a level off in their first row."""
    case = np.repeat(np.arange(cases), rows)
    off = ((np.arange(cases * rows) % rows == 0) & (case < wrong)).astype(int)
    ranked = rank(off, -np.arange(cases * rows), case=case, n_cases=cases, most_loss=3)
    return ranked, confuse(off * 0, off, levels=4, case=case, n_cases=cases)


@pytest.mark.parametrize("wrong", [0, 1, 2])
def test_sparse_errors_say_the_same_in_accuracy_and_in_either_mean_error(wrong: int) -> None:
    ranked, levels = all_right(41, 8, wrong)
    options = Options(resamples=0)
    found = infer([METRICS["mean_loss"], METRICS["accuracy"]], ranked, options)
    found |= infer([METRICS["mae"], METRICS["total_accuracy"]], levels, options)
    of = {name: interval(number.interval) for name, number in found.items()}
    # each error is one level, so the mean error is the share of wrong rows
    for name in ("mean_loss", "mae"):
        ends = [of[name].low, of[name].high]
        assert ends == pytest.approx([of["mean_loss"].low, of["mean_loss"].high], rel=1e-12)
    for name in ("accuracy", "total_accuracy"):
        assert 1 - of[name].high == pytest.approx(of["mean_loss"].low, rel=1e-9, abs=1e-15)
        assert 1 - of[name].low == pytest.approx(of["mean_loss"].high, rel=1e-9)
    if wrong == 0:
        assert of["mean_loss"].high == pytest.approx(1 - 0.025 ** (1 / 41), rel=1e-12)


def test_a_risk_of_zero_at_a_coverage_has_the_limit_of_its_accepted_cases() -> None:
    case = np.repeat(np.arange(20), 4)
    loss = np.where(np.arange(80) >= 40, case % 2, 0)  # the surest half is all right
    view = rank(loss, -np.arange(80.0), case=case, n_cases=20, most_loss=3)
    found = infer([METRICS["mean_loss_at_coverage"].at(coverage=0.5)], view, Options(resamples=0))
    made = interval(found["mean_loss_at_coverage@0.5"].interval)
    assert (made.method, made.low) == ("zero-error bound", 0.0)
    assert made.high == pytest.approx(1 - 0.025 ** (1 / 10))  # ten cases are accepted


def test_rare_levels_are_marked_wherever_a_mean_rests_on_them() -> None:
    truth = np.array([0, 1, 2] * 20)
    truth[-1] = 3
    prediction = np.where(np.arange(60) % 7 == 0, (truth + 1) % 3, truth)
    case = np.repeat(np.arange(30), 2)
    levels = confuse(truth, prediction, levels=4, case=case, n_cases=30, names="abcd")
    for name in ("macro_f1", "macro_mae"):
        found = infer([METRICS[name]], levels, Options(resamples=0))[name].interval
        assert found.rests_on == RestsOn(cases=1, where="at", level="d")
    severity = rank_severity(truth, prediction, levels=4, case=case, n_cases=30)
    for metric in (
        METRICS["ordinal_auprc"],
        METRICS["auprc_ge"].at(level=3),
        METRICS["severity_ordering_ap"],
    ):
        found = infer([metric], severity, Options(resamples=0))[metric.name].interval
        assert found.rests_on == RestsOn(cases=1, where="at", level=3)
    plenty = infer([METRICS["auprc_ge"].at(level=1)], severity, Options(resamples=0))
    assert plenty["auprc_ge@1"].interval.rests_on is None
    kappa = infer([METRICS["quadratic_kappa"]], levels, Options(resamples=0))
    assert interval(kappa["quadratic_kappa"].interval).flags == ()


def test_what_is_achievable_says_when_it_hangs_on_one_row() -> None:
    """An uninformative confidence that errs in 30%: the surest row decides one of two areas."""
    rng = np.random.default_rng(0)
    wrong, confidence = (rng.random(10_000) < 0.3).astype(int), rng.permutation(10_000)
    areas = {}
    for first in (0, 1):
        loss = wrong.copy()
        loss[np.argmax(confidence)] = first
        view = rank(loss, confidence, most_loss=1)
        for name in ("aurc_achievable", "aurc_exact_achievable", "augrc_achievable"):
            areas[name, first] = METRICS[name].measure(view).value or 0.0
    assert areas["aurc_achievable", 1] - areas["aurc_achievable", 0] > 0.1
    for name in ("aurc_exact_achievable", "augrc_achievable"):
        assert areas[name, 1] - areas[name, 0] < 0.002
    names = ["aurc_achievable", "achievable_gain_pct", "aurc_exact_achievable", "augrc_achievable"]
    found = infer([METRICS[name] for name in names], small(20), Options(resamples=0))
    marks = [interval(found[name].interval).flags[-1] for name in names]
    assert marks == [Flag.ONE_ROW, Flag.ONE_ROW, Flag.HULL, Flag.HULL]


def test_few_wrong_answers_and_few_wrong_certainties_are_marked() -> None:
    case = np.repeat(np.arange(20), 3)
    wrong = (np.arange(60) % 3 == 0) & (case < 4)
    ranked = rank(wrong.astype(int), np.cos(np.arange(60.0)), case=case, n_cases=20)
    auroc = infer([METRICS["failure_auroc"]], ranked, Options(resamples=0))["failure_auroc"]
    assert interval(auroc.interval).rests_on == RestsOn(cases=4, where="wrong")
    assert note_of(interval(auroc.interval)) == "rests on 4 cases with a wrong answer: unreliable"
    for said, rests in ((1.0, RestsOn(cases=4, where="certain")), (0.999, None)):
        view = forecast(np.full(60, said), 1.0 - wrong, case=case, n_cases=20)
        nll = infer([METRICS["nll"]], view, Options(resamples=0))["nll"]
        assert interval(nll.interval).rests_on == rests


def test_one_case_that_carries_the_variance_is_told() -> None:
    case = np.repeat(np.arange(20), 4)
    loss = np.where(case == 0, 3, (np.arange(80) % 11 == 0).astype(int))
    view = rank(loss, np.cos(np.arange(80.0)), case=case, n_cases=20, most_loss=3)
    made = interval(infer([METRICS["mean_loss"]], view, Options(resamples=0))["mean_loss"].interval)
    by_case = np.bincount(case, loss) / 4
    squares = (by_case - by_case.mean()) ** 2
    assert made.largest_case_share == pytest.approx(squares[0] / squares.sum())
    assert made.flags == (Flag.ONE_CASE,)
    assert made.is_reliable
    share = f"{squares[0] / squares.sum():.0%}"
    assert note_of(made) == f"one case carries {share} of the variance"
