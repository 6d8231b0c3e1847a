"""Files of rows into a table, against pyarrow reading the file alone: time, and memory held.

``python -m benchmarks.tables [rows]``. Each peak is that of a process of its own. For the times
memory is kept for reuse as the command keeps it; pyarrow does so by itself.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from acumen.__main__ import reuse_memory
from acumen.readers import read
from benchmarks.memory import forget_peak, held, peak
from benchmarks.speed import best_time


@dataclass(frozen=True)
class Cost:
    """Seconds, and MB beyond what is held before the file is opened: ours and pyarrow's."""

    ours: float
    theirs: float
    our_peak: float
    their_peak: float


def frame(rows: int, items: int = 8) -> Any:
    """Cases of some items on five levels, each answer with a confidence."""
    import pyarrow as pa

    draw = np.random.default_rng(1)
    number = np.arange(rows)
    return pa.table(
        {
            "case": [f"p{n:07d}" for n in (number // items).tolist()],
            "item": [f"item{n}" for n in (number % items).tolist()],
            "truth": draw.integers(1, 6, rows),
            "prediction": draw.integers(1, 6, rows),
            "confidence": draw.random(rows).round(4),
        }
    )


def pyarrow_reads(path: Path) -> Any:
    """The file as pyarrow has it."""
    from pyarrow import csv, parquet

    return csv.read_csv(path) if path.suffix == ".csv" else parquet.read_table(path)


def write(table: Any, folder: Path) -> dict[str, Path]:
    """The same rows in each format."""
    from pyarrow import csv, parquet

    paths = {"CSV": folder / "rows.csv", "Parquet": folder / "rows.parquet"}
    csv.write_csv(table, paths["CSV"], csv.WriteOptions(quoting_style="none"))
    parquet.write_table(table, paths["Parquet"])
    return paths


def most_of(who: str, path: Path) -> float:
    """The peak of one reading, in a process that has read a small file before."""
    command = [sys.executable, "-m", "benchmarks.tables", who, str(path)]
    return float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def measure_peak(who: str, path: Path) -> float:
    """MB that reading a file takes beyond what this process held before."""
    reader = read if who == "ours" else pyarrow_reads
    with tempfile.TemporaryDirectory() as folder:
        for small in write(frame(80_000), Path(folder)).values():
            reader(small)
    before = held()
    forget_peak()
    table = reader(path)
    assert len(table) > 0
    return peak() - before


def costs(rows: int = 1_000_000) -> dict[str, Cost]:
    """Format -> what a table of so many rows takes."""
    reuse_memory()
    with tempfile.TemporaryDirectory() as folder:
        paths = write(frame(rows), Path(folder))
        return {
            name: Cost(
                best_time(lambda path=path: read(path)),  # type: ignore[misc]  # bound now
                best_time(lambda path=path: pyarrow_reads(path)),  # type: ignore[misc]
                most_of("ours", path),
                most_of("pyarrow", path),
            )
            for name, path in paths.items()
        }


if __name__ == "__main__":
    if sys.argv[1:2] in (["ours"], ["pyarrow"]):
        print(measure_peak(sys.argv[1], Path(sys.argv[2])))
    else:
        for name, c in costs(*(int(float(rows)) for rows in sys.argv[1:2])).items():
            print(
                f"{name}: {c.ours:.3f} s, {c.our_peak:,.0f} MB; pyarrow alone {c.theirs:.3f} s, "
                f"{c.their_peak:,.0f} MB; {c.ours / c.theirs:.2f} times, "
                f"{c.our_peak / c.their_peak:.2f} times"
            )
