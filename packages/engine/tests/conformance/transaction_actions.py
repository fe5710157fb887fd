"""Short builders for transaction actions, and their cancellation reasons."""

from __future__ import annotations

import pytest

from dynamodb_engine.errors import CancellationReason, TransactionCanceled
from dynamodb_engine.operations import (
    ConditionCheck,
    Delete,
    Driver,
    Put,
    TransactWriteItem,
    TransactWriteItems,
    Update,
)
from dynamodb_engine.values import AttributeValue, Item
from tests.conformance.requests import number, text


def key(name: str) -> Item:
    """Return the key of an item."""
    return {"pk": text(name)}


def putting(
    table: str, item: Item, condition: str | None = None, **values: AttributeValue
) -> TransactWriteItem:
    """Return a put."""
    return TransactWriteItem(
        put=Put(table, item, condition, expression_attribute_values=_aliased(values))
    )


def updating(
    table: str, where: Item, update: str, condition: str | None = None, **values: AttributeValue
) -> TransactWriteItem:
    """Return an update."""
    return TransactWriteItem(
        update=Update(table, where, update, condition, expression_attribute_values=_aliased(values))
    )


def deleting(
    table: str, where: Item, condition: str | None = None, **values: AttributeValue
) -> TransactWriteItem:
    """Return a delete."""
    return TransactWriteItem(
        delete=Delete(table, where, condition, expression_attribute_values=_aliased(values))
    )


def checking(
    table: str, where: Item, condition: str, **values: AttributeValue
) -> TransactWriteItem:
    """Return a condition check."""
    return TransactWriteItem(
        condition_check=ConditionCheck(
            table, where, condition, expression_attribute_values=_aliased(values)
        )
    )


def _aliased(values: dict[str, AttributeValue]) -> dict[str, AttributeValue] | None:
    return {f":{name}": value for name, value in values.items()} or None


def canceled(driver: Driver, *actions: TransactWriteItem) -> tuple[CancellationReason, ...]:
    """Return the cancellation reasons of the transaction."""
    with pytest.raises(TransactionCanceled) as raised:
        driver.execute(TransactWriteItems(list(actions)))
    error = raised.value
    assert error.code == "TransactionCanceledException"
    assert error.message == (
        "Transaction cancelled, please refer cancellation reasons for specific reasons "
        f"[{', '.join(reason.code for reason in error.reasons)}]"
    )
    return error.reasons


def transact(driver: Driver, *actions: TransactWriteItem) -> None:
    """Execute the actions."""
    driver.execute(TransactWriteItems(list(actions)))


def conditional(kind: str, table: str, where: Item, condition: str) -> TransactWriteItem:
    """Return an action with a condition."""
    values = {name: number(i) for i, name in ((1, "one"), (2, "two")) if f":{name}" in condition}
    match kind:
        case "put":
            return putting(table, where, condition, **values)
        case "update":
            return updating(table, where, "REMOVE x", condition, **values)
        case "delete":
            return deleting(table, where, condition, **values)
        case _:
            return checking(table, where, condition, **values)
