"""(tables, plan) -> Evaluation: the one place where the parts meet."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeVar

import numpy as np

from acumen import confidence as confidences
from acumen._version import __version__
from acumen.errors import UsageError
from acumen.evaluation import build as findings
from acumen.evaluation.charted import summarize
from acumen.evaluation.evaluation import Evaluation
from acumen.evaluation.levels import agreement, agreement_deltas, reliability, reliability_deltas
from acumen.files.timestamps import created_at
from acumen.inference.infer import Inference, Options, infer
from acumen.inference.intervals import MOST_DROPPED, RELIABLE_CASES
from acumen.inference.multiplicity import best_of
from acumen.inference.paired import Delta, compare
from acumen.inference.resample import Enumeration, plan_resamples
from acumen.metrics import METRICS, Metric, metrics_of
from acumen.results.metrics import (
    Best,
    Comparison,
    Input,
    LossDescription,
    MetricsArtifact,
    PairedVariant,
    Variant,
)
from acumen.table.align import Pair, align
from acumen.table.judgments import Judgments
from acumen.table.losses import Loss, find_loss
from acumen.table.scale import scale_option
from acumen.types import Floats
from acumen.views.ranking import AREA_COVERAGE, COVERAGE_GRID, Ranking, rank_judgments

T = TypeVar("T")

LOSS: Final = "abs_norm"
SMALL_TABLE: Final = 20_000
MOST_ROWS: Final = 200_000
"""Beyond this many rows the artifact leaves the rows themselves out."""

_ELSEWHERE = {
    "augrc_pairs",
    "aurc_random_ties",
    "mae_at_coverage",
    "aurc_at_coverage",
    "augrc_at_coverage",
}
"""The same number by another road, a convention, or a metric asked for at given coverages."""


@dataclass(frozen=True)
class Plan:
    """What to evaluate, and how."""

    confidence: str = "default"
    functions: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    """Confidence functions given as plain callables, by the name they are shown under."""
    loss: str = LOSS
    coverage_grid: tuple[float, ...] = COVERAGE_GRID
    area_coverage: float = AREA_COVERAGE
    options: Options = Options()  # noqa: RUF009  (frozen)
    calibration: Any = None
    intersection_only: bool = False
    texts: bool = False
    """Whether the artifact keeps the evidence that a run quotes: texts of cases."""

    def __post_init__(self) -> None:
        if not self.coverage_grid:
            raise UsageError("the coverage grid is empty: give at least one coverage")
        for coverage in (*self.coverage_grid, self.area_coverage):
            if not 0.0 < coverage <= 1.0:
                raise UsageError(f"a coverage must be in (0, 1], not {coverage:g}")

    def metrics(self) -> list[Metric]:
        """The metrics of a ranking, those at a coverage spelled out for each."""
        found = [m for m in metrics_of(Ranking) if m.name not in _ELSEWHERE]
        areas = ("aurc_at_coverage", "augrc_at_coverage")
        found += [METRICS[name].at(coverage=self.area_coverage) for name in areas]
        found += [METRICS["mae_at_coverage"].at(coverage=c) for c in self.coverage_grid]
        return found

    def rank(self, table: Judgments, confidence: Floats) -> Ranking:
        """A table ranked by a confidence."""
        return rank_judgments(
            table,
            confidence,
            self.loss,
            grid=self.coverage_grid,
            cuts=(self.area_coverage,),
        )


def evaluate(
    left: Judgments,
    right: Judgments | None = None,
    plan: Plan = Plan(),  # noqa: B008  (frozen)
) -> Evaluation:
    """Evaluate one table, or two on their common cases with paired deltas."""
    loss = find_loss(plan.loss)
    if right is None:
        return _evaluate_one(left, plan, loss)
    return _evaluate_pair(align(left, right, intersection_only=plan.intersection_only), plan, loss)


def _evaluate_one(table: Judgments, plan: Plan, loss: Loss) -> Evaluation:
    names, left_out = _selected(table, plan)
    computed = {name: _confidence(name, table, plan) for name in names}
    warnings = [*table.warnings, *_table_warnings(table), *_calibration(table, names, plan)]
    variants: dict[str, Variant | PairedVariant] = {}
    inferences: dict[str, dict[str, Inference]] = {}
    twins = _twins([computed])

    def measured(name: str, options: Options) -> tuple[dict[str, Inference], Variant, list[str]]:
        ranking = plan.rank(table, computed[name])
        found = infer(plan.metrics(), ranking, options)
        honest = reliability(table, computed[name], options)
        told = findings.variant(ranking, found | honest, plan)
        return found, told, _variant_warnings(name, ranking, found)

    alone = [name for name in names if name not in twins]
    for name, (found, told, said) in zip(alone, _each(measured, alone, table, plan), strict=True):
        inferences[name], variants[name] = found, told
        warnings += said
    variants = {name: variants[twins.get(name, name)] for name in names}
    artifact = _artifact(
        plan,
        loss,
        tables=[table],
        variants=variants,
        comparison=Comparison(enabled=False, intersection_only=plan.intersection_only),
        left_out=left_out,
        confidence=[computed],
        warnings=warnings,
        best=_best(inferences, twins, len(table.included.cases), plan),
    )
    return Evaluation(artifact)


def _evaluate_pair(pair: Pair, plan: Plan, loss: Loss) -> Evaluation:
    tables = (pair.left, pair.right)
    selected = [_selected(t, plan) for t in tables]
    names = [n for n in selected[0][0] if n in selected[1][0]]
    if not names:
        raise UsageError("the two inputs have no confidence function in common")
    left_out = selected[0][1] | selected[1][1]
    left_out |= dict.fromkeys(
        {*selected[0][0]} ^ {*selected[1][0]}, "only one of the two inputs has its signals"
    )
    computed = [{n: _confidence(n, t, plan) for n in names} for t in tables]
    warnings = [*dict.fromkeys((*pair.left.warnings, *pair.right.warnings)), *pair.warnings]
    warnings += _table_warnings(pair.left)
    for table in tables:
        warnings += _calibration(table, names, plan)
    variants: dict[str, Variant | PairedVariant] = {}
    deltas: dict[str, dict[str, Delta]] = {}
    twins = _twins(computed)
    for name in names:
        if name in twins:
            variants[name], deltas[name] = variants[twins[name]], deltas[twins[name]]
            continue
        a, b = (plan.rank(t, c[name]) for t, c in zip(tables, computed, strict=True))
        deltas[name] = compare(plan.metrics(), a, b, plan.options)
        deltas[name] |= reliability_deltas(
            pair.left, pair.right, computed[0][name], computed[1][name], plan.options
        )
        sides = [{m: getattr(d, s) for m, d in deltas[name].items()} for s in ("left", "right")]
        variants[name] = PairedVariant(
            input_0=findings.variant(a, sides[0], plan), input_1=findings.variant(b, sides[1], plan)
        )
        for side, ranking, found in (("left", a, sides[0]), ("right", b, sides[1])):
            warnings += _variant_warnings(f"{name} ({side})", ranking, found)
    comparison = Comparison(
        enabled=True,
        intersection_only=plan.intersection_only,
        deltas=findings.delta_models(deltas, plan),
        in_both=len(pair.cases),
        only_left=list(pair.only_left),
        only_right=list(pair.only_right),
        failed_left=list(pair.failed_left),
        failed_right=list(pair.failed_right),
        both_answered=int((pair.left.answered & pair.right.answered).sum()),
        agreement={
            name: findings.delta_model(delta, None, plan)
            for name, delta in agreement_deltas(pair.left, pair.right, plan.options).items()
        },
    )
    return Evaluation(
        _artifact(
            plan,
            loss,
            tables=list(tables),
            variants=variants,
            comparison=comparison,
            left_out=left_out,
            confidence=computed,
            warnings=warnings,
            best=None,
        )
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


def _twins(computed: Sequence[Mapping[str, Floats]]) -> dict[str, str]:
    """Functions that give the same confidences as an earlier one: they share its numbers."""
    first: dict[tuple[bytes, ...], str] = {}
    twins = {}
    for name in computed[0]:
        earlier = first.setdefault(tuple(side[name].tobytes() for side in computed), name)
        if earlier != name:
            twins[name] = earlier
    return twins


def _selected(table: Judgments, plan: Plan) -> tuple[list[str], dict[str, str]]:
    if plan.functions and plan.confidence == "default":
        return list(plan.functions), {}
    selection = confidences.select(plan.confidence, table, calibration=plan.calibration)
    return [*selection.names, *plan.functions], dict(selection.left_out)


def _confidence(name: str, table: Judgments, plan: Plan) -> Floats:
    return confidences.compute(plan.functions.get(name, name), table, calibration=plan.calibration)


def _best(
    inferences: Mapping[str, Mapping[str, Inference]],
    twins: Mapping[str, str],
    n_cases: int,
    plan: Plan,
) -> Best | None:
    """The confidence function with the lowest AUGRC, its equals, and the rivals it has."""
    augrc = {name: found["augrc"] for name, found in inferences.items()}
    values = {name: i.value for name, i in augrc.items() if i.value is not None}
    usable = n_cases >= RELIABLE_CASES and plan.options.resamples > 0
    if len(values) < 2 or not usable:
        return None
    options = plan.options
    draws = plan_resamples(n_cases, options.resamples, options.seed, options.weights)
    best, rivals = best_of(
        values,
        {n: augrc[n].replicates for n in values},
        n_cases,
        level=options.level,
        probability=draws.probability if isinstance(draws, Enumeration) else None,
    )
    same = {n for n in rivals if np.array_equal(augrc[n].replicates, augrc[best].replicates)}
    rivals = sorted((n for n in rivals if n not in same), key=values.__getitem__)

    def with_twins(names: Sequence[str]) -> list[str]:
        return [t for n in names for t in (n, *(twin for twin in twins if twins[twin] == n))]

    return Best(
        metric="augrc",
        name=best,
        equal=[n for n in with_twins([best, *sorted(same)]) if n != best],
        indistinguishable=with_twins(rivals),
        level=options.level,
    )


def _calibration(table: Judgments, names: Sequence[str], plan: Plan) -> list[str]:
    """What the calibrator has to say about these cases."""
    if plan.calibration is None:
        return []
    used = [n for n in names if n not in plan.functions and "calibrated" in n]
    if not used:
        return ["the calibration file was not used: no calibrated function was asked for"]
    return list(plan.calibration.warnings(table, used))


def _table_warnings(table: Judgments) -> list[str]:
    found = []
    kept = table.included
    n = len(kept.cases)
    noun = table.scale.case
    if n < 2:
        found.append(f"{n} {noun}: an interval needs at least 2")
    elif n < RELIABLE_CASES:
        found.append(f"{n} {noun}s: intervals from fewer than {RELIABLE_CASES} are unreliable")
    if len(kept) and not kept.answered.any():
        found.append("every row is abstained: risks and areas are undefined")
    if len(kept) and (kept.truth == kept.truth[0]).all():
        level = table.scale.levels[int(kept.truth[0])]
        found.append(f"every truth is the same level ({level}): nothing can be ranked by severity")
    return found


def _variant_warnings(name: str, ranking: Ranking, found: Mapping[str, Inference]) -> list[str]:
    warnings = []
    if len(ranking.ends) == 1 and len(ranking.order) > 1:
        warnings.append(f"{name}: every confidence is the same, so the ranking says nothing")
    excess = found["eaurc"].value
    if excess is not None and excess < -1e-12:
        warnings.append(
            f"{name}: eaurc is negative ({excess:.4g}), an artefact of ties; "
            "see aurc_exact_excess, which is not"
        )
    dropped = found["mae"].drop_rate or 0.0
    if dropped > 0:
        told = "too many for intervals" if dropped > MOST_DROPPED else "they are left out"
        warnings.append(
            f"{name}: {dropped:.1%} of the resamples have no answered row ({told}): undefined there"
        )
    return warnings


def _artifact(
    plan: Plan,
    loss: Loss,
    *,
    tables: Sequence[Judgments],
    variants: dict[str, Variant | PairedVariant],
    comparison: Comparison,
    left_out: dict[str, str],
    confidence: Sequence[Mapping[str, Floats]],
    warnings: Sequence[str],
    best: Best | None,
) -> MetricsArtifact:
    scale = tables[0].scale
    rows = [
        findings.rows(t, c, texts=plan.texts)
        for t, c in zip(tables, confidence, strict=True)
        if len(t) <= MOST_ROWS
    ]
    if plan.texts and len(rows) < len(tables):
        warnings = [*warnings, f"no texts are kept of more than {MOST_ROWS:,} rows"]
    elif plan.texts and not any(part.evidence_texts for part in rows):
        warnings = [*warnings, "texts were asked for, but no evidence is quoted in the input"]
    return MetricsArtifact(
        created_at=created_at(),
        inputs=[
            Input(
                path=t.source.path,
                run_id=t.source.run_id,
                git_commit=t.source.git_commit,
                mode=t.source.mode,
                sha256=t.source.sha256,
            )
            for t in tables
        ],
        population=findings.population(tables, comparison),
        loss=LossDescription(
            name=loss.name,
            definition=loss.describe(scale),
            raw_multiplier=round(1.0 / loss.unit(scale)),
        ),
        confidence_variants=variants,
        comparison=comparison,
        acumen_version=__version__,
        scale={"name": scale.name, "levels": list(scale.levels), "case": scale.case},
        options={
            "scale": scale_option(scale),
            "confidence": plan.confidence,
            "coverage_grid": list(plan.coverage_grid),
            "area_coverage": plan.area_coverage,
            "interval": plan.options.method,
            "level": plan.options.level,
            "bootstrap_resamples": plan.options.resamples,
            "seed": plan.options.seed,
            "weights": plan.options.weights,
            "calibration": getattr(plan.calibration, "file", None),
            "texts": plan.texts,
        },
        left_out=left_out,
        best=best,
        agreement=[
            {n: findings.metric_value(i) for n, i in agreement(t, plan.options).items()}
            for t in tables
        ],
        rows=rows,
        summaries=[summarize(t, c, plan) for t, c in zip(tables, confidence, strict=True)],
        warnings=list(dict.fromkeys(warnings)),
    )
