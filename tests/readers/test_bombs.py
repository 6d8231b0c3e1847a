"""Small files of very much, each refused by a fresh process within 5 seconds and 500 MB."""

from __future__ import annotations

import gzip
import io
import itertools
import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow.parquet import ParquetFile, ParquetWriter, write_table

import acumen.files.json
from acumen.errors import DataError
from acumen.files.json import _between_strings, _most_keys, parse_json
from acumen.files.toml import parse_toml
from acumen.readers.content import load
from acumen.readers.formats import read_as
from acumen.readers.pages import pages
from tests.readers.test_xlsx import MAIN, workbook

# the peak of this process alone: getrusage would count the parent it was forked from
PROGRAM = """
import re, sys, time
from pathlib import Path
from acumen.cli import run
code = run(["evaluate", sys.argv[1], "--json", *sys.argv[2:]])
peak = re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())
print(code, int(peak[1]) // 1024, time.process_time())
"""
ODD = st.text(alphabet='a":\\\\{}[],\n')
SCALARS = ODD | st.sampled_from([None, 1, 2.5])
ROWS = {"case": ["a", "b"], "truth": [0, 1], "prediction": [0, 1], "confidence": [0.1, 0.2]}


def parquet(columns: dict[str, Any], **options: Any) -> bytes:
    file = io.BytesIO()
    write_table(pa.table(columns), file, compression="zstd", **options)
    return file.getvalue()


def with_rows(number: int) -> bytes:
    zeros = np.zeros(number, np.int8)
    names = pa.DictionaryArray.from_arrays(pa.array(zeros), ["a"])
    return parquet({"case": names, "truth": zeros, "prediction": zeros, "confidence": zeros})


def of_many_groups() -> bytes:
    file, rows = io.BytesIO(), pa.table(ROWS)
    with ParquetWriter(file, rows.schema) as writer:
        for _ in range(25_000):
            writer.write_table(rows)
    return file.getvalue()


def lying(file: bytes, size: int) -> bytes:
    """A file whose end says that its largest column is small: its pages say what it is."""

    def zigzag(number: int, length: int) -> bytes:
        groups = [(2 * number >> 7 * at) & 127 for at in range(length)]
        return bytes([*(group | 128 for group in groups[:-1]), groups[-1]])

    footer = len(file) - 8 - int.from_bytes(file[-8:-4], "little")
    length = -(-(2 * size).bit_length() // 7)
    end = file[footer:].replace(zigzag(size, length), zigzag(100, length))
    assert end != file[footer:]
    return file[:footer] + end


def largest(file: bytes) -> int:
    group = ParquetFile(io.BytesIO(file)).metadata.row_group(0)
    return int(max(group.column(c).total_uncompressed_size for c in range(group.num_columns)))


def long_cell() -> bytes:
    return parquet(ROWS | {"case": ["a" * 150_000_000, "b"]})


LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
PARQUET: dict[str, Callable[[], bytes]] = {
    "rows of nothing": lambda: with_rows(8_000_000),
    "a long cell": long_cell,
    "a long cell that is told to be short": lambda: lying(long_cell(), largest(long_cell())),
    "a long list": lambda: parquet(ROWS | {"confidence": [[0.0] * 25_000_000, [0.1]]}),
    "groups of rows": of_many_groups,
    "columns": lambda: parquet({f"c{at}": [1] for at in range(50_000)}),
    "a long note": lambda: noted("[" * 5_000_000),
}
JSON: dict[str, Callable[[], str]] = {
    "lists": lambda: "[" + "[]," * 4_000_000 + "[]]",
    "objects": lambda: "[" + "{}," * 4_000_000 + "{}]",
    "numbers": lambda: '{"experiments":[' + "1," * 6_000_000 + "1]}",
    "nesting": lambda: "[" * 10_000_000,
    "quotes": lambda: '["' + '\\"' * 60_000,
    "quotes of a key": lambda: '{"' + '\\"' * 60_000 + "\n",
    "digits": lambda: "[1" + "0" * 12_000_000 + "]",
    "a fault at the end": lambda: "[" + '{"a":1,"b":2},' * 900_000 + '{"a":1,]',
    "a key given twice at the end": lambda: "[" + '{"a":1,"b":2},' * 900_000 + '{"a":1,"a":2}]',
    "half a letter at the end": lambda: '["' + "\\ud83d\\ude00" * 1_000_000 + '","\\ud83d"]',
    "no rows": lambda: json.dumps({"run_metadata": {}, "experiments": [[None] * 900_000]}),
    "no objects": lambda: "[" + "12345," * 900_000 + "1]",
    "a key a row": lambda: "\n".join(f'{{"case":{at},"k{at}":1}}' for at in range(30_000)),
    "keys of one row": lambda: "[{" + ",".join(f'"{at}":1' for at in range(300_000)) + "}]",
    "lines that are none": lambda: "{}\n" + "[1,\n" * 900_000,
}


WORKBOOK: dict[str, Callable[[], str]] = {
    "a long cell": lambda: (
        '<row><c t="inlineStr"><is><t>' + "x" * 200_000_000 + "</t></is></c></row>"
    ),
    "rows of one cell": lambda: "<row><c><v>1</v></c></row>" * 5_000_000,
    "cells of one row": lambda: "<row>" + "<c/>" * 3_500_000 + "</row>",
    "cells far apart": lambda: "".join(
        f'<row r="{n}"><c r="{LETTERS[n % 26]}{LETTERS[n // 26 % 26]}{n}"><v>1</v></c></row>'
        for n in range(1, 100_000)
    ),
    "a cell at the end of each row": lambda: "".join(
        f'<row r="{n}"><c r="XFD{n}"><v>1</v></c></row>' for n in range(1, 40_000)
    ),
}


def noted(note: str) -> bytes:
    file = io.BytesIO()
    write_table(pa.table(ROWS).replace_schema_metadata({"huggingface": note}), file)
    return file.getvalue()


def is_refused(path: Path, *options: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(path), *options],
        capture_output=True,
        text=True,
        check=True,
    )
    code, megabytes, seconds = done.stdout.split()
    assert code == "3", done.stderr
    assert int(megabytes) < 500
    assert float(seconds) < 5
    assert path.name in done.stderr
    return done.stderr


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("name", PARQUET)
def test_a_bomb_of_parquet_is_refused_while_it_is_small(name: str, tmp_path: Path) -> None:
    path = tmp_path / "bomb.parquet"
    path.write_bytes(PARQUET[name]())
    assert path.stat().st_size < 30 << 20
    assert "Error" not in is_refused(path)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("name", JSON)
def test_a_bomb_of_json_is_refused_while_it_is_small(name: str, tmp_path: Path) -> None:
    path = tmp_path / "bomb.json.gz"
    path.write_bytes(gzip.compress(JSON[name]().encode()))
    assert path.stat().st_size < 1 << 20
    is_refused(path, *(["--format", "jsonl"] if "\n" in JSON[name]()[2:] else []))


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize(
    ("ends", "beside", "colon"),
    [
        ("{}", "", ":"),
        ("[]", '"a":{},' * 40_000, " :"),
        ("{}", '"a":"' + "{}" * 40_000 + '",', "\n\t:"),
    ],
)
def test_an_object_of_very_many_keys_is_refused(
    ends: str, beside: str, colon: str, tmp_path: Path
) -> None:
    path = tmp_path / "bomb.json"
    keys = ",".join(f'"{key}"{colon}{key % 5}' for key in range(3_000_000))
    path.write_text(f"[{{{beside}{keys}}}]" if ends == "[]" else f"{{{beside}{keys}}}")
    assert "an object of more than 1,000,000 keys" in is_refused(path)


@given(st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(ODD, inner)))
def test_the_keys_of_an_object_are_counted_whatever_its_strings_hold(document: Any) -> None:
    def most(node: Any) -> int:
        below = node.values() if isinstance(node, dict) else node if type(node) is list else ()
        return max([len(node) if isinstance(node, dict) else 0, *map(most, below)])

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(acumen.files.json, "_SMALL", re.compile(r"\{\}"))  # which has no key
        for piece in (1, 2, 7, 1 << 20):
            patch.setattr(acumen.files.json, "_PIECE", piece)
            assert _most_keys(_between_strings(json.dumps(document))) == most(document)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("name", WORKBOOK)
def test_a_bomb_of_a_workbook_is_refused_while_it_is_small(name: str, tmp_path: Path) -> None:
    body = f'<worksheet xmlns="{MAIN}"><sheetData>{WORKBOOK[name]()}</sheetData></worksheet>'
    path = workbook(tmp_path / "bomb.xlsx", {"only": body})
    assert path.stat().st_size < 1 << 20
    is_refused(path)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("mark", [",", "\t"])
def test_a_header_of_very_many_columns_is_refused(mark: str, tmp_path: Path) -> None:
    path = tmp_path / "bomb.csv.gz"
    line = mark.join(f"c{n}" for n in range(1_500_000))
    path.write_bytes(gzip.compress(f"{line}\n{line}\n".encode()[: 16 << 20]))
    assert "has 1,500,000 columns: 50,000 at most" in is_refused(path)


def test_a_note_beside_the_columns_that_nobody_can_read_is_no_note(tmp_path: Path) -> None:
    from acumen.readers.arrow import read_parquet

    path = tmp_path / "noted.parquet"
    path.write_bytes(noted("[" * 200_000))
    assert len(read_parquet(load(path))) == 2


@pytest.mark.parametrize(
    "options",
    [*itertools.product(["none", "snappy", "gzip", "zstd"], ["1.0", "2.0"], [True, False])],
    ids=str,
)
def test_pages_say_what_their_columns_hold(options: tuple[str, str, bool]) -> None:
    compression, version, has_dictionary = options
    rows = pa.table(
        {
            "level": [at % 5 for at in range(9000)],
            "text": [f"c{at % 99}" for at in range(9000)],
            "gaps": [None if at % 3 else at / 7 for at in range(9000)],
            "list": [[at, 1] for at in range(9000)],
            "wide": ["x" * 20_000 + str(at % 7) for at in range(9000)],
        }
    )
    file = io.BytesIO()
    more: dict[str, Any] = {"data_page_version": version, "use_dictionary": has_dictionary}
    more |= {"compression": compression, "data_page_size": 9000, "row_group_size": 4000}
    write_table(rows, file, **more)
    metadata = ParquetFile(file).metadata
    for group, number in itertools.product(range(metadata.num_row_groups), range(5)):
        column = metadata.row_group(group).column(number)
        starts = filter(None, (column.dictionary_page_offset, column.data_page_offset))
        start = min(starts)
        end = start + column.total_compressed_size
        found = [*pages(file, start, end)]
        entries = found[0].values if column.has_dictionary_page else 0
        assert sum(page.values for page in found) == column.num_values + entries
        assert found[-1].end == end
        unpacked = sum(page.unpacked for page in found)
        assert unpacked <= column.total_uncompressed_size < unpacked + 200 * len(found) + 130_000


def test_what_is_no_page_is_damage(tmp_path: Path) -> None:
    file = bytearray(parquet(ROWS))
    file[4:24] = b"\xff" * 20
    path = tmp_path / "damaged.parquet"
    path.write_bytes(bytes(file))
    from acumen.readers.arrow import read_parquet

    with pytest.raises(DataError, match="is it damaged"), read_as("parquet", "damaged.parquet"):
        read_parquet(load(path)).column("case")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[" + "[]," * 1_000_000 + "1]", "holds 1,000,001 lists and objects in 3,000,003 char"),
        ("[" + "1," * 1_000_001 + "1]", "holds 1,000,001 values in 2,000,005 characters"),
    ],
)
def test_a_text_of_nothing_but_marks_is_refused(text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        parse_json(text)


def test_as_many_values_that_hold_something_are_read() -> None:
    assert len(parse_json("[" + "1," * 900_000 + "1]")) == 900_001  # type: ignore[arg-type]
    assert len(parse_json("[" + "0.125," * 1_200_000 + "1]")) == 1_200_001  # type: ignore[arg-type]


TOML = {
    "a key a line": "".join(f"k{at} = 1\n" for at in range(90_000)),
    "tables in tables": "[" + ".".join("a" * 400_000) + "]",
    "lists in lists": "a = " + "[" * 500_000,
    "a table of tables": "".join(f"[[a{at}]]\n" for at in range(90_000)),
    "a long number": "a = " + "9" * 900_000,
}


@pytest.mark.parametrize("name", TOML)
def test_a_bomb_of_toml_is_refused(name: str) -> None:
    with pytest.raises(DataError, match=r"deep|keys|digits|Invalid"):
        parse_toml(TOML[name], "bomb.toml")
