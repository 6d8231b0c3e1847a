"""What a caller asks of rows: a mapping file, keywords over it, and a scale."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from acumen.errors import DataError, Problem, UsageError
from acumen.files.problems import validated
from acumen.readers.mapping import MappingTable, find_mapping, merged
from acumen.readers.reading import known_only, overlay
from acumen.readers.roles import option_of
from acumen.table.scale import Scale, find_scale


@dataclass(frozen=True, slots=True)
class Request:
    """How rows are asked to be read: a mapping of the user's, keywords over it, and a scale."""

    mapping: Mapping[str, Any]
    keywords: Mapping[str, Any]
    scale: Scale | None
    labels: Any = None
    """Where the truth stands in files of its own: a path, a frame or a list of rows, or several."""
    on: Any = None
    """The columns that say which row a label is of."""

    @classmethod
    def of(cls, reading: Mapping[str, Any]) -> Request:
        """From the keywords of a door."""
        known_only(reading)
        mapping = reading.get("mapping")
        own = {} if mapping is None else find_mapping(mapping)
        labels, on = reading.get("label_files"), reading.get("on")
        if labels is None and on is not None:
            raise UsageError("--on says which row a label is of: it goes with --labels FILE")
        keywords = overlay(reading)
        _check(keywords)
        return cls(own, keywords, scale_in(reading) or scale_in(own), labels, on)

    def over(self, format_mapping: Mapping[str, Any]) -> MappingTable:
        """The mapping in force, over the one that a format has."""
        return merged(format_mapping, self.mapping, self.keywords)

    @property
    def format(self) -> str | None:
        """The format that is said."""
        return self.keywords["format"] or self.mapping.get("format")

    @property
    def rows(self) -> str | None:
        """The path to the rows of a JSON document."""
        return self.over({}).rows

    @property
    def asks_roles(self) -> bool:
        """Whether it is said where the truth or the prediction stands, or labels are joined."""
        named = {**self.mapping.get("columns", {}), **self.keywords["columns"]}
        return bool({"truth", "prediction"} & named.keys()) or self.labels is not None

    @property
    def asks(self) -> list[str]:
        """What is asked that only rows can answer, as options."""
        names = [option_of(role) for role in self.keywords["columns"]]
        names += [option_of(k) for k, v in self.keywords.items() if v and k not in _NOT_ROWS]
        names += ["--labels"] if self.labels is not None else []
        return [*names, *(["--mapping"] if self.mapping else [])]


_NOT_ROWS: Final = ("columns", "format")


def scale_in(said: Mapping[str, Any]) -> Scale | None:
    """The scale that keywords or a mapping name."""
    values = [said[key] for key in ("scale", "levels") if said.get(key) is not None]
    if len(values) == 2:
        raise UsageError("give a scale or levels, not both")
    return find_scale(values[0]) if values else None


def _check(keywords: Mapping[str, Any]) -> None:
    """Refuse what an option cannot be; each is named as it is typed."""
    said = {key: value for key, value in keywords.items() if value is not None}
    try:
        validated(said, MappingTable, "options")
    except DataError as error:
        raise UsageError("; ".join(map(_of_option, error.problems))) from None


def _of_option(problem: Problem) -> str:
    field = (problem.field or "").removeprefix("columns.")
    return f"{option_of(re.split('[^a-z_]', field)[0])}: {problem.message}"
