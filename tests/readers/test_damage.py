"""A damaged file is bad data, whatever its library calls that; a fault of our own is not."""

from __future__ import annotations

import gzip
import random
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import acumen
from acumen.cli import run
from acumen.errors import AcumenError, DataError
from acumen.readers import read
from acumen.readers.formats import read_as

SAMPLES = Path(__file__).parents[1] / "samples"
NAMES = ("hf_sentiment.parquet", "inspect_phq.eval", "messy.csv", "words.json", "repeats.jsonl")


def damaged(data: bytes, draw: random.Random) -> bytes:
    """The bytes cut short, or some of them changed."""
    if draw.random() < 0.3:
        return data[: draw.randrange(len(data))]
    copy = bytearray(data)
    for _ in range(draw.choice((1, 2, 10))):
        copy[draw.randrange(len(copy))] = draw.randrange(256)
    return bytes(copy)


def zstd(data: bytes) -> bytes:
    packed: bytes = pytest.importorskip("zstandard").compress(data)
    return packed


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("pack", "ending"), [(bytes, ""), (gzip.compress, ".gz"), (zstd, ".zst")])
def test_damage_is_refused_or_does_no_harm(
    name: str, pack: Callable[[bytes], bytes], ending: str, tmp_path: Path
) -> None:
    data, draw, path = pack((SAMPLES / name).read_bytes()), random.Random(name), tmp_path / name
    path = path.with_name(name + ending)
    for _ in range(30):
        path.write_bytes(damaged(data, draw))
        with suppress(AcumenError):
            acumen.read(path)


def test_text_that_is_no_text_in_a_parquet_file_is_bad_data(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    broken = pa.Array.from_buffers(
        pa.string(), 2, [None, pa.py_buffer(b"\0\0\0\0\1\0\0\0\2\0\0\0"), pa.py_buffer(b"a\x85")]
    )
    columns = {"case": broken, "truth": [0, 1], "prediction": [0, 1], "confidence": [0.5, 0.6]}
    parquet.write_table(pa.table(columns), tmp_path / "rows.parquet")
    path = str(tmp_path / "rows.parquet")
    for command in (["evaluate", path], ["map", path]):
        assert run(command) == 3
        message = capsys.readouterr().err
        assert (
            "rows.parquet: is not a Parquet file that can be read (UnicodeDecodeError)" in message
        )


@pytest.mark.parametrize(
    "error", [KeyError("x"), TypeError("x"), ValueError("x"), AssertionError()]
)
def test_a_fault_of_our_own_stays_one(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise error

    monkeypatch.setattr("acumen.readers.delimited.read_delimited", fail)
    with pytest.raises(type(error)):
        read(SAMPLES / "messy.csv")


def test_a_librarys_error_names_file_and_kind() -> None:
    import struct
    import zlib

    for error in (zlib.error("x"), struct.error("x"), EOFError(), OSError(5, "no disk")):
        with pytest.raises(DataError, match=r"f\.x: is not .* that can be read"):
            raise_within(error)


def raise_within(error: Exception) -> None:
    with read_as("inspect", "f.x"):
        raise error
