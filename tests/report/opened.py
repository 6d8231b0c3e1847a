"""A page opened from disk, with everything it says, asks and requests written down."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

PATIENCE: Final = 90_000
"""Milliseconds until a page counts as stuck, however busy the machine."""


@dataclass
class Seen:
    page: Any
    console: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)


@contextmanager
def opened(
    browser: Any,
    path: Path,
    *,
    width: int = 1100,
    scheme: str = "light",
    bypass_csp: bool = False,
) -> Iterator[Seen]:
    """The page once every chart is drawn (or failed to be)."""
    context = browser.new_context(
        viewport={"width": width, "height": 900},
        color_scheme=scheme,
        service_workers="block",
        bypass_csp=bypass_csp,
    )
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    seen = Seen(page)
    address = path.as_uri()

    def dialog(shown: Any) -> None:
        seen.dialogs.append(shown.message)
        shown.dismiss()

    def request(asked: Any) -> None:
        if asked.url.split("#")[0] != address:
            seen.requests.append(asked.url)

    page.on("console", lambda message: seen.console.append(message.text))
    page.on("pageerror", lambda error: seen.console.append(str(error)))
    page.on("dialog", dialog)
    page.on("request", request)
    try:
        page.goto(address)
        page.wait_for_selector("html[data-ready=yes]", state="attached")
        yield seen
    finally:
        context.close()


def unfold(page: Any, *, are_open: bool = True) -> None:
    """Everything that is closed, open, with its charts; or all closed again."""
    page.evaluate("is => document.querySelectorAll('details').forEach(d => d.open = is)", are_open)
    if are_open:
        undrawn = page.locator(".chart:not([data-drawn=yes], [data-drawn=no])")
        undrawn.first.wait_for(state="detached")


def open_studies(page: Any) -> None:
    """Every study, each with what stands in it open."""
    page.evaluate("document.querySelectorAll('details.study').forEach(d => { d.open = true; })")


def hovered(page: Any, selector: str, at: int = 0) -> str:
    """What the tooltip says over the middle of a mark."""
    tooltip = page.locator("#vg-tooltip-element.visible")
    waited = 0
    while not tooltip.count() and waited < PATIENCE:  # a busy page may miss a movement
        place = page.evaluate(
            """([selector, at]) => {
                const mark = document.querySelectorAll(selector)[at];
                mark.scrollIntoView({block: 'center', behavior: 'instant'});
                const box = mark.getBoundingClientRect();
                return [box.x + box.width / 2, box.y + box.height / 2];
            }""",
            [selector, at],
        )
        page.mouse.move(place[0] - 1, place[1])
        page.mouse.move(*place)
        page.wait_for_timeout(pause := 50)
        waited += pause
    told: str = tooltip.inner_text()
    return told
