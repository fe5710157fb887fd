"""A small database file with everything that a file can contain, always with the same items."""

from __future__ import annotations

from pathlib import Path
from typing import cast

from dynamodb_engine import (
    CreateTable,
    DeleteItem,
    Engine,
    ListTables,
    PutItem,
    Query,
    ReadChanges,
    Scan,
    Settings,
    TransactWriteItems,
)
from dynamodb_engine.operations import (
    AttributeDefinition,
    ChangeRecord,
    GlobalSecondaryIndex,
    KeySchemaElement,
    LocalSecondaryIndex,
    Projection,
    Put,
    TimeToLiveSpecification,
    TransactWriteItem,
    UpdateTimeToLive,
)
from dynamodb_engine.values import Item

MADE = 1_790_000_000.0
COUNT = 40


def item(number: int) -> Item:
    """Return an item; every eighth is larger than a page of the file."""
    return {
        "pk": {"S": f"user#{number % 5}"},
        "sk": {"N": str(number)},
        "status": {"S": "open" if number % 3 else "closed"},
        "text": {"S": "é" * (2_500 if number % 8 == 0 else 20)},
        "expires": {"N": str(int(MADE) + 1_000_000 + number)},
    }


def create_sample(path: Path) -> None:
    """Create the file."""
    settings = Settings(clock=lambda: MADE, new_id=lambda: "0123")
    with Engine.on_file(path, settings) as engine:
        status, sort = KeySchemaElement("status", "HASH"), KeySchemaElement("sk", "RANGE")
        engine.execute(
            CreateTable(
                "users",
                [
                    AttributeDefinition("pk", "S"),
                    AttributeDefinition("sk", "N"),
                    AttributeDefinition("status", "S"),
                ],
                [KeySchemaElement("pk", "HASH"), sort],
                billing_mode="PAY_PER_REQUEST",
                global_secondary_indexes=[
                    GlobalSecondaryIndex("by_status", [status, sort], Projection("ALL"))
                ],
                local_secondary_indexes=[
                    LocalSecondaryIndex(
                        "by_user",
                        [KeySchemaElement("pk", "HASH"), KeySchemaElement("status", "RANGE")],
                        Projection("KEYS_ONLY"),
                    )
                ],
            )
        )
        engine.execute(UpdateTimeToLive("users", TimeToLiveSpecification(True, "expires")))
        for number in (*range(COUNT), *range(COUNT // 2)):  # half of them twice: a block of changes
            engine.execute(PutItem("users", item(number) | {"version": {"N": "1"}}))
            engine.execute(PutItem("users", item(number)))
        engine.execute(PutItem("users", item(COUNT)))
        engine.execute(DeleteItem("users", {name: item(COUNT)[name] for name in ("pk", "sk")}))
        same = TransactWriteItem(put=Put("users", item(1)))
        engine.execute(TransactWriteItems([same], client_request_token="token"))


def read_contents(path: Path) -> dict[str, list[object]]:
    """Read everything in every way, in order; raise StorageError if something is damaged."""
    with Engine.on_file(path, Settings(clock=lambda: MADE)) as engine:
        contents: dict[str, list[object]] = {}
        for index in (None, "by_status", "by_user"):
            contents[f"scan {index}"] = list(
                engine.execute(Scan("users", index_name=index)).items or ()
            )
        for name in engine.execute(ListTables()).table_names:
            contents[name] = list(engine.execute(Scan(name)).items or ())
        for user in range(5):
            query = Query(
                "users",
                key_condition_expression="pk = :user",
                expression_attribute_values={":user": {"S": f"user#{user}"}},
            )
            contents[f"query {user}"] = list(engine.execute(query).items or ())
        contents["changes"] = list(engine.execute(ReadChanges(after=0, limit=1000)).changes)
        return contents


def read_sample(path: Path) -> None:
    """Read everything, and raise AssertionError if anything differs."""
    contents = read_contents(path)
    expected = {number: item(number) for number in range(COUNT)}
    for index in (None, "by_status"):
        found = cast("list[Item]", contents[f"scan {index}"])
        assert {int(each["sk"]["N"]): dict(each) for each in found} == expected
    keys = cast("list[Item]", contents["scan by_user"])
    assert {int(each["sk"]["N"]) for each in keys} == set(expected)
    for user in range(5):
        numbers = [int(each["sk"]["N"]) for each in cast("list[Item]", contents[f"query {user}"])]
        assert numbers == [number for number in expected if number % 5 == user]
    changes = cast("list[ChangeRecord]", contents["changes"])
    assert [change.position for change in changes] == list(range(1, len(changes) + 1))
    assert changes[-1].kind == "REMOVE"
