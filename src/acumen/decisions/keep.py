"""Which cut keeps a share of all rows, and what risk can then be promised?

The cut looks at confidences alone. One cut is one test, so nothing is paid for a search: the risk
that is promised is the smallest one that the test still certifies.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Final

import numpy as np

from acumen.decisions.sample import Sample
from acumen.decisions.threshold import Search
from acumen.errors import DataError, UsageError
from acumen.results.decisions import Point

PRECISE: Final = 1e-4
"""Of a promised risk, as a share of the largest loss; it is rounded up."""


def cut_for(sample: Sample, coverage: float, search: Search) -> tuple[Sample, float]:
    """The rows to test, and the cut above which the surest rows reach the coverage.

    Where an exact test of several rows a case must not see its own cut, a fifth of the cases makes
    it and the others are tested.
    """
    if search.method in ("sgr", "crc"):
        raise UsageError(f"{search.method} searches for a cut of its own; take exact or approx")
    if search.method == "exact" and bool((sample.rows > 1).any()):
        places, apart = np.arange(sample.n), math.ceil(sample.n / 5)
        if sample.n - apart < 2:
            raise DataError([f"{sample.n} cases are too few to set a fifth of them apart"])
        makers, tested = sample.of_cases(places[:apart]), sample.of_cases(places[apart:])
        return tested, _cut(makers, coverage)
    return sample, _cut(sample, coverage)


def _cut(sample: Sample, coverage: float) -> float:
    falling = np.unique(sample.confidence)[::-1]
    if not len(falling):
        raise DataError(["there is no answer: no coverage is reached"])
    cuts = np.append(falling[1:], -np.inf)
    shares = sample.weighted(sample.accepted(cuts)[0]) / sample.counts.sum()
    reached = np.flatnonzero(shares >= coverage - 1e-9)
    if not len(reached):
        most = f"{shares[-1]:.1%}"
        raise DataError([f"{most} of all rows are answered: a coverage of {coverage:.1%} is more"])
    return float(cuts[reached[0]])


def promise(sample: Sample, cut: float, search: Search) -> tuple[Search, Point]:
    """The search at the smallest risk that is certified above the cut, and the point there."""
    whole = replace(search, starts=(1.0,))

    def at(alpha: float) -> tuple[Search, Point]:
        own = replace(whole, alpha=alpha)
        return own, own.certify(sample, np.array([cut]))[0]

    low, high = 0.0, 1.0 - PRECISE
    best = at(high)
    if not best[1].certified:
        return best
    while high - low > PRECISE:
        middle = (low + high) / 2.0
        trial = at(middle)
        if trial[1].certified:
            high, best = middle, trial
        else:
            low = middle
    return best
