"""For whom: the groups of a column side by side, and the one sentence that is claimed of them."""

from __future__ import annotations

from typing import Final

from acumen.defaults import RELIABLE_CASES
from acumen.errors import counted
from acumen.report.blocks import UNRELIABLE, Block, Cell, Paragraph, Section, Table, Tone
from acumen.report.cells import (
    between,
    measured_cell,
    number,
    p_cell,
    plain,
    text,
    unit_of,
)
from acumen.report.claims import Claim
from acumen.report.plots import drawing, plots
from acumen.report.sections import Ask
from acumen.report.selective.compared import listed
from acumen.report.selective.outcomes import in_words
from acumen.results.metrics import MetricsArtifact
from acumen.results.slices import CLAIMED, Slice
from acumen.values.measured import Interval

TITLE: Final = "For whom is it better or worse"
COLUMNS: Final = {
    CLAIMED: "right, of all",
    "coverage": "answered",
    "mae": "error",
    "noise_floor_mae": "noise floor",
    "augrc": "AUGRC",
}

WIDEST: Final = 0.9
"""An interval of a share that is wider says nothing."""
MOST_TOLD: Final = 2
INTERVALS: Final = (CLAIMED, "noise_floor_mae")


def for_whom(artifact: MetricsArtifact) -> Section:
    """A table for each column and input; what is worst in it, and what is claimed."""
    families: dict[tuple[str, str], list[Slice]] = {}
    for part in artifact.slices:
        families.setdefault((" × ".join(part.by), part.input), []).append(part)
    blocks: list[Block] = []
    for (by, system), parts in families.items():
        who = f", {plain(system)}" if len(artifact.inputs) > 1 else ""
        caption = f"By {plain(by)}{who}" if len(families) > 1 else ""
        blocks.append(_table(caption, by, parts, in_words(artifact)))
    if any(part.is_small for part in artifact.slices):
        few = f"{UNRELIABLE} fewer than {RELIABLE_CASES} {artifact.population.case_noun}s"
        blocks.append(Paragraph(f"{few}: nothing is claimed of it", Tone.QUIET))
    words = " ".join(_words(*of, parts, artifact) for of, parts in families.items())
    return Section("slices", TITLE, tuple(blocks), finding=words)


def drawn(artifact: MetricsArtifact, ask: Ask) -> Section:
    """The groups side by side, the worst of each column first."""
    rows = []
    for part in artifact.slices:
        value = measured_cell(part.metrics.get(CLAIMED), unit_of(CLAIMED))
        who = (text(" × ".join(part.by)), text(part.group), text(part.input))
        rows.append((*who, value, number(part.cases), number(part.rows)))
    columns = ("column", "group", "input", COLUMNS[CLAIMED], "cases", "rows")
    figure = drawing(ask, artifact)(
        "slices",
        "Groups, the worst first",
        "Share of all rows that is exactly right, with its interval; an abstention is no right "
        "answer.",
        Table("Groups", columns, tuple(rows)),
    )
    return Section("slices", TITLE, plots(figure))


def _words(by: str, system: str, parts: list[Slice], artifact: MetricsArtifact) -> str:
    who = plain(system) if len(artifact.inputs) > 1 else "it"
    sides = {"left": Claim.RIGHT_LESS.say, "right": Claim.RIGHT_MORE.say}
    said = []
    for side, say in sides.items():
        groups = [
            plain(part.group)
            for part in parts
            if CLAIMED in part.difference and part.difference[CLAIMED].favours == side
        ]
        if groups:
            said.append(say(subject=who, groups=listed(groups, 4)))
    words = "; ".join(said) or f"no group is shown to differ from the rest for {who}"
    worst = next((part for part in parts if CLAIMED in part.worst), None)
    if worst is not None and _is_telling(worst.worst[CLAIMED]):
        bound = between(worst.worst[CLAIMED], unit_of(CLAIMED))
        words += f". Lowest: {plain(worst.group)} ({bound} right, whichever was picked)"
    return f"By {plain(by)}: {words}."


def _is_telling(ends: Interval) -> bool:
    """Whether an interval of a share rules anything out to speak of."""
    return ends.high - ends.low < WIDEST


def in_short(artifact: MetricsArtifact) -> str:
    """Of many systems: those for which a group is shown to differ, a sentence each."""
    families: dict[tuple[str, str], list[Slice]] = {}
    for part in artifact.slices:
        families.setdefault((" × ".join(part.by), part.input), []).append(part)
    telling = {of: parts for of, parts in families.items() if _differs(parts)}
    others = len(families) - len(telling)
    words = [_words(*of, parts, artifact) for of, parts in list(telling.items())[:MOST_TOLD]]
    if len(telling) > MOST_TOLD:
        words.append(f"So do groups of {len(telling) - MOST_TOLD} more: --full.")
    if others and families:
        by = " and ".join(dict.fromkeys(plain(by) for by, _ in families))
        whom = counted(len(artifact.inputs), "system") if not telling else f"the other {others}"
        words.append(f"By {by}, no group is shown to differ from the rest for {whom}.")
    return " ".join(words)


def _differs(parts: list[Slice]) -> bool:
    deltas = (part.difference.get(CLAIMED) for part in parts)
    return any(delta is not None and delta.favours is not None for delta in deltas)


def _table(caption: str, by: str, parts: list[Slice], unit: str = "") -> Table:
    keys = [key for key in COLUMNS if any(key in part.metrics for part in parts)]
    rows = []
    for part in parts:
        delta = part.difference.get(CLAIMED)
        numbers = {key: measured_cell(part.metrics.get(key), unit_of(key)) for key in keys}
        # a line has no room for more intervals
        cells = [c if k in INTERVALS else Cell(c.text, c.value) for k, c in numbers.items()]
        p = None if delta is None else delta.p_adjusted
        first = Cell(plain(part.group) + UNRELIABLE * part.is_small)
        rows.append((first, number(part.cases), *cells, p_cell(p)))
    heads = (COLUMNS[key] + unit * (key == "mae") for key in keys)
    columns = (plain(by), "cases", *heads, "p")
    return Table(caption, columns, tuple(rows))
