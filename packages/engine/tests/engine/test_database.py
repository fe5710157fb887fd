"""The database: reads, writes, closing, and files that it rejects."""

from __future__ import annotations

import multiprocessing
import os
import sqlite3
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from dynamodb_engine import DescribeTable, Engine, EngineClosed, Settings, StorageError
from dynamodb_engine.engine.storage import Database, Execute
from tools.testing.processes import count, put, with_table


@pytest.fixture(params=["memory", "file"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    opened = Database(None if request.param == "memory" else tmp_path / "rows.db")

    def create_notes(execute: Execute) -> None:
        execute("CREATE TABLE notes (text TEXT)")

    opened.write(create_notes)
    yield opened
    opened.close()


@pytest.fixture
def frequent_thread_switches() -> Iterator[None]:
    """Let Python switch between threads often, so that races are likely."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    yield
    sys.setswitchinterval(interval)


def add(database: Database, text: str) -> str:
    def work(execute: Execute) -> str:
        execute("INSERT INTO notes VALUES (?)", (text,))
        return text

    return database.write(work)


def notes(database: Database) -> list[object]:
    return database.read(lambda execute: [text for (text,) in execute("SELECT * FROM notes")])


def test_write_returns_the_result_of_its_work(database: Database) -> None:
    assert add(database, "one") == "one"
    assert notes(database) == ["one"]


def test_work_that_raises_changes_nothing(database: Database) -> None:
    def fail(execute: Execute) -> None:
        execute("INSERT INTO notes VALUES ('half')")
        raise LookupError("no")

    with pytest.raises(LookupError):
        database.write(fail)
    assert notes(database) == []


# While one writer works, the others are queued; all of them share the next commit, and a failure
# among them does not affect the others.
def test_queued_writers_share_a_commit(database: Database) -> None:
    began, go_on = threading.Event(), threading.Event()
    commits: list[None] = []

    class Listener:
        def snapshot(self) -> object:
            return None

        def restore(self, snapshot: object) -> None:
            return None

        def commit(self) -> None:
            commits.append(None)

    def slow(execute: Execute) -> None:
        began.set()
        assert go_on.wait(10)

    def fail(execute: Execute) -> None:
        execute("INSERT INTO notes VALUES ('rejected')")
        raise LookupError("rejected")

    database.set_listener(Listener())
    errors: list[LookupError] = []

    def write_failing() -> None:
        try:
            database.write(fail)
        except LookupError as error:
            errors.append(error)

    first = threading.Thread(target=database.write, args=(slow,))
    first.start()
    assert began.wait(10)
    others = [threading.Thread(target=add, args=(database, str(n))) for n in range(5)]
    others.append(threading.Thread(target=write_failing))
    for thread in others:
        thread.start()
    while database.pending_writes < len(others):
        pass
    go_on.set()
    for thread in [first, *others]:
        thread.join(10)
    assert sorted(map(str, notes(database))) == ["0", "1", "2", "3", "4"]
    assert len(errors) == 1
    # The slow writer's group includes the writes that came while it worked; at most one follows.
    assert len(commits) <= 2


def test_many_threads_write_and_read_at_once(database: Database) -> None:
    def work(number: int) -> None:
        for turn in range(20):
            add(database, f"{number}-{turn}")
            notes(database)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert len(notes(database)) == 160


# A reader may look up a table that is dropped before it reads the file. SQLite then reports a
# missing table or, if the schema changes again meanwhile, a schema change. Without a concurrent
# writer the second attempt is consistent.
@pytest.mark.parametrize("error", [apsw.SQLError, apsw.SchemaChangeError])
def test_read_is_retried_without_writers_after_a_schema_change(
    tmp_path: Path, error: type[apsw.Error]
) -> None:
    with closing(Database(tmp_path / "rows.db")) as database:
        attempts: list[bool] = []

        def work(execute: Execute) -> str:
            attempts.append(database._writer._lock.locked())
            if len(attempts) == 1:
                raise error
            return "read"

        assert database.read(work) == "read"
        assert attempts == [False, True]
        assert not database._writer._lock.locked()


@pytest.mark.parametrize("error", [apsw.SQLError, apsw.SchemaChangeError])
def test_read_that_fails_twice_raises_storage_error(
    tmp_path: Path, error: type[apsw.Error]
) -> None:
    with closing(Database(tmp_path / "rows.db")) as database:
        attempts: list[None] = []

        def fail(execute: Execute) -> None:
            attempts.append(None)
            raise error("no such table: items_1")

        with pytest.raises(StorageError) as raised:
            database.read(fail)
        assert isinstance(raised.value.__cause__, error)
        assert len(attempts) == 2
        database.write(lambda execute: list(execute("CREATE TABLE notes (text TEXT)")))
        assert notes(database) == []


def test_closed_database_raises_engine_closed(database: Database) -> None:
    database.close()
    database.close()
    with pytest.raises(EngineClosed, match=r"Open it again"):
        notes(database)
    with pytest.raises(EngineClosed):
        add(database, "late")


@pytest.mark.usefixtures("frequent_thread_switches")
@pytest.mark.parametrize("attempt", range(6))
def test_closing_fails_concurrent_readers_and_writers_with_engine_closed(
    tmp_path: Path, attempt: int
) -> None:
    path = tmp_path / "things.db"
    engine = with_table(Engine.on_file(path, Settings(durable=False)))
    put(engine, *map(str, range(200)))
    acknowledged: list[str] = []
    unexpected: list[BaseException] = []

    def work(number: int) -> None:
        try:
            for turn in range(1_000_000):
                if number % 2:
                    put(engine, f"{number}-{turn}")
                    acknowledged.append(f"{number}-{turn}")
                else:
                    count(engine)
        except EngineClosed:
            return
        except BaseException as error:
            unexpected.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    while len(acknowledged) < 20:
        time.sleep(0.001)
    engine.close()
    for thread in threads:
        thread.join(10)
    assert unexpected == []
    assert not any(thread.is_alive() for thread in threads)
    with Engine.on_file(path) as reopened:
        table = reopened.execute(DescribeTable("things")).table
        assert table.item_count == 200 + len(acknowledged)


def test_committed_writes_are_there_after_reopening(tmp_path: Path) -> None:
    path = tmp_path / "kept.db"
    first = Database(path)
    first.write(lambda execute: list(execute("CREATE TABLE notes (text TEXT)")))
    add(first, "kept")
    first.close()
    second = Database(path)
    assert notes(second) == ["kept"]
    second.close()


def test_file_open_in_another_engine_is_rejected(tmp_path: Path) -> None:
    first = Database(tmp_path / "one.db")
    with pytest.raises(StorageError, match="open in another engine"):
        Database(tmp_path / "one.db")
    first.close()
    Database(tmp_path / "one.db").close()


def test_database_of_another_program_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE theirs (x)")
    with pytest.raises(StorageError, match="another program"):
        Database(path)


def test_file_that_is_not_a_database_is_rejected_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear Ada, " * 200)
    for _ in range(2):  # the first error releases the file
        with pytest.raises(StorageError, match="cannot be used as a database"):
            Database(path)
    assert path.read_text().startswith("Dear Ada")


def test_unusable_path_is_rejected_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="is a directory"):
        Database(tmp_path)
    with pytest.raises(StorageError, match="does not exist"):
        Database(tmp_path / "missing" / "x.db")


def test_later_format_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "future.db"
    Database(path).close()
    with closing(apsw.Connection(str(path))) as file:
        file.execute("PRAGMA user_version = 99")
    with pytest.raises(StorageError, match="format 99"):
        Database(path)


def _read_in_child(database: Database, messages: multiprocessing.SimpleQueue[str]) -> None:
    try:
        notes(database)
    except StorageError as error:
        messages.put(str(error))
    os._exit(0)


# SQLite's locks and connections do not survive a fork.
def test_use_after_a_fork_is_rejected(database: Database) -> None:
    context = multiprocessing.get_context("fork")
    messages: multiprocessing.SimpleQueue[str] = context.SimpleQueue()
    child = context.Process(target=_read_in_child, args=(database, messages))
    child.start()
    child.join(10)
    assert "forked" in messages.get()
