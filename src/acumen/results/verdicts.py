"""Results of verdict studies: the source's keys, and our metrics with their intervals beside them.

A file of another tool may lack our metrics and counts; what it has is shown. Unknown keys are let
be. A metric has its own unit here: scores that the source tells in percent are shares.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Final, Literal

from pydantic import AfterValidator, AliasChoices, Field, Strict, model_validator

from acumen.defaults import CONFIDENCE_LEVEL, PROCESS_WEIGHTS
from acumen.errors import DataError, printable
from acumen.files.problems import validated
from acumen.results.charted import VerdictSummary
from acumen.results.metrics import Leaderboard, Pairing, name
from acumen.results.older import of_verdicts
from acumen.results.slices import Slice
from acumen.values.measured import Count, Delta, Fragility, Measured, Model, Number

Word = str | Count | Number | None
Share = Number | None
Ends = tuple[Share, Share]
CASE: Final = ("business_id", "case_id", "sample_id")
"""Keys that name the case of a verdict."""
BESIDE: Final = ("names", "leaderboard", "pairs", "slices", "doubtful", "overrides", "remarks")
"""What a document of several methods holds beside them and their comparison."""
UNNAMED: Final = "this method"
SCORES: Final = ("ordinal_auprc", "process", "consistency")
"""The three scores of a verdict study, all shares."""


class Scores(Model):
    """The three scores; process and consistency in percent."""

    auprc: Share = None
    process_score: Share = None
    consistency_score: Share = None


class Threshold(Model):
    """Average precision at one threshold."""

    threshold: Count
    at_least: str | Count
    n_positive: Count
    ap: Share = None
    nap: Share = None
    auroc: Share = None


class Ranking(Model):
    """The severity ranking."""

    ordinal_auprc: Share = None
    ordinal_nap: Share = None
    ordinal_auroc: Share = None
    n_samples: Count | None = None
    ranked_by: str = "risk_score"
    thresholds: list[Threshold] = Field(default_factory=list)


class Computed(Model):
    """What the policy makes of the evidence of a case."""

    verdict: Word = None
    score: Word = None
    rule: Word = None
    because: list[Word] = Field(default_factory=list)


class CheckedCase(Model):
    """A case whose verdict was compared with its evidence."""

    business_id: Word = None
    computed: Computed = Computed()
    consistent: bool | None = None


class Consistency(Model):
    """How many verdicts follow from their evidence, and case by case."""

    consistent: Count | None = None
    total: Count | None = None
    per_sample: list[CheckedCase] = Field(default_factory=list)


class Full(Model):
    """What stands behind the three scores."""

    process_components: dict[str, Share] | None = None
    consistency_details: Consistency | None = None
    intermediate_metrics: dict[str, Any] | None = None


class Primitives(Model):
    """Primitive accuracy and the AUPRC it adjusts."""

    primitive_accuracy: Number
    min: Number
    max: Number
    std: Number
    n: Count | None = None
    adjusted_auprc: Share = None


class Soundness(Model):
    """Whether verdicts are right × whether their reasons are sound."""

    checked: list[str] = Field(
        default_factory=list, description="what a reason had to pass, as far as it could be checked"
    )
    cells: dict[str, Count] = Field(default_factory=dict, description="verdicts in each cell")
    lucky: list[str] = Field(
        default_factory=list, description="cases with a right verdict for unsound reasons"
    )
    unlucky: list[str] = Field(
        default_factory=list, description="cases with a wrong verdict for sound reasons"
    )


class Settings(Model):
    """How the intervals were made."""

    confidence_level: Number = CONFIDENCE_LEVEL
    resamples: Count | None = None
    seed: Count | None = None
    method: str | None = None


class InputFile(Model):
    """A file that was scored or scored against."""

    role: str
    path: str
    sha256: str


class MadeFrom(Model):
    """The files that the results were made of."""

    inputs: list[InputFile] = Field(default_factory=list)
    command: str | None = Field(default=None, description="of files that do not say it above")


class CaseRow(Model):
    """One case as it was judged; it may hold whatever else the method put out."""

    business_id: Word = Field(default=None, validation_alias=AliasChoices(*CASE))
    verdict: Word = None
    gt_verdict: Word = None
    risk_score: Word | Annotated[bool, Strict()] = None
    error: Any = None


class ResultsDocument(Model):
    """The results of one method."""

    run_id: Word = None
    policy_id: Word = None
    domain: Word = None
    method: Word = None
    model: Word = None
    k: Word = None
    n: Word = None
    timestamp: Word = None
    accuracy: Share = None
    correct: Count | None = None
    total: Count | None = None
    answered: Count | None = None
    abstained: Count = 0
    failed: Count = 0
    levels: list[str | Count] = Field(default_factory=list)
    auprc: Ranking = Ranking()
    unified_scores: Scores = Scores()
    agreement: dict[str, Share] | None = None
    soundness: Soundness | None = None
    primitives: Primitives | None = None
    metrics: dict[str, Measured] = Field(
        default_factory=dict, description="every metric by its name, in its own unit"
    )
    ci95: dict[str, Ends] = Field(
        default_factory=dict, description="95% percentile intervals of the bootstrap, by metric"
    )
    interval_settings: Settings = Settings()
    warnings: list[str] = Field(default_factory=list)
    unified_metrics_full: Full = Full()
    summary: VerdictSummary | None = None
    acumen_version: str | None = None
    results: list[CaseRow] = Field(default_factory=list)
    made_from: MadeFrom = MadeFrom()

    @model_validator(mode="before")
    @classmethod
    def _older(cls, content: Any) -> Any:
        return of_verdicts(content) if isinstance(content, dict) else content

    def measured(self, metric: str) -> Measured:
        """A metric by its name; of a file without our metrics, the value that the source tells."""
        return self.metrics.get(metric) or Measured(value=self._source_values().get(metric))

    def _source_values(self) -> dict[str, float | None]:
        scores, ranking = self.unified_scores, self.auprc
        percents = {"process": scores.process_score, "consistency": scores.consistency_score}
        values = {key: None if v is None else v / 100 for key, v in percents.items()}
        values |= {f"auprc_ge@{row.threshold}": row.ap for row in ranking.thresholds}
        values |= {"ordinal_auprc": scores.auprc, "total_accuracy": self.accuracy}
        values |= {"ordinal_nap": ranking.ordinal_nap, "ordinal_auroc": ranking.ordinal_auroc}
        return values | dict(self.components)

    @property
    def is_scored(self) -> bool:
        """Whether it holds any score."""
        scores = self.unified_scores
        values = (scores.auprc, scores.process_score, scores.consistency_score)
        return bool(self.metrics) or any(value is not None for value in values)

    @property
    def components(self) -> dict[str, float | None]:
        """The components of the process score that the file tells; empty where it tells none."""
        components = self.unified_metrics_full.process_components or {}
        return {key: components[key] for key in PROCESS_WEIGHTS if key in components}

    @property
    def lone_component(self) -> str | None:
        """The only component the process score rests on, where it rests on one alone."""
        present = [key for key, share in self.components.items() if share is not None]
        return present[0] if len(present) == 1 else None

    @property
    def total_weight(self) -> float | None:
        """The weight of the components that have a value; None where that is not told."""
        return (self.unified_metrics_full.process_components or {}).get("total_weight")

    def right_of(self, metric: str) -> tuple[int, int] | None:
        """How many are right of how many a metric looks at, where that is told and not 0."""
        details = self.unified_metrics_full.consistency_details
        if metric == "consistency" and details is not None:
            right, of = details.consistent, details.total
            return (right, of) if right is not None and of else None
        for stage in (self.unified_metrics_full.intermediate_metrics or {}).values():
            match stage.get(f"{metric}_counts") if isinstance(stage, dict) else None:
                case [int(right), int(of)] if of:
                    return right, of
        return None

    @property
    def name(self) -> str:
        """What the method is called in a sentence."""
        return UNNAMED if self.method is None else printable(str(self.method))


def plain_word(word: object) -> str:
    """A word of a file, as it is shown."""
    return "–" if word is None else name(word)


def method_names(documents: Sequence[ResultsDocument]) -> list[str]:
    """The methods by name, made distinct: by K, by policy, by both, or by their places."""
    names = [name(d.method or d.run_id or UNNAMED) for d in documents]
    sizes = [f"{one} K={plain_word(d.k)}" for one, d in zip(names, documents, strict=True)]
    rules = [f"{one} {plain_word(d.policy_id)}" for one, d in zip(names, documents, strict=True)]
    both = [f"{one} K={plain_word(d.k)}" for one, d in zip(rules, documents, strict=True)]
    for known in (names, sizes, rules, both):
        if len(set(known)) == len(known):
            return known
    return [f"{method} ({at})" for at, method in enumerate(names, start=1)]


def _with_both_sides(delta: Delta) -> Delta:
    if delta.delta is not None and (delta.left is None or delta.right is None):
        raise ValueError("a difference needs both sides")
    return delta


class ComparisonDocument(Model):
    """Two methods on the same cases; a method without a name is called by its side.

    >>> pair = ComparisonDocument.model_validate({"left": "rag"})
    >>> pair.left, pair.right, pair.n_cases
    ('rag', 'right', None)
    """

    left: Word = None
    right: Word = None
    n_cases: Count | None = None
    n_ranked: Count | None = None
    deltas: dict[str, Annotated[Delta, AfterValidator(_with_both_sides)]] = Field(
        default_factory=dict, description="of every metric by its name, in its own unit"
    )
    fragility: dict[str, Fragility] = Field(
        default_factory=dict, description="by metric, of those in which one is better"
    )
    warnings: list[str] = Field(default_factory=list)

    @model_validator(mode="before")
    @classmethod
    def _older(cls, content: Any) -> Any:
        return of_verdicts(content) if isinstance(content, dict) else content

    @model_validator(mode="after")
    def _has_names(self) -> ComparisonDocument:
        for side in ("left", "right"):
            if getattr(self, side) in (None, ""):
                setattr(self, side, side)
        return self

    @property
    def names(self) -> tuple[str, str]:
        """The two methods, as they are shown."""
        return printable(str(self.left)), printable(str(self.right))


class SharedClaim(Model):
    """A claim that several methods make alike."""

    review_id: str
    field: str
    judgement: str


class DoubtfulCase(Model):
    """A case where methods agree against the truth, on evidence that supports their verdict."""

    case: str
    truth: str | Count
    verdict: str | Count
    methods: list[str]
    judged_by: Count = Field(description="methods with a verdict on it")
    shared: list[SharedClaim] = Field(
        default_factory=list, description="what all of them claim; empty where none claims anything"
    )


class Override(Model):
    """A truth that a person decided again: who, when and why."""

    case: str
    before: str | Count
    after: str | Count
    by: str
    when: str
    why: str

    @property
    def is_change(self) -> bool:
        """Whether the verdict is another one; else it was confirmed."""
        return self.before != self.after


class PairDocument(Model):
    """The results of a file: of one method, or of several and how they compare."""

    kind: Literal["results"] = "results"
    command: str | None = Field(default=None, description="what makes it again")
    systems: list[ResultsDocument]
    comparison: ComparisonDocument | None = Field(default=None, description="of two methods")
    names: list[str] = Field(
        default_factory=list,
        description="what the methods are called, where more distinguishes them",
    )
    leaderboard: Leaderboard | None = Field(default=None, description="of three methods or more")
    pairs: list[Pairing] = Field(default_factory=list)
    slices: list[Slice] = Field(default_factory=list, description="for whom: of each group asked")
    doubtful: list[DoubtfulCase] = Field(
        default_factory=list, description="cases whose truth several methods agree against"
    )
    overrides: list[Override] = Field(
        default_factory=list, description="truths that a person decided again"
    )
    remarks: list[str] = Field(default_factory=list, description="what to know of all of it")

    @property
    def acumen_version(self) -> str | None:
        """What scored the methods."""
        return next((one.acumen_version for one in self.systems if one.acumen_version), None)

    @property
    def is_foreign(self) -> bool:
        """Whether no part of it was written by acumen."""
        return self.acumen_version is None

    def on_disk(self) -> dict[str, Any]:
        """What is written: one method alone stands at the top."""
        if len(self.systems) > 1:
            return self.model_dump(mode="json")
        own = {"kind": self.kind, "command": self.command}
        rest = self.model_dump(mode="json", include={*BESIDE})
        own |= {key: value for key, value in rest.items() if value}
        return own | self.systems[0].model_dump(mode="json")


def results_of(content: object, source: str) -> PairDocument:
    """A results file as its systems, one or more, and their comparison."""
    if isinstance(content, dict) and isinstance(content.get("systems"), list):
        pair = content.get("comparison")
        return PairDocument(
            command=_text(content.get("command")),
            systems=[_result(system, source) for system in _not_empty(content["systems"], source)],
            comparison=None if pair is None else validated(pair, ComparisonDocument, source),
            **_beside(content, source),
        )
    if not isinstance(content, dict):
        return PairDocument(systems=[_result(content, source)])
    apart = ("kind", "command", *BESIDE)
    own = {key: value for key, value in content.items() if key not in apart}
    systems = [_result(own, source)]
    command = _text(content.get("command"))
    return PairDocument(command=command, systems=systems, **_beside(content, source))


def _beside(content: dict[str, Any], source: str) -> dict[str, Any]:
    """What stands beside the systems, read by its models."""
    parts = {key: content[key] for key in BESIDE if content.get(key)}
    whole = validated({"systems": [], **parts}, PairDocument, source)
    return {key: getattr(whole, key) for key in parts}


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _not_empty(systems: list[object], source: str) -> Iterator[object]:
    if not systems:
        raise DataError(["systems: is empty"], source=source)
    return iter(systems)


def _result(content: object, source: str) -> ResultsDocument:
    """One result; a null at its top says no more than an absent key."""
    if isinstance(content, dict):
        content = {key: value for key, value in content.items() if value is not None}
    return validated(content, ResultsDocument, source)
