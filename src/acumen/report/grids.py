"""The tables of an evaluation as texts, for a terminal and for a notebook alike.

Raw MAE is not compared between inputs: at unequal coverage it says nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

from acumen.errors import printable
from acumen.report.words import why_missing
from acumen.results.measured import Delta, Interval, Measured
from acumen.results.metrics import Variant
from acumen.results.parts import name, shown_coverage

T = TypeVar("T")

if TYPE_CHECKING:
    from acumen.evaluation.evaluation import Evaluation

NAME_WIDTH: Final = 18
"""Longer names of functions are broken in two."""
LEGEND: Final = "excess: AUGRC above its optimum; achiev.: AUGRC on its lower hull"
_COLUMNS: Final = (
    ("cmax", "cmax"),
    ("AURC", "aurc"),
    ("AUGRC", "augrc"),
    ("excess", "eaugrc"),
    ("achiev.", "augrc_achievable"),
)
_DELTA_ROWS: Final = (("AUGRC", "augrc_full"), ("AURC", "aurc_full"), ("cmax", "cmax"))
_MANY_FUNCTIONS: Final = 4


@dataclass(frozen=True, slots=True)
class Grid:
    """Cells by row; a cell may have a second line, its interval."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: int = 1
    """How many columns, from the left, hold words rather than numbers."""


def grids(evaluation: Evaluation) -> Iterator[Grid]:
    """The functions of each input, then the paired differences of two."""
    coverage = shown_coverage(evaluation.artifact)
    for side in ("left", "right") if evaluation.is_paired else ("",):
        variants = [(n, v) for n, s, v in evaluation.variants() if s == side]
        yield _functions(variants, side, coverage)
    if evaluation.is_paired:
        yield _deltas(evaluation, coverage)


def without_interval(evaluation: Evaluation) -> list[str]:
    """Why numbers of the tables have no interval or no value, and where."""
    found: dict[str, list[str]] = {}
    for function, side, variant in evaluation.variants():
        for header, key in _columns(shown_coverage(evaluation.artifact)):
            metric = variant.metrics.get(key)
            if metric is not None and metric.interval is None:
                reason = why_missing(metric) or "not given"
                where = f"{header} of {name(function)}{f', {side}' if side else ''}"
                found.setdefault(reason, []).append(where)
    return [
        f"no interval ({', '.join(where[:4])}{', …' if len(where) > 4 else ''}): "
        + printable(reason, limit=300)
        for reason, where in found.items()
    ]


def _columns(coverage: float) -> list[tuple[str, str]]:
    return [*_COLUMNS, (f"MAE@{coverage:g}", f"mae_at_coverage@{coverage:g}")]


def _functions(variants: list[tuple[str, Variant]], title: str, coverage: float) -> Grid:
    """Confidence functions, best AUGRC first, an interval under each number."""
    columns = _columns(coverage)
    rows = [
        (_label(names), *(_cell(variant.metrics.get(metric)) for _, metric in columns))
        for names, variant in _best_first(variants)
    ]
    return Grid(title, ("confidence", *(header for header, _ in columns)), tuple(rows))


def _best_first(variants: list[tuple[str, Variant]]) -> list[tuple[list[str], Variant]]:
    """Lowest AUGRC first; functions with the very same numbers share a row."""
    return _shared(_ranked(variants))


def _ranked(variants: list[tuple[str, Variant]]) -> list[tuple[str, Variant]]:
    return sorted(variants, key=lambda nv: (nv[1].augrc_full is None, nv[1].augrc_full or 0.0))


def _shared(found: Iterable[tuple[str, T]]) -> list[tuple[list[str], T]]:
    """The functions that have the very same numbers together, in the order of the first."""
    shared: list[tuple[list[str], T]] = []
    for function, numbers in found:
        twin = next((names for names, other in shared if other == numbers), None)
        if twin is None:
            shared.append(([function], numbers))
        else:
            twin.append(function)
    return shared


def _deltas(evaluation: Evaluation, coverage: float) -> Grid:
    deltas = evaluation.artifact.comparison.deltas or {}
    metrics = [*_DELTA_ROWS, (f"MAE@{coverage:g}", f"mae_at_coverage@{coverage:g}")]
    metrics = metrics[:2] if len(deltas) > _MANY_FUNCTIONS else metrics
    left = [(n, v) for n, side, v in evaluation.variants() if side == "left"]
    rows = []
    for names, found in _shared((function, deltas[function]) for function, _ in _ranked(left)):
        for at, (title, key) in enumerate(metrics):
            if key in found:
                rows.append((_label(names) if at == 0 else "", title, *_delta_cells(found[key])))
    columns = ("confidence", "metric", "left", "right", "delta", "p", "p Holm")
    return Grid("right − left (paired)", columns, tuple(rows), words=2)


def _delta_cells(delta: Delta) -> list[str]:
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


def _label(names: list[str]) -> str:
    """The functions of a row; one long name is broken after a mark near its middle."""
    first, *others = map(name, names)
    breaks = [i + 1 for i, c in enumerate(first[:-1]) if c in "_:+"]
    if not others and breaks and len(first) > NAME_WIDTH:
        at = min(breaks, key=lambda i: abs(i - len(first) / 2))
        return f"{first[:at]}\n{first[at:]}"
    return "\n= ".join([first, *others])


def _cell(metric: Measured | None) -> str:
    if metric is None or metric.value is None:
        return "null"
    return f"{_number(metric.value)}\n{_ends(metric.interval)}"


def _number(value: float | None, *, signed: bool = False) -> str:
    if value is None:
        return "null"
    return f"{value:+.3f}" if signed else f"{value:.3f}"


def _ends(interval: Interval | None, *, signed: bool = False) -> str:
    if interval is None:
        return "–"
    low, high = (("inf" if end is None else _short(end, signed=signed)) for end in interval.ends)
    return f"{low} {high}" if signed else f"{low}–{high}"


def _short(value: float, *, signed: bool) -> str:
    """Three decimals without the leading zero."""
    text = f"{value:+.3f}" if signed else f"{value:.3f}"
    return text.replace("0.", ".", 1) if abs(value) < 1 else text


def _p(value: float | None) -> str:
    if value is None:
        return "null"
    return "<.001" if value < 0.001 else f"{value:.3f}"
