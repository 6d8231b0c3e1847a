"""Whatever a caller has (a path, a frame, rows, a table) as what an evaluation takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from acumen.defaults import CONFIDENCE
from acumen.errors import UsageError, printable
from acumen.readers import read
from acumen.readers.frame import from_frame
from acumen.table.judgments import Judgments
from acumen.table.scale import Scale, find_scale

if TYPE_CHECKING:
    from acumen.calibration import Calibration

Confidence = str | Sequence[str] | Callable[..., Any] | Mapping[str, Callable[..., Any]]
"""A selector, names, a function of signals, or several such functions by name."""

Modes = str | Sequence[str | None] | None
"""One mode for every input, or one for each of two."""


def tables_of(
    data: Any, other: Any, mode: Modes, scale: str | Path | Scale | None
) -> tuple[Judgments, Judgments | None]:
    """One table or two; a pair of modes of a single input makes two of it."""
    if mode is None or isinstance(mode, str):
        left = right = mode
    elif len(mode) == 2:
        left, right = mode
        other = data if other is None else other
    else:
        raise UsageError(f"a mode is a name or a pair of names, not {len(mode)} of them")
    if [side for side in (data, other) if isinstance(side, str)].count("-") > 1:
        raise UsageError("standard input can be read only once")
    return table_of(data, left, scale), None if other is None else table_of(other, right, scale)


def table_of(
    data: Any, mode: str | None = None, scale: str | Path | Scale | None = None
) -> Judgments:
    """The table of one input."""
    if isinstance(data, str | Path):
        return read(data, mode=mode, scale=scale)
    if mode is not None:
        raise UsageError("a mode is chosen when a run file is read; this input has none")
    if isinstance(data, Judgments):
        return data if scale is None else data.on_scale(find_scale(scale))
    if isinstance(data, list | tuple):
        from acumen.items.rows import judgments_of

        return judgments_of(data, scale=scale)
    if isinstance(data, Mapping) or not hasattr(data, "columns"):
        raise UsageError(
            "an input is a Judgments table (from_columns makes one), a path, a dataframe or a list "
            f"of rows, not {printable(type(data).__name__)}"
        )
    return from_frame(data, scale=scale)


def confidence_of(confidence: Confidence) -> tuple[str, Mapping[str, Callable[..., Any]]]:
    """A selector, and functions by name."""
    if isinstance(confidence, str):
        return confidence, {}
    if isinstance(confidence, Mapping):
        return CONFIDENCE, dict(confidence)
    if callable(confidence):
        name = getattr(confidence, "__name__", "custom")
        return CONFIDENCE, {"custom" if name == "<lambda>" else name: confidence}
    if not isinstance(confidence, list | tuple) or not all(isinstance(n, str) for n in confidence):
        raise UsageError(
            "a confidence is a name, a list of names or a function of signals; numbers come with "
            f"the rows, as a column of them; not {printable(type(confidence).__name__)}"
        )
    return ",".join(confidence), {}


def calibration_of(calibration: str | Path | Calibration | None) -> Calibration | None:
    """A calibration as it is, or from its file."""
    if not isinstance(calibration, str | Path):
        return calibration
    from acumen.calibration import read_calibration

    return read_calibration(calibration)
