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
from singletable.schema.access import Access
from singletable.schema.column import FieldColumn, TextColumn
from singletable.schema.span import span_clause

A = TypeVar("A")
E = TypeVar("E")
S = TypeVarTuple("S")
R = TypeVarTuple("R")

Comparison: TypeAlias = Literal["<", "<=", ">", ">=", "between", "begins_with"]


@dataclass(frozen=True, slots=True)
class Range:
    """How the next value of the sort key is bounded."""

    comparison: Comparison
    bounds: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Asked:
    """The key condition of one query, and a sort key that it includes though it should not."""

    clauses: KeyCondition
    unwanted: str | None


class Selection(Generic[E]):
    """Items of entity E that one query asks for, or one for each shard."""

    def __init__(
        self,
        entity: type[E],
        access: Access,
        values: Mapping[str, object],
        range_: Range | None = None,
        pattern: str | None = None,
    ) -> None:
        self.entity = entity
        self.access = access
        self.values = values
        self.range = range_
        # The access pattern that it was made by, if it was.
        self.pattern = pattern

    def asked(self) -> list[Asked]:
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
        partitions = [None] if shards is None else shards.texts
        return [Asked((*self._partition(shard), *clauses), unwanted) for shard in partitions]

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
                clause = span_clause(column, self.values, self.range)
            else:
                clause = _field_clause(column, self.values, self.range)
            if clause is None:
                break
            found.append(clause)
            if column.asked and column.asked[-1] not in self.values:
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
    def of(cls, entity: type[E], access: Access, values: tuple[object, ...]) -> Partition[E, *S]:
        """The partition for its values, from left to right."""
        named = access.named(access.pk_fields, values)
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
        range_ = Range(how, bounds)
        selection = Selection(self.entity, self.access, self.values, range_, self.pattern)
        selection.asked()  # A wrong bound is refused here, where it was written.
        return selection

    def _next(self) -> str:
        for field in self.access.sk_fields:
            if field not in self.values:
                return field
        raise InvalidValue(
            f"{self.access}: all {len(self.access.sk_fields)} values of the sort key are given."
        )


def _field_clause(
    column: FieldColumn, values: Mapping[str, object], range_: Range | None
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
