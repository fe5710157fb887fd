"""Check and run PutItem."""

from __future__ import annotations

from dataclasses import dataclass

from singletable.engine.condition import check_condition
from singletable.engine.dialect import SINGLE_WRITE, Bare
from singletable.engine.keys import check_item_keys
from singletable.engine.legacy import expected_condition
from singletable.engine.parameters import WRITE, check_mixture, read_expressions
from singletable.engine.results import item_written
from singletable.engine.session import Session
from singletable.engine.write import put, stored_at
from singletable.errors import ValidationError
from singletable.expressions import Condition
from singletable.operations import ItemWritten, PutItem
from singletable.values import MAX_ITEM_SIZE, Item

TOO_LARGE = "Item size has exceeded the maximum allowed size"


@dataclass(frozen=True, slots=True)
class PutPlan:
    """A put whose item and condition are well formed."""

    request: PutItem
    item: Item
    size: int
    condition: Condition | None


def check(request: PutItem) -> PutPlan:
    """Raise ValidationError unless the request could be carried out on some table."""
    check_mixture(request, WRITE)
    item, size = SINGLE_WRITE.check_item(request.item)
    check_old_only(request.return_values)
    if size > MAX_ITEM_SIZE:
        raise Bare(TOO_LARGE)
    expected = expected_condition(request.expected, request.conditional_operator, SINGLE_WRITE)
    condition = read_expressions(request, SINGLE_WRITE).condition
    return PutPlan(request, item, size, condition or expected)


def check_old_only(return_values: str | None) -> None:
    """Puts and deletes can give back the old item or nothing."""
    if return_values not in (None, "NONE", "ALL_OLD"):
        raise ValidationError("ReturnValues can only be ALL_OLD or NONE")


def run(plan: PutPlan, session: Session) -> ItemWritten:
    """Store the item if its condition holds for the one it replaces."""
    request, item = plan.request, plan.item
    table = session.table(request.table_name)
    check_item_keys(table, item)
    old = stored_at(session, table, item)
    check_condition(plan.condition, old, request.return_values_on_condition_check_failure)
    cost = put(session, old, item, plan.size)
    return item_written(
        session,
        table,
        item,
        cost,
        old.row.json if old.row is not None and request.return_values == "ALL_OLD" else None,
        asked_capacity=request.return_consumed_capacity,
        asked_metrics=request.return_item_collection_metrics,
    )
