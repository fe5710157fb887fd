"""When the disk refuses, nothing is acknowledged, and the engine goes on when it is well again."""

from __future__ import annotations

import random
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import cast

import apsw
import pytest

from singletable import (
    AttributeDefinition,
    BatchWriteItem,
    CreateTable,
    Engine,
    GetItem,
    KeySchemaElement,
    ListTables,
    PutItem,
    PutRequest,
    Scan,
    Settings,
    StorageError,
    WriteRequest,
)
from singletable.engine.storage import Database, Execute
from tests.engine.failing_disk import FailingDisk, Trouble
from tests.engine.other_process import count, make, put, refusal, told


@pytest.fixture(params=["full", "broken", "unsynced"])
def disk(request: pytest.FixtureRequest) -> Iterator[FailingDisk]:
    disk = FailingDisk("failing", cast(Trouble, request.param))
    yield disk
    disk.unregister()


def opened(path: Path, disk: FailingDisk) -> Engine:
    return Engine(Database(path, vfs=disk.name), Settings())


def another(name: str) -> CreateTable:
    return CreateTable(
        name,
        [AttributeDefinition("pk", "S")],
        [KeySchemaElement("pk", "HASH")],
        billing_mode="PAY_PER_REQUEST",
    )


def names(engine: Engine) -> set[str]:
    found: set[str] = set()
    page = engine.execute(Scan("things"))
    while True:
        found |= {item["pk"]["S"] for item in page.items or ()}
        if page.last_evaluated_key is None:
            return found
        page = engine.execute(Scan("things", exclusive_start_key=page.last_evaluated_key))


def large(number: int) -> WriteRequest:
    return WriteRequest(
        put_request=PutRequest({"pk": {"S": f"large-{number}"}, "text": {"S": "x" * 300_000}})
    )


# 25 large items do not fit into SQLite's memory, so the disk is met in the middle of the request.
@pytest.mark.parametrize("left", [0, 1, 2, 3, 7, 100, 600, 1200, 1800])
def test_nothing_of_a_refused_write_is_kept(tmp_path: Path, disk: FailingDisk, left: int) -> None:
    path = tmp_path / "things.db"
    with make(opened(path, disk)) as engine:
        put(engine, "kept")
        acknowledged = {"kept"}
        disk.left = left if disk.trouble != "unsynced" else 0
        try:
            engine.execute(BatchWriteItem({"things": [large(n) for n in range(25)]}))
            acknowledged |= {f"large-{n}" for n in range(25)}
        except StorageError:
            pass
        disk.left = None
        assert names(engine) == acknowledged
        put(engine, "later")
        assert names(engine) == acknowledged | {"later"}
    with Engine.on_file(path) as engine:
        assert names(engine) == acknowledged | {"later"}


# A table that could not be made must be gone from memory too, or its first item would be lost.
@pytest.mark.parametrize("left", range(6))
def test_memory_and_file_agree_on_what_tables_there_are(
    tmp_path: Path, disk: FailingDisk, left: int
) -> None:
    path = tmp_path / "things.db"
    tables = {"things"}
    with make(opened(path, disk)) as engine:
        disk.left = left
        try:
            engine.execute(another("others"))
            tables.add("others")
        except StorageError:
            pass
        disk.left = None
        assert set(engine.execute(ListTables()).table_names) == tables
        if "others" not in tables:
            engine.execute(another("others"))
        engine.execute(PutItem("others", {"pk": {"S": "a"}}))
    with Engine.on_file(path) as engine:
        assert engine.execute(GetItem("others", {"pk": {"S": "a"}})).item is not None


# Those who share a commit share its failure: none of them may believe that its write is kept.
def test_all_who_share_a_failed_commit_are_told(tmp_path: Path, disk: FailingDisk) -> None:
    database = Database(tmp_path / "notes.db", vfs=disk.name)
    database.write(lambda execute: list(execute("CREATE TABLE notes (text TEXT)")))
    began, go_on = threading.Event(), threading.Event()
    heard: list[str] = []

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
            heard.append("kept")
        except StorageError:
            heard.append("refused")

    threads = [threading.Thread(target=write, args=(slow,))]
    threads[0].start()
    assert began.wait(10)
    threads += [threading.Thread(target=write) for _ in range(6)]
    for thread in threads[1:]:
        thread.start()
    while database.pending_writes < 6:
        pass
    disk.left = 0
    go_on.set()
    for thread in threads:
        thread.join(10)
    disk.left = None
    kept = database.read(lambda execute: list(execute("SELECT count(*) FROM notes")))
    assert kept == [(0,)]
    assert heard == ["refused"] * 7
    assert database.write(lambda execute: list(execute("SELECT count(*) FROM notes"))) == [(0,)]
    database.close()


# Nothing that was refused may be carried out afterwards, with the next one's turn.
def test_a_write_that_could_not_begin_is_not_made_up_for(tmp_path: Path) -> None:
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


@pytest.mark.parametrize("left", range(8))
def test_a_file_that_could_not_be_made_can_be_made_later(
    tmp_path: Path, disk: FailingDisk, left: int
) -> None:
    path = tmp_path / "things.db"
    disk.left = left
    with suppress(StorageError):
        engine = opened(path, disk)
        disk.left = None
        engine.close()
    disk.left = None
    with make(Engine.on_file(path)) as engine:
        put(engine, "a")
        assert count(engine) == 1


# The system itself refuses here, wherever SQLite writes: into the log, or from it into the file.
def test_a_limit_of_the_system_is_borne(tmp_path: Path) -> None:
    path = tmp_path / "things.db"
    script = """
import resource, random
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
chance = random.Random(5)
e = make(Engine.on_file(path))
kept = refused = 0
for turn in range(120):
    room = resource.RLIM_INFINITY if turn % 2 else chance.randrange(1, 6_000_000)
    resource.setrlimit(resource.RLIMIT_FSIZE, (room, resource.RLIM_INFINITY))
    for n in range(8):
        item = {'pk': {'S': f'{turn}-{n}'}, 'text': {'S': 'x' * chance.randrange(90_000)}}
        try:
            e.execute(PutItem('things', item))
            kept += 1
        except StorageError:
            refused += 1
found = e.execute(DescribeTable('things')).table.item_count
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
print(kept, refused, found, flush=True)
os._exit(0)
"""
    kept, refused, found = map(int, told(script, path).split())
    assert refused > 10
    assert kept > 400
    assert found == kept
    with Engine.on_file(path) as engine:
        assert len(names(engine)) == kept
    with closing(sqlite3.connect(path)) as other:
        assert other.execute("PRAGMA integrity_check").fetchone() == ("ok",)


@pytest.mark.parametrize("place", [0, 5, 16, 18, 28, 44, 56, 68, 100, 103, 105])
def test_a_damaged_header_is_refused_or_read_and_never_changed(tmp_path: Path, place: int) -> None:
    path = tmp_path / "things.db"
    with make(Engine.on_file(path)) as engine:
        put(engine, "a")
    damaged = bytearray(path.read_bytes())
    damaged[place] ^= 0xFF
    path.write_bytes(damaged)
    said = refusal(path)
    if said:
        assert str(path) in said or "The file" in said or "database" in said
        assert path.read_bytes() == damaged
    else:
        with Engine.on_file(path) as engine:
            assert count(engine) == 1


# Whatever is flipped, what comes is an item as it was, a refusal of ours, or text that is no item.
def test_damage_anywhere_is_told_as_ours(tmp_path: Path) -> None:
    path = tmp_path / "things.db"
    with make(Engine.on_file(path)) as engine:
        put(engine, *map(str, range(200)))
    sound = path.read_bytes()
    chance = random.Random(7)
    refused = 0
    for _ in range(120):
        damaged = bytearray(sound)
        page = chance.randrange(len(sound) // 512) * 512
        for place in range(page, page + 100):
            damaged[place] = chance.randrange(256)
        path.write_bytes(damaged)
        try:
            with Engine.on_file(path) as engine:
                engine.execute(Scan("things", filter_expression="attribute_exists(pk)"))
                put(engine, "new")
        except StorageError:
            refused += 1
    assert refused > 20  # the rest hit what is empty, or what nothing here reads
