"""Confidence from signals: one short function each, and the little grammar that combines them.

A function is given columns, one value for each answered row, and returns one confidence a row;
higher is surer. The names of its parameters are the signals it needs:
:mod:`acumen.table.signals` knows the range of each and what its null stands for, and checks them
before the function is called.

>>> _ = register(lambda token_msp, token_pe: token_msp - token_pe, name="margin", about="ours")
>>> find("margin").needs
('token_msp', 'token_pe')
>>> _ = FUNCTIONS.pop("margin")

Beyond names, and signals that a table has, there are ``secondary:<a>+<b>:<average|product>`` and
``calibrated:<name>``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from acumen.confidence.grammar import (
    ARTIFACT,
    Calibrated,
    Expression,
    Secondary,
    find,
    names,
    spelled,
)
from acumen.confidence.registry import FUNCTIONS, Calibrator, Columns, ConfidenceFunction, register
from acumen.errors import DataError, UsageError, printable
from acumen.table.distribution import OF_LEVELS
from acumen.table.judgments import Judgments
from acumen.table.signals import answered_rows, declare, is_captured, kind_of, why_lacking
from acumen.types import Floats

__all__ = [
    "ARTIFACT",
    "DEFAULT",
    "FUNCTIONS",
    "Calibrated",
    "Calibrator",
    "ConfidenceFunction",
    "Expression",
    "Floats",
    "Secondary",
    "Selection",
    "availability",
    "compute",
    "declare",
    "find",
    "left_out_of",
    "names",
    "own_signals",
    "register",
    "select",
    "spelled",
    "why_no_default",
]

DEFAULT: Final = ("llm", "total_evidence")
OF_PROBABILITIES: Final = ("expected_loss", "level_probability")
"""What answers with a probability for every level are ranked by, unless something is asked for."""


def compute(
    name: str | Callable[..., Any], table: Judgments, *, calibration: Calibrator | None = None
) -> Floats:
    """One confidence for each row of ``table.included``, NaN where the row was not answered.

    Raises a DataError with every absent key, undefined null, text and number out of range, each
    told by case, item and key; a UsageError for a name there is not. The name of a signal that the
    table has, where no function has that name, is the signal itself.
    """
    table = table.included
    expression = find(name, table.signals, table.source.name)
    columns = Columns(table, calibration)
    for key in expression.needs:
        _ = columns[key]
    if columns.problems:
        columns.advise(_instead(expression, table))
    columns.check()
    values = expression.of(columns)
    for at in np.flatnonzero(~np.isfinite(values)).tolist():
        columns.problem(at, f"the confidence is {values[at]}, not a finite number", expression.name)
    columns.check()
    out = np.full(len(table), np.nan)
    out[columns.rows] = values + 0.0  # −0 becomes 0, so that the two show as the tie they are
    return out


def _instead(expression: Expression, table: Judgments) -> str:
    """What to rank by where a run has no value at all of a signal that the expression needs."""
    rows = answered_rows(table)
    lacking = {key for key in expression.needs if why_lacking(table, key, rows)}
    if all(is_captured(table, key, rows) for key in lacking):
        return ""
    left_out = left_out_of(table, FUNCTIONS)
    usable = [
        name
        for name, function in FUNCTIONS.items()
        if name not in left_out and all(is_captured(table, key, rows) for key in function.needs)
    ]
    if not usable:
        return "; nor what any other confidence function needs"
    return f"; the run can be ranked by {', '.join(usable)} (--confidence NAME, or all)"


@dataclass(frozen=True)
class Selection:
    """What a selector chose, what it left out and why, and what should be said about it."""

    names: tuple[str, ...]
    left_out: dict[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()


def select(selector: str, table: Judgments, *, calibration: Calibrator | None = None) -> Selection:
    """The names a selector stands for on this table: ``default``, ``all``, or names and commas.

    ``all`` leaves out what the table has no signals for, and what needs an artifact when there is
    none; of one that is given, its output on its own inputs is taken. It is every *function*: a
    signal that none of them takes is left out too, since nobody said that higher is surer there.
    A signal that is there but wrong is not left out: computing it tells what is wrong.
    """
    selection: list[str] = []
    left_out: dict[str, str] = {}
    notes: list[str] = []
    for word in (part.strip() for part in selector.split(",")):
        match word:
            case "":
                raise UsageError(f"'{printable(selector, 80)}' has an empty name in it")
            case "default":
                selection += _default(table, notes)
            case "all":
                left_out |= left_out_of(table, _functions_of(table))
                left_out |= _left_out_of_artifact(table, calibration)
                left_out |= {key: _by_name(key) for key in own_signals(table)}
                known = (*_functions_of(table), *ARTIFACT)
                selection += [name for name in known if name not in left_out]
            case _:
                check_artifact(find(word, table.signals, table.source.name), calibration)
                selection.append(word)
    if not selection:
        none = "no confidence function can be computed"
        raise DataError([f"{none}; {n}: {w}" for n, w in left_out.items()], table.source.name)
    return Selection(
        tuple(dict.fromkeys(selection)),
        {name: why for name, why in left_out.items() if name not in selection},
        tuple(notes),
    )


def left_out_of(table: Judgments, functions: Iterable[str]) -> dict[str, str]:
    """Which functions this table has no signals for, and why."""
    table = table.included
    rows = answered_rows(table)
    reasons = {n: [why_lacking(table, key, rows) for key in find(n).needs] for n in functions}
    left_out = {name: "; ".join(why for why in whys if why) for name, whys in reasons.items()}
    return {name: why for name, why in left_out.items() if why}


def _functions_of(table: Judgments) -> list[str]:
    """The functions there are for a table: those of probabilities where it has some."""
    of_levels = set() if table.distribution is not None else {*OF_LEVELS}
    return [name for name, function in FUNCTIONS.items() if not of_levels & {*function.needs}]


def _has_probabilities(table: Judgments) -> bool:
    """Whether every answer has probabilities of the levels."""
    rows = table.included
    return table.distribution is not None and not left_out_of(rows, OF_PROBABILITIES)


def own_signals(table: Judgments) -> tuple[str, ...]:
    """Signals of the table that no function takes and no run captures: columns of one's own."""
    inputs = _inputs()
    return tuple(
        key
        for key, signal in table.signals.items()
        if key not in inputs and not kind_of(key).filled and np.isfinite(signal.values).any()
    )


def _inputs() -> set[str]:
    return {key for function in FUNCTIONS.values() for key in function.needs}


def _by_name(key: str) -> str:
    return f"a signal, no function: asked for by its name, --confidence {printable(key)}"


def _left_out_of_artifact(table: Judgments, calibration: Calibrator | None) -> dict[str, str]:
    """Which names made from an artifact ``all`` does without: every one but one, given one."""
    if calibration is None:
        return dict.fromkeys(ARTIFACT, "needs a calibration artifact (--calibration FILE)")
    lacking = [f"no {printable(key)}" for key in calibration.signals if key not in table.signals]
    if lacking:
        return dict.fromkeys(ARTIFACT, f"{'; '.join(lacking)}, on which the artifact was fitted")
    rating, sets = ARTIFACT["verbalized_calibrated"], ARTIFACT["interval_width"]
    if (no_sets := sets.why_not(calibration)) is None:
        return dict.fromkeys([*ARTIFACT][:-1], f"the artifact holds sets; see {sets.name}")
    if rating.why_not(calibration) is None and calibration.takes(rating.inner):
        return {"calibrated": f"the same as {rating.name} with this artifact", sets.name: no_sets}
    return {
        sets.name: no_sets,
        rating.name: "the artifact was not fitted on verbalized alone; see calibrated",
    }


def availability(table: Judgments) -> dict[str, str]:
    """What this table allows, function by function: ``yes``, or why not; then its own signals.

    A function whose signals are there but wrong is not available either: the first problem tells.
    """
    left_out = left_out_of(table, FUNCTIONS)
    verdicts = {n: f"no: {left_out[n]}" if n in left_out else _attempt(n, table) for n in FUNCTIONS}
    for name, entry in ARTIFACT.items():
        left_out = left_out_of(table, [name])
        verdicts[name] = f"no: {left_out[name]}" if left_out else f"with an artifact: {entry.kinds}"
    return verdicts | {key: _attempt(key, table) for key in own_signals(table)}


def _attempt(name: str, table: Judgments) -> str:
    try:
        compute(name, table)
    except DataError as error:
        more = len(error.problems) - 1
        return f"no: {error.problems[0]}" + (f" (and {more} more)" if more else "")
    return "yes"


def check_artifact(expression: Expression, calibration: Calibrator | None) -> None:
    """Refuse a name whose artifact is not there or is of another kind."""
    if isinstance(expression, Secondary):
        check_artifact(expression.left, calibration)
        check_artifact(expression.right, calibration)
    elif isinstance(expression, Calibrated) and (why := expression.why_not(calibration)):
        raise UsageError(why)


def why_no_default(table: Judgments) -> dict[str, str] | None:
    """What to say of a table that has nothing to rank by; None where it has.

    A confidence that some answered rows lack is none; a column of one's own is asked for by name.
    A run has something where it has any signal that a function takes.
    """
    rows = table.included
    if _has_probabilities(table):
        return None
    of_run = {"llm_evidence_count"} if table.source.is_long else {"confidence", *_inputs()}
    if of_run & table.signals.keys() or not (table.source.is_long or len(rows)):
        return None
    if "confidence" in rows.signals:
        why = why_lacking(rows, "confidence", answered_rows(rows))
        return None if why is None else {"confidence": why}
    return {key: _by_name(key) for key in own_signals(rows)}


def _default(table: Judgments, notes: list[str]) -> tuple[str, ...]:
    if _has_probabilities(table):
        rows = table.included
        own = "confidence" in rows.signals and not left_out_of(rows, ["confidence"])
        return (*(["confidence"] if own else []), *OF_PROBABILITIES)
    if "llm_evidence_count" not in table.signals and "confidence" in table.signals:
        if not table.source.is_long:  # a table of rows has its own confidence, and no other
            notes.append("default: the confidence of the rows (there is no llm_evidence_count)")
        return ("confidence",)
    if "llm_evidence_count" not in table.signals and table.source.is_long:
        others = ", ".join(printable(key) for key in list(table.signals)[:12])
        hint = f"; a numeric column can be one, asked for by its name: {others}" if others else ""
        message = f"there is no confidence column (confidence or conf), so nothing to rank by{hint}"
        raise DataError([message], source=table.source.name)
    return DEFAULT
