"""The calibration artifact as it lies on disk: the model that checks what is read and written.

Undefined numbers are null, with the reason beside them. Artifacts of other tools are read too: they
may have keys of their own, and ``temperature`` or ``source_run_id`` at the top.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from itertools import pairwise
from typing import Annotated, Any, Final, Literal

from pydantic import (
    AfterValidator,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
    field_validator,
    model_validator,
)

from acumen.errors import printable
from acumen.files.documents import Document
from acumen.files.problems import lines_of, refusal
from acumen.files.toml import Path
from acumen.types import CaseId
from acumen.values.measured import Measured

SCHEMA_VERSION: Final = "1"
SEVERAL: Final = ("logistic", "linear")
"""Methods that take several features."""
Method = Literal["temperature_scaling", "platt", "logistic", "linear", "isotonic"]
Target = Literal["correctness", "near_correct", "loss", "correct"]
"""``correct`` is how older artifacts spell correctness."""
Above0 = Annotated[float, Field(gt=0)]


def _visible(feature: str) -> str:
    if not feature or printable(feature, 200) != feature:
        text = f"'{printable(feature)}'"
        raise ValueError(f"{text} is empty, too long or has invisible characters")
    return feature


class _Part(Document):
    model_config = ConfigDict(extra="ignore", frozen=True)


class Temperature(_Part):
    """sigmoid(logit(p)/T)."""

    temperature: Above0


class Scaler(_Part):
    """How features are standardised, one number each."""

    mean: list[float]
    std: list[Above0]


class Weights(_Part):
    """A weighted sum of standardised features."""

    coefficients: list[float]
    intercept: float
    scaler: Scaler


class Linear(Weights):
    """A weighted sum of standardised features, cut to 0..1."""

    link: Literal["identity"] = "identity"


class Logistic(Weights):
    """A weighted sum of standardised features, then the sigmoid."""

    link: Literal["sigmoid"] = "sigmoid"


class Steps(_Part):
    """A function that never falls: straight between its points, flat beyond them."""

    x_thresholds: Annotated[list[float], Field(min_length=1)]
    y_thresholds: list[Annotated[float, Field(ge=0, le=1)]]

    @model_validator(mode="after")
    def _is_a_rising_function(self) -> Steps:
        x, y = self.x_thresholds, self.y_thresholds
        lengths = f"lengths differ: {len(x)} x_thresholds, {len(y)} y_thresholds"
        faults = [
            ("x_thresholds", lengths, len(x) != len(y)),
            ("x_thresholds", "must increase", any(b <= a for a, b in pairwise(x))),
            ("y_thresholds", "must never fall", any(b < a for a, b in pairwise(y))),
        ]
        lines = [((key,), message) for key, message, is_fault in faults if is_fault]
        if lines:
            raise refusal(lines)
        return self


class CaseHashes(_Part):
    """The training cases as the first 16 hex digits of SHA-256 of ``salt|type|id``."""

    salt: str = ""
    sha256_16: list[str] = Field(default_factory=list)

    def shared_with(self, cases: Iterable[CaseId]) -> int:
        """How many of these cases are among them."""
        hashes = set(self.sha256_16)
        return sum(case_hash(c, self.salt) in hashes for c in cases) if hashes else 0


class Training(_Part):
    """What a calibrator was fitted on. Cases are kept as salted hashes, not as ids."""

    run_id: str | None = None
    mode: str | None = None
    n: int | None = Field(default=None, description="answered rows")
    n_cases: int | None = None
    positive_rate: float | None = None
    feature_defaults: dict[str, int] = Field(
        default_factory=dict,
        description="how often a feature was missing or null, and so taken as its default",
    )
    case_hashes: CaseHashes = CaseHashes()


def case_hash(case: CaseId, salt: str) -> str:
    """A case's id as an artifact keeps it; 101 and "101" differ.

    >>> case_hash(101, "a") == case_hash("101", "a")
    False
    """
    text = f"{salt}|{type(case).__name__}|{case}"
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


class ReliabilityPart(_Part):
    """What was said and what came true, one entry for each bin that holds a row."""

    n: list[float]
    confidence: list[float]
    accuracy: list[float]


class Measures(_Part):
    """How good a confidence is: AUROC, and each calibration metric where it is a probability."""

    metrics: dict[str, Measured]
    reliability: ReliabilityPart | None = None
    reason: str | None = Field(default=None, description="why measures are not there")


class InSample(_Part):
    """Measured on the rows it was fitted on, so too good."""

    before: Measures
    after: Measures


class CrossFitted(_Part):
    """Each case measured by a calibrator fitted without it."""

    before: Measures
    by: str = Field(description="what a case is called")
    after: Measures | None
    folds: int | None
    seed: int | None = None
    reason: str | None = Field(default=None, description="why it could not be cross-fitted")


class MetricsPart(_Part):
    """Before and after, both ways."""

    in_sample: InSample
    cross_fitted: CrossFitted


_MODELS: Final[dict[str, type[Document]]] = {
    "temperature_scaling": Temperature,
    "platt": Logistic,
    "logistic": Logistic,
    "linear": Linear,
    "isotonic": Steps,
}


class CalibrationDocument(_Part):
    """What ``acumen calibrate`` writes: a fitted calibrator, its training, how good it is."""

    kind: Literal["calibration"] = "calibration"
    schema_version: str | int = SCHEMA_VERSION
    created_at: str | None = None
    command: str | None = Field(default=None, description="what makes it again")
    method: Method
    target: Target = "correctness"
    confidence: str | None = Field(
        default=None, description="the confidence function it takes; else features"
    )
    features: list[Annotated[str, AfterValidator(_visible)]] | None = Field(
        default=None, validate_default=True, description="the signals that are read"
    )
    temperature: Above0 | None = Field(default=None, description="where older artifacts have it")
    source_run_id: str | None = Field(
        default=None, description="where older artifacts have the run's id"
    )
    model: Temperature | Logistic | Linear | Steps | None = Field(
        default=None, validate_default=True
    )
    training: Training | None = None
    metrics: MetricsPart | dict[str, Any] | None = Field(
        default=None,
        union_mode="left_to_right",
        description="as acumen measures them, or as another tool does",
    )
    warnings: list[str] = Field(default_factory=list)

    def on_disk(self) -> dict[str, Any]:
        """What is written: the keys of older artifacts only where they came from one."""
        older = ("temperature", "source_run_id")
        plain = self.model_dump(mode="json")
        return {key: value for key, value in plain.items() if key not in older or value is not None}

    @model_validator(mode="before")
    @classmethod
    def _by_link(cls, value: Any) -> Any:
        """Other tools call a linear model logistic; its link says what it is."""
        match value:
            case {"method": "logistic", "model": {"link": "identity"}}:
                return {**value, "method": "linear"}
        return value

    @field_validator("features")
    @classmethod
    def _enough(cls, features: list[str] | None, info: ValidationInfo) -> list[str]:
        names, method = features or [], info.data.get("method")
        messages = [] if len(set(names)) == len(names) else ["must differ from each other"]
        if info.data.get("confidence", "") is None and method is not None:
            if not names and method != "temperature_scaling":
                messages.append("missing: the calibrator does not say what it takes")
            if len(names) > 1 and method not in SEVERAL:
                messages.append(f"{method} takes one, here are {len(names)}")
        if messages:
            raise refusal(((), message) for message in messages)
        return names

    @field_validator("model", mode="wrap")
    @classmethod
    def _of_method(
        cls, value: object, _: ValidatorFunctionWrapHandler, info: ValidationInfo
    ) -> object:
        """The parameters the method needs, one of each list for every feature."""
        method = info.data.get("method")
        if method is None or "temperature" not in info.data:
            return None  # the mistake stands elsewhere
        above = info.data["temperature"]
        parameters = {} if value is None else value
        if above is not None and method == "temperature_scaling" and isinstance(parameters, dict):
            parameters = {"temperature": above} | parameters
            if parameters["temperature"] != above:
                raise refusal([(("temperature",), "is given twice, and the two differ")])
        lines: list[tuple[Path, str]] = []
        model = None
        try:
            model = _MODELS[method].model_validate(parameters, context=info.context)
        except ValidationError as error:
            lines = lines_of(error)
        if issubclass(_MODELS[method], Weights) and {"confidence", "features"} <= info.data.keys():
            one_input = info.data["confidence"] is not None
            lines += _wrong_sizes(value, 1 if one_input else len(info.data["features"]) or 1)
        if lines:
            raise refusal(lines)
        return model


def _wrong_sizes(model: object, size: int) -> list[tuple[Path, str]]:
    """Lists that have not one number for each feature."""
    lines: list[tuple[Path, str]] = []
    for path in (("coefficients",), ("scaler", "mean"), ("scaler", "std")):
        entry = model
        for key in path:
            entry = entry.get(key) if isinstance(entry, dict) else None
        if isinstance(entry, list) and len(entry) != size:
            lines.append((path, f"{len(entry)} for {size} feature{'s' if size > 1 else ''}"))
    return lines
