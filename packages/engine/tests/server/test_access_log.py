"""The access log has a line for each request, without its contents, and delays none."""

from __future__ import annotations

import os
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from msgspec import json

from dynamodb_engine.errors import AddressError
from dynamodb_engine.server import AccessLog, Metrics, Observer
from dynamodb_engine.server.observe import access_log
from dynamodb_engine.server.observe.access_log import rejection_entry
from tests.server.prometheus import parse_metrics
from tools.testing.app_client import BALLOT, KEY, app_client, get

ENTRY = rejection_entry("192.0.2.1", 413, 0.0)


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.decode(line) for line in path.read_bytes().splitlines()]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "access.log"


def logged(path: Path, operation: str, body: object, **headers: str) -> dict[str, Any]:
    """Return the log line of a request to the table `votes`."""
    with AccessLog(str(path)) as log, app_client(Observer(log=log)) as client:
        client.call(operation, body, **headers)
    return read_lines(path)[-1]


def test_line_describes_request_and_response(path: Path) -> None:
    with (
        AccessLog(str(path), clock=lambda: 1700000000.25) as log,
        app_client(Observer(log=log)) as client,
    ):
        client.app.new_id = lambda: "ID"
        body = json.encode({"TableName": "votes", "Key": KEY})
        response = client.call("GetItem", body, user_agent="Boto3/1.44")
    line = read_lines(path)[-1]
    assert line.pop("duration_ms") > 0
    assert line == {
        "time": "2023-11-14T22:13:20.250000Z",
        "request_id": "ID",
        "client": "127.0.0.1",
        "identity": None,
        "operation": "GetItem",
        "tables": ["votes"],
        "index": None,
        "status": 200,
        "error": None,
        "bytes_in": len(body),
        "bytes_out": len(response.body),
        "read_units": 0.5,
        "write_units": 0.0,
        "user_agent": "Boto3/1.44",
    }


ARN = "arn:aws:dynamodb:us-east-1:123456789012:table/votes"
ABROAD = ARN.replace("us-east-1", "eu-west-1")


@pytest.mark.parametrize(
    ("operation", "body", "expected"),
    [
        ("GetItem", {"TableName": "nowhere", "Key": KEY}, {"error": "ResourceNotFoundException"}),
        ("GetItem", b"nonsense", {"operation": None, "error": "SerializationException"}),
        ("Nonsense", {}, {"operation": None, "error": "UnknownOperationException"}),
        ("GetItem", {"Key": KEY}, {"tables": [], "error": "ValidationException"}),
        ("PutItem", {"TableName": "votes", "Item": BALLOT}, {"status": 200, "write_units": 1.0}),
        ("Scan", {"TableName": "votes", "IndexName": "by_voter"}, {"index": "by_voter"}),
        ("GetItem", {"TableName": ARN, "Key": KEY}, {"tables": ["votes"], "status": 200}),
        ("Scan", {"TableName": ABROAD}, {"tables": [ABROAD], "error": "ValidationException"}),
        ("ListTagsOfResource", {"ResourceArn": ARN}, {"tables": ["votes"], "status": 200}),
        ("DescribeTable", {"TableName": "x" * 1000}, {"tables": ["x" * 255]}),
        (
            "BatchGetItem",
            {"RequestItems": {"votes": {"Keys": [KEY]}, "nowhere": {"Keys": [KEY]}}},
            {"tables": ["votes", "nowhere"]},
        ),
        (
            "BatchGetItem",
            {"RequestItems": {f"table{n:03}": {"Keys": [KEY]} for n in range(500)}},
            {"tables": [f"table{n:03}" for n in range(25)]},
        ),
        (
            "TransactGetItems",
            {"TransactItems": [{"Get": {"TableName": "votes", "Key": KEY}}, {"Get": None}]},
            {"tables": ["votes"]},
        ),
        (
            "TransactWriteItems",
            {"TransactItems": [{"Delete": {"TableName": "votes", "Key": KEY}}, {}]},
            {"tables": ["votes"]},
        ),
    ],
    ids=[
        "error",
        "not JSON",
        "unknown operation",
        "no table",
        "write",
        "index",
        "by ARN",
        "by ARN from elsewhere",
        "tags",
        "long name",
        "batch",
        "many tables",
        "reading transaction",
        "writing transaction",
    ],
)
def test_line_names_tables_index_and_error(
    path: Path, operation: str, body: object, expected: dict[str, object]
) -> None:
    line = logged(path, operation, body)
    assert {name: line[name] for name in expected} == expected


# Who may read the log may not be allowed to read the table.
def test_log_contains_no_items_or_secrets(path: Path) -> None:
    secret = {"TableName": "votes", "Item": {**BALLOT, "choice": {"S": "SECRET"}}}
    key = {"TableName": "votes", "Key": {**KEY, "sk": {"S": "SECRET"}}}
    condition = {
        "ConditionExpression": "choice = :c",
        "ExpressionAttributeValues": {":c": {"S": "SECRET"}},
    }
    with AccessLog(str(path)) as log, app_client(Observer(log=log)) as client:
        client.call("PutItem", secret, authorization="SECRET", x_amz_security_token="SECRET")
        client.call("PutItem", {**secret, **condition})
        client.call("GetItem", key)
        client.call("GetItem", b'{"SECRET":', x_amz_target="SECRET")
        client.send(get("/?X-Amz-Signature=SECRET"))
    assert len(read_lines(path)) == 7
    assert "SECRET" not in path.read_text()


# The client controls its user agent.
def test_user_agent_is_escaped_and_shortened(path: Path) -> None:
    line = logged(path, "ListTables", {}, user_agent='"},\n{"forged": true}' + "x" * 1000)
    assert line["user_agent"].startswith('"},\n{"forged"')
    assert len(line["user_agent"]) == 256


def test_lines_are_appended_to_existing_file(path: Path) -> None:
    for _ in range(2):
        with AccessLog(str(path)) as log:
            log.add(ENTRY)
    assert [line["status"] for line in read_lines(path)] == [413, 413]


# Log rotation moves the file.
def test_moved_file_is_replaced_by_new_one(path: Path) -> None:
    old = path.with_suffix(".1")
    with AccessLog(str(path)) as log:
        path.rename(old)
        log.add(ENTRY)
    assert len(read_lines(path)) == 1
    assert read_lines(old) == []


def test_queued_lines_are_written_on_close(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access_log, "FLUSH_INTERVAL", 3600)
    with AccessLog(str(path)) as log:
        for _ in range(1000):
            log.add(ENTRY)
        assert path.read_bytes() == b""
    assert len(read_lines(path)) == log.written == 1000


# A slow disk must not fill the memory; the log says how many lines are missing.
def test_lines_beyond_queue_limit_are_dropped_and_counted(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(access_log, "MAX_QUEUED", 3)
    monkeypatch.setattr(access_log, "FLUSH_INTERVAL", 3600)
    with AccessLog(str(path)) as log:
        for _ in range(10):
            log.add(ENTRY)
    *written, gap = read_lines(path)
    assert len(written) == log.written == 3
    assert gap["dropped"] == log.dropped == 7
    assert datetime.fromisoformat(gap["time"]) <= datetime.now(UTC)


# A full disk does not stop the endpoint.
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_lines_that_cannot_be_written_count_as_dropped(caplog: pytest.LogCaptureFixture) -> None:
    with AccessLog("/dev/full") as log:
        log.add(ENTRY)
        log.add(ENTRY)
    assert (log.written, log.dropped) == (0, 2)
    assert [record.levelname for record in caplog.records] == ["WARNING"]


def test_blocked_reader_does_not_block_add_or_close(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(access_log, "MAX_QUEUED", 100_000)
    monkeypatch.setattr(access_log, "FLUSH_INTERVAL", 0)
    os.mkfifo(path)
    reader = threading.Thread(target=lambda: readers.append(os.open(path, os.O_RDONLY)))
    readers: list[int] = []
    reader.start()
    log = AccessLog(str(path))
    reader.join()
    for _ in range(100_000):
        log.add(ENTRY)
    log.close(timeout=0)
    assert log.written < 100_000
    os.close(readers[0])
    log.close()


@pytest.mark.parametrize("name", [".", "nowhere/access.log"])
def test_unwritable_file_raises_address_error(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AddressError) as raised:
        AccessLog(name)
    assert f"'{name}'" in str(raised.value)


def test_metrics_count_dropped_log_lines(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access_log, "MAX_QUEUED", 1)
    monkeypatch.setattr(access_log, "FLUSH_INTERVAL", 3600)
    with (
        AccessLog(str(path)) as log,
        app_client(Observer(Metrics(), log)) as client,
    ):
        page = parse_metrics(client.send(get("/metrics")).body.decode())
    assert page["singletable_access_log_lines_total"].value(state="dropped") == 1
