"""Probabilities of the levels: the answer they speak for, and how sure they are of it.

A judge that gives a probability for every level has said more than one level. Which level to take
is a question of what errors cost: each *point* is the best level under a loss, the lower of two
that are equally good.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from acumen.defaults import LOSS
from acumen.errors import UsageError, printable
from acumen.table.judgments import NO_PREDICTION, Judgments, Signal
from acumen.table.losses import AnyLoss, find_loss
from acumen.types import Floats

POINT: Final = "mode"
"""The level that is taken where none is asked for."""
IN_USE: Final = "loss"
"""The point that is best under the loss in use."""
POINTS: Final[dict[str, str]] = {"mode": "zero_one", "median": "abs", "mean": "squared"}
"""Point -> the loss under which it is the best level; the mean is rounded to it."""
EXPECTED_LOSS: Final = "expected_loss"
OF_LEVELS: Final = (
    *("level_probability", "level_near", "level_margin", "level_entropy", "level_spread"),
    EXPECTED_LOSS,
)
"""The signals that probabilities of levels make."""
TIE: Final = 1e-9
"""Two levels whose expected losses differ by less, as a share of the largest cost, are alike."""
DIGITS: Final = 12
"""Of what probabilities say of an answer: what is smaller is made by adding them up."""


def check_point(point: str) -> str:
    """The point as it is, if there is such a one."""
    if point not in (*POINTS, IN_USE):
        known = ", ".join((*POINTS, IN_USE))
        raise UsageError(f"no point '{printable(str(point))}'; there are {known}")
    return point


def best_level(probabilities: Floats, costs: Floats) -> NDArray[np.int16]:
    """The level of the least expected cost in each row, the lower one of two.

    ``costs`` by truth, then prediction. The mode, the median and the rounded mean are three:

    >>> p, rank = np.array([[0.4, 0.15, 0.1, 0.35]]), np.arange(4)
    >>> off = np.abs(rank[:, None] - rank)
    >>> [int(best_level(p, cost)[0]) for cost in (off > 0, off, off**2)]
    [0, 1, 1]
    """
    expected = np.asarray(probabilities @ np.asarray(costs, np.float64))
    with np.errstate(invalid="ignore"):  # of a row without probabilities any level may come
        near = expected <= expected.min(axis=1, keepdims=True) + TIE * np.max(costs)
    return np.asarray(np.argmax(near, axis=1), np.int16)


def costs_of(table: Judgments, loss: AnyLoss) -> Floats:
    """What each level costs where each is true: ``(truth, prediction)``."""
    return np.array(find_loss(loss).costs(table.scale), np.float64)


def point_of(table: Judgments, point: str, loss: AnyLoss) -> NDArray[np.int16]:
    """The level that the probabilities of each row speak for."""
    assert table.distribution is not None, "only of probabilities"
    return best_level(table.distribution, costs_of(table, POINTS.get(point, loss)))


def at_point(table: Judgments, point: str) -> Judgments:
    """The table with a point of its probabilities for its answers, which stay beside it."""
    if table.distribution is None:
        raise UsageError("a point is taken of probabilities: there are none in it")
    rows = table.answered & ~np.isnan(table.distribution[:, 0])
    best = np.where(rows, point_of(table, check_point(point), LOSS), table.prediction)
    moved = replace(table, prediction=best.astype(np.int16), own=table.prediction, point=point)
    return under_loss(moved, LOSS)


def under_loss(table: Judgments, loss: AnyLoss) -> Judgments:
    """The table as it is under a loss: the best level where that was asked for, and the signals.

    A table without probabilities stays as it is.
    """
    probabilities = table.distribution
    if probabilities is None:
        return table
    if table.point == IN_USE:
        best = np.where(table.answered, point_of(table, IN_USE, loss), NO_PREDICTION)
        table = replace(table, prediction=best.astype(np.int16))
    numbers = signals_of(probabilities, table.prediction, costs_of(table, loss))
    signals = {name: Signal.of_numbers(v, np.isnan(v)) for name, v in numbers.items()}
    return replace(table, signals={**table.signals, **signals})


def signals_of(probabilities: Floats, prediction: NDArray[Any], costs: Floats) -> dict[str, Floats]:
    """What the probabilities say of each answer; NaN where there is no answer, or none of them."""
    rank = np.arange(probabilities.shape[1])
    there = (prediction != NO_PREDICTION) & ~np.isnan(probabilities[:, 0])
    p, answer = probabilities[there], prediction[there].astype(np.int64)
    ordered, mean = np.sort(p, axis=1), p @ rank
    with np.errstate(divide="ignore", invalid="ignore"):
        surprise = np.where(p > 0, p * np.log(p), 0.0).sum(axis=1)
    numbers = {
        "level_probability": p[np.arange(len(p)), answer],
        "level_near": np.where(np.abs(rank - answer[:, None]) <= 1, p, 0.0).sum(axis=1).clip(0, 1),
        "level_margin": ordered[:, -1] - ordered[:, -2],
        "level_entropy": np.maximum(-surprise, 0.0),
        "level_spread": np.sqrt((p * (rank - mean[:, None]) ** 2).sum(axis=1)),
        EXPECTED_LOSS: (p * costs[:, answer].T).sum(axis=1),
    }
    # what sums alike ties, in whatever order it was added up
    return {name: _in_rows(values.round(DIGITS), there) for name, values in numbers.items()}


def _in_rows(values: Floats, rows: NDArray[np.bool_]) -> Floats:
    out = np.full(len(rows), np.nan)
    out[rows] = values
    return out
