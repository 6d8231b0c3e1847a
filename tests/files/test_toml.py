"""The lines of the keys of a TOML text."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from acumen.cli import run
from acumen.errors import DataError
from acumen.files.toml import Lines, parse_toml
from acumen.policy import find_policy
from acumen.readers.mapping import find_mapping
from acumen.runner.task_file import read_task
from acumen.table.loss_file import read_costs
from acumen.table.scale import find_scale

TEXT = '''name = "toy"  # [not a table]
x.y.z = 1
[a.b]
c = [
  1, { d = 2 },
]
text = """
[no.table]
e = 1
"""
f = 2
[[rules]]
verdict = "High"
[[rules]]
verdict = "Low"
[rules.where]
"odd key" = 1
'''


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("name",), 1),
        (("x",), 2),
        (("x", "y"), 2),
        (("x", "y", "z"), 2),
        (("x", "other"), 2),
        (("a",), None),
        (("a", "b"), 3),
        (("a", "b", "c"), 4),
        (("a", "b", "c", 1, "d"), 4),
        (("a", "b", "text"), 7),
        (("a", "b", "e"), 3),
        (("no", "table"), None),
        (("a", "b", "f"), 11),
        (("rules",), None),
        (("rules", 0), 12),
        (("rules", 0, "verdict"), 13),
        (("rules", 1), 14),
        (("rules", 1, "verdict"), 15),
        (("rules", 1, "where"), 16),
        (("rules", 1, "where", "odd key"), 17),
        (("rules", 2), None),
        (("nowhere",), None),
        ((), None),
    ],
)
def test_a_key_has_the_line_it_stands_in(path: tuple[str | int, ...], line: int | None) -> None:
    assert Lines(TEXT).find(path) == line


_MEGABYTE = (1 << 20) - 100
BOMBS = {
    "1 MiB": "#" * (1 << 20) + "\n",
    "too deep": "a" + ".a" * (_MEGABYTE // 2) + " = 1",
    "deep": "[" + "a." * 60 + "a]",
    "nested too": 'x = {"a" . ' + "a." * 60 + "a = 1}",
    "is nested": "a = " + "{a=" * 60 + "1" + "}" * 60,
    "nested": "a = " + "[" * 100_000 + "]" * 100_000,
    "20,000 keys": "\n".join(f"k{at} = 1" for at in range(20_001)),
    "too many digits": "a = " + "9" * _MEGABYTE,
    "Unterminated": 'a = "' + "x" * _MEGABYTE,
    "Expected": "[" + "a" * _MEGABYTE,
}


@pytest.mark.parametrize(("message", "text"), BOMBS.items(), ids=BOMBS)
def test_a_text_made_to_burst_is_refused(message: str, text: str) -> None:
    tracemalloc.start()
    try:
        with pytest.raises(DataError, match=message):
            parse_toml(text, "bomb.toml")
        assert tracemalloc.get_traced_memory()[1] < 200 << 20
    finally:
        tracemalloc.stop()


def test_fifty_dots_in_a_text_are_no_key() -> None:
    text = 'a = "' + "w." * 80 + '"\nb = """\nw: ' + "w." * 80 + '"""\nc.d."e.f" = 1\n'
    assert parse_toml(text, "x")["c"] == {"d": {"e.f": 1}}


@pytest.mark.parametrize("name", ["acumen.toml", "pyproject.toml"])
def test_a_folders_file_that_is_too_large_is_not_even_read(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with (tmp_path / name).open("wb") as file:
        file.truncate(1_900_000_000)  # takes no room on the disk
    monkeypatch.chdir(tmp_path)
    tracemalloc.start()
    assert run(["evaluate", "run.json"]) == 3
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100 << 20
    assert f"{name}: is larger than the 1 MiB that a TOML file may have" in capsys.readouterr().err


@pytest.mark.parametrize("read", [find_scale, find_policy, read_task, find_mapping, read_costs])
def test_every_file_of_a_user_that_is_too_large_is_refused(
    read: Callable[[Path], object], tmp_path: Path
) -> None:
    path = tmp_path / "mine.toml"
    path.write_bytes(b"#" * (5 << 20))
    with pytest.raises(DataError, match=r"mine\.toml: is larger than the 1 MiB"):
        read(path)
