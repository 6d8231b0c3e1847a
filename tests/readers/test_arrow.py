"""The fast reader of text tables gives what the careful one gives, or leaves it the file."""

from __future__ import annotations

import random
from decimal import Decimal
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

from acumen.errors import DataError
from acumen.readers import content, delimited, read
from acumen.readers.arrow import read_clean_csv, read_parquet
from acumen.readers.content import load
from acumen.readers.inputs import from_frame
from acumen.table.coded import Coded
from acumen.table.judgments import Judgments

HEADER = "id,item,truth,pred,confidence,note,dose"


@cache
def rows(n: int = 3000, seed: int = 1) -> list[str]:
    draw = random.Random(seed)
    cells = [
        (
            *(f"{case:04d}", draw.choice("ab"), draw.choice(["1", "2", "3", "2.0"])),
            *(draw.choice(["1", " 2", "3", "", "N/A"]), f"{draw.random():.6f}"),
            *(draw.choice(["x", "é", ""]), draw.choice(["0.5", "12", "", "NA"])),
        )
        for case in range(n)
    ]
    return [",".join(row) for row in cells]


CLEAN = {
    "plain": "\n".join([HEADER, *rows()]) + "\n",
    "no newline at its end": "\n".join([HEADER, *rows()]),
    "carriage returns": "\r\n".join([HEADER, *rows()]) + "\r\n",
    "a byte order mark": "\ufeff" + "\n".join([HEADER, *rows()]),
    "a quoted header": "\n".join(['"' + HEADER.replace(",", '","') + '"', *rows()]),
    "semicolons": "\n".join([HEADER, *rows()]).replace(",", ";"),
    "numbers missing": "\n".join([HEADER, *rows(), "x1,a,1,1,nan,,", "x2,a,1,1,,,"]),
    "ids with a point": "\n".join([HEADER, *(f"{i}.5{row[4:]}" for i, row in enumerate(rows()))]),
}
CLEAN["several rows of a case"] = "\n".join(
    [
        HEADER,
        *(f"{i // 4:04d},{'bdca'[i % 4]},{row[7:]}" for i, row in enumerate(rows())),
        *("0002,e,1,1,0.5,é,", "0001,e,1,1,0.5,,1", "0001,f,2,2,0.5,,1"),
    ]
)
LEVELS = [f"{at:04d},a,{1 + at % 3},{1 + at % 2},0.{at:05d},x,1" for at in range(3000)]
LATE = {
    "a text late among numbers": "\n".join([HEADER, *rows(), "x,a,1,,high,,1"]),
    "infinity": "\n".join([HEADER, *rows(), "x,a,1,,inf,,1"]),
    "whole numbers": "\n".join([HEADER, *LEVELS]),
    "a word late among levels": "\n".join([HEADER, *LEVELS, "x,a,1,maybe,0.5,,1"]),
    "a word for no answer late among levels": "\n".join([HEADER, *LEVELS, "x,a,1,N/A,0.5,,1"]),
    "a blank late among levels": "\n".join([HEADER, *LEVELS, "x,a,1,,0.5,,1"]),
    "a level late in hexadecimals": "\n".join([HEADER, *LEVELS, "x,a,1,0x1,0.5,,1"]),
    "a level late as 2.0": "\n".join([HEADER, *LEVELS, "x,a,1,2.0,0.5,,1", "y,a,2,+3,0.5,,1"]),
}
ODD = {
    "a quoted cell": "\n".join([HEADER, *rows(), '"x",a,1,1,0.5,"a\nb",1']),
    "a blank line": "\n".join([HEADER, "", *rows()]),
    "a row of blanks": "\n".join([HEADER, *rows(), ",,,,,,"]),
    "the mark named": "sep=;\n" + "\n".join([HEADER, *rows()]).replace(",", ";"),
}
BROKEN: dict[str, str | bytes] = {
    "a lone carriage return": "\n".join([HEADER, *rows(), "x,a,1,1,0.5,a\rb,1"]),
    "a ragged line": "\n".join([HEADER, *rows(), "x,a,1"]),
    "another encoding": ("\n".join([HEADER, *rows(), "x,a,1,1,0.5,\xff,1"])).encode("latin-1"),
    "a name twice": "\n".join([HEADER + ",id", *(row + ",1" for row in rows())]),
    "off the scale": "\n".join([HEADER, *rows(), "x,a,9,1,0.5,,1"]),
    "a row twice": "\n".join([HEADER, *rows(), rows()[7] + "0"]),
}


def write(folder: Path, text: str | bytes) -> Path:
    path = folder / "rows.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def same(a: Judgments, b: Judgments) -> None:
    assert (a.cases, a.items, a.scale, a.warnings) == (b.cases, b.items, b.scale, b.warnings)
    for name in ("case", "item", "truth", "prediction", "outcome", "line"):
        assert getattr(a, name).tolist() == getattr(b, name).tolist(), name
    assert a.signals.keys() == b.signals.keys()
    for name, signal in a.signals.items():
        np.testing.assert_array_equal(signal.values, b.signals[name].values)
        assert signal.state.tolist() == b.signals[name].state.tolist()
        assert signal.other == b.signals[name].other


@pytest.mark.parametrize("what", [*CLEAN, *LATE, *ODD])
def test_the_fast_reader_gives_the_table_of_the_careful_one(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path, (CLEAN | LATE | ODD)[what])
    reading: dict[str, Any] = {"levels": "1-3"}
    careful = read(path, **reading)
    monkeypatch.setattr(delimited, "BIG", 0)
    for size in (content.BLOCK, 4000):
        monkeypatch.setattr(content, "BLOCK", size)
        same(read(path, **reading), careful)


@pytest.mark.parametrize("what", CLEAN)
def test_clean_files_are_read_fast(what: str, tmp_path: Path) -> None:
    sheet = read_clean_csv(load(write(tmp_path, CLEAN[what])))
    assert sheet is not None
    assert isinstance(sheet.column("confidence"), np.ndarray)


@pytest.mark.parametrize("what", ODD)
def test_odd_files_are_left_to_the_careful_reader(what: str, tmp_path: Path) -> None:
    assert read_clean_csv(load(write(tmp_path, ODD[what]))) is None


@pytest.mark.parametrize("what", BROKEN)
def test_what_is_wrong_is_told_in_the_same_words(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, messages = write(tmp_path, BROKEN[what]), []
    for size in (1 << 30, 0):
        monkeypatch.setattr(delimited, "BIG", size)
        with pytest.raises(DataError) as error:
            read(path, levels="1-3")
        messages.append(str(error.value))
    assert messages[0] == messages[1]


GROUPS: dict[str, Any] = {
    "texts": pa.array(["b", "a", None, "c", "a", "b"]),
    "numbers with a late gap": pa.array([1, 2, 2, 3, None, 1]),
    "floats with a late NaN": pa.array([1.0, 2.0, None, 3.0, float("nan"), 1.0]),
    "truth values": pa.array([True, False, None, True, True, False]),
    "decimals": pa.array([Decimal("1.0"), None, Decimal("2.5")] * 2),
    "ordered": pa.DictionaryArray.from_arrays(
        [0, 1, None, 2, 0, 1], ["lo", "hi", "mid"], ordered=True
    ),
}


@pytest.mark.parametrize("what", GROUPS)
def test_a_column_of_several_groups_of_rows_is_that_of_one(what: str, tmp_path: Path) -> None:
    frames = []
    for name, rows in (("whole", 6), ("groups", 2)):
        path = tmp_path / f"{name}.parquet"
        pq.write_table(pa.table({"x": GROUPS[what]}), path, row_group_size=rows)
        frames.append(read_parquet(load(path)))
    whole, groups = frames
    cells = [Coded.of(frame.column("x")) for frame in frames]
    assert [[None if c < 0 else x.values[c] for c in x.codes.tolist()] for x in cells] == [
        [None if v is None or v != v else v for v in GROUPS[what].to_pylist()]
    ] * 2
    assert whole.has_numbers("x") == groups.has_numbers("x")
    assert whole.order("x") == groups.order("x")
    assert [*whole.nan_rows("x")] == [*groups.nan_rows("x")]


@pytest.mark.parametrize("sizes", [(3, 0), (0, 3), (0, 2, 0, 1, 0)], ids=str)
def test_a_group_without_rows_adds_nothing(sizes: tuple[int, ...], tmp_path: Path) -> None:
    table = pa.table({"case": ["a", "b", "c"], "truth": [1, 2, 3], "prediction": [1, 2, None]})
    start = 0
    with pq.ParquetWriter(tmp_path / "rows", table.schema) as writer:
        for size in sizes:
            writer.write_table(table.slice(start, size))
            start += size
    rows = read(tmp_path / "rows")
    assert (rows.cases, rows.truth.tolist()) == (("a", "b", "c"), [0, 1, 2])
    with pq.ParquetWriter(tmp_path / "rows", table.schema) as writer:
        writer.write_table(table.slice(0, 0))
    with pytest.raises(DataError, match="there are no rows in it"):
        read(tmp_path / "rows")


@pytest.mark.parametrize("kind", ["csv", "parquet", "groups", "frame"])
def test_levels_are_those_of_the_rows_that_are_taken(kind: str, tmp_path: Path) -> None:
    big = 40_000
    table = pa.table(
        {
            "case": [f"c{i}" for i in range(big)],
            "site": ["ab"[i % 2] for i in range(big)],
            "truth": [7 if i % 2 else 1 + i % 3 for i in range(big)],
            "prediction": [1 + i % 3 for i in range(big)],
        }
    )
    path = tmp_path / "rows"
    if kind == "csv":
        pa.csv.write_csv(table, path, pa.csv.WriteOptions(quoting_style="none"))
    else:
        pq.write_table(table, path, row_group_size=big if kind == "parquet" else 9000)
    rows = from_frame(table, where="site=a") if kind == "frame" else read(path, where="site=a")
    assert rows.scale.levels == (1, 2, 3)


def test_a_file_that_grows_is_read_as_it_was_and_one_that_shrinks_is_refused(
    tmp_path: Path,
) -> None:
    path = write(tmp_path, CLEAN["plain"])
    whole = load(path)
    with path.open("a") as file:
        file.write("x,a,1,1,0.5,,1\n" * 1000)
    rows = read_clean_csv(whole)
    assert rows is not None
    assert len(rows) == 3000
    path.write_bytes(path.read_bytes()[:1000])
    with pytest.raises(DataError, match="it became shorter while it was read"):
        [*whole.blocks(5000)]


def test_only_the_columns_that_are_asked_for_are_read(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    table = pa.table({"case": [1, 2], "truth": [1, 2], "prediction": [2, 1], "note": ["x", "y"]})
    pq.write_table(table, path, compression="none", use_dictionary=False, write_statistics=False)
    data = bytearray(path.read_bytes())
    start = pq.ParquetFile(path).metadata.row_group(0).column(3).data_page_offset
    data[start : start + 20] = b"\xff" * 20  # nobody looks there
    path.write_bytes(data)
    assert read(path, levels="1-3").truth.tolist() == [0, 1]
    with pytest.raises(DataError, match="is not a Parquet file"):
        read(path, levels="1-3", group="note")
