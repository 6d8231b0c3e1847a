"""Where the numbers of a document come from, in words: the last section of every kind of page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Final

from acumen.report.blocks import Block, Paragraph, Section
from acumen.report.cells import plain, settings

KEY: Final = "provenance"


def with_origin(section: Section | None, document: Any, command: str | None) -> Section:
    """The section of a family, or one of its own, that begins with who made it, when and how."""
    if section is None:
        section = Section(KEY, "Provenance", tuple(_command(document, command)))
    return replace(section, blocks=(Paragraph(sentence(document)), *section.blocks))


def sentence(document: Any) -> str:
    """The version and the moment, as far as the document knows them.

    >>> from types import SimpleNamespace
    >>> sentence(SimpleNamespace(acumen_version="0.2.0", created_at="2026-01-03T09:30:00+00:00"))
    'Made by acumen 0.2.0 on 2026-01-03 at 09:30 (+00:00).'
    >>> sentence(SimpleNamespace(acumen_version="0.2.0"))
    'Made by acumen 0.2.0; the document does not say when.'
    >>> sentence(SimpleNamespace(acumen_version="", is_foreign=True))
    'Made by another tool; the document does not say when.'
    """
    version = getattr(document, "acumen_version", None)
    moment = getattr(document, "created_at", None) or getattr(document, "timestamp", None)
    by = f"Made by acumen {plain(version)}" if version else "Made by acumen"
    if getattr(document, "is_foreign", False):
        by, version = "Made by another tool", "its own"
    if not moment:
        return f"{by}; the document does not say when{'' if version else ' or by which version'}."
    day, _, time = plain(moment).partition("T")
    clock, zone = time[:5], time.lstrip("0123456789:.").replace("Z", "UTC")
    at = f" at {clock} ({zone})" if clock and zone else ""
    return f"{by} on {day}{at}{'' if version else '; the document does not name the version'}."


def _command(document: Any, command: str | None) -> Iterator[Block]:
    command = command or getattr(document, "command", None)
    if command:
        yield settings([("command", command)])
