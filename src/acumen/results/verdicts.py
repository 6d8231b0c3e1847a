"""What a results file must hold to be shown, whoever wrote it. Unknown keys are let be.

A file of another tool may lack our intervals and counts; what it has is shown.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from acumen.defaults import CONFIDENCE_LEVEL
from acumen.files.problems import validated
from acumen.results.charted import VerdictSummary

Word = str | int | float | None


class _Part(BaseModel):
    model_config = ConfigDict(extra="allow", strict=True, allow_inf_nan=False)


class Scores(_Part):
    """The three scores."""

    auprc: float | None = None
    process_score: float | None = None
    consistency_score: float | None = None


class Entry(_Part):
    """A value with its interval, or why it has none."""

    value: float | None = None
    low: float | None = None
    high: float | None = None
    reason: str | None = None
    no_interval: str | None = None
    note: str | None = None


class Threshold(_Part):
    """Average precision at one threshold."""

    threshold: int
    at_least: str | int
    n_positive: int
    ap: float | None = None
    nap: float | None = None
    auroc: float | None = None


class Ranking(_Part):
    """The severity ranking."""

    ordinal_auprc: float | None = None
    ordinal_nap: float | None = None
    ordinal_auroc: float | None = None
    n_samples: int | None = None
    ranked_by: str = "risk_score"
    thresholds: list[Threshold] = []


class Full(_Part):
    """What stands behind the three scores."""

    process_components: dict[str, float | None] | None = None
    intermediate_metrics: dict[str, Any] | None = None


class Primitives(_Part):
    """Primitive accuracy and the AUPRC it adjusts."""

    primitive_accuracy: float
    min: float
    max: float
    std: float
    adjusted_auprc: float | None = None


class Settings(_Part):
    """How the intervals were made."""

    confidence_level: float = CONFIDENCE_LEVEL


class InputFile(_Part):
    """A file that was scored or scored against."""

    role: str
    path: str
    sha256: str


class MadeFrom(_Part):
    """The files, and the command that makes the results again of them."""

    inputs: list[InputFile] = []
    command: str | None = None


class ResultsDocument(_Part):
    """A results file, as far as it is shown."""

    run_id: Word = None
    policy_id: Word = None
    method: Word = None
    model: Word = None
    timestamp: Word = None
    k: Word = None
    n: Word = None
    accuracy: float | None = None
    correct: int | None = None
    total: int | None = None
    answered: int | None = None
    abstained: int = 0
    failed: int = 0
    auprc: Ranking = Ranking()
    unified_scores: Scores
    unified_metrics_full: Full = Full()
    agreement: dict[str, float | None] | None = None
    primitives: Primitives | None = None
    intervals: dict[str, Entry] = {}
    interval_settings: Settings = Settings()
    warnings: list[str] = []
    levels: list[str | int] = []
    summary: VerdictSummary | None = None
    results: list[dict[str, Any]] = []
    made_from: MadeFrom = MadeFrom()


def check_document(content: dict[str, Any], source: str) -> dict[str, Any]:
    """The document with what it lacks filled in as absent; all that is wrong with it at once."""
    checked = validated(content, ResultsDocument, source).model_dump()
    components = checked["unified_metrics_full"]["process_components"] or {}
    known = {"process_score": "process_score", "consistency_score": "consistency_score"}
    values = {name: checked["unified_scores"][key] for name, key in known.items()}
    values |= {"ordinal_auprc": checked["unified_scores"]["auprc"], **components}
    filled = {key: {"value": value, "low": None} for key, value in values.items()}
    checked["intervals"] = filled | checked["intervals"]
    return checked


RightOf = Annotated[list[int], Field(min_length=2, max_length=2)]
"""How many are right, of how many."""


class Counts(_Part):
    """What a difference of shares is counted over."""

    left: RightOf
    right: RightOf


class Difference(_Part):
    """A paired difference."""

    delta: float | None = None
    left: float | None = None
    right: float | None = None
    low: float | None = None
    high: float | None = None
    favours: Literal["left", "right"] | None = None
    reason: str | None = None
    no_interval: str | None = None
    note: str | None = None
    counts: Counts | None = None

    @model_validator(mode="after")
    def _is_whole(self) -> Difference:
        if self.delta is not None and (self.left is None or self.right is None):
            raise ValueError("a difference needs both sides")
        if (self.low is None) != (self.high is None):
            raise ValueError("an interval needs both ends")
        return self


class ComparisonDocument(_Part):
    """Two methods on the same cases, as far as it is shown."""

    left: Word = None
    right: Word = None
    n_cases: int | None = None
    n_ranked: int | None = None
    deltas: dict[str, Difference] = {}
    warnings: list[str] = []


def check_comparison(content: dict[str, Any], source: str) -> dict[str, Any]:
    """The comparison with what it lacks filled in as absent; all that is wrong with it at once.

    A method without a name is called by its side.

    >>> found = check_comparison({"left": "rag"}, "pair.json")
    >>> found["left"], found["right"], found["n_cases"]
    ('rag', 'right', None)
    """
    checked = validated(content, ComparisonDocument, source).model_dump()
    return checked | {side: side for side in ("left", "right") if checked[side] in (None, "")}
