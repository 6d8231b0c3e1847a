"""For whom: the numbers within a group of rows, as they lie in the metrics artifact."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from pydantic import Field

from acumen.defaults import RELIABLE_CASES
from acumen.results.frames import frame_of
from acumen.values.measured import Delta, Interval, Measured, Model

CLAIMED: Final = "total_accuracy"
"""Of which a sentence may claim that a group differs: errors and silence together."""


class Slice(Model):
    """One group of rows of one input."""

    by: list[str] = Field(description="the columns that make the group; two of them are crossed")
    group: str
    input: str
    cases: int
    rows: int
    confidence: str | None = Field(default=None, description="what ranks the rows")
    metrics: dict[str, Measured] = Field(default_factory=dict)
    difference: dict[str, Delta] = Field(
        default_factory=dict,
        description="the group (right) minus the rest (left); p_adjusted is over all groups",
    )
    worst: dict[str, Interval] = Field(
        default_factory=dict,
        description="metrics by which no group of the column is worse, each with an interval that "
        "holds although the group was picked on these very rows",
    )

    @property
    def is_small(self) -> bool:
        """Whether it has too few cases to claim anything of it."""
        return self.cases < RELIABLE_CASES


class Slices(list[Slice]):
    """The groups of a column, or of two crossed."""

    def records(self) -> list[dict[str, Any]]:
        """One record a group and metric, its difference to the rest beside it."""
        return [record for part in self for record in _records(part)]

    def to_frame(self, backend: Any = None) -> Any:
        """The records as a dataframe."""
        return frame_of(self.records(), backend)


def _records(part: Slice) -> Iterator[dict[str, Any]]:
    from acumen.metrics import find_metric

    facts = part.model_dump(include={"group", "input", "cases", "rows", "confidence"})
    for metric, measured in part.metrics.items():
        delta = part.difference.get(metric, Delta(delta=None))
        numbers = (measured.value, *measured.ends, delta.delta, *delta.ends)
        names = ("estimate", "low", "high", "difference", "difference_low", "difference_high")
        record = {"by": ",".join(part.by), **facts, "metric": metric}
        record |= dict(zip(names, numbers, strict=True))
        p_values = {"p_value": delta.p_value, "p_adjusted": delta.p_adjusted}
        known = find_metric(metric)
        unit = None if known is None else known.unit.value
        yield {**record, "unit": unit, **p_values, "worst": metric in part.worst}
