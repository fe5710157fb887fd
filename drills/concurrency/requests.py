"""The items that clients fight for, and the requests that they send."""

from __future__ import annotations

from typing import cast

from drills.concurrency.events import Value
from singletable import (
    AttributeDefinition,
    ConditionCheck,
    CreateTable,
    DeleteItem,
    GetItem,
    Item,
    KeySchemaElement,
    PutItem,
    TransactWriteItem,
    TransactWriteItems,
    Update,
    UpdateItem,
)

TABLE = "contest"
REGISTERS = ["register-1", "register-2", "register-3"]
COUNTERS = ["counter-1", "counter-2"]
LISTS = ["list-1", "list-2", "list-3"]

_ADD = "SET entries = list_append(if_not_exists(entries, :none), :one)"


def table() -> CreateTable:
    """The table of the contest: one partition, so that a query sees everything."""
    return CreateTable(
        TABLE,
        [AttributeDefinition("pk", "S"), AttributeDefinition("sk", "S")],
        [KeySchemaElement("pk", "HASH"), KeySchemaElement("sk", "RANGE")],
        billing_mode="PAY_PER_REQUEST",
    )


def get(key: str) -> GetItem:
    """Read an item as it is now."""
    return GetItem(TABLE, _key(key), consistent_read=True)


def put(key: str, value: str) -> PutItem:
    """Set a register, and be told what it was."""
    return PutItem(TABLE, {**_key(key), "held": {"S": value}}, return_values="ALL_OLD")


def remove(key: str) -> DeleteItem:
    """Empty a register, and be told what it was."""
    return DeleteItem(TABLE, _key(key), return_values="ALL_OLD")


def swap(key: str, value: str, expected: str | None) -> PutItem:
    """Set a register if it is what is expected, and otherwise be told what it is."""
    item = put(key, value).item
    if expected is None:
        return PutItem(
            TABLE,
            item,
            condition_expression="attribute_not_exists(pk)",
            return_values_on_condition_check_failure="ALL_OLD",
        )
    return PutItem(
        TABLE,
        item,
        condition_expression="held = :expected",
        expression_attribute_values={":expected": {"S": expected}},
        return_values_on_condition_check_failure="ALL_OLD",
    )


def count(key: str) -> UpdateItem:
    """Add one to a counter, and be told what it is."""
    return UpdateItem(
        TABLE,
        _key(key),
        update_expression="ADD times :one",
        expression_attribute_values={":one": {"N": "1"}},
        return_values="UPDATED_NEW",
    )


def add_to(key: str, value: str) -> UpdateItem:
    """Add to a list, and be told what it was."""
    return UpdateItem(
        TABLE,
        _key(key),
        update_expression=_ADD,
        expression_attribute_values=_added(value),
        return_values="ALL_OLD",
    )


def add_to_all(
    added: dict[str, str], unchanged: tuple[str, int] | None = None
) -> TransactWriteItems:
    """Add to several lists at once, if another one is still as long as it was."""
    actions = [
        TransactWriteItem(
            update=Update(TABLE, _key(key), _ADD, expression_attribute_values=_added(value))
        )
        for key, value in added.items()
    ]
    if unchanged is not None:
        key, length = unchanged
        actions.append(TransactWriteItem(condition_check=_is_still(key, length)))
    return TransactWriteItems(actions)


def value_of(item: object) -> Value:
    """What a register or a counter holds."""
    held = cast("Item", item or {})
    if "times" in held:
        return int(held["times"]["N"])
    return held["held"]["S"] if "held" in held else None


def list_of(item: object) -> tuple[str, ...]:
    """What a list holds."""
    held = cast("Item", item or {})
    return tuple(entry["S"] for entry in held["entries"]["L"]) if "entries" in held else ()


def _key(key: str) -> Item:
    return {"pk": {"S": "all"}, "sk": {"S": key}}


def _added(value: str) -> Item:
    return {":none": {"L": []}, ":one": {"L": [{"S": value}]}}


def _is_still(key: str, length: int) -> ConditionCheck:
    if length == 0:
        return ConditionCheck(
            TABLE,
            _key(key),
            "attribute_not_exists(entries)",
            return_values_on_condition_check_failure="ALL_OLD",
        )
    return ConditionCheck(
        TABLE,
        _key(key),
        "size(entries) = :length",
        expression_attribute_values={":length": {"N": str(length)}},
        return_values_on_condition_check_failure="ALL_OLD",
    )
