"""The registry of confidence functions, and the columns they are given."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol

import numpy as np

from acumen.errors import Problem, UsageError, printable, refuse
from acumen.metrics.registry import is_run_again
from acumen.table.judgments import Judgments
from acumen.table.signals import Rows, answered_rows, column
from acumen.types import Floats

RESERVED: Final = ("default", "all", "calibrated", "verbalized_calibrated", "secondary")
"""Words with a meaning of their own, which no function may take."""


class Calibrator(Protocol):
    """What a confidence needs of a calibration artifact."""

    @property
    def method(self) -> str:
        """Its kind, such as ``temperature_scaling``."""

    @property
    def signals(self) -> tuple[str, ...]:
        """The signals its own inputs are made of."""

    def takes(self, inner: Any) -> bool:
        """Whether it was fitted on this confidence."""

    def of_table(self, table: Judgments, rows: Rows) -> Floats:
        """Its output on its own inputs, for some rows."""

    def of_confidence(self, values: Floats) -> Floats:
        """Its output when ``values`` are its only input."""


class Columns:
    """The answered rows of a table, their signals checked once, every problem kept."""

    def __init__(self, table: Judgments, calibration: Calibrator | None = None) -> None:
        self.table = table
        self.rows = answered_rows(table)
        self.calibration = calibration
        self.problems: list[Problem] = []
        self._known: dict[str, Floats] = {}

    def __getitem__(self, key: str) -> Floats:
        if key not in self._known:
            self._known[key], problems = column(self.table, key, self.rows)
            self.problems += problems
        return self._known[key]

    def check(self) -> None:
        """Raise with every problem met so far."""
        refuse(self.problems, self.table.source.name)

    def advise(self, advice: str) -> None:
        """End the last problem with what can be done."""
        last = self.problems[-1]
        self.problems[-1] = replace(last, message=last.message + advice)

    def problem(self, at: int, message: str, field: str) -> None:
        """Keep a problem with the ``at``-th answered row."""
        self.problems.append(self.table.problem(int(self.rows[at]), message, field))


@dataclass(frozen=True)
class ConfidenceFunction:
    """A registered function: its name, the signals it needs, what it is."""

    name: str
    function: Callable[..., Any]
    needs: tuple[str, ...]
    about: str

    def of(self, columns: Columns) -> Floats:
        """The confidence of each answered row."""
        values = np.asarray(self.function(*(columns[key] for key in self.needs)), np.float64)
        if values.shape != columns.rows.shape:
            sizes = f"{len(columns.rows)} rows, shape {values.shape} returned"
            function = f"confidence function '{self.name}'"
            raise UsageError(f"{function} must return one value a row: {sizes}")
        return values


FUNCTIONS: Final[dict[str, ConfidenceFunction]] = {}
"""Every registered confidence function by name, in the order ``acumen confidence`` lists them."""


def register(
    function: Callable[..., Any], *, name: str | None = None, about: str | None = None
) -> Callable[..., Any]:
    """Register a function of columns; its parameters are the signals it needs.

    A parameter with a default is a constant, not a signal. Works as a decorator. A definition run
    again (a module reloaded, a notebook cell) takes the place of its first run.
    """
    entry = describe(function, name, about)
    if not entry.name or set(entry.name) & set(":+, ") or entry.name in RESERVED:
        raise UsageError(f"'{printable(entry.name)}' cannot name a confidence function")
    namesake = FUNCTIONS.get(entry.name)
    if namesake is not None and not is_run_again(namesake.function, function):
        raise UsageError(f"there is a confidence function '{entry.name}' already")
    FUNCTIONS[entry.name] = entry
    return function


def describe(
    function: Callable[..., Any], name: str | None = None, about: str | None = None
) -> ConfidenceFunction:
    """A plain function as a confidence function, told by its parameters and its docstring."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        parameters = []
    needs = tuple(p.name for p in parameters if p.default is p.empty)
    if not needs or any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters):
        raise UsageError(
            "a confidence function names the signals it needs as its parameters, "
            "such as `lambda token_msp, token_pe: token_msp - token_pe`"
        )
    name = str(name or getattr(function, "__name__", "custom"))
    first_line = (inspect.getdoc(function) or "").strip().split("\n")[0]
    return ConfidenceFunction(name, function, needs, about or first_line or "a function of yours")
