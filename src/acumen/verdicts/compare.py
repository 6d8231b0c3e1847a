"""Two methods on the same cases: paired differences, right minus left.

A pair is scored on the cases that failed for neither. What is asked of a verdict (does it agree
with the truth, is it ranked right, does it follow from its evidence) is asked on the cases where
both gave one, so that neither gains by abstaining on what is hard; only accuracy counts an
abstention, as wrong. What a method claims is checked on every case, and the process score is
the mean of the components both methods have.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from acumen.defaults import PROCESS_WEIGHTS
from acumen.errors import DataError, counted, label
from acumen.inference.options import Options
from acumen.inference.paired import Contrast, compare
from acumen.policy import Policy
from acumen.report.words import note_of, why_no_interval
from acumen.results.measured import Flag, Interval, RestsOn
from acumen.verdicts.claims import Reviews, Truth, VerdictRun
from acumen.verdicts.score import PERCENT, REASONING, metrics_as_one, rare_level, settled
from acumen.verdicts.study import PreparedStudy, prepare
from acumen.views.confusion import confuse_judgments
from acumen.views.reasoning import RATIOS, reason_among
from acumen.views.severity import rank_judgments_by_severity


@dataclass(frozen=True, eq=False)
class VerdictComparison:
    """Paired differences by key, and what was left out to make them fair."""

    left: PreparedStudy
    right: PreparedStudy
    deltas: Mapping[str, Contrast]
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
    """Both methods on the cases that failed for neither, judged where both have a verdict."""
    alive = [{claim.case for claim in run.claims if not claim.failed} for run in (left, right)]
    common = alive[0] & alive[1]
    if not common:
        raise DataError(["the two results have no case in common that failed for neither"])
    known = truth if truth is not None else _shared_truth(left, right)
    a, b = (
        prepare(run, known, policy, reviews, cases=common, source=run.source)
        for run in (left, right)
    )
    components = set(a.reasoning.components) & set(b.reasoning.components)
    warnings = [*_left_out(left, right, common), *_uneven(a, b)]
    a, b = (
        _on_common_ground(study, _judged(left) & _judged(right), components) for study in (a, b)
    )
    # no p-values: swapping methods within a case would mix two methods' score scales in one ranking
    deltas = compare(metrics_as_one(a), a, b, options, p_values=False, settle=settled)
    if not _judged(left) & _judged(right) & common:
        told = "no case has a verdict of both"
        of_verdicts = deltas.keys() - set(REASONING) | {"verdict_support_rate", "consistency"}
        deltas |= {key: deltas[key].undefined(told) for key in of_verdicts & deltas.keys()}
    return VerdictComparison(a, b, deltas, options, tuple(warnings))


def _judged(run: VerdictRun) -> set[str]:
    return {claim.case for claim in run.claims if claim.rank is not None}


def _on_common_ground(study: PreparedStudy, both: set[str], components: set[str]) -> PreparedStudy:
    """The study with its verdicts on the cases where both methods have one."""
    kept = np.array([case in both for case in study.table.included.cases], np.bool_)
    return replace(
        study,
        ranking=rank_judgments_by_severity(study.table, both),
        agreement=confuse_judgments(study.table, both),
        reasoning=reason_among(study.reasoning, kept, components),
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
    cases = counted(gone, "case")
    return [f"the difference leaves out {cases} failed or missing in one of the results"]


def _uneven(left: PreparedStudy, right: PreparedStudy) -> list[str]:
    """What the two methods are not measured by alike."""
    found = []
    ranked = left.ranking.ranked_by, right.ranking.ranked_by
    if ranked[0] != ranked[1]:
        found.append(f"the first is ranked by {ranked[0]}, the second by {ranked[1]}")
    lacking = set(left.reasoning.components) ^ set(right.reasoning.components)
    if lacking:
        names = " and ".join(name.replace("_", " ") for name in PROCESS_WEIGHTS if name in lacking)
        found.append(f"the process scores are compared without {names}, which one of them lacks")
    return found


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
            | _counts(key, comparison)
            for key, delta in comparison.deltas.items()
            if with_reasons or key not in REASONING
        },
        "warnings": list(comparison.warnings),
    }


def _counts(key: str, comparison: VerdictComparison) -> dict[str, Any]:
    """Of what is counted per claim or per verdict, how many are right of how many on each side."""
    if key not in RATIOS:
        return {}
    sides = {"left": comparison.left.reasoning, "right": comparison.right.reasoning}
    return {
        "counts": {
            side: [int(view.right[key].sum()), int(view.of[key].sum())]
            for side, view in sides.items()
        }
    }


def _delta(delta: Contrast, factor: float, rare: RestsOn | None) -> dict[str, Any]:
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
        if rare is not None:
            interval = interval.with_flag(Flag.RARE_LEVEL, rare)
        note = note_of(interval)
        told |= {} if note is None else {"note": note}
    else:
        told |= {
            "low": None,
            "high": None,
            "no_interval": why_no_interval(interval),
            "favours": None,
        }
    return told
