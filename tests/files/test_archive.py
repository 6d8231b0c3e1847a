"""Zip archives: members with Zstandard, and files made to hurt."""

from __future__ import annotations

import contextlib
import io
import struct
import time
import tracemalloc
import zipfile
import zlib
from pathlib import Path

import pytest
import zstandard

from acumen.errors import DataError
from acumen.files import archive
from acumen.files.archive import Archive


def packed(members: dict[str, bytes], *, method: int = 93, sizes: int | None = None) -> bytes:
    """A zip archive whose members are compressed as a tool does it; ``sizes`` is a lie."""
    body, directory = io.BytesIO(), io.BytesIO()
    for name, content in members.items():
        data = zstandard.compress(content) if method == 93 else content
        size = len(content) if sizes is None else sizes
        start, label = body.tell(), name.encode()
        fields = struct.pack(
            "<HHHHLLLHH", 0, method, 0, 33, zlib.crc32(content), len(data), size, len(label), 0
        )
        body.write(struct.pack("<4sH", b"PK\3\4", 63) + fields + label + data)
        directory.write(struct.pack("<4sHH", b"PK\1\2", 63, 63) + fields)
        directory.write(struct.pack("<HHHLL", 0, 0, 0, 0, start) + label)
    entries, at = directory.getvalue(), body.tell()
    end = (b"PK\5\6", 0, 0, len(members), len(members), len(entries), at, 0)
    return body.getvalue() + entries + struct.pack("<4sHHHHLLH", *end)


def test_members_compressed_either_way_are_read() -> None:
    content = {"header.json": b"{}", "samples/a/b c/../d_epoch_1.json": b"[1]" * 1000}
    for method in (93, zipfile.ZIP_STORED):
        whole = Archive(packed(content, method=method), "log.eval")
        assert {name: whole.read(name) for name in whole.names} == content
    plain = io.BytesIO()
    with zipfile.ZipFile(plain, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("header.json", "{}")
    assert Archive(plain.getvalue(), "log.eval").read("header.json") == b"{}"


def test_a_bomb_is_refused_before_it_fills_the_memory() -> None:
    bomb = packed({f"samples/{k}.json": b" " * (40 << 20) for k in range(4)})
    assert len(bomb) < 20_000
    whole = Archive(bomb, "log.eval")
    tracemalloc.start()
    started = time.process_time()
    assert len(whole.read("samples/0.json")) == 40 << 20
    with pytest.raises(DataError, match=r"member samples/1\.json: .*zip bomb"):
        whole.read("samples/1.json")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 3 * archive.FREE_BYTES
    assert time.process_time() - started < 10


def test_a_size_that_is_a_lie_is_found_out() -> None:
    for lie in (10, 1 << 31):
        whole = Archive(packed({"a": b"x" * 1000}, sizes=lie), "log.eval")
        with pytest.raises(DataError, match="member a: is damaged"):
            whole.read("a")


def test_a_cut_file_is_refused_wherever_it_was_cut() -> None:
    data = packed({"a": bytes(range(256)) * 40, "b": b"{}"})
    for end in (0, 10, len(data) // 2, len(data) - 30, len(data) - 1):
        with pytest.raises(DataError, match="no whole zip archive"):
            Archive(data[:end], "log.eval")


def test_any_damage_to_a_byte_is_an_error_or_does_no_harm() -> None:
    content = {"a": bytes(range(256)), "b": b"{}"}
    data = packed(content)
    for at in range(len(data)):
        hurt = data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :]
        members: list[bytes] = []
        with contextlib.suppress(DataError):
            whole = Archive(hurt, "log.eval")
            members = [whole.read(name) for name in whole.names]
        assert set(members) <= set(content.values())


def test_a_stream_that_ends_early_inside_a_member_is_refused() -> None:
    stream = zstandard.compress(b"{}" * 5000)
    cut = packed({"a": stream[: len(stream) // 2]}, method=zipfile.ZIP_STORED)
    # the same bytes, said to be Zstandard
    said = cut.replace(
        struct.pack("<HH", 0, 0) + b"\0\0\x21\0", struct.pack("<HH", 0, 93) + b"\0\0\x21\0"
    )
    assert said != cut
    with pytest.raises(DataError, match="member a: is damaged"):
        Archive(said, "log.eval").read("a")


def test_too_many_members_are_counted_before_they_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archive, "MOST_MEMBERS", 5)
    with pytest.raises(DataError, match="more than 5 members"):
        Archive(packed({str(k): b"" for k in range(6)}), "log.eval")
    assert len(Archive(packed({str(k): b"" for k in range(5)}), "log.eval").names) == 5


def test_an_encrypted_member_is_named() -> None:
    data = bytearray(packed({"a": b"{}"}))
    data[data.index(b"PK\1\2") + 8] |= 1
    with pytest.raises(DataError, match="member a: is encrypted"):
        Archive(bytes(data), "log.eval").read("a")


def test_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    whole = Archive(packed({"../../evil": b"{}", "/etc/x": b"{}", "C:\\y": b"{}"}), "log.eval")
    assert [whole.read(name) for name in whole.names] == [b"{}"] * 3
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("method", [93, zipfile.ZIP_STORED])
def test_members_share_one_bound_to_the_last_byte(
    method: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "LARGEST_RATIO", 0)
    data = packed({"a": b"x" * 60, "b": b"y" * 40}, method=method)
    for free, fits in ((100, True), (99, False)):
        monkeypatch.setattr(archive, "FREE_BYTES", free)
        whole = Archive(data, "log.eval")
        assert whole.read("a") == b"x" * 60
        if fits:
            assert whole.read("b") == b"y" * 40
        else:
            with pytest.raises(DataError, match=r"member b: swells beyond 0 MiB and 0 times"):
                whole.read("b")


@pytest.mark.parametrize("lie", [999, 1001])
def test_a_size_that_is_one_off_is_found_out(lie: int) -> None:
    whole = Archive(packed({"a": b"x" * 1000}, sizes=lie), "log.eval")
    with pytest.raises(DataError, match="member a: is damaged: its size or checksum"):
        whole.read("a")
    assert "a" in whole
    assert "b" not in whole
