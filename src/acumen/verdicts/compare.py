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

import numpy as np

from acumen.defaults import PROCESS_WEIGHTS
from acumen.errors import DataError, counted, label
from acumen.inference.options import Options
from acumen.inference.paired import Contrast, claim, compare
from acumen.policy import Policy
from acumen.results.verdicts import ComparisonDocument
from acumen.values.measured import Delta, Description, Flag, RestsOn, RightOf
from acumen.verdicts.claims import Reviews, Truth, VerdictRun
from acumen.verdicts.score import explain, metrics_as_one, of_reasons
from acumen.verdicts.study import PreparedStudy, prepare
from acumen.views.confusion import confuse_judgments
from acumen.views.reasoning import OF_VERDICTS, RATIOS, reason_among
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
    both = _judged(left) & _judged(right)
    a, b = (_on_common_ground(study, both, components) for study in (a, b))
    deltas = compare(metrics_as_one(a), a, b, options, settle=explain)
    if not both & common:
        reason = "no case has a verdict of both"
        of_verdicts = deltas.keys() - of_reasons(a) | set(OF_VERDICTS)
        deltas |= {key: deltas[key].undefined(reason) for key in of_verdicts}
    return VerdictComparison(a, b, deltas, options, tuple(warnings))


def _judged(run: VerdictRun) -> set[str]:
    return {claim.case for claim in run.claims if claim.rank is not None}


def _on_common_ground(study: PreparedStudy, both: set[str], components: set[str]) -> PreparedStudy:
    """The study with its verdicts on the cases where both methods have one."""
    judged = np.array([case in both for case in study.table.included.cases], np.bool_)
    return replace(
        study,
        ranking=rank_judgments_by_severity(study.table, both),
        agreement=confuse_judgments(study.table, both),
        reasoning=reason_among(study.reasoning, judged, components),
    )


def _shared_truth(left: VerdictRun, right: VerdictRun) -> Truth | None:
    """The truth both files carry; refused where they disagree on a case."""
    if left.truth is None or right.truth is None:
        return left.truth or right.truth
    unequal = [c for c in left.truth if c in right.truth and left.truth[c] != right.truth[c]]
    if unequal:
        cases = ", ".join(label(case) for case in unequal[:5])
        raise DataError([f"the two results carry different truths for {cases}"])
    return {**left.truth, **right.truth}


def _left_out(left: VerdictRun, right: VerdictRun, common: set[str]) -> list[str]:
    gone = len({claim.case for run in (left, right) for claim in run.claims} - common)
    cases = counted(gone, "case")
    notes = [f"the difference leaves out {cases} failed or missing in one of the results"]
    return notes if gone else []


def _uneven(left: PreparedStudy, right: PreparedStudy) -> list[str]:
    """What the two methods are not measured by alike."""
    notes = []
    ranked = left.ranking.ranked_by, right.ranking.ranked_by
    if ranked[0] != ranked[1]:
        notes.append(f"the first is ranked by {ranked[0]}, the second by {ranked[1]}")
    lacking = set(left.reasoning.components) ^ set(right.reasoning.components)
    if lacking:
        names = " and ".join(name.replace("_", " ") for name in PROCESS_WEIGHTS if name in lacking)
        notes.append(f"the process scores are compared without {names}, which one of them lacks")
    return notes


def comparison_document(
    comparison: VerdictComparison, names: tuple[str, str]
) -> ComparisonDocument:
    """The differences as a document: left, right, right − left with its interval."""
    rare = {name: c.left.interval.rests_on for name, c in comparison.deltas.items()}
    family = {name: c for name, c in comparison.deltas.items() if rare[name] is None}
    printed = {**comparison.deltas, **claim(family, comparison.options)}
    return ComparisonDocument(
        left=names[0],
        right=names[1],
        n_cases=comparison.left.n_cases,
        n_ranked=len(comparison.left.ranking),
        deltas={name: _delta(c, comparison, rare[name]) for name, c in printed.items()},
        warnings=list(comparison.warnings),
    )


def _delta(contrast: Contrast, comparison: VerdictComparison, rare: RestsOn | None) -> Delta:
    """A difference as it is written; none is claimed that rests on a few cases of a level."""
    description = None if rare is None else Description.NOT_IN_FAMILY
    counts = {"counts": _counts(contrast.name, comparison)}
    delta = contrast.delta(description).model_copy(update=counts)
    if rare is None or delta.interval is None:
        return delta
    return delta.model_copy(update={"interval": delta.interval.with_flag(Flag.RARE_LEVEL, rare)})


def _counts(name: str, comparison: VerdictComparison) -> RightOf | None:
    """Of what is counted per claim or per verdict, how many are right of how many on each side."""
    if name not in RATIOS:
        return None
    left, right = (
        (int(view.right[name].sum()), int(view.of[name].sum()))
        for view in (comparison.left.reasoning, comparison.right.reasoning)
    )
    return RightOf(left=left, right=right)
