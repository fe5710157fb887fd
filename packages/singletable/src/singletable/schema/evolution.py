"""Items of earlier versions of a declaration: attributes with old names or old types.

An old name in an item takes precedence over the new one. A program that knows the new name removes
the old ones, or writes them with the same value; so if an old name has another value, a program of
the old version wrote it last.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from singletable.errors import InvalidValue, ItemMismatch
from singletable.expressions import (
    Action,
    And,
    At,
    BeginsWith,
    Between,
    Compare,
    Condition,
    Constant,
    Contains,
    Exists,
    HasType,
    In,
    Not,
    NotExists,
    Operand,
    Or,
    Path,
    Remove,
    Set,
    SizeOf,
    apply_update,
    condition_paths,
)
from singletable.schema.fields import Attr
from singletable.values import AttributeValue, Item

# Fields with old names or old types, by their current attribute.
EvolvedFields: TypeAlias = Mapping[str, Attr[Any]]


def evolved_fields(fields: Iterable[Attr[Any]]) -> EvolvedFields:
    """Return the fields with old names or old types."""
    return {one.attribute: one for one in fields if one.old_names or one.old_types}


def rename_attributes(fields: EvolvedFields, item: Item) -> Item:
    """Return the item with the current names only."""
    renamed = item
    for attribute, field in fields.items():
        name = field.name_in(item)
        if name != attribute:
            if renamed is item:
                renamed = dict(item)
            renamed[attribute] = item[name]
            for old in field.old_names:
                renamed.pop(old, None)
    return renamed


def current_item(fields: EvolvedFields, item: Item) -> Item:
    """Return the item with the current names and types, except for encrypted values."""
    current = rename_attributes(fields, item)
    for attribute, field in fields.items():
        value = current.get(attribute)
        if field.old_types and value is not None and field.codec().cipher is None:
            encoded = _encoded_again(field, value)
            if encoded != value:
                current = {**current, attribute: encoded}
    return current


def _encoded_again(field: Attr[Any], value: AttributeValue) -> AttributeValue:
    codec = field.codec()
    try:
        return codec.encode(codec.decode(value))
    except (InvalidValue, ItemMismatch):
        return value  # reported where the field is read


def is_current(fields: EvolvedFields, item: Item) -> bool:
    """Return whether a write of the item would leave its names and types as they are."""
    for field in fields.values():
        found = {name for name in field.stored_names if name in item}
        if found and found != set(field.written_names):
            return False
        if found and field.old_types:
            value = item[field.name_in(item)]
            if field.codec().cipher is not None:
                value_is_current = "B" in value or "NULL" in value
            else:
                value_is_current = _encoded_again(field, value) == value
            if not value_is_current:
                return False
    return True


def write_old_names(fields: EvolvedFields, item: Item) -> None:
    """Store the values of fields with write_old under their old names."""
    for attribute, field in fields.items():
        if field.write_old and attribute in item:
            value = item.pop(attribute)
            item.update(dict.fromkeys(field.written_names, value))


def current_condition(fields: EvolvedFields, condition: Condition) -> Condition:
    """Return the condition that tests each attribute under the name that the item has."""
    match condition:
        case And(left, right):
            return And(current_condition(fields, left), current_condition(fields, right))
        case Or(left, right):
            return Or(current_condition(fields, left), current_condition(fields, right))
        case Not(inner):
            return Not(current_condition(fields, inner))
        case clause:
            tested = dict.fromkeys(str(path[0]) for path in condition_paths(clause))
            return _under_names(clause, [fields[name] for name in tested if name in fields])


def _under_names(clause: Condition, fields: Sequence[Attr[Any]]) -> Condition:
    """Return the clause for each combination of names that an item may have."""
    if not fields:
        return clause
    field, *others = fields
    condition = _under_names(clause, others)
    for name in reversed(field.old_names):
        old = _under_names(_with_name(clause, field.attribute, name), others)
        condition = Or(And(Exists((name,)), old), And(NotExists((name,)), condition))
    return condition


def _with_name(clause: Condition, attribute: str, name: str) -> Condition:
    """Return the clause with another name of an attribute."""

    def renamed(path: Path) -> Path:
        return (name, *path[1:]) if path[0] == attribute else path

    def change(operand: Operand) -> Operand:
        match operand:
            case At(path):
                return At(renamed(path))
            case SizeOf(path):
                return SizeOf(renamed(path))
            case Constant():
                return operand

    match clause:
        case Compare(comparator, left, right):
            return Compare(comparator, change(left), change(right))
        case Between(operand, low, high):
            return Between(change(operand), change(low), change(high))
        case In(operand, options):
            return In(change(operand), tuple(map(change, options)))
        case Exists(path):
            return Exists(renamed(path))
        case NotExists(path):
            return NotExists(renamed(path))
        case HasType(operand, kind):
            return HasType(change(operand), kind)
        case BeginsWith(operand, prefix):
            return BeginsWith(change(operand), change(prefix))
        case Contains(operand, member):
            return Contains(change(operand), change(member))
        case And() | Or() | Not():
            return clause


def depends_on_stored(action: Action) -> bool:
    """Return whether the result of an action depends on the stored value of its field."""
    match action:
        case Set(path, Constant()) | Remove(path):
            return len(path) > 1
        case _:
            return True


def current_actions(
    fields: EvolvedFields, actions: Sequence[Action], current: Item | None
) -> list[Action]:
    """Return the actions that also set or remove the old names.

    `current` is the item with the current names and types. It is needed if an action depends on
    the stored value of such a field: its result is then written as a constant.
    """
    changed: list[Action] = []
    computed: dict[str, list[Action]] = {}
    for action in actions:
        field = fields.get(str(action.path[0]))
        if field is None:
            changed.append(action)
        elif depends_on_stored(action):
            computed.setdefault(field.attribute, []).append(action)
        else:
            value = action.term if isinstance(action, Set) else None
            changed += _set_names(field, value if isinstance(value, Constant) else None)
    for attribute, own in computed.items():
        _check_disjoint(fields[attribute], own)
        new = apply_update(tuple(own), current or {}).get(attribute)
        changed += _set_names(fields[attribute], None if new is None else Constant(new))
    return changed


def _set_names(field: Attr[Any], value: Constant | None) -> list[Action]:
    """Return the actions that store a value, or None, under the names of a field."""
    written = () if value is None else field.written_names
    return [
        Set((name,), value) if value is not None and name in written else Remove((name,))
        for name in field.stored_names
    ]


def _check_disjoint(field: Attr[Any], actions: Sequence[Action]) -> None:
    """Raise if two actions change the same value, as DynamoDB does."""
    paths = sorted((action.path for action in actions), key=len)
    for place, path in enumerate(paths):
        if any(other[: len(path)] == path for other in paths[place + 1 :]):
            raise InvalidValue(f"{field}: two edits change the same value. Combine them.")
