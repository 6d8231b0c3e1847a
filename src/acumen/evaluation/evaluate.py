"""(tables, plan) -> Evaluation: the one place where the parts meet."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from typing import Final, TypeVar

import numpy as np

from acumen.defaults import RELIABLE_CASES
from acumen.errors import UsageError
from acumen.evaluation import build, warnings
from acumen.evaluation.evaluation import Evaluation
from acumen.evaluation.levels import compare_agreement, compare_reliability, infer_reliability
from acumen.evaluation.plan import Plan
from acumen.evaluation.system import System, find_twins, select
from acumen.inference.infer import Inference, infer
from acumen.inference.multiplicity import best_of
from acumen.inference.options import Options
from acumen.inference.paired import Contrast, compare
from acumen.results.metrics import Best, Comparison, PairedVariant, Variant
from acumen.table.align import Pair, align
from acumen.table.judgments import Judgments

T = TypeVar("T")

SMALL_TABLE: Final = 20_000
"""Up to this many rows, whole confidence functions share the threads."""


Progress = Callable[[int], AbstractContextManager[Callable[[int], None] | None]]
"""Given how many resamples there will be, a context whose value is told of those done."""

PAIRED: Final = 3
"""A pair resamples each side, and swaps them."""


def evaluate(
    left: Judgments,
    right: Judgments | None = None,
    plan: Plan = Plan(),  # noqa: B008  (frozen)
    progress: Progress | None = None,
) -> Evaluation:
    """Evaluate one table, or two on their common cases with paired deltas."""
    if right is None:
        names, left_out = select(left, plan)
        with _watched(plan, progress, len(names)) as plan:
            return _evaluate_one(left, names, left_out, plan)
    pair = align(left, right, intersection_only=plan.intersection_only)
    names, left_out = _common_functions(pair, plan)
    with _watched(plan, progress, PAIRED * len(names)) as plan:
        return _evaluate_pair(pair, names, left_out, plan)


@contextmanager
def _watched(plan: Plan, progress: Progress | None, rounds: int) -> Iterator[Plan]:
    """The plan with somebody who is told of its resamples, so many rounds of them."""
    if progress is None:
        yield plan
        return
    with progress(rounds * plan.options.resamples) as advance:
        yield replace(plan, options=replace(plan.options, advance=advance))


@dataclass(frozen=True, slots=True)
class _Function:
    """What one confidence function of one system comes to."""

    numbers: dict[str, Inference]
    variant: Variant
    warnings: list[str]


def _evaluate_one(
    table: Judgments, names: Sequence[str], left_out: dict[str, str], plan: Plan
) -> Evaluation:
    system = System.of(table, plan, names)
    twins = find_twins([system])

    def measure(name: str, options: Options) -> _Function:
        ranking = system.rankings[name]
        numbers = infer(plan.metrics(), ranking, options)
        variant = build.variant(ranking, numbers | infer_reliability(system, name), plan)
        return _Function(numbers, variant, warnings.of_ranking(name, ranking, numbers))

    alone = [name for name in names if name not in twins]
    _ = system.rankings, system.forecasts  # once, before threads ask for them
    functions = dict(zip(alone, _each(measure, alone, table, plan), strict=True))
    return build.evaluation(
        plan,
        [system],
        {name: functions[twins.get(name, name)].variant for name in names},
        Comparison(enabled=False, intersection_only=plan.intersection_only),
        left_out,
        [
            *table.warnings,
            *warnings.of_table(table),
            *warnings.of_calibration(table, names, plan),
            *(warning for function in functions.values() for warning in function.warnings),
        ],
        _best({n: f.numbers["augrc"] for n, f in functions.items()}, twins, table, plan),
    )


def _evaluate_pair(
    pair: Pair, names: Sequence[str], left_out: dict[str, str], plan: Plan
) -> Evaluation:
    left, right = (System.of(table, plan, names) for table in (pair.left, pair.right))
    twins = find_twins([left, right])
    alone = [name for name in names if name not in twins]
    contrasts = {name: _contrasts(left, right, name) for name in alone}
    variants = {name: _variants(left, right, name, contrasts[name]) for name in alone}
    notes = [
        *dict.fromkeys((*pair.left.warnings, *pair.right.warnings)),
        *pair.warnings,
        *warnings.of_table(pair.left),
        *warnings.of_calibration(pair.left, names, plan),
        *warnings.of_calibration(pair.right, names, plan),
    ]
    for name in alone:
        for side, system in (("left", left), ("right", right)):
            numbers = {m: getattr(c, side) for m, c in contrasts[name].items()}
            notes += warnings.of_ranking(f"{name} ({side})", system.rankings[name], numbers)
    return build.evaluation(
        plan,
        [left, right],
        {name: variants[twins.get(name, name)] for name in names},
        Comparison(
            enabled=True,
            intersection_only=plan.intersection_only,
            deltas=build.paired_deltas(contrasts, twins, names, plan),
            in_both=len(pair.cases),
            only_left=list(pair.only_left),
            only_right=list(pair.only_right),
            failed_left=list(pair.failed_left),
            failed_right=list(pair.failed_right),
            both_answered=int((pair.left.answered & pair.right.answered).sum()),
            agreement={m: c.delta() for m, c in compare_agreement(left, right).items()},
        ),
        left_out,
        notes,
        best=None,
    )


def _common_functions(pair: Pair, plan: Plan) -> tuple[list[str], dict[str, str]]:
    (left, why_left), (right, why_right) = (select(t, plan) for t in (pair.left, pair.right))
    names = [name for name in left if name in right]
    if not names:
        raise UsageError("the two inputs have no confidence function in common")
    of_one = dict.fromkeys({*left} ^ {*right}, "only one of the two inputs has its signals")
    return names, why_left | why_right | of_one


def _contrasts(left: System, right: System, name: str) -> dict[str, Contrast]:
    """Every paired difference of one confidence function."""
    plan = left.plan
    a, b = left.rankings[name], right.rankings[name]
    return compare(plan.metrics(), a, b, plan.options) | compare_reliability(left, right, name)


def _variants(
    left: System, right: System, name: str, contrasts: Mapping[str, Contrast]
) -> PairedVariant:
    """Each side's own numbers of one confidence function."""
    a = {metric: contrast.left for metric, contrast in contrasts.items()}
    b = {metric: contrast.right for metric, contrast in contrasts.items()}
    return PairedVariant(
        input_0=build.variant(left.rankings[name], a, left.plan),
        input_1=build.variant(right.rankings[name], b, left.plan),
    )


def _each(
    work: Callable[[str, Options], T], names: Sequence[str], table: Judgments, plan: Plan
) -> list[T]:
    """``work`` for every function, in order: side by side where the table is small.

    On a small table most of the time goes between the loops, so whole functions share the threads;
    on a large one the loops of each function do.
    """
    threads = plan.options.threads or min(os.cpu_count() or 1, 8)
    if threads == 1 or len(table) > SMALL_TABLE or len(names) < 2:
        return [work(name, plan.options) for name in names]
    options = replace(plan.options, threads=1)
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(lambda name: work(name, options), names))


def _best(
    augrc: Mapping[str, Inference], twins: Mapping[str, str], table: Judgments, plan: Plan
) -> Best | None:
    """The confidence function with the lowest AUGRC, its equals, and the rivals it has."""
    values = {name: i.value for name, i in augrc.items() if i.value is not None}
    n_cases, options = len(table.included.cases), plan.options
    usable = n_cases >= RELIABLE_CASES and options.resamples > 0
    if len(values) < 2 or not usable:
        return None
    replicates = {n: augrc[n].replicates for n in values}
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
    )
