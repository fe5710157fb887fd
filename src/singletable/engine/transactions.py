"""The actions of a writing transaction: checked one by one, then done together or not at all."""

from __future__ import annotations

import hashlib
from typing import TypeAlias, cast

from msgspec import Struct, json

from singletable.engine.capacity import Cost, write_units
from singletable.engine.catalog import Session
from singletable.engine.item_update import UpdatedItem, apply_to_item, check_update
from singletable.engine.item_write import StoredItem, delete, put
from singletable.engine.key_validation import encode_item_key, encode_key
from singletable.engine.request_expressions import parse_expressions
from singletable.engine.storage import RowKey
from singletable.engine.table import Table
from singletable.engine.validation import TRANSACTION
from singletable.errors import (
    CancellationReason,
    IdempotentParameterMismatch,
    TransactionCanceled,
    ValidationError,
)
from singletable.expressions import Condition, Update
from singletable.operations import (
    ConditionCheck,
    Delete,
    Put,
    TransactWriteItem,
    TransactWriteItems,
)
from singletable.operations import Update as UpdateRequest
from singletable.values import MAX_ITEM_SIZE, Item, to_builtin

Request: TypeAlias = ConditionCheck | Put | Delete | UpdateRequest
ITEM_TOO_LARGE = "Item size has exceeded the maximum allowed size"
NO_ACTION = (
    "1 validation error detected: Value '' at 'transactItems' failed to satisfy constraint: "
    "TransactWriteRequest should contain Delete or Put or Update or ConditionCheck"
)
SEVERAL_ACTIONS = "TransactItems can only contain one of Check, Put, Update or Delete"


class TransactAction(Struct, frozen=True):
    """One action whose item or key, update and condition are well formed."""

    request: Request
    key: Item  # of a put, the item
    size: int
    update: Update
    condition: Condition | None

    def row_key(self, table: Table) -> RowKey:
        """Where the item stands; raises unless the action fits the table's keys."""
        if isinstance(self.request, Put):
            return encode_item_key(table, self.key)
        position = encode_key(table, self.key)
        if self.update:
            check_update(table, self.update)
        return position


def parse_action(one: TransactWriteItem) -> TransactAction:
    """The action, ready to be carried out; ValidationError if it is not well formed."""
    requests = [r for r in (one.condition_check, one.put, one.delete, one.update) if r is not None]
    if len(requests) != 1:
        raise ValidationError(SEVERAL_ACTIONS if requests else NO_ACTION)
    request = requests[0]
    read = parse_expressions(request, TRANSACTION)
    key, size = TRANSACTION.check_item(request.item if isinstance(request, Put) else request.key)
    if isinstance(request, Put) and size > MAX_ITEM_SIZE:
        raise ValidationError(ITEM_TOO_LARGE)
    return TransactAction(request, key, size, read.update or (), read.condition)


def resulting_item(action: TransactAction, old: StoredItem) -> UpdatedItem | None:
    """The item that the action leaves, None if it leaves none; for a check, the item as it is."""
    match action.request:
        case Put():
            return UpdatedItem(action.key, action.size)
        case UpdateRequest():
            return apply_to_item(old, action.update, action.key)
        case Delete():
            return None
        case ConditionCheck():
            return None if old.item is None else UpdatedItem(old.item, old.size)


def apply_action(
    session: Session, action: TransactAction, old: StoredItem, new: UpdatedItem | None
) -> Cost:
    """Do what the action says, and tell its cost outside a transaction."""
    if isinstance(action.request, ConditionCheck):
        return Cost(write_units(old.size))
    if isinstance(action.request, Delete):
        return delete(session, old)
    return Cost(1) if new is None else put(session, old, new.item, new.size)


# FROM cancellation.py: Why a transaction is refused as a whole, whether it reads or writes.

DUPLICATE_ITEM = "Transaction request cannot include multiple operations on one item"
NO_REASON = CancellationReason()


def canceled_at(place: int, actions: int, error: ValidationError) -> TransactionCanceled:
    """The cancellation for an action that does not fit its table.

    DynamoDB looks no further than the first of these, and at no condition before it: whatever may
    be wrong with the other actions, they have no reason.
    """
    reasons = [NO_REASON] * actions
    reasons[place] = CancellationReason("ValidationError", error.message)
    return TransactionCanceled(reasons)


# FROM tokens.py: Client tokens: a transaction that is sent twice is carried out once.

LIFETIME = 10 * 60


def request_digest(request: TransactWriteItems) -> bytes:
    """What makes two requests the same: their actions, in whatever order attributes are listed."""
    actions = json.encode(request.transact_items, enc_hook=to_builtin, order="deterministic")
    return hashlib.sha256(actions).digest()


def find_replay(session: Session, token: str, digest: bytes) -> dict[str, float] | None:
    """What reading back the first call costs, by table; None if there was none."""
    session.execute("DELETE FROM tokens WHERE moment <= ?", (session.now - LIFETIME,))
    for known, result in session.execute(
        "SELECT request, result FROM tokens WHERE token = ?", (token,)
    ):
        if known != digest:
            raise IdempotentParameterMismatch(
                "The request uses the same client token as a previous, but non-identical request. "
                "Do not reuse a client token with different requests, unless the requests are "
                "identical"
            )
        return json.decode(cast(bytes, result), type=dict[str, float])
    return None


def save_token(session: Session, token: str, digest: bytes, units: dict[str, float]) -> None:
    """Keep the token for ten minutes, with what a replay is charged."""
    session.execute(
        "INSERT INTO tokens (token, request, moment, result) VALUES (?, ?, ?, ?)",
        (token, digest, session.now, json.encode(units)),
    )
