"""What the registry says of a format is true, for every format in it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import polars as pl
import pytest

from acumen.confidence import select
from acumen.errors import DataError, UsageError
from acumen.readers import formats, read
from tests.toy_runs import toy_run

COLUMNS = {"case": "who", "truth": "right", "prediction": "guess"}
ROWS = {"who": [1, 2, 3], "right": [0, 1, 2], "guess": [0, 2, None], "sureness": [0.5, 0.7, 0.1]}


def write_records(path: Path) -> None:
    records = toy_run(3, 0)["experiments"][0]["results"]["results"]
    path.write_text("\n".join(map(json.dumps, records)), "utf-8")


WRITERS: Mapping[str, Callable[[Path], object]] = {
    ".csv": lambda path: pl.DataFrame(ROWS).write_csv(path),
    ".parquet": lambda path: pl.DataFrame(ROWS).write_parquet(path),
    ".jsonl": write_records,
    ".json": lambda path: path.write_text(json.dumps(toy_run(3, 0)), "utf-8"),
}
"""Ending -> what writes a small file of the format; a format without one fails the laws below."""


def file_of(ending: str, folder: Path) -> Path:
    path = folder / f"rows{ending}"
    WRITERS[ending](path)
    return path


@pytest.mark.parametrize("ending", [*formats.FORMATS, ".json"])
def test_columns_may_be_named_where_the_registry_says_so_and_nowhere_else(
    ending: str, tmp_path: Path
) -> None:
    path = file_of(ending, tmp_path)
    if not formats.format_of(path).has_columns:
        with pytest.raises(UsageError, match=r"has no columns.*CSV, Parquet"):
            read(path, columns=COLUMNS)
        assert not read(path).source.is_long
        return
    table = read(path, columns=COLUMNS)
    assert table.truth.tolist() == [0, 1, 2]
    assert table.source.is_long
    # a table of columns has no signals of a run: what is missing is a column
    with pytest.raises(DataError, match=r"no confidence column .*sureness"):
        select("default", table)


@pytest.mark.parametrize("ending", [*formats.FORMATS, ".json"])
def test_a_mode_may_be_chosen_where_the_registry_says_so_and_nowhere_else(
    ending: str, tmp_path: Path
) -> None:
    path = file_of(ending, tmp_path)
    refusal = "there is no mode" if formats.format_of(path).has_modes else "has no modes"
    with pytest.raises(UsageError, match=refusal):
        read(path, mode="no such mode")


def test_the_readers_of_the_registry_are_there() -> None:
    for entry in (formats.RUN, *formats.FORMATS.values()):
        assert callable(entry.reader())
