"""The statements of PartiQL requests: their parameters, and their writes as actions."""

from __future__ import annotations

from dataclasses import replace
from functools import reduce

from dynamodb_engine import expressions as ex
from dynamodb_engine import operations as ops
from dynamodb_engine import partiql
from dynamodb_engine.engine.storage import RowKey
from dynamodb_engine.engine.table import KeyAttribute, Table
from dynamodb_engine.engine.transactions import TransactAction
from dynamodb_engine.engine.validation import BATCH_WRITE
from dynamodb_engine.errors import ValidationError
from dynamodb_engine.operations.touches import StatementRequest
from dynamodb_engine.values import (
    AttributeValue,
    Item,
    ValueTooLarge,
    check_item,
    check_value,
    type_of,
)

INCOMPLETE_KEY = "Where clause does not contain a mandatory equality on all key attributes"
# Parameters go through the same checks as the items of a batch, but for their exponents.
_LAYER = replace(BATCH_WRITE.layer, limits_exponents=True)


def check_parameters(parameters: list[AttributeValue] | None) -> list[AttributeValue]:
    """Return the parameters in canonical form; raise ValidationError if one is invalid."""
    return [check_value(parameter, _LAYER)[0] for parameter in parameters or ()]


def bind_request(request: StatementRequest) -> partiql.Select | partiql.Write:
    """Return the statement of a request; raise ValidationError if it is invalid for every table."""
    statement = partiql.bind_statement(request.statement, check_parameters(request.parameters))
    if isinstance(statement, partiql.Exists):
        raise ValidationError(partiql.ONLY_EXISTS)
    return statement


def split_key(table: Table, where: ex.Condition | None) -> tuple[Item, list[ex.Condition]]:
    """Return the first value of each key attribute, and the other conditions."""
    key: Item = {}
    others: list[ex.Condition] = []
    for part in ex.conjuncts(where):
        name, value = ex.equality(part) or ("", {})
        if name in table.key.names and name not in key:
            key[name] = value
        else:
            others.append(part)
    return key, others


def statement_key(
    table: Table, statement: partiql.Update | partiql.Delete
) -> tuple[Item, ex.Condition | None]:
    """Return the key that a statement names, and its other conditions."""
    key, rest = split_key(table, statement.where)
    others: list[ex.Condition] = []
    for part in rest:
        name, value = ex.equality(part) or ("", {})
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
    return key, reduce(ex.And, others) if others else None


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


def check_insert(table: Table, item: Item) -> None:
    """Raise unless the item has the key of the table."""
    for attribute in table.key.attributes:
        value = item.get(attribute.name)
        if value is None:
            raise ValidationError(
                f"Key attribute should be present in the item: Key {attribute.name}"
            )
        check_key_type(attribute, value)


def write_action(
    table: Table, statement: partiql.Write, return_old: ops.ReturnOnFailure | None = None
) -> TransactAction:
    """Return a write as an action: INSERT creates an item, UPDATE changes one that exists.

    DELETE of an item that does not exist has no effect, whatever the other conditions are.
    """
    partition_key = (table.partition_key.name,)
    if isinstance(statement, partiql.Insert):
        item, size = check_item(statement.item, _LAYER)
        if size > _LAYER.max_size:
            raise ValueTooLarge
        put = ops.Put(table.name, item, return_values_on_condition_check_failure=return_old)
        return TransactAction(put, item, size, (), ex.NotExists(partition_key))
    key, others = statement_key(table, statement)
    condition: ex.Condition | None
    if isinstance(statement, partiql.Update):
        update = ops.Update(
            table.name, key, "", return_values_on_condition_check_failure=return_old
        )
        exists = ex.Exists(partition_key)
        condition = exists if others is None else ex.And(exists, others)
        return TransactAction(update, key, 0, statement.actions, condition)
    delete = ops.Delete(table.name, key, return_values_on_condition_check_failure=return_old)
    condition = None if others is None else ex.Or(ex.NotExists(partition_key), others)
    return TransactAction(delete, key, 0, (), condition)


def write_place(table: Table, statement: partiql.Write) -> RowKey:
    """Return the key of the row that a statement writes."""
    if isinstance(statement, partiql.Insert):
        check_insert(table, statement.item)
        return table.row_key(statement.item)
    return table.row_key(statement_key(table, statement)[0])
