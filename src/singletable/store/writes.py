"""Planned writes of single items, and merging several of one item, as a transaction requires."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from singletable import expressions, operations
from singletable.errors import ConditionFailed, InvalidValue
from singletable.expressions import Add, Or, RequestExpressions, apply_update, render_request
from singletable.operations import (
    DeleteItem,
    Operation,
    PutItem,
    TransactWriteItem,
    UpdateItem,
    WriteItemOutput,
)
from singletable.values import Item, key_bytes

Returning: TypeAlias = Literal["ALL_OLD", "ALL_NEW", "UPDATED_NEW"]
# Returns the error for a failed condition, given the item as it was.
ErrorFactory: TypeAlias = Callable[[Item | None], ConditionFailed]
# What a write does to the marker of a unique value. "keep" writes a marker that should exist.
MarkerAction: TypeAlias = Literal["claim", "keep", "release"]
# Identifies an item: its table and its encoded key.
ItemId: TypeAlias = tuple[str, tuple[bytes, ...]]


class Write(Struct, frozen=True):
    """A put, update, delete or condition check of one item."""

    kind: Literal["put", "update", "delete", "check"]
    table: str
    key: Item
    error: ErrorFactory
    item: Item | None = None
    actions: expressions.Update = ()
    condition: expressions.Condition | None = None
    # What was read before and must not have changed; if it has, the change is planned again.
    guard: expressions.Condition | None = None
    # Whether to drop this write, and keep the others, if its condition fails.
    optional: bool = False
    marker: MarkerAction | None = None
    # The fields of an update with values that were computed from what was read.
    computed: frozenset[str] = frozenset()

    @property
    def item_id(self) -> ItemId:
        """The id of the item."""
        return item_id(self.table, self.key)

    def operation(self, returning: Returning | None = None) -> Operation[WriteItemOutput]:
        """Return the write as a request of its own."""
        rendered = self._rendered()
        condition, names, values = rendered.condition, rendered.names, rendered.values
        match self.kind:
            case "put":
                return PutItem(
                    self.table,
                    self.item or {},
                    return_values="ALL_OLD" if returning == "ALL_OLD" else None,
                    condition_expression=condition,
                    expression_attribute_names=names,
                    expression_attribute_values=values,
                    return_values_on_condition_check_failure="ALL_OLD" if condition else None,
                )
            case "delete":
                return DeleteItem(
                    self.table,
                    self.key,
                    return_values="ALL_OLD" if returning == "ALL_OLD" else None,
                    condition_expression=condition,
                    expression_attribute_names=names,
                    expression_attribute_values=values,
                    return_values_on_condition_check_failure="ALL_OLD" if condition else None,
                )
            case "update" | "check":
                return UpdateItem(
                    self.table,
                    self.key,
                    return_values=returning,
                    update_expression=rendered.update,
                    condition_expression=condition,
                    expression_attribute_names=names,
                    expression_attribute_values=values,
                    return_values_on_condition_check_failure="ALL_OLD" if condition else None,
                )

    def action(self) -> TransactWriteItem:
        """Return the write as an action of a transaction."""
        rendered = self._rendered()
        condition, names, values = rendered.condition, rendered.names, rendered.values
        failing: Literal["ALL_OLD"] | None = "ALL_OLD" if condition else None
        match self.kind:
            case "put":
                put = operations.Put(self.table, self.item or {}, condition, names, values, failing)
                return TransactWriteItem(put=put)
            case "delete":
                delete = operations.Delete(self.table, self.key, condition, names, values, failing)
                return TransactWriteItem(delete=delete)
            case "update":
                update = operations.Update(
                    self.table, self.key, rendered.update or "", condition, names, values, failing
                )
                return TransactWriteItem(update=update)
            case "check":
                check = operations.ConditionCheck(
                    self.table, self.key, condition or "", names, values, failing
                )
                return TransactWriteItem(condition_check=check)

    def _rendered(self) -> RequestExpressions:
        return render_request(update=self.actions, condition=both(self.condition, self.guard))


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


def merge_writes(writes: Sequence[Write]) -> list[Write]:
    """Merge the writes of the same item: a transaction may contain an item only once."""
    if len(writes) == 1:
        return list(writes)
    merged: dict[ItemId, Write] = {}
    for write in writes:
        target = write.item_id
        merged[target] = _merge(merged[target], write) if target in merged else write
    return list(merged.values())


def _merge(first: Write, second: Write) -> Write:
    if first.marker is not None and second.marker is not None:
        return _merge_markers(first, second)
    match first.kind, second.kind:
        case "update", "update":
            return replace(
                first,
                actions=_merge_actions(first, second),
                condition=_combine(first.condition, second.condition),
                guard=both(first.guard, second.guard),
                optional=first.optional and second.optional,
                computed=first.computed | second.computed,
            )
        case ("check", "update") | ("update", "check"):
            update = first if first.kind == "update" else second
            return replace(
                update,
                condition=both(first.condition, second.condition),
                guard=both(first.guard, second.guard),
                error=first.error,
                optional=False,
            )
        case "put", "update" if _only_adds(second):
            # The item has a counter of another item that is written in the same transaction.
            return replace(first, item=apply_update(second.actions, first.item or {}))
        case "update", "put" if _only_adds(first):
            return replace(second, item=apply_update(first.actions, second.item or {}))
        case ("delete", "update") if _only_adds(second):
            return first
        case ("update", "delete") if _only_adds(first):
            return second
        case _:
            raise InvalidValue(
                f"A transaction can write an item only once, but this one has a {first.kind} and "
                f"a {second.kind} of {first.key} in {first.table}. Combine them."
            )


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


def _merge_markers(first: Write, second: Write) -> Write:
    """Hand a unique value over from one item to another, as when an item gets a new key."""
    claim, release = (second, first) if first.marker == "release" else (first, second)
    if claim.marker != "release" and claim.item == release.item:
        return claim  # two changes of the same owner
    if release.marker != "release" or claim.marker == "release":
        raise claim.error(None)
    if claim.condition is None or release.condition is None:
        return replace(claim, condition=None)
    return replace(claim, condition=Or(claim.condition, release.condition))


def _only_adds(write: Write) -> bool:
    return all(isinstance(action, Add) for action in write.actions)


def _merge_actions(first: Write, second: Write) -> expressions.Update:
    if twice := first.computed & second.computed:
        raise InvalidValue(
            f"A transaction changes {', '.join(sorted(twice))} of {first.key} twice. Combine the "
            "edits."
        )
    actions = {action.path: action for action in first.actions}
    for action in second.actions:
        other = actions.get(action.path)
        if isinstance(other, Add) and isinstance(action, Add) and "N" in other.value:
            amount = Decimal(other.value["N"]) + Decimal(action.value.get("N", "0"))
            actions[action.path] = Add(action.path, {"N": f"{amount:f}"})
            continue
        if other is not None and other != action:
            raise InvalidValue(
                f"A transaction changes {'.'.join(map(str, action.path))} of {first.key} twice. "
                "Combine the edits."
            )
        actions[action.path] = action
    return tuple(actions.values())
