"""What an operator does, and an application does not: make tables, and read all of one.

Items are read here as they are stored: markers of unique values, what no entity knows, and what
has expired and is not gone yet.
"""

from __future__ import annotations

from typing import Any, cast

from singletable.errors import ResourceInUse, ServiceUnavailable, TableNotFound
from singletable.operations import (
    DescribeTable,
    DescribeTableOutput,
    PageOutput,
    Scan,
    UpdateTimeToLive,
)
from singletable.operations.tables import TimeToLiveSpecification
from singletable.retry import Pause, Steps, send
from singletable.schema import Model, Table, create_operation, model_of
from singletable.store.alive import is_alive
from singletable.store.context import Context
from singletable.store.cursor import scan_of, seal, unseal
from singletable.store.given import check_item, check_table
from singletable.store.items import instance_of
from singletable.store.pages import Page
from singletable.values import Item

BETWEEN_LOOKS = 0.5
MOST_LOOKS = 120


def create_table(context: Context, table: Table, *, if_missing: bool) -> Steps[bool]:
    """Make the table as it is declared; whether it was not there before."""
    check_table(table)
    name = context.name(table)
    try:
        yield from send(context.patience, create_operation(table, name))
    except ResourceInUse:
        if not if_missing:
            raise
        yield from _wait_for(context, name)
        return False
    yield from _wait_for(context, name)
    if table.ttl is not None:
        told = TimeToLiveSpecification(enabled=True, attribute_name=table.ttl)
        yield from send(context.patience, UpdateTimeToLive(name, told))
    return True


def _wait_for(context: Context, name: str) -> Steps[None]:
    """Wait until a new table can be used, which DynamoDB takes some seconds for."""
    for _ in range(MOST_LOOKS):
        try:
            found: DescribeTableOutput = yield from send(context.patience, DescribeTable(name))
        except TableNotFound:
            # DynamoDB may not yet know of a table that it has just agreed to make.
            pass
        else:
            if found.table.table_status == "ACTIVE":
                return
        yield Pause(BETWEEN_LOOKS, "progress")
    raise ServiceUnavailable(
        f"Table {name!r} is not active after {MOST_LOOKS * BETWEEN_LOOKS:.0f} seconds. It was "
        "asked for, and may still come; its time to live is not switched on."
    )


def scan_page(context: Context, model: Model, after: Item | None) -> Steps[tuple[list[Any], Any]]:
    """Some items of an entity, and where to go on; reads everything there is in the table."""
    scan = Scan(context.name(model.table), exclusive_start_key=after)
    page: PageOutput = yield from send(context.patience, scan)
    now = context.clock()
    found = [
        instance_of(model, item)
        for item in page.items
        if model.matches(item) and is_alive(model, item, now)
    ]
    return found, page.last_evaluated_key


def items_page(context: Context, table: Table, size: int, cursor: str | None) -> Steps[Page[Item]]:
    """So many items of a table as they are stored, beginning where the cursor says."""
    name = context.name(table)
    query = scan_of(name)
    after = None if cursor is None else cast("Item", unseal(context.secret, query, cursor)[0])
    found: list[Item] = []
    # One more tells whether this page is the last.
    while len(found) <= size:
        scan = Scan(name, limit=size + 1 - len(found), exclusive_start_key=after)
        page: PageOutput = yield from send(context.patience, scan)
        found += page.items
        after = page.last_evaluated_key
        if after is None:
            break
    if len(found) <= size:
        return Page(found, None)
    last = found[size - 1]
    key = {one.name: last[one.name] for one in table.key_attributes}
    return Page(found[:size], seal(context.secret, query, [key]))


def read(table: Table, item: Item) -> object | None:
    """The instance that an item holds; None if it is of no entity, as a marker is not."""
    check_table(table)
    check_item(item)
    for model in map(model_of, table.entities):
        if model.matches(item) and model.key.parse(item) is not None:
            return cast("object", instance_of(model, item))
    return None
