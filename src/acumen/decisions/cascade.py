"""Several judges, one after another: thresholds for all of them, with one promise of the whole.

A row goes to the first stage; what that does not accept, to the next; what no stage accepts, to
people. Half of the cases choose which thresholds are worth testing, and the order: from the safest
to the cheapest. The other half test them in that order at δ, up to the first that fails: cases that
chose nothing, so the whole of δ is spent on each (a fixed sequence).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from acumen.decisions.bounds import Accepted
from acumen.decisions.sample import one_confidence, origin, sample_of
from acumen.errors import DataError, UsageError, counted
from acumen.evaluation.missing import without_missing
from acumen.results.calibration import case_hash
from acumen.results.cascades import CascadeDocument, Operation, StagePart
from acumen.table.align import align
from acumen.table.distribution import under_loss
from acumen.table.judgments import Judgments
from acumen.types import Floats

SHARES: Final = (0.2, 0.4, 0.6, 0.8)
"""Of a stage's answers, which may be accepted; beside none of them and all."""
MOST_STAGES: Final = 4
FEWEST_CASES: Final = 40
"""With fewer, half of them test next to nothing."""
WORTH: Final = 0.5
"""Thresholds of which half of the cases doubt more than this are not tested."""


@dataclass(frozen=True)
class Rows:
    """The same rows judged by every stage."""

    confidence: Floats
    """``(stage, row)``; NaN where a stage has no answer."""
    loss: Floats
    """The same, as a share of the largest."""
    case: NDArray[np.int64]
    most_loss: float

    def of_cases(self, low: int, high: int) -> Rows:
        """The rows of some cases, by place."""
        rows = (self.case >= low) & (self.case < high)
        case = self.case[rows] - low
        return Rows(self.confidence[:, rows], self.loss[:, rows], case, self.most_loss)

    def answers(self, thresholds: Sequence[float]) -> NDArray[np.int64]:
        """The stage that answers each row, or the number of stages where people do."""
        accepts = self.confidence > np.array(thresholds)[:, None]
        none = np.full(accepts.shape[1], len(thresholds))
        return np.where(accepts.any(axis=0), accepts.argmax(axis=0), none)

    def sums(self, thresholds: Sequence[Sequence[float]]) -> tuple[Floats, Floats]:
        """Accepted rows and their loss by ``(thresholds, case)``."""
        n = int(self.case.max()) + 1
        rows, loss = np.zeros((2, len(thresholds), n))
        for at, one in enumerate(thresholds):
            stage = self.answers(one)
            known = np.flatnonzero(stage < len(one))
            rows[at] = np.bincount(self.case[known], minlength=n)
            loss[at] = np.bincount(self.case[known], self.loss[stage[known], known], n)
        return rows, loss


def aligned(tables: Sequence[Judgments], *, intersection_only: bool) -> list[Judgments]:
    """The tables on the rows that all judge; other cases are refused, or left out."""
    first = tables[0]
    for table in tables[1:]:
        first = align(first, table, intersection_only=intersection_only).left
    rest = [align(first, table, intersection_only=intersection_only).right for table in tables[1:]]
    return [first, *rest]


def rows_of(tables: Sequence[Judgments], names: Sequence[str], loss: Any) -> Rows:
    """The rows of aligned tables; of several raters or weights nothing is decided here."""
    first = tables[0]
    if any(table.judgment is not None or table.weight is not None for table in tables):
        raise UsageError("a cascade takes one truth a row, and rows that count alike")
    shape = len(tables), len(first)
    confidence, lost, most = np.full(shape, np.nan), np.zeros(shape), 1.0
    for at, (table, name) in enumerate(zip(tables, names, strict=True)):
        sample = sample_of(under_loss(table, loss), name, loss)
        rows = np.flatnonzero(table.answered)
        confidence[at, rows], lost[at, rows], most = (
            sample.confidence,
            sample.loss,
            sample.most_loss,
        )
    place = np.argsort(np.argsort([case_hash(case, "") for case in first.cases]))
    return Rows(confidence, lost, place[first.case].astype(np.int64), most)


@dataclass(frozen=True)
class Prices:
    """What a row costs at each stage, and by people."""

    stages: Sequence[float]
    person: float

    def of(self, rows: Rows, thresholds: Sequence[float]) -> float:
        """Mean price of a row: of every stage that it reaches, and of people where none answers."""
        stage, total = rows.answers(thresholds), 0.0
        for at, (price, threshold) in enumerate(zip(self.stages, thresholds, strict=True)):
            if threshold < np.inf:  # a stage that accepts nothing is not asked
                total += price * float((stage >= at).mean())
        return total + self.person * float((stage == len(thresholds)).mean())


@dataclass(frozen=True)
class Tested:
    """What was tested, and the cheapest thresholds that passed."""

    tested: list[tuple[float, ...]]
    passes: int

    @property
    def best(self) -> tuple[float, ...] | None:
        """The last that passed before one failed."""
        return self.tested[self.passes - 1] if self.passes else None


def search(
    choosing: Rows, testing: Rows, prices: Prices, alpha: float, delta: float, only: int | None
) -> Tested:
    """The thresholds that one half finds worth testing, tested on the other; of one stage alone."""
    grids = [
        [np.inf]
        if only not in (None, at)
        else [np.inf, *np.nanquantile(one, [1.0 - s for s in SHARES]).tolist(), -np.inf]
        for at, one in enumerate(choosing.confidence)
    ]
    every = [one for one in product(*grids) if min(one) < np.inf]
    doubts = Accepted.of(*choosing.sums(every)).p_value(alpha)
    cheapest, tested = np.inf, list[tuple[float, ...]]()
    for at in np.argsort(doubts, kind="stable"):
        price = prices.of(choosing, every[at])
        if doubts[at] <= WORTH and price < cheapest:
            cheapest = price
            tested.append(every[at])
    if not tested:
        return Tested([], 0)
    fits = Accepted.of(*testing.sums(tested)).p_value(alpha) <= delta
    return Tested(tested, int(np.logical_and.accumulate(fits).sum()))


def _operation(
    name: str, rows: Rows, prices: Prices, thresholds: Any, *, certified: bool
) -> Operation:
    """What thresholds cost and risk; without any, people answer all."""
    if thresholds is None:
        return Operation(name=name, certified=False, price=prices.person, referred=1.0, risk=None)
    accepted, loss = (part.sum() for part in rows.sums([thresholds]))
    return Operation(
        name=name,
        certified=certified,
        price=prices.of(rows, thresholds),
        referred=1.0 - float(accepted) / len(rows.case),
        risk=float(loss / accepted) * rows.most_loss if accepted else None,
    )


def cascade_of(
    tables: Sequence[Judgments],
    names: Sequence[str],
    prices: Prices,
    risk: float,
    delta: float,
    confidence: str,
    loss: Any,
) -> CascadeDocument:
    """Thresholds for every stage with one promise, against each stage alone and people alone."""
    first = tables[0]
    functions = [one_confidence(confidence, without_missing(table)) for table in tables]
    rows = rows_of(tables, functions, loss)
    n, most = len(first.cases), rows.most_loss
    if n < FEWEST_CASES:
        raise DataError([f"{counted(n, 'case')} are too few: a cascade needs {FEWEST_CASES}"])
    if not 0.0 < risk < most:
        raise UsageError(f"a risk is between 0 and the largest loss, {most:g}, not {risk:g}")
    if not 0.0 < delta < 1.0:
        raise UsageError(f"delta is a chance between 0 and 1, not {delta:g}")
    choosing, testing = rows.of_cases(0, n // 2), rows.of_cases(n // 2, n)
    known = choosing, testing, prices, risk / most, delta
    all_ = search(*known, None)
    best = all_.best
    alone = [search(*known, at).best for at in range(len(tables))]
    stage = None if best is None else testing.answers(best)
    parts = []
    for at, (name, function) in enumerate(zip(names, functions, strict=True)):
        cut = np.inf if best is None else best[at]
        parts.append(
            StagePart(
                name=name,
                price=prices.stages[at],
                confidence=function,
                is_asked=bool(cut < np.inf),
                threshold=float(cut) if np.isfinite(cut) else None,
                asked=0.0 if stage is None or cut == np.inf else float((stage >= at).mean()),
                accepted=0.0 if stage is None else float((stage == at).mean()),
            )
        )
    return CascadeDocument(
        **origin(first, None, loss),
        alpha=risk,
        delta=delta,
        certified=best is not None,
        stages=parts,
        cascade=_operation("cascade", testing, prices, best, certified=True),
        alone=[
            _operation(name, testing, prices, own, certified=own is not None)
            for name, own in zip(names, alone, strict=True)
        ],
        person_price=prices.person,
        frontier=[
            _operation(str(at + 1), testing, prices, one, certified=at < all_.passes)
            for at, one in enumerate(all_.tested)
        ],
        cases=n,
        cases_apart=n // 2,
        cases_tested=n - n // 2,
    )
