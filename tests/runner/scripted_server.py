"""An HTTP server on loopback that answers, or misbehaves, as a script says.

Inside a test: ``with ScriptedServer(script) as server``. As a process of its own, an echo server
that answers after a delay and logs every question::

    python scripted_server.py --latency 0.2 --log asked.txt
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import ssl
import sys
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

Script = Callable[["Exchange"], Awaitable[None]]


class Exchange:
    """One request and the means to answer it, well or badly."""

    def __init__(
        self, path: str, headers: dict[str, str], body: dict[str, Any], writer: Any
    ) -> None:
        self.path = path
        self.headers = headers
        self.body = body
        self.writer = writer
        self.times = 0
        self.at = time.monotonic()
        self.peer = writer.get_extra_info("peername")

    @property
    def prompt(self) -> str:
        return self.body["messages"][-1]["content"]

    @property
    def is_refused(self) -> bool:
        """Whether it was said that a request as late as this is not looked at."""
        return False

    @property
    def case(self) -> str:
        """The word after ``CASE`` in the first question of the conversation."""
        text = "\n".join(m["content"] for m in self.body.get("messages", ()))
        match = re.search(r"CASE (\S+)", text)
        return match[1] if match else ""

    async def send(self, status: int, body: bytes, **headers: str) -> None:
        head = {"content-type": "application/json", "content-length": str(len(body))}
        head |= {name.replace("_", "-"): value for name, value in headers.items()}
        await self.raw(head_of(status, head) + body)

    async def raw(self, data: bytes) -> None:
        self.writer.write(data)
        await self.writer.drain()

    async def reply(self, content: str | None, **options: Any) -> None:
        await self.send(200, completion(content, **options))

    def abort(self) -> None:
        """Reset the connection."""
        self.writer.transport.abort()


class StreamExchange(Exchange):
    """One request of HTTP/2: its answer bears the number of its stream."""

    def __init__(self, connection: Any, stream: int, *request: Any) -> None:
        super().__init__(*request)
        self.connection, self.stream = connection, stream

    @property
    def is_refused(self) -> bool:
        return bool(self.stream > self.connection.last_served)

    async def send(self, status: int, body: bytes, **headers: str) -> None:
        names = {name.replace("_", "-"): value for name, value in headers.items()}
        head = [(":status", str(status)), ("content-type", "application/json"), *names.items()]
        self.connection.send_headers(self.stream, head)
        while body:
            room = min(self.connection.local_flow_control_window(self.stream), 16_000)
            if room <= 0:
                await asyncio.sleep(0.01)
                continue
            self.connection.send_data(self.stream, body[:room])
            body = body[room:]
            await self.raw(self.connection.data_to_send())
        self.connection.end_stream(self.stream)
        await self.raw(self.connection.data_to_send())

    def reset(self, code: int = 0) -> None:
        """End this stream and no other."""
        self.connection.reset_stream(self.stream, code)
        self.writer.write(self.connection.data_to_send())

    def go_away(self, last: int, code: int = 0) -> None:
        """Say that streams beyond ``last`` are not served; those up to it are, as before.

        The frame is written by hand: the library that the server is made of would end all streams.
        """
        self.connection.last_served = last
        frame = b"\0\0\x0c\7\0\0\0\0\0" + last.to_bytes(4, "big") + code.to_bytes(4, "big")
        self.writer.write(self.connection.data_to_send() + frame + b"more")


def head_of(status: int, headers: dict[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status} X", *(f"{name}: {value}" for name, value in headers.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def completion(
    content: str | None, *, finish: str = "stop", logprobs: Any = None, **message: Any
) -> bytes:
    choice = {
        "index": 0,
        "finish_reason": finish,
        "message": {"role": "assistant", "content": content, **message},
        "logprobs": logprobs,
    }
    usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    return json.dumps(
        {"id": "x", "object": "chat.completion", "choices": [choice], "usage": usage}
    ).encode()


class ScriptedServer:
    """The server in a thread of its own; ``asked`` counts questions by case."""

    def __init__(self, script: Script, tls: ssl.SSLContext | None = None) -> None:
        self.script, self.tls = script, tls
        self.connections = 0
        self.asked: Counter[str] = Counter()
        self.seen: list[Exchange] = []
        self._loop = asyncio.new_event_loop()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self.port = 0

    @property
    def url(self) -> str:
        return f"http{'s' if self.tls else ''}://127.0.0.1:{self.port}/v1"

    def __enter__(self) -> ScriptedServer:
        self._thread.start()
        assert self._ready.wait(60)
        return self

    def __exit__(self, *details: object) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(60)

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        start = asyncio.start_server(self._handle, "127.0.0.1", 0, ssl=self.tls)
        server = self._loop.run_until_complete(start)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        self._loop.run_forever()
        server.close()
        tasks = asyncio.all_tasks(self._loop)
        for task in tasks:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        self._loop.run_until_complete(asyncio.sleep(0.01))
        self._loop.close()

    async def _handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        layer = writer.get_extra_info("ssl_object")
        try:
            if layer is not None and layer.selected_alpn_protocol() == "h2":
                await self._handle_streams(reader, writer)
            while (exchange := await read_request(reader, writer)) is not None:
                await self._script(exchange)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()

    async def _script(self, exchange: Exchange) -> None:
        if exchange.is_refused:
            return
        self.asked[exchange.case] += 1
        exchange.times = self.asked[exchange.case]
        self.seen.append(exchange)
        await self.script(exchange)

    async def _handle_streams(self, reader: asyncio.StreamReader, writer: Any) -> None:
        """A connection of HTTP/2: each of its streams is a request, and they go on side by side."""
        import h2.config
        import h2.connection
        import h2.events

        config = h2.config.H2Configuration(client_side=False, header_encoding="utf-8")
        connection = h2.connection.H2Connection(config=config)
        connection.initiate_connection()
        writer.write(connection.data_to_send())
        connection.last_served = 2**31 - 1
        heads: dict[int, dict[str, str]] = {}
        bodies: dict[int, bytearray] = {}
        tasks: set[asyncio.Task[None]] = set()
        while data := await reader.read(65_536):
            for event in connection.receive_data(data):
                match event:
                    case h2.events.RequestReceived():
                        heads[event.stream_id] = dict(event.headers)
                        bodies[event.stream_id] = bytearray()
                    case h2.events.DataReceived():
                        bodies[event.stream_id] += event.data
                        connection.acknowledge_received_data(
                            event.flow_controlled_length, event.stream_id
                        )
                    case h2.events.StreamEnded():
                        number = event.stream_id
                        head, body = heads.pop(number), json.loads(bodies.pop(number))
                        exchange = StreamExchange(
                            connection, number, head[":path"], head, body, writer
                        )
                        tasks.add(task := asyncio.create_task(self._script(exchange)))
                        task.add_done_callback(tasks.discard)
            writer.write(connection.data_to_send())
            await writer.drain()


async def read_request(reader: asyncio.StreamReader, writer: Any) -> Exchange | None:
    try:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.rstrip().split("\r\n")
    headers = {k.lower(): v.strip() for k, _, v in (line.partition(":") for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", 0)))
    return Exchange(first.split(" ")[1], headers, json.loads(body or b"{}"), writer)


async def echo(latency: float, log: Path | None, port_to: Any) -> None:
    """Answer ``{"score": 2}`` after a while; one line in the log for every question."""
    out = log.open("a", buffering=1) if log else None

    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while (exchange := await read_request(reader, writer)) is not None:
                if out:
                    out.write(f"{exchange.case} {exchange.body.get('seed')}\n")
                await asyncio.sleep(latency)
                await exchange.reply('{"score": 2, "confidence": 4}')
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(handle, "127.0.0.1", 0, backlog=1000)
    print(server.sockets[0].getsockname()[1], file=port_to, flush=True)
    await server.serve_forever()


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--latency", type=float, default=0.0)
    parser.add_argument("--log", type=Path)
    options = parser.parse_args()
    asyncio.run(echo(options.latency, options.log, sys.stdout))
