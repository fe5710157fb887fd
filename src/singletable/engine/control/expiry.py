"""Which second each item of a table expires at, kept beside it and found by the sweep."""

from __future__ import annotations

from typing import cast

from singletable.engine.storage import Execute
from singletable.engine.table import Table
from singletable.values import item_from_json

_BATCH = 1000


def fill_expiry(table: Table, execute: Execute) -> None:
    """Note when each item expires, and keep the notes in order."""
    rows = table.rows.name
    execute(f"CREATE INDEX {rows}_expires ON {rows} (expires) WHERE expires IS NOT NULL")
    last = -1
    while batch := _after(table, last, execute):
        for last, raw in batch:
            expires = table.expires_at(item_from_json(raw))
            if expires is not None:
                execute(f"UPDATE {rows} SET expires = ? WHERE id = ?", (expires, last))


def empty_expiry(table: Table, execute: Execute) -> None:
    """Forget when items expire."""
    rows = table.rows.name
    execute(f"UPDATE {rows} SET expires = NULL WHERE expires IS NOT NULL")
    execute(f"DROP INDEX {rows}_expires")


def _after(table: Table, last: int, execute: Execute) -> list[tuple[int, bytes]]:
    """The next items by number. A batch is read to its end before any of it is written."""
    return cast(
        "list[tuple[int, bytes]]",
        list(
            execute(
                f"SELECT id, item FROM {table.rows.name} WHERE id > ? ORDER BY id LIMIT {_BATCH}",
                (last,),
            )
        ),
    )
