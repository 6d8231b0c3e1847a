"""Inferences -> the metrics document."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from acumen._version import __version__
from acumen.defaults import INTERVAL
from acumen.evaluation.both_sides import abstention_part
from acumen.evaluation.charted import draw, listed_points, summarize
from acumen.evaluation.level_part import level_part
from acumen.evaluation.plan import Plan, System, find_twins
from acumen.evaluation.slices import slices
from acumen.files.json import created_at
from acumen.inference.infer import Inference, infer
from acumen.inference.matched import with_fragility
from acumen.inference.multiplicity import holm
from acumen.inference.paired import Contrast, claim
from acumen.inference.resample import MOST_LEFT_OUT, cores
from acumen.metrics.conventions import conventions
from acumen.results import metrics as document
from acumen.stages import stage
from acumen.table.align import everyone
from acumen.table.judgments import NO_TRUTH, Judgments, Outcome, Signal, SignalState
from acumen.table.losses import LOSSES, find_loss
from acumen.table.scale import scale_option
from acumen.threads import share
from acumen.types import Floats
from acumen.values.measured import Delta, Description, Measured, finite
from acumen.views.ranking import Ranking
from acumen.views.weights import CaseWeights, balance

T = TypeVar("T")

BESIDE: Final = 0.2
"""Of the chance of a false claim, what the rows beside an open verdict have: 1% beside its 5%."""

MOST_ROWS: Final = 200_000
"""Beyond this many rows the document leaves the rows themselves out."""

_AREAS: Final = {
    "coverage": "cmax",
    "aurc": "aurc_full",
    "augrc": "augrc_full",
    "aurc_optimal": "aurc_optimal",
    "augrc_optimal": "augrc_optimal",
    "eaurc": "eaurc",
    "eaugrc": "eaugrc",
    "aurc_achievable": "aurc_achievable",
}
_PERCENT: Final = ("aurc_gap_pct", "augrc_gap_pct", "achievable_gain_pct")
_AT_COVERAGE: Final = {"aurc_at_coverage": "aurc_at_c", "augrc_at_coverage": "augrc_at_c"}


def coverage_key(coverage: float) -> str:
    """The key of a coverage in the document that the source defines: two digits, if they do.

    >>> [coverage_key(c) for c in (0.1, 0.104, 0.125)]
    ['0.10', '0.104', '0.125']
    """
    short = f"{coverage:.2f}"
    return short if float(short) == coverage else repr(float(coverage))


def source_keys(plan: Plan) -> dict[str, str]:
    """Our name of a metric -> its key in the document that the source defines."""
    areas = {metric.name: _AT_COVERAGE[name] for name, metric in plan.areas().items()}
    return _AREAS | {name: name for name in _PERCENT} | areas


def written(plan: Plan) -> set[str]:
    """The metrics of which the document has percentile intervals."""
    return {*source_keys(plan), *(metric.name for metric in plan.cuts().values())}


def variant(
    ranking: Ranking,
    numbers: Mapping[str, Inference],
    plan: Plan,
    beside: Mapping[str, Measured],
) -> document.Variant:
    """Everything about one confidence function on one input; ``beside`` is no metric's value."""
    once = CaseWeights.once(ranking.n_cases)
    totals = ranking.totals(once)
    reached = ranking.areas(once).reached[:, :, 0]
    rows = float(totals.rows[0])
    cmax = float(totals.answered[0]) / rows if rows else 0.0
    area, curve, at = plan.area_coverage, ranking.curve(), listed_points(ranking, plan.limits)
    value = {name: finite(i.value) for name, i in numbers.items()}
    areas: dict[str, Any] = {key: value[name] for name, key in _AREAS.items()}
    for name, metric in plan.areas().items():
        areas[_AT_COVERAGE[name]] = document.AreaAtCoverage(
            requested=area, used=min(area, cmax), value=value[metric.name]
        )
    return document.Variant(
        **areas,
        interpretation=document.Interpretation(**{name: value[name] for name in _PERCENT}),
        mae_at_coverage={
            coverage_key(coverage): document.RiskAtCoverage(
                requested=coverage,
                achieved=finite(accepted / rows) if rows else None,
                value=finite(lost / accepted * ranking.unit),
            )
            for coverage, accepted, lost in zip(ranking.grid, *reached[:2], strict=True)
        },
        bootstrap=_bootstrap(numbers, plan, ranking.n_cases),
        curve=document.CurveModel(
            **{k: v[at].tolist() for k, v in asdict(curve).items()},
            thinned_from=len(curve) if len(at) < len(curve) else None,
        ),
        metrics={**{name: i.measured for name, i in numbers.items()}, **beside},
        conventions={k: v for k, v in conventions(ranking).items() if np.isfinite(v)},
    )


def _bootstrap(
    numbers: Mapping[str, Inference], plan: Plan, n_cases: int
) -> document.BootstrapModel:
    """The percentile intervals and drop rates, under the source's keys."""
    keys = source_keys(plan)
    listed = {keys[name]: i for name, i in numbers.items() if name in keys}
    by_coverage = {coverage_key(c): numbers[metric.name] for c, metric in plan.cuts().items()}
    enumerated = listed["cmax"].replicates.probability is not None

    def under_keys(read: Callable[[Inference], Any]) -> dict[str, Any]:
        risks = {key: read(inference) for key, inference in by_coverage.items()}
        return {**{key: read(i) for key, i in listed.items()}, "mae_at_coverage": risks}

    return document.BootstrapModel(
        seed=plan.options.seed,
        n_resamples=plan.options.resamples,
        ci95=under_keys(lambda inference: inference.ci95),
        drop_rate=under_keys(lambda inference: inference.replicates.drop_rate),
        method="exact enumeration" if enumerated else plan.options.weights,
        left_out="many_rows" if plan.options.many_rows else None,
        ask_with="--bootstrap-resamples" if plan.options.many_rows else None,
        leave_one_out="influence" if n_cases > MOST_LEFT_OUT else None,
    )


def paired_deltas(
    contrasts: Mapping[str, Mapping[str, Contrast]],
    both: Contrast,
    matched: Mapping[str, document.Matched],
    plan: Plan,
) -> tuple[dict[str, dict[str, Delta]], Delta]:
    """Deltas by confidence function and metric, and that of the rows both answered.

    What is claimed beside the verdict is one family, over functions and metrics. An area up to the
    coverage a side reaches is in it only where both reach the same.
    """
    keys = source_keys(plan)
    unequal = any(by_metric["coverage"].value != 0.0 for by_metric in contrasts.values())
    tested = {"coverage", *(metric.name for metric in plan.charged())}
    tested |= set() if unequal else {"augrc", "aurc", "failure_auroc", plan.rank_by}
    family = {(f, m): c for f, by in contrasts.items() for m, c in by.items() if m in tested}
    # the verdict comes first; where all functions agree in it, its level is free for the rest
    share = 1.0 if {m.favours for m in matched.values()} in ({"left"}, {"right"}) else BESIDE
    decisions = claim({**family, ("", "both"): both}, plan.options, share)
    why = Description.COVERAGE_DIFFERS if unequal else Description.NOT_IN_FAMILY
    deltas = {
        function: {
            keys.get(m, m): decisions[function, m].delta() if m in tested else c.delta(why)
            for m, c in by_metric.items()
        }
        for function, by_metric in contrasts.items()
    }
    return deltas, decisions["", "both"].delta()


def decided(
    matched: Mapping[str, document.Matched], plan: Plan, worst: float, cases: int
) -> dict[str, document.Matched]:
    """Which side each function favours at the coverage of both, all functions together."""
    # functions that accept the same rows there are one comparison
    keys = {name: (m.p_value, m.difference.delta) for name, m in matched.items()}
    adjusted = holm({key: key[0] for key in keys.values()})
    level = plan.options.confidence_level
    decisions = {n: m.decided(adjusted[keys[n]], 1.0 - level) for n, m in matched.items()}
    return {n: with_fragility(m, worst, cases, level) for n, m in decisions.items()}


def by_name(
    numbers: Mapping[str, T], twins: Mapping[str, str], names: Sequence[str]
) -> dict[str, T]:
    """Numbers of every function: those that share their numbers (``twins``) have the same."""
    return {name: numbers[twins.get(name, name)] for name in names}


def _inputs(tables: Sequence[Judgments]) -> list[document.Input]:
    return [document.Input.model_validate(t.source, from_attributes=True) for t in tables]


def input_names(tables: Sequence[Judgments]) -> list[str]:
    """How the inputs are called in sentences, tables and charts."""
    return document.names_of(_inputs(tables))


@dataclass(frozen=True, eq=False)
class Numbers:
    """What a screen shows of an evaluation, and the systems of which its document is completed."""

    artifact: document.MetricsArtifact
    systems: tuple[System, ...]


def evaluation(
    plan: Plan,
    systems: Sequence[System],
    variants: Mapping[str, document.Variant | dict[str, document.Variant]],
    comparison: document.Comparison,
    leaderboard: document.Leaderboard | None,
    left_out: dict[str, str],
    warnings: Sequence[str],
    best: document.Best | None,
    inputs: Sequence[Judgments],
) -> Numbers:
    """What tables show of the document; ``inputs`` are the tables as they were read."""
    tables = [system.table for system in systems]
    scale, loss = tables[0].scale, find_loss(plan.loss)
    with stage("agreement of levels", 0.5):
        agreement = [system.infer_agreement(alone=True) for system in systems]
        overall = [system.overall(a) for system, a in zip(systems, agreement, strict=True)]
    if plan.texts and len(rows := _rows(systems)) < len(systems):
        warnings = [*warnings, f"no texts are kept of more than {MOST_ROWS:,} rows"]
    elif plan.texts and not any(part.evidence_texts for part in rows):
        warnings = [*warnings, "texts were asked for, but no evidence is quoted in the input"]
    artifact = document.MetricsArtifact(
        created_at=created_at(),
        inputs=_inputs(tables),
        population=_population(tables, comparison, inputs),
        loss=document.LossDescription(
            name=loss.name,
            definition=loss.describe(scale),
            raw_multiplier=loss.multiplier(scale),
            costs=None if LOSSES.get(loss.name) is loss else loss.costs(scale),
            file=loss.file,
        ),
        confidence_variants=dict(variants),
        comparison=comparison,
        systems=[system.name for system in systems],
        leaderboard=leaderboard,
        acumen_version=__version__,
        scale={
            "name": scale.name,
            "levels": list(scale.levels),
            "case": scale.case,
            "inferred": scale.inferred,
        },
        options={"scale": scale_option(scale), **_options(plan)}
        | ({"weighted": True} if any(t.weight is not None for t in inputs) else {}),
        left_out=left_out,
        best=best,
        overall=overall[0] if len(overall) == 1 else overall,
        summaries=[
            summarize(s, a) for s, a in zip(systems, agreement, strict=True) if s.table.has_truth
        ],
        abstention=[part for system in systems if (part := abstention_part(system)) is not None],
        levels=[of for system in systems if (of := level_part(system)) is not None],
        warnings=list(dict.fromkeys(warnings)),
    )
    with stage("slicing"):
        artifact.slices.extend(slices(systems, plan.by, artifact.best_function, on_screen=True))
    if artifact.scale_note is not None:
        artifact.warnings.insert(0, artifact.scale_note)
    return Numbers(artifact, tuple(systems))


def complete(
    numbers: document.MetricsArtifact, systems: Sequence[System]
) -> document.MetricsArtifact:
    """The document with its rows, every metric of slices, and what charts draw of functions.

    Of many systems also with the percentile intervals, for which a screen resamples nothing.
    """
    of_truth = (system for system in systems if system.table.has_truth)
    summaries = [draw(*both) for both in zip(of_truth, numbers.summaries, strict=True)]
    whole = {"rows": _rows(systems), "summaries": summaries}
    if len(systems) > 2 and systems[0].plan.options.method == INTERVAL:
        whole["confidence_variants"] = _with_percentiles(numbers, systems)
    if numbers.slices:
        whole["slices"] = slices(systems, systems[0].plan.by, numbers.best_function)
    return numbers.model_copy(update=whole)


def _with_percentiles(
    numbers: document.MetricsArtifact, systems: Sequence[System]
) -> dict[str, dict[str, document.Variant]]:
    """The numbers of every confidence function, with what resamples say of them."""
    plan = systems[0].plan
    metrics = [metric for metric in plan.metrics() if metric.name in written(plan)]
    options, twins = replace(plan.options, threads=1, advance=None), find_twins(systems)

    def drawn(name: str, system: System) -> document.BootstrapModel:
        ranking = system.rankings[name]
        return _bootstrap(infer(metrics, ranking, options, ()), plan, ranking.n_cases)

    threads, sides = plan.options.threads or cores(), numbers.sides
    own = {n: share(partial(drawn, n), systems, threads) for n in sides if n not in twins}
    return {
        name: {
            f"input_{at}": side.model_copy(update={"bootstrap": bootstrap})
            for at, (side, bootstrap) in enumerate(
                zip(of_each, own[twins.get(name, name)], strict=True)
            )
        }
        for name, of_each in sides.items()
    }


def balance_of(table: Judgments) -> tuple[float, float]:
    """The effective number of the judged cases, and the share of the one with most weight."""
    judged = table.included
    return balance(np.bincount(judged.case, judged.weight, len(judged.cases)).astype(np.float64))


def _options(plan: Plan) -> dict[str, Any]:
    return {
        "confidence": plan.confidence,
        "coverage_grid": list(plan.coverage_grid),
        "area_coverage": plan.area_coverage,
        "risk": list(plan.limits),
        "interval": plan.options.method,
        "confidence_level": plan.options.confidence_level,
        "bootstrap_resamples": None if plan.options.many_rows else plan.options.resamples,
        "seed": plan.options.seed,
        "weights": plan.options.weights,
        "items": plan.options.items,
        "estimand": plan.estimand,
        "price": plan.price,
        "matched_coverage": plan.matched_coverage,
        "baseline": plan.baseline,
        "pairwise": plan.pairwise,
        "rank_by": plan.rank_by,
        "labels": list(plan.labels),
        "missing": plan.missing,
        "calibration": getattr(plan.calibration, "file", None),
        "by": list(plan.by),
        "texts": plan.texts,
        **({} if plan.threshold is None else {"threshold": plan.threshold[0]}),
    }


def _population(
    tables: Sequence[Judgments],
    comparison: document.Comparison,
    inputs: Sequence[Judgments],
) -> document.Population:
    """The population of one input, or of the common set of several."""
    judged = tables[0].included
    failed = {f.case: f for t in tables for f in t.failed}
    of_pair = {*comparison.failed_left, *comparison.failed_right}
    gone = of_pair if len(tables) == 2 else {*failed}
    common = set.intersection(*({*everyone(table)} for table in inputs))
    outcomes = [_outcomes(table, whole) for table, whole in zip(tables, inputs, strict=True)]
    effective, largest = balance_of(tables[0])
    return document.Population(
        participants_total=len(common | gone | {*tables[0].cases}),
        participants_included=len(judged.cases),
        participants_failed=len(gone),
        effective_cases=finite(effective),
        largest_case_share=largest,
        items_total=int(judged.once.sum()),
        items_answered=judged.tally["answered"],
        items_abstained=judged.tally["abstained"],
        answered_by_input=[t.included.tally["answered"] for t in tables],
        outcomes=outcomes[0],
        outcomes_by_input=outcomes,
        has_truth=judged.has_truth,
        rows_planned=tables[0].planned,
        case_noun=judged.scale.case,
        items=list(judged.items),
        failed=[document.Failure(case=f.case, reason=f.reason) for f in failed.values()],
    )


def _outcomes(judged: Judgments, table: Judgments) -> dict[str, int]:
    """What the rows came to: those that are judged, and what is left out of the whole input."""
    left_out = ("unscored", "failed", "no_truth")
    return judged.tally | {name: table.tally[name] for name in left_out}


def _rows(systems: Sequence[System]) -> list[document.Rows]:
    """The judgments by column, with the confidences computed for them; of very many, none."""
    return [_rows_of(system) for system in systems if len(system.table) <= MOST_ROWS]


def _rows_of(system: System) -> document.Rows:
    table = system.table.included
    once = np.flatnonzero(table.once)
    judged = table.take(once)
    texts = judged.signals.get(EVIDENCE_TEXTS) if system.plan.texts else None
    return document.Rows(
        case=[judged.cases[c] for c in judged.case.tolist()],
        item=[judged.items[i] for i in judged.item.tolist()],
        truth=_truths(table),
        prediction=_where(judged.answered, judged.prediction),
        outcome=[Outcome(o).name.lower() for o in judged.outcome.tolist()],
        confidence={
            name: _where(judged.answered, values[once])
            for name, values in system.confidence.items()
        },
        unanswerable=[] if judged.unanswerable is None else judged.unanswerable.tolist(),
        evidence=_evidence(judged.signals.get(EVIDENCE_COUNT)),
        evidence_texts=_evidence_texts(texts),
        distribution=_chances(judged.distribution),
    )


def _chances(distribution: Floats | None) -> list[list[float] | None]:
    """The probabilities of each row, None where it has none."""
    if distribution is None:
        return []
    return [None if np.isnan(p[0]) else p.tolist() for p in distribution.round(6)]


def _truths(table: Judgments) -> list[Any]:
    """The truth of each judgment; of several raters, what each of them said."""
    truths = _where(table.truth != NO_TRUTH, table.truth)
    if table.judgment is None:
        return truths
    panels: dict[int, list[int | None]] = {}
    for judgment, truth in zip(table.judgment.tolist(), truths, strict=True):
        panels.setdefault(judgment, []).append(truth)
    return list(panels.values())


def _where(there: NDArray[np.bool_], values: NDArray[Any]) -> list[Any]:
    return [value if it else None for value, it in zip(values.tolist(), there, strict=True)]


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
    entries = (signal.other.get(row) for row in range(len(signal.values)))
    lists = (entry if isinstance(entry, list) else [entry] for entry in entries)
    return [[part for part in several if isinstance(part, str)] for several in lists]
