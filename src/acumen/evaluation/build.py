"""Inferences -> the models of the metrics artifact."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol

import numpy as np

from acumen.inference.infer import Inference, Options
from acumen.inference.intervals import LEVEL, Interval, NoInterval, percentile
from acumen.inference.multiplicity import holm
from acumen.inference.paired import Delta
from acumen.inference.resample import Enumeration, plan_resamples
from acumen.metrics import Metric
from acumen.metrics.conventions import conventions
from acumen.results.metrics import (
    AreaAtCoverage,
    BootstrapModel,
    Comparison,
    CurveModel,
    DeltaModel,
    Failure,
    Interpretation,
    IntervalModel,
    MetricValue,
    Population,
    RiskAtCoverage,
    Rows,
    Variant,
    finite,
)
from acumen.table.judgments import Judgments, Outcome, Signal, SignalState
from acumen.types import Floats
from acumen.views.ranking import Ranking
from acumen.views.weights import CaseWeights

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


class PlanLike(Protocol):
    """What the artifact needs to know of the plan."""

    @property
    def coverage_grid(self) -> tuple[float, ...]:
        """Coverages at which the risk is told."""

    @property
    def area_coverage(self) -> float:
        """Coverage up to which areas are told."""

    @property
    def options(self) -> Options:
        """How intervals were made."""

    def metrics(self) -> list[Metric]:
        """The metrics that were computed."""


def variant(ranking: Ranking, found: Mapping[str, Inference], plan: PlanLike) -> Variant:
    """Everything about one confidence function on one input."""
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
        bootstrap=bootstrap(found, ranking, plan),
        curve=CurveModel(
            coverage=curve.coverage.tolist(),
            selective_risk=curve.selective_risk.tolist(),
            generalized_risk=curve.generalized_risk.tolist(),
            threshold=curve.threshold.tolist(),
        ),
        metrics={name: metric_value(i) for name, i in found.items()},
        conventions={k: v for k, v in conventions(ranking).items() if np.isfinite(v)},
    )


def source_key(name: str, plan: PlanLike) -> str | None:
    """The reference's key of a metric; None where it has none."""
    area = f"@{plan.area_coverage:g}"
    if name.endswith(area) and name.startswith(("aurc_at_coverage", "augrc_at_coverage")):
        return name.removesuffix(area).replace("_coverage", "_c")
    return SOURCE_KEYS.get(name)


def bootstrap(found: Mapping[str, Inference], ranking: Ranking, plan: PlanLike) -> BootstrapModel:
    """The percentile intervals and drop rates, under the reference's keys."""
    options = plan.options
    draws = plan_resamples(ranking.n_cases, options.resamples, options.seed, options.weights)
    probability = draws.probability if isinstance(draws, Enumeration) else None
    ci95: dict[str, Any] = {}
    dropped: dict[str, Any] = {}
    for name, inference in found.items():
        key = source_key(name, plan)
        if key is not None:
            ci95[key] = percentile_ends(inference, probability, options.level)
            dropped[key] = inference.drop_rate
    by_coverage = {f"{c:.2f}": found[f"mae_at_coverage@{c:g}"] for c in plan.coverage_grid}
    ci95["mae_at_coverage"] = {
        key: percentile_ends(i, probability, options.level) for key, i in by_coverage.items()
    }
    dropped["mae_at_coverage"] = {key: i.drop_rate for key, i in by_coverage.items()}
    return BootstrapModel(
        seed=options.seed,
        n_resamples=options.resamples,
        ci95=ci95,
        drop_rate=dropped,
        method="exact enumeration" if probability is not None else options.weights,
    )


def percentile_ends(
    found: Inference | Delta, probability: Floats | None, level: float
) -> tuple[float | None, float | None] | None:
    """The 95% percentile interval, whatever the level of the default one."""
    found_interval = found.percentile
    if level != LEVEL and len(found.replicates) and found.value is not None:
        found_interval = percentile(found.replicates, LEVEL, probability)
    if isinstance(found_interval, NoInterval):
        return None
    return finite(found_interval.low), finite(found_interval.high)


def metric_value(found: Inference) -> MetricValue:
    """A metric with its interval, or the reasons why it has none."""
    return MetricValue(
        value=finite(found.value),
        reason=found.reason,
        better=found.metric.better,
        interval=interval(found.interval),
        interval_reason=getattr(found.interval, "reason", None),
        drop_rate=found.drop_rate,
    )


def interval(found: Interval | NoInterval) -> IntervalModel | None:
    """An interval as it is written."""
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


def delta_models(
    deltas: Mapping[str, Mapping[str, Delta]], plan: PlanLike
) -> dict[str, dict[str, DeltaModel]]:
    """Deltas by confidence function and metric; p-values adjusted over the functions."""
    metrics = dict.fromkeys(m for found in deltas.values() for m in found)
    # functions that share their numbers are one comparison, not several
    distinct = {id(found): found for found in deltas.values()}
    adjusted = {
        m: holm({str(c): found[m].p_value for c, found in distinct.items() if m in found})
        for m in metrics
    }
    return {
        name: {
            source_key(m, plan) or m: delta_model(delta, adjusted[m][str(id(found))], plan)
            for m, delta in found.items()
        }
        for name, found in deltas.items()
    }


def delta_model(delta: Delta, p_holm: float | None, plan: PlanLike) -> DeltaModel:
    """Right minus left of one metric, as it is written."""
    n_cases = delta.left.jackknife.cases
    options = plan.options
    draws = plan_resamples(max(n_cases, 1), options.resamples, options.seed, options.weights)
    probability = draws.probability if isinstance(draws, Enumeration) else None
    return DeltaModel(
        delta=finite(delta.value),
        ci95=percentile_ends(delta, probability, options.level),
        reason=delta.reason,
        left=finite(delta.left.value),
        right=finite(delta.right.value),
        better=delta.metric.better,
        interval=interval(delta.interval),
        interval_reason=getattr(delta.interval, "reason", None),
        p_value=delta.p_value,
        p_holm=p_holm,
        drop_rate=delta.drop_rate,
        favours=delta.favours,
    )


def population(tables: Sequence[Judgments], comparison: Comparison) -> Population:
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
        answered_by_input=[int(t.included.answered.sum()) for t in tables],
        case_noun=table.scale.case,
        items=list(table.items),
        failed=[Failure(case=f.case, reason=f.reason) for f in failed.values()],
    )


def rows(table: Judgments, confidence: Mapping[str, Floats], *, texts: bool = False) -> Rows:
    """The judgments by column, with the confidences computed for them; ``texts`` keeps quotes."""
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
        evidence=_evidence(kept.signals.get(EVIDENCE_COUNT)),
        evidence_texts=_evidence_texts(kept.signals.get(EVIDENCE_TEXTS)) if texts else [],
    )


EVIDENCE_COUNT: Final = "llm_evidence_count"
EVIDENCE_TEXTS: Final = "evidence"
"""Signals of a row: how much evidence there was, and what it says."""


def _evidence(signal: Signal | None) -> list[int | None]:
    if signal is None:
        return []
    number = (signal.state == SignalState.NUMBER) & np.isfinite(signal.values)
    whole = number & (signal.values == np.floor(signal.values))
    return [int(v) if w else None for v, w in zip(signal.values, whole, strict=True)]


def _evidence_texts(signal: Signal | None) -> list[list[str]]:
    """The quotes of each row: a text, or the texts of a list; anything else is left out."""
    if signal is None or not signal.other:
        return []
    found = []
    for row in range(len(signal.values)):
        given = signal.other.get(row)
        several = given if isinstance(given, list) else [given]
        found.append([part for part in several if isinstance(part, str)])
    return found
