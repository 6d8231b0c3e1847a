"""Abstention from both sides: a line on the screen, a section on the page, tables in full."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from acumen.metrics.registry import Unit
from acumen.report.blocks import UNRELIABLE, Cell, Section, Table
from acumen.report.cells import measured_cell, number, plain, title_of, unit_of
from acumen.report.selective.outcomes import side_names
from acumen.results.metrics import AbstentionPart, MetricsArtifact
from acumen.results.slices import Slice
from acumen.values.measured import Measured

KEY: Final = "abstention"
TITLE: Final = "Does it abstain where it should"
MEASURES: Final = (
    *("abstention_recall", "abstention_precision", "abstention_f1"),
    *("false_answers", "false_abstentions"),
)

OF_GROUPS: Final = ("false_answers", "false_abstentions", "abstention_precision")


def of_screen(artifact: MetricsArtifact) -> Section:
    """One line of each system, and nothing where no words say what cannot be judged."""
    parts = artifact.abstention
    if not parts:
        return Section(KEY, TITLE)
    names = [f"{name}: " if len(parts) > 1 else "" for name in side_names(artifact)]
    numbers = artifact.overall_by_input
    lines = [
        whose + _line(part, of) for whose, part, of in zip(names, parts, numbers, strict=False)
    ]
    if any(part.right_abstentions + part.false_answers for part in parts):
        lines.append("An answer there costs as much as any can, in every loss and area.")
    return Section(KEY, TITLE, finding=" ".join(lines))


def _line(part: AbstentionPart, numbers: dict[str, Measured]) -> str:
    open_rows = part.right_abstentions + part.false_answers
    known = part.answered + part.false_abstentions
    if not known + open_rows:
        return "No row has a usable reply: whether it abstains where it should is not known."
    if not open_rows:
        return f"Of none of {_count(known)} rows the truth says that it cannot be judged."
    recall, false = (
        measured_cell(numbers.get(key), Unit.SHARE)
        for key in ("abstention_recall", "false_abstentions")
    )
    of_open = f"{_count(part.right_abstentions)} of {_count(open_rows)} rows"
    of_known = f"{_count(part.false_abstentions)} of {_count(known)}"
    return (
        f"It left open {of_open} that cannot be judged{_share(recall)}, and {of_known} that can"
        f"{_share(false)}."
    )


def _count(rows: float) -> str:
    """So many rows; of several raters parts of one."""
    return f"{round(rows, 1):,g}"


def _share(cell: Cell) -> str:
    return f" ({cell.text} {cell.interval})" if cell.interval else f" ({cell.text})"


def rest(artifact: MetricsArtifact) -> Iterator[Section]:
    """The tables: what was right by what was done, every measure, by level, and the cost."""
    parts = artifact.abstention
    if not parts:
        return
    names = side_names(artifact)
    several = len(parts) > 1
    tables = [
        _counts(part, f"Rows, {name}" if several else "Rows")
        for name, part in zip(names, parts, strict=False)
    ]
    heads = names if several else ["value"]
    of_each = artifact.overall_by_input
    rows = tuple(
        (Cell(title_of(key)), *(measured_cell(n.get(key), unit_of(key)) for n in of_each))
        for key in MEASURES
    )
    tables += [Table("", ("measure", *heads), rows), _by_level(parts, heads)]
    tables += [_cost(artifact, parts, heads), *_groups(artifact)]
    yield Section(KEY, TITLE, tuple(tables))


def _counts(part: AbstentionPart, title: str) -> Table:
    rows = {
        "can be judged": (part.answered, part.false_abstentions),
        "cannot be judged": (part.false_answers, part.right_abstentions),
    }
    cells = (
        (Cell(name), *(number(n, ",g") for n in both), number(sum(both), ",g"))
        for name, both in rows.items()
    )
    return Table(title, ("the row", "answered", "left open", "rows"), tuple(cells))


def _by_level(parts: Sequence[AbstentionPart], heads: Sequence[str]) -> Table:
    levels = dict.fromkeys(level.level for part in parts for level in part.by_level)
    of = [{level.level: level for level in part.by_level} for part in parts]
    rows = tuple(
        (
            Cell(plain(level)),
            *(
                measured_cell(side[level].left_open if level in side else None, Unit.SHARE)
                for side in of
            ),
        )
        for level in levels
    )
    return Table("Rows that can be judged, left open, by true level", ("truth", *heads), rows)


def _groups(artifact: MetricsArtifact) -> Iterator[Table]:
    """The same of every group that was asked for: for whom it is left open, or made up."""
    families: dict[tuple[str, str], list[Slice]] = {}
    for part in artifact.slices:
        if "false_answers" in part.metrics:
            families.setdefault((" × ".join(part.by), part.input), []).append(part)
    for (by, system), groups in families.items():
        rows = tuple(
            (
                Cell(plain(part.group) + UNRELIABLE * part.is_small),
                number(part.cases),
                *(measured_cell(part.metrics.get(key), Unit.SHARE) for key in OF_GROUPS),
            )
            for part in groups
        )
        who = f", {plain(system)}" if len(artifact.inputs) > 1 else ""
        columns = (plain(by), "cases", *(title_of(key).lower() for key in OF_GROUPS))
        yield Table(f"By {plain(by)}{who}", columns, rows)


def _cost(
    artifact: MetricsArtifact, parts: Sequence[AbstentionPart], heads: Sequence[str]
) -> Table:
    """What false answers do to the risk and the areas: with them, and of the other rows alone."""
    rows = [
        (Cell(f"Mean loss, {which}"), *(measured_cell(getattr(part, key)) for part in parts))
        for which, key in (("false answers in it", "risk"), ("without them", "risk_without"))
    ]
    for function in parts[0].augrc:
        for at, which in enumerate(("false answers in it", "without them")):
            cells = (
                measured_cell(part.augrc[function][at] if function in part.augrc else None)
                for part in parts
            )
            rows.append((Cell(f"AUGRC by {plain(function)}, {which}"), *cells))
    return Table("What false answers cost", ("", *heads), tuple(rows))
