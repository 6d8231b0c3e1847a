"""What lies on disk: the metrics artifact, as typed models.

The keys and their nesting are those of the reference documents; what acumen adds stands beside them
under keys of its own. Undefined numbers are null, with the reason next to them. A newer schema
version is refused; an unknown field is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Sized
from pathlib import Path, PurePath
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import BaseModel, Discriminator, Field, Tag, field_validator, model_validator

from acumen.defaults import CONFIDENCE_LEVEL, RANK_BY
from acumen.errors import DataError, label, printable
from acumen.files.json import read_json, source_name
from acumen.files.problems import validated
from acumen.results.charted import Reliability, Summary
from acumen.results.missing import MissingPart
from acumen.results.older import renewed, step_of
from acumen.results.slices import Slice
from acumen.results.source import completed, is_source
from acumen.table.levels import inferred_note
from acumen.values.measured import (
    Count,
    Delta,
    Description,
    Flag,
    Fragility,
    Interval,
    Measured,
    Model,
    Number,
    Side,
    better_side,
)

SCHEMA_VERSION: Final = "1"

LONGEST_NAME: Final = 200

Ends = tuple[float | None, float | None]


def name(value: object) -> str:
    """A name as charts and reports show it: nothing invisible in it, cut when very long."""
    return printable(str(value), limit=LONGEST_NAME)


class Input(Model):
    """One run that was evaluated."""

    path: str | None = None
    run_id: str | None = None
    git_commit: str | None = None
    mode: str | None = None
    sha256: str | None = None

    def word(self, key: Literal["run_id", "mode", "path"]) -> str | None:
        """One of the words that may tell it from another; of a path, the file's stem."""
        value: str | None = getattr(self, key)
        if value is None:
            return None
        return name((PurePath(value).stem or value) if key == "path" else value)

    @property
    def name(self) -> str:
        """What it is called."""
        return self.word("run_id") or self.word("mode") or self.word("path") or "run"


def names_of(inputs: Sequence[Input]) -> list[str]:
    """How each input is called: by what tells them apart."""
    if len(inputs) == 1:
        return [inputs[0].name]
    for key in ("path", "mode", "run_id"):
        names = [entry.word(key) for entry in inputs]
        if len(set(names)) == len(names) and None not in names:
            return [str(text) for text in names]
    return [f"{i.name} ({at})" if at > 1 else i.name for at, i in enumerate(inputs, 1)]


class Failure(Model):
    """A failed case and why, without any text of the case."""

    case: int | str
    reason: str


class Population(Model):
    """Who was judged: the denominator of everything. Another tool's file may not say it."""

    participants_total: int | None
    participants_included: int | None
    participants_failed: int | None
    effective_cases: float | None = Field(
        default=None, description="as how many cases with equally many rows these count"
    )
    largest_case_share: float | None = Field(
        default=None, description="share of the weight that one case holds"
    )
    items_total: int | None
    items_answered: int | None = None
    items_abstained: int | None = None
    answered_by_input: list[int] = Field(default_factory=list)
    """Answered rows of each input; the two counts above are the first input's."""
    outcomes: dict[str, int] = Field(default_factory=dict)
    """What the rows of the first input came to, those that are left out of every metric too."""
    outcomes_by_input: list[dict[str, int]] = Field(default_factory=list)
    has_truth: bool = True
    rows_planned: int | None = Field(
        default=None, description="where an input broke off before it had all its rows"
    )
    case_noun: str = "case"
    items: list[str] = Field(default_factory=list)
    failed: list[Failure] = Field(default_factory=list)


class LossDescription(Model):
    """The loss in use."""

    name: str
    definition: str
    raw_multiplier: int | None
    costs: list[list[float]] | None = Field(
        default=None, description="by truth, then prediction, of a loss that does not ship"
    )
    file: str | None = None


class Interpretation(Model):
    """Excess and gain in percent."""

    aurc_gap_pct: float | None = None
    augrc_gap_pct: float | None = None
    achievable_gain_pct: float | None = None


class AreaAtCoverage(Model):
    """An area up to a coverage: what was asked for, what was used."""

    requested: float | None = None
    used: float | None = None
    value: float | None = None


class RiskAtCoverage(Model):
    """The risk where a coverage is first reached."""

    requested: float
    achieved: float | None = None
    value: float | None = None


class BootstrapModel(Model):
    """Percentile intervals of the case bootstrap, and how often a metric was undefined."""

    seed: int | None = None
    n_resamples: int | None = None
    ci95: dict[str, Ends | dict[str, Ends | None] | None] = Field(
        default_factory=dict,
        description="as the source defines it: 95% percentiles of the resamples; the interval that "
        "covers, and that is shown, is the one in metrics",
    )
    drop_rate: dict[str, float | dict[str, float | None] | None] = Field(default_factory=dict)
    method: str = "multinomial"
    left_out: Literal["many_rows"] | None = Field(
        default=None, description="why no resample was drawn, though nobody asked for none"
    )
    ask_with: Literal["--bootstrap-resamples"] | None = Field(
        default=None, description="the option that draws them nevertheless"
    )
    leave_one_out: Literal["influence"] | None = Field(
        default=None,
        description="what stands in for leaving out each case, in the intervals of metrics",
    )


class CurveModel(Model):
    """The working points."""

    coverage: list[float] = Field(default_factory=list)
    selective_risk: list[float] = Field(default_factory=list)
    generalized_risk: list[float] = Field(default_factory=list)
    threshold: list[float] = Field(default_factory=list)
    thinned_from: int | None = Field(
        default=None, description="how many there are, where these are only some of very many"
    )

    @property
    def is_even(self) -> bool:
        """Whether its columns are of one length."""
        columns = (self.coverage, self.selective_risk, self.generalized_risk, self.threshold)
        return len(set(map(len, columns))) == 1


class Variant(Model):
    """Everything about one confidence function on one input."""

    cmax: float | None = None
    aurc_full: float | None = None
    augrc_full: float | None = None
    aurc_optimal: float | None = None
    augrc_optimal: float | None = None
    eaurc: float | None = None
    eaugrc: float | None = None
    aurc_achievable: float | None = None
    interpretation: Interpretation = Interpretation()
    aurc_at_c: AreaAtCoverage = AreaAtCoverage()
    augrc_at_c: AreaAtCoverage = AreaAtCoverage()
    mae_at_coverage: dict[str, RiskAtCoverage] = Field(default_factory=dict)
    bootstrap: BootstrapModel = BootstrapModel()
    curve: CurveModel = CurveModel()
    metrics: dict[str, Measured] = Field(default_factory=dict)
    conventions: dict[str, float] = Field(default_factory=dict)


def _how_many(entry: object) -> str:
    """Of one input, or of several by name: nothing but its keys tells them apart."""
    several = isinstance(entry, dict) and entry and not entry.keys() & Variant.model_fields.keys()
    return "inputs" if several else "input"


OneOrSeveral = Annotated[
    Annotated[Variant, Tag("input")] | Annotated[dict[str, Variant], Tag("inputs")],
    Discriminator(_how_many),
]
"""The numbers of a function: on one input, or on each of several."""


class Matched(Model):
    """The risk of two systems at the coverage that both reach: the one verdict on them."""

    coverage: float = Field(description="the smaller of the two largest coverages, or as asked")
    left: Number | None = Field(description="mean loss of the surest rows up to that coverage")
    right: Number | None
    difference: Delta
    guard: Delta = Field(
        description="the same with the side that looks worse at all it answers; a side is better "
        "only if both differences say so"
    )
    p_value: float | None = Field(default=None, description="of both differences: the larger")
    p_adjusted: float | None = Field(default=None, description="by Holm over the functions")
    favours: Side | None = None
    fragility: Fragility | None = Field(default=None, description="where a side is favoured")

    @property
    def tested(self) -> Delta:
        """The difference with the p-values of the verdict."""
        names = ("p_value", "p_adjusted", "favours")
        return self.difference.model_copy(update={name: getattr(self, name) for name in names})

    @property
    def is_reliable(self) -> bool:
        """Whether a side may be favoured on its intervals."""
        intervals = (self.difference.interval, self.guard.interval)
        return all(i is not None and i.is_reliable for i in intervals)

    def decided(self, p_adjusted: float | None, most: float) -> Matched:
        """The same among other functions; ``most`` is the largest p-value of a claim."""
        shows = self.is_reliable and p_adjusted is not None and p_adjusted <= most
        numbers: dict[str, Any] = {"p_adjusted": p_adjusted}
        if shows:
            numbers["favours"] = better_side(self.difference.delta or 0.0, "lower")
        elif (interval := self.difference.interval) is not None and not interval.has_zero:
            flagged = {"interval": interval.with_flag(Flag.TEST_DECIDES)}
            numbers["difference"] = self.difference.model_copy(update=flagged)
        return self.model_copy(update=numbers)


class Pairing(Model):
    """Two systems compared by what the leaderboard is ranked by, among all such pairs."""

    left: str
    right: str
    cases: int
    difference: Delta = Field(description="right minus left; its interval holds with the others'")
    guard: Delta | None = Field(default=None, description="of a risk at equal coverage")
    fragility: Fragility | None = Field(default=None, description="where one is better")

    @property
    def winner(self) -> str | None:
        """The better system, where that is shown."""
        favours = self.difference.favours
        return None if favours is None else self.left if favours == "left" else self.right


class Standing(Model):
    """A system on the leaderboard."""

    system: str
    measured: Measured
    noise_floor: Measured | None = Field(
        default=None, description="how far raters are apart on the rows of a risk"
    )
    coverage: float | None = Field(default=None, description="share of its rows it answers")
    ranks: tuple[int, int] | None = Field(
        default=None, description="best and worst rank; those of all systems hold together"
    )
    beats: list[str] = Field(default_factory=list)
    beaten_by: list[str] = Field(default_factory=list)
    not_told_from: list[str] = Field(default_factory=list)


class Leaderboard(Model):
    """Systems by one metric, best first, and which of them are shown to differ."""

    metric: str = Field(description="'risk' is the mean loss at the coverage that all reach")
    better: Literal["lower", "higher"]
    function: str | None = Field(default=None, description="the confidence, where it has one")
    coverage: float | None = Field(default=None, description="of a risk at equal coverage")
    confidence_level: float
    baseline: str | None = Field(default=None, description="the one all others are compared with")
    pairwise: bool = Field(default=False, description="whether each pair has its own cases")
    description: Description | None = Field(
        default=None, description="why no difference is claimed, whatever the numbers"
    )
    standings: list[Standing]

    @property
    def is_of_loss(self) -> bool:
        """Whether it is by a mean loss."""
        return self.metric in (RANK_BY, "mean_loss")


class Comparison(Model):
    """Whether and how inputs were compared; of two, every difference between them."""

    enabled: bool
    intersection_only: bool
    matched: dict[str, Matched] = Field(
        default_factory=dict, description="by confidence function: which side is better"
    )
    both: Delta | None = Field(
        default=None, description="mean loss of the rows that both sides answered"
    )
    deltas: dict[str, dict[str, Delta]] | None = None
    in_both: int | None = None
    only_left: list[int | str] = Field(default_factory=list)
    only_right: list[int | str] = Field(default_factory=list)
    failed_left: list[int | str] = Field(default_factory=list)
    failed_right: list[int | str] = Field(default_factory=list)
    both_answered: int | None = Field(default=None, description="rows that both sides answered")
    agreement: dict[str, Delta] = Field(
        default_factory=dict,
        description="on the rows that both sides answered; total_accuracy on all",
    )
    pairs: list[Pairing] = Field(default_factory=list)


class AbstentionPart(Model):
    """Abstention from both sides, of one input: should it have been left open, and was it."""

    answered: Number = Field(description="rows that can be judged, answered; raters share a row")
    false_abstentions: Number = Field(description="rows that can be judged, left open")
    false_answers: Number = Field(description="rows that cannot be judged, answered")
    right_abstentions: Number = Field(description="rows that cannot be judged, left open")
    by_level: list[LevelOpen] = Field(description="of the rows that can be judged, by their truth")
    risk: Measured = Field(description="mean loss of the answered rows, false answers among them")
    risk_without: Measured = Field(description="the same of the rows that can be judged alone")
    augrc: dict[str, tuple[Measured, Measured]] = Field(
        default_factory=dict,
        description="by confidence function: with false answers, and of the other rows alone",
    )


class LevelCut(Model):
    """The probability that the level is this one or above, against what came true."""

    level: str
    error: Measured = Field(description="calibration error in ten bins")
    without_noise: Number = Field(description="the same without what noise adds")
    reliability: Reliability


class OwnAnswer(Model):
    """The system's own answers (right) against the best levels of its probabilities (left)."""

    rows: Count
    differs: Count = Field(description="rows in which the two are not the same level")
    difference: Delta = Field(description="of the mean loss")


class LevelPart(Model):
    """Probabilities of levels, of one input."""

    input: str
    rows: Count = Field(description="answered rows that have them, and a level for a truth")
    point: str | None = Field(description="the point that was taken; null: the system's own answer")
    cuts: list[LevelCut]
    own: OwnAnswer | None = None
    own_confidence: Delta | None = Field(
        default=None, description="AUGRC by its own confidence (right) and by the expected loss"
    )


class LevelOpen(Model):
    """The rows of a true level, and how many of them were left open."""

    level: str
    cases: Count
    rows: Number
    left_open: Measured


class Rows(Model):
    """The judgments themselves, by column; no text of a case unless it was asked for."""

    case: list[int | str]
    item: list[str]
    truth: list[int | list[int | None] | None]
    """A rank, or what each of several raters said."""
    prediction: list[int | None]
    outcome: list[str]
    confidence: dict[str, list[float | None]] = Field(default_factory=dict)
    evidence: list[int | None] = Field(default_factory=list)
    """How many pieces of evidence the system gave for each row; empty where the run has none."""
    evidence_texts: list[list[str]] = Field(default_factory=list)
    """The evidence itself, as the run quotes it; empty unless texts were asked for."""
    unanswerable: list[bool] = Field(default_factory=list)
    """Whether the truth says that a row cannot be judged; empty where nothing could say so."""
    distribution: list[list[float] | None] = Field(default_factory=list)
    """Probabilities of the levels, lowest first; empty where the system gives none."""

    def columns(self) -> Iterator[Sized]:
        """Every column there is; they must be of one length."""
        yield from (self.case, self.item, self.truth, self.prediction, self.outcome)
        yield from self.confidence.values()
        more = self.evidence, self.evidence_texts, self.unanswerable, self.distribution
        yield from (column for column in more if column)


class Best(Model):
    """Which confidence function is best, and which are not shown to differ from it."""

    metric: str
    name: str
    equal: list[str] = Field(default_factory=list)
    """Functions that rank the rows as the best one does: an alias, a rising transform."""
    indistinguishable: list[str]
    confidence_level: float
    discrimination: Interval | None = Field(
        default=None,
        description="of its failure_auroc; holds although the function was chosen on these cases",
    )

    def is_above(self, function: str) -> bool:
        """Whether a function is shown to be worse than the best."""
        return function not in (self.name, *self.equal, *self.indistinguishable)


class MetricsArtifact(Model):
    """The result of ``acumen evaluate``."""

    kind: Literal["metrics"] = "metrics"
    schema_version: str = SCHEMA_VERSION
    created_at: str | None = None
    command: str | None = Field(default=None, description="what makes it again")
    inputs: list[Input]
    population: Population
    loss: LossDescription
    confidence_variants: dict[str, OneOrSeveral] = Field(
        description="by function; of several inputs, by function and input_0, input_1, …"
    )
    comparison: Comparison
    systems: list[str] = Field(default_factory=list, description="what each input is called")
    leaderboard: Leaderboard | None = None
    acumen_version: str = ""
    scale: dict[str, Any] = Field(default_factory=dict)
    options: dict[str, Any] = Field(default_factory=dict)
    left_out: dict[str, str] = Field(default_factory=dict)
    best: Best | None = None
    overall: dict[str, Measured] | list[dict[str, Measured]] = Field(default_factory=dict)
    """What needs no confidence: of one input, or a list of it for several."""
    abstention: list[AbstentionPart] = Field(
        default_factory=list, description="of each input, where words say what cannot be judged"
    )
    missing: MissingPart | None = Field(
        default=None, description="what rows without a usable reply leave open, where it was asked"
    )
    levels: list[LevelPart] = Field(
        default_factory=list, description="of each input that gives probabilities of levels"
    )
    rows: list[Rows] = Field(default_factory=list)
    summaries: list[Summary] = Field(default_factory=list)
    slices: list[Slice] = Field(default_factory=list)
    """For whom: the numbers of each group that was asked for."""
    warnings: list[str] = Field(default_factory=list)

    @property
    def scale_note(self) -> str | None:
        """That nobody named the levels, and how to; None where somebody did."""
        return inferred_note(self.scale.get("levels", ()), self.scale.get("inferred"))

    @property
    def exit_code(self) -> int:
        """4 where the run behind it is not finished."""
        return 0 if self.population.rows_planned is None else 4

    @property
    def distance(self) -> float | None:
        """What a loss of 1 is in units of the scale; None where it is no distance."""
        levels = self.scale.get("levels", [])
        of_loss = {"abs": 1, "abs_norm": len(levels) - 1}
        if len(levels) < 2 or self.loss.name not in of_loss:
            return None
        return of_loss[self.loss.name] * step_of(levels)

    @property
    def ranked(self) -> tuple[Leaderboard | None, list[Pairing]]:
        """The leaderboard and its pairs; a mean loss that is a distance in units of the scale."""
        board, pairs = self.leaderboard, self.comparison.pairs
        if board is None or self.distance is None or not board.is_of_loss:
            return board, pairs
        unit = self.distance
        standings = [
            s.model_copy(
                update={
                    "measured": s.measured.times(unit),
                    "noise_floor": s.noise_floor and s.noise_floor.times(unit),
                }
            )
            for s in board.standings
        ]
        return board.model_copy(update={"standings": standings}), [
            pair.model_copy(update={"difference": pair.difference.times(unit)}) for pair in pairs
        ]

    @property
    def is_foreign(self) -> bool:
        """Whether another tool wrote it."""
        return not self.acumen_version

    @property
    def confidence_level(self) -> float:
        """Of the intervals."""
        return float(self.options.get("confidence_level", CONFIDENCE_LEVEL))

    @property
    def input_names(self) -> list[str]:
        """How each input is called: as it was labelled, or by what tells them apart."""
        return [name(label) for label in self.systems] or names_of(self.inputs)

    @property
    def is_list(self) -> bool:
        """Whether its inputs are no pair with its differences: three or more, or each alone."""
        return len(self.inputs) > 1 + (self.comparison.deltas is not None)

    @property
    def overall_by_input(self) -> list[dict[str, Measured]]:
        """What needs no confidence, of each input."""
        return self.overall if isinstance(self.overall, list) else [self.overall]

    @property
    def sides(self) -> dict[str, list[Variant]]:
        """Function -> its numbers on each input."""
        return {
            function: [*v.values()] if isinstance(v, dict) else [v]
            for function, v in self.confidence_variants.items()
        }

    def variants(self) -> Iterator[tuple[str, str, Variant]]:
        """(confidence function, name of the input, numbers), lowest AUGRC first."""
        for function in self.functions:
            for name, numbers in zip(self.input_names, self.sides[function], strict=True):
                yield function, name, numbers

    @property
    def functions(self) -> list[str]:
        """The functions, lowest AUGRC (of the first input) first; those without one last."""
        areas = {function: sides[0].augrc_full for function, sides in self.sides.items()}
        return sorted(areas, key=lambda f: (areas[f] is None, areas[f] or 0.0))

    @property
    def best_function(self) -> str | None:
        """The function with the lowest AUGRC."""
        return next(iter(self.functions), None) if self.best is None else self.best.name

    def check(self) -> None:
        """Refuse a document whose parts do not fit together: edited by hand, or damaged."""
        expected = len(self.systems) or (2 if self.comparison.enabled else 1)
        problems = []
        if len(self.inputs) != expected:
            problems.append(f"inputs: {len(self.inputs)}, where {expected} are compared")
        for function, variants in self.sides.items():
            place = f"confidence_variants, {label(function)}"
            if len(variants) != expected:
                problems.append(f"{place}: must be of {expected} inputs")
            if not all(variant.curve.is_even for variant in variants):
                problems.append(f"{place}: curve: ragged columns")
        ragged = [rows for rows in self.rows if len(set(map(len, rows.columns()))) > 1]
        problems += ["rows: ragged columns" for _ in ragged]
        if len(self.rows) > expected or len(self.summaries) > expected:
            problems.append("rows, summaries: more of them than inputs")
        if problems:
            raise DataError(problems)

    @model_validator(mode="before")
    @classmethod
    def _older(cls, content: Any) -> Any:
        """Before it was ``overall``, the same was a list for each input; before that, the source's.

        The source's own script writes neither.
        """
        if isinstance(content, dict) and is_source(content):
            return completed(content)
        if isinstance(content, dict) and "agreement" in content and "overall" not in content:
            content = {**content, "overall": content["agreement"]}
        return renewed(content) if isinstance(content, dict) else content

    @field_validator("schema_version")
    @classmethod
    def _not_newer(cls, version: str) -> str:
        if not version.isdigit() or int(version) > int(SCHEMA_VERSION):
            raise ValueError(
                f"this file has schema version {version}; this acumen reads up to {SCHEMA_VERSION}"
            )
        return version


M = TypeVar("M", bound=BaseModel)


def read_artifact(path: str | Path, model: type[M]) -> M:
    """An artifact from a file, all its problems told at once."""
    return validated(read_json(path), model, source_name(path))
