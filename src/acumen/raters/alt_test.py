r"""The alternative annotator test: may a judge stand in for one of the people?

On each instance of a person j (a unit that j and another person rated) the judge and j are
compared with what the others said. :math:`W_f` is 1 where the judge is at least as close to them
as j, :math:`W_h` where j is at least as close as the judge. The judge passes j where the mean of
:math:`D = W_h - W_f` is below ε, and passes the test where it passes half of the people.

Calderon, Reichart and Dror (2025), ACL.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from acumen.defaults import CONFIDENCE_LEVEL, EPSILON, FALSE_DISCOVERY, PASSING_RATE, TESTED_BY_T
from acumen.errors import UsageError, what_came
from acumen.inference.distributions import t_cdf
from acumen.inference.jackknife import Jackknife
from acumen.inference.sums import Estimate, by_block
from acumen.inference.unseen import chance_unseen
from acumen.metrics.registry import Kind
from acumen.raters.panel import Panel
from acumen.raters.reading import Ints
from acumen.results.raters import AltTest, RaterTest
from acumen.types import Floats

Score = Literal["ordinal", "nominal"]


@dataclass(frozen=True, slots=True)
class Rule:
    """How the test is held, and at which level intervals are made."""

    score: Score = "ordinal"
    epsilon: float = EPSILON
    q: float = FALSE_DISCOVERY
    fewest_instances: int = TESTED_BY_T
    by_row: bool = False
    """Whether units of a case are taken for independent ones."""
    confidence_level: float = CONFIDENCE_LEVEL

    def __post_init__(self) -> None:
        if self.score not in get_args(Score):
            raise UsageError(f"a score is ordinal or nominal, not {what_came(self.score)}")
        for name in ("q", "confidence_level"):
            if not 0.0 < getattr(self, name) < 1.0:
                value, words = getattr(self, name), name.replace("_", " ")
                raise UsageError(f"the {words} must lie between 0 and 1, not {value}")
        if not 0.0 <= self.epsilon < 1.0:
            raise UsageError(f"epsilon must be at least 0 and below 1, not {self.epsilon}")
        if self.fewest_instances < 2:
            raise UsageError(f"a test takes at least 2 instances, not {self.fewest_instances}")


@dataclass(frozen=True, eq=False)
class Duels:
    """One row an instance: whose it is, where, and who was at least as close to the others."""

    panel: Panel
    rater: Ints
    unit: Ints
    judge_wins: NDArray[np.bool_]
    person_wins: NDArray[np.bool_]

    @classmethod
    def of(cls, people: Panel, judge: Ints, score: Score, *, charged: bool = False) -> Duels:
        """Every instance; ``charged`` counts a judge that gave nothing as one that lost."""
        rows = np.flatnonzero(people.per_unit[people.unit] > 1)
        rows = rows if charged else rows[judge[people.unit[rows]] >= 0]
        unit, level = people.unit[rows], people.level[rows]
        answer, lost = judge[unit], _far if score == "ordinal" else _unlike
        of_person, of_judge = (lost(people, unit, level, a) for a in (level, answer))
        silent = answer < 0
        wins = ~silent & (of_judge <= of_person), silent | (of_person <= of_judge)
        return cls(people, people.rater[rows], unit, *wins)

    @property
    def weights(self) -> Floats:
        """How often each instance counts."""
        of_blocks = self.panel.weight
        return (
            np.ones(len(self.unit)) if of_blocks is None else of_blocks[self.panel.block[self.unit]]
        )

    def many(self, fewest: int) -> list[int]:
        """People who have so many instances, by code."""
        return np.flatnonzero(np.bincount(self.rater) >= fewest).tolist()

    def advantage(self, raters: Sequence[int]) -> Estimate:
        """The chance that the judge is at least as close as a person, mean over the people."""
        rows = np.flatnonzero(np.isin(self.rater, raters))
        m, blocks = max(1, len(raters)), self.panel.n_blocks
        place = np.searchsorted(np.asarray(raters), self.rater[rows])
        cell = self.panel.block[self.unit[rows]] * m + place
        sums = by_block(cell, blocks * m, self.judge_wins[rows], np.ones(len(rows)))
        return self.panel.estimate(
            sums.reshape(blocks, m, 2), lambda s: (s[:, :, 0] / s[:, :, 1]).mean(axis=1)
        )


def _far(people: Panel, unit: Ints, own: Ints, answer: Ints) -> Any:
    """The summed squares between an answer and the others' ratings: whole, so ties are exact."""
    rank = people.ranks[people.level].astype(np.float64)
    total, squares = (
        np.bincount(people.unit, v, len(people.block))[unit].astype(np.int64)
        for v in (rank, rank**2)
    )
    others, x, y = people.per_unit[unit] - 1, people.ranks[own], people.ranks[answer]
    return others * y * y - 2 * y * (total - x) + squares - x * x


def _unlike(people: Panel, unit: Ints, own: Ints, answer: Ints) -> Any:
    """How many of the others gave another level."""
    cells, counts = np.unique(people.unit * people.size + people.level, return_counts=True)
    key = unit * people.size + answer
    at = np.minimum(np.searchsorted(cells, key), len(cells) - 1)
    alike = np.where(cells[at] == key, counts[at], 0) - (answer == own)
    return people.per_unit[unit] - 1 - alike


def hold(people: Panel, judge: Ints, rule: Rule, *, charged: bool = False) -> AltTest:
    """The test of one judge; ``charged``: an abstention is a loss."""
    duels = Duels.of(people, judge, rule.score, charged=charged)
    counts = np.bincount(duels.rater, minlength=len(people.raters))
    who, ends = duels.many(rule.fewest_instances), np.cumsum(counts)
    order = np.argsort(duels.rater, kind="stable")
    tests = [_test(duels, order[ends[code] - counts[code] : ends[code]], rule) for code in who]
    verdicts = _benjamini_yekutieli([test.p_value for test in tests], rule.q)
    share = sum(verdicts) / len(tests) if tests else None
    few = f"nobody has {rule.fewest_instances} instances"
    return AltTest(
        winning_rate=share,
        passes=None if share is None else share >= PASSING_RATE,
        advantage=duels.advantage(who).measured(Kind.PROPORTION, rule.confidence_level, few),
        raters={
            people.raters[code]: test.model_copy(update={"passes": passes})
            for code, test, passes in zip(who, tests, verdicts, strict=True)
        },
        too_few={
            people.raters[code]: int(counts[code])
            for code in np.unique(people.rater).tolist()
            if counts[code] < rule.fewest_instances
        },
    )


def _test(duels: Duels, rows: Ints, rule: Rule) -> RaterTest:
    """The chance of so low a mean D if it were ε or more, and how it was reckoned."""
    d = duels.person_wins[rows].astype(np.float64) - duels.judge_wins[rows]
    weight = duels.weights[rows]
    mean, n = float(np.average(d, weights=weight)), len(d)
    method: Literal["t", "wilcoxon", "by_case", "sign"] = "t"
    _, case = np.unique(duels.panel.block[duels.unit[rows]], return_inverse=True)
    several = not rule.by_row and np.bincount(case).max() > 1
    if several or duels.panel.weight is not None:
        sums, sizes = np.bincount(case, d * weight), np.bincount(case, weight)
        p, method = (
            _by_case(sums.astype(np.float64), sizes.astype(np.float64), rule.epsilon),
            "by_case",
        )
    elif not d.std():
        p, method = float(mean >= rule.epsilon), "sign"
    elif n < TESTED_BY_T:
        p, method = _signed_rank(d - rule.epsilon), "wilcoxon"
    else:
        p = t_cdf(n - 1, (mean - rule.epsilon) / math.sqrt(float(d.var()) / (n - 1)))
    return RaterTest(
        instances=n,
        difference=mean,
        advantage=float(np.average(duels.judge_wins[rows], weights=weight)),
        p_value=p,
        method=method,
        passes=False,
    )


def _signed_rank(values: Floats) -> float:
    """p of "these lie around 0 or above" by Wilcoxon's test, over all signs that ranks may have.

    >>> _signed_rank(np.array([-3.0, -1.0, 2.0]))  # rank 2 or less is right in 3 of 8
    0.375
    """
    size = np.abs(values[values != 0])
    twice = [int((size < x).sum() + (size <= x).sum()) + 1 for x in size]  # a tie shares its ranks
    ways = np.ones(1)
    for rank in twice:
        ways = np.pad(ways, (0, rank)) + np.pad(ways, (rank, 0))
    above = sum(rank for rank, x in zip(twice, values[values != 0], strict=True) if x > 0)
    return float(ways[: above + 1].sum() / ways.sum())


def _by_case(sums: Floats, sizes: Floats, epsilon: float) -> float:
    r"""The same where cases are drawn, and not rows: of ``sums`` over cases of ``sizes``.

    The t-test of a ratio knows the cases it saw. With a share :math:`q = (\epsilon - D)/(1 - D)` of
    cases in which the judge always loses the mean would be ε, and n equal ones show none of them
    with chance :math:`(1 - q)^n`; p is the larger.

    >>> round(_by_case(np.zeros(20), np.full(20, 4.0), 0.15), 4)  # 0.85 to the 20th
    0.0388
    """
    n, total = len(sums), sizes.sum()
    if n < 2:
        return 1.0  # whatever one case says, another may say the opposite
    mean = float(sums.sum()) / total
    jackknife = Jackknife.of_influence((sums - mean * sizes) / total)
    above, error = mean - epsilon, jackknife.standard_error
    p = t_cdf(jackknife.degrees, above / error) if error else float(above >= 0.0)
    if above >= 0.0:
        return p
    return max(p, chance_unseen(sizes, -above / (1.0 - mean)))


def _benjamini_yekutieli(p_values: Sequence[float], q: float) -> list[bool]:
    """Which are rejected where at most a share q of the rejections may be false.

    >>> _benjamini_yekutieli([0.04, 0.001, 0.5], 0.05)
    [False, True, False]
    """
    places = np.arange(1, len(p_values) + 1)
    bars = places / max(1, len(places)) * q / max(1.0, float((1 / places).sum()))
    under = np.sort(p_values)[np.sort(p_values) <= bars]
    return [bool(len(under) and p <= under[-1]) for p in p_values]
