"""The little reStructuredText that generated pages are made of."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence


def page(title: str, *parts: str) -> str:
    """A page: its title, then its parts."""
    return "\n\n".join([heading(title, "="), *(part for part in parts if part)]) + "\n"


def heading(text: str, line: str) -> str:
    """A heading; ``line`` is the character that it is underlined with."""
    return f"{text}\n{line * (len(text) + 1)}"


def anchor(name: str) -> str:
    """A place that links lead to."""
    return f".. _{name}:"


def literal(text: str) -> str:
    """Text as it is typed."""
    return f"``{text}``" if text.strip() else ""


def prose(text: str) -> str:
    """Plain text, in which no character is markup."""
    return re.sub(r"([\\*`|_])", r"\\\1", text)


def block(language: str, text: str) -> str:
    """Lines of code."""
    return f".. code-block:: {language}\n\n" + indented(text) if text else ""


def indented(text: str) -> str:
    """The lines of a text, moved in."""
    return "\n".join(f"   {line}" if line else "" for line in text.splitlines())


def table(titles: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table; a cell may hold any one line."""
    lines = [".. list-table::", "   :header-rows: 1", ""]
    for first, *others in (titles, *rows):
        lines += [f"   * - {first}", *(f"     - {cell}".rstrip() for cell in others)]
    return "\n".join(lines)
