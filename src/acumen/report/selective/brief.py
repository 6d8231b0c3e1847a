"""An evaluation on one screen: the answer, the numbers behind it, and what they are of.

What is cut short here stands in full, in the same order, in :mod:`acumen.report.selective.screen`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from acumen.errors import counted, printable
from acumen.report.blocks import Block, Cell, Detail, Paragraph, Section, Table, Tone
from acumen.report.cells import metric_cell, percent, plain, spelled, title_of
from acumen.report.selective import abstention, missing, probabilities
from acumen.report.selective.compared import comparison_table, listed, verdict
from acumen.report.selective.leaderboard import short_board
from acumen.report.selective.leaderboard import verdict as among_several
from acumen.report.selective.outcomes import (
    WEIGHTED,
    loss_line,
    not_probability,
    nothing_ranked,
    people_line,
    population,
    side_names,
)
from acumen.report.selective.screen import cut_table, function_table
from acumen.report.selective.slices import for_whom, in_short
from acumen.report.selective.words import conclusion, honesty, knows
from acumen.results.metrics import MetricsArtifact, name

NUMBERS: Final = (
    *("total_accuracy", "accuracy", "coverage", "mae", "noise_floor_mae", "signed_error"),
    *("quadratic_kappa", "replacement_alpha", "raters_alpha"),
)
"""Whatever the confidence."""
RANKED: Final = ("failure_auroc", "augrc", "ece", "overconfidence")
"""By the confidence that is looked at; AUGRC of one system alone."""
MOST_CUTS: Final = 3
MORE: Final = "More: --full prints all of it, --html FILE makes a page with charts."
_UNUSUAL: Final = {
    ("items", "random"): "intervals for new items too",
    ("estimand", "case"): "every case counts alike",
    ("weighted", True): WEIGHTED,
}
"""Settings that change what an interval speaks of, or what counts, in words."""
FEWER: Final = 5
"""Numbers beside groups, which are what was asked for."""
MOST_SIDES: Final = 2
SHORT_SIDE: Final = 9
"""With longer names the comparison would not fit into 80 columns."""


def brief(artifact: MetricsArtifact) -> list[Section]:
    """The sections of one screen."""
    parts = [_answer(artifact)]
    if artifact.missing is not None and artifact.missing.is_any:
        parts.append(replace(missing.of_screen(artifact), title=""))
    if len(artifact.inputs) <= MOST_SIDES:
        parts += [_numbers(artifact), replace(abstention.of_screen(artifact), title="")]
        parts += [replace(probabilities.of_screen(artifact), title=""), _cuts(artifact)]
    parts += [_functions(artifact), *_groups(artifact)]
    sections = [section for section in parts if section.blocks or section.finding]
    return [*sections, Section("judged", "", (Paragraph(_origin(artifact)),))]


def _origin(artifact: MetricsArtifact) -> str:
    """What the numbers are of, in three lines, and where the rest is."""
    sides, entries = side_names(artifact), artifact.inputs
    paths = dict.fromkeys(printable(entry.path or "rows", limit=200) for entry in entries)
    modes = [entry.mode for entry in entries if entry.mode and len(sides) == 1]
    where = listed([*paths], 2) + "".join(f", mode {printable(mode)}" for mode in modes)
    loss = f"loss {loss_line(artifact.loss)}"
    unusual = [words for (k, value), words in _UNUSUAL.items() if artifact.options.get(k) == value]
    kind = " · ".join(unusual)
    who = population(artifact) if len(sides) <= MOST_SIDES else people_line(artifact)
    return "\n".join([who, " · ".join(filter(None, [where, loss, kind])), MORE])


def _answer(artifact: MetricsArtifact) -> Section:
    """The answer in a few sentences; of two what is compared, of several who leads."""
    board, _ = artifact.ranked
    if artifact.is_list:
        table = () if board is None else (short_board(artifact, board),)
        return Section("compared", "", table, Detail.ANSWER, among_several(artifact))
    if len(artifact.inputs) == MOST_SIDES:
        compared = comparison_table(artifact, side_names(artifact, SHORT_SIDE))
        blocks = () if compared is None else (compared,)
        words = verdict(artifact, side_names(artifact))
        return Section("compared", "", blocks, Detail.ANSWER, words)
    return Section("knows", "", (), Detail.ANSWER, " ".join(_of_one(artifact)))


def _of_one(artifact: MetricsArtifact) -> Iterator[str]:
    """How right it is, whether its confidence tells, and whether that is honest."""
    numbers, best = artifact.overall_by_input[0], artifact.best_function
    right, covered = numbers.get("total_accuracy"), numbers.get("coverage")
    which = "of the rows that can be judged" if artifact.abstention else "of all rows"
    if right is not None and right.value is not None and covered is not None:
        by_case = artifact.options.get("estimand") == "case"
        alike = f", each {artifact.population.case_noun} counting alike" * by_case
        exact = spelled(metric_cell("total_accuracy", right))
        answers = f"It answers {percent(covered.value).text}"
        yield f"{answers} and is exactly right in {exact} {which}{alike}."
    if best is None:
        yield nothing_ranked(artifact)
        return
    variant = artifact.sides[best][0]
    called = "" if best == "confidence" else f" ({name(best)})"
    yield f"{knows(artifact, variant, called)}."
    if (words := honesty(variant.metrics)) is not None:
        yield words
    elif (error := variant.metrics.get("ece")) is not None and error.value is None:
        why = not_probability(artifact, best)
        yield f"Its calibration is {why[0].lower()}{why[1:]}"


def _numbers(artifact: MetricsArtifact) -> Section:
    """Every number that most readers need, a column a system."""
    best, of_each = artifact.best_function, artifact.overall_by_input
    single, levels = len(artifact.inputs) == 1, artifact.scale.get("levels", ())
    rows = [(key, [numbers.get(key) for numbers in of_each]) for key in NUMBERS]
    if best is not None:
        sides = artifact.sides[best]
        rows += [
            (key, [side.metrics.get(key) for side in sides])
            for key in RANKED
            if single or key != "augrc"
        ]
    cells = tuple(
        (Cell(title_of(key, levels)), *(metric_cell(key, m) for m in measured))
        for key, measured in rows
        if any(m is not None and m.value is not None for m in measured)
    )
    level = f"{artifact.confidence_level:.0%} interval"
    heads = [f"value and {level}"] if single else side_names(artifact)
    table = Table("", ("", *heads), cells[: FEWER if artifact.slices else None])
    return Section("right", "", (table,) if cells else ())


def _cuts(artifact: MetricsArtifact) -> Section:
    """What is kept, and how wrong it is, from a confidence on."""
    best = artifact.best_function
    if best is None or len(artifact.inputs) > 1 or artifact.slices:
        return Section("cuts", "")
    table = cut_table(artifact, artifact.sides[best][0], MOST_CUTS)
    return Section("cuts", "", (table,))


def _functions(artifact: MetricsArtifact) -> Section:
    """Of several confidence functions of one system, those that rank best."""
    table = function_table(artifact)
    if table is None or len(artifact.inputs) > 1 or len(table.rows) == 1:
        return Section("functions", "")
    return Section("functions", "", (table,), finding=conclusion(artifact))


def _groups(artifact: MetricsArtifact) -> Iterator[Section]:
    """The groups of the first column; of further columns the sentences."""
    if len(artifact.inputs) > MOST_SIDES:
        yield Section("slices", "", (), finding=in_short(artifact) if artifact.slices else "")
        return
    section = for_whom(artifact)
    tables = [block for block in section.blocks if isinstance(block, Table)]
    blocks: tuple[Block, ...] = tuple(tables[:1])
    if len(tables) > 1:
        more = f"and {counted(len(tables) - 1, 'more table')}: --full"
        blocks = (*blocks, Paragraph(plain(more), Tone.QUIET))
    blocks += tuple(b for b in section.blocks if not isinstance(b, Table) and not tables[1:])
    yield Section("slices", "", blocks, finding=section.finding)
