"""How the property tests draw their examples, and what a run says at its end."""

from __future__ import annotations

import gc
import os
import signal

import pytest
from hypothesis import HealthCheck, settings

# Matrices here are small: more threads would spin while they wait, on cores that other tests need.
for library in ("OPENBLAS", "OMP"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

# The same examples on every machine, however busy it is: what fails, fails for everyone.
settings.register_profile(
    "same",
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
# New examples at every run, and many more of them where a test leaves their number open.
settings.register_profile(
    "explore", settings.get_profile("same"), derandomize=False, max_examples=1000
)
settings.load_profile("same")

collect_ignore = ["bridge/mock_evaluations.py"]  # a script; its imports take seconds


def pytest_configure() -> None:
    """A shell lets what runs in the background ignore Ctrl-C, and so would all that it starts."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what needs a browser."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker("browser")


def pytest_collection_finish() -> None:
    """What is imported by now stays: nobody need look through it for garbage again and again."""
    gc.collect()
    gc.freeze()


def pytest_unconfigure(config: pytest.Config) -> None:
    """After everything else, say that the page was not tested in a browser: it is easy to miss."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    if reporter is None:  # a worker: it reports to another process
        return
    tests = [r for r in reporter.stats.get("skipped", ()) if isinstance(r, pytest.TestReport)]
    skips = [r for r in tests if "browser" in r.keywords]
    if not skips:
        return
    assert isinstance(skips[0].longrepr, tuple)  # of a skip: file, line, reason
    *_, reason = skips[0].longrepr
    reporter.write_sep("!", f"{len(skips)} BROWSER TESTS WERE SKIPPED", red=True, bold=True)
    reporter.write_line(f"{reason}\n`make browser` tries to get one; then run the tests again")
