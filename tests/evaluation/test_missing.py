"""Rows without a usable reply: left out, wrong answers, or bounds; claims and gates on them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import norm

import acumen
from acumen.errors import UsageError
from acumen.evaluation.bounds import level_of
from acumen.results.missing import Bounded, MissingPart
from acumen.table.judgments import FailedCase

BY_HAND: list[dict[str, Any]] = [
    {"case": 1, "truth": 2, "prediction": 2, "confidence": 0.9, "outcome": "answered"},
    {"case": 2, "truth": 0, "prediction": 1, "confidence": 0.8, "outcome": "answered"},
    {"case": 3, "truth": 1, "prediction": None, "confidence": None, "outcome": "abstained"},
    {"case": 4, "truth": 2, "prediction": None, "confidence": None, "outcome": "failed"},
]
KEYWORDS: dict[str, Any] = {"levels": "0-2", "loss": "abs", "resamples": 0}


def document_of(*inputs: Any, **keywords: Any) -> Any:
    return acumen.evaluate(*inputs, **{**KEYWORDS, "missing": "bound", **keywords}).document


def part_of(*inputs: Any, **keywords: Any) -> MissingPart:
    part: MissingPart = document_of(*inputs, **keywords).missing
    return part


def by_name(bounds: list[Bounded]) -> dict[str, Bounded]:
    return {bound.metric: bound for bound in bounds}


def rows(seed: int = 0, cases: int = 40, failing: float = 0.05, skill: float = 0.7) -> list[Any]:
    """Four rows a case, whose truths do not depend on the seed."""
    rng, truths, out = np.random.default_rng(seed), np.random.default_rng(99), []
    for case in range(cases):
        for item in "abcd":
            truth = int(truths.integers(0, 3))
            right, fails = rng.random() < skill, rng.random() < failing
            prediction = truth if right else (truth + 1) % 3
            sure = round(float(np.clip(rng.normal(0.7 if right else 0.5, 0.2), 0, 1)), 2)
            out.append(
                {"case": case, "item": item, "truth": truth, "sex": "fm"[case % 2]}
                | {"prediction": None if fails else prediction}
                | {"confidence": None if fails else sure}
                | {"outcome": "failed" if fails else "answered"}
            )
    return out


def test_bounds_by_hand() -> None:
    """One of four rows failed: it may be right, two levels off, open, first or last."""
    (missing,) = part_of(BY_HAND).inputs
    assert (missing.rows, missing.failed, missing.of, missing.cases) == (1, 1, 4, 1)
    bounds: dict[str, Any] = {b.metric: (b.low, b.value, b.high) for b in missing.bounds}
    third = pytest.approx(2 / 3)
    assert bounds["coverage"] == (0.5, third, 0.75)
    assert bounds["total_accuracy"] == (0.25, pytest.approx(1 / 3), 0.5)
    assert bounds["accuracy"] == (pytest.approx(1 / 3), 0.5, third)
    assert bounds["mean_loss"] == (pytest.approx(1 / 3), 0.5, 1.0)  # losses 0, 1 and 0 or 2
    # of 16: the wrong answer alone is (0 + 1)/2; before both a loss of 2 is 2/2 + 2 + 2 + 1/2
    assert bounds["augrc"] == (0.5 / 16, pytest.approx(0.5 / 9), 5.5 / 16)
    # a right and a wrong answer, of which the surer is right: a third one wrong and surer than both
    assert bounds["failure_auroc"] == (0.5, 1.0, 1.0)
    assert bounds["brier"][0] == pytest.approx((0.01 + 0.64) / 3)
    assert bounds["brier"][2] == pytest.approx((0.01 + 0.64 + 1) / 3)


def test_without_a_missing_row_bounds_are_the_number_and_its_interval() -> None:
    document = document_of(rows(failing=0.0))
    (missing,) = document.missing.inputs
    assert missing.rows == 0
    for bound in missing.bounds:
        assert bound.low == bound.high == bound.value
        if bound.without is not None and bound.interval is not None:
            assert bound.interval.ends == bound.without.ends
            assert bound.interval.ends != (None, None)


def test_an_interval_holds_both_bounds_and_those_of_each() -> None:
    for bound in part_of(rows()).inputs[0].bounds:
        assert bound.low is not None
        assert bound.high is not None
        assert bound.value is not None
        assert bound.interval is not None
        assert bound.interval.low <= bound.low < bound.high <= bound.interval.high


@pytest.mark.parametrize(("width", "error"), [(0.0, 1.0), (0.3, 1.0), (2.0, 0.7), (5.0, 0.1)])
def test_the_level_of_both_ends_is_that_of_imbens_and_manski(width: float, error: float) -> None:
    def misses(c: float) -> float:
        return float(norm.cdf(c + width / error) - norm.cdf(-c) - 0.95)

    expected = 2 * norm.cdf(brentq(misses, 1.0, 3.0)) - 1
    assert level_of(width, error, 0.95) == pytest.approx(expected, abs=1e-9)


def test_wrong_counts_missing_rows_as_the_dearest_and_least_sure_answers() -> None:
    document = document_of(BY_HAND, missing="wrong")
    numbers = document.sides["confidence"][0].metrics
    assert numbers["coverage"].value == 0.75
    assert numbers["mean_loss"].value == 1.0  # two levels off where the truth is 2
    assert document.overall_by_input[0]["total_accuracy"].value == 0.25
    # tied with the least sure of the others: losses 0, then 1 and 2 together
    assert numbers["augrc"].value == pytest.approx(2 * (0 + 3) / 2 / 16)
    assert document.missing.treated_as == "wrong"
    assert document.population.outcomes["failed"] == 0


def test_left_out_by_default_as_ever() -> None:
    document = document_of(BY_HAND, missing="drop")
    assert document.missing is None
    assert document.population.outcomes["failed"] == 1
    assert document.overall_by_input[0]["total_accuracy"].value == pytest.approx(1 / 3)


def test_a_difference_is_bounded_over_the_missing_rows_of_both() -> None:
    left = [row | {"confidence": 0.5, "outcome": "answered"} for row in BY_HAND]
    for row, prediction in zip(left, (2, 0, 1, 2), strict=True):
        row["prediction"] = prediction
    left[1] |= {"prediction": None, "confidence": None, "outcome": "failed"}
    part = part_of({"a": left, "b": BY_HAND})
    differences = by_name(part.differences)
    # a: right in 3 of 4 and one failed; b: right in 1 of 4 and one failed
    assert (differences["total_accuracy"].low, differences["total_accuracy"].high) == (-0.75, -0.25)
    assert part.coverage == 0.5
    at_equal = differences["mean_loss_at_coverage@0.5"]
    # of two rows each: a loses 0 or 2 of one that is first; b 0 and 1, or 2 and 0
    assert (at_equal.low, at_equal.high) == (0.0 - 1.0, 1.0)


def test_a_claim_says_how_many_missing_rows_it_takes() -> None:
    weak, strong = rows(1, skill=0.55), rows(2, skill=0.9)
    part = part_of({"weak": weak, "strong": strong})
    bound = by_name(part.differences)["total_accuracy"]
    assert bound.claim == 0.0
    of = sum(missing.rows for missing in part.inputs)
    assert bound.stands or 0 < (bound.tipping or 0) <= of
    failing = {"weak": rows(1, skill=0.55), "strong": rows(2, skill=0.9, failing=0.3)}
    many = part_of(failing)
    turned = by_name(many.differences)["total_accuracy"]
    assert turned.tipping is not None
    assert not turned.stands
    section = acumen.evaluate(failing, **KEYWORDS, missing="bound").sections()[1]
    assert section.key == "missing"
    assert "missing rows speak against it" in section.finding


def test_a_gate_is_undecided_where_it_hangs_on_missing_rows() -> None:
    failing = rows(3, failing=0.12, skill=0.75)
    keywords: dict[str, Any] = {"levels": "0-2", "metric": "total_accuracy"}
    assert acumen.gate(failing, at_least=0.66, **keywords).exit_code == 0
    held = acumen.gate(failing, at_least=0.66, missing="bound", **keywords)
    (check,) = held.document.checks
    assert (held.exit_code, check.why) == (5, "missing")
    assert check.bounds is not None
    assert check.tipping is not None
    assert check.bounds[0] < 0.66 < check.bounds[1]
    gone = [at for at, row in enumerate(failing) if row["outcome"] == "failed"]
    assert check.missing_rows == len(gone)

    def completed(wrong: int) -> str:
        """The verdict where so many of the missing rows are wrong, and the others right."""
        whole = [dict(row) for row in failing]
        for at, row in enumerate(gone):
            level = (whole[row]["truth"] + (at < wrong)) % 3
            whole[row] |= {"prediction": level, "confidence": 0.5, "outcome": "answered"}
        verdict: str = acumen.gate(whole, at_least=0.66, **keywords).document.verdict
        return verdict

    assert (completed(check.tipping - 1), completed(check.tipping)) == ("pass", "undecided")
    assert acumen.gate(failing, at_least=0.4, missing="bound", **keywords).exit_code == 0
    assert acumen.gate(failing, at_least=0.95, missing="bound", **keywords).exit_code == 1
    base = rows(4, failing=0.12, skill=0.75)
    pair = acumen.gate(failing, base, margin=0.15, missing="bound", by="sex", **keywords)
    assert {check.group for check in pair.document.checks} == {None, "sex=f", "sex=m"}
    assert all(check.missing_rows for check in pair.document.checks)


def test_metrics_without_bounds_and_other_words_are_refused() -> None:
    keywords: dict[str, Any] = {"levels": "0-2", "missing": "bound"}
    with pytest.raises(UsageError, match="ece has no bounds over missing rows; there are coverage"):
        acumen.gate(rows(), metric="ece", at_most=0.5, **keywords)
    with pytest.raises(UsageError, match="quadratic_kappa has no bounds of a difference"):
        acumen.gate(rows(), rows(1), metric="quadratic_kappa", margin=0.1, **keywords)
    with pytest.raises(UsageError, match="bounds over missing rows hold for one look"):
        acumen.gate(rows(), metric="accuracy", at_least=0.5, repeated=True, **keywords)
    with pytest.raises(UsageError, match="missing rows are drop, wrong or bound, not 'all'"):
        acumen.evaluate(rows(), levels="0-2", missing="all")  # type: ignore[arg-type]  # refused
    with pytest.raises(UsageError, match="missing rows are drop, wrong or bound, not 'all'"):
        acumen.gate(rows(), levels="0-2", metric="mean_loss", at_most=1, missing="all")  # type: ignore[arg-type]  # refused


def test_everything_missing_leaves_everything_open() -> None:
    nothing = [
        row | {"prediction": None, "confidence": None, "outcome": "failed"} for row in rows()
    ]
    document = document_of(nothing)
    bounds = by_name(document.missing.inputs[0].bounds)
    for name in ("coverage", "total_accuracy", "accuracy"):
        assert (bounds[name].low, bounds[name].value, bounds[name].high) == (0.0, None, 1.0)
    assert any("no row has a usable reply" in warning for warning in document.warnings)
    assert document_of(nothing, missing="wrong").overall_by_input[0]["total_accuracy"].value == 0.0


def test_without_a_truth_missing_rows_are_counted_and_never_wrong() -> None:
    asked: dict[str, Any] = {"levels": "0-2", "resamples": 0}
    bare = [{key: row[key] for key in ("case", "item", "prediction", "outcome")} for row in rows()]
    (missing,) = acumen.evaluate(bare, **asked, missing="bound").document.missing.inputs
    assert (missing.rows > 0, missing.bounds) == (True, [])
    with pytest.raises(UsageError, match="without a truth no missing row is wrong"):
        acumen.evaluate(bare, **asked, missing="wrong")


def test_a_case_that_failed_before_its_truth_was_read_is_told() -> None:
    table = acumen.from_columns(
        case=range(12), truth=[0, 1, 2] * 4, prediction=[0, 1, 1] * 4, scale="0-2",
        failed=[FailedCase(99, "no reply")],
    )  # fmt: skip
    result = acumen.evaluate(table, **{**KEYWORDS, "levels": None}, missing="bound")
    assert result.document.missing is not None
    assert result.document.missing.inputs[0].unknown_cases == 1
    assert "1 case more failed before a truth was read" in str(result).replace("\n", " ")


def test_several_systems_and_several_raters_have_bounds() -> None:
    systems = {name: rows(seed) for seed, name in enumerate("abcd")}
    part = part_of(systems)
    assert len(part.inputs) == 4
    assert part.differences == []
    panel = [
        row | {"rater": rater, "truth": (row["truth"] + (rater == "y" and row["item"] == "a")) % 3}
        for row in rows()
        for rater in "xy"
    ]
    (missing,) = part_of(panel, rater="rater").inputs
    assert missing.rows == sum(row["outcome"] == "failed" for row in rows())
    bounds = by_name(missing.bounds)
    assert bounds["failure_auroc"].why == "bounds need rows of equal weight with one truth each"
    accuracy = bounds["total_accuracy"]
    # raters who differ cannot both be right
    assert (accuracy.high or 0) - (accuracy.low or 0) < missing.rows / missing.of


def test_a_page_has_every_bound() -> None:
    result = acumen.evaluate({"a": rows(1), "b": rows(2)}, **KEYWORDS, missing="bound")
    (section,) = [s for s in result.sections(full=True) if s.key == "missing"]
    captions = [getattr(block, "caption", None) for block in section.blocks]
    assert captions[:3] == ["Bounds, a", "Bounds, b", "Bounds, b − a"]
