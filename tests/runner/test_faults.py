"""Each fault once, three times and for ever; each outcome classified; redirects never followed."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from acumen.runner.endpoint import Patience
from acumen.runner.execute import execute
from acumen.runner.plan import Plan
from acumen.runner.task import Task
from acumen.runner.wire import retry_after

GOOD = '{"score": 2, "confidence": 4}'
RETRIES = 3
HASTE = Patience(timeout=4, retries=RETRIES, backoff=0.02)
BRIEF = Patience(timeout=4, retries=RETRIES, backoff=0.02)
CALM = Patience(timeout=60, retries=RETRIES, backoff=0.02)
TIMES = ("1", "3", "ever")
FOR_EVER = {
    "429-seconds": "http_429",
    "429-date": "http_429",
    "500": "http_500",
    "silence": "timeout",
    "reset-before": "connection",
    "reset-inside": "connection",
    "too-short": "connection",
    "too-long": "malformed_response",
    "drip": "timeout",
    "no-choices": "empty_choices",
    "not-json": "malformed_response",
}
AT_ONCE = {"huge": "body_too_large", "huge-stated": "body_too_large", "redirect": "redirect"}
AT_ONCE |= {"brotli": "compressed", "400": "http_400"}


async def misbehave(kind: str, exchange: Any, scripted: ModuleType, elsewhere: str) -> None:
    head, body = scripted.head_of, scripted.completion(GOOD)
    match kind:
        case "429-seconds":
            await exchange.send(429, b"{}", retry_after="1")
        case "429-date":
            soon = datetime.now(UTC) + timedelta(seconds=2)
            await exchange.send(429, b"{}", retry_after=format_datetime(soon, usegmt=True))
        case "500" | "400":
            await exchange.send(int(kind), b"x" * 200_000)
        case "silence":
            await asyncio.sleep(60)
        case "reset-before":
            exchange.abort()
        case "reset-inside":
            await exchange.raw(head(200, {"content-length": str(len(body))}) + body[:50])
            exchange.abort()
        case "too-short":
            await exchange.raw(head(200, {"content-length": str(len(body) + 50)}) + body)
            exchange.writer.close()
        case "too-long":
            await exchange.raw(head(200, {"content-length": str(len(body) - 9)}) + body)
            exchange.writer.close()
        case "drip":
            await exchange.raw(head(200, {"content-length": str(len(body))}))
            for byte in body:
                await exchange.raw(bytes([byte]))
                await asyncio.sleep(0.1)
        case "no-choices":
            await exchange.send(200, b'{"choices": []}')
        case "not-json":
            await exchange.send(200, b"<html>gateway</html>")
        case "huge":
            await exchange.raw(head(200, {"content-type": "application/json"}) + b'{"choices": "')
            for _ in range(200):
                await exchange.raw(b"x" * 1_000_000)
            exchange.writer.close()
        case "huge-stated":
            await exchange.raw(head(200, {"content-length": str(1 << 40)}))
        case "redirect":
            await exchange.send(307, b"", location=elsewhere)
        case "brotli":
            await exchange.send(200, b"\x1f\x8b", content_encoding="br")


def faulty(scripted: ModuleType, elsewhere: str) -> Any:
    """A server whose case ``KIND/TIMES`` goes wrong so often, or for ``ever``, then well."""

    async def script(exchange: Any) -> None:
        kind, _, times = exchange.case.partition("/")
        if times == "ever" or exchange.times <= int(times):
            await misbehave(kind, exchange, scripted, elsewhere)
        else:
            await exchange.reply(GOOD)

    return scripted.ScriptedServer(script)


def errors_of(plan: Plan, output: Path, url: str, patience: Patience) -> dict[str, str | None]:
    cases = len(plan.asked_cases)
    artifact = execute(plan, output, url, patience=patience, concurrency=cases).artifact
    assert artifact
    results = artifact["experiments"][0]["results"]["results"]
    return {r["participant_id"]: r["error"] for r in results}


def test_a_fault_is_retried_once_three_times_and_to_the_limit(
    scripted: ModuleType, flat: Task, plan_for: Callable[..., Plan], tmp_path: Path
) -> None:
    slow = [kind for kind, reason in FOR_EVER.items() if reason == "timeout"]

    def plan_of(kinds: Iterable[str]) -> Plan:
        names = sorted(f"{kind}/{n}" for n in TIMES for kind in kinds)
        return plan_for(flat, names, reply_format="text")  # no format to fall back from

    never, rest = plan_of(slow), plan_of(FOR_EVER.keys() - slow)
    with faulty(scripted, "") as server, ThreadPoolExecutor(1) as beside:
        # only what never answers is bounded tightly: a busy machine may be slow with the rest
        waiting = beside.submit(errors_of, never, tmp_path / "never.json", server.url, BRIEF)
        errors = errors_of(rest, tmp_path / "rest.json", server.url, CALM) | waiting.result()
    assert errors == {
        f"{kind}/{n}": f"TransportFailure: {reason}" if n == "ever" else None
        for n in TIMES
        for kind, reason in FOR_EVER.items()
    }
    attempts = {"1": 2, "3": 4, "ever": RETRIES + 1}
    assert dict(server.asked) == {f"{k}/{n}": attempts[n] for n in TIMES for k in FOR_EVER}
    for kind in ("429-seconds", "429-date"):
        arrived = [e.at for e in server.seen if e.case == f"{kind}/ever"]
        assert all(later - at >= 0.9 for at, later in pairwise(arrived)), kind


@pytest.mark.parametrize(
    ("answer", "size"),
    [
        pytest.param(b"no answer", 0, id="no answer"),
        pytest.param(None, 0, id="one read"),
        # the HTTP library reads 64 KiB at a time: the second response is left for the next read
        pytest.param(None, 65536, id="two reads"),
    ],
)
def test_a_second_response_is_no_answer_to_the_next_question(
    scripted: ModuleType,
    flat: Task,
    plan_for: Callable[..., Plan],
    tmp_path: Path,
    answer: bytes | None,
    size: int,
) -> None:
    def response(body: bytes, whole: int = 0) -> bytes:
        """Head and body; blanks after the JSON make it as long as it should be."""
        blanks = max(0, whole - len(body) - len(scripted.head_of(200, {"content-length": "65xxx"})))
        return (
            scripted.head_of(200, {"content-length": str(len(body) + blanks)})
            + body
            + b" " * blanks
        )

    async def script(exchange: Any) -> None:
        if exchange.case == "first" and exchange.times == 1:
            smuggled = scripted.completion('{"score": 0, "confidence": 1}')
            first = response(answer or scripted.completion(GOOD), whole=size)
            await exchange.raw(first + response(smuggled))
        else:
            await exchange.reply(GOOD)

    with scripted.ScriptedServer(script) as server:
        plan = plan_for(flat, ["first", "second"])
        artifact = execute(
            plan, tmp_path / "run.json", server.url, patience=CALM, concurrency=1
        ).artifact
    assert artifact
    results = artifact["experiments"][0]["results"]["results"]
    assert [r["predicted_items"] for r in results] == [{"Sleep": 2}, {"Sleep": 2}]
    assert server.asked == {"first": 2 if answer else 1, "second": 1}
    assert len({exchange.peer for exchange in server.seen}) == len(server.seen)


def test_what_another_try_would_not_mend_is_asked_once_and_no_redirect_is_followed(
    scripted: ModuleType, flat: Task, plan_for: Callable[..., Plan], tmp_path: Path
) -> None:
    async def trapped(exchange: Any) -> None:
        await exchange.reply(GOOD)

    cases = [f"{kind}/{n}" for n in TIMES for kind in AT_ONCE]
    with scripted.ScriptedServer(trapped) as trap, faulty(scripted, trap.url) as server:
        plan = plan_for(flat, cases, reply_format="text")
        errors = errors_of(plan, tmp_path / "run.json", server.url, CALM)
        assert not trap.seen  # nothing went to the other host: no key, no text
    assert errors == {
        f"{kind}/{n}": f"TransportFailure: {reason}"
        for n in TIMES
        for kind, reason in AT_ONCE.items()
    }
    assert set(server.asked.values()) == {1}


def test_finish_reason_length_is_never_accepted_even_if_it_parses(
    scripted: ModuleType, flat: Task, plan_for: Callable[..., Plan], tmp_path: Path
) -> None:
    async def script(exchange: Any) -> None:
        cut = exchange.case == "always" or exchange.times == 1
        await exchange.reply(GOOD, finish="length" if cut else "stop")

    with scripted.ScriptedServer(script) as server:
        finished = execute(
            plan_for(flat, ["always", "once"]), tmp_path / "r.json", server.url, patience=HASTE
        )
    assert finished.artifact
    results = finished.artifact["experiments"][0]["results"]["results"]
    assert [r["error"] for r in results] == ["InvalidReplyError: cut_off", None]


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("3", 3.0),
        ("1.5", 1.5),
        ("Sun, 15 Nov 2026 09:00:10 GMT", 10.0),
        ("Sun, 15 Nov 2026 08:00:00 GMT", 0.0),
        ("-3", None),
        ("٣", None),
        ("9" * 400, None),
        ("nonsense", None),
        (None, None),
    ],
)
def test_retry_after_is_seconds_or_a_date(header: str | None, seconds: float | None) -> None:
    now = datetime(2026, 11, 15, 9, 0, 0, tzinfo=UTC)
    assert retry_after(header, now) == seconds


# the peak of this process alone: getrusage would count the parent it was forked from
MEMORY = """
import re, sys
from pathlib import Path
from acumen.cli import run
code = run(sys.argv[1:])
peak = re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())
print(code, int(peak[1]) // 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_endless_bodies_on_every_connection_stay_under_300_megabytes(
    scripted: ModuleType, flat_file: Path, cases_file: Callable[..., Path], tmp_path: Path
) -> None:
    async def script(exchange: Any) -> None:
        await misbehave("huge", exchange, scripted, "")

    cases = cases_file(*(f"c{n}" for n in range(16)))
    with scripted.ScriptedServer(script) as server:
        command = ["run", str(flat_file), "--cases", str(cases), "--model", "m"]
        command += ["--base-url", server.url, "--output", str(tmp_path / "run.json")]
        done = subprocess.run(
            [sys.executable, "-c", MEMORY, *command], capture_output=True, text=True, check=False
        )
    code, megabytes = map(int, done.stdout.split())
    assert code == 4
    assert "16 body_too_large" in done.stderr
    print(f"peak {megabytes} MB")
    assert megabytes < 300
