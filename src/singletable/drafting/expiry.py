"""Attributes that look like a time to live, in tables that have none."""

from __future__ import annotations

from collections.abc import Sequence

from singletable.drafting.names import snake
from singletable.schema import Table
from singletable.values import Item

NAMES = ("ttl", "time_to_live", "expires", "expires_at", "expiry", "expiration", "expiration_time")


def looks_like_expiry(table: Table, items: Sequence[Item]) -> list[str]:
    """A note on the attribute by which items might be meant to expire."""
    if table.ttl is not None:
        return []
    for name in dict.fromkeys(name for item in items for name in item):
        held = [item[name] for item in items if name in item]
        if snake(name) in NAMES and all("N" in one and one["N"].isdigit() for one in held):
            return [
                f"{name!r} looks like a time to live, but {table.name!r} is not known to have one. "
                f"If items expire by it, write Table(…, ttl={name!r}), and expires() for the field."
            ]
    return []
