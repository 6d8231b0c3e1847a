"""Files that are no table of judgments: each is refused in words, whichever command looks at it.

A refusal names the file, the place, the cause, and one command to copy, which runs.
"""

from __future__ import annotations

import bz2
import gzip
import importlib.util
import io
import json
import lzma
import shlex
import shutil
import subprocess
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from acumen.cli import run
from tests.readers.test_xlsx import sheet, workbook

FILES: dict[str, bytes] = {
    "nul.csv": b"id,gt,pred\n1,\0,2\n",
    "only_header.csv": b"id,gt,pred\n",
    "blank.csv": b"   \n\n",
    "one_column.csv": b"a\n1\n2\n",
    "open_quote.csv": b'id,gt,pred\n1,"2,3\n',
    "only_mark.csv": b"\xef\xbb\xbf",
    "half_utf16.csv": b"\xff\xfea\0b",
    "utf32.csv": "id,gt,pred\n1,2,3\n".encode("utf-32"),
    "twice_named.csv": b"id,id,pred\n1,2,3\n",
    "ragged.csv": b"id,gt,pred\n1,2\n3,4,5,6\n",
    "blanks_between.csv": b"id gt pred\n1 2 3\n",
    "bars.csv": b"id|gt|pred\n1|2\n",
    "words.csv": b"id,gt,pred\n1,red,blue\n2,blue,red\n",
    "spelled.csv": b"id,gt,pred\n1,1,one\n2,2,two\n3,3,x\n",
    "infinite.csv": b"id,gt,pred\n1,1,1e400\n2,2,2\n",
    "odd_answer.csv": b"id,gt,pred\n1,-1,-1\n2,5,x9\n",
    "dates.csv": b"id,gt,pred\n1,2026-01-01,2026-01-02\n2,2026-01-02,2026-01-01\n",
    "no_numbers.csv": b"id,gt,pred\n1,nan,nan\n2,inf,-inf\n",
    "no_ids.csv": b",gt,pred\n,1,1\n,2,2\n",
    "an_id_missing.csv": b"id,gt,pred\n,1,1\n2,2,2\n",
    "twice_judged.csv": b"id,gt,pred\n1,1,1\n1,2,2\n",
    "two_scales.csv": b"id,gt,pred\n1,4/5,8/10\n2,3/5,6/10\n",
    "two_wholes.csv": b"id,gt,pred\n1,4,4/5\n2,3,6/10\n",
    "per_cent.csv": b"id,gt,pred\n1,4,80%\n2,3,60%\n",
    "per_cent_and_parts.csv": b"id,gt,pred,confidence\n1,1,1,80%\n2,2,2,0.5\n",
    "colours.csv": b"id,gt,pred,confidence\n1,1,1,sure\n2,2,2,blue\n",
    "empty.json": b"",
    "null.json": b"null",
    "number.json": b"3",
    "text.json": b'"x"',
    "no_rows.json": b"[]",
    "no_keys.json": b"{}",
    "deep.json": b"[" * 5000 + b"]" * 5000,
    "cells.json": b"[[1,2],[3]]",
    "short_cells.json": b'[["id","gt"],[1]]',
    "uneven_columns.json": b'{"id":[1,2],"gt":[1]}',
    "one_name_twice.json": b'{"columns":["id","id"],"data":[[1,2]]}',
    "by_id_and_not.json": b'{"a":{"gt":1},"b":3}',
    "comma.json": b'[{"id":1,}]',
    "two.json": b'{"id":1}{"id":2}',
    "nan.json": b'[{"id":1,"gt":NaN,"pred":1}]',
    "key_twice.json": b'[{"id":1,"id":2}]',
    "objects.json": b'[{"id":1,"gt":{"a":1},"pred":[2]}]',
    "booleans.json": b'[{"id":1,"gt":true,"pred":3},{"id":2,"gt":false,"pred":1}]',
    "id_of_list.json": b'[{"id":[1],"gt":1,"pred":1}]',
    "scalars.jsonl": b"1\n2\n",
    "half.jsonl": b'{"id":1,"gt":1,"pred":1}\n{"id":2,"gt":\n',
    "a_list.jsonl": b'{"id":1}\n[1]\n',
    "deep.jsonl": b'{"a":' + b"[" * 3000 + b"]" * 3000 + b'}\n{"a":1}\n',
    "cut.xlsx": b"PK\x03\x04xl/workbook.xml",
    "nothing.zip": b"PK\x05\x06" + b"\0" * 18,
    "cut.csv.gz": b"\x1f\x8b\x08\0\0",
    "damaged.parquet": b"PAR1xxxxPAR1",
    "picture.png": b"\x89PNG\r\n\x1a\n" + b"\0" * 40,
    "program": b"\x7fELF" + bytes(range(256)),
    "page.html": b"<html><body>hi</body></html>",
    "list.yml": b"id: 1\ngt: 2\n",
    "base.db": b"SQLite format 3\0" + b"\0" * 80,
}


PLAIN = "id,human,ai\n" + "".join(f"{k},{k % 5 + 1},{(k + k % 3) % 5 + 1}\n" for k in range(20))
ROWS = [{"id": k, "human": k % 5 + 1, "ai": 1} for k in range(20)]


def column(*values: str, name: str = "ai") -> bytes:
    """A table with a truth from 1 to 5 beside the values, again and again."""
    rows = "".join(f'{k},{k % 5 + 1},"{values[k % len(values)]}"\n' for k in range(9))
    return f"id,human,{name}\n{rows}".encode()


def both(*values: str) -> bytes:
    """A table of a truth and a prediction that say the values in turn."""
    size = len(values)
    rows = "".join(f'{k},"{values[k % size]}","{values[k * k % size]}"\n' for k in range(9))
    return f"id,human,ai\n{rows}".encode()


def archive(**members: bytes) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for name, data in members.items():
            file.writestr(name.replace("__", "/").replace("_", "."), data)
    return out.getvalue()


def tarball(name: str, data: bytes) -> bytes:
    out, entry = io.BytesIO(), tarfile.TarInfo(name)
    entry.size = len(data)
    with tarfile.open(fileobj=out, mode="w") as file:
        file.addfile(entry, io.BytesIO(data))
    return out.getvalue()


MARKUP = "<table><tr><td>id</td><td>ai</td></tr><tr><td>1</td><td>2</td></tr></table>"
MORE: dict[str, bytes] = {
    "x.xml": b"<?xml version='1.0'?><rows><row><id>1</id><ai>2</ai></row></rows>",
    "bare.xml": b"<rows><row><id>1</id></row></rows>",
    "rows.yaml": b"- id: 1\n  human: 2\n  ai: 2\n",
    "page.xls": f"<html><body>{MARKUP}</body></html>".encode(),
    "missing.csv": b"<!DOCTYPE html><html><body>404 not found</body></html>",
    "old.xls": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600),
    "calc.ods": archive(mimetype=b"application/vnd.oasis.opendocument.spreadsheet"),
    "text.docx": archive(_Content_Types__xml=b"<x/>", word__document_xml=b"<x/>"),
    "text.rtf": b"{\\rtf1 hello}",
    "text.pdf": b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n",
    "at_depth.json": json.dumps({"a": {"b": {"rows": ROWS}}})[:-10].encode(),
    "pretty.json": json.dumps(ROWS, indent=1).replace('"human": 3,', '"human": 3', 1).encode(),
    "one_line.json": json.dumps(ROWS).replace('"human": 3', '"human" 3', 1).encode(),
    "python.json": str(ROWS).encode(),
    "not_a_number.json": b'[{"id":1,"human":NaN,"ai":1},{"id":2,"human":2,"ai":1}]',
    "numbers.json": b"[1,2,3]",
    "two_lists.json": json.dumps({"a": ROWS, "b": ROWS}).encode(),
    "turns.json": b'[{"id":1,"turns":[{"human":1,"ai":1}]}]',
    "nothing_deep.json": b'{"a":{"b":{}}}',
    "commas.jsonl": b'{"id":1,"human":1,"ai":1},\n{"id":2,"human":1,"ai":2},\n',
    "settings.toml": b"[a]\nx=1\n",
    "cut_short.csv.gz": gzip.compress(PLAIN.encode() * 99)[:-900],
    "twice_packed.csv.gz": gzip.compress(gzip.compress(PLAIN.encode())),
    "two.zip": archive(a_csv=PLAIN.encode(), b_csv=PLAIN.encode()),
    "one.tar": tarball("a.csv", PLAIN.encode()),
    "one.tar.gz": gzip.compress(tarball("a.csv", PLAIN.encode())),
    "packed.csv.bz2": bz2.compress(PLAIN.encode()),
    "packed.csv.xz": lzma.compress(PLAIN.encode()),
    "packed.7z": b"7z\xbc\xaf\x27\x1c\0\x04" + bytes(60),
    "packed.rar": b"Rar!\x1a\x07\x01\0" + bytes(60),
    "damaged2.parquet": b"PAR1" + bytes(100),
    "table.feather": b"ARROW1\0\0" + bytes(100),
    "table.h5": b"\x89HDF\r\n\x1a\n" + bytes(100),
    "survey.sav": b"$FL2@(#) SPSS DATA FILE" + bytes(60),
    "survey.dta": b"<stata_dta><header>" + bytes(60),
    "model.pkl": b"\x80\x04\x95\x05\0\0\0\0\0\0\0]\x94." + bytes(8),
    "pointer.csv": b"version https://git-lfs.github.com/spec/v1\noid sha256:abc\nsize 12\n",
    "ragged_late.csv": PLAIN.replace("7,3,4\n", "7,3,4,oops\n").encode(),
    "marks_mixed.csv": PLAIN.replace("id,human,ai", "id;human;ai").encode(),
    "blanks.csv": PLAIN.replace(",", " ").encode(),
    "open_late.csv": PLAIN.replace("7,3,4", '7,"3,4').encode(),
    "no_order.csv": both("red", "blue", "green"),
    "two_headers.csv": PLAIN.replace("\n", "\nnumber,of people,of the model\n", 1).encode(),
    "merged_header.csv": b",Ratings,\nid,human,ai\n1,2,2\n2,3,3\n",
    "thousands.csv": both("1,000", "2,000", "3,000"),
    "dates_of_excel.csv": column("01-Feb", "02-Mar"),
    "days.csv": both("2026-01-01", "2026-01-02", "2026-01-03"),
    "spans.csv": column("1-2", "2-3"),
    "errors_of_excel.csv": column("#REF!", "#N/A!"),
    "stars.csv": column("★", "★★"),
    "roman.csv": column("I", "II", "III"),
    "yes_in_two_languages.csv": both("ja", "nein", "oui", "non"),
    "bom_in_the_middle.csv": f"{PLAIN}\ufeff{PLAIN}".encode(),
    "two_encodings.csv": PLAIN.encode() + "99,2,2,Zoë\n".encode("latin-1"),
    "windows.csv": column("3").replace(b"id", "Größe".encode("cp1252")),
    "no_mark.csv": PLAIN.encode("utf-16-le"),
    "nul_in_a_cell.csv": PLAIN.replace("7,3,4", "7,3,\0").encode(),
    "bytes.csv": bytes(range(128, 255)) * 4,
    "nothing_in_it.csv": b"id,human,ai\n" + b"".join(b"%d,,\n" % k for k in range(9)),
    "name_twice.csv": PLAIN.replace("ai", "human").encode(),
    "one_more_column.csv": b"rating\n" + b"3\n" * 9,
    "no_row.csv": b"id,human,ai\n",
    "huge_cell.csv": b"id,human,ai\n1,2," + b"x" * 1_000_000 + b"\n2,3,3\n",
    "no_id.csv": PLAIN.replace("\n4,", "\n,").encode(),
    "again.csv": f"{PLAIN}3,1,2\n".encode(),
    "texts.csv": b"id,question,reply\n1,how good?,it is fine\n2,how bad?,very\n",
    "parts_and_per_cent.csv": PLAIN.replace("ai\n", "ai,confidence\n")
    .replace("1\n", "1,80%\n")
    .replace("2\n", "2,0.8\n")
    .replace("3\n", "3,0.8\n")
    .replace("4\n", "4,0.8\n")
    .replace("5\n", "5,0.8\n")
    .encode(),
    "another_scale.csv": "".join(
        f"{k},{k % 5 + 1 if k else 'human'},{(k % 5 + 1) * 20 if k else 'ai'}\n" for k in range(20)
    )
    .replace("0,", "id,", 1)
    .encode(),
    "log.txt": b"2026-01-01 INFO started\n2026-01-01 INFO done\n",
    "notes.md": b"# A report\n\nNothing here.\n",
}


@pytest.mark.parametrize("name", [*FILES, *MORE])
def test_a_file_that_is_no_table_is_refused_by_its_name(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes((FILES | MORE)[name])
    asked = ["evaluate", name, "--resamples", "0", "--output", "out.json", "--html", "out.html"]
    assert run(asked) == 3
    told = capsys.readouterr()
    assert told.err.startswith(f"acumen: {name}: ")
    assert max(map(len, told.err.splitlines())) < 1000
    assert told.out == ""
    cause, _, command = told.err.rstrip().rpartition("\ntry: ")
    assert (name in PLACED) <= any(f"{name}: {place}" in cause for place in PLACES)
    assert name in command
    assert "\n" not in command
    assert [path.name for path in tmp_path.iterdir()] == [name]  # nothing half written
    for looking in (["map", name], [name]):
        assert run(looking) in (0, 3)  # a map says what is missing
        told = capsys.readouterr()
        assert "internal error" not in told.err
        assert name in told.out + told.err


PLACES = ("line ", "[")
PLACED = {
    *("at_depth.json", "pretty.json", "one_line.json", "numbers.json", "commas.jsonl", "no_id.csv"),
    *("ragged_late.csv", "marks_mixed.csv", "open_late.csv", "two_headers.csv", "spans.csv"),
    *("roman.csv", "again.csv", "name_twice.csv", "two_encodings.csv", "windows.csv", "stars.csv"),
    *("bom_in_the_middle.csv", "dates_of_excel.csv", "huge_cell.csv", "not_a_number.json"),
}
"""Files with the fault in one place, which the refusal names first."""


OF_WHOLE_FILES = {"git", "gzip", "7z", "unrar", "sqlite3", "pdftotext", "libreoffice"}
"""Tools that need more of a file than its beginning, which is all there is of some."""


def words_of(command: str) -> Iterator[list[str]]:
    """The words of each part of a command with pipes."""
    part: list[str] = []
    for word in shlex.split(command):
        if word == "|":
            yield part
            part = []
        else:
            part.append(word)
    yield part


@pytest.mark.parametrize("name", [*FILES, *MORE])
def test_the_command_at_the_end_of_a_refusal_runs(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes((FILES | MORE)[name])
    assert run(["evaluate", name, "--resamples", "0"]) == 3
    command = capsys.readouterr().err.rstrip().rpartition("\ntry: ")[2]
    first, *others = words_of(command)
    if first[0] == "acumen":
        code = run(first[1:])
        told = capsys.readouterr()
        assert "internal error" not in told.err
        assert f"try: {command}" not in told.err  # it goes further than the first
        assert code in (0, 3)
        return
    if first[:2] == ["python", "-c"]:
        compile(first[2], name, "exec")
        modules = first[2].partition(";")[0].removeprefix("import ").split(", ")
        if {"pandas", "yaml"} & {*modules} or not all(map(importlib.util.find_spec, modules)):
            return  # whether it reads such a file hangs on what else is installed
    if all(map(shutil.which, (words[0] for words in (first, *others)))):
        done = subprocess.run(command, shell=True, capture_output=True, check=False, timeout=60)
        assert done.stdout or done.returncode == 0 or first[0] in OF_WHOLE_FILES


def test_a_workbook_whose_header_is_merged_is_refused_with_a_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    rows: list[list[Any]] = [
        ["id", "Ratings", None],
        [None, "human", "ai"],
        *([k, 1, 2] for k in range(9)),
    ]
    workbook(Path("merged.xlsx"), {"data": sheet(rows)})
    assert run(["evaluate", "merged.xlsx"]) == 3
    assert "\ntry: acumen " in capsys.readouterr().err
    workbook(Path("empty.xlsx"), {"data": sheet([])})
    assert run(["evaluate", "empty.xlsx"]) == 3
    assert capsys.readouterr().err.endswith("try: python -m zipfile -l empty.xlsx\n")
