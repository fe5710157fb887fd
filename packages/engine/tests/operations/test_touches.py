"""Tables, items and kinds of access of every operation, also of malformed requests."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from dynamodb_engine import operations as ops
from dynamodb_engine.operations.registry import OPERATIONS, OperationSpec, is_write
from dynamodb_engine.operations.touches import WRITES, item_requests, table_names, touches
from dynamodb_engine.values import Item

KEY: Item = {"PK": {"S": "1"}}
ITEM: Item = {**KEY, "Name": {"S": "Ada"}}
ARN = "arn:aws:dynamodb:r:1:table/a"
SPECS = [pytest.param(spec, id=spec.name) for spec in OPERATIONS.values()]

TOUCHES: list[tuple[ops.Operation[Any], list[tuple[str, str, Item]]]] = [
    (ops.GetItem("a", KEY), [("a", "get", KEY)]),
    (ops.PutItem("a", ITEM), [("a", "put", ITEM)]),
    (ops.UpdateItem(ARN, KEY), [(ARN, "update", KEY)]),
    (ops.DeleteItem("a", KEY), [("a", "delete", KEY)]),
    (ops.Query("a", "by_name"), [("a", "query", {})]),
    (ops.Scan("a"), [("a", "scan", {})]),
    (
        ops.BatchGetItem({"b": ops.KeysAndAttributes([KEY, KEY]), "a": ops.KeysAndAttributes([])}),
        [("b", "get", KEY), ("b", "get", KEY)],
    ),
    (
        ops.BatchWriteItem(
            {
                "b": [
                    ops.WriteRequest(delete_request=ops.DeleteRequest(KEY)),
                    ops.WriteRequest(ops.PutRequest(ITEM)),
                    ops.WriteRequest(),
                ]
            }
        ),
        [("b", "delete", KEY), ("b", "put", ITEM)],
    ),
    (
        ops.TransactGetItems([ops.TransactGetItem(ops.Get("a", KEY))] * 2),
        [("a", "get", KEY), ("a", "get", KEY)],
    ),
    (
        ops.TransactWriteItems(
            [
                ops.TransactWriteItem(put=ops.Put("a", ITEM)),
                ops.TransactWriteItem(),
                ops.TransactWriteItem(update=ops.Update("b", KEY, "SET Age = :age")),
                ops.TransactWriteItem(delete=ops.Delete("a", KEY)),
                ops.TransactWriteItem(ops.ConditionCheck("a", KEY, "attribute_exists(PK)")),
            ]
        ),
        [("a", "put", ITEM), ("b", "update", KEY), ("a", "delete", KEY), ("a", "check", KEY)],
    ),
    (
        ops.ExecuteStatement("SELECT * FROM tab WHERE PK = ? AND n > 1", [KEY["PK"]]),
        [("tab", "query", KEY)],
    ),
    (ops.ExecuteStatement("SELECT * FROM tab"), [("tab", "scan", {})]),
    (ops.ExecuteStatement("SELECT"), []),
    (
        ops.BatchExecuteStatement(
            [
                ops.BatchStatementRequest("INSERT INTO tab VALUE {'PK': '1', 'Name': 'Ada'}"),
                ops.BatchStatementRequest("UPDATE tab SET n = 1 WHERE '1' = PK"),
            ]
        ),
        [("tab", "put", ITEM), ("tab", "update", KEY)],
    ),
    (
        ops.ExecuteTransaction(
            [
                ops.ParameterizedStatement("DELETE FROM tab WHERE PK = '1'"),
                ops.ParameterizedStatement("EXISTS(SELECT * FROM tab WHERE PK = '1' AND PK = '2')"),
            ]
        ),
        [("tab", "delete", KEY), ("tab", "check", KEY)],
    ),
]


@pytest.mark.parametrize(
    ("operation", "expected"), TOUCHES, ids=[type(one).__name__ for one, _ in TOUCHES]
)
def test_touches_are_the_items_of_a_request(
    operation: ops.Operation[Any], expected: list[tuple[str, str, Item]]
) -> None:
    assert [(touch.table, touch.access, touch.item) for touch in touches(operation)] == expected
    writes = any(touch.access in WRITES for touch in touches(operation))
    assert writes is is_write(operation)


def test_touches_cover_every_operation_on_items() -> None:
    on_items = {kind for kind, spec in OPERATIONS.items() if spec.scope == "items"}
    assert {type(operation) for operation, _ in TOUCHES} == on_items


# The wire accepts a request whose parts are missing; the engine rejects it later.
@pytest.mark.parametrize("spec", SPECS)
def test_a_request_without_its_parts_names_no_table(spec: OperationSpec) -> None:
    fields = msgspec.structs.fields(spec.request)
    blank = spec.request(**{field.name: None for field in fields if field.required})
    assert list(table_names(blank)) == []
    assert (item_requests(blank) is None) is (spec.scope != "items")
    assert not any(touch.item for touch in touches(blank))


@pytest.mark.parametrize(
    ("operation", "tables"),
    [
        (
            ops.BatchGetItem({"b": ops.KeysAndAttributes([]), "a": ops.KeysAndAttributes([])}),
            ["b", "a"],
        ),
        (ops.TransactGetItems([ops.TransactGetItem(ops.Get("a", {}))] * 2), ["a", "a"]),
        (ops.DescribeTable("a"), ["a"]),
        (ops.ListTagsOfResource(ARN), [ARN]),
        (ops.DescribeLimits(), []),
    ],
    ids=lambda value: type(value).__name__,
)
def test_table_names_are_read_from_requests(
    operation: ops.Operation[Any], tables: list[str]
) -> None:
    assert list(table_names(operation)) == tables
