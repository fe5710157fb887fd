"""The writer: group commit from threads and event loops, closing, and interrupts (Ctrl-C)."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import pytest

from dynamodb_engine.engine.storage import Database, Execute
from dynamodb_engine.engine.storage.sqlite import writer
from dynamodb_engine.engine.storage.sqlite.connection import bind_execute
from dynamodb_engine.errors import EngineClosed
from tests.engine.disks import CountingDisk


class CommitCounter:
    """Counts the commits of a database."""

    def __init__(self, database: Database) -> None:
        self.count = 0
        database.set_listener(self)

    def snapshot(self) -> object:
        return None

    def restore(self, snapshot: object) -> None:
        return None

    def commit(self) -> None:
        self.count += 1


def create_notes(database: Database) -> Database:
    database.write(lambda execute: list(execute("CREATE TABLE notes (text TEXT)")))
    return database


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = create_notes(Database(tmp_path / "notes.db"))
    yield opened
    opened.close()


def note(execute: Execute) -> str:
    execute("INSERT INTO notes VALUES ('note')")
    return "noted"


def failing(execute: Execute) -> str:
    execute("INSERT INTO notes VALUES ('rejected')")
    raise LookupError("rejected")


def count(database: Database) -> object:
    return database.read(lambda execute: list(execute("SELECT count(*) FROM notes")))[0][0]


# Waiting for the disk is most of the cost of a write: a lone writer waits once, in a thread or on
# an event loop, and a write that fails does not wait at all.
def test_lone_writer_syncs_once_per_write(tmp_path: Path) -> None:
    disk = CountingDisk("counting")
    database = create_notes(Database(tmp_path / "notes.db", vfs=disk.name))
    before = disk.syncs
    for _ in range(20):
        database.write(note)
    assert disk.syncs - before == 20
    with pytest.raises(LookupError):
        database.write(failing)
    assert disk.syncs - before == 20

    async def on_loop() -> None:
        for _ in range(20):
            await database.write_async(note)

    asyncio.run(on_loop())
    assert disk.syncs - before == 40
    database.close()
    disk.unregister()


def test_without_durability_writes_do_not_sync(tmp_path: Path) -> None:
    disk = CountingDisk("counting")
    database = create_notes(Database(tmp_path / "notes.db", durable=False, vfs=disk.name))
    before = disk.syncs
    for _ in range(20):
        database.write(note)
    assert disk.syncs == before
    database.close()
    disk.unregister()


def test_concurrent_writes_on_an_event_loop_share_a_commit(database: Database) -> None:
    commits = CommitCounter(database)

    async def run() -> None:
        writes = [database.write_async(note) for _ in range(20)]
        writes.insert(7, database.write_async(failing))
        results = await asyncio.gather(*writes, return_exceptions=True)
        assert isinstance(results.pop(7), LookupError)
        assert results == ["noted"] * 20

    asyncio.run(run())
    assert commits.count == 1
    assert count(database) == 20


def test_failure_of_the_first_write_does_not_affect_the_next(database: Database) -> None:
    async def run() -> None:
        writes = [database.write_async(failing), database.write_async(note)]
        results = await asyncio.gather(*writes, return_exceptions=True)
        assert isinstance(results[0], LookupError)

    asyncio.run(run())
    assert count(database) == 1


def test_canceled_write_ends_before_its_task(database: Database) -> None:
    async def write() -> None:
        await database.write_async(note)

    async def run() -> None:
        blocked = BlockedWriter(database)
        task = asyncio.create_task(write())
        for _ in range(2):
            await asyncio.sleep(0)
            task.cancel()
        _, waiting = await asyncio.wait([task], timeout=0.01)
        assert waiting
        blocked.end()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert count(database) == 2

    asyncio.run(run())


class BlockedWriter:
    """A writer that stays inside its transaction until `end` is called."""

    def __init__(self, database: Database) -> None:
        self._began, self.go_on = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=database.write, args=(self._work,))
        self._thread.start()
        assert self._began.wait(10)

    def _work(self, execute: Execute) -> None:
        execute("INSERT INTO notes VALUES ('blocked')")
        self._began.set()
        assert self.go_on.wait(10)

    def end(self) -> None:
        self.go_on.set()
        self._thread.join(10)


def test_reader_does_not_wait_for_a_writer(database: Database) -> None:
    database.write(note)
    blocked = BlockedWriter(database)
    assert count(database) == 1
    assert not blocked.go_on.is_set()
    blocked.end()
    assert count(database) == 2


# The loop does not wait for the lock: the thread wakes it when it releases the lock.
def test_event_loop_is_not_blocked_while_a_thread_writes(database: Database) -> None:
    async def run() -> None:
        blocked = BlockedWriter(database)
        writes = [database.write_async(note) for _ in range(3)]
        for _ in range(10):
            await asyncio.sleep(0.001)
        assert not any(write.done() for write in writes)
        assert count(database) == 0
        blocked.end()
        assert await asyncio.wait_for(asyncio.gather(*writes), 10) == ["noted"] * 3

    asyncio.run(run())
    assert count(database) == 4


def test_threads_and_event_loops_write_concurrently(database: Database) -> None:
    async def on_loop() -> None:
        for _ in range(20):
            await asyncio.gather(*[database.write_async(note) for _ in range(5)])

    def in_thread() -> None:
        for _ in range(100):
            database.write(note)

    works = [in_thread, in_thread, lambda: asyncio.run(on_loop()), lambda: asyncio.run(on_loop())]
    threads = [threading.Thread(target=work) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert count(database) == 400


# A write queued before the close is committed or fails, and is never lost.
def test_closing_runs_pending_writes(tmp_path: Path) -> None:
    database = create_notes(Database(tmp_path / "notes.db"))

    async def run() -> None:
        writes = [database.write_async(note) for _ in range(3)]
        await asyncio.to_thread(database.close)
        assert await asyncio.wait_for(asyncio.gather(*writes), 10) == ["noted"] * 3
        with pytest.raises(EngineClosed):
            await database.write_async(note)

    asyncio.run(run())
    reopened = Database(tmp_path / "notes.db")
    assert count(reopened) == 3
    reopened.close()


# The committing thread has ended by then; the future must be resolved nevertheless.
def test_write_after_closing_raises_on_an_event_loop(tmp_path: Path) -> None:
    database = create_notes(Database(tmp_path / "notes.db"))

    async def run() -> None:
        await database.write_async(note)
        await asyncio.to_thread(database.close)
        for _ in range(2):
            with pytest.raises(EngineClosed):
                await asyncio.wait_for(database.write_async(note), 10)

    asyncio.run(run())


@pytest.mark.parametrize("storage", ["memory", "file"])
def test_closing_waits_for_requests_in_progress_and_fails_later_ones(
    tmp_path: Path, storage: str
) -> None:
    database = create_notes(Database(None if storage == "memory" else tmp_path / "notes.db"))
    started = threading.Barrier(9)
    noted: list[str] = []
    unexpected: list[BaseException] = []

    def work(number: int) -> None:
        started.wait()
        try:
            while True:
                if number % 2:
                    count(database)
                else:
                    noted.append(database.write(note))
        except EngineClosed:
            return
        except BaseException as error:
            unexpected.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    started.wait()
    while len(noted) < 20:
        pass
    database.close()
    for thread in threads:
        thread.join(30)
        assert not thread.is_alive()
    assert unexpected == []
    if storage == "file":
        reopened = Database(tmp_path / "notes.db")
        assert count(reopened) == len(noted)
        reopened.close()


def insert(text: str) -> Callable[[Execute], object]:
    return lambda execute: list(execute("INSERT INTO notes VALUES (?)", (text,)))


def texts(database: Database) -> list[object]:
    return [
        text for (text,) in database.read(lambda execute: list(execute("SELECT text FROM notes")))
    ]


def write_both(
    database: Database, first: Callable[[Execute], object], second: Callable[[Execute], object]
) -> tuple[str, str]:
    """Return the results of two writes, which the thread of the first one runs."""
    began, go_on = threading.Event(), threading.Event()
    results = {"first": "committed", "second": "committed"}

    def slow(execute: Execute) -> None:
        began.set()
        assert go_on.wait(10)
        first(execute)

    def write(name: str, work: Callable[[Execute], object]) -> None:
        try:
            database.write(work)
        except BaseException as error:
            results[name] = f"{type(error).__name__}: {error}"

    threads = [
        threading.Thread(target=write, args=("first", slow)),
        threading.Thread(target=write, args=("second", second)),
    ]
    threads[0].start()
    assert began.wait(10)
    threads[1].start()
    while database.pending_writes < 1:
        pass
    go_on.set()
    for thread in threads:
        thread.join(10)
    return results["first"], results["second"]


# The interrupted thread may be running the write of another thread.
def test_interrupt_is_raised_in_the_interrupted_thread_only(database: Database) -> None:
    def interrupted(execute: Execute) -> None:
        raise KeyboardInterrupt

    first, second = write_both(database, insert("a"), interrupted)
    assert first == "KeyboardInterrupt: "
    assert second == (
        "StorageError: The database could not be written: it was interrupted. Nothing was changed."
    )
    assert texts(database) == []
    database.write(insert("later"))
    assert texts(database) == ["later"]


@pytest.mark.parametrize("when", ["before", "after"])
def test_interrupt_around_the_commit_reports_the_outcome(
    database: Database, when: Literal["before", "after"], monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = database._writer.command

    def execute(
        statement: str, bindings: tuple[str | bytes | int | float | None, ...] = (), /
    ) -> Iterator[tuple[object, ...]]:
        if statement != "COMMIT":
            return inner(statement, bindings)
        monkeypatch.undo()
        if when == "after":
            inner(statement)
        raise KeyboardInterrupt

    monkeypatch.setattr(database._writer, "command", execute)
    first, second = write_both(database, insert("a"), insert("b"))
    assert first == "KeyboardInterrupt: "
    if when == "before":
        assert "it was interrupted. Nothing was changed" in second
        assert texts(database) == []
    else:
        assert second == "committed"
        assert texts(database) == ["a", "b"]
    database.write(insert("later"))
    assert texts(database)[-1] == "later"


# An interrupt may strike after a write left the queue and before it is in a group.
def test_write_lost_by_an_interrupt_is_not_acknowledged(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lose(self: writer.WriteGroup, write: writer.PendingWrite) -> None:
        monkeypatch.undo()
        raise KeyboardInterrupt

    run = writer.WriteGroup.run

    def first_then_lose(self: writer.WriteGroup, write: writer.PendingWrite) -> None:
        run(self, write)
        monkeypatch.setattr(writer.WriteGroup, "run", lose)

    monkeypatch.setattr(writer.WriteGroup, "run", first_then_lose)
    first, second = write_both(database, insert("a"), insert("b"))
    assert first == "KeyboardInterrupt: "
    assert "may or may not have been applied" in second
    assert texts(database) == []


# Without memory even a rollback may fail.
@pytest.mark.parametrize("storage", ["memory", "file"])
def test_transaction_whose_rollback_failed_is_rolled_back_later(
    tmp_path: Path, storage: str
) -> None:
    opened = create_notes(Database(None if storage == "memory" else tmp_path / "notes.db"))
    execute = bind_execute(opened._connection)
    execute("BEGIN IMMEDIATE")
    execute("INSERT INTO notes VALUES ('half')")
    assert texts(opened) == []
    opened.write(insert("whole"))
    assert texts(opened) == ["whole"]
    opened.close()
