"""Features for a calibrator: raw signals, defaults counted, never silent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from acumen.errors import DataError, Problem, UsageError
from acumen.files.json import source_name
from acumen.table.judgments import Judgments, SignalState
from acumen.table.signals import Rows, column, kind_of
from acumen.types import Floats


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
    return 3.0 if key == "verbalized_confidence" else 0.0


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
            values, missing = _feature(table, key, rows, problems)
            columns.append(values)
            if missing:
                defaults[key] = missing
        if problems:
            path = table.source.path
            raise DataError(problems, source=None if path is None else source_name(path))
        return Features(np.column_stack(columns), defaults)


def _feature(table: Judgments, key: str, rows: Rows, problems: list[Problem]) -> tuple[Floats, int]:
    signal = table.signals.get(key)
    if signal is None or (signal.state[rows] == SignalState.ABSENT).all():
        problems += column(table, key, rows)[1]
        return np.full(len(rows), np.nan), 0
    state = signal.state[rows]
    missing = (state == SignalState.NULL) | (state == SignalState.ABSENT)
    problems += column(table, key, rows[~missing])[1]
    return np.where(missing, default_of(key), signal.values[rows]), int(missing.sum())


def unit_rating(key: str, values: Floats) -> Floats:
    """A feature as a probability where its kind has one: a rating 1..5 is brought to 0..1."""
    kind = kind_of(key)
    if (kind.low, kind.high) == (1, 5):
        return (values - 1) / 4
    return values


def parse_features(text: str | Sequence[str]) -> tuple[str, ...]:
    """Feature names as a command line gives them, separated by commas."""
    parts = text.split(",") if isinstance(text, str) else text
    return tuple(part.strip() for part in parts if part.strip())
