"""Put load on a server with wrk, which is fast enough not to be the bottleneck."""

from __future__ import annotations

import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

import msgspec

from benchmarks.harness.measurement import Missing, WrongResult
from benchmarks.http_load.client import HEADERS, target_header
from benchmarks.http_load.servers import RunningServer, total_cpu_seconds

_SCRIPT = Path(__file__).resolve().with_name("load.lua")
_TIMEOUT = 120


@dataclass(frozen=True, slots=True)
class LoadSpec:
    """The bodies to send in turn, with placeholders for a running number.

    `<y>` is the number and `<n>` the number in nine digits; `<m>` is its last three digits, and
    `<k>` those in nine. Without a `span` every number is new. A response has at least `min_size`
    bytes.
    """

    operation: str
    bodies: tuple[str, ...]
    span: int | None = None
    min_size: int = 1


@dataclass(frozen=True, slots=True)
class Load:
    """The throughput, latencies in seconds, and the CPU time of the server per request.

    Without any response, the times are meaningless.
    """

    requests: int
    rate: float
    p50: float
    p99: float
    cpu_seconds: float


class _WrkSummary(msgspec.Struct):
    requests: int
    microseconds: int
    received: int
    p50: int
    p99: int
    rejected: int
    broken: int


def fill_placeholders(body: str, number: int) -> str:
    """Return the body for a number."""
    last_three = number % 1000
    values = {
        "<m>": f"{last_three}",
        "<k>": f"{last_three:09}",
        "<n>": f"{number:09}",
        "<y>": f"{number}",
    }
    for placeholder, text in values.items():
        body = body.replace(placeholder, text)
    return body


def generate_load(
    server: RunningServer,
    spec: LoadSpec,
    folder: Path,
    *,
    first: int,
    connections: int,
    seconds: int,
    max_requests: int | None = None,
) -> Load:
    """Send for some seconds, at most `max_requests`, and return the load.

    Raises WrongResult for an error or a response that is too small.
    """
    wrk = shutil.which("wrk")
    if wrk is None:
        raise Missing(
            "wrk, which generates the load, is not installed; on Debian: apt-get install wrk"
        )
    script = folder / "spec.lua"
    script.write_text(_lua_table(spec, first, max_requests))
    command = [wrk, "--threads", "1", "--connections", str(connections), "--latency"]
    command += ["--duration", f"{seconds}s", "--timeout", f"{_TIMEOUT}s", "--script", str(_SCRIPT)]
    command += [f"http://127.0.0.1:{server.port}/", "--", str(script)]
    before = total_cpu_seconds(server.pid)
    completed = subprocess.run(command, capture_output=True, text=True, check=False)
    used_seconds = total_cpu_seconds(server.pid) - before
    if completed.returncode != 0:
        raise Missing(f"wrk fails: {(completed.stderr or completed.stdout).strip()[-200:]}")
    summary = msgspec.json.decode(completed.stdout.strip().rpartition("\n")[2], type=_WrkSummary)
    _check(summary, spec)
    return Load(
        summary.requests,
        summary.requests / summary.microseconds * 1_000_000,
        summary.p50 / 1_000_000,
        summary.p99 / 1_000_000,
        used_seconds / max(1, summary.requests),
    )


def _check(summary: _WrkSummary, spec: LoadSpec) -> None:
    if summary.rejected or summary.broken:
        raise WrongResult(
            f"of {summary.requests:,} requests {summary.rejected:,} were rejected "
            f"and {summary.broken:,} got no response"
        )
    if summary.received < summary.requests * spec.min_size:
        raise WrongResult(
            f"expected at least {spec.min_size} bytes in a response, "
            f"but got {summary.received / summary.requests:.0f}"
        )


def _lua_table(spec: LoadSpec, first: int, max_requests: int | None) -> str:
    """Return the spec as a Lua table; Lua's long brackets need no escapes."""
    headers = HEADERS | {"X-Amz-Target": target_header(spec.operation)}
    lines = [f'["{name}"] = [==[{value}]==],' for name, value in headers.items()]
    bodies = [f"[==[{body}]==]," for body in spec.bodies]
    span, remaining = ("nil" if value is None else value for value in (spec.span, max_requests))
    return (
        f"return {{ first = {first}, span = {span}, remaining = {remaining}, "
        f"headers = {{ {' '.join(lines)} }}, bodies = {{ {' '.join(bodies)} }} }}"
    )
