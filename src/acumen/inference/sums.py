"""Any number that is a function of sums over cases, with its interval.

Agreement, risks, slopes: each is a function of what the cases add up to. Leaving a case out takes
its part off the sum, so one call of the function gives the estimate and all of its jackknife.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from acumen.inference.infer import marked, one_of
from acumen.inference.intervals import default_interval, plain
from acumen.inference.jackknife import Jackknife
from acumen.inference.replicates import too_few_cases
from acumen.metrics.registry import Kind
from acumen.types import Floats
from acumen.values.measured import Absence, Delta, Interval, Measured, NoInterval, finite

Statistic = Callable[[Floats], Any]
"""Sums ``(weighting, …)`` -> one value a weighting, NaN where it is undefined."""
NO_VALUE: Final = "there is nothing to compare"


@dataclass(frozen=True, eq=False)
class Estimate:
    """A value, and the values without each block of cases."""

    value: float
    left_out: Floats
    present: NDArray[np.bool_]
    """Which blocks of cases have a part in it."""

    @classmethod
    def of(cls, sums: NDArray[Any], statistic: Statistic) -> Estimate:
        """From what each block of cases adds: ``(block, …)``.

        >>> Estimate.of(np.array([[2.0, 1], [4, 1]]), lambda s: s[:, 0] / s[:, 1]).left_out
        array([4., 2.])
        """
        total = sums.sum(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            values = statistic(np.concatenate([total[None], total - sums]))
        values = np.where(np.isfinite(values), values, np.nan)
        present = np.asarray(sums.any(axis=tuple(range(1, sums.ndim))))
        return cls(float(values[0]), values[1:], present)

    @classmethod
    def mean(cls, estimates: Sequence[Estimate]) -> Estimate:
        """The mean of some."""
        return cls(
            float(np.mean([e.value for e in estimates])),
            np.mean([e.left_out for e in estimates], axis=0),
            np.any([e.present for e in estimates], axis=0),
        )

    def measured(self, kind: Kind, level: float, reason: str = NO_VALUE) -> Measured:
        """The value with its interval, on the scale that suits its kind."""
        if np.isnan(self.value):
            return Measured(value=None, reason=reason)
        interval = _sound(
            self._jackknife(), lambda j: default_interval(kind, self.value, j, level=level)
        )
        return Measured(value=self.value, **one_of(interval))

    def minus(self, other: Estimate, level: float) -> Delta:
        """This minus the other, paired by case; the plain jackknife-t of the difference."""
        sides: dict[str, Any] = {"left": finite(other.value), "right": finite(self.value)}
        difference = self.value - other.value
        if np.isnan(difference):
            return Delta(delta=None, reason=NO_VALUE, **sides)
        both = Estimate(difference, self.left_out - other.left_out, self.present | other.present)
        interval = _sound(both._jackknife(), lambda j: plain(difference, j).at(level))
        return Delta(delta=difference, **sides, **one_of(interval))

    def _jackknife(self) -> Jackknife:
        return Jackknife.of(self.left_out[self.present])


def _sound(
    jackknife: Jackknife, interval: Callable[[Jackknife], Interval | NoInterval]
) -> Interval | NoInterval:
    """The interval, if there are cases enough for one, with a flag where they are few."""
    if jackknife.n < 2:
        return too_few_cases(jackknife.cases)
    ends = interval(jackknife)
    if isinstance(ends, Interval) and ends.low == ends.high:
        return NoInterval(why=Absence.NO_VARIATION)
    return marked(ends, jackknife.cases) if isinstance(ends, Interval) else ends


def by_block(block: NDArray[np.int64], n_blocks: int, *columns: NDArray[Any]) -> Floats:
    """Sums of columns over the rows of each block: ``(block, column)``."""
    sums = [np.bincount(block, column, n_blocks) for column in columns]
    return np.stack(sums, axis=1).astype(np.float64)


def quotient(sums: Floats) -> Floats:
    """The first sum over the second: a mean, a share, a rate."""
    ratio: Floats = sums[:, 0] / sums[:, 1]
    return ratio
