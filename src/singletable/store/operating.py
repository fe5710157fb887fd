"""What an operator can ask, once for both faces: the work itself, and what it is about."""

from __future__ import annotations

from typing import Any

from singletable.schema import Table
from singletable.store import admin
from singletable.store.admin import Clearing
from singletable.store.calls import about_all, about_table
from singletable.store.context import Context
from singletable.store.pages import Page
from singletable.store.validation import check_amount, check_table, models_of
from singletable.store.work import Work
from singletable.values import Item


def scan(context: Context, entity: type, after: Item | None) -> Work[tuple[list[Any], Any]]:
    """Some items of an entity, out of all that there are."""
    (model,) = models_of([entity])
    return Work(
        admin.scan_page(context, model, after), lambda: about_all("scan", entity, kind="scan")
    )


def stored_items(context: Context, table: Table, size: int, cursor: str | None) -> Work[Page[Item]]:
    """One page of a table's items as they are stored."""
    check_table(table)
    check_amount("size", size)
    return Work(admin.items_page(context, table, size, cursor), lambda: about_table("items"))


def clear(clearing: Clearing, after: Item | None) -> Work[tuple[int, Item | None]]:
    """Delete what the next page of a table holds."""
    return Work(clearing.some(after), lambda: about_table("clear"))
