"""One table of cases for several systems: a row a judgment, what each made of it side by side."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from acumen.report.blocks import UNDEFINED, Cases, Column, Paragraph, Section, Tone
from acumen.report.cells import coded

OF_ALL: Final = ("case", "item", "truth")
"""Keys of what is the same whoever judges: rows of systems that share it are one row."""
FEW_SYSTEMS: Final = 3
"""Up to so many systems the table has room for a confidence and an outcome of each."""


def case_section(key: str, tables: Sequence[Cases]) -> Section:
    """The cases of some systems, and what is in it of their texts."""
    if not tables:
        return Section("cases", "Cases")
    table = joint(key, "Judgments of every system", tables)
    mind = "No text of a case is in this page."
    if table.has_texts:
        mind = "The texts of cases in it were asked for: be careful who gets this page."
    lead = Paragraph(f"One row a judgment. {mind}", Tone.QUIET)
    return Section("cases", "Cases", (lead, table))


def joint(key: str, title: str, tables: Sequence[Cases]) -> Cases:
    """The tables of some systems as one; what a system has no row for is a dash."""
    if len(tables) == 1:
        return tables[0]
    places, rows_of = _places(tables)
    shared = [column for column in tables[0].columns if column.key in OF_ALL]
    columns = [
        replace(
            coded(column.title, [place[at] for place in places]),
            key=column.key,
            parts={k: v for c in _named(column.key, tables) for k, v in c.parts.items()},
        )
        for at, column in enumerate(shared)
    ]
    own = [
        replace(_spread(column, rows, len(places)), system=table.systems[0])
        for table, rows in zip(tables, rows_of, strict=True)
        for column in table.columns
        if column.key not in OF_ALL
    ]
    numbers = [c.key for c in own if c.values and c.key not in ("", "evidence")]
    lists = {"prediction", *(numbers[:1] if len(tables) <= FEW_SYSTEMS else [])}
    listed = [replace(column, is_listed=column.key in lists) for column in own]
    listed.sort(key=lambda column: column.key != "prediction")  # answers stand side by side
    systems = tuple(table.systems[0] for table in tables)
    return Cases(
        key,
        title,
        systems,
        (*columns, *_together(own, systems, len(places)), *listed),
        len(places),
        tables[0].note,
        has_texts=any(table.has_texts for table in tables),
    )


def _named(key: str, tables: Sequence[Cases]) -> list[Column]:
    return [column for table in tables for column in table.columns if column.key == key]


def _places(tables: Sequence[Cases]) -> tuple[list[tuple[str, ...]], list[list[int]]]:
    """Every row there is, and where the rows of each table stand among them."""
    places: dict[tuple[str, ...], int] = {}
    rows_of = []
    for table in tables:
        shared = [column for column in table.columns if column.key in OF_ALL]
        times: Counter[tuple[str, ...]] = Counter()  # draws of one judgment are rows of their own
        rows = []
        for row in range(table.n):
            name = tuple(column.text(row) for column in shared)
            times[name] += 1
            rows.append(places.setdefault((*name, str(times[name])), len(places)))
        rows_of.append(rows)
    return list(places), rows_of


def _spread(column: Column, rows: Sequence[int], n: int) -> Column:
    """A column with its cells where the rows stand in the joint table."""
    if column.values:
        values: list[float | int | None] = [None] * n
        for row, value in zip(rows, column.values, strict=True):
            values[row] = value
        return replace(column, values=tuple(values))
    codes = [len(column.names)] * n
    for row, code in zip(rows, column.codes, strict=True):
        codes[row] = code
    gap = () if len(rows) == n else (UNDEFINED,)
    return replace(column, names=(*column.names, *gap), codes=tuple(codes))


def _together(own: Sequence[Column], systems: Sequence[str], n: int) -> list[Column]:
    """Whether the systems say the same of a row, and who of them is right."""
    predictions, outcomes = (
        [column for column in own if column.key == key] for key in ("prediction", "outcome")
    )

    def who(row: int) -> str:
        right = [column.system for column in outcomes if column.text(row) == "right"]
        if len(right) in (0, len(systems)):
            return "all" if right else "none"
        return right[0] if len(systems) == 2 else f"{len(right)} of {len(systems)}"

    alike = ("they agree", "they disagree")
    answers = [alike[len({c.text(row) for c in predictions}) > 1] for row in range(n)]
    right = coded("who is right", [who(row) for row in range(n)])
    return [replace(coded("answers", answers), is_listed=False), replace(right, key="right")]
