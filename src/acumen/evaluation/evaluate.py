"""(tables, plan) -> build.Numbers: the one place where the parts meet."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from acumen import confidence as confidences
from acumen.confidence.grammar import find, uses_calibration
from acumen.defaults import (
    CONFIDENCE,
    FEWEST_CASES,
    INTERVAL,
    LARGEST_SHARE,
    RELIABLE_CASES,
    RESAMPLES,
)
from acumen.errors import UsageError, counted, label, printable
from acumen.evaluation import build
from acumen.evaluation.abstain import abstain
from acumen.evaluation.bounds import missing_part
from acumen.evaluation.leaderboard import rank_systems
from acumen.evaluation.missing import count_as_wrong, keep, without_missing
from acumen.evaluation.plan import (
    Plan,
    System,
    compare_agreement,
    compare_beside,
    compare_both,
    compare_reliability,
    find_twins,
    own_functions,
    select,
)
from acumen.evaluation.slices import check_groups
from acumen.inference.infer import Inference, infer
from acumen.inference.intervals import default_interval
from acumen.inference.matched import compare_matched
from acumen.inference.multiplicity import best_of, linear_replicates
from acumen.inference.options import Options
from acumen.inference.paired import Contrast, claim, compare
from acumen.inference.replicates import MOST_DROPPED
from acumen.inference.resample import cores
from acumen.results.metrics import Best, Comparison, Matched, Variant
from acumen.stages import stage
from acumen.table.align import Pair, align, align_all, on_one_scale, refuse_identical
from acumen.table.distribution import under_loss
from acumen.table.judgments import Judgments
from acumen.table.losses import find_loss
from acumen.threads import share
from acumen.values.measured import Description, Interval
from acumen.views.ranking import Ranking

SMALL_TABLE: Final = 20_000
"""Up to this many rows, whole confidence functions share the threads."""


@dataclass(frozen=True, slots=True)
class _Function:
    """What one confidence function comes to, on one system or on two."""

    numbers: Mapping[str, Inference]
    """Of one system; of many they would hold every resample of each."""
    contrasts: Mapping[str, Contrast]
    matched: Matched | None
    variant: Variant | dict[str, Variant]
    warnings: list[str]


def evaluate(
    left: Judgments,
    right: Judgments | None = None,
    plan: Plan = Plan(),  # noqa: B008  (frozen)
) -> build.Numbers:
    """Evaluate one table, or two on their common cases with paired deltas."""
    return evaluate_all([left] if right is None else [left, right], plan)


def evaluate_all(inputs: Sequence[Judgments], plan: Plan) -> build.Numbers:
    """Evaluate tables, each alone; of several, all on their common rows, and every pair of them."""
    called = list(plan.labels) or build.input_names(inputs)
    if not len(inputs) == len(called) == len({*called}):
        raise UsageError(
            f"{counted(len(inputs), 'system')} and {counted(len(called), 'label')} "
            f"({', '.join(map(label, called))}): each needs one of its own"
        )
    if plan.baseline is not None and plan.baseline not in called:
        there = ", ".join(map(label, called))
        raise UsageError(f"no system {label(plan.baseline)} to compare with; there are {there}")
    inputs = [under_loss(table, plan.loss) for table in inputs]
    inputs = sources = [abstain(table, plan.threshold, plan.calibration) for table in inputs]
    if plan.missing == "wrong":
        inputs = [count_as_wrong(table, plan.loss) for table in inputs]
    tables, pair, notes = _aligned(inputs, plan, called)
    if own_functions(plan.confidence, called) is None:
        refuse_identical(tables, called)
    check_groups(tables, plan)
    functions_of, left_out = _select(tables, plan, called)
    names = list(functions_of[0])
    with stage("ranking rows", 0.08):
        systems = [
            System.of(table, plan, functions, name)
            for table, functions, name in zip(tables, functions_of, called, strict=True)
        ]
        twins = find_twins(systems)
        for system in systems:
            _ = system.rankings, system.forecasts  # once, before threads ask for them
    alone = [name for name in names if name not in twins]
    with stage("measuring", 0.65):
        functions = dict(zip(alone, _measure_each(systems, alone), strict=True))
    with stage("comparing systems", 0.5 if len(systems) > 1 else 0.0):
        comparison = _comparison(pair, systems, functions, twins, names)
        board = None
        if len(systems) > 1 and all(table.has_truth for table in tables):
            board, comparison.pairs = rank_systems(systems, comparison)
    numbers = build.evaluation(
        plan,
        systems,
        {name: functions[twins.get(name, name)].variant for name in names},
        comparison,
        board,
        left_out,
        [
            *(warning for table in tables for warning in table.warnings),
            *notes,
            *_table_warnings(tables[0], plan),
            *(w for s in systems for w in _calibration_warnings(s.table, s.functions, plan)),
            *(
                name + warning.removeprefix(twins.get(name, name))
                for name in names
                for warning in functions[twins.get(name, name)].warnings
            ),
        ],
        None if len(systems) > 1 else _best(systems[0], functions, twins),
        inputs,
    )
    if plan.missing != "drop":
        whole = _aligned([keep(table) for table in sources], plan, called)[0]
        best = numbers.artifact.best_function
        with stage("bounding what is missing"):
            numbers.artifact.missing = missing_part(whole, sources, systems, best, plan)
    return numbers


def _aligned(
    inputs: Sequence[Judgments], plan: Plan, called: Sequence[str]
) -> tuple[list[Judgments], Pair | None, list[str]]:
    """The tables as they are measured, weighed; of two also what their pair is; and notes."""
    pair = None
    tables, notes = list(inputs), []
    if len(inputs) == 2:
        only = plan.intersection_only or plan.pairwise
        pair = align(*inputs, intersection_only=only, names=(called[0], called[1]))
        tables, notes = [pair.left, pair.right], list(pair.warnings)
    elif len(inputs) > 2:
        tables, notes = (on_one_scale(inputs), []) if plan.pairwise else align_all(inputs, called)
    return [plan.weigh(table) for table in tables], pair, notes


def _select(
    tables: Sequence[Judgments], plan: Plan, called: Sequence[str]
) -> tuple[list[dict[str, str]], dict[str, str]]:
    """The confidence functions of each table, under names they share; why not the others."""
    tables = [without_missing(table) for table in tables]
    own = own_functions(plan.confidence, called)
    if own is not None:
        for function, table in zip(own, tables, strict=True):
            confidences.select(function, table, calibration=plan.calibration)
        return [{plan.confidence: function} for function in own], {}
    (first, left_out), *others = (select(table, plan) for table in tables)
    for names, why in others:
        left_out |= why | dict.fromkeys(
            sorted({*first} ^ {*names}), "not every input has its signals"
        )
        first = [name for name in first if name in names]
        if not first and plan.confidence != CONFIDENCE:
            raise UsageError(
                "the inputs have no confidence function in common; name one for each: --confidence "
                + ",".join(f"{printable(name)}=NAME" for name in called)
            )
    return [{name: name for name in first}] * len(tables), left_out


def _measure_each(systems: Sequence[System], names: Sequence[str]) -> list[_Function]:
    """Every function, in order: side by side where the tables are small.

    On a small table most of the time goes between the loops, so whole functions and systems share
    the threads; on a large one the loops of each do.
    """
    options = systems[0].plan.options
    threads = options.threads or cores()
    tasks = len(names) if len(systems) == 2 else len(names) * len(systems)
    resamples = options.resamples * len(systems)
    if threads == 1 or len(systems[0].table) > SMALL_TABLE or tasks < 2:
        functions: list[_Function] = []
        for name in names:
            part = 1 / (len(names) - len(functions))
            with stage(f"measuring {printable(name)}", part, resamples) as advance:
                functions.append(_measure(systems, name, replace(options, advance=advance), 1))
        return functions
    with stage(steps=resamples * len(names)) as advance:
        alone = replace(options, threads=1, advance=advance)
        if len(systems) > 2:
            return [_measure(systems, name, alone, threads) for name in names]
        return share(lambda name: _measure(systems, name, alone, 1), names, threads)


def _measure(systems: Sequence[System], name: str, options: Options, threads: int) -> _Function:
    plan = systems[0].plan
    contrasts: dict[str, Contrast] = {}
    matched = None
    if len(systems) == 2:
        rankings = [system.rankings[name] for system in systems]
        contrasts = compare(plan.metrics(), rankings[0], rankings[1], options)
        contrasts |= compare_reliability(systems[0], systems[1], name)
        matched = compare_matched(rankings[0], rankings[1], options, plan.matched_coverage)
        numbers = [{m: getattr(c, s) for m, c in contrasts.items()} for s in ("left", "right")]
        sides = [_side(*of, name, plural=True) for of in zip(systems, numbers, strict=True)]
    elif len(systems) == 1:
        numbers = [_alone(systems[0], name, options, build.written(plan))]
        sides = [_side(systems[0], numbers[0], name, plural=False)]
    else:
        numbers = [{}]
        sides = share(
            lambda system: _side(system, _alone(system, name, options, ()), name, plural=True),
            systems,
            threads,
        )
    notes = [note for _, own in sides for note in own]
    by_input = {f"input_{at}": variant for at, (variant, _) in enumerate(sides)}
    variant = sides[0][0] if len(sides) == 1 else by_input
    return _Function(numbers[0], contrasts, matched, variant, notes)


def _side(
    system: System, numbers: Mapping[str, Inference], name: str, *, plural: bool
) -> tuple[Variant, list[str]]:
    """What is written of a confidence function on one system, and what its ranking cannot say."""
    ranking = system.rankings[name]
    notes = _ranking_warnings(f"{name} ({system.name})" if plural else name, ranking, numbers)
    beside = system.why_not_honest(name) | system.floor_beside(ranking)
    return build.variant(ranking, numbers, system.plan, beside), notes


def _alone(
    system: System, name: str, options: Options, resampled: Collection[str]
) -> dict[str, Inference]:
    """Every metric of a system; by default only some are ``resampled``, for their percentiles."""
    of_best = ("augrc", "failure_auroc")
    plan, ranking = system.plan, system.rankings[name]
    drawn = resampled if options.method == INTERVAL else None
    by_rank = infer(plan.metrics(), ranking, options, of_best, drawn)
    return by_rank | system.infer_reliability(name, alone=True)


def _comparison(
    pair: Pair | None,
    systems: Sequence[System],
    functions: Mapping[str, _Function],
    twins: Mapping[str, str],
    names: Sequence[str],
) -> Comparison:
    plan = systems[0].plan
    if pair is None:
        only = plan.intersection_only
        return Comparison(enabled=len(systems) > 1, intersection_only=only)
    contrasts = {name: function.contrasts for name, function in functions.items()}
    matched = {n: f.matched for n, f in functions.items() if f.matched is not None}
    sides = [system.unranked for system in systems]
    worst = max(side.most_loss * side.unit for side in sides)
    matched = build.decided(matched, plan, worst, sides[0].n_cases)
    deltas, both = build.paired_deltas(contrasts, compare_both(*systems), matched, plan)
    agreement = claim(compare_agreement(*systems), plan.options)
    return Comparison(
        enabled=True,
        intersection_only=plan.intersection_only,
        matched=build.by_name(matched, twins, names),
        both=both,
        deltas=build.by_name(deltas, twins, names),
        in_both=len(pair.cases),
        only_left=list(pair.only_left),
        only_right=list(pair.only_right),
        failed_left=list(pair.failed_left),
        failed_right=list(pair.failed_right),
        both_answered=int((pair.left.answered & pair.right.answered & pair.left.once).sum()),
        agreement={metric: contrast.delta() for metric, contrast in agreement.items()}
        | {
            metric: contrast.delta(Description.NOT_IN_FAMILY)
            for metric, contrast in compare_beside(*systems).items()
        },
    )


def _best(
    system: System, functions: Mapping[str, _Function], twins: Mapping[str, str]
) -> Best | None:
    """The confidence function with the lowest AUGRC, its equals, and the rivals it has."""
    augrc = {name: function.numbers["augrc"] for name, function in functions.items()}
    values = {name: i.value for name, i in augrc.items() if i.value is not None}
    n_cases, options = len(system.table.included.cases), system.plan.options
    if len(values) < 2 or n_cases < RELIABLE_CASES:
        return None
    replicates = {n: augrc[n].replicates for n in values if len(augrc[n].replicates)}
    if options.many_rows:
        jackknives = [augrc[n].jackknife for n in values]
        replicates = linear_replicates(values, jackknives, RESAMPLES, options.seed)
    if not replicates:
        return None
    best, rivals = best_of(values, replicates, n_cases, level=options.confidence_level)
    same = {n for n in rivals if np.array_equal(replicates[n].values, replicates[best].values)}
    rivals = sorted((n for n in rivals if n not in same), key=values.__getitem__)

    def with_twins(names: Sequence[str]) -> list[str]:
        return [t for n in names for t in (n, *(twin for twin in twins if twins[twin] == n))]

    return Best(
        metric="augrc",
        name=best,
        equal=[n for n in with_twins([best, *sorted(same)]) if n != best],
        indistinguishable=with_twins(rivals),
        confidence_level=options.confidence_level,
        discrimination=_among(functions[best].numbers["failure_auroc"], len(values), options),
    )


def _among(inference: Inference, functions: int, options: Options) -> Interval | None:
    """The interval of a number that was chosen among so many (Bonferroni)."""
    if inference.value is None:
        return None
    level = 1.0 - (1.0 - options.confidence_level) / functions
    metric, jackknife = inference.metric, inference.jackknife
    interval = default_interval(metric.kind, inference.value, jackknife, level=level)
    return interval if isinstance(interval, Interval) else None


def _calibration_warnings(table: Judgments, functions: Mapping[str, str], plan: Plan) -> list[str]:
    """What the calibrator has to say about these cases."""
    if plan.calibration is None:
        return []
    table = without_missing(table)
    used = [
        name
        for name in functions.values()
        if name not in plan.functions and uses_calibration(find(name, table.signals))
    ]
    if not used:
        return ["the calibration file was not used: no calibrated function was asked for"]
    return list(plan.calibration.warnings(table, used))


def _table_warnings(table: Judgments, plan: Plan) -> list[str]:
    """What a table is too small or too even for, and what its loss charges."""
    warnings = []
    if find_loss(plan.loss).grades(table.scale).charges_right:
        warnings.append("the loss charges right answers too")
    rows, noun = table.included, table.scale.case
    n = len(rows.cases)
    if n < FEWEST_CASES:
        warnings.append(f"{counted(n, noun)}: an interval needs at least {FEWEST_CASES}")
    elif n < RELIABLE_CASES:
        warnings.append(f"{n} {noun}s: intervals from fewer than {RELIABLE_CASES} are unreliable")
    else:
        effective, largest = build.balance_of(table)
        if effective < RELIABLE_CASES or largest >= LARGEST_SHARE:
            warnings.append(
                f"{n} {noun}s count as {effective:.1f} would that have equally many rows, and one "
                f"holds {largest:.0%} of the weight: intervals are unreliable"
            )
    if not len(rows):
        warnings.append("no row has a usable reply: nothing is measured")
    if len(rows) and not rows.answered.any():
        warnings.append("every row is abstained: risks and areas are undefined")
    levels = np.unique(rows.on_levels.truth)
    if rows.has_truth and len(levels) == 1:
        level = table.scale.levels[int(levels[0])]
        warnings.append(
            f"every truth is the same level ({level}): nothing can be ranked by severity"
        )
    return warnings


def _ranking_warnings(name: str, ranking: Ranking, numbers: Mapping[str, Inference]) -> list[str]:
    """What a ranking by this confidence does not say."""
    warnings = []
    if len(ranking.ends) == 1 and len(ranking.order) > 1:
        warnings.append(f"{name}: every confidence is the same, so the ranking says nothing")
    excess = numbers["eaurc"].value
    if excess is not None and excess < -1e-12:
        warnings.append(
            f"{name}: eaurc is negative ({excess:.4g}), an artefact of ties; "
            "see aurc_exact_excess, which is not"
        )
    dropped = numbers["mean_loss"].replicates.drop_rate or 0.0
    if dropped > 0:
        effect = "too many for intervals" if dropped > MOST_DROPPED else "they are left out"
        warnings.append(
            f"{name}: {dropped:.1%} of the resamples have no answered row ({effect}): "
            "undefined there"
        )
    return warnings
