"""Items whose time is over: DynamoDB deletes them late, and no one is to see them until then."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

from singletable import expressions
from singletable.expressions import At, Compare, Constant, Exists, Not, NotExists, Or
from singletable.schema import Model
from singletable.store.context import Context
from singletable.store.writes import both
from singletable.values import Item


def is_alive(model: Model, item: Item, now: datetime) -> bool:
    """Whether the item's time is not over."""
    expires = model.role("expires")
    if expires is None:
        return True
    held = item.get(expires.attribute, {}).get("N")
    return held is None or Decimal(held) > int(now.timestamp())


def is_seen(context: Context, model: Model, item: Item) -> bool:
    """Whether the item's time is not over now."""
    return "expires" not in model.roles or is_alive(model, item, context.clock())


def alive(model: Model, now: datetime) -> expressions.Condition | None:
    """The condition that an item's time is not over; None where items do not expire."""
    over = _over(model, now)
    # What has no time, or something else in its place, never expires: DynamoDB sees it so too.
    return None if over is None else Not(over)


def is_there(model: Model, now: datetime) -> expressions.Condition:
    """The condition that there is such an item, and its time is not over."""
    exists = Exists((model.table.pk.name,))
    return both(exists, alive(model, now)) or exists


def is_free(model: Model, now: datetime) -> expressions.Condition:
    """The condition that nothing is at a key of the model's table, or its time is over."""
    missing = NotExists((model.table.pk.name,))
    over = _over(model, now)
    return missing if over is None else Or(missing, over)


def _over(model: Model, now: datetime) -> expressions.Condition | None:
    expires = model.role("expires")
    if expires is None:
        return None
    return Compare("<=", At(expires.document_path()), Constant({"N": str(int(now.timestamp()))}))
