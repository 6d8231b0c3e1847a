"""What is in a file: roles with the reason for each guess, levels, outcomes, what it can answer."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Unpack

import numpy as np

from acumen.defaults import RELIABLE_CASES
from acumen.errors import DataError, UsageError, counted, printable
from acumen.readers import read_content
from acumen.readers.answers import unjudged_in
from acumen.readers.content import load
from acumen.readers.formats import FORMATS, format_of, read_as, rows_of
from acumen.readers.guess import (
    Column,
    Guess,
    columns_of,
    confidences_in,
    guess_columns,
    raters_in,
    stray_codes,
)
from acumen.readers.guess_distribution import guess_distribution
from acumen.readers.labels import with_labels
from acumen.readers.mapping import resemblance
from acumen.readers.reading import ROLES, Reading, overlay, words_of
from acumen.readers.records import Rows
from acumen.readers.request import Request
from acumen.readers.words import usual_order
from acumen.results.survey import ColumnPart, Question, Survey
from acumen.table.judgments import Judgments
from acumen.table.levels import spell
from acumen.table.scale import find_scale

FEW_VALUES: Final = 12
MAPPING: Final = "m.toml"
"""What commands call a mapping that ``--output`` wrote."""
_SHOWN_ROLES: Final = ("truth", "prediction", "item", "rater", "system", "repeat")


def survey(path: str | Path, *, mode: str | None = None, **reading: Unpack[Reading]) -> Survey:
    """Look at a file: what acumen would make of it, and what could be measured with it.

    The keywords are those of :func:`acumen.read`; roles that they leave open are guessed, by their
    names first. No long text is shown.
    """
    if not isinstance(path, str | Path):
        raise UsageError(f"a survey is of a file, not of {printable(type(path).__name__)}")
    content, request = load(path, reading.get("encoding")), Request.of(reading)
    name = format_of(content.head, request.format)
    with read_as(name, content.name):
        rows = rows_of(content, name, request.rows) if FORMATS[name].has_columns else None
        named = {role: reading.get(keyword) for keyword, role in ROLES.items()}
        if rows is not None and request.labels is not None:
            in_force = request.over(rows.mapping)
            rows, judged, _ = with_labels(rows, in_force.roles, request.labels, request.on)
            named |= {"truth": judged["truth"][0].path, "rater": None}
        columns = [] if rows is None else columns_of(rows)
    guesses: dict[str, Guess] = {}
    if rows is not None and not rows.mapping and not request.mapping:
        paths_named = {role: path for role, path in named.items() if isinstance(path, str)}
        guesses = _guesses(rows, columns, paths_named)
    options = _options(columns, guesses)
    if request.labels is not None:
        options.pop("truth", None)  # the labels are
    options |= {k: v for k, v in reading.items() if v is not None}
    mapping = _mapping(name, options)
    if not guesses:  # one that is there already, as a file has it
        in_force = request.over(rows.mapping if rows else {})
        mapping = in_force.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    elif "truth" not in guesses:
        options = {"mapping": mapping}  # a mapping that names no truth says that there is none
    table, problems, levels = None, [], _Levels()
    try:
        table = read_content(content, mode=mode, **options)
        if table.scale.inferred and not table.scale.is_numeric and rows is not None:
            levels = _in_usual_order(table.scale.levels)
    except DataError as error:
        problems = [str(problem) for problem in error.problems]
        levels = _levels(guesses["truth"].column) if "truth" in guesses else levels
        with suppress(DataError, UsageError):  # no count hangs on the order of levels
            words: dict[str, Any] = options | {"levels": levels.text}
            table = read_content(content, mode=mode, **words) if levels.text else None
    proposal = {"levels": levels.text} if levels.is_ordered else {}
    roles = _roles(rows, request, guesses) | {k: v for k, v in options.items() if k == "truth"}
    hint = resemblance([c.path for c in columns]) if guesses else ""
    notes = [hint] if hint else []
    report = Survey(
        file=content.name,
        format=name,
        rows=len(rows if rows is not None else table or ()),
        columns=roles,
        details=_details(columns, guesses, roles),
        problems=problems,
        mapping=proposal | mapping,
        notes=notes,
    )
    if table is None:
        return report
    paths = {guess.column.path for guess in guesses.values()}
    spare = confidences_in([c for c in columns if c.path not in paths], guesses)
    command = _command(str(path), options | proposal)
    study = _Study(table, command, spare, is_ordered=levels.is_ordered or not levels.text)
    return report.model_copy(
        update=study.facts | {"notes": [*notes, *table.warnings, *levels.notes]}
    )


def _guesses(rows: Rows, columns: Sequence[Column], named: Mapping[str, str]) -> dict[str, Guess]:
    """A column for each role, probabilities of the levels among them."""
    known = None if "distribution" in named else guess_distribution(rows, columns)
    if known is None:
        return guess_columns(columns, named)
    distribution, parts = known
    guesses = guess_columns([column for column in columns if column.path not in parts], named)
    if "prediction" in guesses and guesses["prediction"].reason not in ("named", "its name"):
        del guesses["prediction"]  # it is taken of the probabilities
    return guesses | {"distribution": distribution}


@dataclass(frozen=True, slots=True)
class _Levels:
    """The levels of a truth as an option, and whether that is their order."""

    text: str = ""
    is_ordered: bool = False
    notes: tuple[str, ...] = ()


def _levels(column: Column) -> _Levels:
    """The range of a truth, or its words: in the order everybody means, else in none."""
    if not column.has_levels:
        return _Levels()
    if column.is_numeric:
        low, high = column.distinct[0], column.distinct[-1]
        whole = all(float(value).is_integer() for value in column.distinct)
        return _Levels(f"{low:g}-{high:g}", is_ordered=True) if whole else _Levels()
    words = [w for w in (*column.silence, *column.distinct) if not unjudged_in([w])]
    if order := usual_order(words):
        return _in_usual_order(order)
    return _Levels(",".join(map(str, words)))


def _in_usual_order(order: Sequence[object]) -> _Levels:
    words = list(map(str, order))
    note = f"the levels are taken in their usual order, lowest first: {', '.join(words)}"
    return _Levels(",".join(words), is_ordered=True, notes=(f"{note}; check it",))


def _options(columns: Sequence[Column], guesses: Mapping[str, Guess]) -> dict[str, Any]:
    """What is guessed, as keywords of the doors."""
    roles = {role: keyword for keyword, role in ROLES.items()}
    options: dict[str, Any] = {roles[role]: g.column.path for role, g in guesses.items()}
    options |= {"truth": raters} if (raters := raters_in(columns, guesses)) else {}
    options |= {"abstain": strays} if (strays := stray_codes(guesses)) else {}
    truth = guesses["truth"].column if "truth" in guesses else None
    words = [] if truth is None else unjudged_in([*truth.silence, *truth.distinct])
    return options | ({"unanswerable": words} if words else {})


def _roles(rows: Rows | None, request: Request, guesses: Mapping[str, Guess]) -> dict[str, str]:
    """Role -> column, of the mapping in force and of the guesses."""
    roles = {role: guess.column.path for role, guess in guesses.items()}
    for role, cells in () if rows is None else request.over(rows.mapping).columns:
        if cells is not None:
            listed = cells if isinstance(cells, list) else [cells]
            roles[role] = ",".join(cell.path for cell in listed)
    return roles


def _details(
    columns: Sequence[Column], guesses: Mapping[str, Guess], paths: Mapping[str, str]
) -> list[ColumnPart]:
    roles = {
        path: (role, _why(role, guesses))
        for role, column in paths.items()
        for path in column.split(",")
    }
    roles |= {guess.column.path: (role, guess.reason) for role, guess in guesses.items()}
    parts = []
    lists = [g.column for role, g in guesses.items() if role == "distribution" and g.column.count]
    known = {column.path for column in columns}
    columns = [*columns, *(column for column in lists if column.path not in known)]
    for column in columns:
        role, reason = roles.get(column.path, (None, ""))
        values = column.distinct
        kind = "numbers" if column.is_numeric else "words" if column.has_levels else "texts"
        kind = "lists" if column.count and not values else kind
        parts.append(
            ColumnPart(
                path=column.path,
                role=role,
                reason=reason,
                kind=kind if values or column.count else "empty",
                distinct=max(column.count, len(values)),
                missing=column.missing,
                values=values if len(values) <= FEW_VALUES and role in _SHOWN_ROLES else [],
            )
        )
    return parts


def _why(role: str, guesses: Mapping[str, Guess]) -> str:
    """Why a column beside the first has a role."""
    if role not in guesses:
        return "the mapping"
    return guesses[role].reason if role == "distribution" else "another of the truth's"


def _mapping(format_name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """A mapping file to start from."""
    words = {key: options[key] for key in ("scale", "levels") if key in options}
    table = overlay({**options, "format": format_name}) | words
    return {key: value for key, value in table.items() if value}


def _command(path: str, options: Mapping[str, Any]) -> str:
    """The words that read the file so: its name, and options."""
    words = words_of({k: v for k, v in options.items() if k not in ("scale", "levels")})
    if isinstance(options.get("mapping"), dict):
        words = ["--mapping", MAPPING]
    if levels := options.get("levels"):
        words += ["--levels", spell(find_scale(levels).levels)]
    return shlex.join([path, *words])


@dataclass(frozen=True)
class _Study:
    """A table, and how to read it on the command line."""

    table: Judgments
    command: str
    candidates: Sequence[str] = ()
    """Columns that could be a confidence."""
    is_ordered: bool = True
    """Whether the order of the levels is known."""

    @property
    def facts(self) -> dict[str, Any]:
        table = self.table
        return {
            "rows": sum(table.outcomes.values()),  # a line with three ratings is three
            "cases": len(table.cases),
            "items": len(table.items),
            "levels": list(table.scale.levels) if self.is_ordered else None,
            "outcomes": table.outcomes,
            "measurable": dict(_questions(self)),
        }

    def ask(self, name: str, about: str, lacks: str | None, more: str = "") -> tuple[str, Question]:
        lacks = lacks if self.is_ordered else "the order of the levels: --levels LOWEST,…,HIGHEST"
        command = f"acumen evaluate {self.command}{more}" if lacks is None else None
        return name, Question(about=about, possible=lacks is None, command=command, lacks=lacks)


def _questions(study: _Study) -> Iterator[tuple[str, Question]]:
    """Everything one may ask, with what is missing for it."""
    table = study.table
    judged, confidence = table.included, table.signals.get("confidence")
    truth = None if judged.has_truth and len(judged) else "a column of the truth: --truth COLUMN"
    systems = 0 if table.system is None else len(table.system.values)
    alone = None if systems < 2 else truth  # several systems are held against a truth
    yield study.ask("outcomes", "How often does it answer, abstain, fail?", alone)
    if table.unanswerable is not None:
        yield study.ask("abstention", "Does it abstain where it should?", truth)
    yield study.ask("agreement", "How far is it off, and does it agree with the truth?", truth)
    columns = " or ".join(study.candidates) or "COLUMN"
    ranked: str | None = f"a number that is higher where it is surer: --confidence-column {columns}"
    if confidence is not None:
        gaps = int((~np.isfinite(confidence.values) & table.answered).sum())
        ranked = f"a confidence for {counted(gaps, 'answered row')} more" if gaps else None
    ranked = truth or (None if judged.distribution is not None else ranked)
    yield study.ask("selective", "Does its confidence tell right from wrong?", ranked)
    span = "" if confidence is None else _range(confidence.values)
    yield study.ask("calibration", "Is its confidence honest?", ranked, span)
    few = len(judged.cases)
    more = None if few >= RELIABLE_CASES else f"{RELIABLE_CASES - few} more cases with a truth"
    yield study.ask("intervals", "How sure are the numbers?", truth or more)
    if judged.distribution is not None:
        yield study.ask("distribution", "Are the probabilities of its levels honest?", truth)
    lacks = None if systems > 1 else "a second file, or a column of systems: --system COLUMN"
    yield study.ask("comparison", "Which system is better?", truth or lacks)


def _range(values: np.ndarray[Any, Any]) -> str:
    """The option that makes a confidence a probability, where it needs one."""
    finite = values[np.isfinite(values)]
    if not len(finite) or finite.max() <= 1:
        return ""
    return f" --confidence-range 0,{100 if finite.max() > 10 else 10 if finite.max() > 5 else 5}"
