"""The guide to decisions is true: its examples run, its gate file is read."""

from __future__ import annotations

import re
from pathlib import Path

from acumen.decisions.gate_file import gate_of

GUIDE = Path(__file__).parents[2] / "docs" / "decisions.md"


def blocks(language: str) -> list[str]:
    text = GUIDE.read_text("utf-8")
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def test_the_gate_file_is_read(tmp_path: Path) -> None:
    (text,) = blocks("toml")
    (tmp_path / "gate.toml").write_text(text)
    assert [r.asked for r in gate_of(tmp_path / "gate.toml", []).require] == [
        [("non-inferiority", 0.01)],
        [("at-least", 0.5)],
    ]
