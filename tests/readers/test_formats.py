"""What the registry says of a format is true, for every format in it."""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import zstandard

from acumen.errors import DataError, UsageError
from acumen.readers import formats, read
from acumen.readers.content import Head, load
from tests.toy_runs import toy_run

COLUMNS = {"case": "who", "truth": "right", "prediction": "guess"}
ROWS = {"who": [1, 2, 3], "right": [0, 1, 2], "guess": [0, 2, None], "sureness": [0.5, 0.7, 0.1]}
RECORDS = [dict(zip(ROWS, row, strict=True)) for row in zip(*ROWS.values(), strict=True)]


def parquet() -> bytes:
    data = io.BytesIO()
    pl.DataFrame(ROWS).write_parquet(data)
    return data.getvalue()


WRITERS: Mapping[str, Callable[[], bytes]] = {
    "csv": lambda: pl.DataFrame(ROWS).write_csv().encode(),
    "tsv": lambda: pl.DataFrame(ROWS).write_csv(separator="\t").encode(),
    "parquet": parquet,
    "jsonl": lambda: "\n".join(map(json.dumps, RECORDS)).encode(),
    "json": lambda: json.dumps({"made": "today", "rows": RECORDS}, indent=1).encode(),
    "cases": lambda: "\n".join(map(json.dumps, cases())).encode(),
    "run": lambda: json.dumps(toy_run(3, 0)).encode(),
}
"""Format -> a small file of it; the formats of other tools have tests of their own."""

PACKERS: Mapping[str, Callable[[bytes], bytes]] = {
    "": lambda data: data,
    ".gz": gzip.compress,
    ".zst": zstandard.compress,
}


def cases() -> list[Any]:
    records: list[Any] = toy_run(3, 0)["experiments"][0]["results"]["results"]
    return records


def file_of(name: str, folder: Path, packer: str = "", ending: str = "dat") -> Path:
    path = folder / f"rows.{ending}{packer}"
    path.write_bytes(PACKERS[packer](WRITERS[name]()))
    return path


@pytest.mark.parametrize("packer", PACKERS)
@pytest.mark.parametrize("name", WRITERS)
def test_a_format_is_told_by_content_whatever_the_ending(
    name: str, packer: str, tmp_path: Path
) -> None:
    for ending in ("dat", "csv", "jsonl"):
        content = load(file_of(name, tmp_path, packer, ending))
        assert formats.format_of(content.head) == name


@pytest.mark.parametrize("packer", PACKERS)
@pytest.mark.parametrize("name", WRITERS)
def test_columns_may_be_named_where_the_registry_says_so_and_nowhere_else(
    name: str, packer: str, tmp_path: Path
) -> None:
    path = file_of(name, tmp_path, packer)
    if not formats.FORMATS[name].has_columns:
        with pytest.raises(UsageError, match=r"has no columns.*CSV"):
            read(path, columns=COLUMNS)
        assert not read(path).source.is_long
        return
    table = read(path, columns=COLUMNS)
    assert table.truth.tolist() == [0, 1, 2]
    assert table.prediction.tolist() == [0, 2, -1]
    assert table.scale.levels == (0, 1, 2)
    assert table.signals["sureness"].values.tolist() == [0.5, 0.7, 0.1]
    assert table.source.is_long


@pytest.mark.parametrize("name", WRITERS)
def test_a_mode_may_be_chosen_where_the_registry_says_so_and_nowhere_else(
    name: str, tmp_path: Path
) -> None:
    refusal = "there is no mode" if formats.FORMATS[name].has_modes else "has no modes"
    with pytest.raises(UsageError, match=refusal):
        read(file_of(name, tmp_path), mode="no such mode")


@pytest.mark.parametrize("name", WRITERS)
def test_every_format_is_read_from_standard_input(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reading: dict[str, Any] = {"columns": COLUMNS} if formats.FORMATS[name].has_columns else {}
    expected = read(file_of(name, tmp_path), **reading)
    piped = io.TextIOWrapper(io.BytesIO(gzip.compress(WRITERS[name]())))
    monkeypatch.setattr("sys.stdin", piped)
    table = read("-", **reading)
    assert table.truth.tolist() == expected.truth.tolist()
    assert table.cases == expected.cases


def test_a_format_may_be_said_where_content_cannot_tell(tmp_path: Path) -> None:
    path = tmp_path / "one.txt"
    path.write_text('{"who": 1, "right": 1, "guess": 0}')  # one line: a document, or JSON Lines?
    with pytest.raises(DataError, match="there are no rows in it"):
        read(path, columns=COLUMNS)
    assert read(path, columns=COLUMNS, format="jsonl", levels="0-1").cases == (1,)
    with pytest.raises(UsageError, match=r"no format 'excel'; there are .*parquet"):
        read(path, format="excel")


def test_the_readers_of_the_registry_are_there() -> None:
    for entry in formats.FORMATS.values():
        assert callable(entry.reader())


@pytest.mark.parametrize(
    ("start", "keys"),
    [
        (b'{"a": {"b": 1, "x": [{"c": 2}]}, "d": "} , \\"e\\": 1", "f": 0', {"a", "d", "f"}),
        (b'[ {"a": 1, "b": [{"c": 1}]}, {"d": 1}]', {"a", "b"}),
        (b"a,b\n1,2\n", set()),
    ],
)
def test_the_keys_of_a_document_show_before_it_is_parsed(start: bytes, keys: set[str]) -> None:
    assert Head(start).keys == keys


@pytest.mark.parametrize("ending", [".json", ".parquet", ".jsonl", ".tsv", ".txt", ""])
def test_a_table_of_text_is_one_under_any_name(ending: str, tmp_path: Path) -> None:
    path = tmp_path / f"rows{ending}"
    path.write_text("case,truth,prediction\n1,0,1\n2,1,1\n")
    assert read(path).truth.tolist() == [0, 1]
