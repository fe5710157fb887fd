"""Side writes: the markers of unique values and the counters that are written with an item.

The marker of an expired item may belong to another item by now, so a marker is deleted only if it
names the item as its owner. An expired item is counted until it is deleted. An item that keeps a
value should have its marker, but has none if it is older than the constraint: a put writes the
marker again unless it finds it, because reading a marker costs less than writing it.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime
from typing import Any

from dynamodb_engine import expressions as ex
from dynamodb_engine.steps import Steps
from dynamodb_engine.values import Item
from singletable.errors import InvalidValue
from singletable.schema import Counter, ItemKey, Model, UniqueConstraint, model_of
from singletable.schema.unique import OWNER
from singletable.store.context import Context
from singletable.store.decoder import decode_fields
from singletable.store.ttl import item_absent, item_exists
from singletable.store.write_errors import counter_missing, value_taken
from singletable.store.writes import MarkerAction, Write


def plan_side_writes(
    context: Context,
    model: Model,
    key: Item,
    old: Item | None,
    new: Item | None,
    now: datetime,
    edited: AbstractSet[str] | None = None,
) -> list[Write]:
    """Return the writes of markers and counters when `old` becomes `new`.

    `edited` are the fields of an update; None means all.
    """
    writes: list[Write] = []
    for marker in model.uniques.values():
        if edited is None or edited & marker_fields(model, marker):
            writes += _marker_writes(context, model, marker, key, old, new, now)
    for count in model.counts.values():
        writes += _counter_writes(context, model, count, old, new, now)
    return writes


def side_write_fields(model: Model) -> set[str]:
    """Return the fields that markers and counters depend on."""
    fields = {field for count in model.counts.values() for field in count.fields}
    for marker in model.uniques.values():
        fields |= marker_fields(model, marker)
    return fields


def skip_correct_markers(context: Context, writes: Sequence[Write]) -> Steps[list[Write]]:
    """Return the writes without those of unchanged markers that are correct."""
    needed = list(writes)
    for write in writes:
        if write.marker == "keep" and (yield from _is_correct(context, write)):
            needed.remove(write)
    return needed


def _is_correct(context: Context, write: Write) -> Steps[bool]:
    expected: Item = write.item or {}
    stored = (yield from context.read(write.table, write.key)) or {}
    # Other programs may have added attributes.
    return all(stored.get(name) == expected[name] for name in expected)


def marker_fields(model: Model, marker: UniqueConstraint) -> set[str]:
    """Return the fields that a marker depends on: the unique ones and those it copies."""
    attributes = set(marker.copies.values())
    copied = {name for name, field in model.fields.items() if field.attribute in attributes}
    return set(marker.fields) | copied


def _marker_writes(
    context: Context,
    model: Model,
    marker: UniqueConstraint,
    key: Item,
    old: Item | None,
    new: Item | None,
    now: datetime,
) -> list[Write]:
    table = context.table_name(model.table)
    old_key = None if old is None else marker.key(decode_fields(model, old, marker.fields))
    new_key = None if new is None else marker.key(decode_fields(model, new, marker.fields))
    error = value_taken(model, marker.name, marker.fields, key)
    writes: list[Write] = []
    if new_key is not None and new is not None:
        item = marker.item(new_key, key, new)
        condition: ex.Condition = item_absent(model, now)
        unchanged = old is not None and new_key == old_key
        if unchanged:
            condition = ex.Or(condition, _owned_by(key))
        same = unchanged and old is not None and item == marker.item(new_key, key, old)
        action: MarkerAction = "keep" if same else "claim"
        writes.append(
            Write("put", table, new_key, error, item=item, condition=condition, marker=action)
        )
    if old_key is not None and old_key != new_key and old is not None:
        writes.append(_release_marker(context, model, marker, old_key, key))
    return writes


def _release_marker(
    context: Context, model: Model, marker: UniqueConstraint, marker_key: Item, key: Item
) -> Write:
    return Write(
        "delete",
        context.table_name(model.table),
        marker_key,
        value_taken(model, marker.name, marker.fields, key),
        # Leave the marker of another owner: this item never had the value to itself.
        condition=ex.Or(ex.NotExists((model.table.pk.name,)), _owned_by(key)),
        optional=True,
        marker="release",
    )


def release_old_values(context: Context, model: Model, stored: Item, current: Item) -> list[Write]:
    """Release the markers of unique values that the upgrade of a stored item has changed."""
    former = model.versions.old_values(stored) if model.uniques else {}
    writes: list[Write] = []
    for marker in model.uniques.values():
        if not all(name in former for name in marker.fields):
            continue
        try:
            before = marker.key(former)
        except InvalidValue:
            continue  # the field had another type
        if before and before != marker.key(decode_fields(model, current, marker.fields)):
            key = model.table_key(stored)
            writes.append(_release_marker(context, model, marker, before, key))
    return writes


def _owned_by(key: Item) -> ex.And | ex.Compare:
    """Return the condition that a marker names this owner."""
    first, *rest = [
        ex.Compare("=", ex.At((f"{OWNER}{name}",)), ex.Constant(value))
        for name, value in key.items()
    ]
    return ex.And(first, rest[0]) if rest else first


def _counter_writes(
    context: Context,
    model: Model,
    count: Counter,
    old: Item | None,
    new: Item | None,
    now: datetime,
) -> list[Write]:
    before = None if old is None else _counter_key(model, count, old)
    after = None if new is None else _counter_key(model, count, new)
    if before == after:
        return []
    counter = model_of(count.entity)
    path, table = count.path.document_path(), context.table_name(counter.table)
    writes: list[Write] = []
    if after is not None:
        writes.append(
            Write(
                "update",
                table,
                after.key,
                counter_missing(after, model),
                actions=(ex.Add(path, {"N": "1"}),),
                condition=item_exists(counter, now),
                counts=True,
            )
        )
    if before is not None:
        writes.append(
            Write(
                "update",
                table,
                before.key,
                counter_missing(before, model),
                actions=(ex.Add(path, {"N": "-1"}),),
                condition=ex.Exists((counter.table.pk.name,)),
                # The item with the counter may have been deleted.
                optional=True,
            )
        )
    return writes


def _counter_key(model: Model, count: Counter, item: Item) -> ItemKey[Any] | None:
    """Return the key of the item that counts this one; None if its fields are missing."""
    values = count.values(decode_fields(model, item, count.fields))
    if any(value is None for value in values):
        return None
    return ItemKey[Any].of(count.entity, values)
