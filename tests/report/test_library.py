"""The script of the charts is bundled once, and again where what is kept of it is damaged."""

from __future__ import annotations

from pathlib import Path

import pytest

from acumen.report import library


@pytest.fixture
def bundles(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> list[str]:
    """The versions that were bundled, in order, with a cache folder of its own."""
    asked: list[str] = []

    def bundle(grammar: str) -> str:
        asked.append(grammar)
        return f"charts of {grammar}, ÷"

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(library, "_bundled", bundle)
    return asked


def fresh() -> str:
    """As a process of its own would have it."""
    return library.chart_library.__wrapped__()


def test_it_is_bundled_once_a_machine(bundles: list[str], tmp_path: Path) -> None:
    text = fresh()
    assert text == f"charts of {bundles[0]}, ÷" == fresh()
    assert len(bundles) == 1
    (kept,) = (tmp_path / "cache" / "acumen").iterdir()
    assert kept.read_text("utf-8").endswith(f"\n{text}")


@pytest.mark.parametrize("damage", [b"", b"other", b"\xff\xfe", b"0" * 64 + b"\nevil()"])
def test_what_is_damaged_is_made_anew(damage: bytes, bundles: list[str], tmp_path: Path) -> None:
    text = fresh()
    (kept,) = (tmp_path / "cache" / "acumen").iterdir()
    kept.write_bytes(damage)
    assert fresh() == fresh() == text
    assert len(bundles) == 2


def test_a_folder_that_cannot_be_written_costs_time_alone(
    bundles: list[str], tmp_path: Path
) -> None:
    (tmp_path / "cache").write_text("a file in the way")
    assert fresh() == fresh()
    assert len(bundles) == 2


def test_a_cache_folder_that_hangs_on_where_one_stands_is_not_used(
    bundles: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "here")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    monkeypatch.chdir(tmp_path)
    assert fresh()
    assert sorted(path.name for path in tmp_path.iterdir()) == [".cache"]
