"""A verdict study made ready: the table, and the views its metrics look at."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acumen.defaults import PROCESS_WEIGHTS
from acumen.errors import DataError, Problem, refuse
from acumen.policy import Policy
from acumen.table.coded import factorize
from acumen.table.judgments import NO_PREDICTION, FailedCase, Judgments, Outcome
from acumen.types import Floats
from acumen.verdicts.claims import Claim, Reviews, Truth, VerdictRun
from acumen.verdicts.counts import EvidenceCounts, count_evidence, listed
from acumen.views.confusion import Confusion, confuse_judgments
from acumen.views.reasoning import PRIMITIVES, RankingWithReasons, Reasoning
from acumen.views.severity import BY_LEVEL, SeverityRanking, rank_judgments_by_severity
from acumen.views.tangents import Smooth, Tangent, joined
from acumen.views.weights import CaseWeights


@dataclass(frozen=True, eq=False)
class PreparedStudy:
    """One method's verdicts with everything its metrics need."""

    run: VerdictRun
    truth: Truth
    policy: Policy
    table: Judgments
    counts: EvidenceCounts
    confusion: Confusion
    agreement: Confusion
    """The verdicts whose agreement is measured: all there are, or in a pair those both gave."""
    ranking: SeverityRanking
    reasoning: Reasoning
    warnings: tuple[str, ...]
    reviews: Reviews | None = None

    @property
    def n_cases(self) -> int:
        """Cases that did not fail: what is resampled."""
        return self.total

    def why_undefined(self, weights: CaseWeights) -> str | None:
        """The parts know their own reasons."""
        return None

    @cached_property
    def ranking_with_reasons(self) -> RankingWithReasons:
        """Ranking and reasoning together."""
        return RankingWithReasons(self.ranking, self.reasoning)

    def beside(self, other: PreparedStudy) -> PreparedStudy:
        """The views of two methods in one, the cases of the other numbered after ours."""
        parts = ("confusion", "agreement", "ranking", "reasoning")
        return replace(self, **{p: getattr(self, p).beside(getattr(other, p)) for p in parts})

    def tangent(self, block: CaseWeights) -> Tangent | None:
        """How the sums of the views that it is made of move with the weight of a case."""
        views: list[Smooth] = [self.confusion, self.ranking, self.reasoning]
        # every verdict may be one of those whose agreement is measured
        views += [] if self.agreement is self.confusion else [self.agreement]
        return joined(views, block)

    @property
    def names(self) -> tuple[str | int | float, ...]:
        """What the levels are called."""
        return self.ranking.names

    @property
    def total(self) -> int:
        """Cases that did not fail."""
        return len(self.table.included.cases)

    @property
    def correct(self) -> int:
        """Cases whose verdict is the true one; an abstention is not."""
        table = self.table.included
        return int((table.answered & (table.prediction == table.truth)).sum())


def prepare(
    run: VerdictRun,
    truth: Truth | None,
    policy: Policy,
    reviews: Reviews | None = None,
    cases: Iterable[str] | None = None,
    source: str | None = None,
) -> PreparedStudy:
    """Line up claims and truth; ``cases`` keeps some of them, for a comparison on common ones.

    Without a truth file the truth the rows carry themselves is used. ``source`` is how messages
    name the truth file.
    """
    known = truth if truth is not None else run.truth
    among = None if cases is None else frozenset(cases)
    claims = [claim for claim in run.claims if among is None or claim.case in among]
    if all(claim.failed for claim in claims):
        refuse(["no case is left to score: every result holds an error"], run.source)
    if known is None:
        message = "there is no truth: give a truth file, or gt_verdict with every result"
        raise DataError([message], source=run.source)
    if truth is None:
        _refuse_without_truth(claims, known, "has no gt_verdict, as others have", run.source)
    _refuse_without_truth(claims, known, "there is no truth for this case", source)
    table = _table(claims, known, run)
    counts = count_evidence(claims, known, policy, reviews, run.source)
    ranking, confusion = rank_judgments_by_severity(table), confuse_judgments(table)
    return PreparedStudy(
        run=run,
        truth=known,
        policy=policy,
        table=table,
        counts=counts,
        confusion=confusion,
        agreement=confusion,
        ranking=ranking,
        reasoning=reason(counts, table.included.cases),
        warnings=(
            *_not_asked(run),
            *run.warnings,
            *_warnings(claims, known, ranking, among),
            *_other_truths(claims, known, run.truth),
            *counts.warnings,
        ),
        reviews=reviews,
    )


def _refuse_without_truth(
    claims: list[Claim], truth: Truth, message: str, source: str | None
) -> None:
    lacking = [claim.case for claim in claims if not claim.failed and claim.case not in truth]
    refuse([Problem(message, case=case) for case in lacking], source)


def _table(claims: list[Claim], truth: Truth, run: VerdictRun) -> Judgments:
    """One row a case; a failed case keeps its row where its truth is known."""
    rows = [claim for claim in claims if claim.case in truth]
    cases, codes = factorize([claim.case for claim in rows])
    ranks = [NO_PREDICTION if claim.rank is None else claim.rank for claim in rows]
    outcomes = [Outcome.ABSTAINED if r == NO_PREDICTION else Outcome.ANSWERED for r in ranks]
    failed = [claim.failed for claim in rows]
    return Judgments(
        scale=run.scale,
        cases=cases,
        items=("verdict",),
        case=codes,
        item=np.zeros(len(rows), np.int32),
        truth=np.array([truth[claim.case].rank for claim in rows], np.int16),
        prediction=np.array(ranks, np.int16),
        outcome=np.where(failed, Outcome.FAILED, outcomes).astype(np.uint8),
        risk_score=np.array([claim.risk_score for claim in rows], np.float64),  # None is NaN
        failed=tuple(FailedCase(c.case, "the result holds an error") for c in claims if c.failed),
    )


def _warnings(
    claims: list[Claim], truth: Truth, ranking: SeverityRanking, among: frozenset[str] | None
) -> list[str]:
    answered = [claim for claim in claims if claim.rank is not None]
    scored = sum(claim.risk_score is not None for claim in answered)
    warnings = []
    if ranking.ranked_by == BY_LEVEL and answered:
        some = f"{len(answered) - scored} of {len(answered)} verdicts" if scored else "verdicts"
        warnings.append(f"{some} come without a risk_score: all are ranked by their level instead")
    seen = {claim.case for claim in claims}
    unseen = [] if among is not None else [case for case in truth if case not in seen]
    if unseen:
        n = len(unseen)
        cases = "1 case of the truth has" if n == 1 else f"{n} cases of the truth have"
        warnings.append(f"{cases} no result: {listed(unseen)}")
    return warnings


def _not_asked(run: VerdictRun) -> list[str]:
    """A run that ended early says of how many cases it is a part."""
    left = (run.asked or 0) - len(run.claims)
    return [f"the run ended early: {left} of its {run.asked} cases are missing"] if left > 0 else []


def _other_truths(claims: list[Claim], truth: Truth, carried: Truth | None) -> list[str]:
    """A result that carries another truth than the file gives may have been made for another."""
    own = carried or {}
    asked = [claim.case for claim in claims if not claim.failed and claim.case in own]
    unlike = [case for case in asked if own[case].rank != truth[case].rank]
    cases = f"{len(unlike)}: {listed(unlike)}"
    notes = [f"the truth file is used where a gt_verdict differs from it ({cases})"]
    return notes if unlike else []


def reason(counts: EvidenceCounts, cases: Sequence[object] | None = None) -> Reasoning:
    """The counts as a view, in the order of ``cases`` (a case without counts has zeros)."""
    order = counts.cases if cases is None else tuple(cases)
    row_of = {case: row for row, case in enumerate(counts.cases)}
    rows = np.array([row_of.get(str(case), -1) for case in order], np.int64)

    def aligned(column: NDArray[Any]) -> Floats:
        if not len(column):
            return np.zeros(len(rows))
        return np.where(rows >= 0, column[rows], 0).astype(np.float64)

    scored = np.isfinite(counts.primitive_accuracy)
    share = np.where(scored, counts.primitive_accuracy, 0.0)
    right = {name: aligned(column) for name, column in counts.right.items()}
    of = {name: aligned(column) for name, column in counts.of.items()}
    return Reasoning(
        right={**right, PRIMITIVES: aligned(share)},
        of={**of, PRIMITIVES: aligned(scored.astype(np.float64))},
        n_cases=len(rows),
        why_absent={PRIMITIVES: "no primitives are given", **counts.why_absent},
        components=tuple(name for name in PROCESS_WEIGHTS if of[name].any()),
    )
