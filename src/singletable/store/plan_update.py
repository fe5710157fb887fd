"""What must be written to change some fields of an item, so that its index keys stay right.

The attributes of an index key are made of several fields, and an update may name only some of them.
The rest is read, the key is made anew, and the write demands that what was read is still so.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from singletable import expressions
from singletable.errors import NotFound
from singletable.expressions import Add, Constant, Remove, Set, apply_update
from singletable.schema import Access, Condition, Edit, ItemKey, Model
from singletable.store.alive import is_there
from singletable.store.companions import companions, watched
from singletable.store.context import Context
from singletable.store.explain import refused, version_asked
from singletable.store.given import node_of
from singletable.store.held import held
from singletable.store.plan import Plan, unchanged
from singletable.store.write import Write, both
from singletable.values import Item


def must_read(address: ItemKey[Any], edits: Sequence[Edit[Any]]) -> bool:
    """Whether the update cannot be made without knowing the item."""
    model = address.model
    touched = _touched(model, edits)
    if touched & watched(model):
        return True
    return not _needed(model, touched) <= _known(address, edits)


def may_read(model: Model, fields: set[str]) -> bool:
    """Whether an update of these fields cannot be made without knowing the item."""
    if fields & watched(model):
        return True
    return not _needed(model, fields) <= fields | set(model.key.fields)


def plan_update(
    context: Context,
    address: ItemKey[Any],
    edits: Sequence[Edit[Any]],
    if_: Condition[Any] | None,
    seen: Item | None,
    *,
    read: bool,
) -> Plan:
    """Change an item that is there; `read` says whether it was looked for, and seen or not."""
    model, now = address.model, context.clock()
    given = node_of(model, if_)
    condition = both(is_there(model, now), given)
    if read and seen is None:
        raise NotFound(f"{address} is not there.")
    touched = _touched(model, edits)
    needed = _needed(model, touched)
    actions = [*(edit.action for edit in edits), *_stamps(model, now)]
    guard, new = None, None
    together: list[Write] = []
    if seen is not None:
        new = apply_update(tuple(actions), seen)
        if touched & watched(model):
            needed |= watched(model)
            together = companions(context, model, address.key, seen, new, now, touched)
        guard = unchanged(model, seen, sorted(needed - set(model.key.fields)))
        actions += _index_actions(address, touched, new)
    elif needed:
        places = {model.fields[name].attribute for name in needed}
        known = tuple(action for action in actions if action.path[0] in places)
        actions += _index_actions(address, touched, apply_update(known, _base(address)))
    main = Write(
        "update",
        context.name(model.table),
        address.key,
        refused(model, address, now, version_asked(model, given)),
        actions=tuple(actions),
        condition=condition,
        guard=guard,
    )
    return Plan([main, *together], {}, new)


def _touched(model: Model, edits: Sequence[Edit[Any]]) -> set[str]:
    kept = {one.name for role, one in model.roles.items() if role in ("version", "updated")}
    return {edit.field for edit in edits} | kept


def _needed(model: Model, touched: set[str]) -> set[str]:
    """All fields of the index keys that the update touches."""
    needed: set[str] = set()
    for access in model.indexes.values():
        if _affected(model, access, touched):
            needed |= _depends_on(model, access)
    return needed


def _affected(model: Model, access: Access, touched: set[str]) -> bool:
    return bool(access.own_attributes) and bool(_depends_on(model, access) & touched)


def _depends_on(model: Model, access: Access) -> set[str]:
    if access.when is None:
        return set(access.fields)
    tested = {path[0] for path in access.tested}
    return set(access.fields) | {
        name for name, field in model.fields.items() if field.attribute in tested
    }


def _known(address: ItemKey[Any], edits: Sequence[Edit[Any]]) -> set[str]:
    """The fields whose values after the update are known without reading it."""
    known = set(address.values)
    for edit in edits:
        match edit.action:
            case Set(path, Constant()) | Remove(path) if len(path) == 1:
                known.add(edit.field)
            case _:
                pass
    updated = address.model.role("updated")
    return known if updated is None else known | {updated.name}


def _base(address: ItemKey[Any]) -> Item:
    """What is known of the item from its address alone."""
    fields = address.model.fields
    return {
        fields[name].attribute: fields[name].codec().encode(value)
        for name, value in address.values.items()
        if fields[name].stored
    }


def _stamps(model: Model, now: object) -> list[expressions.Action]:
    actions: list[expressions.Action] = []
    for role, field in model.roles.items():
        if role == "version":
            actions.append(Add(field.place(), {"N": "1"}))
        if role == "updated":
            actions.append(Set(field.place(), Constant(field.codec().encode(now))))
    return actions


def _index_actions(address: ItemKey[Any], touched: set[str], new: Item) -> list[expressions.Action]:
    model = address.model
    actions: list[expressions.Action] = []
    for access in model.indexes.values():
        if not _affected(model, access, touched):
            continue
        values = held(model, new, access.fields, address.values)
        attributes = model.index_attributes(access, values, new)
        for name in access.own_attributes:
            if name in attributes:
                actions.append(Set((name,), Constant(attributes[name])))
            else:
                actions.append(Remove((name,)))
    return actions
