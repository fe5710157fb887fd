"""One write to one item, before it is known whether it stands alone or in a transaction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal, TypeAlias

from singletable import expressions, operations
from singletable.errors import ConditionFailed, InvalidValue
from singletable.expressions import Add, Aliases, Or, apply_update, render_condition, render_update
from singletable.operations import (
    DeleteItem,
    Operation,
    PutItem,
    TransactWriteItem,
    UpdateItem,
    WriteItemOutput,
)
from singletable.values import Item, key_bytes

Returning: TypeAlias = Literal["ALL_OLD", "ALL_NEW"]
Explain: TypeAlias = Callable[[Item | None], ConditionFailed]
# What a write does with a unique value. Who keeps one has a marker already, or should have.
Marks: TypeAlias = Literal["takes", "keeps", "gives up"]
# A table, and the key of an item in it.
Place: TypeAlias = tuple[str, tuple[bytes, ...]]


@dataclass(frozen=True, slots=True)
class Write:
    """A put if there is an item, an update if there are actions, a check or a delete otherwise."""

    kind: Literal["put", "update", "delete", "check"]
    table: str
    key: Item
    # What to say when the condition does not hold, for the item as it stood.
    explain: Explain
    item: Item | None = None
    actions: expressions.Update = ()
    condition: expressions.Condition | None = None
    # What was read before and must still be so; if it is not, the work begins again.
    guard: expressions.Condition | None = None
    # Whether the other writes may happen without this one, when its condition does not hold.
    optional: bool = False
    # What it does with a unique value, if it is about a marker.
    marks: Marks | None = None

    @property
    def place(self) -> Place:
        """Where it writes."""
        return place_of(self.table, self.key)

    def operation(self, returning: Returning | None = None) -> Operation[WriteItemOutput]:
        """The write by itself."""
        aliases = Aliases()
        change = render_update(self.actions, aliases) if self.actions else None
        condition = self._condition(aliases)
        names, values = aliases.names or None, aliases.values or None
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
                    update_expression=None if change is None else change.text,
                    condition_expression=condition,
                    expression_attribute_names=names,
                    expression_attribute_values=values,
                    return_values_on_condition_check_failure="ALL_OLD" if condition else None,
                )

    def action(self) -> TransactWriteItem:
        """The write as one of a transaction."""
        aliases = Aliases()
        change = render_update(self.actions, aliases) if self.actions else None
        condition = self._condition(aliases)
        names, values = aliases.names or None, aliases.values or None
        failing: Literal["ALL_OLD"] | None = "ALL_OLD" if condition else None
        match self.kind:
            case "put":
                put = operations.Put(self.table, self.item or {}, condition, names, values, failing)
                return TransactWriteItem(put=put)
            case "delete":
                delete = operations.Delete(self.table, self.key, condition, names, values, failing)
                return TransactWriteItem(delete=delete)
            case "update":
                text = "" if change is None else change.text
                update = operations.Update(
                    self.table, self.key, text, condition, names, values, failing
                )
                return TransactWriteItem(update=update)
            case "check":
                check = operations.ConditionCheck(
                    self.table, self.key, condition or "", names, values, failing
                )
                return TransactWriteItem(condition_check=check)

    def _condition(self, aliases: Aliases) -> str | None:
        whole = both(self.condition, self.guard)
        return None if whole is None else render_condition(whole, aliases).text


def place_of(table: str, key: Item) -> Place:
    """The place of an item, the same however the numbers in its key are written."""
    return table, tuple([key_bytes(key[name]) for name in sorted(key)])


def both(
    one: expressions.Condition | None, other: expressions.Condition | None
) -> expressions.Condition | None:
    """The two conditions together, where there are any."""
    if one is None or other is None:
        return one or other
    return expressions.And(one, other)


# FROM merge.py: Several changes to one item in a transaction, made into one: DynamoDB takes an it


def merged(writes: Sequence[Write]) -> list[Write]:
    """The writes with at most one to each item."""
    if len(writes) == 1:
        return list(writes)
    found: dict[Place, Write] = {}
    for write in writes:
        place = write.place
        found[place] = _both(found[place], write) if place in found else write
    return list(found.values())


def _both(one: Write, other: Write) -> Write:
    if one.marks is not None and other.marks is not None:
        return _handed_over(one, other)
    match one.kind, other.kind:
        case "update", "update":
            return replace(
                one,
                actions=_actions(one, other),
                condition=both(one.condition, other.condition),
                guard=both(one.guard, other.guard),
                optional=one.optional and other.optional,
            )
        case ("check", "update") | ("update", "check"):
            update = one if one.kind == "update" else other
            condition = both(one.condition, other.condition)
            return replace(update, condition=condition, explain=one.explain, optional=False)
        case "put", "update" if _counts(other):
            # A count of something that is written together with what it counts.
            return replace(one, item=apply_update(other.actions, one.item or {}))
        case "update", "put" if _counts(one):
            return replace(other, item=apply_update(one.actions, other.item or {}))
        case ("delete", "update") if _counts(other):
            return one
        case ("update", "delete") if _counts(one):
            return other
        case _:
            raise InvalidValue(
                f"A transaction can write an item once, and this one has a {one.kind} and a "
                f"{other.kind} of {one.key} in {one.table}. Make them one."
            )


def _handed_over(one: Write, other: Write) -> Write:
    """A unique value that one item gives up and another takes, as when an item gets another key."""
    takes, gives = (other, one) if one.marks == "gives up" else (one, other)
    if takes.marks != "gives up" and takes.item == gives.item:
        return takes  # the same owner, changed twice
    if gives.marks != "gives up" or takes.marks == "gives up":
        raise takes.explain(None)
    return replace(takes, condition=_either(takes.condition, gives.condition))


def _either(
    one: expressions.Condition | None, other: expressions.Condition | None
) -> expressions.Condition | None:
    return None if one is None or other is None else Or(one, other)


def _counts(write: Write) -> bool:
    return all(isinstance(action, Add) for action in write.actions)


def _actions(one: Write, other: Write) -> expressions.Update:
    actions = {action.path: action for action in one.actions}
    for action in other.actions:
        there = actions.get(action.path)
        if isinstance(there, Add) and isinstance(action, Add) and "N" in there.value:
            amount = Decimal(there.value["N"]) + Decimal(action.value.get("N", "0"))
            actions[action.path] = Add(action.path, {"N": f"{amount:f}"})
            continue
        if there is not None and there != action:
            raise InvalidValue(
                f"A transaction changes {'.'.join(map(str, action.path))} of {one.key} twice. "
                "Make it one change."
            )
        actions[action.path] = action
    return tuple(actions.values())
