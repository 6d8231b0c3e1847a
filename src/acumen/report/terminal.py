"""An evaluation as a terminal shows it: who was judged, the tables, a plain sentence, warnings.

Nothing is computed here. Raw MAE is not compared between inputs: at unequal coverage it
says nothing.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING

from acumen.artifact_parts import shown_coverage
from acumen.artifacts import DeltaModel, IntervalModel, MetricValue, Variant
from acumen.errors import printable
from acumen.report.metric_reading import conclusion, population

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table

    from acumen.evaluation import Evaluation

_ASCII = str.maketrans(
    {"–": "-", "—": "-", "−": "-", "·": "|", "…": "...", "×": "x", "Δ": "d", "≥": ">=", "✓": "+"}
)
_COLUMNS = (
    ("cmax", "cmax"),
    ("AURC", "aurc"),
    ("AUGRC", "augrc"),
    ("excess", "eaugrc"),
    ("achiev.", "augrc_achievable"),
)
_DELTA_ROWS = (("AUGRC", "augrc_full"), ("AURC", "aurc_full"), ("cmax", "cmax"))
_MANY_FUNCTIONS = 4
_NAME_WIDTH = 18


def render(evaluation: Evaluation, width: int = 80, *, color: bool = False) -> str:
    """The report as text."""
    from rich.console import Console

    out = io.StringIO()
    console = Console(
        file=out, width=width, force_terminal=color, no_color=not color, highlight=False
    )
    show(evaluation, console)
    return out.getvalue()


def print_report(evaluation: Evaluation) -> None:
    """The report on standard output, in colour on a terminal, in plain ASCII where need be."""
    from rich.console import Console

    console = Console(highlight=False)
    text = render(
        evaluation,
        width=max(80, console.width),
        color=console.is_terminal and not console.no_color,
    )
    print_text(text)


def print_text(text: str) -> None:
    """Text on standard output, whatever its encoding can show."""
    encoding = (sys.stdout.encoding or "ascii").lower()
    if not encoding.startswith("utf"):
        text = _to_ascii(text).encode(encoding, "replace").decode(encoding)
    sys.stdout.write(text)


def _to_ascii(text: str) -> str:
    boxes = dict.fromkeys(map(ord, "─━═╌"), "-") | dict.fromkeys(map(ord, "│┃║"), "|")
    corners = dict.fromkeys(map(ord, "┌┐└┘├┤┬┴┼╭╮╰╯┏┓┗┛┡┩╇┳┻╋"), "+")
    return text.translate(_ASCII).translate(boxes | corners)


def show(evaluation: Evaluation, console: Console) -> None:
    """Print the report's parts in order."""
    for part in _parts(evaluation):
        console.print(part)


def _parts(evaluation: Evaluation) -> Iterable[RenderableType]:
    from rich.text import Text

    artifact = evaluation.artifact
    for index, given in enumerate(artifact.inputs):
        side = ("left: ", "right: ")[index] if evaluation.is_paired else ""
        mode = f" · mode {printable(given.mode)}" if given.mode else ""
        yield Text(f"{side}{printable(given.path or 'rows', limit=200)}{mode}", style="bold")
    yield Text(population(artifact))
    loss = artifact.loss
    level = f"{artifact.level:.0%}"
    yield Text(f"loss {loss.name} = {loss.definition} · intervals {level}, below each number\n")
    for side in ("left", "right") if evaluation.is_paired else ("",):
        variants = [(n, v) for n, s, v in evaluation.variants() if s == side]
        yield _function_table(variants, side, shown_coverage(artifact))
    if evaluation.is_paired:
        yield _delta_table(evaluation)
    yield Text("excess: AUGRC above its optimum; achiev.: AUGRC on its lower hull", style="dim")
    for reason, where in _without_interval(evaluation).items():
        shown = f"{', '.join(where[:4])}{', …' if len(where) > 4 else ''}"
        yield Text(f"– no interval ({shown}): {reason}", style="dim")
    yield Text(f"\n{conclusion(artifact)}", style="bold")
    if artifact.left_out:
        yield Text(
            f"\nnot computed: {'; '.join(f'{n} ({w})' for n, w in artifact.left_out.items())}"
        )
    for warning in artifact.warnings:
        yield Text(f"\nwarning: {printable(warning, limit=600)}", style="yellow")


def _without_interval(evaluation: Evaluation) -> dict[str, list[str]]:
    """Why numbers of the tables have no interval or no value, and where."""
    found: dict[str, list[str]] = {}
    variants = list(evaluation.variants())
    coverage = shown_coverage(evaluation.artifact)
    for name, side, variant in variants:
        for header, key in _columns(coverage):
            metric = variant.metrics.get(key)
            if metric is not None and metric.interval is None:
                reason = metric.reason or metric.interval_reason or "not given"
                where = f"{header} of {printable(name, limit=60)}{f', {side}' if side else ''}"
                found.setdefault(reason, []).append(where)
    return found


def _columns(coverage: float) -> list[tuple[str, str]]:
    return [*_COLUMNS, (f"MAE@{coverage:g}", f"mae_at_coverage@{coverage:g}")]


def _function_table(
    variants: list[tuple[str, Variant]], title: str, coverage: float
) -> RenderableType:
    """Confidence functions, best AUGRC first, an interval under each number."""
    table = _table(title)
    table.add_column("confidence", max_width=_NAME_WIDTH, overflow="fold")
    columns = _columns(coverage)
    for header, _ in columns:
        table.add_column(header, justify="right", no_wrap=True, min_width=9)
    for names, variant in _best_first(variants):
        cells = [_cell(variant.metrics.get(metric)) for _, metric in columns]
        table.add_row(_label(names), *cells)
    return table


def _best_first(variants: list[tuple[str, Variant]]) -> list[tuple[list[str], Variant]]:
    """Lowest AUGRC first; functions with the very same numbers share a row."""
    ranked = sorted(variants, key=lambda nv: (nv[1].augrc_full is None, nv[1].augrc_full or 0.0))
    shared: list[tuple[list[str], Variant]] = []
    for name, variant in ranked:
        twin = next((names for names, other in shared if other == variant), None)
        if twin is None:
            shared.append(([name], variant))
        else:
            twin.append(name)
    return shared


def _delta_table(evaluation: Evaluation) -> RenderableType:
    deltas = evaluation.artifact.comparison.deltas or {}
    coverage = shown_coverage(evaluation.artifact)
    rows = [*_DELTA_ROWS, (f"MAE@{coverage:g}", f"mae_at_coverage@{coverage:g}")]
    rows = rows[:2] if len(deltas) > _MANY_FUNCTIONS else rows
    table = _table("right − left (paired)")
    table.add_column("confidence", max_width=_NAME_WIDTH, overflow="fold")
    table.add_column("metric", no_wrap=True)
    for header in ("left", "right", "delta", "p", "p Holm"):
        table.add_column(header, justify="right", no_wrap=True)
    left = [(n, v) for n, side, v in evaluation.variants() if side == "left"]
    for names, _ in _best_first(left):
        found = deltas[names[0]]
        for at, (title, key) in enumerate(rows):
            if key in found:
                shown = _label(names) if at == 0 else ""
                table.add_row(shown, title, *_delta_cells(found[key]))
    return table


def _delta_cells(delta: DeltaModel) -> list[str]:
    value = _number(delta.delta, signed=True)
    if delta.delta is not None:
        value = f"{value}\n{_ends(delta.interval, signed=True)}"
    return [
        _number(delta.left),
        _number(delta.right),
        value,
        _p(delta.p_value),
        _p(delta.p_holm),
    ]


def _table(title: str) -> Table:
    from rich import box
    from rich.table import Table

    return Table(
        title=title or None,
        box=box.SIMPLE_HEAD,
        title_justify="left",
        pad_edge=False,
        padding=(0, 0),
    )


def _label(names: list[str]) -> str:
    """The functions of a row; one long name is broken after a mark near its middle."""
    first, *others = (printable(name, limit=60) for name in names)
    breaks = [i + 1 for i, c in enumerate(first[:-1]) if c in "_:+"]
    if not others and breaks and len(first) > _NAME_WIDTH:
        at = min(breaks, key=lambda i: abs(i - len(first) / 2))
        return f"{first[:at]}\n{first[at:]}"
    return "\n= ".join([first, *others])


def _cell(metric: MetricValue | None) -> str:
    if metric is None or metric.value is None:
        return "null"
    return f"{_number(metric.value)}\n{_ends(metric.interval)}"


def _number(value: float | None, *, signed: bool = False) -> str:
    if value is None:
        return "null"
    return f"{value:+.3f}" if signed else f"{value:.3f}"


def _ends(interval: IntervalModel | None, *, signed: bool = False) -> str:
    if interval is None:
        return "–"
    low, high = (
        ("inf" if end is None else _short(end, signed=signed))
        for end in (interval.low, interval.high)
    )
    return f"{low} {high}" if signed else f"{low}–{high}"


def _short(value: float, *, signed: bool) -> str:
    """Three decimals without the leading zero."""
    text = f"{value:+.3f}" if signed else f"{value:.3f}"
    return text.replace("0.", ".", 1) if abs(value) < 1 else text


def _p(value: float | None) -> str:
    if value is None:
        return "null"
    return "<.001" if value < 0.001 else f"{value:.3f}"
