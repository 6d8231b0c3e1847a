"""The strict JSON reader and the atomic writer."""

from __future__ import annotations

import json
import math
import os
from pathlib import Path
from typing import Any

import pytest

from acumen.errors import DataError, UsageError
from acumen.files import json as reading
from acumen.files.json import (
    created_at,
    decode_text,
    parse_json,
    read_bytes,
    read_json,
    to_json,
    write_files,
    write_json,
)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a": 1, "a": 2}', "column 10, a: duplicate key 'a'"),
        ('{"a": {"b": [0, NaN]}}', "a.b[1]: NaN is not JSON"),
        ('{"a": -Infinity}', "-Infinity is not JSON"),
        ('{"a": 1e999}', "too large"),
        ('{"a": ' + "9" * 5000 + "}", "too large"),
        ('{"a": 1} {}', "line 1, column 10: trailing data"),
        ('{"a": 1,}', "a key in double quotes is expected"),
        ("[1, 2", "ends too early"),
        ('["abc', "ends inside a text"),
        ('["a\\x"]', "invalid escape"),
        ('["a\tb"]', "control character \\t"),
        ('["\\ud800"]', "surrogate"),
        ("[" * 101 + "]" * 101, "nesting deeper than 100"),
        ("[" * 100_000 + "]" * 100_000, "nesting deeper than 100"),
        ("", "is empty"),
        (b"\xff\xfe[\x00]\x00", "UTF-16"),
        (b'["a\xe9"]', "not UTF-8"),
        (b"\x1f\x8b\x08", "gzip"),
    ],
)
def test_what_is_not_strict_json_is_refused_with_its_place(text: str | bytes, said: str) -> None:
    with pytest.raises(DataError) as refused:
        parse_json(text, source="run.json")
    assert said in str(refused.value)
    assert str(refused.value).startswith("run.json: ")


def test_line_and_column_point_at_the_fault() -> None:
    text = '{\n "participant_id": 102,\n "items": {"Sleep": NaN}\n}'
    with pytest.raises(DataError, match=r"line 3, column 21, items.Sleep \(participant_id 102\)"):
        parse_json(text)


@pytest.mark.parametrize(
    "document",
    ["[]", "{}", "3", '"x"', "null", '[[], {}, {"a": []}]', '["\\ud83d\\ude00"]', " [1 , 2 ] \n"],
)
def test_sound_documents_read_as_the_standard_library_reads_them(document: str) -> None:
    assert parse_json(document) == json.loads(document)


def test_nesting_of_exactly_one_hundred_is_read() -> None:
    assert parse_json("[" * 100 + "]" * 100) is not None


def test_a_written_file_reads_back_and_leaves_nothing_beside_it(tmp_path) -> None:
    target = tmp_path / "a.json"
    write_json(target, {"é": [1.5, None]})
    write_json(target, {"é": [2.5, None]})
    assert read_json(target) == {"é": [2.5, None]}
    assert [p.name for p in tmp_path.iterdir()] == ["a.json"]


def test_a_number_that_is_not_finite_is_never_written_and_the_old_file_stays(tmp_path) -> None:
    target = tmp_path / "a.json"
    write_json(target, {"a": 1})
    with pytest.raises(ValueError, match="JSON compliant"):
        write_json(target, {"a": float("nan")})
    assert read_json(target) == {"a": 1}
    assert [p.name for p in tmp_path.iterdir()] == ["a.json"]


def test_a_private_file_is_readable_by_its_owner_alone(tmp_path) -> None:
    target = tmp_path / "a.json"
    write_json(target, {}, private=True)
    assert target.stat().st_mode & 0o777 == 0o600


def test_files_that_cannot_be_read_or_written_end_in_one_line(tmp_path) -> None:
    with pytest.raises(DataError, match="no such file"):
        read_json(tmp_path / "nothing.json")
    with pytest.raises(DataError, match="is a folder"):
        read_json(tmp_path)
    with pytest.raises(DataError, match="cannot be written"):
        write_json(tmp_path / "no" / "folder.json", {})


NAN_IN_SCORES = '{"a": {"scores": {"x": [NaN, 1]}}, "scores": NaN, "b": 2}'


def test_nan_is_admitted_below_the_keys_that_are_said() -> None:
    document: Any = parse_json(NAN_IN_SCORES, nan_below={"scores"})
    assert math.isnan(document["a"]["scores"]["x"][0])
    assert math.isnan(document["scores"])
    with pytest.raises(DataError, match="NaN is not JSON"):
        parse_json(NAN_IN_SCORES)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"scores": [NaN], "b": [NaN]}', r"line 1, column 25, b\[0\]: NaN is not JSON"),
        ('{"scores": [NaN, Infinity]}', r"scores\[1\]: Infinity is not JSON"),
        ('{"scores": [NaN, 1e999]}', r"scores\[1\]: the number 1e999 is too large"),
        ('{"scores": [NaN, 1' + "0" * 400 + "]}", r"scores\[1\]: the number .* is too large"),
        ('{"scores": NaN, "b": }', "b: a value is expected"),
        ('{"scores": NaN, "scores": 1}', "duplicate key 'scores'"),
        ('{"scores": ' + "[" * 200 + "NaN" + "]" * 200 + "}", "nesting deeper"),
    ],
)
def test_a_fault_elsewhere_is_found_behind_an_admitted_nan(text: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        parse_json(text, nan_below={"scores"})


def test_every_layout_ends_in_a_newline() -> None:
    document = {"é": [1, 2.5], "b": None}
    assert to_json(document) == '{\n "é": [\n  1,\n  2.5\n ],\n "b": null\n}\n'
    assert to_json(document, indent=None) == '{"é": [1, 2.5], "b": null}\n'
    assert to_json(document, compact=True) == '{"é":[1,2.5],"b":null}\n'


def test_a_file_is_read_up_to_its_largest_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "LARGEST_FILE", 4)
    path = tmp_path / "a.json"
    path.write_bytes(b"[12]")
    assert read_bytes(path) == b"[12]"
    path.write_bytes(b"[12] ")
    with pytest.raises(DataError, match="is larger than 2 GiB"):
        read_bytes(path)


def test_a_byte_that_is_no_text_has_its_line() -> None:
    with pytest.raises(DataError, match=r"line 3: is not UTF-8 text \(byte 5, 0xe9\)"):
        decode_text(b"[1,\n\n\xe9]"[:4] + b"\n\xe9]", "a.json")
    assert decode_text(b"\xef\xbb\xbf[1]", "a.json") == "[1]"


def test_a_fault_of_a_text_too_long_to_walk_is_told_as_the_parser_has_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(reading, "LARGEST_SCAN", 8)
    with pytest.raises(DataError, match=r"column 8, \[1\]: a value is expected"):
        parse_json("[1    ,]")
    with pytest.raises(DataError, match=r"line 2, column 2: Expecting value"):
        parse_json("[1,    \n ]")
    with pytest.raises(
        DataError, match="JSON: nesting deeper than 100, a number too large or half"
    ):
        parse_json("[1e999    ]")
    with pytest.raises(DataError, match="JSON: NaN is not JSON"):
        parse_json("[NaN     ]")


@pytest.mark.parametrize(
    ("number", "is_sound"),
    [("1.7976931348623157e308", True), ("-1.7976931348623157e308", True), ("1" + "0" * 309, False)],
)
def test_a_number_is_sound_up_to_the_largest_float(number: str, is_sound: bool) -> None:
    if is_sound:
        assert parse_json(f"[{number}]") == [float(number)]
    else:
        with pytest.raises(DataError, match="too large"):
            parse_json(f"[{number}]")


@pytest.mark.parametrize(
    ("epoch", "moment"), [("0", "1970-01-01T00:00:00Z"), ("86461", "1970-01-02T00:01:01Z")]
)
def test_the_time_of_a_build_can_be_fixed(
    epoch: str, moment: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
    assert created_at() == moment
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "soon")
    with pytest.raises(UsageError, match="whole number of seconds"):
        created_at()
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "")
    assert created_at() > "2026"


def test_several_files_are_written_or_none(tmp_path: Path) -> None:
    a, b = tmp_path / "a", tmp_path / "b"
    write_files({a: b"one", b: [b"tw", b"o"]})
    assert (a.read_bytes(), b.read_bytes()) == (b"one", b"two")
    umask = os.umask(0o077)
    os.umask(umask)
    assert a.stat().st_mode & 0o777 == 0o666 & ~umask
    (tmp_path / "folder").mkdir()
    for wrong, reason in ((tmp_path / "no" / "c", "No such file"), (tmp_path / "folder", "Is a")):
        with pytest.raises(DataError, match=f"cannot be written: {reason}") as refused:
            write_files({a: b"three", wrong: b"four"})
        assert refused.value.source == str(wrong)
    assert a.read_bytes() == b"one"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a", "b", "folder"]


def test_a_device_is_written_to_and_stays_a_device() -> None:
    write_files({"/dev/null": [b"a", b"b"]})
    assert Path("/dev/null").is_char_device()
