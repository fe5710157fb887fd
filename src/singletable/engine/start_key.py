"""Where a page begins: an ExclusiveStartKey held against the table and the index."""

from __future__ import annotations

from singletable.engine.dialect import Dialect
from singletable.engine.keys import NO_MATCH, key_position
from singletable.engine.storage import Position, Span
from singletable.engine.table import Index, KeyAttribute, Table
from singletable.errors import ValidationError
from singletable.values import Item

INVALID_START = "The provided starting key is invalid"
# What is wrong with numbers and sets is said as of any value; the rest as of a starting key.
SAID_OF_ANY_VALUE = (
    "contains duplicates",
    "number set",
    "numeric value",
    "significant digits",
    "Number overflow",
    "Number underflow",
)


def checked_start(key: Item | None, dialect: Dialect) -> Item | None:
    """The key with its values in canonical form."""
    if key is None:
        return None
    try:
        return dialect.check_item(key)[0]
    except ValidationError as error:
        if any(words in error.message for words in SAID_OF_ANY_VALUE):
            raise
        raise ValidationError(f"{INVALID_START}: {error.message}") from None


def check_start_size(target: Table | Index, key: Item) -> None:
    """Raise unless the key has as many attributes as tell an item, or an entry, from all others."""
    if len(key) != len(target.page_key):
        raise ValidationError(INVALID_START)


def check_start_attribute(attribute: KeyAttribute, key: Item) -> None:
    """Raise unless the key has an attribute of the schema that is gone by."""
    value = key.get(attribute.name)
    if value is None:
        raise ValidationError(INVALID_START)
    if attribute.type not in value:
        raise ValidationError(NO_MATCH)


def start_position(table: Table, target: Table | Index, key: Item) -> Position:
    """The position that the key names; ValidationError unless the table's key is in it."""
    try:
        key_position(table, {name: key[name] for name in table.key.names if name in key})
    except ValidationError as error:
        raise ValidationError(f"{INVALID_START}: {error.message}") from None
    return target.position(key)


def check_in_span(position: Position, span: Span, *, ranged: bool) -> None:
    """Raise unless the position lies where the query goes."""
    inside = span.low <= position.sort and (span.high is None or position.sort < span.high)
    if ranged and not inside:
        raise ValidationError("The provided starting key does not match the range key predicate")
    if position.partition != span.partition:
        raise ValidationError(
            "The query can return at most one row and cannot be restarted"
            if ranged
            else "The provided starting key is outside query boundaries based on provided "
            "conditions"
        )
