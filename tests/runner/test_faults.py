"""Each fault once, three times and for ever; each outcome classified; redirects never followed."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from itertools import pairwise
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from acumen.runner.plan import Plan
from acumen.runner.run import run
from acumen.runner.settings import Patience
from acumen.runner.task import Task
from acumen.runner.wire import retry_after

GOOD = '{"score": 2, "confidence": 4}'
RETRIES = 3
HASTE = Patience(timeout=0.6, retries=RETRIES, backoff=0.02)
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
AT_ONCE |= {"gzip": "compressed", "400": "http_400"}


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
            await asyncio.sleep(5)
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
                await asyncio.sleep(0.05)
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
        case "gzip":
            await exchange.send(200, b"\x1f\x8b", content_encoding="gzip")


def test_every_fault_once_three_times_and_for_ever(
    scripted: ModuleType, flat: Task, plan_for: Callable[..., Plan], tmp_path: Path
) -> None:
    async def script(exchange: Any) -> None:
        kind, _, times = exchange.case.partition("/")
        if times == "ever" or exchange.times <= int(times):
            await misbehave(kind, exchange, scripted, trap.url)
        else:
            await exchange.reply(GOOD)

    async def trapped(exchange: Any) -> None:
        await exchange.reply(GOOD)

    cases = [f"{kind}/{n}" for n in ("1", "3", "ever") for kind in (*FOR_EVER, *AT_ONCE)]
    with scripted.ScriptedServer(trapped) as trap, scripted.ScriptedServer(script) as server:
        plan = plan_for(flat, cases)
        began = time.monotonic()
        finished = run(
            plan, tmp_path / "run.json", server.url, patience=HASTE, concurrency=len(cases)
        )
        took = time.monotonic() - began
        assert not trap.seen  # nothing went to the other host: no key, no text
        asked = dict(server.asked)
    assert finished.artifact
    found = finished.artifact["experiments"][0]["results"]["results"]
    errors = {r["participant_id"]: r["error"] for r in found}
    expected: dict[str, str | None] = {}
    for n in ("1", "3", "ever"):
        expected |= {
            f"{k}/{n}": f"transport_failure: {e}" if n == "ever" else None
            for k, e in FOR_EVER.items()
        }
        expected |= {f"{k}/{n}": f"transport_failure: {e}" for k, e in AT_ONCE.items()}
    assert errors == expected
    attempts = {"1": 2, "3": 4, "ever": RETRIES + 1}
    assert {c: n for c, n in asked.items() if c.partition("/")[0] in FOR_EVER} == {
        f"{kind}/{n}": times for n, times in attempts.items() for kind in FOR_EVER
    }
    assert all(asked[f"{kind}/ever"] == 1 for kind in AT_ONCE)
    assert took < 30
    for kind in ("429-seconds", "429-date"):
        arrived = [e.at for e in server.seen if e.case == f"{kind}/ever"]
        assert all(later - at >= 0.9 for at, later in pairwise(arrived)), kind
    quick = [e.at for e in server.seen if e.case == "500/ever"]
    assert quick[-1] - quick[0] < 0.9


def test_finish_reason_length_is_never_accepted_even_if_it_parses(
    scripted: ModuleType, flat: Task, plan_for: Callable[..., Plan], tmp_path: Path
) -> None:
    async def script(exchange: Any) -> None:
        cut = exchange.case == "always" or exchange.times == 1
        await exchange.reply(GOOD, finish="length" if cut else "stop")

    with scripted.ScriptedServer(script) as server:
        finished = run(
            plan_for(flat, ["always", "once"]), tmp_path / "r.json", server.url, patience=HASTE
        )
    assert finished.artifact
    found = finished.artifact["experiments"][0]["results"]["results"]
    assert [r["error"] for r in found] == ["invalid_reply: cut_off", None]


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
