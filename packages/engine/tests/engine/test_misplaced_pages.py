"""A page at the place of another, or an older version of it, is never read as other data.

A disk may write an intact page to a wrong place, or lose a write. Two tables have the same keys, so
that only the ids of rows distinguish their pages; some rows and keys are longer than a page.
"""

from __future__ import annotations

import itertools
import os
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from dynamodb_engine import (
    CreateTable,
    DeleteItem,
    Engine,
    EngineError,
    GetItem,
    Item,
    PutItem,
    Query,
    ReadChanges,
    Scan,
    Settings,
    StorageError,
)
from dynamodb_engine.operations import (
    AttributeDefinition,
    ChangeRecord,
    GlobalSecondaryIndex,
    KeySchemaElement,
    Projection,
)

PAGE = 4096
CASES = 5 * int(os.environ.get("FUZZ_EXAMPLES", "20"))
SETTINGS = Settings(clock=lambda: 1_790_000_000.0, durable=False)
TABLES = ("left", "right")
COUNT, NEW_COUNT = 60, 75
CHANGED, DELETED = range(0, COUNT, 3), range(50, COUNT)


def item(table: str, number: int, text: str = "a") -> Item:
    """Return an item; every eighth is longer than a page, and every sixteenth has a long key."""
    return {
        **key(number),
        "group": {"S": f"group {number % 2}"},
        "number": {"N": str(number)},
        "text": {"S": (table[0] + text) * (3000 if number % 8 == 0 else 60)},
    }


def key(number: int) -> Item:
    """Return the key of an item."""
    partition = "p" * (1 if number % 16 else 1200) + str(number % 3)
    return {"pk": {"S": partition}, "sk": {"S": f"{number:04}"}}


def create_files(path: Path) -> tuple[bytes, bytes]:
    """Return a file and its next version, in which items were changed, deleted and added."""
    names = ("pk", "sk", "group")
    status = [KeySchemaElement("group", "HASH"), KeySchemaElement("sk", "RANGE")]
    with Engine.on_file(path, SETTINGS) as engine:
        for table in TABLES:
            engine.execute(
                CreateTable(
                    table,
                    [AttributeDefinition(name, "S") for name in names],
                    [KeySchemaElement("pk", "HASH"), KeySchemaElement("sk", "RANGE")],
                    billing_mode="PAY_PER_REQUEST",
                    global_secondary_indexes=[
                        GlobalSecondaryIndex("by_group", status, Projection("ALL"))
                    ],
                )
            )
        for number in range(COUNT):
            for table in TABLES:
                engine.execute(PutItem(table, item(table, number)))
    before = path.read_bytes()
    with Engine.on_file(path, SETTINGS) as engine:
        for table in TABLES:
            for number in CHANGED:
                engine.execute(PutItem(table, item(table, number, "b")))
            for number in DELETED:
                engine.execute(DeleteItem(table, key(number)))
            for number in range(COUNT, NEW_COUNT):
                engine.execute(PutItem(table, item(table, number)))
    return before, path.read_bytes()


@pytest.fixture(scope="module")
def versions(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, bytes]:
    return create_files(tmp_path_factory.mktemp("versions") / "sample.db")


def read(engine: Engine, request: Query | Scan | GetItem) -> list[Item]:
    """Return the items that a request returns; none if it raises an error."""
    try:
        if not isinstance(request, GetItem):
            return engine.execute(request).items
        item = engine.execute(request).item
        return [] if item is None else [item]
    except EngineError:
        return []


def read_results(engine: Engine) -> Iterator[tuple[str, list[Item]]]:
    """Read everything in every way; yield the table and the items of each result."""
    for table in TABLES:
        for index in (None, "by_group"):
            yield table, read(engine, Scan(table, index_name=index))
        for index, name, values in (
            (None, "pk", [key(number)["pk"] for number in (0, 1, 2, 16, 32)]),
            ("by_group", "#g", [item(table, number)["group"] for number in (0, 1)]),
        ):
            for value in values:
                for forward in (True, False):
                    query = Query(
                        table,
                        index_name=index,
                        key_condition_expression=f"{name} = :value",
                        expression_attribute_values={":value": value},
                        expression_attribute_names={"#g": "group"} if index else None,
                        scan_index_forward=forward,
                    )
                    items = read(engine, query)
                    assert all(value in (found["pk"], found["group"]) for found in items)
                    yield table, items
        for number in range(NEW_COUNT):
            items = read(engine, GetItem(table, key(number)))
            assert all(key(number).items() <= found.items() for found in items)
            yield table, items


def read_changes(path: Path) -> list[ChangeRecord]:
    with Engine.on_file(path, SETTINGS) as engine:
        return list(engine.execute(ReadChanges(after=0, limit=1000)).changes)


@pytest.mark.parametrize("kind", ["moved", "older"])
def test_misplaced_page_never_returns_other_data(
    versions: tuple[bytes, bytes], tmp_path: Path, kind: str
) -> None:
    before, after = versions
    path = tmp_path / "damaged.db"
    path.write_bytes(after)
    changes = read_changes(path)
    chance = random.Random(kind)
    for _ in range(CASES):
        place = PAGE * chance.randrange(len(before) // PAGE)
        source = PAGE * chance.randrange(len(after) // PAGE)
        page = before[place:][:PAGE] if kind == "older" else after[source:][:PAGE]
        path.write_bytes(after[:place] + page + after[place + PAGE :])
        try:
            with Engine.on_file(path, SETTINGS) as engine:
                for table, items in read_results(engine):
                    check_items(table, items, allow_older=kind == "older")
            if kind == "moved":
                assert all(change in changes for change in read_changes(path))
        except EngineError:
            pass  # the file cannot be opened, or the feed not be read


def check_items(table: str, items: list[Item], *, allow_older: bool) -> None:
    """Raise AssertionError unless each item is one of the table, as it was written."""
    numbers = [int(found["number"]["N"]) for found in items]
    assert len(set(numbers)) == len(numbers)
    for number, found in zip(numbers, items, strict=True):
        newest = item(table, number, "b" if number in CHANGED else "a")
        assert found == newest or (allow_older and found == item(table, number))
        assert allow_older or number not in DELETED


@pytest.mark.parametrize("forward", [True, False])
def test_index_page_at_the_place_of_a_sibling_is_an_error(tmp_path: Path, forward: bool) -> None:
    path = tmp_path / "damaged.db"
    with Engine.on_file(path, SETTINGS) as engine:
        engine.execute(
            CreateTable(
                "things",
                [AttributeDefinition("pk", "S"), AttributeDefinition("sk", "S")],
                [KeySchemaElement("pk", "HASH"), KeySchemaElement("sk", "RANGE")],
                billing_mode="PAY_PER_REQUEST",
            )
        )
        for number in range(600):
            engine.execute(PutItem("things", {"pk": {"S": "p"}, "sk": {"S": f"{number:04}"}}))
    contents = path.read_bytes()
    pages = [contents[start:][:PAGE] for start in range(0, len(contents), PAGE)]
    # Pages of the index of keys: a leaf starts with 10, and has the sort keys without their names.
    leaves = [n for n, page in enumerate(pages) if page[0] == 10 and page.count(b"p0") > 50]
    assert len(leaves) > 2
    query = Query(
        "things",
        key_condition_expression="pk = :pk",
        expression_attribute_values={":pk": {"S": "p"}},
        scan_index_forward=forward,
    )
    for place, source in itertools.permutations(leaves, 2):
        moved = [*pages[:place], pages[source], *pages[place + 1 :]]
        path.write_bytes(b"".join(moved))
        for request in (query, Scan("things")):
            with (
                Engine.on_file(path, SETTINGS) as engine,
                pytest.raises(StorageError, match="in table 'things' was changed"),
            ):
                engine.execute(request)
