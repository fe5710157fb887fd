"""Why a write was refused, in the words of the one who asked for it."""

from __future__ import annotations

from datetime import datetime
from typing import TypeVar

from singletable import expressions
from singletable.errors import (
    AlreadyExists,
    ConditionFailed,
    ItemMismatch,
    NotFound,
    VersionConflict,
)
from singletable.expressions import And, At, Compare, Constant
from singletable.schema import ItemKey, Model
from singletable.schema.unique import RELEASED
from singletable.store.ttl import is_alive
from singletable.store.writes import Explain
from singletable.values import Item

F = TypeVar("F", bound=ConditionFailed)


def exists_already(
    model: Model, shown: object, now: datetime, *, versioned: bool = False
) -> Explain:
    """There must be no item, or none that has a version; or the caller's condition failed."""

    def explain(item: Item | None) -> ConditionFailed:
        if item is None or not is_alive(model, item, now):
            return condition_failed(model, shown, item)
        field = model.role("version")
        if versioned and field is not None and _version(item, field.attribute) == "0":
            return condition_failed(model, shown, item)
        return _with_current(
            AlreadyExists(f"{shown} exists already.", model.key.fields, item), model, item
        )

    return explain


def refused(model: Model, shown: object, now: datetime, version: int | None = None) -> Explain:
    """A write to an item that must be there, perhaps in a version, met something else."""

    def explain(item: Item | None) -> ConditionFailed:
        if item is None or not is_alive(model, item, now):
            return NotFound(f"{shown} is not there.")
        field = model.role("version")
        if version is not None and field is not None:
            held = _version(item, field.attribute)
            if held != str(version):
                text = (
                    f"{shown} was written since it was read: version {version} was expected, and "
                    f"it has {held}. Read it again, and decide again."
                )
                return _with_current(VersionConflict(text, item), model, item)
        return condition_failed(model, shown, item)

    return explain


def version_asked(model: Model, condition: expressions.Condition | None) -> int | None:
    """The version that a caller's own condition demands, `if_=Loan.version == 3`; None if none."""
    field = model.role("version")
    match condition:
        case And(left, right):
            found = version_asked(model, left)
            return version_asked(model, right) if found is None else found
        case Compare("=", At(path), Constant(value)) if field is not None:
            return int(value.get("N", "0")) if path == field.document_path() else None
        case _:
            return None


def condition_failed(model: Model, shown: object, item: Item | None) -> ConditionFailed:
    """The caller's own condition did not hold."""
    if item is None:
        return ConditionFailed(f"The condition does not hold: {shown} is not there.")
    failed = ConditionFailed(
        f"The condition does not hold for {shown}; `current` is the item as it stood.", item
    )
    return _with_current(failed, model, item)


def not_met(model: Model, shown: object) -> Explain:
    """Nothing but the caller's own condition can be the reason."""

    def explain(item: Item | None) -> ConditionFailed:
        return condition_failed(model, shown, item)

    return explain


def taken(model: Model, unique: str, fields: tuple[str, ...]) -> Explain:
    """Another item has the unique value."""

    def explain(item: Item | None) -> ConditionFailed:
        who, value = f"{model.name}.{unique}: another {model.name}", " and ".join(fields)
        said = f"{who} has the same {value}."
        if item is not None and RELEASED in item:
            said = f"{who} once had the same {value}, and it stays taken."
        return AlreadyExists(said, fields, item)

    return explain


def no_counter(address: ItemKey[object], counted: Model) -> Explain:
    """The item that keeps the count is not there."""

    def explain(item: Item | None) -> ConditionFailed:
        return NotFound(f"{address} is not there, and counts each {counted.name}.")

    return explain


def _version(item: Item, attribute: str) -> str:
    return item.get(attribute, {}).get("N", "0")


def _with_current(error: F, model: Model, item: Item) -> F:
    try:
        error.current = model.instance(item)
    except ItemMismatch:
        error.current = None
    return error
