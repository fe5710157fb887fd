"""Expired items: DynamoDB deletes them up to days late, so the store hides them until then."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

from dynamodb_engine import expressions
from dynamodb_engine.expressions import And, At, Compare, Constant, Exists, Not, NotExists, Or
from dynamodb_engine.values import Item
from singletable.schema import Model
from singletable.store.context import Context


def is_expired(model: Model, item: Item, now: datetime) -> bool:
    """Return whether the item's TTL has passed at `now`."""
    expires = model.role("expires")
    if expires is None:
        return False
    timestamp = item.get(expires.attribute, {}).get("N")
    return timestamp is not None and Decimal(timestamp) <= int(now.timestamp())


def is_visible(context: Context, model: Model, item: Item) -> bool:
    """Return whether the item has not expired now; the clock is read only if items can expire."""
    return "expires" not in model.roles or not is_expired(model, item, context.clock())


def not_expired(model: Model, now: datetime) -> expressions.Condition | None:
    """Return the condition that an item has not expired; None if items do not expire."""
    expired = _expired(model, now)
    # Like DynamoDB, treat a missing or non-numeric TTL as "never expires".
    return None if expired is None else Not(expired)


def item_exists(model: Model, now: datetime) -> expressions.Condition:
    """Return the condition that an item exists and has not expired."""
    exists = Exists((model.table.pk.name,))
    alive = not_expired(model, now)
    return exists if alive is None else And(exists, alive)


def item_absent(model: Model, now: datetime) -> expressions.Condition:
    """Return the condition that no item has the key, or that it has expired."""
    absent = NotExists((model.table.pk.name,))
    expired = _expired(model, now)
    return absent if expired is None else Or(absent, expired)


def _expired(model: Model, now: datetime) -> expressions.Condition | None:
    expires = model.role("expires")
    if expires is None:
        return None
    return Compare("<=", At(expires.document_path()), Constant({"N": str(int(now.timestamp()))}))
