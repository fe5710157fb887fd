"""Reject a stored item if its keys do not match its attributes.

The keys are rendered again from the decoded values, because a key may be a lossy text of them. A
write would move an item with another key to another place in the index, or out of it. An item that
lacks an attribute of an index is not in the index yet: a write adds it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from dynamodb_engine.values import AttributeValue, Item, key_bytes
from singletable.errors import InvalidValue, ItemMismatch, show_key
from singletable.schema.resolved_key import Column, ResolvedKey, TextColumn


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


def check_index_keys(accesses: Iterable[ResolvedKey], item: Item, rendered: Item) -> None:
    """Raise ItemMismatch if an attribute of these indexes is not the one that was rendered."""
    for access in accesses:
        for column in access.columns:
            name = column.attribute.name
            stored = item.get(name)
            if not column.dedicated or stored is None or stored == rendered.get(name):
                continue
            if name in rendered and _agrees_without_shard(column, item, rendered):
                continue
            raise _index_mismatch(access, name, stored, rendered.get(name))


def _index_mismatch(
    access: ResolvedKey, name: str, stored: AttributeValue, expected: AttributeValue | None
) -> ItemMismatch:
    fields = ", ".join(access.fields)
    index = "" if access.index is None else access.index.name
    if expected is None:
        would = f"{access} has no key for its values of {fields}"
        does = f"remove it from the index {index}"
    else:
        would = f"{access} expects {show_key({name: expected})}"
        would += f" for its values of {fields}" if fields else ""
        does = f"move it in the index {index}"
    return ItemMismatch(
        f"the item has {show_key({name: stored})}, but {would}: a write would {does}. If another "
        "program writes this key, declare it as that program does, and values that are stored "
        "nowhere else with attr(key_only=True). If its declaration has changed, run a migration "
        "with Backfill, and declare it with on(…, checked=False) until the migration has finished.",
        str(access),
    )


def _agrees_without_shard(column: Column, item: Item, rendered: Item) -> bool:
    # The shard does not identify the item, and the number of shards may have changed.
    name = column.attribute.name
    if not isinstance(column, TextColumn) or column.template.shards is None:
        stored, expected = item.get(name, {}), rendered[name]
        # A number may be written in several ways: 100, 1E2.
        return stored.keys() == expected.keys() and key_bytes(stored) == key_bytes(expected)
    text = item.get(name, {}).get("S", "")
    return column.template.agrees_without_shard(text, rendered[name].get("S", ""))
