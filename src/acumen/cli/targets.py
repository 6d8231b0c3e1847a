"""Where a command may write: not over what it reads, and not two things into one file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from acumen.errors import UsageError, printable

STANDARD_INPUT = "-"


def check_targets(targets: Mapping[str, Path | None], inputs: Iterable[str | Path | None]) -> None:
    """Refuse an output that is an input or another output; ``targets`` are by their option."""
    read = [Path(i) for i in inputs if i is not None and str(i) != STANDARD_INPUT]
    written = {option: path for option, path in targets.items() if path is not None}
    for option, target in written.items():
        if any(_same(target, path) for path in read):
            raise UsageError(f"{option} would overwrite an input, {printable(target.name)}")
        for other, path in written.items():
            if other != option and _same(target, path) and not target.is_char_device():
                raise UsageError(f"{option} and {other} are one file, {printable(target.name)}")


def _same(a: Path, b: Path) -> bool:
    """Whether two paths are one file, by links too."""
    try:
        return a.resolve() == b.resolve() or a.samefile(b)
    except OSError:  # one of them is not there
        return False
