"""A browser for the tests of the page: one of the system's, or Playwright's own download.

``python -m tests.report.browsers`` starts it once, says where it lies, and fails without one.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

SYSTEM: Final = (
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"),
    *("chrome", "microsoft-edge", "microsoft-edge-stable", "msedge"),
)
FLAGS: Final = (
    *("--no-sandbox", "--headless=new", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)


class NoBrowserError(Exception):
    """Neither the system nor Playwright has one."""


@contextmanager
def a_browser() -> Iterator[Any]:
    """The first browser of the system, else the one that ``playwright install`` left."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        download = playwright.chromium.executable_path
        path = next(filter(None, map(shutil.which, SYSTEM)), download)
        if not Path(path).exists():
            raise NoBrowserError(f"no {', '.join(SYSTEM[:5])} … on the path, and no {download}")
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        try:
            yield browser
        finally:
            browser.close()


def main() -> int:
    try:
        with a_browser() as browser:
            print(f"the page is tested in {browser.browser_type.name} {browser.version}")
    except NoBrowserError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
