"""Two methods side by side for the terminal. Nothing is computed here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from acumen.errors import printable
from acumen.report.verdict_reading import comparison_paragraphs
from acumen.report.verdict_tables import COMPONENTS, table_of


def comparison_report(
    comparison: Mapping[str, Any], levels: list[Any], level: float
) -> list[RenderableType]:
    """The paired differences and what they say."""
    left, right = (printable(str(comparison[side])) for side in ("left", "right"))
    title = f" {left} AND {right} ON THE SAME {comparison['n_cases']} CASES"
    parts: list[RenderableType] = [Text(title, style="bold")]
    parts.append(Padding(_table(comparison, levels, left, right, level), (0, 0, 1, 1)))
    notes = [f"Difference: {right} minus {left}, in percentage points, paired by case."]
    notes.append(f"AUPRC is over the {comparison['n_ranked']} cases where both have a verdict.")
    notes += [f"Note: {printable(text, limit=200)}." for text in comparison["warnings"]]
    parts.append(Padding(Group(*(Text(f"- {note}") for note in notes)), (0, 1, 1, 1)))
    parts += [Padding(Text(text), (0, 1, 1, 1)) for text in comparison_paragraphs(comparison)]
    return parts


def _table(
    comparison: Mapping[str, Any], levels: list[Any], left: str, right: str, level: float
) -> Table:
    rows = [("AUPRC", "ordinal_auprc", 100.0)]
    rows += [
        (f"  ≥ {printable(str(name))}", f"auprc_ge_{k}", 100.0)
        for k, name in enumerate(levels)
        if k
    ]
    rows += [("Accuracy", "accuracy", 100.0), ("Process", "process_score", 1.0)]
    rows += [(f"  {name}", key, 100.0) for key, name, weight in COMPONENTS if weight]
    rows += [
        ("Consistency", "consistency_score", 1.0),
        ("Evidence Recall", "evidence_recall", 100.0),
    ]
    rows += [("Primitive Accuracy", "primitive_accuracy", 100.0)]
    table = table_of(
        "Metric", left[:12], right[:12], "Diff.", f"{100 * level:g}% interval", "Better"
    )
    for name, key, factor in rows:
        delta = comparison["deltas"].get(key)
        if delta is not None and delta["delta"] is not None:
            table.add_row(name, *_cells(delta, factor, left, right))
    return table


def _cells(delta: Mapping[str, Any], factor: float, left: str, right: str) -> list[str]:
    reach, undecided = "–", "–"
    if delta["low"] is not None:
        reach = f"{factor * delta['low']:+.1f} to {factor * delta['high']:+.1f}"
        undecided = "not shown"
    better = {"left": left[:12], "right": right[:12]}.get(delta["favours"] or "", undecided)
    return [
        f"{factor * delta['left']:.1f}%",
        f"{factor * delta['right']:.1f}%",
        f"{factor * delta['delta']:+.1f}",
        reach,
        better,
    ]
