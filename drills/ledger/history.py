"""The feed, played back: whose each change was, and what it left."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from drills.ledger.actions import REMOVED_AFTER, Action, action_at
from drills.ledger.clients import SETUP
from drills.ledger.marks import Step
from singletable import Item
from singletable.operations import ChangeRecord


@dataclass(slots=True)
class History:
    """What was done by which step, and the items that it left."""

    items: dict[str, Item] = field(default_factory=dict[str, Item])
    changes: dict[Step, list[ChangeRecord]] = field(default_factory=dict[Step, list[ChangeRecord]])
    faults: list[str] = field(default_factory=list[str])


def played_back(seed: int, changes: list[ChangeRecord]) -> History:
    """The history that a feed tells, with what is wrong with it."""
    history = History()
    for expected, change in enumerate(changes, 1):
        key = change.keys["pk"]["S"]
        old, new = change.old, change.new
        if change.position != expected:
            history.faults.append(f"change {expected} is missing, {change.position} follows")
            break
        if old != history.items.get(key):
            history.faults.append(f"change {expected} of {key} is not of what was there before")
        step = _step_of(key, new)
        history.changes.setdefault(step, []).append(change)
        if step.client != SETUP:
            action = action_at(seed, step)
            history.faults += [
                f"change {expected} of {key} by {step}: {why}"
                for why in _wrong(action, key, old, new)
            ]
        if new is None:
            history.items.pop(key, None)
        else:
            history.items[key] = new
    return history


def _step_of(key: str, new: Item | None) -> Step:
    if new is not None:
        client, number = map(int, new["by"]["S"].split("."))
        return Step(client, number)
    _, owner, made = key.split("#")
    return Step(int(owner), int(made) + REMOVED_AFTER)


def _wrong(action: Action, key: str, old: Item | None, new: Item | None) -> Iterator[str]:
    """What the change is that the action does not make."""
    if key not in action.keys:
        yield "the step does not touch it"
    elif action.kind == "remove":
        if new is not None:
            yield "it should be gone"
    elif key in action.items:
        if new != action.items[key]:
            yield "it is not what was written"
    elif new is None:
        yield "it is gone"
    elif action.kind == "transfer":
        sign = -1 if key == action.keys[0] else 1
        if _number(new, "balance") != _number(old, "balance") + sign * action.amount:
            yield "the balance is wrong"
    elif _number(new, "times") != _number(old, "times") + 1:
        yield "the count is wrong"


def _number(item: Item | None, name: str) -> int:
    return int(item[name]["N"]) if item is not None and name in item else 0
