"""Where a page begins: an ExclusiveStartKey held against the table and the index."""

from __future__ import annotations

from singletable.engine.keys import NO_MATCH, check_key
from singletable.engine.storage import Position, Span
from singletable.engine.table import Index, Table
from singletable.errors import ValidationError
from singletable.values import Item

INVALID_START = "The provided starting key is invalid"


def start_position(table: Table, index: Index | None, key: Item) -> Position:
    """The position that the key names; ValidationError unless it has exactly the key attributes."""
    target = table if index is None else index
    if len(key) != len(target.page_key):
        raise ValidationError(INVALID_START)
    for attribute in target.page_key:
        value = key.get(attribute.name)
        if value is None:
            raise ValidationError(INVALID_START)
        if attribute.type not in value:
            raise ValidationError(NO_MATCH if index is None else INVALID_START)
    try:
        check_key(table, {name: key[name] for name in table.key.names})
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
            "The provided starting key is outside query boundaries based on provided conditions"
        )
