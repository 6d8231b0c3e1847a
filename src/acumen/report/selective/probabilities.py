"""Probabilities of levels: how good and honest they are, and what a system's own answer costs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Final

from acumen.errors import counted
from acumen.metrics.registry import Unit
from acumen.report.blocks import Cell, Section, Table
from acumen.report.cells import measured_cell, number, plain, title_of, unit_of
from acumen.report.claims import Claim
from acumen.report.plots import plot, plots
from acumen.report.sections import Ask
from acumen.report.selective.outcomes import side_names
from acumen.results.metrics import LevelPart, MetricsArtifact
from acumen.values.measured import Delta, Measured

KEY: Final = "levels"
TITLE: Final = "Are its probabilities honest"
MEASURES: Final = ("rps", "rps_skill", "expected_rps", "level_log_score", "level_brier")


Side = tuple[str, LevelPart, dict[str, Measured]]
"""What an input is called, its part, and its numbers."""


def _sides(artifact: MetricsArtifact) -> list[Side]:
    """The inputs that give probabilities."""
    parts = {part.input: part for part in artifact.levels}
    every = zip(side_names(artifact), artifact.systems, artifact.overall_by_input, strict=False)
    return [(name, parts[system], of) for name, system, of in every if system in parts]


def of_screen(artifact: MetricsArtifact) -> Section:
    """A few numbers of each system that gives probabilities, and nothing where none does."""
    sides = _sides(artifact)
    if not sides:
        return Section(KEY, TITLE)
    several = len(artifact.systems) > 1
    lines = [f"{name}: " * several + " ".join(_lines(part, of)) for name, part, of in sides]
    return Section(KEY, TITLE, (_measures(sides, MEASURES[:3]),), finding=" ".join(lines))


def _lines(part: LevelPart, numbers: dict[str, Measured]) -> Iterator[str]:
    rps, expected = numbers["rps"].value, numbers["expected_rps"].value
    if rps is not None and expected is not None:
        of = f"Of {counted(part.rows, 'row')}: RPS {rps:.3f}, and of themselves they expect"
        yield f"{of} {expected:.3f}; for calibrated probabilities both are equal."
    if part.own is not None:
        yield _of_own(part.own.difference, part.own.differs, part.own.rows)
    if part.own_confidence is not None:
        yield _of_confidence(part.own_confidence)


def _of_own(difference: Delta, differs: int, rows: int) -> str:
    """What the system's own answers cost beside the best levels of the same probabilities."""
    if not differs:
        return "Its own answers are the best levels of its probabilities under this loss."
    where = f"Its own answers differ in {differs} of {counted(rows, 'row')} from the best levels"
    left, right = difference.left, difference.right
    if difference.delta is None or left is None or right is None:
        return f"{where} of its probabilities."
    losses = f"loss {right:.3f} against {left:.3f}, {_difference(difference)}"
    return f"{where} of its probabilities under this loss: {losses}. {_verdict(difference)}"


def _verdict(difference: Delta) -> str:
    match difference.favours:
        case "left":
            return f"{Claim.OWN_COSTS_MORE.say()}."
        case "right":
            return f"{Claim.OWN_COSTS_LESS.say()}."
        case _:
            return "Which costs less is not decided."


def _of_confidence(difference: Delta) -> str:
    """What its own confidence loses beside the expected loss by its probabilities."""
    if difference.delta is None:
        return ""
    ends = f"AUGRC {difference.right:.3f} against {difference.left:.3f}, {_difference(difference)}"
    match difference.favours:
        case "left":
            verdict = f"{Claim.RANK_BY_EXPECTED.say()}."
        case "right":
            verdict = f"{Claim.OWN_RANKS_BETTER.say()}."
        case _:
            verdict = "Which ranks better is not decided."
    return f"Its own confidence beside the expected loss: {ends}. {verdict}"


def _difference(difference: Delta) -> str:
    more = f"{difference.delta:+.3f}"
    if difference.interval is None:
        return more
    low, high = difference.interval.ends
    level = f"{100 * difference.interval.confidence_level:g}%"
    return f"{more} ({level} interval {low:+.3f} to {high:+.3f})"


def _measures(sides: Sequence[Side], keys: Sequence[str]) -> Table:
    heads = [name for name, _, _ in sides] if len(sides) > 1 else ["value"]
    rows = tuple(
        (Cell(title_of(key)), *(measured_cell(of.get(key), unit_of(key)) for _, _, of in sides))
        for key in keys
    )
    return Table("", ("measure", *heads), rows)


def rest(artifact: MetricsArtifact, ask: Ask) -> Iterator[Section]:
    """Every score, and every cut: its error, the same without what noise adds, its chart."""
    from acumen.charts.reliability import cuts  # Altair: a screen pays nothing for it

    sides = _sides(artifact)
    if not sides:
        return
    tables = [_measures(sides, MEASURES)]
    for name, part, _ in sides:
        rows = tuple(
            (
                Cell(plain(f"{cut.level} or above")),
                measured_cell(cut.error, Unit.NUMBER),
                number(cut.without_noise, ".3f"),
            )
            for cut in part.cuts
        )
        whose = f", {plain(name)}" if len(sides) > 1 else ""
        columns = ("the level is", "calibration error (ECE)", "of it, without noise")
        tables.append(Table(f"Every cut{whose}", columns, rows))
    figure = plot(
        ask.study,
        "cuts",
        partial(cuts, artifact),
        "Every cut",
        "The probability to reach a level, in ten bins, against how often it was reached; on the "
        "dashed line it is honest. Larger dots hold more rows.",
        _bins(sides),
    )
    yield Section(KEY, TITLE, (*tables, *plots(figure)))


def _bins(sides: Sequence[Side]) -> Table:
    """What the chart of the cuts draws."""
    rows = [
        (
            Cell(plain(name)),
            Cell(plain(f"{cut.level} or above")),
            number(said),
            number(share.value),
            number(n),
        )
        for name, part, _ in sides
        for cut in part.cuts
        for said, share, n in zip(
            cut.reliability.confidence, cut.reliability.accuracy, cut.reliability.n, strict=True
        )
    ]
    columns = ("input", "the level is", "mean probability", "share that reached it", "rows")
    return Table("Bins of every cut", columns, tuple(rows))
