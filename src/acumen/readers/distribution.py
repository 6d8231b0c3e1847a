"""Probabilities of levels as people and models write them -> one probability a row and level.

They come as a column for each level, or as one column that holds in each row

* a list, lowest level first, or a mapping from levels to numbers;
* objects that name a level and a number, as classifiers and token log-probabilities do;
* an answer of a decision model: its ``probabilities``, a yes-or-no probability, or a refusal;
* the levels that several draws came to.

Numbers of which none is above 0 are logarithms. Probabilities may miss a sum of 1 by what rounding
to two digits can do; a level that a mapping does not name has none. Nothing else is mended.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from acumen.errors import DataError, UsageError, counted, label, what_came
from acumen.readers.answers import Fault, Silence
from acumen.readers.cells import numbers_of, plain_column
from acumen.readers.lookup import value_in_text
from acumen.readers.records import ABSENT
from acumen.table.coded import Coded, is_missing
from acumen.table.distribution import POINT, POINTS, best_level
from acumen.table.judgments import NO_PREDICTION, Signal, SignalState
from acumen.table.levels import levels_seen, number_in
from acumen.table.losses import AnyLoss, find_loss
from acumen.table.scale import Scale
from acumen.types import Floats

ROUNDING: Final = 0.005
"""What rounding to two digits can take from a probability, or add to it."""
MOST_OFF: Final = 0.05
"""A sum is never further from 1 than this, however many levels there are."""
PERCENT: Final = 100.0
_NAMES: Final = ("label", "level", "value", "option", "choice", "token", "name", "class")
_NUMBERS: Final = ("probability", "prob", "p", "logprob", "share", "weight", "score")
_INNER: Final = ("probabilities", "top_logprobs")
_YES: Final = ("predicate", "noul")
"""Kinds of answers that are the probability of a yes."""
_EXPECTED: Final = "a list or a mapping of probabilities is expected"
_NO_NUMBER: Final = "where a probability is expected"

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Entry:
    """What one row holds, before it is on a scale."""

    numbers: Sequence[Any] = ()
    names: Sequence[Sequence[Any]] = ()
    """What each number may be the probability of: one spelling or several. None by place."""
    in_order: bool = False
    """Whether the numbers stand in the order of the levels, whatever they are called."""
    refused: bool = False
    own: float | None = None
    """The answer that a decision model gives beside them, in levels from the lowest."""
    confidence: float | None = None
    fault: str | None = None


NONE: Final = Entry()
"""A row without probabilities."""


@dataclass(frozen=True, eq=False)
class Probabilities:
    """A column of entries, or a column a level."""

    entries: Sequence[Entry] = ()
    columns: Sequence[Signal] = ()
    names: Sequence[str] = ()
    """Of the columns."""

    @classmethod
    def of(cls, distribution: Any) -> Probabilities:
        """From what a caller gives: a column a level by name, an array, or a column of cells."""
        if isinstance(distribution, Probabilities):
            return distribution
        if isinstance(distribution, Mapping):
            columns = [
                numbers_of(plain_column(column, str(name)), nan_is_null=True)
                for name, column in distribution.items()
            ]
            return cls(columns=columns, names=[*map(str, distribution)])
        array = np.asarray(distribution) if isinstance(distribution, np.ndarray) else None
        if array is not None and array.ndim == 2 and array.dtype.kind in "iuf":
            parts = [Signal.of_numbers(part, np.isnan(part)) for part in array.astype(float).T]
            return cls(columns=parts)
        cells = array.tolist() if array is not None else plain_column(distribution, "distribution")
        cells = cells.spread([*cells.values], None, object) if isinstance(cells, Coded) else cells
        return cls(entries=[entry_of(cell) for cell in cells])

    def __len__(self) -> int:
        return len(self.columns[0].values) if self.columns else len(self.entries)

    def take(self, rows: NDArray[np.int64]) -> Probabilities:
        """Those of some rows."""
        if self.columns:
            return replace(self, columns=[column.take(rows) for column in self.columns])
        return replace(self, entries=[self.entries[row] for row in rows.tolist()])

    @property
    def level_names(self) -> list[Any]:
        """What they say of the levels there are, for a scale that nobody named."""
        if self.columns:
            parts = map(number_in, _level_parts(self.names))
            return [number for number in parts if number is not None]
        names: dict[Any, None] = {}
        draws = _draws_beyond_one(self.entries)
        for entry in self.entries:
            if entry.in_order:  # what counts them is no level; a label may be
                names |= dict.fromkeys(n for n in map(_bare, entry.names[0]) if number_in(n))
            elif entry.names:
                best = max(entry.names, key=_numbers_in)
                names |= dict.fromkeys(_bare(name) for name in best)
            elif draws:
                names |= dict.fromkeys(v for v in entry.numbers if not is_missing(v))
        return list(names)


@dataclass(frozen=True, eq=False)
class Distribution:
    """Probabilities on a scale, and what became of the rows that have none."""

    values: Floats
    """``(row, level)``: NaN throughout a row that has none."""
    outcome: Mapping[str, Mask]
    """Rows of which the probabilities say what became of them."""
    own: NDArray[np.int16] | None = None
    confidence: Signal | None = None
    faults: list[Fault] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def predictions(self, scale: Scale, point: str | None, loss: AnyLoss) -> list[Any]:
        """The level of each row by a point, None where there are no probabilities."""
        costs = np.array(find_loss(POINTS.get(point or POINT, loss)).costs(scale))
        best = np.where(np.isnan(self.values[:, 0]), NO_PREDICTION, best_level(self.values, costs))
        levels = [*scale.levels, None]
        return [levels[rank] for rank in best.tolist()]

    def outcomes(self, stated: Coded | None) -> Coded | None:
        """A column of outcomes: as stated, else as the probabilities say."""
        if not any(mask.any() for mask in self.outcome.values()):
            return stated
        names: list[Any] = [None] * len(self.values)
        for name, mask in self.outcome.items():
            for row in np.flatnonzero(mask).tolist():
                names[row] = name
        if stated is not None:
            codes = enumerate(stated.codes.tolist())
            names = [names[at] if code < 0 else stated.values[code] for at, code in codes]
        return Coded.of(names)


def entry_of(cell: Any) -> Entry:
    """What a cell holds: a list, a mapping, objects, an answer of a decision model, or nothing."""
    if isinstance(cell, np.ndarray):
        cell = cell.tolist()
    if isinstance(cell, str):
        inner = value_in_text(cell)
        if inner is ABSENT or isinstance(inner, str):
            silent = Silence.of(()).is_common(cell)
            return NONE if silent else Entry(fault=f"{_EXPECTED}, not {what_came(cell)}")
        cell = inner
    if cell is ABSENT or (not isinstance(cell, list | tuple | dict) and is_missing(cell)):
        return NONE
    if isinstance(cell, Mapping):
        return _of_mapping(cell)
    if not isinstance(cell, list | tuple):
        return Entry(fault=f"{_EXPECTED}, not {what_came(cell)}")
    if not cell:
        return Entry(fault="an empty list holds no probabilities")
    if all(isinstance(part, Mapping) for part in cell):
        is_answer = any("type" in part or "probabilities" in part for part in cell)
        return _of_mapping({"answers": cell}) if is_answer else _of_objects(cell)
    return Entry(numbers=tuple(cell))


def _of_mapping(cell: Mapping[Any, Any]) -> Entry:
    kind, only = cell.get("type"), next(iter(cell.values()), None)
    if len(cell) == 1 and isinstance(only, Mapping):
        return entry_of(only)
    if kind == "refusal":
        return Entry(refused=True)
    if isinstance(answers := cell.get("answers"), list | Mapping):
        several = list(answers.values()) if isinstance(answers, Mapping) else answers
        if len(several) == 1:
            return entry_of(several[0])
        hint = "name the path of one, such as --distribution answers[0]"
        return Entry(fault=f"it holds {len(several)} answers: {hint}")
    if isinstance(tokens := cell.get("content"), list):  # of a reply's log-probabilities
        if len(tokens) == 1:
            return entry_of(tokens[0])
        hint = "name the path of the rating, such as --distribution logprobs.content[0]"
        return Entry(fault=f"it holds {len(tokens)} tokens: {hint}")
    if kind in _YES:
        yes = cell.get("probability", cell.get(str(kind)))
        is_number = isinstance(yes, int | float) and not isinstance(yes, bool)
        return Entry(numbers=((1 - yes, yes) if is_number else (None, yes)))
    inner = next((cell[key] for key in _INNER if key in cell), None)
    if inner is None and not any(key in cell for key in _INNER):
        if not cell:
            return Entry(fault="an empty mapping holds no probabilities")
        return Entry(numbers=tuple(cell.values()), names=(tuple(cell),))
    entry = entry_of(inner)
    legend = cell.get("legend")
    if isinstance(legend, Mapping) and entry.names:
        titles = tuple(legend.get(str(name), name) for name in entry.names[0])
        entry = replace(entry, names=(titles, *entry.names))
    own, confidence = (_number(cell.get(key)) for key in ("score", "confidence"))
    if own is not None:
        own -= _lowest(entry)
    return replace(entry, in_order=kind == "score", own=own, confidence=confidence)


def _lowest(entry: Entry) -> float:
    """The number of the lowest level, from which a score is counted."""
    spelled = ([number_in(_bare(name)) for name in names] for names in entry.names)
    numbers = [[n for n in names if n is not None] for names in spelled]
    # the last spelling is what it counts in: a label may be a number of another scale
    whole = [min(part) for part in numbers if part and len(part) == len(entry.numbers)]
    return whole[-1] if whole else 0.0


def _of_objects(cells: Sequence[Mapping[str, Any]]) -> Entry:
    """Objects that name a level and its probability, as lists of classifiers hold them."""
    number = next((key for key in _NUMBERS if all(key in cell for cell in cells)), None)
    names = [key for key in _NAMES if key != number and all(key in cell for cell in cells)]
    if number is None or not names:
        keys = ", ".join(label(key) for key in list(cells[0])[:8])
        return Entry(fault=f"objects with a label and a probability are expected; they have {keys}")
    spellings = tuple(tuple(cell[name] for cell in cells) for name in names)
    return Entry(numbers=tuple(cell[number] for cell in cells), names=spellings)


def _number(value: Any) -> float | None:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return float(value) if is_number and math.isfinite(value) else None


def _bare(name: Any) -> Any:
    return name.strip() if isinstance(name, str) else name


def _numbers_in(names: Sequence[Any]) -> int:
    return sum(number_in(_bare(name)) is not None for name in names)


def _draws_beyond_one(entries: Iterable[Entry]) -> bool:
    """Whether lists hold levels, as draws do, and no probabilities: by what no probability is."""
    values = [v for e in entries if not e.names for v in e.numbers if not is_missing(v)]
    numbers = [number for value in values if (number := number_in(value)) is not None]
    words = sum(isinstance(value, str) and number_in(value) is None for value in values)
    on_halves = all(float(2 * number).is_integer() for number in numbers)
    return words + len(numbers) == len(values) and on_halves and (max(numbers, default=2) > 1)


def _level_parts(names: Sequence[str]) -> list[str]:
    """What tells the names of columns apart: ``p_1``, ``p_2`` say 1 and 2.

    >>> _level_parts(["p_1", "p_10"]), _level_parts(["prob_low", "prob_high"])
    (['1', '10'], ['low', 'high'])
    """
    if len(names) < 2:
        return list(names)
    before = re.sub(r"[\d.+-]*$", "", _shared(names))
    if not all(re.fullmatch(r"\d+(\.\d+)?", name[len(before) :]) for name in names):
        before = re.sub(r"[^\W_]*$", "", before)  # up to a mark: "low" and "lower" share nothing
    after = re.sub(r"^[^\W_]*(\.\d[^\W_]*)?", "", _shared([name[::-1] for name in names])[::-1])
    return [name[len(before) : len(name) - len(after)] for name in names]


def _shared(names: Sequence[str]) -> str:
    """The beginning that all of them have."""
    low, high = min(names), max(names)
    same = (at for at, (a, b) in enumerate(zip(low, high, strict=False)) if a != b)
    return low[: next(same, min(len(low), len(high)))]


@dataclass
class _Levels:
    """What names of levels are on a scale: a rank, no answer, or nothing."""

    scale: Scale
    silence: Silence
    known: dict[Any, int | None] = field(default_factory=dict)

    @property
    def silent(self) -> int:
        """Stands for a word for no answer."""
        return len(self.scale.levels)

    def rank(self, name: Any) -> int | None:
        """The rank of a level; None where the name is of none."""
        key = (type(name), name) if not isinstance(name, list | dict) else None
        if key is None:
            return None
        if key not in self.known:
            self.known[key] = self._rank(_bare(name))
        return self.known[key]

    def _rank(self, name: Any) -> int | None:
        if isinstance(name, bool):
            name = str(name).lower() if not self.scale.is_numeric else int(name)
        number = number_in(name) if self.scale.is_numeric else None
        try:
            return self.scale.rank(name if number is None else number)
        except ValueError:
            text = str(name)
            declared = self.silence.declared and not [*self.silence.open(Coded.of([text]))]
            return self.silent if declared or (text and self.silence.is_common(text)) else None

    def of(self, entry: Entry) -> list[int | None] | None:
        """The ranks of an entry's names, in the spelling that fits; None where none does."""
        for names in entry.names:
            ranks = [self.rank(name) for name in names]
            if None not in ranks:
                return ranks
        return None


def read_distribution(
    probabilities: Probabilities,
    scale: Scale,
    silence: Silence = Silence(frozenset()),  # noqa: B008
) -> Distribution:
    """Probabilities on a scale, with everything that is wrong with them."""
    if probabilities.columns:
        return _of_columns(probabilities, scale)
    levels, size, n = _Levels(scale, silence), len(scale.levels), len(probabilities)
    raw, faults = np.full((n, size + 1), np.nan), []
    entries = probabilities.entries
    are_draws, are_logs = _are_draws(entries, levels), _are_logs(entries)
    beside = 0
    for row, entry in enumerate(entries):
        place = None if are_draws else _places(entry, levels, are_logs=are_logs)
        if entry is NONE or entry.refused:
            continue
        if entry.fault is not None or isinstance(place, str):
            faults.append(Fault(row, entry.fault or str(place)))
            continue
        if are_draws:
            raw[row] = _shares(entry, levels)
            continue
        assert place is not None
        numbers, fault = _numbers(entry, are_logs=are_logs)
        if fault:
            faults.append(Fault(row, fault))
            continue
        raw[row] = 0.0
        for rank, number in zip(place, numbers, strict=True):
            if rank is None:
                beside += 1
            else:
                raw[row, rank] += number
    notes = []
    if are_logs:
        notes.append(_of_logs(raw, beside))
    reading = _checked(raw, scale, faults, notes, are_logs=are_logs)
    refused = np.fromiter((e.refused for e in entries), bool, n)
    outcome = {"refused": refused, **reading.outcome}
    return replace(
        reading,
        outcome=outcome,
        own=_own(entries, size),
        confidence=_confidence(entries),
    )


def _places(entry: Entry, levels: _Levels, *, are_logs: bool) -> list[int | None] | str:
    """The rank of each number, or what is wrong with their names."""
    size, ranks = len(levels.scale.levels), levels.of(entry)
    if ranks is None and (entry.in_order or not entry.names):
        if len(entry.numbers) == size:
            return [*range(size)]
        kinds = "probability" if len(entry.numbers) == 1 else "probabilities"
        hint = "; name every level: --levels LOWEST-HIGHEST" if levels.scale.inferred else ""
        return f"{len(entry.numbers)} {kinds} for {size} levels ({levels.scale.allowed}){hint}"
    if ranks is None:
        ranks = [levels.rank(name) for name in entry.names[0]]
        bad = [name for name, rank in zip(entry.names[0], ranks, strict=True) if rank is None]
        if not are_logs:  # of tokens, most are no level
            return f"{what_came(bad[0])} is not one of {levels.scale.allowed}"
        return ranks
    twice = [rank for rank, n in Counter(ranks).items() if n > 1 and rank != levels.silent]
    if twice and not are_logs:  # two tokens may spell one level: " 4" and "4"
        level = levels.scale.levels[twice[0] or 0]
        return f"the level {what_came(level)} is given twice"
    return ranks


def _numbers(entry: Entry, *, are_logs: bool) -> tuple[list[float], str]:
    """The numbers of an entry, or what is wrong with one."""
    out = []
    for value in entry.numbers:
        if value is None and entry.names:
            return [], f"null {_NO_NUMBER}; a level without probability is left out"
        if isinstance(value, bool) or not isinstance(value, int | float):
            return [], f"{what_came(value)} {_NO_NUMBER}"
        if math.isnan(value):
            return [], "NaN is not a probability"
        if math.isinf(value) and not (are_logs and value < 0):
            return [], f"{what_came(value)} is not a probability"
        out.append(math.exp(value) if are_logs else float(value))
    return out, ""


def _are_logs(entries: Iterable[Entry]) -> bool:
    """Whether numbers are logarithms: none is above 0, and some are below."""
    numbers = [v for e in entries for v in e.numbers if isinstance(v, int | float)]
    return bool(numbers) and max(numbers) <= 0 and min(numbers) < 0


def _of_logs(raw: Floats, beside: int) -> str:
    """What to tell of logarithms: how much of the mass is on levels; the rest is divided away."""
    mass = raw.sum(axis=1)
    there = np.isfinite(mass) & (mass > 0)
    mean = f"{mass[there].mean():.0%}" if there.any() else "none"
    tokens = f", {counted(beside, 'name')} that are no level left out" if beside else ""
    over = mass[there, None]
    raw[there] = np.where(over <= 1 + MOST_OFF, raw[there] / np.maximum(over, 1e-300), raw[there])
    return f"distribution: read as log-probabilities; {mean} of the mass is on the levels{tokens}"


def _are_draws(entries: Sequence[Entry], levels: _Levels) -> bool:
    """Whether lists hold the levels that draws came to, and are no probabilities."""
    lists = [entry.numbers for entry in entries if entry.numbers and not entry.names]
    if not lists or any(entry.names for entry in entries):
        return False
    if any(levels.rank(value) is None for draws in lists for value in _drawn(draws)):
        return False
    off = min(MOST_OFF, ROUNDING * len(levels.scale.levels))
    return not all(
        len(draws) == len(levels.scale.levels)
        and all(isinstance(v, int | float) and not isinstance(v, bool) for v in draws)
        and abs(sum(draws) - 1.0) <= off
        for draws in lists
    )


def _drawn(draws: Sequence[Any]) -> Iterator[Any]:
    """Draws that came to something; null is no answer."""
    return (draw for draw in draws if not is_missing(draw))


def _shares(entry: Entry, levels: _Levels) -> Floats:
    """How often each level was drawn; the last is no answer."""
    ranks = [levels.silent if is_missing(v) else levels.rank(v) for v in entry.numbers]
    counts = np.bincount([r for r in ranks if r is not None], minlength=levels.silent + 1)
    return np.asarray(counts / counts.sum(), np.float64)


def _own(entries: Sequence[Entry], size: int) -> NDArray[np.int16] | None:
    """The level next to the score that a decision model gives, counted from the lowest."""
    if all(entry.own is None for entry in entries):
        return None
    scores = [np.nan if entry.own is None else entry.own for entry in entries]
    near = np.ceil(np.array(scores) - 0.5)
    return np.where((near >= 0) & (near < size), near, NO_PREDICTION).astype(np.int16)


def _confidence(entries: Sequence[Entry]) -> Signal | None:
    if all(entry.confidence is None for entry in entries):
        return None
    values = np.array([np.nan if e.confidence is None else e.confidence for e in entries])
    return Signal.of_numbers(values, np.isnan(values))


def _of_columns(probabilities: Probabilities, scale: Scale) -> Distribution:
    """A column for each level: by its name where it names one, else by its place."""
    place, notes = _column_places(probabilities, scale)
    raw = np.full((len(probabilities), len(place) + 1), np.nan)
    faults: list[Fault] = []
    for rank, column in zip(place, probabilities.columns, strict=True):
        raw[:, rank] = column.values
        faults += [
            Fault(row, f"{what_came(value)} {_NO_NUMBER}") for row, value in column.other.items()
        ]
    gaps = np.isnan(raw[:, :-1])
    raw[~gaps.all(axis=1), -1] = 0.0
    wrong = {fault.row for fault in faults}
    for row in np.flatnonzero(gaps.any(axis=1) & ~gaps.all(axis=1)).tolist():
        if row not in wrong:
            level = scale.levels[int(np.argmax(gaps[row]))]
            state = probabilities.columns[place.index(int(np.argmax(gaps[row])))].state[row]
            what = "a number as" if state == SignalState.NUMBER else "a"
            faults.append(Fault(row, f"there is not {what} probability of {what_came(level)}"))
    raw[gaps.any(axis=1)] = np.nan
    inside = raw[:, :-1][~gaps]
    are_logs = bool(len(inside)) and bool(inside.max() <= 0) and bool(inside.min() < 0)
    if are_logs:
        raw[:, :-1] = np.exp(raw[:, :-1])
        notes.append(_of_logs(raw, 0))
    return _checked(raw, scale, faults, notes, are_logs=are_logs)


def _column_places(probabilities: Probabilities, scale: Scale) -> tuple[list[int], list[str]]:
    """The rank of each column."""
    size, names = len(scale.levels), probabilities.names
    listed = f"{len(probabilities.columns)} columns of probabilities"
    if len(set(names)) < len(names):
        twice = next(name for name, n in Counter(names).items() if n > 1)
        raise UsageError(f"the column {label(twice)} is named twice in the distribution")
    levels = _Levels(scale, Silence(frozenset()))
    parts = _level_parts(names)
    ranks = [levels.rank(part) for part in parts]
    if len(probabilities.columns) == size and names and None not in ranks:
        if len(set(ranks)) < size:
            level = scale.levels[Counter(ranks).most_common(1)[0][0] or 0]
            raise DataError([f"distribution: the level {what_came(level)} is given twice"])
        return [rank or 0 for rank in ranks], []
    if len(probabilities.columns) != size:
        hint = "one is needed for each"
        hint = "name every level: --levels LOWEST-HIGHEST" if scale.inferred else hint
        raise DataError([f"distribution: {listed} for {size} levels ({scale.allowed}); {hint}"])
    numbers = [number for part in parts if (number := number_in(part)) is not None]
    if names and (len(numbers) < size or len(levels_seen(numbers)) != size):
        unknown = next(part for part, rank in zip(parts, ranks, strict=True) if rank is None)
        raise DataError(
            [
                f"distribution: {label(unknown)} is not one of {scale.allowed}, so the order of "
                f"the columns is not known; name the levels, lowest first: --levels "
                f"{','.join(parts)}"
            ]
        )
    if not names:
        return [*range(size)], []
    order = np.argsort(numbers).argsort().tolist()
    first = f"{label(names[order.index(0)])} is the level {what_came(scale.levels[0])}"
    return order, [f"distribution: the columns are the levels in their order: {first}, and so on"]


def _checked(
    raw: Floats, scale: Scale, faults: list[Fault], notes: list[str], *, are_logs: bool
) -> Distribution:
    """Probabilities of levels and, last, of no answer: what is wrong, else each over their sum."""
    size = len(scale.levels)
    there = ~np.isnan(raw[:, 0])
    p = raw[there]
    rows, sums = np.flatnonzero(there), p.sum(axis=1)
    off = min(MOST_OFF, ROUNDING * size) + 1e-9
    empty = sums <= 0
    wrong = {
        "negative": (p < 0).any(axis=1),
        "above": (p > 1 + off).any(axis=1),
        "empty": empty & (not are_logs),  # of tokens, none may be a level
        "sum": (np.abs(sums - 1.0) > off) & ~empty,
    }
    is_percent = bool(len(p)) and bool((np.abs(sums - PERCENT) < 1.5).all())
    bad = np.zeros(len(p), bool)
    for kind, mask in wrong.items():
        for at in np.flatnonzero(mask & ~bad).tolist():
            word = _word(kind, p[at], sums[at], is_percent=is_percent, are_logs=are_logs)
            faults.append(Fault(int(rows[at]), word))
        bad |= mask
    values = np.full((len(raw), size), np.nan)
    outcome = {name: np.zeros(len(raw), bool) for name in ("abstained", "unparseable")}
    good = ~bad & ~empty
    silent = p[:, -1] > p[:, :-1].max(axis=1, initial=0.0)
    outcome["abstained"][rows[good & silent]] = True
    outcome["unparseable"][rows[empty & are_logs]] = True
    some = good & ~silent
    on_levels = p[some, :-1]
    values[rows[some]] = on_levels / on_levels.sum(axis=1, keepdims=True)
    rounded = good & (np.abs(sums - 1.0) > 1e-6)
    if rounded.any():
        low, high = sums[rounded].min(), sums[rounded].max()
        span = f"{low:.7g}" if low == high else f"{low:.7g} to {high:.7g}"
        many = counted(int(rounded.sum()), "row")
        notes.append(f"distribution: in {many} the probabilities sum to {span}; divided by it")
    faults.sort(key=lambda fault: fault.row)
    return Distribution(values, outcome, faults=faults, notes=notes)


def _word(kind: str, p: Floats, total: float, *, is_percent: bool, are_logs: bool) -> str:
    """What is wrong with a row of numbers."""
    if are_logs:
        as_logs = "none is above 0, so they are read as log-probabilities"
        return f"the numbers are no probabilities: {as_logs}, and these sum to {total:.6g}"
    percent = "; the rows sum to 100: divide percent by 100" if is_percent else ""
    match kind:
        case "negative":
            return f"{p[p < 0][0]:g} is not a probability: it is negative"
        case "above":
            return f"{p.max():g} is not a probability: it is above 1{percent}"
        case "empty":
            return "the probabilities are all 0"
        case _:
            return f"the probabilities sum to {total:.6g}, not to 1{percent}"
