"""Two methods on the same cases: paired differences, right minus left."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from acumen.claims import Reviews, Truth, VerdictRun
from acumen.errors import DataError, label
from acumen.inference import Options
from acumen.intervals import Interval
from acumen.paired import Delta, compare
from acumen.policy import Policy
from acumen.severity import rank_judgments_by_severity
from acumen.verdict_scores import PERCENT, REASONING, metric_of_study, metrics_of_study, rare_level
from acumen.verdict_study import PreparedStudy, prepare


@dataclass(frozen=True, eq=False)
class VerdictComparison:
    """Paired differences by key, and what was left out to make them fair."""

    left: PreparedStudy
    right: PreparedStudy
    deltas: Mapping[str, Delta]
    options: Options
    warnings: tuple[str, ...]


def compare_runs(
    left: VerdictRun,
    right: VerdictRun,
    truth: Truth | None,
    policy: Policy,
    reviews: Reviews | None = None,
    options: Options = Options(),  # noqa: B008  (frozen)
) -> VerdictComparison:
    """Both methods on the cases that failed for neither, ranked where both have a verdict."""
    alive = [{claim.case for claim in run.claims if not claim.failed} for run in (left, right)]
    common = alive[0] & alive[1]
    if not common:
        raise DataError(["the two results have no case in common that failed for neither"])
    known = truth if truth is not None else _shared_truth(left, right)
    studies = [
        prepare(run, known, policy, reviews, cases=common, source=run.source)
        for run in (left, right)
    ]
    # a method that abstains on what is hard to rank must not gain by it
    judged = [{claim.case for claim in r.claims if claim.rank is not None} for r in (left, right)]
    both = judged[0] & judged[1]
    studies = [
        replace(study, ranking=rank_judgments_by_severity(study.table, both)) for study in studies
    ]
    chosen = metrics_of_study(studies[0])
    metrics = [metric_of_study(key, metric, part) for key, (metric, part) in chosen.items()]
    # no p-values: swapping methods within a case would mix two methods' score scales in one ranking
    deltas = compare(metrics, studies[0], studies[1], options, p_values=False)
    return VerdictComparison(
        studies[0], studies[1], deltas, options, tuple(_left_out(left, right, common))
    )


def _shared_truth(left: VerdictRun, right: VerdictRun) -> Truth | None:
    """The truth both files carry; refused where they disagree on a case."""
    if left.truth is None or right.truth is None:
        return left.truth or right.truth
    unequal = [c for c in left.truth if c in right.truth and left.truth[c] != right.truth[c]]
    if unequal:
        shown = ", ".join(label(case) for case in unequal[:5])
        raise DataError([f"the two results carry different truths for {shown}"])
    return {**left.truth, **right.truth}


def _left_out(left: VerdictRun, right: VerdictRun, common: set[str]) -> list[str]:
    everyone = {claim.case for run in (left, right) for claim in run.claims}
    gone = len(everyone - common)
    if not gone:
        return []
    cases = f"{gone} case{'' if gone == 1 else 's'}"
    return [f"the difference leaves out {cases} failed or missing in one of the results"]


def comparison_document(
    comparison: VerdictComparison, names: tuple[str, str], *, with_reasons: bool
) -> dict[str, Any]:
    """The differences as a document: left, right, right − left with its interval."""
    return {
        "left": names[0],
        "right": names[1],
        "n_cases": comparison.left.n_cases,
        "n_ranked": len(comparison.left.ranking),
        "deltas": {
            PERCENT.get(key, key): _delta(
                delta, 100.0 if key in PERCENT else 1.0, rare_level(key, comparison.left)
            )
            for key, delta in comparison.deltas.items()
            if with_reasons or key not in REASONING
        },
        "warnings": list(comparison.warnings),
    }


def _delta(delta: Delta, factor: float, rare: str | None) -> dict[str, Any]:
    def times(value: float | None) -> float | None:
        return None if value is None else value * factor

    told: dict[str, Any] = {
        "left": times(delta.left.value),
        "right": times(delta.right.value),
        "delta": times(delta.value),
    }
    if delta.value is None:
        return told | {"reason": delta.reason}
    interval = delta.interval
    if isinstance(interval, Interval):
        told |= {"low": interval.low * factor, "high": interval.high * factor}
        # where an interval cannot be relied on, no difference is claimed
        told |= {"method": interval.method, "favours": None if rare else delta.favours}
        if rare or interval.note:
            told["note"] = f"{rare}: unreliable" if rare else interval.note
    else:
        told |= {"low": None, "high": None, "no_interval": interval.reason, "favours": None}
    return told
