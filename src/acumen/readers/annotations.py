"""Scores of platforms, one a row: what people said and what a judge said become one row.

Langfuse keeps scores with a ``source`` (``ANNOTATION`` by people, ``EVAL`` by a judge), Phoenix
annotations with an ``annotator_kind`` (``HUMAN``, ``LLM``), traces of MLflow assessments with a
``source_type`` (``HUMAN``, ``LLM_JUDGE``). What is scored is a trace, a part of
one or a span, and a score's name says in what respect.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from acumen.errors import counted, label
from acumen.readers.cells import coded_of, level_in_text
from acumen.readers.lookup import Lookup
from acumen.readers.mapping import Cell
from acumen.readers.paths import parse_path, rows_at
from acumen.readers.records import Records, Rows


@dataclass(frozen=True, slots=True)
class _Shape:
    """Where a platform keeps what in a row of scores; of several columns the first there is."""

    title: str
    kind: str
    """Who gave it: a person, or a judge."""
    people: str
    judge: str
    unit: tuple[str, ...]
    within: tuple[str, ...]
    """What part of the unit is scored, where it is one."""
    name: tuple[str, ...]
    value: tuple[str, ...]
    word: tuple[str, ...]
    """The level in words, where there is no number."""
    rater: tuple[str, ...]


SHAPES: Final = (
    _Shape(
        "Langfuse",
        kind="source",
        people="ANNOTATION",
        judge="EVAL",
        unit=("trace_id", "traceId"),
        within=("observation_id", "observationId"),
        name=("name",),
        value=("value",),
        word=("string_value", "stringValue"),
        rater=("author_user_id", "authorUserId"),
    ),
    _Shape(
        "Phoenix",
        kind="annotator_kind",
        people="HUMAN",
        judge="LLM",
        unit=("span_id", "context.span_id"),
        within=("document_position",),
        name=("annotation_name", "name"),
        value=("score", "result.score"),
        word=("label", "result.label"),
        rater=("identifier",),
    ),
    _Shape(
        "MLflow",
        kind="source.source_type",
        people="HUMAN",
        judge="LLM_JUDGE",
        unit=("trace_id",),
        within=("span_id",),
        name=("assessment_name", "name"),
        value=("feedback.value", "feedback"),
        word=("feedback.value", "feedback"),
        rater=("source.source_id",),
    ),
)


def with_people_beside_judge(rows: Rows) -> Rows:
    """Rows of scores with what people said beside what the judge said; other rows as they are."""
    rows = _assessments(rows)
    shape = next((shape for shape in SHAPES if _fits(rows, shape)), None)
    return rows if shape is None else _paired(rows, shape)


def _assessments(rows: Rows) -> Rows:
    """The assessments inside of traces as rows, where traces hold them."""
    for place in rows.inside if isinstance(rows, Records) else ():
        path = place.rpartition("[].")[2]
        if path.rpartition(".")[2] == "assessments[]" and isinstance(rows, Records):
            inner = list(rows_at(list(rows.rows), parse_path(f"[].{path}", explodes=True)))
            each = Records(rows=inner, warnings=rows.warnings, format=rows.format)
            return each if any(_fits(each, shape) for shape in SHAPES) else rows
    return rows


def _fits(rows: Rows, shape: _Shape) -> bool:
    """Whether the columns are a platform's, and both people and a judge gave scores."""
    parts = (shape.unit, shape.name, (*shape.value, *shape.word))
    kind = (shape.kind,)
    if rows.mapping or any(_column(rows, p) is None for p in (kind, *parts)):
        return False
    kinds = {str(kind).upper() for kind in _cells(rows, kind)}
    return {shape.people, shape.judge} <= kinds


def _column(rows: Rows, paths: Sequence[str]) -> str | None:
    place = Lookup(rows, {}).place
    return next((path for path in paths if path in rows.names or place(path) is not None), None)


def _cells(rows: Rows, paths: Sequence[str]) -> list[Any]:
    """The cells of the first column that is there; None where none is."""
    if (path := _column(rows, paths)) is None:
        return [None] * len(rows)
    column = coded_of(Lookup(rows, {}).cells(Cell(path=path), "score", ids=True))
    return [None if code < 0 else column.values[code] for code in column.codes.tolist()]


def _paired(rows: Rows, shape: _Shape) -> Records:
    kinds, units, parts, names, raters = (
        _cells(rows, paths)
        for paths in ((shape.kind,), shape.unit, shape.within, shape.name, shape.rater)
    )
    values = [
        level_in_text(word) if _is_blank(value) else level_in_text(value)
        for value, word in zip(_cells(rows, shape.value), _cells(rows, shape.word), strict=True)
    ]
    judged: dict[tuple[Any, ...], Any] = {}
    said: dict[tuple[Any, ...], list[tuple[Any, Any]]] = {}
    again = 0
    for kind, unit, part, name, rater, value in zip(
        kinds, units, parts, names, raters, values, strict=True
    ):
        key = unit if _is_blank(part) else f"{unit} {part}", name
        if str(kind).upper() == shape.judge:
            again += key in judged
            judged[key] = value  # a later score replaces an earlier one
        elif str(kind).upper() == shape.people:
            said.setdefault(key, []).append((rater, value))
    several = any(len(labels) > 1 for labels in said.values())
    alone = len(said.keys() - judged.keys())
    others = sum(str(kind).upper() not in (shape.people, shape.judge) for kind in kinds)
    return Records(
        rows=list(_rows(judged, said)),
        mapping={
            "columns": {n: n for n in ("case", "item", "truth", "prediction")}
            | ({"rater": "rater"} if several else {})
        },
        warnings=tuple(_notes(rows, shape, (len(judged), again, alone, others))),
        format=rows.format,
    )


def _rows(
    judged: Mapping[tuple[Any, ...], Any], said: Mapping[tuple[Any, ...], Sequence[tuple[Any, Any]]]
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


def _notes(rows: Rows, shape: _Shape, counts: tuple[int, ...]) -> Iterator[str]:
    judged, again, alone, others = counts
    yield from rows.warnings
    yield (
        f"scores of {shape.title}: {shape.people} is the truth, {shape.judge} the prediction "
        f"({counted(judged, 'score')} by the judge)"
    )
    if again:
        yield f"{counted(again, 'score')} by the judge replaced by a later one of the same name"
    if alone:
        yield f"{counted(alone, 'score')} by people left out: the judge gave none of that name"
    if others:
        yield f"{counted(others, 'score')} of another {label(shape.kind)} left out"


def _is_blank(value: Any) -> bool:
    return value is None or (isinstance(value, str) and not value.strip())
