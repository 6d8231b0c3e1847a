"""Case files and references: everything that is wrong with them is said, and nothing of a text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from acumen.errors import DataError, UsageError
from acumen.runner.cases import read_cases, read_references
from acumen.runner.plan import Plan, Settings
from acumen.runner.task import Task
from acumen.runner.task_file import parse_task

SHOP = b"""
name = "shop"
scale = { levels = ["Low", "High"], items = ["risk"] }
inputs = { note = "text", hint = "optional text", reviews = "reviews" }
[reply]
layout = "flat"
score = "risk"
[prompt]
user = "{{ case.note }}"
"""
SOUND: dict[str, Any] = {
    "id": "a",
    "note": "x",
    "reviews": [{"review_id": "R1", "text": "fine"}],
    "truth": {"risk": "high"},
}


@pytest.fixture
def shop() -> Task:
    return parse_task(SHOP, "shop.toml")


def problems(path: Path, document: object, read: Any, task: Task) -> list[str]:
    path.write_text(json.dumps(document))
    try:
        read(path, task)
    except DataError as error:
        return [str(DataError([problem])) for problem in error.problems]
    return []


def test_a_sound_case_has_its_inputs_and_the_level_as_the_scale_spells_it(
    shop: Task, tmp_path: Path
) -> None:
    path = tmp_path / "cases.json"
    path.write_text(json.dumps([SOUND, {**SOUND, "id": 7, "hint": "", "truth": None}]))
    first, second = read_cases(path, shop).all
    assert first.truth == {"risk": "High"}
    assert first.inputs == {"note": "x", "hint": None, "reviews": SOUND["reviews"]}
    assert (second.id, second.truth, second.inputs["hint"]) == (7, {}, None)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"note": None}, "case a, note: must be text, not null"),
        ({"note": " "}, "case a, note: is blank"),
        ({"hint": 3}, "case a, hint: must be text, not 3"),
        ({"hint": " "}, "case a, hint: is blank"),
        ({"reviews": {}}, "case a, reviews: must be a list of {review_id, text}, both text"),
        ({"reviews": [{"review_id": "R1", "text": ""}]}, "must be a list of {review_id, text}"),
        ({"reviews": [{"review_id": 1, "text": "x"}]}, "must be a list of {review_id, text}"),
        ({"reviews": SOUND["reviews"] * 2}, "case a, reviews: gives one review_id twice"),
        ({"truth": [1]}, "case a, truth: must be an object, not a list"),
        (
            {"truth": {"risk": "Middle"}},
            "case a, item risk, truth: text is not one of 'Low', 'High'",
        ),
        ({"truth": {"mood": 1}}, "case a, truth.mood: is not an item of the task"),
        ({"truth": {"incidents": []}}, "case a, truth.incidents: is not an item of the task"),
        ({"truth": {"incidents": 3}}, "case a, truth.incidents: must be a list of objects"),
        ({"truth": {"incidents": [3]}}, "case a, truth.incidents: must be a list of objects"),
        ({"id": ""}, "cases[0].id: must be text or a whole number, not text"),
        ({"id": True}, "cases[0].id: must be text or a whole number, not the boolean true"),
        ({"id": 1.5}, "cases[0].id: must be text or a whole number, not 1.5"),
    ],
)
def test_what_is_wrong_with_a_case_is_said_by_its_field(
    change: dict[str, Any], said: str, shop: Task, tmp_path: Path
) -> None:
    found = problems(tmp_path / "c.json", {"cases": [SOUND | change]}, read_cases, shop)
    assert any(said in problem for problem in found), found


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ({"cases": [3]}, "cases[0]: must be an object, not 3"),
        ({"cases": []}, "holds no cases"),
        ({"cases": 3}, 'must be {"cases": […]} or records by id'),
        ({"a": 3}, 'must be {"cases": […]} or records by id'),
        ({}, 'must be {"cases": […]} or records by id'),
        ([SOUND, SOUND], "case a: is there more than once"),
        ({"a": {k: v for k, v in SOUND.items() if k != "id"}}, None),
        ([{k: v for k, v in SOUND.items() if k != "note"}], "case a, note: is missing"),
        ([{k: v for k, v in SOUND.items() if k != "id"} | {"note": 1}], "cases[0].note: must be"),
    ],
)
def test_what_is_no_list_of_cases_is_refused(
    document: object, said: str | None, shop: Task, tmp_path: Path
) -> None:
    found = problems(tmp_path / "c.json", document, read_cases, shop)
    assert any(said in problem for problem in found) if said else not found, found


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, None),
        ({"item": "mood"}, "references[0].item: must be one of risk"),
        ({"text": "  "}, "references[0].text: must be text that is not blank"),
        ({"text": 3}, "references[0].text: must be text that is not blank"),
        ({"score": "Middle"}, "references[0].score: text is not one of 'Low', 'High'"),
    ],
)
def test_what_is_wrong_with_a_reference_is_said(
    change: dict[str, Any], said: str | None, shop: Task, tmp_path: Path
) -> None:
    entry = {"item": "risk", "text": "a passage", "score": "low", "case": 7} | change
    found = problems(tmp_path / "r.json", {"references": [entry]}, read_references, shop)
    assert found == ([] if said is None else [said])
    if said is None:
        (reference,) = read_references(tmp_path / "r.json", shop).all
        assert (reference.score, reference.case) == ("Low", 7)


def test_a_task_of_ones_own_has_no_bundled_cases(shop: Task) -> None:
    with pytest.raises(UsageError, match="there are no bundled cases for the task shop"):
        read_cases("demo", shop)


def test_few_shot_needs_references_and_a_place_for_them(shop: Task, tmp_path: Path) -> None:
    path = tmp_path / "c.json"
    path.write_text(json.dumps([SOUND]))
    settings, cases = Settings(model="m", endpoint="e", modes=("few_shot",)), read_cases(path, shop)
    with pytest.raises(UsageError, match="few-shot needs --references FILE"):
        Plan(shop, cases, None, settings)
    path.write_text(json.dumps({"references": [{"item": "risk", "text": "x", "score": "Low"}]}))
    references = read_references(path, shop)
    with pytest.raises(UsageError, match="the prompt of task shop has no place for references"):
        Plan(shop, cases, references, settings)
