"""Several methods by one metric: ordered, every pair tested, the ranks that this leaves.

A pair is compared as two methods alone would be, on the cases that failed for no method; pairs are
held together as those of systems are (:mod:`acumen.inference.ranks`).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any, Final

import numpy as np

from acumen.errors import UsageError, label
from acumen.inference.fragile import of_claim
from acumen.inference.infer import infer
from acumen.inference.options import Options
from acumen.inference.paired import Contrast, among, contrast
from acumen.inference.ranks import Family, rank_intervals
from acumen.metrics.registry import Metric
from acumen.results.metrics import Leaderboard, Pairing, Standing
from acumen.values.measured import Delta, Description
from acumen.verdicts.compare import CommonGround
from acumen.verdicts.score import explain, metric_of_study, metrics_of_study
from acumen.verdicts.study import PreparedStudy

SHORT: Final = {"auprc": "ordinal_auprc", "accuracy": "total_accuracy"}
"""What people call a metric -> its name."""


def check_rank_by(rank_by: str) -> str:
    """The name of the metric to rank by."""
    return SHORT.get(rank_by, rank_by)


def rank_methods(
    ground: CommonGround,
    names: Sequence[str],
    options: Options,
    rank_by: str,
    baseline: str | None = None,
) -> tuple[Leaderboard, list[Pairing]]:
    """The leaderboard of methods on common ground, and the pairs behind it."""
    studies = ground.studies
    metric = _metric(studies[0], check_rank_by(rank_by))
    if baseline is not None and baseline not in names:
        known = ", ".join(map(label, names))
        raise UsageError(f"no method {label(baseline)} to compare with; there are {known}")
    numbers = [explain(s, infer([metric], s, options))[metric.name] for s in studies]
    values = [np.nan if n.value is None else n.value for n in numbers]
    places = [*combinations(range(len(studies)), 2)]
    if baseline is not None:
        at = names.index(baseline)
        places = [(at, other) for other in range(len(names)) if other != at]
    family = Family.of([number.replicates.values for number in numbers], values, places)
    pairs = []
    for a, b in places:
        left, right = ({metric.name: numbers[at]} for at in (a, b))
        by_name = contrast([metric], studies[a], studies[b], left, right, options)
        delta = _delta(by_name[metric.name], family)
        cases = studies[a].n_cases
        fragility = None
        if delta.favours is not None and metric.kind.bounds == (0.0, 1.0):
            fragility = of_claim([delta], 1.0, cases, options.confidence_level)
        of: Any = {"left": names[a], "right": names[b], "cases": cases}
        pairs.append(Pairing(**of, difference=delta, fragility=fragility))
    wins = [(p.winner, p.right if p.winner == p.left else p.left) for p in pairs if p.winner]
    ranks = {} if baseline is not None else rank_intervals(names, wins)
    open_pairs = [(p.left, p.right) for p in pairs if p.winner is None]
    standings = [
        Standing(
            system=name,
            measured=number.measured,
            coverage=_answered(study),
            ranks=ranks.get(name),
            beats=[loser for winner, loser in wins if winner == name],
            beaten_by=[winner for winner, loser in wins if loser == name],
            not_told_from=[b if a == name else a for a, b in open_pairs if name in (a, b)],
        )
        for name, number, study in zip(names, numbers, studies, strict=True)
    ]
    sign = 1.0 if metric.better == "lower" else -1.0
    standings.sort(key=lambda s: np.inf if (v := s.measured.value) is None else sign * v)
    board = Leaderboard(
        metric=metric.name,
        better=metric.better or "higher",
        confidence_level=options.confidence_level,
        baseline=baseline,
        standings=standings,
    )
    return board, pairs


def _metric(study: PreparedStudy, name: str) -> Metric:
    known = metrics_of_study(study)
    if name not in known:
        listed = ", ".join((*SHORT, *known))
        raise UsageError(f"no metric {label(name)} to rank by; there are {listed}")
    metric, part = known[name]
    if metric.better is None:
        raise UsageError(f"{name} has no better side to rank by")
    return metric_of_study(metric, part)


def _delta(difference: Contrast, family: Family) -> Delta:
    """A difference among all pairs; none is claimed that rests on a few cases of a level."""
    delta = among(difference, family)
    rare = difference.left.interval.rests_on or difference.right.interval.rests_on
    return delta.delta(None if rare is None else Description.NOT_IN_FAMILY)


def _answered(study: PreparedStudy) -> float | None:
    table = study.table.included
    return float(table.answered.mean()) if len(table.answered) else None
