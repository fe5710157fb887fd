"""Read and write many items in batches; what DynamoDB leaves unprocessed is sent again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from dynamodb_engine import operations as ops
from dynamodb_engine.operations.touches import written_items
from dynamodb_engine.retry import send
from dynamodb_engine.steps import Steps
from dynamodb_engine.values import Item
from singletable.errors import InvalidValue, Throttled
from singletable.schema import ItemKey, Model, Table, counters_of
from singletable.store.context import Context
from singletable.store.decoder import decode_item
from singletable.store.items import apply_stamps
from singletable.store.plan import Create, Plan
from singletable.store.ttl import is_expired
from singletable.store.validation import check_number, model_of_item
from singletable.store.writes import ItemId, item_id

E = TypeVar("E")

MAX_BATCH_GETS = 100
MAX_BATCH_WRITES = 25


def get_many(
    context: Context, keys: list[ItemKey[E]], *, consistent: bool
) -> Steps[list[E | None]]:
    """Return the items in the order of their keys; None for a missing one."""
    ids = [item_id(context.table_name(key.model.table), key.key) for key in keys]
    tables = {context.table_name(key.model.table): key.model.table for key in keys}
    unique_keys = {id_: key.key for id_, key in zip(ids, keys, strict=True)}
    items = yield from get_items(context, tables, unique_keys, consistent=consistent)
    now = context.clock()
    results: list[E | None] = []
    for key, id_ in zip(keys, ids, strict=True):
        item = items.get(id_)
        if item is None or is_expired(key.model, item, now):
            results.append(None)
        else:
            results.append(cast(E, decode_item(key.model, item)))
    return results


def get_items(
    context: Context,
    tables: Mapping[str, Table],
    keys: Mapping[ItemId, Item],
    *,
    consistent: bool,
) -> Steps[dict[ItemId, Item]]:
    """Return the stored items that have these keys."""
    items: dict[ItemId, Item] = {}
    waiting = [(table, key) for (table, _), key in keys.items()]
    for table in tables:
        context.check_scope(table, [key for name, key in waiting if name == table])
    attempt = 0
    while waiting:
        batch, waiting = waiting[:MAX_BATCH_GETS], waiting[MAX_BATCH_GETS:]
        by_table: dict[str, list[Item]] = {}
        for table, key in batch:
            by_table.setdefault(table, []).append(key)
        output: ops.BatchGetItemOutput = yield from send(
            context.retry_policy,
            ops.BatchGetItem(
                {
                    table: ops.KeysAndAttributes(table_keys, consistent_read=consistent or None)
                    for table, table_keys in by_table.items()
                }
            ),
        )
        for table, found in output.responses.items():
            names = [attribute.name for attribute in tables[table].key_attributes]
            for item in found:
                items[item_id(table, {name: item[name] for name in names})] = item
        unprocessed = [
            (table, key) for table, left in output.unprocessed_keys.items() for key in left.keys
        ]
        waiting = unprocessed + waiting
        attempt = yield from _backoff(context, attempt, len(unprocessed), len(batch))
    return items


def put_many(context: Context, items: list[object]) -> Steps[None]:
    """Store many items, each over the one with its key."""
    writes: dict[ItemId, ops.WriteRequest] = {}
    positions: dict[ItemId, int] = {}
    plans: list[tuple[object, Plan]] = []
    for position, item in enumerate(items):
        model = model_of_item(item)
        _check_batchable(model)
        check_number(model, item)
        plan = Create(context, model, item).plan()
        plans.append((item, plan))
        put = plan.writes[0]
        if positions.setdefault(put.item_id, position) != position:
            raise _duplicate_key(model, item, plan, positions[put.item_id], position)
        writes[put.item_id] = ops.WriteRequest(ops.PutRequest(put.item or {}))
    yield from write_batches(context, writes)
    for item, plan in plans:
        apply_stamps(item, plan)


def delete_many(context: Context, keys: list[ItemKey[Any]]) -> Steps[None]:
    """Delete many items; a missing one is no error."""
    writes: dict[ItemId, ops.WriteRequest] = {}
    for key in keys:
        _check_batchable(key.model, deletes=True)
        table = context.table_name(key.model.table)
        writes[item_id(table, key.key)] = ops.WriteRequest(
            delete_request=ops.DeleteRequest(key.key)
        )
    yield from write_batches(context, writes)


def _duplicate_key(model: Model, item: object, plan: Plan, first: int, second: int) -> InvalidValue:
    """Return the error for two items with the same key; the store may have set part of it."""
    values = {**vars(item), **plan.stamps}
    key = ItemKey(
        model.entity, plan.writes[0].key, {name: values[name] for name in model.key.fields}
    )
    return InvalidValue(
        f"put_many: items[{first}] and items[{second}] have the same key, {key}, so one would "
        "overwrite the other. Nothing was written. Leave one out, or give them different keys."
    )


def is_batchable(model: Model, *, deletes: bool = False) -> bool:
    """Return whether a batch can write items, because they need no conditions or side writes."""
    return not any(is_used for _, is_used in _unbatchable_features(model, deletes=deletes))


def _check_batchable(model: Model, *, deletes: bool = False) -> None:
    """Raise if a write needs conditions or side writes, which batches do not have."""
    for feature, is_used in _unbatchable_features(model, deletes=deletes):
        if is_used:
            raise InvalidValue(
                f"{model.name} has {feature}, which a batch cannot maintain: it writes without "
                "conditions. Write the items one by one, or in a transaction"
                f"{'.' if deletes else ', or load them with bulk_load().'}"
            )


def _unbatchable_features(model: Model, *, deletes: bool) -> list[tuple[str, bool]]:
    return [
        ("a version", not deletes and model.role("version") is not None),
        ("unique values", bool(model.uniques)),
        ("counts", bool(model.counts)),
        (
            "a count or last number of others",
            not deletes and bool(counters_of(model.entity)),
        ),
    ]


def write_batches(context: Context, writes: Mapping[ItemId, ops.WriteRequest]) -> Steps[None]:
    """Write many items in batches, without conditions."""
    waiting = [(table, request) for (table, _), request in writes.items()]
    for table, request in waiting:
        context.check_scope(table, written_items((request,)))
    yield from write_requests(context, waiting)


def write_requests(context: Context, writes: list[tuple[str, ops.WriteRequest]]) -> Steps[None]:
    """Write different items in batches, each to its table; the caller checks the scope."""
    waiting = writes
    attempt = 0
    while waiting:
        batch, waiting = waiting[:MAX_BATCH_WRITES], waiting[MAX_BATCH_WRITES:]
        by_table: dict[str, list[ops.WriteRequest]] = {}
        for table, request in batch:
            by_table.setdefault(table, []).append(request)
        output: ops.BatchWriteItemOutput = yield from send(
            context.retry_policy, ops.BatchWriteItem(by_table)
        )
        unprocessed = [
            (table, request) for table, left in output.unprocessed_items.items() for request in left
        ]
        waiting = unprocessed + waiting
        attempt = yield from _backoff(context, attempt, len(unprocessed), len(batch))


def _backoff(context: Context, attempt: int, unprocessed: int, sent: int) -> Steps[int]:
    """Pause if something was left; return the number of attempts in a row that did nothing."""
    if not unprocessed:
        return 0
    attempt = attempt + 1 if unprocessed == sent else 1
    if attempt >= context.retry_policy.max_attempts:
        raise Throttled(
            f"{attempt} batches in a row came back unprocessed: the table is overloaded. What was "
            "processed is written; the call may be repeated."
        )
    yield context.retry_policy.backoff(attempt - 1, "unprocessed")
    return attempt
