"""Files of rows into a table, against pyarrow reading the file alone."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from acumen.readers import read
from benchmarks.speed import best_time


def frame(rows: int, items: int = 8) -> Any:
    """Cases of some items on five levels, each answer with a confidence."""
    import pyarrow as pa

    draw = np.random.default_rng(1)
    number = np.arange(rows)
    return pa.table(
        {
            "case": [f"p{n:06d}" for n in (number // items).tolist()],
            "item": [f"item{n}" for n in (number % items).tolist()],
            "truth": draw.integers(1, 6, rows),
            "prediction": draw.integers(1, 6, rows),
            "confidence": draw.random(rows).round(4),
        }
    )


def seconds(rows: int = 1_000_000) -> dict[str, tuple[float, float]]:
    """Format -> the time that a table takes, and that pyarrow takes to read the file."""
    from pyarrow import csv, parquet

    table = frame(rows)
    with tempfile.TemporaryDirectory() as folder:
        text, columns = Path(folder) / "rows.csv", Path(folder) / "rows.parquet"
        csv.write_csv(table, text, csv.WriteOptions(quoting_style="none"))
        parquet.write_table(table, columns)
        return {
            "CSV": (best_time(lambda: read(text)), best_time(lambda: csv.read_csv(text))),
            "Parquet": (
                best_time(lambda: read(columns)),
                best_time(lambda: parquet.read_table(columns)),
            ),
        }


if __name__ == "__main__":
    for name, (ours, theirs) in seconds().items():
        print(f"{name}: {ours:.3f} s, pyarrow alone {theirs:.3f} s, {ours / theirs:.2f} times")
