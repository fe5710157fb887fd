"""Writes from threads and event loops: who waits for what, and who does not."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from singletable.engine.storage import Database, Execute
from singletable.errors import EngineClosed
from tests.engine.counting_disk import CountingDisk


class Commits:
    """Counts the commits that a database makes."""

    def __init__(self, database: Database) -> None:
        self.count = 0
        database.set_listener(self)

    def snapshot(self) -> object:
        return None

    def restore(self, snapshot: object) -> None:
        return None

    def commit(self) -> None:
        self.count += 1


def lay_out(database: Database) -> Database:
    database.write(lambda execute: list(execute("CREATE TABLE notes (text TEXT)")))
    return database


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    opened = lay_out(Database(tmp_path / "notes.db"))
    yield opened
    opened.close()


def note(execute: Execute) -> str:
    execute("INSERT INTO notes VALUES ('note')")
    return "noted"


def refused(execute: Execute) -> str:
    execute("INSERT INTO notes VALUES ('refused')")
    raise LookupError("refused")


def count(database: Database) -> object:
    return database.read(lambda execute: list(execute("SELECT count(*) FROM notes")))[0][0]


# The wait for the disk is most of what a write costs: who writes alone pays for it once, whether
# in a thread or on an event loop, and who is refused does not pay at all.
def test_a_lone_writer_waits_for_the_disk_once(tmp_path: Path) -> None:
    disk = CountingDisk("counting")
    database = lay_out(Database(tmp_path / "notes.db", vfs=disk.name))
    before = disk.syncs
    for _ in range(20):
        database.write(note)
    assert disk.syncs - before == 20
    with pytest.raises(LookupError):
        database.write(refused)
    assert disk.syncs - before == 20

    async def on_loop() -> None:
        for _ in range(20):
            await database.write_async(note)

    asyncio.run(on_loop())
    assert disk.syncs - before == 40
    database.close()
    disk.unregister()


def test_without_durability_nobody_waits_for_the_disk(tmp_path: Path) -> None:
    disk = CountingDisk("counting")
    database = lay_out(Database(tmp_path / "notes.db", durable=False, vfs=disk.name))
    before = disk.syncs
    for _ in range(20):
        database.write(note)
    assert disk.syncs == before
    database.close()
    disk.unregister()


def test_writes_of_one_moment_on_an_event_loop_share_a_commit(database: Database) -> None:
    commits = Commits(database)

    async def run() -> None:
        works = [database.write_async(note) for _ in range(20)]
        works.insert(7, database.write_async(refused))
        answers = await asyncio.gather(*works, return_exceptions=True)
        assert isinstance(answers.pop(7), LookupError)
        assert answers == ["noted"] * 20

    asyncio.run(run())
    assert commits.count == 1
    assert count(database) == 20


def test_a_write_that_fails_first_takes_nothing_of_the_next_with_it(database: Database) -> None:
    async def run() -> None:
        works = [database.write_async(refused), database.write_async(note)]
        answers = await asyncio.gather(*works, return_exceptions=True)
        assert isinstance(answers[0], LookupError)

    asyncio.run(run())
    assert count(database) == 1


def test_a_write_that_nobody_awaits_any_more_is_not_carried_out(database: Database) -> None:
    async def run() -> None:
        given_up = database.write_async(note)
        given_up.cancel()
        await database.write_async(note)

    asyncio.run(run())
    assert count(database) == 1


class Held:
    """A writer that is held inside its transaction until it is let go."""

    def __init__(self, database: Database) -> None:
        self._began, self.go_on = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=database.write, args=(self._work,))
        self._thread.start()
        assert self._began.wait(10)

    def _work(self, execute: Execute) -> None:
        execute("INSERT INTO notes VALUES ('held')")
        self._began.set()
        assert self.go_on.wait(10)

    def end(self) -> None:
        self.go_on.set()
        self._thread.join(10)


def test_a_reader_does_not_wait_for_a_writer(database: Database) -> None:
    database.write(note)
    held = Held(database)
    assert count(database) == 1
    assert not held.go_on.is_set()
    held.end()
    assert count(database) == 2


# Its turn comes when the thread lets go, which has to tell the loop, for the loop does not wait.
def test_an_event_loop_goes_on_while_a_thread_writes(database: Database) -> None:
    async def run() -> None:
        held = Held(database)
        writes = [database.write_async(note) for _ in range(3)]
        for _ in range(10):
            await asyncio.sleep(0.001)
        assert not any(write.done() for write in writes)
        assert count(database) == 0
        held.end()
        assert await asyncio.wait_for(asyncio.gather(*writes), 10) == ["noted"] * 3

    asyncio.run(run())
    assert count(database) == 4


def test_threads_and_event_loops_write_together(database: Database) -> None:
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


# What was asked for before the close is kept or refused, never lost in between.
def test_closing_carries_out_what_waits(tmp_path: Path) -> None:
    database = lay_out(Database(tmp_path / "notes.db"))

    async def run() -> None:
        writes = [database.write_async(note) for _ in range(3)]
        await asyncio.to_thread(database.close)
        assert await asyncio.wait_for(asyncio.gather(*writes), 10) == ["noted"] * 3
        with pytest.raises(EngineClosed):
            await database.write_async(note)

    asyncio.run(run())
    again = Database(tmp_path / "notes.db")
    assert count(again) == 3
    again.close()


# The thread that commits is gone by then; an answer must come all the same.
def test_a_write_after_closing_is_refused_on_an_event_loop_too(tmp_path: Path) -> None:
    database = lay_out(Database(tmp_path / "notes.db"))

    async def run() -> None:
        await database.write_async(note)
        await asyncio.to_thread(database.close)
        for _ in range(2):
            with pytest.raises(EngineClosed):
                await asyncio.wait_for(database.write_async(note), 10)

    asyncio.run(run())


@pytest.mark.parametrize("place", ["memory", "file"])
def test_closing_waits_for_readers_and_writers_and_refuses_the_rest(
    tmp_path: Path, place: str
) -> None:
    database = lay_out(Database(None if place == "memory" else tmp_path / "notes.db"))
    started = threading.Barrier(9)
    noted: list[str] = []
    faults: list[BaseException] = []

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
            faults.append(error)

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
    assert faults == []
    if place == "file":
        again = Database(tmp_path / "notes.db")
        assert count(again) == len(noted)
        again.close()
