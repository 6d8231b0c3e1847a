"""What ``acumen total`` writes: totals of cases, their errors, decisions at a cut, and promises."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field, model_validator

from acumen.results.older import of_totals
from acumen.values.measured import Count, Delta, Measured, Model, Number


class TotalPart(Model):
    """What was added up."""

    name: str
    title: str
    items: list[str]
    weights: dict[str, float] = Field(description="points that one level more of an item adds")
    lowest: Number
    highest: Number
    cut: Number | None = None
    positive: Literal["high", "low"] = Field(
        "high", description="high: at the cut or above is looked for; low: at the cut or below"
    )
    bands: list[Number] = Field(default_factory=list)
    band_names: list[str] = Field(default_factory=list)
    reference: str = ""


class CaseTotal(Model):
    """One case."""

    case: Any
    total: Number | None = Field(description="null: an item is open, and it is not prorated")
    low: Number = Field(description="the least that it may be, given its answers")
    high: Number
    truth: Number | None = None
    open_items: list[str] = Field(default_factory=list)
    failed_items: list[str] = Field(
        default_factory=list, description="of the open ones, those without a usable reply"
    )
    is_prorated: bool = False
    decision: Literal["above", "below", "open"] | None = Field(
        default=None,
        description="null: there is no cut; at the cut it is the side looked for",
    )
    true_side: Literal["above", "below"] | None = None
    band: str | None = Field(default=None, description="null: open, or there are no bands")
    true_band: str | None = None
    interval: tuple[Number, Number] | None = Field(
        default=None, description="conformal; made from other cases"
    )
    confidence: Number | None = None


class ErrorPart(Model):
    """How far totals are off, of cases that have one."""

    cases: Count
    exact: Measured = Field(description="share of totals that are right")
    mae: Measured
    bias: Measured = Field(description="mean of total − truth")
    sd: Measured = Field(description="of the differences")
    lower_limit: Measured = Field(description="of agreement: bias − 1.96 sd")
    upper_limit: Measured
    icc: Measured = Field(description="ICC(A,1)")
    ccc: Measured = Field(description="Lin's concordance correlation")


class Prorating(Model):
    """Totals from a part of the items."""

    least: Number = Field(description="share of the items that must be answered")
    cases: Count
    too_few: Count = Field(description="cases with fewer answers, which have no total")
    error: ErrorPart | None
    complete: ErrorPart | None = Field(description="the same of the cases with all items")


class CutMeasure(Model):
    """One measure, with open cases left out and counted in every way."""

    decided: Measured = Field(description="open cases left out")
    lowest: Measured = Field(description="every open case decided wrongly")
    highest: Measured = Field(description="every open case decided rightly")
    open_as_positive: Measured
    open_as_negative: Measured


class CutPart(Model):
    """Decisions at the cut."""

    cases: Count
    positive: Count
    negative: Count
    open: Count
    true_positive: Count | None = None
    false_positive: Count | None = None
    false_negative: Count | None = None
    true_negative: Count | None = None
    open_positive: Count | None = Field(default=None, description="open, and truly positive")
    open_negative: Count | None = None
    measures: dict[str, CutMeasure] = Field(default_factory=dict)


class BandPart(Model):
    """Bands of the totals against the true ones."""

    names: list[str]
    cases: list[Count] = Field(description="decided cases in each")
    open: Count = Field(description="cases whose range reaches more than one band")
    table: list[list[Count]] | None = Field(
        default=None, description="true bands by those of the totals; the last column is open"
    )
    right: Measured | None = None
    kappa: Measured | None = Field(default=None, description="quadratic, of the decided cases")


class Ask(Model):
    """What asking a person one item would do."""

    item: str
    open_in: Count = Field(description="open cases in which it is open")
    closes: Count | None = Field(description="of these, decided by its true answer")
    closes_surely: Count = Field(description="decided whatever the answer is")


class Bound(Model):
    """How far intervals reach, of cases with so many open items."""

    fewest_open: Count
    most_open: Count = Field(description="of the last group: and more")
    cases: Count
    below: Number | None = Field(
        description="points below the likely total, of cases with the fewest open items; with "
        "more, √(1 + open items) times as far; null: too few cases for an end"
    )
    above: Number | None
    coverage: Measured | None = Field(default=None, description="of truths held out")
    width: Number | None = None


class IntervalPart(Model):
    """Conformal intervals for the total of a case."""

    alpha: Number
    groups: list[Bound]
    coverage: Measured = Field(description="truths in intervals made from other cases")
    width: Number = Field(description="mean, in points")


class WorkingPoint(Model):
    """What is accepted above a threshold."""

    threshold: Number
    coverage: Number
    risk: Number


class Selective(Model):
    """Risk against coverage, over cases."""

    cases: Count
    answered: Count
    measures: dict[str, Measured] = Field(description="risks in points, of sides as shares")
    curve: list[WorkingPoint]

    @model_validator(mode="before")
    @classmethod
    def _older(cls, content: Any) -> Any:
        return of_totals(content)


class CaseThreshold(Model):
    """Above which confidence a case may be used."""

    of: Literal["total", "side"]
    risk: Number = Field(description="the largest allowed: points, or the share of wrong sides")
    delta: Number
    certified: bool
    threshold: Number | None
    risk_here: Number | None
    coverage: Measured
    method: str
    test: str
    cases_needed: int | None = None


class Group(Model):
    """The cases of a group."""

    column: str
    group: str
    cases: Count
    measures: dict[str, Measured]


class SystemTotals(Model):
    """Everything that is known of the totals of one system."""

    name: str
    cases: Count
    failed: Count
    without_truth: Count = Field(description="cases that lack the truth of an item: not scored")
    complete: Count
    prorated: Count
    open_items: list[Count] = Field(description="cases with 0, 1, 2, … open items")
    error: ErrorPart | None
    prorating: Prorating | None = None
    cut: CutPart | None = None
    bands: BandPart | None = None
    asks: list[Ask] = Field(default_factory=list)
    intervals: IntervalPart | None = None
    selective: dict[str, Selective] = Field(default_factory=dict)
    thresholds: list[CaseThreshold] = Field(default_factory=list)
    groups: list[Group] = Field(default_factory=list)
    rows: list[CaseTotal]
    new: list[CaseTotal] = Field(
        default_factory=list,
        description="cases without the truth of every item; their intervals are made of the others",
    )


class PairOfRisks(Model):
    """Two systems that accept the same share of cases, and their areas: right minus left."""

    coverage: Number = Field(description="share of the cases: what both reach")
    risk: Delta = Field(description="of the surest cases up to that coverage; points, or a share")
    augrc: Delta


class PairOfTotals(Model):
    """Two systems on the cases that both have: right minus left."""

    left: str
    right: str
    cases: Count
    both_totals: Count = Field(description="cases of which both have a total: errors are of them")
    differences: dict[str, Delta]
    selective: dict[str, PairOfRisks] = Field(
        default_factory=dict, description="of totals, and of sides; where both have a confidence"
    )


class TotalsDocument(Model):
    """Totals of cases, with the ranges of open ones, compared with the truth."""

    kind: Literal["totals"] = "totals"
    acumen_version: str
    command: str | None = Field(default=None, description="what makes it again")
    totals_of: list[str | None] = Field(description="the files, where there are some")
    noun: str = Field(description="what a case is called")
    scale: str
    total: TotalPart
    has_truth: bool
    confidence: str | None = Field(default=None, description="of the items of a case")
    aggregate: Literal["min", "mean"]
    confidence_level: Number
    systems: list[SystemTotals]
    pairs: list[PairOfTotals] = Field(default_factory=list)
    warnings: list[str] = Field(default_factory=list)
