"""The door of samples: judged rows in; the cases to label, and what people read of them, out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from acumen._version import __version__
from acumen.errors import DataError, UsageError, counted, label, refuse
from acumen.labels.design import Purpose, chances, draw, sizes_for
from acumen.labels.precision import balanced, expected
from acumen.raters.reading import read_as
from acumen.readers.reading import Reading, predictions_of
from acumen.results.labels import DrawnCase, SampleDocument, fingerprint
from acumen.table.judgments import Judgments
from acumen.table.levels import inferred_note
from acumen.types import CaseId, Floats

IDS = ("case", "item", "system", "repeat")
"""Roles whose columns tell rows apart, and so go with every label."""
LABEL_COLUMNS = ("label", "rater", "time", "inclusion", "sample")
"""What labels have beside these."""


@dataclass(frozen=True, slots=True)
class Row:
    """One thing to judge: what it is called, and what people read of it."""

    case: CaseId
    names: tuple[str, ...]
    """One for each column that tells rows apart."""
    texts: tuple[str, ...]
    """One for each column that is shown."""


def sample_of(
    data: Any,
    purpose: Purpose,
    budget: int,
    seed: int,
    show: Sequence[str],
    level: float,
    delta: float,
    reading: Reading,
) -> tuple[SampleDocument, list[Row]]:
    """The cases to label, and their rows."""
    columns = _columns(reading)
    table = _read(data, show, reading)
    _refuse_alike(table, columns)
    judged = np.bincount(table.case, minlength=len(table.cases)).astype(np.float64)
    n = len(table.cases)
    if not 2 <= budget <= n:
        have = counted(n, table.scale.case)
        why = f"the budget is {budget}, and there are {have}: give from 2 to {n}"
        raise DataError([why], table.source.name)
    sure = table.signals.get("confidence")
    sizes = sizes_for(purpose, table.case, None if sure is None else sure.values, n)
    chance = chances(sizes, budget)
    places = draw(table.cases, chance, seed)
    pairs = [(table.cases[at], float(chance[at])) for at in places.tolist()]
    drawn = [
        DrawnCase(case=c, inclusion=p, rows=int(judged[at]))
        for (c, p), at in zip(pairs, places.tolist(), strict=True)
    ]
    document = SampleDocument(
        acumen_version=__version__,
        judged_in=table.source.name,
        purpose=purpose,
        seed=seed,
        fingerprint=fingerprint(seed, purpose, pairs),
        levels=list(table.scale.levels),
        columns=columns,
        prediction=predictions_of(reading)[0],
        confidence=next(iter(_confidences(reading)), None),
        cases=n,
        rows=len(table),
        budget=budget,
        rows_drawn=int(judged[places].sum()),
        constant=balanced(chance),
        largest_weight=float(budget / n / chance.min()),
        confidence_level=level,
        delta=delta,
        expected=expected(purpose, sizes, judged, _ratings(table), budget, level, delta),
        drawn=drawn,
        warnings=[*_of_levels(table), *table.warnings],
    )
    return document, _rows(table, places.tolist(), [*columns], show)


def _refuse_alike(table: Judgments, columns: dict[str, str]) -> None:
    """Two rows of one name would get two labels, and nobody could say which is whose."""
    names = [tuple(_name(table, role, row) for role in columns) for row in range(len(table))]
    twice = [row for row, times in enumerate(map(Counter(names).get, names)) if times != 1]
    role = next((role for role in IDS if role not in columns), "item")
    same = ", ".join(map(label, columns.values()))
    message = f"another row has the same {same}: in which column do they differ? --{role} COLUMN"
    refuse([table.problem(row, message, role) for row in twice], table.source.name)


def _columns(reading: Reading) -> dict[str, str]:
    """The columns that tell rows apart, as labels will name them; a label without one is lost."""
    said = {**reading, **(reading.get("columns") or {})}
    columns = {role: str(said[role]) for role in IDS if said.get(role) is not None}
    if "case" not in columns:
        raise UsageError("say which column holds the ids that labels go by: --case COLUMN")
    if taken := [name for name in columns.values() if name in LABEL_COLUMNS]:
        raise UsageError(
            f"labels have a column {label(taken[0])} of their own: call that of the rows otherwise"
        )
    return columns


def _read(data: Any, show: Sequence[str], reading: Reading) -> Judgments:
    judges = predictions_of(reading)
    if len(judges) != 1:
        raise UsageError("which column is the judge's? say the one: --prediction COLUMN")
    secret = [*judges, *_confidences(reading)]
    if open_ := [name for name in show if name in secret]:
        raise UsageError(
            f"people label without knowing what the judge said: {label(open_[0])} is its"
        )
    own = reading.get("group") or []
    groups = dict.fromkeys([*([own] if isinstance(own, str) else own), *show])
    own_words = ("unanswerable", "truth_is")  # of labels, and there are none yet
    said: dict[str, Any] = {key: value for key, value in reading.items() if key not in own_words}
    said |= {"truth": judges[0], "prediction": judges[0]}
    said |= {"group": [*groups]} if groups else {}
    return read_as(data, said, truth="judge", prediction=None)


def _confidences(reading: Reading) -> list[str]:
    said = reading.get("confidence_column") or []
    return [said] if isinstance(said, str) else [*said]


def _ratings(table: Judgments) -> Floats:
    """The judge's ratings, summed over the rows of each case."""
    levels = table.scale.levels if table.scale.is_numeric else range(len(table.scale.levels))
    numbers = np.asarray(levels, np.float64)[table.truth]
    return np.bincount(table.case, numbers, len(table.cases)).astype(np.float64)


def _of_levels(table: Judgments) -> list[str]:
    note = inferred_note(table.scale.levels, table.scale.inferred)
    return [] if note is None else [note]


def _rows(
    table: Judgments, places: Sequence[int], roles: Sequence[str], show: Sequence[str]
) -> list[Row]:
    """The rows of the drawn cases, case by case, as they stand in the file."""
    order = np.argsort(table.case, kind="stable")
    ends = np.searchsorted(table.case[order], np.arange(len(table.cases) + 1))
    rows = [row for at in places for row in order[ends[at] : ends[at + 1]].tolist()]
    return [
        Row(
            table.cases[table.case[row]],
            tuple(_name(table, role, row) for role in roles),
            tuple(_text(table.groups[name], row) for name in show),
        )
        for row in rows
    ]


def _name(table: Judgments, role: str, row: int) -> str:
    if role == "case":
        return str(table.cases[table.case[row]])
    if role == "item":
        return str(table.items[table.item[row]])
    return _text(getattr(table, role), row)


def _text(column: Any, row: int) -> str:
    code = int(column.codes[row])
    return "" if code < 0 else str(column.values[code])
