"""Inspect a request: its expressions and their values."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any, cast

import msgspec

from dynamodb_engine.operations import Operation, Query, Scan
from tests.differential.peer import Json, as_list, as_map
from tests.differential.strategies.tables import Table

_PATH = r"[#a-z_][\w.#\[\]]*"
_TWO_PATHS = re.compile(rf"(?<![\w.#:\]]){_PATH} (?:=|<>|<|<=|>|>=) {_PATH}")


def expressions(operation: Operation[Any]) -> str:
    """Return all expressions of the request in one line."""
    found = (value for name, value in _members(_json(operation)) if name.endswith("Expression"))
    return " ; ".join(str(text) for text in found)


def arguments(operation: Operation[Any]) -> Iterator[Json]:
    """Return all values that the request compares with or writes in an update."""
    for name, value in _members(_json(operation)):
        if name == "ExpressionAttributeValues":
            yield from cast(Json, value).values()
        if name == "AttributeValueList":
            yield from cast("list[Json]", value)
        if name == "Value":
            yield cast(Json, value)


def compares_two_attributes(operation: Operation[Any]) -> bool:
    """Return whether an attribute is compared with another; both may be missing."""
    conditions = (
        str(value)
        for name, value in _members(_json(operation))
        if name in ("ConditionExpression", "FilterExpression")
    )
    return any(_TWO_PATHS.search(text) for text in conditions)


def compares_with_truth(held: Any, operation: Operation[Any]) -> bool:
    """Return whether the request compares with a boolean or a boolean-like number."""
    given = msgspec.json.encode(list(arguments(operation))).decode()
    if "BOOL" in given:
        return True
    numbers = any(number in (0, 1) for number in map(Decimal, _numbers(list(arguments(operation)))))
    return numbers and "BOOL" in msgspec.json.encode(held).decode()


def only_removes(operation: Operation[Any]) -> bool:
    """Return whether an update removes and sets nothing."""
    found = list(_members(_json(operation)))
    texts = [str(value) for name, value in found if name == "UpdateExpression"]
    if texts:
        return any(not re.search(r"\b(SET|ADD) ", text) for text in texts)
    actions = [value for name, value in found if name == "Action"]
    return bool(actions) and set(actions) == {"DELETE"}


def legacy_operators(operation: Operation[Any]) -> set[str]:
    """Return the operators of Expected, KeyConditions and filters."""
    members = _members(_json(operation))
    return {str(value) for name, value in members if name == "ComparisonOperator"}


def expects_existing_value(operation: Operation[Any]) -> bool:
    """Return whether an Expected has both Exists and a Value."""
    return any(
        name == "Expected" and any({"Exists", "Value"} <= set(one) for one in value.values())
        for name, value in _members(_json(operation))
    )


def asks_table_through_local_index(table: Table, operation: Operation[Any]) -> bool:
    """Return whether a read of a local index requests attributes that it may not project."""
    if not isinstance(operation, Query | Scan):
        return False
    named = (one for one in table.indexes if one.name == operation.index_name)
    index = next((one for one in named if not one.is_global), None)
    chosen = operation.projection_expression or operation.attributes_to_get
    return (
        index is not None
        and index.projection.projection_type != "ALL"
        and (chosen is not None or operation.select == "ALL_ATTRIBUTES")
    )


def calculates(operation: Operation[Any]) -> bool:
    """Return whether an update adds or subtracts."""
    return bool(
        re.search(r"\bADD | [+-] ", expressions(operation))
        or any(name == "Action" and value == "ADD" for name, value in _members(_json(operation)))
    )


def wide_numbers(*values: Any) -> bool:
    """Return whether a number has more than 28 digits, or is very large or small."""
    return any(
        number.adjusted() > 27 or cast(int, number.as_tuple().exponent) < -27
        for number in map(Decimal, _numbers(msgspec.to_builtins(list(values))))
    )


def mentions_both(values: Any, one: str, other: str) -> bool:
    """Return whether both strings occur in the values."""
    text = msgspec.json.encode(values).decode()
    return one in text and other in text


def holds_empty(value: Any) -> bool:
    """Return whether the value contains an empty string, an empty binary or false."""
    if (members := _inside(value)) is not None:
        return any(map(holds_empty, members))
    return value == "" or value is False


def _numbers(value: Any) -> Iterator[str]:
    if isinstance(number := (as_map(value) or {}).get("N"), str):
        yield number
    for member in _inside(value) or ():
        yield from _numbers(member)


def _inside(value: Any) -> list[Any] | None:
    pairs = as_map(value)
    return as_list(value) if pairs is None else list(pairs.values())


def _json(operation: Operation[Any]) -> Json:
    return cast(Json, msgspec.to_builtins(operation))


def _members(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield every named part of the request, except inside items and keys."""
    for name, member in (as_map(value) or {}).items():
        yield name, member
        if name not in ("Item", "Key"):
            yield from _members(member)
    for member in as_list(value) or ():
        yield from _members(member)
