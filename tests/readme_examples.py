"""The README's examples: each is a comment with a command, then a block with its real output.

``python -m tests.readme_examples`` writes the outputs anew; a test keeps them true.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from acumen.files.json import to_json
from acumen.studies import phq8_run

README = Path(__file__).resolve().parent.parent / "README.md"
EXAMPLE = re.compile(
    r"<!-- example: (?P<command>acumen .*?) -->\n```console\n(?P<output>.*?)```", re.DOTALL
)


def examples() -> list[tuple[str, str]]:
    """(command, the output the README shows)."""
    text = README.read_text("utf-8")
    return [(m["command"], m["output"]) for m in EXAMPLE.finditer(text)]


def output_of(command: str, folder: Path) -> str:
    """What the command prints where the demo study and the tables of the pages lie."""
    run = folder / "demo" / "phq8" / "run.json"
    if not run.exists():
        run.parent.mkdir(parents=True)
        run.write_text(to_json(phq8_run()), "utf-8")
        for table in (README.parent / "docs" / "data").glob("*.csv"):
            shutil.copy(table, folder)
    environment = {
        **os.environ, "COLUMNS": "80", "NO_COLOR": "1", "PYTHONIOENCODING": "utf-8",
    }  # fmt: skip
    done = subprocess.run(
        [sys.executable, "-m", *shlex.split(command)],
        cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8", check=True,
    )  # fmt: skip
    lines = [line.rstrip() for line in done.stdout.splitlines()]
    return "\n".join([f"$ {command}", *lines]) + "\n"


def rewrite() -> None:
    """Put the real outputs into the README."""
    with tempfile.TemporaryDirectory() as folder:

        def fresh(match: re.Match[str]) -> str:
            output = output_of(match["command"], Path(folder))
            return f"<!-- example: {match['command']} -->\n```console\n{output}```"

        README.write_text(EXAMPLE.sub(fresh, README.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    rewrite()
