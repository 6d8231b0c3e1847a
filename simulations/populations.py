"""Populations of cases with a known truth, from which studies are drawn.

Each judgment has a latent difficulty, partly its case's own (``icc``). Where it passes a cutoff,
the judgment is a level further off. Confidence follows difficulty with correlation ``-insight``,
and the hard ones tend to be left unanswered. The truth is the metric on very many cases.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from acumen.metrics.registry import Metric
from acumen.views.ranking import Ranking, rank
from acumen.views.weights import CaseWeights

TRUTH_CASES: Final = 400_000
"""Cases of the sample that stands for the population: it errs 1/60 as far as 100 cases."""
SILENCE: Final = 0.5
"""How far abstention follows difficulty, as a correlation."""


@dataclass(frozen=True)
class Population:
    """What a case and its judgments are like."""

    name: str
    about: str
    icc: float = 0.3
    """Share of the variance of difficulty, confidence and silence that lies between cases."""
    cutoffs: tuple[float, ...] = (0.4, 1.2, 2.0)
    """Difficulties beyond which a judgment is 1, 2, 3 levels off."""
    coverage: float = 0.8
    insight: float = 0.6
    ties: tuple[float, ...] = ()
    """Confidences cut at these normal quantiles; empty for a continuous confidence."""
    items: tuple[int, int] = (8, 8)
    """Fewest and most items of a case."""
    skewed: bool = False
    """Whether a few cases are far harder than the rest."""


@dataclass(frozen=True)
class Latent:
    """Standard normal numbers of many studies: ``(study, case)`` and ``(study, case, item)``."""

    of_case: NDArray[np.float64]
    of_row: NDArray[np.float64]

    @classmethod
    def draw(cls, rng: np.random.Generator, studies: int, cases: int, items: int) -> Latent:
        """Three of each: difficulty, confidence, silence."""
        return cls(
            rng.standard_normal((3, studies, cases, 1)),
            rng.standard_normal((3, studies, cases, items)),
        )

    def mixed(self, other: Latent, share: float) -> Latent:
        """Half another system: the variance that both have in common is ``share``."""
        a, b = np.sqrt(share), np.sqrt(1 - share)
        return Latent(
            a * self.of_case + b * other.of_case,
            a * self.of_row + b * other.of_row,
        )


@dataclass(frozen=True)
class Studies:
    """Many studies of one population: arrays ``(study, case, item)``."""

    loss: NDArray[Any]
    confidence: NDArray[Any]
    answered: NDArray[np.bool_]
    present: NDArray[np.bool_]

    def __len__(self) -> int:
        return len(self.loss)

    def __getitem__(self, study: int) -> Ranking:
        return self.view(study)

    def __iter__(self) -> Iterator[Ranking]:
        return (self.view(study) for study in range(len(self)))

    def view(self, study: int, *, rows_as_cases: bool = False) -> Ranking:
        """One study, ranked; or as if every row came from a case of its own."""
        here = self.present[study]
        cases = here.shape[0]
        case = np.repeat(np.arange(cases, dtype=np.int32), here.sum(axis=1))
        return rank(
            self.loss[study][here],
            self.confidence[study][here],
            self.answered[study][here],
            case=None if rows_as_cases else case,
            n_cases=len(case) if rows_as_cases else cases,
            most_loss=3,
        )


def sizes(
    population: Population, rng: np.random.Generator, studies: int, cases: int
) -> NDArray[Any]:
    """Which items each case has: ``(study, case, item)``."""
    fewest, most = population.items
    number = rng.integers(fewest, most, size=(studies, cases, 1), endpoint=True)
    present: NDArray[np.bool_] = np.arange(most) < number
    return present


def judge(population: Population, latent: Latent, present: NDArray[np.bool_]) -> Studies:
    """Losses, confidences and silences of a system with this population's habits."""
    between, within = np.sqrt(population.icc), np.sqrt(1 - population.icc)
    of_case = latent.of_case
    if population.skewed:
        hard = np.exp(of_case[:1])  # standardised lognormal
        centre, spread = np.exp(0.5), np.sqrt((math.e - 1) * math.e)
        of_case = np.concatenate([(hard - centre) / spread, of_case[1:]])
    difficulty, doubt, silence = between * of_case + within * latent.of_row
    loss = sum((difficulty > cut).astype(np.int8) for cut in population.cutoffs)
    insight = population.insight
    confidence = -insight * difficulty + np.sqrt(1 - insight**2) * doubt
    if population.ties:
        confidence = np.digitize(confidence, ndtri(np.array(population.ties))).astype(np.int8)
    wish = SILENCE * difficulty + np.sqrt(1 - SILENCE**2) * silence
    return Studies(np.asarray(loss), confidence, wish < ndtri(population.coverage), present)


def draw(population: Population, rng: np.random.Generator, studies: int, cases: int) -> Studies:
    """Studies of so many cases each."""
    latent = Latent.draw(rng, studies, cases, population.items[1])
    return judge(population, latent, sizes(population, rng, studies, cases))


@lru_cache(maxsize=32)
def large_sample(population: Population, seed: int, cases: int = TRUTH_CASES) -> Ranking:
    """Very many cases, as one study."""
    return draw(population, np.random.default_rng([seed, 999]), 1, cases)[0]


def truth(
    population: Population, metrics: Sequence[Metric], seed: int, cases: int = TRUTH_CASES
) -> dict[str, float]:
    """Each metric's value in the population."""
    view = large_sample(population, seed, cases)
    once = CaseWeights.once(view.n_cases)
    return {m.name: float(np.ravel(m(view, once))[0]) for m in metrics}


FEW_LEVELS: Final = (0.35, 0.6, 0.8, 0.92)
HEAVY: Final = (0.75,)

POPULATIONS: Final = (
    Population(
        "skewed, ties", "few cases hold most errors; 5 confidences", ties=FEW_LEVELS, skewed=True
    ),
    Population("independent items", "no clustering, continuous confidence", icc=0.0),
    Population("strong clustering", "ICC .65, continuous confidence", icc=0.65),
    Population("unequal sizes", "1 to 20 items a case", icc=0.4, ties=FEW_LEVELS, items=(1, 20)),
    Population("heavy ties", "two confidences, three quarters in one tie", ties=HEAVY),
    Population("coverage .15", "most rows left unanswered", coverage=0.15),
    Population("coverage .95", "almost every row answered", coverage=0.95, ties=FEW_LEVELS),
    Population("rare errors", "MAE about .02", cutoffs=(1.9, 2.7, 3.3), coverage=0.9),
)

RARE: Final = Population("rare", "MAE about .02", cutoffs=(1.9, 2.7, 3.3), coverage=0.9)
COMMON: Final = Population("common", "the usual errors", coverage=0.9, ties=FEW_LEVELS)
KNOWING: Final = Population("knowing", "knows where it errs", insight=0.85)
EQUAL_AURC: Final = Population(
    "unknowing", "errs less, doesn't know where", insight=0.2, cutoffs=(1.07273, 1.87273, 2.67273)
)
