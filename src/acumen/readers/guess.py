"""Which column may play which role: by its name first, then by what is in it.

``acumen map`` proposes what is guessed here; unasked is evaluated by it only what depends on names.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from acumen.readers.answers import MOST_STRAY, Silence, is_code
from acumen.readers.cells import levels_of
from acumen.readers.lookup import Lookup, value_in_text
from acumen.readers.mapping import Cell
from acumen.readers.records import ABSENT, Records, Rows
from acumen.readers.replies import read_levels_said, read_sureness
from acumen.readers.roles import COMMON, CONVENTIONS, DECLARED, DERIVED, DRAWN, HINTS, folded_name
from acumen.table.coded import Coded

LOOKED_AT: Final = 2000
"""Rows of which the content of a column is judged."""
MOST_LEVELS: Final = 25
LONGEST_LEVEL: Final = 40
DEEPEST: Final = 4
MOST_PARTS: Final = 100
"""Elements of a list inside a record that may each be a column."""
_SILENCE: Final = Silence.of(())
_JUDGED: Final = ("truth", "prediction")
_JUDGING: Final = HINTS["truth"] | HINTS["prediction"]
_TRUE: Final = {"expected", "gold", "gt", "truth", "reference"}
"""Words by which a column is no prediction, whatever else its name says."""
_MEASURED: Final = {"token", "tokens", "cost", "latency", "duration", "count", "seconds", "length"}
"""Words by which a column measures a call, and judges nothing."""
_APART: Final = "it differs among the rows of one case"
_NAME: Final = "its name"
_COMMON: Final = "a common name"
_WORD: Final = "a word in its name"
_ROLES: Final = ("confidence", "case", "truth", "prediction", "item")


@dataclass(frozen=True, slots=True)
class Column:
    """A column, or a path into nested rows, with what stands there."""

    path: str
    values: Sequence[Any]
    """Of some rows; None where there is nothing or a word for no answer."""
    silence: tuple[str, ...] = ()
    """The words for no answer: of a truth they may be levels."""
    others: tuple[Any, ...] = ()
    """Values of the other rows, where a column has few."""
    count: int = 0
    """How many values it has in all rows."""
    gaps: int = 0
    """How many of all rows have none."""
    elements: Sequence[Any] = ()
    """The first of its lists, where these are kept as text."""

    @property
    def distinct(self) -> list[Any]:
        """The values, each once, numbers in order."""
        values = {value for value in (*self.values, *self.others) if value is not None}
        return sorted(values, key=lambda value: (isinstance(value, str), value))

    @property
    def missing(self) -> int:
        """Rows without a value."""
        return max(self.gaps, sum(value is None for value in self.values))

    @property
    def is_numeric(self) -> bool:
        """Whether it holds numbers and nothing else."""
        values = self.distinct
        return bool(values) and not any(isinstance(value, str) for value in values)

    @property
    def has_levels(self) -> bool:
        """Whether its values could be the levels of a scale."""
        values = self.distinct
        short = all(len(str(value)) <= LONGEST_LEVEL for value in values)
        return 0 < len(values) <= MOST_LEVELS and short and (self.is_numeric or len(values) < 12)

    @property
    def key(self) -> str:
        """Its name as it is compared, without the path to it."""
        return folded_name(self.path.rsplit(".", 1)[-1])

    @property
    def words(self) -> set[str]:
        """The words of its name."""
        return words_in(self.path.split(".", 1)[-1])


def words_in(name: str) -> set[str]:
    """The words of a name, however it sets them apart.

    >>> sorted(words_in("GPT4_judgeRating"))
    ['4', 'gpt', 'judge', 'rating']
    """
    parts = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+", name)
    return {part.casefold() for part in parts}


@dataclass(frozen=True, slots=True)
class Guess:
    """A column for a role, and why it."""

    column: Column
    reason: str
    by_levels: bool = False
    """Whether it was taken because it has the levels of the other of truth and prediction."""

    @classmethod
    def alike(cls, column: Column, other: Column) -> Guess:
        """A column with the levels of another."""
        return cls(column, f"it has the levels of {other.path}", by_levels=True)


def columns_of(rows: Rows) -> list[Column]:
    """Every column, nested ones by their path."""
    look = Lookup(rows, {})
    paths = dict.fromkeys(leaf_paths(rows, LOOKED_AT))
    columns = [_column(look, path) for path in paths]
    inner = (
        leaf_paths(rows, LOOKED_AT, lists=True) if isinstance(rows, Records) else _listed(columns)
    )
    parts = [p for p in inner if p not in paths and (words_in(p) & _JUDGING or "[name=" in p)]
    judged = [_column(look, path) for path in parts[:MOST_PARTS]]
    return [*columns, *(column for column in judged if column.is_numeric and column.has_levels)]


def _listed(columns: Sequence[Column]) -> Iterator[str]:
    """The elements of lists that are kept as text."""
    for column in columns:
        yield from _parts(column.elements[:MOST_PARTS], column.path)


def leaf_paths(rows: Rows, most: int | None = None, *, lists: bool = False) -> Iterable[str]:
    """Columns, and the paths to single values inside of records, of so many at most."""
    if not isinstance(rows, Records):
        return rows.names
    paths = (path for row in rows.rows[:most] for path in _leaves(row, "", DEEPEST, lists=lists))
    return dict.fromkeys(paths)


def _leaves(value: Mapping[str, Any], at: str, depth: int, *, lists: bool) -> Iterator[str]:
    for key, inner in value.items():
        path = f"{at}{key}"
        if isinstance(inner, Mapping) and depth:
            yield from _leaves(inner, f"{path}.", depth - 1, lists=lists)
        elif isinstance(inner, list):
            if lists and len(inner) <= MOST_PARTS:
                yield from _parts(inner, path)
        elif not isinstance(inner, Mapping):
            yield path


def _parts(values: Sequence[Any], path: str) -> Iterator[str]:
    """The elements of a list; of scores that have names, each by its name."""
    if not any(isinstance(value, list | Mapping) for value in values):
        yield from (f"{path}[{k}]" for k in range(len(values)))
    for value in values:
        name = value.get("name") if isinstance(value, Mapping) else None
        if isinstance(name, str) and name and not {*name} & {*'"\\'}:
            said = name if re.fullmatch(r"[\w.-]+", name) else f'"{name}"'
            yield from (f"{path}[name={said}].{k}" for k in _SCORES if value.get(k) is not None)


_SCORES: Final = ("value", "score")
"""Where a list of scores that have names keeps the level of each."""


def _column(look: Lookup, path: str) -> Column:
    column = look.cells(Cell(path=path), "column")
    coded = Coded.of(levels_of(column, is_text=look.rows.is_text)).used
    key = folded_name(path.rsplit(".", 1)[-1])
    if key in (*CONVENTIONS["confidence"], *COMMON["confidence"]):
        coded, _ = read_sureness(coded)
    elif (
        words_in(key) & _JUDGING
        or any(key in names.get(r, ()) for names in (CONVENTIONS, COMMON) for r in _JUDGED)
        or any(isinstance(v, str) and v[:1] == "{" for v in coded.values[:1])
    ):
        coded = read_levels_said(coded, "").column
    silence = [v for v in coded.values if _SILENCE.is_common(v)]
    kinds = (list, dict, type(ABSENT))
    plain = (str(v).lower() if isinstance(v, bool) else v for v in coded.values)
    lists = {v: part for v in coded.values[:LOOKED_AT] if (part := _list_in(v)) is not None}
    known = [None if isinstance(v, kinds) or v in silence or v in lists else v for v in plain]
    codes = coded.codes[np.linspace(0, len(coded) - 1, min(LOOKED_AT, len(coded))).astype(int)]
    by_code = [*known, None]
    values = [by_code[code] for code in codes.tolist()]
    there = [value is not None for value in known]
    others = tuple(known) if len(known) <= LOOKED_AT else ()
    gaps = len(coded) - int(coded.counts[there].sum())
    first = next(iter(lists.values()), [])
    words = tuple(v for v in silence if v.strip())
    return Column(path, values, words, others, sum(there), gaps, first)


def _list_in(value: object) -> list[Any] | None:
    """The list that a text is in JSON or in Python."""
    inner = value_in_text(value) if isinstance(value, str) and value[:1] == "[" else None
    return inner if isinstance(inner, list) else None


def guess_columns(columns: Sequence[Column], named: Mapping[str, str]) -> dict[str, Guess]:
    """A column for each role that can have one; ``named`` are decided."""
    by_path = {column.path: column for column in columns}
    guesses = {role: Guess(by_path[p], "named") for role, p in named.items() if p in by_path}
    _by_name(columns, guesses)
    if texts := _without_texts(columns, guesses):
        _by_name([column for column in columns if column is not texts], guesses)
    _by_content(columns, guesses)
    if "confidence" in guesses and _is_derived(guesses["confidence"].column, guesses):
        del guesses["confidence"]
    _tell_apart(columns, guesses)
    return guesses


_SURE: Final = ("named", _NAME, _COMMON)
"""Why a column is taken for its role unasked."""


def are_sure(guesses: Mapping[str, Guess]) -> bool:
    """Whether nothing depends on content alone: case, truth and prediction go by their names.

    Words inside of two names do where both columns have the same levels.
    """
    pair = _pair(guesses)
    if not {"truth", "prediction"} <= guesses.keys():
        return False
    reasons = [guesses[role].reason for role in ("case", "truth", "prediction") if role in guesses]
    words = [reason for reason in reasons if reason == _WORD]
    fits = bool(pair) and shares_levels(*pair)
    if any(part.column.path.endswith("]") for part in guesses.values()):
        return False  # one element of a list, which may have others
    others = {guess.reason for guess in guesses.values()} - {*_SURE, _WORD, _APART}
    return not others and (not words or fits)


def _free(columns: Sequence[Column], guesses: Mapping[str, Guess]) -> list[Column]:
    gone = {guess.column.path for guess in guesses.values()}
    return [column for column in columns if column.path not in gone]


def _by_name(columns: Sequence[Column], guesses: dict[str, Guess]) -> None:
    """The best names first: an exact one before a common one before a word inside of it."""
    for exactness, reason in enumerate((_NAME, _COMMON, _WORD)):
        for role in _ROLES:
            if role in guesses:
                continue
            named = [c for c in _free(columns, guesses) if _is_called(c, role, exactness)]
            if fits := list(filter(_CAN[role], named)):
                # of "score" and "ai_score" it is the second that says whose it is
                fits.sort(key=lambda column: not HINTS.get(role, set()) & column.words)
                drawn = [c for c in fits if role == "case" and c.key in DRAWN]
                guesses[role] = Guess([*drawn, *fits][0], reason)


def _without_texts(columns: Sequence[Column], guesses: dict[str, Guess]) -> Column | None:
    """Without a prediction or an item that its name alone proposes, and that it cannot be.

    What a model wrote is no judgment where another column has the levels of the truth, or where no
    truth is known and two other columns have the same numbers; and where every row has an item of
    its own, nothing is asked of several cases. The texts that were taken for the prediction.
    """
    pair, texts = _pair(guesses), None
    answer = guesses.get("prediction")
    if answer and answer.reason == _COMMON and not answer.column.is_numeric:
        free = [
            c for c in _free(columns, guesses) if c.has_levels and not _is_known(c, "prediction")
        ]
        truths = pair[:1] or [c for c in free if c.is_numeric]
        others = any(shares_levels(c, t) for c in free for t in truths if c is not t)
        if others and not (pair and shares_levels(*pair)):
            texts = guesses.pop("prediction").column
    item, case = (guesses.get(role) for role in ("item", "case"))
    if item and case and item.reason in (_NAME, _COMMON):
        values = item.column.values
        if not _twins([case.column]) and len({*values}) == len(values) > 1:
            del guesses["item"]
    return texts


def _is_called(column: Column, role: str, exactness: int) -> bool:
    key = column.key
    if any(key in names for names in DECLARED.values()):
        return False
    if role in _JUDGED and column.words & _MEASURED:
        return False
    if role == "prediction" and (words_in(column.path) if exactness else column.words) & _TRUE:
        return False
    if exactness < 2:
        return key in (CONVENTIONS, COMMON)[exactness].get(role, ())
    others = HINTS["confidence"] if role != "confidence" else set()
    return bool(HINTS.get(role, set()) & column.words) and not others & column.words


_CAN: Final[Mapping[str, Callable[[Column], bool]]] = {
    "confidence": lambda column: column.is_numeric and folded_name(column.path) not in DERIVED,
    "case": lambda column: bool(column.distinct),
    "item": lambda column: bool(column.distinct),
    "truth": lambda column: column.has_levels,
    "prediction": lambda column: column.has_levels,
}


def _by_content(columns: Sequence[Column], guesses: dict[str, Guess]) -> None:
    """What names did not tell: two columns of the same levels, and what tells rows apart."""
    missing = [role for role in ("truth", "prediction") if role not in guesses]
    aside = {name for names in DECLARED.values() for name in names}
    free = [c for c in _free(columns, guesses) if c.has_levels and len(c.distinct) > 1]
    free = [column for column in free if column.key not in aside]
    free.sort(key=lambda column: "truth" not in missing and _is_called(column, "truth", 2))
    other = next((guesses[r].column for r in ("truth", "prediction") if r in guesses), None)
    if len(missing) == 1 and other is not None:
        fits = [c for c in free if shares_levels(c, other)]
        if fits:
            guesses[missing[0]] = Guess.alike(fits[0], other)
    elif len(missing) == 2:
        pair = next(
            ((a, b) for a in free for b in free if a is not b and shares_levels(a, b)), None
        )
        if pair is not None:
            truth, prediction = sorted(pair, key=lambda column: column.missing)
            guesses["truth"] = Guess(truth, "of two columns with the same levels, the fuller one")
            guesses["prediction"] = Guess.alike(prediction, truth)
    if "case" not in guesses and "item" in guesses:
        guesses["case"] = guesses.pop("item")  # a question that nobody owns is what is resampled
    if "case" not in guesses:
        ids = [c for c in _free(columns, guesses) if not c.missing and c.distinct]
        ids = [c for c in ids if isinstance(c.distinct[0], int | str) and len(c.distinct) > 1]
        truths = [guesses["truth"].column] if "truth" in guesses else []
        ids = [c for c in ids if not _twins([c]) or not any(shares_levels(c, t) for t in truths)]
        if ids:
            most = max(ids, key=lambda column: isinstance(column.distinct[-1], str))
            guesses["case"] = Guess(most, "the first column that could name cases")


def shares_levels(one: Column, other: Column) -> bool:
    """Whether half of the levels of either are levels of the other."""
    a, b = {*one.distinct}, {*other.distinct}
    return len(a & b) >= 2 and 2 * len(a & b) >= max(len(a), len(b))


def _pair(guesses: Mapping[str, Guess]) -> list[Column]:
    """The truth and the prediction; nothing where one is not known."""
    roles = ("truth", "prediction")
    return [guesses[role].column for role in roles] if {*roles} <= guesses.keys() else []


def _is_derived(column: Column, guesses: Mapping[str, Guess]) -> bool:
    """Whether a column says how far the prediction is from the truth: it knows the answer."""
    pair = [part for part in _pair(guesses) if len(part.values) == len(column.values)]
    rows = zip(column.values, *(part.values for part in pair), strict=True)
    whole = [(float(c), t, p) for c, t, p in rows if None not in (c, t, p)] if len(pair) > 1 else []
    values = [c for c, _, _ in whole]
    right = [float(t == p) for _, t, p in whole]
    off = [abs(t - p) for _, t, p in whole] if all(part.is_numeric for part in pair) else []
    return len(set(values)) > 1 and values in (right, [1 - r for r in right], off)


def confidences_in(columns: Sequence[Column], guesses: Mapping[str, Guess]) -> list[str]:
    """Columns of many different numbers that could be a confidence, though not by their name."""
    return [
        column.path
        for column in columns
        if _CAN["confidence"](column)
        and len(column.distinct) > MOST_LEVELS // 2
        and (max(column.distinct) <= 1 or max(column.distinct) == 100)
        and min(column.distinct) >= 0
        and not _is_derived(column, guesses)
    ]


def side_by_side(columns: Sequence[Column], guesses: Mapping[str, Guess]) -> dict[str, str | None]:
    """Roles that several columns play: raters who gave a truth, systems, a confidence each.

    None is a role that no column can play then.
    """
    raters, systems = raters_in(columns, guesses), _systems_in(columns, guesses)
    out: dict[str, str | None] = {}
    if len(raters) > 1:
        out["truth"] = ",".join(raters)
    if len(systems) > 1:
        out["prediction"] = ",".join(c.path for c in systems)
        if "confidence" in guesses and guesses["confidence"].reason != "its name":
            each = [_confidence_of(system, columns) for system in systems]
            out["confidence"] = None if None in each else ",".join(filter(None, each))
    return out


def raters_in(columns: Sequence[Column], guesses: Mapping[str, Guess]) -> list[str]:
    """The truth as several columns: they differ by a number in their name alone, or agree."""
    truth = guesses.get("truth")
    if truth is None or truth.reason == "named" or "," in truth.column.path:
        return []
    stem = re.sub(r"\d+", "", truth.column.path)
    alike = [c for c in columns if re.sub(r"\d+", "", c.path) == stem and c.has_levels]
    reason = guesses["prediction"].reason if "prediction" in guesses else ""
    if len(alike) < 2 and reason == _WORD and truth.by_levels:
        free = [c for c in _free(columns, guesses) if c.has_levels and not _is_known(c)]
        alike = [truth.column, *(c for c in free if _agree(c, truth.column))]
    return _listable(alike)


def _systems_in(columns: Sequence[Column], guesses: Mapping[str, Guess]) -> list[Column]:
    """The predictions, where several columns bear names of systems and have the truth's levels."""
    pair = _pair(guesses)
    if not pair or guesses["prediction"].reason not in (_WORD, _COMMON):
        return []
    truth, first = pair
    fits = [c for c in _free(columns, guesses) if c.has_levels and _is_called(c, "prediction", 2)]
    if guesses["prediction"].reason == _COMMON:  # v1.judge and v2.judge
        fits = [c for c in fits if c.key == first.key]
    fits = [c for c in fits if not HINTS["truth"] & c.words and shares_levels(c, truth)]
    return [first, *fits] if _listable([first, *fits]) else []


def _listable(columns: Sequence[Column]) -> list[str]:
    paths = [column.path for column in columns]
    return [] if any("," in path for path in paths) else paths


def _confidence_of(system: Column, columns: Sequence[Column]) -> str | None:
    """The confidence whose name is that of a system and a word for a confidence."""
    for column in columns:
        more = column.words - system.words
        if column.is_numeric and system.words < column.words and more & HINTS["confidence"]:
            return column.path if "," not in column.path else None
    return None


def _is_known(column: Column, but: str = "") -> bool:
    """Whether its name says that it is something else than a judgment, or than one of a role."""
    names = [*DERIVED, *(n for known in DECLARED.values() for n in known)]
    return column.key in names or any(_is_called(column, r, 2) for r in HINTS if r != but)


def _agree(one: Column, other: Column) -> bool:
    """Whether two columns say the same more often than chance would have it."""
    both = [(a, b) for a, b in zip(one.values, other.values, strict=True) if None not in (a, b)]
    first, second = Counter(a for a, _ in both), Counter(b for _, b in both)
    same, size = sum(a == b for a, b in both), max(len(both), 1)
    chance = sum(first[value] * second[value] for value in first) / size
    return shares_levels(one, other) and same - chance > 2.5 * math.sqrt(chance)


def stray_codes(guesses: Mapping[str, Guess]) -> list[str]:
    """Numbers of few predictions that are codes for no answer, likely: below zero, or 99."""
    pair = _pair(guesses)
    if not pair or not pair[0].is_numeric or pair[0].distinct[0] < 0:
        return []
    codes = [v for v in pair[1].distinct if not isinstance(v, str) and is_code(v, pair[0].distinct)]
    answers = pair[1].values
    rows = sum(answers.count(code) for code in codes)
    return [f"{v:g}" for v in codes] if rows <= MOST_STRAY * len(answers) else []


def _tell_apart(columns: Sequence[Column], guesses: dict[str, Guess]) -> None:
    """Columns that tell rows of one case apart: an item, then a draw, a rater, a system."""
    if "case" not in guesses:
        return
    keys = [guesses[role].column for role in ("case", "item") if role in guesses]
    for role in ("system", "rater", "repeat", "item"):  # a name says more than that rows differ
        if role in guesses or not _twins(keys):
            continue
        free = [c for c in _free(columns, guesses) if role == "item" or c.key in DECLARED[role]]
        fits = [column for column in free if _divides(column, keys, wholly=role == "item")]
        if fits and role == "item" and _is_of_raters(guesses):
            guesses["rater"] = Guess(fits[0], "one answer of a case has several truths")
        elif fits:
            keys.append(fits[0])
            guesses[role] = Guess(fits[0], _APART)
    case, item = guesses["case"], guesses.get("item", guesses["case"])
    is_item = case.column.key in (*CONVENTIONS["item"], *COMMON["item"])
    more = len(item.column.distinct) > len(case.column.distinct)
    if is_item and case.reason != "named" and item.reason == _APART and more:
        reason = f"it tells rows of one {case.column.path} apart"  # few questions to each of many
        guesses |= {"case": Guess(item.column, reason), "item": case}


def _is_of_raters(guesses: Mapping[str, Guess]) -> bool:
    """Whether the prediction is the same in all rows of a case, and the truth is not."""
    if not {"case", "truth", "prediction"} <= guesses.keys():
        return False
    case, truth, answer = (guesses[r].column.values for r in ("case", "truth", "prediction"))
    cases = len(set(case))
    return len({*zip(case, answer, strict=True)}) == cases < len({*zip(case, truth, strict=True)})


def _twins(keys: Sequence[Column]) -> int:
    rows = list(zip(*(column.values for column in keys), strict=True))
    return len(rows) - len(set(rows))


def _divides(column: Column, keys: Sequence[Column], *, wholly: bool) -> bool:
    """Whether a column of names tells rows apart that the keys do not."""
    if column.missing or not all(isinstance(value, int | str) for value in column.distinct):
        return False
    left = _twins([*keys, column])
    return left == 0 if wholly else left < _twins(keys)
