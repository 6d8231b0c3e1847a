"""One adaptor from pydantic's errors to ours: where, what came, what is allowed, all at once."""

from __future__ import annotations

from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, Field

from acumen.errors import DataError
from acumen.files.documents import AS_WRITTEN, Document, Part, Text
from acumen.files.problems import Draft, validated


class Leaf(Document):
    noun = "leaf"
    colour: Literal["green", "brown"] = Field(description="green or brown")
    size: Annotated[float, Field(gt=0, le=9), AS_WRITTEN] = 1


class Tree(Document):
    noun = "tree"
    name: Part[Text]
    age: Part[int] = 0
    leaves: Part[list[Part[Leaf]]] = Field(default_factory=list)
    notes: Part[dict[str, Part[str]]] = Field(default_factory=dict)


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({}, "name: is missing"),
        ({"name": " "}, "name: must not be empty"),
        ({"name": ""}, "name: must not be empty"),
        ({"name": 3}, "name: must be text, not 3"),
        ({"name": None}, "name: must be text, not null"),
        ({"nam": "oak"}, "nam: is not a key of a tree; is 'name' meant?"),
        ({"name": "oak", "soil": 1}, "soil: is not a key of a tree"),
        ({"name": "oak", "age": True}, "age: must be a whole number, not the boolean true"),
        ({"name": "oak", "age": 1.0}, "age: must be a whole number, not 1.0"),
        ({"name": "oak", "leaves": {}}, "leaves: must be a list, not an object"),
        ({"name": "oak", "leaves": [3]}, "leaves[0]: must be an object, not 3"),
        ({"name": "oak", "leaves": [{}]}, "leaves[0].colour: is missing: green or brown"),
        (
            {"name": "oak", "leaves": [{"colour": "red"}]},
            "leaves[0].colour: must be 'green' or 'brown', not the text 'red'",
        ),
        (
            {"name": "oak", "leaves": [{"colour": "green", "size": 0}]},
            "leaves[0].size: must be greater than 0, not 0",
        ),
        (
            {"name": "oak", "leaves": [{"colour": "green", "size": float("nan")}]},
            "leaves[0].size: must be finite, not nan",
        ),
        ({"name": "oak", "notes": {"\x1b[2J": 1}}, "notes.'\\x1b[2J': must be text, not 1"),
        ([], "must be an object, not a list"),
    ],
)
def test_one_mistake_is_told_once_with_its_place(document: object, said: str) -> None:
    with pytest.raises(DataError) as refused:
        validated(document, Tree, "tree.json")
    assert str(refused.value) == f"tree.json: {said}"


def test_every_mistake_is_told_and_where_in_the_file_the_document_stands() -> None:
    document = {"age": "old", "leaves": [{"colour": "red"}, 3], "x": 1}
    with pytest.raises(DataError) as refused:
        validated(document, Tree, "forest.json", at="trees")
    assert [problem.field for problem in refused.value.problems] == [
        "trees.name",
        "trees.age",
        "trees.leaves[0].colour",
        "trees.leaves[1]",
        "trees.x",
    ]


class Word(BaseModel):
    word: str | int | None = None
    words: list[str | float] = []


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({"word": []}, "word: must be text or a whole number, not a list"),
        ({"words": ["a", {}]}, "words[1]: must be text or a number, not an object"),
    ],
)
def test_what_is_none_of_several_kinds_is_one_problem(document: object, said: str) -> None:
    with pytest.raises(DataError) as refused:
        validated(document, Word, "word.json")
    assert str(refused.value) == f"word.json: {said}"


def test_a_text_that_should_not_be_there_is_shown_in_part_and_escaped() -> None:
    with pytest.raises(DataError) as refused:
        validated({"name": "oak", "age": "\x1b[2J" + "secret " * 50}, Tree, "tree.json")
    assert "\x1b" not in str(refused.value)
    assert str(refused.value).count("secret") <= 6


def test_a_whole_number_stays_one_where_any_number_may_stand() -> None:
    sizes = [validated({"colour": "green", "size": n}, Leaf, "leaf.json").size for n in (2, 2.0)]
    assert [type(size) for size in sizes] == [int, float]


def test_a_draft_has_none_where_something_is_wrong_and_the_rest_as_it_is() -> None:
    text = 'nme = "oak"\nage = "old"\nleaves = [{ colour = "red" }, { colour = "brown" }]\n'
    draft = Draft(text + '[notes]\na = "b"\nc = 3\n', Tree, "tree.toml")
    tree = draft.table
    assert (tree.name, tree.age, tree.notes) == (None, None, {"a": "b", "c": None})
    assert tree.leaves == [None, Leaf(colour="brown")]
    assert tree.unknown == {"nme": "name"}
    draft.wrong(("notes", "a"), "is not b enough")
    assert str(draft.refusal).splitlines() == [
        "tree.toml: line 1, nme: is not a key of a tree; is 'name' meant?",
        "tree.toml: line 2, age: must be a whole number, not the text 'old'",
        "tree.toml: line 3, leaves[0].colour: must be 'green' or 'brown', not the text 'red'",
        "tree.toml: line 5, notes.a: is not b enough",
        "tree.toml: line 6, notes.c: must be text, not 3",
    ]


def test_the_schema_says_what_is_taken_and_nothing_of_drafts() -> None:
    schema = Tree.model_json_schema()
    assert schema["required"] == ["name"]
    assert schema["additionalProperties"] is False
    assert schema["properties"]["age"] == {"default": 0, "title": "Age", "type": "integer"}
