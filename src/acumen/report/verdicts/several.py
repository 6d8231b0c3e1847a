"""What a study of several methods adds: who leads, for whom, and truths to look at again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from acumen.defaults import RELIABLE_CASES
from acumen.errors import counted
from acumen.report.blocks import UNRELIABLE, Block, Cell, Paragraph, Section, Table, Tone
from acumen.report.cells import measured_cell, number, p_cell, plain, text, title_of, unit_of
from acumen.report.plots import plot, plots
from acumen.report.sections import Ask
from acumen.report.selective.compared import better, listed
from acumen.report.selective.leaderboard import FEW_PAIRS, NOT_EQUAL, board_table, pair_table
from acumen.report.words import undone
from acumen.results.metrics import Leaderboard, Pairing, name
from acumen.results.slices import Slice
from acumen.results.verdicts import DoubtfulCase, PairDocument

WHICH: Final = "Which is better"
DOUBTS: Final = "Where is the truth in doubt"
TESTED: Final = "total_accuracy"
"""The metric whose p-value stands in the table of groups."""
MOST_DOUBTS: Final = 20
APART: Final = "Grey is what the tests of all pairs do not show to differ from the first."
COLUMNS: Final = {
    TESTED: "right, of all",
    "ordinal_auprc": "AUPRC",
    "process": "process",
    "consistency": "consistency",
    "right_unsound": "by luck",
}


def leaders(pair: PairDocument) -> Section:
    """The leaderboard of three methods or more, with every pair."""
    board = pair.leaderboard
    if board is None:
        return Section("compared", WHICH)
    blocks: list[Block] = [board_table(board, "method")]
    if 0 < len(pair.pairs) <= FEW_PAIRS:
        blocks.append(pair_table(board, pair.pairs, "method"))
    blocks.append(Paragraph(NOT_EQUAL.replace("Systems", "Methods"), Tone.QUIET))
    return Section("compared", WHICH, tuple(blocks), finding=_leader(board, pair.pairs))


def ranking(pair: PairDocument, ask: Ask) -> Section:
    """What a page adds: a chart of the leaderboard."""
    from acumen.charts.intervals import leaderboard

    if pair.leaderboard is None:
        return Section("compared", WHICH)
    table = board_table(pair.leaderboard, "method")
    caption = "Each dot is a method, each line its own interval. " + APART
    figure = plot(
        ask.study, "leaderboard", partial(leaderboard, pair), table.caption, caption, table
    )
    return Section("compared", WHICH, plots(figure))


def _leader(board: Leaderboard, pairs: Sequence[Pairing]) -> str:
    """Of the first, or the baseline: better than whom, no different from whom."""
    first = next((s for s in board.standings if s.system == board.baseline), board.standings[0])
    who = name(first.system)
    beats, beaten_by, rivals = (
        [*map(name, others)] for others in (first.beats, first.beaten_by, first.not_told_from)
    )
    words = [better(who, beats)] if beats else []
    words += [better(listed(beaten_by), [who])] if beaten_by else []
    words += [f"these cases do not show that {who} differs from {listed(rivals)}"] if rivals else []
    if board.baseline is None:
        wins = sum(len(standing.beats) for standing in board.standings)
        words.append(f"{wins} of {counted(len(pairs), 'pair')} are shown to differ")
    own = (p.fragility for p in pairs if first.system in (p.left, p.right))
    return f"By {title_of(board.metric)} {'; '.join(words)}.{undone(own)}"


def groups(pair: PairDocument) -> Section:
    """A table for each key and method."""
    families: dict[tuple[str, str], list[Slice]] = {}
    for part in pair.slices:
        families.setdefault((" × ".join(part.by), part.input), []).append(part)
    blocks: list[Block] = []
    for (by, method), parts in families.items():
        caption = f"By {plain(by)}, {plain(method)}" if len(families) > 1 else ""
        blocks.append(_group_table(caption, by, parts))
    if any(part.is_small for part in pair.slices):
        few = f"{UNRELIABLE} fewer than {RELIABLE_CASES} cases: nothing is claimed of it"
        blocks.append(Paragraph(few, Tone.QUIET))
    if blocks:
        blocks.append(Paragraph("p: accuracy against the rest, adjusted over groups.", Tone.QUIET))
    return Section("slices", "For whom is it better or worse", tuple(blocks))


def _group_table(caption: str, by: str, parts: list[Slice]) -> Table:
    keys = [key for key in COLUMNS if any(key in part.metrics for part in parts)]
    rows = []
    for part in parts:
        delta = part.difference.get(TESTED)
        numbers = {key: measured_cell(part.metrics.get(key), unit_of(key)) for key in keys}
        # a line has no room for more intervals
        cells = [c if key == TESTED else Cell(c.text, c.value) for key, c in numbers.items()]
        first = Cell(plain(part.group) + UNRELIABLE * part.is_small)
        p = None if delta is None else delta.p_adjusted
        rows.append((first, number(part.cases), *cells, p_cell(p)))
    columns = (plain(by), "cases", *(COLUMNS[key] for key in keys), "p")
    return Table(caption, columns, tuple(rows))


def doubts(pair: PairDocument) -> Section:
    """Cases whose truth several methods agree against, and what people decided."""
    blocks: list[Block] = []
    if pair.doubtful:
        rows = tuple(map(_doubt, pair.doubtful[:MOST_DOUBTS]))
        columns = ("case", "truth", "methods say", "agree", "shared evidence")
        blocks.append(Table("", columns, rows))
        more = len(pair.doubtful) - MOST_DOUBTS
        blocks += [Paragraph(f"… and {more} more in the file.", Tone.QUIET)] if more > 0 else []
        blocks.append(
            Paragraph(
                "Agreement proves nothing: methods may have the same fault. Look at these cases, "
                "and keep what you decide in a file for --overrides, with who, when and why.",
                Tone.QUIET,
            )
        )
    if pair.overrides:
        blocks.append(Table("", ("case", "was", "is", "by", "when", "why"), tuple(_record(pair))))
    return Section("doubts", DOUBTS, tuple(blocks), finding=" ".join(_doubt_words(pair)))


def _doubt(doubt: DoubtfulCase) -> tuple[Cell, ...]:
    claims = [f"{c.review_id} {c.judgement}" for c in doubt.shared]
    agree = f"{len(doubt.methods)} of {doubt.judged_by}"
    evidence = listed(claims, 3) or "none claims anything"
    return (*map(text, (doubt.case, doubt.truth, doubt.verdict)), Cell(agree), text(evidence))


def _record(pair: PairDocument) -> Iterator[tuple[Cell, ...]]:
    for one in pair.overrides[:MOST_DOUBTS]:
        yield tuple(map(text, (one.case, one.before, one.after, one.by, one.when, one.why)))


def _doubt_words(pair: PairDocument) -> Iterator[str]:
    if pair.doubtful:
        cases = counted(len(pair.doubtful), "case")
        yield f"In {cases} methods agree against the truth, with evidence for their verdict."
    yield from decisions(pair)


def decisions(pair: PairDocument) -> Iterator[str]:
    """That truths were decided again, and by whom: every number rests on it."""
    if pair.overrides:
        changes = sum(one.is_change for one in pair.overrides)
        same = len(pair.overrides) - changes
        people = listed([*dict.fromkeys(plain(one.by) for one in pair.overrides)], 4)
        what = f"{counted(changes, 'truth')} changed" + (f", {same} confirmed" if same else "")
        yield f"Decided again by {people}: {what}; all numbers are against that."
