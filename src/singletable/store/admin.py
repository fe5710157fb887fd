"""What an operator does, and an application does not: make tables, and read all of one."""

from __future__ import annotations

from typing import Any

from singletable.errors import ResourceInUse
from singletable.operations import Page, Scan, UpdateTimeToLive
from singletable.operations.tables import TimeToLiveSpecification
from singletable.schema import Model, Table, create_operation
from singletable.store.alive import is_alive
from singletable.store.context import Context
from singletable.store.items import instance_of
from singletable.store.steps import Steps
from singletable.values import Item


def create_table(context: Context, table: Table, *, if_missing: bool) -> Steps[bool]:
    """Make the table as it is declared; whether it was not there before."""
    name = context.name(table)
    try:
        yield create_operation(table, name)
    except ResourceInUse:
        if not if_missing:
            raise
        return False
    if table.ttl is not None:
        yield UpdateTimeToLive(
            name, TimeToLiveSpecification(enabled=True, attribute_name=table.ttl)
        )
    return True


def scan_page(context: Context, model: Model, after: Item | None) -> Steps[tuple[list[Any], Any]]:
    """Some items of an entity, and where to go on; reads everything there is in the table."""
    page: Page = yield Scan(context.name(model.table), exclusive_start_key=after)
    now = context.clock()
    found = [
        instance_of(model, item)
        for item in page.items
        if model.matches(item) and is_alive(model, item, now)
    ]
    return found, page.last_evaluated_key
