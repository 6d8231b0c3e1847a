"""The door for people with a list of rows: ``ItemPrediction`` and the ``compute_*`` functions.

One row a judgment, ``score`` None where the system abstained. When nobody answered, areas and cmax
are 0.0, the curve is empty and a risk is None: the values this interface has always had. Everywhere
else in acumen such a number is null with a reason.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, overload

import numpy as np

from acumen.errors import DataError, Problem, UsageError, what_came
from acumen.judgments import Judgments
from acumen.losses import find_loss
from acumen.metrics import METRICS
from acumen.metrics.registry import Metric
from acumen.ranking import Curve, Ranking, rank
from acumen.readers.columns import judgments
from acumen.scale import Scale, find_scale
from acumen.weights import CaseWeights, Floats


@dataclass(frozen=True, slots=True)
class ItemPrediction:
    """One judgment: the predicted level or None, the true level, and how sure the system was."""

    score: int | None
    ground_truth: int
    confidence: float
    case: int | str | None = None
    item: str | None = None

    @property
    def is_predicted(self) -> bool:
        """Whether the system answered."""
        return self.score is not None

    @property
    def absolute_error(self) -> int:
        """Levels between prediction and truth; 0 when the system abstained."""
        # int(): the difference of two unsigned NumPy numbers would wrap around
        return 0 if self.score is None else abs(int(self.score) - int(self.ground_truth))


Row = ItemPrediction | Mapping[str, Any]
LARGEST: Final = sys.float_info.max


class RiskCoverageCurve(Sequence[tuple[float, float]]):
    """A sequence of (coverage, risk) points, with the arrays beside it."""

    def __init__(self, curve: Curve) -> None:
        self.coverage = curve.coverage
        self.selective_risk = curve.selective_risk
        self.generalized_risk = curve.generalized_risk
        self.threshold = curve.threshold

    def __len__(self) -> int:
        return len(self.coverage)

    @overload
    def __getitem__(self, index: int) -> tuple[float, float]: ...
    @overload
    def __getitem__(self, index: slice) -> list[tuple[float, float]]: ...
    def __getitem__(self, index: int | slice) -> Any:
        points = list(zip(self.coverage.tolist(), self.selective_risk.tolist(), strict=True))
        return points[index]

    def __repr__(self) -> str:
        return f"RiskCoverageCurve({list(self)})"


def rows_of(items: Iterable[Row]) -> list[ItemPrediction]:
    """Rows as :class:`ItemPrediction`, mappings accepted; everything wrong is told at once."""
    known = {f.name for f in fields(ItemPrediction)}
    rows, problems = [], []
    given_rows: Iterable[object] = items
    for index, row in enumerate(given_rows):
        if isinstance(row, Mapping):
            given = {k: v for k, v in row.items() if k in known}
            if "case" not in given and "participant_id" in row:
                given["case"] = row["participant_id"]
            missing = {"score", "ground_truth", "confidence"} - given.keys()
            if missing:
                message = f"lacks {', '.join(sorted(missing))}"
                problems.append(Problem(message, field=f"row {index}"))
                continue
            row = ItemPrediction(**given)
        if not isinstance(row, ItemPrediction):
            message = f"must be an ItemPrediction or a mapping, not {what_came(row)}"
            problems.append(Problem(message, field=f"row {index}"))
            continue
        problems += [Problem(message, field=f"row {index}") for message in _wrong(row)]
        rows.append(row)
    if problems:
        raise DataError(problems)
    return rows


def _wrong(row: ItemPrediction) -> list[str]:
    found = []
    for name in ("score", "ground_truth"):
        value = getattr(row, name)
        if value is None and name == "score":
            continue
        whole = isinstance(value, int | np.integer) or (
            isinstance(value, float | np.floating) and float(value).is_integer()
        )
        if isinstance(value, bool | np.bool_) or not whole:
            found.append(f"{name} must be a whole number, not {what_came(value)}")
    number = isinstance(row.confidence, int | float | np.integer | np.floating)
    if isinstance(row.confidence, bool) or not number:
        found.append(f"confidence must be a number, not {what_came(row.confidence)}")
    elif row.score is not None and not -LARGEST <= row.confidence <= LARGEST:
        found.append(f"confidence must be finite, not {what_came(row.confidence)}")
    return found


def _off_scale(rows: Sequence[ItemPrediction], scale: Scale) -> list[Problem]:
    """Levels that the scale does not have."""
    problems = []
    for index, row in enumerate(rows):
        for name in ("score", "ground_truth"):
            value = getattr(row, name)
            try:
                if value is not None:
                    scale.rank(int(value))
            except ValueError as error:
                problems.append(Problem(f"{name}: {error}", field=f"row {index}"))
    return problems


def ranking_of(
    items: Iterable[Row], loss: str = "abs", scale: str | Scale | None = None
) -> Ranking:
    """The ranking of a list of rows; ``abs_norm`` needs to know the scale."""
    rows = rows_of(items)
    chosen = find_loss(loss)
    if scale is None and chosen.name != "abs":
        raise UsageError(f"the loss {chosen.name} needs a scale, such as scale='phq8'")
    unit = 1.0
    if scale is not None:
        scale = find_scale(scale)
        problems = _off_scale(rows, scale)
        if problems:
            raise DataError(problems)
        unit = chosen.unit(scale)
    return rank(
        np.array([r.absolute_error for r in rows], np.int64),
        np.array([float(r.confidence) if r.is_predicted else 0.0 for r in rows]),
        np.array([r.is_predicted for r in rows], bool),
        unit=unit,
    )


def judgments_of(items: Iterable[Row], scale: str | Scale = "phq8") -> Judgments:
    """The table of a list of rows; rows without a case are a case each.

    >>> judgments_of([ItemPrediction(2, 1, 0.9), ItemPrediction(None, 0, 0.1)]).answered
    array([ True, False])
    """
    rows = rows_of(items)
    named = [r.case is not None for r in rows]
    if any(named) and not all(named):
        raise DataError(
            [Problem("lacks a case that others have", field=f"row {named.index(False)}")]
        )
    with_item = [r.item is not None for r in rows]
    if any(with_item) and not all(with_item):
        at = with_item.index(False)
        raise DataError([Problem("lacks an item that others have", field=f"row {at}")])
    return judgments(
        case=[r.case for r in rows] if any(named) else np.arange(len(rows)),
        item=[r.item for r in rows] if any(with_item) else None,
        truth=[r.ground_truth for r in rows],
        prediction=[r.score for r in rows],
        confidence=np.array([float(r.confidence) for r in rows]),
        scale=scale,
    )


def _value(metric: Metric, items: Iterable[Row], loss: str, scale: str | Scale | None) -> float:
    ranking = ranking_of(items, loss, scale)
    if len(ranking.order) == 0:
        return 0.0
    values: Floats = metric.function(
        ranking, CaseWeights.once(ranking.n_cases), **metric.parameters
    )
    return float(values[0])


def _checked(coverage: float) -> float:
    if not 0.0 < coverage <= 1.0:
        raise ValueError(f"target coverage must be in (0, 1], got {coverage}")
    return coverage


def compute_risk_coverage_curve(
    items: Iterable[Row], loss: str = "abs", scale: str | Scale | None = None
) -> RiskCoverageCurve:
    """The risk–coverage curve, one point for each distinct confidence.

    >>> compute_risk_coverage_curve([
    ...     ItemPrediction(2, 2, 2), ItemPrediction(3, 1, 2), ItemPrediction(None, 0, 0)])
    RiskCoverageCurve([(0.6666666666666666, 1.0)])
    """
    return RiskCoverageCurve(ranking_of(items, loss, scale).curve())


def compute_cmax(items: Iterable[Row]) -> float:
    """Share of the rows that were answered."""
    return _value(METRICS["cmax"], items, "abs", None)


def compute_aurc(
    items: Iterable[Row], loss: str = "abs", scale: str | Scale | None = None
) -> float:
    """Area under the risk–coverage curve on [0, cmax]; lower is better.

    >>> compute_aurc([ItemPrediction(2, 1, 1.0), ItemPrediction(None, 0, 0.0)])
    0.5
    """
    return _value(METRICS["aurc"], items, loss, scale)


def compute_augrc(
    items: Iterable[Row], loss: str = "abs", scale: str | Scale | None = None
) -> float:
    """Area under the generalized-risk–coverage curve on [0, cmax]; lower is better."""
    return _value(METRICS["augrc"], items, loss, scale)


def compute_aurc_optimal(
    items: Iterable[Row], loss: str = "abs", scale: str | Scale | None = None
) -> float:
    """AURC had the answered rows been ranked by loss."""
    return _value(METRICS["aurc_optimal"], items, loss, scale)


def compute_augrc_optimal(
    items: Iterable[Row], loss: str = "abs", scale: str | Scale | None = None
) -> float:
    """AUGRC had the answered rows been ranked by loss."""
    return _value(METRICS["augrc_optimal"], items, loss, scale)


def compute_eaurc(
    items: Iterable[Row], loss: str = "abs", scale: str | Scale | None = None
) -> float:
    """AURC above its optimum."""
    return _value(METRICS["eaurc"], items, loss, scale)


def compute_eaugrc(
    items: Iterable[Row], loss: str = "abs", scale: str | Scale | None = None
) -> float:
    """AUGRC above its optimum."""
    return _value(METRICS["eaugrc"], items, loss, scale)


def compute_aurc_achievable(
    items: Iterable[Row], loss: str = "abs", scale: str | Scale | None = None
) -> float:
    """Area under the lower convex hull of the risk–coverage curve."""
    return _value(METRICS["aurc_achievable"], items, loss, scale)


def compute_aurc_at_coverage(
    items: Iterable[Row],
    max_coverage: float,
    loss: str = "abs",
    scale: str | Scale | None = None,
) -> float:
    """AURC up to min(max_coverage, cmax)."""
    metric = METRICS["aurc_at_coverage"].at(coverage=_checked(max_coverage))
    return _value(metric, items, loss, scale)


def compute_augrc_at_coverage(
    items: Iterable[Row],
    max_coverage: float,
    loss: str = "abs",
    scale: str | Scale | None = None,
) -> float:
    """AUGRC up to min(max_coverage, cmax)."""
    metric = METRICS["augrc_at_coverage"].at(coverage=_checked(max_coverage))
    return _value(metric, items, loss, scale)


def compute_risk_at_coverage(
    items: Iterable[Row],
    target_coverage: float,
    loss: str = "abs",
    scale: str | Scale | None = None,
) -> float | None:
    """Risk at the first working point that reaches the target coverage; None if none does.

    >>> rows = [ItemPrediction(2, 2, 1.0), ItemPrediction(3, 1, 0.8), ItemPrediction(None, 1, 0)]
    >>> compute_risk_at_coverage(rows, 0.5), compute_risk_at_coverage(rows, 0.9)
    (1.0, None)
    """
    metric = METRICS["mae_at_coverage"].at(coverage=_checked(target_coverage))
    return metric.measure(ranking_of(items, loss, scale)).value
