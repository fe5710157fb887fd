"""The file lock: one engine in one process, also with forks, other libraries and odd files."""

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

from dynamodb_engine import Engine, StorageError
from dynamodb_engine.engine.storage.sqlite import file_lock
from tools.testing.processes import (
    count,
    open_error,
    put,
    run_forked,
    run_script,
    start_script,
    with_table,
)

linux = pytest.mark.skipif(sys.platform != "linux", reason="only Linux has locks of open files")
STAY_OPEN = "print('ready', flush=True); sys.stdin.read()"


def test_second_process_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "one.db"
    with with_table(Engine.on_file(path)):
        script = "try: Engine.on_file(path)\nexcept StorageError as error: print(error)"
        assert "is open in another engine or being checked. Close it there" in run_script(
            script, path
        )


# SQLite finds the log by its name: with a new file it would mix the contents of both.
@linux
def test_file_that_was_replaced_in_use_is_rejected(tmp_path: Path) -> None:
    path, backup = tmp_path / "one.db", tmp_path / "backup.db"
    with with_table(Engine.on_file(backup)) as engine:
        put(engine, "old")
    with with_table(Engine.on_file(path)) as engine:
        put(engine, "a", "b")
        path.unlink()
        assert "is open in another engine" in open_error(path)
        backup.rename(path)
        script = """
for open_file in (Engine.on_file, check_file):
    try: open_file(Path(path))
    except StorageError as error: print(error)
"""
        assert run_script(script, path).splitlines() == [open_error(path)] * 2
        put(engine, "c")
        assert count(engine) == 3
    assert Path(f"{path}-wal.orphan").exists()
    with Engine.on_file(path) as engine:
        assert count(engine) == 1


@linux
def test_log_of_a_new_file_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "one.db"
    with with_table(Engine.on_file(path)) as engine:
        put(engine, "a")
        for file in tmp_path.iterdir():
            file.unlink()
        new = with_table(Engine.on_file(path))
        put(new, "b", "c")
    put(new, "d")
    new.close()
    assert [file.name for file in tmp_path.iterdir()] == ["one.db"]
    with Engine.on_file(path) as engine:
        assert count(engine) == 3


def test_killed_process_releases_the_file(tmp_path: Path) -> None:
    path = tmp_path / "one.db"
    with start_script(
        f"e = with_table(Engine.on_file(path)); put(e, 'a'); {STAY_OPEN}", path
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "ready\n"
        assert "another engine" in open_error(path)
        holder.kill()
    with Engine.on_file(path) as engine:
        assert count(engine) == 1


# Opening and closing the file again would drop the locks that SQLite has on it, and then a program
# that only reads the file would delete the log when it closes it.
def test_rejected_open_does_not_drop_the_locks_of_the_engine(tmp_path: Path) -> None:
    path = tmp_path / "one.db"
    with with_table(Engine.on_file(path)) as engine:
        put(engine, "a")
        assert "another engine" in open_error(path)
        read = "print(*sqlite3.connect(path).execute('SELECT count(*) FROM items_1').fetchone())"
        assert run_script(read, path) == "1"
        assert Path(f"{path}-wal").exists()


# Without locks of the open file the other library considers itself the only user: on closing it
# deletes the log, and later acknowledged writes are lost with the process.
@linux
def test_reader_with_another_library_does_not_delete_the_log(tmp_path: Path) -> None:
    path = tmp_path / "one.db"
    script = """
e = with_table(Engine.on_file(path)); put(e, 'before')
other = sqlite3.connect(path)
print(*other.execute('SELECT count(*) FROM items_1').fetchone(), flush=True)
put(e, 'meanwhile')
other.close(); put(e, 'after'); os._exit(0)
"""
    assert run_script(script, path) == "1"
    with Engine.on_file(path) as engine:
        assert count(engine) == 3


@linux
def test_file_open_in_another_library_is_rejected(tmp_path: Path) -> None:
    path = tmp_path / "one.db"
    with_table(Engine.on_file(path)).close()
    with closing(sqlite3.connect(path)) as other:
        other.execute("SELECT count(*) FROM tables")
        assert "outside the engine, for example in Python's sqlite3" in open_error(path)
    assert open_error(path) == ""


def test_file_is_identified_through_symbolic_links(tmp_path: Path) -> None:
    path, link = tmp_path / "one.db", tmp_path / "link.db"
    link.symlink_to(path)
    with with_table(Engine.on_file(link)) as engine:
        assert "another engine" in open_error(path)
        put(engine, "a")
        assert Path(f"{path}-wal").exists()
    with Engine.on_file(path) as engine:
        assert "another engine" in open_error(link)
        assert count(engine) == 1


def test_file_with_hard_links_is_rejected(tmp_path: Path) -> None:
    path, twin = tmp_path / "one.db", tmp_path / "twin.db"
    with_table(Engine.on_file(path)).close()
    twin.hardlink_to(path)
    assert "has 2 names (hard links)" in open_error(path)
    assert "has 2 names (hard links)" in open_error(twin)
    twin.unlink()
    assert open_error(path) == ""


def test_pipe_is_rejected(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    assert "is not a regular file" in open_error(tmp_path / "pipe")


def test_garbage_collected_engine_releases_the_file(tmp_path: Path) -> None:
    engine = with_table(Engine.on_file(tmp_path / "one.db"))
    put(engine, "a")
    del engine
    gc.collect()
    with Engine.on_file(tmp_path / "one.db") as engine:
        assert count(engine) == 1


# The child's copies cannot be used, and neither using nor deleting them harms the parent.
def test_forked_child_is_rejected_and_does_not_harm_the_parent(tmp_path: Path) -> None:
    path = tmp_path / "one.db"
    engine = with_table(Engine.on_file(path))
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
        return f"{reading.value}\n{writing.value}\n{open_error(path)}"

    reading, writing, opening = run_forked(child).split("\n")
    assert "Fork before you open the engine" in reading
    assert "Fork before you open the engine" in writing
    assert "was open when this process was forked" in opening
    put(engine, "c")
    assert count(engine) == 2
    assert "another engine" in run_script(
        "try: Engine.on_file(path)\nexcept StorageError as error: print(error)", path
    )
    run_script("sqlite3.connect(path).execute('SELECT count(*) FROM items_1').fetchone()", path)
    assert Path(f"{path}-wal").exists()
    engine.close()
    with Engine.on_file(path) as again:
        assert count(again) == 2


def test_forked_child_can_open_a_file_closed_before_the_fork(tmp_path: Path) -> None:
    path = tmp_path / "one.db"
    engine = with_table(Engine.on_file(path))
    engine.close()
    assert run_forked(lambda: open_error(path)) == ""
    assert open_error(path) == ""


# The whole interpreter ends in the child while the parent is writing.
def test_children_that_exit_do_not_harm_a_writing_parent(tmp_path: Path) -> None:
    path = tmp_path / "one.db"
    script = """
e = with_table(Engine.on_file(path, Settings(durable=False)))
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
    assert run_script(script, path) == "900 True"
    with Engine.on_file(path) as engine:
        assert count(engine) == 900
    with closing(sqlite3.connect(path)) as other:
        assert other.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_child_that_outlives_its_parent_does_not_lock_the_file(tmp_path: Path) -> None:
    path = tmp_path / "one.db"
    script = f"""
e = with_table(Engine.on_file(path))
if os.fork() == 0:
    print(os.getpid(), flush=True); {STAY_OPEN}; os._exit(0)
sys.stdin.read()
"""
    with start_script(script, path) as parent:
        assert parent.stdout is not None
        child = int(parent.stdout.readline())
        assert "another engine" in open_error(path)
        os.kill(parent.pid, signal.SIGKILL)
        parent.wait()
        try:
            assert open_error(path) == ""
        finally:
            os.kill(child, signal.SIGKILL)


@pytest.mark.parametrize(
    ("kind", "is_rejected"),
    [
        *[(kind, True) for kind in ("nfs", "nfs4", "cifs", "smb3", "9p", "fuse.sshfs", "ceph")],
        *[(kind, False) for kind in ("ext4", "xfs", "btrfs", "overlay", "tmpfs", "fuse.ntfs-3g")],
    ],
)
def test_network_drive_is_rejected(
    kind: str, is_rejected: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = tmp_path / "mountinfo"
    mount_point = str(tmp_path / "a b").replace(" ", "\\040")
    table.write_text(
        "1 0 8:1 / / rw - ext4 /dev/sda rw\n"
        f"2 1 0:9 / {mount_point} rw shared:1 - {kind} host:/x rw\n"
    )
    monkeypatch.setattr(file_lock, "MOUNTS", table)
    (tmp_path / "a b").mkdir()
    message = open_error(tmp_path / "a b" / "one.db")
    if is_rejected:
        assert f"is on a network drive ({kind})" in message
        assert "through `dynamodb-engine serve`" in message
        assert list((tmp_path / "a b").iterdir()) == []
    else:
        assert message == ""
    assert open_error(tmp_path / "one.db") == ""


def test_later_mount_hides_an_earlier_one() -> None:
    table = "1 0 8:1 / / rw - ext4 a rw\n2 1 0:9 / /x rw - nfs b rw\n3 1 0:9 / /x rw - xfs c rw\n"
    assert file_lock.file_system_type(Path("/x/y"), table) == "xfs"
    assert file_lock.file_system_type(Path("/xy"), table) == "ext4"
    assert file_lock.file_system_type(Path("/x"), "") == ""


def test_new_file_is_private_and_an_existing_one_keeps_its_mode(tmp_path: Path) -> None:
    path, names = tmp_path / "one.db", ("one.db", "one.db-shm", "one.db-wal")
    before = os.umask(0)
    try:
        for mode in (0o600, 0o640):
            with Engine.on_file(path):
                modes = {file.name: file.stat().st_mode & 0o777 for file in tmp_path.iterdir()}
            assert modes == dict.fromkeys(names, mode)
            path.chmod(0o640)
    finally:
        os.umask(before)


# Root may write anywhere, so the test switches to another user.
@pytest.mark.parametrize(
    ("folder_mode", "file_mode", "reason"),
    [
        (0o555, 0o666, "is not writable, but SQLite keeps a log beside"),
        (0o777, 0o444, "cannot be opened for reading and writing: Permission denied"),
    ],
)
def test_unwritable_directory_or_file_is_rejected(
    folder_mode: int, file_mode: int, reason: str
) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder, path = Path(name), Path(name) / "one.db"
        with_table(Engine.on_file(path)).close()
        path.chmod(file_mode)
        folder.chmod(folder_mode)
        nobody = 65534 if os.getuid() == 0 else None
        assert reason in run_forked(lambda: open_error(path), nobody)
        folder.chmod(0o700)
