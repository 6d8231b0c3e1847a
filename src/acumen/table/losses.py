"""What a wrong level costs: losses by name, from a file of costs, or of one's own.

Costs are whole numbers of one unit wherever they have one, so that sums of losses are exact and
results do not depend on the order of rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from acumen.defaults import LOSS
from acumen.errors import UsageError, printable, source_name, what_came
from acumen.table.scale import Scale
from acumen.types import Floats

MOST_UNITS: Final = 10**6
"""Costs of more units than this are plain floats: their sums could not be sure to be exact."""


@dataclass(frozen=True, eq=False, slots=True)
class Grades:
    """The kinds of answers there are, cheapest first: what each costs and how far it is off."""

    cost: Floats
    """In units."""
    off: NDArray[Any]
    """In rungs; parts of one where the truth lies between two levels."""
    unit: float = 1.0
    kind_at: NDArray[np.int32] | None = None
    """``(truth, prediction)`` -> the kind; None where the kind is the number of rungs off."""

    @classmethod
    def by_rungs(cls, cost: Floats, unit: float = 1.0) -> Grades:
        """Of a loss that asks for nothing but the rungs off."""
        return cls(cost, np.arange(len(cost), dtype=np.int16), unit)

    @classmethod
    def by_level(cls, costs: Floats, truth: Floats | None = None) -> Grades:
        """Of any costs, ``costs[truth, prediction]``; the truths are all ranks, or these.

        >>> grades = Grades.by_level(np.array([[0, 0.5], [2, 0]]))
        >>> grades.cost.tolist(), grades.off.tolist(), grades.unit
        ([0.0, 1.0, 4.0], [0, 1, 1], 0.5)
        """
        units, unit = _whole(costs)
        ranks = np.arange(costs.shape[1])
        off = rungs_off(ranks, (ranks if truth is None else truth)[:, None])
        pairs = np.column_stack([units.ravel(), off.ravel()])
        kinds, kind = np.unique(pairs, axis=0, return_inverse=True)
        table = kind.reshape(costs.shape).astype(np.int32)
        return cls(kinds[:, 0].copy(), kinds[:, 1].astype(off.dtype), unit, table)

    @property
    def with_false_answers(self) -> Grades:
        """The same and one kind more: an answer where there is none costs as much as any can.

        Of the table ``kind_at`` it is the last row; it is further off than any level.

        >>> grades = Grades.by_level(np.array([[0, 0.5], [2, 0]])).with_false_answers
        >>> grades.cost.tolist(), grades.off.tolist(), grades.kind_at.tolist()
        ([0.0, 1.0, 4.0, 4.0], [0, 1, 1, 2], [[0, 1], [2, 0], [3, 3]])
        """
        kind_at = self.kind_at
        assert kind_at is not None, "only of a table of costs"
        cost, off = np.append(self.cost, self.cost.max()), np.append(self.off, kind_at.shape[1])
        row = np.full((1, kind_at.shape[1]), len(self.cost), np.int32)
        table = np.concatenate([kind_at, row])
        return Grades(cost, off.astype(self.off.dtype), self.unit, table)

    @property
    def charges_right(self) -> bool:
        """Whether an answer that is right costs something."""
        return bool(self.cost[self.off == 0].any())

    @property
    def is_level(self) -> NDArray[np.bool_]:
        """Of which kinds the truth is a level."""
        whole: NDArray[np.bool_] = self.off % 1 == 0
        return whole

    def kinds(self, prediction: NDArray[Any], truth: NDArray[Any]) -> NDArray[Any]:
        """The kind of every answer; of a row without one, any."""
        if self.kind_at is None:
            return rungs_off(prediction, truth)
        kinds: NDArray[np.int32] = self.kind_at[truth, prediction]
        return kinds

    def losses(self, kinds: NDArray[Any]) -> NDArray[Any]:
        """Losses in units: whole rungs as they are, for which the loops are compiled already."""
        is_off = np.array_equal(self.cost, self.off) and self.kind_at is None
        return kinds.astype(np.int16) if is_off else self.cost[kinds]


def _whole(costs: Floats) -> tuple[Floats, float]:
    """Costs as whole numbers of the largest unit they share; as they are where it is too small."""
    exact = {cost: Fraction(str(cost)) for cost in np.unique(costs).tolist()}
    shared = math.lcm(*(cost.denominator for cost in exact.values()))
    unit = Fraction(math.gcd(*(int(cost * shared) for cost in exact.values())) or 1, shared)
    if max(exact.values()) > MOST_UNITS * unit:
        return costs, 1.0
    units = {cost: float(fraction / unit) for cost, fraction in exact.items()}
    return np.vectorize(units.__getitem__, otypes=[np.float64])(costs), float(unit)


@dataclass(frozen=True, slots=True)
class Loss:
    """What a wrong level costs; :attr:`grades` makes it ready for a scale."""

    name: str
    definition: str
    grades: Callable[[Scale], Grades]
    of_rungs: Callable[[Floats], Floats] | None = None
    """What so many rungs cost, where nothing else is asked for."""
    of_values: Callable[[Any, Any], float] | None = None
    """One's own function of the predicted and the true value."""
    is_divided: bool = False
    """Whether it is divided by the largest error the scale allows."""
    file: str | None = None
    """The file it was read from, as it was named."""

    def describe(self, scale: Scale) -> str:
        """The formula with the scale's range filled in."""
        text = self.definition.format(range=scale.range)
        # levels that are not whole numbers one after the other: the distance is counted in levels
        return text if scale.step in (None, 1) or "levels" in text else f"{text}, in levels"

    def multiplier(self, scale: Scale) -> int:
        """What a risk is multiplied by to be in the units of the costs themselves."""
        return scale.range if self.is_divided else 1

    def graded(
        self,
        scale: Scale,
        prediction: NDArray[Any],
        truth: NDArray[Any],
        unanswerable: NDArray[np.bool_] | None = None,
    ) -> tuple[Grades, NDArray[Any]]:
        """The kinds there are, and that of each row; a truth may lie between two levels.

        There a loss of rungs takes the distance as it is, a function is called with that value, and
        costs by level take the line between two.
        An answer to what cannot be judged costs the most.
        """
        if unanswerable is None and truth.dtype.kind != "f":
            grades = self.grades(scale)
            return grades, grades.kinds(prediction, truth)
        if unanswerable is None:
            places, at = np.unique(truth, return_inverse=True)
            grades = self._between(scale, places)
            return grades, grades.kinds(prediction, at)
        known = np.where(unanswerable, 0, truth)
        if truth.dtype.kind == "f":
            places, at = np.unique(known, return_inverse=True)
            grades = self._between(scale, places)
        else:
            places, at = np.arange(len(scale.levels)), known
            grades = self._by_level(scale)
        grades = grades.with_false_answers
        return grades, grades.kinds(prediction, np.where(unanswerable, len(places), at))

    def _by_level(self, scale: Scale) -> Grades:
        """The grades as a table by truth and prediction."""
        grades, ranks = self.grades(scale), np.arange(len(scale.levels))
        units = grades.cost[grades.kinds(*np.broadcast_arrays(ranks, ranks[:, None]))]
        table = Grades.by_level(units)
        return replace(table, unit=table.unit * grades.unit)

    def _between(self, scale: Scale, places: Floats) -> Grades:
        """The grades of truths at these places, some of them between two levels."""
        ranks = np.arange(len(scale.levels))
        places = places if len(places) else np.zeros(1)  # of no row: any will do
        if self.of_values is not None:
            costs = _of_values(self.of_values, scale, _values(scale, places))
        elif self.of_rungs is None:
            columns = np.array(self.costs(scale)).T
            costs = np.array([np.interp(places, ranks, column) for column in columns]).T
        else:
            costs = self.of_rungs(np.abs(places[:, None] - ranks)) / self.multiplier(scale)
        return Grades.by_level(costs, places)

    def costs(self, scale: Scale) -> list[list[float]]:
        """By truth, then prediction."""
        grades, ranks = self.grades(scale), np.arange(len(scale.levels))
        kinds = grades.kinds(*np.broadcast_arrays(ranks, ranks[:, None]))
        costs: list[list[float]] = (grades.cost[kinds] * grades.unit).tolist()
        return costs


def _of_rungs(name: str, definition: str, cost: Callable[[Floats], Floats], **more: Any) -> Loss:
    def grades(scale: Scale) -> Grades:
        unit = 1.0 / scale.range if more.get("is_divided") else 1.0
        return Grades.by_rungs(cost(np.arange(scale.range + 1.0)), unit)

    return Loss(name, definition, grades, cost, **more)


LOSSES: Final[dict[str, Loss]] = {
    loss.name: loss
    for loss in (
        _of_rungs("abs", "abs(pred - gt)", lambda off: off),
        _of_rungs("abs_norm", "abs(pred - gt) / {range}", lambda off: off, is_divided=True),
        _of_rungs("zero_one", "pred != gt", np.sign),
        _of_rungs("squared", "(pred - gt)**2, in levels", lambda off: off * off),
    )
}

AnyLoss = str | Path | Loss | Callable[[Any, Any], float] | Sequence[Sequence[float]] | NDArray[Any]
"""A name, a TOML file, a function of predicted and true level, or costs by truth and prediction."""


def find_loss(loss: AnyLoss) -> Loss:
    """A loss by its name, from its file, or one's own."""
    if isinstance(loss, Loss):
        return loss
    if isinstance(loss, Path) or (isinstance(loss, str) and loss.endswith(".toml")):
        from acumen.table.loss_file import read_costs

        table = read_costs(loss)
        return own_loss(table.name, table.definition, table.costs, loss)
    if isinstance(loss, str):
        if loss not in LOSSES:
            known = ", ".join(LOSSES)
            raise UsageError(
                f"no loss '{printable(loss)}'; there are {known}, or name a .toml file"
            )
        return LOSSES[loss]
    if callable(loss):
        name, definition = getattr(loss, "__name__", ""), "a function of pred and gt"
        own = own_loss(name if name.isidentifier() else "own", definition, partial(_called, loss))
        return replace(own, of_values=loss)
    return own_loss("own", "a cost for each gt and pred", lambda _: loss)


def kept_costs(loss: Loss, scale: Scale) -> list[list[float]] | None:
    """The costs that a document keeps: of a loss that its name does not say, and no function."""
    return None if loss.name in LOSSES or loss.of_values else loss.costs(scale)


def loss_of(name: str | None, costs: Sequence[Sequence[float]] | None) -> Loss | None:
    """The loss that a document names, or whose costs it keeps; None where it does neither."""
    if costs is None:
        return LOSSES.get(name or LOSS)
    return own_loss(name or "own", "a cost for each gt and pred", lambda _: costs)


def _called(function: Callable[[Any, Any], float], scale: Scale) -> object:
    return _costs_of(function, scale, scale.levels)


def _of_values(
    function: Callable[[Any, Any], float], scale: Scale, truths: Sequence[Any]
) -> Floats:
    """What a function says of every level at some true values, checked as any costs are."""
    costs = np.asarray(_costs_of(function, scale, truths), np.float64)
    if not (np.isfinite(costs) & (costs >= 0)).all():
        raise UsageError("a cost must be finite and at least 0, of truths between levels too")
    return costs


def _costs_of(
    function: Callable[[Any, Any], float], scale: Scale, truths: Sequence[Any]
) -> list[list[float]]:
    """By truth, then prediction: the function is called with the levels as the scale has them."""
    rows = []
    for truth in truths:
        try:
            rows.append([function(prediction, truth) for prediction in scale.levels])
        except Exception as error:
            kind = type(error).__name__
            raise UsageError(
                f"the loss function ends in {kind} at truth {printable(repr(truth))}: it is called "
                f"with the predicted and the true level; {scale.name} has the levels "
                f"{scale.allowed}"
            ) from error
    return rows


def _values(scale: Scale, places: Floats) -> list[float]:
    """True values that may lie between levels, in the numbers of the scale."""
    if scale.step is None:
        raise UsageError(
            "a loss function takes the true value, and a truth between two levels has none on "
            f"{scale.name}, whose levels are not evenly spaced numbers: give costs by level, or "
            "truths that are levels (truth_is='median' or 'majority')"
        )
    lowest = float(scale.levels[0])
    return [lowest + float(place) * scale.step for place in places]


def own_loss(
    name: str, definition: str, costs: Callable[[Scale], object], path: str | Path | None = None
) -> Loss:
    """A loss of costs by truth and prediction, which may depend on the scale."""

    @cache
    def grades(scale: Scale) -> Grades:
        try:
            return Grades.by_level(_checked(costs(scale), scale))
        except ValueError as error:
            at = "" if path is None else f"{source_name(path)}: "
            raise UsageError(f"{at}{error}") from None

    return Loss(name, definition, grades, file=None if path is None else str(path))


def _checked(costs: object, scale: Scale) -> Floats:
    """Costs that can be meant: a finite number from 0 up for every truth and prediction."""
    size, allowed = len(scale.levels), f"{scale.name} has the levels {scale.allowed}"
    try:
        table = np.asarray(costs, np.float64)
    except (TypeError, ValueError):
        raise ValueError("a loss must give a number for each truth and prediction") from None
    if table.shape != (size, size):
        shape = " by ".join(map(str, table.shape)) or "a single number"
        raise ValueError(f"the costs are {shape}, not {size} by {size}; {allowed}")
    for truth, prediction in np.argwhere(~np.isfinite(table) | (table < 0)).tolist():
        cost = what_came(float(table[truth, prediction]))
        at = f"truth {scale.levels[truth]}, prediction {scale.levels[prediction]}"
        raise ValueError(f"a cost must be finite and at least 0, not {cost} ({at})")
    return table


def rungs_off(prediction: NDArray[Any], truth: NDArray[Any]) -> NDArray[Any]:
    """Rungs between prediction and truth, row by row; of a truth between levels, parts of one.

    >>> rungs_off(np.array([2, 3, 0]), np.array([2, 1, 3]))
    array([0, 2, 3], dtype=int16)
    """
    kind = np.float64 if truth.dtype.kind == "f" else np.int16
    off: NDArray[Any] = np.abs(np.subtract(prediction, truth, dtype=kind))
    return off
