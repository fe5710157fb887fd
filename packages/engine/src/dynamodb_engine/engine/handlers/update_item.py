"""Handle UpdateItem."""

from __future__ import annotations

from msgspec import Struct

from dynamodb_engine.engine.capacity import Cost
from dynamodb_engine.engine.catalog import Session
from dynamodb_engine.engine.item_update import TOO_LARGE, check_update, updated_item
from dynamodb_engine.engine.item_write import check_condition, load_item, output_of_write, put
from dynamodb_engine.engine.key_validation import encode_key
from dynamodb_engine.engine.legacy_parameters import (
    check_update_types,
    parse_attribute_updates,
    parse_expected,
)
from dynamodb_engine.engine.request_expressions import (
    UPDATE_PARAMETERS,
    check_parameters,
    parse_expressions,
)
from dynamodb_engine.engine.storage import RowKey
from dynamodb_engine.engine.table import Table
from dynamodb_engine.engine.validation import SINGLE_WRITE, UnwrappedError
from dynamodb_engine.expressions import Condition, Update, update_cost, updated_attributes
from dynamodb_engine.operations import UpdateItem, WriteItemOutput
from dynamodb_engine.values import MAX_ITEM_SIZE, Item, item_to_json

VALIDATOR = SINGLE_WRITE


class UpdatePlan(Struct, frozen=True):
    """An update with validated key, actions and condition."""

    request: UpdateItem
    key: Item
    update: Update
    condition: Condition | None


def check(request: UpdateItem) -> UpdatePlan:
    """Raise ValidationError if the request is invalid for every table."""
    check_parameters(request, UPDATE_PARAMETERS)
    key, _ = SINGLE_WRITE.check_item(request.key)
    legacy_update = parse_attribute_updates(request.attribute_updates, SINGLE_WRITE)
    expected = parse_expected(request.expected, request.conditional_operator, SINGLE_WRITE)
    expressions = parse_expressions(request, SINGLE_WRITE)
    update = expressions.update
    # DynamoDB limits the size of the statement itself, before it reads the item or the condition.
    if update is not None and update_cost(update) > MAX_ITEM_SIZE:
        raise UnwrappedError(TOO_LARGE)
    return UpdatePlan(
        request, key, legacy_update if update is None else update, expressions.condition or expected
    )


def places(plan: UpdatePlan, session: Session) -> list[tuple[Table, RowKey]]:
    """Return the place of the item."""
    table = session.table(plan.request.table_name)
    return [(table, encode_key(table, plan.key))]


def run(plan: UpdatePlan, session: Session) -> WriteItemOutput:
    """Update the item if it satisfies the condition."""
    request, key = plan.request, plan.key
    table = session.table(request.table_name)
    row_key = encode_key(table, key)
    check_update(table, plan.update)
    old = load_item(session, table, row_key)
    check_condition(plan.condition, old, request.return_values_on_condition_check_failure)
    if request.attribute_updates is not None:
        check_update_types(plan.update, old.item or {})
    new = updated_item(old, plan.update, key)
    cost = Cost(1) if new is None else put(session, old, new.item, new.size)
    if request.return_values is None:
        return output_of_write(session, request, old, key, cost, None)
    returned = returned_attributes(
        request.return_values, plan.update, old.item, None if new is None else new.item
    )
    json = item_to_json(returned) if returned else None
    return output_of_write(session, request, old, key, cost, json)


def returned_attributes(
    return_values: str, update: Update, old: Item | None, new: Item | None
) -> Item | None:
    """Return the attributes that ReturnValues requests, before or after the update."""
    match return_values:
        case "ALL_OLD":
            return old
        case "ALL_NEW":
            return new
        case "UPDATED_OLD":
            return updated_attributes(update, old or {})
        case "UPDATED_NEW":
            return updated_attributes(update, new or {})
        case _:
            return None
