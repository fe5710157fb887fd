"""Key conditions and start keys: the range of rows that a query or scan reads."""

from __future__ import annotations

from dynamodb_engine.engine.key_validation import NO_MATCH, NOT_VALID, empty_type, encode_key
from dynamodb_engine.engine.storage import KeyRange, RowKey
from dynamodb_engine.engine.table import Index, KeyAttribute, KeySchema, Table, encode_partition
from dynamodb_engine.engine.validation import Validator
from dynamodb_engine.errors import ValidationError
from dynamodb_engine.expressions import KeyClause, KeyCondition
from dynamodb_engine.values import (
    INVALID,
    AttributeValue,
    Item,
    encode_key_part,
    escape_key,
    key_bytes,
    prefix_upper_bound,
)

UNSUPPORTED = "Query key condition not supported"
NOT_INDEXABLE = "Attempted conditional constraint is not an indexable operation"
WRONG_TYPE = f"{INVALID}Condition parameter type does not match schema type"
RANGES = frozenset(("=", "<", "<=", ">", ">=", "BETWEEN", "begins_with"))
INVALID_START = "The provided starting key is invalid"
# DynamoDB reports invalid numbers and sets as in any value; other errors mention the starting key.
VALUE_ERRORS = (
    "contains duplicates",
    "number set",
    "numeric value",
    "significant digits",
    "Number overflow",
    "Number underflow",
)


def resolve_key_range(
    target: Table | Index, condition: KeyCondition, start: Item | None = None
) -> KeyRange:
    """Return the range of the condition; raise ValidationError if the key does not support it."""
    clauses = check_clauses(target.key, condition, start)
    partition = encode_partition(
        target.layout.hash_partition, [clauses[a.name].values[0] for a in target.key.partition]
    )
    bounds = _SortBounds(has_parts=isinstance(target, Index))
    for attribute in target.key.sort:
        if attribute.name in clauses:
            bounds.narrow(clauses[attribute.name])
    return KeyRange(partition, bounds.low, bounds.high)


def check_clauses(
    key: KeySchema, condition: KeyCondition, start: Item | None
) -> dict[str, KeyClause]:
    """Return the clauses by attribute; raise ValidationError unless the key supports them.

    Like DynamoDB, go through the schema once, and check the starting key and the clause of each
    attribute before the next attribute.
    """
    clauses = {clause.attribute: clause for clause in condition}
    if len(clauses) > len(key.attributes):
        raise ValidationError(
            f"The number of query conditions ({len(clauses)}) exceeds the number of key attributes "
            f"defined in the schema ({len(key.attributes)})"
        )
    has_other_attributes = not clauses.keys() <= set(key.names)
    only = key.partition if len(key.partition) == 1 else ()
    for attribute in key.attributes:
        if start is not None:
            check_start_key_attribute(attribute, start)
        clause = clauses.get(attribute.name)
        if clause is not None:
            _check_clause(attribute, clause, is_partition_key=attribute in only)
        elif has_other_attributes or attribute in only:
            raise ValidationError(f"Query condition missed key schema element: {attribute.name}")
    if names := _without_equality(key.partition, clauses):
        raise ValidationError(
            f"HASH key attributes {names} must have equality conditions specified in the query"
        )
    _check_sort_clauses(key, clauses)
    return clauses


def _without_equality(attributes: tuple[KeyAttribute, ...], clauses: dict[str, KeyClause]) -> str:
    """Return the names of the attributes that no clause compares for equality."""
    names = [attribute.name for attribute in attributes]
    return ", ".join(
        name for name in names if name not in clauses or clauses[name].comparator != "="
    )


def _check_sort_clauses(key: KeySchema, clauses: dict[str, KeyClause]) -> None:
    """Raise unless sort clauses start from the left without a gap, all but the last by equality."""
    in_clauses = [attribute for attribute in key.sort if attribute.name in clauses]
    if not in_clauses:
        return
    last = in_clauses[-1]
    if names := _without_equality(key.sort[: key.sort.index(last)], clauses):
        raise ValidationError(
            f"RANGE key attributes {names} must have equality conditions specified in the query "
            f"because a condition is present on key attribute {last.name}"
        )


def _check_clause(attribute: KeyAttribute, clause: KeyClause, *, is_partition_key: bool) -> None:
    if clause.comparator not in RANGES:
        raise ValidationError(NOT_INDEXABLE)
    for value in clause.values:
        if attribute.type not in value:
            raise ValidationError(WRONG_TYPE)
    if is_partition_key and clause.comparator != "=":
        raise ValidationError(UNSUPPORTED)
    for value in clause.values:
        if (empty := empty_type(value)) is not None:
            raise ValidationError(
                f"{NOT_VALID}The AttributeValue for a key attribute cannot contain an empty "
                f"{empty} value. Key: {attribute.name}"
            )


class _SortBounds:
    """The bounds of the sort bytes, narrowed by one clause after the other.

    The sort bytes of an index entry consist of terminated parts, one for each attribute; those of
    a table are the bytes of the value.
    """

    def __init__(self, *, has_parts: bool) -> None:
        self.has_parts = has_parts
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
                self.low = self.prefix + (escape_key(key) if self.has_parts else key)
                self.high = prefix_upper_bound(self.low)

    def _at(self, value: AttributeValue) -> bytes:
        key = key_bytes(value)
        return self.prefix + (encode_key_part(key) if self.has_parts else key)

    def _after(self, value: AttributeValue) -> bytes:
        at = self._at(value)
        # A terminated part ends in zeros, so there is always an upper bound.
        return (prefix_upper_bound(at) or at) if self.has_parts else at + b"\x00"


def check_start_key(key: Item | None, validator: Validator) -> Item | None:
    """Return ExclusiveStartKey with its values in canonical form."""
    if key is None:
        return None
    try:
        return validator.check_item(key)[0]
    except ValidationError as error:
        if any(words in error.message for words in VALUE_ERRORS):
            raise
        raise ValidationError(f"{INVALID_START}: {error.message}") from None


def check_start_key_size(target: Table | Index, key: Item) -> None:
    """Raise unless the start key has the number of attributes that identify a row."""
    if len(key) != len(target.page_key):
        raise ValidationError(INVALID_START)


def check_start_key_attribute(attribute: KeyAttribute, key: Item) -> None:
    """Raise unless the start key has the attribute with its type."""
    value = key.get(attribute.name)
    if value is None:
        raise ValidationError(INVALID_START)
    if attribute.type not in value:
        raise ValidationError(NO_MATCH)


def resolve_start_key(table: Table, target: Table | Index, key: Item) -> RowKey:
    """Return the row key of the start key; raise ValidationError unless it identifies a row."""
    check_start_key_size(target, key)
    for attribute in target.key.attributes:
        check_start_key_attribute(attribute, key)
    return encode_start_key(table, target, key)


def encode_start_key(table: Table, target: Table | Index, key: Item) -> RowKey:
    """Return the row key of the start key; raise ValidationError unless it has the table's key."""
    try:
        encode_key(table, {name: key[name] for name in table.key.names if name in key})
    except ValidationError as error:
        raise ValidationError(f"{INVALID_START}: {error.message}") from None
    return target.row_key(key)


def check_start_in_range(start: RowKey, keys: KeyRange, *, has_sort_clause: bool) -> None:
    """Raise unless the start key is inside the range of the query."""
    is_inside = keys.low <= start.sort and (keys.high is None or start.sort < keys.high)
    if has_sort_clause and not is_inside:
        raise ValidationError("The provided starting key does not match the range key predicate")
    if start.partition != keys.partition:
        raise ValidationError(
            "The query can return at most one row and cannot be restarted"
            if has_sort_clause
            else "The provided starting key is outside query boundaries based on provided "
            "conditions"
        )
