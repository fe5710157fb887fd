"""Handle DeleteItem."""

from __future__ import annotations

from msgspec import Struct

from dynamodb_engine.engine.catalog import Session
from dynamodb_engine.engine.handlers.put_item import (
    check_returns_old_only,
    is_unconditional,
    parse_condition_of,
)
from dynamodb_engine.engine.item_write import check_condition, delete, load_item, output_of_write
from dynamodb_engine.engine.key_validation import encode_key
from dynamodb_engine.engine.request_expressions import WRITE_PARAMETERS, check_parameters
from dynamodb_engine.engine.storage import RowKey
from dynamodb_engine.engine.table import Table
from dynamodb_engine.engine.validation import SINGLE_WRITE
from dynamodb_engine.expressions import Condition
from dynamodb_engine.operations import DeleteItem, WriteItemOutput
from dynamodb_engine.values import Item

VALIDATOR = SINGLE_WRITE


class DeletePlan(Struct, frozen=True):
    """A delete with validated key and condition."""

    request: DeleteItem
    key: Item
    condition: Condition | None


def check(request: DeleteItem) -> DeletePlan:
    """Raise ValidationError if the request is invalid for every table."""
    if not is_unconditional(request):
        check_parameters(request, WRITE_PARAMETERS)
    key, _ = SINGLE_WRITE.check_item(request.key)
    check_returns_old_only(request.return_values)
    return DeletePlan(request, key, parse_condition_of(request))


def places(plan: DeletePlan, session: Session) -> list[tuple[Table, RowKey]]:
    """Return the place of the item."""
    table = session.table(plan.request.table_name)
    return [(table, encode_key(table, plan.key))]


def run(plan: DeletePlan, session: Session) -> WriteItemOutput:
    """Delete the item if it satisfies the condition; deleting a missing item is not an error."""
    request = plan.request
    table = session.table(request.table_name)
    old = load_item(session, table, encode_key(table, plan.key))
    check_condition(plan.condition, old, request.return_values_on_condition_check_failure)
    cost = delete(session, old)
    returned = old.json if request.return_values == "ALL_OLD" else None
    return output_of_write(session, request, old, plan.key, cost, returned)
