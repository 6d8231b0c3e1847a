"""What a command puts out: where it may write, data for other programs, and warnings."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from glob import glob
from pathlib import Path

import typer

from acumen.errors import UsageError, printable


def emit(text: str) -> None:
    """Write data in UTF-8, whatever letters the terminal has: no id is ever changed on the way."""
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8"))
    sys.stdout.buffer.flush()


def warn(warnings: Iterable[str]) -> None:
    """Warnings on standard error, one a line."""
    for warning in warnings:
        typer.echo(f"acumen: warning: {printable(warning, limit=600)}", err=True)


def check_targets(targets: Mapping[str, Path | None], inputs: Iterable[str | Path | None]) -> None:
    """Refuse an output that is an input or another output; ``targets`` are by their option."""
    texts = [str(i) for i in inputs if i is not None and str(i) != "-"]
    sources = [Path(path) for text in texts for path in (text, *glob(text, recursive=True))]
    paths = {option: path for option, path in targets.items() if path is not None}
    for option, target in paths.items():
        if any(_is_same(target, path) for path in sources):
            raise UsageError(f"{option} would overwrite an input, {printable(target.name)}")
        for other, path in paths.items():
            if other != option and _is_same(target, path) and not target.is_char_device():
                raise UsageError(f"{option} and {other} are one file, {printable(target.name)}")


def _is_same(a: Path, b: Path) -> bool:
    """Whether two paths are one file, by links too."""
    try:
        return a.resolve() == b.resolve() or a.samefile(b)
    except OSError:  # one of them is not there
        return False
