"""The statements of PartiQL requests: their parameters, and the key and condition of a write."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import reduce

from singletable.engine.storage import RowKey
from singletable.engine.table import KeyAttribute, Table
from singletable.engine.validation import BATCH_WRITE
from singletable.errors import ValidationError
from singletable.expressions import And, Condition, Exists, NotExists, Or
from singletable.operations.touches import StatementRequest
from singletable.partiql import (
    Delete,
    Insert,
    Statement,
    Update,
    bind_statement,
    conjuncts,
    equality,
)
from singletable.values import AttributeValue, Item, check_item, check_value, type_of
from singletable.values.numbers import NOT_NUMERIC, OVERFLOW, UNDERFLOW

INCOMPLETE_KEY = "Where clause does not contain a mandatory equality on all key attributes"
# Parameters go through the same checks as the items of a batch.
_LAYER = BATCH_WRITE.layer
_EXPONENT = re.compile(r"[^eE]*[eE]([+-]?[0-9]+)", re.ASCII)


def check_parameters(parameters: list[AttributeValue] | None) -> list[AttributeValue]:
    """Return the parameters in canonical form; raise ValidationError if one is invalid."""
    return [_check_parameter(parameter) for parameter in parameters or ()]


def _check_parameter(parameter: AttributeValue) -> AttributeValue:
    try:
        return check_value(parameter, _LAYER)[0]
    except ValidationError as error:
        if error.message in (OVERFLOW, UNDERFLOW):
            # Unlike in items, the exponent of a number must fit into 32 bits.
            for number in _numbers(parameter):
                found = _EXPONENT.fullmatch(number)
                if found is not None and not -(2**31) < int(found[1][:12]) < 2**31:
                    raise ValidationError(f"{NOT_NUMERIC}: {number}") from None
        raise


def _numbers(value: AttributeValue) -> Iterator[str]:
    """Yield the texts of all numbers in a value, in order."""
    yield from [value["N"]] if "N" in value else value.get("NS", ())
    for member in (*value.get("L", ()), *value.get("M", {}).values()):
        yield from _numbers(member)


def bind_request(request: StatementRequest) -> Statement:
    """Return the statement of a request; raise ValidationError if it is invalid for every table."""
    return bind_statement(request.statement, check_parameters(request.parameters))


def split_key(table: Table, where: Condition | None) -> tuple[Item, list[Condition]]:
    """Return the first value of each key attribute, and the other conditions."""
    key: Item = {}
    others: list[Condition] = []
    for part in conjuncts(where):
        name, value = equality(part) or ("", {})
        if name in table.key.names and name not in key:
            key[name] = value
        else:
            others.append(part)
    return key, others


def statement_key(table: Table, statement: Update | Delete) -> tuple[Item, Condition | None]:
    """Return the key that a statement names, and its other conditions."""
    key, rest = split_key(table, statement.where)
    others: list[Condition] = []
    for part in rest:
        name, value = equality(part) or ("", {})
        if name not in key:
            others.append(part)
        elif key[name] != value:
            raise ValidationError(
                f"Multiple conditions on same key {name}. Only single item Update/Insert/Delete "
                "are supported"
            )
    if len(key) < len(table.key.names):
        raise ValidationError(INCOMPLETE_KEY)
    for attribute in table.key.attributes:
        check_key_type(attribute, key[attribute.name])
    return key, reduce(And, others) if others else None


def check_key_type(attribute: KeyAttribute, value: AttributeValue) -> None:
    """Raise unless the value has the type of the key attribute."""
    kind = type_of(value)
    if kind not in ("S", "N", "B"):
        raise ValidationError(
            f"Key value must be of type S, N, or B. Key name: {attribute.name}, Key type: {kind}"
        )
    if kind != attribute.type:
        raise ValidationError(
            "Key attribute's data type should match its data type in table's schema: "
            f"Key {attribute.name}"
        )


def inserted_item(statement: Insert) -> tuple[Item, int]:
    """Return the item and its size; raise ValidationError if it is too large."""
    return check_item(statement.item, _LAYER)


def check_insert(table: Table, item: Item) -> None:
    """Raise unless the item has the key of the table."""
    for attribute in table.key.attributes:
        value = item.get(attribute.name)
        if value is None:
            raise ValidationError(
                f"Key attribute should be present in the item: Key {attribute.name}"
            )
        check_key_type(attribute, value)


def write_condition(
    table: Table, statement: Insert | Update | Delete, others: Condition | None = None
) -> Condition | None:
    """Return the condition of a write: INSERT creates an item, UPDATE changes one that exists.

    DELETE of an item that does not exist has no effect, whatever the other conditions are.
    """
    key = (table.partition_key.name,)
    match statement:
        case Insert():
            return NotExists(key)
        case Update():
            return Exists(key) if others is None else And(Exists(key), others)
        case Delete():
            return None if others is None else Or(NotExists(key), others)


def write_place(table: Table, statement: Insert | Update | Delete) -> RowKey:
    """Return the key of the row that a statement writes."""
    if isinstance(statement, Insert):
        item = statement.item
        check_insert(table, item)
        return table.row_key(item)
    return table.row_key(statement_key(table, statement)[0])
