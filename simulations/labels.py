"""Labels of cases that were drawn with unequal chances: do intervals hold, and are they short?

Every study draws a population of judged cases, a sample of them by a design of
:mod:`acumen.labels.design`, and estimates the mean rating of all. The truth is that of the
superpopulation. ``python -m simulations.labels`` prints a table of docs/raters.md.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from acumen.labels.design import chances, sizes_for
from acumen.raters.ppi import Powered, Sample, power

Rng = np.random.Generator
CASES = 400
JUDGES = ("good", "useless", "biased")
DESIGNS = ("alike", "doubt")
TRUTH = 3.0
"""The mean rating: severities are even around it, and sizes do not follow them."""


def population(rng: Rng, judge: str) -> tuple[Any, Any, Any, Any]:
    """Case of each row, people's rating, the judge's, and its confidence.

    The judge errs by case where it is not sure, and its confidence knows of that in part.
    """
    size = rng.integers(1, 9, CASES)
    case = np.repeat(np.arange(CASES), size)
    y = np.clip(np.round(rng.normal(3.0, 0.9, CASES)[case] + rng.normal(0, 0.6, len(case))), 1, 5)
    doubt = rng.beta(0.6, 1.4, CASES)
    sure = np.clip(1.0 - doubt[case] + rng.normal(0, 0.1, len(case)), 0, 1)
    if judge == "useless":
        return case, y, rng.integers(1, 6, len(y)).astype(float), rng.random(len(y))
    noise = rng.normal(0, 2.0, CASES)[case] * doubt[case] + rng.normal(0, 0.3, len(case))
    f = np.clip(np.round(y + noise + (judge == "biased") * 0.8), 1, 5)
    return case, y, f, sure


def drawn(rng: Rng, chance: Any) -> Any:
    """A systematic draw along a random order, as the design makes it."""
    order = rng.permutation(len(chance))
    ends = np.cumsum(chance[order])
    budget = round(float(ends[-1]))
    points = rng.random() + np.arange(budget)
    taken = np.zeros(len(chance), bool)
    taken[order[np.searchsorted(ends * budget / ends[-1], points, side="right")]] = True
    return taken


def estimated(rng: Rng, labelled: int, judge: str, design: str) -> tuple[Powered, float]:
    """One study: the estimate, and half the width of its interval."""
    case, y, f, sure = population(rng, judge)
    size = np.ones(CASES) if design == "alike" else sizes_for("estimate", case, sure, CASES)
    chance = chances(size, labelled)
    own = drawn(rng, chance)
    rows, ys, fs = (np.bincount(case, v, CASES) for v in (np.ones(len(case)), y, f))

    def sample(among: Any, weight: Any) -> Sample:
        m, y, f = rows[among][:, None], ys[among][:, None, None], fs[among][:, None, None]
        return Sample(m, y, f, np.ones(1), weight)

    weight = None if design == "alike" else 1.0 / chance[own]
    powered = power(sample(own, weight), sample(~own, None))
    low, high = powered.ends(0.95)
    return powered, float(high[0] - low[0]) / 2


def covered(rng: Rng, studies: int, labelled: int, judge: str, design: str) -> tuple[float, float]:
    """Share of 95% intervals that hold the truth, and their mean half width."""
    inside, width = 0, 0.0
    for _ in range(studies):
        powered, half = estimated(rng, labelled, judge, design)
        inside += abs(float(powered.value[0]) - TRUTH) <= half
        width += half
    return inside / studies, width / studies


def main() -> None:
    """Print coverage and width of every design, judge and number of labels."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=2_000)
    studies = parser.parse_args().studies
    print("judge    design  " + "".join(f"{n:>16}" for n in (20, 40, 80)))
    for judge in JUDGES:
        for design in DESIGNS:
            cells = []
            for labelled in (20, 40, 80):
                rng = np.random.default_rng([1, labelled, JUDGES.index(judge)])
                share, width = covered(rng, studies, labelled, judge, design)
                cells.append(f"{share:>9.1%} ±{width:.3f}")
            print(f"{judge:<9}{design:<8}" + "".join(cells), flush=True)


if __name__ == "__main__":
    main()
