"""What the charts show and the metrics do not hold, as it lies in the metrics artifact.

Made once, by :mod:`acumen.evaluation.charted`: a page or a figure only draws it.
Undefined numbers are null, with the reason beside them.
"""

from __future__ import annotations

from typing import ClassVar

from pydantic import Field, model_validator

from acumen.values.measured import Measured, Model

Count = int | float
"""Of judgments: a part of one where several rated it."""


class Part(Model):
    """A part with columns of one length."""

    columns: ClassVar[tuple[str, ...]] = ()

    @model_validator(mode="after")
    def _of_one_length(self) -> Part:
        if len({len(getattr(self, name)) for name in self.columns}) > 1:
            raise ValueError(f"{', '.join(self.columns)} must be of one length")
        return self


class Points(Part):
    """Points of a reference curve, by rising coverage."""

    columns: ClassVar[tuple[str, ...]] = ("coverage", "selective_risk", "generalized_risk")

    coverage: list[float]
    selective_risk: list[float]
    generalized_risk: list[float]


class Band(Part):
    """Where the whole curve of the population may lie, from where there are errors enough."""

    columns: ClassVar[tuple[str, ...]] = (
        "coverage",
        "selective_low",
        "selective_high",
        "generalized_low",
        "generalized_high",
    )

    confidence_level: float
    n_resamples: int
    coverage: list[float]
    selective_low: list[float]
    selective_high: list[float]
    generalized_low: list[float]
    generalized_high: list[float]


class Distribution(Part):
    """Answered rows by confidence; a bin is one value when there are few of them."""

    columns: ClassVar[tuple[str, ...]] = ("low", "high", "right", "wrong")

    low: list[float]
    high: list[float]
    right: list[Count]
    wrong: list[Count]
    abstained: int


class Reliability(Part):
    """What was said and what came true, bin by bin."""

    columns: ClassVar[tuple[str, ...]] = ("confidence", "accuracy", "n")

    confidence: list[float]
    accuracy: list[Measured]
    n: list[Count]


class FunctionSummary(Part):
    """One confidence function on one input."""

    accepted: list[int]
    """Rows accepted at each working point of the curve."""
    achievable: Points
    band: Band | None = None
    band_reason: str | None = None
    distribution: Distribution
    reliability: Reliability | None = None
    reliability_reason: str | None = None
    noise_floor: Points | None = None
    """How far raters are apart on the accepted rows, where there are several."""


class GroupRisk(Part):
    """The risk of the rows of one item, or of one level of truth."""

    name: str
    n: int
    answered: int
    risk: Measured
    noise_floor: Measured | None = None


class ThresholdCurve(Part):
    """Precision and recall of "the truth is at least this level" as the cut falls."""

    columns: ClassVar[tuple[str, ...]] = ("recall", "precision", "cut", "flagged")

    threshold: int
    at_least: str
    prevalence: float
    n_positive: Count
    average_precision: Measured
    recall: list[float]
    precision: list[float]
    cut: list[float]
    flagged: list[Count]


class VerdictSummary(Part):
    """What is drawn of levels and their ranking: of any study, with confidences or without."""

    columns: ClassVar[tuple[str, ...]] = ("levels", "confusion")

    levels: list[str]
    confusion: list[list[Count]]
    """``confusion[truth][prediction]``; the last column counts abstentions."""
    ranked_by: str
    precision_recall: list[ThresholdCurve]

    @model_validator(mode="after")
    def _one_column_more(self) -> VerdictSummary:
        if any(len(row) != len(self.levels) + 1 for row in self.confusion):
            raise ValueError("a row of confusion has a count for each level and for abstentions")
        return self


class Summary(VerdictSummary):
    """Everything of one input that is drawn and is no metric."""

    by_item: list[GroupRisk]
    by_level: list[GroupRisk]
    optimum: Points
    functions: dict[str, FunctionSummary] = Field(default_factory=dict)
