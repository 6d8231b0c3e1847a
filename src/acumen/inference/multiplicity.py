"""When several things are compared at once: Holm's adjustment, and simultaneous intervals."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from itertools import combinations
from typing import TypeVar

import numpy as np

from acumen.defaults import CONFIDENCE_LEVEL
from acumen.inference.distributions import t_quantile
from acumen.inference.jackknife import Jackknife
from acumen.inference.replicates import MOST_DROPPED, Replicates, between, quantiles
from acumen.values.measured import Absence, Interval, NoInterval

K = TypeVar("K", bound=Hashable)


def holm(p_values: Mapping[K, float | None]) -> dict[K, float | None]:
    """Adjusted p-values that keep the chance of any false alarm at its level; null stays null.

    Holm (1979), Scand. J. Stat. 6.

    >>> holm({"a": 0.01, "b": 0.04, "c": 0.03})
    {'a': 0.03, 'b': 0.06, 'c': 0.06}
    """
    known = {key: p for key, p in p_values.items() if p is not None}
    adjusted: dict[K, float | None] = dict.fromkeys(p_values)
    largest = 0.0
    for rank, key in enumerate(sorted(known, key=known.__getitem__)):
        largest = max(largest, min(1.0, (len(known) - rank) * known[key]))
        adjusted[key] = largest
    return adjusted


def simultaneous(
    estimates: Mapping[str, float],
    replicates: Mapping[str, Replicates],
    n_cases: int,
    level: float = CONFIDENCE_LEVEL,
) -> dict[tuple[str, str], Interval | NoInterval]:
    r"""Intervals of all pairwise differences that hold together (max-T).

    The critical value is the quantile over resamples of the largest standardised deviation among
    all pairs, widened by Student's t for the number of cases. Whatever pair is picked after seeing
    the data, "the best" among them, its interval keeps the level. Romano and Wolf (2005),
    Econometrica 73.
    """
    pairs = list(combinations(estimates, 2))
    values = np.array([replicates[name].values for name in estimates])
    probability = replicates[pairs[0][0]].probability if pairs else None
    if not pairs or n_cases < 2 or values.size == 0:
        return {pair: NoInterval(why=Absence.TOO_FEW_CASES, count=2, of=n_cases) for pair in pairs}
    whole = np.isfinite(values).all(axis=0)
    chance = np.full(whole.size, 1 / whole.size) if probability is None else probability
    if chance[whole].sum() < (1 - MOST_DROPPED) * chance.sum():
        dropped = 1 - float(chance[whole].sum() / chance.sum())
        return dict.fromkeys(pairs, NoInterval(why=Absence.UNDEFINED_IN_RESAMPLES, share=dropped))
    chance = chance[whole] / chance[whole].sum()
    rows = dict(zip(estimates, values[:, whole], strict=True))
    error, largest = {}, np.zeros(len(chance))
    for a, b in pairs:
        off = np.abs(rows[b] - rows[a] - (estimates[b] - estimates[a]))
        error[a, b] = float(np.sqrt(chance @ off**2))
        if error[a, b] > 0.0:
            largest = np.maximum(largest, off / error[a, b])
    student = t_quantile(level, n_cases - 1) / t_quantile(level, np.inf)
    _, high = quantiles(largest, (1 - level, level), None if probability is None else chance)
    critical = high * student
    intervals: dict[tuple[str, str], Interval | NoInterval] = {}
    for a, b in pairs:
        delta, reach = estimates[b] - estimates[a], critical * error[a, b]
        intervals[a, b] = between(delta - reach, delta + reach, "max-T", level, error[a, b])
    return intervals


def linear_replicates(
    values: Mapping[str, float], jackknives: Sequence[Jackknife], size: int, seed: int
) -> dict[str, Replicates]:
    """What resamples of very many cases come to: normal, with the variances of the jackknives.

    Those that move alike have the same replicates; empty where some lack other cases than others.
    """
    if len({jackknife.n for jackknife in jackknives}) > 1:
        return {}
    moves = np.stack([jackknife.deviations for jackknife in jackknives])
    distinct, which = np.unique(moves, axis=0, return_inverse=True)
    spread, axes = np.linalg.eigh(distinct @ distinct.T * (1 - 1 / moves.shape[1]))
    normal = np.random.default_rng(seed).standard_normal((len(spread), size))
    draws = (axes * np.sqrt(np.maximum(spread, 0.0)) @ normal)[which.ravel()]
    return {
        name: Replicates(value + draw)
        for (name, value), draw in zip(values.items(), draws, strict=True)
    }


def best_of(
    estimates: Mapping[str, float],
    replicates: Mapping[str, Replicates],
    n_cases: int,
    *,
    lower_is_better: bool = True,
    level: float = CONFIDENCE_LEVEL,
) -> tuple[str, list[str]]:
    """The best by its estimate, and those not shown to differ from it at this level."""
    sign = 1.0 if lower_is_better else -1.0
    best = min(estimates, key=lambda name: sign * estimates[name])
    intervals = simultaneous(estimates, replicates, n_cases, level)
    return best, [
        b if a == best else a
        for (a, b), interval in intervals.items()
        if best in (a, b) and (isinstance(interval, NoInterval) or interval.has_zero)
    ]
