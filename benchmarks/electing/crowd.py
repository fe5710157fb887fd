"""A crowd that votes over HTTP, and how long each of them waits."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence

CAST = (
    "POST /api/elections/elections/Chair/ballot HTTP/1.1\r\nHost: 127.0.0.1\r\n"
    "Authorization: Bearer {token}\r\nIdempotency-Key: {key}\r\nSec-Fetch-Site: same-origin\r\n"
    "Content-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
)


async def vote(
    port: int, tokens: Sequence[str], bodies: Sequence[str], at_once: int
) -> tuple[list[str], list[float]]:
    """Let all cast, so many at once; their confirmations, and how long each took."""
    codes: list[str] = []
    waits: list[float] = []
    waiting = list(zip(tokens, bodies, range(len(tokens)), strict=True))

    async def come() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        while waiting:
            token, body, number = waiting.pop()
            began = time.perf_counter()
            writer.write(
                CAST.format(
                    token=token, key=f"crowd-{number}", length=len(body), body=body
                ).encode()
            )
            status, answer = await _answer(reader)
            waits.append(time.perf_counter() - began)
            if status != 201:
                raise RuntimeError(f"a ballot was answered {status}: {answer[:500]!r}")
            codes.append(str(json.loads(answer)["receipt"]["confirmation"]))
        writer.close()

    await asyncio.gather(*(come() for _ in range(at_once)))
    return codes, waits


async def _answer(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    fields = dict(line.lower().split(": ", 1) for line in head[1:] if ": " in line)
    return int(head[0].split()[1]), await reader.readexactly(int(fields["content-length"]))
