"""Records for Kinesis streaming destinations, in files."""

from __future__ import annotations

import logging
import os
import signal
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from msgspec import json

import dynamodb_engine
from dynamodb_engine import operations as ops
from dynamodb_engine.engine import Engine, Retention, Settings, kinesis_sink
from dynamodb_engine.engine.change_feed import BLOCK
from dynamodb_engine.engine.storage import Execute
from dynamodb_engine.errors import AddressError, StorageError, ValidationError
from dynamodb_engine.values import Item
from tests.conformance.table_requests import on_demand
from tests.conformance.tables import put
from tests.conformance.test_kinesis_destinations import ARN, MICROS, OTHER
from tests.conformance.transaction_actions import key
from tools.testing.clock import Clock
from tools.testing.processes import run_forked

TABLE = on_demand(table_name="things")
ENABLE = ops.EnableKinesisStreamingDestination("things", ARN)
DISABLE = ops.DisableKinesisStreamingDestination("things", ARN)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder that does not exist yet."""
    return tmp_path / "kinesis"


def open_engine(folder: Path, **settings: Any) -> Engine:
    """Open the engine on a file beside the folder of the records."""
    path = folder.with_name("tables.db")
    return Engine.on_file(path, Settings(kinesis_folder=folder, durable=False, **settings))


def write(engine: Engine, *names: str) -> None:
    put(engine, "things", *map(key, names))


def records(folder: Path, stream: str = "votes") -> list[dict[str, Any]]:
    path = folder / f"{stream}.jsonl"
    return [json.decode(line) for line in path.read_bytes().splitlines()] if path.exists() else []


def names(found: Iterable[dict[str, Any]]) -> list[str]:
    return [record["dynamodb"]["Keys"]["pk"]["S"] for record in found]


# The members, and their order, of records that AWS put on a Kinesis stream.
def test_records_have_the_format_of_aws(folder: Path) -> None:
    clock = Clock(1_750_000_000.123456)
    ttl = ops.TimeToLiveSpecification(True, "ttl")
    first: Item = {**key("a"), "n": {"N": "84.84"}}
    expired: Item = {**key("a"), "ttl": {"N": "1749990000"}}
    with Engine.in_memory(Settings(clock=clock, kinesis_folder=folder)) as engine:
        engine.execute(TABLE)
        engine.execute(ops.UpdateTimeToLive("things", ttl))
        engine.execute(ENABLE)
        put(engine, "things", first, expired)
        engine.execute(ops.SweepExpired("things"))
        engine.execute(DISABLE)
        other = ops.EnableKinesisStreamingDestination("things", OTHER, MICROS)
        engine.execute(other)
        write(engine, "b")
    insert, modify, remove = records(folder)
    assert len(insert.pop("eventID")) == 36
    assert insert == {
        "awsRegion": "us-east-1",
        "eventName": "INSERT",
        "userIdentity": None,
        "recordFormat": "application/json",
        "tableName": "things",
        "dynamodb": {
            "ApproximateCreationDateTime": 1_750_000_000_123,
            "Keys": key("a"),
            "NewImage": first,
            "SizeBytes": 10,
        },
        "eventSource": "aws:dynamodb",
    }
    assert modify["dynamodb"].keys() >= {"NewImage", "OldImage"}
    assert (remove["eventName"], "NewImage" in remove["dynamodb"]) == ("REMOVE", False)
    assert remove["userIdentity"] == {"principalId": "dynamodb.amazonaws.com", "type": "Service"}
    (precise,) = (record["dynamodb"] for record in records(folder, "counts"))
    assert precise["ApproximateCreationDateTime"] == 1_750_000_000_123_456
    assert precise["ApproximateCreationDateTimePrecision"] == "MICROSECOND"


# More changes than a page has, other tables, and several generations of destination and table.
def test_destination_gets_the_changes_while_it_is_enabled(folder: Path) -> None:
    many = [f"{number:03}" for number in range(250)]
    with open_engine(folder) as engine:
        for request in (TABLE, on_demand(table_name="other")):
            engine.execute(request)
        write(engine, "before")
        engine.execute(ENABLE)
        write(engine, *many)
        put(engine, "other", key("not this"))
        engine.execute(DISABLE)
        write(engine, "between")
        engine.execute(ENABLE)
        write(engine, "again")
        engine.execute(ops.DeleteTable("things"))
        engine.execute(TABLE)
        write(engine, "another table")
        engine.execute(ENABLE)
        write(engine, "last")
    assert names(records(folder)) == [*many, "again", "last"]


# The sink looks at the destinations in memory and then at the changes in the database.
def test_destination_that_is_disabled_meanwhile_gets_no_later_change(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kinesis_sink, "INTERVAL", 3600)
    with open_engine(folder) as engine:
        engine.execute(TABLE)
        engine.execute(ENABLE)
        write(engine, "a")
        sink = engine._sink
        assert sink is not None
        read = sink._read

        def disable_and_read(work: Callable[[Execute], kinesis_sink.Page]) -> kinesis_sink.Page:
            sink._read = read
            engine.execute(DISABLE)
            write(engine, "later")
            return read(work)

        sink._read = disable_and_read
        sink.deliver()
        assert names(records(folder)) == ["a"]


def test_without_a_folder_nothing_is_delivered_until_there_is_one(folder: Path) -> None:
    with Engine.on_file(folder.with_name("tables.db"), Settings(durable=False)) as engine:
        engine.execute(TABLE)
        engine.execute(ENABLE)
        write(engine, "a")
    assert not folder.exists()
    with open_engine(folder) as engine, engine.copy() as copy:
        write(copy, "not from a copy")
    assert names(records(folder)) == ["a"]


# Settings.retention would keep a single change.
def test_feed_keeps_changes_for_a_destination(folder: Path) -> None:
    folder.write_text("")  # not a folder, so nothing can be delivered
    settings = {"retention": Retention(records=1)}
    path = folder.with_name("tables.db")
    with pytest.raises(StorageError, match="kinesis"):
        open_engine(folder, **settings)
    folder.unlink()
    with open_engine(folder, **settings) as engine:
        engine.execute(TABLE)
        engine.execute(ENABLE)
        folder.rmdir()  # as if the disk were gone for a while
        many = [f"{number:03}" for number in range(3 * BLOCK)]
        write(engine, *many)
        folder.mkdir()
    assert path.exists()
    assert names(records(folder)) == many


def deliver(engine: Engine) -> None:
    """Have everything delivered, which enabling does first."""
    with pytest.raises(ValidationError):
        engine.execute(ENABLE)


def be_killed(*_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def deliver_and_be_killed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Kill this process when it has appended records, before their position is stored."""
    engine = open_engine(folder)
    engine.execute(TABLE)
    engine.execute(ENABLE)
    write(engine, "a", "b")
    deliver(engine)
    write(engine, "c", "d")
    monkeypatch.setattr(Path, "replace", be_killed)
    deliver(engine)
    return "survived"


@pytest.mark.parametrize("tail", [b"", b'{"awsRegion":"us-'])
def test_killed_process_delivers_again_what_it_may_not_have_delivered(
    folder: Path, tail: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kinesis_sink, "INTERVAL", 60)
    assert run_forked(lambda: deliver_and_be_killed(folder, monkeypatch)) == ""
    assert names(records(folder)) == ["a", "b", "c", "d"]
    with (folder / "votes.jsonl").open("ab") as file:
        file.write(tail)  # as if it had been killed during a write
    with open_engine(folder) as engine:
        write(engine, "e")
    found = records(folder)
    assert names(found) == ["a", "b", "c", "d", "c", "d", "e"]
    ids = [record["eventID"] for record in found]
    assert ids[2:4] == ids[4:6]
    assert len(set(ids)) == 5


@pytest.mark.parametrize("position", ["", "99"])
def test_positions_that_do_not_fit_the_file(folder: Path, position: str) -> None:
    with open_engine(folder) as engine:
        engine.execute(TABLE)
        engine.execute(ENABLE)
        write(engine, "a")
    (path,) = folder.glob("*.position")
    path.write_text(position)
    with open_engine(folder) as engine:
        write(engine, "b")
    assert names(records(folder)) == (["a", "b"] if position else ["a", "a", "b"])


def test_problem_is_logged_once(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    with open_engine(folder) as engine, caplog.at_level(logging.WARNING):
        engine.execute(TABLE)
        engine.execute(ENABLE)
        (folder / "votes.jsonl").mkdir()
        write(engine, "a")
        for _ in range(2):
            deliver(engine)
    assert len(caplog.records) == 1
    assert "could not be delivered" in caplog.text


@pytest.mark.parametrize("scheme", ["postgresql", "mysql"])
def test_sql_servers_deliver_nothing(folder: Path, scheme: str) -> None:
    with pytest.raises(AddressError, match="--kinesis-folder"):
        dynamodb_engine.open_engine(f"{scheme}://nowhere/votes", Settings(kinesis_folder=folder))


def test_folders_and_files_are_private_whatever_the_umask(folder: Path) -> None:
    before = os.umask(0o022)
    try:
        with Engine.in_memory(Settings(kinesis_folder=folder / "inner")) as engine:
            engine.execute(TABLE)
            engine.execute(ENABLE)
            write(engine, "a")
    finally:
        os.umask(before)
    modes = {path.stat().st_mode & 0o777 for path in folder.rglob("*.*")}
    assert (modes, folder.stat().st_mode & 0o777) == ({0o600}, 0o700)
    assert (folder / "inner").stat().st_mode & 0o777 == 0o700
