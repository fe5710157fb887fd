"""Fill a new index from its table, at once and in the same write."""

from __future__ import annotations

from singletable.engine.key_validation import MAX_PARTITION_KEY, MAX_SORT_KEY, empty_type
from singletable.engine.storage import Execute
from singletable.engine.table import Index, KeyAttribute, Table
from singletable.values import (
    AttributeValue,
    Item,
    item_from_json,
    item_size,
    item_to_json,
    key_bytes,
)


def backfill(table: Table, index: Index, execute: Execute) -> None:
    """Enter every item that the index can hold; the others stay out of it, as at AWS."""
    for size, raw in table.rows.scan_range(b"", None, None).rows(execute):
        item = item_from_json(raw)
        if not _fits(index, item):
            continue
        position = index.row_key(item)
        if index.projected_attributes is None:
            index.rows.add(execute, position, size, raw)
        else:
            entry = index.project(item)
            index.rows.add(execute, position, item_size(entry), item_to_json(entry))


def _fits(index: Index, item: Item) -> bool:
    if not index.key.matches(item):
        return False
    return _all_fit(index.key.partition, item, MAX_PARTITION_KEY) and _all_fit(
        index.key.sort, item, MAX_SORT_KEY
    )


def _all_fit(attributes: tuple[KeyAttribute, ...], item: Item, limit: int) -> bool:
    return all(_can_be_key(item[attribute.name], limit) for attribute in attributes)


def _can_be_key(value: AttributeValue, limit: int) -> bool:
    # What was written before it was a key may be what no key may be: empty, or long.
    return empty_type(value) is None and len(key_bytes(value)) <= limit
