"""Where a page begins: an ExclusiveStartKey held against the table and the index."""

from __future__ import annotations

from singletable.engine.key_validation import NO_MATCH, NOT_VALID, empty_type, encode_key
from singletable.engine.storage import KeyRange, RowKey
from singletable.engine.table import Index, KeyAttribute, KeySchema, Table, encode_partition
from singletable.engine.validation import Validator
from singletable.errors import ValidationError
from singletable.expressions import KeyClause, KeyCondition
from singletable.values import (
    INVALID,
    AttributeValue,
    Item,
    encode_key_part,
    escape_key,
    key_bytes,
    prefix_upper_bound,
)

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


def check_start_key(key: Item | None, dialect: Validator) -> Item | None:
    """The key with its values in canonical form."""
    if key is None:
        return None
    try:
        return dialect.check_item(key)[0]
    except ValidationError as error:
        if any(words in error.message for words in SAID_OF_ANY_VALUE):
            raise
        raise ValidationError(f"{INVALID_START}: {error.message}") from None


def check_start_key_size(target: Table | Index, key: Item) -> None:
    """Raise unless the key has as many attributes as tell an item, or an entry, from all others."""
    if len(key) != len(target.page_key):
        raise ValidationError(INVALID_START)


def check_start_key_attribute(attribute: KeyAttribute, key: Item) -> None:
    """Raise unless the key has an attribute of the schema that is gone by."""
    value = key.get(attribute.name)
    if value is None:
        raise ValidationError(INVALID_START)
    if attribute.type not in value:
        raise ValidationError(NO_MATCH)


def encode_start_key(table: Table, target: Table | Index, key: Item) -> RowKey:
    """The position that the key names; ValidationError unless the table's key is in it."""
    try:
        encode_key(table, {name: key[name] for name in table.key.names if name in key})
    except ValidationError as error:
        raise ValidationError(f"{INVALID_START}: {error.message}") from None
    return target.row_key(key)


def check_start_in_range(position: RowKey, span: KeyRange, *, ranged: bool) -> None:
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


# FROM span.py

UNSUPPORTED = "Query key condition not supported"
NOT_INDEXABLE = "Attempted conditional constraint is not an indexable operation"
WRONG_TYPE = f"{INVALID}Condition parameter type does not match schema type"
RANGES = frozenset(("=", "<", "<=", ">", ">=", "BETWEEN", "begins_with"))


def resolve_key_range(
    target: Table | Index, condition: KeyCondition, start: Item | None = None
) -> KeyRange:
    """The stretch that the condition asks for; ValidationError if no key can serve it."""
    clauses = check_clauses(target.key, condition, start)
    partition = encode_partition([clauses[a.name].values[0] for a in target.key.partition])
    sort = [clauses[a.name] for a in target.key.sort if a.name in clauses]
    bounds = _Bounds(closed=isinstance(target, Index))
    for clause in sort:
        bounds.narrow(clause)
    return KeyRange(partition, bounds.low, bounds.high)


def check_clauses(
    key: KeySchema, condition: KeyCondition, start: Item | None
) -> dict[str, KeyClause]:
    """The clauses by attribute; ValidationError unless DynamoDB could look them up by this key.

    It goes through the schema once, and looks at the starting key and at the clause of each
    attribute before it comes to the next.
    """
    clauses = {clause.attribute: clause for clause in condition}
    if len(clauses) > len(key.attributes):
        raise ValidationError(
            f"The number of query conditions ({len(clauses)}) exceeds the number of key attributes "
            f"defined in the schema ({len(key.attributes)})"
        )
    foreign = not clauses.keys() <= set(key.names)
    for attribute in key.attributes:
        if start is not None:
            check_start_key_attribute(attribute, start)
        clause = clauses.get(attribute.name)
        if clause is not None:
            _check_clause(attribute, clause, partitions=attribute in key.partition)
        elif foreign or attribute in key.partition:
            raise ValidationError(f"Query condition missed key schema element: {attribute.name}")
    _check_sort_clauses(key, clauses)
    return clauses


def _check_sort_clauses(key: KeySchema, clauses: dict[str, KeyClause]) -> None:
    """Sort attributes are asked for from the left without a gap, all but the last by equality."""
    named = [attribute for attribute in key.sort if attribute.name in clauses]
    if not named:
        return
    last = named[-1]
    loose = [
        attribute.name
        for attribute in key.sort[: key.sort.index(last)]
        if attribute.name not in clauses or clauses[attribute.name].comparator != "="
    ]
    if loose:
        raise ValidationError(
            f"RANGE key attributes {', '.join(loose)} must have equality conditions specified in "
            f"the query because a condition is present on key attribute {last.name}"
        )


def _check_clause(attribute: KeyAttribute, clause: KeyClause, *, partitions: bool) -> None:
    if clause.comparator not in RANGES:
        raise ValidationError(NOT_INDEXABLE)
    for value in clause.values:
        if attribute.type not in value:
            raise ValidationError(WRONG_TYPE)
    if partitions and clause.comparator != "=":
        raise ValidationError(UNSUPPORTED)
    for value in clause.values:
        if (empty := empty_type(value)) is not None:
            raise ValidationError(
                f"{NOT_VALID}The AttributeValue for a key attribute cannot contain an empty "
                f"{empty} value. Key: {attribute.name}"
            )


class _Bounds:
    """Where the sort bytes begin and end, narrowed by one clause after the other.

    An index entry's sort bytes are closed parts, one an attribute; a table's are the value's bytes.
    """

    def __init__(self, *, closed: bool) -> None:
        self.closed = closed
        self.prefix = b""
        self.low = b""
        self.high: bytes | None = None

    def narrow(self, clause: KeyClause) -> None:
        first = clause.values[0]
        match clause.comparator:
            case "=":
                self.low, self.high = self._at(first), self._after(first)
                self.prefix = self.low
            case "<":
                self.high = self._at(first)
            case "<=":
                self.high = self._after(first)
            case ">":
                self.low = self._after(first)
            case ">=":
                self.low = self._at(first)
            case "BETWEEN":
                self.low, self.high = self._at(first), self._after(clause.values[1])
            case _:
                key = key_bytes(first)
                self.low = self.prefix + (escape_key(key) if self.closed else key)
                self.high = prefix_upper_bound(self.low)

    def _at(self, value: AttributeValue) -> bytes:
        key = key_bytes(value)
        return self.prefix + (encode_key_part(key) if self.closed else key)

    def _after(self, value: AttributeValue) -> bytes:
        at = self._at(value)
        # A closed part ends in zeros, so there is always something after it.
        return (prefix_upper_bound(at) or at) if self.closed else at + b"\x00"
