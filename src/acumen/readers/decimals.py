"""Decimal scores on a scale of levels: 3.7 on 1–5, distinguished from a scale with half points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from acumen.errors import counted
from acumen.readers.answers import MOST_STRAY, Silence
from acumen.readers.cells import recoded
from acumen.readers.guess import Column, Guess
from acumen.table.coded import Coded
from acumen.table.levels import levels_seen, number_in
from acumen.table.scale import Scale
from acumen.types import Floats

SPAN: Final = 0.6
"""How much of a scale decimals run over before a column is taken for them."""
QUARTERS: Final = 4
"""Scores that all lie on quarters are levels of a finer scale."""


@dataclass(frozen=True, eq=False)
class Decimals:
    """Scores as ranks, and the level next to each."""

    levels: Coded
    score: Floats
    """Row by row, as a rank; NaN where there is none."""
    note: str


def read_decimals(column: Coded, scale: Scale) -> Decimals | None:
    """A column of predictions as decimals; None where it is one of levels.

    More than a tenth of its numbers must lie between two levels, and not all on quarters.
    """
    if not scale.is_numeric:
        return None
    low, step = scale.levels[0], scale.step
    assert not isinstance(low, str)
    assert step is not None
    numbers = [number_in(value) for value in column.values]
    ranks = np.array([np.nan if n is None else (n - low) / step for n in numbers])
    inside = (ranks > -1e-9) & (ranks < scale.range + 1e-9)
    beside = column.counts[~inside & ~np.isnan(ranks)].sum()
    if beside > MOST_STRAY * column.counts[inside].sum():  # another scale is meant
        return None
    if not _are_between(ranks[inside], column.counts[inside]):
        return None
    # half-way between two levels is the lower one, as of equally good levels
    near = np.clip(np.ceil(ranks - 0.5 - 1e-9), 0, scale.range)
    values = [
        scale.levels[int(rank)] if is_inside else value
        for value, rank, is_inside in zip(column.values, near, inside, strict=True)
    ]
    score = column.spread(np.where(inside, ranks.clip(0, scale.range), np.nan), np.nan, np.float64)
    some = counted(int(column.counts[inside].sum()), "row")
    note = f"prediction: decimals in {some}, read as they are; levels are those next to them"
    return Decimals(recoded(column.codes, values), score, note)


def _are_between(ranks: Floats, counts: NDArray[np.int64]) -> bool:
    """Whether numbers lie between levels, more than a few of them, and not all on quarters."""
    off = np.abs(ranks - np.round(ranks)) > 1e-6
    fine = np.abs(ranks * QUARTERS - np.round(ranks * QUARTERS)) > 1e-6
    return bool(fine.any()) and bool(counts[off].sum() > MOST_STRAY * counts.sum())


def guess_decimals(columns: Sequence[Column], truth: Column) -> Guess | None:
    """The one column of decimals that run over most of three levels or more; None of several."""
    levels = truth.distinct if truth.is_numeric and truth.has_levels else []
    if len(levels) < 3 or not all(float(level).is_integer() for level in levels):
        return None
    low, high = levels[0], levels[-1]
    decimals = []
    for column in columns:
        values = np.array([v for v in column.values if v is not None] if column.is_numeric else [])
        inside = values[(values >= low) & (values <= high)]
        if len(inside) < (1 - MOST_STRAY) * max(1, len(values)):
            continue
        counts = np.ones(len(inside), np.int64)
        if np.ptp(inside) > SPAN * (high - low) and _are_between(inside - low, counts):
            decimals.append(column)
    return Guess(decimals[0], "numbers between the truth's levels") if len(decimals) == 1 else None


def ends_of_decimals(truth: Coded | None, answers: Coded, silence: Silence) -> Coded:
    """The answers as a scale is told by them: of decimals the whole levels around them."""
    known = levels_seen(silence.numbers(truth))
    if len(known) < 2:
        return answers
    low, step = float(known[0]), float(known[1]) - float(known[0])
    numbers = [number_in(value) for value in answers.values]
    ranks = np.array([np.nan if n is None else (n - low) / step for n in numbers])
    there = ~np.isnan(ranks)
    if step < 1 or not _are_between(ranks[there], answers.counts[there]):
        return answers
    ends = np.floor(ranks[there].min() + 1e-9), np.ceil(ranks[there].max() - 1e-9)
    return Coded.of([low + step * float(end) for end in ends])
