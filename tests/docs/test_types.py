"""The Python of every page holds under mypy's strict rules, as a reader would run it.

``python -m tests.docs.test_types FOLDER`` writes it there, for another type checker.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

from tests.docs.blocks import Block, blocks
from tests.docs.stage import ROOT, pages


def modules(page: Path) -> dict[str, str]:
    """The Python of a page: a file that it writes for itself, all other blocks as one module.

    Each line keeps the number that it has in the page.
    """
    by_file: dict[str, list[Block]] = defaultdict(list)
    for block in blocks(page.read_text("utf-8")):
        if block.language == "python":
            by_file[str(block.note) if block.word == "file" else ""].append(block)
    stem = re.sub(r"\W", "_", page.relative_to(ROOT).with_suffix("").as_posix())
    return {f"{stem}_{name or 'page.py'}": _module(parts) for name, parts in by_file.items()}


def _module(parts: Sequence[Block]) -> str:
    lines: list[str] = []
    for block in parts:
        lines += [""] * (block.line - len(lines)) + block.text.splitlines()
    return "\n".join(lines) + "\n"


def write(folder: Path) -> list[Path]:
    """Write the modules of all pages."""
    paths = []
    for page in pages():
        for name, text in modules(page).items():
            paths.append(folder / name)
            paths[-1].write_text(text, "utf-8")
    return paths


def test_the_python_of_every_page_holds_under_strict_types(tmp_path: Path) -> None:
    paths = write(tmp_path)
    assert len(paths) > 25
    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", *map(str, paths)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.replace(f"{tmp_path}/", "")) == (0, "")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
