"""Lists of rows resampled by case: compiled for our own functions, called for anybody's."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest

from acumen.compat.compute import (
    ItemPrediction,
    bootstrap_by_participant,
    compute_augrc,
    compute_aurc,
    compute_aurc_achievable,
    compute_aurc_at_coverage,
    compute_cmax,
    compute_eaurc,
    compute_risk_at_coverage,
    paired_bootstrap_delta_by_participant,
)
from acumen.errors import DataError, UsageError
from acumen.values.measured import Interval, NoInterval


def rows(n: int = 14, seed: int = 0, *, error: float = 0.5, first: int = 0) -> list[ItemPrediction]:
    rng = np.random.default_rng(seed)
    truth = np.random.default_rng(99)
    out = []
    for case in range(n):
        for item in ("Sleep", "Tired", "Appetite"):
            true = int(truth.integers(0, 4))
            guess = int(rng.integers(0, 4)) if rng.random() < error else true
            score = None if rng.random() < 0.2 else guess
            confidence = float(rng.integers(0, 5))
            out.append(ItemPrediction(score, true, confidence, first + case, item))
    return out


def interval(found: Interval | NoInterval) -> Interval:
    assert isinstance(found, Interval), found
    return found


@pytest.mark.parametrize(
    "ours",
    [
        compute_cmax,
        compute_aurc,
        compute_augrc,
        compute_eaurc,
        compute_aurc_achievable,
        partial(compute_aurc, loss="abs_norm", scale="phq8"),
        partial(compute_aurc_at_coverage, max_coverage=0.4),
        partial(compute_risk_at_coverage, target_coverage=0.3),
    ],
)
def test_a_compiled_function_gives_what_calling_it_on_each_resample_gives(ours: object) -> None:
    compiled = bootstrap_by_participant(rows(), metric_fn=ours, n_resamples=120)  # type: ignore[arg-type]
    called = bootstrap_by_participant(
        rows(),
        metric_fn=lambda sample: ours(sample),
        n_resamples=120,
    )
    assert compiled.estimate == pytest.approx(called.estimate, rel=1e-12)
    assert compiled.replicates == pytest.approx(called.replicates, rel=1e-12)
    assert compiled.n_cases == called.n_cases == 14
    assert compiled.n_resamples == called.n_resamples == 120
    a, b = interval(compiled.percentile), interval(called.percentile)
    assert [a.low, a.high] == pytest.approx([b.low, b.high])


def test_whole_cases_are_drawn_not_rows() -> None:
    seen: set[tuple[int, ...]] = set()

    def sizes(sample: list[ItemPrediction]) -> float:
        by_case = [sum(row.case == case for row in sample) for case in range(5)]
        seen.add(tuple(by_case))
        return float(len(sample))

    result = bootstrap_by_participant(rows(5), metric_fn=sizes)
    assert all(count % 3 == 0 for counts in seen for count in counts)
    # all 126 resamples of five cases, and five with one left out
    assert result.n_resamples == 126
    assert len(seen) == 126 + 5


def test_any_function_gets_a_plain_jackknife_t_and_its_own_name_for_undefined() -> None:
    def worst(sample: list[ItemPrediction]) -> float:
        return float(np.mean([row.absolute_error**2 for row in sample]))

    result = bootstrap_by_participant(rows(), metric_fn=worst, n_resamples=200)
    made = interval(result.interval)
    assert made.method == "jackknife-t"
    assert made.low < result.estimate < made.high
    undefined = bootstrap_by_participant(rows(), metric_fn=lambda _: None, n_resamples=20)
    assert (undefined.estimate, undefined.reason) == (None, "the function gave no value")
    assert undefined.drop_rate == 1.0


def test_undefined_resamples_are_dropped_and_counted() -> None:
    def needs_case_zero(sample: list[ItemPrediction]) -> float | None:
        here = [row.confidence for row in sample if row.case == 0]
        return float(np.mean(here)) if here else None

    result = bootstrap_by_participant(rows(12), metric_fn=needs_case_zero, n_resamples=1000)
    assert result.drop_rate == pytest.approx((11 / 12) ** 12, abs=0.06)
    assert isinstance(result.interval, NoInterval)
    assert isinstance(result.percentile, NoInterval)


def test_mappings_with_participant_id_are_rows_too() -> None:
    plain = [
        {"score": r.score, "ground_truth": r.ground_truth, "confidence": r.confidence,
         "participant_id": r.case, "item": r.item}
        for r in rows()
    ]  # fmt: skip
    a = bootstrap_by_participant(plain, metric_fn=compute_aurc, n_resamples=100)
    b = bootstrap_by_participant(rows(), metric_fn=compute_aurc, n_resamples=100)
    assert np.array_equal(a.replicates, b.replicates)


def test_the_order_of_rows_and_the_seed_of_another_run_do_not_matter() -> None:
    given = rows()
    a = bootstrap_by_participant(given, metric_fn=compute_aurc, n_resamples=100, seed=7)
    b = bootstrap_by_participant(given[::-1], metric_fn=compute_aurc, n_resamples=100, seed=7)
    c = bootstrap_by_participant(given, metric_fn=compute_aurc, n_resamples=100, seed=8)
    assert a.replicates.tobytes() == b.replicates.tobytes()
    assert not np.array_equal(a.replicates, c.replicates)


def test_rows_without_a_case_are_refused_all_at_once() -> None:
    nameless = [ItemPrediction(1, 1, 1.0), ItemPrediction(1, 1, 1.0, case=3)]
    with pytest.raises(DataError, match=r"row 0: needs a case"):
        bootstrap_by_participant(nameless, metric_fn=compute_aurc)
    with pytest.raises(DataError, match="no rows"):
        bootstrap_by_participant([], metric_fn=compute_aurc)
    both = [ItemPrediction(1, 1, 1.0, case=3), ItemPrediction(1, 1, 1.0, case="3")]
    with pytest.raises(DataError, match="twice"):
        bootstrap_by_participant(both, metric_fn=compute_aurc)


def test_a_function_that_needs_a_coverage_says_so() -> None:
    with pytest.raises(UsageError, match=r"functools\.partial"):
        bootstrap_by_participant(rows(), metric_fn=compute_aurc_at_coverage)
    unknown: Any = {"colour": "red"}
    with pytest.raises(UsageError, match="knows no colour"):
        bootstrap_by_participant(rows(), metric_fn=partial(compute_aurc, **unknown))
    with pytest.raises(ValueError, match="target coverage"):
        bootstrap_by_participant(
            rows(), metric_fn=partial(compute_risk_at_coverage, target_coverage=2.0)
        )


def test_the_paired_delta_is_right_minus_left_under_the_same_draws() -> None:
    left, right = rows(error=0.9), rows(seed=1, error=0.2)
    delta = paired_bootstrap_delta_by_participant(
        left, right, metric_fn=compute_aurc, n_resamples=150
    )
    a = bootstrap_by_participant(left, metric_fn=compute_aurc, n_resamples=150)
    b = bootstrap_by_participant(right, metric_fn=compute_aurc, n_resamples=150)
    assert (delta.left, delta.right) == (a.estimate, b.estimate)
    assert delta.estimate == b.estimate - a.estimate
    assert np.array_equal(delta.replicates, b.replicates - a.replicates)
    assert interval(delta.interval).method in ("MOVER", "swap test")
    called = paired_bootstrap_delta_by_participant(
        left, right, metric_fn=lambda sample: compute_aurc(sample), n_resamples=150
    )
    assert called.p_value == delta.p_value
    assert called.p_value is not None
    assert called.estimate == pytest.approx(delta.estimate)
    assert interval(called.interval).method == "jackknife-t"


def test_identical_lists_differ_by_nothing() -> None:
    delta = paired_bootstrap_delta_by_participant(rows(), rows(), metric_fn=compute_aurc)
    made = interval(delta.interval)
    assert (delta.estimate, delta.p_value) == (0.0, 1.0)
    assert made.low < 0.0 < made.high


def test_other_cases_and_other_truths_are_refused_by_name() -> None:
    with pytest.raises(DataError, match=r"only left: 0, 1; only right: 14, 15"):
        paired_bootstrap_delta_by_participant(rows(14), rows(14, first=2), metric_fn=compute_aurc)
    with pytest.raises(DataError, match="do not overlap"):
        paired_bootstrap_delta_by_participant(
            rows(3), rows(3, first=10), metric_fn=compute_aurc, intersection_only=True
        )
    wrong = rows()
    first = wrong[4]
    other = ItemPrediction(first.score, (first.ground_truth + 1) % 4, 1.0, first.case, first.item)
    with pytest.raises(DataError, match="case 1, item Tired: truth"):
        paired_bootstrap_delta_by_participant(
            rows(), [*wrong[:4], other, *wrong[5:]], metric_fn=compute_aurc
        )


def test_the_overlap_is_compared_when_asked_for() -> None:
    delta = paired_bootstrap_delta_by_participant(
        rows(14), rows(12, seed=3), metric_fn=compute_cmax, intersection_only=True, n_resamples=50
    )
    assert delta.n_cases == 12


def test_a_name_in_place_of_a_function_is_refused() -> None:
    rows = [ItemPrediction(1, 1, 0.5, case=c) for c in range(3)]
    with pytest.raises(
        UsageError, match="a function of rows, such as compute_aurc, not the text 'aurc'"
    ):
        bootstrap_by_participant(rows, metric_fn="aurc")  # type: ignore[arg-type]


def test_the_resamples_of_few_cases_carry_their_chances() -> None:
    """One case answers all, one nothing: of AA, AB, BA and BB the middle two are one resample."""
    full = ItemPrediction(1, 1, 1.0, 1, "Sleep")
    open_ = ItemPrediction(None, 1, 1.0, 2, "Sleep")
    result = bootstrap_by_participant([full, open_], metric_fn=compute_cmax)
    assert result.probability is not None
    chances = dict(zip(result.replicates.tolist(), result.probability.tolist(), strict=True))
    assert chances == pytest.approx({1.0: 0.25, 0.5: 0.5, 0.0: 0.25})
    assert result.std_error == pytest.approx(np.sqrt(0.125))  # not that of 0, 1/2, 1 alike: 0.408


def test_many_cases_are_drawn_alike() -> None:
    result = bootstrap_by_participant(rows(), metric_fn=compute_cmax, n_resamples=50)
    assert result.probability is None
    assert result.std_error == pytest.approx(np.std(result.replicates))


def test_without_a_resample_that_has_a_value_there_is_no_error() -> None:
    result = bootstrap_by_participant(rows(), metric_fn=lambda _: None, n_resamples=20)
    assert result.std_error is None
