"""A file belongs to one engine of one process, and nobody can take it away unseen."""

from __future__ import annotations

import gc
import os
import signal
import sqlite3
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import pytest

from singletable import Engine, StorageError
from singletable.engine.storage import Database, file_lock
from tests.engine.other_process import count, forked, make, put, refusal, start, told

linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has locks of open files")
OPEN = "print('ready', flush=True); sys.stdin.read()"


def test_a_second_process_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "one.db"
    with make(Engine.on_file(path)):
        script = "try: Engine.on_file(path)\nexcept StorageError as error: print(error)"
        assert "is open in another engine. Close it there" in told(script, path)


def test_a_holder_that_was_killed_does_not_block(tmp_path: Path) -> None:
    path = tmp_path / "one.db"
    with start(f"e = make(Engine.on_file(path)); put(e, 'a'); {OPEN}", path) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "ready\n"
        assert "another engine" in refusal(path)
        holder.kill()
    with Engine.on_file(path) as engine:
        assert count(engine) == 1


# To open and close a file once more would drop the locks that SQLite has on it, and then a program
# that only looks at the file removes the log when it leaves.
def test_a_refusal_takes_nothing_from_the_engine_that_has_the_file(tmp_path: Path) -> None:
    path = tmp_path / "one.db"
    with make(Engine.on_file(path)) as engine:
        put(engine, "a")
        assert "another engine" in refusal(path)
        look = "print(*sqlite3.connect(path).execute('SELECT count(*) FROM items_1').fetchone())"
        assert told(look, path) == "1"
        assert Path(f"{path}-wal").exists()


# Without locks of the open file the other library believes that it is alone: when it leaves it
# removes the log, and what is acknowledged from then on is lost with the process.
@linux
def test_a_second_library_that_reads_takes_nothing_away(tmp_path: Path) -> None:
    path = tmp_path / "one.db"
    script = """
e = make(Engine.on_file(path)); put(e, 'before')
other = sqlite3.connect(path)
print(*other.execute('SELECT count(*) FROM items_1').fetchone(), flush=True)
put(e, 'meanwhile')
other.close(); put(e, 'after'); os._exit(0)
"""
    assert told(script, path) == "1"
    with Engine.on_file(path) as engine:
        assert count(engine) == 3


@linux
def test_a_file_that_another_library_has_open_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "one.db"
    make(Engine.on_file(path)).close()
    with closing(sqlite3.connect(path)) as other:
        other.execute("SELECT count(*) FROM tables")
        assert "outside the engine, for example in Python's sqlite3" in refusal(path)
    assert refusal(path) == ""


def test_a_file_is_known_whatever_its_path(tmp_path: Path) -> None:
    path, link = tmp_path / "one.db", tmp_path / "link.db"
    link.symlink_to(path)
    with make(Engine.on_file(link)) as engine:
        assert "another engine" in refusal(path)
        put(engine, "a")
        assert Path(f"{path}-wal").exists()
    with Engine.on_file(path) as engine:
        assert "another engine" in refusal(link)
        assert count(engine) == 1


def test_a_file_with_two_names_is_refused(tmp_path: Path) -> None:
    path, twin = tmp_path / "one.db", tmp_path / "twin.db"
    make(Engine.on_file(path)).close()
    twin.hardlink_to(path)
    assert "has 2 names (hard links)" in refusal(path)
    assert "has 2 names (hard links)" in refusal(twin)
    twin.unlink()
    assert refusal(path) == ""


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert "is not a regular file" in refusal(tmp_path / "pipe")


def test_a_forgotten_engine_lets_go(tmp_path: Path) -> None:
    engine = make(Engine.on_file(tmp_path / "one.db"))
    put(engine, "a")
    del engine
    gc.collect()
    with Engine.on_file(tmp_path / "one.db") as engine:
        assert count(engine) == 1


# The child's copies are of no use and do no harm: neither when they are used, nor when they go.
def test_a_forked_child_is_refused_and_harms_nobody(tmp_path: Path) -> None:
    path = tmp_path / "one.db"
    engine = make(Engine.on_file(path))
    put(engine, "a")
    assert count(engine) == 1

    def child() -> str:
        with pytest.raises(StorageError) as reading:
            count(engine)
        with pytest.raises(StorageError) as writing:
            put(engine, "b")
        engine.close()
        engine.__dict__.clear()
        gc.collect()
        return f"{reading.value}\n{writing.value}\n{refusal(path)}"

    reading, writing, opening = forked(child).split("\n")
    assert "Fork before you open the engine" in reading
    assert "Fork before you open the engine" in writing
    assert "was open when this process was forked" in opening
    put(engine, "c")
    assert count(engine) == 2
    assert "another engine" in told(
        "try: Engine.on_file(path)\nexcept StorageError as error: print(error)", path
    )
    told("sqlite3.connect(path).execute('SELECT count(*) FROM items_1').fetchone()", path)
    assert Path(f"{path}-wal").exists()
    engine.close()
    with Engine.on_file(path) as again:
        assert count(again) == 2


def test_a_forked_child_may_open_what_was_closed_before(tmp_path: Path) -> None:
    path = tmp_path / "one.db"
    engine = make(Engine.on_file(path))
    engine.close()
    assert forked(lambda: refusal(path)) == ""
    assert refusal(path) == ""


# The whole interpreter ends in the child, while the parent is in the middle of its writes.
def test_children_that_end_while_the_parent_writes_harm_nobody(tmp_path: Path) -> None:
    path = tmp_path / "one.db"
    script = """
e = make(Engine.on_file(path, Settings(durable=False)))
def work(name):
    for n in range(300):
        put(e, f'{name}-{n}')
        count(e) if n % 50 == 0 else None
threads = [threading.Thread(target=work, args=(k,)) for k in range(3)]
for t in threads: t.start()
children = 0
while any(t.is_alive() for t in threads):
    child = os.fork()
    if not child:
        sys.exit(0)
    os.waitpid(child, 0)
    children += 1
print(count(e), children > 0, flush=True)
os._exit(0)
"""
    assert told(script, path) == "900 True"
    with Engine.on_file(path) as engine:
        assert count(engine) == 900
    with closing(sqlite3.connect(path)) as other:
        assert other.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_child_that_outlives_its_parent_does_not_hold_the_file(tmp_path: Path) -> None:
    path = tmp_path / "one.db"
    script = f"""
e = make(Engine.on_file(path))
if os.fork() == 0:
    print(os.getpid(), flush=True); {OPEN}; os._exit(0)
sys.stdin.read()
"""
    with start(script, path) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        assert "another engine" in refusal(path)
        os.kill(parent.pid, signal.SIGKILL)
        parent.wait()
        try:
            assert refusal(path) == ""
        finally:
            os.kill(child, signal.SIGKILL)


@pytest.mark.parametrize(
    ("kind", "is_refused"),
    [
        *[(kind, True) for kind in ("nfs", "nfs4", "cifs", "smb3", "9p", "fuse.sshfs", "ceph")],
        *[(kind, False) for kind in ("ext4", "xfs", "btrfs", "overlay", "tmpfs", "fuse.ntfs-3g")],
    ],
)
def test_a_network_drive_is_refused(
    kind: str, is_refused: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "mountinfo"
    place = str(tmp_path / "a b").replace(" ", "\\040")
    table.write_text(
        f"1 0 8:1 / / rw - ext4 /dev/sda rw\n2 1 0:9 / {place} rw shared:1 - {kind} host:/x rw\n"
    )
    monkeypatch.setattr(file_lock, "MOUNTS", table)
    (tmp_path / "a b").mkdir()
    said = refusal(tmp_path / "a b" / "one.db")
    if is_refused:
        assert f"is on a network drive ({kind})" in said
        assert "through `singletable dynamodb`" in said
        assert list((tmp_path / "a b").iterdir()) == []
    else:
        assert said == ""
    assert refusal(tmp_path / "one.db") == ""


def test_the_last_mount_on_a_directory_counts() -> None:
    table = "1 0 8:1 / / rw - ext4 a rw\n2 1 0:9 / /x rw - nfs b rw\n3 1 0:9 / /x rw - xfs c rw\n"
    assert file_lock.file_system_type(Path("/x/y"), table) == "xfs"
    assert file_lock.file_system_type(Path("/xy"), table) == "ext4"
    assert file_lock.file_system_type(Path("/x"), "") == ""


# Whoever is root may write anywhere, so somebody else tries.
@pytest.mark.parametrize(
    ("folder_mode", "file_mode", "reason"),
    [
        (0o555, 0o666, "is not writable, but SQLite keeps a log beside"),
        (0o777, 0o444, "cannot be opened for reading and writing: Permission denied"),
    ],
)
def test_what_cannot_be_written_is_refused(folder_mode: int, file_mode: int, reason: str) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder, path = Path(name), Path(name) / "one.db"
        make(Engine.on_file(path)).close()
        path.chmod(file_mode)
        folder.chmod(folder_mode)
        nobody = 65534 if os.getuid() == 0 else None
        assert reason in forked(lambda: refusal(path), nobody)
        folder.chmod(0o700)


def test_a_refused_file_is_let_go(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear Ada, " * 200)
    with pytest.raises(StorageError):
        Database(path)
    with pytest.raises(StorageError, match="cannot be used as a database"):
        Database(path)
