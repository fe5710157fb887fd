"""Apply an update to an item, and check it against the table's keys and limits."""

from __future__ import annotations

from dataclasses import replace

from msgspec import Struct

from dynamodb_engine import expressions as ex
from dynamodb_engine.engine.item_write import StoredItem
from dynamodb_engine.engine.key_validation import (
    NOT_VALID,
    EmptyKey,
    check_index_key_size,
    check_index_key_type,
    check_scalar_keys,
    check_total_key_sizes,
    empty_type,
)
from dynamodb_engine.engine.table import Table
from dynamodb_engine.errors import ValidationError
from dynamodb_engine.values import (
    INVALID,
    MAX_ITEM_SIZE,
    MODERN,
    TOO_DEEP,
    Item,
    ValueTooLarge,
    check_item,
    item_size,
)

TOO_LARGE = "Item size to update has exceeded the maximum allowed size"
WRONG_INDEX_KEY = (
    "The update expression attempted to update the secondary index key to unsupported type"
)
# An update can copy a large value hundreds of times: stop at the maximum size of an item.
_LAYER = replace(MODERN, max_size=MAX_ITEM_SIZE)


class NewItem(Struct, frozen=True):
    """The item that a write stores, and its size."""

    item: Item
    size: int


def check_update(table: Table, update: ex.Update) -> None:
    """Raise if the update changes the key, or sets an index key to an invalid value."""
    targets = {action.path[0] for action in update}
    for name in table.key.names:
        if name in targets:
            raise ValidationError(
                f"{INVALID}Cannot update attribute {name}. This attribute is part of the key"
            )
    if table.index_keys:
        for action in update:
            if isinstance(action, ex.Set) and len(action.path) == 1:
                _check_index_key(table, str(action.path[0]), action.term)
    check_scalar_keys(table, ex.update_paths(update))


def updated_item(old: StoredItem, update: ex.Update, key: Item) -> NewItem | None:
    """Return the updated item; a missing item starts as its key alone.

    An update that only removes does not create an item: it returns None.
    """
    table, before = old.table, old.item
    if before is None and update and not ex.creates_item(update):
        return None
    try:
        new = ex.apply_update(update, key if before is None else before)
        if before is None:
            item, size = check_item(new, _LAYER)
        else:
            item, size = _check_changed(before, old.size, new)
    except ValueTooLarge:
        raise ValidationError(TOO_LARGE) from None
    except ValidationError as error:
        if error.message == TOO_DEEP:
            raise ValidationError("Nesting Levels have exceeded supported limits") from None
        raise
    if size > MAX_ITEM_SIZE:
        raise ValidationError(TOO_LARGE)
    for name, (attribute, _) in table.index_keys.items():
        value = item.get(name)
        if value is None or value == (before or {}).get(name):
            continue
        if attribute.type not in value:
            raise ValidationError(WRONG_INDEX_KEY)
        if (empty := empty_type(value)) is not None:
            raise _empty_index_key(empty)
        check_index_key_size(table, attribute, value)
    check_total_key_sizes(table, item)
    return NewItem(item, size)


def _check_changed(before: Item, size: int, new: Item) -> tuple[Item, int]:
    """Return the item in canonical form and its size, checking only the changed attributes."""
    changed = {name: value for name, value in new.items() if before.get(name) is not value}
    replaced = {name: value for name, value in before.items() if new.get(name) is not value}
    canonical, added = check_item(changed, _LAYER)
    item = new if canonical is changed else {**new, **canonical}
    return item, size - item_size(replaced) + added


def _check_index_key(table: Table, name: str, term: ex.Term) -> None:
    """Raise if the type or value of the term is known, and is invalid as a key of the index."""
    index_key = table.index_keys.get(name)
    if index_key is None:
        return
    attribute, index = index_key
    kind = ex.result_type(term)
    if kind is not None:
        check_index_key_type(attribute, index, kind)
    if isinstance(term, ex.Constant) and (empty := empty_type(term.value)) is not None:
        raise _empty_index_key(empty)


def _empty_index_key(empty: str) -> EmptyKey:
    return EmptyKey(
        f"{NOT_VALID}The update expression attempted to update a secondary index key to a value "
        "that is not supported. The AttributeValue for a key attribute cannot contain an empty "
        f"{empty} value."
    )
