r"""How far totals are off: mean errors, limits of agreement, ICC and concordance.

Each is a function of sums over cases, so each has its jackknife. With :math:`d = \hat t - t`:

.. math:: \text{limits} = \bar d \pm 1.96\, s_d, \quad
          CCC = \frac{2 s_{xy}}{s_x^2 + s_y^2 + (\bar x - \bar y)^2}

with n under the variances of the CCC (Lin 1989), n − 1 under that of the limits (Bland and Altman
1986).
"""

from __future__ import annotations

from typing import Final, TypeVar

import numpy as np

from acumen.inference.sums import Estimate, quotient
from acumen.metrics.pairs import Z, ccc, icc_of, limit, spread
from acumen.metrics.registry import Kind
from acumen.results.totals import ErrorPart, Prorating
from acumen.totals.formula import Mask
from acumen.totals.shares import share
from acumen.totals.sums import Sums
from acumen.types import Floats
from acumen.values.measured import Delta, Measured

M = TypeVar("M", Measured, Delta)

TOO_FEW: Final = "fewer than two cases have a total, or nothing varies"
NO_TOTAL: Final = "no case has a total"


def error_of(sums: Sums, rows: Mask, level: float) -> ErrorPart:
    """What is measured of the totals of some cases against their truth."""
    own, truth = sums.total[rows], sums.truth[rows]
    estimates = estimates_of(own, truth)
    kinds = {"mae": Kind.RISK, "icc": Kind.GAIN, "ccc": Kind.CORRELATION}
    measures = {
        name: estimate.measured(kinds.get(name, Kind.REAL), level, TOO_FEW)
        for name, estimate in estimates.items()
    }
    measures |= {name: within(measures[name], sums.formula.span) for name in ("mae", "bias", "sd")}
    equal = int((own == truth).sum())
    return ErrorPart(cases=len(own), exact=share(equal, len(own), NO_TOTAL, level), **measures)


def within(measured: M, most: float) -> M:
    """The same with an interval cut to what it may be: so much at most, either way."""
    if measured.interval is None:
        return measured
    return measured.model_copy(update={"interval": measured.interval.within((-most, most))})


def estimates_of(own: Floats, truth: Floats) -> dict[str, Estimate]:
    """Every measure with the values without each case."""
    off = own - truth
    columns = np.stack([np.ones(len(off)), off, off**2, np.abs(off)], axis=1)
    # from a point amid the totals, so that squares of large numbers do not drown the rest
    middle = truth.mean() if len(truth) else 0.0
    x, y = own - middle, truth - middle
    pairs = np.stack([np.ones(len(x)), (x + y) ** 2, x * x + y * y, x, y], axis=1)
    return {
        "mae": Estimate.of(columns[:, [3, 0]], quotient),
        "bias": Estimate.of(columns[:, [1, 0]], quotient),
        "sd": Estimate.of(columns, spread),
        "lower_limit": Estimate.of(columns, limit(-Z)),
        "upper_limit": Estimate.of(columns, limit(Z)),
        "icc": Estimate.of(pairs, icc_of("icc_a_1", 2)),
        "ccc": Estimate.of(pairs, ccc),
    }


def prorating_of(sums: Sums, level: float) -> Prorating | None:
    """How far prorated totals are off, apart from those of complete cases."""
    if sums.least is None:
        return None
    rows = sums.prorated
    too_few = len(sums) - int(rows.sum()) - int(sums.complete.sum())
    error = error_of(sums, rows, level) if sums.has_truth else None
    complete = error_of(sums, sums.complete, level) if sums.has_truth else None
    return Prorating(
        least=sums.least, cases=int(rows.sum()), too_few=too_few, error=error, complete=complete
    )
