"""Laws of what stands in for leaving out each of very many cases, for every registered metric."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

from acumen.inference import resample
from acumen.inference.infer import leave_out
from acumen.inference.influence import case_influence
from acumen.metrics import METRICS, Metric
from acumen.views.weights import CaseWeights
from tests.inference.test_influence import studies

CASES, LOOKED_AT = 1_200, 40
STEP = 1e-3

every_metric = pytest.mark.parametrize("metric", METRICS.values(), ids=lambda m: m.name)


@cache
def study(view: type) -> Any:
    # weights of their own, so that no two steps of a regression are equally high
    return studies(CASES, tied=True, weighed=True, unit=1 / 3)[view]


def numerically(metric: Metric, view: Any, cases: np.ndarray) -> np.ndarray:
    """The metric's own slopes along the weights of some cases, by central differences."""
    moves = np.zeros((CASES, len(cases)))
    moves[cases, np.arange(len(cases))] = STEP
    up, down = (np.asarray(metric(view, CaseWeights(1.0 + side * moves))) for side in (1, -1))
    return np.asarray((up - down) / (2 * STEP))


@every_metric
def test_what_is_smooth_has_the_slope_of_the_metric_itself(metric: Metric) -> None:
    view = study(metric.view)
    known = dict(case_influence([metric], view))
    assert (metric.name in known) == (metric.smooth or metric.in_many == "smooth")
    if not known:
        return
    cases = np.random.default_rng(4).choice(CASES, LOOKED_AT, replace=False)
    weight = getattr(view, "case_weight", np.ones(CASES))
    expected, influence = numerically(metric, view, cases), known[metric.name]
    # what all cases do together is not in it: how far they are apart is
    off = influence[cases] - expected
    off -= (off @ weight[cases]) / (weight[cases] @ weight[cases]) * weight[cases]
    largest = np.abs(influence).max()
    assert largest > 0.0 or metric.name == "achievable_gain_pct"  # the curve is its own hull
    assert np.abs(off).max() <= max(
        1e-5 * largest, 1e-9 * abs(float(metric.measure(view).value or 0.0))
    )


@every_metric
def test_beyond_1000_cases_a_standard_error_is_that_of_leaving_out_each(
    metric: Metric, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = study(metric.view)
    ((_, quick),) = leave_out([metric], view)
    monkeypatch.setattr(resample, "MOST_LEFT_OUT", CASES)
    ((_, full),) = leave_out([metric], view)
    assert full.n + len(full.undefined) == CASES
    # 500 groups estimate a standard error to about 3%; four times that
    assert quick.standard_error == pytest.approx(full.standard_error, rel=0.13)
