"""Planned writes of single items, and merging several of one item, as a transaction requires.

A merged write has the effect of its writes in their order: a condition tests the item that the
writes before it have made.

Rule 1. A put or a delete determines the item that the next write gets, so the next write is applied
        to it here: `put(Issue(votes=1))` and `votes + 1` put an issue with two votes.
Rule 2. Writes that do not depend on each other become one write, with all conditions.
Rule 3. For all others the transaction reads the stored item, and applies the writes to it here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import takewhile
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from dynamodb_engine import expressions, operations
from dynamodb_engine import expressions as ex
from dynamodb_engine import operations as ops
from dynamodb_engine.values import Item, key_bytes
from singletable.errors import ConditionFailed, TransactionConflict

Returning: TypeAlias = Literal["ALL_OLD", "ALL_NEW", "UPDATED_NEW"]
# Returns the error for a failed condition, given the item as it was.
ErrorFactory: TypeAlias = Callable[[Item | None], ConditionFailed]
# What a write does to the marker of a unique value. "keep" writes a marker that should exist.
MarkerAction: TypeAlias = Literal["claim", "keep", "release"]
# Identifies an item: its table and its encoded key.
ItemId: TypeAlias = tuple[str, tuple[bytes, ...]]


class Write(Struct, frozen=True, dict=True):
    """A put, update, delete or condition check of one item."""

    kind: Literal["put", "update", "delete", "check"]
    table: str
    key: Item
    error: ErrorFactory
    item: Item | None = None
    actions: expressions.Update = ()
    condition: expressions.Condition | None = None
    # Values that were read before. If one has changed since, the change is planned again.
    guard: expressions.Condition | None = None
    # Whether a transaction goes on without this write if its condition fails.
    optional: bool = False
    marker: MarkerAction | None = None
    # Whether it counts another item, which may be written before this one is created.
    counts: bool = False

    @cached_property
    def item_id(self) -> ItemId:
        """The id of the item."""
        return item_id(self.table, self.key)

    def operation(self, returning: Returning | None = None) -> ops.Operation[ops.WriteItemOutput]:
        """Return the write as a request of its own."""
        rendered = self._rendered()
        condition, names, values = rendered.condition, rendered.names, rendered.values
        match self.kind:
            case "put":
                return ops.PutItem(
                    self.table,
                    self.item or {},
                    return_values="ALL_OLD" if returning == "ALL_OLD" else None,
                    condition_expression=condition,
                    expression_attribute_names=names,
                    expression_attribute_values=values,
                    return_values_on_condition_check_failure="ALL_OLD" if condition else None,
                )
            case "delete":
                return ops.DeleteItem(
                    self.table,
                    self.key,
                    return_values="ALL_OLD" if returning == "ALL_OLD" else None,
                    condition_expression=condition,
                    expression_attribute_names=names,
                    expression_attribute_values=values,
                    return_values_on_condition_check_failure="ALL_OLD" if condition else None,
                )
            case "update" | "check":
                return ops.UpdateItem(
                    self.table,
                    self.key,
                    return_values=returning,
                    update_expression=rendered.update,
                    condition_expression=condition,
                    expression_attribute_names=names,
                    expression_attribute_values=values,
                    return_values_on_condition_check_failure="ALL_OLD" if condition else None,
                )

    def transact_item(self) -> ops.TransactWriteItem:
        """Return the write as an action of a transaction."""
        rendered = self._rendered()
        condition, names, values = rendered.condition, rendered.names, rendered.values
        failing: Literal["ALL_OLD"] | None = "ALL_OLD" if condition else None
        match self.kind:
            case "put":
                put = operations.Put(self.table, self.item or {}, condition, names, values, failing)
                return ops.TransactWriteItem(put=put)
            case "delete":
                delete = operations.Delete(self.table, self.key, condition, names, values, failing)
                return ops.TransactWriteItem(delete=delete)
            case "update":
                update = operations.Update(
                    self.table, self.key, rendered.update or "", condition, names, values, failing
                )
                return ops.TransactWriteItem(update=update)
            case "check":
                check = operations.ConditionCheck(
                    self.table, self.key, condition or "", names, values, failing
                )
                return ops.TransactWriteItem(condition_check=check)

    def _rendered(self) -> ex.RequestExpressions:
        return ex.render_request(update=self.actions, condition=both(self.condition, self.guard))


def item_id(table: str, key: Item) -> ItemId:
    """Return the id of an item, the same however the numbers in its key are written."""
    return table, tuple([key_bytes(key[name]) for name in sorted(key)])


def both(
    left: expressions.Condition | None, right: expressions.Condition | None
) -> expressions.Condition | None:
    """Return `left AND right`, or the one that is not None."""
    if left is None or right is None:
        return left or right
    return expressions.And(left, right)


def same_value(path: expressions.Path, old: Item) -> expressions.Condition:
    """Return the condition that the value at a path is still that of `old`."""
    value = ex.value_at(path, old)
    return ex.NotExists(path) if value is None else ex.Compare("=", ex.At(path), ex.Constant(value))


def merge_writes(writes: Sequence[Write]) -> list[Write]:
    """Merge the writes of the same item: a transaction may contain an item only once.

    An item that is written and counts others is written first, whatever the order is here.
    """
    if len(writes) == 1:
        return list(writes)
    groups: dict[ItemId, list[Write]] = {}
    for write in writes:
        groups.setdefault(write.item_id, []).append(write)
    if len(groups) == len(writes):
        return list(writes)
    merged: list[Write] = []
    for group in groups.values():
        one = merge_in_order(sorted(group, key=lambda write: write.kind == "update"))
        assert one is not None  # unless in a transaction, all updates but one are of counters
        merged.append(one)
    return merged


def merge_in_order(writes: Sequence[Write]) -> Write | None:
    """Return one write with the effect of these writes of an item, one after the other.

    Raise if a condition is known to fail. Return None if that depends on the stored item.
    """
    merged: Write | None = writes[0]
    for write in writes[1:]:
        merged = merged and _merge(merged, write)
    return merged


def apply_write(write: Write, item: Item | None) -> Item | None:
    """Return what becomes of the item; raise the error of the write if its condition fails."""
    before: Item = item or {}
    if write.guard is not None and not ex.holds(write.guard, before):
        raise TransactionConflict(
            "An item changed while the transaction was planned. Nothing was written; try again."
        )
    if write.condition is not None and not ex.holds(write.condition, before):
        if write.optional:
            return item
        raise write.error(item)
    match write.kind:
        case "put" | "delete":
            return write.item
        case "update":
            return ex.apply_update(write.actions, write.key if item is None else item)
        case "check":
            return item


def _merge(first: Write, second: Write) -> Write | None:
    match first.actions, second.actions:
        case (ex.Add(path, {"N": count}),), (ex.Add(same, {"N": more}),) if (
            first.counts and second.counts and path == same and first.condition == second.condition
        ):  # a shortcut for bulk loads
            return replace(first, actions=(ex.Add(path, {"N": str(int(count) + int(more))}),))
        case _:
            pass
    if first.marker and first.condition is not None and second.condition is not None:
        # One owner may hand a unique value over to another, as when an item gets a new key.
        either = ex.Or(first.condition, second.condition)
        if first.marker == "release":
            return replace(second, condition=either)
        if second.marker == "release" and not ex.holds(second.condition, first.item or {}):
            return replace(first, condition=either)
    if first.kind in ("put", "delete"):  # so what the second write will find is known
        item = apply_write(second, first.item)
        return replace(first, kind="delete" if item is None else "put", item=item)
    replaces = second.kind in ("put", "delete")
    if first.counts and second.kind == "put":
        return None  # the put may create the item that counts
    changed = _changed_paths(first)
    actions = () if replaces else _merge_actions(first, second, changed)
    if actions is None or _overlap(changed, tested_paths(second)):
        return None
    if first.optional and replaces:
        return second
    if not _fail_together(first, second):
        return None
    return replace(
        second,
        kind=first.kind if second.kind == "check" else second.kind,
        actions=actions,
        condition=_combine(first.condition, second.condition),
        guard=_combine(first.guard, second.guard),
        error=_first_error(first, second),
        optional=first.optional and second.optional,
        counts=first.counts and second.counts,
    )


def _merge_actions(
    first: Write, second: Write, changed: Sequence[expressions.Path]
) -> expressions.Update | None:
    """Return the actions of both updates; None if the second ones depend on the first ones."""
    actions = {action.path: action for action in first.actions}
    for action in second.actions:
        match actions.get(action.path), action:
            case ex.Add(path, value), ex.Add(_, more):
                action = ex.Add(
                    path, ex.apply_update((ex.Add(("sum",), more),), {"sum": value})["sum"]
                )
            case ex.Set(path, ex.Constant()) | ex.Remove(path), ex.Set(
                _, ex.Constant()
            ) | ex.Remove() if path == _outside_lists(path):
                pass  # the second one is what remains
            case _ if _overlap(changed, ex.update_paths((action,))):
                return None
            case _:
                pass
        actions[action.path] = action
    return tuple(actions.values())


def _changed_paths(write: Write) -> list[expressions.Path]:
    paths = [action.path for action in write.actions]
    if write.kind == "update" and (write.condition is None or ex.holds(write.condition, {})):
        paths += [(name,) for name in write.key]  # it may create the item
    return paths


def tested_paths(write: Write) -> list[expressions.Path]:
    """Return the paths that the conditions of a write test."""
    conditions = (write.condition, write.guard)
    return [path for one in conditions if one is not None for path in ex.condition_paths(one)]


def _overlap(left: Sequence[expressions.Path], right: Sequence[expressions.Path]) -> bool:
    """Return whether a path is part of another. Elements of a list are: their indexes change."""
    ours, others = map(_outside_lists, left), [_outside_lists(path) for path in right]
    return any(one[: len(other)] == other[: len(one)] for one in ours for other in others)


def _outside_lists(path: expressions.Path) -> expressions.Path:
    if len(path) == 1:
        return path
    return tuple(takewhile(lambda step: isinstance(step, str), path))


def _fail_together(first: Write, second: Write) -> bool:
    """Return whether an optional write is left out only if the other one fails or is left out."""
    if first.optional == second.optional:
        return not first.optional or first.condition == second.condition
    optional, other = (first, second) if first.optional else (second, first)
    requires_item = other.condition is not None and not ex.holds(other.condition, {})
    return isinstance(optional.condition, ex.Exists) and requires_item


def _first_error(first: Write, second: Write) -> ErrorFactory:
    condition = first.condition
    if condition is None:
        return second.error
    if condition == second.condition:
        return first.error
    return lambda item: (second if ex.holds(condition, item or {}) else first).error(item)


def _combine(
    left: expressions.Condition | None, right: expressions.Condition | None
) -> expressions.Condition | None:
    """Return `left AND right`, without repeating a condition: DynamoDB limits their length."""
    part = left
    while isinstance(part, expressions.And):
        if part.right == right:
            return left
        part = part.left
    return left if part == right else both(left, right)
