"""Rows in JSON: one object a line, a list of objects, or a document with such a list inside."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, NoReturn

from acumen.errors import DataError, Problem, counted, label, refuse, refuse_many, what_came
from acumen.files.json import parse_json
from acumen.readers.autorubric import CRITERIA, is_report, with_verdicts
from acumen.readers.content import BOM, Content
from acumen.readers.deepeval import test_cases, with_metrics
from acumen.readers.paths import parse_path, rows_at
from acumen.readers.records import Records
from acumen.readers.roles import folded_name
from acumen.readers.shapes import rows_in_list, rows_in_object

FREE_CELLS: Final = 5_000_000
LOOKED_AT: Final = 20
"""Rows in which lists of further rows are looked for."""
SPARSEST: Final = 50
"""Up to ``FREE_CELLS`` a table may have as it likes; from there one in so many must be filled."""


def parse_lines(content: Content) -> tuple[list[Any], list[int]]:
    """The documents of a JSON Lines file and their lines; blank lines are ignored."""
    values, lines, problems = [], [], []
    # only \n ends a line: U+2028 and U+0085 may stand inside a text
    blocks = content.blocks(len(BOM) if content.start.startswith(BOM) else 0)
    rows = (line for block in blocks for line in block.removesuffix(b"\n").split(b"\n"))
    for number, line in enumerate(rows, start=1):
        if not line.strip():
            continue
        try:
            if b"\x00" in line:
                raise DataError([f"holds NUL bytes, the first at byte {line.index(0)}"])
            values.append(parse_json(line.rstrip(b"\r"), source=content.name))
            lines.append(number)
        except DataError as error:
            problems += [replace(p, line=number) for p in error.problems]
            refuse_many(problems, content.name)
    refuse(problems, content.name)
    return values, lines


def read_lines(content: Content, rows: str | None = None) -> Records:
    """The rows of a JSON Lines file: its lines, or what is at a path in each."""
    values, lines = parse_lines(content)
    if rows is None and is_report(values):
        return with_verdicts(values, read_lines(content, CRITERIA))
    if rows is not None:
        path = rows if rows.startswith("[") else f"[].{rows}"
        parts = [_at([value], path) for value in values]
        lines = [line for line, part in zip(lines, parts, strict=True) for _ in part]
        values = [value for part in parts for value in part] or _refuse(rows, values, content.name)
    inside = _inside(values)
    objects = _objects(values, content.name, lines)
    are_whole, notes = _whole_runs(objects)
    lines = [line for line, is_whole in zip(lines, are_whole, strict=True) if is_whole]
    objects = [row for row, is_whole in zip(objects, are_whole, strict=True) if is_whole]
    notes += _spellings(objects)
    return Records(rows=objects, lines=lines, inside=inside, warnings=notes, format="jsonl")


def read_document(content: Content, rows: str | None = None) -> Records:
    """The rows of a JSON document: at a path, else it is the list or holds one list of objects."""
    document, name = content.document, content.name
    at = ""
    if rows is None and (cases := test_cases(document)):
        return with_metrics(Records(rows=cases, inside=_inside(cases), format="json"))
    if rows is None:
        values = document if isinstance(document, list) else _only_list(document, name)
        at = next(
            (f"{p}[]." for p, rows_there in _lists(document) if p and rows_there is values), ""
        )
        values = list(rows_in_list(values))
    else:
        below = isinstance(document, list) and not rows.startswith("[")
        values = _at(document, f"[].{rows}" if below else rows) or _refuse(rows, document, name)
    objects, inside = _objects(values, name), _inside(values, at)
    are_whole, notes = _whole_runs(objects)
    objects = [row for row, is_whole in zip(objects, are_whole, strict=True) if is_whole]
    notes += _spellings(objects)
    return Records(rows=objects, inside=inside, warnings=notes, format="json")


_SPAN: Final = {"is_root", "span_id", "root_span_id"}
"""Keys of an event of Braintrust: a whole run, or a step of it, which is no row of its own."""


def _whole_runs(rows: Sequence[Mapping[str, Any]]) -> tuple[list[bool], tuple[str, ...]]:
    """Which rows are whole runs, and what to tell of those that are steps of one."""
    are_whole = [row.get("is_root") is not False or not row.keys() >= _SPAN for row in rows]
    if all(are_whole) or not any(are_whole):
        return [True] * len(are_whole), ()
    steps = counted(are_whole.count(False), "row")
    return are_whole, (f"{steps} left out: steps inside of a run (is_root is false)",)


def _spellings(rows: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """What to say of keys that are one name in several spellings, and in no row together."""
    by_name: dict[str, list[str]] = {}
    for key in dict.fromkeys(key for row in rows for key in row):
        by_name.setdefault(folded_name(key), []).append(key)
    notes = []
    for keys in (keys for keys in by_name.values() if len(keys) > 1):
        counts = {key: sum(key in row for row in rows) for key in keys}
        if sum(counts.values()) == sum(not row.keys().isdisjoint(keys) for row in rows):
            listed = " and ".join(f"{label(k)} in {counted(n, 'row')}" for k, n in counts.items())
            notes.append(f"a key is spelled in {len(keys)} ways, each a column: {listed}")
    return tuple(notes)


def _at(document: Any, rows: str) -> list[Any]:
    """What stands at a path; a list there is its elements."""
    values = list(rows_at(document, parse_path(rows, explodes=True)))
    return values[0] if len(values) == 1 and isinstance(values[0], list) else values


def _refuse(rows: str, document: Any, name: str) -> NoReturn:
    at = dict(_lists(document))
    first = next(iter(at.values()), [])
    places = [place for place in at if place] + [
        place for key in at for place in _inside(first if not key else at[key], key and f"{key}[].")
    ]
    hint = f"; there are lists of objects at {', '.join(map(label, places))}" if places else ""
    raise DataError([f"there are no rows at {label(rows)}{hint}"], source=name)


def _inside(values: Sequence[Any], at: str = "") -> tuple[str, ...]:
    """Where rows hold lists of objects, as paths to them."""
    rows = [value for value in values[:LOOKED_AT] if isinstance(value, Mapping)]
    return tuple(dict.fromkeys(f"{at}{place}[]" for row in rows for place, _ in _lists(row)))


def _objects(
    values: list[Any], name: str, lines: list[int] | None = None
) -> list[Mapping[str, Any]]:
    problems = [] if values else [Problem("there are no rows in it")]
    for at, value in enumerate(values):
        if not isinstance(value, Mapping):
            place: dict[str, Any] = {"line": lines[at]} if lines else {"field": f"[{at}]"}
            message = f"a row must be an object, not {what_came(value)}"
            problems.append(Problem(message, **place))
            refuse_many(problems, name)
    refuse(problems, name)
    keys = {key for row in values for key in row}
    cells = len(keys) * len(values)
    if cells > max(FREE_CELLS, SPARSEST * sum(map(len, values))):
        message = f"{len(values):,} rows have {len(keys):,} different keys, each in a few of them"
        raise DataError([f"{message}: are values among the keys?"], source=name)
    return values


SCORED: Final = "the scores of a verdict study, by acumen score"


def _only_list(document: Any, name: str) -> list[Any]:
    """The list of objects in a document that has one alone."""
    if not isinstance(document, Mapping):
        raise DataError([f"must be an object or a list, not {what_came(document)}"], source=name)
    systems = document.get("systems")
    first = systems[0] if isinstance(systems, list) and systems else None
    if any(isinstance(d, Mapping) and "unified_scores" in d for d in (document, first)):
        raise DataError([f"these are {SCORED}: show them with acumen show"], source=name)
    if "confidence_variants" in document:
        message = "these are metrics, not the run they are of: show them with acumen show"
        raise DataError([f"{message}, and give the run itself to test it"], source=name)
    lists = dict(_lists(document))
    outer = [place for place in lists if "." not in place]
    if len(lists) == 1 or (
        len(outer) == 1 and len(lists[outer[0]]) == max(map(len, lists.values()))
    ):
        return lists[outer[0]] if outer else next(iter(lists.values()))
    if lists:
        places = ", ".join(label(place) for place in list(lists)[:10])
        places += f" and {len(lists) - 10} more" if len(lists) > 10 else ""
        message = f"there are several lists of objects: choose one with --rows ({places})"
        problem = Problem(
            message, amends=(("--rows", f"{max(lists, key=lambda k: len(lists[k]))}[]"),)
        )
        raise DataError([problem], source=name)
    if rows := rows_in_object(document):
        return rows
    message = "there are no rows in it: neither a list of objects nor the experiments of a run"
    raise DataError([f"{message} (keys: {', '.join(map(label, list(document)[:10]))})"], name)


def _lists(value: Any, at: str = "", depth: int = 0) -> Iterator[tuple[str, list[Any]]]:
    if isinstance(value, Mapping) and depth < 5:
        for key, inner in value.items():
            step = key if key.replace("_", "").replace("-", "").isalnum() else f'"{key}"'
            yield from _lists(inner, f"{at}.{step}" if at else step, depth + 1)
    elif isinstance(value, list) and value and all(isinstance(v, Mapping) for v in value):
        yield at, value
