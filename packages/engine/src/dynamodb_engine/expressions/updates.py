"""Apply updates to items, and compute their cost.

Every right-hand side, and every index into a list, refers to the item before the update. So changed
containers are opened into drafts, in which an element keeps its old index, and lists close their
gaps only at the end.
"""

from __future__ import annotations

from binascii import a2b_base64
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Literal, TypeAlias, assert_never, cast

from dynamodb_engine.errors import ValidationError
from dynamodb_engine.expressions.evaluation import members
from dynamodb_engine.expressions.nodes import (
    Action,
    Add,
    At,
    Constant,
    Delete,
    IfNotExists,
    ListAppend,
    Path,
    Remove,
    Set,
    Sum,
    Term,
    Update,
)
from dynamodb_engine.expressions.paths import project, value_at
from dynamodb_engine.values import (
    MAX_ITEM_SIZE,
    AttributeValue,
    InvalidNumber,
    Item,
    ValueTooLarge,
    add_numbers,
    check_value,
    subtract_numbers,
    text_size,
    type_of,
)
from dynamodb_engine.values.numbers import OVERFLOW, TOO_MANY_DIGITS

__all__ = ["apply_update", "update_cost", "updated_attributes"]

INVALID_PATH = "The document path provided in the update expression is invalid for update"
NO_SUCH_ATTRIBUTE = "The provided expression refers to an attribute that does not exist in the item"
WRONG_TYPE = "An operand in the update expression has an incorrect data type"

# Sizes that DynamoDB counts for the parts of an update.
_BASE = 3
_WRITE = 19
_REMOVAL = 1
_NESTED_STEP = 4
_READ = 1
_READ_STEP = 14
_PLUS = 34
_MINUS = 37
_IF_NOT_EXISTS = 39
_LIST_APPEND = 37

Content: TypeAlias = "AttributeValue | _Draft"


@dataclass(slots=True)
class _Draft:
    """A map or list that is being changed; elements keep their old index until it is closed."""

    kind: Literal["M", "L"]
    members: dict[str | int, Content]


def apply_update(update: Update, item: Item) -> Item:
    """Return the updated item. The argument and the values in it are not modified.

    Raise ValueTooLarge as soon as its lists have more elements than an item can have.
    """
    values: list[AttributeValue | None] = []
    elements = 0
    for action in update:
        value = evaluate(action.term, item) if isinstance(action, Set) else None
        values.append(value)
        if value is not None and "L" in value:
            elements += len(value["L"])
            if elements > MAX_ITEM_SIZE:  # no element is smaller than a byte
                raise ValueTooLarge
    if max([len(action.path) for action in update], default=1) == 1:
        return _update_top_level(update, values, item)
    draft = _Draft("M", dict(item.items()))
    for action, value in zip(update, values, strict=True):
        _apply(action, value, draft)
    return cast(Item, _close(draft).get("M"))


def _update_top_level(update: Update, values: list[AttributeValue | None], item: Item) -> Item:
    """Apply an update that changes only whole attributes."""
    new = item.copy()
    for action, value in zip(update, values, strict=True):
        name = cast(str, action.path[0])
        result = _act(action, value, new.get(name))
        if result is not None:
            new[name] = result
        else:
            new.pop(name, None)
    return new


def updated_attributes(update: Update, item: Item) -> Item:
    """Return what UPDATED_OLD returns of the old item, or UPDATED_NEW of the new one."""
    return project(tuple([action.path for action in update]), item)


def _apply(action: Action, value: AttributeValue | None, item: _Draft) -> None:
    parent, step = _parent(action.path, item), action.path[-1]
    existing = parent.members.get(step)
    if isinstance(existing, _Draft):
        # Only overlapping paths lead here, and parse_update rejects them.
        raise ValidationError(INVALID_PATH)
    result = _act(action, value, existing)
    if result is None:
        parent.members.pop(step, None)
    else:
        parent.members[step] = result


def _act(
    action: Action, value: AttributeValue | None, existing: AttributeValue | None
) -> AttributeValue | None:
    """Return the value that replaces `existing`, or None to remove it."""
    match action:
        case Set():
            return value
        case Remove():
            return None
        case Add(_, added):
            return _add(existing, added)
        case Delete(_, deleted):
            return _remove_members(existing, deleted)
        case _:
            assert_never(action)


def _parent(path: Path, item: _Draft) -> _Draft:
    draft = item
    for step, following in pairwise(path):
        content = draft.members.get(step)
        if content is None:
            raise ValidationError(INVALID_PATH)
        if not isinstance(content, _Draft):
            content = draft.members[step] = _open(content)
        if (content.kind == "M") is not isinstance(following, str):
            raise ValidationError(INVALID_PATH)
        draft = content
    return draft


def _open(value: AttributeValue) -> _Draft:
    if "M" in value:
        return _Draft("M", dict(value["M"].items()))
    if "L" in value:
        return _Draft("L", dict(enumerate(value["L"])))
    raise ValidationError(INVALID_PATH)


def _close(content: Content) -> AttributeValue:
    if not isinstance(content, _Draft):
        return content
    if content.kind == "M":
        return {"M": {cast(str, name): _close(inner) for name, inner in content.members.items()}}
    # Elements set beyond the end follow the others, in the order of their indexes.
    ordered = sorted(content.members.items(), key=lambda member: cast(int, member[0]))
    return {"L": [_close(inner) for _, inner in ordered]}


def _add(existing: AttributeValue | None, added: AttributeValue) -> AttributeValue:
    if existing is None:
        return added
    _check_same_type(existing, added)
    if "N" in existing and "N" in added:
        return _calculate(add_numbers, existing["N"], added["N"])
    return _new_set(added, {*members(existing), *members(added)})


def _remove_members(
    existing: AttributeValue | None, deleted: AttributeValue
) -> AttributeValue | None:
    if existing is None:
        return None
    _check_same_type(existing, deleted)
    remaining = {*members(existing)} - {*members(deleted)}
    return _new_set(existing, remaining) if remaining else None


def _check_same_type(existing: AttributeValue, operand: AttributeValue) -> None:
    if type_of(existing) != type_of(operand):
        raise ValidationError(WRONG_TYPE)


def _new_set(like: AttributeValue, texts: set[str]) -> AttributeValue:
    """Create a set of the same type as `like`, in DynamoDB's order."""
    if "SS" in like:
        return {"SS": sorted(texts)}
    if "NS" in like:
        return {"NS": sorted(texts, key=Decimal)}
    return {"BS": sorted(texts, key=a2b_base64)}


def evaluate(term: Term, item: Item) -> AttributeValue:
    """Evaluate the right-hand side of SET; raise if an attribute is missing or has a wrong type."""
    match term:
        case Constant(value):
            return value
        case At(path):
            existing = value_at(path, item)
            if existing is None:
                raise ValidationError(NO_SUCH_ATTRIBUTE)
            return existing
        case IfNotExists(path, otherwise):
            existing = value_at(path, item)
            return evaluate(otherwise, item) if existing is None else existing
        case Sum(sign, left, right):
            # DynamoDB checks the first operand completely before the second.
            augend = _number(evaluate(left, item))
            addend = _number(evaluate(right, item))
            return _calculate(add_numbers if sign == "+" else subtract_numbers, augend, addend)
        case ListAppend(first, second):
            head = _elements(evaluate(first, item))
            return {"L": [*head, *_elements(evaluate(second, item))]}
        case _:
            assert_never(term)


def _calculate(function: Callable[[str, str], str], left: str, right: str) -> AttributeValue:
    """Return the result, or raise if DynamoDB cannot store it."""
    try:
        return {"N": function(left, right)}
    except InvalidNumber as problem:
        # DynamoDB reports a result with too many digits as an overflow.
        text = OVERFLOW if str(problem) == TOO_MANY_DIGITS else str(problem)
        raise ValidationError(text) from None


def _number(value: AttributeValue) -> str:
    if "N" not in value:
        raise ValidationError(WRONG_TYPE)
    return value["N"]


def _elements(value: AttributeValue) -> list[AttributeValue]:
    if "L" not in value:
        raise ValidationError(WRONG_TYPE)
    return value["L"]


def update_cost(update: Update) -> int:
    """Return the size that DynamoDB counts for an update, even if it changes nothing.

    UpdateItem rejects an update of more than 400 KB by this count even if the item stays small. The
    key and attributes that are not changed count nothing. Measured on AWS to the byte.
    """
    return _BASE + sum([_action_cost(action) for action in update])


def _action_cost(action: Action) -> int:
    target = _target_cost(action.path)
    match action:
        case Set(_, term):
            return _WRITE + target + _term_cost(term)
        case Add(_, value):
            return _WRITE + target + _value_cost(value)
        case Remove() | Delete():
            return _REMOVAL + target
        case _:
            assert_never(action)


def _target_cost(path: Path) -> int:
    return sum([text_size(str(step)) for step in path]) + _NESTED_STEP * (len(path) - 1)


def _source_cost(path: Path) -> int:
    return _READ + sum([_READ_STEP + text_size(str(step)) for step in path])


def _value_cost(value: AttributeValue) -> int:
    return check_value(value)[1]


def _term_cost(term: Term) -> int:
    match term:
        case Constant(value):
            return _value_cost(value)
        case At(path):
            return _source_cost(path)
        case IfNotExists(path, otherwise):
            return _IF_NOT_EXISTS + _source_cost(path) + _term_cost(otherwise)
        case ListAppend(first, second):
            return _LIST_APPEND + _term_cost(first) + _term_cost(second)
        case Sum(sign, left, right):
            return (_PLUS if sign == "+" else _MINUS) + _term_cost(left) + _term_cost(right)
        case _:
            assert_never(term)
