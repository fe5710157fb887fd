"""Writes of entities with a schema version, which never mix two versions in one item.

Rule 1. A write that depends on the stored item is planned for the current version, on the condition
        (the guard) that the item has it.
Rule 2. If the item has an older version, it is read and upgraded, conditions are tested and edits
        applied here, and the whole item is written on the condition that it has not changed.
Rule 3. What does not depend on the stored item, such as a put without a condition, has no guard.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from msgspec.structs import replace

from singletable.expressions import (
    And,
    At,
    Compare,
    Condition,
    Constant,
    Exists,
    NotExists,
    Or,
    apply_update,
    holds,
)
from singletable.retry import Steps
from singletable.schema import ItemKey, Model
from singletable.schema.schema_versions import SchemaVersions
from singletable.store.context import Context
from singletable.store.plan import Plan, plan_delete
from singletable.store.side_writes import plan_side_writes, release_old_values, skip_correct_markers
from singletable.store.writes import both
from singletable.values import Item

# Plans the write, given the item in the current version if it was read.
PlanWrite: TypeAlias = Callable[[Item | None], Plan]


def read_item(context: Context, key: ItemKey[Any], *, consistent: bool) -> Steps[Item | None]:
    """Return the stored item, even if it has expired."""
    table = context.table_name(key.model.table)
    return (yield from context.read(table, key.key, consistent=consistent))


def is_current_condition(versions: SchemaVersions) -> Condition:
    """Return the condition that an item has the current version."""
    current = Compare("=", At((versions.attribute,)), Constant(versions.number))
    return Or(NotExists((versions.attribute,)), current) if versions.current == 1 else current


def plan_for_version(
    context: Context,
    key: ItemKey[Any],
    plan_unread: Callable[[], Plan] | None,
    plan_read: PlanWrite,
) -> Steps[Plan]:
    """Plan a write that depends on the stored item.

    `plan_unread` plans it without reading the item first; None if the item must be read.
    """
    model = key.model
    versions = model.versions
    assert versions is not None
    if plan_unread is not None and versions.write is None:
        return guard_version(model, plan_unread())
    stored = yield from read_item(context, key, consistent=True)
    old = None if stored is None else model.upgraded(stored)
    if stored is None or old is None or old is stored:
        plan = guard_version(model, plan_read(stored))
    else:
        plan = plan_rewrite(context, key, plan_read(old), old, stored)
    if not model.uniques:
        return plan
    return replace(plan, writes=(yield from skip_correct_markers(context, plan.writes)))


def guard_version(model: Model, plan: Plan) -> Plan:
    """Return the plan with the condition that the item is current, or does not exist."""
    if model.versions is None:
        return plan
    write, *others = plan.writes
    is_current = Or(NotExists((model.table.pk.name,)), is_current_condition(model.versions))
    guard = both(write.guard, is_current)
    return replace(plan, writes=[replace(write, guard=guard), *others])


def plan_rewrite(context: Context, key: ItemKey[Any], plan: Plan, old: Item, stored: Item) -> Plan:
    """Return the plan for an item of an older version, given the plan for the upgraded item."""
    model = key.model
    write, *others = plan.writes
    if write.condition is not None and not holds(write.condition, old):
        raise write.error(old)
    after = plan.after
    if write.kind == "update":
        after = apply_update(write.actions, old)
        # An update leaves markers alone that it does not change, but the upgrade may change them.
        others = plan_side_writes(context, model, write.key, old, after, context.clock())
        write = replace(write, kind="put", item=model.stored(after), actions=())
    if write.kind != "check":
        others = [*others, *release_old_values(context, model, stored, old, context.clock())]
    write = replace(write, condition=None, guard=unchanged(model, stored))
    return Plan([write, *others], plan.stamps, plan.before or old, after)


def plan_delete_stored(context: Context, key: ItemKey[Any], stored: Item) -> Plan:
    """Plan to delete an item that was read."""
    model = key.model
    if model.versions is None:
        return plan_delete(context, key, None, stored)
    old = model.upgraded(stored)
    plan = plan_delete(context, key, None, old)
    if model.versions.is_current(stored):
        return guard_version(model, plan)
    return plan_rewrite(context, key, plan, old, stored)


def unchanged(model: Model, stored: Item) -> Condition:
    """Return the condition that no attribute of an item has changed since it was read."""
    condition: Condition = Exists((model.table.pk.name,))
    for name in sorted(stored.keys() - model.table_key(stored).keys()):
        condition = And(condition, Compare("=", At((name,)), Constant(stored[name])))
    absent = set(model.attribute_names)
    if model.versions is not None:
        absent |= model.versions.attributes
    for name in sorted(absent - stored.keys()):
        condition = And(condition, NotExists((name,)))
    return condition


def read_on_retry(prepare: Callable[[bool], Steps[Plan]]) -> Callable[[], Steps[Plan]]:
    """Return a planner that reads the item first only after a conflict."""
    is_retry = False

    def plan() -> Steps[Plan]:
        nonlocal is_retry
        steps, is_retry = prepare(is_retry), True
        return steps

    return plan
