"""What a plain install leaves out: the packages of each extra, and the command that brings them."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Final

from acumen.errors import UsageError

DISTRIBUTION: Final = "acumen-eval"
"""The name that pip knows; the one that Python imports is another project's there."""
RUN: Final = {"httpx2": "httpx2", "jinja2": "jinja2", "filelock": "filelock"}
EXTRAS: Final[Mapping[str, Mapping[str, str]]] = {
    "report": {"altair": "altair", "vl_convert": "vl-convert-python", "jinja2": "jinja2"},
    "fit": {"sklearn": "scikit-learn"},
    "run": RUN,
    "local": {**RUN, "xllamacpp": "xllamacpp"},
    "logs": {"zstandard": "zstandard"},
    "parquet": {"pyarrow": "pyarrow"},
    "large": {"duckdb": "duckdb", "pyarrow": "pyarrow"},
}
"""Extra -> the modules it brings, each with its package."""


class MissingExtraError(UsageError):
    """What was asked for needs packages that are not installed."""


def need(extra: str, what: str) -> None:
    """Refuse what needs an extra that is not installed; nothing of it is imported."""
    packages = EXTRAS[extra]
    missing = [package for module, package in packages.items() if find_spec(module) is None]
    if missing:
        command = f"pip install '{DISTRIBUTION}[{extra}]'"
        raise MissingExtraError(f"{what} needs {', '.join(missing)}: {command}")
