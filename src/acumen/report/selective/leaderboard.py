"""Several systems side by side: the leaderboard, the pairs behind it, and what is claimed of them.

Table, sentence and chart say what the adjusted tests of the pairs say, and nothing else does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from acumen.defaults import RANK_BY
from acumen.errors import counted
from acumen.report.blocks import Block, Cell, Folded, Paragraph, Section, Table, Tone
from acumen.report.cells import (
    measured_cell,
    number,
    p_cell,
    percent,
    said,
    text,
    title_of,
    unit_of,
)
from acumen.report.plots import drawing, plots
from acumen.report.sections import Ask
from acumen.report.selective.compared import better, listed, too_few
from acumen.report.selective.outcomes import is_small, judged, loss_words
from acumen.report.words import undone
from acumen.results.metrics import Leaderboard, MetricsArtifact, Pairing, Standing, name
from acumen.values.measured import Description

LONGEST_NAME: Final = 32
"""Of a system in a table of one line each."""
FEW_PAIRS: Final = 10
"""Up to so many pairs a terminal lists them."""
NOT_EQUAL: Final = (
    "Systems that are not shown to differ need not be equal, and one may be shown to differ from "
    "a third though the other is not."
)

APART: Final = (
    "No difference is claimed: the systems were evaluated separately. acumen evaluate with "
    "all of them as inputs tests them on the same rows."
)


def ranked_by(board: Leaderboard) -> str:
    """What systems are ordered by."""
    if board.metric != RANK_BY:
        return title_of(board.metric)
    return f"risk at equal coverage ({board.coverage or 0.0:.1%})"


def leaderboard(document: MetricsArtifact) -> Table | None:
    """The systems, best first, with their intervals and rank intervals."""
    board, _ = document.ranked
    return None if board is None else board_table(board, risk=loss_words(document))


def board_table(board: Leaderboard, noun: str = "system", risk: str = "risk") -> Table:
    """A leaderboard, whatever its systems are."""
    others = "against" if board.baseline else "rank"
    metric = risk if board.is_of_loss else ranked_by(board)
    floor = ("noise floor",) if board.standings[0].noise_floor else ()
    columns = (others, noun, metric, *floor, "answers", "better than", "no difference shown")
    rows = tuple(_row(board, standing) for standing in board.standings)
    caption = f"{noun.capitalize()}s by {ranked_by(board)}, {board.better} is better"
    return Table(caption, columns, rows)


def _row(board: Leaderboard, standing: Standing) -> tuple[Cell, ...]:
    unit = unit_of(board.metric)
    open_to = [] if board.baseline == standing.system else standing.not_told_from
    return (
        text(_place(board, standing)),
        text(name(standing.system)),
        measured_cell(standing.measured, unit),
        *([measured_cell(standing.noise_floor)] if board.standings[0].noise_floor else []),
        percent(standing.coverage),
        text(listed([*map(name, standing.beats)], 3) or None),
        text(listed([*map(name, open_to)], 3) or None),
    )


def short_board(artifact: MetricsArtifact, board: Leaderboard) -> Table:
    """A leaderboard of one line a system: who is shown to differ from whom is in the long one."""
    right = {
        system: numbers["total_accuracy"].value
        for system, numbers in zip(artifact.input_names, artifact.overall_by_input, strict=True)
        if "total_accuracy" in numbers
    }
    metric = loss_words(artifact) if board.is_of_loss else title_of(board.metric)
    rows = tuple(
        (
            text(_place(board, standing)),
            Cell(_shortened(name(standing.system))),
            measured_cell(standing.measured, unit_of(board.metric)),
            percent(standing.coverage),
            percent(right.get(standing.system)),
        )
        for standing in board.standings
    )
    place = "against" if board.baseline else "rank"
    return Table("", (place, "system", metric, "answers", "exactly right"), rows)


def _shortened(system: str) -> str:
    """A name that a line has room for: its beginning and its end, which mostly tells it."""
    if len(system) <= LONGEST_NAME:
        return system
    half = LONGEST_NAME // 2
    return f"{system[:half]}…{system[half + 1 - LONGEST_NAME :]}"


def _place(board: Leaderboard, standing: Standing) -> str | None:
    if standing.ranks is not None:
        low, high = standing.ranks
        return str(low) if low == high else f"{low}–{high}"
    if standing.system == board.baseline:
        return "baseline"
    return "better" if standing.beats else "worse" if standing.beaten_by else "open"


def pairs(document: MetricsArtifact) -> Table | None:
    """Every pair that was compared, the adjusted p-value deciding."""
    board, compared = document.ranked
    return None if board is None or not compared else pair_table(board, compared)


def pair_table(board: Leaderboard, compared: Sequence[Pairing], noun: str = "system") -> Table:
    """Pairs of a leaderboard, whatever its systems are."""
    rows = []
    for pair in compared:
        d = pair.difference
        rows.append(
            (
                *(text(name(pair.right)), text(name(pair.left))),
                measured_cell(d, unit_of(board.metric), signed=True),
                *(p_cell(d.p_value), p_cell(d.p_adjusted)),
                text(None if pair.winner is None else name(pair.winner)),
                number(pair.cases),
            )
        )
    columns = (noun, "minus", "difference", "p", "p all", "better", "cases")
    return Table(f"Pairs by {ranked_by(board)}", columns, tuple(rows))


def verdict(document: MetricsArtifact) -> str:
    """Who is better than whom, or that these cases cannot show it."""
    board, people = document.leaderboard, document.population
    if board is None:
        return APART if people.has_truth else "Nothing can be compared: there is no truth."
    if is_small(people):
        return too_few(people)
    if board.description is Description.COVERAGE_DIFFERS:
        return (
            f"By {ranked_by(board)} nothing is claimed: the systems do not answer equally much, "
            "and it rewards abstaining. --rank-by risk compares them at equal coverage."
        )
    if board.coverage == 0.0:
        return "Nothing can be compared: a system answers nothing."
    first = board.baseline or board.standings[0].system
    own = (p.fragility for p in document.comparison.pairs if first in (p.left, p.right))
    return f"By {ranked_by(board)} {'; '.join(_claims(document, board))}.{undone(own)}"


def margin(document: MetricsArtifact) -> str:
    """By how much the first, or the baseline, differs from the best of the others."""
    board = document.leaderboard
    if board is None or board.description is not None:
        return ""
    first = board.baseline or board.standings[0].system
    rival = next(s.system for s in board.standings if s.system != first)
    for pair in document.ranked[1]:
        if {pair.left, pair.right} == {first, rival} and pair.difference.interval is not None:
            names = f"{name(pair.right)} − {name(pair.left)}"
            difference = said(pair.difference, unit_of(board.metric), signed=True)
            return f"{names}: {difference}, the interval for all pairs at once."
    return ""


def _claims(document: MetricsArtifact, board: Leaderboard) -> Iterator[str]:
    """Of the first, or the baseline: better than whom, no different from whom; then of the rest."""
    people = judged(document.population)
    first = board.standings[0]
    if board.baseline is not None:
        first = next(s for s in board.standings if s.system == board.baseline)
    who = name(first.system)
    beats, beaten_by, rivals = (
        [*map(name, others)] for others in (first.beats, first.beaten_by, first.not_told_from)
    )
    if beats:
        yield better(who, beats)
    if beaten_by:
        yield better("each of " * (len(beaten_by) > 1) + listed(beaten_by), [who])
    if rivals:
        yield f"{people} do not show that {who} differs from {listed(rivals)}"
    if board.baseline is None and len(board.standings) > 2:
        wins = sum(pair.winner is not None for pair in document.comparison.pairs)
        yield f"{wins} of {counted(len(document.comparison.pairs), 'pair')} are shown to differ"


def blocks(document: MetricsArtifact) -> Iterator[Block]:
    """What a terminal shows of several systems."""
    board, table = leaderboard(document), pairs(document)
    if board is not None:
        yield board
    if table is not None and len(table.rows) <= FEW_PAIRS:
        yield table
    if document.leaderboard is not None:
        held = "Ranks, p all and the intervals of pairs hold together; p is of a pair alone."
        yield Paragraph(f"{held} {NOT_EQUAL}", Tone.QUIET)


def section(document: MetricsArtifact, ask: Ask) -> Section:
    """What a page adds: by how much the first leads, a chart of the systems, one of the pairs."""
    board, table = leaderboard(document), pairs(document)
    if board is None or table is None:
        return Section("compared", "Which is better")
    draw = drawing(ask, document)
    figures = (
        draw(
            "leaderboard",
            board.caption,
            f"Each dot is a system, each line its own interval. {NOT_EQUAL} Grey is what the "
            "tests of all pairs do not show to differ from it; systems whose intervals overlap may "
            "still differ.",
            board,
        ),
        draw(
            "deltas",
            table.caption,
            "All intervals hold together. Grey: no difference is shown.",
            table,
        ),
    )
    words = (Paragraph(lead),) if (lead := margin(document)) else ()
    blocks = (*words, *(plots(*figures) or (Folded(table),)))
    return Section("compared", "Which is better", blocks)
