"""Check that the key of a stored item belongs to its attributes, so that it is not read as another.

The key is rendered again from the decoded values, because a key may be a lossy text of them.
"""

from __future__ import annotations

from collections.abc import Mapping

from singletable.errors import InvalidValue, ItemMismatch, show_key
from singletable.schema.key_template import SEPARATOR, ShardSegment
from singletable.schema.resolved_key import Column, ResolvedKey, TextColumn
from singletable.values import Item


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
        return item.get(name) == rendered[name]
    segments = column.template.segments
    pieces = item.get(name, {}).get("S", "").split(SEPARATOR)
    expected = rendered[name].get("S", "").split(SEPARATOR)
    return len(pieces) == len(expected) and all(
        isinstance(segment, ShardSegment) or piece == own
        for segment, piece, own in zip(segments, pieces, expected, strict=True)
    )
