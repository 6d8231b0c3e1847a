"""``python -m simulations.calibration``: do the intervals of the calibration metrics hold?

Prints the table of docs/confidence.md: for each population and number of cases, the share of 95%
intervals that hold the population's value, and the mean estimate as a multiple of it (where that
says something: a value of 0 has no multiple).
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from acumen.inference.infer import infer
from acumen.inference.options import Options
from acumen.metrics import Metric, metrics_of
from acumen.values.measured import Interval
from acumen.views.forecast import Forecast, forecast

ITEMS: Final = 8
CASES: Final = (20, 41, 100)
STUDIES: Final = 400
SMALL: Final = 0.004
"""Below it, the multiple of a value says nothing."""
CROWD: Final = 100_000
"""Cases whose metric stands for the population's value."""


@dataclass(frozen=True)
class Population:
    """A system that believes, and what comes true: both logistic in the same hidden belief."""

    name: str
    said: tuple[float, float]
    """Slope and shift of what it says; 1 and 0 would be honest, were cases alike."""
    true_slope: float = 1.0
    difficulty: float = 0.0
    """How much cases differ."""
    values: int | None = None
    """Round what is said to this many steps."""

    def study(self, n_cases: int, rng: np.random.Generator) -> Forecast:
        """The answers of one study."""
        case = np.arange(n_cases).repeat(ITEMS)
        hard = rng.normal(0, self.difficulty, n_cases)[case]
        belief = rng.normal(0.5, 1.2, n_cases * ITEMS)
        true = _logistic(self.true_slope * belief + hard)
        slope, shift = self.said
        said = _logistic(slope * belief + shift)
        if self.values is not None:
            said = np.round(said * self.values) / self.values
        return forecast(said, (rng.random(len(case)) < true).astype(float), case=case)

    def truth(self, metrics: Sequence[Metric]) -> dict[str, float]:
        """The population's values; a calibration error of noise alone is none."""
        crowd = self.study(CROWD, np.random.default_rng(1))
        found = {m.name: m.measure(crowd).value or 0.0 for m in metrics}
        noise = ERRORS if self == HONEST else ()
        return {name: 0.0 if name in noise else value for name, value in found.items()}


ERRORS: Final = ("ece", "ece_equal_mass", "smooth_ece", "brier_miscalibration")
HONEST: Final = Population("calibrated", (1.0, 0.0))
POPULATIONS: Final = (
    HONEST,
    Population("slightly overconfident", (1.25, 0.1), difficulty=0.5),
    Population("overconfident", (1.3, 0.3), true_slope=0.7, difficulty=0.48),
    Population("overconfident, five values", (1.3, 0.3), 0.7, 0.48, values=4),
)


def cover(
    population: Population,
    metrics: Sequence[Metric],
    n_cases: int,
    studies: int,
    truth: Mapping[str, float] | None = None,
) -> dict[str, tuple[float, float]]:
    """Share of studies whose interval holds the truth, and the mean estimate, by metric."""
    truth = truth or population.truth(metrics)
    held, total = dict.fromkeys(truth, 0), dict.fromkeys(truth, 0.0)
    for seed in range(studies):
        view = population.study(n_cases, np.random.default_rng([n_cases, seed]))
        for name, found in infer(metrics, view, Options(resamples=0, threads=1)).items():
            total[name] += found.value or 0.0
            if isinstance(found.interval, Interval):
                held[name] += found.interval.low <= truth[name] <= found.interval.high
    return {name: (held[name] / studies, total[name] / studies) for name in truth}


def _logistic(x: np.ndarray) -> np.ndarray:
    return np.asarray(1 / (1 + np.exp(-x)))


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=STUDIES)
    studies = parser.parse_args().studies
    metrics = metrics_of(Forecast)
    head, rows = ["metric"], [[f"`{m.name}`"] for m in metrics]
    for population in POPULATIONS:
        truth = population.truth(metrics)
        for n in CASES:
            head.append(f"{population.name}: {n}" if n == CASES[0] else str(n))
            shares = cover(population, metrics, n, studies, truth)
            for row, (name, (held, mean)) in zip(rows, shares.items(), strict=True):
                times = f" ({mean / truth[name]:.2f})" if truth[name] > SMALL else ""
                row.append(f"{100 * held:.0f}{times}")
    error = 100 * (0.05 * 0.95 / studies) ** 0.5
    print(f"{studies} studies a cell: ± {error:.1f} at 95% (one standard error)\n")
    for row in (head, ["---"] * len(head), *rows):
        print(f"| {' | '.join(row)} |")


if __name__ == "__main__":
    main()
