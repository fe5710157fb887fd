"""AttributeUpdates, as an update."""

from __future__ import annotations

from singletable.engine.dialect import Dialect
from singletable.errors import ValidationError
from singletable.expressions import (
    Action,
    Add,
    Delete,
    IfNotExists,
    ListAppend,
    Literally,
    Path,
    Remove,
    Set,
    Update,
)
from singletable.operations.shapes import AttributeValueUpdate
from singletable.values import INVALID, AttributeValue, check_value, type_of

# What is said when ADD or DELETE meet an attribute of another type; expressions say it otherwise.
TYPE_MISMATCH = "Type mismatch for attribute to update"
SETS = ("SS", "NS", "BS")


def attribute_updates(updates: dict[str, AttributeValueUpdate] | None, dialect: Dialect) -> Update:
    """What is to be done with the item; nothing if there are no updates."""
    return tuple([_action(name, asked, dialect) for name, asked in (updates or {}).items()])


def _action(attribute: str, asked: AttributeValueUpdate, dialect: Dialect) -> Action:
    if asked.value is None:
        if asked.action != "DELETE":
            raise ValidationError(
                f"{INVALID}Only DELETE action is allowed when no attribute value is specified"
            )
        return Remove((attribute,))
    value, _ = check_value(asked.value, dialect.layer)
    match asked.action:
        case "ADD":
            return _added((attribute,), value)
        case "DELETE":
            return _deleted((attribute,), value)
        case "PUT" | None:
            return Set((attribute,), Literally(value))


def _added(path: Path, value: AttributeValue) -> Action:
    kind = type_of(value)
    if kind == "L":
        # Only here does ADD take a list, and appends it.
        return Set(path, ListAppend(IfNotExists(path, Literally({"L": []})), Literally(value)))
    if kind != "N" and kind not in SETS:
        raise ValidationError(f"{INVALID}ADD action is not supported for the type {kind}")
    return Add(path, value)


def _deleted(path: Path, value: AttributeValue) -> Action:
    kind = type_of(value)
    if kind not in SETS:
        raise ValidationError(
            f"{INVALID}DELETE action with value is not supported for the type {kind}"
        )
    return Delete(path, value)
