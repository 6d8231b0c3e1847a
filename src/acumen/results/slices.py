"""For whom: the numbers within a group of rows, as they lie in the metrics artifact."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import Field

from acumen.defaults import RELIABLE_CASES
from acumen.results.measured import Delta, Interval, Measured, Model


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


@dataclass(frozen=True)
class Slices(Sequence[Slice]):
    """The groups of a column, or of two crossed; a row a metric in :meth:`records`."""

    slices: tuple[Slice, ...]

    def __getitem__(self, at: Any) -> Any:
        """By place, or by the name of the group."""
        if not isinstance(at, str):
            return self.slices[at]
        try:
            return next(part for part in self.slices if part.group == at)
        except StopIteration:
            raise KeyError(at) from None

    def __len__(self) -> int:
        return len(self.slices)

    def records(self) -> list[dict[str, Any]]:
        """One record a group and metric, its difference to the rest beside it."""
        return [record for part in self.slices for record in _records(part)]

    def to_frame(self, backend: Any = None) -> Any:
        """The records as a dataframe."""
        from acumen.results.frames import frame_of

        return frame_of(self.records(), backend)


def _records(part: Slice) -> Iterator[dict[str, Any]]:
    for metric, measured in part.metrics.items():
        low, high = measured.ends
        delta = part.difference.get(metric, Delta(delta=None))
        difference_low, difference_high = delta.ends
        yield {
            "by": ",".join(part.by),
            "group": part.group,
            "input": part.input,
            "cases": part.cases,
            "rows": part.rows,
            "confidence": part.confidence,
            "metric": metric,
            "value": measured.value,
            "low": low,
            "high": high,
            "difference": delta.delta,
            "difference_low": difference_low,
            "difference_high": difference_high,
            "p_value": delta.p_value,
            "p_adjusted": delta.p_adjusted,
            "worst": metric in part.worst,
        }
