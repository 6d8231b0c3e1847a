"""The site: built strictly, every link leads somewhere, nothing is asked of another host.

What builds it whole is marked slow, since ``make docs`` does the same.
"""

from __future__ import annotations

import functools
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from acumen.cli import COMMANDS, EXITS
from acumen.cli.config import options_of
from acumen.metrics import METRICS
from acumen.results.kinds import KINDS
from pages import SECTIONS, contents, pages_of, write
from pages.commands import command_of
from pages.links import Page, problems
from tests.docs.stage import DOCS, ROOT
from tests.report.conftest import browser  # noqa: F401 - a fixture

LINK = re.compile(r"\]\(([^)\s]+)\)")


def test_every_page_is_in_the_contents_and_links_to_files_that_there_are() -> None:
    write(DOCS)
    below = (DOCS / "reference" / "commands.rst").read_text("utf-8")
    entries = contents(DOCS) + below.replace("   commands/", "reference/commands/")
    pages = {p.relative_to(DOCS) for s in ("md", "rst") for p in DOCS.rglob(f"*.{s}")}
    assert [p for p in pages if f"\n{p.with_suffix('').as_posix()}\n" not in entries] == [
        Path("index.md")
    ]
    assert all(f":caption: {section}\n" in entries for section in SECTIONS)
    for path in pages:
        links = LINK.findall((DOCS / path).read_text("utf-8")) if path.suffix == ".md" else []
        files = [link.partition("#")[0] for link in links if "//" not in link]
        assert [f for f in files if not (DOCS / path.parent / f).exists()] == [], path


def test_the_contents_for_a_language_model_name_every_page() -> None:
    write(DOCS)
    text = (DOCS / "llms.txt").read_text("utf-8")
    assert text.startswith("# acumen\n\n> How far can an AI's judgments be trusted")
    links = [link.removesuffix(".html") for link in LINK.findall(text)]
    pages = [entry for entries in pages_of(DOCS).values() for entry in entries]
    assert links == pages
    assert {f"reference/commands/{name}" for name in COMMANDS} < {*links}
    assert [
        line for line in text.splitlines() if line.startswith("- [") and line.count("[") > 3
    ] == []


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("sphinx", reason="Sphinx is in the extra `docs`")
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "sphinx", "--quiet", "--fail-on-warning", "--keep-going"]
    command += ["-d", str(folder / "trees"), "docs", str(folder / "html")]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return folder / "html"


def anchors(page: Path) -> set[str]:
    return Page(page.read_text("utf-8")).anchors


@pytest.mark.slow
def test_every_link_and_anchor_leads_somewhere(site: Path) -> None:
    assert problems(site) == []


def test_a_wrong_link_is_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<a href="b.html">1</a><a href="b.html#there">2</a><a href="b.html#gone">3</a>'
        '<a href="c.html">4</a><script src="https://host/x.js"></script><a id="x" href="#x">5</a>'
    )
    (tmp_path / "b.html").write_text('<p id="there"></p>')
    assert problems(tmp_path) == [
        "a.html: loads https://host/x.js",
        "a.html: no anchor b.html#gone",
        "a.html: no file c.html",
    ]


@pytest.mark.slow
def test_the_reference_has_everything_that_there_is(site: Path) -> None:
    acumen = import_module("acumen")
    metrics = {metric.anchor for metric in METRICS.values()}
    assert {name.replace("_", "-") for name in metrics} <= anchors(site / "theory/metrics.html")
    assert metrics <= anchors(site / "definitions.html")
    api = {f"acumen.{name}" for name in acumen.__all__ if callable(getattr(acumen, name))}
    assert api <= anchors(site / "reference/python.html")
    for name in COMMANDS:
        assert f"command-{name}" in anchors(site / f"reference/commands/{name}.html")
    assert {f"format-{name.replace('_', '-')}" for name in KINDS} <= anchors(
        site / "reference/formats.html"
    )
    assert {path.stem for path in site.glob("_downloads/*/*.json")} >= set(KINDS)


@pytest.mark.slow
def test_every_option_is_in_the_reference_and_every_key_in_that_of_the_file(site: Path) -> None:
    keys = (site / "reference/configuration.html").read_text("utf-8")
    for name in COMMANDS:
        text = (site / f"reference/commands/{name}.html").read_text("utf-8")
        command = command_of(name)
        inner = [p for c in getattr(command, "commands", {}).values() for p in c.params]
        for parameter in [*command.params, *inner]:
            flags = [flag for flag in parameter.opts if flag.startswith("-")]
            assert [flag for flag in flags if f">{flag}<" not in _plain(text)] == []
        missing = [key for key in options_of(command_of(name)) if _key(key) not in _plain(keys)]
        assert missing == []
    exits = _plain((site / "reference/exits.html").read_text("utf-8"))
    assert [code for code in EXITS if f">{code}<" not in exits] == []


def _plain(html: str) -> str:
    return html.replace('<span class="pre">', "").replace("</span>", "")


def _key(key: str) -> str:
    return f">{key.replace('-', '_')}<"


@pytest.fixture(params=["from disk", "from a server"])
def address(request: pytest.FixtureRequest, site: Path) -> Iterator[str]:
    if request.param == "from disk":
        yield f"{site.as_uri()}/"
        return
    handler = functools.partial(_Quiet, directory=str(site))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.mark.slow
def test_the_site_works_in_a_browser(browser: Any, address: str) -> None:  # noqa: F811
    requests: list[str] = []
    mistakes: list[str] = []
    backgrounds = set()
    for scheme, width in (("light", 1280), ("dark", 1280), ("light", 390)):
        context = browser.new_context(
            viewport={"width": width, "height": 900}, color_scheme=scheme, locale="en-GB"
        )
        page = context.new_page()
        page.on("request", lambda request: requests.append(request.url))
        page.on("pageerror", lambda error: mistakes.append(str(error)))
        for name in (
            "index",
            "theory/metrics",
            "reference/commands/evaluate",
            "coverage",
            "definitions",
        ):
            page.goto(f"{address}{name}.html")
            assert page.evaluate("document.documentElement.scrollWidth") <= width, name
        backgrounds.add(page.evaluate("getComputedStyle(document.body).backgroundColor"))
        page.goto(f"{address}search.html?q=kappa")
        page.get_by_text("Search finished").wait_for()
        hits = page.locator("#search-results li a").all_inner_texts()
        assert {"Metrics", "What each number means"} <= set(hits)
        context.close()
    assert len(backgrounds) == 2
    assert mistakes == []
    assert [url for url in requests if not url.startswith((address, "data:"))] == []
