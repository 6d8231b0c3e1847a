"""The command that goes on from a refusal, made of the command and the file that were typed."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from acumen.errors import AcumenError, DataError, Options, source_name

LARGEST: Final = 20 << 20
"""Bytes of a file up to which it is looked at once more."""
LOOKED_AT: Final = 2000
"""Characters of a file inside of an archive that are shown."""
_ROWS: Final = ("curve",)
"""Commands that read rows and are no question."""
_SEVERAL: Final = {"--where"}
"""Options of which each further one asks for something more."""


def way_out(arguments: Sequence[str], error: AcumenError) -> str:
    """The command that goes on from a refusal; nothing where none can be made.

    It is the same with what it lacks, one that converts the file, one that shows what is in it, or
    one that shows where it is at fault.
    """
    if not arguments or _has_secrets(arguments):
        return ""
    if error.amends and _reads_rows(arguments[0]):
        command = shlex.join(["acumen", *_amended(arguments, error.amends)])
    else:
        command = _for_file(arguments, error) if isinstance(error, DataError) else ""
    return command if command.isprintable() else ""


def _reads_rows(command: str) -> bool:
    """Whether the options of a command say how rows are read."""
    from acumen.questions import HOMES, find_question

    return command in _ROWS or (
        command in HOMES and any(p.is_reading for p in find_question(command).parameters)
    )


def _has_secrets(arguments: Sequence[str]) -> bool:
    """Whether an option was typed whose value is in no message."""
    from acumen.questions import HOMES, find_question

    names = {word.partition("=")[0] for word in arguments}
    known = find_question(arguments[0]).parameters if arguments[0] in HOMES else ()
    return any(p.say.is_secret and p.option in names for p in known)


def _amended(arguments: Sequence[str], amends: Options) -> list[str]:
    """The words of a command with some options, in the place of those it has."""
    words = list(arguments)
    for option, value in amends:
        at = next((k for k, w in enumerate(words) if w.partition("=")[0] == option), None)
        if at is not None and option not in _SEVERAL:
            del words[at : at + (1 if "=" in words[at] else 2)]
        words += [option, value] if value else [option]
    return words


def _for_file(arguments: Sequence[str], error: DataError) -> str:
    """The command for the file of an error, where that is one of those that were typed."""
    files = [word for word in arguments if os.path.isfile(word)]
    source, _, member = (error.source or "").partition(", ")
    path = next((f for f in files if source in ("", f, source_name(f))), None)
    if path is None:
        return ""
    if member:
        return f"{shlex.join(['unzip', '-p', path, member])} | head -c {LOOKED_AT}"
    from acumen.cli.foreign import conversion, encoding_of, look_at

    reads_rows = _reads_rows(arguments[0])
    command = conversion(path)
    if command and not _is_archive(path):
        return command
    if (encoding := encoding_of(path)) and reads_rows and "--encoding" not in arguments:
        return shlex.join(["acumen", *_amended(arguments, (("--encoding", encoding),))])
    if reads_rows and arguments[0] != "map" and os.path.getsize(path) <= LARGEST:
        from acumen.readers.survey import survey

        with suppress(AcumenError):
            if survey(path).columns:
                return shlex.join(["acumen", "map", path])
    return command or look_at(path, error.problems[0])


def _is_archive(path: str) -> bool:
    """Whether it may be a workbook, a log or a file of Parquet, which are read."""
    with open(path, "rb") as file:
        return file.read(4) in (b"PAR1", b"PK\x03\x04")
