"""The checks every value of a TOML file goes through, keeping the list of what is wrong."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Sequence
from typing import Any, Final

from acumen.errors import Problem, printable, what_came
from acumen.files.text import folded
from acumen.files.toml_lines import Lines, Path

MOST_POINTS: Final = 1e12
"""So that sums of points stay exact, and never overflow."""


class TomlChecks:
    """Takes values out of parsed TOML; what is wrong becomes a problem with line and key."""

    def __init__(self, lines: Lines) -> None:
        self.lines = lines
        self.problems: list[Problem] = []

    def wrong(self, path: Path, message: str) -> None:
        """Note one problem, with the line of the key it is about."""
        self.problems.append(Problem(message, field=_shown(path), line=self.lines.find(path)))

    def keys(
        self, path: Path, table: dict[str, Any], kind: str, known: Sequence[str]
    ) -> frozenset[str]:
        """Complain of keys that do not belong, and return those that seem to be meant instead."""
        meant = set()
        for key in table:
            if key not in known:
                close = difflib.get_close_matches(key, [k for k in known if k not in table], 1)
                meant.update(close)
                guess = f"; is '{close[0]}' meant?" if close else ""
                self.wrong((*path, key), f"is not a key of a {kind}{guess}")
        return frozenset(meant)

    def text(self, path: Path, value: object, empty: bool = False) -> str | None:
        """A text, or a problem."""
        if isinstance(value, str) and (value.strip() or empty):
            return value
        self.wrong(path, "is missing" if value is None else f"must be text, not {what_came(value)}")
        return None

    def number(self, path: Path, value: object) -> float | None:
        """A finite number that is not negative, or a problem."""
        if isinstance(value, bool) or not isinstance(value, int | float):
            self.wrong(path, f"must be a number, not {what_came(value)}")
        elif isinstance(value, float) and not math.isfinite(value):
            self.wrong(path, f"must be finite, not {value}")
        elif value < 0:
            self.wrong(path, f"{what_came(value)} is negative; points only ever add")
        elif value >= MOST_POINTS:
            self.wrong(path, f"must be below {MOST_POINTS:g}, not {what_came(value)}")
        else:
            return value
        return None

    def table(self, path: Path, value: object) -> dict[str, Any]:
        """A table, or a problem and an empty one."""
        if isinstance(value, dict):
            return value
        self.wrong(path, f"must be a table, not {what_came(value)}")
        return {}

    def tables(self, path: Path, value: object) -> Iterable[tuple[Path, dict[str, Any]]]:
        """The tables of a list, each with its path; what is not a table is a problem."""
        if not isinstance(value, list):
            self.wrong(path, f"must be a list of tables, not {what_came(value)}")
            return
        for place, entry in enumerate(value):
            if isinstance(entry, dict):
                yield (*path, place), entry
            else:
                self.table((*path, place), entry)

    def words(self, path: Path, value: object) -> frozenset[str]:
        """One judgement or a list of them, folded; a problem when empty or not text."""
        entries = value if isinstance(value, list) else [value]
        if not entries or not all(isinstance(entry, str) and folded(entry) for entry in entries):
            self.wrong(path, "must be text or a list of texts, and not empty")
            return frozenset()
        return frozenset(folded(entry) for entry in entries)


def _shown(path: Path) -> str:
    text = ""
    for piece in path:
        if isinstance(piece, int):
            text += f"[{piece}]"
        else:
            text += f".{printable(piece)}" if text else printable(piece)
    return text
