"""Several changes to one item in a transaction, made into one: DynamoDB takes an item only once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from singletable import expressions
from singletable.errors import InvalidValue
from singletable.expressions import Add, Or, apply_update
from singletable.store.write import Place, Write, both


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
