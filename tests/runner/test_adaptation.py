"""Endpoints as people have them: what each refuses is learned once, and nothing is sent in vain."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from acumen.errors import UsageError
from acumen.runner.access import Access
from acumen.runner.adaptation import Shape
from acumen.runner.endpoint import Patience, Watcher
from acumen.runner.execute import execute
from acumen.runner.plan import Plan, Settings
from acumen.runner.refusals import EndpointRefusal, refusal, rejected_reply
from acumen.runner.task import Task

PlanFor = Callable[..., Plan]
GOOD = '{"score": 2, "confidence": 4}'
HASTE = Patience(timeout=5, retries=2, backoff=0.01)


class Listener(Watcher):
    def __init__(self) -> None:
        self.told: list[Sequence[str]] = []

    def leave_out(self, options: Sequence[str]) -> None:
        self.told.append(tuple(options))


def error(message: str, **more: Any) -> bytes:
    return json.dumps({"error": {"message": message, **more}}).encode()


def reasoning(scripted: ModuleType) -> Callable[[Any], Any]:
    """As OpenAI's reasoning models: each refusal names one field, whatever else is wrong."""
    refusals = {
        "max_tokens": error(
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use "
            "'max_completion_tokens' instead.",
            param="max_tokens",
            code="unsupported_parameter",
        ),
        "temperature": error(
            "Unsupported value: 'temperature' does not support 0 with this model. Only the "
            "default (1) value is supported.",
            param="temperature",
            code="unsupported_value",
        ),
        "logprobs": error("You are not allowed to request logprobs", param="logprobs"),
    }

    async def script(exchange: Any) -> None:
        for name, body in refusals.items():
            if name in exchange.body:
                await exchange.send(400, body)
                return
        await exchange.reply(GOOD)

    return script


def test_a_reasoning_model_loses_all_that_it_refuses_in_one_go_and_it_is_remembered(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path
) -> None:
    names, listener, output = [f"c{n}" for n in range(6)], Listener(), tmp_path / "run.json"
    with scripted.ScriptedServer(reasoning(scripted)) as server:
        options: dict[str, Any] = {"patience": HASTE, "watcher": listener, "concurrency": 1}
        run = execute(plan_for(flat, names), output, server.url, **options)
        assert listener.told == [("max_tokens", "temperature", "logprobs")]
        assert len(server.seen) == 3 + 1 + 6  # refused, tried, and every question once
        sent = server.seen[-1].body
        assert sent["max_completion_tokens"] == 60
        assert not {"max_tokens", "temperature", "logprobs", "top_logprobs"} & sent.keys()
        assert run.artifact
        left_out = {"logprobs": 6, "max_tokens": 6, "temperature": 6}
        assert run.artifact["run_metadata"]["left_out"] == left_out
        more = plan_for(flat, [*names, "new"])
        execute(more, output, server.url, resume=True, **options)
        assert len(server.seen) == 11  # the new one, and nothing is learned again
    assert len(listener.told) == 1


@pytest.mark.parametrize(
    ("status", "body", "names"),
    [
        (400, error("Invalid JSON payload received. Unknown name \"seed\": Cannot find field."),
         ("seed",)),
        (422, json.dumps({"detail": [{"type": "extra_forbidden", "loc": ["body", "seed"],
                                      "msg": "Extra inputs are not permitted"}]}).encode(),
         ("seed",)),
        (400, error("property 'seed' is unsupported", param="seed"), ("seed",)),
        (400, error("`temperature` is deprecated for this model.", type="invalid_request_error"),
         ("temperature",)),
        (400, error("max_tokens or so", param="max_tokens"), ("max_tokens",)),
    ],
)  # fmt: skip
def test_an_option_is_named_in_many_ways(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path,
    status: int, body: bytes, names: tuple[str, ...],
) -> None:  # fmt: skip
    async def script(exchange: Any) -> None:
        if names[0] in exchange.body:
            await exchange.send(status, body)
        else:
            await exchange.reply(GOOD)

    listener = Listener()
    with scripted.ScriptedServer(script) as server:
        execute(
            plan_for(flat, ["a"]), tmp_path / "r.json", server.url, patience=HASTE, watcher=listener
        )
        assert len(server.seen) == 3
    assert listener.told == [names]


def test_fewer_alternatives_are_asked_for_before_none() -> None:
    settings, shape = Settings(model="m", endpoint="e", top_logprobs=20), Shape("schema")
    for refused, alternatives in (("top_logprobs", 5), ("top_logprobs", None), ("logprobs", None)):
        less = shape.without(refused, settings)
        shape = less or shape
        assert shape.top_logprobs(settings.top_logprobs) == alternatives
    assert shape.refused == ("top_logprobs", "logprobs")
    assert shape.without("logprobs", settings) is None
    assert shape.without("response_format", settings) is None
    assert shape.without("an_option_of_the_users", settings) is None


def test_a_server_that_gives_five_alternatives_is_asked_for_five(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path
) -> None:
    message = "Requested sample logprobs of 20, which is greater than max allowed: 5"

    async def script(exchange: Any) -> None:
        if exchange.body.get("top_logprobs", 0) > 5:
            body = {"object": "error", "message": message, "type": "BadRequestError"}
            await exchange.send(400, json.dumps(body).encode())
        else:
            await exchange.reply(GOOD)

    with scripted.ScriptedServer(script) as server:
        plan = plan_for(flat, ["a"], top_logprobs=20)
        execute(plan, tmp_path / "r.json", server.url, patience=HASTE)
        assert server.seen[-1].body["top_logprobs"] == 5


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (400, error("The response was filtered due to the prompt triggering Azure OpenAI's "
                    "content management policy.", code="content_filter", param="prompt")),
        (400, error("This model's maximum context length is 10 tokens",
                    code="context_length_exceeded")),
        (413, error("Request too large for model `m` on tokens per minute (TPM): Limit 6000, "
                    "Requested 9000", type="tokens", code="rate_limit_exceeded")),
    ],
)  # fmt: skip
def test_a_prompt_that_is_filtered_or_too_long_is_sent_once(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path, status: int, body: bytes
) -> None:
    async def script(exchange: Any) -> None:
        await exchange.send(status, body)

    with scripted.ScriptedServer(script) as server:
        execute(plan_for(flat, ["a"]), tmp_path / "run.json", server.url, patience=HASTE)
        assert server.asked == {"a": 1}


def test_a_reply_that_broke_the_schema_at_the_endpoint_is_a_bad_reply(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path
) -> None:
    async def script(exchange: Any) -> None:
        text = {"bad": "{broken", "cut": '{"score": 2}'}[exchange.case]
        word = "max completion tokens reached before generating a valid document"
        message = word if exchange.case == "cut" else "Failed to validate JSON."
        body = error(message, code="json_validate_failed", failed_generation=text)
        await exchange.send(400, body)

    with scripted.ScriptedServer(script) as server:
        plan = plan_for(flat, ["bad", "cut"])
        run = execute(plan, tmp_path / "run.json", server.url, patience=HASTE)
        assert server.asked == {"bad": 2, "cut": 2}  # the task's one repair, and no retry
    assert run.failures is not None
    assert run.failures["reasons"] == {"cut_off": 1, "not_json": 1}
    assert rejected_reply(b'{"error": {"code": "json_validate_failed"}}') is None


def test_google_says_in_the_body_how_long_to_wait_and_in_a_word_what_it_means() -> None:
    details = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "7.5s"}]
    body = [{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "details": details}}]
    failure = refusal(429, json.dumps(body).encode(), None, "KEY", has_key=True)
    assert (failure.again, failure.wait) == (True, 7.5)
    body = [{"error": {"code": 403, "status": "PERMISSION_DENIED", "message": "x"}}]
    failure = refusal(403, json.dumps(body).encode(), None, "KEY", has_key=True)
    assert "(HTTP 403) (permission_denied)" in str(failure.advice)


THINKS = {"reasoning": "Let me see.", "thinking": "Let me see."}


def test_what_a_model_thinks_is_no_answer_and_a_thought_without_end_was_cut_off(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path
) -> None:
    async def script(exchange: Any) -> None:
        if exchange.case == "cut":  # Ollama: the limit went into thinking
            await exchange.reply("", finish="length", **THINKS)
        else:
            await exchange.reply(GOOD, reasoning='{"score": 0}')

    with scripted.ScriptedServer(script) as server:
        plan = plan_for(flat, ["a", "cut"])
        run = execute(plan, tmp_path / "run.json", server.url, patience=HASTE)
    assert run.artifact
    results = run.artifact["experiments"][0]["results"]["results"]
    assert results[0]["predicted_items"] == {"Sleep": 2}
    assert results[1]["error"] == "InvalidReplyError: cut_off"


def test_what_the_endpoint_calls_a_request_is_kept_and_a_key_in_it_is_not(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("MY_KEY", "sk-canary")

    async def script(exchange: Any) -> None:
        match exchange.case:
            case "a":
                await exchange.send(200, scripted.completion(GOOD), x_request_id="req_1")
            case "b":
                await exchange.send(500, b"", request_id=f"req_b{exchange.times}")
            case "c":
                await exchange.send(200, scripted.completion(GOOD), x_request_id="sk-canary")
            case "e":  # some proxies say back what a client sent
                header = exchange.headers["x-tenant"]
                await exchange.send(200, scripted.completion(GOOD), x_request_id=header)
            case _:
                await exchange.reply(GOOD)

    output = tmp_path / "run.json"
    with scripted.ScriptedServer(script) as server:
        header = {"X-Tenant": "tenant-canary", "X-Rank": "1"}
        access = Access(server.url, key_variable="MY_KEY", header=header)
        plan = plan_for(flat, ["a", "b", "c", "d", "e"], reply_format="text")
        run = execute(plan, output, access, patience=HASTE, concurrency=1)
    lines = [json.loads(line) for line in run.journal.read_text().split("\n")[1:-1]]
    ids = {line["case"]: line["request_id"] for line in lines}
    assert ids == {"a": "req_1", "b": "req_b3", "c": "x", "d": "x", "e": "x"}
    (failed,) = json.loads(output.read_text())["failure_summary"]["failed_cases"]
    assert failed["request_id"] == "req_b3"
    assert "canary" not in run.journal.read_text() + output.read_text()


def command(folder: Path) -> str:
    """A command that prints another token each time, as one for tokens that expire."""
    script = folder / "token.py"
    script.write_text(
        "import pathlib, sys\nat = pathlib.Path(sys.argv[1])\n"
        "n = int(at.read_text()) + 1 if at.exists() else 1\n"
        "at.write_text(str(n))\nprint(f'token-{n}')\n"
    )
    return " ".join(f"'{word}'" for word in (sys.executable, str(script), str(folder / "count")))


def test_a_token_of_a_command_goes_as_a_bearer_and_is_renewed_once_it_has_expired(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path
) -> None:
    async def script(exchange: Any) -> None:
        token = exchange.headers["authorization"].removeprefix("Bearer ")
        is_over = len(server.seen) > 5 and token == "token-1"
        if is_over:
            await exchange.send(401, error("token expired", code="401"))
        else:
            await exchange.reply(GOOD)

    with scripted.ScriptedServer(script) as server:
        access = Access(server.url, api_version="2024-10-21", key_command=command(tmp_path))
        plan = plan_for(flat, [f"c{n}" for n in range(12)])
        run = execute(plan, tmp_path / "run.json", access, patience=HASTE, concurrency=3)
        assert "api-key" not in server.seen[0].headers
    assert run.failed_cases == 0
    assert (tmp_path / "count").read_text() == "2"
    assert "token-" not in run.journal.read_text()


def test_a_command_without_a_key_is_told_without_what_it_printed(tmp_path: Path) -> None:
    for words, why in (
        (f"'{sys.executable}' -c 'import sys; print(\"sk-canary x\")'", "one key and nothing else"),
        (f"'{sys.executable}' -c 'raise SystemExit(7)'", "exit code 7"),
        (str(tmp_path / "nowhere"), "FileNotFoundError"),
        ("'", "ValueError"),
        (" ", "IndexError"),
    ):
        with pytest.raises(UsageError, match=why) as caught:
            Access("https://a/v1", key_command=words).key()
        assert "canary" not in str(caught.value)
    with pytest.raises(UsageError, match="not both"):
        Access("https://a/v1", key_variable="X", key_command="y")


def test_a_token_that_stays_refused_ends_the_run(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path
) -> None:
    async def script(exchange: Any) -> None:
        await exchange.send(401, error("no", code="invalid_api_key"))

    with scripted.ScriptedServer(script) as server:
        access = Access(server.url, key_command=f"'{sys.executable}' -c 'print(\"token\")'")
        with pytest.raises(EndpointRefusal, match="refused the key"):
            execute(plan_for(flat, ["a"]), tmp_path / "run.json", access, patience=HASTE)
        assert len(server.seen) == 1
