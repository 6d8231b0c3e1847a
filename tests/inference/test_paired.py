"""Paired deltas: MOVER by hand, swap tests written out, and what must not happen."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import stats

from acumen.inference.infer import infer
from acumen.inference.options import Options
from acumen.inference.paired import Contrast, claim, compare, delta_interval
from acumen.inference.swaps import SwapTest, studentise, swap_tests
from acumen.metrics import METRICS, metrics_of
from acumen.values.measured import Absence, Flag, Interval, NoInterval
from acumen.views.confusion import confuse
from acumen.views.forecast import forecast
from acumen.views.ranking import Ranking, rank
from acumen.views.severity import BY_LEVEL, rank_severity

AURC, MAE, CMAX, EAURC = (METRICS[name] for name in ("aurc", "mean_loss", "coverage", "eaurc"))
GAIN = METRICS["achievable_gain_pct"]


def study(
    n: int, seed: int, *, error: float = 0.5, items: int = 3, common: int | None = None
) -> Ranking:
    rng = np.random.default_rng(seed)
    rows = n * items
    loss = rng.integers(1, 4, rows) * (rng.random(rows) < error)
    if common is not None:  # hard cases are hard for both systems
        hard = np.random.default_rng(common).random(n) < 0.4
        loss = np.where(np.repeat(hard, items), loss, 0)
    return rank(
        loss, np.floor(rng.random(rows) * 5), rng.random(rows) < 0.8,
        case=np.repeat(np.arange(n), items), n_cases=n, most_loss=3,
    )  # fmt: skip


def interval(found: Interval | NoInterval) -> Interval:
    assert isinstance(found, Interval), found
    return found


def test_delta_is_right_minus_left_under_the_same_draws() -> None:
    left, right = study(20, 1), study(20, 2)
    options = Options(resamples=300)
    delta = compare([AURC], left, right, options)["aurc"]
    a, b = infer([AURC], left, options)["aurc"], infer([AURC], right, options)["aurc"]
    assert a.value is not None
    assert b.value is not None
    assert delta.value == b.value - a.value
    assert np.array_equal(delta.replicates.values, b.replicates.values - a.replicates.values)
    by_percentile = interval(delta.percentile)
    assert [by_percentile.low, by_percentile.high] == pytest.approx(
        np.quantile(b.replicates.values - a.replicates.values, [0.025, 0.975])
    )


@pytest.mark.parametrize("level", [0.95, 0.8])
def test_mover_combines_the_two_intervals_with_their_correlation(level: float) -> None:
    left, right = study(20, 1, common=9), study(20, 2, error=0.3, common=9)
    delta = compare([AURC], left, right, Options(resamples=100, confidence_level=level))["aurc"]
    a, b = interval(delta.left.interval), interval(delta.right.interval)
    va, vb = delta.left.value, delta.right.value
    assert va is not None
    assert vb is not None
    r = stats.pearsonr(delta.left.jackknife.deviations, delta.right.jackknife.deviations).statistic
    assert abs(r) > 0.1
    x, y = vb - b.low, a.high - va
    low = vb - va - math.sqrt(x * x + y * y - 2 * r * x * y)
    x, y = b.high - vb, va - a.low
    high = vb - va + math.sqrt(x * x + y * y - 2 * r * x * y)
    found = interval(delta.interval)
    assert found.method == "MOVER"
    assert (found.low, found.high) == (pytest.approx(low), pytest.approx(high))
    assert found.confidence_level == level


def test_swapping_the_sides_mirrors_everything() -> None:
    left, right = study(20, 1), study(20, 2, error=0.2)
    there = compare([AURC, CMAX, EAURC], left, right, Options(resamples=500))
    back = compare([AURC, CMAX, EAURC], right, left, Options(resamples=500))
    for name, delta in there.items():
        a, b = interval(delta.interval), interval(back[name].interval)
        assert (a.low, a.high) == (pytest.approx(-b.high), pytest.approx(-b.low))
        assert delta.p_value == back[name].p_value


@pytest.mark.parametrize("metric", [CMAX, GAIN])
def test_coverage_and_unbounded_metrics_take_the_plain_jackknife_t(metric: object) -> None:
    delta = compare([metric], study(20, 1), study(20, 2), Options(resamples=50))  # type: ignore[list-item]
    (found,) = delta.values()
    d = found.right.jackknife.deviations - found.left.jackknife.deviations
    s = math.sqrt(19 / 20 * (d**2).sum())
    kurt = 20 * (d**4).sum() / (d**2).sum() ** 2
    df = min(19, max(2, 40 / (kurt - 1)))
    assert found.value is not None
    reach = stats.t(df).ppf(0.975) * s
    made = interval(found.interval)
    assert made.method == "jackknife-t"
    assert (made.low, made.high) == (
        pytest.approx(found.value - reach),
        pytest.approx(found.value + reach),
    )


def test_identical_systems_differ_by_nothing_but_might_on_other_cases() -> None:
    for name, delta in compare(metrics_of(Ranking), study(20, 1), study(20, 1)).items():
        if delta.value is None:
            continue
        assert delta.value == 0.0, name
        assert delta.p_value == 1.0, name
        assert delta.favours is None
        if isinstance(delta.interval, Interval):
            assert delta.interval.low < 0.0 < delta.interval.high, name


def test_two_systems_without_any_error_may_still_differ() -> None:
    left, right = study(20, 1, error=0.0), study(20, 2, error=0.0)
    delta = compare([MAE], left, right, Options(resamples=50))["mean_loss"]
    made = interval(delta.interval)
    a, b = interval(delta.left.interval), interval(delta.right.interval)
    assert (delta.value, made.method) == (0.0, "MOVER")
    assert made.low == pytest.approx(-a.high)
    assert made.high == pytest.approx(b.high)


Row = tuple[int, bool, float]


def plain_mae(rows: list[Row]) -> float:
    return sum(loss for loss, answered, _ in rows if answered) / sum(a for _, a, _ in rows)


def plain_aurc(rows: list[Row]) -> float:
    points = []
    for threshold in sorted({c for _, answered, c in rows if answered}, reverse=True):
        accepted = [loss for loss, answered, c in rows if answered and c >= threshold]
        points.append((len(accepted) / len(rows), sum(accepted) / len(accepted)))
    area, x0, y0 = 0.0, 0.0, points[0][1]
    for x, y in points:
        area, x0, y0 = area + (x - x0) * (y + y0) / 2, x, y
    return area


def by_case(view: Ranking) -> list[list[Row]]:
    rows: list[list[Row]] = [[] for _ in range(view.n_cases)]
    for case, loss, confidence, answered in zip(view.case, *view.columns(), strict=True):
        rows[case].append((int(loss), bool(answered), float(confidence)))
    return rows


def joined(cases: list[list[Row]]) -> list[Row]:
    return [row for case in cases for row in case]


@pytest.mark.parametrize("name", ["mean_loss", "aurc"])
@pytest.mark.parametrize("n", [6, 7])
def test_the_p_value_is_the_share_of_all_swaps_that_go_as_far(n: int, name: str) -> None:
    """Written out: every case counts twice, one of them once; all swaps; the smaller of two T."""
    left, right = study(n, 5, items=4), study(n, 6, items=4, error=0.25)
    metric = plain_aurc if name == "aurc" else plain_mae
    tables = [by_case(left), by_case(right)]
    moves = []
    for side in (0, 1):
        for case in range(n):
            rest = [
                rows for s in (0, 1) for c, rows in enumerate(tables[s]) if (s, c) != (side, case)
            ]
            moves.append(metric(joined(rest) + joined(rest) + tables[side][case]))
    d = np.array(moves[:n]) - np.array(moves[n:])

    def student(d: np.ndarray) -> float:
        return float(abs(d.sum()) / math.sqrt(n / (n - 1) * ((d**2).sum() - d.sum() ** 2 / n)))

    swaps = [student(d * np.array(signs)) for signs in itertools.product((1, -1), repeat=n)]
    observed = metric(joined(tables[1])) - metric(joined(tables[0]))
    without = [
        metric(joined(tables[1][:c] + tables[1][c + 1 :]))
        - metric(joined(tables[0][:c] + tables[0][c + 1 :]))
        for c in range(n)
    ]
    error = math.sqrt((n - 1) / n * ((np.array(without) - np.mean(without)) ** 2).sum())
    assert observed * d.sum() > 0
    smaller = min(student(d), abs(observed) / error)
    expected = np.mean([t >= smaller - 1e-9 for t in swaps])
    assert 0 < expected < 1
    assert compare([METRICS[name]], left, right)[name].p_value == pytest.approx(expected, abs=1e-12)


def test_a_difference_against_its_own_swaps_is_not_claimed() -> None:
    """Where the swaps point the other way than the difference itself, nothing is shown."""
    test = SwapTest(np.full(12, 1 / 12), 1.0)
    assert studentise(test, -0.3, None).statistic == 0.0
    assert studentise(test, 0.3, None).statistic == 1.0
    assert studentise(test, 0.0, None).statistic == 0.0


@pytest.mark.parametrize("view", ["ranking", "confusion", "severity", "forecast"])
def test_swapping_a_case_changes_nothing_but_a_sign(view: str) -> None:
    """The very thing that makes the test exact, in every kind of view."""
    rng = np.random.default_rng(4)
    n, items, swapped = 12, 4, 3
    case = np.repeat(np.arange(n), items)
    truth = rng.integers(0, 3, n * items)
    sides = [rng.integers(0, 3, n * items) for _ in range(2)]
    sure = [rng.random(n * items) for _ in range(2)]

    def tests(predictions: list[np.ndarray], sure: list[np.ndarray]) -> list[SwapTest | None]:
        made: list[Any] = []
        for p, c in zip(predictions, sure, strict=True):
            match view:
                case "ranking":
                    made.append(rank(np.abs(p - truth), c, case=case, n_cases=n, most_loss=2))
                case "confusion":
                    made.append(confuse(truth, p, levels=3, case=case, n_cases=n))
                case "severity":
                    made.append(rank_severity(truth, p, levels=3, case=case, ranked_by=BY_LEVEL))
                case _:
                    made.append(forecast(c, p == truth, case=case, n_cases=n))
        return swap_tests(metrics_of(type(made[0])), *made)

    here = case == swapped
    crossed = [[np.where(here, b, a), np.where(here, a, b)] for a, b in (sides, sure)]
    before, after = tests(sides, sure), tests(*crossed)
    assert any(test is not None for test in before)
    for one, other in zip(before, after, strict=True):
        if one is not None and other is not None:
            signs = np.where(np.arange(n) == swapped, -1.0, 1.0)
            assert other.parts == pytest.approx(one.parts * signs, abs=1e-9)


def test_a_random_p_value_counts_the_study_itself_and_nears_the_exact_one() -> None:
    left, right = study(13, 5), study(13, 6, error=0.3)
    exact = compare([AURC], left, right, Options(resamples=0, swaps=2**13))["aurc"].p_value
    drawn = compare([AURC], left, right, Options(resamples=0, swaps=4000))["aurc"].p_value
    assert exact is not None
    assert drawn is not None
    # five binomial standard errors of 4,000 swaps
    assert drawn == pytest.approx(exact, abs=5 * math.sqrt(exact * (1 - exact) / 4000))
    assert drawn * 4001 == pytest.approx(round(drawn * 4001))
    sides = study(40, 1, error=0.0), study(40, 2, error=1.0)
    assert compare([MAE], *sides, Options(resamples=0, swaps=99))["mean_loss"].p_value == 1 / 100


def test_a_claim_names_the_better_side_only_when_the_interval_excludes_zero() -> None:
    good, bad = study(40, 1, error=0.1), study(40, 2, error=0.95)
    found = compare([MAE, METRICS["accuracy"]], bad, good, Options(resamples=50))
    assert found["mean_loss"].favours == found["accuracy"].favours == "right"
    mirrored = compare([MAE, METRICS["accuracy"]], good, bad, Options(resamples=50))
    assert mirrored["mean_loss"].favours == mirrored["accuracy"].favours == "left"
    assert compare([MAE], bad, study(40, 3, error=0.95))["mean_loss"].favours is None


def test_no_difference_is_claimed_with_fewer_than_ten_cases() -> None:
    delta = compare([MAE], study(9, 1, error=0.95), study(9, 2, error=0.05))["mean_loss"]
    made = interval(delta.interval)
    assert made.high < 0
    assert made.flags == (Flag.FEW_CASES,)
    assert delta.favours is None


def test_one_case_has_a_delta_and_no_interval() -> None:
    delta = compare([MAE], study(1, 1, items=9), study(1, 2, items=9))["mean_loss"]
    assert delta.value is not None
    assert isinstance(delta.interval, NoInterval)
    assert delta.interval.why is Absence.TOO_FEW_CASES
    assert delta.p_value is None


def test_an_undefined_side_is_told() -> None:
    silent = rank([0] * 24, [0] * 24, [False] * 24, case=np.repeat(np.arange(8), 3), n_cases=8)
    delta = compare([MAE], silent, study(8, 1))["mean_loss"]
    assert (delta.value, delta.p_value) == (None, None)
    assert delta.reason == "undefined for the first: no row was answered"


def test_sides_with_other_cases_are_refused() -> None:
    with pytest.raises(ValueError, match="same cases"):
        compare([MAE], study(8, 1), study(9, 1))


def lacking(
    delta: Contrast, left: tuple[int, ...], right: tuple[int, ...]
) -> Interval | NoInterval:
    def without(places: tuple[int, ...], inference: object) -> object:
        values = np.linspace(0.1, 0.3, 40)
        values[list(places)] = np.nan
        jackknife = type(delta.left.jackknife).of(values)
        return replace(inference, jackknife=jackknife)  # type: ignore[type-var]

    return delta_interval(
        GAIN,
        without(left, delta.left),  # type: ignore[arg-type]
        without(right, delta.right),  # type: ignore[arg-type]
        0.95,
    )


def test_leave_one_out_values_that_lack_different_cases_are_not_paired() -> None:
    delta = compare([GAIN], study(20, 1), study(20, 2), Options(resamples=10))[GAIN.name]
    assert isinstance(lacking(delta, (3,), (5,)), NoInterval)
    assert isinstance(lacking(delta, (3,), (3,)), Interval)


@pytest.mark.parametrize(("method", "named"), [("percentile", "percentile"), ("bca", "BCa")])
def test_other_methods_on_request(method: str, named: str) -> None:
    options = Options(resamples=800, method=method)  # type: ignore[arg-type]
    delta = compare([AURC], study(20, 1), study(20, 2, error=0.2), options)["aurc"]
    assert interval(delta.interval).method == named


def test_a_difference_undefined_in_many_resamples_has_no_interval() -> None:
    # the right answers in one case only: a resample of 12 lacks it in 35% of draws
    case = np.repeat(np.arange(12), 3)
    rare = rank([1, 0, 2] * 12, np.arange(36), case == 2, case=case, n_cases=12)
    delta = compare([MAE], study(12, 1), rare, Options(resamples=2000))["mean_loss"]
    assert delta.replicates.drop_rate == pytest.approx((11 / 12) ** 12, abs=0.05)
    assert isinstance(delta.interval, NoInterval)


@pytest.mark.parametrize("wrong", [False, True])
def test_two_systems_without_variation_differ_by_what_either_may_still_do(wrong: bool) -> None:
    """12 cases all right, and all right or all wrong: neither varies, neither is certain."""
    n = 12
    left, right = (rank([e] * n, np.arange(n)) for e in (0, int(wrong)))
    delta = compare([METRICS["accuracy"]], left, right, Options(resamples=0))["accuracy"]
    ends = []
    for side in (left, right):
        alone = infer([METRICS["accuracy"]], side, Options(resamples=0))["accuracy"].interval
        assert isinstance(alone, Interval)
        ends.append(alone.high - alone.low)
    assert isinstance(delta.interval, Interval)
    assert delta.value == -float(wrong)
    expected = math.hypot(*ends) if wrong else ends[0]
    assert delta.interval.high - delta.interval.low == pytest.approx(
        expected if wrong else 2 * expected, rel=1e-9
    )
    assert delta.favours == ("left" if wrong else None)


def test_systems_that_vary_alike_differ_by_what_may_have_stayed_hidden() -> None:
    """12 cases alike: by .025^(1/12) up to 26.5% of cases may not be, and vary independently."""
    view = rank([0, 1, 0, 2, 0, 1, 0, 0, 3, 0, 1, 0], np.arange(12))
    delta = compare([METRICS["accuracy"]], view, view, Options(resamples=0))["accuracy"]
    alone, made = interval(delta.left.interval), interval(delta.interval)
    value = delta.left.value
    assert value is not None
    reach = math.sqrt(1 - 0.025 ** (1 / 12)) * math.hypot(value - alone.low, alone.high - value)
    assert (made.low, made.high) == (pytest.approx(-reach), pytest.approx(reach))


@pytest.mark.parametrize("every", [0, 1])
def test_a_coverage_that_differs_alike_in_every_case_is_not_known_to_the_last_digit(
    every: int,
) -> None:
    """12 cases of 4: both answer all, or the right leaves one open in each."""
    case = np.repeat(np.arange(12), 4)
    answered = np.tile([True, True, True, every == 0], 12)
    left = rank([0] * 48, np.arange(48), case=case, n_cases=12)
    right = rank([0] * 48, np.arange(48), answered, case=case, n_cases=12)
    delta = compare([CMAX], left, right, Options(resamples=0))["coverage"]
    assert delta.value == -0.25 * every
    made = interval(delta.interval)
    assert made.high - made.low > 0.1
    assert delta.favours == ("left" if every else None)
    assert (Flag.TEST_DECIDES in made.flags) == (made.has_zero and every == 1)


def test_where_the_test_shows_more_its_own_interval_is_printed() -> None:
    """Both decide alike: excluded is 0 exactly where the test claims."""
    told = set()
    for seed in range(40):
        left, right = study(20, seed, error=0.35), study(20, seed + 500, error=0.12)
        for delta in compare([MAE, AURC], left, right, Options(resamples=0, swaps=999)).values():
            made = interval(delta.interval)
            if Flag.TEST_DECIDES not in made.flags:
                assert made.has_zero == (delta.favours is None)
            if made.method == "swap test":
                assert delta.favours == "right"
                assert delta.p_value is not None
                assert delta.p_value <= 0.05
            told.add((made.method, Flag.TEST_DECIDES in made.flags))
    assert {("MOVER", False), ("swap test", False)} <= told


def test_an_interval_says_what_the_test_of_all_together_does() -> None:
    """What alone excludes 0 and is not claimed among all is made at the level left to one."""
    methods = set()
    options, metrics = Options(resamples=0, swaps=999), [MAE, AURC, METRICS["augrc_charge"], CMAX]
    for seed in range(30):
        left, right = study(20, seed, error=0.35), study(20, seed + 500, error=0.2)
        alone = compare(metrics, left, right, options)
        for name, contrast in claim(alone, options, share=0.2).items():
            made, before = interval(contrast.interval), interval(alone[name].interval)
            agrees = made.has_zero == (contrast.favours is None)
            assert agrees or Flag.TEST_DECIDES in made.flags or not made.is_reliable
            methods.add(made.method)
            if made.method == "MOVER, together":
                assert made.low < before.low < before.high < made.high
                assert (contrast.together or contrast.alone).p_value > 0.05
                assert made.confidence_level == 0.95
                assert Flag.TEST_DECIDES not in made.flags
    assert "MOVER, together" in methods


def test_a_charged_area_lies_between_nothing_and_the_dearest_row() -> None:
    """One of 21 cases holds four fifths of the rows, so that little is known."""
    case = np.r_[np.zeros(80, int), 1 + np.arange(20)]
    loss = np.r_[np.repeat([0, 3], 40), np.zeros(20, int)]
    left, right = (rank(kind, np.arange(100), case=case, most_loss=3) for kind in (loss, loss // 3))
    for name, most in (("aurc_charge", 3.0), ("augrc_charge", 1.5)):
        metrics = [METRICS[name], METRICS[name].at(loss=8.0)]
        assert [m.bounds(left) for m in metrics] == [(0.0, most), (0.0, most / 3 * 8)]
        delta = compare(metrics[:1], left, right, Options(resamples=0))[name]
        for one in (delta.left, delta.right):
            assert interval(one.interval).high <= most
        assert -most <= interval(delta.interval).low < interval(delta.interval).high <= most


def test_a_silent_side_that_is_charged_has_all_its_cases() -> None:
    charged, answering = METRICS["augrc_charge"], study(20, 1)
    silent = replace(answering, order=answering.order[:0], kind=answering.kind[:0],
                     ends=answering.ends[:0], threshold=answering.threshold[:0])  # fmt: skip
    delta = compare([charged], answering, silent, Options(resamples=0))[charged.name]
    assert delta.right.value == 0.5
    assert delta.interval == NoInterval(why=Absence.NO_VARIATION, side="right")


def test_a_family_claims_less_than_its_members_and_copies_cost_nothing() -> None:
    left, right = study(20, 3, error=0.4), study(20, 11, error=0.25)
    options = Options(resamples=0, swaps=2000)
    alone = compare([MAE, AURC, CMAX], left, right, options)
    family = claim(alone, options)
    for contrast in family.values():
        assert contrast.together is not None
        assert contrast.p_value is not None
        assert contrast.together.p_value >= contrast.p_value
    fifth = claim(alone, options, share=0.2)
    for name, contrast in fifth.items():
        assert contrast.together is not None
        whole = family[name].together
        assert whole is not None
        assert contrast.together.p_value == pytest.approx(min(1.0, 5 * whole.p_value))
        assert contrast.together.critical > whole.critical
    twice = claim({(n, i): c for n, c in alone.items() for i in range(3)}, options)
    for (name, _), contrast in twice.items():
        assert contrast.together == family[name].together


def test_adjusted_p_values_are_the_largest_of_all_not_yet_claimed_under_every_swap() -> None:
    """Two differences of 4 cases, written out over all 16 swaps."""
    left, right = study(4, 5, items=4), study(4, 6, items=4, error=0.25)
    alone = compare([MAE, CMAX], left, right, Options(resamples=0))
    tests = {name: c.test for name, c in alone.items() if c.test is not None}
    assert len(tests) == 2
    far = {
        name: [abs((test.parts * signs).sum()) for signs in itertools.product((1, -1), repeat=4)]
        for name, test in tests.items()
    }
    first, second = sorted(tests, key=lambda name: -tests[name].statistic)
    largest = np.max([far[first], far[second]], axis=0)
    p_first = np.mean(largest >= tests[first].statistic - 1e-12)
    p_second = max(p_first, np.mean(np.array(far[second]) >= tests[second].statistic - 1e-12))
    family = claim(alone, Options(resamples=0))
    found = {name: c.together.p_value for name, c in family.items() if c.together is not None}
    assert found == {first: pytest.approx(p_first), second: pytest.approx(p_second)}
