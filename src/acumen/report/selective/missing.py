"""What missing rows leave open: a line on the screen, a section on the page, tables in full."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from acumen.errors import counted
from acumen.metrics.registry import Unit
from acumen.report.blocks import Cell, Paragraph, Section, Table, Tone
from acumen.report.cells import amount, interval_cell, is_signed, plain, title_of, unit_of, written
from acumen.report.claims import Claim
from acumen.report.selective.outcomes import side_names
from acumen.results.metrics import MetricsArtifact
from acumen.results.missing import Bounded, MissingPart, MissingRows

KEY: Final = "missing"
TITLE: Final = "What the missing rows leave open"
MOST_LINES: Final = 3
"""Systems that have a line each; of more, their counts."""
FIRST: Final = "total_accuracy"
"""The number of a system that the line tells."""
TITLES: Final = {"coverage": "Coverage", "mean_loss_at_coverage": "Mean loss at equal coverage"}
ABOUT: Final = (
    "A missing row might have been an answer at any level, as sure as any, or none. Lowest and "
    "highest are over all that the missing rows might have been; the interval holds the number of "
    "all rows whatever they are."
)
OF_TWO: Final = (
    "Without them, rows that are missing on either side are left out of both: such a number may "
    "lie outside of its bounds, which are of all rows."
)
TIPPING: Final = (
    "A claim is that the interval leaves 0 out, for an AUROC 0.5. How many rows it takes is "
    "counted with those that matter most first and the others at their best."
)


def of_screen(artifact: MetricsArtifact) -> Section:
    """How much is missing, and what that leaves open of the numbers that are read first."""
    part = artifact.missing
    if part is None:
        return Section(KEY, TITLE)
    names = side_names(artifact)
    if not part.is_any:
        return Section(KEY, TITLE, finding="No row is missing.")
    if len(names) > MOST_LINES:
        counts = zip(names, part.inputs, strict=False)
        rows = ", ".join(f"{name} {m.rows:,} of {m.of:,}" for name, m in counts)
        return Section(KEY, TITLE, finding=f"Missing rows: {rows}.{_wrong(part)}")
    heads = [f"{name}: " if len(names) > 1 else "" for name in names]
    lines = [head + _line(m, part) for head, m in zip(heads, part.inputs, strict=False)]
    lines += [_claim(part.differences[0], part, names)] if part.differences else []
    return Section(KEY, TITLE, finding=" ".join(lines))


def _line(missing: MissingRows, part: MissingPart) -> str:
    unknown = missing.unknown_cases
    beside = f" {counted(unknown, 'case')} more failed before a truth was read." * bool(unknown)
    if not missing.rows:
        return f"No row is missing.{beside}"
    kinds = {k: getattr(missing, k) for k in ("failed", "unparseable", "unscored")}
    which = ", ".join(f"{n:,} {kind}" for kind, n in kinds.items() if n)
    line = f"{missing.rows:,} of {counted(missing.of, 'row')} came to nothing usable ({which})."
    first = next((b for b in missing.bounds if b.metric == FIRST), None)
    if first is not None and first.low is not None and first.high is not None:
        low, high = (written(end, Unit.SHARE) for end in (first.low, first.high))
        ends = (
            interval_cell(first, Unit.SHARE).text
            if first.interval and first.value is not None
            else ""
        )
        line += f" Whatever they are, {low} to {high} of all rows are exactly right"
        line += f" {ends}." if ends else "."
    return line + _wrong(part) + beside


def _wrong(part: MissingPart) -> str:
    wrong = " They count as wrong answers, less sure than all others."
    return wrong if part.treated_as == "wrong" else ""


def _claim(bounded: Bounded, part: MissingPart, names: list[str]) -> str:
    """Whether the difference in risk at equal coverage needs the missing rows to be harmless."""
    if bounded.low is None or bounded.high is None:
        return ""
    left, right = names
    unit = unit_of(bounded.metric)
    low, high = (written(end, unit, signed=True) for end in (bounded.low, bounded.high))
    text = f"At equal coverage ({written(part.coverage or 0.0, Unit.SHARE)}) the mean loss of "
    text += f"{right} minus that of {left} is {low} to {high}"
    if bounded.claim is None:
        return f"{text}."
    lower = right if (bounded.value or 0.0) < 0 else left
    if bounded.stands:
        return f"{text}; that {Claim.WHATEVER_MISSING.say(side=lower)}."
    return f"{text}; that it is lower for {lower} {_stands(bounded, part)}."


def _stands(bounded: Bounded, part: MissingPart) -> str:
    """How long a claim stands, in words."""
    if not bounded.tried:
        return "does not stand whatever they are"
    if not bounded.tipping:
        return "rests on leaving them out"
    return f"stands unless {_tipping(bounded, part)} missing rows speak against it"


def _tipping(bounded: Bounded, part: MissingPart) -> str:
    return f"{bounded.tipping or 0:,} of the {sum(m.rows for m in part.inputs):,}"


def _claim_cell(bounded: Bounded, part: MissingPart) -> Cell:
    """The same in a table."""
    if bounded.claim is None:
        return Cell("")
    if bounded.stands or not bounded.tried:
        return Cell("always" if bounded.stands else "not always")
    return Cell(f"unless {_tipping(bounded, part)}" if bounded.tipping else "without them only")


def rest(artifact: MetricsArtifact) -> Iterator[Section]:
    """Every bound: of each system, and of the differences of two."""
    part = artifact.missing
    if part is None or part.treated_as != "bound" or not any(m.bounds for m in part.inputs):
        return
    names = side_names(artifact)
    alone = len(names) == 1
    tables = [
        _table(
            "" if alone else f"Bounds, {plain(name)}",
            m.bounds,
            MissingPart(treated_as="bound", inputs=[m]),
        )
        for name, m in zip(names, part.inputs, strict=False)
        if m.rows
    ]
    if part.differences:
        tables.append(
            _table(f"Bounds, {names[1]} − {names[0]}", part.differences, part, signed=True)
        )
    about = (ABOUT, OF_TWO, TIPPING) if part.differences else (ABOUT, TIPPING)
    words = [Paragraph(text, Tone.QUIET) for text in about]
    yield Section(KEY, TITLE, (*tables, *words))


def _table(
    caption: str, bounds: list[Bounded], part: MissingPart, *, signed: bool = False
) -> Table:
    rows = []
    for bounded in bounds:
        unit, sign = unit_of(bounded.metric), signed or is_signed(bounded.metric)
        numbers = (bounded.value, bounded.low, bounded.high)
        cells = [amount(n, unit, signed=sign, reason=bounded.why) for n in numbers]
        ends = interval_cell(bounded, unit, signed=sign)
        claim = _claim_cell(bounded, part)
        by = "" if bounded.function is None or signed else f", by {plain(bounded.function)}"
        title = TITLES.get(bounded.metric.partition("@")[0]) or title_of(bounded.metric)
        rows.append((Cell(title + by), *cells, ends, claim))
    columns = ("", "without them", "lowest", "highest", "interval", "claim stands")
    return Table(caption, columns, tuple(rows))
