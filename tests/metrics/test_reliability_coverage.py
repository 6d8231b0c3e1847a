"""Do the intervals of the calibration metrics hold the population's value 95% of the time?"""

from __future__ import annotations

import pytest

from acumen.metrics import METRICS, metrics_of
from acumen.views.forecast import Forecast
from simulations.calibration import ERRORS, HONEST, POPULATIONS, Population, cover

DISTANCES = [METRICS[name] for name in ("ece", "ece_equal_mass", "smooth_ece")]


@pytest.mark.slow
@pytest.mark.parametrize("population", POPULATIONS[1:], ids=lambda p: p.name)
def test_intervals_of_calibration_metrics_cover_what_they_claim(population: Population) -> None:
    metrics = [m for m in metrics_of(Forecast) if m.name != "brier_uncertainty"]
    for name, (held, _) in cover(population, metrics, 41, studies=400).items():
        assert 0.89 <= held <= 1.0, f"{name} covers {held:.3f}"
        if name not in ERRORS:
            assert 0.92 <= held <= 0.98, f"{name} covers {held:.3f}"


def test_a_calibration_error_of_noise_alone_mostly_reaches_zero() -> None:
    """On the scale of a proportion no interval ever would: noise only adds to the estimate."""
    for name, (held, mean) in cover(HONEST, DISTANCES, 20, studies=60).items():
        assert held > 0.5, f"{name} reaches 0 in {held:.2f} of the studies"
        assert mean > 0.04


def test_a_small_calibration_error_is_held_although_the_estimate_is_twice_it() -> None:
    slightly = POPULATIONS[1]
    truth = slightly.truth(DISTANCES)
    for name, (held, mean) in cover(slightly, DISTANCES, 20, studies=60).items():
        assert held > 0.85, f"{name} covers {held:.2f}"
        assert mean > 1.4 * truth[name]
