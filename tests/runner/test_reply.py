"""Replies read strictly: a level, an abstention, or unusable."""

from __future__ import annotations

import json
import time
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from acumen.runner.reply import UnusableReply, read_reply
from acumen.runner.task import Task
from acumen.runner.task_file import parse_task, read_task

REPLIES = [
    json.loads(line)
    for line in (Path(__file__).parent / "llm_replies.jsonl").read_text("utf-8").split("\n")
    if line
]
ALLOWED = {
    "abstain_or_invalid": {"abstain"},
    "invalid_or_strict_coerce": {"invalid"},
    "invalid_or_repaired_flagged": {"invalid"},
    "invalid_or_score:3": {"invalid"},
}


def verdict(text: str, task: Task) -> str:
    try:
        level = read_reply(text, task).items["Sleep"].level
    except UnusableReply:
        return "invalid"
    return "abstain" if level is None else f"score:{level}"


@pytest.mark.parametrize("entry", REPLIES, ids=[f"{r['id']}-{r['why'][:30]}" for r in REPLIES])
def test_each_stored_reply_gets_its_verdict(entry: dict[str, str], flat: Task) -> None:
    assert verdict(entry["reply"], flat) in ALLOWED.get(entry["expect"], {entry["expect"]})


def test_there_are_fifty_stored_replies() -> None:
    assert len(REPLIES) == 50


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("I cannot help with that.", "refused"),
        ("I’m sorry, but no.", "refused"),
        ("As an AI, I do not rate people.", "refused"),
        ("", "empty"),
        ("<think>{}</think>", "empty"),
        ("<think>{", "reasoning_not_closed"),
        ('Sorry:\n```json\n{"score": 9}\n```', "no_legal_score"),
        ("```\n{}\n```\n```\n{}\n```", "ambiguous"),
        ("<answer>{}</answer> <answer>", "ambiguous"),
        ("x" * 1_000_001, "too_long"),
        ("[1]", "not_an_object"),
        ('{"score": 2', "not_json"),
        ('{"score": 2}\u00a0', "not_json"),
    ],
)
def test_an_unusable_reply_says_why_in_a_fixed_word(text: str, reason: str, flat: Task) -> None:
    with pytest.raises(UnusableReply) as unusable:
        read_reply(text, flat)
    assert unusable.value.reason == reason


@pytest.mark.parametrize(
    ("value", "confidence", "flaws"),
    [
        ("4", 4, ()),
        ("4.0", 4, ()),
        ("null", None, ("confidence_missing",)),
        ("0", None, ("confidence_invalid",)),
        ("6", None, ("confidence_invalid",)),
        ("true", None, ("confidence_invalid",)),
        ('"4"', None, ("confidence_invalid",)),
        ("2.5", None, ("confidence_invalid",)),
    ],
)
def test_a_confidence_outside_one_to_five_is_none_and_flagged(
    value: str, confidence: int | None, flaws: tuple[str, ...], flat: Task
) -> None:
    answer = read_reply(f'{{"score": 1, "confidence": {value}}}', flat).items["Sleep"]
    assert (answer.level, answer.confidence, answer.flaws) == (1, confidence, flaws)


@pytest.mark.parametrize(
    "piece",
    ["<answer>", "```", "```\n", "<think>", "{", '{"a":', "</answer><answer>", '"\\ud83d', "I'm "],
)
def test_a_reply_made_to_be_slow_is_not(piece: str, flat: Task) -> None:
    text = piece * (900_000 // len(piece))
    began = time.process_time()  # its own work, whatever else the machine does
    for reply in (text, "<think>" + text, '{"score": "' + text, "Sorry </answer>" + text):
        with pytest.raises(UnusableReply):
            read_reply(reply, flat)
    assert time.process_time() - began < 30


def test_a_fence_needs_no_line_of_its_own(flat: Task) -> None:
    assert verdict('```json {"score": 3}```', flat) == "score:3"
    assert verdict('<answer>\n```\n{"score": 0}\n```</answer>', flat) == "score:0"


def test_the_span_of_a_score_points_at_it_in_the_whole_reply(flat: Task) -> None:
    text = '\ufeff<think>{"score": 3}</think>Here:\n```json\n{"why": "a\\"b", "score": 1}\n```'
    low, high = read_reply(text, flat).items["Sleep"].span
    assert text[low:high] == "1"
    assert low > text.index("Here")


def test_every_item_must_be_there_and_all_that_is_wrong_is_said(phq8: Task) -> None:
    answers = {item: {"evidence": [], "score": 1, "confidence": 3} for item in phq8.scale.items}
    answers["Sleep"]["score"] = 7
    del answers["Tired"]
    with pytest.raises(UnusableReply) as unusable:
        read_reply(json.dumps(answers), phq8)
    said = " ".join(unusable.value.problems)
    assert "Sleep: 7 is outside 0..3" in said
    assert "Tired: is missing" in said


def test_spans_follow_the_item_and_not_the_first_score(phq8: Task) -> None:
    answers = {
        item: {"evidence": ['"score": 3'], "score": rank % 4, "confidence": 3}
        for rank, item in enumerate(phq8.scale.items)
    }
    text = json.dumps(answers, indent=2)
    items = read_reply(text, phq8).items
    assert [text[slice(*items[i].span)] for i in phq8.scale.items] == list("01230123")


def test_a_verdict_keeps_sound_evidence_and_counts_what_was_dropped() -> None:
    task = read_task("allergy")
    row = {"evidence_id": "E1", "review_id": "r1", "field": "INCIDENT_SEVERITY"}
    reply = {
        "evidences": [
            {**row, "judgement": "Severe", "snippet": "closed throat"},
            {**row, "judgement": "terrible"},
            {**row, "field": "STAFF_RESPONSE", "judgement": "mild"},
            "E4",
            {**row, "judgement": "mild", "snippet": "the same id again"},
        ],
        "justification": {"direct_evidence": ["E1", "E9"], "scoring_trace": {"total_score": 15}},
        "verdict": "critical risk",
        "risk_score": 80,
    }
    reading = read_reply(json.dumps(reply), task)
    assert reading.items["verdict"].level == "Critical Risk"
    reasons = reading.reasons
    assert reasons is not None
    assert reasons.evidences == ({**row, "judgement": "severe", "snippet": "closed throat"},)
    assert reasons.flaws.count("evidence_row_dropped") == 4
    assert reasons.risk_score == 80
    assert reasons.justification == {
        "direct_evidence": ["E1"],
        "scoring_trace": {"total_score": 15},
    }
    assert reasons.flaws.count("direct_evidence_unknown") == 1


def test_a_judgement_is_kept_as_the_task_spells_it() -> None:
    text = files("acumen.runner.tasks").joinpath("allergy.toml").read_text("utf-8")
    task = parse_task(text.replace('"severe"]', '"Severe"]').encode(), "own.toml")
    row = {"evidence_id": "E1", "review_id": "r1", "field": "INCIDENT_SEVERITY"}
    for spelling in ("Severe", "severe", "SEVERE"):
        reply = {"verdict": "High Risk", "evidences": [{**row, "judgement": spelling}]}
        reasons = read_reply(json.dumps(reply), task).reasons
        assert reasons is not None
        assert reasons.evidences == ({**row, "judgement": "Severe"},)


ROW = {"evidence_id": "E1", "review_id": "r1", "field": "INCIDENT_SEVERITY", "judgement": "mild"}


@pytest.mark.parametrize("key", ROW)
@pytest.mark.parametrize("value", [None, "", 7, ["r1"]])
def test_a_row_of_evidence_that_lacks_a_part_is_dropped(key: str, value: object) -> None:
    reply = {"verdict": "High Risk", "evidences": [ROW | {key: value}]}
    reasons = read_reply(json.dumps(reply), read_task("allergy")).reasons
    assert reasons is not None
    assert reasons.evidences == ()
    assert reasons.flaws.count("evidence_row_dropped") == 1


@pytest.mark.parametrize(
    ("total", "trace"),
    [
        (7, {"scoring_trace": {"total_score": 7}}),
        (2.5, {"scoring_trace": {"total_score": 2.5}}),
        ("seven", {}),
        (None, {}),
        (True, {}),
    ],
)
def test_a_total_that_is_no_number_is_left_out(total: object, trace: dict[str, Any]) -> None:
    reply = {
        "verdict": "High Risk",
        "evidences": [ROW],
        "justification": {"direct_evidence": ["E1"], "scoring_trace": {"total_score": total}},
    }
    reasons = read_reply(json.dumps(reply), read_task("allergy")).reasons
    assert reasons is not None
    assert reasons.justification == {"direct_evidence": ["E1"]} | trace
