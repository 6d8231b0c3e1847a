"""Every code block and every command of every page runs, and prints what the page shows."""

from __future__ import annotations

import shlex
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from acumen.cli import COMMANDS
from acumen.confidence import FUNCTIONS
from acumen.metrics import METRICS
from acumen.table.signals import SIGNALS
from pages.commands import examples
from tests.docs.blocks import Printed, blocks, printed_by, run_page
from tests.docs.stage import ROOT, build, pages

LEFT_OUT = {
    "README.md": 2,  # pip, and the first lines of a file
    "docs/cite.md": 1,  # an entry of a bibliography
    "docs/data.md": 1,  # messages about a file that the page does not show
    "docs/index.md": 1,  # pip
    "docs/large.md": 2,  # a cluster of Dask, a session of Spark
    "docs/logs.md": 4,  # a log of one's own; Inspect's own command; a dataset of one's own
    "docs/recipes/sites.md": 1,  # a session of Spark
    "docs/runner.md": 7,  # models that cost money, and pip
    "docs/recipes/trackers.md": 1,  # a tracker's library
    "docs/where.md": 1,  # pip
    "docs/verdicts.md": 1,  # messages that tests/verdicts holds
}
"""How many blocks of a page do not run; each says why, in a comment above it."""


@dataclass(frozen=True, slots=True)
class Stage:
    """A folder, and what the commands that filled it printed."""

    folder: Path
    printed: dict[str, Printed]


@pytest.fixture(scope="session")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Stage:
    folder = tmp_path_factory.mktemp("stage")
    with pytest.MonkeyPatch.context() as environment:
        plain(environment)
        printed = build(folder)
        environment.chdir(folder)
        return Stage(folder, printed)


def plain(environment: pytest.MonkeyPatch) -> None:
    """A terminal as the pages have it."""
    for name, value in {"COLUMNS": "80", "NO_COLOR": "1", "TERM": "dumb"}.items():
        environment.setenv(name, value)


@pytest.fixture
def place(stage: Stage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    """A copy of the stage to work in; what a page registers is forgotten after it."""
    shutil.copytree(stage.folder, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    plain(monkeypatch)
    registries: tuple[dict[str, Any], ...] = FUNCTIONS, SIGNALS, METRICS
    before = [dict(registry) for registry in registries]
    yield stage
    for registry, content in zip(registries, before, strict=True):
        registry.clear()
        registry.update(content)


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.relative_to(ROOT).as_posix())
def test_the_blocks_of_a_page_run(page: Path, place: Stage) -> None:
    run_page(page, {"__name__": "__main__"}, place.printed)


def test_the_blocks_that_do_not_run_are_counted() -> None:
    counts = {
        page.relative_to(ROOT).as_posix(): sum(
            block.word == "not run" for block in blocks(page.read_text("utf-8"))
        )
        for page in pages()
    }
    assert {page: count for page, count in counts.items() if count} == LEFT_OUT


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_has_two_examples_at_least_and_they_run(
    command: str, place: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(f"ACUMEN_{command.upper()}_RESAMPLES", "100")
    lines = examples(command)
    assert len(lines) >= 2
    for line in lines:
        if line in place.printed:
            continue
        # the model itself is asked in tests/runner
        words = shlex.split(line) + ["--dry-run"] * (command == "run" and "--dry-run" not in line)
        printed, code = printed_by(words)
        assert code == 0 or (command == "gate" and code in (1, 5)), f"{line}: {printed}"
