"""Files that are no table of judgments: each is refused in words, whichever command looks at it."""

from __future__ import annotations

from pathlib import Path

import pytest

from acumen.cli import run

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


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_no_table_is_refused_by_its_name(
    name: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    Path(name).write_bytes(FILES[name])
    asked = ["evaluate", name, "--resamples", "0", "--output", "out.json", "--html", "out.html"]
    assert run(asked) == 3
    told = capsys.readouterr()
    assert told.err.startswith(f"acumen: {name}: ")
    assert max(map(len, told.err.splitlines())) < 1000
    assert told.out == ""
    assert [path.name for path in tmp_path.iterdir()] == [name]  # nothing half written
    for looking in (["map", name], [name]):
        assert run(looking) in (0, 3)  # a map says what is missing
        told = capsys.readouterr()
        assert "internal error" not in told.err
        assert name in told.out + told.err
