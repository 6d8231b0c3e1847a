"""Which tests run which lines: recorded by a plugin of pytest, asked for every fault."""

from __future__ import annotations

import json
import os
from collections.abc import Generator
from pathlib import Path
from typing import Any, Final

import pytest

import coverage
from mutants.mutate import Mutation
from mutants.sample import package_of

FOLDER: Final = "ACUMEN_MUTANTS"
"""The variable that says where the plugin writes."""
BUDGET: Final = 25.0
"""Seconds of tests, as measured, that one fault is put to."""
STAND_INS: Final = ("tests/views/", "tests/metrics/", "tests/laws/")
"""No line of a compiled loop is seen as it runs: these tests, and the package's own, run them."""


def is_compiled(source: str) -> bool:
    """Whether a module holds compiled loops."""
    return "@compiled" in source or "@inlined" in source


class Recorder:
    """Coverage with the test's name as its context, and every test's seconds of processor time.

    Its own and that of the processes it started: the same however busy the machine is.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.seconds: dict[str, float] = {}
        self.failures: set[str] = set()
        self.lines = coverage.Coverage(
            data_file=folder / "lines", data_suffix=True, source=["src"], config_file=False
        )
        self.lines.set_option("run:relative_files", True)
        self.lines.start()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, Any, Any]:
        """What runs from here on is this test's."""
        began = sum(os.times()[:4])
        self.lines.switch_context(item.nodeid)
        result = yield
        self.lines.switch_context("")
        self.seconds[item.nodeid] = sum(os.times()[:4]) - began
        return result

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Remember what failed without a fault, or was skipped: it can notice nothing."""
        if not report.passed:
            self.failures.add(report.nodeid)

    def pytest_sessionfinish(self) -> None:
        """Write down the tests that passed and all lines."""
        self.lines.stop()
        self.lines.save()
        passes = {name: s for name, s in self.seconds.items() if name not in self.failures}
        (self.folder / f"seconds-{os.getpid()}.json").write_text(json.dumps(passes))


def pytest_configure(config: pytest.Config) -> None:
    """Measure in the workers, where tests run."""
    if hasattr(config, "workerinput"):
        config.pluginmanager.register(Recorder(Path(os.environ[FOLDER])))


class Tests:
    """The tests that passed without a fault, their seconds and their lines."""

    def __init__(self, folder: Path) -> None:
        parts = [json.loads(part.read_text()) for part in folder.glob("seconds-*.json")]
        self.seconds: dict[str, float] = {name: s for part in parts for name, s in part.items()}
        self._lines = coverage.CoverageData(str(folder / "lines"))
        self._lines.read()

    def of(self, mutation: Mutation, source: str) -> list[str]:
        """The tests that could notice a fault, near and quick ones first, within the budget."""
        package = package_of(mutation.file)
        near = ("tests/test_" if package == "acumen" else f"tests/{package}/", mutation.file)
        homes = (*STAND_INS, *near) if is_compiled(source) else near
        stand_ins = {name for name in self.seconds if name.startswith(homes)}
        # what runs at import alone, such as a file of defaults, is no test's own either
        names = stand_ins if is_compiled(source) else self._running(mutation) or stand_ins
        order = sorted(names, key=lambda n: (self.seconds[n] * (1 if n.startswith(near) else 3), n))
        spent = 0.0
        for place, name in enumerate(order):
            spent += self.seconds[name]
            if place and spent > BUDGET:
                return order[:place]
        return order

    def _running(self, mutation: Mutation) -> set[str]:
        """Who runs its lines; who runs anything of the file, where that happens at import.

        A module is imported once, before any test or by the first that needs it.
        """
        tests = self._lines.contexts_by_lineno(mutation.file)
        first, _, last, _ = mutation.span
        names = {name for line in range(first, last + 1) for name in tests.get(line, ())}
        at_import = len(names) <= 1 or "" in names
        if at_import:
            names = {name for line in tests.values() for name in line}
        return names & self.seconds.keys()
