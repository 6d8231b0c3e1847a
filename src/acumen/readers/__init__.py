"""Readers: a path or a frame -> Judgments, one file a format, one line in :mod:`.formats`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from acumen.errors import DataError, UsageError, printable, source_name
from acumen.readers.content import Content, load
from acumen.readers.formats import FORMATS, format_of, read_as, rows_of, titles
from acumen.readers.reading import Reading, known_only
from acumen.stages import stage

if TYPE_CHECKING:
    from acumen.table.judgments import Judgments

__all__ = ["read"]


def read(path: str | Path, *, mode: str | None = None, **reading: Unpack[Reading]) -> Judgments:
    """The table of a file, told by its content: a run artifact, or rows in any format.

    ``mode`` is the experiment of a run artifact. The other keywords say how rows are read
    (:class:`Reading`): ``truth="human_rating"`` names a column or a path, ``scale=[1, 2, 3]`` the
    levels, ``mapping="m.toml"`` a mapping file. ``columns`` is role -> column, all at once.
    """
    known_only(reading)
    with stage(f"reading {printable(source_name(path))}", 0.2):
        return read_content(load(path, reading.get("encoding")), mode=mode, **reading)


def read_content(
    content: Content, *, mode: str | None = None, **reading: Unpack[Reading]
) -> Judgments:
    """The table of a file that was read."""
    from acumen.readers.assemble import assemble
    from acumen.readers.request import Request

    request = Request.of(reading)
    if not content.head.start:
        raise DataError(["there are no rows or cases in it: the file is empty"], content.name)
    name = format_of(content.head, request.format)
    kind = FORMATS[name]
    if mode is not None and not kind.has_modes:
        raise UsageError(f"{content.name} has no modes; leave the mode out")
    if kind.has_columns:
        with read_as(name, content.name):
            return assemble(rows_of(content, name, request.rows), content.source, request)
    if asked := [option for option in request.asks if option not in ("--strict", "--point")]:
        spelled = {"--group": "--group (and --by)"}
        asks = ", ".join(spelled.get(option, option) for option in asked)
        known = ", ".join(titles(with_columns=True))
        raise UsageError(f"{content.name} has no columns; leave {asks} out ({known} have them)")
    options: dict[str, Any] = {"mode": mode} if kind.has_modes else {}
    strict = bool(request.keywords.get("strict"))
    with read_as(name, content.name):
        judgments: Judgments = kind.reader()(content, scale=request.scale, strict=strict, **options)
    if (point := request.keywords.get("point")) is None:
        return judgments
    from acumen.table.distribution import at_point

    return at_point(judgments, point)
