"""What a decision rests on, as it lies on disk: thresholds, gates, costs, plans."""

from __future__ import annotations

from typing import Annotated, Any, Final, Literal

from pydantic import ConfigDict, Field, model_validator

from acumen.files.documents import Document
from acumen.files.problems import refusal
from acumen.results.calibration import CaseHashes
from acumen.results.labels import Drawn
from acumen.results.older import decided
from acumen.values.measured import Measured

SCHEMA_VERSION: Final = 2
Share = Annotated[float, Field(gt=0, lt=1)]
Above0 = Annotated[float, Field(gt=0)]
Natural = Annotated[int, Field(ge=0)]


class Part(Document):
    """A part of a decision; keys that a later version adds are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True)


class ScalePart(Part):
    """The scale that the judgments are on."""

    name: str
    levels: list[str | int | float]


class Decision(Part):
    """What every decision says of itself."""

    kind: str
    schema_version: Annotated[int, Field(ge=1, le=SCHEMA_VERSION)] = SCHEMA_VERSION
    acumen_version: str | None = None
    created_at: str | None = None
    command: str | None = Field(default=None, description="what makes it again")
    scale: ScalePart | None = None
    confidence: str | None = None
    loss: str | None = None
    costs: list[list[float]] | None = Field(
        default=None, description="by truth, then prediction: of a loss that no name says"
    )
    warnings: list[str] = Field(default_factory=list, description="of files of labels")

    @model_validator(mode="before")
    @classmethod
    def _older(cls, content: Any) -> Any:
        """What an older version called otherwise, or counted otherwise."""
        is_older = isinstance(content, dict) and content.get("schema_version") == 1
        return decided(content) if is_older else content


_UNSEEN: Final = "largest share of a kind of failure that need not be among the cases, about 3/n"
Method = Literal["exact", "approx", "sgr", "crc"]
Test = Literal[
    "binomial",
    "betting",
    "repeated",
    "hoeffding-bentkus",
    "korn-graubard",
    "clopper-pearson",
    "conformal",
]


class Point(Part):
    """One threshold that was looked at."""

    threshold: float | None = Field(description="null: every answer is accepted")
    coverage: float = Field(description="share of all rows that are accepted")
    risk: float | None = Field(description="mean loss of those")
    p_value: float | None = None
    level: float | None = Field(default=None, description="the chance of error it may use up")
    certified: bool


class Promised(Part):
    """A further risk that a threshold keeps."""

    loss: str
    alpha: Above0 = Field(description="the largest risk allowed, in units of the loss")
    risk: float | None = Field(description="of what is accepted of the calibration cases")


class ThresholdDocument(Decision):
    """What ``acumen threshold`` writes: the threshold, what it promises, and how it was reached."""

    noun = "threshold"
    kind: Literal["threshold"] = "threshold"
    threshold: float | None = Field(description="answers above it are accepted; null: every one")
    certified: bool
    alpha: Above0 = Field(description="the largest risk allowed, in units of the loss")
    delta: Share | None = Field(description="chance that the true risk is larger; crc has none")
    risk: float | None = Field(description="of what it accepts of the calibration cases")
    coverage: Measured = Field(description="share of all rows that it accepts")
    target_coverage: float | None = Field(
        default=None, description="where it was asked for: alpha is then the risk promised for it"
    )
    method: Method
    test: Test
    method_is_default: bool = False
    cases: Natural
    cases_apart: Natural = Field(default=0, description="those whose confidences made the grid")
    cases_needed: int | None = Field(default=None, description="about so many would certify one")
    fewest_cases: int | None = Field(default=None, description="without an error, at least these")
    least_open: float | None = Field(
        default=None, description="least share of rows to leave open for the risk here, if none is"
    )
    undone_by: int | None = Field(
        default=None, description="fewest further cases, lost as a whole, that undo the certificate"
    )
    unseen: float | None = Field(default=None, description=_UNSEEN)
    items: Natural = Field(description="most judgments of a case")
    items_declared: bool = True
    confidence: str
    scale: ScalePart
    drawn: Drawn | None = Field(default=None, description="how cases were drawn to be labelled")
    also: list[Promised] = Field(
        default_factory=list, description="risks of other losses, kept too"
    )
    grid: list[Point] = Field(default_factory=list)
    case_hashes: CaseHashes = CaseHashes()

    @model_validator(mode="after")
    def _promises_what_it_certified(self) -> ThresholdDocument:
        if not self.certified and self.threshold is not None:
            raise refusal([(("threshold",), "must be null where nothing is certified")])
        return self


SetMethod = Literal["aps", "distance"]


class SetsDocument(Decision):
    """What ``acumen sets`` writes: how far a set of levels must reach to hold the truth."""

    noun = "sets"
    kind: Literal["sets"] = "sets"
    method: SetMethod
    probabilities: list[str] = Field(description="the signals that the levels' chances come from")
    alpha: Share = Field(description="chance that a set does not hold the truth")
    bound: float | None = Field(ge=0, description="mass, or levels off, to reach; null: all levels")
    coverage: Measured = Field(description="a mean over cases, each with a bound made without it")
    width: float = Field(description="levels in a set, in the same way")
    shares: list[float] = Field(description="of the answers, with 1, 2, … levels in their set")
    cases: Natural
    scale: ScalePart
    case_hashes: CaseHashes = CaseHashes()

    @model_validator(mode="after")
    def _has_what_its_method_needs(self) -> SetsDocument:
        if (self.method == "aps") != bool(self.probabilities):
            raise refusal([(("probabilities",), "aps needs them, and distance takes none")])
        return self


Rule = Literal["non-inferiority", "equivalence", "superiority", "at-least", "at-most"]
Verdict = Literal["pass", "fail", "undecided"]
Undecided = Literal["few_cases", "no_value", "no_interval", "unreliable", "between", "missing"]


class Check(Part):
    """One requirement on all cases, or on a group of them."""

    metric: str
    group: str | None = Field(default=None, description="column=value; null: all cases")
    rule: Rule
    bound: float
    values: list[float | None] = Field(description="of the run; of two, base and then new")
    measured: Measured = Field(description="or new − base, positive is worse; one-sided 95% ends")
    p_value: float | None = None
    cases: Natural
    verdict: Verdict
    why: Undecided | None = Field(default=None, description="why it is undecided")
    undone_by: int | None = Field(
        default=None, description="fewest further cases, the worst there can be, that undo a pass"
    )
    bounds: tuple[float, float] | None = Field(
        default=None, description="of the value, over all that missing rows might have been"
    )
    missing_rows: Natural | None = Field(default=None, description="of all sides together")
    tipping: Natural | None = Field(
        default=None,
        description="so many missing rows, those that matter most first and the others at their "
        "best, take away what the rows that are there decide",
    )


class GateDocument(Decision):
    """What ``acumen gate`` writes: the verdict, and every check behind it."""

    noun = "gate"
    kind: Literal["gate"] = "gate"
    verdict: Verdict
    undecided_counts_as: Literal["pass", "fail"] | None = None
    checks: list[Check]
    cases: Natural
    least_cases: Natural = 0
    repeated: bool = Field(default=False, description="whether it holds at every number of cases")
    unseen: float | None = Field(default=None, description=_UNSEEN)

    @property
    def exit_code(self) -> int:
        """0 where it passes, 1 where it fails, 5 where there are too few data to decide."""
        counts_as = self.undecided_counts_as if self.verdict == "undecided" else self.verdict
        return 5 if counts_as is None else int(counts_as == "fail")

    def __bool__(self) -> bool:
        """Whether it passes; undecided is no pass, whatever it counts as."""
        return self.verdict == "pass"


class CostPoint(Part):
    """What a judgment costs at a threshold."""

    threshold: float | None
    coverage: float
    cost: float


class CostDocument(Decision):
    """What ``acumen cost`` writes: the cheapest threshold, against answering and handing over."""

    noun = "cost"
    kind: Literal["cost"] = "cost"
    threshold: float | None = Field(description="the rest is handed over; null: nothing is")
    fold_thresholds: list[float | None] = Field(description="without each fold of cases")
    abstain_cost: float
    cost: Measured = Field(description="of a judgment, each case at a threshold made without it")
    always_answer: Measured
    against_answering: Measured = Field(description="cost − always_answer, paired by case")
    against_handing_over: Measured
    curve: list[CostPoint]
    cases: Natural


class Design(Part):
    """A study and its power."""

    cases: Natural
    power: float
    items: Above0 | None = Field(default=None, description="judgments of a case")
    repeats: Natural = 1
    judged: Natural | None = Field(default=None, description="cases that only the model judges")


class PlanDocument(Decision):
    """What ``acumen plan`` writes: how many cases, by formula and by simulation."""

    noun = "plan"
    kind: Literal["plan"] = "plan"
    metric: str | None
    detect: float
    one_sided: bool = Field(description="whether detect is a margin of non-inferiority")
    sd: Above0 = Field(description="of a case")
    cases: Natural
    power: float = Field(description="at so many cases, by the noncentral t")
    simulated: float = Field(description="the same, counted on resampled cases")
    normal_cases: float | None = Field(description="two-sided, by Miller (2024), with z")
    pilot_cases: int | None = None
    smallest_effect: float | None = Field(default=None, description="that the pilot would show")
    curve: list[Design]
    designs: list[Design] = Field(default_factory=list)
