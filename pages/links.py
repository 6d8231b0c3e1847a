"""Every link of the built site, checked: ``python -m pages.links site``.

A link leads to a file of the site and, where it names one, to an anchor in it. Nothing that a page
loads may lie on another host: the site is read offline, too.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADS = {("link", "href"), ("script", "src"), ("img", "src"), ("iframe", "src"), ("source", "src")}


@dataclass
class Page(HTMLParser):
    """What a page links to, what it loads, and its anchors."""

    text: str
    links: list[str] = field(default_factory=list)
    loads: list[str] = field(default_factory=list)
    anchors: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        super().__init__()
        self.feed(self.text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Take note of what an element names."""
        for name, value in attrs:
            if name in ("id", "name") and value:
                self.anchors.add(value)
            elif tag == "a" and name == "href" and value:
                self.links.append(value)
            elif (tag, name) in LOADS and value:
                self.loads.append(value)


def problems(site: Path) -> list[str]:
    """Every link that leads nowhere, and everything that another host would be asked for."""
    pages = {path: Page(path.read_text("utf-8")) for path in sorted(site.rglob("*.html"))}
    wrong = []
    for path, page in pages.items():
        where = path.relative_to(site)
        wrong += [f"{where}: loads {url}" for url in page.loads if _is_foreign(url)]
        for url in page.links + page.loads:
            parts = urlsplit(url)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            if not target.is_file():
                wrong.append(f"{where}: no file {url}")
            elif target in pages and parts.fragment and not _has(pages[target], parts.fragment):
                wrong.append(f"{where}: no anchor {url}")
    return wrong


def _is_foreign(url: str) -> bool:
    return bool(urlsplit(url).netloc)


def _has(page: Page, fragment: str) -> bool:
    return unquote(fragment) in page.anchors


if __name__ == "__main__":
    wrong_links = problems(Path(sys.argv[1]).resolve())
    print("\n".join(wrong_links) or "every link leads somewhere")
    sys.exit(bool(wrong_links))
