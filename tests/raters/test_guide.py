"""The guide of raters is true: its examples run, and its tables are what the simulation draws."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

DOCS = Path(__file__).parents[2] / "docs"
GUIDE = (DOCS / "raters.md").read_text("utf-8")
TABLES = (DOCS / "simulations.md").read_text("utf-8").split("## Several raters")[1]


def test_the_examples_run() -> None:
    names: dict[str, Any] = {}
    for block in re.findall(r"^```python\n(.*?)^```", GUIDE, re.MULTILINE | re.DOTALL):
        exec(compile(block, "docs/raters.md", "exec"), names)
    assert names["ratings"].document.judges["ai"].alt_test.passes
    assert names["few"].estimates["mean"].labels_saved > 0


def test_every_line_of_estimates_covers_93_to_97_percent() -> None:
    lines = re.findall(r"^\| [a-z][^|]* \| (?:10|20|40) \| ([\d.]+) ±", TABLES, re.MULTILINE)
    assert len(lines) == 18
    assert all(93 <= float(covers) <= 97 for covers in lines)


def test_every_line_of_noise_floors_covers_92_to_97_percent() -> None:
    lines = re.findall(r"^\| [235] \| (?:0|30)% \| (.*) \|$", TABLES, re.MULTILINE)
    cells = [float(cell.split(" ± ")[0]) for line in lines for cell in line.split(" | ")]
    assert len(cells) == 24
    assert all(92 <= covers <= 97 for covers in cells)


@pytest.mark.slow
def test_the_table_of_estimates_is_drawn_again(capsys: Any) -> None:
    from simulations import raters

    raters.estimates(1000, seed=7)
    lines = re.findall(r"\| (?:10|20|40) \| ([\d.]+) ±", capsys.readouterr().out)
    covers = np.array(lines, float)
    error = 3 * 100 * np.sqrt(0.05 * 0.95 / 1000)  # of the Monte Carlo
    assert len(covers) == 18
    assert (covers > 93 - error).all()
    assert (covers < 97 + error).all()
