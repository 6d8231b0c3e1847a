"""Signals: what a run may record beside each judgment, and which values each may take.

One home for the range of every known signal and for what its ``null`` stands for, if anything.
A column is taken for the answered rows alone, and whole: a key that is absent, a null that has no
defined value, a text, a number out of range are problems that name case, item and key. Nothing is
clamped and nothing is filled in.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from acumen.errors import Problem, label, printable, what_came
from acumen.table.judgments import Judgments, SignalState
from acumen.types import Floats

Rows = NDArray[np.intp]

SAMPLES: Final = "consistency_samples"
"""The levels that several replies gave, a list in each row."""
LARGEST_ENERGY: Final = math.log(np.finfo(np.float64).max)


@dataclass(frozen=True, slots=True)
class SignalKind:
    """What is known of a signal: its range, what null means, where it comes from."""

    key: str
    low: float = -math.inf
    high: float = math.inf
    null: float | None = None
    """The value that null is defined to stand for; None where null is an error."""
    about: str = ""
    filled: str = ""
    """When a run has it: said where a whole run lacks it."""

    @property
    def title(self) -> str:
        """The key as a message names it: an artifact may ask for any text as a feature."""
        return printable(self.key)

    @property
    def allowed(self) -> str:
        """The range as a message names it."""
        if math.isinf(self.low) and math.isinf(self.high):
            return "any finite number"
        if math.isinf(self.high):
            return f"{self.low:g} or more"
        if math.isinf(self.low):
            return f"at most {self.high:.6g}"
        return f"{self.low:g}..{self.high:g}"


_BY_CONDITION: Final[dict[str, tuple[SignalKind, ...]]] = {
    "": (
        SignalKind("confidence", about="a confidence given with the rows"),
        SignalKind("llm_evidence_count", 0, about="pieces of evidence the model cited"),
    ),
    "the runner counts them where a task asks for quotes": (
        SignalKind("llm_evidence_invented", 0, about="quotes cited that are not in the text"),
    ),
    "only runs that retrieve references have it": (
        SignalKind("retrieval_reference_count", 0, about="references retrieved"),
        SignalKind("retrieval_similarity_mean", -1, 1, 0.0, "their mean cosine; null: none came"),
        SignalKind("retrieval_similarity_max", -1, 1, 0.0, "the largest cosine; null: none came"),
    ),
    "the prompt must ask for it": (
        SignalKind("verbalized_confidence", 1, 5, 3.0, "the model's own rating; null: the middle"),
    ),
    "it is filled only when the endpoint returns log probabilities": (
        SignalKind("token_msp", 0, 1, about="mean probability of the tokens"),
        SignalKind("token_pe", 0, about="mean entropy of the tokens"),
        SignalKind("token_energy", high=LARGEST_ENERGY, about="mean log-sum-exp of the top tokens"),
    ),
    "it needs a probability for every level (--distribution)": (
        SignalKind("level_probability", 0, 1, about="probability of the level that was answered"),
        SignalKind("level_near", 0, 1, about="probability of that level and those next to it"),
        SignalKind("level_margin", 0, 1, about="the largest probability less the second"),
        SignalKind("level_entropy", 0, about="entropy of the levels, in nats"),
        SignalKind("level_spread", 0, about="standard deviation of the levels, in levels"),
        SignalKind("expected_loss", 0, about="what the answer is expected to cost"),
    ),
    "it is filled only when several replies are sampled": (
        SignalKind("consistency_modal_confidence", 0, 1, about="share of the modal score"),
        SignalKind("consistency_score_std", 0, about="standard deviation of the sampled scores"),
        SignalKind("consistency_na_rate", 0, 1, about="share of abstentions"),
    ),
}
SIGNALS: Final = {
    kind.key: replace(kind, filled=condition)
    for condition, kinds in _BY_CONDITION.items()
    for kind in kinds
}
"""Every signal acumen knows. Other keys may hold any finite number; null is an error there."""


def declare(
    key: str,
    *,
    low: float = -math.inf,
    high: float = math.inf,
    null: float | None = None,
    about: str = "",
) -> SignalKind:
    """Make a signal of one's own known: its range, and what null stands for, if anything.

    >>> declare("reading_time", low=0, about="seconds").allowed
    '0 or more'
    >>> _ = SIGNALS.pop("reading_time")
    """
    SIGNALS[key] = SignalKind(key, low, high, null, about)
    return SIGNALS[key]


def kind_of(key: str) -> SignalKind:
    """What is known of a signal; an unknown one may hold any finite number."""
    return SIGNALS.get(key) or SignalKind(key)


def answered_rows(table: Judgments) -> Rows:
    """Positions of the rows that need a confidence."""
    return np.flatnonzero(table.answered)


def column(table: Judgments, key: str, rows: Rows) -> tuple[Floats, list[Problem]]:
    """A signal's values in some rows, null as defined, and everything wrong with them."""
    kind, signal = kind_of(key), table.signals.get(key)
    if signal is None:
        absent = np.ones(len(rows), bool)
        return np.full(len(rows), np.nan), _missing(table, kind, rows, absent, "missing")
    state, values = signal.state[rows], signal.values[rows]
    null = state == SignalState.NULL
    problems = _missing(table, kind, rows, state == SignalState.ABSENT, "missing")
    for row in rows[state == SignalState.OTHER].tolist():
        other = what_came(signal.other.get(row))
        message = f"{other} where a number is expected ({kind.allowed})"
        problems.append(table.problem(row, message, kind.title))
    inside = np.isfinite(values) & (values >= kind.low) & (values <= kind.high)
    for at in np.flatnonzero((state == SignalState.NUMBER) & ~inside).tolist():
        value = float(values[at])
        message = f"{shortest(value)} is out of range ({kind.allowed})"
        if not math.isfinite(value):
            message = f"{'NaN' if math.isnan(value) else 'a number too large'} is not finite"
        problems.append(table.problem(int(rows[at]), message, kind.title))
    if kind.null is None:
        problems += _missing(table, kind, rows, null, "null")
    elif null.any():
        values = np.where(null, kind.null, values)
    return values, problems


def is_captured(table: Judgments, key: str, rows: Rows) -> bool:
    """Whether any of these rows holds a number of this signal."""
    signal = table.signals.get(key)
    return signal is not None and bool((signal.state[rows] == SignalState.NUMBER).any())


def why_lacking(table: Judgments, key: str, rows: Rows) -> str | None:
    """Why a run cannot give this signal for every row asked; None when it can."""
    kind, signal = kind_of(key), table.signals.get(key)
    if signal is None:
        return f"no {key}" + (f": {kind.filled}" if kind.filled else "")
    state = signal.state[rows]
    lacking = state == SignalState.ABSENT
    if kind.null is None:
        lacking |= state == SignalState.NULL
    if not lacking.any():
        return None
    row = int(rows[np.argmax(lacking)])
    case, item = table.cases[table.case[row]], table.items[table.item[row]]
    gaps = f"{key} is missing or null in {int(lacking.sum())} of {len(rows)} answered rows"
    return f"{gaps}, first at {table.scale.case} {label(case)}, item {label(item)}"


def _missing(
    table: Judgments, kind: SignalKind, rows: Rows, which: NDArray[np.bool_], word: str
) -> list[Problem]:
    """Absent keys or undefined nulls; a run that lacks the signal throughout is told so once."""
    if not which.any():
        return []
    if which.all():
        if word == "missing" and kind.key not in SIGNALS:
            keys = ", ".join(printable(key) for key in list(table.signals)[:12])
            why = f"no such signal; this run has {keys or 'none'}"
        elif word == "missing":
            why = "older artifacts do not have this signal"
        else:
            why = "the run did not capture it"
        hint = f" ({kind.filled})" if kind.filled else ""
        message = f"{word}, here and in every answered row: {why}{hint}"
        return [table.problem(int(rows[0]), message, kind.title)]
    fault = "missing: this answered row lacks the key" if word == "missing" else "null has no value"
    return [
        table.problem(int(row), f"{fault}, and there is no default", kind.title)
        for row in rows[which]
    ]


def outside_unit(
    table: Judgments, rows: Rows, values: Floats, name: str, advice: str
) -> list[Problem]:
    """What to say where a temperature is put on values that are no probabilities: once."""
    outside = np.flatnonzero(~((values >= 0) & (values <= 1)))
    if not len(outside):
        return []
    first = int(outside[0])
    outlier = f"{shortest(values[first])} is outside 0..1, where temperature works"
    message = f"{outlier}; so are {len(outside)} of {len(rows)} answered rows: {advice}"
    return [table.problem(int(rows[first]), message, name)]


def shortest(value: float) -> str:
    """A number in the fewest digits that tell it apart, without a bare ``.0``.

    >>> shortest(0.9), shortest(800.0)
    ('0.9', '800')
    """
    return repr(float(value)).removesuffix(".0")
