"""Items whose time is over: DynamoDB deletes them late, and no one is to see them until then."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

from singletable import expressions
from singletable.expressions import At, Compare, Exists, Literally, NotExists, Or
from singletable.schema import Model
from singletable.store.write import both
from singletable.values import Item


def is_alive(model: Model, item: Item, now: datetime) -> bool:
    """Whether the item's time is not over."""
    expires = model.role("expires")
    if expires is None:
        return True
    held = item.get(expires.attribute, {}).get("N")
    return held is None or Decimal(held) > int(now.timestamp())


def alive(model: Model, now: datetime) -> expressions.Condition | None:
    """The condition that an item's time is not over; None where items do not expire."""
    expires = model.role("expires")
    if expires is None:
        return None
    place = expires.place()
    later = Compare(">", At(place), Literally({"N": str(int(now.timestamp()))}))
    return Or(NotExists(place), later)


def is_there(model: Model, now: datetime) -> expressions.Condition:
    """The condition that there is such an item, and its time is not over."""
    exists = Exists((model.table.pk.name,))
    return both(exists, alive(model, now)) or exists


def is_free(model: Model, now: datetime) -> expressions.Condition:
    """The condition that there is no such item, or its time is over."""
    return nothing_at(model.table.pk.name, model, now)


def nothing_at(pk: str, model: Model, now: datetime) -> expressions.Condition:
    """The condition that nothing is at a key of the model's table, or its time is over."""
    missing = NotExists((pk,))
    expires = model.role("expires")
    if expires is None:
        return missing
    over = Compare("<=", At(expires.place()), Literally({"N": str(int(now.timestamp()))}))
    return Or(missing, over)
