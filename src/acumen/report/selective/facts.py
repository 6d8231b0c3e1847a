"""The parts of a metrics artifact's page that are no charts: facts, provenance, cases."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from acumen.charts.tables import RIGHT, WRONG
from acumen.charts.theme import drawn
from acumen.defaults import RESAMPLED_ROWS, RESAMPLES
from acumen.metrics.registry import Unit
from acumen.report.blocks import UNDEFINED, Cases, Column, Fact, Table
from acumen.report.cells import (
    coded,
    difference,
    fact,
    number,
    percent,
    plain,
    settings,
    text,
    unit_of,
)
from acumen.report.selective.compared import rows_of, shared_rows
from acumen.report.selective.outcomes import loss_line
from acumen.results.metrics import MetricsArtifact, Rows, name
from acumen.table.judgments import Outcome

MOST_CELLS: Final = 150_000
"""Rows × functions of the table of cases; beyond it only the best function's confidence is kept."""


NOT_JUDGED: Final = "cannot be judged"
FALSE_ANSWER: Final = "false answer"
SPLIT: Final = "right for"
"""Begins the outcome of an answer that some raters of a panel gave and others did not."""
MOST_LARGE: Final = 4
"""Systems whose numbers are told large."""


def fact_list(artifact: MetricsArtifact) -> Iterator[Fact]:
    """The few numbers told large: of one system, of what two differ by, of the first of several."""
    board, names = artifact.leaderboard, artifact.input_names
    if board is not None and len(names) > 2:
        for standing in board.standings[:MOST_LARGE]:
            ranks = f"rank {'–'.join(map(str, dict.fromkeys(standing.ranks or '?')))}"
            note = f"{ranks}, answers {percent(standing.coverage).text}"
            label = f"{name(standing.system)}: {board.metric}"
            yield fact(label, standing.measured, unit_of(board.metric), note)
        return
    if artifact.is_list:
        for system, numbers in zip(names, artifact.overall_by_input, strict=True):
            if (share := numbers.get("total_accuracy")) is not None:
                yield fact(f"{system}: exactly right", share, Unit.SHARE)
        return
    best = next(iter(artifact.functions), None)
    if artifact.comparison.enabled:
        ranked = [] if best is None else rows_of(artifact, best)[:1]
        for row in (*ranked, *shared_rows(artifact)):
            yield difference(row.title, row.delta, names, row.unit)
        return
    people = artifact.population
    yield Fact(f"{people.case_noun}s", number(people.participants_included))
    numbers = artifact.overall_by_input[0] if artifact.overall_by_input else {}
    labels = {"coverage": "answered: coverage", "total_accuracy": "exactly right, of all rows"}
    for key in filter(numbers.__contains__, labels):
        yield fact(labels[key], numbers[key], Unit.SHARE)
    area = None if best is None else artifact.sides[best][0].metrics.get("augrc")
    if area is not None:
        yield fact("AUGRC", area, Unit.LOSS, f"ranked by {name(str(best))}; lower is better")


UNDRAWN: Final = (
    f"no resample was drawn of more than {RESAMPLED_ROWS:,} rows: the intervals shown need none; "
    f"--bootstrap-resamples {RESAMPLES} draws them"
)


def provenance(artifact: MetricsArtifact, command: str | None) -> list[Table]:
    """Inputs with their hashes, settings, and the cases that failed."""
    inputs = tuple(
        (text(i.run_id), text(i.mode), text(i.path), text(i.git_commit), text(i.sha256))
        for i in artifact.inputs
    )
    elsewhere = ("command", "scale")
    scale = artifact.scale
    undrawn = any(v.bootstrap.left_out for sides in artifact.sides.values() for v in sides)
    values: list[tuple[str, Any]] = [
        ("command", command or artifact.command),
        ("acumen", artifact.acumen_version or None),
        ("made at", artifact.created_at),
        ("loss", loss_line(artifact.loss)),
        ("effective cases", artifact.population.effective_cases),
        ("largest case's share", artifact.population.largest_case_share),
        *([("scale", f"{scale.get('name')}: {scale.get('levels')}")] if scale else ()),
        *((k.replace("_", " "), v) for k, v in artifact.options.items() if k not in elsewhere),
        *((f"left out: {name(k)}", v) for k, v in artifact.left_out.items()),
        *([("left out: percentile intervals", UNDRAWN)] if undrawn else ()),
    ]
    failed = tuple((text(f.case), text(f.reason)) for f in artifact.population.failed[:200])
    tables = [
        Table("Inputs", ("run", "mode", "file", "commit", "SHA-256"), inputs),
        settings(values, "Settings"),
    ]
    if failed:
        tables.append(Table("Failed cases", (artifact.population.case_noun, "reason"), failed))
    return tables


def cases(
    artifact: MetricsArtifact, rows: Rows, side: str, key: str, *, texts: bool = False
) -> Cases:
    """The judgments of one input, with the evidence and the confidence each function gave them.

    The evidence is a count, and what it says where ``texts`` are asked for and kept.
    """
    levels = [name(level) for level in artifact.scale.get("levels", [])]
    panels: dict[str, tuple[str, ...]] = {}

    def level(rank: int | list[int] | None) -> str:
        if rank is None:
            return UNDEFINED
        if isinstance(rank, list):
            raters = tuple(map(level, rank))
            panels[plain(", ".join(raters))] = raters
            return ", ".join(raters)
        return levels[rank] if 0 <= rank < len(levels) else str(rank)

    functions, n = [f for f in artifact.functions if f in rows.confidence], len(rows.case)
    note = ""
    if len(functions) * len(rows.case) * len(artifact.rows) > MOST_CELLS:
        note = f"Of {len(functions)} confidence functions the first is shown, for size."
        functions = functions[:1]
    outcome = coded("outcome", [_outcome(rows, at) for at in range(len(rows.case))])
    split = {text: (RIGHT, WRONG, text) for text in outcome.names if text.startswith(SPLIT)}
    columns = [
        replace(coded(artifact.population.case_noun, rows.case), key="case"),
        coded("item", rows.item),
        replace(coded("truth", [_truth(level, rows, at) for at in range(n)]), parts=panels),
        coded("prediction", [level(p) for p in rows.prediction]),
        replace(outcome, parts=split),
    ]
    if rows.evidence:
        columns.append(Column("evidence", values=tuple(rows.evidence), key="evidence"))
    columns += [
        Column(name(f), values=tuple(map(drawn, rows.confidence[f])), key=f"function {name(f)}")
        for f in functions
    ]
    if rows.distribution:
        chances = [_chances(levels, p) for p in rows.distribution]
        columns.append(replace(coded("probability of each level", chances), is_listed=False))
    quoted = texts and bool(rows.evidence_texts)
    if quoted:
        columns.append(coded("what the evidence says", list(map(_quotes, rows.evidence_texts))))
    return Cases(key, f"Judgments of {side}", (side,), tuple(columns), n, note, has_texts=quoted)


def _truth(level: Callable[..., str], rows: Rows, at: int) -> str:
    return NOT_JUDGED if _cannot(rows, at) else level(rows.truth[at])


def _cannot(rows: Rows, at: int) -> bool:
    """Whether the truth says that a row cannot be judged; of several raters, that all do."""
    return bool(rows.unanswerable) and rows.unanswerable[at] and rows.truth[at] is None


def _chances(levels: Sequence[str], chances: Sequence[float] | None) -> str:
    """The probability of every level, lowest first."""
    if chances is None:
        return UNDEFINED
    return " · ".join(f"{k}: {p:.1%}" for k, p in zip(levels, chances, strict=True))


def _quotes(texts: Sequence[str]) -> str:
    return " / ".join(f"“{text}”" for text in texts) if texts else UNDEFINED


def _outcome(rows: Rows, at: int) -> str:
    if rows.outcome[at] != Outcome.ANSWERED.name.lower():
        return rows.outcome[at]
    truth = rows.truth[at]
    if _cannot(rows, at):
        return FALSE_ANSWER
    panel: list[int | None] = [*truth] if isinstance(truth, list) else [truth]
    right = panel.count(rows.prediction[at])
    if 0 < right < len(panel):
        return f"{SPLIT} {right} of {len(panel)}"
    return RIGHT if right else WRONG
