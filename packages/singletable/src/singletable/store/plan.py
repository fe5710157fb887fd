"""Plan a change of one item: the write of the item, its index keys, markers and counters.

A plan that depends on values that were read has a guard: the write is rejected if they have changed
since, and then the change is planned again. Three rules apply to items of older schema versions:

Rule 1. A change that depends on the stored item is planned for the current version. Its guard
        requires that the item has this version.
Rule 2. An item of an older version is read and upgraded. Conditions are tested and edits applied
        here, and the whole item is written, with a guard for all of its values.
Rule 3. A change that does not depend on the stored item, such as a put without a condition, has no
        guard.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from datetime import UTC, datetime
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from dynamodb_engine import expressions as ex
from dynamodb_engine.steps import Steps
from dynamodb_engine.values import Item
from singletable.errors import InvalidValue
from singletable.schema import Attr, Condition, Edit, ItemKey, Model, counters_of, key_of
from singletable.schema.item_encryption import seal_action
from singletable.store.context import Context
from singletable.store.side_writes import (
    plan_side_writes,
    release_old_values,
    side_write_fields,
    skip_correct_markers,
)
from singletable.store.ttl import item_absent, item_exists
from singletable.store.update_effects import (
    effects_of,
    index_actions,
    reads_before_delete,
    reads_before_put,
    reads_before_update,
    stored_actions,
    with_index_only,
)
from singletable.store.validation import check_edits, check_is, check_number, condition_node
from singletable.store.write_errors import (
    already_exists,
    caller_condition_failed,
    expected_version,
    missing_or_changed,
    not_found,
)
from singletable.store.writes import ErrorFactory, Write, both, same_value


class Plan(Struct, frozen=True):
    """The writes of one change, the item itself first.

    `stamps` are the fields that the store sets: version and timestamps.
    """

    writes: list[Write]
    stamps: Mapping[str, object]
    # The old item, if it was read; and the new item after an update.
    before: Item | None = None
    after: Item | None = None


class ItemChange(ABC):
    """A change of one item, which can be planned again after a conflict."""

    context: Context
    model: Model
    # Whether the plan needs the stored item.
    reads = False
    # Whether the write is guarded by the current schema version.
    requires_current_version = True
    # Whether to look up markers that the item should have, instead of writing them again.
    checks_markers = False
    # Whether it was planned before.
    is_retry = False

    @abstractmethod
    def item_key(self) -> ItemKey[Any]:
        """Return the key of the item."""

    @abstractmethod
    def plan(self, old: Item | None = None) -> Plan:
        """Plan the change of an item of the current version; None if not read, or missing."""

    def prepare(self) -> Steps[Plan]:
        """Plan the change, after reading the item if necessary."""
        model = self.model
        reads = self.reads or (
            self.requires_current_version and model.versions.reads_first(is_retry=self.is_retry)
        )
        self.is_retry = True
        if not reads:
            return self._guarded(self.plan())
        stored = yield from self.read()
        plan = self.plan_stored(stored)
        is_older = stored is not None and not model.versions.is_current(stored)
        if not model.uniques or not (self.checks_markers or is_older):
            return plan
        return replace(plan, writes=(yield from skip_correct_markers(self.context, plan.writes)))

    def read(self) -> Steps[Item | None]:
        """Return the stored item, even if it has expired."""
        table = self.context.table_name(self.model.table)
        return (yield from self.context.read(table, self.item_key().key))

    def plan_stored(self, stored: Item | None) -> Plan:
        """Plan the change of an item that was read; None if it is missing."""
        old = None if stored is None else self.model.versions.upgraded(stored)
        plan = self.plan(old)
        if stored is None or old is None or old is stored:
            return self._guarded(plan)
        return self._rewritten(plan, old, stored)

    def _guarded(self, plan: Plan) -> Plan:
        """Return the plan with the condition that the item is current, or does not exist."""
        current = self.model.versions.current_condition
        if current is None or not self.requires_current_version:
            return plan
        write, *others = plan.writes
        guard = both(write.guard, ex.Or(ex.NotExists((self.model.table.pk.name,)), current))
        return replace(plan, writes=[replace(write, guard=guard), *others])

    def _rewritten(self, plan: Plan, old: Item, stored: Item) -> Plan:
        """Return the plan for an item of an older version, given the plan for the upgraded item."""
        context, model, now = self.context, self.model, self.context.clock()
        write, *others = plan.writes
        if write.condition is not None and not ex.holds(write.condition, old):
            raise write.error(old)
        after = plan.after
        if write.kind == "update":
            after = ex.apply_update(write.actions, old)
            # An update leaves markers alone that it does not change, but an upgrade may change one.
            others = plan_side_writes(context, model, write.key, old, after, now)
            write = replace(write, kind="put", item=model.versions.stored(after), actions=())
        if write.kind != "check":
            others = [*others, *release_old_values(context, model, stored, old)]
        write = replace(write, condition=None, guard=_is_unchanged(model, stored))
        return Plan([write, *others], plan.stamps, plan.before or old, after)


@dataclass(eq=False)
class Create(ItemChange):
    """Store an item that does not exist yet; `keep_stamps` keeps its version and times."""

    requires_current_version = False
    context: Context
    model: Model
    item: Any
    if_: Condition[Any] | None = None
    _: KW_ONLY
    keep_stamps: bool = False

    def item_key(self) -> ItemKey[Any]:
        """Return the key of the item."""
        return key_of(self.item)

    def plan(self, old: Item | None = None) -> Plan:
        """Plan to create the item, or to replace an expired one."""
        context, model, now = self.context, self.model, self.context.clock()
        stamps = _stamps(model, self.item, now, version=1, keep=self.keep_stamps)
        values = self.item.__dict__
        item = _encode(model, {**values, **stamps} if stamps else values)
        key = key_attributes(model, item)
        write = Write(
            "put",
            context.table_name(model.table),
            key,
            already_exists(model, _ShownKey(model, self.item), now),
            item=model.versions.stored(item),
            condition=both(item_absent(model, now), condition_node(model, self.if_)),
        )
        return Plan([write, *plan_side_writes(context, model, key, None, item, now)], stamps)


@dataclass(eq=False)
class Put(ItemChange):
    """Store an item over the one with its key; with `must_exist`, only over one."""

    checks_markers = True
    context: Context
    model: Model
    item: Any
    if_: Condition[Any] | None = None
    _: KW_ONLY
    must_exist: bool = False

    def __post_init__(self) -> None:
        self.reads = reads_before_put(self.model)
        self.requires_current_version = self.reads or self.if_ is not None

    def item_key(self) -> ItemKey[Any]:
        """Return the key of the item; raise if it has no number yet, which create assigns."""
        check_number(self.model, self.item)
        return key_of(self.item)

    def plan(self, old: Item | None = None) -> Plan:
        """Plan to put the item; the counters of `old` are kept."""
        context, model, now = self.context, self.model, self.context.clock()
        check_number(model, self.item)
        role = model.role("version")
        version: int = self.item.__dict__.get(role.name, 0) if role else 0
        stamps = _stamps(model, self.item, now, version=version + 1)
        item = _encode(model, {**self.item.__dict__, **stamps})
        key, shown = key_attributes(model, item), _ShownKey(model, self.item)
        must_exist = item_exists(model, now) if self.must_exist else None
        condition = both(must_exist, condition_node(model, self.if_))
        error: ErrorFactory
        if role is not None:
            condition = both(condition, _has_version(model, role.attribute, version, now))
        if self.must_exist or version:
            error = missing_or_changed(model, shown, now, version)
        elif role is None:
            error = caller_condition_failed(model, shown)
        else:
            error = already_exists(model, shown, now, versioned=True)
        guard = None
        if self.reads:
            guard = _guard(model, old, side_write_fields(model))
            if old is not None:
                item, guard = _keep_counters(model, item, old, guard, stamps)
        write = Write(
            "put",
            context.table_name(model.table),
            key,
            error,
            item=model.versions.stored(item),
            condition=condition,
            guard=guard,
        )
        return Plan([write, *plan_side_writes(context, model, key, old, item, now)], stamps)


class _KeyChange(ItemChange):
    """A change of the item with a key."""

    def __init__(self, context: Context, key: ItemKey[Any], if_: Condition[Any] | None) -> None:
        check_is(ItemKey, key)
        self.context = context
        self.model = key.model
        self.key = key
        self.if_ = if_

    def item_key(self) -> ItemKey[Any]:
        """Return the key of the item."""
        return self.key


class Check(_KeyChange):
    """Check that an item exists, and satisfies a condition."""

    def __init__(
        self, context: Context, key: ItemKey[Any], condition: Condition[Any] | None
    ) -> None:
        super().__init__(context, key, condition)
        self.requires_current_version = condition is not None

    def plan(self, old: Item | None = None) -> Plan:
        """Plan the check, which needs nothing of the item."""
        model, now = self.model, self.context.clock()
        caller_condition = condition_node(model, self.if_)
        check = Write(
            "check",
            self.context.table_name(model.table),
            self.key.key,
            missing_or_changed(model, self.key, now, expected_version(model, caller_condition)),
            condition=both(item_exists(model, now), caller_condition),
        )
        return Plan([check], {})


class Update(_KeyChange):
    """Edit an existing item; without edits, check that it exists."""

    def __init__(
        self,
        context: Context,
        key: ItemKey[Any],
        edits: Sequence[Edit[Any]],
        if_: Condition[Any] | None = None,
    ) -> None:
        super().__init__(context, key, if_)
        check_edits(self.model, key, edits)
        self.edits = edits
        self.effects = effects_of(self.model, edits)
        self.reads = bool(edits) and reads_before_update(key, edits, self.effects)
        self.requires_current_version = bool(edits) or if_ is not None

    def plan_stored(self, stored: Item | None) -> Plan:
        """Plan the update of an item that was read; raise NotFound if it is missing."""
        if stored is None:
            raise not_found(self.key)
        return super().plan_stored(stored)

    def plan(self, old: Item | None = None) -> Plan:
        """Plan to edit the item; `old` is the item if it was read."""
        if self.edits:
            return self.plan_edits(old)
        # Nothing to write: neither the version nor the timestamp changes.
        return Check(self.context, self.key, self.if_).plan()

    def plan_edits(self, old: Item | None = None) -> Plan:
        """Plan to write the edits, with the fields that the store sets in every write."""
        context, key, model, now = self.context, self.key, self.model, self.context.clock()
        caller_condition = condition_node(model, self.if_)
        edited, needed = self.effects.changed, self.effects.index_fields
        actions = self.actions()
        if model.roles:
            actions += _stamp_actions(model, now)
        guard, new = None, None
        side_writes: list[Write] = []
        if old is not None:
            edited_item = ex.apply_update(tuple(actions), with_index_only(model, old))
            actions = stored_actions(model, actions) + index_actions(key, edited, edited_item, old)
            new = ex.apply_update(tuple(actions), old)
            if self.effects.side_fields:
                needed |= self.effects.side_fields
                side_writes = plan_side_writes(context, model, key.key, old, new, now, edited)
            guard = _same_fields(model, old, sorted(needed - set(model.key.fields)))
        elif needed:
            attributes = {model.fields[name].attribute for name in needed}
            known = tuple(action for action in actions if action.path[0] in attributes)
            edited_item = ex.apply_update(known, _key_fields_item(key))
            actions = stored_actions(model, actions) + index_actions(key, edited, edited_item)
        write = Write(
            "update",
            context.table_name(model.table),
            key.key,
            missing_or_changed(model, key, now, expected_version(model, caller_condition)),
            actions=tuple(actions),
            condition=both(item_exists(model, now), caller_condition),
            guard=guard,
        )
        return Plan([write, *side_writes], {}, old, new)

    def actions(self) -> list[ex.Action]:
        """Return the actions of the edits, with encrypted values sealed for the item."""
        actions = [edit.action for edit in self.edits]
        if not self.model.encrypted:
            return actions
        return [seal_action(self.model.encrypted, action, self.key.key) for action in actions]


class Delete(_KeyChange):
    """Delete an item, if it exists."""

    def __init__(
        self, context: Context, key: ItemKey[Any], if_: Condition[Any] | None = None
    ) -> None:
        super().__init__(context, key, if_)
        self.reads = reads_before_delete(self.model)
        self.requires_current_version = self.reads or if_ is not None

    def plan(self, old: Item | None = None) -> Plan:
        """Plan to delete the item, with the markers and counters of `old`."""
        context, key, model, now = self.context, self.key, self.model, self.context.clock()
        caller_condition = condition_node(model, self.if_)
        version = expected_version(model, caller_condition)
        write = Write(
            "delete",
            context.table_name(model.table),
            key.key,
            caller_condition_failed(model, key)
            if version is None
            else missing_or_changed(model, key, now, version),
            condition=None
            if caller_condition is None
            else both(item_exists(model, now), caller_condition),
            guard=_guard(model, old, side_write_fields(model)) if self.reads else None,
        )
        return Plan([write, *plan_side_writes(context, model, key.key, old, None, now)], {}, old)


def _is_unchanged(model: Model, stored: Item) -> ex.Condition:
    """Return the condition that no attribute of an item has changed since it was read."""
    names = stored.keys() | model.codec.names | model.versions.attributes
    condition: ex.Condition = ex.Exists((model.table.pk.name,))
    for name in sorted(names - model.table_key(stored).keys()):
        condition = ex.And(condition, same_value((name,), stored))
    return condition


def key_attributes(model: Model, item: Item) -> Item:
    """Return the key attributes of an item."""
    table = model.table
    pk, sk = table.pk.name, table.sk
    return {pk: item[pk]} if sk is None else {pk: item[pk], sk.name: item[sk.name]}


class _ShownKey(Struct, frozen=True):
    """The key of an instance for error messages, formatted only when there is an error."""

    model: Model
    instance: Any

    @property
    def key(self) -> Item:
        """The attributes of the key."""
        return key_of(self.instance).key

    def __str__(self) -> str:
        values = {name: self.instance.__dict__.get(name) for name in self.model.key.fields}
        return str(ItemKey(self.model.entity, {}, values))


def _encode(model: Model, values: Mapping[str, object]) -> Item:
    if model.has_checks:
        model.codec.check(values)
    return model.item(values)


def _guard(model: Model, old: Item | None, fields: set[str]) -> ex.Condition:
    """Return the condition that these fields have not changed since the item was read."""
    pk = model.table.pk.name
    if old is None:
        return ex.NotExists((pk,))
    exists: ex.Condition = ex.Exists((pk,))
    return both(exists, _same_fields(model, old, sorted(fields - set(model.key.fields)))) or exists


def _same_fields(model: Model, old: Item, fields: Sequence[str]) -> ex.Condition | None:
    condition: ex.Condition | None = None
    for name in fields:
        condition = both(condition, same_value((model.attribute_of(name),), old))
    return condition


def _keep_counters(
    model: Model,
    item: Item,
    old: Item,
    guard: ex.Condition,
    stamps: dict[str, object],
) -> tuple[Item, ex.Condition]:
    """Return the item with the counters of `old`, which a put must not reset."""
    for path in counters_of(model.entity):
        count = ex.value_at(path.document_path(), old)
        if count is not None:
            item = ex.apply_update((ex.Set(path.document_path(), ex.Constant(count)),), item)
            field = model.fields[path.field]
            stamps[path.field] = field.codec().decode(item[field.attribute])
        guard = both(guard, same_value(path.document_path(), old)) or guard
    return item, guard


def _has_version(model: Model, attribute: str, version: int, now: datetime) -> ex.Condition:
    """Return the condition of optimistic locking."""
    same = ex.Compare("=", ex.At((attribute,)), ex.Constant({"N": str(version)}))
    if version:
        return same
    # Items that are older than the version field have none, which is version 0.
    return ex.Or(ex.Or(ex.NotExists((attribute,)), same), item_absent(model, now))


def _stamps(
    model: Model, instance: Any, now: datetime, *, version: int, keep: bool = False
) -> dict[str, object]:
    """Return the fields that the store sets: the version, and times as they will be read.

    `keep` keeps the version and the time of the last write that the instance has.
    """
    stamps: dict[str, object] = {}
    for role, field in model.roles.items():
        value = instance.__dict__.get(field.name)
        if role == "version":
            stamps[field.name] = value if keep and value else version
        elif role in ("created", "updated") and (value is None or (role == "updated" and not keep)):
            stamps[field.name] = _as_stored(field, now)
        elif role in ("created", "updated", "expires") and isinstance(value, datetime):
            stamps[field.name] = _as_stored(field, value)
    return stamps


def _as_stored(field: Attr[Any], time: datetime) -> object:
    """Return the time with the precision that it will have when it is read."""
    if time.tzinfo is UTC and not time.microsecond:
        return time  # each format has whole seconds
    codec = field.codec()
    try:
        return codec.decode(codec.encode(time))
    except InvalidValue as error:
        raise InvalidValue(error.text, str(field)) from None


def _stamp_actions(model: Model, now: object) -> list[ex.Action]:
    actions: list[ex.Action] = []
    for role, field in model.roles.items():
        if role == "version":
            actions.append(ex.Add(field.document_path(), {"N": "1"}))
        if role == "updated":
            actions.append(ex.Set(field.document_path(), ex.Constant(field.codec().encode(now))))
    return actions


def _key_fields_item(key: ItemKey[Any]) -> Item:
    """Return the attributes that are known from the key alone."""
    fields = key.model.fields
    return {
        fields[name].attribute: fields[name].codec().encode(value)
        for name, value in key.values.items()
        if fields[name].stored
    }
