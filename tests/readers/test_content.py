"""Compressed files are unpacked within bounds; what is broken or made to burst is refused."""

from __future__ import annotations

import gzip
import os
import random
import time
import tracemalloc
from collections.abc import Callable
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from threading import Thread

import pytest
import zstandard

from acumen.errors import DataError
from acumen.readers import content
from acumen.readers.content import Content, load

PACKERS: dict[str, Callable[[bytes], bytes]] = {"gz": gzip.compress, "zst": zstandard.compress}
TEXT = b"case,truth,prediction\n" + b"".join(b"%d,1,%d\n" % (i, i % 3) for i in range(50_000))


def write(folder: Path, data: bytes) -> Path:
    path = folder / "rows.packed"
    path.write_bytes(data)
    return path


def refused(folder: Path, data: bytes) -> str:
    with pytest.raises(DataError) as error:
        load(write(folder, data))
    return str(error.value)


@pytest.mark.parametrize("kind", PACKERS)
def test_a_packed_file_is_what_was_packed_and_hashed_as_it_lies_there(
    kind: str, tmp_path: Path
) -> None:
    packed = PACKERS[kind](TEXT)
    assert load(write(tmp_path, packed)).data == TEXT
    assert load(write(tmp_path, packed)).sha256 != load(write(tmp_path, TEXT)).sha256


@pytest.mark.parametrize("kind", PACKERS)
def test_several_members_are_one_file(kind: str, tmp_path: Path) -> None:
    pack = PACKERS[kind]
    parts = b"".join(pack(TEXT[at : at + 1000]) for at in range(0, len(TEXT), 1000))
    assert load(write(tmp_path, parts)).data == TEXT


@pytest.mark.parametrize("kind", PACKERS)
@pytest.mark.parametrize("share", [0.1, 0.5, 0.99])
def test_a_truncated_stream_is_refused(kind: str, share: float, tmp_path: Path) -> None:
    packed = PACKERS[kind](TEXT)
    message = refused(tmp_path, packed[: int(len(packed) * share)])
    assert message.startswith("rows.packed: cannot be unpacked: ")


@pytest.mark.parametrize("kind", PACKERS)
def test_what_follows_the_end_is_refused_unless_it_is_padding(kind: str, tmp_path: Path) -> None:
    packed = PACKERS[kind](TEXT)
    assert load(write(tmp_path, packed + bytes(512))).data == TEXT
    assert "bytes follow its end" in refused(tmp_path, packed + b"9999,1,2\n")


@pytest.mark.parametrize("kind", PACKERS)
def test_a_damaged_stream_is_refused(kind: str, tmp_path: Path) -> None:
    packed = bytearray(PACKERS[kind](random.Random(1).randbytes(100_000)))
    packed[10:40] = b"\xff" * 30
    assert "rows.packed: cannot be unpacked" in refused(tmp_path, bytes(packed))


@pytest.mark.parametrize("kind", PACKERS)
def test_a_bomb_is_refused_before_it_fills_the_memory(kind: str, tmp_path: Path) -> None:
    bomb = PACKERS[kind](bytes(300 << 20))
    assert len(bomb) < 1 << 20
    tracemalloc.start()
    start = time.process_time()
    message = refused(tmp_path, bomb)
    assert "unpacks to more than 16 MiB from" in message
    assert "refused; unpack it yourself" in message
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * content.FREE
    assert time.process_time() - start < 30


def test_many_small_members_take_time_by_their_size(tmp_path: Path) -> None:
    members = gzip.compress(b"a") * 100_000
    start = time.process_time()
    assert load(write(tmp_path, members)).data == b"a" * 100_000
    assert time.process_time() - start < 20


def test_packed_twice_is_refused(tmp_path: Path) -> None:
    assert "is compressed twice" in refused(tmp_path, gzip.compress(gzip.compress(TEXT)))


def test_a_pipe_is_read_once_and_looked_at_twice(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.csv"
    os.mkfifo(pipe)
    Thread(target=pipe.write_bytes, args=(TEXT,)).start()
    piped = load(pipe)
    assert piped.head.is_delimited
    assert (piped.data, piped.size) == (TEXT, len(TEXT))
    assert piped.sha256 == load(write(tmp_path, TEXT)).sha256


def test_a_large_file_is_hashed_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = bytes(range(256)) * 5000
    (tmp_path / "rows").write_bytes(data)
    monkeypatch.setattr(content, "_PIECE", 1 << 12)
    one = load(tmp_path / "rows")
    assert one.sha256 == sha256(data).hexdigest() == load(tmp_path / "rows").source.sha256
    assert one.data == data


@pytest.mark.parametrize("size", [1, 7, 30, 1 << 20])
def test_blocks_are_whole_lines(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(content, "BLOCK", size)
    text = b"a\nbb\n\nccc" * 20
    blocks = [*Content("x", BytesIO(text)).blocks(2)]
    assert b"".join(blocks) == text[2:]
    assert all(block.endswith(b"\n") for block in blocks[:-1])
    assert max(map(len, blocks)) < size + 12
