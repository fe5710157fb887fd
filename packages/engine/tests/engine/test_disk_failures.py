"""Disk failures: nothing is acknowledged that is lost, and the engine recovers with the disk."""

from __future__ import annotations

import errno
import random
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import cast

import apsw
import pytest

from drills.system_calls import Fault, replaced_system_calls
from dynamodb_engine import (
    BatchWriteItem,
    Engine,
    GetItem,
    ListTables,
    PutItem,
    PutRequest,
    Scan,
    Settings,
    StorageError,
    WriteRequest,
)
from dynamodb_engine.engine.storage import Database, Execute
from tests.engine.disks import FailingDisk, Failure
from tools.testing.processes import count, create_table, open_error, put, run_script, with_table


@pytest.fixture(params=["full", "broken", "unsynced"])
def disk(request: pytest.FixtureRequest) -> Iterator[FailingDisk]:
    disk = FailingDisk("failing", cast(Failure, request.param))
    yield disk
    disk.unregister()


def open_engine(path: Path, disk: FailingDisk) -> Engine:
    return Engine(Database(path, vfs=disk.name), Settings())


def keys(engine: Engine) -> set[str]:
    result: set[str] = set()
    page = engine.execute(Scan("things"))
    while True:
        result |= {item["pk"]["S"] for item in page.items or ()}
        if page.last_evaluated_key is None:
            return result
        page = engine.execute(Scan("things", exclusive_start_key=page.last_evaluated_key))


def large_item(number: int) -> WriteRequest:
    return WriteRequest(
        put_request=PutRequest({"pk": {"S": f"large-{number}"}, "text": {"S": "x" * 300_000}})
    )


# 25 large items do not fit into SQLite's cache, so the disk fails in the middle of the request.
@pytest.mark.parametrize("writes", [0, 1, 2, 3, 7, 100, 600, 1200, 1800])
def test_failed_write_leaves_nothing_behind(tmp_path: Path, disk: FailingDisk, writes: int) -> None:
    path = tmp_path / "things.db"
    with with_table(open_engine(path, disk)) as engine:
        put(engine, "kept")
        acknowledged = {"kept"}
        disk.remaining = writes if disk.failure != "unsynced" else 0
        try:
            engine.execute(BatchWriteItem({"things": [large_item(n) for n in range(25)]}))
            acknowledged |= {f"large-{n}" for n in range(25)}
        except StorageError:
            pass
        disk.remaining = None
        assert keys(engine) == acknowledged
        put(engine, "later")
        assert keys(engine) == acknowledged | {"later"}
    with Engine.on_file(path) as engine:
        assert keys(engine) == acknowledged | {"later"}


# A table that could not be created must not stay in memory, or its first item would be lost.
@pytest.mark.parametrize("writes", range(6))
def test_catalog_and_file_have_the_same_tables_after_a_failure(
    tmp_path: Path, disk: FailingDisk, writes: int
) -> None:
    path = tmp_path / "things.db"
    tables = {"things"}
    with with_table(open_engine(path, disk)) as engine:
        disk.remaining = writes
        try:
            engine.execute(create_table("others"))
            tables.add("others")
        except StorageError:
            pass
        disk.remaining = None
        assert set(engine.execute(ListTables()).table_names) == tables
        if "others" not in tables:
            engine.execute(create_table("others"))
        engine.execute(PutItem("others", {"pk": {"S": "a"}}))
    with Engine.on_file(path) as engine:
        assert engine.execute(GetItem("others", {"pk": {"S": "a"}})).item is not None


# Writers that share a commit share its failure: none may be acknowledged.
def test_failed_commit_fails_every_write_of_the_group(tmp_path: Path, disk: FailingDisk) -> None:
    database = Database(tmp_path / "notes.db", vfs=disk.name)
    database.write(lambda execute: list(execute("CREATE TABLE notes (text TEXT)")))
    began, go_on = threading.Event(), threading.Event()
    results: list[str] = []

    def slow(execute: Execute) -> None:
        began.set()
        assert go_on.wait(10)

    def write(work: object = None) -> None:
        try:
            database.write(
                slow
                if work is slow
                else lambda execute: list(execute("INSERT INTO notes VALUES (?)", ("x" * 500_000,)))
            )
            results.append("committed")
        except StorageError:
            results.append("failed")

    threads = [threading.Thread(target=write, args=(slow,))]
    threads[0].start()
    assert began.wait(10)
    threads += [threading.Thread(target=write) for _ in range(6)]
    for thread in threads[1:]:
        thread.start()
    while database.pending_writes < 6:
        pass
    disk.remaining = 0
    go_on.set()
    for thread in threads:
        thread.join(10)
    disk.remaining = None
    kept = database.read(lambda execute: list(execute("SELECT count(*) FROM notes")))
    assert kept == [(0,)]
    assert results == ["failed"] * 7
    assert database.write(lambda execute: list(execute("SELECT count(*) FROM notes"))) == [(0,)]
    database.close()


# A failed write must not run later, together with the next one.
def test_write_that_could_not_begin_is_not_run_later(tmp_path: Path) -> None:
    path = tmp_path / "notes.db"
    database = Database(path)
    database.write(lambda execute: list(execute("CREATE TABLE notes (text TEXT)")))
    database._connection.set_busy_timeout(10)
    with closing(apsw.Connection(str(path))) as other:
        other.execute("BEGIN IMMEDIATE")  # pyright: ignore[reportUnknownMemberType]
        with pytest.raises(StorageError, match="locked"):
            database.write(lambda execute: list(execute("INSERT INTO notes VALUES ('no')")))
        other.execute("ROLLBACK")  # pyright: ignore[reportUnknownMemberType]
    database.write(lambda execute: list(execute("INSERT INTO notes VALUES ('yes')")))
    assert database.read(lambda execute: list(execute("SELECT text FROM notes"))) == [("yes",)]
    database.close()


@pytest.mark.parametrize("writes", range(8))
def test_file_that_could_not_be_created_can_be_created_later(
    tmp_path: Path, disk: FailingDisk, writes: int
) -> None:
    path = tmp_path / "things.db"
    disk.remaining = writes
    with suppress(StorageError):
        engine = open_engine(path, disk)
        disk.remaining = None
        engine.close()
    disk.remaining = None
    with with_table(Engine.on_file(path)) as engine:
        put(engine, "a")
        assert count(engine) == 1


def test_disk_that_is_full_when_a_file_is_opened_is_named_as_the_cause(tmp_path: Path) -> None:
    with replaced_system_calls() as calls:
        calls.fault = Fault("pwrite", 1, errno.ENOSPC, permanent=True)
        assert open_error(tmp_path / "things.db").endswith("the disk works and has free space.")


# Here the operating system fails every kind of write: to the log, and from the log to the file.
def test_file_size_limit_of_the_system_fails_writes_safely(tmp_path: Path) -> None:
    path = tmp_path / "things.db"
    script = """
import resource, random
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
chance = random.Random(5)
e = with_table(Engine.on_file(path))
kept = failed = 0
for turn in range(120):
    room = resource.RLIM_INFINITY if turn % 2 else chance.randrange(1, 6_000_000)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
    for n in range(8):
        item = {'pk': {'S': f'{turn}-{n}'}, 'text': {'S': 'x' * chance.randrange(90_000)}}
        try:
            e.execute(PutItem('things', item))
            kept += 1
        except StorageError:
            failed += 1
stored = e.execute(DescribeTable('things')).table.item_count
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
print(kept, failed, stored, flush=True)
os._exit(0)
"""
    kept, failed, stored = map(int, run_script(script, path).split())
    assert failed > 10
    assert kept > 400
    assert stored == kept
    with Engine.on_file(path) as engine:
        assert len(keys(engine)) == kept
    with closing(sqlite3.connect(path)) as other:
        assert other.execute("PRAGMA integrity_check").fetchone() == ("ok",)


# SQLite opens a file that it cannot open to write only to read it, and says so at the first write.
def test_too_many_open_files_raise_storage_error(tmp_path: Path) -> None:
    script = """
import resource
with with_table(Engine.on_file(path)):
    pass
used, (_, most) = len(os.listdir('/proc/self/fd')), resource.getrlimit(resource.RLIMIT_NOFILE)
outcomes = []
for spare in range(8):
    resource.setrlimit(resource.RLIMIT_NOFILE, (used + spare, most))
    try:
        with Engine.on_file(path) as e:
            count(e)
            put(e, str(spare))
            outcomes.append('done')
    except StorageError:
        outcomes.append('refused')
print(*outcomes)
"""
    outcomes = run_script(script, tmp_path / "things.db").split()
    assert outcomes == sorted(outcomes, reverse=True)
    assert len(outcomes) == 8
    assert set(outcomes) == {"refused", "done"}


@pytest.mark.parametrize("position", [0, 5, 16, 18, 28, 44, 56, 68, 100, 103, 105])
def test_damaged_header_is_rejected_or_read_but_never_changed(
    tmp_path: Path, position: int
) -> None:
    path = tmp_path / "things.db"
    with with_table(Engine.on_file(path)) as engine:
        put(engine, "a")
    damaged = bytearray(path.read_bytes())
    damaged[position] ^= 0xFF
    path.write_bytes(damaged)
    message = open_error(path)
    if message:
        assert str(path) in message or "The file" in message or "database" in message
        assert path.read_bytes() == damaged
    else:
        with Engine.on_file(path) as engine:
            assert count(engine) == 1


# Whatever is damaged, reading returns an unchanged item or raises our error.
def test_damage_anywhere_raises_storage_error(tmp_path: Path) -> None:
    path = tmp_path / "things.db"
    with with_table(Engine.on_file(path)) as engine:
        put(engine, *map(str, range(200)))
    intact = path.read_bytes()
    chance = random.Random(7)
    failed = 0
    for _ in range(120):
        damaged = bytearray(intact)
        page = chance.randrange(len(intact) // 512) * 512
        for position in range(page, page + 100):
            damaged[position] = chance.randrange(256)
        path.write_bytes(damaged)
        try:
            with Engine.on_file(path) as engine:
                engine.execute(Scan("things", filter_expression="attribute_exists(pk)"))
                put(engine, "new")
        except StorageError:
            failed += 1
    assert failed > 20  # the rest hit free space, or pages that nothing here reads
