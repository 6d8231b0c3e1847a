"""Two methods side by side for the terminal. Nothing is computed here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from rich.console import RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from acumen.errors import counted, printable
from acumen.report.verdict_reading import (
    UNRELIABLE,
    compared_cases,
    comparison_paragraphs,
    is_unreliable,
)
from acumen.report.verdict_tables import (
    COMPONENTS,
    bullets,
    shared_reasons,
    table_of,
)

LONGEST_NAME: Final = 6
"""With longer names the table would not fit into 80 columns."""

_SIDES: Final = ("left", "right")


def comparison_report(
    comparison: Mapping[str, Any], levels: list[Any], level: float
) -> list[RenderableType]:
    """The paired differences and what they say."""
    left, right = (printable(str(comparison[side])) for side in _SIDES)
    cases = comparison.get("n_cases")
    same = "THE SAME CASES" if cases is None else f"THE SAME {counted(cases, 'CASE').upper()}"
    title = f" {left} AND {right} ON {same}"
    parts: list[RenderableType] = [Text(title, style="bold")]
    fits = max(len(left), len(right)) <= LONGEST_NAME
    shown, rows = (left, right) if fits else _SIDES, _rows(levels)
    parts.append(Padding(_table(comparison, rows, shown, level), (0, 0, 1, 1)))
    parts.append(bullets(_notes(comparison, (left, right), shown, rows)))
    parts += [Padding(Text(text), (0, 1, 1, 1)) for text in comparison_paragraphs(comparison)]
    return parts


def _notes(
    comparison: Mapping[str, Any],
    names: tuple[str, str],
    shown: tuple[str, str],
    rows: list[tuple[str, str, str]],
) -> list[str]:
    (left, right), deltas = names, comparison["deltas"]
    notes = []
    if shown != names:
        notes.append(f"left is {left}, right is {right}.")
    notes.append(
        f"Difference: {right} minus {left}, paired by case, in percentage points (kappa as it is)."
    )
    notes += compared_cases(comparison)
    checked = [
        f"{name.strip()} {' and '.join('{}/{}'.format(*counts[side]) for side in _SIDES)}"
        for name, key, _ in rows
        if (counts := deltas.get(key, {}).get("counts"))
    ]
    if checked:
        notes.append(f"Right of checked, {left} and {right}: {', '.join(checked)}.")
    # what neither has a value for is told in the report of each
    there = {k for k, d in deltas.items() if any(d[side] is not None for side in _SIDES)}
    notes += shared_reasons({key: name.strip() for name, key, _ in rows if key in there}, deltas)
    return notes + [f"Note: {printable(text, limit=200)}." for text in comparison["warnings"]]


def _rows(levels: list[Any]) -> list[tuple[str, str, str]]:
    """Title, key and kind of the differences that are shown."""
    found = [("AUPRC", "ordinal_auprc", "share")]
    found += [
        (f"  ≥ {printable(str(name))}", f"auprc_ge_{k}", "share")
        for k, name in enumerate(levels)
        if k
    ]
    found += [("Accuracy", "accuracy", "share"), ("Macro F1", "macro_f1", "share")]
    found += [("Kappa (quadratic)", "quadratic_kappa", "number")]
    found += [("Process", "process_score", "percent")]
    found += [(f"  {name}", key, "share") for key, name, weight in COMPONENTS if weight]
    found += [("Consistency", "consistency_score", "percent")]
    found += [(name, key, "share") for key, name, weight in COMPONENTS if not weight]
    return [*found, ("Primitive Accuracy", "primitive_accuracy", "share")]


def _table(
    comparison: Mapping[str, Any],
    rows: list[tuple[str, str, str]],
    names: tuple[str, str],
    level: float,
) -> Table:
    table = table_of("Metric", *names, "Diff.", f"{100 * level:g}% interval", "Better")
    for name, key, kind in rows:
        delta = comparison["deltas"].get(key)
        if delta is not None and delta["delta"] is not None:
            table.add_row(name, *_cells(delta, kind, names))
    return table


def _cells(delta: Mapping[str, Any], kind: str, names: tuple[str, str]) -> list[str]:
    factor = 100.0 if kind == "share" else 1.0
    digits, unit = (2, "") if kind == "number" else (1, "%")
    reach, undecided = "–", "–"
    if delta["low"] is not None:
        low, high = (f"{factor * delta[end]:+.{digits}f}" for end in ("low", "high"))
        reach = f"{low} to {high}{UNRELIABLE if is_unreliable(delta) else ''}"
        undecided = "not shown"
    return [
        *(f"{factor * delta[side]:.{digits}f}{unit}" for side in _SIDES),
        f"{factor * delta['delta']:+.{digits}f}",
        reach,
        dict(zip(_SIDES, names, strict=True)).get(delta["favours"], undecided),
    ]
