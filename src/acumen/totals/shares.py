"""A share of cases, each of which counts once: Wilson's interval."""

from __future__ import annotations

import math

from acumen.defaults import CONFIDENCE_LEVEL
from acumen.inference.distributions import normal_quantile
from acumen.inference.infer import marked
from acumen.inference.intervals import WILSON
from acumen.inference.replicates import between
from acumen.values.measured import Interval, Measured


def share(hits: int, of: int, reason: str, level: float = CONFIDENCE_LEVEL) -> Measured:
    """So many of so many cases, with Wilson's interval; ``reason`` is why there may be none.

    >>> low, high = share(8, 10, "").interval.ends
    >>> print(f"{low:.6f}–{high:.6f}")
    0.490162–0.943318
    """
    if not of:
        return Measured(value=None, reason=reason)
    return Measured(value=hits / of, interval=marked(wilson(hits, of, level), of))


def wilson(hits: int, of: int, level: float = CONFIDENCE_LEVEL) -> Interval:
    r"""The score interval of a share of independent cases (Wilson 1927).

    .. math:: \frac{p + z^2/2n \pm z \sqrt{p(1-p)/n + z^2/4n^2}}{1 + z^2/n}
    """
    p, z = hits / of, normal_quantile((1 + level) / 2)
    middle = p + z * z / (2 * of)
    reach = z * math.sqrt(p * (1 - p) / of + z * z / (4 * of * of))
    scale = 1 + z * z / of
    # exactly, where rounding would miss it
    low = (middle - reach) / scale if hits else 0.0
    high = (middle + reach) / scale if hits < of else 1.0
    return between(low, high, WILSON, level, math.sqrt(p * (1 - p) / of))
