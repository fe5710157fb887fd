"""Markers of unique values that a store has written: they belong to other items."""

from __future__ import annotations

from singletable.drafting.drafted import Unplaced
from singletable.drafting.grouping import Group
from singletable.schema import Table
from singletable.schema.unique import OWNER

WHY = (
    "They look like the markers of unique values: each names the key of its owner. They come by "
    "themselves once Unique(…) is declared on the entity that owns them, with these keys."
)


def take_markers(table: Table, groups: list[Group]) -> list[Unplaced]:
    """Take the groups of markers out, and tell what they are."""
    names = {f"{OWNER}{attribute.name}" for attribute in table.key_attributes}
    markers = [group for group in groups if all(names <= set(item) for item in group.items)]
    for group in markers:
        groups.remove(group)
    return [Unplaced(group.shape, group.items, WHY) for group in markers]
