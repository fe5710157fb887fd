"""Check and run DeleteItem."""

from __future__ import annotations

from msgspec import Struct

from singletable.engine.condition import check_condition
from singletable.engine.dialect import SINGLE_WRITE
from singletable.engine.handlers.put_item import check_old_only, condition_of, is_plain
from singletable.engine.keys import key_position
from singletable.engine.parameters import WRITE, check_mixture
from singletable.engine.results import item_written
from singletable.engine.session import Session
from singletable.engine.write import delete, stored_at
from singletable.expressions import Condition
from singletable.operations import DeleteItem, WriteItemOutput
from singletable.values import Item

DIALECT = SINGLE_WRITE


class DeletePlan(Struct, frozen=True):
    """A delete whose key and condition are well formed."""

    request: DeleteItem
    key: Item
    condition: Condition | None


def check(request: DeleteItem) -> DeletePlan:
    """Raise ValidationError unless the request could be carried out on some table."""
    if not is_plain(request):
        check_mixture(request, WRITE)
    key, _ = SINGLE_WRITE.check_item(request.key)
    check_old_only(request.return_values)
    return DeletePlan(request, key, condition_of(request))


def run(plan: DeletePlan, session: Session) -> WriteItemOutput:
    """Remove the item if its condition holds; to remove nothing is no error."""
    request = plan.request
    table = session.table(request.table_name)
    old = stored_at(session, table, key_position(table, plan.key))
    check_condition(plan.condition, old, request.return_values_on_condition_check_failure)
    cost = delete(session, old)
    returned = old.json if request.return_values == "ALL_OLD" else None
    return item_written(session, request, old, plan.key, cost, returned)
