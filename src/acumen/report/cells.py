"""Numbers, intervals and words as cells: the one place that says how many digits they have."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from acumen.errors import printable
from acumen.metrics import find_metric
from acumen.metrics.registry import NOISE_FLOOR, Unit
from acumen.report.blocks import LONGEST_COMMAND, LONGEST_TEXT, UNDEFINED, Cell, Column, Fact, Table
from acumen.report.words import note_of, why_missing
from acumen.results.metrics import name
from acumen.values.measured import MARKED, Delta, Interval, Measured

OF_RATERS: Final = {
    "noise_floor_mae": "Noise floor: two raters apart",
    "replacement_alpha": "Alpha, in a rater's place",
    "raters_alpha": "Alpha of the raters themselves",
}
IN_UNITS: Final = ("noise_floor_mae",)
"""Of these, what is counted as the scale counts."""
UNIT_OF_WORDS: Final = ", levels"
"""What errors are counted in where the levels are words."""
_DIGITS: Final = {Unit.SHARE: 1, Unit.PERCENT: 1}
"""Digits after the point in tables for people; three where nothing else is said."""


OPEN: Final = 5e-4
"""An interval that comes so near to both ends of what a metric can be says nothing."""


def plain(value: object) -> str:
    """Any text from outside as it is shown: nothing invisible, not endless."""
    return printable(str(value), limit=LONGEST_TEXT)


def command_line(value: object) -> Cell:
    """A cell of a command that makes something again: to be typed, so never cut for its length."""
    return Cell(UNDEFINED if value is None else printable(str(value), limit=LONGEST_COMMAND))


def text(value: object) -> Cell:
    """A cell of words."""
    return Cell(UNDEFINED if value is None else plain(value))


def number(value: float | int | None, form: str = ".3f", reason: str | None = None) -> Cell:
    """A number as tables show it; what has no value is a dash that says why."""
    if value is None:
        return Cell(UNDEFINED, None, None if reason is None else plain(reason))
    return Cell(f"{value:,}" if isinstance(value, int) else f"{value:{form}}", value)


def percent(value: float | None, reason: str | None = None) -> Cell:
    """A share in percent; the number kept with it is the share."""
    return amount(value, Unit.SHARE, reason=reason)


def bracketed(low: str, high: str) -> str:
    """An interval, spelled as every medium spells it.

    >>> bracketed("0.040", "0.110")
    '[0.040, 0.110]'
    """
    return f"[{low}, {high}]"


def reach(low: float | None, high: float | None, form: str = ".3f", why: str | None = None) -> Cell:
    """An interval in a detailed table; a dash that says why where there is none."""
    if low is None and high is None:
        return Cell(UNDEFINED, None, None if why is None else plain(why))
    return Cell(bracketed(*(UNDEFINED if end is None else f"{end:{form}}" for end in (low, high))))


def written(value: float, unit: Unit, *, signed: bool = False) -> str:
    """A number in its unit.

    >>> written(0.953, Unit.SHARE), written(-0.25, Unit.NUMBER, signed=True)
    ('95.3%', '-0.250')
    """
    amount = 100 * value if unit is Unit.SHARE else value
    form = f"{'+' if signed else ''}.{_DIGITS.get(unit, 3)}f"
    return f"{amount:{form}}{'%' if unit in _DIGITS and not signed else ''}"


def amount(
    value: float | None, unit: Unit, *, signed: bool = False, reason: str | None = None
) -> Cell:
    """A number in its unit as tables for people show it; percent differ by points."""
    if value is None:
        return number(None, reason=reason)
    return Cell(written(value, unit, signed=signed), value, unit=unit.value)


def between(ends: Interval, unit: Unit, *, signed: bool = False) -> str:
    """The ends of an interval in their unit; what has no bound is a dash.

    >>> from acumen.values.measured import Interval
    >>> between(Interval(low=-0.1, high=0.25, method="x"), Unit.NUMBER, signed=True)
    '[-0.100, +0.250]'
    """
    return bracketed(
        *(UNDEFINED if e is None else written(e, unit, signed=signed) for e in ends.ends)
    )


def measured_cell(
    measured: Measured | Delta | None, unit: Unit = Unit.NUMBER, *, signed: bool = False
) -> Cell:
    """A value with its interval in one cell.

    >>> from acumen.values.measured import Interval
    >>> ends = Interval(low=0.04, high=0.11, method="x")
    >>> cell = measured_cell(Measured(value=0.07, interval=ends))
    >>> cell.text, cell.interval
    ('0.070', '[0.040, 0.110]')
    """
    absent = (None, None)
    if measured is None:
        return Cell(UNDEFINED, ends=absent)
    value = measured.delta if isinstance(measured, Delta) else measured.value
    cell = replace(amount(value, unit, signed=signed, reason=measured.reason), ends=absent)
    if value is None:
        return cell
    ends = measured.interval
    if ends is None:
        why = why_missing(measured)
        return replace(cell, interval=UNDEFINED, hint=None if why is None else plain(why))
    return replace(
        cell,
        interval=between(ends, unit, signed=signed),
        hint=note_of(ends),
        ends=ends.ends,
        marked=not MARKED.isdisjoint(ends.flags),
    )


def interval_cell(measured: Measured | Delta, unit: Unit, *, signed: bool = False) -> Cell:
    """The interval alone, in a column that is of nothing else."""
    cell = measured_cell(measured, unit, signed=signed)
    return replace(cell, text=cell.interval or UNDEFINED, value=None, interval="", unit="")


def says_nothing(key: str, ends: Interval | None) -> bool:
    """Whether an interval of a metric holds every value that there can be."""
    metric = find_metric(key)
    if metric is None or ends is None:
        return False
    low, high = metric.kind.bounds
    return ends.low <= low + OPEN and ends.high >= high - OPEN


def metric_cell(key: str, measured: Measured | None) -> Cell:
    """A metric of a document in its unit; an interval over all it could be says nothing.

    >>> from acumen.values.measured import Interval
    >>> ends = Interval(low=0.0, high=1.0, method="x")
    >>> metric_cell("quadratic_kappa", Measured(value=0.5, interval=ends)).interval
    '[0.000, 1.000]'
    >>> metric_cell("accuracy", Measured(value=0.5, interval=ends)).interval
    '–'
    """
    cell = measured_cell(measured, unit_of(key), signed=is_signed(key))
    if measured is None or not says_nothing(key, measured.interval):
        return cell
    return replace(cell, interval=UNDEFINED, hint="the interval holds every value there can be")


def fact(label: str, measured: Measured | Delta, unit: Unit, note: str = "") -> Fact:
    """A number told large, with its interval; of a difference also what the two sides have."""
    return Fact(label, measured_cell(measured, unit, signed=isinstance(measured, Delta)), note)


def said(measured: Measured | Delta, unit: Unit = Unit.NUMBER, *, signed: bool = False) -> str:
    """A number with its interval, in a sentence.

    >>> from acumen.values.measured import Interval
    >>> ends = Interval(low=0.04, high=0.11, method="x")
    >>> said(Measured(value=0.07, interval=ends), Unit.SHARE)
    '7.0% [4.0%, 11.0%]'
    """
    return spelled(measured_cell(measured, unit, signed=signed))


def spelled(cell: Cell) -> str:
    """A cell in a sentence: its interval behind the number, if it has one."""
    return f"{cell.text} {cell.interval}" if cell.interval not in ("", UNDEFINED) else cell.text


def difference(label: str, delta: Delta, names: Sequence[str], unit: Unit) -> Fact:
    """What two sides differ by, told large, with what each has."""
    sides = zip(names, (delta.left, delta.right), strict=True)
    values = ", ".join(f"{side} {amount(value, unit).text}" for side, value in sides)
    points = " (points)" * (unit in _DIGITS)
    return fact(f"{label}{points}", delta, unit, f"{names[1]} − {names[0]}: {values}")


def unit_of(key: str) -> Unit:
    """What a metric of a document is counted in."""
    metric = find_metric(key)
    return Unit.NUMBER if metric is None else metric.unit


def is_signed(key: str) -> bool:
    """Whether a metric has a sign that says which way, and neither way is better."""
    metric = find_metric(key)
    return metric is not None and metric.better is None


def p_cell(value: float | None) -> Cell:
    """A p-value; a dash where nothing is tested."""
    return (
        text(None) if value is None else Cell("<0.001" if value < 0.001 else f"{value:.3f}", value)
    )


def title_of(key: str, levels: Sequence[object] = ()) -> str:
    """A metric of a document as people know it; the key itself where it is none of ours."""
    if key.startswith(NOISE_FLOOR) and key not in OF_RATERS:
        return f"{title_of(key.replace(NOISE_FLOOR, 'mean_loss', 1), levels)}: noise floor"
    metric = find_metric(key, [name(level) for level in levels])
    title = OF_RATERS.get(key, plain(key)) if metric is None else metric.title
    is_of_scale = key in IN_UNITS or (metric is not None and metric.unit is Unit.SCALE)
    return title + UNIT_OF_WORDS if is_of_scale and of_words(levels) else title


def of_words(levels: Sequence[object]) -> bool:
    """Whether the levels of a scale are words, so that errors are counted in levels."""
    return len(levels) > 0 and isinstance(levels[0], str)


def settings(values: Iterable[tuple[str, object]], caption: str = "") -> Table:
    """What something was made with: names and values."""
    rows = tuple(
        (text(name), (command_line if name == "command" else text)(value)) for name, value in values
    )
    return Table(caption, ("setting", "value"), rows)


def coded(title: str, values: Sequence[object]) -> Column:
    """A column of texts, each text kept once.

    >>> coded("item", ["a", "b", "a"]).codes
    (0, 1, 0)
    """
    place: dict[str, int] = {}
    codes = [place.setdefault(plain(value), len(place)) for value in values]
    return Column(title, names=tuple(place), codes=tuple(codes), key=title)
