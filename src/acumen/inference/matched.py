r"""Systems that abstain differently, at the coverage that all of them reach.

Who answers less errs less, so an area up to one's own coverage rewards abstaining. Here both
answer as much: :math:`R_S(c)` is the mean loss of the surest :math:`cN` of all N rows of a system,
a tie entering in proportion, and :math:`c^* = \min(c_{max,A}, c_{max,B})`, found anew in every
leave-one-out. The right side is better only if both

.. math:: R_{right}(c^*) - R_{left}(c^*) \quad\text{and}\quad
          R_{right}(c^*) - R_{left}(c_{max,left})

lie below 0 (for the left side mirrored). The second is the guard: where a confidence ranks worse
than chance, being cut to fewer answers does harm that silence at random does not. Both must hold,
so no correction is needed (Berger 1982, Technometrics 24). The intervals are paired jackknife-t.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from acumen.defaults import COVERAGE_TOLERANCE, FEWEST_CASES
from acumen.errors import UsageError
from acumen.inference.distributions import t_cdf
from acumen.inference.fragile import of_claim
from acumen.inference.infer import marked, one_of, weighed
from acumen.inference.influence import with_items
from acumen.inference.intervals import default_interval
from acumen.inference.jackknife import ROUNDING, Jackknife
from acumen.inference.options import Options
from acumen.inference.ranks import Family, reaches
from acumen.inference.resample import LeaveOut, plan_resamples, replicate
from acumen.metrics.registry import Kind
from acumen.results.metrics import Matched
from acumen.types import Floats
from acumen.values.measured import Absence, Delta, Interval, NoInterval, finite
from acumen.views.ranking import Ranking
from acumen.views.weights import CaseWeights, tie_of_row


@dataclass(frozen=True, eq=False)
class Matching:
    """Several systems at the coverage all of them reach: the risks, and without each case."""

    rankings: Sequence[Ranking]
    options: Options
    most: float
    """The largest coverage that is asked for."""

    def risks(self, block: CaseWeights) -> Floats:
        """The coverage of all; each system's risk there; and at all that it answers."""
        totals = [ranking.totals(block) for ranking in self.rankings]
        with np.errstate(invalid="ignore"):
            whole = [total.answered / total.rows for total in totals]
        shared = np.minimum(np.minimum.reduce(whole), self.most)
        at_shared = (ranking.risk_within(block, shared) for ranking in self.rankings)
        at_whole = (r.risk_within(block, c) for r, c in zip(self.rankings, whole, strict=True))
        return np.stack([shared, *at_shared, *at_whole])

    @property
    def n_cases(self) -> int:
        """The cases, which are those of every system."""
        return self.rankings[0].n_cases

    @cached_property
    def once(self) -> Floats:
        """The risks as they are."""
        risks: Floats = self.risks(CaseWeights.once(self.n_cases))[:, 0]
        return risks

    @cached_property
    def left_out(self) -> Floats:
        """The same without each case."""
        if self.n_cases < FEWEST_CASES:
            return np.empty((len(self.once), 0))
        return replicate(self.risks, LeaveOut.of(self.n_cases), threads=self.options.threads)

    @cached_property
    def by_row(self) -> Floats:
        """What every row does to the risks; the coverage itself is left out."""
        weight = self.rankings[0].row_weight
        cuts = [(float(weight @ rows), rows) for *_, rows in (r.columns() for r in self.rankings)]
        asked = self.most * float(weight.sum()), np.full(len(weight), self.most)
        shared = min([*cuts, asked], key=lambda cut: cut[0])
        places = zip([*self.rankings] * 2, [shared] * len(cuts) + cuts, strict=True)
        slopes = (weight * _slope(ranking, *cut) for ranking, cut in places)
        return np.stack([0.0 * weight, *slopes])

    def jackknife(self, place: int, less: int | None = None) -> Jackknife:
        """Of the risk at a place, or of its difference from that at another."""

        def of(values: Floats) -> Floats:
            return np.asarray(values[place] - (0.0 if less is None else values[less]))

        jackknife = Jackknife.of(of(self.left_out), self.n_cases)
        if self.options.items == "fixed" or not jackknife.n:
            return jackknife
        return with_items(jackknife, self.rankings[0], of(self.by_row))

    def contrast(self, a: int, b: int) -> Delta:
        """The risk at one place minus that at another, and the p-value that agrees with it."""
        left, right, level = float(self.once[a]), float(self.once[b]), self.options.confidence_level
        value, p_value, jackknife = right - left, None, self.jackknife(b, a)
        sides: dict[str, Any] = {"left": finite(left), "right": finite(right), "better": "lower"}
        if math.isnan(value):
            none = NoInterval(why=Absence.NO_VALUE)
            return Delta(delta=None, reason="a side answers nothing", no_interval=none, **sides)
        interval = default_interval(Kind.REAL, value, jackknife, level=level)
        if isinstance(interval, Interval) and interval.standard_error == 0.0:
            interval = NoInterval(why=Absence.NO_VARIATION)
        if isinstance(interval, Interval):
            interval = marked(interval.within((-self.worst, self.worst)), jackknife.cases)
            interval = weighed(interval, self.rankings[0], jackknife)
            p_value = 2.0 * t_cdf(jackknife.degrees, -abs(value) / jackknife.standard_error)
        return Delta(delta=value, p_value=p_value, **sides, **one_of(interval))

    @cached_property
    def worst(self) -> float:
        """The largest risk there can be."""
        return max(ranking.most_loss * ranking.unit for ranking in self.rankings)

    def pair(self, left: int, right: int) -> Matched:
        """Two of the systems compared."""
        difference = self.contrast(1 + left, 1 + right)
        guard = self.contrast(*self.guard(left, right))
        agree = (difference.delta or 0.0) * (guard.delta or 0.0) > 0.0
        p_values = [d.p_value for d in (difference, guard) if d.p_value is not None]
        return Matched(
            coverage=finite(self.once[0]) or 0.0,
            left=difference.left,
            right=difference.right,
            difference=difference,
            guard=guard,
            p_value=None if len(p_values) < 2 else max(p_values) if agree else 1.0,
        )

    def guard(self, left: int, right: int) -> tuple[int, int]:
        """The places of the guard: the system that looks worse, at all that it answers."""
        whole = 1 + len(self.rankings)
        if self.once[1 + right] < self.once[1 + left]:
            return whole + left, 1 + right
        return 1 + left, whole + right

    def family(self, pairs: Sequence[tuple[int, int]]) -> Family:
        """How far differences and guards of pairs stray together: the further of the two."""
        options, degrees = self.options, math.inf
        if options.items != "fixed":
            degrees = min(self.jackknife(1 + b, 1 + a).degrees for a, b in pairs)
        if len(pairs) < 2 or self.n_cases < FEWEST_CASES or not options.resamples:
            return Family(len(pairs), degrees=degrees)
        plan = plan_resamples(self.n_cases, options.resamples, options.seed, options.weights)
        values = replicate(self.risks, plan, threads=options.threads)
        families = (
            Family.of(values, self.once, places)
            for places in (
                [(1 + a, 1 + b) for a, b in pairs],
                [self.guard(a, b) for a, b in pairs],
            )
        )
        worst = max(families, key=lambda family: family.stretch(options.confidence_level))
        return replace(worst, degrees=degrees)


def with_fragility(matched: Matched, worst: float, cases: int, level: float) -> Matched:
    """The same with how little would undo what it claims, if it claims anything."""
    if matched.favours is None:
        return matched
    numbers = {"p_value": matched.p_value, "p_adjusted": matched.p_adjusted}
    both = [d.model_copy(update=numbers) for d in (matched.difference, matched.guard)]
    return matched.model_copy(update={"fragility": of_claim(both, worst, cases, level)})


def decide(matched: Matched, family: Family, level: float, worst: float = math.inf) -> Matched:
    """A pair among those of its family, its intervals wide enough to hold with theirs."""
    deltas = {"difference": matched.difference, "guard": matched.guard}
    known = [(d.interval, d.delta) for d in deltas.values() if d.interval and d.delta is not None]
    if matched.p_value is None or len(known) < 2:
        return matched.decided(matched.p_value, 1.0 - level)
    far = min(reaches(interval, value) for interval, value in known)
    far = family.of_normal(far, level) if matched.p_value < 1.0 else 0.0
    p_adjusted = family.adjusted(matched.p_value, far)
    wider = {
        name: delta.model_copy(update={"interval": family.widened(*of).within((-worst, worst))})
        for (name, delta), of in zip(deltas.items(), known, strict=True)
    }
    return matched.model_copy(update=wider).decided(p_adjusted, 1.0 - level)


def match(
    rankings: Sequence[Ranking],
    options: Options = Options(),  # noqa: B008  (frozen)
    coverage: float | None = None,
) -> Matching:
    """Systems at the coverage all reach, or at one that is asked for and that all reach."""
    matching = Matching(rankings, options, 1.0 if coverage is None else coverage)
    if coverage is not None and matching.once[0] < coverage - COVERAGE_TOLERANCE:
        raise UsageError(
            f"a matched coverage of {coverage:g} is more than all systems answer: "
            f"{matching.once[0]:.4g}"
        )
    return matching


def compare_matched(
    left: Ranking,
    right: Ranking,
    options: Options = Options(),  # noqa: B008  (frozen)
    coverage: float | None = None,
) -> Matched:
    """The risks of two systems at the coverage both reach, or at one that is asked for.

    >>> from acumen.views.ranking import rank
    >>> a = rank([0, 1, 0, 2, 0, 1], [5, 5, 4, 3, 3, 1])
    >>> b = rank([1, 1, 0, 0, 0, 0], [2, 1, 1, 0, 0, 0], [True] * 3 + [False] * 3)
    >>> both = compare_matched(a, b)
    >>> both.coverage, round(both.left, 7), round(both.right, 7)
    (0.5, 0.3333333, 0.6666667)
    """
    return match([left, right], options, coverage).pair(0, 1)


def _slope(ranking: Ranking, accepted: float, along: Floats) -> Floats:
    """Slope of the risk of so much accepted weight along every row; ``along`` is how that moves."""
    tie, weight = tie_of_row(ranking.ends), ranking.row_weight[ranking.order]
    size, lost = (np.bincount(tie, weight * part) for part in (1.0, ranking.loss))
    inside = np.clip((accepted - size.cumsum() + size) / np.maximum(size, ROUNDING), 0.0, 1.0)
    last = int(np.searchsorted(size.cumsum(), accepted * (1.0 - ROUNDING)))
    margin, risk = lost[last] / size[last], float(inside @ lost) / accepted
    moves = (margin - risk) * along  # an accepted row drives others out at the margin
    moves[ranking.order] += inside[tie] * (ranking.loss - margin)
    return np.asarray(moves * ranking.unit / accepted)
