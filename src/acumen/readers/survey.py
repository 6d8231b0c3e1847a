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
from acumen.readers.content import load
from acumen.readers.formats import FORMATS, format_of
from acumen.readers.guess import (
    Column,
    Guess,
    columns_of,
    confidences_in,
    guess_columns,
    raters_in,
    stray_codes,
)
from acumen.readers.mapping import MappingTable
from acumen.readers.reading import ROLES, Reading
from acumen.readers.records import Rows
from acumen.readers.request import Request
from acumen.results.survey import ColumnPart, Question, Survey
from acumen.table.judgments import Judgments

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
    content, request = load(path), Request.of(reading)
    name = format_of(content.head, request.format)
    columns: list[Column] = []
    guesses: dict[str, Guess] = {}
    rows: Rows | None = None
    if FORMATS[name].has_columns:
        inside = request.over({}).rows if name == "json" else None
        rows = FORMATS[name].reader()(content, **({} if inside is None else {"rows": inside}))
        columns = columns_of(rows)
        if not rows.mapping and not request.mapping:
            named = {role: reading.get(keyword) for keyword, role in ROLES.items()}
            texts = {role: path for role, path in named.items() if isinstance(path, str)}
            guesses = guess_columns(columns, texts)
    whole: dict[str, Any] = {
        keyword: guesses[role].column.path for keyword, role in ROLES.items() if role in guesses
    }
    whole |= {"truth": raters} if (raters := raters_in(columns, guesses)) else {}
    whole |= {"abstain": strays} if (strays := stray_codes(guesses)) else {}
    whole |= {key: value for key, value in reading.items() if value is not None}
    mapping = (
        _mapping(name, whole) if guesses else _plain(request.over(rows.mapping if rows else {}))
    )
    if rows is not None and guesses and "truth" not in guesses:
        whole = {"mapping": mapping}  # a mapping that names no truth says that there is none
    table, problems, levels = None, [], {}
    try:
        table = read_content(content, mode=mode, **whole)
    except DataError as error:
        problems = [str(problem) for problem in error.problems]
        levels = {} if "truth" not in guesses else _levels(guesses["truth"].column)
        with suppress(
            DataError, UsageError
        ):  # on the levels of the truth; no count hangs on their order
            table = read_content(content, mode=mode, **whole | levels) if levels else None
    n_rows = len(table) if rows is None and table is not None else 0 if rows is None else len(rows)
    report = Survey(
        file=content.name,
        format=name,
        rows=n_rows,
        columns=_roles(rows, request, guesses),
        details=_details(columns, guesses, _roles(rows, request, guesses)),
        problems=problems,
        mapping={**{k: v for k, v in levels.items() if problems}, **mapping},
    )
    if table is None:
        return report
    spare = [c for c in columns if c.path not in {g.column.path for g in guesses.values()}]
    options = whole | (levels if problems else {})
    if isinstance(options.get("mapping"), dict):
        options = {"mapping": MAPPING}
    command = _command(str(path), options)
    facts = _facts(_Study(table, command, confidences_in(spare, guesses)))
    unordered = problems and not guesses["truth"].column.is_numeric
    return report.model_copy(update=facts | ({"levels": None} if unordered else {}))


def _levels(column: Column) -> dict[str, Any]:
    """The levels of the truth: its range, or its words, which somebody has to put in order."""
    values = [value for value in dict.fromkeys(column.values) if value is not None]
    if column.is_numeric and column.has_levels and all(float(v).is_integer() for v in values):
        return {"levels": f"{int(min(values))}-{int(max(values))}"}
    return {"levels": ",".join(map(str, values))} if column.has_levels else {}


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
    roles = {path: (role, "the mapping") for role, path in paths.items()}
    roles |= {guess.column.path: (role, guess.reason) for role, guess in guesses.items()}
    parts = []
    for column in columns:
        role, reason = roles.get(column.path, (None, ""))
        values = column.distinct
        kind = "numbers" if column.is_numeric else "words" if column.has_levels else "texts"
        parts.append(
            ColumnPart(
                path=column.path,
                role=role,
                reason=reason,
                kind=kind if values else "empty",
                distinct=len(values),
                missing=column.missing,
                values=values if len(values) <= FEW_VALUES and role in _SHOWN_ROLES else [],
            )
        )
    return parts


def _mapping(format_name: str, whole: Mapping[str, Any]) -> dict[str, Any]:
    """A mapping file to start from."""
    columns = {ROLES[key]: value for key, value in whole.items() if key in ROLES}
    rest = {key: value for key, value in whole.items() if key not in (*ROLES, "mapping")}
    return {"format": format_name, **rest, "columns": columns}


def _plain(mapping: MappingTable) -> dict[str, Any]:
    """A mapping that is there already, as a file has it."""
    return mapping.model_dump(mode="json", by_alias=True, exclude_defaults=True)


def _command(path: str, whole: Mapping[str, Any]) -> str:
    """The options that read the file so, after its name."""
    parts = [path]
    for key, value in whole.items():
        option = f"--{key.replace('_', '-')}"
        for one in value if isinstance(value, list | tuple) else [value]:
            parts += [option] if one is True else [option, str(one)] if one is not False else []
    return shlex.join(parts)


def _facts(study: _Study) -> dict[str, Any]:
    table = study.table
    return {
        "cases": len(table.cases),
        "items": len(table.items),
        "levels": list(table.scale.levels),
        "outcomes": table.outcomes,
        "measurable": {q.name: q.question for q in _questions(study)},
        "notes": list(table.warnings),
    }


@dataclass(frozen=True, slots=True)
class _Asked:
    name: str
    question: Question


@dataclass(frozen=True)
class _Study:
    """A table, and how to read it on the command line."""

    table: Judgments
    command: str
    candidates: Sequence[str] = ()
    """Columns that could be a confidence."""

    def ask(
        self, name: str, about: str, lacks: str | None, verb: str = "evaluate", options: str = ""
    ) -> _Asked:
        command = f"acumen {verb} {self.command}{options}" if lacks is None else None
        question = Question(about=about, possible=lacks is None, command=command, lacks=lacks)
        return _Asked(name, question)


def _questions(study: _Study) -> Iterator[_Asked]:
    """Everything one may ask, with what is missing for it."""
    table = study.table
    judged, confidence = table.included, table.signals.get("confidence")
    truth = None if judged.has_truth and len(judged) else "a column of the truth: --truth COLUMN"
    yield study.ask("outcomes", "How often does it answer, abstain, fail?", None)
    yield study.ask("agreement", "How far is it off, and does it agree with the truth?", truth)
    ranked = truth
    if truth is None and confidence is None:
        columns = " or ".join(study.candidates) or "COLUMN"
        ranked = f"a number that is higher where it is surer: --confidence-column {columns}"
    elif truth is None and confidence is not None:
        gaps = int((~np.isfinite(confidence.values) & table.answered).sum())
        ranked = f"a confidence for {counted(gaps, 'answered row')} more" if gaps else None
    yield study.ask("selective", "Does it know when it doesn't know?", ranked)
    span = "" if confidence is None else _range(confidence.values)
    yield study.ask("calibration", "Is its confidence honest?", ranked, options=span)
    few = len(judged.cases)
    more = None if few >= RELIABLE_CASES else f"{RELIABLE_CASES - few} more cases with a truth"
    yield study.ask("intervals", "How sure are the numbers?", truth or more)
    systems = 0 if table.system is None else len(table.system.values)
    lacks: str | None = "a second file, or a column of systems: --system COLUMN"
    lacks = None if systems > 1 else lacks
    yield study.ask("comparison", "Which system is better?", truth or lacks)


def _range(values: np.ndarray[Any, Any]) -> str:
    """The option that makes a confidence a probability, where it needs one."""
    finite = values[np.isfinite(values)]
    if not len(finite) or finite.max() <= 1:
        return ""
    return f" --confidence-range 0,{100 if finite.max() > 10 else 10 if finite.max() > 5 else 5}"
