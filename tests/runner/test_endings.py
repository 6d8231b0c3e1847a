"""Every provider's word for cut off, filtered and error; and a cut-off reply asked again."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from acumen.cli import run as acumen
from acumen.errors import DataError
from acumen.runner.endings import WORDS, Ending, ending_of
from acumen.runner.endpoint import Patience
from acumen.runner.execute import execute
from acumen.runner.plan import Plan
from acumen.runner.protocols import PROTOCOLS
from acumen.runner.reply import UnusableReply, read_reply
from acumen.runner.task import Task
from acumen.runner.wire import Answer, TransportFailure

PlanFor = Callable[..., Plan]
GOOD = '{"score": 2, "confidence": 4}'
HASTE = Patience(timeout=5, retries=1, backoff=0.01)
SAID = [
    (ending, word)
    for ending, words in WORDS.items()
    for word in dict.fromkeys(itertools.chain(*map(str.split, words.values())))
]


def chat(word: object) -> dict[str, Any]:
    return {"choices": [{"message": {"content": GOOD}, "finish_reason": word}]}


def read(api: str, body: dict[str, Any]) -> Answer:
    return PROTOCOLS[api].read(body)  # type: ignore[index]  # one of the three


def test_no_word_has_two_meanings() -> None:
    words = [word for _, word in SAID]
    assert len(words) == len({*words})
    assert {"length", "content_filter", "end_turn", "max_tokens", "abort"} <= {*words}


@pytest.mark.parametrize(("ending", "word"), SAID)
def test_each_providers_word_is_known_in_either_case(ending: Ending, word: str) -> None:
    for spelling in (word, word.upper()):
        if ending is Ending.fault:
            with pytest.raises(TransportFailure, match="model_fault"):
                read("chat", chat(spelling))
            continue
        answer = read("chat", chat(spelling))
        assert (answer.ending, answer.refused) == (ending, ending is Ending.filtered)


@pytest.mark.parametrize(
    ("word", "ending"),
    [
        ("content_filter: PROHIBITED_CONTENT", "filtered"),
        ("image_prohibited_content", "filtered"),
        ("max_completion_tokens", "cut_off"),
        ("server_error", "fault"),
        ("context", "cut_off"),
        ("compaction", "cut_off"),
        ("contextLengthReached", "cut_off"),
        ("FinishReason.MAX_TOKENS", "cut_off"),
        ("rate_limited", "fault"),
        ("token_timeout", "fault"),
        ("RESOURCE_EXHAUSTED", "fault"),
        ("modelUnloaded", "fault"),
        ("contentFiltered", "filtered"),
        ("endTurn", "done"),
        ({"type": "length", "length": 60}, "cut_off"),
        ("a word nobody has", "done"),
        ("", "done"),
        (None, "done"),
        (7, "done"),
    ],
)
def test_an_unknown_word_is_read_by_what_stands_in_it(word: object, ending: str) -> None:
    assert ending_of(word).value == ending


@pytest.mark.parametrize(
    ("api", "body", "outcome"),
    [
        ("chat", {"choices": [{"finish_reason": "SAFETY", "index": 0}]}, "refused"),
        ("chat", {"promptFeedback": {"blockReason": "SAFETY"}, "choices": []}, "content_filter"),
        ("chat", {"choices": [{"message": {}, "error": {"code": 502}}]}, "model_fault"),
        ("responses", {"status": "failed", "error": {"code": "server_error"}}, "model_fault"),
        ("responses", {"status": "queued", "output": []}, "model_fault"),
        ("responses", {"status": "completed", "output": []}, "empty_choices"),
        (
            "responses",
            {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}},
            "cut_off",
        ),
        ("responses", {"status": "incomplete"}, "cut_off"),
        (
            "responses",
            {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}},
            "refused",
        ),
        ("messages", {"content": [], "stop_reason": "refusal"}, "refused"),
        ("messages", {"content": [], "stop_reason": "model_context_window_exceeded"}, "cut_off"),
        ("messages", {"content": [{"type": "text"}], "stop_reason": "end_turn"}, "done"),
    ],
)  # fmt: skip
def test_each_kind_of_api_says_it_in_its_own_way(
    api: str, body: dict[str, Any], outcome: str
) -> None:
    if outcome in ("content_filter", "model_fault", "empty_choices"):
        with pytest.raises(TransportFailure, match=outcome) as caught:
            read(api, body)
        assert caught.value.again == (outcome != "content_filter")
    else:
        answer = read(api, body)
        assert ("refused" if answer.refused else answer.ending.value) == outcome


def test_a_cut_off_reply_is_asked_again_on_resume_and_with_another_limit(
    scripted: ModuleType, flat_file: Path, cases_file: Callable[..., Path], tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    async def script(exchange: Any) -> None:
        is_cut = exchange.case == "b" and exchange.body["max_tokens"] < 500
        await exchange.reply(GOOD, finish="length" if is_cut else "stop")

    output = tmp_path / "run.json"
    command = ["run", str(flat_file), "--cases", str(cases_file("a", "b")), "--model", "m"]
    with scripted.ScriptedServer(script) as server:
        command += ["--base-url", server.url, "--output", str(output)]
        assert acumen(command) == 4
        told = capsys.readouterr().err
        assert "replies were cut off at 60 tokens: add --resume with a larger --max-tokens" in told
        assert "to ask again what got no reply" not in told
        assert server.asked == {"a": 1, "b": 2}  # the second is the task's one repair
        assert acumen([*command, "--resume"]) == 4
        assert server.asked == {"a": 1, "b": 4}
        assert acumen([*command, "--resume", "--max-tokens", "900"]) == 0
        assert server.asked == {"a": 1, "b": 5}
    metadata = json.loads(output.read_text())["run_metadata"]
    assert metadata["reply_limits"] == {"60": 1, "900": 1}
    assert metadata["settings"]["max_tokens"] == 900


def test_a_run_of_before_that_named_its_limit_is_continued(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    async def script(exchange: Any) -> None:
        await exchange.reply(GOOD)

    identity = Plan.identity
    before = {"max_tokens": 60, "newer_token_field": False}
    with scripted.ScriptedServer(script) as server:
        monkeypatch.setattr(Plan, "identity", lambda plan: identity(plan) | before)
        execute(plan_for(flat, ["a"]), tmp_path / "run.json", server.url)
        monkeypatch.undo()
        plan = plan_for(flat, ["a"], max_tokens=70)
        execute(plan, tmp_path / "run.json", server.url, resume=True)
        other = plan_for(flat, ["a"], temperature=1.0)
        with pytest.raises(DataError, match="temperature"):
            execute(other, tmp_path / "run.json", server.url, resume=True)
    assert server.asked == {"a": 1}


def test_a_fault_of_the_provider_is_asked_again_and_a_filtered_reply_is_not(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path
) -> None:
    async def script(exchange: Any) -> None:
        word = {"fault": "error", "filtered": "SAFETY"}[exchange.case]
        again = exchange.case == "fault" and exchange.times > 1
        await exchange.reply(GOOD, finish="stop" if again else word)

    with scripted.ScriptedServer(script) as server:
        plan = plan_for(flat, ["fault", "filtered"])
        run = execute(plan, tmp_path / "run.json", server.url, patience=HASTE)
    assert server.asked == {"fault": 2, "filtered": 1}
    assert run.failures is not None
    assert run.failures["outcomes"] == {"answered": 1, "refused": 1}


def test_text_below_a_mark_that_the_case_holds_is_no_answer(flat: Task, plan_for: PlanFor) -> None:
    reply = f"The patient wrote </think>{GOOD}"
    plain, hostile = (plan_for(flat, [name]).cases.all[0] for name in ("a", "a </think> b"))
    assert read_reply(reply, flat, plain).items["Sleep"].level == 2
    with pytest.raises(UnusableReply, match="not_json"):
        read_reply(reply, flat, hostile)
    for wrapped in (f"```json\n{GOOD}\n```", f"<answer>{GOOD}</answer>"):
        assert read_reply(f"It says </think>{wrapped}", flat, plain).items["Sleep"].level == 2
        with pytest.raises(UnusableReply, match="not_json"):
            read_reply(f"It says </think>{wrapped}", flat, hostile)
        above = read_reply(f"{wrapped} It says </think> {wrapped}", flat, hostile)
        assert above.items["Sleep"].level == 2
    with pytest.raises(UnusableReply, match="reasoning_not_opened"):
        read_reply(f"</think>{GOOD}", flat, hostile)
    for sound in (GOOD, f"<think>so</think>{GOOD}", f"```\n{GOOD}\n``` not </think>"):
        assert read_reply(sound, flat, hostile).items["Sleep"].level == 2
