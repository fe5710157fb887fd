"""What an update makes of an item.

Every right-hand side, and every index into a list, means the item as it was before the update. So
containers that are touched are opened into drafts, in which an element keeps its old number, and
lists close up only at the end.
"""

from __future__ import annotations

from binascii import a2b_base64
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Literal, TypeAlias, assert_never, cast

from singletable.errors import ValidationError
from singletable.expressions.compare import members
from singletable.expressions.nodes import (
    Action,
    Add,
    Delete,
    Path,
    Remove,
    Set,
    Update,
)
from singletable.expressions.project import project
from singletable.expressions.terms import WRONG_TYPE, evaluate, number
from singletable.values import AttributeValue, Item, add_numbers, type_of

INVALID_PATH = "The document path provided in the update expression is invalid for update"

Content: TypeAlias = "AttributeValue | _Draft"


@dataclass(slots=True)
class _Draft:
    """A map or list that is being changed."""

    kind: Literal["M", "L"]
    members: dict[str | int, Content]


def apply_update(update: Update, item: Item) -> Item:
    """The item as the update leaves it. The one given, and the values in it, stay as they are."""
    values = [evaluate(action.term, item) if isinstance(action, Set) else None for action in update]
    if max([len(action.path) for action in update], default=1) == 1:
        return _applied_at_top(update, values, item)
    draft = _Draft("M", dict(item.items()))
    for action, value in zip(update, values, strict=True):
        _apply(action, value, draft)
    # The draft of an item is a map of values.
    return cast(Item, _closed(draft).get("M"))


def _applied_at_top(update: Update, values: list[AttributeValue | None], item: Item) -> Item:
    """The same for whole attributes: nothing has to be opened."""
    new = item.copy()
    for action, value in zip(update, values, strict=True):
        name = cast(str, action.path[0])
        kept = _kept(action, value, new.get(name))
        if kept is not None:
            new[name] = kept
        else:
            new.pop(name, None)
    return new


def updated_attributes(update: Update, item: Item) -> Item:
    """What UPDATED_OLD gives of the item before the update, and UPDATED_NEW of the one after."""
    return project(tuple([action.path for action in update]), item)


def _apply(action: Action, value: AttributeValue | None, item: _Draft) -> None:
    parent, step = _parent(action.path, item), action.path[-1]
    existing = parent.members.get(step)
    if isinstance(existing, _Draft):
        # Only overlapping paths lead here, and parse_update refuses them.
        raise ValidationError(INVALID_PATH)
    kept = _kept(action, value, existing)
    if kept is None:
        parent.members.pop(step, None)
    else:
        parent.members[step] = kept


def _kept(
    action: Action, value: AttributeValue | None, existing: AttributeValue | None
) -> AttributeValue | None:
    """What the action leaves where `existing` was; None if nothing."""
    match action:
        case Set():
            return value
        case Remove():
            return None
        case Add(_, added):
            return _added(existing, added)
        case Delete(_, deleted):
            return _without(existing, deleted)
        case _:
            assert_never(action)


def _parent(path: Path, item: _Draft) -> _Draft:
    draft = item
    for step, following in pairwise(path):
        content = draft.members.get(step)
        if content is None:
            raise ValidationError(INVALID_PATH)
        if not isinstance(content, _Draft):
            content = draft.members[step] = _opened(content)
        if (content.kind == "M") is not isinstance(following, str):
            raise ValidationError(INVALID_PATH)
        draft = content
    return draft


def _opened(value: AttributeValue) -> _Draft:
    if "M" in value:
        return _Draft("M", dict(value["M"].items()))
    if "L" in value:
        return _Draft("L", dict(enumerate(value["L"])))
    raise ValidationError(INVALID_PATH)


def _closed(content: Content) -> AttributeValue:
    if not isinstance(content, _Draft):
        return content
    if content.kind == "M":
        return {"M": {cast(str, name): _closed(inner) for name, inner in content.members.items()}}
    # An element set beyond the end comes after the others, in the order of the numbers.
    ordered = sorted(content.members.items(), key=lambda member: cast(int, member[0]))
    return {"L": [_closed(inner) for _, inner in ordered]}


def _added(existing: AttributeValue | None, added: AttributeValue) -> AttributeValue:
    if existing is None:
        return added
    _check_same_type(existing, added)
    if "N" in existing and "N" in added:
        return number(add_numbers, existing["N"], added["N"])
    return _set_of(added, {*members(existing), *members(added)})


def _without(existing: AttributeValue | None, deleted: AttributeValue) -> AttributeValue | None:
    if existing is None:
        return None
    _check_same_type(existing, deleted)
    left = {*members(existing)} - {*members(deleted)}
    return _set_of(existing, left) if left else None


def _check_same_type(existing: AttributeValue, operand: AttributeValue) -> None:
    if type_of(existing) != type_of(operand):
        raise ValidationError(WRONG_TYPE)


def _set_of(like: AttributeValue, texts: set[str]) -> AttributeValue:
    """A set of the same type as `like`, in DynamoDB's order."""
    if "SS" in like:
        return {"SS": sorted(texts)}
    if "NS" in like:
        return {"NS": sorted(texts, key=Decimal)}
    return {"BS": sorted(texts, key=a2b_base64)}
