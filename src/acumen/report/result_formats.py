"""Rows of result files as a table for the terminal, or as text for papers and spreadsheets.

Names come from files: in every format they are text and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from rich import box
from rich.table import Table

from acumen.errors import printable
from acumen.files.csv import csv_text
from acumen.files.json import to_json
from acumen.results.found import COLUMNS, PERCENT, Found

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

_TEXTS: Final = ("method", "policy")
_LEGEND: Final = "rests on too few cases: unreliable"
LONGEST_NAME: Final = 1000
"""Of a name in a file for machines; longer ones are cut."""


def terminal_table(found: Sequence[Found]) -> Table:
    """One row a result, within 80 columns: names are folded, numbers never cut."""
    table = Table(box=box.SQUARE, header_style="bold")
    for key, title in TITLES.items():
        text = key in (*_TEXTS, "n")
        side = "left" if key in _TEXTS else "right"
        table.add_column(title, justify=side, no_wrap=not text, overflow="fold")  # type: ignore[arg-type]
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


def _cells(entry: Found, escaped: Callable[[str], str], unit: str, mark: str) -> list[str]:
    """The cells of one result: names escaped, scores with their interval, marked if unreliable."""
    cells = []
    for key in TITLES:
        text = _shown(entry, key)
        if key not in PERCENT or text == "N/A":
            cells.append(escaped(text))
            continue
        value, ends = text.removesuffix("%") + unit, entry.interval(key)
        if ends is not None:
            value += f" [{ends[0]:.1f}, {ends[1]:.1f}]{mark if entry.is_unreliable(key) else ''}"
        cells.append(value)
    return cells


def _any_unreliable(found: Sequence[Found]) -> bool:
    return any(entry.is_unreliable(key) for entry in found for key in PERCENT)


_MARKDOWN: Final = str.maketrans({c: f"\\{c}" for c in r"\`*_[]<>!|~$&:@"})


def as_markdown(found: Sequence[Found]) -> str:
    """A Markdown table with intervals."""
    lines = ["| " + " | ".join(TITLES.values()) + " |"]
    lines.append("|" + "|".join("---" if k in _TEXTS else "---:" for k in TITLES) + "|")
    for entry in found:
        cells = _cells(entry, lambda text: text.translate(_MARKDOWN), "%", r"\*")
        lines.append("| " + " | ".join(cells) + " |")
    if _any_unreliable(found):
        lines += ["", rf"\* {_LEGEND}."]
    return "\n".join(lines) + "\n"


_LATEX: Final = str.maketrans(
    {
        **{c: f"\\{c}" for c in "&%$#_{}"},
        # at the start of a row these would be read as arguments of the \\ or \midrule before it
        **{c: f"{{{c}}}" for c in "[*"},
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "\\": r"\textbackslash{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
    }
)


def as_latex(found: Sequence[Found]) -> str:
    """A LaTeX table (booktabs) with intervals, scores in percent."""
    lines = [r"\begin{tabular}{llrrrrr}", r"\toprule"]
    lines.append(" & ".join(TITLES.values()) + r" \\")
    lines.append(r"\midrule")
    for entry in found:
        cells = _cells(entry, lambda text: text.translate(_LATEX), "", "$^{*}$")
        lines.append(" & ".join(cells) + r" \\")
    lines.append(r"\bottomrule")
    if _any_unreliable(found):
        lines.append(rf"\multicolumn{{{len(TITLES)}}}{{l}}{{$^{{*}}$ {_LEGEND}}} \\")
    return "\n".join([*lines, r"\end{tabular}"]) + "\n"


def as_csv(found: Sequence[Found]) -> str:
    """Comma-separated values with interval ends; empty where there is no value."""
    ends = [f"{key}_{end}" for key in PERCENT for end in ("low", "high", "note")]
    keys = [*COLUMNS, *ends]
    return csv_text(keys, ([_cell(row[key]) for key in keys] for row in as_rows(found)))


def _cell(value: object) -> object:
    return printable(value, limit=LONGEST_NAME) if isinstance(value, str) else value


def as_rows(found: Sequence[Found]) -> list[dict[str, Any]]:
    """Plain records: every column, the interval ends, and what is said against an interval."""
    rows = []
    for entry in found:
        row = dict(entry.row)
        for key in PERCENT:
            low, high = entry.interval(key) or (None, None)
            row |= {f"{key}_low": low, f"{key}_high": high, f"{key}_note": entry.note(key)}
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
