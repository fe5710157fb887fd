"""Backfill a new index, or the expiry times of a table with new TTL."""

from __future__ import annotations

from typing import cast

from msgspec.structs import replace

from dynamodb_engine.engine.key_validation import has_valid_keys
from dynamodb_engine.engine.storage import Execute
from dynamodb_engine.engine.table import Index, Table
from dynamodb_engine.engine.table_record import UNTIL_FILLED, TableRecord
from dynamodb_engine.values import item_from_json, item_size, item_to_json

_BATCH = 1000


def backfill(table: Table, index: Index, execute: Execute) -> None:
    """Add every item to the index."""
    for size, raw in table.rows.scan_range(b"", None, None).rows(execute):
        add_entry(index, size, raw, execute)


def add_entry(index: Index, size: int, raw: bytes, execute: Execute) -> None:
    """Add an item to the index if it has valid keys; others are left out, as on AWS."""
    item = item_from_json(raw)
    if not has_valid_keys(index, item):
        return
    key = index.row_key(item)
    if index.projected_attributes is None:
        index.rows.upsert(execute, key, size, raw)
    else:
        entry = index.project(item)
        index.rows.upsert(execute, key, item_size(entry), item_to_json(entry))


def mark_unfilled(new: TableRecord, old: TableRecord) -> TableRecord:
    """Return the record with the added indexes marked as being created until they are filled."""
    before = {index.number for index in old.global_indexes}
    indexes = [
        index if index.number in before else replace(index, created_by=UNTIL_FILLED)
        for index in new.global_indexes
    ]
    return replace(new, global_indexes=tuple(indexes))


def fill_expiry(table: Table, execute: Execute) -> None:
    """Store when each item expires beside it, indexed for the sweep."""
    rows = table.rows.name
    execute(f"CREATE INDEX {rows}_expires ON {rows} (expires) WHERE expires IS NOT NULL")
    last = -(2**63)
    while batch := _next_batch(table, last, execute):
        for last, raw in batch:
            expires = table.expires_at(item_from_json(raw))
            if expires is not None:
                execute(f"UPDATE {rows} SET expires = ? WHERE id = ?", (expires, last))


def clear_expiry(table: Table, execute: Execute) -> None:
    """Remove the times at which items expire."""
    rows = table.rows.name
    execute(f"UPDATE {rows} SET expires = NULL WHERE expires IS NOT NULL")
    execute(f"DROP INDEX {rows}_expires")


def _next_batch(table: Table, last: int, execute: Execute) -> list[tuple[int, bytes]]:
    """Return the items after `last`, all read before any of them is written."""
    statement = f"SELECT id, item FROM {table.rows.name} WHERE id > ? ORDER BY id LIMIT {_BATCH}"
    return cast("list[tuple[int, bytes]]", list(execute(statement, (last,))))
