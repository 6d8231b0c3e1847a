"""``python -m benchmarks.large [rows]``: Parquet files larger than memory, counted by DuckDB.

Every confidence is different, so bins are leading bits; 80% of the rows are answered, 8 a case.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from acumen.files.json import parse_json, to_json

ROWS = 100_000_000
PARTS = 10
MOST_CPU = 60.0
MOST_MEMORY = 1.5e9


def write_rows(folder: Path, rows: int) -> None:
    """Rows in several files; right answers are surer, and a case spreads over one file."""
    import duckdb

    each = rows // PARTS
    for part in range(PARTS):
        duckdb.sql(
            f"""
            COPY (
              SELECT i // 8 AS "case", (hash(i) % 4)::TINYINT AS truth,
                CASE WHEN hash(i + 7) % 5 = 0 THEN NULL ELSE
                  least(3, hash(i) % 4 + (hash(i + 1) % 4 = 0)::INT)::TINYINT END AS prediction,
                0.5 * (hash(i + 3) % 4294967291) / 4294967291.0
                + 0.5 * (hash(i + 1) % 4 != 0)::INT * (hash(i + 5) % 4294967279) / 4294967279.0
                  AS confidence
              FROM range({part * each}, {part * each + each}) rows(i)
            ) TO '{folder / f"part-{part}.parquet"}' (FORMAT parquet)
            """
        )


def measure(pattern: str) -> dict[str, float]:
    """Evaluate the files in this process: seconds, CPU-seconds and the most memory held."""
    import acumen

    start = time.perf_counter()
    artifact = acumen.measure(pattern).document
    augrc = artifact.systems["all"].metrics["augrc"]
    usage = resource.getrusage(resource.RUSAGE_SELF)
    assert augrc.value is not None
    assert augrc.interval is not None
    assert augrc.bounds is not None
    return {
        "rows": artifact.rows,
        "cells": artifact.cells,
        "seconds": time.perf_counter() - start,
        "cpu_seconds": usage.ru_utime + usage.ru_stime,
        "bytes": usage.ru_maxrss * 1024.0,
        "augrc": augrc.value,
        "standard_error": augrc.interval.standard_error or 0.0,
        "certified_width": augrc.bounds[1] - augrc.bounds[0],
    }


def main(rows: int = ROWS) -> None:
    """Write the files, evaluate them in a process of their own, and say whether it was cheap."""
    with tempfile.TemporaryDirectory() as folder:
        write_rows(Path(folder), rows)
        pattern = f"{folder}/*.parquet"
        command = [sys.executable, "-m", "benchmarks.large", "--measure", pattern]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    numbers = parse_json(done.stdout)
    assert isinstance(numbers, dict)
    for name, value in numbers.items():
        print(f"{name:16}{value:,.6g}")
    cheap = numbers["cpu_seconds"] <= MOST_CPU and numbers["bytes"] <= MOST_MEMORY
    print("met" if cheap else "MISSED", f"(at most {MOST_CPU:g} CPU-s, {MOST_MEMORY / 1e9:g} GB)")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--measure"]:
        print(to_json(measure(sys.argv[2])))
    else:
        main(*(int(float(argument)) for argument in sys.argv[1:2]))
