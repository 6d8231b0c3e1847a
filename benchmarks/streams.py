"""What ``acumen run`` takes over TLS to a server 20 ms away, held against the bare openai SDK.

``python -m benchmarks.streams`` (needs the SDK and OpenSSL). One server offers HTTP/2 and one does
not; before both stands a relay that holds every byte back for half of the way, and a connection for
the round trip that setting it up takes. The SDK as it comes keeps connections of HTTP/1.1 open;
it speaks HTTP/2 where it is told to.
"""

from __future__ import annotations

import asyncio
import json
import os
import ssl
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.runner import DRIVE, SDK, SERVER, TASK

QUESTIONS, ABREAST, ROUND_TRIP = 200, (8, 32), 0.02
GOOD = '{"score": 2, "confidence": 4}'
NEW, OLD = "HTTP/2", "HTTP/1.1"


@dataclass(frozen=True)
class Cost:
    """Seconds by the clock and of processor time of one program with so many questions at once."""

    abreast: int
    who: str
    version: str
    wall: float
    cpu: float
    wall_ratio: float
    """To the SDK as it comes, over HTTP/1.1 with as many questions at once."""
    cpu_ratio: float


def costs(repeats: int = 5) -> list[Cost]:
    """Each program in turn, so that another's work on the machine meets all alike; the medians."""
    sys.path.insert(0, str(SERVER.parent))
    spent: dict[tuple[int, str, str], list[list[float]]] = {}
    with tempfile.TemporaryDirectory() as name, ExitStack() as servers:
        folder = Path(name)
        (folder / "flat.toml").write_text(TASK, "utf-8")
        cases = [{"id": n, "text": f"c{n}", "truth": {"Sleep": 2}} for n in range(QUESTIONS)]
        (folder / "cases.json").write_text(json.dumps({"cases": cases}), "utf-8")
        offers = {NEW: ["h2", "http/1.1"], OLD: ["http/1.1"]}
        ports = {
            version: servers.enter_context(_server(folder, protocols))
            for version, protocols in offers.items()
        }
        for abreast in ABREAST:
            for turn in range(repeats):
                for version, port in ports.items():
                    file = f"{version[-1]}-{abreast}-{turn}.json"
                    for who, program, more in (("acumen", DRIVE, file), ("SDK", SDK, version)):
                        seconds = _seconds(folder, program, port, abreast, more)
                        spent.setdefault((abreast, who, version), []).append(seconds)
    medians = {
        key: [median(column) for column in list(zip(*turns, strict=True))[:2]]
        for key, turns in spent.items()
    }
    usual = {abreast: medians[abreast, "SDK", OLD] for abreast in ABREAST}
    return [
        Cost(*key, wall, cpu, wall / usual[key[0]][0], cpu / usual[key[0]][1])
        for key, (wall, cpu) in medians.items()
    ]


def _seconds(folder: Path, program: str, port: int, abreast: int, *rest: str) -> list[float]:
    url = f"https://127.0.0.1:{port}/v1"
    command = [sys.executable, "-c", program, str(folder), url, str(abreast), "cases", *rest]
    trusted = os.environ | {"SSL_CERT_FILE": str(folder / "own.pem")}
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=trusted)
    spent: list[float] = json.loads(done.stdout)
    return spent


@contextmanager
def _server(folder: Path, protocols: list[str]) -> Iterator[int]:
    """The port of the relay before a server that answers at once and offers these protocols."""
    from scripted_server import ScriptedServer  # type: ignore[import-not-found]  # of the tests

    if not (folder / "own.pem").exists():
        command = ["openssl", "req", "-x509", "-nodes", "-subj", "/CN=own", "-days", "2"]
        command += ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-keyout", "own.key"]
        command += ["-addext", "subjectAltName=IP:127.0.0.1", "-out", "own.pem"]
        subprocess.run(command, cwd=folder, check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(folder / "own.pem", folder / "own.key")
    context.set_alpn_protocols(protocols)

    async def script(exchange: Any) -> None:
        await exchange.reply(GOOD)

    with ScriptedServer(script, context) as server:
        ready: Future[tuple[int, Callable[[], object]]] = Future()

        async def relay() -> None:
            end, loop = asyncio.Event(), asyncio.get_running_loop()
            begin = await asyncio.start_server(_relayed(server.port), "127.0.0.1", backlog=1000)
            port = begin.sockets[0].getsockname()[1]
            ready.set_result((port, lambda: loop.call_soon_threadsafe(end.set)))
            await end.wait()

        thread = threading.Thread(target=lambda: asyncio.run(relay()), daemon=True)
        thread.start()
        port, end = ready.result(60)
        try:
            yield port
        finally:
            end()
            thread.join(60)


def _relayed(port: int) -> Any:
    alive = set[asyncio.Task[None] | None]()  # the loop itself holds its tasks weakly

    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        loop = asyncio.get_running_loop()
        try:
            while data := await reader.read(1 << 16):
                loop.call_later(ROUND_TRIP / 2, writer.write, data)
            loop.call_later(ROUND_TRIP / 2, writer.close)
        except ConnectionError:
            writer.close()

    async def relayed(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        alive.add(asyncio.current_task())
        await asyncio.sleep(ROUND_TRIP)
        there, back = await asyncio.open_connection("127.0.0.1", port)
        await asyncio.gather(pump(reader, back), pump(there, writer))

    return relayed


if __name__ == "__main__":
    for cost in costs():
        print(
            f"{cost.abreast:>3} at a time  {cost.who:<6} {cost.version:<8}"
            f"  {cost.wall:5.2f} s ({cost.wall_ratio:.2f}×)"
            f"  {cost.cpu:5.2f} s of processor ({cost.cpu_ratio:.2f}×)"
        )
