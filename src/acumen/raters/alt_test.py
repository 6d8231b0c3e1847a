r"""The alternative annotator test: may a judge stand in for one of the people?

On each instance of a person j (a unit that j and another person rated) the judge and j are held
against what the others said. :math:`W_f` is 1 where the judge is at least as close to them as j,
:math:`W_h` where j is at least as close as the judge. The judge passes j where the mean of
:math:`D = W_h - W_f` is below ε, and passes the test where it passes half of the people.

Calderon, Reichart and Dror (2025), ACL.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from acumen.defaults import PASSING_RATE, TESTED_BY_T
from acumen.metrics.registry import Kind
from acumen.raters.panel import Ints, Panel
from acumen.raters.sums import Estimate, by_block
from acumen.results.raters import AltTest, RaterTest
from acumen.types import Floats

Score = Literal["ordinal", "nominal"]


@dataclass(frozen=True, slots=True)
class Rule:
    """How the test is held."""

    epsilon: float
    q: float
    score: Score
    fewest_instances: int
    by_case: bool
    level: float


@dataclass(frozen=True, eq=False)
class Duels:
    """One row an instance: whose it is, where, and who was at least as close to the others."""

    rater: Ints
    unit: Ints
    judge_wins: NDArray[np.bool_]
    person_wins: NDArray[np.bool_]

    @cached_property
    def difference(self) -> Floats:
        """D, of each instance."""
        return self.person_wins.astype(np.float64) - self.judge_wins


def duels(people: Panel, judge: Ints, score: Score, *, charged: bool = False) -> Duels:
    """Every instance; ``charged`` counts a judge that gave nothing as one that lost."""
    rows = np.flatnonzero(people.per_unit[people.unit] > 1)
    rows = rows if charged else rows[judge[people.unit[rows]] >= 0]
    unit, level = people.unit[rows], people.level[rows]
    answer = judge[unit]
    lost = _far if score == "ordinal" else _unlike
    of_person, of_judge = lost(people, unit, level, level), lost(people, unit, level, answer)
    silent = answer < 0
    return Duels(
        people.rater[rows],
        unit,
        ~silent & (of_judge <= of_person),
        silent | (of_person <= of_judge),
    )


def _far(people: Panel, unit: Ints, own: Ints, answer: Ints) -> Ints:
    """The summed squares between an answer and the others' ratings: whole, so ties are exact."""
    ranks = people.ranks
    rank = ranks[people.level].astype(np.float64)
    total, squares = (people.on_units(v)[unit].astype(np.int64) for v in (rank, rank**2))
    others, x, y = people.per_unit[unit] - 1, ranks[own], ranks[answer]
    far: Ints = others * y * y - 2 * y * (total - x) + squares - x * x
    return far


def _unlike(people: Panel, unit: Ints, own: Ints, answer: Ints) -> Ints:
    """How many of the others gave another level."""
    k = people.size
    cells, counts = np.unique(people.unit * k + people.level, return_counts=True)
    key = unit * k + answer
    at = np.minimum(np.searchsorted(cells, key), len(cells) - 1)
    alike = np.where(cells[at] == key, counts[at], 0) - (answer == own)
    unlike: Ints = people.per_unit[unit] - 1 - alike
    return unlike


def advantage(fights: Duels, panel: Panel, raters: Sequence[int]) -> Estimate:
    """The chance that the judge is at least as close as a person, mean over the people."""
    places = {code: at for at, code in enumerate(raters)}
    m = max(1, len(places))
    place = np.array([places.get(code, -1) for code in range(len(panel.raters))], np.int64)
    at = place[fights.rater] if len(fights.rater) else fights.rater
    rows = np.flatnonzero(at >= 0)
    cell = panel.block[fights.unit[rows]] * m + at[rows]
    wins, counts = (
        np.bincount(cell, values, panel.n_blocks * m).reshape(panel.n_blocks, m)
        for values in (fights.judge_wins[rows].astype(np.float64), np.ones(len(rows)))
    )
    sums = np.stack([wins, counts], axis=1)
    return Estimate.of(sums, lambda s: (s[:, 0] / s[:, 1]).mean(axis=1))


def hold(people: Panel, judge: Ints, rule: Rule, *, charged: bool = False) -> AltTest:
    """The test of one judge; ``charged``: an abstention is a loss."""
    fights = duels(people, judge, rule.score, charged=charged)
    counts = np.bincount(fights.rater, minlength=len(people.raters))
    who = np.flatnonzero(counts >= rule.fewest_instances).tolist()
    few = np.unique(people.rater).tolist()
    order = np.argsort(fights.rater, kind="stable")
    ends = np.cumsum(counts)
    tests = [_test(fights, order[ends[c] - counts[c] : ends[c]], people, rule) for c in who]
    rejected = _benjamini_yekutieli([p for _, p in tests], rule.q)
    share = sum(rejected) / len(tests) if tests else None
    return AltTest(
        winning_rate=share,
        passes=None if share is None else share >= PASSING_RATE,
        advantage=advantage(fights, people, who).measured(
            Kind.PROPORTION, rule.level, f"nobody has {rule.fewest_instances} instances"
        ),
        raters={
            people.raters[code]: test.model_copy(update={"passes": won, "p_value": p})
            for code, (test, p), won in zip(who, tests, rejected, strict=True)
        },
        too_few={people.raters[code]: int(counts[code]) for code in few if code not in who},
    )


def _test(fights: Duels, rows: Ints, panel: Panel, rule: Rule) -> tuple[RaterTest, float]:
    d, blocks = fights.difference[rows], panel.block[fights.unit[rows]]
    mean, n = float(d.mean()), len(d)
    p, method = _p_value(d, blocks, panel.n_blocks, rule)
    test = RaterTest(
        instances=n,
        difference=mean,
        advantage=float(fights.judge_wins[rows].mean()),
        p_value=p,
        method=method,
        passes=False,
    )
    return test, p


def _p_value(
    d: Floats, block: Ints, n_blocks: int, rule: Rule
) -> tuple[float, Literal["t", "wilcoxon", "by_case", "sign"]]:
    """The chance of so low a mean D if it were ε or more, and how it was reckoned."""
    from scipy.special import stdtr

    n, mean = len(d), float(d.mean())
    if rule.by_case:
        sums = by_block(block, n_blocks, d, np.ones(n))
        sums = sums[sums[:, 1] > 0]
        cases = len(sums)
        rest = sums[:, 0] - mean * sums[:, 1]
        variance = cases / max(1, cases - 1) * float(rest @ rest) / n**2
        degrees, method = cases - 1, "by_case"
    else:
        variance = float(d.var(ddof=1)) / n if n > 1 else 0.0
        degrees, method = n - 1, "t"
    if variance == 0.0 or degrees < 1:
        return float(mean >= rule.epsilon), "sign"
    if not rule.by_case and n < TESTED_BY_T:
        from scipy.stats import wilcoxon

        return float(wilcoxon(d - rule.epsilon, alternative="less").pvalue), "wilcoxon"
    p = float(stdtr(degrees, (mean - rule.epsilon) / np.sqrt(variance)))
    return p, "by_case" if method == "by_case" else "t"


def _benjamini_yekutieli(p_values: Sequence[float], q: float) -> list[bool]:
    """Which are rejected where at most a share q of the rejections may be false.

    >>> _benjamini_yekutieli([0.04, 0.001, 0.5], 0.05)
    [False, True, False]
    """
    m = len(p_values)
    if not m:
        return []
    order = np.argsort(p_values, kind="stable")
    bar = np.arange(1, m + 1) / m * q / (1 / np.arange(1, m + 1)).sum()
    under = np.flatnonzero(np.asarray(p_values)[order] <= bar)
    last = int(under[-1]) + 1 if len(under) else 0
    out = np.zeros(m, np.bool_)
    out[order[:last]] = True
    return [bool(rejected) for rejected in out]
