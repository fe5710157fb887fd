"""Many items at once, each for itself; what was not processed is asked for again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar, cast

from singletable.errors import InvalidValue, Throttled
from singletable.operations import (
    BatchGetItem,
    BatchGetItemOutput,
    BatchWriteItem,
    BatchWriteItemOutput,
    DeleteRequest,
    KeysAndAttributes,
    PutRequest,
    WriteRequest,
)
from singletable.retry import Steps, send
from singletable.schema import ItemKey, Model, Table, counters_of
from singletable.store.context import Context
from singletable.store.items import instance_of, stamped
from singletable.store.plan import Plan, plan_create
from singletable.store.ttl import is_alive
from singletable.store.validation import addresses_of, check_several, model_of_item
from singletable.store.writes import Place, place_of
from singletable.values import Item

E = TypeVar("E")

MOST_GETS = 100
MOST_WRITES = 25


def get_many(
    context: Context, addresses: Iterable[ItemKey[E]], *, consistent: bool
) -> Steps[list[E | None]]:
    """The items at some addresses, in their order; None where there is none."""
    asked = addresses_of(addresses)
    places = [place_of(context.table_name(one.model.table), one.key) for one in asked]
    wanted = {place: one.key for place, one in zip(places, asked, strict=True)}
    tables = {context.table_name(one.model.table): one.model.table for one in asked}
    found = yield from get_items(context, tables, wanted, consistent=consistent)
    now = context.clock()
    results: list[E | None] = []
    for address, place in zip(asked, places, strict=True):
        item = found.get(place)
        if item is None or not is_alive(address.model, item, now):
            results.append(None)
        else:
            results.append(cast(E, instance_of(address.model, item)))
    return results


def get_items(
    context: Context,
    tables: Mapping[str, Table],
    wanted: Mapping[Place, Item],
    *,
    consistent: bool,
) -> Steps[dict[Place, Item]]:
    """The items with some keys of some tables, each at its place, as far as they are there."""
    found: dict[Place, Item] = {}
    waiting = [(table, key) for (table, _), key in wanted.items()]
    attempt = 0
    while waiting:
        asked, waiting = waiting[:MOST_GETS], waiting[MOST_GETS:]
        keys: dict[str, list[Item]] = {}
        for table, key in asked:
            keys.setdefault(table, []).append(key)
        got: BatchGetItemOutput = yield from send(
            context.retry_policy,
            BatchGetItem(
                {
                    table: KeysAndAttributes(some, consistent_read=consistent or None)
                    for table, some in keys.items()
                }
            ),
        )
        for table, items in got.responses.items():
            names = [attribute.name for attribute in tables[table].key_attributes]
            for item in items:
                found[place_of(table, {name: item[name] for name in names})] = item
        left = [(table, key) for table, more in got.unprocessed_keys.items() for key in more.keys]
        waiting = left + waiting
        attempt = yield from _wait(context, attempt, len(left), len(asked))
    return found


def put_many(context: Context, items: Iterable[object]) -> Steps[None]:
    """Store many items, each in place of the one with its key."""
    # DynamoDB refuses an item twice in a batch; one after the other, the last would stay.
    writes: dict[Place, WriteRequest] = {}
    plans: list[tuple[object, Plan]] = []
    check_several("items", items)
    for item in items:
        plan = plan_create(context, _plain(model_of_item(item)), item, None)
        plans.append((item, plan))
        put = plan.writes[0]
        writes[put.place] = WriteRequest(PutRequest(put.item or {}))
    yield from write_all(context, writes)
    for item, plan in plans:
        stamped(item, plan)


def delete_many(context: Context, addresses: Iterable[ItemKey[Any]]) -> Steps[None]:
    """Remove many items, if they are there."""
    writes: dict[Place, WriteRequest] = {}
    for address in addresses_of(addresses):
        model = _plain(address.model, deletes=True)
        place = place_of(context.table_name(model.table), address.key)
        writes[place] = WriteRequest(delete_request=DeleteRequest(address.key))
    yield from write_all(context, writes)


def _plain(model: Model, *, deletes: bool = False) -> Model:
    """Refuse what a batch cannot do: it knows no conditions, and no other items."""
    for what, there in (
        ("a version", not deletes and model.role("version")),
        ("unique values", model.uniques),
        ("counts", model.counts),
        ("a count of others", not deletes and counters_of(model.entity)),
    ):
        if there:
            raise InvalidValue(
                f"{model.name} has {what}, which a batch cannot keep: it writes without "
                "conditions. Write the items one by one, or in a transaction."
            )
    return model


def write_all(context: Context, writes: Mapping[Place, WriteRequest]) -> Steps[None]:
    """Carry out many writes, each to another item, as a batch does: without conditions."""
    waiting = [(name, request) for (name, _), request in writes.items()]
    attempt = 0
    while waiting:
        now, waiting = waiting[:MOST_WRITES], waiting[MOST_WRITES:]
        requests: dict[str, list[WriteRequest]] = {}
        for name, request in now:
            requests.setdefault(name, []).append(request)
        written: BatchWriteItemOutput = yield from send(
            context.retry_policy, BatchWriteItem(requests)
        )
        left = [
            (name, request) for name, more in written.unprocessed_items.items() for request in more
        ]
        waiting = left + waiting
        attempt = yield from _wait(context, attempt, len(left), len(now))


def _wait(context: Context, attempt: int, left: int, asked: int) -> Steps[int]:
    """How many requests in a row came to nothing, after a wait if something was left."""
    if not left:
        return 0
    attempt = attempt + 1 if left == asked else 1
    if attempt >= context.retry_policy.max_attempts:
        raise Throttled(
            f"{attempt} requests in a row came back unprocessed; the table is asked for more than "
            "it bears. What was processed is written; the same call may be made again."
        )
    yield context.retry_policy.backoff(attempt - 1, "unprocessed")
    return attempt
