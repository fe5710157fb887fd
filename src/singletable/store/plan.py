"""What must be written for one change to one item, companions included."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from singletable import expressions
from singletable.expressions import At, Compare, Exists, Literally, NotExists
from singletable.schema import Address, Condition, Model
from singletable.store.alive import is_free, is_there
from singletable.store.companions import companions, watched
from singletable.store.context import Context
from singletable.store.explain import exists_already, not_met, refused
from singletable.store.write import Explain, Write, both
from singletable.values import Item


@dataclass(frozen=True, slots=True)
class Plan:
    """The writes of one change, the item itself first; and what the instance has after it."""

    writes: list[Write]
    stamps: Mapping[str, object]


def plan_create(context: Context, model: Model, instance: Any, if_: Condition[Any] | None) -> Plan:
    """Store an item where there is none."""
    now = context.clock()
    stamps = _stamps(model, instance, now, version=1)
    item = model.item({**instance.__dict__, **stamps})
    key = key_of(model, item)
    condition = both(is_free(model, now), _given(if_))
    shown = repr(_address(model, instance))
    main = Write(
        "put",
        context.name(model.table),
        key,
        exists_already(model, shown, now),
        item=item,
        condition=condition,
    )
    return Plan([main, *companions(context, model, key, None, item, now)], stamps)


def plan_put(
    context: Context,
    model: Model,
    instance: Any,
    if_: Condition[Any] | None,
    seen: Item | None,
    *,
    must_exist: bool,
) -> Plan:
    """Store an item whether there is one or not, or only in place of one."""
    now = context.clock()
    field = model.role("version")
    read = getattr(instance, field.name) if field else None
    stamps = _stamps(model, instance, now, version=(read or 0) + 1)
    item = model.item({**instance.__dict__, **stamps})
    key = key_of(model, item)
    shown = repr(_address(model, instance))
    condition = both(is_there(model, now) if must_exist else None, _given(if_))
    if field is not None:
        same = Compare("=", At(field.place()), Literally({"N": str(read)}))
        condition = both(condition, same if read else is_free(model, now))
    guard = _guard(model, seen, watched(model)) if reads_before_put(model) else None
    explain: Explain
    if must_exist or read:
        explain = refused(model, shown, now, read)
    elif field is not None:
        explain = exists_already(model, shown, now)
    else:
        explain = not_met(model, shown)
    main = Write(
        "put",
        context.name(model.table),
        key,
        explain,
        item=item,
        condition=condition,
        guard=guard,
    )
    return Plan([main, *companions(context, model, key, seen, item, now)], stamps)


def plan_delete(
    context: Context, address: Address[Any], if_: Condition[Any] | None, seen: Item | None
) -> Plan:
    """Remove an item, if it is there."""
    model, now = address.model, context.clock()
    given = _given(if_)
    condition = None if given is None else both(is_there(model, now), given)
    guard = _guard(model, seen, watched(model)) if reads_before_put(model) else None
    main = Write(
        "delete",
        context.name(model.table),
        address.key,
        not_met(model, repr(address)),
        condition=condition,
        guard=guard,
    )
    return Plan([main, *companions(context, model, address.key, seen, None, now)], {})


def plan_check(context: Context, address: Address[Any], condition: Condition[Any] | None) -> Write:
    """Let a transaction happen only if an item is there, and meets a condition."""
    model, now = address.model, context.clock()
    return Write(
        "check",
        context.name(model.table),
        address.key,
        refused(model, repr(address), now),
        condition=both(is_there(model, now), _given(condition)),
    )


def reads_before_put(model: Model) -> bool:
    """Whether a put or a delete must know what was there."""
    return bool(model.uniques or model.counts)


def key_of(model: Model, item: Item) -> Item:
    """The key attributes of an item."""
    return {attribute.name: item[attribute.name] for attribute in model.table.key_attributes}


def unchanged(model: Model, seen: Item, fields: Sequence[str]) -> expressions.Condition | None:
    """The condition that these fields hold what was seen."""
    condition: expressions.Condition | None = None
    for name in sorted(fields):
        attribute = model.fields[name].attribute
        held = seen.get(attribute)
        same = (
            NotExists((attribute,))
            if held is None
            else Compare("=", At((attribute,)), Literally(held))
        )
        condition = both(condition, same)
    return condition


def _guard(model: Model, seen: Item | None, fields: set[str]) -> expressions.Condition:
    """The condition that what was read is still so."""
    pk = model.table.pk.name
    if seen is None:
        return NotExists((pk,))
    keys = set(model.key.fields)
    exists: expressions.Condition = Exists((pk,))
    return both(exists, unchanged(model, seen, sorted(fields - keys))) or exists


def _stamps(model: Model, instance: Any, now: datetime, *, version: int) -> dict[str, object]:
    """What the store itself sets."""
    stamps: dict[str, object] = {}
    for name, field in model.fields.items():
        match field.role:
            case "version":
                stamps[name] = version
            case "updated":
                stamps[name] = now
            case "created" if name not in instance.__dict__:
                stamps[name] = now
            case _:
                pass
    return stamps


def _address(model: Model, instance: Any) -> Address[Any]:
    values = {name: getattr(instance, name) for name in model.key.fields}
    return Address(model.entity, {}, values)


def _given(condition: Condition[Any] | None) -> expressions.Condition | None:
    return None if condition is None else condition.node()
