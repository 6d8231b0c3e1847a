"""Loss per row: how many rungs of the scale the prediction is off, and what a rung costs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from acumen.errors import UsageError
from acumen.table.scale import Scale


@dataclass(frozen=True, slots=True)
class Loss:
    """A loss that is a whole number of rungs times ``unit(scale)``.

    Keeping rungs whole lets sums of losses be exact, so results do not depend on the order of rows.
    """

    name: str
    definition: str
    unit: Callable[[Scale], float]

    def describe(self, scale: Scale) -> str:
        """The formula with the scale's range filled in."""
        return self.definition.format(range=scale.range)


LOSSES: Final[dict[str, Loss]] = {
    loss.name: loss
    for loss in (
        Loss("abs", "abs(pred - gt)", lambda scale: 1.0),
        Loss("abs_norm", "abs(pred - gt) / {range}", lambda scale: 1.0 / scale.range),
    )
}


def find_loss(name: str | Loss) -> Loss:
    """A loss by its name."""
    if isinstance(name, Loss):
        return name
    if name not in LOSSES:
        raise UsageError(f"no loss '{name}'; there are {', '.join(LOSSES)}")
    return LOSSES[name]


def rungs_off(prediction: NDArray[Any], truth: NDArray[Any]) -> NDArray[np.int16]:
    """Rungs between prediction and truth, row by row.

    >>> rungs_off(np.array([2, 3, 0]), np.array([2, 1, 3]))
    array([0, 2, 3], dtype=int16)
    """
    off: NDArray[np.int16] = np.abs(np.subtract(prediction, truth, dtype=np.int16))
    return off
