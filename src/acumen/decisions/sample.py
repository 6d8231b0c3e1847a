"""The answered rows of a table as a decision sees them: confidence, loss and case."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from acumen import confidence as confidences
from acumen._version import __version__
from acumen.errors import DataError, UsageError, printable
from acumen.files.json import created_at
from acumen.inference.infer import marked
from acumen.inference.intervals import default_interval
from acumen.inference.jackknife import Jackknife
from acumen.metrics.registry import Kind
from acumen.results.calibration import CaseHashes, case_hash
from acumen.results.decisions import ScalePart
from acumen.table.judgments import Judgments
from acumen.table.losses import AnyLoss, find_loss, kept_costs
from acumen.types import Floats
from acumen.values.measured import Measured, NoInterval


@dataclass(frozen=True, eq=False)
class Also:
    """A further loss of the same rows, and the risk of it that is allowed."""

    name: str
    loss: Floats
    """Of the answered rows, as a share of ``most_loss``."""
    alpha: float
    """As a share of it too."""
    most_loss: float


@dataclass(frozen=True, eq=False)
class Sample:
    """Cases in the order of a hash of their ids, so that the order of rows changes nothing."""

    confidence: Floats
    """Of the answered rows."""
    loss: Floats
    """The same rows, as a share of ``most_loss``."""
    case: NDArray[np.int64]
    """Whose they are, by place."""
    rows: NDArray[np.int64]
    """How many rows each case has, answered or not."""
    most_loss: float
    graded: bool
    """Whether there are losses between none and the most."""
    weight: Floats | None = None
    """How many cases each stands for, where they were drawn with different chances."""
    also: tuple[Also, ...] = ()
    """What is promised beside the first loss."""

    @property
    def losses(self) -> list[Sample]:
        """The sample under its first loss, and under each further one."""
        return [self, *(replace(self, loss=other.loss, also=()) for other in self.also)]

    @property
    def n(self) -> int:
        """How many cases there are."""
        return len(self.rows)

    @property
    def values(self) -> Floats:
        """The confidences there are, surest first."""
        return np.unique(self.confidence)[::-1]

    def of_cases(self, places: NDArray[Any]) -> Sample:
        """Some cases, by place; one that is named twice counts twice."""
        order = np.argsort(self.case, kind="stable")
        ends = np.searchsorted(self.case[order], np.arange(self.n + 1))
        spans = [order[ends[place] : ends[place + 1]] for place in places.tolist()]
        rows, case = np.concatenate(spans), np.repeat(np.arange(len(spans)), [*map(len, spans)])
        confidence, loss = self.confidence[rows], self.loss[rows]
        weight = None if self.weight is None else self.weight[places]
        own = replace(self, confidence=confidence, loss=loss, case=case, rows=self.rows[places])
        also = tuple(replace(other, loss=other.loss[rows]) for other in self.also)
        return replace(own, weight=weight, also=also)

    @property
    def counts(self) -> Floats:
        """As how many rows each case counts."""
        return np.asarray(self.rows * (1.0 if self.weight is None else self.weight), np.float64)

    def weighted(self, of_cases: Floats) -> Floats:
        """What cases add, the last axis, summed as often as each of them counts."""
        return np.asarray(
            (of_cases if self.weight is None else of_cases * self.weight).sum(axis=-1)
        )

    def accepted(self, thresholds: Floats) -> tuple[Floats, Floats]:
        """Rows above each threshold and their loss: two arrays ``(threshold, case)``."""
        rows, loss = np.zeros((2, len(thresholds), self.n))
        for at, threshold in enumerate(thresholds.tolist()):
            above = self.confidence > threshold
            rows[at] = np.bincount(self.case[above], minlength=self.n)
            loss[at] = np.bincount(self.case[above], self.loss[above], self.n)
        return rows, loss


def sample_of(table: Judgments, name: str, loss: AnyLoss, calibration: Any = None) -> Sample:
    """The rows of a scored table under a confidence and a loss."""
    judgment = np.arange(len(table)) if table.judgment is None else table.judgment
    own = np.ones(len(table)) if table.weight is None else table.weight
    if not np.allclose(np.bincount(judgment, own), 1.0):
        raise UsageError("a decision counts every row alike; leave the weights out")
    rows = np.flatnonzero(table.answered & table.once)
    if not len(rows):
        raise DataError(["no row was answered: nothing can be accepted"], source=table.source.name)
    of_rows = table.prediction, table.exact_truth, table.unanswerable
    grades, kinds = find_loss(loss).graded(table.scale, *of_rows)
    every = find_loss(loss).grades(table.scale)
    most = float(every.cost.max()) * (every.unit / grades.unit)
    if most == 0.0:
        raise UsageError("every loss is 0: there is no risk to limit")
    values = confidences.compute(name, table, calibration=calibration)[rows]
    answers = np.flatnonzero(table.answered)
    # of a panel, the mean over its raters
    lost = own[answers] * grades.cost[kinds[answers]] / most
    costs: Floats = np.bincount(judgment[answers], lost)[judgment[rows]].astype(np.float64)
    place = _places(table)
    sizes = np.bincount(place[table.case[table.once]], minlength=len(place))
    graded = bool(((grades.cost > 0) & (grades.cost < most)).any() or len(rows) < len(answers))
    return Sample(values, costs, place[table.case[rows]], sizes, most * grades.unit, graded)


def with_more(sample: Sample, table: Judgments, name: str, said: Any, calibration: Any) -> Sample:
    """The sample with further losses and the risks allowed of them: ``zero_one=.2``, or a mapping.

    A threshold that keeps all of them passes the test of each: none is paid for.
    """
    pairs = said.items() if isinstance(said, Mapping) else map(_risk_of, said)
    also = []
    for loss, risk in pairs:
        other = sample_of(table, name, loss, calibration)
        known = find_loss(loss).name
        if not 0.0 < risk < other.most_loss:
            most = other.most_loss
            raise UsageError(
                f"a risk of {known} is between 0 and the largest loss, {most:g}, not {risk:g}"
            )
        also.append(Also(known, other.loss, risk / other.most_loss, other.most_loss))
        sample = replace(sample, graded=sample.graded or other.graded)
    return replace(sample, also=tuple(also))


def _risk_of(text: str) -> tuple[str, float]:
    loss, mark, risk = text.rpartition("=")
    try:
        return loss.strip(), float(risk if mark and loss.strip() else "none")
    except ValueError:
        raise UsageError(f"also takes LOSS=RISK, as zero_one=.2, not '{printable(text)}'") from None


def with_weights(sample: Sample, table: Judgments, of_cases: Floats | None) -> Sample:
    """The sample with what each case of the table stands for."""
    if of_cases is None:
        return sample
    weight = np.empty(sample.n)
    weight[_places(table)] = of_cases
    return replace(sample, weight=weight)


def _places(table: Judgments) -> NDArray[np.int64]:
    """Where each case of a table stands among hashes of their ids."""
    return np.argsort(np.argsort([case_hash(case, "") for case in table.cases]))


def one_confidence(selector: str, table: Judgments, calibration: Any = None) -> str:
    """The one confidence that a decision goes by: the default's first, or the one that is named."""
    names = confidences.select(selector, table, calibration=calibration).names
    if selector != "default" and len(names) > 1:
        text = printable(selector, 80)
        raise UsageError(f"a decision goes by one confidence, not by '{text}': name one")
    return names[0]


def made_now() -> dict[str, Any]:
    """By which version, and when."""
    return {"acumen_version": __version__, "created_at": created_at()}


def origin(table: Judgments, confidence: str | None, loss: AnyLoss | None) -> dict[str, Any]:
    """What every document says of its making."""
    scale = ScalePart(name=table.scale.name, levels=list(table.scale.levels))
    facts: dict[str, Any] = {
        "scale": scale,
        "confidence": confidence,
        "warnings": [*table.source.labels],
    }
    if loss is not None:
        own = find_loss(loss)
        facts |= {"loss": own.name, "costs": kept_costs(own, table.scale)}
    return {**made_now(), **facts}


def mean_by_case(of_case: Floats, sizes: Any, kind: Kind = Kind.REAL) -> Measured:
    """The sum of what cases have over the sum of their sizes, with its interval by case."""
    total, n = of_case.sum(), sizes.sum()
    jackknife, value = Jackknife.of((total - of_case) / (n - sizes)), float(total / n)
    interval = default_interval(kind, value, jackknife)
    if isinstance(interval, NoInterval):  # all cases cost alike, or there are too few
        return Measured(value=value, no_interval=interval)
    return Measured(value=value, interval=marked(interval, len(sizes)))


def hashes_of(table: Judgments) -> CaseHashes:
    """The cases of a table as a document keeps them."""
    salt = (table.source.sha256 or "")[:16]
    return CaseHashes(salt=salt, sha256_16=sorted(case_hash(c, salt) for c in table.cases))
