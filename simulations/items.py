"""Do intervals for new cases *and* new items hold?

Every case answers the same items, and items differ in difficulty: a logit of the case, of the item
and of a row decide together. The truth is the metric on very many cases and items.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from acumen.inference.infer import infer
from acumen.inference.matched import compare_matched
from acumen.inference.options import Options
from acumen.inference.paired import compare
from acumen.metrics import METRICS
from acumen.table.judgments import NO_PREDICTION
from acumen.values.measured import Interval
from acumen.views.confusion import confuse
from acumen.views.ranking import rank

STUDIES: Final = 400
SPREADS: Final = (0.0, 0.5, 1.0)
"""Standard deviations of the items' difficulty, in logits."""
SHAPES: Final = ((41, 8), (300, 8), (41, 40), (300, 40))
JUDGED: Final = SHAPES[:3]
"""Shapes in which verdicts are counted, at the largest spread."""
CROWD: Final = (3_000, 600)
"""Cases and items that stand for the population."""
RANKED: Final = tuple(METRICS[name] for name in ("accuracy", "mean_loss", "aurc", "augrc"))
LEVELS: Final = (METRICS["quadratic_kappa"],)


def study(
    rng: np.random.Generator, n: int, k: int, spread: float, systems: int = 1
) -> list[tuple[Any, Any]]:
    """Ranking and levels of each system on the same cases and items."""
    case, item = np.repeat(np.arange(n), k), np.tile(np.arange(k), n)
    hard = 0.6 * rng.normal(size=n)[case] + spread * rng.normal(size=k)[item]
    truth = np.searchsorted(np.cumsum((0.45, 0.28, 0.17)), rng.random(n * k))
    both: dict[str, Any] = {"case": case, "n_cases": n, "item": item}
    views = []
    for _ in range(systems):
        own = 0.5 * spread * rng.normal(size=k)[item] + 0.3 * rng.normal(size=n)[case]
        wrong = rng.random(n * k) < 1 / (1 + np.exp(1.2 - hard - own))
        up = np.where(truth == 3, -1, np.where(truth == 0, 1, rng.choice((-1, 1), n * k)))
        prediction = truth + wrong * up
        sure = -0.7 * hard + 1.2 * rng.normal(size=n * k) - 0.8 * wrong
        answered = rng.random(n * k) < 0.9
        off = np.where(answered, np.abs(truth - prediction), 0)
        views.append(
            (
                rank(off, sure, answered, most_loss=3, **both),
                confuse(truth, np.where(answered, prediction, NO_PREDICTION), levels=4, **both),
            )
        )
    return views


def truth_of(spread: float) -> dict[str, float]:
    """Each metric on very many cases and items."""
    views = [study(np.random.default_rng([5, s]), *CROWD, spread)[0] for s in range(4)]
    return {
        m.name: float(np.mean([m.measure(pair[place]).value for pair in views]))
        for place, metrics in enumerate((RANKED, LEVELS))
        for m in metrics
    }


def cover(n: int, k: int, spread: float, studies: int) -> dict[tuple[str, str], tuple[int, int]]:
    """(metric, how items are read) -> intervals, and how many of them hold the truth."""
    true = truth_of(spread)
    counts: dict[tuple[str, str], list[int]] = {}

    def add(key: tuple[str, str], interval: Any, value: float) -> None:
        cell = counts.setdefault(key, [0, 0])
        if isinstance(interval, Interval):
            cell[0] += 1
            cell[1] += interval.low <= value <= interval.high

    for number in range(studies):
        left, right = study(np.random.default_rng([n, k, number]), n, k, spread, systems=2)
        for place, metrics in enumerate((RANKED, LEVELS)):
            for items in ("fixed", "random"):
                options = Options(resamples=0, seed=number, swaps=499, threads=1, items=items)
                for name, one in infer(metrics, left[place], options).items():
                    add((name, items), one.interval, true[name])
                for name, delta in compare(metrics, left[place], right[place], options).items():
                    add((f"Δ {name}", items), delta.interval, 0.0)
    return {key: (cell[0], cell[1]) for key, cell in counts.items()}


def judge(n: int, k: int, spread: float, studies: int) -> dict[str, list[int]]:
    """How items are read -> studies of equal systems: verdicts, intervals with 0, false claims."""
    counts = {"fixed": [0, 0, 0], "random": [0, 0, 0]}
    for number in range(studies):
        (left, _), (right, _) = study(
            np.random.default_rng([n, k, number]), n, k, spread, systems=2
        )
        for items, cell in counts.items():
            options = Options(
                resamples=0, threads=1, items="fixed" if items == "fixed" else "random"
            )
            matched = compare_matched(left, right, options)
            matched = matched.decided(matched.p_value, 1.0 - options.confidence_level)
            if (interval := matched.difference.interval) is not None:
                cell[0] += 1
                cell[1] += interval.has_zero
                cell[2] += matched.favours is not None
    return counts


NAMES: Final = tuple(f"{delta}{m.name}" for delta in ("", "Δ ") for m in (*RANKED, *LEVELS))


def count(spread: float, shape: int, studies: int) -> dict[str, list[list[int]]]:
    """Name -> (intervals, those that hold the truth), items fixed and random."""
    counts = cover(*SHAPES[shape], spread, studies)
    return {name: [list(counts[name, items]) for items in ("fixed", "random")] for name in NAMES}
