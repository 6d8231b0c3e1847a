"""How often a leaderboard claims a difference that is not there, and how often one that is.

``python -m simulations.ranks``. Systems of one law are exchangeable, so that every claim is false
and any rank interval that is not the whole of it is wrong. Then the first of them errs half as
often: it is better than each of the others, and every claim among those others is false.
"""

from __future__ import annotations

import math
import sys
from concurrent.futures import ProcessPoolExecutor
from itertools import combinations
from typing import Final

import numpy as np

from acumen.inference.matched import decide, match
from acumen.inference.options import Options
from simulations.laws import LAWS, Law, draw_cases, judge

SYSTEMS: Final = (2, 5, 10)
CASES: Final = (20, 41)
STUDIES: Final = 1000
RESAMPLES: Final = 1000
LEVEL: Final = 0.95
NAMES: Final = ("beta", "rare errors", "mostly silent", "heavy tail", "adverse")


def wins(
    laws: list[Law], cases: int, rng: np.random.Generator, resamples: int = RESAMPLES
) -> set[tuple[int, int]]:
    """(winner, loser) of every pair that one study of these systems tells apart."""
    drawn = draw_cases(laws[-1], rng, cases)
    rankings = [judge(law, drawn, rng).ranking() for law in laws]
    options = Options(resamples=resamples, seed=int(rng.integers(2**32)), threads=1)
    matching, pairs = match(rankings, options), list(combinations(range(len(laws)), 2))
    family = matching.family(pairs)
    favours = {p: decide(matching.pair(*p), family, LEVEL).favours for p in pairs}
    return {(a, b) if side == "left" else (b, a) for (a, b), side in favours.items() if side}


def count(law: Law, systems: int, cases: int, studies: int, seed: int = 1) -> str:
    """A row: any false claim among equals, and beside a better one; the power of that one."""
    rng = np.random.default_rng([seed, systems, cases, *map(ord, law.name)])
    equal = sum(bool(wins([law] * systems, cases, rng)) for _ in range(studies))
    false, found = 0, 0
    for _ in range(studies):
        claims = wins([law.with_errors(0.5), *[law] * (systems - 1)], cases, rng)
        right = {(winner, loser) for winner, loser in claims if winner == 0}
        found, false = found + len(right), false + bool(claims - right)
    power = found / studies / (systems - 1)
    return f"| {law.name} | {systems} | {cases} | {_share(equal, studies)} | " + (
        f"{_share(false, studies)} | {power:.0%} |"
    )


def _share(n: int, of: int) -> str:
    """Percent, with the Monte Carlo error."""
    return f"{n / of:.1%} ± {math.sqrt(n / of * (1 - n / of) / of):.1%}"


def main(studies: int = STUDIES, processes: int = 1) -> None:
    """Print the table."""
    cells = [(LAWS[law], k, n, studies) for law in NAMES for k in SYSTEMS for n in CASES]
    print("| law | systems | cases | any claim, all equal | false, one better | power |")
    print("|---|---|---|---|---|---|")
    with ProcessPoolExecutor(processes) as pool:
        for row in pool.map(count, *zip(*cells, strict=True)):
            print(row, flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
