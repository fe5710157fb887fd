"""Upsert: update an item, or create it if it does not exist.

Rule 1. A new item has the values of its key, the defaults of its fields and `on_create`, and then
        the edits are applied to it. It is checked before anything is sent, whether or not the item
        exists. An expired item counts as absent: nothing of it survives.
Rule 2. One UpdateItem is sent where its result is the same in both cases. Otherwise the item is
        read first, and the write is guarded: if the item has appeared, disappeared or changed
        meanwhile, the change is planned again.
Rule 3. `if_` is a condition on an existing item; an item that does not exist is created.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar, cast

from msgspec.structs import replace

from dynamodb_engine import expressions as ex
from dynamodb_engine.steps import Steps
from dynamodb_engine.values import Item
from singletable.errors import InvalidValue, ItemMismatch, OperationError
from singletable.schema import Attr, Condition, Edit, ItemKey
from singletable.schema.item_encryption import seal_item
from singletable.schema.patch import PLACEHOLDER_TIME
from singletable.store.commit import commit
from singletable.store.context import Context
from singletable.store.decoder import decode_item, decode_result
from singletable.store.items import apply_stamps, read_back
from singletable.store.plan import Create, ItemChange, Plan, Update
from singletable.store.ttl import is_expired, item_absent, item_exists
from singletable.store.update_effects import (
    index_actions,
    unknown_index_fields,
    without_index_only,
)
from singletable.store.validation import check_edits, condition_node
from singletable.store.write_errors import expected_version, missing_or_changed
from singletable.store.writes import Write, both

E = TypeVar("E")


class Upsert(ItemChange):
    """One upsert: one UpdateItem, or after reading the item an update or a put."""

    def __init__(
        self,
        context: Context,
        key: ItemKey[Any],
        edits: Sequence[Edit[Any]],
        on_create: Sequence[Edit[Any]],
        if_: Condition[Any] | None,
    ) -> None:
        self.update = Update(context, key, edits, if_)
        # Not an iterator, which could be read only once.
        if not isinstance(on_create, list | tuple):
            came = "one edit" if isinstance(on_create, Edit) else repr(on_create)
            raise InvalidValue(f"{key}: on_create: expected a list of edits, but got {came}.")
        check_edits(key.model, key, on_create)
        condition_node(key.model, if_)
        self.context = context
        self.model = key.model
        self.key = key
        self.edits = tuple(edits)
        self.on_create = tuple(on_create)
        self.if_ = if_
        # The new item, if that is what was planned.
        self.created: Any = None
        self._new = self._new_item()
        self.reads = not self._is_one_request()

    def item_key(self) -> ItemKey[Any]:
        """Return the key of the item."""
        return self.key

    def plan(self, old: Item | None = None) -> Plan:
        """Plan to update an item that was read, or one UpdateItem that creates it if necessary."""
        self.created = None
        if old is None:
            return self._plan_update_item()
        plan = self.update.plan(old)
        exists = item_exists(self.model, self.context.clock())
        write = replace(plan.writes[0], guard=both(exists, plan.writes[0].guard))
        return replace(plan, writes=[write, *plan.writes[1:]])

    def plan_stored(self, stored: Item | None) -> Plan:
        """Plan to update the item, or to create it if it is missing or has expired."""
        now = self.context.clock()
        if stored is not None and not is_expired(self.model, stored, now):
            return super().plan_stored(stored)
        self.created = self._new_item()
        plan = Create(self.context, self.model, self.created).plan()
        write = replace(plan.writes[0], condition=None, guard=item_absent(self.model, now))
        return replace(plan, writes=[write, *plan.writes[1:]])

    def _new_item(self) -> Any:
        """Return the instance to create; raise InvalidValue if it would not be valid."""
        model = self.key.model
        item = self._initial_attributes()
        try:
            for edit in (*self.on_create, *self.edits):
                item = ex.apply_update((edit.action,), item)
        except OperationError as error:
            raise InvalidValue(
                f"{self.key}: the edits cannot be applied to a new item: {error.message}"
            ) from error
        given = {
            edit.field
            for edit in (*self.on_create, *self.edits)
            if not isinstance(edit.action, ex.Delete)
        }
        missing = [
            field.name
            for field in model.fields.values()
            if field.stored
            and field.attribute not in item
            and _is_required(field)
            # An empty set was given, but is not stored.
            and not (_may_be_empty(field) and field.name in given)
        ]
        if missing:
            raise InvalidValue(
                f"{self.key}: an upsert may create the item, which needs a value for "
                f"{', '.join(missing)}. Add an edit, or pass it in on_create=(…)."
            )
        edited = {edit.field for edit in (*self.on_create, *self.edits)}
        stamped = [
            field
            for role, field in model.roles.items()
            if role in ("created", "updated") and field.name not in edited
        ]
        placeholders = {one.attribute: one.codec().encode(PLACEHOLDER_TIME) for one in stamped}
        try:
            item = {**item, **placeholders}
            if model.index_only:
                keys = index_actions(self.key, {*edited, *model.index_only}, item)
                item = ex.apply_update(tuple(keys), without_index_only(model, item))
            instance = decode_item(model, {**item, **self.key.key})
        except ItemMismatch as error:
            raise InvalidValue(error.text, error.path) from error
        for field in stamped:
            instance.__dict__[field.name] = None
        Create(self.context, model, instance).plan()  # checks the values, and the index keys
        return instance

    def _initial_attributes(self) -> Item:
        """Return the attributes of the key's values and of the defaults."""
        item: Item = {}
        for field in self.key.model.fields.values():
            if not field.stored and field.name not in self.key.model.index_only:
                continue
            if field.name in self.key.values:
                value = self.key.values[field.name]
            elif field.default is not None:
                value = field.default()
            else:
                continue
            encoded = field.codec().encode(value)
            if "NULL" not in encoded:
                item[field.attribute] = encoded
        self.model.versions.stamp(item)
        return item

    def _is_one_request(self) -> bool:
        """Return whether one UpdateItem has the right result for old and for new items."""
        model = self.key.model
        if model.uniques or model.counts or "expires" in model.roles or model.factory is not None:
            return False
        made = model.role("created")
        if made is not None and made.codec().optional:
            return False
        if any(one.field in model.index_only for one in (*self.edits, *self.on_create)):
            return False
        if unknown_index_fields(self.key, self.edits):
            return False
        edited = {edit.field for edit in self.edits}
        for edit in self.on_create:
            # Every existing item has a required value, so if_not_exists() means a new item.
            field = model.fields[edit.field]
            if edit.field in edited or not _is_required(field) or _may_be_empty(field):
                return False
            if not _sets_field(edit.action):
                return False
        names = [edit.field for edit in (*self.edits, *self.on_create)]
        if len(names) != len(set(names)):
            return False
        return all(_is_same_for_new(model.fields[one.field], one.action) for one in self.edits)

    def _plan_update_item(self) -> Plan:
        """Plan the update that creates the item if it does not exist."""
        model, now = self.key.model, self.context.clock()
        plan = self.update.plan_edits()
        actions = list(plan.writes[0].actions)
        edited = {action.path[0] for action in actions}
        initial = without_index_only(model, self._initial_attributes())
        for edit in self.on_create:
            action = edit.action
            if isinstance(action, ex.Set) and isinstance(action.term, ex.Constant):
                initial[cast(str, action.path[0])] = action.term.value
        made = model.role("created")
        if made is not None:
            initial.setdefault(made.attribute, made.codec().encode(now))
        if model.tag is not None:
            initial[model.tag[0]] = {"S": model.tag[1]}
        seal_item(model.encrypted, initial, self.key.key)
        index_keys = [
            name for access in model.indexes.values() for name in access.dedicated_attributes
        ]
        if index_keys:
            new = Create(self.context, model, self._new).plan().writes[0].item or {}
            for name in index_keys:
                if name in new:
                    initial.setdefault(name, new[name])
        for name, value in initial.items():
            if name not in edited and name not in self.key.key:
                term = ex.IfNotExists((name,), ex.Constant(value))
                actions.append(ex.Set((name,), term))
        caller = condition_node(model, self.if_)
        absent = ex.NotExists((model.table.pk.name,))
        write = Write(
            "update",
            self.context.table_name(model.table),
            self.key.key,
            missing_or_changed(model, self.key, now, expected_version(model, caller)),
            actions=tuple(actions),
            condition=None if caller is None else ex.Or(absent, caller),
        )
        return Plan([write], {})


def upsert(
    context: Context,
    key: ItemKey[E],
    edits: Sequence[Edit[E]],
    on_create: Sequence[Edit[E]],
    if_: Condition[E] | None,
) -> Steps[E]:
    """Update an item or create it, and return it."""
    # Checked before an observer asks for the shape of the call.
    return _commit(Upsert(context, key, edits, on_create, if_))


def _commit(change: Upsert) -> Steps[Any]:
    context, key = change.context, change.key
    plan, output = yield from commit(context, change, "ALL_NEW")
    if change.created is not None:
        return apply_stamps(change.created, plan)
    if output is not None and output.attributes is not None:
        return decode_result(key.model, output.attributes, "updated")
    # A transaction returns no attributes.
    item = yield from read_back(change, plan)
    return decode_result(key.model, item, "updated")


def _is_required(field: Attr[Any]) -> bool:
    """Return whether a new item needs a value for the field."""
    if field.role in ("version", "created", "updated"):
        return False
    return field.default is None and not field.codec().optional


def _may_be_empty(field: Attr[Any]) -> bool:
    """Return whether the value may be an empty set, which is not stored."""
    return field.codec().absent_value is not None


def _sets_field(action: ex.Action) -> bool:
    return (
        isinstance(action, ex.Set)
        and len(action.path) == 1
        and isinstance(action.term, ex.Constant)
    )


def _is_same_for_new(field: Attr[Any], action: ex.Action) -> bool:
    """Return whether the edit has the same result if the field starts with its default."""
    if len(action.path) != 1:
        return False
    default = None if field.default is None else field.default()
    match action:
        case ex.Set(_, ex.Constant()) | ex.Remove():
            return True
        case ex.Set(_, ex.IfNotExists(_, ex.Constant())):
            return default is None
        case ex.Set(
            _,
            ex.ListAppend(ex.IfNotExists(), ex.Constant())
            | ex.ListAppend(ex.Constant(), ex.IfNotExists()),
        ):
            return not default
        case ex.Add():
            return not default
        case _:
            return False
