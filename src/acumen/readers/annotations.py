"""Scores of platforms, one a row: what people said and what a judge said become one row.

Langfuse keeps scores with a ``source`` (``ANNOTATION`` by people, ``EVAL`` by its judges, ``API``
by programs), Phoenix annotations with an ``annotator_kind`` (``HUMAN``, ``LLM``, ``CODE``), MLflow
assessments with a ``source_type`` (``HUMAN``, ``LLM_JUDGE``), Opik feedback with a ``source``
(``ui``, ``online_scoring``, ``sdk``). What is scored is a trace, a part of one, a span or a
session, and a score's name says in what respect.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from acumen.errors import DataError, counted, label
from acumen.readers.cells import coded_of, level_in_text
from acumen.readers.lookup import Lookup
from acumen.readers.mapping import Cell
from acumen.readers.paths import parse_path, rows_at
from acumen.readers.records import Records, Rows


@dataclass(frozen=True, slots=True)
class _Shape:
    """Where a platform keeps what in a row of scores: the first of some columns that is filled."""

    title: str
    kind: str
    """Who gave it: a person, or a judge."""
    people: str
    judges: tuple[str, ...]
    """Kinds of judges: of several in a file the first alone."""
    unit: tuple[str, ...]
    name: tuple[str, ...]
    value: tuple[str, ...]
    word: tuple[str, ...] = ()
    """The level in words, where there is no number."""
    within: tuple[str, ...] = ()
    """What part of the unit is scored, where it is one."""
    rater: tuple[str, ...] = ()
    data_type: tuple[str, ...] = ()
    """Whether the level is the word, whatever number stands beside it, or a remark and no level."""
    inside: str = ""
    """The list that holds such rows, where each row is a trace or an example."""


_WORDS: Final = "CATEGORICAL"
_REMARKS: Final = ("TEXT", "CORRECTION")
SHAPES: Final = (
    _Shape(
        "Langfuse",
        kind="source",
        people="ANNOTATION",
        judges=("EVAL", "API"),
        unit=("trace_id", "traceId", "session_id", "sessionId", "subject.id"),
        name=("name",),
        value=("value",),
        word=("string_value", "stringValue"),
        within=("observation_id", "observationId"),
        rater=("author_user_id", "authorUserId", "authorUserName"),
        data_type=("data_type", "dataType"),
    ),
    _Shape(
        "Phoenix",
        kind="annotator_kind",
        people="HUMAN",
        judges=("LLM", "CODE"),
        unit=("span_id", "context.span_id", "example_id"),
        name=("annotation_name", "name"),
        value=("score", "result.score"),
        word=("label", "result.label"),
        within=("document_position", "repetition_number"),
        rater=("identifier", "user_id"),
        inside="annotations",
    ),
    _Shape(
        "MLflow",
        kind="source.source_type",
        people="HUMAN",
        judges=("LLM_JUDGE", "AI_JUDGE"),
        unit=("trace_id",),
        name=("assessment_name", "name"),
        value=("feedback.value", "expectation.value", "feedback"),
        within=("span_id",),
        rater=("source.source_id",),
        inside="assessments",
    ),
    _Shape(
        "Opik",
        kind="source",
        people="UI",
        judges=("ONLINE_SCORING", "SDK"),
        unit=("id",),
        name=("name",),
        value=("value",),
        rater=("created_by",),
        inside="feedback_scores",
    ),
)


def with_people_beside_judge(rows: Rows) -> Rows:
    """Rows of scores with what people said beside what the judge said; other rows as they are."""
    if rows.mapping:
        return rows
    for shape in SHAPES:
        for each in _places(rows, shape):
            if (paired := _paired(each, shape, is_inside=each is not rows)) is not None:
                return paired
    return rows


def _places(rows: Rows, shape: _Shape) -> Iterator[Rows]:
    """The rows, and those inside of the list of that name."""
    yield rows
    for place in rows.inside if isinstance(rows, Records) and shape.inside else ():
        path = place.rpartition("[].")[2]
        if path.rpartition(".")[2] == f"{shape.inside}[]" and isinstance(rows, Records):
            inner = list(rows_at(list(rows.rows), parse_path(f"[].{path}", explodes=True)))
            yield Records(rows=inner, warnings=rows.warnings, format=rows.format)


def _column(rows: Rows, path: str) -> list[Any] | None:
    """The cells at a path; None where no row has it."""
    look = Lookup(rows, {})
    if look.place(path) is None:
        return None
    try:
        column = coded_of(look.cells(Cell(path=path), "score", ids=True))
    except DataError:  # it leads nowhere in any row
        return None
    return [None if code < 0 else column.values[code] for code in column.codes.tolist()]


def _cells(rows: Rows, paths: Sequence[str]) -> list[Any]:
    """In each row the first cell that is filled; None where none is."""
    columns = [column for path in paths if (column := _column(rows, path)) is not None]
    if not columns:
        return [None] * len(rows)
    return [next((c for c in row if not _is_blank(c)), None) for row in zip(*columns, strict=True)]


def _paired(rows: Rows, shape: _Shape, *, is_inside: bool) -> Records | None:
    """What people said beside what a judge said; None where the rows are not of the platform."""
    if Lookup(rows, {}).place(shape.kind) is None:
        return None
    kinds = [str(kind).upper() for kind in _cells(rows, [shape.kind])]
    judge = next((kind for kind in shape.judges if kind in kinds), "")
    units, names = _cells(rows, shape.unit), _cells(rows, shape.name)
    levels, order = _levels(rows, shape)
    if not judge or shape.people not in kinds or any(map(_is_blank, (*units[:1], *names[:1]))):
        return None
    if all(map(_is_blank, levels)):
        return None
    parts, raters = _cells(rows, shape.within), _cells(rows, shape.rater)
    judged: dict[tuple[Any, Any], Any] = {}
    said: dict[tuple[Any, Any], list[tuple[Any, Any]]] = {}
    again = remarks = 0
    for kind, unit, part, name, rater, level in zip(
        kinds, units, parts, names, raters, levels, strict=True
    ):
        key = unit if _is_blank(part) else f"{unit} {part}", name
        if level is _REMARK:
            remarks += 1
        elif kind == judge:
            again += key in judged
            judged[key] = level  # a later score replaces an earlier one
        elif kind == shape.people:
            said.setdefault(key, []).append((rater, level))
    said, renamed = _of_the_same_name(said, judged)
    if said and judged and said.keys().isdisjoint(judged) and not renamed:
        theirs, own = ({label(str(name)) for _, name in scores} for scores in (said, judged))
        both = f"{', '.join(sorted(theirs))} of people, and {', '.join(sorted(own))} of the judge"
        if not theirs & own and is_inside:
            return None  # each can be named by its path
        message = f"no score of {shape.title} is by people and by the judge: there are {both}"
        raise DataError([f"{message}; give both one name, or export one score of each"])
    several = any(len(labels) > 1 for labels in said.values())
    counts = {
        "by the judge replaced by a later one of the same name": again,
        "by people left out: the judge gave none of that name": len(said.keys() - judged.keys()),
        f"of another {label(shape.kind)} left out": sum(
            kind not in (shape.people, judge) for kind in kinds
        ),
        "left out that are remarks and no levels": remarks,
    }
    note = (
        f"scores of {shape.title}: {shape.people} is the truth, {judge} the prediction "
        f"({counted(len(judged), 'score')} by the judge)"
    )
    notes = [f"{counted(number, 'score')} {what}" for what, number in counts.items() if number]
    return Records(
        rows=list(_rows(judged, said)),
        mapping={
            "columns": {n: n for n in ("case", "item", "truth", "prediction")}
            | ({"rater": "rater"} if several else {})
        }
        | ({"levels": order} if order else {}),
        warnings=(*rows.warnings, note, *renamed, *notes),
        format=rows.format,
    )


_REMARK: Final = object()
"""In the place of a level: what somebody wrote."""


def _levels(rows: Rows, shape: _Shape) -> tuple[list[Any], list[Any]]:
    """The level of each score, and their order where numbers beside the words tell it."""
    values, words = _cells(rows, shape.value), _cells(rows, shape.word)
    kinds = [str(kind).upper() for kind in _cells(rows, shape.data_type)]
    levels: list[Any] = []
    numbers: dict[Any, set[Any]] = {}
    for value, word, kind in zip(values, words, kinds, strict=True):
        is_word = _is_blank(value) or (kind == _WORDS and not _is_blank(word))
        levels.append(_REMARK if kind in _REMARKS else level_in_text(word if is_word else value))
        if kind == _WORDS:  # a category has the number that is set for it, or 0
            numbers.setdefault(levels[-1], set()).add(level_in_text(value))
    single = {
        word: min(n)
        for word, n in numbers.items()
        if len(n) == 1 and all(isinstance(v, int | float) for v in n)
    }
    is_order = len(single) == len(numbers) == len({*single.values()}) > 1
    return levels, sorted(single, key=single.__getitem__) if is_order else []


def _of_the_same_name(
    said: dict[tuple[Any, Any], list[tuple[Any, Any]]], judged: Mapping[tuple[Any, Any], Any]
) -> tuple[dict[tuple[Any, Any], list[tuple[Any, Any]]], list[str]]:
    """What people said under the names of the judge; where each has one alone, these are a pair."""
    theirs, own = ({name for _, name in scores} for scores in (said, judged))
    if theirs & own or len(theirs) != 1 or len(own) != 1:
        return said, []
    (name,), (other,) = own, theirs
    note = f"{label(other)} by people is compared with {label(name)} by the judge"
    return {(unit, name): labels for (unit, _), labels in said.items()}, [note]


def _rows(
    judged: Mapping[tuple[Any, Any], Any],
    said: Mapping[tuple[Any, Any], Sequence[tuple[Any, Any]]],
) -> Iterator[Mapping[str, Any]]:
    """A row for each score of the judge, and for each person who gave one of the same."""
    for key, value in judged.items():
        for at, (rater, truth) in enumerate(said.get(key) or [(None, None)], start=1):
            who = f"person {at}" if _is_blank(rater) else rater
            yield {
                "case": key[0],
                "item": key[1],
                "truth": truth,
                "prediction": value,
                "rater": who,
            }


def _is_blank(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())
