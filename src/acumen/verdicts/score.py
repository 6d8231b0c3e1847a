"""Every metric of a verdict study with its interval, and the document that holds them all.

All metrics of a study are resampled together, under the same draws of its cases.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any, Final

import numpy as np

from acumen._version import __version__
from acumen.defaults import CELLS
from acumen.evaluation.charted import summarize_levels
from acumen.files.fields import python_value
from acumen.inference.infer import Inference, infer
from acumen.inference.options import Options
from acumen.metrics.registry import METRICS, Metric, metrics_of
from acumen.results.verdicts import (
    Ends,
    MadeFrom,
    Primitives,
    ResultsDocument,
    Scores,
    Settings,
    Soundness,
)
from acumen.table.judgments import Outcome
from acumen.types import Floats
from acumen.values.measured import Measured
from acumen.verdicts.checks import SOUND
from acumen.verdicts.claims import PROVENANCE
from acumen.verdicts.compute import unified_numbers
from acumen.verdicts.study import PreparedStudy
from acumen.views.confusion import Confusion
from acumen.views.reasoning import PRIMITIVES, RankingWithReasons, Reasoning
from acumen.views.severity import SeverityRanking
from acumen.views.weights import CaseWeights

AGREEMENT: Final[Mapping[str, str]] = {
    "accuracy": "total_accuracy",
    "off_by_one_accuracy": "level_off_by_one",
}
"""Keys of a results file's agreement that are not their metric's name."""


@dataclass(frozen=True, eq=False)
class VerdictScores:
    """A study and the inference on each of its metrics, by key."""

    study: PreparedStudy
    inferences: Mapping[str, Inference]
    options: Options


def metrics_of_study(study: PreparedStudy) -> dict[str, tuple[Metric, str]]:
    """Name -> the metric and the part of the study it looks at."""
    parts: dict[str, tuple[Metric, str]] = {}
    for metric in metrics_of(SeverityRanking):
        levels = study.ranking.thresholds if "level" in metric.parameters else ()
        at_levels = [metric.at(level=level) for level in levels] or [metric]
        parts |= {one.name: (one, "ranking") for one in at_levels}
    parts |= {metric.name: (metric, "agreement") for metric in metrics_of(Confusion)}
    # an abstention is wrong in it, so it looks at every case
    parts["total_accuracy"] = (METRICS["total_accuracy"], "confusion")
    parts |= {metric.name: (metric, "reasoning") for metric in metrics_of(Reasoning)}
    with_reasons = metrics_of(RankingWithReasons)
    return parts | {metric.name: (metric, "ranking_with_reasons") for metric in with_reasons}


def of_reasons(study: PreparedStudy) -> set[str]:
    """The metrics of what a method says beside its verdict."""
    parts = metrics_of_study(study).items()
    return {name for name, (_, part) in parts if part == "reasoning"} - {PRIMITIVES}


def score_study(study: PreparedStudy, options: Options) -> VerdictScores:
    """Estimates and intervals of everything a verdict study is measured by."""
    inferences = infer(metrics_as_one(study), study, options)
    return VerdictScores(study, explain(study, inferences), options)


def explain(study: PreparedStudy, inferences: Mapping[str, Inference]) -> dict[str, Inference]:
    """What the study knows of its numbers: why there is none."""
    known = dict(inferences)
    for name, (metric, part) in metrics_of_study(study).items():
        if name in known and known[name].value is None:
            known[name] = replace(known[name], reason=_reason(metric, getattr(study, part)))
    return known


def metrics_as_one(study: PreparedStudy) -> list[Metric]:
    """The metrics of all its parts as metrics of the whole study, so that all share the draws."""
    return [metric_of_study(metric, part) for metric, part in metrics_of_study(study).values()]


def metric_of_study(metric: Metric, part: str) -> Metric:
    """A metric of one part as a metric of the whole study."""

    def function(study: PreparedStudy, weights: CaseWeights, **parameters: float) -> Floats:
        return metric.function(getattr(study, part), weights, **parameters)

    def most(study: PreparedStudy, **_: float) -> float:
        return metric.bounds(getattr(study, part))[1]

    def behind(study: PreparedStudy) -> int:
        return metric.rests_on(getattr(study, part))

    def of_part(ask: Any) -> Any:
        return ask and (lambda study, **parameters: ask(getattr(study, part), **parameters))

    errors, groups = of_part(metric.errors), of_part(metric.groups)
    lifted = replace(metric, function=function, view=PreparedStudy, most=most, behind=behind)
    return replace(lifted, errors=errors, groups=groups)


def _reason(metric: Metric, view: Any) -> str:
    if isinstance(view, Reasoning):
        return view.reason_for(metric.name)
    return metric.measure(view).reason or metric.undefined


def document(
    scores: VerdictScores,
    defaults: Mapping[str, str | int | None] | None = None,
    made_from: MadeFrom | None = None,
) -> ResultsDocument:
    """The results document: the source's keys, and our metrics with their intervals beside them.

    ``defaults`` fill what the results file lacks.
    """
    study = scores.study
    metrics = {name: inference.measured for name, inference in scores.inferences.items()}
    unified = unified_numbers(study)
    own = {name: score for name, score in unified.items() if name in Scores.model_fields}
    outcomes, options = study.table.outcome, scores.options
    return ResultsDocument.model_validate(
        {
            **_provenance(study, defaults or {}),
            "accuracy": metrics["total_accuracy"].value,
            "correct": study.correct,
            "total": study.total,
            "answered": int((outcomes == Outcome.ANSWERED).sum()),
            "abstained": int((outcomes == Outcome.ABSTAINED).sum()),
            "failed": len(study.table.failed),
            "levels": list(study.policy.scale.levels),
            "auprc": unified.pop("auprc_metrics"),
            "unified_scores": Scores.model_validate(own),
            "agreement": _agreement(metrics),
            "soundness": _soundness(study),
            "primitives": _primitives(study, metrics),
            "metrics": metrics,
            "ci95": _ci95(scores.inferences),
            "interval_settings": Settings(
                confidence_level=options.confidence_level,
                resamples=options.resamples,
                seed=options.seed,
                method=options.method,
            ),
            "warnings": unified.pop("warnings"),
            "unified_metrics_full": unified,
            "summary": summarize_levels(study.table, study.ranking, scores.inferences),
            "acumen_version": __version__,
            "made_from": made_from or MadeFrom(),
            "results": list(_rows(study)),
        }
    )


def _ci95(inferences: Mapping[str, Inference]) -> dict[str, Ends]:
    """The percentile intervals there are, of the metrics that have a value."""
    with_value = {name: one for name, one in inferences.items() if one.value is not None}
    return {name: ends for name, one in with_value.items() if (ends := one.ci95) is not None}


def _agreement(metrics: Mapping[str, Measured]) -> dict[str, float | None]:
    keys = {name: key for key, name in AGREEMENT.items()}
    names = [metric.name for metric in metrics_of(Confusion)]
    return {keys.get(name, name): metrics[name].value for name in names}


def _provenance(
    study: PreparedStudy, defaults: Mapping[str, str | int | None]
) -> dict[str, str | int | float | None]:
    stated = {key: value for key, value in study.run.provenance.items() if value is not None}
    words = {key: stated.get(key, defaults.get(key)) for key in PROVENANCE}
    words["policy_id"] = study.policy.name
    words["n"] = len(study.run.claims) if words["n"] is None else words["n"]
    return words


def _primitives(study: PreparedStudy, metrics: Mapping[str, Measured]) -> Primitives | None:
    """Mean, range and spread of primitive accuracy, and the AUPRC it adjusts; None without any."""
    accuracy, mean = study.counts.primitive_accuracy, metrics["primitive_accuracy"].value
    if mean is None:
        return None
    accuracy = accuracy[np.isfinite(accuracy)]
    return Primitives(
        primitive_accuracy=mean,
        min=float(accuracy.min()),
        max=float(accuracy.max()),
        std=float(accuracy.std()),
        n=len(accuracy),
        adjusted_auprc=metrics["adjusted_auprc"].value,
    )


def _soundness(study: PreparedStudy) -> Soundness | None:
    """The four cells with the cases of two of them; None where no reason could be checked."""
    of_cell: dict[str, list[str]] = {name: [] for name in CELLS}
    for detail in study.counts.details:
        if detail.cell is not None:
            of_cell[detail.cell].append(detail.case)
    if not any(of_cell.values()):
        return None
    return Soundness(
        checked=[name for name in SOUND if study.counts.of[name].any()],
        cells={name: len(cases) for name, cases in of_cell.items()},
        lucky=of_cell["right_unsound"],
        unlucky=of_cell["wrong_sound"],
    )


def _rows(study: PreparedStudy) -> Iterator[dict[str, Any]]:
    """One row a case, in the order of the results: the method's own, and what is true beside it.

    Scored again, it is the same study.
    """
    levels = study.policy.scale.levels
    sound = {detail.case: detail.is_sound for detail in study.counts.details}
    for claim in study.run.claims:
        known = study.truth.get(claim.case)
        own = _plain(claim.row)
        row: dict[str, Any] = {
            **(own if isinstance(own, dict) and not claim.failed else {}),
            "business_id": claim.case,
            "verdict": None if claim.rank is None else levels[claim.rank],
            "gt_verdict": None if known is None else levels[known.rank],
            "risk_score": claim.risk_score,
        }
        if claim.failed:
            row["error"] = "failed"
        else:
            row["correct"] = known is not None and claim.rank == known.rank
            row["reasons_sound"] = sound.get(claim.case)
        if claim.primitives is not None and known is not None and known.primitives is not None:
            row["gt_primitives"] = dict(known.primitives)
        yield row


def _plain(value: object) -> object:
    """What JSON can hold of a value that came from Python; null for the rest."""
    value = python_value(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    is_plain = value is None or isinstance(value, str | int | float)
    return value if is_plain and not (isinstance(value, float) and not isfinite(value)) else None
