"""What is written together with an item: markers of its unique values, and counts of it.

The marker of an item whose time is over may be another's by now, so a marker is given up only by
the owner that it names. An item is counted until it is gone, for it was. An item that keeps a value
should have its marker, and one from before the constraint was declared has none: such a write is
planned, and a put leaves it out where the marker is found (kept.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, TypeAlias

from singletable.expressions import (
    Add,
    And,
    At,
    Compare,
    Condition,
    Constant,
    Exists,
    NotExists,
    Or,
)
from singletable.schema import Counter, ItemKey, Model, UniqueConstraint, model_of
from singletable.schema.unique import OWNER, RELEASED
from singletable.store.context import Context
from singletable.store.held import held
from singletable.store.ttl import is_free, is_there
from singletable.store.write_errors import no_counter, taken
from singletable.store.writes import Marks, Write
from singletable.values import Item

Values: TypeAlias = Mapping[str, object]


def companions(
    context: Context,
    model: Model,
    key: Item,
    old: Item | None,
    new: Item | None,
    now: datetime,
    touched: set[str] | None = None,
) -> list[Write]:
    """The writes that keep markers and counts right when an item becomes another.

    `touched` are the fields that are written; None stands for all.
    """
    writes: list[Write] = []
    for marker in model.uniques.values():
        if touched is None or touched & _followed(model, marker):
            writes += _marker_writes(context, model, marker, key, old, new, now)
    for count in model.counts.values():
        writes += _count_writes(context, model, count, old, new, now)
    return writes


def watched(model: Model) -> set[str]:
    """The fields that markers and counts depend on."""
    fields = {field for count in model.counts.values() for field in count.fields}
    for marker in model.uniques.values():
        fields |= _followed(model, marker)
    return fields


def _followed(model: Model, marker: UniqueConstraint) -> set[str]:
    copied = set(marker.copies.values())
    copies = {name for name, field in model.fields.items() if field.attribute in copied}
    return set(marker.fields) | copies


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
    had = None if old is None else marker.key(held(model, old, marker.fields))
    has = None if new is None else marker.key(held(model, new, marker.fields))
    explain = taken(model, marker.name, marker.fields)
    pk = model.table.pk.name
    writes: list[Write] = []
    if has is not None and new is not None:
        item = marker.item(has, key, new)
        condition: Condition = is_free(model, now)
        kept = old is not None and has == had
        # Who keeps a value has its marker; who gave one up may have it back.
        if kept or marker.keep_released:
            condition = Or(condition, _is_of(key))
        same = kept and old is not None and item == marker.item(has, key, old)
        marks: Marks = "keeps" if same else "takes"
        writes.append(
            Write("put", table, has, explain, item=item, condition=condition, marks=marks)
        )
    if had is not None and had != has and old is not None:
        released: Item = {**marker.item(had, key, old), RELEASED: {"S": now.isoformat()}}
        writes.append(
            Write(
                "put" if marker.keep_released else "delete",
                table,
                had,
                explain,
                item=released if marker.keep_released else None,
                # Another's marker stays: this item never had the value for itself.
                condition=Or(NotExists((pk,)), _is_of(key)),
                optional=True,
                marks="gives up",
            )
        )
    return writes


def _is_of(key: Item) -> And | Compare:
    """The condition that a marker names this owner."""
    first, *rest = [
        Compare("=", At((f"{OWNER}{name}",)), Constant(value)) for name, value in key.items()
    ]
    return And(first, rest[0]) if rest else first


def _count_writes(
    context: Context,
    model: Model,
    count: Counter,
    old: Item | None,
    new: Item | None,
    now: datetime,
) -> list[Write]:
    was = None if old is None else _counter(model, count, old)
    is_ = None if new is None else _counter(model, count, new)
    if was == is_:
        return []
    counting = model_of(count.entity)
    place, table = count.path.document_path(), context.table_name(counting.table)
    writes: list[Write] = []
    if is_ is not None:
        writes.append(
            Write(
                "update",
                table,
                is_.key,
                no_counter(is_, model),
                actions=(Add(place, {"N": "1"}),),
                condition=is_there(counting, now),
            )
        )
    if was is not None:
        writes.append(
            Write(
                "update",
                table,
                was.key,
                no_counter(was, model),
                actions=(Add(place, {"N": "-1"}),),
                condition=Exists((counting.table.pk.name,)),
                # Where nothing counts any more, nothing is counted down.
                optional=True,
            )
        )
    return writes


def _counter(model: Model, count: Counter, item: Item) -> ItemKey[Any] | None:
    """The address of the item that counts this one; None if the fields that name it are absent."""
    values = count.values(held(model, item, count.fields))
    if any(value is None for value in values):
        return None
    return ItemKey[Any].of(count.entity, values)
