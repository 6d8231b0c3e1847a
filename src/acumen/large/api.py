"""The door: evaluate rows where they live."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Unpack

import narwhals as nw
import numpy as np

from acumen.defaults import CONFIDENCE_LEVEL, LOSS
from acumen.errors import UsageError, source_name
from acumen.inference.options import Options
from acumen.inference.paired import contrast_of
from acumen.large.cells import Cells, count_rows, slices
from acumen.large.engines import open_files
from acumen.large.gradient import CaseSums, Measurement
from acumen.large.passes import LargeRows, named_rows
from acumen.readers.reading import Reading
from acumen.results.counts import LargeArtifact, LargeSystem
from acumen.results.measured import Description
from acumen.table.losses import AnyLoss, Loss, find_loss


def evaluate(
    data: Any,
    other: Any = None,
    *,
    engine: str | None = None,
    loss: AnyLoss = LOSS,
    confidence_level: float = CONFIDENCE_LEVEL,
    full: bool = False,
    **reading: Unpack[Reading],
) -> LargeArtifact:
    """Measure rows where they live: nothing is collected but counts and sums over cases.

    Parameters
    ----------
    data, other
        A lazy frame of DuckDB, Polars, Dask, Spark or Ibis, or a pattern of files that ``engine``
        opens. Of two, the second is compared with the first; so are the systems of one.
    loss, confidence_level
        As for :func:`acumen.evaluate`.
    full
        Every metric that counts can tell, and not the main ones alone.
    reading
        Columns by role and the scale, as for :func:`acumen.evaluate`; ``group`` slices.

    Examples
    --------
    >>> import polars as pl
    >>> rows = pl.LazyFrame({"case": [1, 2, 3, 4], "truth": [2, 1, 1, 0],
    ...                      "prediction": [2, 3, 1, None], "confidence": [2.0, 2.0, 1.0, 0.0]})
    >>> evaluate(rows, loss="abs").systems["all"].metrics["augrc"].value
    0.25
    """
    options = Options(resamples=0, confidence_level=confidence_level)
    rows, cost = rows_of(data, other, engine, reading), find_loss(loss)
    cells = count_rows(rows)
    first = next(iter(cells.counts.values()))
    parts = {name: count_rows(part) for name, part in slices(rows)}
    return LargeArtifact(
        source=", ".join(_name_of(d) for d in (data, other) if d is not None),
        engine=str(rows.frame.implementation),
        rows=sum(int(c.cells["rows"].sum()) for c in cells.counts.values()),
        bits=first.bits,
        cells=len(cells.place),
        loss=cost.describe(first.scale),
        levels=list(first.scale.levels),
        confidence_level=confidence_level,
        systems=_measured(cells, cost, options, full),
        slices={name: _measured(part, cost, options, full) for name, part in parts.items()},
    )


def _measured(cells: Cells, loss: Loss, options: Options, full: bool) -> dict[str, LargeSystem]:
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
    first, *others = (named_rows(frame, reading) for frame in lazy(inputs, engine))
    if not others:
        return first
    if "system" in first.keys:
        raise UsageError("two inputs are two systems; leave the column of systems out")
    sides = zip(("left", "right"), inputs, (first.frame, others[0].frame), strict=True)
    both = nw.concat([f.with_columns(system=nw.lit(f"{s}: {_name_of(i)}")) for s, i, f in sides])
    return replace(first, frame=both, keys=(*first.keys, "system"))


def _name_of(data: Any) -> str:
    return source_name(data) if isinstance(data, str | Path) else "frame"
