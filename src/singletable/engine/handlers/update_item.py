"""Check and run UpdateItem."""

from __future__ import annotations

from msgspec import Struct

from singletable.engine.capacity import Cost
from singletable.engine.condition import check_condition
from singletable.engine.dialect import SINGLE_WRITE, Bare
from singletable.engine.keys import key_position
from singletable.engine.legacy import attribute_updates, check_types, expected_condition
from singletable.engine.parameters import UPDATE, check_mixture
from singletable.engine.reading import read_expressions
from singletable.engine.results import item_written
from singletable.engine.session import Session
from singletable.engine.update import TOO_LARGE, check_update, updated
from singletable.engine.write import put, stored_at
from singletable.expressions import Condition, Update, update_cost, updated_attributes
from singletable.operations import UpdateItem, WriteItemOutput
from singletable.values import MAX_ITEM_SIZE, Item, item_to_json

DIALECT = SINGLE_WRITE


class UpdatePlan(Struct, frozen=True):
    """An update whose key, actions and condition are well formed."""

    request: UpdateItem
    key: Item
    update: Update
    condition: Condition | None


def check(request: UpdateItem) -> UpdatePlan:
    """Raise ValidationError unless the request could be carried out on some table."""
    check_mixture(request, UPDATE)
    key, _ = SINGLE_WRITE.check_item(request.key)
    legacy = attribute_updates(request.attribute_updates, SINGLE_WRITE)
    expected = expected_condition(request.expected, request.conditional_operator, SINGLE_WRITE)
    read = read_expressions(request, SINGLE_WRITE)
    # DynamoDB sizes the statement itself, before it looks at the item or the condition.
    if read.update is not None and update_cost(read.update) > MAX_ITEM_SIZE:
        raise Bare(TOO_LARGE)
    return UpdatePlan(
        request, key, legacy if read.update is None else read.update, read.condition or expected
    )


def run(plan: UpdatePlan, session: Session) -> WriteItemOutput:
    """Change the item if the condition holds for it as it stands."""
    request, key = plan.request, plan.key
    table = session.table(request.table_name)
    position = key_position(table, key)
    check_update(table, plan.update)
    old = stored_at(session, table, position)
    check_condition(plan.condition, old, request.return_values_on_condition_check_failure)
    if request.attribute_updates is not None:
        check_types(plan.update, old.item or {})
    new = updated(old, plan.update, key)
    cost = Cost(1) if new is None else put(session, old, new.item, new.size)
    if request.return_values is None:
        return item_written(session, request, old, key, cost, None)
    returned = _returned(
        request.return_values, plan.update, old.item, None if new is None else new.item
    )
    json = item_to_json(returned) if returned else None
    return item_written(session, request, old, key, cost, json)


def _returned(asked: str, update: Update, old: Item | None, new: Item | None) -> Item | None:
    match asked:
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
