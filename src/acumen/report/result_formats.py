"""Rows of result files as a table for the terminal, or as text for papers and spreadsheets."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from rich.table import Table

from acumen.csv_text import csv_text
from acumen.errors import printable
from acumen.report.verdict_tables import table_of
from acumen.result_files import COLUMNS, PERCENT, Found
from acumen.strict_json import to_json

TITLES: Final[Mapping[str, str]] = {
    "method": "Method",
    "policy": "Policy",
    "n": "N",
    "accuracy": "Accuracy",
    "auprc": "AUPRC",
    "process": "Process",
    "consistency": "Consistency",
}
"""The columns shown to readers; files for machines have all of them."""


def terminal_table(found: Sequence[Found]) -> Table:
    """One row a result, within 80 columns."""
    table = table_of(*TITLES.values())
    for entry in found:
        table.add_row(*(_shown(entry, key) for key in TITLES))
    return table


def _shown(entry: Found, key: str) -> str:
    value, scored = entry.row[key], entry.row["scored"]
    if key == "n" and scored not in (None, value):
        # what accuracy is divided by: failed cases are left out of it
        return f"{scored}" if value is None else f"{scored}/{printable(str(value))}"
    if value is None:
        return "N/A"
    if key in PERCENT and isinstance(value, int | float):
        return f"{value:.1f}%"
    return printable(str(value))


def as_markdown(found: Sequence[Found]) -> str:
    """A Markdown table with intervals."""
    lines = ["| " + " | ".join(TITLES.values()) + " |"]
    lines.append(
        "|" + "|".join("---" if k in ("method", "policy") else "---:" for k in TITLES) + "|"
    )
    for entry in found:
        cells = (_with_interval(entry, key, "%").replace("|", "\\|") for key in TITLES)
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _with_interval(entry: Found, key: str, unit: str) -> str:
    text = _shown(entry, key)
    if key not in PERCENT or text == "N/A":
        return text
    value = text.removesuffix("%") + unit
    ends = entry.interval(key)
    return value if ends is None else f"{value} [{ends[0]:.1f}, {ends[1]:.1f}]"


_LATEX: Final = str.maketrans(
    {
        **{c: f"\\{c}" for c in "&%$#_{}"},
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "\\": r"\textbackslash{}",
    }
)


def as_latex(found: Sequence[Found]) -> str:
    """A LaTeX table (booktabs) with intervals, scores in percent."""
    lines = [r"\begin{tabular}{llrrrrr}", r"\toprule"]
    lines.append(" & ".join(TITLES.values()) + r" \\")
    lines.append(r"\midrule")
    for entry in found:
        cells = (_with_interval(entry, key, "").translate(_LATEX) for key in TITLES)
        lines.append(" & ".join(cells) + r" \\")
    return "\n".join([*lines, r"\bottomrule", r"\end{tabular}"]) + "\n"


def as_csv(found: Sequence[Found]) -> str:
    """Comma-separated values with interval ends; empty where there is no value."""
    keys = [*COLUMNS, *(f"{key}_{end}" for key in PERCENT for end in ("low", "high"))]
    return csv_text(keys, ([row[key] for key in keys] for row in as_rows(found)))


def as_rows(found: Sequence[Found]) -> list[dict[str, Any]]:
    """Plain records: every column, and the interval ends."""
    rows = []
    for entry in found:
        row = dict(entry.row)
        for key in PERCENT:
            low, high = entry.interval(key) or (None, None)
            row |= {f"{key}_low": low, f"{key}_high": high}
        rows.append(row)
    return rows


def as_json(found: Sequence[Found]) -> str:
    """The records as JSON."""
    return to_json(as_rows(found))


FORMATS: Final[Mapping[str, Callable[[Sequence[Found]], str]]] = {
    "markdown": as_markdown,
    "latex": as_latex,
    "csv": as_csv,
    "json": as_json,
}
