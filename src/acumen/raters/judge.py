"""One judge against the people, one person against the others, two judges against each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from acumen.metrics.registry import Kind
from acumen.raters import agreement
from acumen.raters.alt_test import Rule, advantage, duels, hold
from acumen.raters.bias import Beside, bias_of
from acumen.raters.panel import Ints, Panel
from acumen.raters.sums import Estimate, by_block, quotient
from acumen.results.raters import Judge, JudgeDelta, Pair, Rater
from acumen.types import Floats


@dataclass(frozen=True, eq=False)
class Study:
    """The people's ratings, who of them is looked at one by one, and how."""

    people: Panel
    ones: Sequence[int]
    """People by code: all, or those who rated most."""
    rule: Rule

    @property
    def distance(self) -> str:
        """Which alpha: that of the score."""
        return self.rule.score

    def units_of(self, code: int) -> Panel:
        """All ratings of the units that a person rated."""
        own = self.people.by(code) >= 0
        return self.people.take(own[self.people.unit])

    def alpha(self, before: Panel, after: Panel) -> Estimate:
        """Alpha of the people where the ratings of some units are others."""
        meetings = self.people.meetings.changed(before.meetings, after.meetings)
        return Estimate.of(meetings.pairs, agreement.alpha_of(self.distance, self.people.ranks))


def gap(people: Panel, answer: Ints) -> tuple[Ints, Floats, Floats]:
    """Units that an answer and people share; the answer minus the people's mean; and how far off.

    Both are means over the people of a unit, so that units count alike.
    """
    there = (answer >= 0) & (people.per_unit > 0)
    rows = there[people.unit]
    unit = people.unit[rows]
    off = (people.ranks[answer[unit]] - people.ranks[people.level[rows]]).astype(np.float64)
    size, units = len(people.block), np.flatnonzero(there)
    sums = (np.bincount(unit, values, size)[units] for values in (off, np.abs(off)))
    signed, far = (total / people.per_unit[units] for total in sums)
    return units, signed, far


def mean_by_case(panel: Panel, units: Ints, values: Floats) -> Estimate:
    """The mean of a number a unit."""
    sums = by_block(panel.block[units], panel.n_blocks, values, np.ones(len(units)))
    return Estimate.of(sums, quotient)


def judge_of(study: Study, answer: Ints, beside: Beside) -> Judge:
    """Everything that is measured of a judge."""
    people, rule = study.people, study.rule
    several = people.per_unit > 1
    rated, answered = np.flatnonzero(several), answer >= 0
    units, _, far = gap(people.take(several[people.unit]), answer)
    shared = people.take((several & answered)[people.unit])
    replacement, replaced = _replacement(study, answer)
    silent = not answered[rated].all()
    return Judge(
        units=len(rated),
        answered=len(units),
        coverage=mean_by_case(people, rated, answered[rated].astype(np.float64)).measured(
            Kind.PROPORTION, rule.level
        ),
        alt_test=hold(people, answer, rule),
        alt_test_charged=hold(people, answer, rule, charged=True) if silent else None,
        risk=mean_by_case(people, units, far).measured(Kind.RISK, rule.level),
        noise_floor=agreement.floor(shared).measured(Kind.RISK, rule.level),
        replacement=replacement.measured(Kind.CORRELATION, rule.level),
        replaced=replaced.measured(Kind.CORRELATION, rule.level),
        replacement_delta=replacement.minus(replaced, rule.level),
        bias=bias_of(people, answer, beside, rule.level),
    )


def _replacement(study: Study, answer: Ints) -> tuple[Estimate, Estimate]:
    """Alpha with the judge in a person's place and with the person, mean over the people.

    Where the judge did not answer, the person's rating is in neither.
    """
    both = []
    for code in study.ones:
        before = study.units_of(code)
        own = before.rater == code
        held = before.take(~own | (answer[before.unit] >= 0))
        own = held.rater == code
        swapped = replace(held, level=np.where(own, answer[held.unit], held.level))
        both.append((study.alpha(before, swapped), study.alpha(before, held)))
    with_judge, with_person = ([pair[side] for pair in both] for side in (0, 1))
    return _mean(with_judge), _mean(with_person)


def _mean(estimates: Sequence[Estimate]) -> Estimate:
    return Estimate(
        float(np.mean([e.value for e in estimates])),
        np.mean([e.left_out for e in estimates], axis=0),
        np.any([e.present for e in estimates], axis=0),
    )


def rater_of(study: Study, code: int, levels: Ints) -> Rater:
    """One person among the others.

    Whoever stands out lowers alpha, at the level of all people together: those whom an outlier
    makes look strict do not.
    """
    people, level = study.people, study.rule.level
    apart = 1 - (1 - level) / max(1, len(study.ones))
    before = study.units_of(code)
    others, own = before.without(code), before.by(code)
    units, signed, far = gap(others, own)
    leniency = mean_by_case(people, units, signed)
    whole = agreement.alpha(people, study.distance)
    without = study.alpha(before, others)
    lower = leniency.measured(Kind.REAL, apart).interval
    raises = without.minus(whole, apart).interval
    stands_out = None
    if raises is not None and raises.is_reliable and raises.low > 0:
        steady = lower is not None and not lower.has_zero
        word = "lenient" if leniency.value > 0 else "strict"
        stands_out = word if steady else "disagrees"
    counts = np.zeros(people.scale_size, np.int64)
    counts[people.ranks] = levels
    return Rater(
        ratings=int(levels.sum()),
        levels=counts.tolist(),
        units_shared=len(units),
        distance=mean_by_case(people, units, far).measured(Kind.RISK, level),
        leniency=leniency.measured(Kind.REAL, level),
        alpha_without=without.minus(whole, level),
        stands_out=stands_out,  # type: ignore[arg-type]  # one of the three, or none
    )


def pair_of(panel: Panel, one: int, other: int, level: float) -> Pair:
    """The quadratic kappa of two raters."""
    confusion = panel.confusion(panel.by(one), panel.by(other))
    kappa = agreement.kappa(confusion, panel.ranks)
    return Pair(
        one=panel.raters[one],
        other=panel.raters[other],
        units=int(confusion.sum()),
        kappa=kappa.measured(
            Kind.CORRELATION, level, "they share no unit, or both give one level only"
        ),
    )


def difference(study: Study, names: tuple[str, str], answers: tuple[Ints, Ints]) -> JudgeDelta:
    """Two judges on the units that both answered."""
    people, rule = study.people, study.rule
    both = (answers[0] >= 0) & (answers[1] >= 0)
    shared = people.take((both & (people.per_unit > 1))[people.unit])
    risks, advantages = [], []
    for answer in answers:
        units, _, far = gap(shared, answer)
        fights = duels(shared, answer, rule.score)
        counts = np.bincount(fights.rater, minlength=len(people.raters))
        who = np.flatnonzero(counts >= rule.fewest_instances).tolist()
        risks.append(mean_by_case(people, units, far))
        advantages.append(advantage(fights, people, who))
    return JudgeDelta(
        left=names[0],
        right=names[1],
        units=int((shared.per_unit > 0).sum()),
        risk=risks[1].minus(risks[0], rule.level),
        advantage=advantages[1].minus(advantages[0], rule.level),
    )
