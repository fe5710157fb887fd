"""The command as a process: it starts or says why not, serves, and ends without losing anything."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Iterator
from http.client import HTTPException
from pathlib import Path

import pytest
from msgspec import json

from singletable import GetItem, Scan, connect
from tests.server.asking import BALLOT, KEY, KIND
from tests.server.process import PATIENCE, Endpoint, endpoint, refusal, send
from tests.server.prometheus import read_page

PUT = {"TableName": "votes", "Item": BALLOT}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "votes.db"


def ballot(voter: str) -> bytes:
    """The body of a put."""
    key = {"pk": {"S": "poll"}, "sk": {"S": voter}}
    return json.encode({"TableName": "votes", "Item": key})


def voters_in(file: Path) -> set[str]:
    """Whose ballots the file holds, once the process is gone."""
    with connect(f"file:{file}") as driver:
        items = driver.execute(Scan("votes")).items
    return {str(item["sk"]["S"]) for item in items}


def is_checkpointed(file: Path) -> bool:
    wal = file.with_name(f"{file.name}-wal")
    return not wal.exists() or wal.stat().st_size == 0


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGINT])
def test_it_serves_until_it_is_told_to_stop(by: signal.Signals, file: Path) -> None:
    with endpoint("--file", str(file), "--region", "eu-west-2") as running:
        assert running.get("/") == "healthy: dynamodb.eu-west-2.amazonaws.com "
        running.ask("PutItem", PUT)
        code, _, err = running.stop(by)
    assert (code, err) == (0, "")
    assert f'endpoint_url="{running.url}"' in running.greeting
    assert is_checkpointed(file)
    with connect(f"file:{file}") as driver:
        assert driver.execute(GetItem("votes", KEY)).item == BALLOT


def test_in_memory_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with endpoint("--memory") as running:
        running.ask("PutItem", PUT)
        assert running.stop()[0] == 0
    assert not list(tmp_path.iterdir())


# The requests come in one piece, so that all have arrived when the first is answered. Whether the
# last answer says that it is the last depends on whether the signal came before it; the listener's
# tests hold both still.
def test_what_has_arrived_is_answered_before_the_end(file: Path) -> None:
    voters = [f"voter{n}" for n in range(20)]
    with endpoint("--file", str(file)) as running:
        with socket.create_connection((running.host, running.port)) as client:
            client.sendall(b"".join(_raw_put(ballot(voter)) for voter in voters))
            answers = client.recv(1)
            running.process.send_signal(signal.SIGTERM)
            while piece := client.recv(65536):
                answers += piece
        assert running.stop()[0] == 0
    assert answers.count(b"HTTP/1.1 200 OK") == 20
    assert voters_in(file) == set(voters)
    assert is_checkpointed(file)


def _raw_put(body: bytes) -> bytes:
    head = [
        "POST / HTTP/1.1",
        "X-Amz-Target: DynamoDB_20120810.PutItem",
        f"Content-Type: {KIND}",
        f"Content-Length: {len(body)}",
    ]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body


# Whatever was acknowledged is there, however the process ends and whatever else could go wrong.
@pytest.mark.parametrize("durability", ["full", "normal"])
@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGKILL])
def test_what_was_acknowledged_is_in_the_file(
    by: signal.Signals, durability: str, file: Path
) -> None:
    with endpoint("--file", str(file), "--durability", durability) as running:
        crowd = Crowd(running, voters=4, enough=200)
        assert crowd.enough.wait(PATIENCE)
        code, _, _ = running.stop(by)
        crowd.join()
    assert code == (0 if by is signal.SIGTERM else -signal.SIGKILL)
    assert len(crowd.acknowledged) >= 200
    assert crowd.acknowledged <= voters_in(file)


class Crowd:
    """Voters who cast ballots until nobody answers any more."""

    def __init__(self, running: Endpoint, *, voters: int, enough: int) -> None:
        self.acknowledged: set[str] = set()
        self.enough = threading.Event()
        self._running = running
        self._enough = enough
        self._threads = [threading.Thread(target=self._vote, args=(n,)) for n in range(voters)]
        for thread in self._threads:
            thread.start()

    def join(self) -> None:
        for thread in self._threads:
            thread.join()

    def _vote(self, number: int) -> None:
        connection = self._running.connect()
        for name in _names(number):
            try:
                response = send(connection, "PutItem", ballot(name))
                response.read()
            except (OSError, HTTPException):
                return
            assert response.status == 200
            self.acknowledged.add(name)
            if len(self.acknowledged) >= self._enough:
                self.enough.set()


def _names(number: int) -> Iterator[str]:
    n = 0
    while True:
        yield f"{number}-{n}"
        n += 1


def test_a_file_is_served_by_one_process(file: Path) -> None:
    with endpoint("--file", str(file)) as running:
        assert str(file) in refusal("--port", "0", "--file", str(file))
        running.ask("PutItem", PUT)


def test_the_other_loopback_is_served_too() -> None:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("this machine has no IPv6")
    with endpoint("--host", "::1") as running:
        assert running.url.startswith("http://[::1]:")
        assert running.ask("ListTables", {}) == {"TableNames": ["votes"]}


# Whoever pipes the log into another program sends it nothing else.
def test_the_log_on_standard_output_is_alone_there() -> None:
    with endpoint("--access-log", "-") as running:
        running.ask("PutItem", PUT)
        code, out, _ = running.stop()
    lines = [json.decode(line) for line in out.splitlines()]
    assert code == 0
    assert [line["operation"] for line in lines] == ["CreateTable", "PutItem"]
    assert "boto3" in running.greeting


def test_metrics_and_the_log_tell_of_the_same(tmp_path: Path) -> None:
    log = tmp_path / "access.log"
    with endpoint("--metrics", "--access-log", str(log)) as running:
        for _ in range(5):
            running.ask("PutItem", PUT)
        page = read_page(running.get("/metrics"))
        running.stop()
    lines = [json.decode(line) for line in log.read_bytes().splitlines()]
    written = page["singletable_consumed_write_units_total"].samples.values()
    assert sum(line["write_units"] for line in lines) == sum(written)
    assert page["singletable_connections_total"].value() == len(lines) == 7
    operations = page["singletable_operations_total"]
    assert operations.value(operation="PutItem", outcome="ok") == 5


def test_without_the_option_nothing_is_measured() -> None:
    with endpoint() as running:
        assert running.get("/metrics").startswith("healthy")
