"""Do the intervals of the calibration metrics hold the population's value 95% of the time?"""

from __future__ import annotations

import numpy as np
import pytest

from acumen.forecast import Forecast, forecast
from acumen.inference import Options, infer
from acumen.intervals import Interval
from acumen.metrics import metrics_of

ITEMS = 8
STUDIES = 400


def study(n: int, rng: np.random.Generator, *, levels: int | None) -> Forecast:
    """Overconfident, cases that differ in difficulty; ``levels`` rounds to a few values."""
    case = np.arange(n).repeat(ITEMS)
    difficulty = rng.normal(0, 0.8, n)[case]
    belief = rng.normal(0.5, 1.2, n * ITEMS)
    truth = 1 / (1 + np.exp(-(0.7 * belief + 0.6 * difficulty)))
    p = 1 / (1 + np.exp(-(1.3 * belief + 0.3)))
    p = p if levels is None else np.round(p * levels) / levels
    return forecast(p, (rng.random(n * ITEMS) < truth).astype(float), case=case)


@pytest.mark.slow
@pytest.mark.parametrize("levels", [None, 4])
def test_intervals_of_calibration_metrics_cover_what_they_claim(levels: int | None) -> None:
    metrics = [m for m in metrics_of(Forecast) if m.name != "brier_uncertainty"]
    population = study(60_000, np.random.default_rng(1), levels=levels)
    truth = {m.name: m.measure(population).value for m in metrics}
    held = dict.fromkeys(truth, 0)
    for seed in range(STUDIES):
        view = study(41, np.random.default_rng([41, seed]), levels=levels)
        for name, found in infer(metrics, view, Options(resamples=0)).items():
            interval, value = found.interval, truth[name]
            assert isinstance(interval, Interval)
            assert value is not None
            held[name] += interval.low <= value <= interval.high
    for name, times in held.items():
        assert 0.89 <= times / STUDIES <= 1.0, f"{name} covers {times / STUDIES:.3f}"
    for name in ("brier", "nll", "smooth_ece"):
        assert 0.92 <= held[name] / STUDIES <= 0.98, f"{name} covers {held[name] / STUDIES:.3f}"
