"""Checksums: reading damaged bytes raises an error; older files are upgraded."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any, cast
from zlib import crc32

import apsw
import pytest

from dynamodb_engine import Engine, GetItem, PutItem, Settings, StorageError, TransactWriteItems
from dynamodb_engine.engine import Retention
from dynamodb_engine.engine.file_check import check_file
from dynamodb_engine.engine.storage.sqlite.checksums import row_checksum
from dynamodb_engine.engine.storage.sqlite.page_checksums import checksum_vfs
from dynamodb_engine.operations import Put, SweepExpired, TransactWriteItem
from tests.engine.sample_file import COUNT, MADE, create_sample, item, read_sample

# The ids of rows are positions of changes, in an index after a multiple of 2**40.
SECOND, THIRD, FOURTH, LONG = (f"id % (1 << 40) = {position}" for position in (3, 5, 7, 17))
LONG_PLACE = "partition key 'user#3' and sort key 8 in table 'users'"
OTHER = f"(SELECT item FROM items_1 WHERE {SECOND})"


@pytest.fixture(scope="session")
def sample(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("sample") / "sample.db"
    create_sample(path)
    return path.read_bytes()


@pytest.fixture
def path(tmp_path: Path, sample: bytes) -> Path:
    path = tmp_path / "sample.db"
    path.write_bytes(sample)
    return path


def change(path: Path, *statements: str, vfs: str | None = None) -> None:
    with closing(apsw.Connection(str(path), vfs=vfs or checksum_vfs())) as file:
        for statement in statements:
            file.execute(statement)


def test_intact_file_is_read(path: Path) -> None:
    read_sample(path)


# SQLite's own tools do not know the checksums of pages.
@pytest.mark.parametrize(
    "statement",
    [
        f"UPDATE items_1 SET item = replace(item, 'open', 'shut') WHERE {THIRD}",
        f"UPDATE index_1_1 SET size = 7 WHERE {THIRD}",
        "UPDATE changes SET moment = 0 WHERE position = 4",
        "UPDATE tables SET record = replace(record, '0123', '0124')",
    ],
)
def test_change_of_another_program_is_an_error(path: Path, statement: str) -> None:
    change(path, statement, vfs="unix")
    with pytest.raises(StorageError, match=rf"a page of the file is damaged.*check {path}"):
        read_sample(path)


# Each is in an intact page. Rows that are longer than a page have checksums.
@pytest.mark.parametrize(
    ("statement", "place"),
    [
        (f"UPDATE items_1 SET item = replace(item, 'open', 'shut') WHERE {LONG}", LONG_PLACE),
        (f"UPDATE items_1 SET item = {OTHER} WHERE {LONG}", LONG_PLACE),
        (f"UPDATE items_1 SET size = size + 1 WHERE {LONG}", LONG_PLACE),
        (f"UPDATE items_1 SET size = size + (1 << 32) WHERE {LONG}", LONG_PLACE),
        (f"UPDATE items_1 SET item = CAST(item AS TEXT) WHERE {LONG}", LONG_PLACE),
        (f"UPDATE items_1 SET sort = x'c0ff' WHERE {LONG}", r"sort key '\\xc0\\xff' in table"),
        (
            f"UPDATE index_1_2 SET item = replace(item, 'open', 'shut') WHERE {LONG}",
            "key 'open' and sort key 8, 'user#3', 8 in index 'by_status' of table 'users'",
        ),
        ("UPDATE changes SET new = old, old = new WHERE position = 18", "Change 18 of the change"),
        ("UPDATE changes SET moment = 0 WHERE position = 18", "Change 18 of the change feed"),
        ("UPDATE changes SET position = 1000 WHERE position = 18", "Change 1000 of the change"),
        ("DELETE FROM changes WHERE position = 4", "The change feed between 3 and 5"),
        ("UPDATE tables SET record = replace(record, '0123', '0124')", "record of table 'users'"),
    ],
)
def test_changed_row_is_an_error_with_its_place(path: Path, statement: str, place: str) -> None:
    change(path, statement)
    with pytest.raises(StorageError) as raised:
        read_sample(path)
    assert place in str(raised.value)
    assert f"dynamodb-engine check {path}" in str(raised.value)


def test_intact_items_beside_a_damaged_one_are_read(path: Path) -> None:
    change(path, f"UPDATE items_1 SET item = {OTHER} WHERE {LONG}")
    with Engine.on_file(path) as engine:
        for number in range(COUNT):
            get = GetItem("users", {name: item(number)[name] for name in ("pk", "sk")})
            if number == 8:
                with pytest.raises(StorageError, match="'user#3'"):
                    engine.execute(get)
            else:
                assert engine.execute(get).item == item(number)


def test_damaged_size_of_the_change_feed_is_an_error(path: Path) -> None:
    change(path, "UPDATE change_blocks SET bytes = x'00' WHERE position = 64")
    settings = Settings(clock=lambda: MADE, retention=Retention(bytes=1))
    puts = [TransactWriteItem(put=Put("users", item(COUNT + number))) for number in range(64)]
    with (
        Engine.on_file(path, settings) as engine,
        pytest.raises(StorageError, match="recorded size of the change feed was changed"),
    ):
        engine.execute(TransactWriteItems(puts))


def test_damaged_token_is_an_error(path: Path) -> None:
    change(path, "UPDATE tokens SET request = x'00'")
    same = TransactWriteItem(put=Put("users", item(1)))
    with (
        Engine.on_file(path, Settings(clock=lambda: MADE)) as engine,
        pytest.raises(StorageError, match="The idempotency token 'token'"),
    ):
        engine.execute(TransactWriteItems([same], client_request_token="token"))


# The error must not keep the statement, and with it the snapshot, open.
def test_reader_sees_new_commits_after_a_damaged_item(path: Path) -> None:
    change(path, f"UPDATE items_1 SET item = {OTHER} WHERE {LONG}")
    damaged, other = (
        GetItem("users", {name: item(number)[name] for name in ("pk", "sk")}) for number in (8, 3)
    )
    with Engine.on_file(path) as engine:
        with pytest.raises(StorageError) as raised:
            engine.execute(damaged)
        engine.execute(PutItem("users", item(3) | {"text": {"S": "new"}}))
        assert engine.execute(other).item == item(3) | {"text": {"S": "new"}}
    assert raised.value


# The time follows from the item, so a sweep deletes no item that expires later.
@pytest.mark.parametrize(
    "damage",
    [f"expires = {int(MADE)}", f"item = {OTHER}", "checksum = 5"],
)
@pytest.mark.parametrize("limit", [7, 1000])
def test_sweep_keeps_damaged_items_deletes_the_others_and_raises_an_error(
    path: Path, damage: str, limit: int
) -> None:
    change(path, f"UPDATE items_1 SET {damage} WHERE {THIRD} OR {FOURTH}")
    removed: list[int] = []

    def sweep_all(engine: Engine) -> None:
        while (swept := engine.execute(SweepExpired(limit=limit))).more:
            removed.append(swept.removed)

    after_all = MADE + 2_000_000
    with Engine.on_file(path, Settings(clock=lambda: after_all)) as engine:
        with pytest.raises(StorageError, match="in table 'users' or its expiry time"):
            sweep_all(engine)
        assert (sum(removed), len(removed)) == (COUNT - 2, -(-(COUNT - 2) // limit))
    with closing(apsw.Connection(str(path))) as file:
        assert list(file.execute("SELECT id FROM items_1 ORDER BY id")) == [(5,), (7,)]


def test_sweep_of_a_copy_in_memory_reports_a_wrong_time_too(path: Path) -> None:
    change(path, f"UPDATE items_1 SET expires = {int(MADE)} WHERE {THIRD}")
    with (
        Engine.on_file(path, Settings(clock=lambda: MADE + 1)) as engine,
        engine.copy() as copy,
        pytest.raises(StorageError, match="in table 'users' or its expiry time"),
    ):
        copy.execute(SweepExpired())


@pytest.mark.parametrize(
    ("version", "release"), [(3, "the release that wrote it"), (7, "a newer release")]
)
def test_other_format_is_rejected(path: Path, version: int, release: str) -> None:
    change(path, f"PRAGMA user_version = {version}")
    with pytest.raises(StorageError, match=rf"format {version}, .* formats 4 to 6\. Use {release}"):
        Engine.on_file(path)


def to_format_5(path: Path) -> None:
    """Give every row a checksum and an id from one on, as the release before did."""
    with closing(apsw.Connection(str(path), vfs=checksum_vfs())) as file:
        file.create_scalar_function("checksum_of", cast("Any", row_checksum), 5)
        names = "SELECT name FROM sqlite_schema WHERE name GLOB 'i[tn]*_1*' AND type = 'table'"
        for (name,) in list(file.execute(names)):
            columns = f"{crc32(name.encode())}, partition, sort, size, item"
            file.execute(f"UPDATE {name} SET checksum = checksum_of({columns})")
            file.execute(f"CREATE TEMP TABLE old AS SELECT * FROM {name} ORDER BY id")
            file.execute(f"DELETE FROM {name}")
            columns = "rowid, partition, sort, size, expires, checksum, item"
            file.execute(f"INSERT INTO {name} SELECT {columns} FROM old")
            file.execute("DROP TABLE old")
        file.execute("PRAGMA user_version = 5")


def test_file_of_the_format_before_is_upgraded(path: Path) -> None:
    to_format_5(path)
    assert not check_file(path).problems
    for _ in range(2):
        read_sample(path)
        assert not check_file(path).problems
    with Engine.on_file(path, Settings(clock=lambda: MADE)) as engine:
        engine.execute(PutItem("users", item(COUNT)))
    assert not check_file(path).problems


def test_damaged_row_of_the_format_before_is_an_error(path: Path) -> None:
    to_format_5(path)
    change(path, "UPDATE items_1 SET item = (SELECT item FROM items_1 WHERE id = 2) WHERE id = 3")
    intact = path.read_bytes()
    with pytest.raises(StorageError, match="a row of items_1 does not match its checksum"):
        Engine.on_file(path)
    assert path.read_bytes() == intact
    assert any("does not match its checksum" in each.what for each in check_file(path).problems)
