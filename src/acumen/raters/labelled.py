"""Rows that a judge rated and people labelled in part: what a powered estimate is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from acumen.errors import DataError, UsageError
from acumen.raters.inclusion import beside, chances_of, groups_of, weights_of
from acumen.raters.reading import read_as
from acumen.readers.reading import Reading, predictions_of
from acumen.table.coded import Coded
from acumen.table.judgments import NO_PREDICTION, Judgments, Outcome
from acumen.table.scale import Scale
from acumen.types import Floats

NO_LABEL: Final = NO_PREDICTION


@dataclass(frozen=True, eq=False)
class Labelled:
    """One row a judgment: the judge's rating, and the label where a person gave one."""

    source: str | None
    scale: Scale
    cases: int
    case: NDArray[Any]
    rating: NDArray[Any]
    """The rank that the judge gave."""
    label: NDArray[Any]
    """The rank that a person gave, ``NO_LABEL`` where nobody did."""
    confidence: Floats | None
    """The judge's; NaN where it has none."""
    system: Coded | None
    groups: Mapping[str, Coded]
    chances: Floats | None
    """With which each case was drawn to be labelled, where that is said; NaN where it was not."""
    weights: Floats | None
    """How many cases each labelled one stands for, where they had different chances."""
    not_judged: int
    """Rows that the judge did not rate: they are left out."""
    warnings: tuple[str, ...]

    @classmethod
    def read(
        cls, data: Any, labels: str, reading: Reading, inclusion: str | None = None
    ) -> Labelled:
        """The rows of an input; ``labels`` is the column of what people said."""
        judges = predictions_of(reading)
        if len(judges) != 1:
            raise UsageError("which column is the judge's? say the one: --prediction COLUMN")
        (judge,) = judges
        files = reading.get("label_files")
        if isinstance(files, list | tuple) and len(files) > 1 and not isinstance(files[0], dict):
            raise UsageError("an estimate takes one label a row: give one file of --labels")
        # readers drop and count a row without a truth, and keep one without a prediction: here it
        # is the judge's rating that every row must have
        roles = {**reading, "truth": judge, "prediction": labels}
        roles |= beside(reading, inclusion)
        table = read_as(data, roles, truth="judge", prediction="label")
        odd = np.flatnonzero(~np.isin(table.outcome, (Outcome.ANSWERED, Outcome.ABSTAINED)))
        if len(odd):
            message = f"is no level of {table.scale.allowed}"
            problems = [table.problem(row, message, "label") for row in odd.tolist()]
            raise DataError(problems, table.source.name)
        return cls._of(table, inclusion, reading)

    @classmethod
    def _of(cls, table: Judgments, inclusion: str | None, reading: Reading) -> Labelled:
        chances = None if inclusion is None else chances_of(table, inclusion)
        weights = None
        if inclusion is not None and chances is not None:
            has_label = np.bincount(
                table.case[table.prediction != NO_LABEL], minlength=len(chances)
            )
            weights = weights_of(chances, has_label > 0, table, inclusion)
        asked = groups_of(reading)
        confidence = table.signals.get("confidence")
        return cls(
            source=table.source.name,
            scale=table.scale,
            cases=len(table.cases),
            case=table.case,
            rating=table.truth,
            label=table.prediction,
            confidence=None if confidence is None else confidence.values,
            system=table.system,
            groups={name: group for name, group in table.groups.items() if name in asked},
            chances=chances,
            weights=weights,
            not_judged=table.no_truth,
            warnings=tuple(table.warnings),
        )

    def __len__(self) -> int:
        return len(self.rating)

    @property
    def has_label(self) -> NDArray[np.bool_]:
        """The rows that a person labelled."""
        is_there: NDArray[np.bool_] = self.label != NO_LABEL
        return is_there

    def take(self, rows: NDArray[Any]) -> Labelled:
        """Some of the rows."""
        return replace(
            self,
            case=self.case[rows],
            rating=self.rating[rows],
            label=self.label[rows],
            confidence=None if self.confidence is None else self.confidence[rows],
            system=None if self.system is None else self.system.take(rows),
            groups={name: group.take(rows) for name, group in self.groups.items()},
        )
