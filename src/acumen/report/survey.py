"""What ``acumen map`` prints, as blocks."""

from __future__ import annotations

from collections.abc import Iterator

from acumen.errors import counted, printable
from acumen.report.blocks import UNDEFINED, Block, Cell, Paragraph, Table, Tone, Warnings
from acumen.results.survey import ColumnPart, Survey


def blocks(survey: Survey) -> Iterator[Block]:
    """The file, its columns, what they would be read as, and what to ask."""
    yield Paragraph(_headline(survey), Tone.STRONG)
    if survey.details:
        columns = [c for c in survey.details if c.role is not None or c.distinct > 1]
        yield Table("", ("Column", "Role", "Why", "Holds"), tuple(map(_column, columns)))
        if same := len(survey.details) - len(columns):
            yield Paragraph(
                f"and {counted(same, 'column')} empty or the same in all rows", Tone.QUIET
            )
    elif survey.columns:
        rows = survey.columns.items()
        cells = tuple((Cell(printable(column)), Cell(role)) for role, column in rows)
        yield Table("", ("Column", "Role"), cells)
    facts = []
    if survey.levels is not None:
        facts.append(f"levels: {', '.join(printable(str(level)) for level in survey.levels)}")
    counts = {name: n for name, n in survey.outcomes.items() if n}
    if counts:
        facts.append(f"rows: {', '.join(f'{n} {name}' for name, n in counts.items())}")
    if facts:
        yield Paragraph("\n".join(facts))
    questions = survey.measurable.values()
    if survey.problems:
        yield Paragraph(
            "It cannot be read so yet:\n"
            + "\n".join(printable(p, limit=600) for p in survey.problems)
        )
    commands = dict.fromkeys(q.command for q in questions if q.possible)
    for command in commands:
        about = (q.about for q in questions if q.possible and q.command == command)
        yield Paragraph("\n".join(["You can ask:", *(f"  {text}" for text in about)]))
        yield Paragraph(f"{command}", Tone.STRONG)
    cannot = tuple((Cell(q.about), Cell(q.lacks or "")) for q in questions if not q.possible)
    if cannot:
        yield Table("", ("Not yet", "What it takes"), cannot)
    if survey.notes:
        yield Warnings(tuple(survey.notes))


def _headline(survey: Survey) -> str:
    counts = {"row": survey.rows, "case": survey.cases, "item": survey.items}
    parts = [counted(n, what) for what, n in counts.items() if n and (n > 1 or what != "item")]
    return f"{printable(survey.file)}: {survey.format}, {', '.join(parts)}"


def _short(value: object) -> str:
    return f"{value:g}" if isinstance(value, int | float) else printable(str(value), limit=30)


def _column(column: ColumnPart) -> tuple[Cell, ...]:
    values = ", ".join(_short(value) for value in column.values)
    holds = values or f"{column.distinct} different {column.kind}"
    if column.missing:
        holds += f"; none in {column.missing}"
    role = Cell(column.role or UNDEFINED)
    return Cell(printable(column.path)), role, Cell(column.reason), Cell(holds)
