"""The door for people with dicts: the three scores of a verdict study, each by one call.

Every function takes results as a method wrote them (a list of dicts) and returns a plain dict.
What has no value is None, and ``reasons`` says why.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from acumen.defaults import PROCESS_WEIGHTS
from acumen.errors import DataError, Problem, UsageError, refuse, what_came
from acumen.metrics.registry import METRICS
from acumen.policy import Decision, Policy, find_policy
from acumen.table.scale import MOST_LEVELS, Scale
from acumen.verdicts.checks import CaseReasoning
from acumen.verdicts.counts import NO_COMPONENTS, EvidenceCounts, count_evidence
from acumen.verdicts.read import parse_results
from acumen.verdicts.study import PreparedStudy, prepare, reason
from acumen.verdicts.truth import parse_reviews, parse_truth
from acumen.views.reasoning import Reasoning
from acumen.views.severity import SeverityRanking, rank_severity

DEFAULT_POLICY = "G1_allergy_V2"
STAGES: Mapping[str, tuple[str, ...]] = {
    "evidence_validity": ("incident_precision", "evidence_recall", "snippet_validity"),
    "classification_accuracy": ("severity_accuracy", "modifier_accuracy"),
    "verdict_support": ("verdict_support_rate", "score_consistency"),
}
"""The stages of reasoning, in order, and what each is measured by."""


def compute_ordinal_auprc(
    y_true: ArrayLike, y_scores: ArrayLike, scale: str | Scale | None = None
) -> dict[str, Any]:
    """Cumulative ordinal AUPRC of levels and risk scores, with its per-threshold breakdown.

    ``y_true`` holds ranks (0 the lowest) or labels of the scale. Without a scale, ranks up to 2 are
    taken on the risk scale; higher ones on as many levels as there are.

    >>> result = compute_ordinal_auprc([0, 0, 1, 2], [1.0, 2.0, 6.0, 10.0])
    >>> result["ordinal_auprc"], result["auprc_ge_high"], result["n_samples"]
    (1.0, 1.0, 4)
    """
    truth, known = _ranks(np.asarray(y_true), scale)
    scores = np.asarray(y_scores)
    if scores.dtype.kind not in "iuf" or scores.shape != truth.shape:
        raise UsageError(f"y_scores must be {len(truth)} numbers, one for each of y_true")
    if not np.isfinite(scores).all():
        row = int(np.flatnonzero(~np.isfinite(scores))[0])
        raise DataError([f"y_scores[{row}] is {scores[row]}: a score must be finite"])
    return ranking_numbers(rank_severity(truth, scores, levels=len(known.levels)), known)


def _ranks(y_true: NDArray[Any], scale: str | Scale | None) -> tuple[NDArray[np.int64], Scale]:
    if y_true.ndim != 1 or not len(y_true):
        raise UsageError("y_true must be a list of levels, and not empty")
    if isinstance(scale, str):
        scale = Scale.named(scale)
    scale = scale or _guessed_scale(y_true)
    numbers = Scale.numbered(0, scale.range)
    ranks, problems = [], []
    for row, value in enumerate(y_true.tolist()):
        try:
            ranks.append((scale if isinstance(value, str) else numbers).rank(value))
        except ValueError as error:
            problems.append(Problem(str(error), field=f"y_true[{row}]"))
    refuse(problems)
    return np.array(ranks, np.int64), scale


def _guessed_scale(y_true: NDArray[Any]) -> Scale:
    risk = Scale.named("risk")
    if y_true.dtype.kind in "iuf" and risk.range < y_true.max() < MOST_LEVELS:
        return Scale.numbered(0, int(y_true.max()))
    return risk


def ranking_numbers(ranking: SeverityRanking, scale: Scale) -> dict[str, Any]:
    """Every number of a severity ranking, keyed as results files have them."""
    keys = {
        f"{short}_ge_{level}": METRICS[f"{short}_ge"].at(level=level)
        for short in ("auprc", "nap", "auroc")
        for level in ranking.thresholds
    }
    keys |= {
        name: METRICS[name]
        for name in ("ordinal_auprc", "ordinal_nap", "ordinal_auroc", "severity_ordering_ap")
    }
    estimates = {key: metric.measure(ranking) for key, metric in keys.items()}
    values: dict[str, Any] = {key: estimate.value for key, estimate in estimates.items()}
    values |= {alias: values[key] for alias, key in threshold_aliases(scale).items()}
    return {
        **values,
        "n_samples": len(ranking),
        "ranked_by": ranking.ranked_by,
        "thresholds": [
            {
                "threshold": level,
                "at_least": scale.levels[level],
                "n_positive": int((ranking.level >= level).sum()),
                "prevalence": float((ranking.level >= level).mean()) if len(ranking) else None,
                "ap": values[f"auprc_ge_{level}"],
                "nap": values[f"nap_ge_{level}"],
                "auroc": values[f"auroc_ge_{level}"],
            }
            for level in ranking.thresholds
        ],
        "covered_thresholds": list(ranking.covered),
        "reasons": {key: e.reason for key, e in estimates.items() if e.value is None},
    }


def threshold_aliases(scale: Scale) -> dict[str, str]:
    """On a scale of risks, the names its thresholds also go by: ``auprc_ge_high``."""
    words = [str(level).split() for level in scale.levels]
    if not all(len(word) == 2 and word[1].casefold() == "risk" for word in words):
        return {}
    return {f"auprc_ge_{w[0].casefold()}": f"auprc_ge_{k}" for k, w in enumerate(words) if k}


def compute_intermediate_metrics(
    results: Sequence[Mapping[str, Any]],
    gt_data: Mapping[str, Any],
    reviews_data: Mapping[str, Any] | None = None,
    policy: str | Policy = DEFAULT_POLICY,
) -> dict[str, Any]:
    """The three stages: is the evidence real, is it classified right, does it carry the verdict?"""
    policy = find_policy(policy)
    run = parse_results(_plain(results), policy)
    truth = parse_truth(_plain(gt_data), policy)
    reviews = None if reviews_data is None else parse_reviews(_plain(reviews_data))
    counts = count_evidence(run.claims, truth, policy, reviews, source=run.source)
    return stage_numbers(counts, reason(counts))


def _plain(document: object) -> object:
    """A list or a dict where something like it came, as the readers of files expect."""
    if isinstance(document, Mapping):
        return dict(document)
    if isinstance(document, Iterable) and not isinstance(document, str | bytes):
        return list(document)
    return document


def stage_numbers(counts: EvidenceCounts, reasoning: Reasoning) -> dict[str, Any]:
    """The stages as a dict: value, numerator and denominator of each part, and per case."""
    stages: dict[str, Any] = {}
    for stage, names in STAGES.items():
        stages[stage] = {}
        for name in names:
            value = METRICS[name].measure(reasoning).value
            stages[stage] |= {
                name: value,
                f"{name}_counts": [int(counts.right[name].sum()), int(counts.of[name].sum())],
            }
            if value is None:
                stages[stage][f"{name}_reason"] = reasoning.reason_for(name)
    stages["per_sample"] = [_sample(detail) for detail in counts.details]
    return stages


def _sample(detail: CaseReasoning) -> dict[str, Any]:
    counts = {name: list(pair) for name, pair in detail.counts.items()}
    faults = ("invented_reviews", "missed_reviews", "wrong_severity", "wrong_modifier")
    wrong = {name: list(getattr(detail, name)) for name in (*faults, "invented_snippets")}
    return {"business_id": detail.case, "counts": counts, **wrong}


def compute_process_score(intermediate_metrics: Mapping[str, Any]) -> dict[str, Any]:
    """The weighted mean of the five components, in percent, from the three stages.

    A component that is None gives its weight to the others, in proportion.

    >>> parts = {"incident_precision": 1.0, "severity_accuracy": 0.57, "modifier_accuracy": 1.0,
    ...          "verdict_support_rate": 0.98, "snippet_validity": None}
    >>> score = compute_process_score(parts)
    >>> round(score["process_score"], 2), score["process_components"]["total_weight"]
    (86.11, 0.95)
    """
    flat = dict(_items("intermediate_metrics", intermediate_metrics))
    for stage in STAGES:
        flat |= dict(_items(stage, flat.get(stage)))
    components = {name: flat.get(name) for name in PROCESS_WEIGHTS}
    wrong = [
        Problem(f"{what_came(value)} is not a share between 0 and 1", field=name)
        for name, value in components.items()
        if value is not None and not _is_share(value)
    ]
    refuse(wrong)
    present = {name: float(value) for name, value in components.items() if value is not None}
    total = sum(PROCESS_WEIGHTS[name] for name in present)
    weighted = sum(PROCESS_WEIGHTS[name] * value for name, value in present.items())
    return {
        "process_score": 100 * weighted / total if present else None,
        "process_components": {
            **components,
            "weighted_sum": weighted / 100 if present else None,
            "total_weight": total / 100,
        },
        "reasons": {} if present else {"process_score": NO_COMPONENTS},
    }


def _is_share(value: object) -> bool:
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        return False
    return bool(0 <= value <= 1)


def compute_consistency_score(
    results: Sequence[Mapping[str, Any]],
    method: str | None = None,
    policy: str | Policy = DEFAULT_POLICY,
) -> dict[str, Any]:
    """How often, in percent, the verdict is the policy's own on all the evidence claimed for it."""
    policy = find_policy(policy)
    run = parse_results(_plain(results), policy, method)
    return consistency_numbers(count_evidence(run.claims, {}, policy), policy)


def consistency_numbers(counts: EvidenceCounts, policy: Policy) -> dict[str, Any]:
    """Consistency as a dict, with what the policy made of each case."""
    consistent, total = (int(side["consistency"].sum()) for side in (counts.right, counts.of))
    levels = policy.scale.levels
    return {
        "consistency_score": 100 * consistent / total if total else None,
        "consistency_details": {
            "consistent": consistent,
            "total": total,
            "per_sample": [
                {
                    "business_id": detail.case,
                    "verdict": None if detail.verdict is None else levels[detail.verdict],
                    "consistent": bool(detail.counts["consistency"][0]),
                    "computed": _decision(detail.by_all),
                    "computed_from_direct": _decision(detail.by_direct),
                }
                for detail in counts.details
                if detail.counts["consistency"][1]
            ],
        },
        "reasons": {} if total else {"consistency_score": counts.why_absent["consistency"]},
    }


def _decision(decision: Decision) -> dict[str, Any]:
    return {
        "verdict": decision.verdict,
        "score": decision.score,
        "rule": decision.trace.rule,
        "because": list(decision.trace.because),
    }


def compute_unified_metrics(
    results: Sequence[Mapping[str, Any]],
    gt_data: Mapping[str, Any] | None,
    gt_verdicts: Mapping[str, Any] | None,
    method: str | None = None,
    reviews_data: Mapping[str, Any] | None = None,
    policy: str | Policy = DEFAULT_POLICY,
) -> dict[str, Any]:
    """The three scores of one method: AUPRC (0 to 1), process and consistency (percent).

    ``gt_verdicts`` maps case to verdict; ``gt_data`` adds incidents and primitives, and its
    verdicts where ``gt_verdicts`` has none.
    """
    policy = find_policy(policy)
    run = parse_results(_plain(results), policy, method)
    truth = parse_truth(_joined(gt_data, gt_verdicts), policy)
    reviews = None if reviews_data is None else parse_reviews(_plain(reviews_data))
    return unified_numbers(prepare(run, truth, policy, reviews, source="truth"))


def _joined(
    gt_data: Mapping[str, Any] | None, gt_verdicts: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Case -> truth; an entry of ``gt_data`` may be a bare verdict, as in a truth file."""
    joined: dict[str, Any] = {}
    for case, entry in _items("gt_data", gt_data):
        joined[case] = dict(entry) if isinstance(entry, Mapping) else {"verdict": entry}
    for case, verdict in _items("gt_verdicts", gt_verdicts):
        joined.setdefault(case, {})["verdict"] = verdict
    return joined


def _items(name: str, table: object) -> Iterable[tuple[Any, Any]]:
    if isinstance(table, Mapping):
        return table.items()
    if table is None:
        return ()
    raise UsageError(f"{name} must be a dict, not {what_came(table)}")


def unified_numbers(study: PreparedStudy) -> dict[str, Any]:
    """The three scores and what stands behind them, keyed as results files have them."""
    ranking = ranking_numbers(study.ranking, study.policy.scale)
    stages = stage_numbers(study.counts, study.reasoning)
    process = compute_process_score(stages)
    consistency = consistency_numbers(study.counts, study.policy)
    reasons = process.pop("reasons") | consistency.pop("reasons")
    if ranking["ordinal_auprc"] is None:
        reasons["auprc"] = ranking["reasons"]["ordinal_auprc"]
    return {
        "auprc": ranking["ordinal_auprc"],
        **process,
        **consistency,
        "reasons": reasons,
        "intermediate_metrics": stages,
        "auprc_metrics": ranking,
        "warnings": list(study.warnings),
    }
