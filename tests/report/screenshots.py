"""Pictures of the page for the documentation: ``python -m tests.report.screenshots docs``."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from acumen.cli import COMMANDS
from acumen.report.html import write_report
from tests.report.browsers import a_browser
from tests.report.opened import opened
from tests.report.studies import single_evaluation, verdict_results

SHOTS = (("light", "light", 1440, 1100), ("dark", "dark", 1440, 1100), ("phone", "light", 390, 844))


def demo_page(folder: Path) -> Path:
    """The demo's report; where there is no demo, the page of the tests' own seeded studies."""
    path = folder / "report.html"
    if "demo" in COMMANDS:
        command = [sys.executable, "-m", "acumen", "demo", str(folder / "demo")]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        return folder / "demo" / "report.html"
    write_report([single_evaluation(), verdict_results()], path)
    return path


def main(output: Path) -> None:
    with tempfile.TemporaryDirectory() as folder, a_browser() as browser:
        page = demo_page(Path(folder))
        for name, scheme, width, height in SHOTS:
            with opened(browser, page, width=width, scheme=scheme) as seen:
                clip = {"x": 0, "y": 0, "width": width, "height": height}
                picture = output / f"report-{name}.png"
                seen.page.screenshot(path=picture, full_page=True, clip=clip)
        printed(browser, page, output / "report-print.png")


def printed(browser: Any, page: Path, output: Path) -> None:
    """The page as a printer gets it, at the width of A4."""
    with opened(browser, page, width=760) as seen:
        seen.page.emulate_media(media="print", color_scheme="light")
        seen.page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        clip = {"x": 0, "y": 0, "width": 760, "height": 1075 * 2}
        seen.page.screenshot(path=output, full_page=True, clip=clip)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
