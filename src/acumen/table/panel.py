"""Several raters of one judgment: a panel, what it comes to, and how far its raters are apart."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from acumen.errors import UsageError, counted, label
from acumen.table.judgments import NO_TRUTH, Judgments
from acumen.table.losses import AnyLoss, find_loss
from acumen.types import Floats

PANEL: Final = "panel"


def settle(table: Judgments, truth_is: str | None) -> Judgments:
    """The table whose truth is a panel, one rater's, or what a panel comes to.

    A panel stays as its rows, which share the weight of the judgment: a loss then is the mean over
    its raters. A skip is not in the panel; of an empty one a row stays, without truth.
    """
    raters = table.rater
    if raters is None or table.judgment is None:
        if truth_is is not None:
            hint = "name a column of raters (--rater COLUMN) or several of truths (--truth A,B,C)"
            raise UsageError(f"the truth is that of one rater; {hint}")
        return table
    rated = (table.truth != NO_TRUTH) | _open_rows(table)
    if truth_is in (None, PANEL):
        size = np.bincount(table.judgment[rated], minlength=int(table.judgment.max()) + 1)
        each, own = np.maximum(size, 1)[table.judgment], table.weight
        if each.max() > 1:
            table = replace(table, weight=(1.0 if own is None else own) / each)
        rows = rated | ((size == 0)[table.judgment] & table.once)
        return replace(table.take(rows), skips=len(table) - int(rows.sum()))
    if truth_is not in _SUMMARIES:
        names = [str(name) for name in raters.values]
        if truth_is not in names:
            known = ", ".join([*map(label, names), *_SUMMARIES, PANEL])
            raise UsageError(f"no rater {label(truth_is)} for the truth; there are {known}")
        rated &= raters.codes == names.index(truth_is)
    return _one_truth(table, rated, _SUMMARIES.get(truth_is or "", _mean))


def _one_truth(
    table: Judgments, rated: NDArray[np.bool_], summary: Callable[..., Floats]
) -> Judgments:
    """One row a judgment, with what the rated of its rows come to.

    It cannot be judged where more than half of them say so.
    """
    assert table.judgment is not None
    judgments, unanswerable = int(table.judgment.max()) + 1, None
    if table.unanswerable is not None:
        votes, of = (
            np.bincount(table.judgment[rows], minlength=judgments)
            for rows in (rated & table.unanswerable, rated)
        )
        unanswerable = 2 * votes > of
        rated = rated & ~table.unanswerable & ~unanswerable[table.judgment]
    size = np.bincount(table.judgment[rated], minlength=judgments)
    order = np.lexsort((table.truth, table.judgment))
    order = order[rated[order]]
    with np.errstate(invalid="ignore"):
        rank = summary(table.judgment[order], table.truth[order].astype(np.int64), size)
    judgment = table.judgment[table.once]
    rank = rank[judgment]
    is_level = rank == np.floor(rank)
    truth = np.where(is_level, rank, NO_TRUTH).astype(np.int16)
    between, tied = ~is_level & ~np.isnan(rank), np.isnan(rank) & (size > 0)[judgment]
    notes = []
    if between.any():
        some = counted(int(between.sum()), "row")
        notes.append(f"{some} with a truth between two levels: metrics on levels leave them out")
    if tied.any():
        notes.append(f"{counted(int(tied.sum()), 'row')} without a majority: left out")
    one = replace(table.take(table.once), rater=None, warnings=(*table.warnings, *notes))
    is_open = None if unanswerable is None else unanswerable[judgment]
    ranks = rank if between.any() else None
    return replace(one, truth=truth, truth_rank=ranks, unanswerable=is_open)


def _open_rows(table: Judgments) -> NDArray[np.bool_]:
    """Which rows cannot be judged, as somebody says."""
    return np.zeros(len(table), bool) if table.unanswerable is None else table.unanswerable


def _mean(judgment: NDArray[Any], rank: NDArray[Any], size: NDArray[Any]) -> Floats:
    mean: Floats = np.bincount(judgment, rank, len(size)) / size
    return mean


def _median(judgment: NDArray[Any], rank: NDArray[Any], size: NDArray[Any]) -> Floats:
    first = np.cumsum(size) - size
    padded = np.append(rank, 0)  # of an empty panel any rank is looked at, and none is taken
    low, high = (padded[first + half] for half in ((size - 1) // 2, size // 2))
    return np.where(size > 0, (low + high) / 2, np.nan)


def _majority(judgment: NDArray[Any], rank: NDArray[Any], size: NDArray[Any]) -> Floats:
    levels = int(rank.max(initial=0)) + 1
    cells, votes = np.unique(judgment * levels + rank, return_counts=True)
    of, most = cells // levels, np.zeros(len(size), np.int64)
    np.maximum.at(most, of, votes)
    top = votes == most[of]
    out = np.full(len(size), np.nan)
    out[of[top]] = cells[top] % levels
    return np.where(np.bincount(of[top], minlength=len(size)) == 1, out, np.nan)


_SUMMARIES: Final = {"median": _median, "mean": _mean, "majority": _majority}


def apart(table: Judgments, loss: AnyLoss) -> Floats | None:
    """Of each row, the mean loss of one of its judgment's raters against another.

    Over ordered pairs; NaN where a judgment has one rater, None where all have.
    """
    if table.judgment is None:
        return None
    costs = np.array(find_loss(loss).costs(table.scale))
    rows = np.flatnonzero(~_open_rows(table))  # between who rates and who does not is no distance
    order = rows[np.argsort(table.judgment[rows], kind="stable")]
    judgment, rank = table.judgment[order], table.truth[order]
    size = np.bincount(judgment, minlength=int(table.judgment.max(initial=-1)) + 1)
    total = np.zeros(len(size))
    for step in range(1, int(size.max(initial=0))):
        same = np.flatnonzero(judgment[step:] == judgment[:-step])
        one, other = rank[same], rank[same + step]
        total += np.bincount(judgment[same], costs[one, other] + costs[other, one], len(size))
    if not (size > 1).any():
        return None
    with np.errstate(invalid="ignore"):
        mean: Floats = (total / (size * (size - 1)))[table.judgment]
    return mean
