"""For whom: the scores within groups of cases, each compared with the rest.

A group is made by a key of the results or of the truth, or by the true level. Differences to the
rest are adjusted over all groups, metric by metric, as those of ``evaluate`` are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from acumen.errors import UsageError, label
from acumen.evaluation.slices import LEVEL, MOST_GROUPS, contrast_with, tested, worst_of
from acumen.inference.infer import Inference, infer
from acumen.inference.multiplicity import holm
from acumen.inference.options import Options
from acumen.inference.paired import Contrast, agreeing
from acumen.metrics.registry import Metric
from acumen.results.slices import Slice
from acumen.verdicts.score import explain, metric_of_study, metrics_of_study
from acumen.verdicts.study import PreparedStudy, prepare

SLICED: Final = (
    *("total_accuracy", "ordinal_auprc", "process", "consistency"),
    *("right_sound", "right_unsound"),
)
"""What is told of each group."""

Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class _Part:
    key: Key
    cases: int
    numbers: Mapping[str, Inference]
    contrasts: Mapping[str, Contrast]


def slices(
    studies: Sequence[PreparedStudy],
    names: Sequence[str],
    columns: Sequence[str],
    options: Options,
) -> list[Slice]:
    """The scores of every group of every column, of each method."""
    parts = [
        part
        for column in dict.fromkeys(columns)
        for study, name in zip(studies, names, strict=True)
        for part in _parts(study, name, column, replace(options, advance=lambda _: None))
    ]
    adjusted = {
        metric: holm({p.key: p.contrasts[metric].p_value for p in parts if metric in p.contrasts})
        for metric in SLICED
    }
    return [_slice(part, parts, adjusted) for part in parts]


def _parts(study: PreparedStudy, name: str, column: str, options: Options) -> list[_Part]:
    cases = [str(case) for case in study.table.included.cases]
    value_of = _values(study, cases, column)
    groups = [*dict.fromkeys(value_of.values())]
    if len(groups) > MOST_GROUPS:
        raise UsageError(
            f"{label(column)} has {len(groups)} groups; at most {MOST_GROUPS} are sliced"
        )
    parts = []
    for group in groups:
        sides = [
            np.array([value_of.get(case, group) != group for case in cases], np.bool_),
            np.array([value_of.get(case) == group for case in cases], np.bool_),
        ]
        rest, own = (_numbers(study, cases, side, options) for side in sides)
        places = [np.flatnonzero(side) for side in sides]
        contrasts = {
            key: contrast_with(rest[key], own[key], places, options) for key in own if key in rest
        }
        parts.append(_Part((column, group, name), int(sides[1].sum()), own, contrasts))
    return parts


def _values(study: PreparedStudy, cases: Sequence[str], column: str) -> dict[str, str]:
    """Case -> its group: by the true level, a key of its result, or one of its truth."""
    levels = study.policy.scale.levels
    if column == LEVEL:
        return {case: str(levels[study.truth[case].rank]) for case in cases}
    rows = {claim.case: claim.row for claim in study.run.claims}
    values = {
        case: value
        for case in cases
        for value in (rows.get(case, {}).get(column, study.truth[case].facts.get(column)),)
        if isinstance(value, str | int | float) and str(value).strip()
    }
    if not values:
        raise UsageError(f"no key {label(column)} of the results or the truth to slice by")
    return {case: str(value) for case, value in values.items()}


def _numbers(
    study: PreparedStudy, cases: Sequence[str], side: Any, options: Options
) -> dict[str, Inference]:
    """The scores of some cases, as if there were no others."""
    among = [case for case, there in zip(cases, side.tolist(), strict=True) if there]
    if not among:
        return {}
    own = (study.truth, study.policy, study.reviews)
    part = prepare(study.run, *own, cases=among, source=study.run.source)
    known = metrics_of_study(part)
    metrics: list[Metric] = [metric_of_study(*known[key]) for key in SLICED if key in known]
    return dict(explain(part, infer(metrics, part, options.without_resamples())))


def _slice(part: _Part, parts: Sequence[_Part], adjusted: Mapping[str, Mapping[Any, Any]]) -> Slice:
    column, group, name = part.key
    beside = [p for p in parts if (p.key[0], p.key[2]) == (column, name)]
    return Slice(
        by=[column],
        group=group,
        input=name,
        cases=part.cases,
        rows=part.cases,
        metrics={key: one.measured for key, one in part.numbers.items()},
        difference={
            key: agreeing(replace(c, together=tested(adjusted[key][part.key]))).delta()
            for key, c in part.contrasts.items()
        },
        worst={
            key: interval
            for key, one in part.numbers.items()
            if (interval := worst_of(one, [p.numbers.get(key) for p in beside]))
        },
    )
