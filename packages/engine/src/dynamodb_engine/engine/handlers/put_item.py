"""Handle PutItem, with the checks that it shares with DeleteItem."""

from __future__ import annotations

from msgspec import Struct

from dynamodb_engine.engine.catalog import Session
from dynamodb_engine.engine.item_write import check_condition, load_item, output_of_write, put
from dynamodb_engine.engine.key_validation import encode_item_key
from dynamodb_engine.engine.legacy_parameters import parse_expected
from dynamodb_engine.engine.request_expressions import (
    WRITE_PARAMETERS,
    check_parameters,
    parse_expressions,
)
from dynamodb_engine.engine.storage import RowKey
from dynamodb_engine.engine.table import Table
from dynamodb_engine.engine.validation import SINGLE_WRITE
from dynamodb_engine.errors import ValidationError
from dynamodb_engine.expressions import Condition
from dynamodb_engine.operations import DeleteItem, PutItem, WriteItemOutput
from dynamodb_engine.values import MAX_ITEM_SIZE, Item, ValueTooLarge

VALIDATOR = SINGLE_WRITE


class PutPlan(Struct, frozen=True):
    """A put with validated item and condition."""

    request: PutItem
    item: Item
    size: int
    condition: Condition | None


def check(request: PutItem) -> PutPlan:
    """Raise ValidationError if the request is invalid for every table."""
    is_conditional = not is_unconditional(request)
    if is_conditional:
        check_parameters(request, WRITE_PARAMETERS)
    item, size = SINGLE_WRITE.check_item(request.item)
    check_returns_old_only(request.return_values)
    if size > MAX_ITEM_SIZE:
        raise ValueTooLarge
    return PutPlan(request, item, size, parse_condition_of(request) if is_conditional else None)


def is_unconditional(request: PutItem | DeleteItem) -> bool:
    """Return whether the request has neither a condition nor parameters that belong to one."""
    return (
        request.condition_expression is None
        and request.expected is None
        and request.conditional_operator is None
        and request.expression_attribute_names is None
        and request.expression_attribute_values is None
    )


def parse_condition_of(request: PutItem | DeleteItem) -> Condition | None:
    """Return the condition of the request, from its expression or from Expected."""
    if request.condition_expression is not None:
        return parse_expressions(request, SINGLE_WRITE).condition
    return parse_expected(request.expected, request.conditional_operator, SINGLE_WRITE)


def check_returns_old_only(return_values: str | None) -> None:
    """Raise unless ReturnValues is supported by puts and deletes."""
    if return_values not in (None, "NONE", "ALL_OLD"):
        raise ValidationError("ReturnValues can only be ALL_OLD or NONE")


def places(plan: PutPlan, session: Session) -> list[tuple[Table, RowKey]]:
    """Return the place of the item."""
    table = session.table(plan.request.table_name)
    return [(table, encode_item_key(table, plan.item))]


def run(plan: PutPlan, session: Session) -> WriteItemOutput:
    """Store the item if the old one satisfies the condition."""
    request, item = plan.request, plan.item
    table = session.table(request.table_name)
    old = load_item(session, table, encode_item_key(table, item))
    if plan.condition is not None:
        check_condition(plan.condition, old, request.return_values_on_condition_check_failure)
    cost = put(session, old, item, plan.size)
    returned = old.json if request.return_values == "ALL_OLD" else None
    return output_of_write(session, request, old, item, cost, returned)
