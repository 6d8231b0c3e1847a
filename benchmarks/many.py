"""Many systems at once: all pairs and ranks of 20, against one system alone."""

from __future__ import annotations

import csv
import sys
import tempfile
from pathlib import Path
from time import perf_counter

import numpy as np

import acumen
from benchmarks.commands import Cost, cost_of

SYSTEMS = 20
CASES, ITEMS, GROUPS = 150, 8, 30
COLUMNS = ("case", "item", "group", "system", "truth", "prediction", "confidence")


def system(at: int, cases: int, items: int) -> acumen.Judgments:
    """One of the systems, which differ a little; all judge the same rows."""
    rng, rows = np.random.default_rng(at), cases * items
    truth = np.random.default_rng(1000).integers(0, 4, rows)
    wrong = rng.random(rows) < 0.2 + 0.01 * at
    prediction = np.where(wrong, (truth + 1) % 4, truth).tolist()
    return acumen.from_columns(
        case=np.repeat(np.arange(cases), items),
        item=np.tile([f"item {i}" for i in range(items)], cases).tolist(),
        truth=truth,
        prediction=[None if rng.random() < 0.1 else p for p in prediction],
        confidence=np.where(wrong, 0.4, 0.6) + rng.normal(0, 0.2, rows),
    )


def many(cases: int = 41, items: int = 8, systems: int = SYSTEMS) -> dict[str, float]:
    """Seconds of one system alone, and of each of many with all pairs and ranks."""
    tables = {f"system {at}": system(at, cases, items) for at in range(systems)}
    first = next(iter(tables.values()))
    acumen.evaluate(first)  # compiled loops and imports are not what is measured
    start = perf_counter()
    acumen.evaluate(first)
    alone = perf_counter() - start
    start = perf_counter()
    evaluation = acumen.evaluate(tables)
    each = (perf_counter() - start) / systems
    assert len(evaluation.document.comparison.pairs) == systems * (systems - 1) // 2
    return {"alone": alone, "each": each, "ratio": each / alone}


def of_systems(systems: int, *options: str) -> Cost:
    """The default command on a CSV of so many systems of 1,200 rows, to the screen."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "rows.csv"
        with path.open("w", newline="") as file:
            rows = csv.writer(file)
            rows.writerow(COLUMNS)
            for at in range(systems):
                rows.writerows(_lines(at))
        return min((cost_of(["evaluate", str(path), "--system", "system", *options])
                    for _ in range(2)), key=lambda cost: cost.cpu)  # fmt: skip


def _lines(at: int) -> list[tuple[object, ...]]:
    """Its rows, with ties among the confidences, and more silence where answers are wrong."""
    rng, rows = np.random.default_rng(at), CASES * ITEMS
    case, item = np.divmod(np.arange(rows), ITEMS)
    truth = np.random.default_rng(1000).integers(0, 4, rows)
    wrong = rng.random(rows) < 0.2 + 0.1 * at / 10 * (case % 3 > 0) / (1 + at / 10)
    prediction = np.where(wrong, (truth + 1) % 4, truth)
    confidence = np.clip(np.where(wrong, 0.4, 0.6) + rng.normal(0, 0.2, rows), 0, 1).round(2)
    silent = rng.random(rows) < 0.05 + 0.1 * wrong
    return [
        (f"c{case[i]}", f"i{item[i]}", f"g{case[i] % GROUPS}", f"s{at}", truth[i],
         "" if silent[i] else prediction[i], "" if silent[i] else confidence[i])
        for i in range(rows)
    ]  # fmt: skip


if __name__ == "__main__":
    print(many(systems=int(sys.argv[1]) if len(sys.argv) > 1 else SYSTEMS))
