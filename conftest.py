"""Where doctests are looked for."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from _pytest.doctest import DoctestModule


@pytest.hookimpl(wrapper=True)
def pytest_collect_file(file_path: Path) -> Generator[None, Any, list[pytest.Collector]]:
    """Import no module for doctests that it does not have: some take seconds."""
    nodes = yield
    if file_path.suffix == ".py" and b">>> " in file_path.read_bytes():
        return nodes
    return [node for node in nodes if not isinstance(node, DoctestModule)]
