"""Load on a server, made by wrk: written in C, so that it is not what is measured."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import msgspec

from benchmarks.measuring.missing import Missing, WrongAnswer
from benchmarks.over_http.client import HEADERS, target_of
from benchmarks.over_http.process import processor_seconds
from benchmarks.over_http.server import Running

_SCRIPT = Path(__file__).with_name("load.lua")
_TIMEOUT = 120


@dataclass(frozen=True, slots=True)
class Sent:
    """What is sent: bodies in turn, with marks where a number stands.

    `<y>` is the number and `<n>` the same in nine digits; `<m>` is its last three digits, and `<k>`
    these in nine. Without a `span` the numbers are ever new. An answer has at least `smallest`
    bytes.
    """

    operation: str
    bodies: tuple[str, ...]
    span: int | None = None
    smallest: int = 1


@dataclass(frozen=True, slots=True)
class Load:
    """What came of it; times in seconds, the processor's is the server's for each request.

    If there was no answer at all, the times are without meaning.
    """

    requests: int
    a_second: float
    p50: float
    p99: float
    processor: float


class _Said(msgspec.Struct):
    requests: int
    microseconds: int
    received: int
    p50: int
    p99: int
    refused: int
    broken: int


def filled(body: str, number: int) -> str:
    """The body for a number."""
    rest = number % 1000
    marks = {"<m>": f"{rest}", "<k>": f"{rest:09}", "<n>": f"{number:09}", "<y>": f"{number}"}
    for mark, text in marks.items():
        body = body.replace(mark, text)
    return body


def load(
    server: Running, sent: Sent, folder: Path, *, first: int, connections: int, seconds: int
) -> Load:
    """Send for some seconds; WrongAnswer if any answer was not right, so far as its size tells."""
    wrk = shutil.which("wrk")
    if wrk is None:
        raise Missing("there is no wrk, which makes the load; on Debian: apt-get install wrk")
    spec = folder / "spec.lua"
    spec.write_text(_spec(sent, first))
    command = [wrk, "--threads", "1", "--connections", str(connections), "--latency"]
    command += ["--duration", f"{seconds}s", "--timeout", f"{_TIMEOUT}s", "--script", str(_SCRIPT)]
    command += [f"http://127.0.0.1:{server.port}/", "--", str(spec)]
    before = processor_seconds(server.pid)
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    used = processor_seconds(server.pid) - before
    if ran.returncode != 0:
        raise Missing(f"wrk fails: {(ran.stderr or ran.stdout).strip()[-200:]}")
    said = msgspec.json.decode(ran.stdout.strip().rpartition("\n")[2], type=_Said)
    _check(said, sent)
    return Load(
        said.requests,
        said.requests / said.microseconds * 1_000_000,
        said.p50 / 1_000_000,
        said.p99 / 1_000_000,
        used / max(1, said.requests),
    )


def _check(said: _Said, sent: Sent) -> None:
    if said.refused or said.broken:
        raise WrongAnswer(
            f"of {said.requests:,} requests {said.refused:,} were refused "
            f"and {said.broken:,} not answered"
        )
    if said.received < said.requests * sent.smallest:
        raise WrongAnswer(
            f"answers had {said.received / said.requests:.0f} bytes, "
            f"and at least {sent.smallest} were expected"
        )


def _spec(sent: Sent, first: int) -> str:
    """The request in Lua, whose long brackets need no escapes."""
    headers = HEADERS | {"X-Amz-Target": target_of(sent.operation)}
    lines = [f'["{name}"] = [==[{value}]==],' for name, value in headers.items()]
    bodies = [f"[==[{body}]==]," for body in sent.bodies]
    span = "nil" if sent.span is None else sent.span
    return (
        f"return {{ first = {first}, span = {span}, "
        f"headers = {{ {' '.join(lines)} }}, bodies = {{ {' '.join(bodies)} }} }}"
    )
