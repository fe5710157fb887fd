"""What is wrong is never counted as fast, and what is missing never ends a run."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from benchmarks.measuring.missing import Missing, WrongAnswer
from benchmarks.over_http.figures import figures
from benchmarks.over_http.load import Sent, filled, load
from benchmarks.over_http.process import processor_seconds, resident_bytes
from benchmarks.over_http.requests import Request, put
from benchmarks.over_http.server import Running, Server, running
from benchmarks.over_http.servers import OURS
from benchmarks.over_http.trial import trial
from benchmarks.workload.requests import create
from tests.benchmarks.tiny import TINY


@pytest.fixture(scope="module")
def server() -> Iterator[Running]:
    with running(OURS) as process:
        process.client.create(create())
        yield process


def test_a_refusal_is_no_answer(server: Running, tmp_path: Path) -> None:
    sent = Sent("DescribeTable", ('{"TableName": "nowhere"}',))
    with pytest.raises(WrongAnswer, match="were refused"):
        load(server, sent, tmp_path, first=0, connections=1, seconds=1)


def test_an_answer_that_is_too_small_is_none(server: Running, tmp_path: Path) -> None:
    sent = Sent("ListTables", ("{}",), smallest=5_000)
    with pytest.raises(WrongAnswer, match="at least 5000 were expected"):
        load(server, sent, tmp_path, first=0, connections=1, seconds=1)


# A server that says yes and does nothing would be the fastest of all.
def test_what_was_acknowledged_is_looked_for(server: Running) -> None:
    def disbelieved(number: int) -> None:
        raise WrongAnswer(f"{number} is not there")

    request = Request(Sent("ListTables", ("{}",)), disbelieved)
    with pytest.raises(WrongAnswer, match="is not there"):
        list(trial(server, lambda client, scale: request, TINY))


def test_numbers_are_filled_in() -> None:
    assert filled("<m> <k> <n> <y>", 12_345) == "345 000000345 000012345 12345"


def test_a_peer_that_is_missing_or_does_not_start_is_named() -> None:
    def absent(port: int, folder: Path | None) -> Sequence[str]:
        raise Missing("it is not installed")

    def broken(port: int, folder: Path | None) -> Sequence[str]:
        return [sys.executable, "-c", "raise SystemExit('no licence')"]

    peers = [Server("absent", absent), Server("broken", broken, version="1.2")]
    found = figures(OURS, peers, {"PutItem": put}, TINY)
    assert found.servers == [OURS]
    assert found.load(OURS, "PutItem", 2) is not None
    assert found.ratio("PutItem", 2) is None
    assert found.missing == [
        "absent is missing: it is not installed.",
        "broken 1.2 is missing: broken does not start: no licence.",
    ]


def test_a_process_is_measured_with_its_children() -> None:
    before = processor_seconds(os.getpid()), resident_bytes(os.getpid())
    script = "held = bytearray(range(256)) * 200_000; print(sum(held), flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        child.stdout.readline()
        after = processor_seconds(os.getpid()), resident_bytes(os.getpid())
        child.communicate(b"\n")
    assert after[0] > before[0]
    assert after[1] > before[1] + 256 * 200_000
