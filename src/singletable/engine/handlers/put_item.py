"""Check and run PutItem."""

from __future__ import annotations

from msgspec import Struct

from singletable.engine.condition import check_condition
from singletable.engine.dialect import SINGLE_WRITE, Bare
from singletable.engine.keys import item_position
from singletable.engine.legacy import expected_condition
from singletable.engine.parameters import WRITE, check_mixture
from singletable.engine.reading import read_expressions
from singletable.engine.results import item_written
from singletable.engine.session import Session
from singletable.engine.write import put, stored_at
from singletable.errors import ValidationError
from singletable.expressions import Condition
from singletable.operations import DeleteItem, PutItem, WriteItemOutput
from singletable.values import MAX_ITEM_SIZE, Item

DIALECT = SINGLE_WRITE
TOO_LARGE = "Item size has exceeded the maximum allowed size"


class PutPlan(Struct, frozen=True):
    """A put whose item and condition are well formed."""

    request: PutItem
    item: Item
    size: int
    condition: Condition | None


def check(request: PutItem) -> PutPlan:
    """Raise ValidationError unless the request could be carried out on some table."""
    if not is_plain(request):
        check_mixture(request, WRITE)
    item, size = SINGLE_WRITE.check_item(request.item)
    check_old_only(request.return_values)
    if size > MAX_ITEM_SIZE:
        raise Bare(TOO_LARGE)
    return PutPlan(request, item, size, condition_of(request))


def is_plain(request: PutItem | DeleteItem) -> bool:
    """Whether the request has no condition, and nothing that would belong to one."""
    return (
        request.condition_expression is None
        and request.expected is None
        and request.conditional_operator is None
        and request.expression_attribute_names is None
        and request.expression_attribute_values is None
    )


def condition_of(request: PutItem | DeleteItem) -> Condition | None:
    """What the request says of the item as it stands, in the one form or the other."""
    if request.condition_expression is not None:
        return read_expressions(request, SINGLE_WRITE).condition
    return expected_condition(request.expected, request.conditional_operator, SINGLE_WRITE)


def check_old_only(return_values: str | None) -> None:
    """Puts and deletes can give back the old item or nothing."""
    if return_values not in (None, "NONE", "ALL_OLD"):
        raise ValidationError("ReturnValues can only be ALL_OLD or NONE")


def run(plan: PutPlan, session: Session) -> WriteItemOutput:
    """Store the item if its condition holds for the one it replaces."""
    request, item = plan.request, plan.item
    table = session.table(request.table_name)
    old = stored_at(session, table, item_position(table, item))
    if plan.condition is not None:
        check_condition(plan.condition, old, request.return_values_on_condition_check_failure)
    cost = put(session, old, item, plan.size)
    returned = old.json if request.return_values == "ALL_OLD" else None
    return item_written(session, request, old, item, cost, returned)
