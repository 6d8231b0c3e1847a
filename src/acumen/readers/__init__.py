"""Readers: a path or a frame -> Judgments, one file a format, one line in :mod:`.formats`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acumen.errors import UsageError
from acumen.readers.formats import format_of, titles

if TYPE_CHECKING:
    from acumen.table.judgments import Judgments
    from acumen.table.scale import Scale

__all__ = ["read"]


def read(
    path: str | Path,
    *,
    mode: str | None = None,
    scale: str | Path | Scale | None = None,
    columns: Mapping[str, str] | None = None,
) -> Judgments:
    """The table of a file, by its ending: a run artifact, JSON Lines, CSV or Parquet.

    Without a scale a run artifact is read on the one it names, everything else on PHQ-8.
    ``columns`` names the columns of a long table: role -> column, see :func:`acumen.from_frame`.
    """
    kind, name = format_of(path), Path(path).name
    if columns is not None and not kind.has_columns:
        known = ", ".join(titles(with_columns=True))
        raise UsageError(f"{name} has no columns; leave them out ({known} have them)")
    if mode is not None and not kind.has_modes:
        raise UsageError(f"{name} has no modes; leave the mode out")
    options: dict[str, Any] = {"mode": mode} if kind.has_modes else {}
    options |= {} if scale is None else {"scale": scale}
    options |= {} if columns is None else {"columns": columns}
    return kind.reader()(path, **options)
