"""A judgment as one object with a score, a truth and a confidence, and lists of them."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from itertools import product
from typing import Any

import numpy as np

from acumen.errors import Problem, refuse, what_came
from acumen.table.scale import Scale


@dataclass(frozen=True, slots=True)
class ItemPrediction:
    """One judgment: the predicted level or None, the true level, and how sure the system was."""

    score: int | None
    ground_truth: int
    confidence: float
    case: int | str | None = None
    item: str | None = None

    @property
    def is_predicted(self) -> bool:
        """Whether the system answered."""
        return self.score is not None

    @property
    def absolute_error(self) -> int:
        """Levels between prediction and truth; 0 when the system abstained."""
        # int(): the difference of two unsigned NumPy numbers would wrap around
        return 0 if self.score is None else abs(int(self.score) - int(self.ground_truth))


Row = ItemPrediction | Mapping[str, Any]


def rows_of(items: Iterable[Row]) -> list[ItemPrediction]:
    """Rows as :class:`ItemPrediction`, mappings accepted; everything wrong is told at once."""
    known = {f.name for f in fields(ItemPrediction)}
    rows, problems = [], []
    values: Iterable[object] = items
    for index, row in enumerate(values):
        if isinstance(row, Mapping):
            entries = {k: v for k, v in row.items() if k in known}
            if "case" not in entries and "participant_id" in row:
                entries["case"] = row["participant_id"]
            missing = {"score", "ground_truth", "confidence"} - entries.keys()
            if missing:
                message = f"lacks {', '.join(sorted(missing))}"
                problems.append(Problem(message, field=f"row {index}"))
                continue
            row = ItemPrediction(**entries)
        if not isinstance(row, ItemPrediction):
            message = f"must be an ItemPrediction or a mapping, not {what_came(row)}"
            problems.append(Problem(message, field=f"row {index}"))
            continue
        problems += [Problem(message, field=f"row {index}") for message in _wrong(row)]
        rows.append(row)
    refuse(problems)
    return rows


def _wrong(row: ItemPrediction) -> list[str]:
    faults = []
    for name in ("score", "ground_truth"):
        value = getattr(row, name)
        if value is None and name == "score":
            continue
        whole = isinstance(value, int | np.integer) or (
            isinstance(value, float | np.floating) and float(value).is_integer()
        )
        if isinstance(value, bool | np.bool_) or not whole:
            silence = ", or None for an abstention" if name == "score" else ""
            faults.append(f"{name} must be a whole number{silence}, not {what_came(value)}")
    number = isinstance(row.confidence, int | float | np.integer | np.floating)
    if isinstance(row.confidence, bool) or not number:
        faults.append(f"confidence must be a number, not {what_came(row.confidence)}")
    elif row.score is not None and not -sys.float_info.max <= row.confidence <= sys.float_info.max:
        faults.append(f"confidence must be finite, not {what_came(row.confidence)}")
    return faults


def off_scale(rows: Sequence[ItemPrediction], scale: Scale) -> list[Problem]:
    """Levels that the scale does not have."""
    problems = []
    for (index, row), name in product(enumerate(rows), ("score", "ground_truth")):
        try:
            if (value := getattr(row, name)) is not None:
                scale.rank(int(value))
        except ValueError as error:
            problems.append(Problem(f"{name}: {error}", field=f"row {index}"))
    return problems
