"""AttributeUpdates, as an update."""

from __future__ import annotations

from singletable.engine.validation import Validator
from singletable.errors import ValidationError
from singletable.expressions import (
    Action,
    Add,
    Constant,
    Delete,
    IfNotExists,
    ListAppend,
    Path,
    Remove,
    Set,
    Update,
)
from singletable.operations.shapes import AttributeValueUpdate
from singletable.values import INVALID, AttributeValue, Item, check_value, type_of

SETS = ("SS", "NS", "BS")


def parse_attribute_updates(
    updates: dict[str, AttributeValueUpdate] | None, dialect: Validator
) -> Update:
    """What is to be done with the item; nothing if there are no updates."""
    return tuple([_action(name, asked, dialect) for name, asked in (updates or {}).items()])


def check_update_types(update: Update, item: Item) -> None:
    """Raise if the update adds to, or takes from, an attribute of another type.

    An expression that does so is refused in other words, so this is asked before it is applied.
    """
    for action in update:
        there = item.get(str(action.path[0]))
        wanted = _wanted_type(action)
        if there is not None and wanted is not None and wanted != type_of(there):
            raise ValidationError("Type mismatch for attribute to update")


def _wanted_type(action: Action) -> str | None:
    match action:
        case Add(_, value) | Delete(_, value):
            return type_of(value)
        case Set(_, ListAppend()):
            return "L"
        case _:
            return None


def _action(attribute: str, asked: AttributeValueUpdate, dialect: Validator) -> Action:
    if not attribute:
        raise ValidationError("Empty attribute name")
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
            return Set((attribute,), Constant(value))


def _added(path: Path, value: AttributeValue) -> Action:
    kind = type_of(value)
    if kind == "L":
        # Only here does ADD take a list, and appends it.
        return Set(path, ListAppend(IfNotExists(path, Constant({"L": []})), Constant(value)))
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
