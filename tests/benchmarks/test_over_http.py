"""Wrong results are never counted as fast, and a missing peer does not end a run."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from benchmarks.harness.measurement import Missing, WrongResult
from benchmarks.harness.workload import create
from benchmarks.http_load.comparison import compare_servers, measure_request
from benchmarks.http_load.load import LoadSpec, fill_placeholders, generate_load
from benchmarks.http_load.requests import PreparedRequest, put
from benchmarks.http_load.servers import (
    OURS,
    RunningServer,
    Server,
    resident_bytes,
    running,
    total_cpu_seconds,
)
from tests.benchmarks.tiny import TINY


@pytest.fixture(scope="module")
def server() -> Iterator[RunningServer]:
    with running(OURS) as process:
        process.client.create(create())
        yield process


def test_rejected_request_is_wrong_result(server: RunningServer, tmp_path: Path) -> None:
    spec = LoadSpec("DescribeTable", ('{"TableName": "nowhere"}',))
    with pytest.raises(WrongResult, match="were rejected"):
        generate_load(server, spec, tmp_path, first=0, connections=1, seconds=1, max_requests=20)


def test_too_small_response_is_wrong_result(server: RunningServer, tmp_path: Path) -> None:
    spec = LoadSpec("ListTables", ("{}",), min_size=5_000)
    with pytest.raises(WrongResult, match="at least 5000 bytes"):
        generate_load(server, spec, tmp_path, first=0, connections=1, seconds=1, max_requests=20)


# A server that acknowledges everything and does nothing would be the fastest.
def test_acknowledged_request_is_verified(server: RunningServer) -> None:
    def reject(number: int) -> None:
        raise WrongResult(f"{number} is not stored")

    request = PreparedRequest(LoadSpec("ListTables", ("{}",)), reject)
    with pytest.raises(WrongResult, match="is not stored"):
        list(measure_request(server, lambda client, scale: request, TINY))


def test_placeholders_are_filled() -> None:
    assert fill_placeholders("<m> <k> <n> <y>", 12_345) == "345 000000345 000012345 12345"


def test_peer_that_is_missing_or_does_not_start_is_named() -> None:
    def absent(port: int, folder: Path | None) -> Sequence[str]:
        raise Missing("it is not installed")

    def broken(port: int, folder: Path | None) -> Sequence[str]:
        return [sys.executable, "-c", "raise SystemExit('no license')"]

    peers = [Server("absent", absent), Server("broken", broken, version="1.2")]
    comparison = compare_servers(OURS, peers, {"PutItem": put}, TINY)
    assert comparison.servers == [OURS]
    assert comparison.load(OURS, "PutItem", 2) is not None
    assert comparison.ratio("PutItem", 2) is None
    assert comparison.missing == [
        "absent is missing: it is not installed.",
        "broken 1.2 is missing: broken does not start: no license.",
    ]


def test_process_is_measured_with_its_children() -> None:
    before = total_cpu_seconds(os.getpid()), resident_bytes(os.getpid())
    script = "held = bytearray(range(256)) * 200_000; print(sum(held), flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        child.stdout.readline()
        after = total_cpu_seconds(os.getpid()), resident_bytes(os.getpid())
        child.communicate(b"\n")
    assert after[0] > before[0]
    assert after[1] > before[1] + 256 * 200_000
