"""A record is the same after its way through the journal, and what is none is not taken for one."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from acumen.runner.record import ItemAnswer, Outcome, Reasons, Record, as_line, read_record

ANSWER = Record(
    "7",
    "few_shot",
    3,
    Outcome.answered,
    prompt_hash="ab",
    items={"Sleep": ItemAnswer(2, {"count": 1, "msp": 1.0, "pe": None}, ["flaw"], "no tokens")},
    reply='{"score": 2}',
    parsed=Reasons([{"evidence_id": "E1"}], {"scoring_trace": {"total_score": 2}}, 3, []),
    repairs=1,
    problems=["not_json"],
    retries=2,
    prompt_tokens=10,
    completion_tokens=5,
    served_model="m",
    seconds=0.25,
)
FAILURE = Record(7, "zero_shot", 0, Outcome.transport_failure, "timeout", problems=[])


@pytest.mark.parametrize("record", [ANSWER, FAILURE], ids=["answer", "failure"])
def test_a_record_comes_back_as_it_was_whole_numbers_and_fractions_apart(record: Record) -> None:
    again = read_record(as_line(record))
    # the raw reply stays on disk
    assert again == replace(record, reply=None)
    assert as_line(again) == as_line(replace(record, reply=None))


def test_what_a_failure_does_not_have_is_left_out_of_its_line() -> None:
    assert json.loads(as_line(FAILURE)).keys() & {"items", "reply", "parsed"} == set()
    assert as_line(FAILURE).startswith(b'{"case": 7, "mode": "zero_shot", "sample": 0, "outcome"')


@pytest.mark.parametrize(
    "change",
    [
        {"case": None},
        {"mode": "other"},
        {"sample": "first"},
        {"sample": True},
        {"outcome": "bored"},
        {"items": None},
        {"items": {}},
        {"items": {"Sleep": {"level": 2}}},
        {"seconds": "long"},
    ],
    ids=str,
)
def test_a_line_of_another_shape_is_no_record(change: dict[str, Any]) -> None:
    line = json.dumps(json.loads(as_line(ANSWER)) | change)
    assert read_record(line.encode()) is None
    assert read_record(b"{}") is None


@pytest.mark.parametrize(
    ("outcome", "usable", "final"),
    [
        (Outcome.answered, True, True),
        (Outcome.abstained, True, True),
        (Outcome.refused, False, True),
        (Outcome.invalid_reply, False, True),
        (Outcome.transport_failure, False, False),
    ],
)
def test_only_a_question_that_got_no_reply_is_asked_again(
    outcome: Outcome, usable: bool, final: bool
) -> None:
    record = Record(1, "zero_shot", 0, outcome)
    assert (record.is_usable, record.is_final) == (usable, final)
