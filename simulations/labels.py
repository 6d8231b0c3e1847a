"""Labels of cases that were drawn with unequal chances: do intervals hold, and are they short?

Every study draws a population of judged cases, a sample of them by a design of
:mod:`acumen.labels.design`, and estimates the mean rating of all. The truth is that of the
superpopulation. ``python -m simulations.labels`` prints a table of docs/simulations.md.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

from acumen.decisions.sample import Sample as Labelled
from acumen.decisions.threshold import Search, grid_of
from acumen.labels.design import chances, sizes_for
from acumen.metrics.registry import Kind
from acumen.raters.agreement import alpha
from acumen.raters.panel import Panel
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


def certified(
    rng: Rng, studies: int, labelled: int, design: str, risk: float
) -> tuple[float, float]:
    """How often the true risk above a certified threshold is too large, and the mean coverage.

    A risk of .15 is asked for. Errors come by case. At a true risk of .15 the confidence knows
    nothing of them, so every threshold that is certified is so falsely; below that it does.
    """
    false, coverage = 0, 0.0
    search = Search("approx", "korn-graubard", 0.15, 0.1, (0.1, 0.3, 0.5), 8)
    for _ in range(studies):
        size = rng.integers(1, 9, CASES)
        case = np.repeat(np.arange(CASES), size)
        sure = np.clip(rng.beta(2, 1, CASES)[case] + rng.normal(0, 0.1, len(case)), 0, 1)
        prone = rng.beta(0.6, 0.6 * (1 - risk) / risk, CASES)[case]
        if risk < 0.15:
            prone = np.minimum(1.0, prone * 2 * (1 - sure))
        wrong = (rng.random(len(case)) < prone).astype(float)
        worth = np.ones(CASES) if design == "alike" else sizes_for("estimate", case, sure, CASES)
        chance = chances(worth, labelled)
        own = np.flatnonzero(drawn(rng, chance))
        among = np.isin(case, own)
        weight = None if design == "alike" else 1.0 / chance[own]
        place = np.searchsorted(own, case[among])
        parts = (sure[among], wrong[among], place, size[own])
        sample = Labelled(*parts, most_loss=1.0, graded=False, weight=weight)
        tested, grid = grid_of(sample, None, search)
        best = next((p for p in reversed(search.certify(tested, grid)) if p.certified), None)
        if best is not None:
            false += risk >= 0.15
            coverage += best.coverage
    return false / studies, coverage / studies


def thresholds(studies: int) -> None:
    """Print how often a threshold is certified falsely, and how much is accepted."""
    print("drawn    false at a risk of .15: 40, 80, 160; accepted at .08: 40, 80, 160")
    for design in DESIGNS:
        cells = []
        for at, risk in enumerate((0.15, 0.08)):
            for labelled in (40, 80, 160):
                rng = np.random.default_rng([2, labelled, at])
                cells.append(f"{certified(rng, studies, labelled, design, risk)[at]:>8.1%}")
        print(f"{design:<8}" + "".join(cells), flush=True)


def agreed(rng: Rng, studies: int, labelled: int, design: str) -> float:
    """Share of 95% intervals of ordinal alpha that hold the alpha of all cases there could be.

    People are further apart where the judge is in doubt, so a sample of such cases agrees less.
    """
    inside = 0
    truth = alpha(panel_of(*pairs(np.random.default_rng(0), 60_000)[:3], None), "ordinal").value
    for _ in range(studies):
        case, one, other, sure = pairs(rng, CASES)
        worth = np.ones(CASES) if design == "alike" else sizes_for("estimate", case, sure, CASES)
        chance = chances(worth, labelled)
        own = np.flatnonzero(drawn(rng, chance))
        among = np.isin(case, own)
        weight = None if design == "alike" else 1.0 / chance[own]
        place = np.searchsorted(own, case[among])
        panel = panel_of(place, one[among], other[among], weight)
        ends = alpha(panel, "ordinal").measured(Kind.CORRELATION, 0.95).ends
        inside += ends[0] is not None and ends[0] <= truth <= (ends[1] or 1.0)
    return inside / studies


def pairs(rng: Rng, cases: int) -> tuple[Any, Any, Any, Any]:
    """Case of each row, what two people gave it, and how sure a judge is."""
    case = np.repeat(np.arange(cases), rng.integers(1, 5, cases))
    y, sure = rng.normal(3.0, 1.0, cases)[case], rng.beta(1.4, 0.8, cases)[case]
    apart = 0.3 + 1.2 * (1.0 - sure)
    one, other = (
        np.clip(np.round(y + rng.normal(0, 1, len(case)) * apart), 1, 5).astype(int)
        for _ in range(2)
    )
    return case, one, other, sure


def panel_of(case: Any, one: Any, other: Any, weight: Any) -> Panel:
    """Two people who rated every row."""
    n, blocks = len(case), int(case.max()) + 1
    block = case if blocks <= CASES else case % CASES
    rows = np.lexsort((np.tile(np.arange(n), 2), np.tile(block, 2)))
    unit, rater = np.tile(np.arange(n), 2)[rows], np.repeat([0, 1], n)[rows]
    level = (np.append(one, other) - 1)[rows]
    of_blocks = None if weight is None else weight / weight.mean()
    return Panel(
        ("a", "b"), 5, np.arange(5), unit, rater, level, block, min(blocks, CASES), of_blocks
    )


def main() -> None:
    """Print coverage and width of every design, judge and number of labels; then thresholds."""
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
    thresholds(studies)
    print("alpha of two people covered: 20, 40, 80")
    for design in DESIGNS:
        shares = [agreed(np.random.default_rng([3, n]), studies, n, design) for n in (20, 40, 80)]
        print(f"{design:<8}" + "".join(f"{share:>8.1%}" for share in shares), flush=True)


if __name__ == "__main__":
    main()
