"""The site's contents, and its generated pages: the theory of metrics and the reference.

They are written from the product itself on every build (``make docs``), so they cannot drift.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from pages import agents, commands, documents, python, theory

SECTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "Start here": (
        "start/judge", "start/logs", "start/clinical", "start/decide", "start/*", "which", "where",
        "coming",
    ),
    "Guide": (
        "guide/knows", "guide/abstains", "guide/honest", "guide/probabilities", "guide/worst-first",
        "guide/missing", "guide/reasons", "guide/better", "guide/for-whom", "guide/replace",
        "guide/labels", "guide/few-labels", "guide/threshold", "guide/how-many", "guide/*",
    ),
    "Recipes": ("recipes/index", "recipes/*", "gallery"),
    "Topics": (
        "data", "wide", "logs", "confidence", "systems", "raters", "decisions", "promises",
        "verdicts", "large", "runner", "report",
    ),
    "Theory": ("theory/metrics", "definitions", "theory/intervals"),
    "Reference": (
        "reference/commands", "reference/python", "reference/formats", "configuration",
        "reference/configuration", "reference/exits",
    ),
    "More": ("compared", "glossary", "changelog", "cite"),
    "Appendix": ("coverage", "claims", "simulations"),
}  # fmt: skip
"""Title of a section -> its pages in order; a pattern stands for those not named before it."""

GENERATED: Final[Mapping[str, Callable[[], str]]] = {
    "theory/metrics.rst": theory.metrics,
    "reference/commands.rst": commands.commands,
    "reference/configuration.rst": commands.configuration,
    "reference/exits.rst": commands.exits,
    "reference/python.rst": python.names,
    "reference/formats.rst": documents.formats,
}


def write(docs: Path) -> None:
    """Write the generated pages; a page that did not change keeps its date."""
    changes = docs.parent / "CHANGELOG.md"
    texts = {path: make() for path, make in GENERATED.items()}
    texts |= {f"reference/commands/{n}.rst": t for n, t in commands.pages_of_commands().items()}
    texts |= {f"reference/schemas/{name}.json": text for name, text in documents.schemas().items()}
    texts |= {"changelog.md": changes.read_text("utf-8").replace("](docs/", "](")}
    for path, text in texts.items():
        _write(docs / path, text)
    _write(docs / "llms.txt", agents.llms(docs, pages_of(docs)))


def _write(page: Path, text: str) -> None:
    page.parent.mkdir(parents=True, exist_ok=True)
    if not page.exists() or page.read_text("utf-8") != text:
        page.write_text(text, "utf-8")


def contents(docs: Path) -> str:
    """The contents of the site, for the end of its first page: one list a section."""
    text = ""
    for section, entries in entries_of(docs).items():
        lines = "\n".join(entries)
        text += f"\n\n```{{toctree}}\n:hidden:\n:caption: {section}\n\n{lines}\n```\n"
    return text


def entries_of(docs: Path) -> dict[str, list[str]]:
    """Title of a section -> its pages, each once; a section without any is left out."""
    sections: dict[str, list[str]] = {}
    for section, patterns in SECTIONS.items():
        entries: dict[str, None] = {}
        for pattern in patterns:
            for suffix in (".md", ".rst"):
                files = sorted(docs.glob(f"{pattern}{suffix}"))
                entries |= {p.relative_to(docs).with_suffix("").as_posix(): None for p in files}
        if entries:
            sections[section] = list(entries)
    return sections


def pages_of(docs: Path) -> dict[str, list[str]]:
    """Title of a section -> its pages, and below the page of commands one for each of them."""
    below = {"reference/commands": [f"reference/commands/{name}" for name in commands.names()]}
    return {
        section: [page for entry in entries for page in (entry, *below.get(entry, ()))]
        for section, entries in entries_of(docs).items()
    }
