"""One judge against the people, one person against the others, two judges against each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from acumen.defaults import MOST_RATERS
from acumen.inference.sums import Estimate
from acumen.metrics.registry import Kind
from acumen.raters import agreement
from acumen.raters.alt_test import Duels, Rule, hold
from acumen.raters.bias import Beside, bias_of
from acumen.raters.panel import Panel
from acumen.raters.reading import Ints, Ratings
from acumen.results.raters import Judge, JudgeDelta, Pair, Rater
from acumen.table.judgments import NO_TRUTH, Judgments
from acumen.values.measured import Measured


@dataclass(frozen=True, eq=False)
class Study:
    """The people's ratings, who of them is looked at one by one, and how."""

    people: Panel
    ones: Sequence[int]
    """People by code: all, or those who rated most."""
    rule: Rule

    @classmethod
    def of(cls, people: Panel, rule: Rule) -> Study:
        """Of all people, or those who rated most where there are very many."""
        ratings = people.counts.sum(axis=1)
        busiest = np.argsort(-ratings, kind="stable")[:MOST_RATERS]
        return cls(people, sorted(busiest[ratings[busiest] > 0].tolist()), rule)

    def units_of(self, code: int) -> Panel:
        """All ratings of the units that a person rated."""
        return self.people.take((self.people.by(code) >= 0)[self.people.unit])

    def alpha(self, before: Panel, after: Panel) -> Estimate:
        """Alpha of the people where the ratings of some units are others."""
        pairs = self.people.meetings.pairs - before.meetings.pairs + after.meetings.pairs
        return self.people.estimate(pairs, agreement.alpha_of(self.rule.score, self.people.ranks))


def judge_of(study: Study, answer: Ints, beside: Beside) -> Judge:
    """Everything that is measured of a judge."""
    people, rule = study.people, study.rule
    level, several, answered = rule.confidence_level, people.per_unit > 1, answer >= 0
    rated = np.flatnonzero(several)
    shared = people.take((several & answered)[people.unit])
    units, _, far = shared.gap(answer)
    replacement, replaced = _replacement(study, answer)
    silent = not answered[rated].all()
    return Judge(
        units=len(rated),
        answered=len(units),
        coverage=people.mean(rated, answered[rated]).measured(Kind.PROPORTION, level),
        alt_test=hold(people, answer, rule),
        alt_test_charged=hold(people, answer, rule, charged=True) if silent else None,
        risk=people.mean(units, far).measured(Kind.RISK, level),
        noise_floor=agreement.floor(shared).measured(Kind.RISK, level),
        replacement=replacement.measured(Kind.CORRELATION, level),
        replaced=replaced.measured(Kind.CORRELATION, level),
        replacement_delta=replacement.minus(replaced, level),
        bias=bias_of(people, answer, beside, level),
    )


def _replacement(study: Study, answer: Ints) -> tuple[Estimate, Estimate]:
    """Alpha with the judge in a person's place and with the person, mean over the people.

    Where the judge did not answer, the person's rating is in neither.
    """
    with_judge, with_person = [], []
    for code in study.ones:
        before = study.units_of(code)
        held = before.take((before.rater != code) | (answer[before.unit] >= 0))
        level = np.where(held.rater == code, answer[held.unit], held.level)
        with_judge.append(study.alpha(before, replace(held, level=level)))
        with_person.append(study.alpha(before, held))
    return Estimate.mean(with_judge), Estimate.mean(with_person)


def beside_raters(table: Judgments, level: float) -> dict[str, Measured]:
    """Alpha with the answers in a rater's place, and of the raters of these truths themselves."""
    if table.rater is None:
        return {}
    rated = np.flatnonzero(table.truth != NO_TRUTH)
    rows = np.append(rated, once := np.flatnonzero(table.answered & table.once))
    names = (*map(str, table.rater.values), "")
    rater = np.append(table.rater.codes[rated], np.full(len(once), judge := len(names) - 1))
    rank = np.append(table.truth[rated], table.prediction[once]).astype(np.int64)
    panel = Panel.of(Ratings(np.unique(rank), table, names, rater, rank, rows).first)
    study = Study.of(panel.without(judge), Rule(confidence_level=level))
    if not (study.people.per_unit > 1).any():
        return {}
    replacement, raters = _replacement(study, panel.by(judge))
    estimates = {"replacement_alpha": replacement, "raters_alpha": raters}
    return {key: e.measured(Kind.CORRELATION, level) for key, e in estimates.items()}


def rater_of(study: Study, code: int, counts: Ints) -> Rater:
    """One person among the others.

    Whoever stands out lowers alpha, at the level of all people together: those whom an outlier
    makes look strict do not.
    """
    people, level = study.people, study.rule.confidence_level
    apart = 1 - (1 - level) / len(study.ones)
    before = study.units_of(code)
    others = before.without(code)
    units, signed, far = others.gap(before.by(code))
    leniency = people.mean(units, signed)
    whole, without = agreement.alpha(people, study.rule.score), study.alpha(before, others)
    lower = leniency.measured(Kind.REAL, apart).interval
    raises = without.minus(whole, apart).interval
    stands_out: Any = None
    if raises is not None and raises.is_reliable and raises.low > 0:
        is_steady = lower is not None and lower.is_reliable and not lower.has_zero
        word = "lenient" if leniency.value > 0 else "strict"
        stands_out = word if is_steady else "disagrees"
    levels = np.zeros(people.scale_size, np.int64)
    levels[people.ranks] = counts
    return Rater(
        ratings=int(counts.sum()),
        levels=levels.tolist(),
        units_shared=len(units),
        distance=people.mean(units, far).measured(Kind.RISK, level),
        leniency=leniency.measured(Kind.REAL, level),
        alpha_without=without.minus(whole, level),
        stands_out=stands_out,
    )


def pair_of(panel: Panel, one: int, other: int, level: float) -> Pair:
    """The quadratic kappa of two raters."""
    confusion = panel.confusion(panel.by(one), panel.by(other))
    kappa = agreement.kappa(panel.weighed(confusion), panel.ranks)
    reason = "they share no unit, or both give one level only"
    return Pair(
        one=panel.raters[one],
        other=panel.raters[other],
        units=int(confusion.sum()),
        kappa=kappa.measured(Kind.CORRELATION, level, reason),
    )


def difference(study: Study, names: tuple[str, str], answers: tuple[Ints, Ints]) -> JudgeDelta:
    """Two judges on the units that both answered."""
    people, rule = study.people, study.rule
    both = (answers[0] >= 0) & (answers[1] >= 0) & (people.per_unit > 1)
    shared = people.take(both[people.unit])
    gaps = [shared.gap(answer) for answer in answers]
    duels = [Duels.of(shared, answer, rule.score) for answer in answers]
    risks = [people.mean(units, far) for units, _, far in gaps]
    advantages = [duel.advantage(duel.many(rule.fewest_instances)) for duel in duels]
    return JudgeDelta(
        left=names[0],
        right=names[1],
        units=int(both.sum()),
        risk=risks[1].minus(risks[0], rule.confidence_level),
        advantage=advantages[1].minus(advantages[0], rule.confidence_level),
    )
