"""Check and run DeleteItem."""

from __future__ import annotations

from dataclasses import dataclass

from singletable.engine.condition import check_condition
from singletable.engine.dialect import SINGLE_WRITE
from singletable.engine.handlers.put_item import check_old_only
from singletable.engine.keys import check_key
from singletable.engine.legacy import expected_condition
from singletable.engine.parameters import WRITE, check_mixture, read_expressions
from singletable.engine.results import item_written
from singletable.engine.session import Session
from singletable.engine.write import delete, stored_at
from singletable.expressions import Condition
from singletable.operations import DeleteItem, ItemWritten
from singletable.values import Item


@dataclass(frozen=True, slots=True)
class DeletePlan:
    """A delete whose key and condition are well formed."""

    request: DeleteItem
    key: Item
    condition: Condition | None


def check(request: DeleteItem) -> DeletePlan:
    """Raise ValidationError unless the request could be carried out on some table."""
    check_mixture(request, WRITE)
    key, _ = SINGLE_WRITE.check_item(request.key)
    check_old_only(request.return_values)
    expected = expected_condition(request.expected, request.conditional_operator, SINGLE_WRITE)
    condition = read_expressions(request, SINGLE_WRITE).condition
    return DeletePlan(request, key, condition or expected)


def run(plan: DeletePlan, session: Session) -> ItemWritten:
    """Remove the item if its condition holds; to remove nothing is no error."""
    request, key = plan.request, plan.key
    table = session.table(request.table_name)
    check_key(table, key)
    old = stored_at(session, table, key)
    check_condition(plan.condition, old, request.return_values_on_condition_check_failure)
    cost = delete(session, old, key)
    return item_written(
        session,
        table,
        key,
        cost,
        old.row.json if old.row is not None and request.return_values == "ALL_OLD" else None,
        asked_capacity=request.return_consumed_capacity,
        asked_metrics=request.return_item_collection_metrics,
    )
