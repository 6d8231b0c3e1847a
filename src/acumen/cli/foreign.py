"""A command for a file that acumen does not read: one that converts it, unpacks it, or shows why.

What a file is is told by how it begins. The commands are those of the tools that people have for
such files; none of them changes the file.
"""

from __future__ import annotations

import codecs
import gzip
import json
import os
import shlex
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Final

from acumen.errors import Problem

LOOKED_AT: Final = 1 << 16
LARGEST: Final = 4 << 20
"""Bytes of JSON up to which all of it is looked at: what was refused may be made to swell."""
AROUND: Final = 60
"""Characters to either side of a fault that are shown."""
_BEGINNING: Final = 200


def _pandas(read: str) -> Callable[[str], str]:
    """The command that makes CSV of what a function of pandas reads."""

    def command(path: str) -> str:
        table = f"pandas.{read.format(path)}.to_csv({path + '.csv'!r}, index=False)"
        return _python(f"import pandas; {table}")

    return command


def _python(code: str) -> str:
    is_plain = not {*code} & {*'"$`\\!'}
    return f'python -c "{code}"' if is_plain else shlex.join(["python", "-c", code])


def _words(*words: str) -> Callable[[str], str]:
    return lambda path: shlex.join([*words, path])


_BEGINNINGS: Final[tuple[tuple[bytes, Callable[[str], str]], ...]] = (
    (b"<?xml", _pandas("read_xml({!r})")),
    (b"<!doctype html", _pandas("read_html({!r})[0]")),
    (b"<html", _pandas("read_html({!r})[0]")),
    (b"<table", _pandas("read_html({!r})[0]")),
    (b"\xd0\xcf\x11\xe0", _words("libreoffice", "--headless", "--convert-to", "xlsx")),
    (b"{\\rtf", _words("libreoffice", "--headless", "--convert-to", "txt")),
    (b"%pdf-", lambda path: f"{shlex.join(['pdftotext', '-layout', path])} -"),
    (b"$fl2", _pandas("read_spss({!r})")),
    (b"<stata_dta>", _pandas("read_stata({!r})")),
    (b"arrow1", _pandas("read_feather({!r})")),
    (b"\x89hdf", _pandas("read_hdf({!r})")),
    (
        b"\x93numpy",
        lambda p: _python(f"import numpy; numpy.savetxt({p + '.csv'!r}, numpy.load({p!r}))"),
    ),
    (b"\x80\x04\x95", _words("python", "-m", "pickletools")),
    (b"\x80\x05\x95", _words("python", "-m", "pickletools")),
    (b"sqlite format 3", lambda path: f"{shlex.join(['sqlite3', path])} .tables"),
    (b"bzh", _words("bzip2", "-dk")),
    (b"\xfd7zxz", _words("xz", "-dk")),
    (b"7z\xbc\xaf", _words("7z", "l")),
    (b"rar!", _words("unrar", "l")),
    (b"version https://git-lfs", _words("git", "lfs", "pull", "--include")),
    (
        b"\x28\xb5\x2f\xfd",
        lambda path: f"{shlex.join(['zstd', '-dc', path])} | head -c {_BEGINNING}",
    ),
)
"""How files begin, in small letters, that people have beside tables."""


def _yaml(path: str) -> str:
    rows = f"yaml.safe_load(open({path!r}))"
    return _python(f"import json, yaml; json.dump({rows}, open({path + '.json'!r}, 'w'))")


_ENDINGS: Final = {".xml": _pandas("read_xml({!r})"), ".yaml": _yaml, ".yml": _yaml}
_DOCUMENT: Final = b"opendocument.spreadsheet"


def conversion(path: str) -> str:
    """The command for a file of another kind; nothing where it is text that may be a table."""
    start = _start(path)
    folded = start.lstrip(codecs.BOM_UTF8).lstrip().lower()
    for magic, command in _BEGINNINGS:
        if folded.startswith(magic):
            return command(path)
    if start.startswith((b"PK", b"PAR1")) and not zipfile.is_zipfile(path):
        return _words("file")(path)
    if start.startswith(b"PK"):
        is_book = _DOCUMENT in start
        convert = _words("libreoffice", "--headless", "--convert-to", "xlsx")
        return (convert if is_book else _words("python", "-m", "zipfile", "-l"))(path)
    if start.startswith(b"\x1f\x8b"):
        return _of_gzip(path)
    if start[257:262] == b"ustar":
        return shlex.join(["python", "-m", "tarfile", "-l", path])
    if folded.startswith((b"[{'", b"{'")):
        code = f"json.dump(ast.literal_eval(open({path!r}).read()), open({path + '.json'!r}, 'w'))"
        return _python(f"import ast, json; {code}")
    if (ending := Path(path).suffix.lower()) in _ENDINGS:
        return _ENDINGS[ending](path)
    lines = start.splitlines()[:5] if ending in ("", ".csv", ".txt", ".dat") else []
    words = {len(line.split()) for line in lines}
    if len(lines) > 1 and len(words) == 1 < min(words) and not any(m in lines[0] for m in b",;\t|"):
        return _pandas(r"read_csv({!r}, sep=' +', engine='python')")(path)
    return ""


def _of_gzip(path: str) -> str:
    """For an archive inside, for a file that is packed twice, and for one that is cut short."""
    try:
        with gzip.open(path) as file:
            start = file.read(512)
    except (OSError, EOFError, zlib.error):
        start = b""
    quoted = shlex.quote(path)
    if start[257:262] == b"ustar":
        return f"python -m tarfile -l {quoted}"
    if start.startswith(b"\x1f\x8b"):
        return f"gzip -dc {quoted} | gzip -dc > {shlex.quote(path + '.csv')}"
    return f"gzip -dc {quoted} | head -c {_BEGINNING}"


def encoding_of(path: str) -> str:
    """The encoding that a text is in, most likely; nothing for UTF-8, and for what is no text."""
    start = _start(path)
    for encoding, at in (("utf-16-le", 1), ("utf-16-be", 0)):
        if len(start) > 8 and not any(start[at:64:2]) and all(start[1 - at : 64 : 2]):
            return encoding
    line = start.partition(b"\n")[0]
    if b"\0" in start or not any(mark in line for mark in b",;\t"):
        return ""
    try:
        Path(path).read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        return "cp1252" if line.isascii() or start.decode("cp1252", "ignore").isprintable() else ""
    return ""


def look_at(path: str, problem: Problem) -> str:
    """The command that shows where a file is at fault, or how it begins."""
    quoted, start = shlex.quote(path), _start(path)
    if 0 < start.count(0) * 20 < len(start) and _is_text(start):
        return f"grep -naP '\\x00' {quoted} | head -n 3 | cut -c 1-{_BEGINNING}"
    if b"\0" in start[:1024] or not _is_text(start):
        return f"file {quoted}"
    if problem.line is not None:
        first = max(1, (problem.column or 1) - AROUND)
        last = first + (2 * AROUND if problem.column else _BEGINNING)
        return f"sed -n {problem.line}p {quoted} | cut -c {first}-{last}"
    if start.lstrip()[:1] not in (b"[", b"{") or not _is_json(path):
        return f"head -c {_BEGINNING} {quoted}"
    named = problem.case if problem.case is not None else (problem.field or "").rpartition(".")[2]
    about = shlex.quote(str(named).partition("[")[0])
    around = f" | grep -n -w -C 15 -e {about}" if about != "''" else ""
    return f"python -m json.tool {quoted}{around}"


def _is_json(path: str) -> bool:
    if os.path.getsize(path) > LARGEST:
        return False
    try:
        json.loads(Path(path).read_bytes())
    except (ValueError, RecursionError):
        return False
    return True


def _is_text(start: bytes) -> bool:
    """Whether most of it is text, in whatever encoding."""
    return sum(byte < 9 or 13 < byte < 32 for byte in start) * 20 <= len(start)


def _start(path: str) -> bytes:
    try:
        with Path(path).open("rb") as file:
            return file.read(LOOKED_AT) if os.path.isfile(path) else b""
    except OSError:
        return b""
