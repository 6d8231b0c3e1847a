"""What the values of truth and prediction say: a level, no answer, or nothing that can be read.

A column has few distinct values, so each is looked at once, and told once with its count.
"""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from acumen.errors import DataError, OffScaleError, counted, printable, what_came
from acumen.files.text import folded
from acumen.readers.words import is_ordered_word, usual_order
from acumen.table.coded import Coded
from acumen.table.judgments import LEFT_OUT, NO_PREDICTION, NO_TRUTH, Judgments, Outcome
from acumen.table.levels import levels_seen, number_in
from acumen.table.scale import Scale, scales_by_items

SILENCE: Final = (
    *("", "-", "NA", "N/A", "None", "NaN", "null", "abstain", "abstained", "cannot_assess"),
)
UNJUDGED: Final = (
    *("unanswerable", "not answerable", "cannot answer", "can't answer", "no answer"),
    *("cannot judge", "can't judge", "cannot be judged", "not judgeable", "cannot tell"),
    *("can't tell", "cannot say", "can't say", "cannot determine", "undetermined", "undecidable"),
    *("insufficient", "insufficient information", "insufficient evidence", "not enough info"),
    *("not enough information", "not enough evidence", "unclear", "abstain", "abstained"),
)
"""Words of a truth that mean, most likely, that a row cannot be judged."""
NO_IDEA: Final = ("I don't know", "I do not know", "don't know")
CODES: Final = frozenset([-1, -8, -9, -88, -99, -999, 77, 88, 98, 99, 777, 888, 998, 999, 9999])
"""Numbers that tables have for no answer."""
MOST_STRAY: Final = 0.1
"""The share of predictions that may be numbers beside a scale; beyond it the scale is wrong."""
FAR: Final = 10
"""How many times as large as every other number one is that is no level of theirs."""
SHOWN_VALUES: Final = 5
"""Values beyond this many are told together."""
_OUTCOMES: Final = {outcome.name.lower(): outcome for outcome in Outcome}
_FAULT: Final = len(Outcome)
"""Stands for an outcome where a value cannot be read."""

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong in a row, and in how many rows in all."""

    row: int
    message: str | ValueError
    rows: int = 1


def word_of(value: object) -> str:
    """A value as words for no answer are compared: in any spelling."""
    number = number_in(value)
    return folded((str(value) if number is None else str(number)).replace("’", "'"))


_UNJUDGED: Final = frozenset(map(word_of, (*UNJUDGED, *NO_IDEA)))
_COMMON: Final = frozenset(map(word_of, (*SILENCE, *NO_IDEA)))


@dataclass(frozen=True, slots=True)
class Silence:
    """The words for no answer: those that were declared, and the common ones."""

    declared: frozenset[str]

    @classmethod
    def of(cls, words: Iterable[object]) -> Silence:
        """The words that were declared, a single one or several."""
        return cls(frozenset(map(word_of, [words] if isinstance(words, str) else words)))

    def is_common(self, value: object) -> bool:
        """Whether a text is a common word for no answer."""
        return isinstance(value, str) and word_of(value) in _COMMON

    def open(self, column: Coded | None) -> Iterator[Any]:
        """The values of a column that are meant to be levels."""
        for value in () if column is None else column.values:
            if not self.is_common(value) and word_of(value) not in self.declared:
                yield value

    def numbers(self, column: Coded | None) -> list[int | float]:
        """The numbers among them."""
        values = map(number_in, self.open(column))
        return [number for number in values if number is not None]


NOTHING: Final = Silence(frozenset())
"""No word is declared, such as of a truth that always has a level."""


def unjudged_in(values: Iterable[object]) -> list[str]:
    """The values of a truth that mean, most likely, that a row cannot be judged.

    >>> unjudged_in([0, "Cannot tell", "high", "N/A"])
    ['Cannot tell']
    """
    return [value for value in values if isinstance(value, str) and word_of(value) in _UNJUDGED]


def choose_scale(
    item: Coded | None,
    truth: Coded | None,
    prediction: Coded,
    silence: Silence,
    unanswerable: Silence = NOTHING,
) -> Scale:
    """The scale of data that name none: that of their items, or the range of their numbers."""
    has_truth = truth is not None and bool(truth.values)
    first = list(unanswerable.open(truth) if has_truth else silence.open(prediction))
    words = [value for value in first if number_in(value) is None]
    numbers = [*unanswerable.numbers(truth), *silence.numbers(prediction)]
    if are_boolean(truth, prediction):
        return Scale.of((False, True), inferred=True)
    items = () if item is None else item.values
    for scale in scales_by_items() if items else ():
        is_theirs = all(name in scale.items for name in items)
        if is_theirs and scale.is_numeric is (len(words) < len(first)):
            return scale
    how = "(scale= in Python)"
    if words and len(words) == len(first):
        if has_truth and truth is not None:  # what is a word for no answer elsewhere may be a level
            open_words = unanswerable.declared
            words = [w for w in truth.values if str(w).strip() and word_of(w) not in open_words]
        answers = [value for value in silence.open(prediction) if number_in(value) is None]
        if order := usual_order([*words, *answers]) or usual_order(words):
            return Scale.of(order, inferred=True)
        texts = sorted({printable(str(word)) for word in words}, key=str.casefold)
        some = ", ".join(texts[:12]) + (", …" if len(texts) > 12 else "")
        raise DataError(
            [
                f"the levels are {len(texts)} words, here by the alphabet ({some}), and their "
                f"order is not known: say it, lowest first: --levels LOWEST,…,HIGHEST {how}"
            ]
        )
    if has_truth and truth is not None:
        _refuse_codes(truth, prediction, unanswerable, silence)
        _refuse_ranges(unanswerable.numbers(truth), silence.numbers(prediction))
    levels = levels_seen(numbers)
    if not levels:
        distinct = sorted(set(numbers))
        seen = ", ".join(map(str, distinct[:SHOWN_VALUES])) or "none"
        why = "too few to tell the scale" if len(distinct) < 2 else "not evenly spaced levels"
        raise DataError([f"the levels in it are {seen}: {why}; name them: --levels 1-5 {how}"])
    return Scale.of(levels, inferred=True)


def is_code(number: float, levels: Collection[float]) -> bool:
    """Whether a number beside these levels stands for no answer: it is negative, or far above them.

    >>> is_code(99, [1, 5]), is_code(-1, [0, 3]), is_code(-1, [-3, 3]), is_code(99, [50, 100])
    (True, True, False, False)
    """
    if not levels or min(levels) < 0:
        return False
    return number < 0 or (number in CODES and number > 4 * max(levels))


def _far_above(truths: Sequence[float], prediction: Coded, silence: Silence) -> set[float]:
    """Few predictions many times as large as every other number, such as the codes of errors."""
    pairs = zip(prediction.values, prediction.counts, strict=True)
    said = {*silence.numbers(prediction)}
    rows = {
        n: int(count) for value, count in pairs if (n := number_in(value)) in said and n is not None
    }
    top = max(truths, default=0)
    for low, high in pairwise(sorted({*truths, *rows})):
        if low >= top and high > FAR * low > FAR:
            far = {number for number in rows if number >= high}
            return far if sum(rows[n] for n in far) <= MOST_STRAY * len(prediction) else set()
    return set()


def _refuse_codes(truth: Coded, prediction: Coded, unanswerable: Silence, silence: Silence) -> None:
    """Refuse numbers that stand for no answer in many tables: they would stretch a scale."""
    numbers = {*unanswerable.numbers(truth), *silence.numbers(prediction)}
    codes = {n for n in numbers if n in CODES and is_code(n, numbers - CODES)}
    codes |= _far_above(unanswerable.numbers(truth), prediction, silence)
    if not codes:
        return
    low, high = min(numbers - codes), max(numbers - codes)
    for role, column in (("truth", truth), ("prediction", prediction)):
        for value, rows in zip(column.values, column.counts, strict=True):
            if (number := number_in(value)) in codes and (count := int(rows)):
                is_rare = role == "truth" or count <= MOST_STRAY * len(column)
                option = {"truth": "unanswerable", "prediction": "abstain"}[role]
                kind = "this cannot be judged" if role == "truth" else "there is no answer"
                hint = f"if it says that {kind}: --{option} {number:g}; " if is_rare else ""
                every = (
                    f"--levels {low:g}-{high:g}" if number < 0 else f"--levels {low:g}-{number:g}"
                )
                raise DataError(
                    [
                        f"{role}: {number:g} in {counted(count, 'row')} lies far from the other "
                        f"numbers ({low:g} to {high:g}), as a code for no answer does; {hint}"
                        f"if the levels are others: {every}"
                    ]
                )


def is_like_level(text: str) -> bool:
    """Whether a text has a number or a word for a level in it: then it is no word for no answer.

    >>> [is_like_level(text) for text in (">3", "4 or 5", "ok", "no idea")]
    [True, True, True, False]
    """
    return any(character.isdigit() for character in text) or is_ordered_word(text)


def _refuse_ranges(truths: Collection[float], answers: Collection[float]) -> None:
    """Refuse a truth and a prediction on scales that have little to do with each other."""
    if not truths or not answers or min(*truths, *answers) < 0:
        return
    tops = max(truths), max(answers)
    alike = {*truths} & {*answers}
    if max(tops) > 4 * max(min(tops), 1) and 2 * len(alike) < min(len({*truths}), len({*answers})):
        first, second = (f"{min(part):g} to {max(part):g}" for part in (truths, answers))
        raise DataError(
            [
                f"the truth runs from {first}, the prediction from {second}: are they on one "
                f"scale? Bring them onto one, or name it: --levels 0-{max(tops):g}"
            ]
        )


def are_boolean(truth: Coded | None, prediction: Coded) -> bool:
    """Whether truth and prediction are true or false, so that their order is known."""
    columns = [list(NOTHING.open(column)) for column in (truth, prediction)]
    return all(columns) and all(isinstance(v, bool) for values in columns for v in values)


@dataclass(frozen=True, eq=False)
class LevelColumn:
    """A column of levels, and what each of its values is."""

    column: Coded
    scale: Scale
    rank: NDArray[np.int16]
    """Of each value; −1 where it is no level."""
    is_silent: Mask
    """Which values say that there is none."""
    is_declared: Mask
    """Which of these say it in a word that was declared."""
    common: tuple[int, ...]
    """Which of these nobody declared."""
    faults: Mapping[int, ValueError]
    """What is wrong with the values that are neither."""

    @property
    def ranks(self) -> NDArray[np.int16]:
        """Row by row."""
        return self.column.spread(self.rank, NO_PREDICTION, np.int16)

    @property
    def declared(self) -> Mask:
        """Row by row: whether a declared word stands there."""
        return self.column.spread(self.is_declared, False, bool)

    @property
    def outcomes(self) -> NDArray[np.int8]:
        """What the values alone say of each row; ``_FAULT`` where one cannot be read."""
        by_value = np.where(self.rank == NO_PREDICTION, _FAULT, Outcome.ANSWERED)
        by_value[self.is_silent] = Outcome.ABSTAINED
        return self.column.spread(by_value, Outcome.ABSTAINED, np.int8)

    @property
    def is_clean(self) -> bool:
        """Whether there is a level in every row."""
        codes = self.column.codes
        return bool((self.rank != NO_PREDICTION).all()) and codes.min(initial=0) >= 0

    @property
    def silence_notes(self) -> list[str]:
        """What to tell of a truth in which words stand that commonly say that there is none."""
        if not self.common:
            return []
        words = self.listed(self.common, self.counts(np.ones(len(self.column), bool)))
        first = shlex.quote(printable(str(self.column.values[self.common[0]])))
        judged = f"if it says that this cannot be judged: --unanswerable {first}"
        note = f"truth: read as no truth: {words}; if it is a level, name it with --levels"
        return [f"{note}; {judged}"]

    def faults_in(self, rows: Mask | None = None) -> list[Fault]:
        """What is wrong in some rows: a line for each value, one for all where they are many."""
        if not self.faults:
            return []
        rows = self.outcomes == _FAULT if rows is None else rows
        counts = self.counts(rows)
        bad = [code for code in self.faults if counts[code]]
        place = np.flatnonzero(rows)
        first = {
            c: int(place[np.argmax(self.column.codes[place] == c)]) for c in bad[:SHOWN_VALUES]
        }
        if len(bad) <= SHOWN_VALUES:
            return [Fault(first[c], self.faults[c], int(counts[c])) for c in bad]
        total = int(counts[bad].sum())
        message = f"{self.listed(first)}, … are no levels of {self.scale.allowed}"
        is_off = any(isinstance(self.faults[c], OffScaleError) for c in bad)
        error = (OffScaleError if is_off else ValueError)(message)
        return [Fault(min(first.values()), error, total)]

    def counts(self, rows: Mask) -> NDArray[np.int64]:
        """How many of these rows have each value."""
        codes = self.column.codes[rows]
        return np.bincount(codes[codes >= 0], minlength=len(self.column.values))

    def listed(self, codes: Iterable[int], counts: NDArray[np.int64] | None = None) -> str:
        """Some of the values in a sentence, with how many rows have each."""
        values = ((c, self.column.values[c]) for c in codes)
        return ", ".join(
            (f"'{printable(v)}'" if isinstance(v, str) else what_came(v))
            + ("" if counts is None else f" ({counted(int(counts[c]), 'row')})")
            for c, v in values
        )


def read_levels(
    column: Coded, scale: Scale, silence: Silence, *, boolean: bool = False
) -> LevelColumn:
    """What each value of a column is on a scale; numbers may be written as text.

    In ``boolean`` columns true is the level of this name, or 1.
    """
    rank = np.full(len(column.values), NO_PREDICTION, np.int16)
    is_silent, is_declared = np.zeros((2, len(column.values)), bool)
    common, faults = [], {}
    for code, value in enumerate(column.values):
        if silence.declared and word_of(value) in silence.declared:
            is_silent[code] = is_declared[code] = True
            continue
        if boolean and isinstance(value, bool):
            value = int(value) if scale.is_numeric else str(value)
        number = number_in(value) if scale.is_numeric else None
        try:
            rank[code] = scale.rank(value if number is None else number)
        except ValueError as error:
            if silence.is_common(value):
                is_silent[code] = True
                common += [code] if value.strip() else []
            else:
                faults[code] = error
    return LevelColumn(column, scale, rank, is_silent, is_declared, tuple(common), faults)


@dataclass(frozen=True, eq=False)
class Outcomes:
    """The outcome of each row, what is wrong, and what must be told."""

    outcome: NDArray[np.uint8]
    faults: list[Fault]
    stated_faults: list[Fault]
    warnings: list[str]


def read_outcomes(
    reading: LevelColumn,
    stated: Coded | None,
    *,
    declared: bool,
    unparseable: Outcome,
    truths: Iterable[object] = (),
) -> Outcomes:
    """Outcomes as stated, else as the predictions say.

    What is no level on a scale that the user declared is unparseable; on any other scale, or where
    many are numbers, the scale may be the mistake: then it is a fault.
    """
    if stated is None and reading.is_clean:
        return Outcomes(np.full(len(reading.column), Outcome.ANSWERED, np.uint8), [], [], [])
    out = reading.outcomes
    bad, none = out == _FAULT, out == Outcome.ABSTAINED
    wishes, stated_faults = _stated(stated, len(out))
    there = wishes >= 0
    empty = np.flatnonzero((wishes == Outcome.ANSWERED) & none)
    if len(empty):
        message = "answered, but there is no prediction"
        stated_faults.append(Fault(int(empty[0]), message, len(empty)))
    ignored = int(((wishes == Outcome.ABSTAINED) & ~none & ~bad).sum())
    out[there] = np.where(bad & (wishes == Outcome.ANSWERED), out, wishes)[there]
    warnings = []
    if ignored:
        rows = f"{counted(ignored, 'row')} stated as abstained"
        warnings.append(f"outcome: {rows} have a prediction, which is not looked at")
    stray = out == _FAULT
    counts = reading.counts(~there)
    if said := [c for c in reading.common if counts[c]]:
        warnings.append(f"prediction: read as no answer: {reading.listed(said, counts)}")
    if not declared or _are_numbers(reading, stray, none) or (stray & there).any():
        faults = _with_hint(reading, reading.faults_in(stray), {*map(word_of, truths)})
        return Outcomes(out.astype(np.uint8), faults, stated_faults, warnings)
    if stray.any():
        counts = reading.counts(stray)
        some = reading.listed([c for c in reading.faults if counts[c]][:SHOWN_VALUES], counts)
        of_rows = f"{int(stray.sum())} of {counted(len(out), 'row')}"
        warnings.append(f"prediction: no level can be read in {of_rows}: {some}")
        out[stray] = unparseable
    return Outcomes(out.astype(np.uint8), [], stated_faults, warnings)


def truth_faults(reading: LevelColumn) -> list[Fault]:
    """What is wrong in a truth; a word that is no level may say that a row cannot be judged."""
    faults = reading.faults_in()
    for at, fault in enumerate(faults):
        value = reading.column.values[reading.column.codes[fault.row]]
        is_asked = reading.scale.is_numeric or bool(unjudged_in([value]))
        if isinstance(value, str) and is_asked and not is_like_level(value):
            word = shlex.quote(printable(value))
            hint = f"if it says that this cannot be judged: --unanswerable {word}"
            hinted = replace(fault, message=f"{fault.message}; {hint}")
            return [*faults[:at], hinted, *faults[at + 1 :]]
    return faults


def _with_hint(reading: LevelColumn, faults: list[Fault], truths: set[str]) -> list[Fault]:
    """The faults; the first that is a word says how to declare it as no answer.

    A word of many rows, or one that a truth has, is a level that the scale lacks.
    """
    for at, fault in enumerate(faults):
        value = reading.column.values[reading.column.codes[fault.row]]
        is_rare = fault.rows <= max(1, MOST_STRAY * len(reading.column))
        is_word = isinstance(value, str) and not is_like_level(value)
        if is_word and is_rare and word_of(value) not in truths:
            hint = f"if it says that there is no answer: --abstain {shlex.quote(printable(value))}"
            hinted = replace(fault, message=f"{fault.message}; {hint}")
            return [*faults[:at], hinted, *faults[at + 1 :]]
    return faults


def _are_numbers(reading: LevelColumn, stray: Mask, none: Mask) -> bool:
    """Whether so many predictions are numbers beside the scale that it must be another one."""
    if not reading.scale.is_numeric:
        return False
    counts = reading.counts(stray)
    off = [c for c in reading.faults if number_in(reading.column.values[c]) is not None]
    return int(counts[off].sum()) > MOST_STRAY * int((~none).sum())


def _stated(stated: Coded | None, size: int) -> tuple[NDArray[np.int8], list[Fault]]:
    """Outcomes as a column names them, −1 where it does not."""
    if stated is None:
        return np.full(size, -1, np.int8), []
    wishes, faults = [], []
    for code, value in enumerate(stated.values):
        wish = value if isinstance(value, Outcome) else _OUTCOMES.get(str(value).strip().lower())
        wishes.append(-1 if wish is None else int(wish))
        if wish is None and stated.counts[code] and str(value).strip():
            message = f"{what_came(value)} is not one of {', '.join(_OUTCOMES)}"
            faults.append(Fault(int(stated.first[code]), message, int(stated.counts[code])))
    return stated.spread(wishes, -1, np.int8), faults


def rows_with_truth(table: Judgments, *, strict: bool) -> Judgments:
    """The rows that have a truth, if any has; the others are counted, or refused if ``strict``."""
    # a row that failed is left out as failed, whether or not its truth is known
    unknown = table.exact_truth
    missing = (np.isnan(unknown) | (unknown == NO_TRUTH)) & ~np.isin(table.outcome, LEFT_OUT)
    if table.unanswerable is not None:
        missing &= ~table.unanswerable
        _refuse_unanswerable(table)
    if strict and (missing.any() or not table.has_truth):
        message = f"has no truth, as {counted(int(missing.sum()), 'row')} in all"
        problem = table.problem(int(np.argmax(missing)), message, "truth")
        raise DataError([problem], source=table.source.name)
    if not table.has_truth or not missing.any():
        return table
    other = table.take(missing)
    return replace(table.take(~missing), no_truth=int(missing.sum()), unlabelled=other)


def _refuse_unanswerable(table: Judgments) -> None:
    """Refuse a study in which nothing can be judged: there is no level to hold anything against."""
    assert table.unanswerable is not None
    known = ~np.isnan(table.exact_truth) & (table.exact_truth != NO_TRUTH)
    if table.unanswerable.any() and not known.any():
        rows = counted(int(table.unanswerable.sum()), "row")
        message = f"no row has a level for a truth: {rows} cannot be judged (unanswerable)"
        raise DataError([message], source=table.source.name)
