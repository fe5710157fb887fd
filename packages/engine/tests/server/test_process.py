"""The endpoint as a process: it serves over HTTP and exits without losing a write."""

from __future__ import annotations

import gzip
import signal
import socket
import threading
from collections.abc import Iterator
from email.utils import parsedate_to_datetime
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from zlib import crc32

import pytest
from msgspec import json

from dynamodb_engine import GetItem, ReadChanges, Scan, open_engine
from dynamodb_engine.wire import write_request
from tests.server.process import TIMEOUT, Endpoint, endpoint, send, startup_error
from tests.server.prometheus import parse_metrics
from tools.testing.app_client import BALLOT, CONTENT_TYPE, KEY

PUT = {"TableName": "votes", "Item": BALLOT}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "votes.db"


def put_body(voter: str) -> bytes:
    """Return the body of a PutItem request."""
    key = {"pk": {"S": "poll"}, "sk": {"S": voter}}
    return json.encode({"TableName": "votes", "Item": key})


def read_voters(file: Path) -> set[str]:
    """Return the voters whose ballots are in the file; the process must have ended."""
    with open_engine(f"file:{file}") as driver:
        items = driver.execute(Scan("votes")).items
    return {str(item["sk"]["S"]) for item in items}


def is_checkpointed(file: Path) -> bool:
    wal = file.with_name(f"{file.name}-wal")
    return not wal.exists() or wal.stat().st_size == 0


@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGINT])
def test_endpoint_serves_until_signal(by: signal.Signals, file: Path) -> None:
    with endpoint(f"file:{file}", "--region", "eu-west-2") as running:
        assert running.get("/") == "healthy: dynamodb.eu-west-2.amazonaws.com "
        running.call("PutItem", PUT)
        code, _, err = running.stop(by)
    assert (code, err) == (0, "")
    assert f'endpoint_url="{running.url}"' in running.greeting
    assert is_checkpointed(file)
    with open_engine(f"file:{file}") as driver:
        assert driver.execute(GetItem("votes", KEY)).item == BALLOT


def test_memory_endpoint_creates_no_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with endpoint("memory:") as running:
        running.call("PutItem", PUT)
        assert running.stop()[0] == 0
    assert not list(tmp_path.iterdir())


def test_address_is_an_argument_as_of_other_commands(file: Path) -> None:
    with endpoint(f"file:{file}", "--durability", "normal") as running:
        assert f"with tables in {file}." in running.greeting
        running.call("PutItem", PUT)
        assert running.stop()[0] == 0
    assert is_checkpointed(file)


# The requests are sent at once, so all have arrived when the first response comes. Whether the last
# response says `connection: close` depends on timing here; test_connection.py checks it.
def test_requests_that_arrived_get_responses_before_exit(file: Path) -> None:
    voters = [f"voter{n}" for n in range(20)]
    with endpoint(f"file:{file}") as running:
        with socket.create_connection((running.host, running.port)) as client:
            client.sendall(b"".join(_raw_put(put_body(voter)) for voter in voters))
            responses = client.recv(1)
            running.process.send_signal(signal.SIGTERM)
            while piece := client.recv(65536):
                responses += piece
        assert running.stop()[0] == 0
    assert responses.count(b"HTTP/1.1 200 OK") == 20
    assert read_voters(file) == set(voters)
    assert is_checkpointed(file)


def _raw_put(body: bytes) -> bytes:
    head = [
        "POST / HTTP/1.1",
        "X-Amz-Target: DynamoDB_20120810.PutItem",
        f"Content-Type: {CONTENT_TYPE}",
        f"Content-Length: {len(body)}",
    ]
    return "\r\n".join(head).encode() + b"\r\n\r\n" + body


# A migration without a runner for a while reads all items again if the feed keeps too little.
def test_feed_keeps_as_many_changes_as_requested() -> None:
    for records, kept in ((10, False), (1_000, True)):
        with endpoint("--feed-records", str(records)) as running:
            for number in range(200):
                item = {"pk": {"S": "poll"}, "sk": {"S": str(number)}}
                running.call("PutItem", {"TableName": "votes", "Item": item})
            target, body = write_request(ReadChanges(0))
            connection = running.connect()
            response = send(connection, "", body, x_amz_target=target)
            answer = json.decode(response.read())
            connection.close()
            if kept:
                assert len(answer["Changes"]) == 200
            else:
                assert (response.status, "--feed" in answer["message"]) == (400, True)


def test_killed_endpoint_delivers_the_rest_of_the_kinesis_records(file: Path) -> None:
    folder = file.with_name("kinesis")
    options = (f"file:{file}", "--kinesis-folder", str(folder))
    stream = "arn:aws:kinesis:us-east-1:123456789012:stream/audit"
    with endpoint(*options) as running:
        enable = {"TableName": "votes", "StreamArn": stream}
        running.call("EnableKinesisStreamingDestination", enable)
        running.call("PutItem", PUT)
        running.stop(signal.SIGKILL)
    assert Endpoint(*options).stop()[0] == 0
    lines = (folder / "audit.jsonl").read_text().splitlines()
    assert json.decode(lines[-1])["dynamodb"]["NewImage"] == BALLOT


@pytest.mark.parametrize("durability", ["full", "normal"])
@pytest.mark.parametrize("by", [signal.SIGTERM, signal.SIGKILL])
def test_acknowledged_writes_survive_exit(by: signal.Signals, durability: str, file: Path) -> None:
    with endpoint(f"file:{file}", "--durability", durability) as running:
        voters = Voters(running, count=4, enough=200)
        assert voters.enough.wait(TIMEOUT)
        code, _, _ = running.stop(by)
        voters.join()
    assert code == (0 if by is signal.SIGTERM else -signal.SIGKILL)
    assert len(voters.acknowledged) >= 200
    assert voters.acknowledged <= read_voters(file)


class Voters:
    """Threads that write ballots until the endpoint is gone."""

    def __init__(self, running: Endpoint, *, count: int, enough: int) -> None:
        self.acknowledged: set[str] = set()
        self.enough = threading.Event()
        self._running = running
        self._enough = enough
        self._threads = [threading.Thread(target=self._vote, args=(n,)) for n in range(count)]
        for thread in self._threads:
            thread.start()

    def join(self) -> None:
        for thread in self._threads:
            thread.join()

    def _vote(self, number: int) -> None:
        connection = self._running.connect()
        for name in _names(number):
            try:
                response = send(connection, "PutItem", put_body(name))
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


def test_second_process_cannot_open_the_file(file: Path) -> None:
    with endpoint(f"file:{file}") as running:
        assert str(file) in startup_error("--port", "0", f"file:{file}")
        running.call("PutItem", PUT)


def test_ipv6_loopback_is_supported() -> None:
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("this machine has no IPv6")
    with endpoint("--host", "::1") as running:
        assert running.url.startswith("http://[::1]:")
        assert running.call("ListTables", {}) == {"TableNames": ["votes"]}


# The log can be piped into another program.
def test_standard_output_contains_only_the_access_log() -> None:
    with endpoint("--access-log", "-") as running:
        running.call("PutItem", PUT)
        code, out, _ = running.stop()
    lines = [json.decode(line) for line in out.splitlines()]
    assert code == 0
    assert [line["operation"] for line in lines] == ["CreateTable", "PutItem"]
    assert "boto3" in running.greeting


def test_metrics_and_access_log_agree(tmp_path: Path) -> None:
    log = tmp_path / "access.log"
    with endpoint("--metrics", "--access-log", str(log)) as running:
        for _ in range(5):
            running.call("PutItem", PUT)
        page = parse_metrics(running.get("/metrics"))
        running.stop()
    lines = [json.decode(line) for line in log.read_bytes().splitlines()]
    written = page["singletable_consumed_write_units_total"].samples.values()
    assert sum(line["write_units"] for line in lines) == sum(written)
    assert page["singletable_connections_total"].value() == len(lines) == 7
    operations = page["singletable_operations_total"]
    assert operations.value(operation="PutItem", outcome="ok") == 5


def test_metrics_are_off_by_default() -> None:
    with endpoint() as running:
        assert running.get("/metrics") == "<UnknownOperationException/>\n"


LIMIT = 16 * 1024 * 1024


@pytest.fixture(scope="module")
def shared_endpoint() -> Iterator[Endpoint]:
    with endpoint() as running:
        yield running


@pytest.fixture
def client(shared_endpoint: Endpoint) -> Iterator[HTTPConnection]:
    connection = shared_endpoint.connect()
    yield connection
    connection.close()


def test_connection_is_reused_for_several_requests(client: HTTPConnection) -> None:
    client.connect()
    kept = client.sock
    for _ in range(3):
        response = send(client, "ListTables", b"{}")
        assert json.decode(response.read()) == {"TableNames": ["votes"]}
        assert client.sock is kept
        date = response.getheader("date")
        assert date is not None
        assert parsedate_to_datetime(date).tzinfo is not None


# A body where none is expected would be taken for the next response.
@pytest.mark.parametrize(("method", "status"), [("HEAD", 200), ("OPTIONS", 404), ("GET", 200)])
def test_connection_works_after_request_of_any_method(
    client: HTTPConnection, method: str, status: int
) -> None:
    client.request(method, "/")
    response = client.getresponse()
    response.read()
    assert response.status == status
    assert send(client, "ListTables", b"{}").status == 200


def test_body_may_have_sixteen_megabytes(shared_endpoint: Endpoint) -> None:
    largest = b"{}".ljust(LIMIT)
    for body, status in ((largest, 200), (largest + b" ", 413)):
        client = shared_endpoint.connect()
        assert send(client, "ListTables", body).status == status
        client.close()


def test_too_large_headers_are_rejected(client: HTTPConnection) -> None:
    assert send(client, "ListTables", b"{}", x_large="x" * 70_000).status == 431


def test_faults_header_is_off_by_default(client: HTTPConnection) -> None:
    response = send(client, "ListTables", b"{}", x_singletable_faults="latency=1s")
    assert response.status == 400
    assert b"--faults header" in response.read()


def test_large_item_is_written_and_read_compressed(client: HTTPConnection) -> None:
    item = {**BALLOT, "text": {"S": "tea " * 90_000}}
    body = gzip.compress(json.encode({"TableName": "votes", "Item": item}))
    put = send(client, "PutItem", body, content_encoding="gzip")
    assert (put.status, put.read()) == (200, b"{}")
    wanted = json.encode({"TableName": "votes", "Key": KEY})
    got = send(client, "GetItem", wanted, accept_encoding="gzip")
    compressed = got.read()
    assert got.getheader("x-amz-crc32") == str(crc32(compressed))
    assert json.decode(gzip.decompress(compressed)) == {"Item": item}


def test_expect_100_continue_is_acknowledged_before_the_body(shared_endpoint: Endpoint) -> None:
    head = (
        f"POST / HTTP/1.1\r\nContent-Type: {CONTENT_TYPE}\r\nContent-Length: 2\r\n"
        "X-Amz-Target: DynamoDB_20120810.ListTables\r\nExpect: 100-continue\r\n\r\n"
    )
    with socket.create_connection((shared_endpoint.host, shared_endpoint.port)) as client:
        client.sendall(head.encode())
        assert client.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.sendall(b"{}")
        assert client.recv(100).startswith(b"HTTP/1.1 200 OK\r\n")
