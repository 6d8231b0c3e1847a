"""For whom: every metric within groups of rows, compared with the rest.

A group is a mask over rows, so each group is a study of its own, with the intervals it would have
alone. The difference to the rest is paired by case: where the two have cases in common (the rows of
an item, of a level), how far both move together without a case is part of its interval.
Its p-value is that interval turned around: the largest chance of error at which it still holds 0.
Over all groups that are asked for, p-values are adjusted together, metric by metric (Holm 1979).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from acumen.errors import UsageError, label
from acumen.evaluation.plan import Plan, System
from acumen.inference.distributions import normal_quantile
from acumen.inference.infer import Inference, infer
from acumen.inference.jackknife import Jackknife
from acumen.inference.multiplicity import holm
from acumen.inference.options import Options
from acumen.inference.paired import Contrast, agreeing, contrast_of
from acumen.inference.swaps import Tested
from acumen.metrics import METRICS
from acumen.metrics.registry import Metric
from acumen.results.slices import CLAIMED, Slice
from acumen.table.coded import Coded
from acumen.table.judgments import Judgments
from acumen.values.measured import Interval, Measured, NoInterval
from acumen.views.ranking import Ranking

ITEM: Final = "item"
LEVEL: Final = "level"
MOST_GROUPS: Final = 100
"""A column with more groups than this names cases rather than kinds of them."""
ON_SCREEN: Final = (CLAIMED, "coverage", "mae", "augrc")
"""The metrics of a group that a screen shows."""
LEAST_P: Final = 1e-6
PRECISE: Final = 1e-6  # of the normal quantile of a p-value

Mask = NDArray[np.bool_]
Key = tuple[str, str, str]
"""Column, group, input."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A group of rows of one system, and the rows with another value of the column."""

    key: Key
    twin: Key
    """Of two groups each is the other's rest: the first stands for both in the family."""
    cases: int
    rows: int
    numbers: Mapping[str, Inference]
    floors: Mapping[str, Measured]
    contrasts: Mapping[str, Contrast]


def columns_of(table: Judgments) -> list[str]:
    """What its rows can be sliced by."""
    return [*table.groups, ITEM, *([LEVEL] if table.has_truth else [])]


def check_groups(tables: Sequence[Judgments], plan: Plan) -> None:
    """Refuse what cannot be sliced, before anything is measured."""
    if plan.by and plan.options.items == "random":
        raise UsageError("groups are compared on these very items: leave --items random out")
    for table, by in product(tables, plan.by):
        _groups(table.included, by)


def slices(
    systems: Sequence[System], by: Sequence[str], function: str | None, *, on_screen: bool = False
) -> list[Slice]:
    """Every metric of every group of every column, or what is shown ``on_screen``.

    ``function`` ranks the rows.
    """
    parts = [
        part
        for column in dict.fromkeys(by)
        for system in systems
        for part in _parts(system, column, function, on_screen)
    ]
    adjusted = {
        metric: holm({p.twin: p.contrasts[metric].p_value for p in parts if metric in p.contrasts})
        for metric in dict.fromkeys(metric for part in parts for metric in part.contrasts)
    }
    return [_slice(part, parts, adjusted, function) for part in parts]


def _groups(table: Judgments, by: str) -> dict[str, tuple[Mask, Mask]]:
    """Name of a group -> its rows, and the others that have a value."""
    columns = [_column(table, name.strip()) for name in by.split(",")]
    there = np.all([~column.missing for column in columns], axis=0)
    groups = {}
    for codes in product(*(np.flatnonzero(column.counts).tolist() for column in columns)):
        rows = np.all([c.codes == code for c, code in zip(columns, codes, strict=True)], axis=0)
        if rows.any():
            name = " × ".join(str(c.values[code]) for c, code in zip(columns, codes, strict=True))
            groups[name] = rows, there & ~rows
    if len(groups) > MOST_GROUPS:
        raise UsageError(f"{label(by)} has {len(groups)} groups; at most {MOST_GROUPS} are sliced")
    return groups


def _column(table: Judgments, name: str) -> Coded:
    known = columns_of(table)
    if name not in known:
        hint = "name a column of the rows with --group"
        raise UsageError(f"no group {label(name)}; there are {', '.join(known)}: {hint}")
    if name == ITEM:
        return Coded(table.items, table.item)
    if name == LEVEL:
        return Coded(table.scale.levels, table.truth.astype(np.int32))
    return table.groups[name].in_order()


def _parts(system: System, by: str, function: str | None, on_screen: bool) -> Iterator[_Part]:
    table, name = system.table.included, system.name
    groups = _groups(table, by)
    first = next(iter(groups), "")
    for group, (rows, rest) in groups.items():
        outside, part = (_alone(system, side, function) for side in (rest, rows))
        numbers = _infer(part, function, ON_SCREEN if on_screen else None)
        others = _infer(outside, function, (CLAIMED,) if on_screen else None) if rest.any() else {}
        cases = [np.unique(table.case[side]) for side in (rest, rows)]
        contrasts = {
            key: contrast_with(others[key], inference, cases, system.plan.options)
            for key, inference in numbers.items()
            if key in others
        }
        twin = first if len(groups) == 2 else group
        counts = len(cases[1]), int(part.table.once.sum())
        floors = system.floors[1].among(rows).beside(part.unranked, {"mae": None})
        floors |= system.floor_beside(part.ranked_by(function), rows) if function else {}
        yield _Part((by, group, name), (by, twin, name), *counts, numbers, floors, contrasts)


def _alone(system: System, rows: Mask, function: str | None) -> System:
    """Some rows of a system, as if there were no others."""
    confidence = {} if function is None else {function: system.confidence[function][rows]}
    return System(system.table.included.take(rows), system.plan, confidence)


def _infer(
    part: System, function: str | None, some: Collection[str] | None
) -> dict[str, Inference]:
    """Every metric of a system, or some."""
    options = part.plan.options.without_resamples()
    if some is not None:
        metrics = (METRICS[name] for name in some)
        views = ((m, part.view_of(m, function)) for m in metrics if _is_known(m, part, function))
        return {m.name: infer([m], v, options)[m.name] for m, v in views}
    first = ("coverage", "accuracy", "mean_loss") if part.table.has_truth else ("coverage",)
    numbers = infer([METRICS[name] for name in first], part.unranked, options)
    numbers |= part.infer_agreement() | part.infer_beside()
    if function is not None:
        numbers |= infer(part.plan.metrics(), part.rankings[function], options)
        numbers |= part.infer_reliability(function)
    return numbers


def _is_known(metric: Metric, part: System, function: str | None) -> bool:
    """Whether a group can be asked for it: coverage always, an area where there is a confidence."""
    if metric.name == "coverage":
        return True
    return part.table.has_truth and (metric.view is not Ranking or function is not None)


def contrast_with(
    rest: Inference, group: Inference, cases: Sequence[NDArray[Any]], options: Options
) -> Contrast:
    """The group minus the rest; ``cases`` are those of the rest, and of the group."""
    sizes = [side.jackknife.n + len(side.jackknife.undefined) for side in (rest, group)]
    if sizes != [len(places) for places in cases]:
        # of very many cases, groups of them were left out: taken as independent, which is wide
        cases = np.arange(sizes[0]), sizes[0] + np.arange(sizes[1])
    size = 1 + max((int(places[-1]) for places in cases if len(places)), default=-1)
    left, right = (
        replace(side, jackknife=_in_study(side.jackknife, places, size))
        for side, places in zip((rest, group), cases, strict=True)
    )
    contrast = contrast_of(group.metric, left, right, options.without_resamples())
    return replace(contrast, alone=tested(_p_value(contrast)))


def _in_study(jackknife: Jackknife, cases: NDArray[Any], size: int) -> Jackknife:
    """The same among all cases of a study: leaving out one that is not in the group moves nothing.

    >>> _in_study(Jackknife(np.array([0.5, -0.5])), np.array([1, 3]), 4).deviations.tolist()
    [0.0, 0.5, 0.0, -0.5]
    """
    undefined, deviations = list(jackknife.undefined), np.zeros(size)
    deviations[np.delete(cases, undefined)] = jackknife.deviations
    gone = cases[undefined]
    return replace(
        jackknife,
        deviations=np.delete(deviations, gone),
        undefined=tuple(gone.tolist()),
        n_cases=jackknife.cases,
    )


def _p_value(contrast: Contrast) -> float | None:
    """The largest chance of error at which the interval of a difference holds 0."""
    value, form, interval = contrast.value, contrast.form, contrast.interval
    if value is None or isinstance(interval, NoInterval) or isinstance(form, NoInterval):
        return None

    def beyond(level: float) -> float:  # as an angle, which has no infinity
        low, high = form.ends(level)
        return math.atan2(min(-low, high), abs(value))

    level = interval.confidence_level
    low, high, above = 0.0, normal_quantile((1.0 + level) / 2), beyond(level)
    below = -math.pi / 4  # no reach at all: 0 is as far off as the value
    if above < 0.0:
        low, below, high = high, above, -normal_quantile(LEAST_P / 2)
        above = beyond(1.0 - LEAST_P)
    at, before = high, math.inf
    while above >= 0.0 and abs(at - before) > PRECISE:  # to where the line between both meets 0
        before, at = at, high - above * (high - low) / (above - below)
        here = beyond(1.0 - math.erfc(at / math.sqrt(2)))
        if here < 0.0:  # an end that stays twice is taken for half as far off, so that it moves
            low, below, above = at, here, above / (1 + (before == low))
        else:
            high, above, below = at, here, below / (1 + (before == high))
    return LEAST_P if above < 0.0 else math.erfc(at / math.sqrt(2))


def _slice(
    part: _Part,
    parts: Sequence[_Part],
    adjusted: Mapping[str, Mapping[Key, float | None]],
    function: str | None,
) -> Slice:
    by, group, name = part.key
    beside = [other for other in parts if (other.key[0], other.key[2]) == (by, name)]
    return Slice(
        by=[column.strip() for column in by.split(",")],
        group=group,
        input=name,
        cases=part.cases,
        rows=part.rows,
        confidence=function,
        metrics={key: i.measured for key, i in part.numbers.items()} | {**part.floors},
        difference={
            key: agreeing(replace(contrast, together=tested(adjusted[key][part.twin]))).delta()
            for key, contrast in part.contrasts.items()
        },
        worst={
            key: interval
            for key, inference in part.numbers.items()
            if (interval := worst_of(inference, [o.numbers.get(key) for o in beside]))
        },
    )


def tested(p_value: float | None) -> Tested | None:
    """The outcome of a test that has an adjusted p-value and nothing else."""
    return None if p_value is None else Tested(p_value, math.inf)


def worst_of(inference: Inference, beside: Sequence[Inference | None]) -> Interval | None:
    """An interval that holds although the group was picked for being worst; None where it is not.

    All intervals of the groups hold together at this level (Bonferroni), whichever is picked.
    """
    values = [i.value for i in beside if i is not None and i.value is not None]
    if isinstance(inference.interval, NoInterval) or len(values) < 2:
        return None
    worst = {"lower": max(values), "higher": min(values)}.get(inference.metric.better or "")
    if inference.value != worst:
        return None
    level = inference.interval.confidence_level
    interval = inference.interval_at(1.0 - (1.0 - level) / len(values))
    if isinstance(interval, NoInterval):
        return None
    method = f"{interval.method}, worst of {len(values)}"
    facts = {"method": method, "confidence_level": level, "flags": inference.interval.flags}
    return interval.model_copy(update=facts)
