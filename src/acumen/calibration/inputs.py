"""What a calibrator takes: raw signals, or the output of one confidence function.

A signal that is missing or null becomes a default, which is counted and told, never silent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Self

import numpy as np

from acumen import confidence as confidences
from acumen.confidence.grammar import TEMPERATURE
from acumen.errors import Problem, UsageError, printable, refuse
from acumen.results.calibration import SEVERAL
from acumen.table.judgments import Judgments, SignalState
from acumen.table.signals import Rows, column, kind_of, outside_unit
from acumen.types import Floats

RATING: Final = "verbalized_confidence"
"""What is fitted on when nothing is named."""


@dataclass(frozen=True)
class Features:
    """A matrix of features, and how many values in each column are a default."""

    values: Floats
    defaults: dict[str, int] = field(default_factory=dict)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What should be said about the defaults."""
        return default_warnings(self.defaults, len(self.values))


def default_warnings(defaults: Mapping[str, int], rows: int) -> tuple[str, ...]:
    """How often each feature was a default, in words."""
    return tuple(
        f"feature {key}: missing or null in {count} of {rows} answered rows, "
        f"taken as {default_of(key):g}"
        for key, count in defaults.items()
    )


def default_of(key: str) -> float:
    """What a feature that is missing or null counts as: the middle of the ratings, else 0.

    >>> default_of("verbalized_confidence"), default_of("token_msp")
    (3.0, 0.0)
    """
    return 3.0 if key == RATING else 0.0


@dataclass(frozen=True)
class CalibratorFeatureExtractor:
    """Takes raw signals as features. Missing and null become a default, and are counted.

    A text, a boolean or a number out of its range is an error; so is a key that no row has.
    """

    features: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.features or len(set(self.features)) < len(self.features):
            raise UsageError("a calibrator needs features, each named once")

    def extract(self, table: Judgments, rows: Rows) -> Features:
        """The features of some rows of a table, one column each."""
        problems: list[Problem] = []
        columns: list[Floats] = []
        defaults: dict[str, int] = {}
        for key in self.features:
            signal = table.signals.get(key)
            if signal is None or (signal.state[rows] == SignalState.ABSENT).all():
                values, faults = column(table, key, rows)
                problems += faults
                columns.append(values)
                continue
            missing = np.isin(signal.state[rows], (SignalState.NULL, SignalState.ABSENT))
            problems += column(table, key, rows[~missing])[1]
            columns.append(np.where(missing, default_of(key), signal.values[rows]))
            if missing.any():
                defaults[key] = int(missing.sum())
        refuse(problems, table.source.name)
        return Features(np.column_stack(columns), defaults)


@dataclass(frozen=True)
class Inputs:
    """Features, or a confidence function and no features."""

    features: tuple[str, ...] = ()
    confidence: str | None = None
    probability: bool = False
    """Whether the one input must be a probability, as temperature scaling needs."""

    @classmethod
    def of_method(cls, method: str, features: Sequence[str], confidence: str | None) -> Self:
        """What a method takes; where nothing is named, the verbalized confidence."""
        names = tuple(features)
        if confidence is None and method in SEVERAL:
            names = names or (RATING,)
        elif confidence is None and (not names or (method == TEMPERATURE and names == (RATING,))):
            confidence = "verbalized"
        return cls(() if confidence is not None else names, confidence, method == TEMPERATURE)

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
        refuse(problems, table.source.name)
        return Features(values[:, None], features.defaults)

    def as_probability(self, values: Floats) -> Floats:
        """The one input, a rating 1..5 as a number of 0..1."""
        kind = kind_of(self.features[0]) if self.confidence is None else None
        is_rating = kind is not None and (kind.low, kind.high) == (1, 5)
        return (values[:, 0] - 1) / 4 if is_rating else values[:, 0]

    def takes(self, inner: confidences.Expression) -> bool:
        """Whether a confidence is what goes in, in the same units."""
        if self.confidence is not None or not isinstance(inner, confidences.ConfidenceFunction):
            return inner.name == self.confidence
        if inner.needs != self.features:
            return False
        # tried, on values within every range: a user's own function carries no flag that says it
        probe = np.array([0.25, 0.5])
        return bool(np.array_equal(inner.function(probe), probe))


def check_raw(confidence: str) -> None:
    """Refuse a confidence function that is unknown, or calibrated already."""
    if isinstance(confidences.find(confidence), confidences.Calibrated):
        raise UsageError(f"'{printable(confidence)}' is calibrated already")


def _nulls(table: Judgments, keys: tuple[str, ...], rows: Rows) -> dict[str, int]:
    """How often a signal is null where null stands for a value: defined, yet worth saying."""
    signals = {key: table.signals[key] for key in keys if key in table.signals}
    counts = {k: int((s.state[rows] == SignalState.NULL).sum()) for k, s in signals.items()}
    return {key: count for key, count in counts.items() if count}
