"""Ordinal prediction sets: neighbouring levels that hold the truth as often as is promised.

``aps`` grows a set from the likeliest level by the likelier neighbour, up to a mass (Lu,
Angelopoulos and Pomerantz 2022, who add the level that passes it as well: on few levels their sets
hold far more than is promised). ``distance`` takes every level so near the prediction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from acumen.errors import DataError, Problem, UsageError, printable, refuse, source_name
from acumen.files.json import read_json
from acumen.files.problems import validated
from acumen.results.decisions import SetsDocument
from acumen.table.judgments import Judgments
from acumen.table.signals import SAMPLES, Rows, column
from acumen.types import Floats

DIGITS: Final = 12
"""Sums of the same chances in another order are equal to so many digits."""


@dataclass(frozen=True, eq=False)
class Entries:
    """What a row's set has reached when each level is in it: ``(row, level)``."""

    score: Floats
    first: NDArray[np.intp]
    """The level that every set begins with, whatever the bound."""

    @classmethod
    def of_chances(cls, chances: Floats) -> Entries:
        """By mass. Of equal chances the lowest is the mode, and the lower neighbour comes first.

        >>> Entries.of_chances(np.array([[0.1, 0.2, 0.5, 0.2]])).score.tolist()
        [[1.0, 0.7, 0.5, 0.9]]
        """
        chances, row = chances.round(DIGITS), np.arange(len(chances))
        beside = np.pad(chances, ((0, 0), (1, 2)), constant_values=-1.0)
        low = high = level = mode = chances.argmax(axis=1)
        mass, score = np.zeros(len(row)), np.empty_like(chances)
        for _ in range(chances.shape[1]):
            mass = score[row, level] = mass + chances[row, level]
            level = np.where(beside[row, low] >= beside[row, high + 2], low - 1, high + 1)
            low, high = np.minimum(low, level), np.maximum(high, level)
        return cls(score.round(DIGITS), mode)

    @classmethod
    def of_predictions(cls, prediction: NDArray[np.intp], levels: int) -> Entries:
        """By distance."""
        off = np.abs(np.arange(levels) - prediction[:, np.newaxis])
        return cls(off.astype(np.float64), prediction)

    def within(self, bound: float | Floats) -> NDArray[np.bool_]:
        """Which levels are in the sets up to a bound: one for all rows, or each its own."""
        sets: NDArray[np.bool_] = self.score <= np.reshape(bound, (-1, 1))
        sets[np.arange(len(sets)), self.first] = True
        return sets


def bound_of(scores: Floats, case: NDArray[np.int64], alpha: float) -> float:
    """The bound that the truth's scores of these cases set; infinite where they are too few.

    Rows of a case are not exchangeable, cases are: each of n cases holds 1/(n + 1), shared by its
    rows, and the new case's 1/(n + 1) lies at infinity (Lee, Barber and Willett 2023).

    >>> bound_of(np.array([0.3, 0.1, 0.2]), np.array([0, 1, 2]), 0.25)
    0.3
    """
    sizes, order = np.bincount(case), np.argsort(scores, kind="stable")
    needed = (1 - alpha) * (np.count_nonzero(sizes) + 1) - 1e-9
    at = int(np.searchsorted(np.cumsum(1 / sizes[case[order]]), needed))
    return float(scores[order[at]]) if at < len(order) else np.inf


def entries_of(table: Judgments, rows: Rows, probabilities: Sequence[str]) -> Entries:
    """The entries of some rows, by the signals that hold the chances of their levels, if any."""
    levels = len(table.scale.levels)
    if not probabilities:
        return Entries.of_predictions(table.prediction[rows].astype(np.intp), levels)
    is_sampled = [*probabilities] == [SAMPLES]
    if not is_sampled and len(probabilities) != levels:
        raise UsageError(f"{len(probabilities)} signals of chances, and {levels} levels: one each")
    chances, problems = _sampled(table, rows) if is_sampled else _named(table, rows, probabilities)
    refuse(problems, table.source.name)
    return Entries.of_chances(chances / chances.sum(axis=1, keepdims=True))


def _named(table: Judgments, rows: Rows, names: Sequence[str]) -> tuple[Floats, list[Problem]]:
    """Chances in signals of their own, one a level, lowest first."""
    columns = [column(table, name, rows) for name in names]
    problems = [problem for _, wrong in columns for problem in wrong]
    chances = np.stack([values for values, _ in columns], axis=1)
    total, least = chances.sum(axis=1), chances.min(axis=1)
    for at in np.flatnonzero((least < 0) | (np.abs(total - 1) > 1e-3)).tolist():
        message = f"chances from {least[at]:.6g} that sum to {total[at]:.6g}; 0 or more, and to 1"
        problems.append(table.problem(int(rows[at]), message, ", ".join(map(printable, names))))
    return chances, problems


def _sampled(table: Judgments, rows: Rows) -> tuple[Floats, list[Problem]]:
    """How often each level was sampled, and one more sample that says nothing, spread over all.

    Without it, samples that agree would have every other level enter at once.
    """
    levels, samples = len(table.scale.levels), table.signals[SAMPLES].other
    counts, problems = np.full((len(rows), levels), 1 / levels), []
    for at, row in enumerate(rows.tolist()):
        try:
            if not isinstance(sample := samples.get(row), list):
                raise ValueError("a list of sampled levels is needed")
            ranks = [table.scale.rank(level) for level in sample if level is not None]
            counts[at] += np.bincount(ranks, minlength=levels)
        except ValueError as error:
            problems.append(table.problem(row, str(error), SAMPLES))
    return counts, problems


@dataclass(frozen=True)
class PredictionSets:
    """Sets calibrated on some cases, as a confidence of others: fewer levels are surer."""

    document: SetsDocument
    name: str = "the sets"
    file: str | None = None

    @property
    def method(self) -> str:
        """Its kind: ``aps`` or ``distance``."""
        return self.document.method

    @property
    def signals(self) -> tuple[str, ...]:
        """What the chances of the levels come from."""
        return tuple(self.document.probabilities)

    def of_table(self, table: Judgments, rows: Rows) -> Floats:
        """Minus the number of levels in the set of each row."""
        if [*table.scale.levels] != self.document.scale.levels:
            message = f"is for the scale {self.document.scale.name}, not for {table.scale.name}"
            raise DataError([message], source=self.name)
        bound = np.inf if self.document.bound is None else self.document.bound
        sets = entries_of(table, rows, self.signals).within(bound)
        return np.asarray(-sets.sum(axis=1), np.float64)

    def warnings(self, table: Judgments, *_: object) -> tuple[str, ...]:
        """What to say where it is used on cases that it was made from."""
        shared = self.document.case_hashes.shared_with(table.included.cases)
        words = f"{self.name} was made from {shared} of the {table.scale.case}s here (same ids)"
        return (f"{words}: the sets are in-sample, so too good",) if shared else ()


def read_sets(path: str | Path) -> PredictionSets | None:
    """The sets that ``acumen sets`` wrote; None where a file holds something else."""
    content = read_json(path) if Path(path).suffix.lower() == ".json" else None
    if not isinstance(content, dict) or content.get("kind") != "sets":
        return None
    name = source_name(path)
    return PredictionSets(validated(content, SetsDocument, name), name, str(path))
