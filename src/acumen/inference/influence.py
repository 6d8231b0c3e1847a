"""What every row does to the metrics of a view; and items that are a sample, as the cases are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from acumen.defaults import AREA_COVERAGE, BINS, FEWEST_CASES
from acumen.inference.jackknife import Jackknife
from acumen.inference.resample import Statistic
from acumen.metrics.registry import Metric
from acumen.types import Floats
from acumen.views.groups import deal, remember_without
from acumen.views.ranking import MOST_RISK
from acumen.views.tangents import tangent
from acumen.views.weights import CaseWeights


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
    block, rows = CaseWeights.once(view.n_cases), np.arange(len(view.case), dtype=np.int32)
    statistic_of(smooth, view)(block)
    # each row is a case of its own, and the sums are as they were
    own = replace(view, case=rows, n_cases=len(rows))
    known: dict[Any, Any] = dict(block.memory)
    memory: Any = {(own, *key[1:]): sums for key, sums in known.items() if key[0] is view}
    return dict(
        case_influence(smooth, own, CaseWeights(np.ones((len(rows), 1), np.uint16), memory))
    )


def case_influence(
    metrics: Sequence[Metric], view: Any, once: CaseWeights | None = None
) -> Iterator[tuple[str, Floats]]:
    """The same of every case, of very many: what its rows do together."""
    smooth = [m for m in metrics if m.smooth or (m.in_many == "smooth" and _is_at_hand(m, view))]
    weight = getattr(view, "case_weight", np.ones(view.n_cases))
    for name, of_case in _slopes(smooth, view, once):
        yield name, of_case - of_case.sum() * weight / weight.sum()


def without_groups(metrics: Sequence[Metric], view: Any, groups: int) -> dict[str, Floats]:
    """Values without each group of cases, where sums down the view's order tell them."""
    some = [m for m in metrics if m.in_many == "steps" and _is_at_hand(m, view)]
    if not some or not len(view.order):
        return {}
    risks = [m.parameters.get("risk", MOST_RISK) for m in some]
    memory = remember_without(view, deal(view, groups), groups, [*{*risks}])
    values = statistic_of(some, view)(CaseWeights(np.ones((view.n_cases, 1), np.uint16), memory))
    return {metric.name: row for metric, row in zip(some, values, strict=True)}


def _is_at_hand(metric: Metric, view: Any) -> bool:
    """Whether a view keeps the coverage or the bins that a metric asks for."""
    coverage = metric.parameters.get("coverage", AREA_COVERAGE)
    coverages = getattr(view, "grid" if metric.in_many == "steps" else "cuts", (coverage,))
    return coverage in coverages and metric.parameters.get("bins", BINS) == BINS


def _slopes(
    smooth: Sequence[Metric], view: Any, once: CaseWeights | None = None
) -> Iterator[tuple[str, Floats]]:
    """Slope of each smooth metric along the weight of every case, where it is known."""
    if not smooth:
        return
    statistic, block = statistic_of(smooth, view), once or CaseWeights.once(view.n_cases)
    statistic(block)  # so that it remembers the sums they are made of
    along = tangent(view, block)
    if along is None:
        return
    slopes = along.slopes(statistic, view.n_cases)
    for metric, slope in zip(smooth, slopes, strict=True):
        if np.isfinite(slope).all():
            yield metric.name, slope


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
