"""What a page adds: charts, every way to count open cases, bands, what to ask, every case."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from acumen.metrics.registry import Unit
from acumen.report.blocks import UNDEFINED, Cases, Cell, Column, Facts, Section, Table
from acumen.report.cells import bracketed, coded, fact, measured_cell, number, plain, settings, text
from acumen.report.plots import plot, plots
from acumen.report.sections import Ask
from acumen.report.totals.words import (
    ERRORS,
    RATES,
    RISKS,
    SELECTIVE,
    columns_of,
    error_rows,
    unit_of,
    whose,
)
from acumen.results.totals import (
    BandPart,
    CaseTotal,
    CutMeasure,
    IntervalPart,
    SystemTotals,
    TotalsDocument,
)


def sections(document: TotalsDocument, ask: Ask) -> Iterator[Section]:
    """Everything that a screen leaves out."""
    if document.has_truth:
        facts = [
            fact(f"{whose(document, s)}{ERRORS[key][0]}", getattr(s.error, key), ERRORS[key][1])
            for s in document.systems
            if s.error is not None
            for key in ("mae", "icc")
        ]
        every = Table(
            "Every measure", ("of a total", *columns_of(document)), (*error_rows(document, ERRORS),)
        )
        yield Section("metrics", "How far off is the total", (Facts(tuple(facts)), every))
    for at, system in enumerate(document.systems):
        yield from _charts(document, system, ask, at)
        yield from _tables(document, system, at)
        yield _list(document, system, ask, at)
        if system.new:
            yield _list(document, system, ask, at, is_new=True)
    total = document.total
    values: dict[str, object] = {
        "total": total.title,
        "items": ", ".join(total.items),
        **({"from": total.reference} if total.reference else {}),
        "points of a level": ", ".join(f"{w:g}" for w in total.weights.values()),
        "confidence": document.confidence,
        "confidence of a case": document.aggregate,
        "confidence level": document.confidence_level,
        "acumen": document.acumen_version,
        **({"command": ask.command} if ask.command else {}),
    }
    yield Section("provenance", "Provenance", (settings(values.items()),))


def _key(name: str, at: int) -> str:
    return name if at == 0 else f"{name}-{at + 1}"


def _title(title: str, document: TotalsDocument, system: SystemTotals) -> str:
    return f"{title}, {plain(system.name)}" if len(document.systems) > 1 else title


def _charts(document: TotalsDocument, system: SystemTotals, ask: Ask, at: int) -> Iterator[Section]:
    from acumen.charts import totals as charts

    if not document.has_truth:
        return

    def chart(key: str, title: str, caption: str, table: Table, draw: Any, *more: Table) -> Section:
        title = _title(title, document, system)
        figure = plot(ask.study, _key(key, at), draw, title, caption, table)
        return Section(_key(key, at), title, (*more, table, *plots(figure)))

    yield chart(
        "scatter",
        "Totals against the truth",
        "A dot is a total; a line the range that open items leave; dashed the cut.",
        _pairs_table(system.rows),
        partial(charts.scatter, system.rows, document.total),
    )
    yield chart(
        "bland-altman",
        "Differences by the mean (Bland and Altman)",
        "Dashed are the bias and the limits of agreement.",
        _differences(system.rows),
        partial(charts.bland_altman, system.rows, system.error),
    )
    for of, part in system.selective.items():
        cells = ((number(p.coverage), number(p.risk), number(p.threshold)) for p in part.curve)
        rows = (
            (Cell(title), measured_cell(part.measures[key], unit))
            for key, (title, unit) in SELECTIVE.items()
        )
        yield chart(
            f"coverage-{of}",
            f"{RISKS[of].capitalize()}, by coverage",
            "The surest cases first; a case without an answer is never accepted.",
            Table("", ("coverage", "risk", "confidence from"), tuple(cells)),
            partial(charts.risk_coverage, part, RISKS[of]),
            Table("", ("measure", "value"), tuple(rows)),
        )


def _tables(document: TotalsDocument, system: SystemTotals, at: int) -> Iterator[Section]:
    cut, bands, part = system.cut, system.bands, system.intervals
    if cut is not None and cut.measures:
        positives = (cut.true_positive, cut.false_negative, cut.open_positive)
        negatives = (cut.false_positive, cut.true_negative, cut.open_negative)
        rows = {"looked for": positives, "not looked for": negatives}
        cells = tuple((Cell(name), *map(number, counts)) for name, counts in rows.items())
        counts = Table("", ("truly", "found", "not found", "open"), cells)
        title = _title("Decisions, however open cases are counted", document, system)
        yield Section(_key("decisions", at), title, (counts, _ways(cut.measures)))
    if bands is not None:
        title = _title("Bands", document, system)
        yield Section(_key("bands", at), title, tuple(_bands(bands)))
    if system.asks:
        asks = tuple(
            (text(a.item), number(a.open_in), number(a.closes), number(a.closes_surely))
            for a in system.asks
        )
        columns = ("item", "open cases it is open in", "closed by the truth", "closed for sure")
        title = _title("Which item to ask a person", document, system)
        yield Section(_key("asks", at), title, (Table("", columns, asks),))
    if part is not None:
        title = _title("Intervals for a case's total", document, system)
        yield Section(_key("intervals", at), title, (_bounds(part),), finding=_promise(part))
    if system.prorating is not None and system.prorating.error is not None:
        yield _prorated(document, system, at)


def _ways(measures: Mapping[str, CutMeasure]) -> Table:
    ways = {
        "decided": "decided cases",
        "open_as_positive": "open as found",
        "open_as_negative": "open as not found",
        "lowest": "lowest",
        "highest": "highest",
    }
    rows = (
        (
            Cell(title),
            *(measured_cell(getattr(measures[name], way), unit_of(name)) for way in ways),
        )
        for name, title in {**RATES, "accuracy": "On the right side"}.items()
    )
    return Table("", ("measure", *ways.values()), tuple(rows))


def _bands(bands: BandPart) -> Iterator[Table]:
    names = [*map(plain, bands.names), "open"]
    if bands.table is None:
        pairs = zip(names, [*bands.cases, bands.open], strict=True)
        yield Table("", ("band", "cases"), tuple((Cell(n), number(c)) for n, c in pairs))
        return
    rows = (
        (Cell(name), *(number(n) for n in row))
        for name, row in zip(names[:-1], bands.table, strict=True)
    )
    yield Table("True bands by those of the totals", ("truly", *names), tuple(rows))
    measures = (
        (Cell("In the right band, of the decided"), measured_cell(bands.right, Unit.SHARE)),
        (Cell("Quadratic kappa, of the decided"), measured_cell(bands.kappa)),
    )
    yield Table("", ("measure", "value"), measures)


def _promise(part: IntervalPart) -> str:
    chance = f"{1 - part.alpha:.3g}"
    return (
        f"An interval holds the true total with chance {chance} or more, over the draw of cases "
        "like these, within each group of open items; not for every case."
    )


def _bounds(part: IntervalPart) -> Table:
    last = part.groups[-1]
    rows = (
        (
            Cell(_numbers(g.fewest_open, None if g is last else g.most_open)),
            number(g.cases),
            number(g.below, ".3g", "too few cases: every total there can be"),
            number(g.above, ".3g", "too few cases: every total there can be"),
            number(g.width, ".2f"),
            measured_cell(g.coverage, Unit.SHARE),
        )
        for g in part.groups
    )
    columns = (
        "open items",
        "cases",
        "points below",
        "points above",
        "width",
        "truths held, held out",
    )
    return Table("", columns, tuple(rows))


def _numbers(fewest: int, most: int | None) -> str:
    if most is None:
        return f"{fewest} or more"
    return str(fewest) if fewest == most else f"{fewest}–{most}"


def _prorated(document: TotalsDocument, system: SystemTotals, at: int) -> Section:
    part = system.prorating
    assert part is not None
    rows = (
        (
            Cell(name),
            *(
                measured_cell(getattr(error, key, None), unit, signed=signed)
                for error in (part.error, part.complete)
            ),
        )
        for key, (name, unit, signed) in ERRORS.items()
    )
    heads = (f"prorated ({part.cases})", f"all items ({system.complete})")
    title = _title("Prorated totals beside complete ones", document, system)
    return Section(_key("prorated", at), title, (Table("", ("measure", *heads), tuple(rows)),))


def _list(
    document: TotalsDocument, system: SystemTotals, ask: Ask, at: int, *, is_new: bool = False
) -> Section:
    """Every case; or, apart, those without truth."""
    rows = system.new if is_new else system.rows
    columns: list[Column] = [
        replace(coded(document.noun, [row.case for row in rows]), key="case"),
        Column("total", values=tuple(row.total for row in rows), key="total"),
        Column("at least", values=tuple(row.low for row in rows), key="low"),
        Column("at most", values=tuple(row.high for row in rows), key="high"),
        coded("open items", [", ".join(row.open_items) or UNDEFINED for row in rows]),
    ]
    if document.total.cut is not None:
        columns.append(coded("side of the cut", [row.decision for row in rows]))
    if document.total.bands:
        columns.append(coded("band", [row.band or UNDEFINED for row in rows]))
    if any(row.truth is not None for row in rows):
        columns.insert(1, Column("true total", values=tuple(r.truth for r in rows), key="truth"))
    if any(row.interval is not None for row in rows):
        columns.append(coded("interval", [_ends(row) for row in rows]))
    if document.confidence is not None:
        sure = tuple(row.confidence for row in rows)
        columns.append(Column("confidence", values=sure, key="confidence"))
    name, section = ("Cases without truth", "new") if is_new else ("Cases", "cases")
    whole = f"Every {document.noun}{' without truth' * is_new}"
    key = f"{ask.study}-{_key(section, at)}-table"
    names, title = (plain(system.name),), _title(name, document, system)
    table = Cases(key, _title(whole, document, system), names, tuple(columns), len(rows))
    return Section(_key(section, at), title, (table,))


def _ends(row: CaseTotal) -> str:
    if row.interval is None:
        return UNDEFINED
    low, high = map(_points, row.interval)
    return bracketed(low.text, high.text)


def _points(value: float | None) -> Cell:
    """Points of a total: whole where it is whole."""
    return Cell(UNDEFINED) if value is None else Cell(f"{round(value, 2):g}", value)


def _pairs_table(rows: Sequence[CaseTotal]) -> Table:
    cells = (
        (text(row.case), *map(_points, (row.truth, row.total, row.low, row.high))) for row in rows
    )
    return Table("", ("case", "true total", "total", "at least", "at most"), tuple(cells))


def _differences(rows: Iterable[CaseTotal]) -> Table:
    cells = (
        (text(row.case), _points((row.total + row.truth) / 2), _points(row.total - row.truth))
        for row in rows
        if row.total is not None and row.truth is not None
    )
    return Table("", ("case", "mean of total and truth", "total − truth"), tuple(cells))
