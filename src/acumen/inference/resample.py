"""Resampling: weightings of the cases, in blocks, and any statistic of them.

The engine never learns which metric it serves. A *plan* of weightings (bootstrap, Poisson, exact
enumeration, leave-one-out) hands out blocks of
:class:`~acumen.views.weights.CaseWeights`; a *statistic* turns a block into numbers; threads share
the blocks. A block's content depends on nothing but the seed and the replicates in it.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Final, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from acumen.defaults import RESAMPLES, SEED
from acumen.errors import UsageError
from acumen.threads import share
from acumen.types import Floats
from acumen.views.weights import CaseWeights

MOST_LEFT_OUT: Final = 1000
"""Beyond this many cases, groups of them are left out instead of each."""
MOST_GROUPS: Final = 500
_BLOCK_CELLS: Final = 1 << 18
"""Cells of a block (cases × lanes) that stay in a processor's cache."""

Statistic = Callable[[CaseWeights], Floats]
"""Block of weightings -> ``(statistics, lanes)``."""


class Plan(Protocol):
    """A list of weightings of the cases, handed out in blocks."""

    @property
    def n_cases(self) -> int:
        """How many cases are weighed."""

    @property
    def size(self) -> int:
        """How many weightings there are."""

    def block(self, start: int, stop: int) -> NDArray[Any]:
        """Weightings ``start`` to ``stop`` as ``(case, lane)``."""


@dataclass(frozen=True)
class Bootstrap:
    """Cases drawn with replacement, as counts; or independent Poisson(1) counts."""

    n_cases: int
    size: int = RESAMPLES
    seed: int = SEED
    weights: Literal["multinomial", "poisson"] = "multinomial"
    probability: None = None
    """All resamples are equally likely."""

    def __post_init__(self) -> None:
        if not 0 <= self.seed < 2**64:
            raise UsageError(f"the seed must be between 0 and 2^64 - 1, not {self.seed}")

    def block(self, start: int, stop: int) -> NDArray[Any]:
        """Counts over the cases; a uint16 holds any count that is ever drawn."""
        small = self.n_cases * (stop - start) <= _BLOCK_CELLS
        return (_drawn if small else _drawn.__wrapped__)(self, start, stop)


@lru_cache(maxsize=16)  # all confidence functions and differences of a study draw the same
def _drawn(plan: Bootstrap | Swaps, start: int, stop: int) -> NDArray[Any]:
    from acumen.inference.philox import draw_cases, draw_poisson, draw_swaps

    counts = np.zeros((plan.n_cases, stop - start), np.uint16)
    if isinstance(plan, Swaps):
        draw_swaps(np.uint64(plan.seed), start, counts)
    elif plan.weights == "poisson":
        chance = [math.exp(-1) / math.factorial(k) for k in range(24)]
        draw_poisson(np.uint64(plan.seed), start, np.cumsum(chance), counts)
    else:
        draw_cases(np.uint64(plan.seed), start, plan.n_cases, counts)
        if (counts.sum(axis=0, dtype=np.int64) != plan.n_cases).any():
            raise OverflowError("a case was drawn more than 65,535 times")
    return counts


@dataclass(frozen=True)
class Enumeration:
    """Every resample of a few cases, once, with its probability."""

    n_cases: int

    @property
    def size(self) -> int:
        """How many distinct resamples there are."""
        return number_of_resamples(self.n_cases)

    @cached_property
    def _counts(self) -> NDArray[np.uint16]:
        return np.array(list(_compositions(self.n_cases, self.n_cases)), np.uint16).T

    @cached_property
    def probability(self) -> Floats:
        """Chance of each resample under drawing with replacement."""
        n = self.n_cases
        log_n = math.lgamma(n + 1) - n * math.log(n)
        factorials = np.array([math.lgamma(k + 1) for k in range(n + 1)])
        chance: Floats = np.exp(log_n - factorials[self._counts].sum(axis=0))
        return chance

    def block(self, start: int, stop: int) -> NDArray[Any]:
        """Counts over the cases."""
        return np.ascontiguousarray(self._counts[:, start:stop])


@dataclass(frozen=True)
class LeaveOut:
    """The study without each case in turn, or without each of a few groups of cases.

    Of two sides, one after the other, every case counts twice and is left out once: a metric may be
    undefined without a case and is not with half of it.
    """

    n_cases: int
    size: int
    """How many groups there are; as many as cases leave out single ones."""
    sides: int = 1
    group: NDArray[np.int64] | None = None
    """The group of each case of a side; by default they are dealt as they are numbered."""

    @classmethod
    def of(cls, n_cases: int, sides: int = 1) -> LeaveOut:
        """Without each case; of very many cases, without each of a few hundred groups."""
        groups = n_cases if n_cases <= MOST_LEFT_OUT else MOST_GROUPS
        return cls(sides * n_cases, sides * groups, sides)

    def block(self, start: int, stop: int) -> NDArray[Any]:
        """Ones, and zeros for what is left out; of two sides twos, and ones."""
        groups = self.size // self.sides
        side = self.group
        if side is None:
            side = np.arange(self.n_cases // self.sides) % groups
        group = (groups * np.arange(self.sides)[:, None] + side).ravel()
        out: NDArray[np.bool_] = group[:, None] == np.arange(start, stop)
        return np.where(out, self.sides - 1, self.sides).astype(np.uint16)


@dataclass(frozen=True)
class Swaps:
    """Coin tosses, one a case: which systems to swap. All of them when there are few."""

    n_cases: int
    most: int = RESAMPLES
    seed: int = SEED

    @property
    def is_exact(self) -> bool:
        """Whether every combination is there, once."""
        return self.n_cases < 63 and 2**self.n_cases <= self.most

    @property
    def size(self) -> int:
        """How many combinations there are."""
        return 2**self.n_cases if self.is_exact else self.most

    def block(self, start: int, stop: int) -> NDArray[Any]:
        """1 where a case's two systems are swapped."""
        if self.is_exact:
            combination = np.arange(start, stop)
            return ((combination >> np.arange(self.n_cases)[:, None]) & 1).astype(np.uint16)
        small = self.n_cases * (stop - start) <= _BLOCK_CELLS
        return (_drawn if small else _drawn.__wrapped__)(self, start, stop)


def plan_resamples(
    n_cases: int,
    size: int = RESAMPLES,
    seed: int = SEED,
    weights: Literal["multinomial", "poisson"] = "multinomial",
) -> Bootstrap | Enumeration:
    """Every resample when there are no more than ``size``, else ``size`` random ones."""
    if weights == "multinomial" and n_cases >= 2 and number_of_resamples(n_cases) <= size:
        return Enumeration(n_cases)
    return Bootstrap(n_cases, size, seed, weights)


def number_of_resamples(n_cases: int) -> int:
    """Distinct resamples of n cases: C(2n − 1, n).

    >>> [number_of_resamples(n) for n in (1, 2, 3, 8)]
    [1, 3, 10, 6435]
    """
    return math.comb(2 * n_cases - 1, n_cases)


def cores() -> int:
    """Cores that this process may use: in a container or on a queue, fewer than there are."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def lanes_for(n_cases: int) -> int:
    """How many weightings travel abreast: many for few cases, 16 for very many."""
    return 16 * max(1, min(512, _BLOCK_CELLS // (16 * max(1, n_cases))))


def replicate(
    statistic: Statistic,
    plan: Plan,
    *,
    threads: int | None = None,
    advance: Callable[[int], None] | None = None,
) -> Floats:
    """The statistic under every weighting of the plan: ``(statistics, plan.size)``.

    ``advance`` is told how many weightings are done, for a progress bar.

    >>> counts = replicate(lambda block: block.counts.sum(axis=0)[None, :], Bootstrap(5, 3))
    >>> counts.tolist()
    [[5.0, 5.0, 5.0]]
    """
    lanes = lanes_for(plan.n_cases)
    starts = range(0, plan.size, lanes)

    def work(start: int) -> Floats:
        stop = min(start + lanes, plan.size)
        values = statistic(CaseWeights(plan.block(start, stop)))
        if advance is not None:
            advance(stop - start)
        return values

    parts = share(work, starts, threads or cores())
    whole = np.empty((len(parts[0]) if parts else 0, plan.size))
    for start, part in zip(starts, parts, strict=True):  # unlike np.concatenate, lets others work
        whole[:, start : start + lanes] = part
    return whole


def _compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    if parts == 1:
        yield (total,)
        return
    for first in range(total, -1, -1):
        for rest in _compositions(total - first, parts - 1):
            yield (first, *rest)
