"""How intervals are made."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, Literal, get_args

import numpy as np

from acumen.defaults import (
    CONFIDENCE_LEVEL,
    INTERVAL,
    ITEMS,
    RESAMPLED_ROWS,
    RESAMPLES,
    SEED,
    SWAPS,
)
from acumen.errors import UsageError, printable, what_came

Method = Literal["default", "percentile", "bca"]
METHODS: Final[tuple[Method, ...]] = get_args(Method)
Draws = Literal["multinomial", "poisson"]
Items = Literal["fixed", "random"]


@dataclass(frozen=True, slots=True)
class Options:
    """How intervals are made."""

    resamples: int = RESAMPLES
    seed: int = SEED
    confidence_level: float = CONFIDENCE_LEVEL
    method: Method = INTERVAL
    weights: Draws = "multinomial"
    items: Items = ITEMS
    """Whether the items are the only ones there are, or a sample as the cases are."""
    swaps: int = SWAPS
    """How often two systems are swapped within cases to test a difference."""
    threads: int | None = None
    advance: Callable[[int], None] | None = None
    """Called with the number of resamples done, for who waits."""
    many_rows: bool = False
    """Whether there are no resamples for that reason: nobody asked for any."""

    def __post_init__(self) -> None:
        for name in ("resamples", "seed", "threads"):
            value = getattr(self, name)
            if value is not None and not isinstance(value, int | np.integer):
                raise UsageError(f"{name} must be a whole number, not {what_came(value)}")
            if value is not None:
                object.__setattr__(self, name, int(value))  # a NumPy number could not be written
        if not 0.0 < self.confidence_level < 1.0:
            raise UsageError(
                f"the confidence level must lie between 0 and 1, not {self.confidence_level}"
            )
        if self.resamples < 0:
            raise UsageError(f"the number of resamples cannot be negative: {self.resamples}")
        if self.threads is not None and self.threads < 1:
            raise UsageError(f"the number of threads must be at least 1, not {self.threads}")
        if self.weights not in ("multinomial", "poisson"):
            raise UsageError(f"no weights {self.weights!r}: multinomial or poisson")
        if self.method not in METHODS:
            known = ", ".join(METHODS)
            raise UsageError(f"no interval '{printable(str(self.method))}'; there are {known}")
        if self.items not in get_args(Items):
            raise UsageError(f"items are fixed or random, not '{printable(str(self.items))}'")
        if self.items == "random" and self.method != INTERVAL:
            raise UsageError("random items need the default interval: the others draw cases alone")

    def unasked(self, rows: int) -> Options:
        """The same where nobody said how many resamples: none of many rows that need none."""
        if rows <= RESAMPLED_ROWS or self.method != INTERVAL:
            return self
        return replace(self, resamples=0, many_rows=True)

    def without_resamples(self) -> Options:
        """The same level with the default interval, which needs none."""
        return replace(self, resamples=0, method=INTERVAL, weights="multinomial")
