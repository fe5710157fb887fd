"""Fields that had other names and types in earlier versions."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

from singletable import Condition, Encrypted
from singletable.schema import Attr, Entity, Key, Table, attr

SECRET = Encrypted(key=lambda key_id: key_id.encode(), key_id="1")


def from_seconds(seconds: int) -> datetime:
    """Convert a timestamp."""
    return datetime.fromtimestamp(seconds, UTC)


class Order(Entity, table=Table("orders")):
    """All ways to name a type."""

    number: Attr[str] = attr(name="Number", old_names=("number", "no"), write_old=True)
    placed: Attr[datetime] = attr(old_types={int: from_seconds})
    due: Attr[datetime | None] = attr(
        default=None, old_types={int: from_seconds, str: datetime.fromisoformat}
    )
    total: Attr[Decimal] = attr(old_types={str: Decimal}, check=lambda total: total > 0)
    count: Attr[int] = attr(default=0, old_types={str: int}, old_names=("Count",))
    lines: Attr[list[str]] = attr(factory=list[str], old_types={str: str.split})
    tags: Attr[list[str]] = attr(factory=list[str], old_types={set[str]: sorted})
    card: Attr[str | None] = attr(codec=SECRET, old_types={str: str})

    key = Key(pk=("ORDER", number), sk="ORDER")


order = Order(number="1", placed=from_seconds(1), total=Decimal(1), card=None)
found: Condition[Order] = (Order.placed > from_seconds(1)) & (Order.number == "1")
when: datetime = order.placed
