"""Where rows live: files as lazy frames of an engine, and small tables put beside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from glob import glob
from importlib import import_module
from pathlib import Path
from tempfile import gettempdir
from typing import Any, Final

import narwhals as nw
import numpy as np
from numpy.typing import NDArray

from acumen.defaults import ENGINES
from acumen.errors import DataError, UsageError, printable

MEMORY: Final = "900MB"
"""What DuckDB may hold before it writes to disk."""
Columns = Mapping[str, NDArray[Any]]


def open_files(patterns: Sequence[str | Path], engine: str | None) -> list[nw.LazyFrame[Any]]:
    """The rows of the files of each pattern (Parquet, CSV, JSON Lines), not read yet."""
    engine = engine or ENGINES[0]
    if engine not in ENGINES:
        raise UsageError(f"no engine '{printable(engine)}'; there are {', '.join(ENGINES)}")
    try:
        reader = import_module(_MODULES[engine])
    except ImportError:
        extra = "'acumen[large]'" if engine == "duckdb" else engine
        raise UsageError(f"{engine} is not installed: pip install {extra}") from None
    if engine == "duckdb":
        reader = reader.connect()  # one for all files, so that they can be set side by side
        reader.execute(f"SET memory_limit = '{MEMORY}'; SET preserve_insertion_order = false")
        reader.execute("SET temp_directory = ?", [gettempdir()])  # and not where the user stands
    return [_open(str(pattern), engine, reader) for pattern in patterns]


def _open(pattern: str, engine: str, reader: Any) -> nw.LazyFrame[Any]:
    paths = sorted(glob(pattern))
    if not paths:
        raise DataError(["there is no such file"], source=pattern)
    kinds = {Path(path).suffix.lower() for path in paths}
    kind = _KINDS.get(kinds.pop()) if len(kinds) == 1 else None
    if kind is None:
        known = ", ".join(_KINDS)
        raise DataError([f"an engine opens files of one kind, {known}"], source=pattern)
    verb = "scan" if engine == "polars" else "read"
    more = {"lines": True} if (engine, kind) == ("dask", "json") else {}
    kind = "ndjson" if (engine, kind) == ("polars", "json") else kind
    try:
        frame: nw.LazyFrame[Any] = nw.from_native(
            getattr(reader, f"{verb}_{kind}")(paths, **more)
        ).lazy()
        frame.collect_schema()
        return frame
    except Exception as error:  # noqa: BLE001  (each engine has errors of its own)
        # by its kind alone: an engine quotes the cell that it stumbled over
        kind = type(error).__name__
        raise DataError([f"{engine} cannot read it ({kind})"], source=pattern) from None


_MODULES: Final = {"duckdb": "duckdb", "polars": "polars", "dask": "dask.dataframe"}
_KINDS: Final = {".parquet": "parquet", ".csv": "csv", ".jsonl": "json", ".ndjson": "json"}


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
    table = frame.collect()
    return {name: np.asarray(table[name].to_numpy()) for name in table.columns}
