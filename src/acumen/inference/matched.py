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

    def risks(block: CaseWeights) -> Floats:
        """The coverage of both; each side's risk there; and at all that it answers."""
        totals = [side.totals(block) for side in (left, right)]
        with np.errstate(invalid="ignore"):
            whole = [total.answered / total.rows for total in totals]
        both = np.minimum(np.minimum(*whole), 1.0 if coverage is None else coverage)
        at_both = (side.risk_within(block, both) for side in (left, right))
        at_whole = (
            side.risk_within(block, c) for side, c in zip((left, right), whole, strict=True)
        )
        return np.stack([both, *at_both, *at_whole])

    once = risks(CaseWeights.once(left.n_cases))
    reached = float(once[0, 0])
    if coverage is not None and reached < coverage - COVERAGE_TOLERANCE:
        raise UsageError(
            f"a matched coverage of {coverage:g} is more than both sides answer: {reached:.4g}"
        )
    left_out = np.empty((len(once), 0))
    if left.n_cases >= FEWEST_CASES:
        left_out = replicate(risks, LeaveOut.of(left.n_cases), threads=options.threads)

    def contrast(a: int, b: int) -> Delta:
        jackknife = Jackknife.of(left_out[b] - left_out[a], left.n_cases)
        return _delta(float(once[a, 0]), float(once[b, 0]), jackknife, options)

    difference = contrast(1, 2)
    guard = contrast(3, 2) if (difference.delta or 0.0) < 0.0 else contrast(1, 4)
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
