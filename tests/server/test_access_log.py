"""The access log: a line for each request, off the way of the request, and none of its contents."""

from __future__ import annotations

import os
import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from msgspec import json

from singletable.errors import AddressError
from singletable.server import AccessLog, Metrics, Observer
from singletable.server.observe.line import line_of_refusal
from tests.server.asking import BALLOT, KEY, desk, get
from tests.server.prometheus import read_page

LINE = line_of_refusal("192.0.2.1", 413, 0.0)


def lines_of(path: Path) -> list[dict[str, Any]]:
    return [json.decode(line) for line in path.read_bytes().splitlines()]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "access.log"


def logged(path: Path, operation: str, body: object, **headers: str) -> dict[str, Any]:
    """The line of a request to the table `votes`."""
    with AccessLog(str(path)) as log, desk(Observer(log=log)) as asked:
        asked.ask(operation, body, **headers)
    return lines_of(path)[-1]


def test_a_line_says_who_asked_what_and_how_it_went(path: Path) -> None:
    with (
        AccessLog(str(path), clock=lambda: 1700000000.25) as log,
        desk(Observer(log=log)) as asked,
    ):
        asked.app.new_id = lambda: "ID"
        body = json.encode({"TableName": "votes", "Key": KEY})
        response = asked.ask("GetItem", body, user_agent="Boto3/1.44")
    line = lines_of(path)[-1]
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
        "refusal",
        "no JSON",
        "no operation",
        "no table",
        "write",
        "index",
        "by ARN",
        "tags",
        "long name",
        "batch",
        "many tables",
        "reading transaction",
        "writing transaction",
    ],
)
def test_a_line_names_tables_indexes_and_errors(
    path: Path, operation: str, body: object, expected: dict[str, object]
) -> None:
    line = logged(path, operation, body)
    assert {name: line[name] for name in expected} == expected


# Whoever reads the log may not be one who may read the table.
def test_nothing_of_an_item_or_a_secret_is_written(path: Path) -> None:
    secret = {"TableName": "votes", "Item": {**BALLOT, "choice": {"S": "SECRET"}}}
    key = {"TableName": "votes", "Key": {**KEY, "sk": {"S": "SECRET"}}}
    condition = {
        "ConditionExpression": "choice = :c",
        "ExpressionAttributeValues": {":c": {"S": "SECRET"}},
    }
    with AccessLog(str(path)) as log, desk(Observer(log=log)) as asked:
        asked.ask("PutItem", secret, authorization="SECRET", x_amz_security_token="SECRET")
        asked.ask("PutItem", {**secret, **condition})
        asked.ask("GetItem", key)
        asked.ask("GetItem", b'{"SECRET":', x_amz_target="SECRET")
        asked.answer(get("/?X-Amz-Signature=SECRET"))
    assert len(lines_of(path)) == 7
    assert "SECRET" not in path.read_text()


# An agent is whatever the client says it is.
def test_a_line_stays_a_line(path: Path) -> None:
    line = logged(path, "ListTables", {}, user_agent='"},\n{"forged": true}' + "x" * 1000)
    assert line["user_agent"].startswith('"},\n{"forged"')
    assert len(line["user_agent"]) == 256


def test_lines_are_appended_to_what_is_there(path: Path) -> None:
    for _ in range(2):
        with AccessLog(str(path)) as log:
            log.add(LINE)
    assert [line["status"] for line in lines_of(path)] == [413, 413]


# Whoever rotates logs moves the file away; what comes then goes into a new one.
def test_a_file_that_is_moved_away_is_begun_anew(path: Path) -> None:
    old = path.with_suffix(".1")
    with AccessLog(str(path)) as log:
        path.rename(old)
        log.add(LINE)
    assert len(lines_of(path)) == 1
    assert lines_of(old) == []


def test_what_waits_is_written_when_the_log_is_closed(path: Path) -> None:
    with AccessLog(str(path), every=3600) as log:
        for _ in range(1000):
            log.add(LINE)
        assert path.read_bytes() == b""
    assert len(lines_of(path)) == log.written == 1000


# A disk that does not keep up must not fill the memory; the log says what it lacks.
def test_lines_that_are_too_many_are_dropped_and_counted(path: Path) -> None:
    with AccessLog(str(path), most_waiting=3, every=3600) as log:
        for _ in range(10):
            log.add(LINE)
    *written, gap = lines_of(path)
    assert len(written) == log.written == 3
    assert gap["dropped"] == log.dropped == 7
    assert datetime.fromisoformat(gap["time"]) <= datetime.now(UTC)


# A full disk is such a one; the endpoint goes on.
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_lines_that_cannot_be_written_are_counted(caplog: pytest.LogCaptureFixture) -> None:
    with AccessLog("/dev/full") as log:
        log.add(LINE)
        log.add(LINE)
    assert (log.written, log.dropped) == (0, 2)
    assert "cannot be written" in caplog.text


# A reader that has gone to sleep holds up neither requests nor the end.
def test_a_reader_that_does_not_read_is_not_waited_for(path: Path) -> None:
    os.mkfifo(path)
    reader = threading.Thread(target=lambda: readers.append(os.open(path, os.O_RDONLY)))
    readers: list[int] = []
    reader.start()
    log = AccessLog(str(path), most_waiting=100_000, every=0)
    reader.join()
    for _ in range(100_000):
        log.add(LINE)
    log.close(patience=0)
    assert log.written < 100_000
    os.close(readers[0])
    log.close()


@pytest.mark.parametrize("name", [".", "nowhere/access.log"])
def test_a_file_that_cannot_be_written_is_refused(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AddressError) as refused:
        AccessLog(name)
    assert f"'{name}'" in str(refused.value)


def test_metrics_tell_of_the_log(path: Path) -> None:
    with (
        AccessLog(str(path), most_waiting=1, every=3600) as log,
        desk(Observer(Metrics(), log)) as asked,
    ):
        page = read_page(asked.answer(get("/metrics")).body.decode())
    assert page["singletable_access_log_lines_total"].value(state="dropped") == 1
