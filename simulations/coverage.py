"""How often the intervals of one system hold the truth."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from acumen.inference.infer import Inference, infer
from acumen.inference.options import Options
from acumen.inference.replicates import bca
from acumen.metrics import METRICS
from acumen.metrics.registry import Kind, Metric
from acumen.types import Floats
from acumen.values.measured import Absence, Interval, NoInterval
from acumen.views.ranking import Ranking
from acumen.views.weights import CaseWeights
from simulations.populations import POPULATIONS, TRUTH_CASES, Population, draw, truth

CASES: Final = (10, 20, 41, 100)
STUDIES: Final = 1_000
RESAMPLES: Final = 1_000
SEED: Final = 20_240
CHUNK: Final = 250
"""Studies drawn at once."""
METHODS: Final = ("default", "percentile", "bca")


def somers_d(ranking: Ranking, weights: CaseWeights) -> Floats:
    """How far sureness separates right from wrong, from -1 to 1: 2·AUROC − 1."""
    return 2 * np.asarray(METRICS["failure_auroc"].function(ranking, weights)) - 1


SOMERS_D: Final = Metric(
    "somers_d", somers_d, Ranking, "higher", Kind.CORRELATION, "needs right and wrong answers"
)
"""A metric in [-1, 1], to try that kind of interval on."""
JUDGED: Final = tuple(METRICS[name] for name in ("aurc", "augrc", "coverage", "mean_loss"))
BESIDE: Final = (
    METRICS["eaurc"],
    METRICS["aurc_exact_excess"],
    METRICS["failure_auroc"],
    SOMERS_D,
)


@dataclass
class Tally:
    """How one method's intervals fared against the truth."""

    given: int = 0
    low: int = 0
    """Truth above the interval."""
    high: int = 0
    """Truth below the interval."""
    withheld: int = 0
    width: float = 0.0
    infinite: int = 0
    methods: Counter[str] = field(default_factory=Counter)

    def add(self, interval: Interval | NoInterval, true: float) -> None:
        """Count one study's interval."""
        if isinstance(interval, NoInterval):
            self.withheld += 1
            return
        self.given += 1
        self.methods[interval.method] += 1
        self.low += interval.high < true
        self.high += interval.low > true
        width = interval.high - interval.low
        if np.isfinite(width):
            self.width += width
        else:
            self.infinite += 1

    def record(self) -> dict[str, Any]:
        """As a plain record."""
        finite = self.given - self.infinite
        return {
            "given": self.given,
            "low": self.low,
            "high": self.high,
            "withheld": self.withheld,
            "width": self.width / finite if finite else None,
            "infinite": self.infinite,
            "methods": dict(sorted(self.methods.items())),
        }


def intervals(found: Inference, level: float) -> dict[str, Interval | NoInterval]:
    """The three intervals of one metric in one study."""
    third: Interval | NoInterval = NoInterval(why=Absence.NO_VALUE)
    if found.value is not None:
        third = bca(found.replicates, found.value, found.jackknife, level)
        if isinstance(third, Interval):
            third = third.within(found.metric.kind.bounds)
    return {"default": found.interval, "percentile": found.percentile, "bca": third}


def cover(
    population: Population,
    cases: int,
    studies: int = STUDIES,
    metrics: Sequence[Metric] = (*JUDGED, *BESIDE),
    resamples: int = RESAMPLES,
    seed: int = SEED,
    truth_cases: int = TRUTH_CASES,
) -> dict[str, dict[str, dict[str, Any]]]:
    """Draw studies and count: metric -> method -> tally; ratios of widths beside them."""
    true = truth(population, metrics, seed, truth_cases)
    tallies = {m.name: {method: Tally() for method in METHODS} for m in metrics}
    ratios: dict[str, list[float]] = {m.name: [] for m in metrics}
    place = [p.name for p in POPULATIONS].index(population.name)
    rng = np.random.default_rng([seed, place, cases])
    for start in range(0, studies, CHUNK):
        views = draw(population, rng, min(CHUNK, studies - start), cases)
        for study, view in enumerate(views, start):
            options = Options(resamples=resamples, seed=study, threads=1)  # other draws each time
            for name, found in infer(metrics, view, options).items():
                three = intervals(found, options.confidence_level)
                for method, interval in three.items():
                    tallies[name][method].add(interval, true[name])
                ratios[name] += _ratio(three["default"], three["percentile"])
    out: dict[str, dict[str, Any]] = {}
    for name, by_method in tallies.items():
        out[name] = {method: tally.record() for method, tally in by_method.items()}
        out[name]["truth"] = true[name]
        out[name]["median_ratio"] = float(np.median(ratios[name])) if ratios[name] else None
    return out


def _ratio(default: Interval | NoInterval, percentile: Interval | NoInterval) -> list[float]:
    if isinstance(default, NoInterval) or isinstance(percentile, NoInterval):
        return []
    width = percentile.high - percentile.low
    return [(default.high - default.low) / width] if width > 0 else []


def cover_by_rows(
    population: Population,
    cases: int,
    studies: int,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    truth_cases: int = TRUTH_CASES,
) -> dict[str, dict[str, Any]]:
    """The negative control: a percentile bootstrap that draws rows as if they were cases."""
    metrics = JUDGED
    true = truth(population, metrics, seed, truth_cases)
    tallies = {m.name: Tally() for m in metrics}
    drawn = draw(population, np.random.default_rng([seed, 77, cases]), studies, cases)
    for study in range(studies):
        options = Options(resamples=resamples, seed=study, threads=1, method="percentile")
        for name, found in infer(metrics, drawn.view(study, rows_as_cases=True), options).items():
            tallies[name].add(found.percentile, true[name])
    return {name: tally.record() for name, tally in tallies.items()}
