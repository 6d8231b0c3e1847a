"""(tables, plan) -> Evaluation: the one place where the parts meet."""

from __future__ import annotations

import datetime
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from acumen import confidence as confidences
from acumen._version import __version__
from acumen.align import Pair, align
from acumen.artifacts import (
    AreaAtCoverage,
    Best,
    BootstrapModel,
    Comparison,
    CurveModel,
    DeltaModel,
    Failure,
    Input,
    Interpretation,
    IntervalModel,
    LossDescription,
    MetricsArtifact,
    MetricValue,
    PairedVariant,
    Population,
    RiskAtCoverage,
    Rows,
    Variant,
    finite,
)
from acumen.errors import UsageError
from acumen.evaluation import Evaluation
from acumen.inference import Inference, Options, infer
from acumen.intervals import LEVEL, RELIABLE_CASES, Interval, NoInterval, percentile
from acumen.judgments import Judgments, Outcome
from acumen.losses import Loss, find_loss
from acumen.metrics import METRICS, Metric, metrics_of
from acumen.metrics.conventions import conventions
from acumen.multiplicity import best_of, holm
from acumen.paired import Delta, compare
from acumen.ranking import AREA_COVERAGE, COVERAGE_GRID, Ranking, rank_judgments
from acumen.resample import Enumeration, plan_resamples
from acumen.weights import CaseWeights, Floats

LOSS: Final = "abs_norm"
MOST_ROWS: Final = 200_000
"""Beyond this many rows the artifact leaves the rows themselves out."""

_ELSEWHERE = {"augrc_pairs", "mae_at_coverage", "aurc_at_coverage", "augrc_at_coverage"}
"""The same number by another road, or a metric asked for at given coverages."""

SOURCE_KEYS: Final = {
    "cmax": "cmax",
    "aurc": "aurc_full",
    "augrc": "augrc_full",
    "aurc_optimal": "aurc_optimal",
    "augrc_optimal": "augrc_optimal",
    "eaurc": "eaurc",
    "eaugrc": "eaugrc",
    "aurc_achievable": "aurc_achievable",
    "aurc_gap_pct": "aurc_gap_pct",
    "augrc_gap_pct": "augrc_gap_pct",
    "achievable_gain_pct": "achievable_gain_pct",
}
"""Our name of a metric -> its key in the reference's artifact."""


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

    def __post_init__(self) -> None:
        for coverage in (*self.coverage_grid, self.area_coverage):
            if not 0.0 < coverage <= 1.0:
                raise UsageError(f"a coverage must be in (0, 1], not {coverage:g}")
        if not 0.0 < self.options.level < 1.0:
            raise UsageError(f"the level must be between 0 and 1, not {self.options.level:g}")
        if self.options.resamples < 0:
            raise UsageError(f"resamples must not be negative, not {self.options.resamples}")

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
    warnings = [*table.warnings, *_table_warnings(table)]
    variants: dict[str, Variant | PairedVariant] = {}
    inferences: dict[str, dict[str, Inference]] = {}
    for name, values in computed.items():
        ranking = plan.rank(table, values)
        inferences[name] = infer(plan.metrics(), ranking, plan.options)
        variants[name] = _variant(ranking, inferences[name], plan)
        warnings += _variant_warnings(name, ranking, inferences[name])
    artifact = _artifact(
        plan,
        loss,
        tables=[table],
        variants=variants,
        comparison=Comparison(enabled=False, intersection_only=plan.intersection_only),
        left_out=left_out,
        confidence=[computed],
        warnings=warnings,
        best=_best(inferences, len(table.included.cases), plan),
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
    variants: dict[str, Variant | PairedVariant] = {}
    deltas: dict[str, dict[str, Delta]] = {}
    for name in names:
        a, b = (plan.rank(t, c[name]) for t, c in zip(tables, computed, strict=True))
        deltas[name] = compare(plan.metrics(), a, b, plan.options)
        sides = [{m: getattr(d, s) for m, d in deltas[name].items()} for s in ("left", "right")]
        variants[name] = PairedVariant(
            input_0=_variant(a, sides[0], plan), input_1=_variant(b, sides[1], plan)
        )
        for side, ranking, found in (("left", a, sides[0]), ("right", b, sides[1])):
            warnings += _variant_warnings(f"{name} ({side})", ranking, found)
    comparison = Comparison(
        enabled=True,
        intersection_only=plan.intersection_only,
        deltas=_delta_models(deltas, plan),
        in_both=len(pair.cases),
        only_left=list(pair.only_left),
        only_right=list(pair.only_right),
        failed_left=list(pair.failed_left),
        failed_right=list(pair.failed_right),
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


def _selected(table: Judgments, plan: Plan) -> tuple[list[str], dict[str, str]]:
    if plan.functions and plan.confidence == "default":
        return list(plan.functions), {}
    selection = confidences.select(plan.confidence, table, calibration=plan.calibration)
    return [*selection.names, *plan.functions], dict(selection.left_out)


def _confidence(name: str, table: Judgments, plan: Plan) -> Floats:
    return confidences.compute(plan.functions.get(name, name), table, calibration=plan.calibration)


def _variant(ranking: Ranking, found: Mapping[str, Inference], plan: Plan) -> Variant:
    curve = ranking.curve()
    once = CaseWeights.once(ranking.n_cases)
    totals = ranking.totals(once)
    reached = ranking.areas(once).reached[:, :, 0]
    rows = float(totals.rows[0])
    cmax = float(totals.answered[0]) / rows if rows else 0.0
    area = plan.area_coverage
    maes = {}
    for at, coverage in enumerate(ranking.grid):
        accepted = reached[0, at]
        maes[f"{coverage:.2f}"] = RiskAtCoverage(
            requested=coverage,
            achieved=finite(accepted / rows) if rows else None,
            value=finite(reached[1, at] / accepted * ranking.unit),
        )
    value = {name: finite(i.value) for name, i in found.items()}
    return Variant(
        **{key: value[name] for name, key in SOURCE_KEYS.items() if not name.endswith("_pct")},
        interpretation=Interpretation(
            **{name: value[name] for name in SOURCE_KEYS if name.endswith("_pct")}
        ),
        aurc_at_c=AreaAtCoverage(
            requested=area, used=min(area, cmax), value=value[f"aurc_at_coverage@{area:g}"]
        ),
        augrc_at_c=AreaAtCoverage(
            requested=area, used=min(area, cmax), value=value[f"augrc_at_coverage@{area:g}"]
        ),
        mae_at_coverage=maes,
        bootstrap=_bootstrap(found, ranking, plan),
        curve=CurveModel(
            coverage=curve.coverage.tolist(),
            selective_risk=curve.selective_risk.tolist(),
            generalized_risk=curve.generalized_risk.tolist(),
            threshold=curve.threshold.tolist(),
        ),
        metrics={name: _metric_value(i) for name, i in found.items()},
        conventions={k: v for k, v in conventions(ranking).items() if np.isfinite(v)},
    )


def _source_key(name: str, plan: Plan) -> str | None:
    """The reference's key of a metric; None where it has none."""
    area = f"@{plan.area_coverage:g}"
    if name.endswith(area) and name.startswith(("aurc_at_coverage", "augrc_at_coverage")):
        return name.removesuffix(area).replace("_coverage", "_c")
    return SOURCE_KEYS.get(name)


def _bootstrap(found: Mapping[str, Inference], ranking: Ranking, plan: Plan) -> BootstrapModel:
    options = plan.options
    draws = plan_resamples(ranking.n_cases, options.resamples, options.seed, options.weights)
    probability = draws.probability if isinstance(draws, Enumeration) else None
    ci95: dict[str, Any] = {}
    dropped: dict[str, Any] = {}
    for name, inference in found.items():
        key = _source_key(name, plan)
        if key is not None:
            ci95[key] = _ci95(inference, probability, options.level)
            dropped[key] = inference.drop_rate
    by_coverage = {f"{c:.2f}": found[f"mae_at_coverage@{c:g}"] for c in plan.coverage_grid}
    ci95["mae_at_coverage"] = {
        key: _ci95(i, probability, options.level) for key, i in by_coverage.items()
    }
    dropped["mae_at_coverage"] = {key: i.drop_rate for key, i in by_coverage.items()}
    return BootstrapModel(
        seed=options.seed,
        n_resamples=options.resamples,
        ci95=ci95,
        drop_rate=dropped,
        method="exact enumeration" if probability is not None else options.weights,
    )


def _ci95(
    found: Inference | Delta, probability: Floats | None, level: float
) -> tuple[float | None, float | None] | None:
    interval = found.percentile
    if level != LEVEL and len(found.replicates) and found.value is not None:
        interval = percentile(found.replicates, LEVEL, probability)
    if isinstance(interval, NoInterval):
        return None
    return finite(interval.low), finite(interval.high)


def _metric_value(found: Inference) -> MetricValue:
    return MetricValue(
        value=finite(found.value),
        reason=found.reason,
        better=found.metric.better,
        interval=_interval(found.interval),
        interval_reason=getattr(found.interval, "reason", None),
        drop_rate=found.drop_rate,
    )


def _interval(found: Interval | NoInterval) -> IntervalModel | None:
    if isinstance(found, NoInterval):
        return None
    return IntervalModel(
        low=finite(found.low),
        high=finite(found.high),
        method=found.method,
        level=found.level,
        standard_error=finite(found.standard_error),
        note=found.note,
    )


def _delta_models(
    deltas: Mapping[str, Mapping[str, Delta]], plan: Plan
) -> dict[str, dict[str, DeltaModel]]:
    """Deltas by confidence function and metric; p-values adjusted over the functions."""
    metrics = [m.name for m in plan.metrics()]
    adjusted = {m: holm({c: deltas[c][m].p_value for c in deltas}) for m in metrics}
    draws_of = next(iter(deltas.values()))
    n_cases = next(iter(draws_of.values())).left.jackknife.n
    draws = plan_resamples(max(n_cases, 1), plan.options.resamples, plan.options.seed)
    probability = draws.probability if isinstance(draws, Enumeration) else None
    return {
        name: {
            _source_key(m, plan) or m: DeltaModel(
                delta=finite(d.value),
                ci95=_ci95(d, probability, plan.options.level),
                reason=d.reason,
                left=finite(d.left.value),
                right=finite(d.right.value),
                better=d.metric.better,
                interval=_interval(d.interval),
                interval_reason=getattr(d.interval, "reason", None),
                p_value=d.p_value,
                p_holm=adjusted[m][name],
                drop_rate=d.drop_rate,
                favours=d.favours,
            )
            for m, d in found.items()
        }
        for name, found in deltas.items()
    }


def _best(
    inferences: Mapping[str, Mapping[str, Inference]], n_cases: int, plan: Plan
) -> Best | None:
    """The confidence function with the lowest AUGRC, and those it cannot be told from."""
    augrc = {name: found["augrc"] for name, found in inferences.items()}
    values = {name: i.value for name, i in augrc.items() if i.value is not None}
    usable = n_cases >= RELIABLE_CASES and plan.options.resamples > 0
    if len(values) < 2 or not usable:
        return None
    best, rivals = best_of(
        values, {n: augrc[n].replicates for n in values}, n_cases, level=plan.options.level
    )
    return Best(metric="augrc", name=best, indistinguishable=rivals, level=plan.options.level)


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
        told = "too many for intervals" if dropped > 0.05 else "they are left out"
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
    return MetricsArtifact(
        created_at=now(),
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
        population=_population(tables, comparison),
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
            "confidence": plan.confidence,
            "coverage_grid": list(plan.coverage_grid),
            "area_coverage": plan.area_coverage,
            "interval": plan.options.method,
            "level": plan.options.level,
            "bootstrap_resamples": plan.options.resamples,
            "seed": plan.options.seed,
            "weights": plan.options.weights,
        },
        left_out=left_out,
        best=best,
        rows=[_rows(t, c) for t, c in zip(tables, confidence, strict=True) if len(t) <= MOST_ROWS],
        warnings=list(dict.fromkeys(warnings)),
    )


def _population(tables: Sequence[Judgments], comparison: Comparison) -> Population:
    """The population of one input, or of the common set of two."""
    table = tables[0]
    kept = table.included
    failed = {f.case: f for t in tables for f in t.failed}
    total = len(kept.cases) + len(failed)
    if comparison.enabled:
        gone = {*comparison.failed_left, *comparison.failed_right}
        total = len(kept.cases) + len(gone)
    return Population(
        participants_total=total,
        participants_included=len(kept.cases),
        participants_failed=total - len(kept.cases),
        items_total=len(kept),
        items_answered=int(kept.answered.sum()),
        items_abstained=int((kept.outcome == Outcome.ABSTAINED).sum()),
        case_noun=table.scale.case,
        items=list(table.items),
        failed=[Failure(case=f.case, reason=f.reason) for f in failed.values()],
    )


def _rows(table: Judgments, confidence: Mapping[str, Floats]) -> Rows:
    kept = table.included
    answered = kept.answered
    return Rows(
        case=[kept.cases[c] for c in kept.case.tolist()],
        item=[kept.items[i] for i in kept.item.tolist()],
        truth=kept.truth.tolist(),
        prediction=[
            p if a else None for p, a in zip(kept.prediction.tolist(), answered, strict=True)
        ],
        outcome=[Outcome(o).name.lower() for o in kept.outcome.tolist()],
        confidence={
            name: [v if a else None for v, a in zip(values.tolist(), answered, strict=True)]
            for name, values in confidence.items()
        },
    )


def now() -> str:
    """The time of writing, UTC; ``SOURCE_DATE_EPOCH`` fixes it so that files can be reproduced."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    moment = (
        datetime.datetime.fromtimestamp(int(epoch), datetime.UTC)
        if epoch and epoch.isdigit()
        else datetime.datetime.now(datetime.UTC)
    )
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
