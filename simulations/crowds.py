"""Populations of judged rows: levels, answers and confidences, with clustering of every kind.

Where :mod:`simulations.populations` draws losses alone, a crowd draws the truth and the prediction,
so that agreement, calibration and the ranking by severity can be tried on the same studies.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from acumen.table.judgments import NO_PREDICTION
from acumen.views.confusion import confuse
from acumen.views.forecast import forecast
from acumen.views.ranking import rank
from acumen.views.severity import rank_severity

Array = NDArray[Any]
SHARES: Final = (0.45, 0.28, 0.17, 0.10)
"""How often each level is true, unless a crowd says otherwise."""


@dataclass(frozen=True)
class Rows:
    """One study: a value for every row."""

    case: Array
    truth: Array
    prediction: Array
    """−1 where nothing was answered."""
    confidence: Array
    levels: int
    score: Array | None = None
    """How severe a row looks; without one the predicted level says it."""
    item: Array | None = None

    @property
    def n_cases(self) -> int:
        """How many cases there are."""
        return int(self.case.max()) + 1

    def views(self) -> tuple[Any, ...]:
        """Ranking, levels, severity and forecast of the same rows."""
        answered = self.prediction != NO_PREDICTION
        of_case: dict[str, Any] = {"case": self.case, "n_cases": self.n_cases}
        off = np.where(answered, np.abs(self.prediction - self.truth), 0)
        score = self.prediction if self.score is None else self.score
        return (
            rank(off, self.confidence, answered, most_loss=self.levels - 1, **of_case),
            confuse(self.truth, self.prediction, levels=self.levels, **of_case),
            rank_severity(self.truth, score, answered, levels=self.levels, **of_case),
            forecast(self.confidence, (off == 0).astype(float), answered, **of_case),
        )


@dataclass(frozen=True)
class Crowd:
    """What the cases of a population are like, and how a study of some is drawn."""

    name: str
    about: str
    draw: Callable[[np.random.Generator, int], Rows]


def _moved(rng: np.random.Generator, truth: Array, steps: Array, levels: int) -> Array:
    """Predictions that miss by so many levels, up or down, as the scale allows."""
    sign = np.where(rng.random(len(truth)) < 0.5, 1, -1)
    away = truth + sign * steps
    turned = np.where((away < 0) | (away >= levels), truth - sign * steps, away)
    return np.asarray(np.clip(turned, 0, levels - 1))


def _true_levels(rng: np.random.Generator, case: Array, shares: tuple[float, ...]) -> Array:
    """Levels that lean to one side within a case."""
    from scipy.special import ndtr

    lean = rng.normal(size=case.max() + 1)[case]
    latent = ndtr(np.sqrt(0.3) * lean + np.sqrt(0.7) * rng.normal(size=len(case)))
    return np.asarray(np.searchsorted(np.cumsum(shares)[:-1], latent))


def _sureness(rng: np.random.Generator, wrong: Array, gap: float = 0.22) -> Array:
    return np.asarray(np.clip(0.72 - gap * wrong + 0.16 * rng.normal(size=len(wrong)), 0.02, 0.98))


def _by_probability(
    chance: Callable[[np.random.Generator, int], Array],
    items: Callable[[np.random.Generator, int], Array],
    *,
    gap: float = 0.22,
    shares: tuple[float, ...] = SHARES,
    far: tuple[float, ...] = (0.75, 0.2, 0.05),
    values: tuple[float, ...] = (),
    answered: float = 0.85,
    by_size: float = 0.0,
) -> Callable[[np.random.Generator, int], Rows]:
    """Cases that err with a probability of their own, and misses of 1, 2, 3 levels as in ``far``.

    ``values``: the few confidences there are; ``by_size``: how much likelier large cases err.
    """

    def draw(rng: np.random.Generator, n: int) -> Rows:
        sizes = items(rng, n)
        case = np.repeat(np.arange(n), sizes)
        chances = np.clip(chance(rng, n) + by_size * np.log(sizes / sizes.mean()), 0.005, 0.95)
        wrong = rng.random(len(case)) < chances[case]
        truth = _true_levels(rng, case, shares)
        steps = wrong * (1 + np.searchsorted(np.cumsum(far)[:-1], rng.random(len(case))))
        most = np.maximum(truth, len(shares) - 1 - truth)
        prediction = _moved(rng, truth, np.minimum(steps, most), len(shares))
        confidence = _sureness(rng, prediction != truth, gap)
        if values:
            confidence = np.array(values)[np.digitize(confidence, (0.5, 0.7, 0.85))]
        silent = rng.random(len(case)) > answered
        return Rows(
            case, truth, np.where(silent, NO_PREDICTION, prediction), confidence, len(shares)
        )

    return draw


def _beta(a: float, b: float) -> Callable[[np.random.Generator, int], Array]:
    return lambda rng, n: rng.beta(a, b, n)


def _each(m: int) -> Callable[[np.random.Generator, int], Array]:
    return lambda rng, n: np.full(n, m)


def _collapsing(rng: np.random.Generator, n: int) -> Array:
    return np.where(rng.random(n) < 0.1, 1.0, 0.02)


def _giant_sizes(rng: np.random.Generator, n: int) -> Array:
    return np.where(rng.random(n) < 0.05, 120, 4)


def _uneven_sizes(rng: np.random.Generator, n: int) -> Array:
    return np.clip(np.round(np.exp(rng.normal(1.9, 0.8, n))), 1, 40).astype(int)


def _heavy(rng: np.random.Generator, n: int) -> Rows:
    """0–10, losses with a tail of 1.2 times a scale of the case."""
    case, levels = np.repeat(np.arange(n), 6), 11
    truth = np.clip(np.round(rng.normal(5, 2.5, len(case))), 0, 10).astype(int)
    scale = np.exp(0.5 * rng.normal(size=n))[case]
    steps = np.floor(0.45 * scale * rng.pareto(1.2, len(case))).astype(int)
    steps = np.minimum(steps, np.maximum(truth, 10 - truth))
    prediction = _moved(rng, truth, steps, levels)
    silent = rng.random(len(case)) > 0.9
    sure = _sureness(rng, np.minimum(steps, 3) / 2)
    return Rows(case, truth, np.where(silent, NO_PREDICTION, prediction), sure, levels)


def _silent_crowd(rng: np.random.Generator, n: int) -> Rows:
    """Three quarters left open, by cases; those who answer less err more."""
    case = np.repeat(np.arange(n), 8)
    share = np.clip(rng.beta(0.6, 1.8, n), 0.02, 0.98)
    truth = _true_levels(rng, case, SHARES)
    wrong = rng.random(len(case)) < (0.4 - 0.3 * share)[case]
    prediction = _moved(rng, truth, wrong.astype(int), 4)
    answered = rng.random(len(case)) < share[case]
    answered[0] = True  # a study in which nobody answers has nothing to cover
    sure = _sureness(rng, wrong)
    return Rows(case, truth, np.where(answered, prediction, NO_PREDICTION), sure, 4)


def _verdicts(rng: np.random.Generator, n: int) -> Rows:
    """One row a case, and a continuous risk score."""
    truth = np.searchsorted(np.cumsum((0.5, 0.25, 0.15)), rng.random(n))
    score = truth + 0.8 * rng.normal(size=n)
    prediction = np.clip(np.round(score), 0, 3).astype(int)
    return Rows(np.arange(n), truth, prediction, _sureness(rng, prediction != truth), 4, score)


def _giant_errors(rng: np.random.Generator, n: int) -> Rows:
    """Giants err more."""
    return _by_probability(_beta(0.6, 2.4), _giant_sizes, by_size=0.06)(rng, n)


CROWDS: Final = (
    Crowd(
        "betabin",
        "error chance of a case Beta(.3, .9)",
        _by_probability(_beta(0.3, 0.9), _each(8)),
    ),
    Crowd("heavy10", "scale 0–10, heavy-tailed losses, 6 items", _heavy),
    Crowd(
        "tied4",
        "four confidences, the largest 1.0",
        _by_probability(_beta(1.0, 3.0), _each(8), values=(0.25, 0.5, 0.75, 1.0)),
    ),
    Crowd("adverse", "surer when wrong", _by_probability(_beta(1.0, 3.0), _each(8), gap=-0.15)),
    Crowd("abst75", "three quarters left open, by cases", _silent_crowd),
    Crowd("unequal", "1 to 40 items a case", _by_probability(_beta(0.8, 2.4), _uneven_sizes)),
    Crowd("giants", "5% of the cases hold 120 items and err more, the rest 4", _giant_errors),
    Crowd(
        "err5",
        "5% errors, chance of a case Beta(.5, 9.5)",
        _by_probability(_beta(0.5, 9.5), _each(8)),
    ),
    Crowd("two", "2 items a case", _by_probability(_beta(0.8, 2.4), _each(2))),
    Crowd(
        "collapse",
        "a tenth of the cases is wrong throughout",
        _by_probability(_collapsing, _each(8), far=(0.0, 0.0, 1.0), gap=0.0),
    ),
    Crowd(
        "agree",
        "kappa about .9, the top level in 4% of the rows, 5 items",
        _by_probability(
            _beta(0.6, 5.4), _each(5),
            shares=(0.5, 0.28, 0.18, 0.04), far=(1.0, 0.0, 0.0), answered=1.0,
        ),
    ),
    Crowd("verdict", "one row a case, a continuous risk score", _verdicts),
    Crowd(
        "large err more",
        "new: 1 to 40 items, and the chance of an error grows with their number",
        _by_probability(_beta(0.8, 2.4), _uneven_sizes, by_size=0.1),
    ),
    Crowd(
        "yes or no",
        "new: two levels, half the cases nearly always right, 10 items",
        _by_probability(
            lambda rng, n: np.where(rng.random(n) < 0.5, 0.03, 0.4),
            _each(10), shares=(0.6, 0.4), far=(1.0,), answered=0.8,
        ),
    ),
)  # fmt: skip
APART: Final = ("giants", "collapse")
"""Where a few cases decide: at few cases the study need not hold one of them."""
