"""Levels and confidences as replies write them: ``4/5``, ``Rating: 4``, ``4 - good``, ``80%``.

A form is read only where it leaves one number open; what has two (``4 or 5``) stays as it is. All
that is read so is told, with an example.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from acumen.errors import SHOWN_CHARACTERS, DataError, counted, label, printable
from acumen.files.text import folded
from acumen.readers.cells import NO_NUMBER, recoded
from acumen.readers.words import sureness_of
from acumen.table.coded import Coded
from acumen.table.levels import number_in

LONGEST_REPLY: Final = 20_000
"""Characters of a reply that are looked at; a longer one is not read."""
MOST_SMALL: Final = 10
"""A truth up to here is on no scale of 100, and one up to half of another whole not on that."""
_N: Final = r"(?P<n>[+-]?\d{1,6}(?:[.,]\d{1,6})?)"
_OF: Final = (
    r"\s{0,2}(?:/|out\s+of|of|von|sur|de|su|van)\s{0,2}(?P<m>\d{1,6}(?:\.\d{1,6})?)"
    r"(?:\s{0,2}(?:points?|stars?|pts?|Punkten?|étoiles?|puntos))?"
)
_UNIT: Final = r"\s{0,2}(?:points?|stars?|pts?|Punkte?|Sterne|étoiles?|puntos|★)"
_MONTHS: Final = (
    r"(?:jan|feb|m[aä]r|mrz|apr|may|mai|jun|jul|aug|sept?|o[ck]t|nov|de[cz])(?![^\W\d_])"
)
"""In Excel 1-2 becomes 1-Feb, or 01-Feb: a date, and no level."""
_WORDS: Final = rf"(?!{_MONTHS})[^\W\d_][^\d:=\n]{{0,40}}"
_NAMES: Final = (
    r"(?:overall |final |total )?(?:score|rating|grade|level|verdict|answer|judge?ment|label|"
    r"bewertung|note|punktzahl|stufe|puntuación|nota|valoración|punteggio|voto|pontuação|cijfer)"
)
_WHOLE: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_N}{_OF}",
        rf"{_N}(?P<percent>\s?%)",
        rf"{_N}{_UNIT}",
        rf"{_N}\s{{0,3}}(?:[-–—:=.)]\s{{0,3}}{_WORDS}|\(\s?{_WORDS}\))",
        rf"(?:{_WORDS}[:=]|{_NAMES}(?: is| of)?)\s{{0,3}}{_N}(?:{_OF}|(?P<percent>\s?%)|{_UNIT})?",
    )
)
"""Forms of a whole reply, tried in order."""
_LINE: Final = re.compile(
    rf"(?:^|[\s(\[]){_NAMES}\s{{0,2}}(?:[:=]|is|of|→)\s{{0,3}}{_N}(?![.,]?\d)"
    rf"(?:{_OF}|(?P<percent>\s?%))?"
    r"(?!\s{0,2}(?:or|to|and|oder|bis|und|ou|à|et|o|a|y|e|-|–|/|\.\.+)\s{0,2}\d)",
    re.IGNORECASE,
)
"""Where a longer reply names its level."""
_KEYS: Final = {
    *("score", "rating", "grade", "level", "verdict", "answer", "label", "value", "prediction"),
    *("judgment", "judgement", "overall_score", "final_score", "result"),
}
"""Keys of a reply in JSON under one of which its level stands."""
_MARKUP: Final = re.compile(r"[*`_\"'“”]+")


@dataclass(frozen=True, slots=True)
class _Level:
    """A number that a reply says, of how many, or in per cent."""

    value: int | float
    of: int | float | None = None
    is_percent: bool = False


def level_said(text: str) -> _Level | None:
    """The one level that a reply says.

    >>> [level_said(t) and level_said(t).value for t in ("4/5", "Rating: **4**", "4 - good", "4-5")]
    [4, 4, 4, None]
    """
    if len(text) > LONGEST_REPLY:
        return None
    fenced = re.sub(r"^```\w{0,10}|```$", "", text.strip()).strip()
    if fenced.startswith("{"):
        return _in_json(fenced)
    bare = _MARKUP.sub("", text).strip().rstrip(".!")
    if len(bare) <= 120:
        for form in _WHOLE:
            if match := form.fullmatch(bare):
                return _level(match)
    matches = {_level(match) for match in _LINE.finditer(bare)}
    return matches.pop() if len(matches) == 1 else None


def _level(match: re.Match[str]) -> _Level | None:
    parts = match.groupdict()
    value, of = number_in(parts["n"].replace(",", ".")), number_in(parts.get("m"))
    if value is None or (of is not None and value > of):
        return None
    return _Level(value, of, parts.get("percent") is not None)


def _in_json(text: str) -> _Level | None:
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return None
    entries = document.items() if isinstance(document, dict) else ()
    said = [number_in(value) for key, value in entries if key.casefold() in _KEYS]
    numbers = [number for number in said if number is not None]
    return _Level(numbers[0]) if len(numbers) == 1 else None


@dataclass(frozen=True, slots=True)
class LevelsSaid:
    """A column of levels, those that replies say as numbers; of how many, and what to tell."""

    column: Coded
    whole: int | float | None = None
    """What the levels are said to be of; 100 for per cent."""
    notes: tuple[str, ...] = ()


def read_levels_said(column: Coded, role: str) -> LevelsSaid:
    """What a column of levels says."""
    texts = {at: v for at, v in enumerate(column.values) if _is_open(v)}
    said = {at: level for at, text in texts.items() if (level := level_said(text)) is not None}
    if not said or not _agree(list(said.values()), column.values):
        return LevelsSaid(column)
    values = [said[at].value if at in said else v for at, v in enumerate(column.values)]
    rows = int(column.counts[list(said)].sum())
    first = next(iter(said))
    of = next((level.of for level in said.values() if level.of is not None), None)
    more = ", in per cent" if said[first].is_percent else f", of {of:g}" if of else ""
    text = texts[first] if len(texts[first]) <= SHOWN_CHARACTERS else "a reply"
    example = f"{label(text)} as {said[first].value:g}"
    note = f"{role}: read out of its text in {counted(rows, 'row')}: {example}{more}"
    return LevelsSaid(recoded(column.codes, values), 100 if said[first].is_percent else of, (note,))


def refuse_two_scales(wholes: Mapping[str, int | float | None], truth: Any) -> None:
    """Refuse levels of the truth and the prediction that are of two wholes: 4/5 and 8/10."""
    first, second = wholes.get("truth"), wholes.get("prediction")
    if first and second and first != second:
        both = f"the truth is said to be of {first:g}, the prediction of {second:g}"
        raise DataError([f"{both}: bring them onto one scale"])
    values = truth.values if isinstance(truth, Coded) else truth
    numbers = [n for v in values if (n := number_in(v)) is not None] if second else []
    if not first and second and numbers and 1 < max(numbers) <= min(MOST_SMALL, second / 2):
        few = f"the prediction is said to be of {second:g}, and no truth is above {max(numbers):g}"
        raise DataError([f"{few}: bring them onto one scale, or name it: --levels 0-{second:g}"])


def _is_open(value: object) -> bool:
    """Whether a value is a text that is no number as it stands."""
    return isinstance(value, str) and bool(value.strip()) and number_in(value) is None


def _agree(said: Sequence[_Level], values: Iterable[object]) -> bool:
    """Whether all are on one scale: of as many, and in per cent all or none."""
    has_plain = any(number_in(value) is not None for value in values)
    percent = {level.is_percent for level in said}
    return len({level.of for level in said} - {None}) <= 1 and (
        percent == {False} or (percent == {True} and not has_plain)
    )


def read_sureness(column: Coded) -> tuple[Coded, list[str]]:
    """A column of confidences that are words, parts or per cent as numbers, and what to tell.

    Beside plain numbers nothing is read: on which scale they are is not known.
    """
    texts = [v for v in column.values if _is_open(v) and v.strip().casefold() not in NO_NUMBER]
    if not texts or any(number_in(value) is not None for value in column.values):
        return column, []
    said = [level_said(text) for text in texts]
    wholes = {None if level is None else 100 if level.is_percent else level.of for level in said}
    whole = wholes.pop() if len(wholes) == 1 else None
    ranks = sureness_of(texts)
    if whole:
        numbers = {
            text: level.value / whole for text, level in zip(texts, said, strict=True) if level
        }
        how = f"read as parts of 1: {label(texts[0])} as {numbers[texts[0]]:g}"
    elif ranks:
        numbers = {text: float(ranks[folded(text)]) for text in texts}
        order = " < ".join(map(printable, sorted(texts, key=numbers.__getitem__)))
        how = f"words are ranked, which is an order and no probability: {order}"
    else:
        return column, []
    values = [numbers.get(v, v) if isinstance(v, str) else v for v in column.values]
    return recoded(column.codes, values), [f"confidence: {how}"]
