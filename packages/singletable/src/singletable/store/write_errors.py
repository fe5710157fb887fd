"""Errors for failed conditions: they tell the caller the reason, given the stored item.

The functions that return an ErrorFactory are called when a write is planned, the factory only when
its condition failed.
"""

from __future__ import annotations

from datetime import datetime
from typing import Protocol, TypeVar

from dynamodb_engine import expressions
from dynamodb_engine.expressions import And, At, Compare, Constant
from dynamodb_engine.values import Item
from singletable.errors import (
    AlreadyExists,
    ConditionFailed,
    ItemMismatch,
    NotFound,
    VersionConflict,
)
from singletable.schema import ItemKey, Model
from singletable.store.ttl import is_expired
from singletable.store.writes import ErrorFactory

F = TypeVar("F", bound=ConditionFailed)


class ShownKey(Protocol):
    """The key of an item in the table, which error messages show."""

    @property
    def key(self) -> Item:
        """The attributes of the key."""
        ...


def not_found(key: ShownKey) -> NotFound:
    """Return the error for an item that does not exist."""
    return NotFound(f"{key} does not exist.", key=key.key)


def already_exists(
    model: Model, key: ShownKey, now: datetime, *, versioned: bool = False
) -> ErrorFactory:
    """Explain the failure of a write that expects no item, or none with a version."""

    def create_error(item: Item | None) -> ConditionFailed:
        if item is None or is_expired(model, item, now):
            return condition_failed(model, key, item)
        field = model.role("version")
        if versioned and field is not None and _stored_version(item, field.attribute) == "0":
            return condition_failed(model, key, item)
        error = AlreadyExists(f"{key} already exists.", model.key.fields, item, key=key.key)
        return _with_current(error, model, item)

    return create_error


def missing_or_changed(
    model: Model, key: ShownKey, now: datetime, version: int | None = None
) -> ErrorFactory:
    """Explain the failure of a write that expects an item, perhaps with a version."""

    def create_error(item: Item | None) -> ConditionFailed:
        if item is None or is_expired(model, item, now):
            return not_found(key)
        field = model.role("version")
        if version is not None and field is not None:
            stored = _stored_version(item, field.attribute)
            if stored != str(version):
                text = (
                    f"{key} was written after it was read: expected version {version}, but it has "
                    f"{stored}. Read it again and retry."
                )
                return _with_current(VersionConflict(text, item, key=key.key), model, item)
        return condition_failed(model, key, item)

    return create_error


def caller_condition_failed(model: Model, key: ShownKey | Item) -> ErrorFactory:
    """Explain the failure of a write that has only the caller's condition."""

    def create_error(item: Item | None) -> ConditionFailed:
        return condition_failed(model, key, item)

    return create_error


def value_taken(model: Model, unique: str, fields: tuple[str, ...], key: Item) -> ErrorFactory:
    """Explain that another item than the one with `key` has the unique value."""

    def create_error(item: Item | None) -> ConditionFailed:
        value = " and ".join(fields)
        text = f"{model.name}.{unique}: another {model.name} has the same {value}."
        return AlreadyExists(text, fields, item, key=key)

    return create_error


def counter_missing(key: ItemKey[object], counted: Model) -> ErrorFactory:
    """Explain that the item with the counter does not exist."""

    def create_error(item: Item | None) -> ConditionFailed:
        return NotFound(f"{key}, which counts {counted.name} items, does not exist.", key=key.key)

    return create_error


def expected_version(model: Model, condition: expressions.Condition | None) -> int | None:
    """Return the version that the caller's condition requires, `if_=Loan.version == 3`, or None."""
    if condition is None:
        return None
    field = model.role("version")
    match condition:
        case And(left, right):
            version = expected_version(model, left)
            return expected_version(model, right) if version is None else version
        case Compare("=", At(path), Constant(value)) if field is not None:
            return int(value.get("N", "0")) if path == field.document_path() else None
        case _:
            return None


def condition_failed(model: Model, key: ShownKey | Item, item: Item | None) -> ConditionFailed:
    """Return the error for the caller's condition."""
    attributes = key if isinstance(key, dict) else key.key
    if item is None:
        return ConditionFailed(f"The condition failed: {key} does not exist.", key=attributes)
    error = ConditionFailed(
        f"The condition failed for {key}; the error's `current` is the item as it was.",
        item,
        key=attributes,
    )
    return _with_current(error, model, item)


def _stored_version(item: Item, attribute: str) -> str:
    return item.get(attribute, {}).get("N", "0")


def _with_current(error: F, model: Model, item: Item) -> F:
    try:
        error.current = model.instance(item)
    except ItemMismatch:
        error.current = None
    return error
