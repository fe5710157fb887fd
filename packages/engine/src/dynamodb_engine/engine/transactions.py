"""Transactions: the actions of a write, cancellation, and idempotency tokens."""

from __future__ import annotations

import hashlib
from typing import TypeAlias

from msgspec import Struct, json

from dynamodb_engine import operations as ops
from dynamodb_engine.engine.capacity import Cost, write_units
from dynamodb_engine.engine.catalog import Session
from dynamodb_engine.engine.item_update import NewItem, check_update, updated_item
from dynamodb_engine.engine.item_write import StoredItem, delete, put
from dynamodb_engine.engine.key_validation import encode_item_key, encode_key
from dynamodb_engine.engine.request_expressions import parse_expressions
from dynamodb_engine.engine.storage import RowKey
from dynamodb_engine.engine.table import Table
from dynamodb_engine.engine.validation import TRANSACTION
from dynamodb_engine.errors import (
    CancellationReason,
    IdempotentParameterMismatch,
    TransactionCanceled,
    ValidationError,
)
from dynamodb_engine.expressions import Condition, Update
from dynamodb_engine.values import MAX_ITEM_SIZE, Item, ValueTooLarge, to_builtin

Request: TypeAlias = ops.ConditionCheck | ops.Put | ops.Delete | ops.Update
NO_ACTION = (
    "1 validation error detected: Value '' at 'transactItems' failed to satisfy constraint: "
    "TransactWriteRequest should contain Delete or Put or Update or ConditionCheck"
)
SEVERAL_ACTIONS = "TransactItems can only contain one of Check, Put, Update or Delete"
DUPLICATE_ITEM = "Transaction request cannot include multiple operations on one item"
NO_REASON = CancellationReason()
TOKEN_LIFETIME = 10 * 60


class TransactAction(Struct, frozen=True):
    """One action with validated item or key, update and condition."""

    request: Request
    key: Item  # of a put, the item
    size: int
    update: Update
    condition: Condition | None

    def row_key(self, table: Table) -> RowKey:
        """Return the key of the row; raise unless the action matches the table's keys."""
        if isinstance(self.request, ops.Put):
            return encode_item_key(table, self.key)
        key = encode_key(table, self.key)
        if self.update:
            check_update(table, self.update)
        return key


def parse_action(part: ops.TransactWriteItem) -> TransactAction:
    """Return the action; raise ValidationError unless it is well formed."""
    requests = [
        request
        for request in (part.condition_check, part.put, part.delete, part.update)
        if request is not None
    ]
    if len(requests) != 1:
        raise ValidationError(SEVERAL_ACTIONS if requests else NO_ACTION)
    request = requests[0]
    expressions = parse_expressions(request, TRANSACTION)
    key, size = TRANSACTION.check_item(
        request.item if isinstance(request, ops.Put) else request.key
    )
    if isinstance(request, ops.Put) and size > MAX_ITEM_SIZE:
        raise ValueTooLarge
    return TransactAction(request, key, size, expressions.update or (), expressions.condition)


def resulting_item(action: TransactAction, old: StoredItem) -> NewItem | None:
    """Return the item after the action, or None; a condition check leaves it unchanged."""
    match action.request:
        case ops.Put():
            return NewItem(action.key, action.size)
        case ops.Update():
            return updated_item(old, action.update, action.key)
        case ops.Delete():
            return None
        case ops.ConditionCheck():
            return None if old.item is None else NewItem(old.item, old.size)


def apply_action(
    session: Session, action: TransactAction, old: StoredItem, new: NewItem | None
) -> Cost:
    """Apply the action and return its cost outside a transaction."""
    if isinstance(action.request, ops.ConditionCheck):
        return Cost(write_units(old.size))
    if isinstance(action.request, ops.Delete):
        return delete(session, old)
    return Cost(1) if new is None else put(session, old, new.item, new.size)


def canceled_at(number: int, actions: int, error: ValidationError) -> TransactionCanceled:
    """Return the cancellation for an action (counted from 0) that does not match its table.

    DynamoDB stops at the first such action and checks no condition before it, so the other actions
    have no reason.
    """
    reasons = [NO_REASON] * actions
    reasons[number] = CancellationReason("ValidationError", error.message)
    return TransactionCanceled(reasons)


def request_digest(request: ops.TransactWriteItems) -> bytes:
    """Return a digest of the actions that does not depend on the order of attributes."""
    actions = json.encode(request.transact_items, enc_hook=to_builtin, order="deterministic")
    return hashlib.sha256(actions).digest()


def find_replay(session: Session, token: str, digest: bytes) -> dict[str, float] | None:
    """Return the read units by table of a repeated request, or None if the token is new."""
    stored = session.catalog.find_token(session.execute, token, session.now - TOKEN_LIFETIME)
    if stored is None:
        return None
    stored_digest, units = stored
    if stored_digest != digest:
        raise IdempotentParameterMismatch(
            "The request uses the same client token as a previous, but non-identical request. "
            "Do not reuse a client token with different requests, unless the requests are "
            "identical"
        )
    return json.decode(units, type=dict[str, float])


def save_token(session: Session, token: str, digest: bytes, units: dict[str, float]) -> None:
    """Store the token for ten minutes, with the units that a replay consumes."""
    now, raw = float(session.now), json.encode(units)
    session.catalog.save_token(session.execute, token, digest, now, raw)
