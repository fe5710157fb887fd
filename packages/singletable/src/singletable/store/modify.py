"""Read-modify-write: a function changes the item, which is written with optimistic locking.

The write is applied only if the item is still the one that was read: by its version, or without one
by all its attributes. An item that the function leaves unchanged is written only if it has an older
schema version. After a conflict the item is read again, and the function is called again. A
default that the function starts from is created only if the item is still missing.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from inspect import isawaitable
from typing import Any, TypeVar, cast

from msgspec.structs import replace

from dynamodb_engine import expressions
from dynamodb_engine.expressions import At, Compare, Constant, Exists, NotExists
from dynamodb_engine.steps import Steps
from dynamodb_engine.values import Item
from singletable.errors import InvalidValue, ItemMismatch
from singletable.schema import ItemKey, Model
from singletable.store.commit import commit
from singletable.store.context import Context
from singletable.store.decoder import decode_item
from singletable.store.items import apply_stamps
from singletable.store.plan import Create, ItemChange, Plan, Put
from singletable.store.ttl import is_visible
from singletable.store.validation import check_is
from singletable.store.write_errors import not_found
from singletable.store.writes import both

E = TypeVar("E")


def modify(
    context: Context, key: ItemKey[E], function: Callable[[E], E | None], default: E | None = None
) -> Steps[E]:
    """Read an item, let the function change or replace it, and write it unless it is unchanged."""
    check_is(ItemKey, key)
    if not callable(function):
        raise InvalidValue(f"{key}: expected a function that takes the item, but got {function!r}.")
    change = _Modify(context, key, function, default)
    plan, _ = yield from commit(context, change)
    return cast(E, apply_stamps(change.item, plan))


class _Modify(ItemChange):
    """Let a function change the item that was read, and put it."""

    reads = True
    # Its own guard covers the schema version, so that a conflict means another attempt.
    requires_current_version = False
    checks_markers = True

    def __init__(
        self, context: Context, key: ItemKey[Any], function: Callable[[Any], Any], default: Any
    ) -> None:
        self.context = context
        self.model = key.model
        self.key = key
        self.function = function
        self.default = default
        self.item: Any = None

    def item_key(self) -> ItemKey[Any]:
        """Return the key of the item."""
        return self.key

    def plan_stored(self, stored: Item | None) -> Plan:
        """Call the function, and plan to put the item unless it is stored like that."""
        model = self.model
        if stored is None or not is_visible(self.context, model, stored):
            return self._plan_default()
        self.item = _changed(self.key, self.function, decode_item(model, stored))
        read = decode_item(model, stored)
        _keep_stamps(model, self.item, read)
        is_same = model.codec.encode(self.item.__dict__) == model.codec.encode(
            read.__dict__
        ) and all(
            self.item.__dict__.get(name) == read.__dict__.get(name) for name in model.index_only
        )
        if is_same and model.versions.is_written(stored):
            return Plan([], {})
        return super().plan_stored(stored)

    def _plan_default(self) -> Plan:
        """Call the function with a copy of the default, and plan to create the result."""
        if self.default is None:
            raise not_found(self.key)
        self.item = _changed(self.key, self.function, deepcopy(self.default))
        plan = Create(self.context, self.model, self.item).plan()
        return self._with_guard(plan, plan.writes[0].condition)

    def plan(self, old: Item | None = None) -> Plan:
        """Plan to put the item, on the condition that it has not changed."""
        plan = Put(self.context, self.model, self.item, must_exist=True).plan(old)
        return self._with_guard(plan, both(_unchanged(self.model, old or {}), plan.writes[0].guard))

    def _with_guard(self, plan: Plan, guard: expressions.Condition | None) -> Plan:
        """Return the plan with a guard as its only condition: if it fails, there is a conflict."""
        _check_readable(self.key, plan.writes[0].item or {})
        write = replace(plan.writes[0], condition=None, guard=guard)
        return replace(plan, writes=[write, *plan.writes[1:]])


def _changed(key: ItemKey[Any], function: Callable[[Any], Any], item: Any) -> Any:
    """Call the function; return its result, or the item if it returns None."""
    result = function(item)
    if isawaitable(result):
        close = getattr(result, "close", None)
        if close is not None:
            close()
        raise InvalidValue(
            f"{key}: modify() calls its function between requests, so it must not be async. Read "
            "what it needs before."
        )
    changed = item if result is None else result
    if type(changed) is not key.entity:
        raise InvalidValue(
            f"{key}: the function must return a {key.entity.__name__}, or None after changing the "
            f"one it got, but it returned {type(changed).__name__}."
        )
    model = key.model
    if model.key.require_attributes(changed.__dict__) != key.key:
        raise InvalidValue(
            f"{key}: the function changed the key of the item. To move it, create one with the new "
            "key and delete this one, in a transaction."
        )
    return changed


def _check_readable(key: ItemKey[Any], item: Item) -> None:
    """Raise InvalidValue if a pydantic model, which may not check assignments, rejects the item."""
    if key.model.factory is None:
        return
    try:
        key.model.instance(item)
    except ItemMismatch as error:
        raise InvalidValue(
            f"{key}: the function left an item that cannot be read again: {error.text}", error.path
        ) from error


def _keep_stamps(model: Model, item: Any, read: Any) -> None:
    """Set the version and timestamps that were read; the function has no say in them."""
    for role, field in model.roles.items():
        if role != "expires":
            vars(item)[field.name] = vars(read)[field.name]


def _unchanged(model: Model, stored: Item) -> expressions.Condition:
    """Return the condition that the item is still the one that was read."""
    condition: expressions.Condition = Exists((model.table.pk.name,))
    field = model.role("version")
    names = sorted(stored) if field is None else [field.attribute]
    for name in names:
        value = stored.get(name)
        same = NotExists((name,)) if value is None else Compare("=", At((name,)), Constant(value))
        condition = both(condition, same) or condition
    if field is None:
        for one in model.fields.values():
            if one.stored and one.attribute not in stored:
                condition = both(condition, NotExists((one.attribute,))) or condition
    return condition
