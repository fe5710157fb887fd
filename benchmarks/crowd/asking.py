"""A crowd that asks over HTTP, and how long each of them waits."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Asked:
    """What one of the crowd sends: a path, a JSON body, and headers of their own."""

    path: str
    body: str
    headers: Mapping[str, str]

    def request(self) -> bytes:
        """The bytes that are sent."""
        headers = {
            "Host": "127.0.0.1",
            "Sec-Fetch-Site": "same-origin",
            "Content-Type": "application/json",
            "Content-Length": str(len(self.body.encode())),
            **self.headers,
        }
        lines = [f"POST {self.path} HTTP/1.1", *(f"{name}: {headers[name]}" for name in headers)]
        return ("\r\n".join(lines) + "\r\n\r\n" + self.body).encode()


def ask_all(port: int, asked: Sequence[Asked], at_once: int) -> tuple[list[bytes], list[float]]:
    """Let all of them ask, so many at once; what was answered, and how long each took.

    Whatever is answered but 201 ends it.
    """
    return asyncio.run(_ask_all(port, asked, at_once))


async def _ask_all(
    port: int, asked: Sequence[Asked], at_once: int
) -> tuple[list[bytes], list[float]]:
    answers: list[bytes] = []
    waits: list[float] = []
    waiting = list(asked)

    async def come() -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        while waiting:
            request = waiting.pop().request()
            began = time.perf_counter()
            writer.write(request)
            status, answer = await _answer(reader)
            waits.append(time.perf_counter() - began)
            if status != 201:
                raise RuntimeError(f"a vote was answered {status}: {answer[:500]!r}")
            answers.append(answer)
        writer.close()

    await asyncio.gather(*(come() for _ in range(at_once)))
    return answers, waits


async def _answer(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    fields = dict(line.lower().split(": ", 1) for line in head[1:] if ": " in line)
    return int(head[0].split()[1]), await reader.readexactly(int(fields["content-length"]))
