"""What a calibrator takes: raw signals, or the output of one confidence function."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from acumen import confidence as confidences
from acumen.calibration.features import CalibratorFeatureExtractor, Features, unit_rating
from acumen.errors import DataError
from acumen.table.judgments import Judgments, SignalState
from acumen.table.signals import Rows, outside_unit
from acumen.types import Floats


@dataclass(frozen=True)
class Inputs:
    """Features, or a confidence function and no features."""

    features: tuple[str, ...] = ()
    confidence: str | None = None
    probability: bool = False
    """Whether the one input must be a probability, as temperature scaling needs."""

    @property
    def name(self) -> str:
        """The inputs in words."""
        return self.confidence or ", ".join(self.features)

    @property
    def signals(self) -> tuple[str, ...]:
        """The signals that are read, directly or through the confidence function."""
        return self.features if self.confidence is None else confidences.find(self.confidence).needs

    def of(self, table: Judgments, rows: Rows) -> Features:
        """The inputs of some rows of a table's included cases."""
        if self.confidence is not None:
            values = confidences.compute(self.confidence, table)[rows]
            features = Features(values[:, None], _nulls(table, self.signals, rows))
        else:
            features = CalibratorFeatureExtractor(self.features).extract(table, rows)
        if not self.probability:
            return features
        values = self.as_probability(features.values)
        problems = outside_unit(table, rows, values, self.name, "take isotonic or logistic")
        if problems:
            raise DataError(problems, source=table.source.name)
        return Features(values[:, None], features.defaults)

    def as_probability(self, values: Floats) -> Floats:
        """The one input, a rating 1..5 brought to 0..1."""
        column = values[:, 0]
        return column if self.confidence is not None else unit_rating(self.features[0], column)

    def takes(self, inner: confidences.Expression) -> bool:
        """Whether a confidence is what goes in, in the same units."""
        if self.confidence is not None or not isinstance(inner, confidences.ConfidenceFunction):
            return inner.name == self.confidence
        if inner.needs != self.features:
            return False
        # tried, on values within every range: a user's own function carries no flag that says it
        probe = np.array([0.25, 0.5])
        return bool(np.array_equal(inner.function(probe), probe))


def _nulls(table: Judgments, keys: tuple[str, ...], rows: Rows) -> dict[str, int]:
    """How often a signal is null where null stands for a value: defined, yet worth saying."""
    signals = {key: table.signals[key] for key in keys if key in table.signals}
    counts = {k: int((s.state[rows] == SignalState.NULL).sum()) for k, s in signals.items()}
    return {key: count for key, count in counts.items() if count}
