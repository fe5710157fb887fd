"""Raw contents of tables."""

from __future__ import annotations

import json

from singletable import Item, Scan, Store, Table


def all_items(store: Store, table: Table) -> list[Item]:
    """Return all stored items of a table."""
    items: list[Item] = []
    cursor = None
    while True:
        page = store.admin.items(table, 1000, cursor=cursor)
        items += page.items
        cursor = page.cursor
        if cursor is None:
            return items


def stored_text(store: Store, table: str = "vote_sessions") -> str:
    """Return every item of a table as JSON: what someone with a copy of the table sees."""
    return json.dumps(list(store.driver.execute(Scan(table)).items))
