"""Rows where they live, and every system of them measured from counts of cells."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import narwhals as nw
import numpy as np

from acumen.errors import DataError, UsageError, source_name
from acumen.inference.options import Options
from acumen.inference.paired import contrast_of
from acumen.large.cells import Cells
from acumen.large.engines import open_files
from acumen.large.gradient import CaseSums, Measurement
from acumen.large.passes import LargeRows, named_rows
from acumen.readers.reading import Reading
from acumen.results.counts import LargeSystem
from acumen.table.losses import Loss
from acumen.values.measured import Description


def measured(cells: Cells, loss: Loss, options: Options, full: bool) -> dict[str, LargeSystem]:
    """Every system of some cells, and what differs between each and the first."""
    systems = [Measurement.of(c, loss, full=full) for c in cells.counts.values()]
    sums = cells.sums(systems, [np.arange(len(system.counts)) for system in systems])
    if len(systems) > 1:
        cells.pair_up(sums)
    numbers = [system.infer(sums, k, options) for k, system in enumerate(systems)]
    out = {}
    for name, system, own in zip(cells.counts, systems, numbers, strict=True):
        facts = {"cases": int(sums["cases"]), "outcomes": dict(system.counts.outcomes)}
        pairs = [(numbers[0][n], i) for n, i in own.items() if isinstance(i.jackknife, CaseSums)]
        against = pairs if own is not numbers[0] else []
        contrasts = {b.name: contrast_of(b.metric, a, b, options) for a, b in against}
        deltas = {n: c.delta(Description.NOT_IN_FAMILY) for n, c in contrasts.items()}
        out[name] = LargeSystem(**facts, metrics=system.certified(own), deltas=deltas)  # type: ignore[arg-type]
    return out


def rows_of(data: Any, other: Any, engine: str | None, reading: Reading) -> LargeRows:
    """Rows by role, of one input or of two side by side."""
    inputs = [data] if other is None else [data, other]
    if len(are_files := {isinstance(i, str | Path) for i in inputs}) > 1:
        raise UsageError("two inputs are two files or two frames, not one of each")
    lazy = open_files if True in are_files else lambda fs, _: [nw.from_native(f).lazy() for f in fs]
    pairs = zip(inputs, lazy(inputs, engine), strict=True)
    first, *others = (_named(frame, data, reading) for data, frame in pairs)
    if not others:
        return first
    if "system" in first.keys:
        raise UsageError("two inputs are two systems; leave the column of systems out")
    sides = zip(("left", "right"), inputs, (first.frame, others[0].frame), strict=True)
    both = nw.concat([f.with_columns(system=nw.lit(f"{s}: {name_of(i)}")) for s, i, f in sides])
    return replace(first, frame=both, keys=(*first.keys, "system"))


def _named(frame: nw.LazyFrame[Any], data: Any, reading: Reading) -> LargeRows:
    """Rows by role; what is wrong with their columns is told with the input's name."""
    try:
        return named_rows(frame, reading)
    except DataError as error:
        raise DataError(error.problems, error.source or name_of(data)) from None


def name_of(data: Any) -> str:
    """What an input is called."""
    return source_name(data) if isinstance(data, str | Path) else "frame"
