"""TLS with an authority of one's own, failures that say what to do, many questions at once."""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import socket
import ssl
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from acumen.errors import UsageError
from acumen.runner.access import Access, host_of, is_loopback
from acumen.runner.connections import tls_advice
from acumen.runner.endpoint import Patience
from acumen.runner.execute import Run, execute
from acumen.runner.plan import Plan
from acumen.runner.refusals import EndpointRefusal
from acumen.runner.streams import _Frames
from acumen.runner.task import Task

PlanFor = Callable[..., Plan]
GOOD = '{"score": 2, "confidence": 4}'
HASTE = Patience(timeout=5, retries=2, backoff=0.01)


@pytest.fixture(autouse=True)
def _no_other_authority(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SSL_CERT_FILE", "SSL_CERT_DIR", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)


async def good(exchange: Any) -> None:
    await exchange.reply(GOOD)


def asked(plan: Plan, server: Any, tmp_path: Path, **access: Any) -> Run:
    where = Access(server.url, **access)
    return execute(plan, tmp_path / "run.json", where, patience=HASTE)


def test_an_authority_of_ones_own_is_trusted_by_its_file(
    scripted: ModuleType, certificates: Any, flat: Task, plan_for: PlanFor, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    plan = plan_for(flat, ["a", "b"])
    with scripted.ScriptedServer(good, certificates.server()) as server:
        with pytest.raises(EndpointRefusal, match=r"not known here: .* SSL_CERT_FILE"):
            asked(plan, server, tmp_path)
        assert server.seen == []
        monkeypatch.setenv("SSL_CERT_FILE", str(certificates.authority))
        assert asked(plan, server, tmp_path).failed_cases == 0


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("other", "a certificate for another name: is --base-url right"),
        ("expired", "not valid today: is this machine's clock right"),
    ],
)
def test_what_is_wrong_with_a_certificate_is_named(
    scripted: ModuleType, certificates: Any, flat: Task, plan_for: PlanFor, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, name: str, advice: str,
) -> None:  # fmt: skip
    monkeypatch.setenv("SSL_CERT_FILE", str(certificates.authority))
    with (
        scripted.ScriptedServer(good, certificates.server(name)) as server,
        pytest.raises(EndpointRefusal, match=advice),
    ):
        asked(plan_for(flat, ["a"]), server, tmp_path)


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
def test_a_server_that_wants_a_certificate_gets_the_one_that_is_named(
    scripted: ModuleType, certificates: Any, flat: Task, plan_for: PlanFor, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch, version: ssl.TLSVersion,
) -> None:  # fmt: skip
    monkeypatch.setenv("SSL_CERT_FILE", str(certificates.authority))
    context = certificates.server()
    context.load_verify_locations(certificates.authority)
    context.verify_mode = ssl.CERT_REQUIRED
    context.minimum_version = context.maximum_version = version
    plan, cert = plan_for(flat, ["a"]), certificates.folder / "client.pem"
    reply = scripted.completion(GOOD)
    reply = scripted.head_of(200, {"content-length": str(len(reply))}) + reply
    with socket.create_server(("127.0.0.1", 0)) as listener:
        url = f"https://127.0.0.1:{listener.getsockname()[1]}/v1"
        threading.Thread(target=serve, args=(listener, context, reply), daemon=True).start()
        with pytest.raises(EndpointRefusal, match=r"certificate of yours.*--client-cert"):
            execute(plan, tmp_path / "run.json", Access(url), patience=HASTE)
        access = Access(url, client_cert=cert)
        assert execute(plan, tmp_path / "run.json", access, patience=HASTE).failed_cases == 0


def serve(listener: socket.socket, context: ssl.SSLContext, reply: bytes) -> None:
    """A server that says why it hangs up, and waits until that was heard; asyncio's does not."""
    while True:
        try:
            connection = listener.accept()[0]
        except OSError:
            return
        with connection, contextlib.suppress(OSError):
            try:
                layer = context.wrap_socket(
                    connection, server_side=True, do_handshake_on_connect=False
                )
                layer.do_handshake()
            except ssl.SSLError:
                raw = socket.socket(fileno=layer.detach())
                with raw:
                    raw.shutdown(socket.SHUT_WR)
                    while raw.recv(65_536):
                        pass
                continue
            received = b""
            while not received.endswith(b"}"):
                received += layer.recv(65_536)
            layer.sendall(reply)
            layer.unwrap()


@pytest.mark.parametrize("name", ["locked.pem", "ca.pem", "client.csr", "nowhere.pem"])
def test_a_certificate_that_cannot_be_used_is_refused_before_anything_is_asked(
    certificates: Any, flat: Task, plan_for: PlanFor, tmp_path: Path, name: str
) -> None:
    access = Access("https://127.0.0.1:9/v1", client_cert=certificates.folder / name)
    with pytest.raises(UsageError, match=rf"--client-cert {name} must hold a certificate and its"):
        execute(plan_for(flat, ["a"]), tmp_path / "run.json", access, patience=HASTE)


@pytest.mark.parametrize("content", [None, "no certificate"])
def test_an_authority_that_cannot_be_used_is_refused(
    flat: Task, plan_for: PlanFor, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    content: str | None,
) -> None:  # fmt: skip
    path = tmp_path / "ca.pem"
    if content is not None:
        path.write_text(content)
    monkeypatch.setenv("SSL_CERT_FILE", str(path))
    access = Access("https://127.0.0.1:9/v1")
    with pytest.raises(UsageError, match="SSL_CERT_FILE cannot be used: "):
        execute(plan_for(flat, ["a"]), tmp_path / "run.json", access, patience=HASTE)


@pytest.mark.parametrize(
    ("reason", "advice"),
    [
        ("TLSV1_ALERT_PROTOCOL_VERSION", "no version of TLS that is still safe"),
        ("UNSUPPORTED_PROTOCOL", "no version of TLS that is still safe"),
        ("WRONG_VERSION_NUMBER", "does not speak TLS there"),
    ],
)
def test_a_failure_of_tls_is_told_apart_by_its_reason(reason: str, advice: str) -> None:
    error = ssl.SSLError(1, reason)
    error.reason = reason
    assert advice in (tls_advice(error) or "")


def test_a_server_that_speaks_no_tls_is_named(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def answer() -> None:
            while True:
                try:
                    with listener.accept()[0] as connection:
                        connection.recv(10)
                        connection.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                except OSError:
                    return

        threading.Thread(target=answer, daemon=True).start()
        access = Access(f"https://127.0.0.1:{listener.getsockname()[1]}/v1")
        with pytest.raises(EndpointRefusal, match="does not speak TLS there: is http:// meant"):
            execute(plan_for(flat, ["a"]), tmp_path / "run.json", access, patience=HASTE)


HERE = (
    "localhost", "LocalHost", "localhost.", "x.localhost", "127.0.0.1", "127.0.0.2",
    "127.1", "127.0.1", "0x7f000001", "0x7f.1", "0177.0.0.1", "2130706433", "0.0.0.0", "0", "[::1]",
    "[0:0:0:0:0:0:0:1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::]", "[::1%lo]",
)  # fmt: skip
ELSEWHERE = (
    "10.0.0.1", "127.0.0.1.example", "localhost.example", "notlocalhost", "[::2]", "128.0.0.1",
    "[::ffff:10.0.0.1]", "example", "[fe80::1%lo]", "2130706432.example",
)  # fmt: skip


@pytest.mark.parametrize("host", [*HERE, *ELSEWHERE])
def test_this_machine_is_known_in_every_spelling(host: str) -> None:
    assert is_loopback(host) == is_loopback(f"{host}:8080") == (host in HERE)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.1", "localhost", "0x7f.1"])
def test_no_proxy_is_asked_for_what_is_on_this_machine(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path, host: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.delenv("NO_PROXY", raising=False)
    monkeypatch.delenv("no_proxy", raising=False)
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    with scripted.ScriptedServer(good) as server:
        url = server.url.replace("127.0.0.1", host)
        run = execute(plan_for(flat, ["a"]), tmp_path / "run.json", url, patience=HASTE)
    assert run.failed_cases == 0


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("https://a b/v1", "plain address"),
        ("https://a\n.example/v1", "plain address"),
        ("https://a\\.openai.com/v1", "plain address"),
        ("https://a/v1#x", "plain address"),
        ("https://a/v1?", "plain address"),
        ("https://a;b/v1", "plain address"),
        ("https://a:0/v1", "port 0"),
        ("http://0177.0.0.1:8/v1", "no IPv4 address"),
        ("http://127.0.0.256/v1", "no IPv4 address"),
        ("https://a:99999/v1", "not an address"),
        ("https://[::1/v1", "not an address"),
        ("https://a/v1/chat/completions", "must end before /chat/completions"),
        ("https://a/v1/messages/", "must end before /messages"),
        ("https://a/v1?key=1", "must hold no key"),
        ("https://me:word@a/v1", "must hold no key"),
        ("ftp://a/v1", "must begin with http"),
        ("a/v1", "must begin with http"),
    ],
)
def test_an_address_is_checked_before_anything_is_sent(url: str, why: str) -> None:
    with pytest.raises(UsageError, match=why) as caught:
        Access(url)
    assert "word" not in str(caught.value)


def test_a_sound_address_is_taken() -> None:
    for url, host in {
        "https://[::1]:8/v1": "[::1]:8",
        "HTTPS://A.example:8/openai/deployments/x": "a.example:8",
        "http://[fe80::1%25eth0]/v1": "[fe80::1%25eth0]",
        "https://büro.example/v1/": "büro.example",
    }.items():
        assert host_of(url) == host


@pytest.fixture
def streams(certificates: Any, monkeypatch: pytest.MonkeyPatch) -> ssl.SSLContext:
    """A server that offers HTTP/2, whose authority is trusted."""
    pytest.importorskip("h2")
    monkeypatch.setenv("SSL_CERT_FILE", str(certificates.authority))
    context: ssl.SSLContext = certificates.server(protocols=("h2",))
    return context


def answers_by_case(journal: Path) -> dict[str, str]:
    lines = [json.loads(line) for line in journal.read_text().split("\n")[1:-1]]
    return {line["case"]: json.loads(line["reply"])["name"] for line in lines}


def test_one_connection_serves_many_questions_and_mixes_no_answers(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path, streams: ssl.SSLContext
) -> None:
    """Answers come in any order, some in pieces, some streams are reset and asked again."""
    draw, most = random.Random(3), [0, 0]

    async def script(exchange: Any) -> None:
        most[0] += 1
        most[1] = max(most)
        await asyncio.sleep(draw.uniform(0, 0.05))
        most[0] -= 1
        if exchange.times == 1 and draw.random() < 0.1:
            exchange.reset()
            return
        text = json.dumps({"score": 2, "name": exchange.case, "more": "x" * draw.randrange(40_000)})
        await exchange.reply(text)

    names = [f"c{n}" for n in range(150)]
    with scripted.ScriptedServer(script, streams) as server:
        plan = plan_for(flat, names)
        run = execute(plan, tmp_path / "r.json", server.url, concurrency=16, patience=HASTE)
        resets = sum(server.asked.values()) - len(names)
        assert resets > 3
        assert server.connections <= 1 + resets
        assert "connection" not in server.seen[0].headers
    assert answers_by_case(run.journal) == dict(zip(names, names, strict=True))
    assert most[1] > 8


def test_an_answer_that_never_ends_does_not_hold_up_the_others(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path, streams: ssl.SSLContext
) -> None:
    async def script(exchange: Any) -> None:
        if exchange.case == "c3" and exchange.times == 1:
            await asyncio.sleep(60)
        await exchange.reply(GOOD)

    with scripted.ScriptedServer(script, streams) as server:
        plan = plan_for(flat, [f"c{n}" for n in range(12)])
        patience = Patience(timeout=0.7, retries=2, backoff=0.01)
        run = execute(plan, tmp_path / "r.json", server.url, concurrency=4, patience=patience)
        assert server.connections == 2  # the one that was given up is not used again
    assert run.failed_cases == 0


def test_a_first_connection_that_never_answers_is_not_tried_again(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path, streams: ssl.SSLContext
) -> None:
    async def script(exchange: Any) -> None:
        if exchange.connection is server.seen[0].connection:
            await asyncio.sleep(60)
        await exchange.reply(GOOD)

    with scripted.ScriptedServer(script, streams) as server:
        plan = plan_for(flat, [f"c{n}" for n in range(6)])
        patience = Patience(timeout=1.5, retries=2, backoff=0.01)
        run = execute(plan, tmp_path / "r.json", server.url, concurrency=3, patience=patience)
        assert server.connections == 2
    assert run.failed_cases == 0


@pytest.mark.parametrize("kind", ["goaway", "garbage", "abort"])
def test_a_connection_that_breaks_costs_no_answer(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path, streams: ssl.SSLContext,
    kind: str,
) -> None:  # fmt: skip
    async def script(exchange: Any) -> None:
        if exchange.case == "c5" and exchange.times == 1:
            if kind == "abort":
                exchange.abort()
            elif kind == "goaway":
                exchange.connection.close_connection(last_stream_id=0)
                await exchange.raw(exchange.connection.data_to_send())
            else:
                await exchange.raw(b"\x00\x00\x01\x00\x00\x00\x00\x00\x00\x00" * 9)
            return
        await exchange.reply(GOOD)

    with scripted.ScriptedServer(script, streams) as server:
        plan = plan_for(flat, [f"c{n}" for n in range(12)])
        patience = Patience(timeout=3, retries=4, backoff=0.01)
        run = execute(plan, tmp_path / "r.json", server.url, concurrency=4, patience=patience)
    assert run.failed_cases == 0


@pytest.mark.parametrize("stages", [1, 2])
@pytest.mark.parametrize("is_closed", [True, False])
def test_a_server_that_takes_its_leave_finishes_what_it_began_and_nothing_is_asked_twice(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path, streams: ssl.SSLContext,
    stages: int, is_closed: bool,
) -> None:  # fmt: skip
    """Ten times in sixty questions: the streams in flight are answered, later ones refused."""
    begun: dict[int, list[Any]] = {}

    async def script(exchange: Any) -> None:
        mates = begun.setdefault(id(exchange.connection), [])
        mates.append(exchange)
        if len(mates) == 6:
            if stages == 2:
                exchange.go_away(2**31 - 1)
                await asyncio.sleep(0.02)
            exchange.go_away(max(mate.stream for mate in mates))
        await asyncio.sleep(0.01 * (len(mates) % 5))
        await exchange.reply(json.dumps({"score": 2, "name": exchange.case}))
        exchange.is_answered = True
        is_leaving = exchange.connection.last_served < 2**31 - 1
        if is_closed and is_leaving and all(hasattr(mate, "is_answered") for mate in mates):
            exchange.writer.close()

    names = [f"c{n}" for n in range(60)]
    with scripted.ScriptedServer(script, streams) as server:
        plan = plan_for(flat, names)
        run = execute(plan, tmp_path / "r.json", server.url, concurrency=8, patience=HASTE)
        assert set(server.asked.values()) == {1}
        assert len(begun) == server.connections
        assert 5 <= server.connections <= 12
    assert answers_by_case(run.journal) == dict(zip(names, names, strict=True))


def test_a_question_that_waits_for_room_hears_at_once_that_the_server_leaves(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path, streams: ssl.SSLContext
) -> None:
    """One answer takes long; those that waited behind the limit of streams do not wait for it."""
    at: dict[str, float] = {}

    async def script(exchange: Any) -> None:
        if exchange.case == "c0":
            exchange.go_away(exchange.stream)
            await asyncio.sleep(1.5)
        await exchange.reply(GOOD)
        at[exchange.case] = time.monotonic()

    with scripted.ScriptedServer(script, streams) as server:
        plan = plan_for(flat, [f"c{n}" for n in range(12)])
        execute(plan, tmp_path / "r.json", server.url, concurrency=12, patience=HASTE)
        assert set(server.asked.values()) == {1}
    assert max(at, key=at.__getitem__) == "c0"


@pytest.mark.parametrize("streams_each", [1, 3])
def test_a_server_that_leaves_after_every_few_answers_is_asked_to_the_end(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path, streams: ssl.SSLContext,
    streams_each: int,
) -> None:  # fmt: skip
    """Most of what is sent is refused, more often than a question has tries: none is lost."""

    async def script(exchange: Any) -> None:
        if exchange.connection.last_served > 2 * streams_each:
            exchange.go_away(2 * streams_each - 1)
        await exchange.reply(GOOD)

    with scripted.ScriptedServer(script, streams) as server:
        plan = plan_for(flat, [f"c{n}" for n in range(16)])
        run = execute(plan, tmp_path / "r.json", server.url, concurrency=8, patience=HASTE)
        assert set(server.asked.values()) == {1}
    assert run.failed_cases == 0


@pytest.mark.parametrize("code", [0, 2, 7, 8, 11])
def test_a_stream_that_is_reset_is_asked_again_on_the_same_connection(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path, streams: ssl.SSLContext,
    code: int,
) -> None:  # fmt: skip
    async def script(exchange: Any) -> None:
        if exchange.case in ("c3", "c7") and exchange.times == 1:
            exchange.reset(code)
        else:
            await exchange.reply(GOOD)

    with scripted.ScriptedServer(script, streams) as server:
        plan = plan_for(flat, [f"c{n}" for n in range(12)])
        run = execute(plan, tmp_path / "r.json", server.url, concurrency=4, patience=HASTE)
        assert server.connections == 1
        assert sum(server.asked.values()) == 14
    assert run.failed_cases == 0


def test_a_server_that_refuses_every_stream_is_asked_no_more_than_the_tries_allow(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path, streams: ssl.SSLContext
) -> None:
    async def script(exchange: Any) -> None:
        exchange.reset(7)

    with scripted.ScriptedServer(script, streams) as server:
        run = asked(plan_for(flat, ["a"]), server, tmp_path)
        assert server.asked == {"a": HASTE.retries + 1}
    assert run.failed_cases == 1


@pytest.mark.parametrize("code", [0, 2])
@pytest.mark.parametrize("is_first", [True, False])
def test_a_server_that_leaves_and_closes_at_once_costs_another_try_and_no_answer(
    scripted: ModuleType, flat: Task, plan_for: PlanFor, tmp_path: Path, streams: ssl.SSLContext,
    code: int, is_first: bool,
) -> None:  # fmt: skip
    async def script(exchange: Any) -> None:
        if exchange.times == 1 and exchange.case == ("c0" if is_first else "c9"):
            exchange.go_away(exchange.stream, code)
            exchange.writer.close()
        else:
            await asyncio.sleep(0.01)
            await exchange.reply(GOOD)

    with scripted.ScriptedServer(script, streams) as server:
        plan = plan_for(flat, [f"c{n}" for n in range(20)])
        run = execute(plan, tmp_path / "r.json", server.url, concurrency=4, patience=HASTE)
        assert max(server.asked.values()) <= 2
        assert sum(server.asked.values()) <= 20 + 4  # what was in flight on it
    assert run.failed_cases == 0


def test_frames_are_cut_where_they_end_however_they_come() -> None:
    """One byte at a time, a whole GOAWAY among them, and a frame that says it has 16 MB."""

    class Wire:
        def __init__(self, data: bytes, size: int) -> None:
            self.parts = [data[n : n + size] for n in range(0, len(data), size)]

        async def read(self, *_: Any) -> bytes:
            return self.parts.pop(0) if self.parts else b""

        async def write(self, *_: Any) -> None:
            """Nobody listens."""

    def head(size: int, kind: int, number: int) -> bytes:
        return size.to_bytes(3, "big") + bytes([kind, 0]) + number.to_bytes(4, "big")

    before, after = head(5, 0, 1) + b"hello", head(2, 0, 1) + b"me"
    leave = head(11, 7, 0) + (1).to_bytes(4, "big") + bytes(4) + b"bye"
    refusal = head(4, 3, 3) + (7).to_bytes(4, "big")
    vast = head(0xFFFFFF, 0, 1) + b"x" * 30

    async def read(size: int) -> tuple[bytes, list[int]]:
        left: list[int] = []
        stream = _Frames(Wire(before + leave + after + vast, size), lambda: left.append(1))
        await stream.write(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + head(0, 1, 1) + head(0, 1, 3))
        got = b""
        while data := await stream.read(65_536):
            got += data
        return got, left

    for size in (1, 2, 9, 10, 31, 1000):
        assert asyncio.run(read(size)) == (before + refusal + after + vast, [1])


def test_a_server_of_the_older_version_gets_one_connection_a_question(
    scripted: ModuleType, certificates: Any, flat: Task, plan_for: PlanFor, tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setenv("SSL_CERT_FILE", str(certificates.authority))
    with scripted.ScriptedServer(good, certificates.server()) as server:
        plan = plan_for(flat, [f"c{n}" for n in range(9)])
        execute(plan, tmp_path / "r.json", server.url, concurrency=3, patience=HASTE)
        assert server.connections == 9
        assert {exchange.headers["connection"] for exchange in server.seen} == {"close"}
