"""The database: grouped commits, readers that do not wait, files that are not ours."""

from __future__ import annotations

import multiprocessing
import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from singletable.engine.storage import Database, Execute
from singletable.errors import EngineClosed, StorageError


@pytest.fixture(params=["memory", "file"])
def database(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    opened = Database(None if request.param == "memory" else tmp_path / "rows.db")

    def lay_out(execute: Execute) -> None:
        execute("CREATE TABLE notes (text TEXT)")

    opened.write(lay_out)
    yield opened
    opened.close()


def add(database: Database, text: str) -> str:
    def work(execute: Execute) -> str:
        execute("INSERT INTO notes VALUES (?)", (text,))
        return text

    return database.write(work)


def notes(database: Database) -> list[object]:
    return database.read(lambda execute: [text for (text,) in execute("SELECT * FROM notes")])


def test_a_write_gives_what_its_work_gives_and_can_be_read(database: Database) -> None:
    assert add(database, "one") == "one"
    assert notes(database) == ["one"]


# Whoever asked is told; what was written before in the same turn stays.
def test_a_work_that_raises_changes_nothing(database: Database) -> None:
    def fail(execute: Execute) -> None:
        execute("INSERT INTO notes VALUES ('half')")
        raise LookupError("no")

    with pytest.raises(LookupError):
        database.write(fail)
    assert notes(database) == []


# While one writer is at work the others queue up; the next turn carries out all of them in one
# commit, and a failure among them is nobody else's.
def test_writers_that_wait_share_a_commit(database: Database) -> None:
    began, go_on = threading.Event(), threading.Event()
    commits: list[None] = []

    class Follower:
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
        execute("INSERT INTO notes VALUES ('refused')")
        raise LookupError("refused")

    database.set_listener(Follower())
    errors: list[LookupError] = []

    def failing() -> None:
        try:
            database.write(fail)
        except LookupError as error:
            errors.append(error)

    first = threading.Thread(target=database.write, args=(slow,))
    first.start()
    assert began.wait(10)
    others = [threading.Thread(target=add, args=(database, str(n))) for n in range(5)]
    others.append(threading.Thread(target=failing))
    for thread in others:
        thread.start()
    while database.pending_writes < len(others):
        pass
    go_on.set()
    for thread in [first, *others]:
        thread.join(10)
    assert sorted(map(str, notes(database))) == ["0", "1", "2", "3", "4"]
    assert len(errors) == 1
    # The slow one's turn takes in whoever came while it worked; at most one more turn follows.
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


def test_a_closed_database_says_so(database: Database) -> None:
    database.close()
    database.close()
    with pytest.raises(EngineClosed, match=r"Open it again"):
        notes(database)
    with pytest.raises(EngineClosed):
        add(database, "late")


def test_what_was_committed_is_there_after_reopening(tmp_path: Path) -> None:
    path = tmp_path / "kept.db"
    first = Database(path)
    first.write(lambda execute: list(execute("CREATE TABLE notes (text TEXT)")))
    add(first, "kept")
    first.close()
    second = Database(path)
    assert notes(second) == ["kept"]
    second.close()


def test_a_file_that_is_open_elsewhere_is_refused(tmp_path: Path) -> None:
    first = Database(tmp_path / "one.db")
    with pytest.raises(StorageError, match="open in another engine"):
        Database(tmp_path / "one.db")
    first.close()
    Database(tmp_path / "one.db").close()


def test_a_database_of_another_program_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE theirs (x)")
    with pytest.raises(StorageError, match="another program"):
        Database(path)


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear Ada, " * 200)
    with pytest.raises(StorageError, match="cannot be used as a database"):
        Database(path)
    assert path.read_text().startswith("Dear Ada")


def test_a_path_that_cannot_be_is_refused_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(StorageError, match="is a directory"):
        Database(tmp_path)
    with pytest.raises(StorageError, match="does not exist"):
        Database(tmp_path / "missing" / "x.db")


def test_a_later_format_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "future.db"
    Database(path).close()
    with closing(sqlite3.connect(path)) as file:
        file.execute("PRAGMA user_version = 99")
    with pytest.raises(StorageError, match="format 99"):
        Database(path)


def _use(database: Database, answers: multiprocessing.SimpleQueue[str]) -> None:
    try:
        notes(database)
    except StorageError as error:
        answers.put(str(error))
    os._exit(0)


# SQLite's locks and connections do not survive a fork.
def test_use_after_a_fork_is_refused(database: Database) -> None:
    context = multiprocessing.get_context("fork")
    answers: multiprocessing.SimpleQueue[str] = context.SimpleQueue()
    child = context.Process(target=_use, args=(database, answers))
    child.start()
    child.join(10)
    assert "forked" in answers.get()
