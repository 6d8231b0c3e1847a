"""What a name stands for: a function, two combined, or an artifact applied to one.

``secondary:<a>+<b>:<average|product>`` and ``calibrated:<name>`` are the whole grammar.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Final

from acumen.confidence import functions
from acumen.confidence.registry import FUNCTIONS, Calibrator, Columns, ConfidenceFunction, describe
from acumen.errors import UsageError, printable
from acumen.table.signals import outside_unit
from acumen.types import Floats

SETS: Final = ("aps", "distance")
"""Methods of prediction sets."""
TEMPERATURE: Final = "temperature_scaling"
_PAIR: Final = "secondary:<a>+<b>:<average|product>"
ONE_INPUT: Final = (TEMPERATURE, "isotonic")
"""Methods whose artifacts may be applied to any confidence function."""


def spelled(method: str) -> str:
    """A method as the command line spells it and messages show it; files say more.

    >>> spelled("temperature_scaling"), spelled("platt")
    ('temperature', 'platt')
    """
    return method.removesuffix("_scaling")


@dataclass(frozen=True)
class Secondary:
    """Two confidences combined, row by row: their mean or their product."""

    name: str
    left: Expression
    right: Expression
    how: str
    about: str = "two functions combined"

    @property
    def needs(self) -> tuple[str, ...]:
        """The signals of both."""
        return tuple(dict.fromkeys((*self.left.needs, *self.right.needs)))

    def of(self, columns: Columns) -> Floats:
        """The confidence of each answered row."""
        a, b = self.left.of(columns), self.right.of(columns)
        return (a + b) / 2 if self.how == "average" else a * b


@dataclass(frozen=True)
class Calibrated:
    """A calibration artifact applied to a function, or to its own inputs when there is none."""

    name: str
    inner: Expression | None
    methods: tuple[str, ...] | None
    about: str

    @property
    def needs(self) -> tuple[str, ...]:
        """The signals of the inner function; the artifact's own inputs are its own affair."""
        return () if self.inner is None else self.inner.needs

    @property
    def kinds(self) -> str:
        """The methods of artifact it can be made with."""
        return "any method" if self.methods is None else " or ".join(map(spelled, self.methods))

    def why_not(self, calibration: Calibrator | None) -> str | None:
        """Why it cannot be made with this artifact."""
        if calibration is None:
            return f"'{self.name}' needs a calibration artifact (--calibration FILE)"
        if self.methods is not None and calibration.method not in self.methods:
            own = f"this one is {spelled(calibration.method)}"
            return f"'{self.name}' needs an artifact of method {self.kinds}, and {own}"
        return None

    def of(self, columns: Columns) -> Floats:
        """The confidence of each answered row."""
        why = self.why_not(columns.calibration)
        if why is not None or columns.calibration is None:
            raise UsageError(why or "")
        if self.inner is None:
            return columns.calibration.of_table(columns.table, columns.rows)
        values = self.inner.of(columns)
        if columns.calibration.method == TEMPERATURE:
            name, rows = self.inner.name, columns.rows
            advice = f"an isotonic artifact fitted on {name} would do"
            columns.problems += outside_unit(columns.table, rows, values, name, advice)
            columns.check()
        return columns.calibration.of_confidence(values)


Expression = ConfidenceFunction | Secondary | Calibrated

ARTIFACT: Final = {
    entry.name: entry
    for entry in (
        Calibrated(
            "verbalized_calibrated",
            FUNCTIONS[functions.verbalized.__name__],
            (TEMPERATURE,),
            "The rating after temperature scaling: sigmoid(logit(v)/T).",
        ),
        Calibrated(
            "calibrated", None, None, "The calibrator's output on the inputs it was fitted on."
        ),
        Calibrated(
            "interval_width", None, SETS, "Minus the levels in the prediction set (acumen sets)."
        ),
    )
}
"""The names made from a calibration artifact."""


def uses_calibration(expression: Expression) -> bool:
    """Whether a calibration artifact takes part in it.

    >>> uses_calibration(find("calibrated")), uses_calibration(find("token_msp"))
    (True, False)
    """
    if isinstance(expression, Secondary):
        return uses_calibration(expression.left) or uses_calibration(expression.right)
    return isinstance(expression, Calibrated)


def names() -> tuple[str, ...]:
    """Every name there is, those made from an artifact last."""
    return (*FUNCTIONS, *ARTIFACT)


def find(
    name: str | Callable[..., Any], signals: Collection[str] = (), source: str | None = None
) -> Expression:
    """The confidence a name, an expression of the grammar, or a plain callable stands for.

    A name that no function has may be that of one of ``signals``: then it is the signal itself.
    ``source`` is whose signals they are, for the message where neither has it.

    >>> find("secondary:token_msp+llm:product").needs
    ('token_msp', 'llm_evidence_count')
    >>> find("self_conf", signals=["self_conf"]).about
    'The signal as it is.'
    """
    if not isinstance(name, str):
        return describe(name)
    kind, colon, rest = name.partition(":")
    if colon and kind == "secondary":
        return _secondary(name, rest, signals, source)
    if colon and kind == "calibrated":
        inner = find(rest, signals, source)
        if isinstance(inner, Calibrated):
            raise UsageError(f"'{printable(name, 80)}': '{inner.name}' is calibrated already")
        about = f"The artifact applied to {rest}."
        return Calibrated(name, inner, ONE_INPUT, about)
    known = FUNCTIONS.get(name) or ARTIFACT.get(name)
    if known is None and name in signals:
        return ConfidenceFunction(name, _as_it_is, (name,), "The signal as it is.")
    if known is None:
        raise UsageError(_unknown(name, signals, source))
    return known


def _as_it_is(signal: Floats) -> Floats:
    return signal


def _secondary(name: str, rest: str, signals: Collection[str], source: str | None) -> Secondary:
    pair, _, how = rest.rpartition(":")
    parts = pair.split("+")
    if len(parts) != 2 or how not in ("average", "product") or "secondary:" in pair:
        such = "such as secondary:token_msp+retrieval_similarity_mean:average"
        raise UsageError(f"'{printable(name, 80)}' is not {_PAIR}, {such}")
    left, right = (find(part, signals, source) for part in parts)
    return Secondary(name, left, right, how)


def _unknown(name: str, signals: Collection[str], source: str | None) -> str:
    none = "no confidence function"
    what = none if source is None else f"{printable(source, 200)}: {none} or signal"
    close = get_close_matches(name, (*names(), "default", "all", *signals), n=1)
    hint = f"did you mean '{printable(close[0])}'? " if close else ""
    known = f"there are {', '.join(names())}, {_PAIR} and calibrated:<name>"
    return f"{what} '{printable(name)}'; {hint}{known}"
