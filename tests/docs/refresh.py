"""Put what commands print now into the pages: ``python -m tests.docs.refresh [PAGE…]``.

What a page shows whole is replaced whole. Of an output with gaps, or of which some lines are shown,
each run of lines is replaced by the lines most like it, as many as before. What is like no lines
stays, and is told, as is a block that does not run. Look at what changed before you keep it.
"""

from __future__ import annotations

import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import chdir
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any, Final

import pytest

from tests.docs.blocks import (
    FENCE,
    GAPS,
    Block,
    Printed,
    commands_of,
    hold,
    is_shell,
    run_block,
    run_command,
)
from tests.docs.stage import ROOT, build, pages
from tests.docs.test_pages import plain

LIKE: Final = 0.6
"""How like a run of lines must be to be taken for the one that the page shows."""


def main(paths: Sequence[Path]) -> int:
    """Rewrite the pages; 1 where one of them needs a person."""
    left = 0
    with tempfile.TemporaryDirectory() as top, pytest.MonkeyPatch.context() as environment:
        plain(environment)
        stage, folder = Path(top, "stage"), Path(top, "page")
        stage.mkdir()
        done = build(stage)
        for path in paths:
            shutil.copytree(stage, folder)
            with chdir(folder):
                for problem in rewrite(path, {"__name__": "__main__"}, done):
                    print(f"{path.relative_to(ROOT)}, {problem}", flush=True)
                    left += 1
            shutil.rmtree(folder)
    return int(left > 0)


def rewrite(path: Path, known: dict[str, Any], done: Mapping[str, Printed]) -> Iterator[str]:
    """Run the blocks of a page in order and put their outputs into it; yield what is left."""
    text, new, end, printed = path.read_text("utf-8"), "", 0, ""
    for match in FENCE.finditer(text):
        if match["language"].startswith("{"):
            continue
        block = Block.of(match)
        fresh = block.text
        try:
            if is_shell(block) and block.text.startswith("$ "):
                fresh, printed = _screens(block, done)
            elif block.language == "text" and printed and block.word is None:
                fresh = fitted(block.text, printed, whole=False)
            else:
                printed = run_block(block, known, printed, done)
        except Exception as error:  # noqa: BLE001 - whatever a page runs may raise; it is told
            yield f"line {block.line}: {' '.join(str(error).split())[:300]}"
        new, end = new + text[end : match.start("text")] + fresh, match.end("text")
    path.write_text(new + text[end:], "utf-8")


def _screens(block: Block, done: Mapping[str, Printed]) -> tuple[str, str]:
    """A block of commands with the outputs they have now, and these alone."""
    pairs = [(*pair, run_command(pair[0], done)) for pair in commands_of(block.text)]
    parts = re.split(r"(?m)^(?=\$ )", block.text)[1:]
    shown = ""
    for part, (_, output, printed) in zip(parts, pairs, strict=True):
        if output is None:
            shown += part
        else:
            head = part[: len(part) - len(output)]
            shown += head + fitted(output, printed, whole=True)
    return shown, "\n".join(printed for *_, printed in pairs)


def fitted(shown: str, printed: str, *, whole: bool) -> str:
    """What a page shows of an output, with the lines that are printed now."""
    try:
        hold(shown, printed, whole=whole)
    except AssertionError:
        pass
    else:
        return shown
    lines, fresh = [line.rstrip() for line in printed.splitlines()], []
    runs = _runs(shown)
    if whole and len(runs) == 1:
        return "\n".join(lines).strip("\n") + "\n"
    start = 0
    for run in runs:
        if run[0] in GAPS:
            fresh += run
            continue
        place = max(range(start, len(lines) + 1), key=lambda at: _likeness(run, lines[at:]))
        part = lines[place : place + len(run)]
        assert _likeness(run, part) >= LIKE, f"nothing printed is like: {run[0]}"
        fresh += part
        start = place + len(part)
    return "\n".join(fresh).rstrip("\n") + "\n"


def _runs(shown: str) -> list[list[str]]:
    """The lines between gaps, and each gap for itself."""
    runs: list[list[str]] = []
    for line in shown.splitlines():
        gap = line.strip() in GAPS
        if gap or not runs or runs[-1][0].strip() in GAPS:
            runs.append([])
        runs[-1].append(line.strip() if gap else line)
    return runs


def _likeness(run: Sequence[str], lines: Sequence[str]) -> float:
    """How like as many lines are, digits apart."""
    sides = ("\n".join(" ".join(x.split()) for x in side[: len(run)]) for side in (run, lines))
    one, two = (re.sub(r"\d", "0", side) for side in sides)
    return SequenceMatcher(None, one, two, autojunk=False).ratio()


if __name__ == "__main__":
    sys.exit(main([Path(name).resolve() for name in sys.argv[1:]] or pages()))
