"""What charts draw, worked out by hand on a few rows."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from acumen import from_columns
from acumen.evaluation.charted import (
    _band,
    achievable,
    distribution,
    draw,
    reliability,
    summarize,
)
from acumen.evaluation.plan import Plan, System
from acumen.inference.bands import RiskBand, risk_band
from acumen.inference.curve import readings
from acumen.inference.options import Options
from acumen.metrics import METRICS
from acumen.readers.run import run_from_document
from acumen.results.charted import Summary
from acumen.table.judgments import Judgments
from acumen.table.scale import Scale
from acumen.values.measured import Absence
from acumen.views.forecast import forecast_judgments
from acumen.views.ranking import Ranking, rank
from acumen.views.weights import CaseWeights
from tests.evaluations import evaluate
from tests.toy_runs import toy_run

# truth, prediction (None abstains), evidence count, probability
ROWS = (
    *((2, 2, 2, 0.95), (3, 1, 2, 0.95), (1, 1, 1, 0.4)),
    *((0, None, 0, 0.4), (3, 3, 1, 0.4), (0, 1, 0, 0.05)),
)
ITEMS = ("NoInterest", "Depressed")


def table() -> Judgments:
    """Three cases of two items."""
    results = []
    for case in range(3):
        rows = dict(zip(ITEMS, ROWS[2 * case : 2 * case + 2], strict=True))
        results.append(
            {
                "participant_id": case,
                "success": True,
                "ground_truth_items": {i: r[0] for i, r in rows.items()},
                "predicted_items": {i: r[1] for i, r in rows.items()},
                "item_signals": {
                    i: {"llm_evidence_count": r[2], "token_msp": r[3]} for i, r in rows.items()
                },
            }
        )
    from acumen.table.scale import Scale

    scale = Scale.named("phq8")
    document = {"experiments": [{"results": {"mode": "m", "results": results}}]}
    import dataclasses

    return run_from_document(document, scale=dataclasses.replace(scale, items=ITEMS, totals=()))


def column(at: int) -> np.ndarray:
    return np.array([np.nan if row[1] is None else float(row[at]) for row in ROWS])


def test_abstentions_are_a_column_of_their_own_in_the_confusion() -> None:
    assert summary().confusion == [
        [0, 1, 0, 0, 1],
        [0, 1, 0, 0, 0],
        [0, 0, 1, 0, 0],
        [0, 1, 0, 1, 0],
    ]


def test_right_and_wrong_answers_are_counted_value_by_value() -> None:
    found = distribution(table(), column(2))
    assert found.low == found.high == [0.0, 1.0, 2.0]
    assert found.right == [0, 2, 1]
    assert found.wrong == [1, 0, 1]
    assert found.abstained == 1


def test_many_values_fall_into_ten_bins_the_last_one_closed() -> None:
    run = run_from_document(toy_run(20))
    rng = np.random.default_rng(0)
    values = np.round(rng.random(len(run)), 2)
    found = distribution(run, np.where(run.answered, values, np.nan))
    said = values[run.answered]
    expected = np.histogram(said, 10, (said.min(), said.max()))[0]
    assert (np.array(found.right) + found.wrong).tolist() == expected.tolist()


def test_reliability_bins_hold_what_was_said_and_what_came_true() -> None:
    rows = table()
    view = forecast_judgments(rows, column(3))
    found = reliability(view, rows.share, 0.95)
    assert found.n == [1, 2, 2]
    assert found.confidence == pytest.approx([0.05, 0.4, 0.95])
    assert [a.value for a in found.accuracy] == [0.0, 1.0, 0.5]
    ece, brier = (METRICS[name].measure(view).value for name in ("ece", "brier"))
    assert ece == pytest.approx((0.05 + 2 * 0.6 + 2 * 0.45) / 5)
    assert brier == pytest.approx((0.05**2 + 2 * 0.6**2 + 0.05**2 + 0.95**2) / 5)


def summary() -> Summary:
    system = System(table(), Plan(options=Options(resamples=0)), {"llm": column(2)})
    return draw(system, summarize(system, system.infer_agreement()))


def test_risk_by_item_and_by_level_counts_answered_rows_alone() -> None:
    found = summary()
    assert [(g.name, g.n, g.answered, g.risk.value) for g in found.by_item] == [
        ("NoInterest", 3, 3, 0.0),
        ("Depressed", 3, 2, pytest.approx((2 + 1) / 2 / 3)),
    ]
    by_level = [(g.n, g.answered, g.risk.value) for g in found.by_level]
    assert by_level == [
        (2, 1, pytest.approx(1 / 3)),
        (1, 1, 0.0),
        (1, 1, 0.0),
        (2, 2, pytest.approx(1 / 3)),
    ]


def test_the_optimum_takes_the_smallest_losses_first() -> None:
    found = summary().optimum
    at = {round(c, 9): (r, g) for c, r, g in zip(*dict(found).values(), strict=True)}
    assert at[0.5] == (0.0, 0.0)
    assert at[round(4 / 6, 9)] == pytest.approx((1 / 12, 1 / 18))
    assert at[round(5 / 6, 9)] == pytest.approx((1 / 5, 1 / 6))


def test_the_achievable_curve_is_the_lower_hull_from_the_origin() -> None:
    ranking = rank([1, 0, 0, 0, 1], [5, 4, 3, 2, 1])
    found = achievable(ranking)
    assert found.coverage == pytest.approx([0.8, 1.0])
    assert found.generalized_risk == pytest.approx([0.2, 0.4])
    # the surer the less loss: every working point is a corner
    sorted_ = achievable(rank([0, 1, 2, 3], [4, 3, 2, 1]))
    assert sorted_.coverage == [0.25, 0.5, 0.75, 1.0]
    assert sorted_.generalized_risk == pytest.approx([0.0, 0.25, 0.75, 1.5])


def test_precision_and_recall_fall_with_the_cut_ties_together() -> None:
    found = summary()
    assert found.ranked_by == "predicted level"
    curve = {c.threshold: c for c in found.precision_recall}[3]
    # answered, by falling prediction: 3 (truth 3); 2 (truth 2); three 1s (truths 3, 1, 0)
    assert curve.cut == [3, 2, 1]
    assert curve.flagged == [1, 2, 5]
    assert curve.recall == [0.5, 0.5, 1.0]
    assert curve.precision == pytest.approx([1.0, 0.5, 0.4])
    assert curve.average_precision.value == pytest.approx(0.5 * 1.0 + 0.5 * 0.4)


def test_risk_between_working_points_is_that_of_a_tie_in_random_order() -> None:
    ranking = rank([0, 2, 1], [3, 1, 1])
    found = ranking.risk_at(CaseWeights.once(3), np.array([1 / 3, 2 / 3, 1.0]))[:, 0]
    assert found == pytest.approx([0.0, 0.75, 1.0])


def test_no_band_where_there_is_too_little_to_tell() -> None:
    nine, ten = (rank([1, 0] * n, range(2 * n), case=np.repeat(np.arange(n), 2)) for n in (9, 10))
    assert risk_band(nine, Options())[1] == "a band needs at least 10 cases"
    assert risk_band(ten, Options())[1] is None
    band, reason = risk_band(rank([0] * 20, range(20)), Options(resamples=50))
    assert band is None
    assert reason == "fewer than 3 cases with an error are accepted"


def test_a_band_holds_its_curve() -> None:
    rng = np.random.default_rng(3)
    ranking = rank(rng.integers(0, 3, 200), rng.random(200), case=np.repeat(np.arange(25), 8))
    band, reason = risk_band(ranking, Options(resamples=300))
    assert reason is None
    assert band is not None
    here = ranking.risk_at(CaseWeights.once(25), band.coverage)[:, 0]
    assert (band.low < here).all()
    assert (here < band.high).all()


def test_the_ends_of_a_generalized_risk_are_coverage_times_those_of_the_selective_one() -> None:
    values = ([0.25, 0.5, 1.0], [0.0, 0.5, 0.25], [1.0, 0.75, 0.5])
    coverage, low, high = (np.array(column) for column in values)
    band = _band(RiskBand(coverage, low, high, n_resamples=7), 0.9)
    assert (band.confidence_level, band.n_resamples) == (0.9, 7)
    assert band.coverage == [0.25, 0.5, 1.0]
    assert (band.selective_low, band.selective_high) == ([0.0, 0.5, 0.25], [1.0, 0.75, 0.5])
    assert (band.generalized_low, band.generalized_high) == ([0.0, 0.25, 0.25], [0.25, 0.375, 0.5])


def test_a_band_is_the_intervals_of_its_risks_at_the_level_at_which_they_hold_together() -> None:
    n = 12
    rng = np.random.default_rng(4)
    ranking = rank(rng.integers(0, 3, 4 * n), rng.random(4 * n), case=np.repeat(np.arange(n), 4))
    band, _ = risk_band(ranking, Options(seed=9))
    assert band is not None
    family = readings(ranking)
    some = np.isin(family.coverage, band.coverage)
    moves = family.moves[some] / np.linalg.norm(family.moves[some], axis=1, keepdims=True)
    draws = np.abs(moves @ np.random.default_rng(9).standard_normal((n, 1000)))
    critical = np.quantile(draws.max(axis=0), 0.95)
    assert 1.96 < critical < stats.norm.ppf(1 - 0.025 / some.sum())  # Bonferroni
    level = 2 * stats.norm.cdf(critical) - 1
    low, high = family.ends(float(level))
    assert band.low == pytest.approx(low[some], rel=1e-6)
    most = ranking.most_loss * ranking.unit
    assert band.high == pytest.approx(np.minimum(high[some], most), rel=1e-6)
    assert high[some].max() > most  # without the end of the scale it would stand above all losses


@pytest.mark.parametrize(("erring", "begin"), [(2, None), (3, 0.26), (4, 0.26)])
def test_a_band_begins_with_the_third_case_in_error(erring: int, begin: float | None) -> None:
    # 20 cases of one row, the errors at ranks 2, 4, 6, 8: the third begins beyond 5 of 20
    wrong = np.isin(np.arange(20), [1, 3, 5, 7][:erring])
    band, reason = risk_band(rank(wrong.astype(int), -np.arange(20)), Options(resamples=300))
    assert (None if band is None else band.coverage[0]) == begin
    assert (reason is None) == (band is not None)


def study(rng: np.random.Generator, n: int, rungs: int) -> Ranking:
    """Cases with a mood of their own; the surer, the less often wrong. ``rungs`` 0: no ties."""
    mood = 0.7 * rng.normal(size=(n, 1))
    sure = rng.random((n, 8))
    wrong = rng.random((n, 8)) < 1 / (1 + np.exp(1.2 * (2 * sure - 1) + 0.6 - mood))
    loss = wrong * rng.integers(1, 4, (n, 8))
    answered = rng.random((n, 8)) < 0.8
    if rungs:
        sure = np.round(sure * rungs)
    case = np.repeat(np.arange(n), 8)
    return rank(loss.ravel(), sure.ravel(), answered.ravel(), case=case, n_cases=n, most_loss=3)


@pytest.mark.slow
@pytest.mark.parametrize("rungs", [0, 5])
@pytest.mark.parametrize("n", [20, 41])
def test_bands_hold_the_population_s_curve(n: int, rungs: int) -> None:
    rng = np.random.default_rng(7)
    population, once = study(rng, 40_000, rungs), CaseWeights.once(40_000)
    whole = []
    for seed in range(400):
        band, _ = risk_band(study(rng, n, rungs), Options(seed=seed))
        assert band is not None
        truth = population.risk_at(once, band.coverage)[:, 0]  # none beyond what is answered
        whole.append((np.isnan(truth) | (band.low <= truth) & (truth <= band.high)).all())
    print(f"{n} cases, {rungs} rungs: {np.mean(whole):.3f}")
    assert 0.88 <= np.mean(whole) <= 0.99


def test_summaries_are_in_the_artifact_of_every_input() -> None:
    run = run_from_document(toy_run(12))
    plan = Plan(confidence="llm", options=Options(resamples=50))
    (found,) = evaluate(run, None, plan).document.summaries
    kept = evaluate(run, None, plan).document.confidence_variants["llm"].curve
    assert found.functions["llm"].accepted == [round(c * 96) for c in kept.coverage]
    assert found.functions["llm"].band is not None
    assert found.functions["llm"].reliability is None
    assert found.functions["llm"].reliability_reason == "not a probability: it runs from 0 to 5"


def test_a_resample_that_reaches_no_coverage_of_the_band_is_left_out_of_it() -> None:
    """Few values of confidence: where a band begins, some resamples have already ended."""
    random = np.random.default_rng(5)
    bands = 0
    for _ in range(40):
        sure = random.integers(1, 6, 20)
        wrong = (random.random(20) > 0.3 + 0.14 * sure).astype(int)
        view = rank(wrong, sure, random.random(20) < 0.9)
        band, _ = risk_band(view, Options(resamples=200))
        if band is not None:
            assert np.isfinite([band.low, band.high]).all()
            assert (band.low <= band.high).all()
            bands += 1
    assert bands > 10


def test_a_bin_of_one_case_has_no_interval_and_one_of_few_a_wide_one() -> None:
    n = 41
    said = np.where(np.arange(n) == 0, 0.25, np.where(np.arange(n) < 4, 0.55, 0.95))
    table = from_columns(
        case=[str(i) for i in range(n)], truth=[1] * n, prediction=[1] * n, scale=Scale("b", (0, 1))
    )
    found = reliability(forecast_judgments(table, said), table.share, 0.95)
    assert found.n == [1, 3, 37]
    one, three, many = found.accuracy
    assert one.no_interval is not None
    assert one.no_interval.why is Absence.TOO_FEW_CASES
    assert three.interval is not None
    assert three.interval.low < 0.45  # 3 of 3
    assert many.interval is not None
    assert many.interval.low > 0.89


@pytest.mark.parametrize("n", [200, 2001])
def test_every_case_of_a_bin_is_left_out_however_many_there_are(n: int) -> None:
    right = np.arange(n) % 7 < 4
    table = from_columns(
        case=[str(i) for i in range(n)],
        truth=[1] * n,
        prediction=right.astype(int).tolist(),
        scale=Scale("b", (0, 1)),
    )
    sure = np.full(n, 0.95)
    (found,) = reliability(forecast_judgments(table, sure), table.share, 0.95).accuracy
    without = (right.sum() - right) / (n - 1)
    s = np.sqrt((n - 1) / n * ((without - without.mean()) ** 2).sum())
    p = right.mean()
    reach = stats.t(n - 1).ppf(0.975) * s / (p * (1 - p))
    ends = 1 / (1 + np.exp(-(np.log(p / (1 - p)) + np.array([-reach, reach]))))
    assert found.interval is not None
    assert [found.interval.low, found.interval.high] == pytest.approx(ends.tolist(), rel=1e-9)
