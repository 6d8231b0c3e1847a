r"""Two systems that abstain differently, at the coverage that both reach.

Who answers less errs less, so an area up to one's own coverage rewards silence. Here both answer as
much: :math:`R_S(c)` is the mean loss of the surest :math:`cN` of all N rows of a system, a tie
entering in proportion, and :math:`c^* = \min(c_{max,A}, c_{max,B})`, found anew in every
leave-one-out. The right side is better only if both

.. math:: R_{right}(c^*) - R_{left}(c^*) \quad\text{and}\quad
          R_{right}(c^*) - R_{left}(c_{max,left})

lie below 0 (for the left side mirrored). The second is the guard: where a confidence ranks worse
than chance, being cut to fewer answers does harm that silence at random does not. Both must hold,
so no correction is needed (Berger 1982, Technometrics 24). The intervals are paired jackknife-t.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from acumen.defaults import FEWEST_CASES
from acumen.errors import UsageError
from acumen.inference.infer import marked, one_of
from acumen.inference.intervals import default_interval
from acumen.inference.jackknife import Jackknife
from acumen.inference.options import Options
from acumen.inference.resample import LeaveOut, replicate
from acumen.metrics.registry import Kind
from acumen.results.measured import Absence, Delta, Interval, NoInterval, finite
from acumen.results.metrics import Matched
from acumen.types import Floats
from acumen.views.ranking import COVERAGE_TOLERANCE, Ranking
from acumen.views.weights import CaseWeights


@dataclass(frozen=True, slots=True)
class _Risks:
    """Coverage and risks of the two sides, one value a weighting."""

    coverage: Floats
    left: Floats
    right: Floats
    left_whole: Floats
    """At the largest coverage of this side."""
    right_whole: Floats

    def sides(self) -> tuple[tuple[Floats, Floats], ...]:
        """Left and right: at the coverage of both; and with one side at all that it answers."""
        guards = (self.left_whole, self.right), (self.left, self.right_whole)
        return (self.left, self.right), *guards

    def contrasts(self) -> Floats:
        """Right − left of these."""
        return np.stack([right - left for left, right in self.sides()])


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
    once = _risks(left, right, CaseWeights.once(left.n_cases), coverage)
    reached = float(once.coverage[0])
    if coverage is not None and reached < coverage - COVERAGE_TOLERANCE:
        raise UsageError(
            f"a matched coverage of {coverage:g} is more than both sides answer: {reached:.4g}"
        )
    left_out = np.empty((3, 0))
    if left.n_cases >= FEWEST_CASES:

        def statistic(block: CaseWeights) -> Floats:
            return _risks(left, right, block, coverage).contrasts()

        left_out = replicate(statistic, LeaveOut.of(left.n_cases), threads=options.threads)
    difference, *guards = (
        _delta(float(a[0]), float(b[0]), Jackknife.of(row, left.n_cases), options)
        for (a, b), row in zip(once.sides(), left_out, strict=True)
    )
    guard = guards[0] if (difference.delta or 0.0) < 0.0 else guards[1]
    agree = (difference.delta or 0.0) * (guard.delta or 0.0) > 0.0
    p_values = [d.p_value for d in (difference, guard) if d.p_value is not None]
    return Matched(
        coverage=reached,
        left=difference.left,
        right=difference.right,
        difference=difference,
        guard=guard,
        p_value=None if len(p_values) < 2 else max(p_values) if agree else 1.0,
    )


def _risks(left: Ranking, right: Ranking, block: CaseWeights, coverage: float | None) -> _Risks:
    whole = []
    for side in (left, right):
        totals = side.totals(block)
        with np.errstate(divide="ignore", invalid="ignore"):
            whole.append(totals.answered / totals.rows)
    both = np.minimum(*whole)
    if coverage is not None:
        both = np.minimum(both, coverage)
    at_both = (side.risk_within(block, both) for side in (left, right))
    at_whole = (side.risk_within(block, c) for side, c in zip((left, right), whole, strict=True))
    return _Risks(both, *at_both, *at_whole)


def _delta(left: float, right: float, jackknife: Jackknife, options: Options) -> Delta:
    """A contrast with its interval, and the p-value that agrees with it."""
    value = right - left
    sides: dict[str, Any] = {"left": finite(left), "right": finite(right), "better": "lower"}
    if math.isnan(value):
        none = NoInterval(why=Absence.NO_VALUE)
        return Delta(delta=None, reason="a side answers nothing", no_interval=none, **sides)
    error, p_value = jackknife.standard_error if jackknife.n else 0.0, None
    interval = default_interval(Kind.REAL, value, jackknife, level=options.confidence_level)
    if isinstance(interval, Interval) and error == 0.0:
        interval = NoInterval(why=Absence.NO_VARIATION)
    if isinstance(interval, Interval):
        from scipy.special import stdtr

        interval = marked(interval, jackknife.cases)
        p_value = 2.0 * float(stdtr(jackknife.degrees, -abs(value) / error))
    return Delta(delta=value, p_value=p_value, **sides, **one_of(interval))
