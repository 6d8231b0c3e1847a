"""Readers: a path or a frame -> Judgments, one file a format.

A format is one file here and one line in :data:`FORMATS`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from acumen.errors import UsageError
from acumen.readers.columns import judgments
from acumen.readers.frame import from_frame
from acumen.readers.jsonl import read_jsonl
from acumen.readers.rows import read_csv, read_parquet
from acumen.readers.run import read_run
from acumen.table.judgments import Judgments
from acumen.table.scale import DEFAULT_SCALE, Scale

FORMATS: Final[Mapping[str, Callable[..., Judgments]]] = {
    ".jsonl": read_jsonl,
    ".csv": read_csv,
    ".parquet": read_parquet,
}
"""File ending -> reader; anything else is read as a run artifact."""


def read(
    path: str | Path,
    *,
    mode: str | None = None,
    scale: str | Path | Scale | None = None,
    columns: Mapping[str, str] | None = None,
) -> Judgments:
    """The table of a file, by its ending: a run artifact, JSON Lines, CSV or Parquet.

    Without a scale a run artifact is read on the one it names, everything else on PHQ-8.
    ``columns`` names the columns of a CSV or Parquet file: role -> column, see :func:`from_frame`.
    """
    ending = Path(path).suffix.lower()
    reader = FORMATS.get(ending)
    if columns is not None and ending not in (".csv", ".parquet"):
        raise UsageError(f"{Path(path).name} has no columns; leave them out")
    if reader is None:
        return read_run(path, mode=mode, scale=scale)
    if mode is not None:
        raise UsageError(f"{Path(path).name} has no modes; leave the mode out")
    options: dict[str, Any] = {"scale": DEFAULT_SCALE if scale is None else scale}
    if columns is not None:
        options["columns"] = columns
    return reader(path, **options)


__all__ = [
    "FORMATS",
    "from_frame",
    "judgments",
    "read",
    "read_csv",
    "read_jsonl",
    "read_parquet",
    "read_run",
]
