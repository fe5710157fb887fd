"""An interrupt (Ctrl-C) strikes the thread that it came to, and nobody else is told a falsehood."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

import apsw
import pytest

from singletable.engine.storage import Database, Execute, writer
from singletable.engine.storage.connection import bind_execute


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "notes.db")
    database.write(lambda execute: list(execute("CREATE TABLE notes (text TEXT)")))
    yield database
    database.close()


def note(text: str) -> Callable[[Execute], object]:
    return lambda execute: list(execute("INSERT INTO notes VALUES (?)", (text,)))


def notes(database: Database) -> list[object]:
    return [
        text for (text,) in database.read(lambda execute: list(execute("SELECT text FROM notes")))
    ]


def together(
    database: Database, first: Callable[[Execute], object], second: Callable[[Execute], object]
) -> tuple[str, str]:
    """What comes of two writes, the second of which the first one's thread carries out."""
    began, go_on = threading.Event(), threading.Event()
    heard = {"first": "kept", "second": "kept"}

    def slow(execute: Execute) -> None:
        began.set()
        assert go_on.wait(10)
        first(execute)

    def write(name: str, work: Callable[[Execute], object]) -> None:
        try:
            database.write(work)
        except BaseException as error:
            heard[name] = f"{type(error).__name__}: {error}"

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
    return heard["first"], heard["second"]


# Who is interrupted is chance: the thread may be at work for another one just then.
def test_an_interrupt_goes_to_the_thread_that_it_came_to(database: Database) -> None:
    def interrupted(execute: Execute) -> None:
        raise KeyboardInterrupt

    first, second = together(database, note("a"), interrupted)
    assert first == "KeyboardInterrupt: "
    assert second == (
        "StorageError: The database could not be written: it was interrupted. Nothing was changed."
    )
    assert notes(database) == []
    database.write(note("later"))
    assert notes(database) == ["later"]


@pytest.mark.parametrize("moment", ["before", "after"])
def test_an_interrupt_about_the_commit_leaves_no_doubt(
    database: Database, moment: Literal["before", "after"], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupting(connection: apsw.Connection) -> Execute:
        inner = bind_execute(connection)

        def execute(
            statement: str, bindings: tuple[str | bytes | int | float | None, ...] = (), /
        ) -> Iterator[tuple[object, ...]]:
            if statement != "COMMIT":
                return inner(statement, bindings)
            monkeypatch.undo()
            if moment == "after":
                inner(statement)
            raise KeyboardInterrupt

        return execute

    monkeypatch.setattr(writer, "bind_execute", interrupting)
    first, second = together(database, note("a"), note("b"))
    assert first == "KeyboardInterrupt: "
    if moment == "before":
        assert "it was interrupted. Nothing was changed" in second
        assert notes(database) == []
    else:
        assert second == "kept"
        assert notes(database) == ["a", "b"]
    database.write(note("later"))
    assert notes(database)[-1] == "later"


# Between being taken from the queue and being in a group, a write is nobody's.
def test_a_write_that_got_lost_is_not_acknowledged(
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
    first, second = together(database, note("a"), note("b"))
    assert first == "KeyboardInterrupt: "
    assert "may or may not have been applied" in second
    assert notes(database) == []
