"""The counts that DescribeTable shows are those of the stored items, whatever happened before."""

from __future__ import annotations

import random
import shutil
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import apsw
import pytest

from dynamodb_engine import (
    DeleteItem,
    DeleteTable,
    Engine,
    EngineError,
    Item,
    PutItem,
    Scan,
    Settings,
    TransactWriteItems,
    UpdateItem,
    UpdateTable,
)
from dynamodb_engine.engine.file_backup import back_up_file
from dynamodb_engine.engine.file_check import check_file
from dynamodb_engine.engine.file_repair import repair_file
from dynamodb_engine.operations import (
    DeleteGlobalSecondaryIndexAction,
    DescribeTable,
    Driver,
    GlobalSecondaryIndexUpdate,
    ListTables,
    Put,
    TransactWriteItem,
)
from dynamodb_engine.values import item_size
from tests.conformance.table_requests import add_index, added
from tests.engine.sample_file import MADE, create_sample
from tools.testing.processes import create_table

TABLES = ("first", "second")
SETTINGS = Settings(clock=lambda: MADE, durable=False)


def shown_counts(engine: Driver) -> dict[str, tuple[int, int]]:
    """Return the items and bytes of all tables and indexes as DescribeTable shows them."""
    shown: dict[str, tuple[int, int]] = {}
    for name in engine.execute(ListTables()).table_names:
        table = engine.execute(DescribeTable(name)).table
        shown[name] = table.item_count, table.table_size_bytes
        for index in table.global_secondary_indexes or ():
            shown[f"{name} {index.index_name}"] = index.item_count, index.index_size_bytes
        for local in table.local_secondary_indexes or ():
            shown[f"{name} {local.index_name}"] = local.item_count, local.index_size_bytes
    return shown


def actual_counts(engine: Driver) -> dict[str, tuple[int, int]]:
    """Return the items and bytes of all tables and indexes as scans find them."""
    actual: dict[str, tuple[int, int]] = {}
    for name in shown_counts(engine):
        table, _, index = name.partition(" ")
        items = list(engine.execute(Scan(table, index_name=index or None)).items or ())
        actual[name] = len(items), sum(map(item_size, items))
    return actual


def random_item(chance: random.Random) -> Item:
    """Return an item that an index on `g` has, has not, or cannot have."""
    key, text = f"item {chance.randrange(30)}", "x" * chance.randrange(9)
    item: Item = {"pk": {"S": key}, "text": {"S": text}}
    if chance.random() < 0.7:
        item["g"] = {"S": chance.choice(["", "a", "b", "long" * 1000])}
    return item


def random_request(chance: random.Random) -> Any:
    """Return a request that changes something."""
    table, item = chance.choice(TABLES), random_item(chance)
    key = {"pk": item["pk"]}
    update = UpdateItem(
        table,
        key,
        update_expression="SET #text = :text",
        expression_attribute_names={"#text": "text"},
        expression_attribute_values={":text": item["text"]},
    )
    pair: list[Item] = [item, {**random_item(chance), "pk": {"S": "last"}}]
    transaction = [TransactWriteItem(put=Put(table, each)) for each in pair]
    remove_index = DeleteGlobalSecondaryIndexAction("by-g")
    control = [
        create_table(table),
        DeleteTable(table),
        add_index(table, added(), g="S"),
        UpdateTable(
            table, global_secondary_index_updates=[GlobalSecondaryIndexUpdate(delete=remove_index)]
        ),
    ]
    writes = [PutItem(table, item), update, DeleteItem(table, key), TransactWriteItems(transaction)]
    return chance.choice(control if chance.random() < 0.05 else writes)


def execute_some(engine: Engine, chance: random.Random) -> None:
    """Execute some requests, many of which are rejected."""
    for _ in range(chance.randrange(90)):
        with suppress(EngineError):
            engine.execute(random_request(chance))


# A copy of a file and its log is what a crash leaves.
@pytest.mark.parametrize("seed", range(8))
def test_counts_are_right_after_writes_crashes_and_restarts(tmp_path: Path, seed: int) -> None:
    chance, path = random.Random(seed), tmp_path / "0.db"
    for number in range(1, 9):
        crashed = tmp_path / f"{number}.db"
        with Engine.on_file(path, SETTINGS) as engine:
            assert shown_counts(engine) == actual_counts(engine)
            execute_some(engine, chance)
            assert shown_counts(engine) == actual_counts(engine)
            with engine.copy() as copy:
                assert shown_counts(copy) == actual_counts(copy)
            for suffix in ("", "-wal"):
                shutil.copy(f"{path}{suffix}", f"{crashed}{suffix}")
        assert not check_file(path).problems
        path = chance.choice([path, crashed])


# UpdateTable describes the table as the other writes of its group leave it.
def test_update_of_a_table_shows_the_counts_of_its_own_transaction() -> None:
    with Engine.in_memory(SETTINGS) as engine:
        engine.execute(create_table("first"))
        engine.execute(PutItem("first", {"pk": {"S": "a"}}))
        shown = engine.execute(UpdateTable("first", deletion_protection_enabled=True))
        assert shown.table_description.item_count == 1


# Written before its attribute was a key, an item may have a value that no key can have.
def test_update_leaves_an_item_without_a_valid_key_out_of_the_index(tmp_path: Path) -> None:
    path = tmp_path / "first.db"
    item: Item = {"pk": {"S": "a"}, "g": {"S": ""}}
    with Engine.on_file(path, SETTINGS) as engine:
        engine.execute(create_table("first"))
        engine.execute(PutItem("first", item))
        engine.execute(add_index("first", added(), g="S"))
        engine.execute(UpdateItem("first", {"pk": {"S": "a"}}, update_expression="SET b = pk"))
        assert engine.execute(Scan("first", index_name="by-g")).count == 0
    assert not check_file(path).problems


@pytest.fixture
def sample(tmp_path: Path) -> Path:
    """Return a file with a table, whose last changes are not counted yet."""
    path = tmp_path / "sample.db"
    create_sample(path)
    return path


def change(path: Path, *statements: str) -> None:
    """Change a file as another program could."""
    with closing(apsw.Connection(str(path))) as file:
        for statement in statements:
            file.execute(statement)


TO_FORMAT_4 = ("DROP TABLE row_counts", "DROP TABLE log_id", "PRAGMA user_version = 4")


def test_file_of_the_format_before_is_counted_once_when_it_is_opened(sample: Path) -> None:
    change(sample, *TO_FORMAT_4)
    assert not check_file(sample).problems
    for _ in range(2):
        with Engine.on_file(sample, SETTINGS) as engine:
            assert shown_counts(engine) == actual_counts(engine)
    assert not check_file(sample).problems


def test_file_of_the_format_before_can_be_backed_up_and_repaired(
    sample: Path, tmp_path: Path
) -> None:
    change(sample, *TO_FORMAT_4)
    copy, repaired = tmp_path / "copy.db", tmp_path / "repaired.db"
    back_up_file(sample, copy)
    repair_file(sample, repaired, tmp_path / "lost.jsonl")
    for path in (copy, repaired):
        with Engine.on_file(path, SETTINGS) as engine:
            assert shown_counts(engine) == actual_counts(engine)
        assert not check_file(path).problems


# Then the items are counted when the table is described.
@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        ("UPDATE row_counts SET items = items + 1", "The count of the rows"),
        ("DROP TABLE row_counts", "The counts of items cannot be read: no such table"),
        ("DELETE FROM row_counts", "The counts of items have none of the rows items_1"),
        ("UPDATE changes SET new = 0 WHERE position > 70", "does not match its checksum"),
    ],
)
def test_damaged_count_is_reported_and_never_shown(
    sample: Path, statement: str, problem: str
) -> None:
    change(sample, statement)
    report = check_file(sample)
    assert any(problem in f"{each.place} {each.what}" for each in report.problems)
    with Engine.on_file(sample, SETTINGS) as engine:
        assert shown_counts(engine) == actual_counts(engine)


def test_check_reports_a_row_that_another_program_has_deleted(sample: Path) -> None:
    change(sample, "DELETE FROM items_1 WHERE id % (1 << 40) = 5")
    problems = [f"{each.place} {each.what}" for each in check_file(sample).problems]
    assert any("say 40 and" in each and "in the rows items_1, with 39" in each for each in problems)
