"""What ``acumen run`` takes over TLS to a server 20 ms away, held against the bare openai SDK.

``python -m benchmarks.streams`` (needs the SDK and OpenSSL). One server offers HTTP/2 and one does
not; before both stands a relay that holds every byte back for half of the way, and a connection for
the round trip that setting it up takes. The SDK keeps its connections of HTTP/1.1 open.
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
from pathlib import Path
from typing import Any

from benchmarks.runner import DRIVE, SDK, SERVER, TASK

QUESTIONS, ABREAST, ROUND_TRIP = 600, (8, 32), 0.02
GOOD = '{"score": 2, "confidence": 4}'


def rows(repeats: int = 3) -> Iterator[str]:
    """A line a setting: seconds by the clock and of processor time, the least of several runs."""
    sys.path.insert(0, str(SERVER.parent))
    with tempfile.TemporaryDirectory() as name, ExitStack() as servers:
        folder = Path(name)
        (folder / "flat.toml").write_text(TASK, "utf-8")
        cases = [{"id": n, "text": f"c{n}", "truth": {"Sleep": 2}} for n in range(QUESTIONS)]
        (folder / "cases.json").write_text(json.dumps({"cases": cases}), "utf-8")
        offers = {"HTTP/2": ["h2", "http/1.1"], "HTTP/1.1": ["http/1.1"]}
        ports = {
            kind: servers.enter_context(_server(folder, protocols))
            for kind, protocols in offers.items()
        }
        for abreast in ABREAST:
            turns: dict[str, list[list[float]]] = {}
            for turn in range(repeats):  # in turn: another's work on the machine meets all alike
                for kind, port in ports.items():
                    file = f"{kind[-1]}-{abreast}-{turn}.json"
                    spent = _seconds(folder, DRIVE, port, abreast, file)
                    turns.setdefault(f"acumen, {kind}", []).append(spent)
                spent = _seconds(folder, SDK, ports["HTTP/1.1"], abreast)
                turns.setdefault("SDK, HTTP/1.1", []).append(spent)
            for who, costs in turns.items():
                wall, cpu = (min(column) for column in list(zip(*costs, strict=True))[:2])
                yield f"{abreast:>3} at a time  {who:<18} {wall:5.2f} s, {cpu:.2f} s of processor"


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
    for line in rows():
        print(line, flush=True)
