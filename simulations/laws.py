"""Laws of judges: pairs of systems on the same cases, with levels, so that any metric can be asked.

What a case is like (how hard, how large, who falls silent on it) is drawn once; then each system
errs, doubts and abstains by itself. Two systems of one law are exchangeable.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from acumen.views.confusion import Confusion, confuse
from acumen.views.ranking import Ranking, rank
from acumen.views.severity import SeverityRanking, rank_severity

Beta = tuple[float, float]


@dataclass(frozen=True)
class Law:
    """How a case and a judge of it come about."""

    name: str
    about: str
    error: Beta = (0.3, 0.9)
    """A case's share of wrong judgments is a draw from this beta distribution."""
    items: tuple[int, int] = (8, 8)
    """Fewest and most items of a case; between them, by a lognormal."""
    answers: Beta | None = (18.0, 2.0)
    """A case's share of answered items, drawn for each system anew; None: all are answered."""
    levels: int = 4
    tail: float = 3.0
    """The tail of how far off a wrong judgment is; smaller is heavier."""
    insight: float = 1.0
    """How far confidence falls, in its standard deviations, where a judgment is wrong."""
    ties: tuple[float, ...] = ()
    """Cut points of the confidence; empty for a continuous one."""
    giants: float = 0.0
    """Share of the cases with 120 items, that err more."""
    collapse: float = 0.0
    """Share of the cases that are wrong throughout, by far, and confident."""
    rare_top: bool = False
    """Whether the highest level is the truth of few rows."""

    def with_errors(self, factor: float) -> Law:
        """The law of a judge that errs so many times as often, whatever the case."""
        a, b = self.error
        mean = factor * a / (a + b)
        return replace(self, error=(mean * (a + b), (1 - mean) * (a + b)))


@dataclass(frozen=True)
class Cases:
    """The cases of one study, the same for both systems."""

    hardness: NDArray[Any]
    """Where in the distribution of error a case stands, in (0, 1)."""
    case: NDArray[Any]
    """The case of each row."""
    truth: NDArray[Any]
    giant: NDArray[np.bool_]
    collapse: NDArray[np.bool_]


@dataclass(frozen=True)
class Rows:
    """What one system said of every row."""

    cases: Cases
    prediction: NDArray[Any]
    confidence: NDArray[Any]
    answered: NDArray[np.bool_]
    levels: int

    def ranking(self) -> Ranking:
        """By falling confidence."""
        loss = np.abs(self.prediction - self.cases.truth)
        return rank(loss, self.confidence, self.answered, most_loss=self.levels - 1, **self._cases)

    def confusion(self, among: NDArray[np.bool_]) -> Confusion:
        """Truth against prediction, on some of the rows."""
        prediction = np.where(among, self.prediction, -1)
        return confuse(self.cases.truth, prediction, levels=self.levels, **self._cases)

    def severity(self, among: NDArray[np.bool_]) -> SeverityRanking:
        """By falling predicted level, on some of the rows."""
        truth, levels = self.cases.truth, self.levels
        return rank_severity(truth, self.prediction, among, levels=levels, **self._cases)

    def silenced(self, rng: np.random.Generator, share: float, *, by_case: bool) -> Rows:
        """The same system, made silent at random on a share of its rows, or of its cases."""
        n = len(self.cases.hardness)
        if by_case:
            open_cases = rng.permutation(n) < round(share * n)
            return replace(self, answered=self.answered & ~open_cases[self.cases.case])
        return replace(self, answered=self.answered & (rng.random(len(self.answered)) >= share))

    @property
    def _cases(self) -> dict[str, Any]:
        return {"case": self.cases.case, "n_cases": len(self.cases.hardness)}


def draw_cases(law: Law, rng: np.random.Generator, n: int) -> Cases:
    """The cases of a study."""
    fewest, most = law.items
    size = np.full(n, fewest)
    if most > fewest:
        size = np.clip(np.round(np.exp(rng.normal(1.8, 0.9, n))), fewest, most).astype(int)
    giant = rng.random(n) < law.giants
    size[giant] = 120
    case = np.repeat(np.arange(n), size)
    chance = np.full(law.levels, 1 / law.levels)
    if law.rare_top:
        chance = np.array([0.5, 0.3, 0.16, 0.04])
    truth = rng.choice(law.levels, len(case), p=chance)
    return Cases(rng.random(n), case, truth, giant, rng.random(n) < law.collapse)


def judge(law: Law, cases: Cases, rng: np.random.Generator) -> Rows:
    """One system's judgments of the cases."""
    from scipy.special import betaincinv

    chance = betaincinv(*law.error, cases.hardness)
    chance = np.where(cases.giant, 0.5 + 0.5 * chance, chance)[cases.case]
    lost = cases.collapse[cases.case]
    wrong = (rng.random(len(cases.case)) < chance) | lost
    off = np.minimum(np.ceil(rng.pareto(law.tail, len(wrong)) * 1.2), law.levels - 1).astype(int)
    off = np.where(lost, law.levels - 1, np.maximum(off, 1))
    side = np.where(rng.random(len(wrong)) < 0.5, -1, 1)
    there = cases.truth + side * off
    inside = (there >= 0) & (there < law.levels)
    there = np.where(inside, there, cases.truth - side * off)
    prediction = np.where(wrong, np.clip(there, 0, law.levels - 1), cases.truth)
    prediction = np.where(wrong & (prediction == cases.truth), (prediction + 1) % law.levels,
                          prediction)  # fmt: skip
    doubt = law.insight * (wrong & ~lost)
    confidence = rng.standard_normal(len(wrong)) - doubt
    if law.ties:
        confidence = np.digitize(confidence, law.ties).astype(float)
    answered = np.ones(len(wrong), np.bool_)
    if law.answers is not None:
        share = rng.beta(*law.answers, len(cases.hardness))
        answered = rng.random(len(wrong)) < share[cases.case]
    return Rows(cases, prediction, confidence, answered, law.levels)


def draw_pair(laws: Sequence[Law], rng: np.random.Generator, n: int) -> tuple[Rows, Rows]:
    """Two systems on the same cases, each by its own law."""
    cases = draw_cases(laws[0], rng, n)
    return judge(laws[0], cases, rng), judge(laws[-1], cases, rng)


LAWS: Final = {
    law.name: law
    for law in (
        Law("beta", "a case's errors are beta-binomial"),
        Law("ties", "four confidences", error=(0.8, 1.8), ties=(-0.8, 0.0, 0.8)),
        Law("rare errors", "5% errors", error=(0.5, 9.5), answers=None),
        Law("mostly silent", "three quarters of the rows are left open", answers=(0.6, 1.8)),
        Law("two items", "two items a case", error=(0.6, 1.4), items=(2, 2)),
        Law("unequal", "1 to 40 items a case", error=(0.6, 1.4), items=(1, 40)),
        Law("heavy tail", "0 to 10, losses with a heavy tail", levels=11, tail=1.2, items=(6, 6)),
        Law("adverse", "surer where it is wrong", insight=-1.0),
        Law("giants", "5% of the cases hold 120 items", items=(4, 4), giants=0.05),
        Law("collapse", "10% of the cases are wrong throughout", error=(0.2, 9.8), collapse=0.1),
        Law("agreement", "kappa near .9, a rare level", error=(0.5, 9.5), items=(5, 5),
            rare_top=True),
    )
}  # fmt: skip
