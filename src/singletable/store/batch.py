"""Many items at once, each for itself; what was not processed is asked for again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar, cast

from singletable.errors import InvalidValue, Throttled
from singletable.operations import (
    BatchGetItem,
    BatchWriteItem,
    DeleteRequest,
    ItemsGot,
    ItemsWritten,
    KeysAndAttributes,
    PutRequest,
    WriteRequest,
)
from singletable.schema import Address, Model, Table, model_of
from singletable.store.alive import is_alive
from singletable.store.context import Context
from singletable.store.items import instance_of
from singletable.store.plan import plan_create
from singletable.store.steps import Steps
from singletable.values import Item, item_to_json

E = TypeVar("E")

MOST_GETS = 100
MOST_WRITES = 25


def get_many(
    context: Context, addresses: Iterable[Address[E]], *, consistent: bool
) -> Steps[list[E | None]]:
    """The items at some addresses, in their order; None where there is none."""
    asked = list(addresses)
    tables = {address.model.table for address in asked}
    found: dict[tuple[Table, bytes], Item] = {}
    for table in tables:
        keys = [address.key for address in asked if address.model.table is table]
        items = yield from get_items(context, table, keys, consistent=consistent)
        for key, item in zip(keys, items, strict=True):
            if item is not None:
                found[table, item_to_json(key)] = item
    now = context.clock()
    results: list[E | None] = []
    for address in asked:
        item = found.get((address.model.table, item_to_json(address.key)))
        if item is None or not is_alive(address.model, item, now):
            results.append(None)
        else:
            results.append(cast(E, instance_of(address.model, item)))
    return results


def get_items(
    context: Context, table: Table, keys: Sequence[Item], *, consistent: bool
) -> Steps[list[Item | None]]:
    """The items with some keys of a table, in their order; None where there is none."""
    name = context.name(table)
    names = [attribute.name for attribute in table.key_attributes]
    found: dict[bytes, Item] = {}
    waiting = list({item_to_json(key): key for key in keys}.values())
    attempt = 0
    while waiting:
        asked, waiting = waiting[:MOST_GETS], waiting[MOST_GETS:]
        got: ItemsGot = yield BatchGetItem(
            {name: KeysAndAttributes(asked, consistent_read=consistent or None)}
        )
        for item in got.responses.get(name, []):
            found[item_to_json({one: item[one] for one in names})] = item
        left = got.unprocessed_keys.get(name)
        attempt = 0 if left is None else attempt + 1
        if left is not None:
            waiting = list(left.keys) + waiting
            yield from _wait(context, attempt)
    return [found.get(item_to_json({one: key[one] for one in names})) for key in keys]


def put_many(context: Context, items: Iterable[object]) -> Steps[None]:
    """Store many items, each in place of the one with its key."""
    # DynamoDB refuses an item twice in a batch; one after the other, the last would stay.
    writes: dict[tuple[str, bytes], WriteRequest] = {}
    stamps: list[tuple[Any, Any]] = []
    for item in items:
        model = _plain(model_of(type(item)))
        plan = plan_create(context, model, item, None)
        stamps.append((item, plan.stamps))
        put = plan.writes[0]
        writes[put.table, item_to_json(put.key)] = WriteRequest(PutRequest(put.item or {}))
    yield from _write_all(context, writes)
    for item, stamp in stamps:
        item.__dict__.update(stamp)


def delete_many(context: Context, addresses: Iterable[Address[Any]]) -> Steps[None]:
    """Remove many items, if they are there."""
    writes: dict[tuple[str, bytes], WriteRequest] = {}
    for address in addresses:
        place = context.name(_plain(address.model).table), item_to_json(address.key)
        writes[place] = WriteRequest(delete_request=DeleteRequest(address.key))
    yield from _write_all(context, writes)


def _plain(model: Model) -> Model:
    """Refuse what a batch cannot do: it knows no conditions, and no other items."""
    for what, there in (
        ("a version", model.role("version")),
        ("unique values", model.uniques),
        ("counts", model.counts),
    ):
        if there:
            raise InvalidValue(
                f"{model.name} has {what}, which a batch cannot keep: it writes without "
                "conditions. Write the items one by one, or in a transaction."
            )
    return model


def _write_all(context: Context, writes: Mapping[tuple[str, bytes], WriteRequest]) -> Steps[None]:
    waiting = [(name, request) for (name, _), request in writes.items()]
    attempt = 0
    while waiting:
        now, waiting = waiting[:MOST_WRITES], waiting[MOST_WRITES:]
        requests: dict[str, list[WriteRequest]] = {}
        for name, request in now:
            requests.setdefault(name, []).append(request)
        written: ItemsWritten = yield BatchWriteItem(requests)
        left = [
            (name, request) for name, more in written.unprocessed_items.items() for request in more
        ]
        attempt = attempt + 1 if left else 0
        if left:
            waiting = left + waiting
            yield from _wait(context, attempt)


def _wait(context: Context, attempt: int) -> Steps[None]:
    if attempt >= context.attempts:
        raise Throttled(
            f"{attempt} requests in a row came back unprocessed; the table is asked for more than "
            "it bears. What was processed is written; the same call may be made again."
        )
    yield context.pause(attempt)
