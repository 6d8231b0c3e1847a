"""How often a paired comparison errs: the interval misses the true difference, the p-value alarms.

For the interval an error is a true difference outside it, whether that difference is 0 or not. For
the p-value an error is a rejection where the systems are exchangeable; where they are not, its
rejections are shown, and are no errors of the test it makes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from acumen.inference.options import Options
from acumen.inference.paired import compare
from simulations.coverage import CHUNK, JUDGED, RESAMPLES, SEED, Tally
from simulations.populations import (
    COMMON,
    EQUAL_AURC,
    KNOWING,
    POPULATIONS,
    RARE,
    TRUTH_CASES,
    Latent,
    Population,
    Studies,
    judge,
    sizes,
    truth,
)

CASES: Final = (20, 41)
STUDIES: Final = 2_000
SWAPS: Final = 999
SHARED: Final = 0.5
"""Share of the latent variance that the two systems have in common: they see the same cases."""
ALPHA: Final = 0.05


@dataclass(frozen=True)
class Contest:
    """Two systems on the same cases."""

    name: str
    left: Population
    right: Population

    @property
    def is_exchangeable(self) -> bool:
        """Whether swapping the systems changes nothing in the population."""
        return self.left == self.right


CONTESTS: Final = (
    Contest("exchangeable, skewed with ties", POPULATIONS[0], POPULATIONS[0]),
    Contest("exchangeable, strong clustering", POPULATIONS[2], POPULATIONS[2]),
    Contest("exchangeable, rare errors", RARE, RARE),
    Contest("one system's errors are rare", RARE, COMMON),
    Contest("systems differ, AURC equal", KNOWING, EQUAL_AURC),
)


def draw_pairs(
    contest: Contest, rng: np.random.Generator, studies: int, cases: int
) -> tuple[Studies, Studies]:
    """Studies of both systems on the same cases, which are hard for both or for neither."""
    items = contest.left.items[1]
    common, one, other = (Latent.draw(rng, studies, cases, items) for _ in range(3))
    present = sizes(contest.left, rng, studies, cases)
    left = judge(contest.left, common.mixed(one, SHARED), present)
    return left, judge(contest.right, common.mixed(other, SHARED), present)


def err(
    contest: Contest,
    cases: int,
    studies: int = STUDIES,
    resamples: int = RESAMPLES,
    seed: int = SEED,
    truth_cases: int = TRUTH_CASES,
) -> dict[str, dict[str, Any]]:
    """Draw pairs of studies and count: metric -> errors of the interval, percentile, p-value."""
    left_true = truth(contest.left, JUDGED, seed, truth_cases)
    right_true = truth(contest.right, JUDGED, seed, truth_cases)
    delta = {m.name: right_true[m.name] - left_true[m.name] for m in JUDGED}
    if contest.left is KNOWING:
        delta["aurc"] = 0.0  # made so; what the large samples leave is their own error
    default = {m.name: Tally() for m in JUDGED}
    percentile = {m.name: Tally() for m in JUDGED}
    rejected, tested, told = ({m.name: 0 for m in JUDGED} for _ in range(3))
    rng = np.random.default_rng([seed, 500 + CONTESTS.index(contest), cases])
    for start in range(0, studies, CHUNK):
        left, right = draw_pairs(contest, rng, min(CHUNK, studies - start), cases)
        for study, (a, b) in enumerate(zip(left, right, strict=True), start):
            options = Options(resamples=resamples, seed=study, swaps=SWAPS, threads=1)
            for name, found in compare(JUDGED, a, b, options).items():
                default[name].add(found.interval, delta[name])
                percentile[name].add(found.percentile, delta[name])
                told[name] += found.favours is not None
                tested[name] += found.p_value is not None
                rejected[name] += found.p_value is not None and found.p_value <= ALPHA
    return {
        name: {
            "delta": delta[name],
            "default": default[name].record(),
            "percentile": percentile[name].record(),
            "tested": tested[name],
            "rejected": rejected[name],
            "told": told[name],
        }
        for name in delta
    }
