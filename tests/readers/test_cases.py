"""JSON Lines: one case record a line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from acumen.errors import DataError
from acumen.readers import read as read_file
from acumen.readers.run import run_from_document
from tests.run_documents import entries, run_document


def lines() -> list[bytes]:
    return [json.dumps(entry).encode() for entry in entries(run_document())]


def read(folder: Path, data: bytes):
    path = folder / "run.jsonl"
    path.write_bytes(data)
    return read_file(path)


def refused(folder: Path, data: bytes) -> str:
    with pytest.raises(DataError) as error:
        read(folder, data)
    return str(error.value)


@pytest.mark.parametrize("between", [b"\n", b"\r\n", b"\n\n \n"])
@pytest.mark.parametrize("before", [b"", b"\xef\xbb\xbf", b"\n"])
def test_lines_give_the_table_of_the_run(between: bytes, before: bytes, tmp_path: Path) -> None:
    table = read(tmp_path, before + between.join(lines()) + between)
    run = run_from_document(run_document())
    assert table.cases == run.cases
    assert table.truth.tolist() == run.truth.tolist()
    assert table.prediction.tolist() == run.prediction.tolist()
    assert table.source.path == str(tmp_path / "run.jsonl")


def test_only_a_newline_ends_a_line(tmp_path: Path) -> None:
    record = entries(run_document())[0] | {"note": "a\u2028b\u0085c\u000bd"}
    data = json.dumps(record, ensure_ascii=False).encode()
    assert read(tmp_path, data + b"\n" + lines()[1]).cases == (101, 102)


def test_every_bad_line_is_told_by_its_number(tmp_path: Path) -> None:
    first, second = lines()
    message = refused(tmp_path, first + b"\n{bad}\n\n" + second + b"\n" + second[:40])
    assert [m.split(",")[0] for m in message.splitlines()] == [
        "run.jsonl: line 2",
        "run.jsonl: line 5",
    ]


def test_two_records_on_a_line_are_refused(tmp_path: Path) -> None:
    first, second = lines()
    message = refused(tmp_path, first + second)
    assert message.startswith(f"run.jsonl: line 1, column {len(first) + 1}: trailing data")


def test_a_hole_of_nul_bytes_is_named(tmp_path: Path) -> None:
    message = refused(tmp_path, lines()[0] + b"\n" + b"\0" * 512 + b"\n" + lines()[1])
    assert message == "run.jsonl: line 2: holds NUL bytes, the first at byte 0"


def test_a_record_is_named_by_its_line_also_when_lines_were_skipped(tmp_path: Path) -> None:
    message = refused(tmp_path, b"\n" + lines()[0] + b"\n\n[]\n")
    assert "run.jsonl: line 4: must be an object, not a list" in message


def test_a_case_given_twice_names_both_lines(tmp_path: Path) -> None:
    first, second = lines()
    message = refused(tmp_path, b"\n".join([first, second, first]))
    assert "participant 101: duplicate: given twice, in line 1 and line 3" in message


@pytest.mark.parametrize("data", [b"", b"\n\n", b"\xef\xbb\xbf"])
def test_no_line_is_no_run(data: bytes, tmp_path: Path) -> None:
    assert "there are no rows or cases in it: the file is empty" in refused(tmp_path, data)
