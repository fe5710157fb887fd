"""Which items a query asks for: a partition, narrowed from left to right by the sort key.

Rule 1. `eq` fixes the next value of the sort key, a range ends the narrowing: DynamoDB knows no
        range before the last value it is given. A checker knows what may still be asked.
Rule 2. A prefix of whole values is asked with its closing divider, and a range stays inside the
        texts its template begins with, so that no other entity's items come along.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Generic, Literal, TypeAlias, TypeVar, TypeVarTuple

from singletable.errors import InvalidValue
from singletable.expressions import KeyClause, KeyCondition
from singletable.schema.key_template import AFTER_DIVIDER, DIVIDER, FieldSegment
from singletable.schema.resolved_key import FieldColumn, ResolvedKey, TextColumn
from singletable.values import AttributeValue

# FROM span.py: A range of values as a range of texts in one key attribute.
#
# DynamoDB allows one clause for a sort key, so both ends go into one BETWEEN, and both are
# included.
# `BALLOT#` and `BALLOT$` enclose every text that begins with `BALLOT#`, for `$` follows `#`, and no
# key is `BALLOT$` itself.

Comparison: TypeAlias = Literal["<", "<=", ">", ">=", "between", "begins_with"]
Clause: TypeAlias = tuple[KeyClause, str | None]

_FLIPPED: dict[Comparison, Comparison] = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


def text_clause(
    column: TextColumn, values: Mapping[str, object], range_: SortKeyRange | None
) -> Clause | None:
    """The clause for the values that are given and the range of the next; None if all is asked."""
    template = column.template
    beginning = template.prefix(values)
    following = template.next_value(values)
    if following is None:
        return _clause(column, "=", beginning), None
    if range_ is None:
        return (_clause(column, "begins_with", beginning), None) if beginning else None
    at, value = following
    if range_.comparison == "begins_with":
        prefix = beginning + template.prefix_text(at, value, range_.bounds[0])
        return (_clause(column, "begins_with", prefix), None) if prefix else None
    return _ranged(column, beginning, at, value, range_)


def _ranged(
    column: TextColumn, beginning: str, at: int, value: FieldSegment, range_: SortKeyRange
) -> Clause:
    if not value.encoding.ordered:
        raise InvalidValue(
            f"{column.template.owner}.{value.field} has no stated order in the key "
            f"{column.template}: ask for one value with eq(), or declare it with ordered()."
        )
    comparison, bounds = range_.comparison, range_.bounds
    if value.encoding.descending:
        comparison, bounds = _FLIPPED.get(comparison, comparison), bounds[::-1]
    first = beginning + column.template.value_text(at, value, bounds[0])
    ends = at == len(column.template.segments) - 1
    # All texts with exactly this value lie from `first` to `last`.
    last = first if ends else first + AFTER_DIVIDER
    low, high = beginning, _end(beginning)
    match comparison:
        case ">":
            above = first + "\0" if ends else last
            if not column.fits(above):
                return _from(column, first, high), first
            return _from(column, above, high), None
        case ">=":
            return _from(column, first, high), None
        case "<=":
            return _to(column, low, last), None
        case "<":
            if not low:
                return _clause(column, "<", first), None
            return _to(column, low, first), first if ends else None
        case "between" | "begins_with":
            second = beginning + column.template.value_text(at, value, bounds[1])
            if first > second:
                raise InvalidValue(
                    f"{column.template.owner}.{value.field}: between({range_.bounds[0]!r}, "
                    f"{range_.bounds[1]!r}) has the higher value first."
                )
            return _clause(
                column, "BETWEEN", first, second if ends else second + AFTER_DIVIDER
            ), None


def _from(column: TextColumn, low: str, high: str) -> KeyClause:
    return _clause(column, "BETWEEN", low, high) if high else _clause(column, ">=", low)


def _to(column: TextColumn, low: str, high: str) -> KeyClause:
    return _clause(column, "BETWEEN", low, high) if low else _clause(column, "<=", high)


def _end(beginning: str) -> str:
    """What follows every text that begins so, and is no key itself; empty if nothing is fixed."""
    return beginning.removesuffix(DIVIDER) + AFTER_DIVIDER if beginning else ""


def _clause(
    column: TextColumn,
    comparator: Literal["=", "<", "<=", ">", ">=", "BETWEEN", "begins_with"],
    *texts: str,
) -> KeyClause:
    values: tuple[AttributeValue, ...] = tuple({"S": column.checked(text)} for text in texts)
    return KeyClause(column.attribute.name, comparator, values)


A = TypeVar("A")
E = TypeVar("E")
S = TypeVarTuple("S")
R = TypeVarTuple("R")


@dataclass(frozen=True, slots=True)
class SortKeyRange:
    """How the next value of the sort key is bounded."""

    comparison: Comparison
    bounds: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class KeyQuery:
    """The key condition of one query, and a sort key that it includes though it should not."""

    clauses: KeyCondition
    excluded: str | None


class Selection(Generic[E]):
    """Items of entity E that one query asks for, or one for each shard."""

    def __init__(
        self,
        entity: type[E],
        access: ResolvedKey,
        values: Mapping[str, object],
        range_: SortKeyRange | None = None,
        pattern: str | None = None,
    ) -> None:
        self.entity = entity
        self.access = access
        self.values = values
        self.range = range_
        # The access pattern that it was made by, if it was.
        self.pattern = pattern

    def key_queries(self) -> list[KeyQuery]:
        """The key condition in DynamoDB's language, one for each shard."""
        shards = self.access.shards
        if shards is not None and shards.by is not None and shards.by.field in self.values:
            shards = None  # Its value is given, and chooses one.
        sort = self._sort()
        unwanted = None
        clauses: list[KeyClause] = []
        for clause, excluded in sort:
            clauses.append(clause)
            unwanted = unwanted or excluded
        partitions = [None] if shards is None else shards.suffixes
        return [KeyQuery((*self._partition(shard), *clauses), unwanted) for shard in partitions]

    def whole_partition(self) -> Selection[E]:
        """All items of the partition, whatever their sort key."""
        values = {name: self.values[name] for name in self.access.pk_fields}
        return _WholePartition(self.entity, self.access, values, pattern=self.pattern)

    def _partition(self, shard: str | None) -> KeyCondition:
        clauses: list[KeyClause] = []
        for column in self.access.pk:
            value = column.value(self.values, shard)
            if value is None:
                raise InvalidValue(
                    f"{self.access}: the partition is asked for with all its values."
                )
            clauses.append(KeyClause(column.attribute.name, "=", (value,)))
        return tuple(clauses)

    def _sort(self) -> list[tuple[KeyClause, str | None]]:
        found: list[tuple[KeyClause, str | None]] = []
        for column in self.access.sk:
            if isinstance(column, TextColumn):
                clause = text_clause(column, self.values, self.range)
            else:
                clause = _field_clause(column, self.values, self.range)
            if clause is None:
                break
            found.append(clause)
            if column.parameters and column.parameters[-1] not in self.values:
                break
        return found

    def __repr__(self) -> str:
        values = ", ".join(f"{name}={value!r}" for name, value in self.values.items())
        return f"{self.access}({values}){'' if self.range is None else f' {self.range}'}"


class _WholePartition(Selection[E]):
    """Items of all entities in a partition."""

    def _sort(self) -> list[tuple[KeyClause, str | None]]:
        return []


class Partition(Selection[E], Generic[E, *S]):
    """The items of one partition; S are the types of the sort key's values that are still open."""

    @classmethod
    def of(
        cls, entity: type[E], access: ResolvedKey, values: tuple[object, ...]
    ) -> Partition[E, *S]:
        """The partition for its values, from left to right."""
        named = access.bind(access.pk_fields, values)
        if any(value is None for value in named.values()):
            raise InvalidValue(f"{access}: expected values, but got None among {values!r}.")
        return cls(entity, access, named)

    def eq(self: Partition[E, A, *R], value: A) -> Partition[E, *R]:
        """Those whose next value is this one."""
        if value is None:
            raise InvalidValue(f"{self.access}: expected a value for {self._next()}, but got None.")
        values = {**self.values, self._next(): value}
        return Partition(self.entity, self.access, values, pattern=self.pattern)

    def lt(self: Partition[E, A, *R], value: A) -> Selection[E]:
        """Those whose next value is lower."""
        return self._ranged("<", value)

    def le(self: Partition[E, A, *R], value: A) -> Selection[E]:
        """Those whose next value is this one or lower."""
        return self._ranged("<=", value)

    def gt(self: Partition[E, A, *R], value: A) -> Selection[E]:
        """Those whose next value is higher."""
        return self._ranged(">", value)

    def ge(self: Partition[E, A, *R], value: A) -> Selection[E]:
        """Those whose next value is this one or higher."""
        return self._ranged(">=", value)

    def between(self: Partition[E, A, *R], low: A, high: A) -> Selection[E]:
        """Those whose next value is from low to high, both included."""
        return self._ranged("between", low, high)

    def begins_with(self: Partition[E, str, *R], prefix: str) -> Selection[E]:
        """Those whose next value, a text, begins so."""
        return self._ranged("begins_with", prefix)

    def _ranged(self: Partition[E, Any, *R], how: Comparison, *bounds: object) -> Selection[E]:
        self._next()
        if any(bound is None for bound in bounds):
            raise InvalidValue(f"{self.access}: a bound cannot be None.")
        range_ = SortKeyRange(how, bounds)
        selection = Selection(self.entity, self.access, self.values, range_, self.pattern)
        selection.key_queries()  # A wrong bound is refused here, where it was written.
        return selection

    def _next(self) -> str:
        for field in self.access.sk_fields:
            if field not in self.values:
                return field
        raise InvalidValue(
            f"{self.access}: all {len(self.access.sk_fields)} values of the sort key are given."
        )


def _field_clause(
    column: FieldColumn, values: Mapping[str, object], range_: SortKeyRange | None
) -> tuple[KeyClause, str | None] | None:
    """The clause of a column that holds its field as it is."""
    name = column.attribute.name
    if column.field in values:
        value = column.value(values)
        if value is None:
            raise InvalidValue(f"{column.owner}.{column.field}: a key is not asked for with None.")
        return KeyClause(name, "=", (value,)), None
    if range_ is None or (range_.comparison == "begins_with" and range_.bounds == ("",)):
        return None
    if not column.ordered:
        raise InvalidValue(
            f"{column.owner}.{column.field} has no stated order in {name}: ask for one value with "
            "eq()."
        )
    bounds = [column.value({column.field: bound}) for bound in range_.bounds]
    given = tuple(bound for bound in bounds if bound is not None)
    match range_.comparison:
        case "between":
            return KeyClause(name, "BETWEEN", given), None
        case other:
            return KeyClause(name, other, given), None
