"""What ``acumen map`` says of a file, as sections."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from acumen.errors import counted, printable
from acumen.report.blocks import (
    UNDEFINED,
    Block,
    Cell,
    Detail,
    Head,
    Paragraph,
    Section,
    Table,
    Tone,
)
from acumen.report.sections import Ask, Family, remarks
from acumen.results.survey import ColumnPart, Survey


def _main(survey: Survey, _: Ask) -> Iterator[Section]:
    """The file, its columns, what they would be read as, and what to ask."""
    facts = []
    if survey.levels is not None:
        facts.append(f"levels: {', '.join(printable(str(level)) for level in survey.levels)}")
    counts = {name: n for name, n in survey.outcomes.items() if n}
    if counts:
        facts.append(f"rows: {', '.join(f'{n} {name}' for name, n in counts.items())}")
    lines = (Paragraph("\n".join(facts)),) if facts else ()
    blocks = (*_columns(survey), *lines)
    yield Section("metrics", "What is in it", blocks, Detail.ANSWER, _headline(survey))
    if survey.problems:
        problems = "\n".join(printable(p, limit=600) for p in survey.problems)
        yield Section("problems", "It cannot be read so yet", (Paragraph(problems),))
    questions = survey.measurable.values()
    asked: list[Block] = []
    for command in dict.fromkeys(q.command for q in questions if q.possible):
        about = (q.about for q in questions if q.possible and q.command == command)
        asked += [Paragraph(" ".join(about)), Paragraph(f"{command}", Tone.COMMAND)]
    yield Section("ask", "You can ask", tuple(asked), Detail.ANSWER)
    cannot = tuple((Cell(q.about), Cell(q.lacks or "")) for q in questions if not q.possible)
    table = (Table("", ("Question", "What it takes"), cannot),) if cannot else ()
    yield Section("lacks", "Not yet", table)
    yield remarks((), survey.notes)


def _columns(survey: Survey) -> Iterator[Block]:
    if survey.details:
        columns = [c for c in survey.details if c.role is not None or c.distinct > 1]
        yield Table("", ("Column", "Role", "Why", "Holds"), tuple(map(_column, columns)))
        if same := len(survey.details) - len(columns):
            others = f"and {counted(same, 'column')} empty or the same in all rows"
            yield Paragraph(others, Tone.QUIET)
    elif survey.columns:
        rows = survey.columns.items()
        cells = tuple((Cell(printable(column)), Cell(role)) for role, column in rows)
        yield Table("", ("Column", "Role"), cells)


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


SURVEY: Final = Family(lambda s: Head(printable(s.file), _headline(s)), (_main,))
