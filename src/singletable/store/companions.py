"""What is written together with an item: markers of its unique values, and counts of it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, TypeAlias

from singletable.expressions import Add, And, At, Compare, Exists, Literally, Or, Set
from singletable.schema import Address, Counted, Marker, Model, model_of
from singletable.schema.unique import OWNER, RELEASED
from singletable.store.alive import nothing_at
from singletable.store.context import Context
from singletable.store.explain import no_counter, taken
from singletable.store.write import Explain, Write
from singletable.values import Item

Values: TypeAlias = Mapping[str, object]


def companions(
    context: Context,
    model: Model,
    key: Item,
    old: Item | None,
    new: Item | None,
    now: datetime,
) -> list[Write]:
    """The writes that keep markers and counts right when an item becomes another."""
    writes: list[Write] = []
    before = None if old is None else model.instance(old).__dict__
    after = None if new is None else model.instance(new).__dict__
    for marker in model.uniques.values():
        writes += _marker_writes(context, model, marker, key, before, after, old, new, now)
    for count in model.counts.values():
        writes += _count_writes(context, model, count, before, after)
    return writes


def watched(model: Model) -> set[str]:
    """The fields that markers and counts depend on."""
    fields = {field for count in model.counts.values() for field in count.fields}
    for marker in model.uniques.values():
        fields |= set(marker.fields)
        copied = set(marker.copies.values())
        fields |= {name for name, field in model.fields.items() if field.attribute in copied}
    return fields


def _marker_writes(
    context: Context,
    model: Model,
    marker: Marker,
    key: Item,
    before: Values | None,
    after: Values | None,
    old: Item | None,
    new: Item | None,
    now: datetime,
) -> list[Write]:
    table = context.name(model.table)
    had = None if before is None else marker.key(before)
    has = None if after is None else marker.key(after)
    explain = taken(model, marker.name, marker.fields)
    writes: list[Write] = []
    if has is not None and new is not None:
        item = marker.item(has, key, new)
        if has != had:
            pk = model.table.pk.name
            free = nothing_at(pk, model, now)
            condition = Or(free, _is_mine(key)) if marker.history else free
            writes.append(Write("put", table, has, explain, item=item, condition=condition))
        elif old is not None and item != marker.item(has, key, old):
            writes.append(Write("put", table, has, explain, item=item))
    if had is not None and had != has:
        writes.append(_given_up(table, marker, had, explain, now))
    return writes


def _given_up(table: str, marker: Marker, key: Item, explain: Explain, now: datetime) -> Write:
    if not marker.history:
        return Write("delete", table, key, explain)
    released = Set((RELEASED,), Literally({"S": now.isoformat()}))
    return Write("update", table, key, explain, actions=(released,))


def _is_mine(key: Item) -> And | Compare:
    """The marker names this owner: who gave up a value may have it back."""
    first, *rest = [
        Compare("=", At((f"{OWNER}{name}",)), Literally(value)) for name, value in key.items()
    ]
    return And(first, rest[0]) if rest else first


def _count_writes(
    context: Context, model: Model, count: Counted, before: Values | None, after: Values | None
) -> list[Write]:
    was = None if before is None else count.values(before)
    is_ = None if after is None else count.values(after)
    if was == is_:
        return []
    changes = [(values, by) for values, by in ((is_, 1), (was, -1)) if values is not None]
    writes: list[Write] = []
    for values, by in changes:
        address = Address[Any].of(count.entity, values)
        counting = model_of(count.entity)
        writes.append(
            Write(
                "update",
                context.name(counting.table),
                address.key,
                no_counter(address, model),
                actions=(Add(count.path.place(), {"N": str(by)}),),
                condition=Exists((counting.table.pk.name,)),
            )
        )
    return writes
