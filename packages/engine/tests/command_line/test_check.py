"""`dynamodb-engine check` finds damage in a file, and copies everything intact to a new one."""

from __future__ import annotations

import errno
import json
import os
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from drills.io_errors import Interruption
from drills.system_calls import Fault, replaced_system_calls
from dynamodb_engine import Engine, ReadChanges, Scan, TrimmedDataAccess
from dynamodb_engine.engine.file_repair import repair_file
from dynamodb_engine.engine.storage import values_checksum
from tests.engine.sample_file import COUNT, create_sample, read_sample
from tools.testing.commands import Run
from tools.testing.processes import start_script

# The ids of rows are positions of changes, in an index after a multiple of 2**40.
FOURTH, SIXTH, LONG = (f"id % (1 << 40) = {position}" for position in (7, 11, 49))
# Rows that are longer than a page have a checksum.
ALTERED = f"UPDATE items_1 SET item = replace(item, 'closed', 'shut') WHERE {LONG}"


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("sample") / "sample.db"
    create_sample(path)
    return path.read_bytes()


@pytest.fixture(autouse=True)
def file(folder: Path, sample: bytes) -> Path:
    (folder / "votes.db").write_bytes(sample)
    return folder / "votes.db"


def change(path: Path, *statements: str) -> None:
    with closing(apsw.Connection(str(path))) as file:
        for statement in statements:
            file.execute(statement)


def test_intact_file_has_no_problems_and_is_not_touched(run: Run, file: Path) -> None:
    before = file.read_bytes()
    code, out, err = run("check", "votes.db")
    assert (code, err) == (0, "")
    assert f"users: {COUNT} items" in out
    assert "change feed: 122 changes" in out
    assert "No problems in votes.db." in out
    assert file.read_bytes() == before
    assert [each.name for each in file.parent.iterdir()] == ["votes.db"]


@pytest.mark.parametrize(
    ("options", "shown"), [((), "Checking"), (("--repair", "new.db"), "Repairing")]
)
def test_progress_is_shown_on_a_terminal(
    run: Run, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], shown: str
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    code, _, err = run("check", "votes.db", *options)
    assert (code, shown in err) == (0, True)


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        (ALTERED, "pk 'user#4' and sk '24' in table 'users': does not match its checksum"),
        (
            f"UPDATE items_1 SET item = x'7b' WHERE {FOURTH}",
            "in table 'users': cannot be decoded",
        ),
        (
            f"""UPDATE items_1 SET item = replace(item, '"S"', '"R"') WHERE {FOURTH}""",
            "in table 'users': cannot be decoded",
        ),
        (
            f"""UPDATE items_1 SET item = replace(item, '"3"', '"3e999"') WHERE {FOURTH}""",
            "in table 'users': cannot be decoded",
        ),
        (
            f"UPDATE items_1 SET item = replace(hex(zeroblob(9000)), '00', '{{\"M\":') "
            f"WHERE {FOURTH}",
            "in table 'users': cannot be decoded",
        ),
        (f"UPDATE items_1 SET size = 5 WHERE {FOURTH}", "but its stored size is 5"),
        (f"UPDATE items_1 SET expires = 5 WHERE {FOURTH}", "has a wrong expiry time"),
        (
            f"DELETE FROM items_1 WHERE {FOURTH}",
            "has 40 entries, but the table has items for only 39",
        ),
        (
            f"DELETE FROM index_1_1 WHERE {FOURTH}",
            "Index 'by_user' of table 'users': has no entry for the item with pk 'user#3'",
        ),
        (f"UPDATE index_1_2 SET size = 5 WHERE {FOURTH}", "differs from the item with pk 'user#3'"),
        ("DROP TABLE index_1_2", "Table 'users': has no rows in the file: index_1_2"),
        ("CREATE TABLE items_7 (x)", "The rows items_7: belong to no table"),
        ("UPDATE tables SET record = x'7b'", "The record of table 'users': is damaged"),
        ("DELETE FROM changes WHERE position = 9", "has no changes between 8 and 10"),
        ("UPDATE changes SET new = NULL WHERE position = 9", "bytes up to change 64, but recorded"),
        ("UPDATE change_blocks SET bytes = 5", "up to change 64, but recorded 5"),
        ("UPDATE changes SET old = 5 WHERE position = 9", "has values of wrong types"),
        ("UPDATE sqlite_sequence SET seq = 0", "is 0, but table number 1 exists"),
        ("UPDATE tokens SET moment = 5", "An idempotency token: is damaged"),
    ],
)
def test_problem_is_reported(run: Run, file: Path, statement: str, problem: str) -> None:
    change(file, statement)
    code, out, _ = run("check", "votes.db")
    assert code == 1
    assert problem in out
    assert "dynamodb-engine check votes.db --repair repaired.db" in out


# A terminal would execute them.
def test_escape_sequences_in_names_are_escaped(run: Run, file: Path) -> None:
    with closing(apsw.Connection(str(file))) as connection:
        ((record,),) = connection.execute("SELECT record FROM tables")
        values = (1, "\x1b[2J", record.replace(b'"users"', b'"\\u001b[2J"'))
        statement = "UPDATE tables SET name = ?, record = ?, checksum = ?"
        connection.execute(statement, (*values[1:], values_checksum(values)))
    _, out, _ = run("check", "votes.db")
    assert ("\x1b" in out, "\\x1b[2J: 40 items" in out) == (False, True)


def test_file_in_use_is_checked(run: Run, file: Path) -> None:
    script = "e = Engine.on_file(path); print('ready', flush=True); sys.stdin.read()"
    with start_script(script, file) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "ready\n"
        code, out, _ = run("check", "votes.db")
        refused = run("check", "votes.db", "--repair", "new.db")
        holder.kill()
    assert (code, "The file is in use" in out) == (0, True)
    assert (refused[0], "Close it there first" in refused[2]) == (2, True)


def test_repair_builds_indexes_without_damaged_items(run: Run, file: Path) -> None:
    change(
        file,
        ALTERED,
        "DELETE FROM index_1_1",
        f"UPDATE items_1 SET expires = 5 WHERE {SIXTH}",
        "UPDATE change_blocks SET bytes = 5",
        "UPDATE changes SET moment = 5 WHERE position = 17",
    )
    code, out, _ = run("check", "votes.db", "--repair", "new.db")
    assert code == 1
    assert f"Wrote {COUNT - 1} items and 105 changes to new.db." in out
    assert "pk 'user#4' and sk '24' in table 'users'" in out
    lost = Path("new.db.lost.jsonl")
    assert json.loads(lost.read_text())["table"] == "users"
    assert '"shut"' in json.loads(lost.read_text())["item"]
    assert [Path(name).stat().st_mode & 0o777 for name in ("new.db", lost)] == [0o600, 0o600]
    assert run("check", "new.db")[0] == 0
    with Engine.on_file("new.db") as engine, pytest.raises(TrimmedDataAccess):
        engine.execute(ReadChanges(after=16))


def test_repair_can_accept_items_that_can_be_decoded(run: Run, file: Path) -> None:
    change(file, f"UPDATE items_1 SET checksum = 5 WHERE {FOURTH}")
    code, out, _ = run("check", "votes.db", "--repair", "new.db", "--accept-items")
    assert (code, "1 item may be damaged" in out) == (0, True)
    read_sample(Path("new.db"))
    assert not Path("new.db.lost.jsonl").exists()
    assert run("check", "votes.db", "--repair", "new.db")[0] == 2  # nothing is overwritten


# If positions were used twice, readers would miss changes.
def test_repair_continues_the_feed_after_a_damaged_end(run: Run, file: Path) -> None:
    change(file, "UPDATE changes SET moment = 5 WHERE position = 122")
    assert "1 change to new.db" in run("check", "votes.db", "--repair", "new.db")[1]
    with Engine.on_file("new.db") as engine:
        assert engine.execute(ReadChanges(after=None)).position == 123


def test_keys_of_unreadable_rows_are_listed(run: Run, file: Path) -> None:
    change(file, "DELETE FROM changes", "VACUUM")
    intact = file.read_bytes()
    place = intact.index(b'"sk":{"N":"9"}') // 4096 * 4096
    file.write_bytes(intact[:place] + bytes(4096) + intact[place + 4096 :])
    code, out, _ = run("check", "votes.db", "--repair", "new.db")
    assert code == 1
    assert "The item with partition key 'user#4' and sort key 9 in table 'users'" in out
    assert run("check", "new.db")[0] == 0


# A page of the file is 4,096 bytes.
def damage_pages(file: Path, *contents: bytes) -> None:
    """Overwrite the pages of the table in which these bytes are."""
    intact = file.read_bytes()
    for each in contents:
        place = intact.rindex(each) // 4096 * 4096
        intact = intact[:place] + bytes(4096) + intact[place + 4096 :]
    file.write_bytes(intact)


def test_repair_keeps_rows_between_damaged_pages(run: Run, file: Path) -> None:
    change(file, "DELETE FROM changes", "DROP TABLE index_1_1", "DROP TABLE index_1_2", "VACUUM")
    damage_pages(file, b'"sk":{"N":"1"}', b'"sk":{"N":"38"}')
    assert run("check", "votes.db", "--repair", "new.db")[0] == 1
    assert run("check", "new.db")[0] == 0
    with Engine.on_file("new.db") as engine:
        kept = {int(each["sk"]["N"]) for each in engine.execute(Scan("users")).items or ()}
    assert set(range(15, 25)) <= kept
    assert not {1, 38} & kept


def test_file_without_its_end_can_be_repaired(run: Run, file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-8192])
    code, out, _ = run("check", "votes.db")
    assert (code, "SQLite: cannot open the file" in out) == (1, True)
    code, out, _ = run("check", "votes.db", "--repair", "new.db")
    assert (code, "Wrote 40 items" in out, "Not copied" in out) == (1, True, True)
    assert "lost.jsonl" not in out  # there is none
    assert not Path("new.db.lost.jsonl").exists()
    assert run("check", "new.db")[0] == 0


# If positions were used twice, readers would miss changes.
def test_repair_continues_the_feed_after_changes_that_cannot_be_read(run: Run, file: Path) -> None:
    with closing(apsw.Connection(str(file))) as connection:
        ((root,),) = connection.execute("SELECT rootpage FROM sqlite_schema WHERE name = 'changes'")
    intact = file.read_bytes()
    file.write_bytes(intact[: (root - 1) * 4096] + bytes(4096) + intact[root * 4096 :])
    assert "40 items and 1 change to new.db" in run("check", "votes.db", "--repair", "new.db")[1]
    assert run("check", "new.db")[0] == 0
    with Engine.on_file("new.db") as engine, pytest.raises(TrimmedDataAccess):
        engine.execute(ReadChanges(after=122))


# SQLite ends a log at the first damaged frame, as if the process had been killed there.
def test_log_is_read_through_links_and_checked(run: Run, folder: Path, file: Path) -> None:
    script = "e = with_table(Engine.on_file(path)); put(e, 'a', 'b'); os.kill(os.getpid(), 9)"
    start_script(script, file).communicate()
    (folder / "link.db").symlink_to(file)
    code, out, _ = run("check", "link.db")
    assert (code, "things: 2 items" in out) == (0, True)
    Path("votes.db-shm").unlink()
    log = Path("votes.db-wal").read_bytes()
    Path("votes.db-wal").write_bytes(log[:100] + b"damage" + log[106:])
    code, out, _ = run("check", "votes.db")
    assert (code, "SQLite ignores the last 3 commits" in out) == (1, True)


@pytest.mark.parametrize("call", [15, 4000])
def test_interrupted_repair_leaves_no_files(folder: Path, file: Path, call: int) -> None:
    with pytest.raises(KeyboardInterrupt), Interruption(call, KeyboardInterrupt)():
        repair_file(file, folder / "new.db", folder / "lost.jsonl")
    assert list(folder.iterdir()) == [file]


def test_repair_on_a_full_disk_leaves_no_files(run: Run, folder: Path, file: Path) -> None:
    with replaced_system_calls() as calls:
        calls.fault = Fault("pwrite", 20, errno.ENOSPC, permanent=True)
        assert "'new.db' cannot be written: the disk is full" in run.rejected(
            "check", "votes.db", "--repair", "new.db"
        )
    assert list(folder.iterdir()) == [file]


def test_accepting_items_requires_a_repair(run: Run) -> None:
    assert "--accept-items requires --repair" in run.rejected("check", "votes.db", "--accept-items")


@pytest.mark.parametrize("name", ["pipe", "folder", "empty.db"])
def test_other_kinds_of_files_cannot_be_checked(run: Run, folder: Path, name: str) -> None:
    os.mkfifo(folder / "pipe")
    (folder / "folder").mkdir()
    (folder / "empty.db").touch()
    assert name in run.rejected("check", name)


@pytest.mark.parametrize("name", ["missing/new.db", ".", "link.db"])
def test_repair_rejects_a_file_that_cannot_be_created(run: Run, folder: Path, name: str) -> None:
    (folder / "link.db").symlink_to("elsewhere.db")
    code, _, err = run("check", "votes.db", "--repair", name)
    assert (code, "Traceback" in err) == (2, False)
    assert not (folder / "elsewhere.db").exists()
