"""A file is opened with its own log only; any other is refused, and nothing is changed."""

from __future__ import annotations

import itertools
import random
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import apsw
import pytest

from dynamodb_engine import DeleteItem, Engine, Scan, Settings, StorageError
from dynamodb_engine.engine.file_backup import back_up_file
from dynamodb_engine.engine.file_check import check_file
from dynamodb_engine.engine.file_repair import repair_file
from dynamodb_engine.engine.storage.sqlite import log_identity
from dynamodb_engine.errors import ResourceInUse
from tools.testing.processes import create_table, open_error, put, with_table

FOREIGN = "does not belong to"
SETTINGS = Settings(durable=False)


def files_of(path: Path) -> dict[str, bytes]:
    """Return the contents of a file and its log."""
    return {end: Path(f"{path}{end}").read_bytes() for end in ("", "-wal")}


def copy_crashed(path: Path, copy: Path) -> Path:
    """Copy a file in use, as a crash would leave it."""
    for end in ("", "-wal"):
        shutil.copy(f"{path}{end}", f"{copy}{end}")
    return copy


def crashed(path: Path, *names: str) -> Path:
    """Return a file with these items, all of them still in its log."""
    if not path.exists():
        with_table(Engine.on_file(path, SETTINGS)).close()
    running = path.with_name(f"running {path.name}")
    path.rename(running)
    with Engine.on_file(running, SETTINGS) as engine:
        put(engine, *names)
        copy_crashed(running, path)
    return path


def names_in(path: Path) -> set[str]:
    """Return the keys of the items."""
    with Engine.on_file(path, SETTINGS) as engine:
        return {item["pk"]["S"] for item in engine.execute(Scan("things")).items or ()}


def restored(path: Path) -> None:
    """Put a file in the place of its newer version, whose log remains."""
    put_back = path.with_name("old.db")
    shutil.copy(path, put_back)
    for names in (["a"], ["b"]):
        with Engine.on_file(path, SETTINGS) as engine:
            put(engine, *names)
    crashed(path, "c")
    shutil.copy(put_back, path)


def with_log_of_another(path: Path) -> None:
    """Put the log of another file beside this one."""
    other = crashed(path.with_name("other.db"), "x", "y")
    shutil.copy(f"{other}-wal", f"{path}-wal")


def with_older_log(path: Path) -> None:
    """Put back an older log, from before the file was opened again, changed and closed."""
    old = copy_crashed(crashed(path, "a"), path.with_name("old.db"))
    for names in (["b"], ["c"]):
        with Engine.on_file(path, SETTINGS) as engine:
            put(engine, *names)
    shutil.copy(f"{old}-wal", f"{path}-wal")


def with_backup(path: Path) -> None:
    """Replace the file by its backup, which `backup` compacted, and keep its log."""
    crashed(path, "a")
    back_up_file(path, copy := path.with_name("copy.db"))
    copy.replace(path)


def repair_copy(path: Path, copy: Path) -> None:
    """Repair a file."""
    repair_file(path, copy, path.with_name("lost"))


def with_repaired(path: Path) -> None:
    """Replace the file by the result of its repair, and keep its log."""
    crashed(path, "a")
    repair_copy(path, new := path.with_name("new.db"))
    new.replace(path)


def emptied(path: Path) -> None:
    """Remove the file, and create an empty one beside its log."""
    crashed(path, "a").write_bytes(b"")


def in_new_file(path: Path) -> None:
    """Create a file of the same name, with the log of the old one."""
    log = Path(f"{crashed(path, 'a')}-wal").read_bytes()
    for end in ("", "-wal"):
        Path(f"{path}{end}").unlink()
    with_table(Engine.on_file(path, SETTINGS)).close()
    Path(f"{path}-wal").write_bytes(log)


ACCIDENTS = [
    restored,
    with_log_of_another,
    with_older_log,
    with_backup,
    with_repaired,
    emptied,
    in_new_file,
]


@pytest.mark.parametrize("accident", ACCIDENTS, ids=lambda accident: accident.__name__)
def test_foreign_log_is_refused_and_nothing_is_changed(
    tmp_path: Path, accident: Callable[[Path], None]
) -> None:
    path = tmp_path / "votes.db"
    with_table(Engine.on_file(path, SETTINGS)).close()
    accident(path)
    before = files_of(path)
    for _ in range(2):
        assert FOREIGN in open_error(path)
        assert files_of(path) == before
    with pytest.raises(StorageError, match=FOREIGN):
        check_file(path)
    with pytest.raises(StorageError, match=FOREIGN):
        repair_file(path, tmp_path / "repaired.db", tmp_path / "lost.jsonl")
    with pytest.raises(StorageError, match=FOREIGN):
        back_up_file(path, tmp_path / "backup.db")
    assert files_of(path) == before


def test_file_is_opened_once_the_foreign_log_is_moved_away(tmp_path: Path) -> None:
    path = tmp_path / "votes.db"
    with_table(Engine.on_file(path, SETTINGS)).close()
    with_backup(path)
    assert FOREIGN in open_error(path)
    for end in ("-wal", "-shm"):
        Path(f"{path}{end}").unlink(missing_ok=True)
    assert names_in(path) == {"a"}


# The log of another SQLite database replaces the first page, and so the whole schema.
@pytest.mark.parametrize("page_size", [4096, 8192])
def test_log_of_another_program_is_refused(tmp_path: Path, page_size: int) -> None:
    path, other = tmp_path / "votes.db", tmp_path / "other.db"
    with_table(Engine.on_file(path, SETTINGS)).close()
    connection = apsw.Connection(str(other))
    for statement in (f"PRAGMA page_size = {page_size}", "PRAGMA journal_mode = WAL"):
        connection.execute(statement)
    connection.execute("CREATE TABLE log_id (id, base)")
    shutil.copy(f"{other}-wal", f"{path}-wal")
    connection.close()
    before = files_of(path)
    assert FOREIGN in open_error(path)
    assert files_of(path) == before


# Every version of a file with every later version of its log: what a crash left, and what a copy of
# the file alone left, which may be older than its log. A log of few pages is restarted often.
@pytest.mark.parametrize("seed", range(4))
def test_no_pair_of_a_file_and_a_later_log_is_mixed(
    tmp_path: Path, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(log_identity, "_LONG", 12)
    chance, path, names = random.Random(seed), tmp_path / "votes.db", set[str]()
    crashes: list[tuple[Path, set[str]]] = []
    while len(crashes) < 10:
        with Engine.on_file(path, SETTINGS) as engine:
            with suppress(ResourceInUse):
                engine.execute(create_table("things"))
            for _ in range(chance.randrange(1, 6)):
                name = str(chance.randrange(20))
                if name in names and chance.random() < 0.5:
                    engine.execute(DeleteItem("things", {"pk": {"S": name}}))
                    names.discard(name)
                else:
                    put(engine, name)
                    names.add(name)
                crashes.append((copy_crashed(path, tmp_path / f"{len(crashes)}.db"), set(names)))
        if chance.random() < 0.5:
            path, names = crashes[-1][0].with_suffix(".reopened"), set(crashes[-1][1])
            copy_crashed(crashes[-1][0], path)
    accepted = 0
    for (file, _), (log, expected) in itertools.combinations_with_replacement(crashes, 2):
        pair = tmp_path / "pair.db"
        shutil.copy(file, pair)
        shutil.copy(f"{log}-wal", f"{pair}-wal")
        if error := open_error(pair):
            assert FOREIGN in error
            assert file != log
        else:
            accepted += file != log
            assert names_in(pair) == expected
            assert not check_file(pair).problems
    assert accepted


@pytest.mark.parametrize("copy_file", [shutil.copy, back_up_file, repair_copy])
def test_ids_are_on_the_same_page_of_every_file(
    tmp_path: Path, copy_file: Callable[[Path, Path], object]
) -> None:
    path, copy = tmp_path / "votes.db", tmp_path / "copy.db"
    with_table(Engine.on_file(path, SETTINGS)).close()
    copy_file(path, copy)
    connection = apsw.Connection(str(copy))
    rows = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'log_id'")
    assert rows.fetchall() == [(2,)]
    connection.close()


def test_check_reports_a_file_without_an_id(tmp_path: Path) -> None:
    path = tmp_path / "votes.db"
    with_table(Engine.on_file(path, SETTINGS)).close()
    connection = apsw.Connection(str(path))
    connection.execute("DELETE FROM log_id")
    connection.close()
    problems = [f"{problem.place} {problem.what}" for problem in check_file(path).problems]
    assert "The id of the log is missing or damaged" in problems
