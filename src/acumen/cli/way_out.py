"""The command that goes on from a refusal, made of the command that was typed."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from acumen.errors import AcumenError, DataError, Options, source_name

LARGEST: Final = 20 << 20
"""Bytes of a file up to which it is looked at once more."""
_ROWS: Final = ("curve",)
"""Commands that read rows and are no question."""
_SEVERAL: Final = {"--where"}
"""Options of which each further one asks for something more."""


def way_out(arguments: Sequence[str], error: AcumenError) -> str:
    """The same command with what it lacks, else the one that shows what is in the file; or ""."""
    if not arguments or not _reads_rows(arguments[0]) or _has_secrets(arguments):
        return ""
    words = _amended(arguments, error.amends) if error.amends else _map(arguments, error)
    command = shlex.join(["acumen", *words]) if words else ""
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
        words += [option, value]
    return words


def _map(arguments: Sequence[str], error: AcumenError) -> list[str]:
    """The words that show what is in the file of the error, where that can be seen."""
    if not isinstance(error, DataError):
        return []
    helps = any(p.is_unknown or p.is_twice or p.columns for p in error.problems)
    source = error.source if helps else None
    files = [word for word in arguments[1:] if os.path.isfile(word)]
    path = next((f for f in files if source in (f, source_name(f))), None)
    if path is None or arguments[0] == "map" or os.path.getsize(path) > LARGEST:
        return []
    from acumen.readers.survey import survey

    with suppress(AcumenError):
        if (seen := survey(path)).measurable and not seen.problems:
            return ["map", path]
    return []
