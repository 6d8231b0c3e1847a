"""Evaluation: the frozen result, ready to be written, framed, printed or shown."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from acumen.errors import UsageError, label
from acumen.files.json import to_json
from acumen.report.words import why_missing
from acumen.results.metrics import (
    MetricsArtifact,
    PairedVariant,
    Variant,
    read_artifact,
    write_artifact,
)
from acumen.results.slices import Slice, Slices


@dataclass(frozen=True)
class Evaluation:
    """What was measured on one input or on two. All of it is in :attr:`artifact`."""

    artifact: MetricsArtifact
    slicer: Callable[[Sequence[str]], list[Slice]] | None = field(default=None, repr=False)
    """Slices the rows that were evaluated; one that was read has them no more."""
    columns: tuple[str, ...] = ()
    """What those rows can be sliced by."""

    @classmethod
    def read(cls, path: str | Path) -> Evaluation:
        """An evaluation from a saved metrics artifact."""
        return cls(read_artifact(path, MetricsArtifact))

    def write(self, path: str | Path) -> None:
        """Save as a metrics artifact, atomically."""
        write_artifact(path, self.artifact)

    def to_json(self) -> str:
        """The metrics artifact as strict JSON."""
        return to_json(self.artifact.model_dump(mode="json"))

    @property
    def is_paired(self) -> bool:
        """Whether two inputs were compared."""
        return self.artifact.comparison.enabled

    def variants(self) -> Iterator[tuple[str, str, Variant]]:
        """(confidence function, side, numbers); the side is empty for a single input."""
        for name, variant in self.artifact.confidence_variants.items():
            if isinstance(variant, PairedVariant):
                yield name, "left", variant.input_0
                yield name, "right", variant.input_1
            else:
                yield name, "", variant

    def records(self) -> list[dict[str, Any]]:
        """One record a (confidence function, side, metric), deltas included.

        What is measured whatever the confidence (kappa and its kin) has no confidence function.
        """
        records = []
        for name, side, variant in self.variants():
            for metric, value in variant.metrics.items():
                records.append(_record(name, side, metric, value.value, value))
        for name, deltas in (self.artifact.comparison.deltas or {}).items():
            for metric, delta in deltas.items():
                record = _record(name, "delta", metric, delta.delta, delta)
                records.append({**record, "p_value": delta.p_value, "p_adjusted": delta.p_adjusted})
        sides = ("left", "right") if self.is_paired else ("",)
        for side, agreement in zip(sides, self.artifact.overall_by_input, strict=False):
            for metric, value in agreement.items():
                records.append(_record(None, side, metric, value.value, value))
        for metric, delta in self.artifact.comparison.agreement.items():
            records.append(_record(None, "delta", metric, delta.delta, delta))
        return records

    @property
    def groups(self) -> list[str]:
        """What :meth:`by` takes: columns of groups, ``item`` and ``level``."""
        return list(dict.fromkeys([*self.columns, *(",".join(s.by) for s in self.artifact.slices)]))

    def by(self, *columns: str) -> Slices:
        """Every metric within the groups of a column, or of two crossed, and against the rest.

        >>> import acumen
        >>> table = acumen.from_columns(case=[1, 2, 3, 4], truth=[2, 1, 0, 1],
        ...     prediction=[2, 3, 0, 1], groups={"sex": ["f", "m", "f", "m"]})
        >>> by_sex = acumen.evaluate(table).by("sex")
        >>> [(part.group, part.metrics["accuracy"].value) for part in by_sex]
        [('f', 1.0), ('m', 0.5)]
        """
        wanted = [name.strip() for column in columns for name in column.split(",")]
        parts = [part for part in self.artifact.slices if part.by == wanted]
        if not parts and self.slicer is not None:
            parts = self.slicer([",".join(wanted)])
        if not parts:
            known = ", ".join(self.groups) or "none"
            raise UsageError(
                f"this evaluation was not sliced by {label(','.join(wanted))} (by: {known}); "
                "evaluate the rows again with by="
            )
        return Slices(parts)

    def to_frame(self, backend: Any = None) -> Any:
        """The records as a dataframe, of the first library installed unless one is named."""
        from acumen.results.frames import frame_of

        return frame_of(self.records(), backend)

    def __repr__(self) -> str:
        from acumen.report.selective.brief import brief
        from acumen.report.terminal import render

        return render(brief(self.artifact), width=100)

    def _repr_html_(self) -> str:
        from acumen.report.notebook import html
        from acumen.report.selective.brief import brief

        return html(brief(self.artifact))


def _record(
    name: str | None, side: str, metric: str, value: float | None, measured: Any
) -> dict[str, Any]:
    interval = measured.interval
    return {
        "confidence": name,
        "side": side,
        "metric": metric,
        "value": value,
        "low": None if interval is None else interval.low,
        "high": None if interval is None else interval.high,
        "method": None if interval is None else interval.method,
        "flags": None if interval is None else ", ".join(interval.flags) or None,
        "reason": why_missing(measured),
    }
