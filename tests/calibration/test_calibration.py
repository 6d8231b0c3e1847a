"""Calibrators: the optimum where it lies, the oracles' numbers, artifacts that come back whole."""

from __future__ import annotations

import json
import math
import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import StandardScaler

from acumen import confidence
from acumen.calibration import (
    Calibration,
    CalibratorFeatureExtractor,
    IsotonicCalibrator,
    LinearCalibrator,
    LogisticCalibrator,
    TemperatureScalingCalibrator,
    auroc,
    compute_binary_nll,
    compute_ece,
    cross_fit,
    fit_calibration,
    read_calibration,
)
from acumen.calibration.artifact import calibration_from
from acumen.calibration.models import METHODS, PlattCalibrator, logit, sigmoid
from acumen.calibration.scores import Sample
from acumen.errors import DataError, UsageError
from acumen.files.json import to_json, write_json
from acumen.readers.run import run_from_document
from acumen.table.judgments import Judgments, Source
from acumen.table.signals import answered_rows
from acumen.views.forecast import target_of
from tests.toy_runs import toy_run

NOW = "2026-01-01T00:00:00Z"


def toy_table(n_cases: int = 20, seed: int = 0, *, first_id: int = 300) -> Judgments:
    return run_from_document(toy_run(n_cases, seed, first_id=first_id), path="toy.json")


TABLE = toy_table()


def mixed(p: float, right: int, wrong: int) -> tuple[np.ndarray, np.ndarray]:
    return np.full(right + wrong, p), np.repeat([1.0, 0.0], [right, wrong])


def searched_temperature(p: np.ndarray, y: np.ndarray) -> float:
    """Brute force: ever finer grids over ln T of the log-likelihood written out."""
    x = np.log(np.clip(p, 1e-6, 1 - 1e-6) / (1 - np.clip(p, 1e-6, 1 - 1e-6)))
    x, y = x.astype(np.longdouble), y.astype(np.longdouble)
    low, high = -12.0, 12.0
    for _ in range(6):
        grid = np.linspace(low, high, 401)
        z = x[None, :] / np.exp(grid.astype(np.longdouble))[:, None]
        nll = (y * np.logaddexp(0, -z) + (1 - y) * np.logaddexp(0, z)).sum(axis=1)
        at = int(np.argmin(nll))
        low, high = grid[max(at - 2, 0)], grid[min(at + 2, 400)]
    return float(np.exp((low + high) / 2))


@pytest.mark.parametrize(
    ("groups", "about"),
    [
        ([(0.99, 52, 48), (0.01, 48, 52)], 57),
        ([(0.51, 90, 10)], 0.018),
        ([(0.9, 8, 2), (0.6, 5, 5), (0.2, 3, 7)], 1.657),
        ([(1.0, 9, 1), (0.5, 5, 5), (0.0, 2, 8)], 8.0),
        ([(0.501, 9, 1), (0.49, 1, 9)], 0.015),
    ],
)
def test_the_temperature_is_found_wherever_it_lies(groups: list, about: float) -> None:
    p, y = (np.concatenate(part) for part in zip(*(mixed(*g) for g in groups), strict=True))
    found = TemperatureScalingCalibrator.fit(p, y).temperature
    assert found == pytest.approx(about, rel=0.1)
    assert found == pytest.approx(searched_temperature(p, y), rel=1e-6)
    nll: list[Any] = [
        compute_binary_nll(TemperatureScalingCalibrator(temperature=t).predict(p), y)
        for t in (found * 0.99, found, found * 1.01)
    ]
    assert nll[1] == min(nll)


def test_temperature_of_one_group_is_known_exactly() -> None:
    p, y = mixed(0.9, 75, 25)  # sigmoid(ln 9 / T) = 3/4, so T = ln 9 / ln 3 = 2
    assert TemperatureScalingCalibrator.fit(p, y).temperature == pytest.approx(2.0, abs=1e-12)


def test_weights_count_as_rows_in_a_fit() -> None:
    p, y, w = [0.9, 0.9, 0.3], [1.0, 0.0, 0.0], [3, 1, 2]
    often = [np.repeat(v, w) for v in (p, y)]
    for method in ("temperature_scaling", "isotonic"):
        a = METHODS[method].fit(p, y, w).predict(p)
        np.testing.assert_allclose(a, METHODS[method].fit(*often).predict(p), atol=1e-12)


@pytest.mark.parametrize(
    ("p", "y", "why"),
    [
        ([0.9, 0.6, 0.2], [1, 1, 1], "every answer is right"),
        ([0.9, 0.6, 0.2], [0, 0, 0], "every answer is wrong"),
        ([0.9, 0.6, 0.2], [1, 1, 0], "0.5 separates right from wrong"),
        ([0.9, 0.2], [0, 1], "answers of higher confidence are not more often right"),
        ([0.9, 0.9], [0, 1], "answers of higher confidence are not more often right"),
        ([0.5, 0.5], [0, 1], "every confidence is 0.5"),
        ([], [], "no answered row"),
    ],
)
def test_a_temperature_without_a_finite_optimum_is_refused_with_the_reason(
    p: list, y: list, why: str
) -> None:
    with pytest.raises(DataError, match=why):
        TemperatureScalingCalibrator.fit(p, y)


def features_and_target() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(5)
    x = rng.normal([1, 40, 0.5], [2, 9, 0.01], (150, 3))
    y = (rng.random(150) < sigmoid(x[:, 0] - 1 + (x[:, 1] - 40) / 20)).astype(float)
    return x, y, np.clip(0.4 + 0.1 * x[:, 0] + rng.normal(0, 0.1, 150), 0, 1)


def test_logistic_agrees_with_scikit_learn_on_the_same_standardised_data() -> None:
    x, y, _ = features_and_target()
    oracle = LogisticRegression(C=1.0, solver="newton-cg", tol=1e-12).fit(
        StandardScaler().fit_transform(x), y
    )
    expected = oracle.predict_proba(StandardScaler().fit_transform(x))[:, 1]
    np.testing.assert_allclose(LogisticCalibrator.fit(x, y).predict(x), expected, rtol=0, atol=1e-9)


def test_linear_agrees_with_scikit_learn_and_is_cut_to_the_unit_interval() -> None:
    x, _, share = features_and_target()
    z = StandardScaler().fit_transform(x)
    expected = np.clip(Ridge(alpha=1.0).fit(z, share).predict(z), 0, 1)
    fitted = LinearCalibrator.fit(x, share)
    np.testing.assert_allclose(fitted.predict(x), expected, rtol=0, atol=1e-9)
    assert fitted.predict([[99, 40, 0.5], [-99, 40, 0.5]]).tolist() == [1, 0]


def test_isotonic_agrees_with_scikit_learn_also_beyond_its_ends() -> None:
    x, y, _ = features_and_target()
    oracle = IsotonicRegression(out_of_bounds="clip").fit(x[:, 0], y)
    new = np.linspace(-9, 9, 500)
    fitted = IsotonicCalibrator.fit(x[:, 0], y)
    np.testing.assert_allclose(fitted.predict(new), oracle.predict(new), rtol=0, atol=1e-9)


def test_a_logistic_fit_ends_where_its_likelihood_is_flat() -> None:
    rng = np.random.default_rng(3)
    x = np.c_[rng.normal(size=200), 40.0 + 9.0 * rng.normal(size=200), rng.integers(0, 5, 200)]
    y = (rng.random(200) < sigmoid(2.5 * x[:, 0] + 0.1 * (x[:, 1] - 40))).astype(np.float64)
    model = LogisticCalibrator.fit(x, y)
    z = (x - np.array(model.scaler.mean)) / np.array(model.scaler.std)
    residual = model.predict(x) - y
    slope = np.array([residual.sum(), *(z.T @ residual + np.array(model.coefficients))])
    assert np.abs(slope).max() < 1e-7


def test_logistic_refuses_shares_and_one_class() -> None:
    with pytest.raises(DataError, match="right or wrong; take linear"):
        LogisticCalibrator.fit([1, 2, 3], [0, 0.5, 1])
    with pytest.raises(DataError, match="every answer is right"):
        LogisticCalibrator.fit([1, 2, 3], [1, 1, 1])


def test_a_feature_that_never_varies_does_no_harm() -> None:
    fitted = LogisticCalibrator.fit([[1, 7], [2, 7], [3, 7], [1, 7]], [0, 1, 1, 0])
    assert fitted.scaler.std[1] == 1.0
    assert np.isfinite(fitted.predict([[2, 8]])).all()


def test_ece_and_nll_and_auroc_on_plain_lists() -> None:
    p, y = [0.5, 0.5, 0.4, 0.6, 1, 1], [1, 1, 0, 0, 1, 0]
    assert compute_ece(p, y) == pytest.approx(0.5)
    assert compute_ece(p, y, n_bins=2) == pytest.approx(1 / 6)
    assert compute_binary_nll([0.75, 0.5], [1, 0]) == pytest.approx(-math.log(0.375) / 2)
    assert auroc(p, y) == pytest.approx(roc_auc_score(y, p))
    assert auroc(p, [1] * 6) is None
    assert compute_ece([], []) is None
    assert compute_binary_nll([], []) is None


# --- features --------------------------------------------------------------------------------


def test_defaults_of_features_are_counted_and_told() -> None:
    rows = answered_rows(TABLE)
    keys = ("verbalized_confidence", "retrieval_similarity_mean", "token_msp")
    found = CalibratorFeatureExtractor(keys).extract(TABLE, rows)
    null = {key: int((TABLE.signals[key].state[rows] == 1).sum()) for key in keys}
    assert min(null["verbalized_confidence"], null["retrieval_similarity_mean"]) > 0
    assert found.defaults == {key: n for key, n in null.items() if n}
    where = TABLE.signals["verbalized_confidence"].state[rows] == 1
    assert set(found.values[where, 0]) == {3.0}
    assert found.warnings[0] == (
        f"feature verbalized_confidence: missing or null in {null['verbalized_confidence']} of "
        f"{len(rows)} answered rows, taken as 3"
    )


@pytest.mark.parametrize(
    ("value", "said"),
    [(True, "the boolean true"), ("0.5", "the text '0.5'"), (1.5, "1.5 is out of range (0..1)")],
)
def test_a_feature_that_is_no_number_or_out_of_range_is_an_error(value: object, said: str) -> None:
    run = toy_run(2)
    record = run["experiments"][0]["results"]["results"][1]
    record["predicted_items"]["Sleep"] = 1
    record["item_signals"]["Sleep"]["token_msp"] = value
    table = run_from_document(run, path="toy.json")
    with pytest.raises(DataError) as refused:
        CalibratorFeatureExtractor(("token_msp",)).extract(table, answered_rows(table))
    assert "participant 301, item Sleep, token_msp: " in str(refused.value)
    assert said in str(refused.value)


def test_a_feature_no_row_has_is_an_error_and_not_a_default() -> None:
    with pytest.raises(DataError, match=r"token_mps: missing, .* no such signal; this run has llm"):
        fit_calibration(TABLE, method="logistic", features=["token_mps"])


# --- fitting on a run ------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["temperature", "platt", "logistic", "linear", "isotonic"])
def test_an_artifact_written_and_read_back_gives_the_same_bits(method: str, tmp_path) -> None:
    several = ["verbalized_confidence", "token_pe", "retrieval_similarity_mean"]
    features = several if method in ("logistic", "linear") else several[:1]
    target = "loss" if method == "linear" else "near_correct"
    fitted = fit_calibration(TABLE, method=method, features=features, target=target)
    fitted.write(tmp_path / "c.json", NOW)
    read = read_calibration(tmp_path / "c.json")
    assert read.model == fitted.model
    assert (read.target, read.inputs) == (target, fitted.inputs)
    other = toy_table(15, seed=9)
    a = confidence.compute("calibrated", other, calibration=fitted)
    b = confidence.compute("calibrated", other, calibration=read)
    assert a.tobytes() == b.tobytes()
    assert np.isfinite(a[other.answered]).all()


def test_a_logistic_fit_of_a_run_is_scikit_learns_on_its_answered_rows() -> None:
    keys = ["verbalized_confidence", "token_pe"]
    fitted = fit_calibration(TABLE, method="logistic", features=keys)
    rows = answered_rows(TABLE)
    raw = np.column_stack([TABLE.signals[k].values[rows] for k in keys])
    raw[np.isnan(raw)] = 3.0  # only ratings are ever null here
    y = (TABLE.prediction == TABLE.truth)[rows].astype(float)
    z = StandardScaler().fit_transform(raw)
    expected = (
        LogisticRegression(C=1.0, solver="newton-cg", tol=1e-12).fit(z, y).predict_proba(z)[:, 1]
    )
    got = confidence.compute("calibrated", TABLE, calibration=fitted)[rows]
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-9)


def test_without_features_the_verbalized_confidence_is_fitted() -> None:
    fitted = fit_calibration(TABLE)
    rows = answered_rows(TABLE)
    v = confidence.compute("verbalized", TABLE)[rows]
    y = target_of(TABLE, "correctness")[rows]
    assert fitted.method == "temperature_scaling"
    assert fitted.inputs.signals == ("verbalized_confidence",)
    assert fitted.model == TemperatureScalingCalibrator.fit(v, y)
    assert fitted.model == fit_calibration(TABLE, features=["verbalized_confidence"]).model
    by_hand = sigmoid(logit(v) / fitted.model.temperature)
    for name in ("verbalized_calibrated", "calibrated", "calibrated:verbalized"):
        np.testing.assert_array_equal(
            confidence.compute(name, TABLE, calibration=fitted)[rows], by_hand
        )


def test_nulls_that_stand_for_the_middle_are_counted_all_the_same() -> None:
    rows = answered_rows(TABLE)
    null = int((TABLE.signals["verbalized_confidence"].state[rows] == 1).sum())
    assert fit_calibration(TABLE).training.feature_defaults == {"verbalized_confidence": null}


@pytest.mark.parametrize("features", [[], ["token_msp", "token_pe"]])
def test_a_run_that_never_answers_needs_no_inputs(features: list[str]) -> None:
    from tests.confidence.test_confidence import table_of

    silent = table_of({"llm_evidence_count": [1, 2]}, answered=[False, False])
    method = "logistic" if features else "temperature"
    fitted = fit_calibration(TABLE, method=method, features=features)
    assert np.isnan(confidence.compute("calibrated", silent, calibration=fitted)).all()
    assert fitted.warnings(silent, ["calibrated"]) == ()
    with pytest.raises(DataError, match="no row was answered"):
        fit_calibration(silent)


def test_platt_is_logistic_on_one_feature_with_smoothed_targets_and_no_penalty() -> None:
    platt = fit_calibration(TABLE, method="platt", features=["token_msp"])
    logistic = fit_calibration(TABLE, method="logistic", features=["token_msp"])
    assert (platt.method, logistic.method) == ("platt", "logistic")
    assert isinstance(platt.model, PlattCalibrator)
    assert platt.model != logistic.model


def test_platt_solves_its_own_likelihood_equations() -> None:
    """The sums of (prediction − smoothed target), and of it times the input, are 0."""
    rng = np.random.default_rng(3)
    x, weight = rng.normal(size=60), rng.integers(1, 4, 60).astype(float)
    y = (rng.random(60) < sigmoid(2 * x + 0.5)).astype(float)
    right, wrong = (weight * y).sum(), (weight * (1 - y)).sum()
    smoothed = np.where(y == 1, (right + 1) / (right + 2), 1 / (wrong + 2))
    off = weight * (PlattCalibrator.fit(x, y, weight).predict(x) - smoothed)
    assert off.sum() == pytest.approx(0.0, abs=1e-4)
    assert (off * x).sum() == pytest.approx(0.0, abs=1e-4)
    # two right above two wrong: separated, and yet the ends are (2 + 1)/(2 + 2) and 1/(2 + 2)
    apart = PlattCalibrator.fit([0.0, 0.0, 1.0, 1.0], [0, 0, 1, 1])
    assert apart.predict([0.0, 1.0]) == pytest.approx([0.25, 0.75], abs=1e-6)


def test_platt_has_no_penalty_that_would_flatten_it() -> None:
    x = np.linspace(0.05, 0.95, 4000)
    y = (np.random.default_rng(5).random(4000) < sigmoid(8 * (x - 0.5))).astype(float)
    model = PlattCalibrator.fit(x, y)
    assert model.coefficients[0] / model.scaler.std[0] == pytest.approx(8.0, rel=0.1)


def test_a_linear_model_that_its_tool_calls_logistic_is_read_as_linear() -> None:
    model = {"coefficients": [0.2, -0.1], "intercept": 0.5, "link": "identity"}
    scaler = {"mean": [1.0, 0.0], "std": [2.0, 1.0]}
    document = {"method": "logistic", "target": "loss", "features": ["a", "b"]}
    calibration = calibration_from({**document, "model": {**model, "scaler": scaler}})
    assert calibration.method == "linear"
    # 0.5 + 0.2·(3 − 1)/2 − 0.1·1 and 0.5 + 0.2·(11 − 1)/2 + 0.1·1, the latter cut to 1
    assert calibration.model.predict([[3.0, 1.0], [11.0, -1.0]]).tolist() == [0.6, 1.0]


def test_logistic_for_loss_means_linear() -> None:
    fitted = fit_calibration(TABLE, method="logistic", features=["token_msp"], target="loss")
    assert fitted.method == "linear"
    assert isinstance(fitted.model, LinearCalibrator)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"method": "beta"}, "no method 'beta'"),
        ({"target": "truth"}, "no target 'truth'"),
        ({"method": "isotonic", "features": ["a", "b"]}, "isotonic takes one feature"),
        ({"features": ["token_msp"], "confidence": "llm"}, "exclude each other"),
        ({"confidence": "calibrated:llm"}, "calibrated already"),
        ({"method": "platt", "target": "loss"}, "platt needs a target"),
        ({"method": "logistic", "features": ["a", "a"]}, "each named once"),
    ],
)
def test_a_fit_that_cannot_be_meant_is_a_usage_error(options: dict, said: str) -> None:
    with pytest.raises(UsageError, match=said):
        fit_calibration(TABLE, **options)


def test_a_fit_on_counts_as_probabilities_names_the_row() -> None:
    with pytest.raises(DataError, match=r"toy.json: participant 30\d, item \w+, llm: [2-5] is out"):
        fit_calibration(TABLE, confidence="llm")


def test_the_metrics_before_and_after_are_those_of_the_forecasts() -> None:
    fitted = fit_calibration(TABLE, method="isotonic", confidence="token_pe")
    rows = answered_rows(TABLE)
    p = confidence.compute("token_pe", TABLE)[rows]
    y = target_of(TABLE, "correctness")[rows]
    before, after = fitted.metrics.in_sample.before, fitted.metrics.in_sample.after
    values = {name: measured.value for name, measured in before.metrics.items()}
    assert values["ece"] == pytest.approx(compute_ece(p, y))
    assert values["nll"] == pytest.approx(compute_binary_nll(p, y))
    assert values["auroc"] == pytest.approx(roc_auc_score(y, p))
    assert after.metrics["nll"].value < values["nll"]
    # isotonic is calibrated where it was fitted
    assert after.metrics["ece"].value == pytest.approx(0, abs=1e-12)
    low, high = before.metrics["brier"].ends
    assert low < values["brier"] < high
    assert sum(before.reliability.n) == len(rows)


def test_what_is_no_probability_has_an_auroc_before_and_the_reason_why_no_more() -> None:
    fitted = fit_calibration(TABLE, method="isotonic", features=["llm_evidence_count"])
    before = fitted.metrics.in_sample.before
    rows = answered_rows(TABLE)
    counts = TABLE.signals["llm_evidence_count"].values[rows]
    right = target_of(TABLE, "correctness")[rows]
    assert list(before.metrics) == ["auroc"]
    assert before.metrics["auroc"].value == pytest.approx(roc_auc_score(right, counts))
    assert before.reason == "what goes in is not a probability"
    assert before.reliability is None


def test_the_measures_of_an_artifact_come_back_whole_and_those_of_others_as_they_are(
    tmp_path,
) -> None:
    fitted = fit_calibration(TABLE, method="isotonic", confidence="token_pe")
    fitted.write(tmp_path / "c.json", NOW)
    assert read_calibration(tmp_path / "c.json").metrics == fitted.metrics
    measured = {"nll": 0.5, "ci95": {"nll": [0.4, 0.6]}, "ci95_notes": {}}
    older = {
        "in_sample": {"before": measured, "after": measured},
        "cross_fitted": {"before": measured, "by": "case", "after": measured, "folds": 10},
    }
    document = {"method": "temperature_scaling", "temperature": 2, "metrics": older}
    assert calibration_from(document).document(NOW)["metrics"] == older


def test_cross_fitting_never_judges_a_case_by_a_calibrator_that_saw_it() -> None:
    rng = np.random.default_rng(1)
    case = np.repeat(np.arange(6), 30).astype(np.int32)
    x = rng.random((180, 1))
    y = (rng.random(180) < x[:, 0]).astype(float)
    sample = Sample(x, y, y, case, 6, None)
    predicted, folds = cross_fit("logistic", sample, folds=6)
    assert folds == 6
    for held_out in range(6):
        out = case == held_out
        alone = LogisticCalibrator.fit(x[~out], y[~out]).predict(x[out])
        np.testing.assert_array_equal(predicted[out], alone)


def test_cross_fitted_numbers_are_worse_than_in_sample_ones_where_nothing_is_to_learn() -> None:
    rng = np.random.default_rng(2)
    table = replace(TABLE, signals={**TABLE.signals, "noise": _signal(rng.random(len(TABLE)))})
    fitted = fit_calibration(table, method="isotonic", features=["noise"])
    crossed = fitted.metrics.cross_fitted
    assert crossed.folds == 10
    in_sample = fitted.metrics.in_sample.after
    assert crossed.after.metrics["nll"].value > in_sample.metrics["nll"].value + 0.05


def _signal(values: np.ndarray):
    from acumen.table.judgments import Signal

    return Signal.of_numbers(values)


def test_one_case_cannot_be_cross_fitted_and_that_is_said() -> None:
    table = toy_table(1, seed=4)
    fitted = fit_calibration(table, method="linear", features=["token_msp"], target="loss")
    crossed = fitted.metrics.cross_fitted
    assert crossed.after is None
    assert "two cases or more" in crossed.reason


# --- artifacts -------------------------------------------------------------------------------


def test_case_ids_are_kept_as_hashes_and_evaluating_on_them_warns(tmp_path) -> None:
    fitted = fit_calibration(toy_table(20, seed=0))
    fitted.write(tmp_path / "cal.json", NOW)
    text = (tmp_path / "cal.json").read_text()
    hashes = json.loads(text)["training"]["case_hashes"]["sha256_16"]
    assert len(hashes) == 20
    assert not any(str(case) in hashes for case in range(300, 320))
    read = read_calibration(tmp_path / "cal.json")
    shared = toy_table(20, seed=3, first_id=315)
    assert read.warnings(shared) == (
        "cal.json was fitted on 5 of the 20 participants evaluated here (same ids): what is "
        "measured here is in-sample, so too good; the artifact has it cross-fitted",
    )
    assert read.warnings(toy_table(20, seed=3, first_id=400)) == ()


def test_a_case_that_abstained_throughout_is_not_among_those_fitted_on() -> None:
    document = toy_run(20)
    silent = document["experiments"][0]["results"]["results"][7]
    silent["predicted_items"] = dict.fromkeys(silent["predicted_items"])
    table = run_from_document(document, path="toy.json")
    training = fit_calibration(table).training
    assert (training.n_cases, len(training.case_hashes.sha256_16)) == (19, 19)
    assert training.case_hashes.shared_with(table.cases) == 19
    assert training.case_hashes.shared_with([silent["participant_id"]]) == 0


def test_an_older_artifact_warns_by_its_run_id() -> None:
    older = calibration_from(
        {"method": "temperature_scaling", "temperature": 2.0, "source_run_id": "toy0"}, "old.json"
    )
    assert "old.json was fitted on this very run (toy0)" in older.warnings(TABLE)[0]
    assert older.warnings(replace(TABLE, source=Source(run_id="other"))) == ()


def test_an_artifact_applied_to_another_function_or_in_other_units_warns() -> None:
    fitted = fit_calibration(TABLE, method="isotonic", features=["token_pe"])
    table = toy_table(10, seed=8, first_id=900)
    # the signal is an entropy, the function of the same name 1/(1 + entropy)
    for name in ("calibrated:token_pe", "calibrated:token_msp"):
        assert "was fitted on token_pe, not on " in fitted.warnings(table, [name])[0]
    within = fitted.warnings(table, ["secondary:llm+calibrated:token_msp:average"])
    assert "not on token_msp" in within[0]
    same = fit_calibration(TABLE, method="isotonic", features=["token_msp"])
    assert same.warnings(table, ["calibrated:token_msp", "llm"]) == ()
    by_name = fit_calibration(TABLE, method="isotonic", confidence="token_pe")
    assert by_name.warnings(table, ["calibrated:token_pe", "calibrated"]) == ()
    defaults = fit_calibration(TABLE, method="logistic", features=["verbalized_confidence"])
    assert "taken as 3" in defaults.warnings(table, ["calibrated"])[0]


@pytest.mark.parametrize(
    "document",
    [
        {"method": "temperature_scaling", "temperature": 2},
        {"method": "temperature_scaling", "model": {"temperature": 2.0}},
        {
            "method": "temperature_scaling",
            "temperature": 2.0,
            "features": ["verbalized_confidence"],
            "model": {"temperature": 2.0},
            "target": "correct",
        },
    ],
)
def test_both_shapes_of_a_temperature_artifact_load(document: dict) -> None:
    artifact = calibration_from(document)
    values = confidence.compute("verbalized_calibrated", TABLE, calibration=artifact)
    v = confidence.compute("verbalized", TABLE)
    odds = np.clip(v, 1e-6, 1 - 1e-6) / (1 - np.clip(v, 1e-6, 1 - 1e-6))
    np.testing.assert_allclose(values, np.sqrt(odds) / (1 + np.sqrt(odds)), atol=1e-12)


def test_verbalized_calibrated_by_hand_with_a_null() -> None:
    from tests.confidence.test_confidence import table_of

    artifact = calibration_from({"method": "temperature_scaling", "temperature": 2})
    table = table_of({"verbalized_confidence": [4, None, 5, 1]})
    top = math.sqrt(1e6 - 1)  # v = 1 is kept at 1 − 1e-6
    expected = [math.sqrt(3) / (1 + math.sqrt(3)), 0.5, top / (1 + top), 1 / (1 + top)]
    values = confidence.compute("verbalized_calibrated", table, calibration=artifact)
    np.testing.assert_allclose(values, expected, rtol=1e-9)


LOGISTIC = {
    "method": "logistic",
    "target": "correct",
    "features": ["llm_evidence_count", "token_msp"],
    "model": {
        "coefficients": [0.5, 1.0],
        "intercept": -0.2,
        "link": "sigmoid",
        "scaler": {"mean": [1.0, 0.6], "std": [2.0, 0.1]},
    },
}
ISOTONIC = {
    "method": "isotonic",
    "features": ["token_msp"],
    "model": {"x_thresholds": [0.1, 0.5, 0.9], "y_thresholds": [0.2, 0.2, 0.8]},
}


def test_an_artifact_of_the_source_applies_as_its_numbers_say() -> None:
    artifact = calibration_from(LOGISTIC)
    assert artifact.target == "correctness"
    z = -0.2 + 0.5 * (3 - 1) / 2 + 1.0 * (0.5 - 0.6) / 0.1
    assert artifact.model.predict([[3, 0.5]])[0] == pytest.approx(1 / (1 + math.exp(-z)))
    assert calibration_from(ISOTONIC).model.predict([0.7])[0] == pytest.approx(0.5)


def changed(document: dict, path: str, value: object) -> dict:
    copy = json.loads(json.dumps(document))
    *above, last = path.split(".")
    holder = copy
    for key in above:
        holder = holder[key]
    if value is KeyError:
        del holder[last]
    else:
        holder[last] = value
    return copy


@pytest.mark.parametrize(
    ("document", "path", "value", "said"),
    [
        (LOGISTIC, "method", "beta", "method: must be 'temperature_scaling', 'platt', "),
        (LOGISTIC, "method", KeyError, "method: is missing"),
        (LOGISTIC, "method", ["logistic"], "or 'isotonic', not a list"),
        (LOGISTIC, "target", "x", "target: must be 'correctness', 'near_correct'"),
        (LOGISTIC, "features", "token_msp", "features: must be a list, not"),
        (LOGISTIC, "features", [1, 2], "features[1]: must be text, not 2"),
        (LOGISTIC, "features", [], "features: missing"),
        (LOGISTIC, "features", ["a", "a"], "features: must differ"),
        (LOGISTIC, "features", ["a", "\x1b[2J"], r"features[1]: '\x1b[2J' is empty, too long"),
        (LOGISTIC, "model", 3, "model: must be an object"),
        (LOGISTIC, "model.coefficients", [0.5], "model.coefficients: 1 for 2 features"),
        (LOGISTIC, "model.coefficients", [0.5, "1"], "model.coefficients[1]: must be a number"),
        (LOGISTIC, "model.coefficients", [0.5, True], "model.coefficients[1]: must be a number"),
        (
            LOGISTIC,
            "model.coefficients",
            [0.5, 10**400],
            "is too large: a number must be finite",
        ),
        (LOGISTIC, "model.coefficients", KeyError, "model.coefficients: is missing"),
        (LOGISTIC, "model.intercept", KeyError, "model.intercept: is missing"),
        (LOGISTIC, "model.link", "probit", "model.link: must be 'sigmoid', not the"),
        (LOGISTIC, "model.scaler", KeyError, "model.scaler: is missing"),
        (
            LOGISTIC,
            "model.scaler.std",
            [1.0, 0],
            "model.scaler.std[1]: must be greater than",
        ),
        (LOGISTIC, "model.scaler.mean", [1.0], "model.scaler.mean: 1 for 2 features"),
        (ISOTONIC, "features", ["a", "b"], "features: isotonic takes one, here are 2"),
        (ISOTONIC, "model.y_thresholds", [0.2, 0.8], "3 x_thresholds, 2 y_thresholds"),
        (ISOTONIC, "model.x_thresholds", [0.9, 0.1, 0.5], "model.x_thresholds: must increase"),
        (ISOTONIC, "model.x_thresholds", [0.1, 0.1, 0.5], "model.x_thresholds: must increase"),
        (ISOTONIC, "model.y_thresholds", [0.2, 0.1, 0.5], "model.y_thresholds: must never fall"),
        (
            ISOTONIC,
            "model.y_thresholds",
            [0.2, 0.3, 1.5],
            "y_thresholds[2]: must be at most 1",
        ),
        (ISOTONIC, "model.x_thresholds", "abc", "model.x_thresholds: must be a list"),
        (ISOTONIC, "confidence", "nope", "confidence: no confidence function 'nope'"),
        (ISOTONIC, "confidence", "calibrated", "confidence: 'calibrated' is calibrated already"),
        (ISOTONIC, "confidence", 3, "confidence: must be text, not 3"),
    ],
)
def test_a_malformed_artifact_is_refused_naming_the_field(
    document: dict, path: str, value: object, said: str
) -> None:
    with pytest.raises(DataError) as refused:
        calibration_from(changed(document, path, value), "cal.json")
    assert str(refused.value).startswith("cal.json: ")
    assert said in str(refused.value)


@pytest.mark.parametrize(
    ("temperature", "said"),
    [
        (0, "temperature: must be greater than 0, not 0"),
        (-1.0, "temperature: must be greater than 0, not -1.0"),
        ("1.0", "temperature: must be a number, not the text '1.0'"),
        (None, "temperature: is missing"),
        (True, "temperature: must be a number"),
        ([1], "temperature: must be a number, not a list"),
    ],
)
def test_a_temperature_that_is_none_is_refused(temperature: object, said: str) -> None:
    with pytest.raises(DataError) as refused:
        calibration_from({"method": "temperature_scaling", "temperature": temperature})
    assert said in str(refused.value)


def test_two_temperatures_that_differ_are_refused() -> None:
    document = {"method": "temperature_scaling", "temperature": 1, "model": {"temperature": 2}}
    with pytest.raises(DataError, match="given twice, and the two differ"):
        calibration_from(document)


@pytest.mark.parametrize("document", [[], "text", 3, None])
def test_an_artifact_that_is_no_object_is_refused(document: object) -> None:
    with pytest.raises(DataError, match="must be an object"):
        calibration_from(document)


def test_all_problems_of_an_artifact_come_at_once() -> None:
    broken = changed(changed(LOGISTIC, "model.intercept", "x"), "model.coefficients", [])
    with pytest.raises(DataError) as refused:
        calibration_from(changed(broken, "target", 3))
    assert {p.field for p in refused.value.problems} == {
        "target",
        "model.intercept",
        "model.coefficients",
    }


def test_a_misspelt_key_of_an_artifact_is_a_missing_one() -> None:
    with pytest.raises(DataError, match=r"^calibration: method: is missing$"):
        calibration_from({"metod": "temperature_scaling", "temperature": 2})


@pytest.mark.parametrize("ending", [".pkl", ".joblib", ".PICKLE"])
def test_a_pickle_is_refused_unread(ending: str, tmp_path) -> None:
    # there is no such file: had it been opened, the message would say so
    with pytest.raises(DataError, match="was not opened"):
        read_calibration(tmp_path / f"model{ending}")


def test_nan_in_an_artifact_is_refused_by_the_reader(tmp_path) -> None:
    (tmp_path / "c.json").write_text('{"method": "temperature_scaling", "temperature": NaN}')
    with pytest.raises(DataError, match="temperature: NaN is not JSON"):
        read_calibration(tmp_path / "c.json")


def test_names_that_need_another_artifact_are_refused() -> None:
    logistic, isotonic = calibration_from(LOGISTIC), calibration_from(ISOTONIC)
    with pytest.raises(UsageError, match="needs an artifact of method temperature, and"):
        confidence.select("verbalized_calibrated", TABLE, calibration=isotonic)
    with pytest.raises(UsageError, match="temperature or isotonic, and this one is log"):
        confidence.select("calibrated:token_msp", TABLE, calibration=logistic)
    assert confidence.select("calibrated", TABLE, calibration=logistic).names == ("calibrated",)


def test_temperature_on_a_function_outside_the_unit_interval_is_told_once_with_its_first_row() -> (
    None
):
    artifact = calibration_from({"method": "temperature_scaling", "temperature": 2})
    with pytest.raises(DataError) as refused:
        confidence.compute("calibrated:llm", TABLE, calibration=artifact)
    (problem,) = refused.value.problems
    counts = TABLE.signals["llm_evidence_count"].values
    outside = np.flatnonzero(TABLE.answered & (counts > 1))
    assert (problem.case, problem.item, problem.field) == (
        TABLE.cases[TABLE.case[outside[0]]],
        TABLE.items[TABLE.item[outside[0]]],
        "llm",
    )
    assert f"so are {len(outside)} of {TABLE.answered.sum()} answered rows" in problem.message
    assert "an isotonic artifact fitted on llm would do" in problem.message


@pytest.mark.parametrize("temperature", [1e-320, 1e300])
def test_an_extreme_temperature_saturates_without_noise(temperature: float) -> None:
    p = TemperatureScalingCalibrator(temperature=temperature).predict([0.0, 0.2, 0.5, 0.8, 1.0])
    assert p.tolist() == ([0, 0, 0.5, 1, 1] if temperature < 1 else [0.5] * 5)


def test_coefficients_that_overflow_are_told_by_the_row() -> None:
    artifact = calibration_from(changed(LOGISTIC, "model.coefficients", [1e308, -1e308]))
    with pytest.raises(DataError, match=r"participant 30\d, item \w+, calibrated: .* is nan"):
        confidence.compute("calibrated", TABLE, calibration=artifact)


def test_calibrated_parts_combine_like_any_other() -> None:
    artifact = calibration_from(ISOTONIC)
    name = "secondary:calibrated:token_msp+token_msp:average"
    both = confidence.compute(name, TABLE, calibration=artifact)
    msp = confidence.compute("token_msp", TABLE)
    np.testing.assert_allclose(both, (np.interp(msp, *_points(artifact)) + msp) / 2)


def _points(artifact: Calibration) -> tuple:
    return artifact.model.x_thresholds, artifact.model.y_thresholds


def test_applying_an_artifact_imports_neither_scikit_learn_nor_scipy_stats(tmp_path) -> None:
    write_json(tmp_path / "run.json", toy_run(3))
    (tmp_path / "c.json").write_text(to_json(LOGISTIC))
    code = (
        "import sys; from acumen import confidence; from acumen.readers import read\n"
        "from acumen.calibration import read_calibration\n"
        f"table = read({str(tmp_path / 'run.json')!r})\n"
        f"artifact = read_calibration({str(tmp_path / 'c.json')!r})\n"
        "confidence.compute('calibrated', table, calibration=artifact)\n"
        "heavy = [m for m in sys.modules if m.startswith(('sklearn', 'scipy.stats', 'numba'))]\n"
        "assert not heavy, heavy\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_all_includes_what_a_given_artifact_makes() -> None:
    temperature = calibration_from({"method": "temperature_scaling", "temperature": 2})
    chosen = confidence.select("all", TABLE, calibration=temperature)
    assert "verbalized_calibrated" in chosen.names
    assert chosen.left_out["calibrated"] == "the same as verbalized_calibrated with this artifact"
    chosen = confidence.select("all", TABLE, calibration=calibration_from(LOGISTIC))
    assert "calibrated" in chosen.names
    assert "verbalized_calibrated" in chosen.left_out
    assert "--calibration" in confidence.select("all", TABLE).left_out["calibrated"]


def test_all_leaves_out_an_artifact_whose_inputs_the_table_lacks() -> None:
    artifact = calibration_from(LOGISTIC)
    kept = {k: s for k, s in TABLE.signals.items() if k not in artifact.signals}
    chosen = confidence.select("all", replace(TABLE, signals=kept), calibration=artifact)
    assert "calibrated" not in chosen.names
    assert chosen.left_out["calibrated"].startswith(f"no {artifact.signals[0]}")
