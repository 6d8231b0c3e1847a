"""Two methods on the same cases: paired differences, right minus left.

A pair is scored on the cases that failed for neither. What is asked of a verdict (does it agree
with the truth, is it ranked right, does it follow from its evidence) is asked on the cases where
both gave one, so that neither gains by abstaining on what is hard; only accuracy counts an
abstention, as wrong. What a method claims is checked on every case, and the process score is
the mean of the components both methods have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from acumen.defaults import CELLS, PROCESS_WEIGHTS
from acumen.errors import DataError, counted, label
from acumen.inference.fragile import of_claim
from acumen.inference.options import Options
from acumen.inference.paired import Contrast, claim, compare
from acumen.policy import Policy
from acumen.results.verdicts import ComparisonDocument
from acumen.values.measured import Delta, Description, Flag, RestsOn, RightOf
from acumen.verdicts.claims import CaseTruth, Reviews, Truth, VerdictRun
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
    return compare_ground(common_ground([left, right], truth, policy, reviews), options)


def compare_ground(ground: CommonGround, options: Options) -> VerdictComparison:
    """The paired differences of two methods on common ground."""
    a, b = ground.studies
    deltas = compare(metrics_as_one(a), a, b, options, settle=explain)
    if not ground.judged:
        reason = "no case has a verdict of both"
        of_verdicts = deltas.keys() - of_reasons(a) | set(OF_VERDICTS)
        deltas |= {key: deltas[key].undefined(reason) for key in of_verdicts}
    return VerdictComparison(a, b, deltas, options, ground.warnings)


@dataclass(frozen=True, eq=False)
class CommonGround:
    """Methods on the cases that failed for none of them, judged where all have a verdict."""

    studies: tuple[PreparedStudy, ...]
    judged: frozenset[str]
    """Cases where all have a verdict."""
    warnings: tuple[str, ...]


def common_ground(
    runs: Sequence[VerdictRun],
    truth: Truth | None,
    policy: Policy,
    reviews: Reviews | None = None,
) -> CommonGround:
    """The studies as they may be set side by side, and what was left out to make that fair."""
    alive: list[set[str]] = [
        {claim.case for claim in run.claims if not claim.failed} for run in runs
    ]
    common = alive[0].intersection(*alive[1:])
    if not common:
        who = "two results have" if len(runs) == 2 else f"{len(runs)} results have"
        none = "neither" if len(runs) == 2 else "none"
        raise DataError([f"the {who} no case in common that failed for {none}"])
    known = truth if truth is not None else _shared_truth(runs)
    studies = [
        prepare(run, known, policy, reviews, cases=common, source=run.source) for run in runs
    ]
    components = set.intersection(*(set(study.reasoning.components) for study in studies))
    warnings = (*_left_out(runs, common), *_uneven(studies))
    judged = set.intersection(*(_judged(run) for run in runs))
    studies = [_on_common_ground(study, judged, components) for study in studies]
    return CommonGround(tuple(studies), frozenset(judged & common), warnings)


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


def _shared_truth(runs: Sequence[VerdictRun]) -> Truth | None:
    """The truth the files carry; refused where they disagree on a case."""
    shared: dict[str, CaseTruth] = {}
    unequal: dict[str, None] = {}
    for run in runs:
        for case, known in (run.truth or {}).items():
            other = shared.setdefault(case, known)
            steps = other.primitives or known.primitives  # a result that failed carries none
            shared[case] = replace(other, primitives=steps)
            if shared[case] != replace(known, primitives=known.primitives or steps):
                unequal[case] = None
    if unequal:
        cases = ", ".join(label(case) for case in [*unequal][:5])
        who = "two results carry" if len(runs) == 2 else "results carry"
        raise DataError([f"the {who} different truths for {cases}"])
    return shared or None


def _left_out(runs: Sequence[VerdictRun], common: set[str]) -> list[str]:
    gone = len({claim.case for run in runs for claim in run.claims} - common)
    cases = counted(gone, "case")
    what = "difference leaves" if len(runs) == 2 else "differences leave"
    notes = [f"the {what} out {cases} failed or missing in one of the results"]
    return notes if gone else []


def _uneven(studies: Sequence[PreparedStudy]) -> list[str]:
    """What the methods are not measured by alike."""
    notes = []
    ranked = [study.ranking.ranked_by for study in studies]
    if len(studies) == 2 and ranked[0] != ranked[1]:
        notes.append(f"the first is ranked by {ranked[0]}, the second by {ranked[1]}")
    elif len({*ranked}) > 1:
        notes.append("some methods are ranked by their risk score, others by their level")
    present = [set(study.reasoning.components) for study in studies]
    lacking = present[0].union(*present[1:]) - present[0].intersection(*present[1:])
    if lacking:
        names = " and ".join(name.replace("_", " ") for name in PROCESS_WEIGHTS if name in lacking)
        notes.append(f"the process scores are compared without {names}, which one of them lacks")
    return notes


def comparison_document(
    comparison: VerdictComparison, names: tuple[str, str]
) -> ComparisonDocument:
    """The differences as a document: left, right, right − left with its interval."""
    rare = {name: c.left.interval.rests_on for name, c in comparison.deltas.items()}
    # the cells are shares of one whole: they have a table and a family of their own
    families = (
        {n: c for n, c in comparison.deltas.items() if rare[n] is None and (n in CELLS) is own}
        for own in (False, True)
    )
    claims = (claim(family, comparison.options) for family in families)
    printed = {n: c for part in (comparison.deltas, *claims) for n, c in part.items()}
    deltas = {name: _delta(c, comparison, rare[name]) for name, c in printed.items()}
    n, level = comparison.left.n_cases, comparison.options.confidence_level
    fragile = {
        name: of_claim([delta], 1.0, n, level)
        for name, delta in deltas.items()
        if delta.favours is not None and printed[name].metric.kind.bounds == (0.0, 1.0)
    }
    return ComparisonDocument(
        left=names[0],
        right=names[1],
        n_cases=comparison.left.n_cases,
        n_ranked=len(comparison.left.ranking),
        deltas=deltas,
        fragility={name: of for name, of in fragile.items() if of is not None},
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
