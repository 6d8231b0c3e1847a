"""Tables of ratings that tests share."""

from __future__ import annotations

from typing import Any

import numpy as np

import acumen
from acumen.raters.panel import Panel
from acumen.raters.reading import read_ratings
from acumen.results.raters import RatingsDocument

PEOPLE = ["r1", "r2", "r3", "r4", "r5"]
TEXTBOOK = (
    (1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None),
    (1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3),
    (None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None),
    (1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None),
)
"""Krippendorff's four observers and twelve units."""
SHROUT_FLEISS = (
    (9, 2, 5, 8),
    (6, 1, 3, 2),
    (8, 4, 6, 8),
    (7, 1, 2, 6),
    (10, 5, 6, 9),
    (6, 2, 4, 7),
)


def clip(value: int) -> int:
    return min(5, max(1, value))


def five_and_a_judge() -> list[dict[str, Any]]:
    """Eighty units, five people who skip some, and a judge that abstains at times."""
    rows = []
    for i in range(80):
        base = (7 * i * i + 3 * i) % 5 + 1
        row: dict[str, Any] = {"case": i}
        for j in range(1, 6):
            turn = (i * (j + 2) + j * j) % 7
            row[f"r{j}"] = clip(base + {0: 1, 1: -1}.get(turn, 0))
        row["r4"] = None if i % 5 == 0 else row["r4"]
        row["r5"] = None if i % 2 else row["r5"]
        error = 1 if i % 9 == 0 else -1 if i % 6 == 4 else 0
        row["judge"] = None if i % 11 == 7 else clip(base + error)
        rows.append(row)
    return rows


def rated(rows: Any = None, **options: Any) -> RatingsDocument:
    """The findings on rows; by default five people and a judge."""
    if rows is None:
        rows, options = five_and_a_judge(), {"raters": PEOPLE, "judge": "judge"} | options
    return acumen.rate(rows, **{"levels": "1-5"} | options).document


def panel_of(table: Any, levels: str = "1-5") -> Panel:
    """The panel of a table, one row a unit, one column a rater; NaN or None is a skip."""
    names = [f"c{j}" for j in range(len(table[0]))]
    rows = [
        {
            "case": i,
            **{n: None if v is None or v != v else int(v) for n, v in zip(names, row, strict=True)},
        }
        for i, row in enumerate(table)
    ]
    return Panel.of(read_ratings(rows, {"truth": names, "levels": levels}, [])[0])


def random_table(rng: np.random.Generator, levels: int, *, full: bool = False) -> Any:
    """Ratings of a few raters on some units, with gaps; every unit and rater has some."""
    units, raters = int(rng.integers(6, 40)), int(rng.integers(2, 7))
    base = rng.integers(1, levels + 1, (units, 1))
    table = np.clip(base + rng.integers(-1, 2, (units, raters)), 1, levels).astype(float)
    if not full:
        table[rng.random(table.shape) < 0.25] = np.nan
        table[:2] = np.clip(base[:2] + np.arange(raters) % 2, 1, levels)
    return table
