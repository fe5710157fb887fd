"""The actions of a writing transaction: checked one by one, then done together or not at all."""

from __future__ import annotations

from typing import TypeAlias

from msgspec import Struct

from singletable.engine.capacity import Cost, write_units
from singletable.engine.dialect import TRANSACTION
from singletable.engine.keys import item_position, key_position
from singletable.engine.reading import read_expressions
from singletable.engine.session import Session
from singletable.engine.storage import Position
from singletable.engine.table import Table
from singletable.engine.update import Updated, check_update, updated
from singletable.engine.write import Stored, delete, put
from singletable.errors import ValidationError
from singletable.expressions import Condition, Update
from singletable.operations import ConditionCheck, Delete, Put, TransactWriteItem
from singletable.operations import Update as UpdateRequest
from singletable.values import MAX_ITEM_SIZE, Item

Request: TypeAlias = ConditionCheck | Put | Delete | UpdateRequest
ITEM_TOO_LARGE = "Item size has exceeded the maximum allowed size"
NO_ACTION = (
    "1 validation error detected: Value '' at 'transactItems' failed to satisfy constraint: "
    "TransactWriteRequest should contain Delete or Put or Update or ConditionCheck"
)
SEVERAL_ACTIONS = "TransactItems can only contain one of Check, Put, Update or Delete"


class Action(Struct, frozen=True):
    """One action whose item or key, update and condition are well formed."""

    request: Request
    key: Item  # of a put, the item
    size: int
    update: Update
    condition: Condition | None

    def position(self, table: Table) -> Position:
        """Where the item stands; raises unless the action fits the table's keys."""
        if isinstance(self.request, Put):
            return item_position(table, self.key)
        position = key_position(table, self.key)
        if self.update:
            check_update(table, self.update)
        return position


def action_of(one: TransactWriteItem) -> Action:
    """The action, ready to be carried out; ValidationError if it is not well formed."""
    requests = [r for r in (one.condition_check, one.put, one.delete, one.update) if r is not None]
    if len(requests) != 1:
        raise ValidationError(SEVERAL_ACTIONS if requests else NO_ACTION)
    request = requests[0]
    read = read_expressions(request, TRANSACTION)
    key, size = TRANSACTION.check_item(request.item if isinstance(request, Put) else request.key)
    if isinstance(request, Put) and size > MAX_ITEM_SIZE:
        raise ValidationError(ITEM_TOO_LARGE)
    return Action(request, key, size, read.update or (), read.condition)


def outcome(action: Action, old: Stored) -> Updated | None:
    """The item that the action leaves, None if it leaves none; for a check, the item as it is."""
    match action.request:
        case Put():
            return Updated(action.key, action.size)
        case UpdateRequest():
            return updated(old, action.update, action.key)
        case Delete():
            return None
        case ConditionCheck():
            return None if old.item is None else Updated(old.item, old.size)


def carry_out(session: Session, action: Action, old: Stored, new: Updated | None) -> Cost:
    """Do what the action says, and tell its cost outside a transaction."""
    if isinstance(action.request, ConditionCheck):
        return Cost(write_units(old.size))
    if isinstance(action.request, Delete):
        return delete(session, old)
    return Cost(1) if new is None else put(session, old, new.item, new.size)
