"""What ``acumen rate`` and ``acumen estimate`` write."""

from __future__ import annotations

from typing import Any, Final, Literal

from pydantic import Field, model_validator

from acumen.results.labels import Drawn
from acumen.results.older import step_of
from acumen.values.measured import Count, Delta, Measured, Model, Number

IN_LEVELS: Final = (
    *("risk", "noise_floor", "distance", "leniency"),
    *("length", "self_preference", "order_effect"),
)
"""What is a distance, or a difference of two."""


class RaterTest(Model):
    """The judge against one person, on the instances of that person."""

    instances: Count
    difference: Number = Field(description="mean of D: above 0 the person is closer to the others")
    advantage: Number = Field(description="share of instances where the judge is as close")
    p_value: Number
    method: Literal["t", "wilcoxon", "by_case", "sign"]
    passes: bool


class AltTest(Model):
    """The alternative annotator test: may the judge stand in for one of the people?"""

    winning_rate: Number | None = Field(description="share of the people it passes; null: nobody")
    passes: bool | None
    advantage: Measured
    raters: dict[str, RaterTest] = Field(default_factory=dict)
    too_few: dict[str, Count] = Field(
        default_factory=dict, description="people with too few instances, and how many they have"
    )


class Bias(Model):
    """What may move a judge, each only where its column is mapped."""

    leniency: Measured = Field(description="judge minus people, in units of the scale")
    by_level: dict[str, Measured] = Field(description="the same where people gave a level")
    lowest: Delta = Field(description="use of the lowest level, judge minus people")
    highest: Delta
    length: Measured | None = Field(None, description="added when the length doubles")
    self_preference: Delta | None = Field(
        None, description="leniency to its own outputs, less that to others'"
    )
    flips: Measured | None = Field(None, description="share that changes with the order")
    first_slot: Measured | None = Field(None, description="how often the first slot is favoured")
    order_effect: Measured | None = Field(None, description="first slot minus second")
    repeats_equal: Measured | None = Field(None, description="two draws of one rating are equal")
    repeats_alpha: Measured | None = None
    ceiling: Number | None = Field(
        None, description="the largest correlation with people that its own noise allows"
    )


class Judge(Model):
    """One judge, compared with the people."""

    units: Count = Field(description="rated by two people or more")
    answered: Count = Field(description="of these, answered by the judge")
    coverage: Measured
    alt_test: AltTest
    alt_test_charged: AltTest | None = Field(
        None, description="the same, where an abstention is a loss; null if there is none"
    )
    risk: Measured = Field(description="mean error against a random person, on what it answered")
    noise_floor: Measured = Field(description="mean distance of two people, on the same units")
    replacement: Measured = Field(description="alpha with the judge in a person's place")
    replaced: Measured = Field(description="alpha of the people on the same ratings")
    replacement_delta: Delta
    bias: Bias


class Rater(Model):
    """One person among the others."""

    ratings: Count
    levels: list[Count] = Field(description="how often each level of the scale was given")
    units_shared: Count
    distance: Measured = Field(description="mean distance to another person")
    leniency: Measured = Field(description="own minus the others'")
    alpha_without: Delta = Field(description="alpha of the others, less alpha of all")
    stands_out: Literal["disagrees", "lenient", "strict"] | None = None


class Pair(Model):
    """Two raters."""

    one: str
    other: str
    units: Count
    kappa: Measured


class JudgeDelta(Model):
    """Two judges on the units that both answered: right minus left."""

    left: str
    right: str
    units: Count
    risk: Delta
    advantage: Delta


class RatingsDocument(Model):
    """Agreement among raters, and how far a judge may stand in for one of them."""

    kind: Literal["ratings"] = "ratings"
    acumen_version: str
    command: str | None = Field(default=None, description="what makes it again")
    ratings_of: str | None = Field(description="the file, where there is one")
    levels: list[Any]
    cases: Count
    units: Count
    ratings: Count
    skipped: Count
    unit: Literal["levels", "scale"] = Field(
        default="levels", description="of distances; of a scale of words a level"
    )
    people: dict[str, Rater]
    most_raters: Count | None = Field(
        None, description="people who are analysed one by one, where there are more"
    )
    complete_units: Count = Field(description="units that all people rated: ICC is of them")
    agreement: dict[str, Measured]
    noise_floor: Measured
    pairs: list[Pair]
    judges: dict[str, Judge]
    differences: list[JudgeDelta]
    settings: dict[str, Any]
    drawn: Drawn | None = Field(default=None, description="with which chances, where it is said")
    warnings: list[str]

    @model_validator(mode="after")
    def _counts_as_the_scale_does(self) -> RatingsDocument:
        """Distances are made in levels, as older documents have them, and kept in its numbers."""
        step = 1.0 if self.unit == "scale" else step_of(self.levels)
        self.unit = "scale"
        if step != 1.0:
            judges = self.judges.values()
            parts: list[Any] = [self, *self.people.values(), *judges, *self.differences]
            for part in (*parts, *(judge.bias for judge in judges)):
                for key in IN_LEVELS:
                    if (number := getattr(part, key, None)) is not None:
                        setattr(part, key, number.times(step))
            for judge in judges:
                by_level = judge.bias.by_level.items()
                judge.bias.by_level = {level: n.times(step) for level, n in by_level}
        return self


class PoweredEstimate(Model):
    """What people would say, and what their labels alone tell."""

    estimate: Measured
    classical: Measured | None = None
    weight: Number | None = Field(
        default=None, description="of the judge: 0 is not used, 1 is trusted"
    )
    effective_cases: Number | None = Field(
        default=None,
        description="labelled cases that would give as short an interval without the judge",
    )
    labels_saved: Number | None = None


class Labels(Model):
    """Whether the labels may speak for the rest."""

    partly_labelled: Count = Field(description="cases whose rows without a label are left out")
    enough: bool
    drawn: Drawn | None = Field(default=None, description="with which chances, where it is said")
    random_p_value: Number | None = Field(
        description="of the judge's ratings of labelled cases against those of the others"
    )


class EstimateDocument(Model):
    """What people would say of all cases, from few that they labelled and many that were judged."""

    kind: Literal["estimates"] = "estimates"
    acumen_version: str
    command: str | None = Field(default=None, description="what makes it again")
    judged_in: str | None
    levels: list[Any]
    cases_labelled: Count
    cases_unlabelled: Count
    rows_labelled: Count
    rows: Count
    not_judged: Count = Field(description="rows without a rating of the judge, left out")
    confidence_level: Number
    estimates: dict[str, PoweredEstimate]
    at_least: dict[str, PoweredEstimate] = Field(description="share of rows at a level or above")
    systems: list[str] = Field(default_factory=list)
    difference: PoweredEstimate | None = Field(None, description="second system minus first")
    slices: dict[str, dict[str, PoweredEstimate]] = Field(default_factory=dict)
    labels: Labels
    warnings: list[str]
