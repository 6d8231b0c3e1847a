"""Where rows live: files as lazy frames of an engine, and small tables put beside them."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from contextlib import suppress
from glob import glob
from importlib import import_module
from pathlib import Path
from tempfile import gettempdir
from typing import Any, Final

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from acumen.defaults import ENGINES
from acumen.errors import DataError, UsageError, label, printable, source_name
from acumen.extras import need
from acumen.files.json import readable

MEMORY: Final = "900MB"
"""What DuckDB may hold before it writes to disk."""
Columns = Mapping[str, NDArray[Any]]


def open_files(patterns: Sequence[str | Path], engine: str | None) -> list[nw.LazyFrame[Any]]:
    """The rows of the files of each pattern (Parquet, CSV, JSON Lines), not read yet."""
    engine = engine or ENGINES[0]
    if engine not in ENGINES:
        raise UsageError(f"no engine '{printable(engine)}'; there are {', '.join(ENGINES)}")
    if engine == "duckdb":
        need("large", "the engine duckdb")
    try:
        reader = import_module(_MODULES[engine])
    except ImportError:
        raise UsageError(f"{engine} is not installed: pip install {engine}") from None
    if engine == "duckdb":
        reader = reader.connect()  # one for all files, so that they can be set side by side
        reader.execute(f"SET memory_limit = '{MEMORY}'; SET preserve_insertion_order = false")
        reader.execute("SET temp_directory = ?", [gettempdir()])  # and not where the user stands
    return [_open(str(pattern), engine, reader) for pattern in patterns]


def _open(pattern: str, engine: str, reader: Any) -> nw.LazyFrame[Any]:
    paths = [pattern] if Path(pattern).exists() else sorted(glob(pattern, recursive=True))
    if not paths:
        raise DataError(["there is no such file"], source=pattern)
    kinds = {Path(path).suffix.lower() for path in paths}
    kind = _KINDS.get(kinds.pop()) if len(kinds) == 1 else None
    if kind is None:
        known = ", ".join(_KINDS)
        raise DataError([f"an engine opens files of one kind, {known}"], source=pattern)
    verb = "scan" if engine == "polars" else "read"
    more = _OPTIONS.get((engine, kind), {})
    method = "ndjson" if (engine, kind) == ("polars", "json") else kind
    try:
        _check_headers(paths, kind, pattern)
        frame: nw.LazyFrame[Any] = nw.from_native(
            getattr(reader, f"{verb}_{method}")(paths, **more)
        ).lazy()
        frame.collect_schema()
        return frame
    except DataError:
        raise
    except Exception as error:  # noqa: BLE001  (each engine has errors of its own)
        # by its kind alone: an engine quotes the cell that it stumbled over
        kind = type(error).__name__
        raise DataError([f"{engine} cannot read it ({kind})"], source=pattern) from None


def _check_headers(paths: Sequence[str], kind: str, pattern: str) -> None:
    """Refuse parts of a table whose columns are others: an engine may go by their places."""
    first: list[str] | None = None
    for path in paths if len(paths) > 1 else ():
        with readable(path):
            names = _header(path, kind)
        if first is not None and names is not None and names != first:
            odd = [n for n in names if n not in first] + [n for n in first if n not in names]
            why = f"column {label(odd[0])} is not in both" if odd else "they are in another order"
            message = f"{label(source_name(path))} has other columns than the first file: {why}"
            raise DataError([message], source=pattern)
        first = names


def _header(path: str, kind: str) -> list[str] | None:
    """The columns of a file in order; None where each row names its own."""
    if kind == "csv":
        with Path(path).open(encoding="utf-8-sig", errors="replace", newline="") as file:
            return next(csv.reader(file), [])
    if kind == "parquet":
        with suppress(ImportError):  # the engine reads without it
            return [*import_module("pyarrow.parquet").read_schema(path).names]
    return None


_MODULES: Final = {"duckdb": "duckdb", "polars": "polars", "dask": "dask.dataframe"}
_KINDS: Final = {".parquet": "parquet", ".csv": "csv", ".jsonl": "json", ".ndjson": "json"}
_OPTIONS: Final[dict[tuple[str, str], dict[str, Any]]] = {
    ("duckdb", "csv"): {"all_varchar": True},
    ("polars", "csv"): {"infer_schema": False},
    ("dask", "csv"): {"dtype": str, "keep_default_na": False, "na_values": [""]},
    ("dask", "json"): {"lines": True},
}
"""Cells of text stay text, as everywhere: 01 is no 1, and a word may follow numbers."""


def beside(frame: nw.LazyFrame[Any], columns: Columns) -> nw.LazyFrame[Any]:
    """A small table in the engine where the rows of a frame live, so that the two can be joined."""
    native: Any = nw.to_native(frame)
    # objects would stay objects in an engine that has texts
    columns = {name: v.tolist() if v.dtype == object else v for name, v in columns.items()}
    table: Any
    match str(frame.implementation):
        case "polars":
            table = import_module("polars").LazyFrame(columns)
        case "duckdb":
            cells = import_module("pyarrow").table(columns)  # noqa: F841  (found by its name)
            table = native.query("acumen_rows", "SELECT * FROM cells")
        case "dask":
            small = import_module("pandas").DataFrame(columns)
            table = import_module("dask.dataframe").from_pandas(small, npartitions=1)
        case "pyspark":
            small = import_module("pandas").DataFrame(columns)
            table = native.sparkSession.createDataFrame(small)
        case "ibis":
            table = import_module("ibis").memtable(import_module("pyarrow").table(columns))
        case other:
            raise UsageError(f"rows of {other} are in memory already: use acumen.evaluate")
    lazy: nw.LazyFrame[Any] = nw.from_native(table).lazy()
    return lazy


def fetch(frame: nw.LazyFrame[Any]) -> dict[str, NDArray[Any]]:
    """The few rows of a result as arrays: the one place where anything leaves the engine."""
    try:
        table = frame.collect()
        return {name: np.asarray(table[name].to_numpy()) for name in table.columns}
    except Exception as error:  # noqa: BLE001  (each engine has errors of its own)
        engine, kind = frame.implementation, type(error).__name__
        hint = "does a column of numbers hold text, or have the files columns of other types?"
        raise DataError([f"{engine} could not work it out ({kind}); {hint}"]) from None
