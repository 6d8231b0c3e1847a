"""What is in a file: roles with the reason for each guess, levels, outcomes, what it can answer."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, Unpack

import numpy as np

from acumen.defaults import RELIABLE_CASES
from acumen.errors import DataError, UsageError, counted, printable
from acumen.readers import read_content
from acumen.readers.annotations import with_people_beside_judge
from acumen.readers.answers import unjudged_in
from acumen.readers.content import load
from acumen.readers.decimals import guess_decimals
from acumen.readers.formats import FORMATS, format_of, read_as, rows_of
from acumen.readers.frame import frame_rows
from acumen.readers.guess import (
    Column,
    Guess,
    are_sure,
    columns_of,
    confidences_in,
    side_by_side,
    stray_codes,
)
from acumen.readers.guess_distribution import guess_distribution, guess_draws
from acumen.readers.inputs import table_of
from acumen.readers.labels import with_labels
from acumen.readers.mapping import resemblance
from acumen.readers.proposals import guess_table
from acumen.readers.reading import ROLES, Reading, overlay, words_of
from acumen.readers.records import Records, Rows
from acumen.readers.request import Request
from acumen.readers.templates import fits_of, variables_of
from acumen.readers.words import usual_order
from acumen.results.survey import ColumnPart, Question, Survey
from acumen.table.judgments import Judgments
from acumen.table.levels import spell
from acumen.table.scale import find_scale

FEW_VALUES: Final = 12
RISK: Final = 0.1
MOST_ABOVE: Final = 0.1
"""Share of confidences above 1 below which these are mistakes among probabilities."""
SHARE: Final = 0.8
BUDGET: Final = 50
"""What the commands of a threshold, a gate and a sample ask for, until somebody says better."""
MAPPING: Final = "m.toml"
"""What commands call a mapping that ``--output`` wrote."""
_SHOWN_ROLES: Final = ("truth", "prediction", "item", "rater", "system", "repeat")


def survey(data: Any, *, mode: str | None = None, **reading: Unpack[Reading]) -> Survey:
    """Look at a file, a dataframe or rows: what acumen would make of them, what could be measured.

    The keywords are those of :func:`acumen.read`; roles that they leave open are guessed, by their
    names first. No long text is shown.
    """
    is_file = isinstance(data, str | Path)
    return _survey(_of_file(data, reading, mode) if is_file else _of_object(data, mode), reading)


@dataclass(frozen=True, slots=True)
class _Input:
    """What is looked at: its rows, how it is read as a table, and what commands call it."""

    name: str
    format: str
    rows: Rows | None
    read: Callable[..., Judgments]
    path: str | None = None


def _of_file(path: str | Path, reading: Reading, mode: str | None) -> _Input:
    content, request = load(path, reading.get("encoding")), Request.of(reading)
    name = format_of(content.head, request.format)
    with read_as(name, content.name):
        rows = rows_of(content, name, request.rows) if FORMATS[name].has_columns else None
    read = partial(read_content, content, mode=mode)
    return _Input(content.name, name, rows, read, str(path))


def _of_object(data: Any, mode: str | None) -> _Input:
    is_rows = isinstance(data, list | tuple) and all(isinstance(row, Mapping) for row in data)
    if not is_rows and not hasattr(type(data), "columns"):
        kind = printable(type(data).__name__)
        raise UsageError(f"a survey is of a path, a dataframe or a list of rows, not of {kind}")
    rows: Rows = Records(rows=list(data), format="list") if is_rows else frame_rows(data)

    def read(**reading: Unpack[Reading]) -> Judgments:
        return table_of(data, mode, reading)

    return _Input("data", rows.format, rows, read)


def _survey(data: _Input, reading: Reading) -> Survey:
    request, name, rows = Request.of(reading), data.format, data.rows
    with read_as(name, data.name) if name in FORMATS else nullcontext():
        named = {role: reading.get(keyword) for keyword, role in ROLES.items()}
        if rows is not None and not request.asks_roles:
            rows = with_people_beside_judge(rows)
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
    elif "truth" not in guesses and not _reads(data, options):
        options = {"mapping": mapping}  # a mapping that names no truth says that there is none
    table, problems, levels = None, [], _Levels()
    try:
        table = data.read(**options)
        if table.scale.inferred and not table.scale.is_numeric and rows is not None:
            levels = _in_usual_order(table.scale.levels)
    except DataError as error:
        problems = [str(problem) for problem in error.problems]
        levels = _levels(guesses["truth"].column) if "truth" in guesses else levels
        with suppress(DataError, UsageError):  # no count hangs on the order of levels
            words: dict[str, Any] = options | {"levels": levels.text}
            table = data.read(**words) if levels.text else None
    proposal = {"levels": levels.text} if levels.is_ordered else {}
    roles = _roles(rows, request, guesses)
    several = {role: options.get(keyword) for keyword, role in ROLES.items() if role in roles}
    roles |= {role: path for role, path in several.items() if isinstance(path, str)}
    hint = resemblance([c.path for c in columns]) if guesses else ""
    notes = [hint] if hint else []
    report = Survey(
        file=data.name,
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
    command = _Command(data.path, options | proposal)
    study = _Study(table, command, spare, is_ordered=levels.is_ordered or not levels.text)
    facts: dict[str, Any] = {"notes": [*notes, *table.warnings, *levels.notes]}
    facts |= {"sure": study.is_ordered and not problems and are_sure(guesses)}
    return report.model_copy(update=study.facts | facts)


def _reads(data: _Input, options: Mapping[str, Any]) -> bool:
    """Whether the input is a table with these options."""
    try:
        data.read(**options)
    except (DataError, UsageError):
        return False
    return True


def _guesses(rows: Rows, columns: Sequence[Column], named: Mapping[str, str]) -> dict[str, Guess]:
    """A column for each role, probabilities of the levels among them."""
    known = None if "distribution" in named else guess_distribution(rows, columns)
    if known is None:
        guesses = guess_table(columns, named)
        if "truth" not in guesses or {"prediction", "distribution"} & {*guesses, *named}:
            return guesses
        truth = guesses["truth"].column
        if draws := guess_draws(rows, truth):
            return guesses | {"distribution": draws}
        taken = {guess.column.path for guess in guesses.values()}
        scores = guess_decimals([c for c in columns if c.path not in taken], truth)
        return guesses | ({"prediction": scores} if scores else {})
    distribution, parts = known
    guesses = guess_table([column for column in columns if column.path not in parts], named)
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
    several = side_by_side(columns, guesses)
    options |= {roles[role]: path for role, path in several.items() if path}
    for role in (role for role, path in several.items() if path is None):
        del options[roles[role]]
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
    roles |= _side_by_side(columns, paths)
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


def _side_by_side(
    columns: Sequence[Column], paths: Mapping[str, str]
) -> dict[str, tuple[str, str]]:
    """Role and reason of each column that a template stands for."""
    templates = {role: path for role, path in paths.items() if variables_of(path)}
    with suppress(DataError, UsageError):  # what cannot be read is told when it is read
        ends = templates.get("truth"), templates.get("confidence")
        fits = fits_of(templates.values(), [c.path for c in columns], (), *ends)
        pairs = zip(templates, fits, strict=True)
        return {path: (role, fit.template) for role, fit in pairs for path in fit.columns.values()}
    return {}


def _why(role: str, guesses: Mapping[str, Guess]) -> str:
    """Why a column beside the first has a role."""
    if role not in guesses:
        return "the mapping"
    return guesses[role].reason if role == "distribution" else f"another of the {role}'s"


def _mapping(format_name: str, options: Mapping[str, Any]) -> dict[str, Any]:
    """A mapping file to start from."""
    words = {key: options[key] for key in ("scale", "levels") if key in options}
    table = overlay({**options, "format": format_name}) | words
    return {key: value for key, value in table.items() if value}


@dataclass(frozen=True)
class _Command:
    """How questions are asked of an input: as command lines, or in Python where it is no file."""

    path: str | None
    options: Mapping[str, Any]

    def of(self, question: str, leave: Collection[str] = (), **more: Any) -> str:
        """The command of a question, with options of its own, without some of the reading."""
        options = {k: v for k, v in self.options.items() if k not in leave}
        if self.path is None:
            asked = ", ".join(f"{k}={v!r}" for k, v in {**options, **more}.items())
            return f"acumen.{question}(data, {asked})"
        words = words_of({k: v for k, v in options.items() if k not in ("scale", "levels")})
        if isinstance(options.get("mapping"), dict):
            words = ["--mapping", MAPPING]
        if options.get("levels"):
            words += ["--levels", spell(find_scale(options["levels"]).levels)]
        elif isinstance(options.get("scale"), str | Path):
            words += ["--scale", str(options["scale"])]
        own = [w for k, v in more.items() for w in (f"--{k.replace('_', '-')}", str(v))]
        return shlex.join(["acumen", question, self.path, *words, *own])


@dataclass(frozen=True)
class _Study:
    """A table, and how to read it on the command line."""

    table: Judgments
    command: _Command
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

    def ask(
        self, name: str, about: str, lacks: str | None, question: str = "evaluate", **more: Any
    ) -> tuple[str, Question]:
        lacks = lacks if self.is_ordered else "the order of the levels: --levels LOWEST,…,HIGHEST"
        command = self.command.of(question, **more) if lacks is None else None
        return name, Question(about=about, possible=lacks is None, command=command, lacks=lacks)


def _questions(study: _Study) -> Iterator[tuple[str, Question]]:
    """Everything one may ask, with what is missing for it."""
    table = study.table
    judged, confidence = table.included, table.signals.get("confidence")
    truth = None if judged.has_truth and len(judged) else "a column of the truth: --truth COLUMN"
    systems = 0 if table.system is None else len(table.system.values)
    alone = None if systems < 2 else truth  # several systems are compared with a truth
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
    yield study.ask("selective", "Does its confidence separate right from wrong answers?", ranked)
    span = {} if confidence is None else _range(confidence.values)
    yield study.ask("calibration", "Is its confidence honest?", ranked, **span)
    few = len(judged.cases)
    fewer = None if few >= RELIABLE_CASES else f"{RELIABLE_CASES - few} more cases with a truth"
    yield study.ask("intervals", "How sure are the numbers?", truth or fewer)
    if judged.distribution is not None:
        yield study.ask("distribution", "Are the probabilities of its levels honest?", truth)
    lacks = None if systems > 1 else "a second file, or a column of systems: --system COLUMN"
    yield study.ask("comparison", "Which system is better?", truth or lacks)
    if systems < 2 and confidence is not None:
        about = "From which confidence on may its answers be used?"
        yield study.ask("threshold", about, ranked, "threshold", risk=RISK)
    if systems < 2:
        asked = {"metric": "accuracy", "at_least": SHARE}
        yield study.ask("gate", "Is it good enough to pass?", truth, "gate", **asked)
    yield from _of_people(study, None if truth is None else table)


def _of_people(study: _Study, unlabelled: Judgments | None) -> Iterator[tuple[str, Question]]:
    """What may be asked of those who gave the truth, or of those who shall."""
    options, raters = study.command.options, study.table.rater
    if raters is not None and len(raters.values) > 1:
        leave = ("confidence_column", "abstain", "unanswerable")
        about = "Do people agree, and may it stand in for one of them?"
        yield study.ask("raters", about, None, "rate", leave=leave)
    if unlabelled is None or not isinstance(options.get("prediction"), str):
        return
    if len(unlabelled.cases) > 1:
        budget = min(BUDGET, len(unlabelled.cases))
        asked = {"budget": budget, "for": "estimate"}
        yield study.ask("labels", "Which cases should people label first?", None, "label", **asked)


def _range(values: np.ndarray[Any, Any]) -> dict[str, str]:
    """The option that makes a confidence a probability, where it needs one."""
    finite = values[np.isfinite(values)]
    if not len(finite) or finite.max() <= 1:
        return {}
    if np.mean(finite > 1) < MOST_ABOVE and (finite % 1).any():
        return {}  # a few numbers are wrong, which is told when they are read
    top = 100 if finite.max() > 10 else 10 if finite.max() > 5 else 5
    return {"confidence_range": f"0,{top}"}
