"""Systems side by side: ordered by one metric, every pair compared, the ranks that this leaves.

A pair is compared as two systems alone would be; :mod:`acumen.inference.ranks` holds all pairs
together. By default the metric is the risk at the coverage that all reach, for who answers less
errs less. By any other that depends on how much is answered nothing is claimed where systems
answer unequally.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any, Final

import numpy as np

from acumen.defaults import RANK_BY
from acumen.evaluation.build import source_keys
from acumen.evaluation.plan import Plan, System, all_answered
from acumen.inference.fragile import of_claim
from acumen.inference.infer import Inference, infer, inference_of
from acumen.inference.matched import Matching, decide, match, with_fragility
from acumen.inference.paired import among, contrast
from acumen.inference.ranks import Family, rank_intervals
from acumen.inference.replicates import Replicates
from acumen.metrics import METRICS
from acumen.metrics.registry import RISK_AT, Metric, find_metric
from acumen.results.metrics import Comparison, Leaderboard, Pairing, Standing
from acumen.table.align import align
from acumen.values.measured import Delta, Description, Fragility, Measured, finite
from acumen.views.forecast import Forecast
from acumen.views.ranking import Ranking
from acumen.views.weights import CaseWeights

Pair = tuple[int, int]
"""The places of two systems."""
Contest = tuple[Sequence[Measured], list[Pairing], dict[str, Any]]
"""What each system comes to, the pairs, and what is said of the leaderboard as a whole."""
OF_ALL_ROWS: Final = {"coverage", "total_accuracy", "aurc_charge", "augrc_charge"}
"""Metrics in which an abstention counts, so that unequal coverage does no harm."""


def rank_systems(
    systems: Sequence[System], comparison: Comparison
) -> tuple[Leaderboard, list[Pairing]]:
    """The leaderboard of two systems or more, and the pairs behind it.

    Of two, the pair is that of their comparison.
    """
    plan, names = systems[0].plan, [system.name for system in systems]
    function = next(iter(systems[0].confidence), None)
    metric = None if plan.rank_by == RANK_BY else find_metric(plan.rank_by)
    ranked = _by_risk if metric is None else partial(_by_metric, metric)
    numbers, pairs, facts = ranked(systems, function, _pairs(names, plan))
    if len(systems) == 2 and (of_two := _of_two(comparison, plan, function)) is not None:
        pairs = [pairs[0].model_copy(update={"difference": of_two})]
    wins = [(p.winner, p.right if p.winner == p.left else p.left) for p in pairs if p.winner]
    ranks = {} if plan.baseline is not None else rank_intervals(names, wins)
    open_pairs = [(p.left, p.right) for p in pairs if p.winner is None]
    standings = [
        Standing(
            system=name,
            measured=measured,
            noise_floor=None
            if plan.rank_by not in (RANK_BY, "mean_loss")
            else system.floors[0].of(system.ranked_by(function), facts.get("coverage")),
            coverage=_coverage(system),
            ranks=ranks.get(name),
            beats=[loser for winner, loser in wins if winner == name],
            beaten_by=[winner for winner, loser in wins if loser == name],
            not_told_from=[b if a == name else a for a, b in open_pairs if name in (a, b)],
        )
        for name, system, measured in zip(names, systems, numbers, strict=True)
    ]
    sign = 1.0 if facts["better"] == "lower" else -1.0
    standings.sort(key=lambda s: np.inf if (v := s.measured.value) is None else sign * v)
    board = Leaderboard(
        metric=plan.rank_by,
        function=function,
        confidence_level=plan.options.confidence_level,
        baseline=plan.baseline,
        pairwise=plan.pairwise,
        standings=standings,
        **facts,
    )
    return board, pairs


def _pairs(names: Sequence[str], plan: Plan) -> list[Pair]:
    if plan.baseline is None:
        return list(combinations(range(len(names)), 2))
    baseline = names.index(plan.baseline)
    return [(baseline, other) for other in range(len(names)) if other != baseline]


def _coverage(system: System) -> float | None:
    return METRICS["coverage"].measure(system.unranked).value


def _of_two(comparison: Comparison, plan: Plan, function: str | None) -> Delta | None:
    """The difference of two systems as their comparison has it."""
    if plan.rank_by in comparison.agreement:
        return comparison.agreement[plan.rank_by]
    if function is None:
        return None
    if plan.rank_by == RANK_BY:
        return comparison.matched[function].tested
    key = source_keys(plan).get(plan.rank_by, plan.rank_by)
    return (comparison.deltas or {})[function].get(key)


def _on_both(systems: Sequence[System], pair: Pair) -> list[System]:
    """Two systems on the rows that both judge."""
    left, right = (systems[at] for at in pair)
    both = align(left.table, right.table, intersection_only=True, names=(left.name, right.name))
    return [
        System.of(s.plan.weigh(table), s.plan, s.functions, s.name)
        for s, table in zip((left, right), (both.left, both.right), strict=True)
    ]


def _pairing(
    left: System, right: System, cases: int, *deltas: Delta, fragility: Fragility | None = None
) -> Pairing:
    facts: Any = dict(zip(("difference", "guard"), deltas, strict=False))
    return Pairing(left=left.name, right=right.name, cases=cases, fragility=fragility, **facts)


def _by_risk(systems: Sequence[System], function: str | None, pairs: Sequence[Pair]) -> Contest:
    plan = systems[0].plan
    options, level = plan.options, plan.options.confidence_level

    def matching(several: Sequence[System]) -> Matching:
        return match([s.ranked_by(function) for s in several], options, plan.matched_coverage)

    if plan.pairwise:
        family, shared = Family(len(pairs)), min(_coverage(s) or 0.0 for s in systems)
        numbers = [_risk(Matching([s.ranked_by(function)], options, shared), 0) for s in systems]
        contests = [(matching(_on_both(systems, pair)), (0, 1)) for pair in pairs]
    else:
        whole = matching(systems)
        family, shared = whole.family(pairs), finite(whole.once[0]) or 0.0
        numbers = [_risk(whole, at) for at in range(len(systems))]
        contests = [(whole, pair) for pair in pairs]
    pairings = []
    for (a, b), (contest, places) in zip(pairs, contests, strict=True):
        matched = decide(contest.pair(*places), family, level, contest.worst)
        matched = with_fragility(matched, contest.worst, contest.n_cases, level)
        deltas, cases = (matched.tested, matched.guard), contest.n_cases
        fragility = matched.fragility
        pairings.append(_pairing(systems[a], systems[b], cases, *deltas, fragility=fragility))
    return numbers, pairings, {"better": "lower", "coverage": shared}


def _risk(matching: Matching, system: int) -> Measured:
    """A system's risk at the coverage all reach, with its interval."""
    ranking, at = matching.rankings[system], 1 + system
    metric = METRICS[RISK_AT].at(coverage=finite(matching.once[0]) or 1.0)
    estimate = metric.estimate(matching.once[at], ranking, CaseWeights.once(ranking.n_cases))
    options, none = matching.options.without_resamples(), Replicates(np.empty(0))
    return inference_of(metric, ranking, estimate, none, matching.jackknife(at), options).measured


def _by_metric(
    metric: Metric, systems: Sequence[System], function: str | None, pairs: Sequence[Pair]
) -> Contest:
    plan = systems[0].plan
    options = plan.options
    own_rows = metric.view in (Ranking, Forecast)
    of_all = metric.name.partition("@")[0] in OF_ALL_ROWS
    unequal = own_rows and not of_all and len({_coverage(system) for system in systems}) > 1
    description = Description.COVERAGE_DIFFERS if unequal else None

    def views(several: Sequence[System]) -> list[tuple[Any, dict[str, Inference]]]:
        """What the metric looks at: where it is of answered rows, those that all answered."""
        if not own_rows and not of_all:
            tables = all_answered([system.table for system in several])
            several = [replace(s, table=t) for s, t in zip(several, tables, strict=True)]
        seen = [system.view_of(metric, function) for system in several]
        return [(view, infer([metric], view, options)) for view in seen]

    whole = [views([s])[0] for s in systems] if plan.pairwise else views(systems)
    numbers = [by[metric.name] for _, by in whole]
    values = [np.nan if number.value is None else number.value for number in numbers]
    family = Family(len(pairs))
    if not plan.pairwise:
        family = Family.of([number.replicates.values for number in numbers], values, pairs)
    pairings = []
    for pair in pairs:
        (a, of_a), (b, of_b) = (
            views(_on_both(systems, pair)) if plan.pairwise else [whole[at] for at in pair]
        )
        difference = contrast([metric], a, b, of_a, of_b, options)[metric.name]
        delta = among(difference, family).delta(description)
        sides, fragility = (systems[pair[0]], systems[pair[1]]), None
        if delta.favours is not None and metric.kind.bounds == (0.0, 1.0):
            fragility = of_claim([delta], 1.0, a.n_cases, options.confidence_level)
        pairings.append(_pairing(*sides, a.n_cases, delta, fragility=fragility))
    facts = {"better": metric.better, "description": description}
    return [number.measured for number in numbers], pairings, facts
