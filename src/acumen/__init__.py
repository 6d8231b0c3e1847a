"""acumen: how far can an AI's ordinal judgments be trusted, when it may abstain?

>>> import acumen
>>> rows = {"case": [1, 2, 3, 4], "truth": [2, 1, 1, 0], "prediction": [2, 3, 1, None]}
>>> table = acumen.from_columns(**rows, confidence=[2, 2, 1, 0])
>>> evaluation = acumen.evaluate(table, loss="abs", resamples=0)
>>> evaluation.document.confidence_variants["confidence"].augrc_full
0.25

The public names are those of ``__init__.pyi``, which type checkers read too, and what the packages
below list in ``__all__``; every other module is private. Each name is imported when it is first
asked for, because ``import acumen`` alone should cost nothing.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from acumen._version import __version__ as __version__


@cache
def _homes() -> dict[str, tuple[str, str]]:
    """Public name -> its module and its name there, from the stub."""
    import ast

    stub = ast.parse(Path(__file__).with_suffix(".pyi").read_text("utf-8"))
    return {
        alias.asname or alias.name: (node.module or "", alias.name)
        for node in stub.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return sorted(_homes())
    if name.startswith("_"):
        raise AttributeError(f"module 'acumen' has no attribute '{name}'")
    home, own_name = _homes().get(name, (__name__, name))
    if home == __name__:  # a module or a package, such as acumen.errors or acumen.metrics
        if find_spec(f"{__name__}.{name}") is None:
            raise AttributeError(f"module 'acumen' has no attribute '{name}'")
        return import_module(f"{__name__}.{name}")
    value = globals()[name] = getattr(import_module(home), own_name)
    return value


def __dir__() -> list[str]:
    return sorted({"__version__", *_homes()})
