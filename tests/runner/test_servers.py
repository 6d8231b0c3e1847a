"""Replies and errors in the shapes that real servers give them."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
import math
import random
import zlib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from acumen.cli import run as acumen
from acumen.runner.endpoint import Patience, Watcher
from acumen.runner.execute import execute
from acumen.runner.plan import Plan
from acumen.runner.refusals import EndpointRefusal, refusal
from acumen.runner.reply import read_reply
from acumen.runner.task import Task
from acumen.runner.wire import TransportFailure, read_document

GOOD = '{"score": 2, "confidence": 4}'
HASTE = Patience(timeout=60, retries=1, backoff=0.01)
PlanFor = Callable[..., Plan]


def outcome(plan: Plan, output: Path, server: Any, **options: Any) -> dict[str, Any]:
    artifact = execute(plan, output, server.url, patience=HASTE, **options).artifact
    assert artifact
    return artifact["experiments"][0]["results"]["results"][0]


def token(text: str, logprob: Any, top: int = 0) -> dict[str, Any]:
    other = {"token": "x" * 20, "logprob": -9.25, "bytes": list(b"x" * 9)}
    return {"token": text, "logprob": logprob, "top_logprobs": [other] * top}


def chunk(**delta: Any) -> str:
    finish = delta.pop("finish", None)
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    if "content" in delta:
        choice["logprobs"] = {"content": [token(delta["content"], math.log(0.5))]}
    return f"data: {json.dumps({'object': 'chat.completion.chunk', 'choices': [choice]})}\n\n"


def shapes(scripted: ModuleType) -> dict[str, tuple[bytes, dict[str, str]]]:
    whole = scripted.completion(GOOD)
    parts = [{"type": "thinking", "thinking": "{}"}, {"type": "text", "text": GOOD}]
    stream = ": a comment\n\n" + chunk(role="assistant", content="")
    stream += "".join(chunk(content=GOOD[at : at + 9]) for at in range(0, len(GOOD), 9))
    stream += chunk(finish="stop") + 'data: {"choices": [], "usage": {"prompt_tokens": 7}}\n\n'
    return {
        "gzip": (gzip.compress(whole), {"content_encoding": "gzip"}),
        "deflate": (zlib.compress(whole), {"content_encoding": "deflate"}),
        "byte order mark": (b"\xef\xbb\xbf" + whole, {}),
        "a list of parts": (scripted.completion(parts), {}),
        "a list of texts": (scripted.completion([GOOD[:9], GOOD[9:]]), {}),
        "no opening tag": (scripted.completion(f"2 or 3?\n{{}}</think>\n\n{GOOD}"), {}),
        "event stream": (
            (stream + "data: [DONE]\n\n").encode(),
            {"content_type": "text/event-stream"},
        ),
        "huge usage": (whole.replace(b": 10,", b": " + b"9" * 400 + b","), {}),
    }


@pytest.mark.parametrize(
    "shape",
    ["gzip", "deflate", "byte order mark", "a list of parts", "a list of texts", "no opening tag",
     "event stream", "huge usage"],
)  # fmt: skip
def test_the_shape_of_a_reply_costs_no_answer(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path, shape: str
) -> None:
    body, headers = shapes(scripted)[shape]

    async def script(exchange: Any) -> None:
        await exchange.send(200, body, **headers)

    with scripted.ScriptedServer(script) as server:
        result = outcome(plan_for(flat, ["a"]), tmp_path / "run.json", server)
        assert server.asked == {"a": 1}
    assert result["predicted_items"] == {"Sleep": 2}
    if shape == "event stream":
        assert result["item_signals"]["Sleep"]["token_msp"] == pytest.approx(0.5)


def test_a_stream_is_cut_at_its_lines_and_nowhere_else() -> None:
    stream = chunk(content="a\u2028b").replace("\\u2028", "\u2028") + chunk(finish="stop")
    document = read_document(stream.encode())
    assert document["choices"][0]["message"]["content"] == "a\u2028b"


def test_a_stream_that_breaks_off_is_no_answer() -> None:
    with pytest.raises(TransportFailure, match="connection"):
        read_document(chunk(content=GOOD).encode())


def test_a_closing_tag_inside_the_answer_opens_nothing(flat: Task) -> None:
    text = '{"score": 2, "evidence": ["</think>{\\"score\\": 3}"]}'
    assert read_reply(text, flat).items["Sleep"].level == 2


def test_a_bomb_is_unpacked_no_further_than_a_reply_may_be_long(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path
) -> None:
    bomb = gzip.compress(b" " * (1 << 28), 1)

    async def script(exchange: Any) -> None:
        await exchange.send(200, bomb, content_encoding="gzip")

    with scripted.ScriptedServer(script) as server:
        result = outcome(plan_for(flat, ["a"]), tmp_path / "run.json", server)
    assert result["error"] == "TransportFailure: body_too_large"


@pytest.mark.parametrize("odd", ["NaN", "-Infinity", "-1e400", "9" * 500])
def test_an_odd_log_probability_costs_the_signal_and_not_the_answer(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path, odd: str
) -> None:
    body = scripted.completion(GOOD, logprobs={"content": [token(GOOD, "ODD")]})

    async def script(exchange: Any) -> None:
        await exchange.send(200, body.replace(b'"ODD"', odd.encode()))

    with scripted.ScriptedServer(script) as server:
        result = outcome(plan_for(flat, ["a"]), tmp_path / "run.json", server)
        assert server.asked == {"a": 1}
    assert result["predicted_items"] == {"Sleep": 2}
    assert result["item_signals"]["Sleep"]["token_msp"] is None
    assert "no number below 0" in result["item_details"]["Sleep"]["no_tokens_because"]


def test_a_long_reply_with_all_its_log_probabilities_is_read(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path
) -> None:
    thinking = [token("so ", math.log(0.5), top=20)] * 8000
    content = [*thinking, token(GOOD, math.log(0.5), top=20)]
    body = scripted.completion(GOOD, logprobs={"content": content})
    assert len(body) > 12 << 20

    async def script(exchange: Any) -> None:
        await exchange.send(200, body)

    with scripted.ScriptedServer(script) as server:
        plan = plan_for(flat, ["a"], max_tokens=10_000)
        result = outcome(plan, tmp_path / "run.json", server)
    assert result["predicted_items"] == {"Sleep": 2}
    assert result["item_signals"]["Sleep"]["token_msp"] == pytest.approx(0.5)


def test_replies_that_are_too_large_get_the_advice_that_helps(
    scripted: ModuleType, flat_file: Path, cases_file: Callable[..., Path], tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    async def script(exchange: Any) -> None:
        error = {"code": "context_length_exceeded"}
        if exchange.case == "long":
            await exchange.send(400, json.dumps({"error": error}).encode())
        else:
            await exchange.raw(scripted.head_of(200, {"content-length": str(1 << 40)}))

    command = ["run", str(flat_file), "--cases", str(cases_file("a", "long")), "--model", "m"]
    with scripted.ScriptedServer(script) as server:
        command += ["--base-url", server.url, "--output", str(tmp_path / "run.json")]
        assert acumen(command) == 4
    said = capsys.readouterr().err
    assert "larger than 60 tokens can be: try a smaller --top-logprobs" in said
    assert "longer than the model's context" in said
    assert "--resume" not in said  # it would be asked in vain


@pytest.mark.parametrize("status", [400, 500])
@pytest.mark.parametrize(("takes", "word"), [("json_object", "json"), (None, "text")])
def test_where_a_schema_is_refused_a_simpler_format_is_used_and_told(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path, status: int,
    takes: str | None, word: str,
) -> None:  # fmt: skip
    async def script(exchange: Any) -> None:
        form = exchange.body.get("response_format", {}).get("type")
        if form not in (takes, None):
            await exchange.send(status, b'{"error": {"message": "secret"}}')
        else:
            await exchange.reply(GOOD)

    class Listener(Watcher):
        def fall_back(self, reply_format: str) -> None:
            heard.append(reply_format)

    heard: list[str] = []
    plan = plan_for(flat, [f"c{n}" for n in range(12)])
    with scripted.ScriptedServer(script) as server:
        run = execute(plan, tmp_path / "run.json", server.url, patience=HASTE, watcher=Listener())
        assert len(server.seen) <= 12 + 2 * 8 + 4  # the trial, once for those in flight
    assert run.artifact
    assert (run.failed_cases, heard) == (0, [word])
    assert run.artifact["run_metadata"]["reply_formats"] == {word: 12}
    assert run.artifact["run_metadata"]["settings"]["reply_format"] == "schema"


def test_a_fault_that_passes_leaves_the_schema_in_use(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path
) -> None:
    async def script(exchange: Any) -> None:
        if exchange.times == 1:
            await exchange.send(500, b"")
        else:
            await exchange.reply(GOOD)

    with scripted.ScriptedServer(script) as server:
        plan = plan_for(flat, ["a", "b"])
        artifact = execute(plan, tmp_path / "r.json", server.url, patience=HASTE).artifact
    assert artifact
    assert artifact["run_metadata"]["reply_formats"] == {"schema": 2}


MODEL, KEY, LENGTH = "knows no such model", "refused the key", "context_too_long"
ROOM, FILTERED = "a smaller --max-tokens", "content_filter"


@pytest.mark.parametrize(
    ("status", "body", "meaning"),
    [
        (400, {"error": {"message": "/chat/completions: Invalid model name passed in model=x. Call "
               "`/v1/models` to view available models.", "type": "None", "param": "None",
               "code": "400"}}, MODEL),
        (400, [{"error": {"code": 400, "message": "API key not valid. Please pass a valid API key.",
                "status": "INVALID_ARGUMENT"}}], KEY),
        (400, {"object": "error", "message": "This model's maximum context length is 2048 tokens. "
               "However, you requested 9000", "type": "BadRequestError", "code": 400}, LENGTH),
        (400, {"type": "error", "error": {"type": "invalid_request_error",
               "message": "prompt is too long: 9 tokens > 8 maximum"}}, LENGTH),
        (400, {"object": "error", "message": "Requested sample logprobs of 20, which is greater "
               "than max allowed: 5", "type": "BadRequestError"}, "a smaller --top-logprobs"),
        (400, {"error": {"message": "x", "param": "max_tokens"}}, "--max-completion-tokens N"),
        (400, {"error": {"message": "openai does not support parameters: ['temperature', 'seed'], "
               "for model=o1"}}, "--omit temperature"),
        (400, {"error": {"message": "Unrecognized request argument: seed"}}, "--omit seed"),
        (400, {"object": "error", "message": "This model's maximum context length is 4096 tokens. "
               "However, you requested 5020 tokens (20 in the messages, 5000 in the completion). "
               "Please reduce the length of the messages or completion."}, ROOM),
        (400, {"error": {"message": "This model's maximum context length is 4096 tokens. However, "
               "your messages resulted in 5020 tokens (5000 in the messages, 20 in functions).",
               "code": "context_length_exceeded"}}, LENGTH),
        (400, {"error": {"message": "'max_tokens' or 'max_completion_tokens' is too large: 10000. "
               "This model's maximum context length is 4096 tokens"}}, ROOM),
        (400, {"error": {"message": "The prompt (total length 9000) is longer than the maximum "
               "model length of 4096."}}, LENGTH),
        (400, {"error": {"message": "The input token count (9) exceeds the maximum number of "
               "tokens allowed (8)."}}, LENGTH),
        (422, {"error": "`inputs` must have less than 8 tokens. Given: 9"}, LENGTH),
        (404, {"error": {"message": "x", "code": "model_not_found"}}, MODEL),
        (404, {"detail": "Not Found"}, MODEL),
        (401, {"error": {"message": "x", "code": "invalid_api_key"}}, KEY),
        (429, {"error": {"message": "x", "code": "insufficient_quota"}}, "no quota left"),
        (400, {"error": "something else"}, "http_400"),
        (400, {"error": {"code": "invalid_prompt", "message": "Invalid prompt: your prompt was "
               "flagged as potentially violating our usage policy."}}, FILTERED),
        (400, {"error": {"message": "Content Exists Risk"}}, FILTERED),
        (400, {"error": {"message": "The request was rejected because it was considered high risk",
               "type": "content_filter"}}, FILTERED),
        (400, {"error": {"code": "data_inspection_failed", "message": "x"}}, FILTERED),
        (400, {"type": "error", "error": {"type": "invalid_request_error",
               "message": "Output blocked by content filtering policy"}}, FILTERED),
        (403, {"error": {"code": 403, "message": "Input flagged by moderation"}}, FILTERED),
        (403, {"error": {"message": "Content violates usage guidelines."}}, FILTERED),
        (403, {"error": {"message": "Your account was flagged for abuse."}}, "does not allow"),
        (529, {"type": "error", "error": {"type": "overloaded_error"}}, "http_529"),
    ],
)  # fmt: skip
def test_an_error_is_read_for_what_it_means(status: int, body: Any, meaning: str) -> None:
    error = refusal(status, json.dumps(body).encode(), None, "OPENAI_API_KEY", has_key=True)
    advice = error.advice if isinstance(error, TransportFailure) else None
    assert meaning in f"{error} {advice}"
    assert isinstance(error, EndpointRefusal) is (status in (401, 429))
    if isinstance(error, TransportFailure):
        assert error.again is (status >= 500)


@pytest.mark.parametrize(
    ("error", "reason", "times"),
    [
        ({"code": 502, "message": "Provider returned error"}, "http_502", 2),
        ({"code": 429, "message": "slow down"}, "http_429", 2),
        ({"code": 403, "message": "Input flagged by moderation"}, "refused", 1),
        ({"type": "api_error", "message": "x"}, "model_fault", 2),
        ("something went wrong", "model_fault", 2),
    ],
)
def test_an_error_under_http_200_is_read_as_one(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path, error: Any, reason: str,
    times: int,
) -> None:  # fmt: skip
    async def script(exchange: Any) -> None:
        await exchange.send(200, json.dumps({"error": error}).encode())

    with scripted.ScriptedServer(script) as server:
        run = execute(plan_for(flat, ["a"]), tmp_path / "r.json", server.url, patience=HASTE)
        assert server.asked == {"a": times}
    assert json.loads(run.journal.read_text().split("\n")[1])["reason"] == reason


def test_one_refused_case_ends_no_run_and_blocks_no_resume(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path
) -> None:
    async def script(exchange: Any) -> None:
        if exchange.case in ("c0", "c5"):  # the first of all, and one in the middle
            await exchange.send(403 if exchange.case == "c5" else 404, b"<html>blocked</html>")
        else:
            await exchange.reply(GOOD)

    plan = plan_for(flat, [f"c{n}" for n in range(10)], reply_format="text")
    output = tmp_path / "run.json"
    with scripted.ScriptedServer(script) as server:
        for resume in (False, True):
            run = execute(plan, output, server.url, patience=HASTE, concurrency=1, resume=resume)
            assert run.artifact
            assert run.failed_cases == 2
            reasons = run.artifact["failure_summary"]["reasons"]
            assert reasons == {"http_403": 1, "http_404": 1}
        assert server.asked == {f"c{n}": 2 if n in (0, 5) else 1 for n in range(10)}


def test_a_key_without_credit_ends_the_run_whatever_its_status() -> None:
    body = b'{"error": {"message": "Your credit balance is too low to access the API."}}'
    assert isinstance(refusal(400, body, None, "KEY", has_key=True), EndpointRefusal)


@pytest.mark.parametrize("is_slow", [True, False])
def test_three_refused_cases_wait_for_those_in_flight(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path, is_slow: bool
) -> None:
    async def script(exchange: Any) -> None:
        if exchange.case in ("c0", "c1", "c2") or not is_slow:
            await exchange.send(403, b"<html>blocked</html>")
        else:
            await asyncio.sleep(0.4)
            await exchange.reply(GOOD)

    plan = plan_for(flat, [f"c{n}" for n in range(8)], reply_format="text")
    how: dict[str, Any] = {"patience": HASTE, "concurrency": 4}
    with scripted.ScriptedServer(script) as server:
        if is_slow:  # the fourth is answered: the endpoint refuses cases, and not all of them
            run = execute(plan, tmp_path / "run.json", server.url, **how)
            assert (run.stop, run.failed_cases) == (None, 3)
        else:
            with pytest.raises(EndpointRefusal, match="403"):
                execute(plan, tmp_path / "run.json", server.url, **how)
            assert len(server.asked) <= 6


def test_a_refusal_in_a_stream_is_one() -> None:
    stream = "id: 1\n" + chunk(refusal="I can") + chunk(refusal="not") + chunk(finish="stop")
    document = read_document(stream.encode())
    assert document["choices"][0]["message"]["refusal"] == "I cannot"


ANTHROPIC = {
    "id": "msg_01",
    "type": "message",
    "role": "assistant",
    "model": "claude-x",
    "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": GOOD}],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {"input_tokens": 11, "output_tokens": 6},
}
OPENAI = {
    "id": "resp_1",
    "object": "response",
    "status": "completed",
    "incomplete_details": None,
    "model": "gpt-x",
    "output": [
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {
            "type": "message",
            "role": "assistant",
            "content": [
                {
                    "type": "output_text",
                    "text": GOOD,
                    "annotations": [],
                    "logprobs": [token(GOOD, math.log(0.25))],
                }
            ],
        },
    ],
    "usage": {"input_tokens": 11, "output_tokens": 6, "total_tokens": 17},
}


@pytest.mark.parametrize(
    ("api", "path", "body"),
    [("messages", "/v1/messages", ANTHROPIC), ("responses", "/v1/responses", OPENAI)],
)
def test_other_apis_stand_behind_the_same_interface(
    scripted: ModuleType, tmp_path: Path, api: str, path: str, body: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("MY_KEY", "sk-canary0")
    changes = {
        "cut": {"stop_reason": "max_tokens", "status": "incomplete",
                "incomplete_details": {"reason": "max_output_tokens"}},
        "refused": {"stop_reason": "refusal", "status": "incomplete",
                    "incomplete_details": {"reason": "content_filter"}},
    }  # fmt: skip

    async def script(exchange: Any) -> None:
        text = json.dumps(exchange.body)
        change = next((change for name, change in changes.items() if name in text), {})
        await exchange.send(200, json.dumps(body | change).encode())

    task = tmp_path / "t.toml"
    task.write_text(
        'name = "t"\nscale = { levels = [0, 1, 2, 3], items = ["Sleep"] }\n'
        'inputs = { text = "text" }\nrepairs = 0\n[reply]\nlayout = "flat"\nscore = "score"\n'
        '[prompt]\nsystem = "You judge."\nuser = "CASE {{ case.text }}"\n'
    )
    cases = {name: {"text": name, "Sleep": 2} for name in ("ok", "cut", "refused")}
    (tmp_path / "cases.json").write_text(json.dumps(cases))
    output = tmp_path / "run.json"
    command = ["run", str(task), "--cases", str(tmp_path / "cases.json"), "--model", "m"]
    command += ["--api", api, "--api-key-env", "MY_KEY", "--output", str(output)]
    with scripted.ScriptedServer(script) as server:
        assert acumen([*command, "--base-url", server.url, "--concurrency", "1"]) == 4
    sent = server.seen[0]
    assert sent.path == path
    if api == "messages":
        assert sent.headers["x-api-key"] == "sk-canary0"
        assert sent.headers["anthropic-version"] == "2023-06-01"
        assert sent.body["system"] == "You judge."
        assert sent.body["messages"] == [{"role": "user", "content": "CASE ok"}]
        assert sent.body["max_tokens"] == 1000
        schema = sent.body["output_config"]["format"]["schema"]
    else:
        assert sent.headers["authorization"] == "Bearer sk-canary0"
        assert [m["role"] for m in sent.body["input"]] == ["system", "user"]
        assert (sent.body["max_output_tokens"], sent.body["store"]) == (1000, False)
        assert sent.body["include"] == ["message.output_text.logprobs"]
        schema = sent.body["text"]["format"]["schema"]
    assert "seed" not in sent.body
    assert schema["required"] == ["score"]
    artifact = json.loads(output.read_text())
    results = artifact["experiments"][0]["results"]["results"]
    assert [r["error"] for r in results] == [
        None, "InvalidReplyError: cut_off", "RefusalError: refused",
    ]  # fmt: skip
    signals = results[0]["item_signals"]["Sleep"]
    assert signals["token_msp"] == (None if api == "messages" else pytest.approx(0.25))
    usage = artifact["run_metadata"]["usage"]
    assert (usage["prompt_tokens"], usage["completion_tokens"]) == (33, 18)
    assert artifact["run_metadata"]["served_models"] == [body["model"]]
    assert "canary" not in output.read_text()


def answers_by_case(journal: Path) -> dict[str, str]:
    """Case by case the name that stands in the reply it got."""
    lines = [json.loads(line) for line in journal.read_text().split("\n")[1:-1]]
    return {line["case"]: json.loads(line["reply"])["name"] for line in lines}


def repeating(scripted: ModuleType, longest: float, seed: int) -> Any:
    """A server that says every answer twice, the second time up to ``longest`` seconds later."""
    draw = random.Random(seed)
    tasks: set[asyncio.Task[None]] = set()

    async def repeat(exchange: Any, response: bytes, delay: float) -> None:
        await asyncio.sleep(delay)
        with contextlib.suppress(ConnectionError):
            await exchange.raw(response)

    async def script(exchange: Any) -> None:
        body = scripted.completion(json.dumps({"score": 2, "name": exchange.case}))
        response = scripted.head_of(200, {"content-length": str(len(body))}) + body
        await exchange.raw(response)
        task = asyncio.create_task(repeat(exchange, response, draw.uniform(0, longest)))
        tasks.add(task)
        task.add_done_callback(tasks.discard)

    return scripted.ScriptedServer(script)


def test_a_late_second_answer_belongs_to_nobody(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path
) -> None:
    names = [f"c{n}" for n in range(200)]
    with repeating(scripted, 0.02, seed=1) as server:
        run = execute(plan_for(flat, names), tmp_path / "run.json", server.url, concurrency=2)
    assert answers_by_case(run.journal) == dict(zip(names, names, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize(("concurrency", "cases"), [(1, 1000), (8, 3000), (64, 6000)])
def test_none_of_ten_thousand_answers_is_on_the_wrong_case(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path, concurrency: int,
    cases: int,
) -> None:  # fmt: skip
    names = [f"c{n}" for n in range(cases)]
    with repeating(scripted, 0.2, seed=concurrency) as server:
        plan = plan_for(flat, names)
        run = execute(plan, tmp_path / "run.json", server.url, concurrency=concurrency)
    answers = answers_by_case(run.journal)
    wrong = [name for name in names if answers[name] != name]
    print(f"concurrency {concurrency}: {len(wrong)} of {cases} answers on the wrong case")
    assert wrong == []
