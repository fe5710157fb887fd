"""Checksums: reading damaged bytes raises an error with their place; older files are upgraded."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import apsw
import pytest

from dynamodb_engine import Engine, GetItem, PutItem, Settings, StorageError, TransactWriteItems
from dynamodb_engine.engine import Retention
from dynamodb_engine.operations import Put, SweepExpired, TransactWriteItem
from tests.engine.sample_file import COUNT, MADE, create_sample, item, read_sample

OTHER = "(SELECT item FROM items_1 WHERE id = 2)"


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


def change(path: Path, *statements: str) -> None:
    with closing(apsw.Connection(str(path))) as file:
        for statement in statements:
            file.execute(statement)


def test_intact_file_is_read(path: Path) -> None:
    read_sample(path)


# Each is a valid row with valid JSON, so that only a checksum can tell.
@pytest.mark.parametrize(
    ("statement", "place"),
    [
        ("UPDATE items_1 SET item = replace(item, 'open', 'shut') WHERE id = 3", "table 'users'"),
        (f"UPDATE items_1 SET item = {OTHER} WHERE id = 3", "table 'users'"),
        ("UPDATE items_1 SET size = size + 1 WHERE id = 3", "table 'users'"),
        ("UPDATE items_1 SET size = size + (1 << 32) WHERE id = 3", "table 'users'"),
        ("UPDATE items_1 SET item = CAST(item AS TEXT) WHERE id = 3", "table 'users'"),
        (
            "UPDATE items_1 SET (size, item, checksum) = "
            "(SELECT size, item, checksum FROM items_1 WHERE id = 2) WHERE id = 3",
            "partition key 'user#2' and sort key 2 in table 'users'",
        ),
        (
            "UPDATE index_1_2 SET item = replace(item, 'open', 'shut') WHERE id = 2",
            "key 'open' and sort key 1, 'user#1', 1 in index 'by_status' of table 'users'",
        ),
        (
            "UPDATE index_1_1 SET size = 7 WHERE id = 2",
            "key 'user#1' and sort key 'open', 'user#1', 1 in index 'by_user' of table 'users'",
        ),
        ("UPDATE items_1 SET sort = x'c0ff' WHERE id = 3", r"sort key '\\xc0\\xff' in table"),
        ("UPDATE changes SET new = old, old = new WHERE position = 4", "Change 4 of the change"),
        ("UPDATE changes SET new = CAST(new AS TEXT) WHERE position = 4", "Change 4 of the change"),
        ("UPDATE changes SET moment = 0 WHERE position = 4", "Change 4 of the change feed"),
        ("UPDATE changes SET position = 1000 WHERE position = 4", "Change 1000 of the change"),
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
    change(path, f"UPDATE items_1 SET item = {OTHER} WHERE id = 3")
    with Engine.on_file(path) as engine:
        for number in range(COUNT):
            get = GetItem("users", {name: item(number)[name] for name in ("pk", "sk")})
            if number == 2:
                with pytest.raises(StorageError, match="'user#2'"):
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
    change(path, f"UPDATE items_1 SET item = {OTHER} WHERE id = 3")
    damaged, other = (
        GetItem("users", {name: item(number)[name] for name in ("pk", "sk")}) for number in (2, 3)
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
    [f"expires = {int(MADE)}", f"item = {OTHER}", "item = x'00'", "sort = 5", "size = 'x'"],
)
@pytest.mark.parametrize("limit", [7, 1000])
def test_sweep_keeps_damaged_items_deletes_the_others_and_raises_an_error(
    path: Path, damage: str, limit: int
) -> None:
    change(path, f"UPDATE items_1 SET {damage} WHERE id IN (3, 4)")
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
        assert list(file.execute("SELECT id FROM items_1 ORDER BY id")) == [(3,), (4,)]


def test_sweep_of_a_copy_in_memory_reports_a_wrong_time_too(path: Path) -> None:
    change(path, f"UPDATE items_1 SET expires = {int(MADE)} WHERE id = 3")
    with (
        Engine.on_file(path, Settings(clock=lambda: MADE + 1)) as engine,
        engine.copy() as copy,
        pytest.raises(StorageError, match="in table 'users' or its expiry time"),
    ):
        copy.execute(SweepExpired())


def test_copy_in_memory_has_no_checksums(path: Path) -> None:
    with Engine.on_file(path) as engine, engine.copy() as copy:
        copy.execute(TransactWriteItems([TransactWriteItem(put=Put("users", item(COUNT + 1)))]))
        get = GetItem("users", {name: item(3)[name] for name in ("pk", "sk")})
        assert copy.execute(get).item == item(3)


@pytest.mark.parametrize(
    ("version", "release"), [(3, "the release that wrote it"), (6, "a newer release")]
)
def test_other_format_is_rejected(path: Path, version: int, release: str) -> None:
    change(path, f"PRAGMA user_version = {version}")
    with pytest.raises(StorageError, match=rf"format {version}, .* formats 4 to 5\. Use {release}"):
        Engine.on_file(path)
