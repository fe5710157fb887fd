"""What an operator does, and an application does not: make tables, and read all of one.

Items are read here as they are stored: markers of unique values, what no entity knows, and what
has expired and is not gone yet.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, cast

from singletable.errors import InvalidValue, ResourceInUse, ServiceUnavailable, TableNotFound
from singletable.expressions import render_projection
from singletable.operations import (
    DeleteRequest,
    DescribeTable,
    DescribeTableOutput,
    PageOutput,
    Scan,
    TimeToLiveSpecification,
    UpdateTimeToLive,
    WriteRequest,
)
from singletable.retry import Pause, Steps, send
from singletable.schema import ItemKey, Model, Table, create_operation, model_of
from singletable.schema.unique import OWNER, UniqueConstraint
from singletable.store.batch import write_all
from singletable.store.context import Context
from singletable.store.cursor import scan_of, seal, unseal
from singletable.store.items import instance_of
from singletable.store.pages import Page
from singletable.store.ttl import is_alive
from singletable.store.validation import addresses_of, check_item, check_table
from singletable.store.writes import Place, place_of
from singletable.values import Item

BETWEEN_LOOKS = 0.5
MOST_LOOKS = 120


def create_table(context: Context, table: Table, *, if_missing: bool) -> Steps[bool]:
    """Make the table as it is declared; whether it was not there before."""
    check_table(table)
    name = context.table_name(table)
    try:
        yield from send(context.retry_policy, create_operation(table, name))
    except ResourceInUse:
        if not if_missing:
            raise
        yield from _wait_for(context, name)
        return False
    yield from _wait_for(context, name)
    if table.ttl is not None:
        told = TimeToLiveSpecification(enabled=True, attribute_name=table.ttl)
        yield from send(context.retry_policy, UpdateTimeToLive(name, told))
    return True


def _wait_for(context: Context, name: str) -> Steps[None]:
    """Wait until a new table can be used, which DynamoDB takes some seconds for."""
    for _ in range(MOST_LOOKS):
        try:
            found: DescribeTableOutput = yield from send(context.retry_policy, DescribeTable(name))
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
    scan = Scan(context.table_name(model.table), exclusive_start_key=after)
    page: PageOutput = yield from send(context.retry_policy, scan)
    now = context.clock()
    found = [
        instance_of(model, item)
        for item in page.items
        if model.matches(item) and is_alive(model, item, now)
    ]
    return found, page.last_evaluated_key


def items_page(context: Context, table: Table, size: int, cursor: str | None) -> Steps[Page[Item]]:
    """So many items of a table as they are stored, beginning where the cursor says."""
    name = context.table_name(table)
    query = scan_of(name)
    after = (
        None if cursor is None else cast("Item", unseal(context.cursor_secret, query, cursor)[0])
    )
    found: list[Item] = []
    # One more tells whether this page is the last.
    while len(found) <= size:
        scan = Scan(name, limit=size + 1 - len(found), exclusive_start_key=after)
        page: PageOutput = yield from send(context.retry_policy, scan)
        found += page.items
        after = page.last_evaluated_key
        if after is None:
            break
    if len(found) <= size:
        return Page(found, None)
    last = found[size - 1]
    key = {one.name: last[one.name] for one in table.key_attributes}
    return Page(found[:size], seal(context.cursor_secret, query, [key]))


def read(table: Table, item: Item) -> object | None:
    """The instance that an item holds; None if it is of no entity, as a marker is not."""
    check_table(table)
    check_item(item)
    for model in map(model_of, table.entities):
        if model.matches(item) and model.key.parse(item) is not None:
            return cast("object", instance_of(model, item))
    return None


# FROM clearing.py: All items of a table deleted, but for some that are kept with the markers of t


@dataclass(frozen=True, slots=True)
class Clearing:
    """What is to be deleted: all but what is at these places, and the markers of it."""

    context: Context
    table: Table
    kept: frozenset[Place]
    markers: tuple[UniqueConstraint, ...]

    @classmethod
    def of(cls, context: Context, table: Table, keep: Iterable[ItemKey[Any]]) -> Clearing:
        """The clearing of a table, but for some addresses in it."""
        check_table(table)
        kept = addresses_of(keep)
        for address in kept:
            if context.table_name(address.model.table) != context.table_name(table):
                raise InvalidValue(
                    f"keep: {address!r} is in {address.model.table!r}, and {table!r} is to be "
                    "cleared. Name addresses of that table alone."
                )
        models = {address.entity: address.model for address in kept}.values()
        return cls(
            context,
            table,
            frozenset(place_of(context.table_name(table), address.key) for address in kept),
            tuple(marker for model in models for marker in model.uniques.values()),
        )

    def some(self, after: Item | None) -> Steps[tuple[int, Item | None]]:
        """Delete what the next page of a scan finds: how many, and where to go on."""
        name = self.context.table_name(self.table)
        names = [one.name for one in self.table.key_attributes]
        asked = [*names, *(f"{OWNER}{one}" for one in names)] if self.markers else names
        keys_only = render_projection(tuple((one,) for one in asked))
        scan = Scan(
            name,
            exclusive_start_key=after,
            projection_expression=keys_only.text,
            expression_attribute_names=keys_only.names or None,
            # What was written a moment ago is to go, too.
            consistent_read=True,
        )
        page: PageOutput = yield from send(self.context.retry_policy, scan)
        deletes: dict[Place, WriteRequest] = {}
        for item in page.items:
            key = {one: item[one] for one in names}
            place = place_of(name, key)
            if place not in self.kept and not self._is_marker_of_kept(item):
                deletes[place] = WriteRequest(delete_request=DeleteRequest(key))
        yield from write_all(self.context, deletes)
        return len(deletes), page.last_evaluated_key

    def _is_marker_of_kept(self, item: Item) -> bool:
        """Whether an item says that a value is taken by an item that is kept."""
        if all(marker.access.parse(item) is None for marker in self.markers):
            return False
        keys = self.table.key_attributes
        owner = {one.name: item.get(f"{OWNER}{one.name}", {}) for one in keys}
        named = all(one.type in owner[one.name] for one in keys)
        return named and place_of(self.context.table_name(self.table), owner) in self.kept
