"""Systems side by side: ordered by one metric, every pair compared, the ranks that this leaves.

A pair is compared as two systems alone would be; :mod:`acumen.inference.ranks` holds all pairs
together. By default the metric is the risk at the coverage that all reach, for who answers less
errs less. By any other that depends on how much is answered nothing is claimed where systems
answer unequally.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any, Final, Literal

import numpy as np

from acumen.defaults import FEWEST_CASES, RANK_BY
from acumen.errors import UsageError, label
from acumen.evaluation.build import source_keys
from acumen.evaluation.plan import RISK_AT, Plan, System, all_answered
from acumen.inference.infer import Inference, infer, inference_of
from acumen.inference.jackknife import Jackknife
from acumen.inference.matched import Matching, match
from acumen.inference.paired import among, contrast
from acumen.inference.ranks import Family, rank_intervals
from acumen.inference.replicates import Replicates
from acumen.inference.resample import plan_resamples, replicate
from acumen.metrics import METRICS
from acumen.metrics.registry import Metric, find_metric
from acumen.results.measured import Delta, Description, Interval, Measured
from acumen.results.metrics import Comparison, Leaderboard, Pairing, Standing
from acumen.table.align import align
from acumen.views.forecast import Forecast
from acumen.views.ranking import Ranking
from acumen.views.weights import CaseWeights

Pair = tuple[int, int]
"""The places of two systems."""
OF_ALL_ROWS: Final = {"cmax", "total_accuracy", "aurc_charge", "augrc_charge"}
"""Metrics in which an abstention counts, so that unequal coverage does no harm."""


@dataclass(frozen=True)
class _Contest:
    """What systems are ordered by, and how two of them compare."""

    measured: Sequence[Measured]
    pair: Callable[[Pair], Pairing]
    better: Literal["lower", "higher"] = "lower"
    coverage: float | None = None
    description: Description | None = None


def rank_systems(
    systems: Sequence[System], comparison: Comparison
) -> tuple[Leaderboard, list[Pairing]]:
    """The leaderboard of two systems or more, and the pairs behind it.

    Of two, the pair is that of their comparison.
    """
    plan, names = systems[0].plan, [system.name for system in systems]
    function = next(iter(systems[0].confidence), None)
    pairs = _pairs(names, plan)
    metric = None if plan.rank_by == RANK_BY else find_metric(plan.rank_by)
    contest = (
        _by_risk(systems, function, pairs)
        if metric is None
        else _by_metric(systems, metric, function, pairs)
    )
    pairings = [contest.pair(pair) for pair in pairs]
    if len(systems) == 2 and (of_two := _of_two(comparison, plan, function)) is not None:
        pairings = [pairings[0].model_copy(update={"difference": of_two})]
    wins = [(p.winner, p.right if p.winner == p.left else p.left) for p in pairings if p.winner]
    ranks = {} if plan.baseline is not None else rank_intervals(names, wins)
    open_pairs = [(p.left, p.right) for p in pairings if p.winner is None]
    standings = [
        Standing(
            system=name,
            measured=measured,
            coverage=_coverage(system),
            ranks=ranks.get(name),
            beats=[loser for winner, loser in wins if winner == name],
            beaten_by=[winner for winner, loser in wins if loser == name],
            not_told_from=[b if a == name else a for a, b in open_pairs if name in (a, b)],
        )
        for name, system, measured in zip(names, systems, contest.measured, strict=True)
    ]
    sign = 1.0 if contest.better == "lower" else -1.0
    standings.sort(key=lambda s: np.inf if (v := s.measured.value) is None else sign * v)
    board = Leaderboard(
        metric=plan.rank_by,
        better=contest.better,
        function=function,
        coverage=contest.coverage,
        confidence_level=plan.options.confidence_level,
        baseline=plan.baseline,
        pairwise=plan.pairwise,
        description=contest.description,
        standings=standings,
    )
    return board, pairings


def _pairs(names: Sequence[str], plan: Plan) -> list[Pair]:
    if plan.baseline is None:
        return list(combinations(range(len(names)), 2))
    if plan.baseline not in names:
        there = ", ".join(map(label, names))
        raise UsageError(f"no system {label(plan.baseline)} to compare with; there are {there}")
    baseline = names.index(plan.baseline)
    return [(baseline, other) for other in range(len(names)) if other != baseline]


def _coverage(system: System) -> float | None:
    return METRICS["cmax"].measure(system.unranked).value


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


def _on_both(systems: Sequence[System], pair: Pair, function: str | None) -> list[System]:
    """Two systems on the rows that both judge."""
    left, right = (systems[at] for at in pair)
    both = align(left.table, right.table, intersection_only=True, names=(left.name, right.name))
    return [
        System.of(s.plan.weigh(table), s.plan, {f: s.functions[f] for f in [function] if f}, s.name)
        for s, table in zip((left, right), (both.left, both.right), strict=True)
    ]


def _by_risk(systems: Sequence[System], function: str | None, pairs: Sequence[Pair]) -> _Contest:
    plan = systems[0].plan
    options, nominal = plan.options, plan.options.confidence_level
    if plan.pairwise:
        family, shared = Family(len(pairs)), min(_coverage(s) or 0.0 for s in systems)
        measured = [_risk(Matching([s.ranked_by(function)], options, shared), 0) for s in systems]
    else:
        rankings = [system.ranked_by(function) for system in systems]
        matching = match(rankings, options, plan.matched_coverage)
        family, shared = _family(matching, pairs), float(matching.once[0])
        measured = [_risk(matching, at) for at in range(len(systems))]

    def compared(pair: Pair) -> Pairing:
        own, places = (None, (0, 1)) if plan.pairwise else (matching, pair)
        if own is None:
            both = [s.ranked_by(function) for s in _on_both(systems, pair, function)]
            own = match(both, options, plan.matched_coverage)
        matched = own.pair(*places, family.level(nominal))
        matched = matched.decided(family.adjusted(matched.p_value), 1.0 - nominal)
        difference, guard = (
            d.model_copy(update={"interval": _together(d.interval, nominal, len(pairs))})
            for d in (matched.tested, matched.guard)
        )
        return _pairing(systems, pair, own.n_cases, difference, guard)

    return _Contest(measured, compared, coverage=shared)


def _risk(matching: Matching, system: int) -> Measured:
    """A system's risk at the coverage all reach, with its interval."""
    ranking, at = matching.rankings[system], 1 + system
    metric = METRICS[RISK_AT].at(coverage=float(matching.once[0]) or 1.0)
    estimate = metric.estimate(matching.once[at], ranking, CaseWeights.once(ranking.n_cases))
    jackknife = Jackknife.of(matching.left_out[at], ranking.n_cases)
    options = matching.options.without_resamples()
    none = Replicates(np.empty(0))
    return inference_of(metric, ranking, estimate, none, jackknife, options).measured


def _family(matching: Matching, pairs: Sequence[Pair]) -> Family:
    """How far differences and guards stray together: the further of the two."""
    options = matching.options
    if len(pairs) < 2 or matching.n_cases < FEWEST_CASES or not options.resamples:
        return Family(len(pairs))
    plan = plan_resamples(matching.n_cases, options.resamples, options.seed, options.weights)
    values = replicate(matching.risks, plan, threads=options.threads)
    contrasts = [(1 + a, 1 + b) for a, b in pairs], [matching.guard(a, b) for a, b in pairs]
    families = (
        Family.of(
            [values[b] - values[a] for a, b in places],
            [float(matching.once[b] - matching.once[a]) for a, b in places],
        )
        for places in contrasts
    )
    return max(families, key=lambda family: family.level(options.confidence_level))


def _together(interval: Interval | None, level: float, pairs: int) -> Interval | None:
    """An interval by the level at which it holds with those of the other pairs."""
    if interval is None or pairs < 2:
        return interval
    facts = {"confidence_level": level, "method": f"{interval.method}, {pairs} together"}
    return interval.model_copy(update=facts)


def _pairing(
    systems: Sequence[System], pair: Pair, cases: int, difference: Delta, guard: Delta | None = None
) -> Pairing:
    left, right = (systems[at].name for at in pair)
    return Pairing(left=left, right=right, cases=cases, difference=difference, guard=guard)


def _by_metric(
    systems: Sequence[System], metric: Metric, function: str | None, pairs: Sequence[Pair]
) -> _Contest:
    plan = systems[0].plan
    options = replace(plan.options, advance=None)
    own_rows = metric.view in (Ranking, Forecast)
    of_all = metric.name.partition("@")[0] in OF_ALL_ROWS
    unequal = own_rows and not of_all and len({_coverage(system) for system in systems}) > 1
    description = Description.COVERAGE_DIFFERS if unequal else None

    def views(several: Sequence[System]) -> list[Any]:
        if own_rows or of_all:
            return [system.view_of(metric, function) for system in several]
        tables = all_answered([system.table for system in several])
        parts = (replace(s, table=table) for s, table in zip(several, tables, strict=True))
        return [part.view_of(metric, function) for part in parts]

    def alone(view: Any) -> dict[str, Inference]:
        return infer([metric], view, options)

    whole = [views([s])[0] for s in systems] if plan.pairwise else views(systems)
    numbers = [alone(view) for view in whole]
    family = Family(len(pairs))
    if not plan.pairwise and all(by[metric.name].value is not None for by in numbers):
        replicates = [by[metric.name].replicates.values for by in numbers]
        values = [by[metric.name].value or 0.0 for by in numbers]
        family = Family.of(
            [replicates[b] - replicates[a] for a, b in pairs],
            [values[b] - values[a] for a, b in pairs],
        )

    def compared(pair: Pair) -> Pairing:
        a, b = (whole[at] for at in pair)
        of_a, of_b = (numbers[at] for at in pair)
        if plan.pairwise:
            a, b = views(_on_both(systems, pair, function))
            of_a, of_b = alone(a), alone(b)
        difference = contrast([metric], a, b, of_a, of_b, options)[metric.name]
        delta = among(difference, family).delta(description)
        delta = delta.model_copy(
            update={"interval": _together(delta.interval, options.confidence_level, len(pairs))}
        )
        return _pairing(systems, pair, a.n_cases, delta)

    measured = [by[metric.name].measured for by in numbers]
    assert metric.better is not None  # the plan refuses to rank by what has no better way
    return _Contest(measured, compared, metric.better, description=description)
