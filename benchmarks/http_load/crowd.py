"""Send many requests concurrently to an app in another process, and measure the latencies."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import sys
import time
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class PostRequest:
    """A POST request with a JSON body."""

    path: str
    body: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str])

    def encode(self) -> bytes:
        """Return the bytes to send."""
        headers = {
            "Host": "127.0.0.1",
            "Sec-Fetch-Site": "same-origin",
            "Content-Type": "application/json",
            "Content-Length": str(len(self.body.encode())),
            **self.headers,
        }
        lines = [f"POST {self.path} HTTP/1.1", *(f"{name}: {headers[name]}" for name in headers)]
        return ("\r\n".join(lines) + "\r\n\r\n" + self.body).encode()


@dataclass(frozen=True, slots=True)
class GetRequest:
    """A GET request for a page."""

    path: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str])

    def encode(self) -> bytes:
        """Return the bytes to send."""
        headers = {"Host": "127.0.0.1", "Accept": "text/html", **self.headers}
        lines = [f"GET {self.path} HTTP/1.1", *(f"{name}: {headers[name]}" for name in headers)]
        return ("\r\n".join(lines) + "\r\n\r\n").encode()


@dataclass(frozen=True, slots=True)
class CrowdResult:
    """The response bodies, the sorted latencies, and the duration of all; in seconds."""

    bodies: Sequence[bytes]
    latencies: Sequence[float]
    seconds: float

    def percentile(self, share: float) -> float:
        """Return the latency that this share of the requests did not exceed."""
        return self.latencies[int(len(self.latencies) * share)]


def send_all(
    port: int, requests: Sequence[PostRequest | GetRequest], connections: int
) -> CrowdResult:
    """Send all requests; raise unless each gets the status 200 (GET) or 201 (POST)."""
    return asyncio.run(_send_all(port, requests, connections))


async def _send_all(
    port: int, requests: Sequence[PostRequest | GetRequest], connections: int
) -> CrowdResult:
    bodies: list[bytes] = []
    latencies: list[float] = []
    pending = list(requests)

    async def send() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        while pending:
            request = pending.pop()
            expected = 201 if isinstance(request, PostRequest) else 200
            data = request.encode()
            sent = time.perf_counter()
            writer.write(data)
            status, body = await _read_response(reader)
            latencies.append(time.perf_counter() - sent)
            if status != expected:
                raise RuntimeError(f"expected status {expected}, but got {status}: {body[:500]!r}")
            bodies.append(body)
        writer.close()

    started = time.perf_counter()
    await asyncio.gather(*(send() for _ in range(connections)))
    return CrowdResult(bodies, sorted(latencies), time.perf_counter() - started)


async def _read_response(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    fields = dict(line.lower().split(": ", 1) for line in head[1:] if ": " in line)
    status = int(head[0].split()[1])
    if "content-length" in fields:
        return status, await reader.readexactly(int(fields["content-length"]))
    chunks: list[bytes] = []
    while size := int(await reader.readline(), 16):
        chunks.append((await reader.readexactly(size + 2))[:-2])
    await reader.readline()
    return status, b"".join(chunks)


@contextmanager
def serve_app(app: str, folder: Path) -> Generator[int]:
    """Serve an app (see `app_server`) until the block ends; yield its port."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = int(free.getsockname()[1])
    module = "benchmarks.http_load.app_server"
    with subprocess.Popen([sys.executable, "-m", module, app, str(folder), str(port)]) as server:
        try:
            _wait_until_listening(server, port)
            yield port
        finally:
            server.terminate()


def _wait_until_listening(server: subprocess.Popen[bytes], port: int) -> None:
    for _ in range(600):
        if server.poll() is not None:
            break
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            time.sleep(0.05)
        else:
            return
    raise RuntimeError("the app does not listen")
