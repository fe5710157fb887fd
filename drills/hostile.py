"""Send hostile requests to an endpoint, and check that its memory does not grow.

Run it with python -m drills.hostile [--requests N] [--seed N]. The requests are refused, oversized,
compressed, unsigned, unfinished, aborted, slow or pipelined. One endpoint has no credentials, and
one refuses all of the requests because none is signed.
"""

from __future__ import annotations

import argparse
import asyncio
import gzip
import re
import subprocess
import sys
import tempfile
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from statistics import median

from msgspec import json

MEGABYTE = 2**20
CLIENTS = 8
SLOW_CLIENTS = 50
# Python's allocator keeps up to this much more or less of what heavy requests needed.
MAX_GROWTH = 16 * MEGABYTE
CREDENTIALS = """
[[credential]]
name = "ada"
access_key_id = "AKIAADA"
secret_access_key = "secret of ada"
"""
TABLE = {
    "TableName": "votes",
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
}
ITEM = {"pk": {"S": "a"}}


def request(operation: str, body: object, *headers: str) -> bytes:
    """Return the bytes of a request."""
    raw = body if isinstance(body, bytes) else json.encode(body)
    lines = [
        "POST / HTTP/1.1",
        "Host: localhost",
        "Content-Type: application/x-amz-json-1.0",
        f"X-Amz-Target: DynamoDB_20120810.{operation}",
        f"Content-Length: {len(raw)}",
        *headers,
    ]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + raw


def _compressed(operation: str, body: object) -> bytes:
    raw = body if isinstance(body, bytes) else json.encode(body)
    return request(operation, gzip.compress(raw), "Content-Encoding: gzip")


PUT: dict[str, object] = {"TableName": "votes", "Item": ITEM}
NOT_NEW = PUT | {"ConditionExpression": "attribute_not_exists(pk)"}
REFUSED = [
    request("PutItem", {"TableName": "v"}),
    request("PutItem", PUT | {"Item": {"pk": {"S": ""}}}),
    request("PutItem", NOT_NEW),
    request("PutItem", b'{"TableName":'),
    request("PutItem", PUT | {"TableName": "x" * 20_000}),
    request("PutItem", PUT | {"ConditionExpression": "a = " + "b" * 20_000}),
    request("GetItem", {"TableName": "votes", "Key": ITEM, "AttributesToGet": ["a"] * 5000}),
    request("TransactWriteItems", {"TransactItems": [{}] * 5000}),
    request("Nothing", {}),
]
MALFORMED = [
    b"\x16\x03\x01 \r\n\r\n",
    b"POST / HTTP/1.1\r\nX: " + b"y" * 70_000 + b"\r\n\r\n",
    b"POST / HTTP/1.1\r\nContent-Length: 17000000\r\n\r\n",
    b"POST / HTTP/1.1\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
]


def heavy_requests(size: int) -> dict[str, bytes]:
    """Return requests that are expensive for the endpoint; `size` is up to 16 MB."""
    values = size // 16
    return {
        "large": request("PutItem", b"x" * (size - 1)),
        "bomb": _compressed("PutItem", bytes(4 * size)),
        "long text": _compressed("PutItem", PUT | {"Item": {"n": {"S": ",[{" * (size // 4)}}}),
        "deep": _compressed("PutItem", b'{"Item":' + b'{"L":[' * (size // 6)),
        "too many values": _compressed("PutItem", PUT | {"Item": {"n": {"SS": ["x"] * values}}}),
        "too many actions": _compressed("TransactWriteItems", {"TransactItems": [{}] * values}),
        # As many values as can be decoded; then they are rejected for their size.
        "many values": _compressed(
            "PutItem", PUT | {"Item": {"n": {"L": [{"N": "1"}] * (values // 5)}}}
        ),
        "wrong types": _compressed("PutItem", PUT | {"Item": [{}] * (values // 5)}),
    }


@dataclass
class MemoryReport:
    """The memory of an endpoint in bytes, after each round of requests.

    The first rounds fill caches and the pools of the allocator, and single rounds differ by what it
    keeps. So compare the medians of the second quarter of the rounds and of the last.
    """

    name: str
    requests: Counter[str] = field(default_factory=Counter[str])
    sizes: list[int] = field(default_factory=list[int])

    @property
    def start(self) -> int:
        """Return the memory in the second quarter."""
        quarter = len(self.sizes) // 4
        return int(median(self.sizes[quarter : 2 * quarter]))

    @property
    def end(self) -> int:
        """Return the memory in the last quarter."""
        return int(median(self.sizes[-(len(self.sizes) // 4) :]))

    @property
    def faults(self) -> list[str]:
        """Return a description of the growth, if the memory grew too much."""
        if self.end <= self.start + MAX_GROWTH:
            return []
        return [f"{self.name}: memory grew from {_megabytes(self.start)} to {_megabytes(self.end)}"]


def _megabytes(size: int) -> str:
    return f"{size / MEGABYTE:.0f} MB"


class HostileClients:
    """Clients that send every kind of request to one port, and disconnect in every way."""

    def __init__(
        self, port: int, random: Random, sent: Counter[str], heavy: dict[str, bytes]
    ) -> None:
        self._port = port
        self._random = random
        self._sent = sent
        self._slow: deque[asyncio.StreamWriter] = deque()
        # The relative frequency of each kind. Three requests in a hundred are heavy.
        self._kinds: dict[str, tuple[int, Callable[[], Awaitable[int]]]] = {
            "refused": (400, self.send_refused),
            "pipelined": (30, self.send_pipelined),
            "malformed": (100, self.send_malformed),
            "unfinished": (200, self.send_unfinished),
            "slow": (100, self.send_slowly),
            "unread": (100, self.read_nothing),
            **{name: (30, partial(self.send_heavy, each)) for name, each in heavy.items()},
        }
        self._weights = [weight for weight, _ in self._kinds.values()]

    async def run(self, requests: int) -> None:
        """Send this many requests."""
        left = requests

        async def client() -> None:
            nonlocal left
            while left > 0:
                (kind,) = self._random.choices([*self._kinds], self._weights)
                _, send = self._kinds[kind]
                # The endpoint may close the connection before everything is sent.
                with suppress(ConnectionError, asyncio.IncompleteReadError):
                    count = await send()
                    left -= count
                    self._sent[kind] += count

        await asyncio.gather(*(client() for _ in range(CLIENTS)))
        while self._slow:
            self._slow.popleft().transport.abort()

    async def send_refused(self) -> int:
        """Send several requests on one connection and read the responses."""
        reader, writer = await self._connect()
        for _ in range(10):
            writer.write(self._random.choice(REFUSED))
            await _read_response(reader)
        writer.close()
        return 10

    async def send_pipelined(self) -> int:
        """Send many requests at once, and read some of the responses."""
        reader, writer = await self._connect()
        writer.write(REFUSED[0] * 100)
        for _ in range(self._random.randrange(100)):
            await _read_response(reader)
        writer.transport.abort()
        return 100

    async def send_malformed(self) -> int:
        """Send invalid HTTP."""
        reader, writer = await self._connect()
        writer.write(self._random.choice(MALFORMED))
        writer.write_eof()
        await reader.read()
        writer.close()
        return 1

    async def send_unfinished(self) -> int:
        """Disconnect in the middle of a request."""
        _, writer = await self._connect()
        sent = self._random.choice(REFUSED)
        writer.write(sent[: self._random.randrange(len(sent))])
        await writer.drain()
        writer.transport.abort()
        return 1

    async def send_slowly(self) -> int:
        """Keep connections with unfinished requests open, and send one more byte to each."""
        _, writer = await self._connect()
        writer.write(request("PutItem", b"x" * 50_000)[:-1000])
        self._slow.append(writer)
        for each in self._slow:
            if not each.is_closing():  # the endpoint disconnects slow clients
                each.write(b"x")
        if len(self._slow) > SLOW_CLIENTS:
            self._slow.popleft().transport.abort()
        return 1

    async def read_nothing(self) -> int:
        """Disconnect without reading the response."""
        _, writer = await self._connect()
        writer.write(self._random.choice(REFUSED))
        await writer.drain()
        writer.transport.abort()
        return 1

    async def send_heavy(self, data: bytes) -> int:
        """Send a request that is large, or large when decompressed."""
        reader, writer = await self._connect()
        writer.write(data)
        await _read_response(reader)
        writer.close()
        return 1

    async def _connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection("127.0.0.1", self._port)


async def _read_response(reader: asyncio.StreamReader) -> None:
    head = (await reader.readuntil(b"\r\n\r\n")).lower()
    length = re.search(rb"content-length: (\d+)", head)
    await reader.readexactly(int(length[1]) if length else 0)


@contextmanager
def _endpoint(*options: str) -> Generator[tuple[int, int]]:
    """Run an endpoint; yield its process id and its port."""
    command = [str(Path(sys.executable).with_name("dynamodb-engine")), "serve", "--port", "0"]
    process = subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        for line in process.stdout:
            if at := re.search(r"--endpoint-url https?://.+:(\d+)", line):
                yield process.pid, int(at[1])
                return
        raise RuntimeError("The endpoint did not start.")
    finally:
        process.terminate()
        process.wait(30)


def _memory(process: int) -> int:
    """Return the resident memory of a process in bytes."""
    command = ["ps", "-o", "rss=", "-p", str(process)]
    return 1024 * int(subprocess.run(command, capture_output=True, check=True).stdout)


async def _attack(
    report: MemoryReport,
    process: int,
    port: int,
    requests: int,
    seed: int,
    heavy: dict[str, bytes],
) -> None:
    clients = HostileClients(port, Random(seed), report.requests, heavy)
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    for each in (request("CreateTable", TABLE), request("PutItem", PUT), *REFUSED, *heavy.values()):
        writer.write(each)
        await _read_response(reader)
    writer.close()
    rounds = min(20, max(4, requests // 100))
    for _ in range(rounds):
        await clients.run(requests // rounds)
        report.sizes.append(_memory(process))


def run(requests: int, seed: int = 1, size: int = 16 * MEGABYTE) -> Generator[MemoryReport]:
    """Attack an endpoint without credentials, then one with credentials.

    The bodies of heavy requests have this size when decompressed.
    """
    heavy = heavy_requests(size)
    with tempfile.TemporaryDirectory() as folder:
        credentials = Path(folder) / "credentials.toml"
        credentials.write_text(CREDENTIALS)
        credentials.chmod(0o600)
        for name, options in {"open": [], "guarded": ["--credentials", str(credentials)]}.items():
            report = MemoryReport(name)
            with _endpoint(*options) as (process, port):
                asyncio.run(_attack(report, process, port, requests, seed, heavy))
            yield report


def main() -> None:
    """Run the drill and exit with 1 if the memory of an endpoint grew."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    faults: list[str] = []
    for report in run(options.requests, options.seed):
        sizes = " ".join(str(size // MEGABYTE) for size in report.sizes)
        print(
            f"{report.name}: {report.requests.total():,} requests; memory in MB: {sizes}",
            flush=True,
        )
        print("  " + ", ".join(f"{kind} {count:,}" for kind, count in report.requests.items()))
        faults += report.faults
    for fault in faults:
        print(fault)
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
