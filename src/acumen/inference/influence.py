"""What every row does to the metrics of a view; and items that are a sample, as the cases are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from acumen.defaults import FEWEST_CASES
from acumen.inference.jackknife import Jackknife
from acumen.inference.resample import Statistic
from acumen.metrics.registry import Metric
from acumen.types import Floats
from acumen.views.groups import deal
from acumen.views.tangents import Smooth
from acumen.views.weights import CaseWeights, KnownSums, UnknownSumError


def statistic_of(metrics: Sequence[Metric], view: Any) -> Statistic:
    """All metrics of a view as one statistic of a block of weightings."""

    def statistic(block: CaseWeights) -> Floats:
        return np.stack([np.asarray(metric(view, block)) for metric in metrics])

    return statistic


def row_influence(metrics: Sequence[Metric], view: Any) -> dict[str, Floats]:
    """What every row of the table does to the metrics for which that is known; it sums to 0."""
    smooth = [m for m in metrics if m.smooth]
    if not smooth or not hasattr(view, "row_weight"):
        return {}
    # each row is a case of its own, and the sums are as they were
    rows = np.arange(len(view.case), dtype=np.int32)
    own = replace(view, case=rows, n_cases=len(rows))
    return dict(_influence(smooth, own, block_of(smooth, view).sums_for(own, view)))


def case_influence(
    metrics: Sequence[Metric], view: Any, once: CaseWeights | None = None
) -> Iterator[tuple[str, Floats]]:
    """The same of every case, of very many: what its rows do together."""
    smooth = [m for m in metrics if m.smooth or m.in_many == "smooth"]
    if smooth:
        yield from _influence(smooth, view, block_of(smooth, view, once))


def without_groups(metrics: Sequence[Metric], view: Any, groups: int) -> dict[str, Floats]:
    """Values without each group of cases, where sums down the view's order tell them."""
    some = [m for m in metrics if m.in_many == "steps"]
    if not some or not hasattr(view, "without") or not len(view.order):
        return {}
    known = view.without(block_of(some, view), deal(view, groups), groups)
    some = [m for m in some if is_made_of(known, m, view)]
    return {metric.name: np.asarray(metric(view, known)) for metric in some}


def is_made_of(known: KnownSums, metric: Metric, view: Any) -> bool:
    """Whether a metric is a function of these sums and of nothing else."""
    try:
        metric(view, known)
    except UnknownSumError:
        return False
    return True


def block_of(metrics: Sequence[Metric], view: Any, once: CaseWeights | None = None) -> CaseWeights:
    """The study as it is, as a block that remembers the sums that metrics are made of."""
    block = once or CaseWeights.once(view.n_cases)
    statistic_of(metrics, view)(block)
    return block


def _influence(
    smooth: Sequence[Metric], view: Any, block: CaseWeights
) -> Iterator[tuple[str, Floats]]:
    """Slope of each metric along the weight of every case, less what all do together.

    Only of those that are made of sums which the view can follow, and of nothing else.
    """
    along = view.tangent(block) if isinstance(view, Smooth) else None
    if along is None:
        return
    at_rest = along.at_rest
    known = [m for m in smooth if is_made_of(at_rest, m, view)]
    weight = getattr(view, "case_weight", np.ones(view.n_cases))
    slopes = along.slopes(statistic_of(known, view)) if known else ()
    for metric, slope in zip(known, slopes, strict=True):
        if np.isfinite(slope).all():
            yield metric.name, slope - slope.sum() * weight / weight.sum()


def items_of(view: Any) -> tuple[Any, int]:
    """The item of every row, numbered, and how many there are; none where rows have none."""
    item = getattr(view, "item", None)
    codes = np.unique([] if item is None else item, return_inverse=True)[1]
    return codes, int(codes.max(initial=-1)) + 1


def with_items(jackknife: Jackknife, view: Any, by_row: Floats) -> Jackknife:
    """The jackknife of the cases with that of the items beside, by what every row does."""
    codes, k = items_of(view)
    if k < FEWEST_CASES:
        return replace(jackknife, items=Jackknife(np.empty(0), n_cases=k))
    n, cell, cells = view.n_cases, view.case.astype(np.int64) * k + codes, None
    is_full = len(cell) % (n * k) == 0 and (np.bincount(cell) * n * k == len(cell)).all()
    if is_full and jackknife.n == n:
        cells = np.bincount(cell, by_row).astype(np.float64).reshape(n, k)
    items = Jackknife.of_influence(np.bincount(codes, by_row).astype(np.float64))
    return replace(jackknife, items=items, cells=cells)


def cross(metrics: Sequence[Metric], view: Any, jackknives: Sequence[Jackknife]) -> list[Jackknife]:
    """The jackknives of metrics with that of the items beside; a view without items has none."""
    codes, k = items_of(view)
    known = row_influence(metrics, view) if k > 1 else {}
    rest = [m for m in metrics if m.name not in known and k > 1]
    left_out = dict(zip((m.name for m in rest), _without_items(rest, view, codes, k), strict=True))
    return [
        with_items(jackknife, view, known[m.name])
        if m.name in known
        else replace(jackknife, items=Jackknife.of(left_out.get(m.name, np.empty(0)), k))
        for m, jackknife in zip(metrics, jackknives, strict=True)
    ]


def _without_items(metrics: Sequence[Metric], view: Any, item: Any, k: int) -> list[Floats]:
    """Values of metrics without each item in turn: its rows weigh nothing."""
    if not metrics:
        return []
    once = CaseWeights.once(view.n_cases)
    weights = (view.row_weight * (item != i) for i in range(k))
    values = [statistic_of(metrics, replace(view, weight=weight))(once) for weight in weights]
    return list(np.concatenate(values, axis=1))
