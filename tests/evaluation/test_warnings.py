"""What an evaluation warns of, and what it does not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import acumen
from acumen.errors import UsageError
from acumen.evaluation.inputs import calibration_of
from acumen.evaluation.plan import Plan
from acumen.inference.options import Options
from acumen.readers.run import run_from_document
from acumen.report.sections import sections_of
from acumen.report.terminal import render
from acumen.table.judgments import Judgments
from acumen.table.scale import Scale
from acumen.values.measured import Flag
from tests.evaluations import evaluate
from tests.toy_runs import toy_run

NONE = Options(resamples=0)


def table(**columns: Any) -> Judgments:
    n = 12
    rows: dict[str, Any] = {
        "case": range(n),
        "truth": [k % 4 for k in range(n)],
        "prediction": [(k + (k % 5 == 0)) % 4 for k in range(n)],
        "confidence": np.linspace(0.2, 0.9, n),
    }
    return acumen.from_columns(**rows | columns)


def test_every_row_abstained_is_warned_of_and_some_answered_is_not() -> None:
    silent = evaluate(table(prediction=[None] * 12), None, Plan(options=NONE)).document
    assert any("every row is abstained" in warning for warning in silent.warnings)
    some = evaluate(table(), None, Plan(options=NONE)).document
    assert not any("abstained" in warning for warning in some.warnings)


def test_one_level_of_truth_is_warned_of_and_several_are_not() -> None:
    one = evaluate(table(truth=[2] * 12), None, Plan(options=NONE)).document
    assert any("every truth is the same level (2)" in warning for warning in one.warnings)
    several = evaluate(table(), None, Plan(options=NONE)).document
    assert not any("every truth" in warning for warning in several.warnings)


def uneven(weights: list[float], items: int = 4) -> Judgments:
    """Cases whose rows weigh so much each; the first errs throughout, others in every fifth row."""
    case = np.repeat(np.arange(len(weights)), items)
    rows = np.arange(len(case))
    truth = rows % 4
    return acumen.from_columns(
        case=case,
        item=[f"i{row % items}" for row in rows],
        truth=truth,
        prediction=(truth + ((case == 0) | (rows % 5 == 0))) % 4,
        confidence=rows % 7 / 7,
        weight=np.array(weights)[case],
        scale=Scale.numbered(0, 3),
    )


@pytest.mark.parametrize(("sizes", "warned"), [([1.0] * 20, False), ([15.0] + [1.0] * 19, True)])
def test_a_case_that_holds_a_fifth_of_the_weight_is_warned_of_everywhere(
    sizes: list[float], warned: bool
) -> None:
    evaluation = evaluate(uneven(sizes), None, Plan(confidence="confidence", options=NONE))
    people, share = evaluation.document.population, sizes[0] / sum(sizes)
    assert people.largest_case_share == pytest.approx(share)
    effective = sum(sizes) ** 2 / sum(m * m for m in sizes)
    assert people.effective_cases == pytest.approx(effective)
    assert any(f"{share:.0%} of the weight" in w for w in evaluation.document.warnings) == warned
    assert ("of the weight" in render(sections_of(evaluation.document))) == warned
    numbers = evaluation.document.sides["confidence"][0].metrics
    for name in ("mean_loss", "coverage", "augrc", "brier"):
        assert (Flag.DOMINATED in numbers[name].interval.flags) == warned, name
    overall: Any = evaluation.document.overall
    kappa = overall["quadratic_kappa"].interval
    assert (Flag.DOMINATED in kappa.flags) == warned


def test_the_estimand_decides_whether_rows_or_cases_count_alike() -> None:
    weights = [15.0] + [1.0] * 19
    judged = uneven(weights)
    values = {}
    for estimand in ("row", "case"):
        plan = Plan(confidence="confidence", options=NONE, estimand=estimand)
        document = evaluate(judged, None, plan).document
        assert document.options["estimand"] == estimand
        values[estimand] = document.sides["confidence"][0].metrics["accuracy"].value
        assert (document.warnings == []) == (estimand == "case")
    right = judged.prediction == judged.truth
    assert values["row"] == pytest.approx(np.average(right, weights=judged.weight))
    by_case = [right[judged.case == c].mean() for c in range(20)]
    assert values["case"] == pytest.approx(np.mean(by_case))
    even = uneven([1.0] * 12)
    one, other = (
        evaluate(even, None, Plan(confidence="confidence", options=NONE, estimand=e)).document
        for e in ("row", "case")
    )
    assert one.sides["confidence"][0].metrics == other.sides["confidence"][0].metrics
    with pytest.raises(UsageError, match="row or case"):
        Plan(estimand="rows")


def test_items_at_random_are_told_and_widen_the_intervals() -> None:
    judged = uneven([1.0] * 20, items=8)
    documents = {
        items: acumen.evaluate(judged, confidence="confidence", resamples=0, items=items).document
        for items in ("fixed", "random")
    }
    fixed, wide = (
        documents[i].sides["confidence"][0].metrics["mean_loss"].interval
        for i in ("fixed", "random")
    )
    assert wide.high - wide.low > fixed.high - fixed.low
    assert wide.method == "log-jackknife-t, cases × items"
    for items, document in documents.items():
        words = " ".join(render(sections_of(document, full=True)).split())
        assert f"95% intervals · items {items}, estimand row" in words
        said = "intervals for new items too" in " ".join(render(sections_of(document)).split())
        assert said == (items == "random"), items
    overall: Any = documents["random"].overall
    kappa = overall["quadratic_kappa"].interval
    assert kappa.method.endswith("cases × items")


@pytest.fixture(scope="module")
def calibrated() -> tuple[Judgments, Any]:
    run = run_from_document(toy_run(40))
    fitted = acumen.calibrate(run, confidence="token_msp", method="isotonic", folds=2)
    return run, calibration_of(fitted)


def test_a_calibration_that_no_function_uses_is_told(calibrated: tuple[Judgments, Any]) -> None:
    run, calibration = calibrated
    plan = Plan(confidence="token_msp", calibration=calibration, options=NONE)
    told = [w for w in evaluate(run, None, plan).document.warnings if "calibration" in w]
    assert told == ["the calibration file was not used: no calibrated function was asked for"]


def test_a_signal_whose_name_holds_the_word_calibrated_is_no_use_of_it(
    calibrated: tuple[Judgments, Any],
) -> None:
    run, calibration = calibrated
    signal = replace(run.signals["token_msp"])
    named = replace(run, signals={**run.signals, "uncalibrated_score": signal})
    plan = Plan(confidence="uncalibrated_score", calibration=calibration, options=NONE)
    warnings = evaluate(named, None, plan).document.warnings
    assert not any("in-sample" in warning for warning in warnings)
    assert any("was not used" in warning for warning in warnings)


def test_a_calibration_that_is_used_on_its_own_cases_is_warned_of(
    calibrated: tuple[Judgments, Any],
) -> None:
    run, calibration = calibrated
    plan = Plan(confidence="calibrated:token_msp", calibration=calibration, options=NONE)
    warnings = evaluate(run, None, plan).document.warnings
    assert any("in-sample" in warning for warning in warnings)
    assert not any("was not used" in warning for warning in warnings)


def test_texts_are_missed_only_where_neither_side_quotes_any() -> None:
    plain = run_from_document(toy_run(12))
    document = toy_run(12)
    for entry in document["experiments"][0]["results"]["results"]:
        for signals in entry["item_signals"].values():
            signals["evidence"] = ["a quote"]
    quoting = run_from_document(document)
    plan = Plan(confidence="llm", options=NONE, texts=True)
    missing = "texts were asked for, but no evidence is quoted in the input"
    assert missing in evaluate(plain, None, plan).document.warnings
    assert missing not in evaluate(quoting, plain, plan).document.warnings


def test_a_table_whose_numbers_all_have_an_interval_names_none_without() -> None:
    artifact = evaluate(run_from_document(toy_run(40)), None, Plan("llm", options=NONE)).document
    text = render(sections_of(artifact))
    assert "no interval" not in text


def test_rows_of_a_table_stand_close_together() -> None:
    artifact = evaluate(run_from_document(toy_run(40)), None, Plan("llm", options=NONE)).document
    lines = render(sections_of(artifact)).splitlines()
    head = next(at for at, line in enumerate(lines) if line.lstrip().startswith("confidence"))
    assert all(line.strip() for line in lines[head : head + 4])
