"""A key condition held against a key schema: the stretch of one partition that it asks for."""

from __future__ import annotations

from singletable.engine.keys import NOT_VALID, emptiness
from singletable.engine.start_key import check_start_attribute
from singletable.engine.storage import Span
from singletable.engine.table import Index, KeyAttribute, KeySchema, Table, partition_bytes
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

UNSUPPORTED = "Query key condition not supported"
NOT_INDEXABLE = "Attempted conditional constraint is not an indexable operation"
WRONG_TYPE = f"{INVALID}Condition parameter type does not match schema type"
RANGES = frozenset(("=", "<", "<=", ">", ">=", "BETWEEN", "begins_with"))


def span_of(target: Table | Index, condition: KeyCondition, start: Item | None = None) -> Span:
    """The stretch that the condition asks for; ValidationError if no key can serve it."""
    clauses = check_clauses(target.key, condition, start)
    partition = partition_bytes([clauses[a.name].values[0] for a in target.key.partition])
    sort = [clauses[a.name] for a in target.key.sort if a.name in clauses]
    bounds = _Bounds(closed=isinstance(target, Index))
    for clause in sort:
        bounds.narrow(clause)
    return Span(partition, bounds.low, bounds.high)


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
            check_start_attribute(attribute, start)
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
        if (empty := emptiness(value)) is not None:
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
