"""Whatever comes, readers read it or refuse it; nothing else escapes them."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from copy import deepcopy
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import HealthCheck, example, given, settings

from acumen.errors import AcumenError, DataError
from acumen.files.json import parse_json, to_json
from acumen.readers import read
from acumen.readers.run import run_from_document
from tests.run_documents import run_document

plain = settings(deadline=None, max_examples=150, suppress_health_check=list(HealthCheck))

scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(),
    st.sampled_from([10**32, 10**400, -1, 0, 4, 1.5, 2.0, "", "2", "\x1b[2J", "Sleep", "few_shot"]),
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


def attempt(call: Callable[[], Any], refusal: type[AcumenError] = AcumenError) -> tuple[Any, str]:
    """What a call gave, or what it said in refusing; anything else it raises goes through."""
    try:
        return call(), ""
    except refusal as error:
        return None, str(error) or "refused without a word"


def parsed(data: bytes | str) -> tuple[bool, object]:
    document, said = attempt(lambda: parse_json(data), DataError)
    return not said, document


@plain
@given(st.one_of(st.binary(), st.text(), st.text(alphabet='[]{}",:\\0123456789.eE-+ntrfu \n')))
@example("1" * 400)
@example("[1e400]")
@example("-" + "9" * 308)
@example('{"\\u0000": 1, "\\u0000": 2}')
@example("[١]")
@example("[1١]")
@example('"\\ud83d\\ude00"')
@example(b"\xef\xbb\xbf[]")
@example("\ufeff[]")
@example("[" * 2000)
def test_any_bytes_or_text_are_read_as_the_standard_library_does_or_refused(
    data: bytes | str,
) -> None:
    accepted, document = parsed(data)
    if accepted:
        assert document == json.loads(data.decode("utf-8-sig") if isinstance(data, bytes) else data)


@plain
@given(values)
def test_every_document_that_can_be_written_reads_back_as_it_was(document: object) -> None:
    accepted, read = parsed(to_json(document))
    assert accepted or not _is_modest(document)
    if accepted:
        assert read == document


def _is_modest(document: object) -> bool:
    """Without whole numbers beyond the largest float and without halves of surrogate pairs."""
    if isinstance(document, int | float):
        return -1.7e308 < document < 1.7e308 and math.isfinite(document)
    if isinstance(document, str):
        return not any("\ud800" <= c <= "\udfff" for c in document)
    if isinstance(document, list):
        return all(map(_is_modest, document))
    if isinstance(document, dict):
        return all(_is_modest(k) and _is_modest(v) for k, v in document.items())
    return True


@plain
@given(st.data())
def test_a_sound_document_cut_or_changed_anywhere_is_read_or_refused(data: st.DataObject) -> None:
    text = json.dumps(run_document())
    at = data.draw(st.integers(0, len(text)))
    until = data.draw(st.integers(at, min(len(text), at + 5)))
    parsed(text[:at] + data.draw(st.text(max_size=3)) + text[until:])


def places(node: object, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Every path into a document but the root's."""
    children = (
        node.items()
        if isinstance(node, dict)
        else enumerate(node)
        if isinstance(node, list)
        else ()
    )
    found = []
    for key, child in children:
        found += [(*path, key), *places(child, (*path, key))]
    return found


PLACES = places(run_document())


def mutate(document: Any, path: tuple[Any, ...], how: str, value: object) -> None:
    """Change what stands at a path; a path that an earlier change took away is left alone."""
    node = document
    for key in path[:-1]:
        if not isinstance(node, dict | list) or (isinstance(node, dict) and key not in node):
            return
        if isinstance(node, list) and not (isinstance(key, int) and key < len(node)):
            return
        node = node[key]
    key = path[-1]
    here = isinstance(node, dict) and key in node
    here = here or (isinstance(node, list) and isinstance(key, int) and key < len(node))
    if not here:
        return
    if how == "remove":
        del node[key]
    elif how == "repeat" and isinstance(node, list):
        node.append(deepcopy(node[key]))
    elif how == "rename" and isinstance(node, dict):
        node[str(value)] = node.pop(key)
    else:
        node[key] = value


changes = st.lists(
    st.tuples(
        st.sampled_from(PLACES),
        st.sampled_from(["replace", "replace", "remove", "rename", "repeat"]),
        values,
    ),
    min_size=1,
    max_size=4,
)


@settings(plain, max_examples=400)
@given(changes)
def test_a_run_changed_at_random_places_is_read_or_refused(
    mutations: list[tuple[tuple[Any, ...], str, object]],
) -> None:
    document = run_document()
    for path, how, value in mutations:
        mutate(document, path, how, value)
    table, said = attempt(lambda: run_from_document(document))
    assert "\x1b" not in said
    assert said != "refused without a word"
    if not said:
        assert "\x1b" not in repr(table)
        assert (table.truth >= 0).all()
        assert (table.truth <= table.scale.range).all()
        assert (table.prediction <= table.scale.range).all()


@pytest.mark.parametrize(
    ("name", "reader"),
    [("x.jsonl", read), ("x.csv", read), ("x.parquet", read)],
)
@settings(plain, max_examples=60)
@given(data=st.binary(max_size=200) | st.text(max_size=200).map(lambda s: s.encode("utf-8")))
def test_any_bytes_in_a_file_of_rows_are_read_or_refused(
    name: str, reader: Any, data: bytes, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = Path(tmp_path_factory.getbasetemp()) / name
    path.write_bytes(data)
    with pytest.raises(AcumenError):
        reader(path)


HEADER = "participant_id,item,gt,pred,confidence,weight\n"
cells = st.sampled_from(
    [
        "1",
        "2",
        "",
        "NA",
        "Sleep",
        "Tired",
        '"a"',
        '"',
        "nan",
        "1e999",
        "-1",
        "\x00",
        "=1",
        "é",
        "9" * 30,
    ]
)


@settings(plain, max_examples=100)
@given(lines=st.lists(st.lists(cells, min_size=5, max_size=7).map(",".join), max_size=4))
def test_any_cells_in_a_csv_file_are_read_or_refused(
    lines: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = Path(tmp_path_factory.getbasetemp()) / "cells.csv"
    path.write_text(HEADER + "\n".join(lines), "utf-8")
    table, said = attempt(lambda: read(path))
    assert len(table) == len(lines) if not said else said.startswith("cells.csv: ")
