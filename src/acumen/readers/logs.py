"""What the readers of other tools' logs share: paths to keys, and roles that a name makes plain."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from acumen.errors import DataError, Problem, refuse, what_came
from acumen.files.toml import parse_toml, shipped_text
from acumen.readers.paths import Step, value_at
from acumen.readers.records import ABSENT
from acumen.readers.roles import guess_roles

Record = Mapping[str, Any]

_PLAIN_KEY: Final = re.compile(r"[A-Za-z_][\w-]*", re.ASCII)


def path_of(*keys: str) -> str:
    """A dotted path to a key below others; a key with marks of its own is quoted.

    >>> path_of("scores", "ordinal", "answer"), path_of("scores", "a.b")
    ('scores.ordinal.answer', 'scores."a.b"')
    """
    return ".".join(k if _PLAIN_KEY.fullmatch(k) else json.dumps(k) for k in keys)


def at(value: object, *steps: Step) -> Any:
    """What stands below the steps; None where nothing does.

    >>> at({"choices": [{"text": "2"}]}, "choices", 0, "text"), at({}, "choices", 0)
    ('2', None)
    """
    below = value_at(value, steps)
    return None if below is ABSENT else below


def own_mapping(tool: str, **columns: str | None) -> dict[str, Any]:
    """The mapping that ships for a tool's files, with the columns that a file made plain."""
    mapping = parse_toml(shipped_text("acumen.readers.mappings", tool), f"{tool}.toml")
    return mapping | {"columns": mapping["columns"] | columns}


def refuse_newer(version: object, newest: int, field: str, source: str) -> None:
    """Refuse a file of a version after the newest one that is known; none is the first."""
    if version is not None and (isinstance(version, bool) or not isinstance(version, str | int)):
        message = f"must be a text or a whole number, not {what_came(version)}"
        raise DataError([Problem(message, field=field)], source=source)
    major = str(version or 0).partition(".")[0]
    if not major.isdecimal() or int(major[:9]) > newest:
        message = f"{what_came(version)} is not known; this acumen reads up to {newest}: update it"
        raise DataError([Problem(message, field=field)], source=source)


def objects_in(lists: Mapping[str, object], source: str) -> dict[str, dict[str, Any]]:
    """The objects of lists by their places; whatever else is there is refused, all at once."""
    entries: dict[str, Any] = {}
    problems: list[Problem] = []
    for place, value in lists.items():
        if isinstance(value, list):
            entries |= {f"{place}[{k}]": entry for k, entry in enumerate(value)}
        else:
            problems.append(Problem(f"a list is expected, {what_came(value)} came", field=place))
    problems += [
        Problem(f"an object is expected, {what_came(entry)} came", field=place)
        for place, entry in entries.items()
        if not isinstance(entry, dict)
    ]
    refuse(problems, source)
    return entries


def plain_roles(records: Iterable[Record], above: str) -> dict[str, str]:
    """Role -> path of the key below another whose name makes it plain and that all records fill.

    >>> plain_roles([{"doc": {"patient": 1, "note": "a"}}, {"doc": {"patient": 2}}], "doc")
    {'case': 'doc.patient'}
    """
    keys: dict[str, None] | None = None
    for record in records:
        inner = at(record, above)
        pairs = inner.items() if isinstance(inner, dict) else ()
        filled = [key for key, value in pairs if not isinstance(value, dict | list)]
        keys = dict.fromkeys(key for key in filled if keys is None or key in keys)
    roles = guess_roles(list(keys or ()), {}, ()).columns
    return {role: path_of(above, key) for role, key in roles.items()}
