"""Do thresholds on decision models keep their promise? ``python -m simulations.decision_models``.

Cases are drawn from a judge that gives a probability for every level. However wrong these are, a
threshold on the expected loss is promised to accept answers whose true mean loss is at most the
bound, but for a chance δ. A study breaks the promise where what it accepts is above, in 200,000
cases of the same judge. Beside it stands what the naive rule does, which takes the largest
coverage whose risk in the study itself is below the bound.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.stats import beta

from acumen.decisions.sample import Sample
from acumen.decisions.threshold import Search, grid_of, method_and_test
from acumen.table.distribution import best_level, signals_of
from acumen.types import Floats

SIZES: Final = (200, 412, 1000)
DELTA: Final = 0.1
STARTS: Final = (0.1, 0.3, 0.5)
TRUTH_CASES: Final = 200_000
LEVELS: Final = 5
SEED: Final = 35


@dataclass(frozen=True)
class Judge:
    """How its probabilities are wrong, and the bound as a share of the risk of all answers."""

    name: str
    heat: float = 1.0
    """Its probabilities to this power: above 1 it is too sure."""
    lean: float = 0.0
    """How many levels too high it guesses."""
    digits: int | None = None
    share: float = 0.85

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Confidence and loss of cases: minus the expected loss, and the levels that it is off."""
        ranks = np.arange(LEVELS)
        middle, width = rng.normal(1.9, 1.2, n), rng.uniform(0.3, 1.4, n)
        honest = _share(-(((ranks - middle[:, None]) / width[:, None]) ** 2) / 2)
        truth = (honest.cumsum(axis=1) < rng.uniform(size=(n, 1))).sum(axis=1).clip(0, LEVELS - 1)
        guess = middle[:, None] + self.lean
        stated = _share(-self.heat * (((ranks - guess) / width[:, None]) ** 2) / 2)
        if self.digits is not None:
            stated = np.round(stated, self.digits)
            stated /= stated.sum(axis=1, keepdims=True)
        costs = np.abs(ranks[:, None] - ranks).astype(np.float64)
        answer = best_level(stated, costs)
        return -signals_of(stated, answer, costs)["expected_loss"], np.abs(truth - answer) * 1.0


JUDGES: Final = (
    Judge("honest"),
    Judge("too sure", heat=4.0),
    Judge("too modest", heat=0.4),
    Judge("leaning", lean=0.6),
    Judge("rounded to one digit", digits=1),
    Judge("bound at the risk of all", share=1.0),
)


def _share(logs: Floats) -> Floats:
    mass = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(mass / mass.sum(axis=1, keepdims=True))


def sample_of(confidence: Floats, loss: Floats) -> Sample:
    """Cases of one row as the search for a threshold sees them."""
    n, most = len(loss), LEVELS - 1.0
    return Sample(confidence, loss / most, np.arange(n), np.ones(n, np.int64), most, graded=True)


def accepted_risk(threshold: float, confidence: Floats, loss: Floats) -> float:
    """The mean loss above a threshold in very many cases; 0 where none is."""
    above = confidence > threshold
    return float(loss[above].mean()) if above.any() else 0.0


def naive(confidence: Floats, loss: Floats, bound: float) -> float | None:
    """The threshold of the largest coverage whose risk here is at most the bound."""
    order = np.argsort(-confidence, kind="stable")
    risk = np.cumsum(loss[order]) / np.arange(1, len(loss) + 1)
    falling = confidence[order]
    ends = np.append(falling[1:] < falling[:-1], True)
    fits: NDArray[np.int64] = np.flatnonzero(ends & (risk <= bound))
    if not len(fits):
        return None
    last = int(fits[-1])
    return -np.inf if last + 1 == len(loss) else float(falling[last + 1])


@dataclass(frozen=True)
class Line:
    """What became of the studies of one judge and size."""

    judge: str
    n: int
    studies: int
    certified: int
    broken: int
    coverage: float
    broken_naively: int

    def __str__(self) -> str:
        high = beta.ppf(0.975, self.broken + 1, self.studies - self.broken)
        return (
            f"{self.judge:26} n {self.n:5}  certified {self.certified / self.studies:6.1%}  "
            f"broken {self.broken / self.studies:6.2%} (up to {high:.2%})  coverage "
            f"{self.coverage:5.1%}  naive rule broken {self.broken_naively / self.studies:6.1%}"
        )


def lines(studies: int, sizes: tuple[int, ...] = SIZES) -> Iterator[Line]:
    """Every judge in every size."""
    for at, judge in enumerate(JUDGES):
        whole = judge.draw(TRUTH_CASES, np.random.default_rng([SEED, at]))
        bound = judge.share * float(whole[1].mean())
        for n in sizes:
            rng = np.random.default_rng([SEED, at, n])
            certified = broken = naively = 0
            coverage = 0.0
            for _ in range(studies):
                confidence, loss = judge.draw(n, rng)
                sample = sample_of(confidence, loss)
                ways = method_and_test(None, "betting", sample)  # what acumen takes here
                search = Search(*ways, bound / (LEVELS - 1.0), DELTA, STARTS, 1)
                tested, thresholds = grid_of(sample, None, search)
                points = search.certify(tested, thresholds)
                best = next((p for p in reversed(points) if p.certified), None)
                if best is not None:
                    cut = -np.inf if best.threshold is None else best.threshold
                    certified += 1
                    coverage += float((whole[0] > cut).mean())
                    broken += accepted_risk(cut, *whole) > bound + 1e-12
                cut_here = naive(confidence, loss, bound)
                naively += cut_here is not None and accepted_risk(cut_here, *whole) > bound + 1e-12
            mean = coverage / max(1, certified)
            yield Line(judge.name, n, studies, certified, broken, mean, naively)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=400)
    for line in lines(parser.parse_args().studies):
        print(line, flush=True)
