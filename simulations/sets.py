"""Do prediction sets hold the truth as often as promised? ``python -m simulations.sets [--write]``.

A study's cases set the bound; what it holds is counted on very many other cases of the population,
one row of each at random, that is as the mean over cases of the share of their rows. ``--write``
puts the table into docs/simulations.md.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from scipy.special import ndtr

from acumen.calibration.sets import Entries, bound_of
from simulations.thresholds import PAGE, write

ALPHA: Final = 0.1
STUDIES: Final = 1000
SEED: Final = 20261
TEST_CASES: Final = 20_000
CUTS: Final = np.array([-0.7, 0.0, 0.7])


@dataclass(frozen=True)
class Crowd:
    """Cases whose truths are normal numbers cut into four levels, seen with an error."""

    name: str
    icc: float = 0.0
    """Share of the error's variance that a case's rows have in common."""
    items: tuple[int, int] = (8, 8)
    harder: float = 0.0
    """How much larger the error of the largest cases is."""
    believed: float = 1.0
    """The error that the chances of levels are made with; the true one is 1."""

    def draw(self, rng: np.random.Generator, cases: int) -> tuple[np.ndarray, ...]:
        """Case and truth of each row, and the chances of its levels."""
        fewest, most = self.items
        sizes = rng.integers(fewest, most, cases, endpoint=True)
        case = np.repeat(np.arange(cases), sizes)
        error = np.sqrt(self.icc) * rng.standard_normal(cases)[case]
        error += np.sqrt(1 - self.icc) * rng.standard_normal(len(case))
        latent = rng.standard_normal(len(case))
        seen = latent + (1 + self.harder * (sizes[case] - fewest) / most) * error
        spread = self.believed / np.sqrt(1 + self.believed**2)
        below = ndtr((CUTS - (seen / (1 + self.believed**2))[:, np.newaxis]) / spread)
        return case, np.digitize(latent, CUTS), np.diff(below, axis=1, prepend=0.0, append=1.0)


CROWDS: Final = (
    Crowd("no clusters"),
    Crowd("strong clusters", icc=0.8),
    Crowd("1 to 15 items a case", icc=0.4, items=(1, 15)),
    Crowd("1 to 15 items, large cases harder", icc=0.4, items=(1, 15), harder=2.0),
    Crowd("the same, small cases harder", icc=0.4, items=(1, 15), harder=-0.9),
    Crowd("one item a case", items=(1, 1)),
    replace(Crowd("strong clusters, chances too sure", icc=0.8), believed=0.5),
)


def entries(method: str, chances: np.ndarray) -> Entries:
    """By mass, or by distance from the likeliest level."""
    if method == "aps":
        return Entries.of_chances(chances)
    return Entries.of_predictions(chances.argmax(axis=1), len(CUTS) + 1)


@dataclass(frozen=True)
class Truth:
    """What sets hold in the population, by their bound: of very many cases."""

    scores: np.ndarray
    weight: np.ndarray

    @classmethod
    def of(cls, score: np.ndarray, case: np.ndarray) -> Truth:
        """From the scores of levels, −∞ for the first of each row, and their cases."""
        order = np.argsort(score)
        weight = 1 / np.bincount(case)[case] / (case.max() + 1)
        return cls(score[order], np.append(0.0, np.cumsum(weight[order])))

    def at(self, bound: float) -> float:
        """The mean over cases of what is within a bound."""
        return float(self.weight[np.searchsorted(self.scores, bound, side="right")])


def coverages(crowd: Crowd, cases: int, studies: int) -> dict[str, tuple[float, float, float]]:
    """By way: mean coverage over studies, its Monte-Carlo error, and levels in a set."""
    rng = np.random.default_rng([SEED, cases])
    case, truth, chances = crowd.draw(np.random.default_rng(SEED), TEST_CASES)
    known, row = {}, np.arange(len(case))
    for method in ("aps", "distance"):
        grown = entries(method, chances)
        score = grown.score.copy()
        score[row, grown.first] = -np.inf
        widths = Truth.of(score.ravel(), np.repeat(case, len(CUTS) + 1))
        known[method] = Truth.of(score[row, truth], case), widths
    held: dict[str, list[tuple[float, float]]] = {"aps": [], "distance": [], "aps by row": []}
    for _ in range(studies):
        case, truth, chances = crowd.draw(rng, cases)
        row = np.arange(len(case))
        for way, results in held.items():
            method = way.removesuffix(" by row")
            score = entries(method, chances).score[row, truth]
            bound = bound_of(score, case if way == method else row, ALPHA)
            coverage, width = (part.at(bound) for part in known[method])
            results.append((coverage, width * (len(CUTS) + 1)))
    counts = {way: np.array(results) for way, results in held.items()}
    return {
        way: (r[:, 0].mean(), r[:, 0].std() / np.sqrt(studies), r[:, 1].mean())
        for way, r in counts.items()
    }


def table(studies: int) -> Iterator[str]:
    """Coverage in percent ± two Monte-Carlo errors / levels in a set."""
    ways = ("aps", "distance", "aps by row")
    yield f"| population | cases | {' | '.join(ways)} |"
    yield "|---|---:|" + "---:|" * len(ways)
    for crowd in CROWDS:
        for cases in (40, 100, 400):
            shares = coverages(crowd, cases, studies)
            cells = (f"{100 * c:.1f} ± {200 * e:.1f} / {w:.2f}" for c, e, w in shares.values())
            yield f"| {crowd.name} | {cases} | {' | '.join(cells)} |"
    yield ""
    yield f"{studies:,} studies a line; ± two Monte-Carlo standard errors."


def main() -> None:
    """Print the table, or put it where the page has its marks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=STUDIES)
    parser.add_argument("--write", action="store_true")
    arguments: Any = parser.parse_args()
    lines = []
    for line in table(arguments.studies):
        print(line, flush=True)
        lines.append(line)
    if arguments.write:
        write(PAGE, "sets", "\n".join(lines))


if __name__ == "__main__":
    main()
