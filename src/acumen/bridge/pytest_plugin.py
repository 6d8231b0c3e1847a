"""acumen inside pytest: the fixture ``acumen_gate``, whose test has the verdict of a gate.

Every pytest of an environment loads this module, so it imports nothing before a test asks.
"""

from __future__ import annotations

from typing import Any, Final, Protocol

import pytest

__all__ = ["Gate"]

UNDECIDED: Final = "acumen_undecided"
"""The option of pytest's own file: ``fail`` (the default) or ``skip``."""


class Gate(Protocol):
    """What the fixture gives: called as :func:`acumen.gate` is."""

    def __call__(self, new: Any, base: Any = None, **asked: Any) -> Any:
        """The result of a gate that passes; else the test ends here."""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Make the option known."""
    about = "fail or skip: how a test ends whose acumen gate is undecided"
    parser.addini(UNDECIDED, about, default="fail")


@pytest.fixture
def acumen_gate(pytestconfig: pytest.Config) -> Gate:
    """Hold a run to what is asked of it: pass passes, fail fails, undecided is as configured."""
    policy = pytestconfig.getini(UNDECIDED)
    if policy not in ("fail", "skip"):
        raise pytest.UsageError(f"{UNDECIDED} is fail or skip, not {policy!r}")

    def gate(new: Any, base: Any = None, **asked: Any) -> Any:
        __tracebackhide__ = True
        import acumen

        result = acumen.gate(new, base, **asked)
        if result.exit_code == 0:
            return result
        if result.exit_code == 1:
            pytest.fail(f"the gate fails\n{result!r}", pytrace=False)
        if policy == "skip":
            pytest.skip("the gate is undecided: there are too few data to decide")
        pytest.fail(f"the gate is undecided: there are too few data to decide\n{result!r}", False)

    return gate
