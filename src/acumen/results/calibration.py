"""The calibration artifact as it lies on disk: what ``acumen calibrate`` writes, as typed models.

Undefined numbers are null, with the reason beside them. Reading is more lenient: artifacts of other
tools come in older shapes, see :mod:`acumen.calibration.reading`.
"""

from __future__ import annotations

from typing import Final

from pydantic import BaseModel, ConfigDict, Field

SCHEMA_VERSION: Final = "1"


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", allow_inf_nan=False)


class Temperature(_Part):
    """sigmoid(logit(p)/T)."""

    temperature: float = Field(gt=0)


class Scaler(_Part):
    """How features are standardised, one number each."""

    mean: list[float]
    std: list[float]


class Weights(_Part):
    """A weighted sum of standardised features, then the link."""

    coefficients: list[float]
    intercept: float
    link: str = Field(description="sigmoid (platt, logistic) or identity, cut to 0..1 (linear)")
    scaler: Scaler


class Steps(_Part):
    """A function that never falls: straight between its points, flat beyond them."""

    x_thresholds: list[float]
    y_thresholds: list[float]


class CaseHashes(_Part):
    """The training cases as the first 16 hex digits of SHA-256 of ``salt|type|id``."""

    salt: str
    sha256_16: list[str]


class TrainingPart(_Part):
    """What the calibrator was fitted on."""

    run_id: str | None
    mode: str | None
    n: int | None = Field(description="answered rows")
    n_cases: int | None
    positive_rate: float | None
    feature_defaults: dict[str, int] = Field(
        description="how often a feature was missing or null, and so taken as its default"
    )
    case_hashes: CaseHashes


class ReliabilityPart(_Part):
    """What was said and what came true, one entry for each bin that holds a row."""

    n: list[float]
    confidence: list[float]
    accuracy: list[float]


class Measures(BaseModel):
    """How good a confidence is: every calibration metric by its name, null where undefined."""

    model_config = ConfigDict(extra="allow", allow_inf_nan=False)
    __pydantic_extra__: dict[str, float | None]

    auroc: float | None = None
    ci95: dict[str, tuple[float, float] | None] = Field(default_factory=dict)
    ci95_notes: dict[str, str] = Field(
        default_factory=dict, description="what to know before using an interval, by metric"
    )
    reliability: ReliabilityPart | None = None
    reason: str | None = Field(None, description="why there are no measures")


class InSample(_Part):
    """Measured on the rows it was fitted on, so too good."""

    before: Measures
    after: Measures


class CrossFitted(_Part):
    """Each case measured by a calibrator that never saw it."""

    before: Measures
    by: str = Field(description="what a case is called")
    after: Measures | None
    folds: int | None
    seed: int | None = None
    reason: str | None = Field(None, description="why it could not be cross-fitted")


class MetricsPart(_Part):
    """Before and after, both ways."""

    in_sample: InSample
    cross_fitted: CrossFitted


class CalibrationDocument(_Part):
    """What ``acumen calibrate`` writes: a fitted calibrator, its training, how good it is."""

    schema_version: str = SCHEMA_VERSION
    created_at: str
    method: str = Field(description="temperature_scaling, platt, logistic, linear or isotonic")
    target: str = Field(description="correctness, near_correct or loss")
    confidence: str | None = Field(description="the confidence function it takes; else features")
    features: list[str] = Field(description="the signals that are read")
    model: Temperature | Weights | Steps
    training: TrainingPart
    metrics: MetricsPart | None
