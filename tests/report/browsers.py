"""A browser for the tests of the page: one of the system's, or Playwright's own download.

``python -m tests.report.browsers`` starts it, or gets one first, and says why there is none.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final

SYSTEM: Final = (
    *("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"),
    *("chrome", "microsoft-edge", "microsoft-edge-stable", "msedge"),
)
FLAGS: Final = (
    *("--no-sandbox", "--headless=new", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
DEBIAN: Final = (
    ("apt-get", "update", "-qq"),
    ("apt-get", "install", "-qq", "-y", "--no-install-recommends", "chromium"),
)
DOWNLOAD: Final = ((sys.executable, "-m", "playwright", "install", "chromium"),)
PATIENCE: Final = 600
"""Seconds that one command may take: a network that is shut off answers nothing."""


class NoBrowserError(Exception):
    """Neither the system nor Playwright has one that starts."""


@contextmanager
def a_browser() -> Iterator[Any]:
    """The first browser of the system that starts, else the one that Playwright downloaded."""
    from playwright.sync_api import Error, sync_playwright

    with sync_playwright() as playwright:
        chromium, reason = playwright.chromium, ""
        for path in filter(None, [*map(shutil.which, SYSTEM), chromium.executable_path]):
            try:
                browser = chromium.launch(executable_path=path, args=list(FLAGS))
            except Error as error:  # not there, or a library of the system is missing
                reason = f"{path}: {error.message.splitlines()[0]}"
                continue
            try:
                yield browser
            finally:
                browser.close()
            return
        raise NoBrowserError(f"no {', '.join(SYSTEM[:5])} … on the path that starts; {reason}")


def main() -> int:
    """Start what is there; else install Debian's, then Playwright's, until one starts."""
    is_debian = os.geteuid() == 0 and shutil.which("apt-get")
    for way in ((), *((DEBIAN,) if is_debian else ()), DOWNLOAD):
        if not all(_succeeds(command) for command in way):
            continue
        try:
            with a_browser() as browser:
                print(f"the page is tested in {browser.browser_type.name} {browser.version}")
            return 0
        except NoBrowserError as error:
            reason = error
    print(reason, file=sys.stderr)
    return 1


def _succeeds(command: Sequence[str]) -> bool:
    """Whether it ended well; its own lines say why not."""
    quiet = {"DEBIAN_FRONTEND": "noninteractive"}
    print("getting a browser:", *command, file=sys.stderr)
    try:
        done = subprocess.run(
            command, env=os.environ | quiet, stdout=sys.stderr, timeout=PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


if __name__ == "__main__":
    sys.exit(main())
