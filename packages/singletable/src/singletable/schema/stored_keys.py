"""Reject a stored item if its key does not match its attributes.

The key is rendered again from the decoded values, because a key may be a lossy text of them.
"""

from __future__ import annotations

from collections.abc import Mapping

from singletable.errors import InvalidValue, ItemMismatch, show_key
from singletable.schema.key_template import ShardSegment
from singletable.schema.resolved_key import Column, ResolvedKey, TextColumn
from singletable.values import Item, key_bytes


def check_item_key(key: ResolvedKey, item: Item, values: Mapping[str, object]) -> None:
    """Raise ItemMismatch unless the key rendered from the values is that of the item."""
    try:
        rendered = key.attributes(values)
    except InvalidValue:
        rendered = None
    if rendered is not None:
        for name, value in rendered.items():
            if item.get(name) != value:
                break
        else:
            return
        if all(_agrees_without_shard(column, item, rendered) for column in key.columns):
            return
    stored = {one.attribute.name: item.get(one.attribute.name, {}) for one in key.columns}
    expected = "cannot be in a key" if rendered is None else f"belong to {show_key(rendered)}"
    raise ItemMismatch(
        f"the item has the key {show_key(stored)}, but its attributes ({', '.join(key.fields)}) "
        f"{expected}. Correct the attributes, or write the item again with the right key.",
        key.owner,
    )


def _agrees_without_shard(column: Column, item: Item, rendered: Item) -> bool:
    # The shard does not identify the item, and the number of shards may have changed.
    name = column.attribute.name
    if not isinstance(column, TextColumn) or column.template.shards is None:
        stored, expected = item.get(name, {}), rendered[name]
        # A number may be written in several ways: 100, 1E2.
        return stored.keys() == expected.keys() and key_bytes(stored) == key_bytes(expected)
    segments = column.template.segments
    pieces = column.template.split(item.get(name, {}).get("S", ""))
    own_pieces = column.template.split(rendered[name].get("S", ""))
    return pieces is not None and all(
        isinstance(segment, ShardSegment) or piece == own
        for segment, piece, own in zip(segments, pieces, own_pieces or (), strict=True)
    )
