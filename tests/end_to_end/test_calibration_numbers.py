"""Calibration from end to end, where a wrong number would still look like one."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from acumen.calibration import compute_ece, fit_calibration, read_calibration
from acumen.files.json import write_json
from acumen.readers.run import run_from_document
from acumen.results.calibration import MetricsPart
from acumen.table.signals import answered_rows
from tests.toy_runs import toy_run

TABLE = run_from_document(toy_run(20, 0, first_id=300), path="toy.json")


def test_a_rating_from_1_to_5_is_a_probability_before_it_is_calibrated() -> None:
    key = "verbalized_confidence"
    rows = answered_rows(TABLE)
    signal = TABLE.signals[key]
    rating = np.where(np.isnan(signal.values[rows]), 3.0, signal.values[rows])
    right = (TABLE.prediction == TABLE.truth)[rows]
    metrics = fit_calibration(TABLE, method="logistic", features=(key,)).metrics
    assert isinstance(metrics, MetricsPart)
    before = metrics.in_sample.before.metrics
    assert before["ece"].value == pytest.approx(compute_ece((rating - 1) / 4, right))
    assert before["brier"].value == pytest.approx((((rating - 1) / 4 - right) ** 2).mean())


@pytest.mark.parametrize("intercept", [0, 0.0, -0.0, 1.5])
def test_an_intercept_comes_back_as_it_was_written(intercept: float, tmp_path: Any) -> None:
    model = {
        "coefficients": [2.0],
        "intercept": intercept,
        "scaler": {"mean": [3.0], "std": [1.0]},
    }
    document = {"method": "logistic", "features": ["verbalized_confidence"], "model": model}
    write_json(tmp_path / "calibration.json", document)
    back = read_calibration(tmp_path / "calibration.json")
    assert back.model.intercept == intercept
