"""Selections: the items that a query reads, a partition narrowed from left to right by sort key.

Rule 1. `eq` fixes the next value of the sort key; a range ends the narrowing, because DynamoDB
        accepts one range, on the last value. Type checkers know which values remain.
Rule 2. A prefix of whole values includes its closing separator, and a range stays within the texts
        that its template starts with, so that items of other entities are not read.
Rule 3. DynamoDB allows one condition on a sort key, so a range is one BETWEEN, which includes both
        ends. `BALLOT#` and `BALLOT$` enclose all texts that start with `BALLOT#`, because `$`
        follows `#`, and no key is `BALLOT$` itself. With `concat`, `BALLOT|` and `BALLOT|` with
        the last character of Unicode do.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import (
    TYPE_CHECKING,
    Any,
    Generic,
    Literal,
    Protocol,
    TypeAlias,
    TypeVar,
    TypeVarTuple,
    cast,
)

from dynamodb_engine.expressions import KeyClause, KeyCondition
from dynamodb_engine.values import AttributeValue, Item
from singletable.errors import InvalidValue
from singletable.schema.key_parts import Shards
from singletable.schema.key_template import MAX_TEXT, FieldSegment, FixedSegment, KeyTemplate
from singletable.schema.resolved_key import Column, FieldColumn, ResolvedKey, TextColumn

A = TypeVar("A")
E = TypeVar("E")
E_co = TypeVar("E_co", covariant=True)
A_co = TypeVar("A_co", covariant=True)
S = TypeVarTuple("S")
R = TypeVarTuple("R")

Comparison: TypeAlias = Literal["<", "<=", ">", ">=", "between", "begins_with"]
# A condition on a sort key attribute, and a sort key that it includes but should not.
SortClause: TypeAlias = tuple[KeyClause, str | None]

_METHODS: dict[Comparison, str] = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge"}
_REVERSED: dict[Comparison, Comparison] = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


@dataclass(frozen=True, slots=True)
class SortKeyRange:
    """The bounds of the next value of the sort key."""

    comparison: Comparison
    bounds: tuple[object, ...]


@dataclass(frozen=True, slots=True)
class KeyQuery:
    """The key condition of one query, and a sort key that it includes but should not."""

    clauses: KeyCondition
    excluded: str | None


class Selection(Generic[E]):
    """Items of entity E that one query reads, or one query for each shard."""

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
        # The access pattern that created it, if any.
        self.pattern = pattern

    def key_queries(self) -> list[KeyQuery]:
        """Return the key condition of each query: one, or one for each shard."""
        shards = self._shards()
        excluded = None
        clauses: list[KeyClause] = []
        for clause, sort_key in self._sort_clauses():
            clauses.append(clause)
            excluded = excluded or sort_key
        suffixes = [None] if shards is None else shards.suffixes
        return [
            KeyQuery((*self._partition_clauses(suffix), *clauses), excluded) for suffix in suffixes
        ]

    def all_entities(self) -> EntitiesSelection[E]:
        """Return the selection of the items of all entities in this range."""
        return EntitiesSelection(self.entity, self.access, self.values, self.range, self.pattern)

    def _shards(self) -> Shards | None:
        shards = self.access.shards
        if shards is not None and shards.by is not None and shards.by.field in self.values:
            return None  # The value selects one shard.
        return shards

    def _partition_clauses(self, shard: str | None) -> KeyCondition:
        attributes = self.access.partition_attributes(self.values) if shard is None else None
        clauses: list[KeyClause] = []
        for column in self.access.pk:
            name = column.attribute.name
            value = attributes[name] if attributes else column.value(self.values, shard)
            if value is None:
                raise InvalidValue(f"{self.access}: a query needs all values of the partition key.")
            clauses.append(KeyClause(name, "=", (value,)))
        return tuple(clauses)

    def _sort_clauses(self) -> list[SortClause]:
        clauses: list[SortClause] = []
        for column in self.access.sk:
            if isinstance(column, TextColumn):
                clause = text_clause(column, self.values, self.range)
            else:
                clause = _field_clause(column, self.values, self.range)
            if clause is None:
                break
            clauses.append(clause)
            if column.parameters and column.parameters[-1] not in self.values:
                break
        return clauses

    def __repr__(self) -> str:
        access = self.access
        given = ", ".join(f"{name}={self.values[name]!r}" for name in access.pk_fields)
        sorts = [self.values[name] for name in access.sk_fields if name in self.values]
        text = f"{access}{'' if access.index else '.partition'}({given})"
        text += "".join(f".eq({value!r})" for value in sorts)
        if self.range is None:
            return text
        method = _METHODS.get(self.range.comparison, self.range.comparison)
        return f"{text}.{method}({', '.join(map(repr, self.range.bounds))})"


class EntitiesSelection(Selection[E]):
    """The items of all entities in a partition, or in the range to which it was narrowed.

    `eq(7)` includes everything whose sort key starts with the values so far, whatever follows them;
    a range includes everything that continues one of its keys.
    """

    @property
    def is_narrowed(self) -> bool:
        """Whether this is less than the whole partition."""
        return bool(self.narrowed_columns())

    def includes(self, item: Item) -> bool:
        """Return whether an item that the key condition finds is in the range.

        A fixed text such as "7 up" lies between the texts 7 and 7$, but does not continue 7.
        """
        if self._branch_column is None:
            return True
        column, branch, position = self._branch_column
        text = item[column.attribute.name]["S"]
        return text == branch or column.template.is_continued(position, branch, text)

    def may_include(self, other: ResolvedKey) -> bool:
        """Return whether an item with a key of this shape may be in the range."""
        clauses = [clause for clause, _ in self._sort_clauses()]
        return all(map(_may_match, clauses, other.sk))

    @cached_property
    def _branch_column(self) -> tuple[TextColumn, str, int] | None:
        """The column and the text up to the last given value; None if there is a range."""
        columns = self.narrowed_columns()
        if self.range is not None or not columns or not isinstance(columns[-1], TextColumn):
            return None
        return columns[-1], *_branch(columns[-1].template, self.values)

    def _shards(self) -> Shards | None:
        # Entities may compute their shards from different fields of the sort key.
        shards = self.access.shards
        if shards is None or shards.by is None or shards.by.field not in self.access.pk_fields:
            return shards
        return None

    def narrowed_columns(self) -> tuple[Column, ...]:
        """Return the columns of the sort key up to the last one with a value or a bound."""
        names = set(self.values) - set(self.access.pk_fields)
        if self.range is not None:
            names.add(next(name for name in self.access.sk_fields if name not in self.values))
        narrowed = [not names.isdisjoint(column.parameters) for column in self.access.sk]
        return self.access.sk[: max((at for at, one in enumerate(narrowed, 1) if one), default=0)]

    def _sort_clauses(self) -> list[SortClause]:
        columns = self.narrowed_columns()
        clauses: list[SortClause] = []
        for column in columns:
            if not isinstance(column, TextColumn):
                clause = _field_clause(column, self.values, self.range)
            elif column is not columns[-1] or self.range is not None:
                clause = text_clause(column, self.values, self.range, with_longer=True)
            else:
                clause = _branch_clause(column, self.values)
            clauses += [] if clause is None else [clause]
        return clauses


class NextValue(Protocol[E_co, A_co]):
    """A partition with a next value of type A or a subtype, such as a NewType."""

    def _next_type(self) -> tuple[E_co, A_co]: ...


class Partition(Selection[E], Generic[E, *S]):
    """The items of one partition; S are the types of the remaining sort key values."""

    @classmethod
    def of(
        cls, entity: type[E], access: ResolvedKey, values: tuple[object, ...]
    ) -> Partition[E, *S]:
        """Return the partition with these values, from left to right."""
        named = access.bind(access.pk_fields, values)
        if any(value is None for value in named.values()):
            raise InvalidValue(f"{access}: expected values, but got None among {values!r}.")
        return cls(entity, access, named)

    def eq(self: Partition[E, A, *R], value: A) -> Partition[E, *R]:
        """Select the items with this next value."""
        if value is None:
            raise InvalidValue(f"{self.access}: expected a value for {self._next()}, but got None.")
        values = {**self.values, self._next(): value}
        return Partition(self.entity, self.access, values, pattern=self.pattern)

    def lt(self: Partition[E, A, *R], value: A) -> Selection[E]:
        """Select the items with a lower next value."""
        return self._ranged("<", value)

    def le(self: Partition[E, A, *R], value: A) -> Selection[E]:
        """Select the items with a lower or equal next value."""
        return self._ranged("<=", value)

    def gt(self: Partition[E, A, *R], value: A) -> Selection[E]:
        """Select the items with a higher next value."""
        return self._ranged(">", value)

    def ge(self: Partition[E, A, *R], value: A) -> Selection[E]:
        """Select the items with a higher or equal next value."""
        return self._ranged(">=", value)

    def between(self: Partition[E, A, *R], low: A, high: A) -> Selection[E]:
        """Select the items with a next value from low to high, both included."""
        return self._ranged("between", low, high)

    def begins_with(self: NextValue[E, str], prefix: str) -> Selection[E]:
        """Select the items by a prefix of their next value, a string."""
        return cast("Partition[E, str]", self)._ranged("begins_with", prefix)

    if TYPE_CHECKING:

        def _next_type(self: Partition[E, A, *R]) -> tuple[E, A]: ...

    def _ranged(
        self: Partition[E, Any, *R], comparison: Comparison, *bounds: object
    ) -> Selection[E]:
        self._next()
        if any(bound is None for bound in bounds):
            raise InvalidValue(f"{self.access}: a bound cannot be None.")
        range_ = SortKeyRange(comparison, bounds)
        selection = Selection(self.entity, self.access, self.values, range_, self.pattern)
        selection.key_queries()  # Raises for an invalid bound here, where it was written.
        return selection

    def _next(self) -> str:
        for field in self.access.sk_fields:
            if field not in self.values:
                return field
        raise InvalidValue(
            f"{self.access}: the sort key has no field left to compare. Its fields: "
            f"{', '.join(self.access.sk_fields) or 'none'}."
        )


def _field_clause(
    column: FieldColumn, values: Mapping[str, object], range_: SortKeyRange | None
) -> SortClause | None:
    """Return the condition on a column that is a field itself, or None."""
    name = column.attribute.name
    if column.field in values:
        value = column.value(values)
        if value is None:
            raise InvalidValue(f"{column.owner}.{column.field}: a key value cannot be None.")
        return KeyClause(name, "=", (value,)), None
    if range_ is None or (range_.comparison == "begins_with" and range_.bounds == ("",)):
        return None
    if not column.ordered:
        raise InvalidValue(
            f"{column.owner}.{column.field} has no declared order in {name}: select one value with "
            "eq()."
        )
    encoded = [column.value({column.field: bound}) for bound in range_.bounds]
    bounds = tuple(bound for bound in encoded if bound is not None)
    match range_.comparison:
        case "between":
            return KeyClause(name, "BETWEEN", bounds), None
        case other:
            return KeyClause(name, other, bounds), None


def _branch(template: KeyTemplate, values: Mapping[str, object]) -> tuple[str, int]:
    """Return the text up to the last given value, and the position of that value."""
    texts = template.leading_texts(values)
    segments = template.segments[: len(texts)]
    position = max(at for at, one in enumerate(segments) if not isinstance(one, FixedSegment))
    return template.separator.join(texts[: position + 1]), position


def _branch_clause(column: TextColumn, values: Mapping[str, object]) -> SortClause:
    """Return the condition for the text up to the last given value, and all that continue it."""
    branch, position = _branch(column.template, values)
    last = column.template.after(branch)
    if not column.template.is_last(position) and column.fits(last):
        return _clause(column, "BETWEEN", branch, last), None
    return _clause(column, "=", branch), None


def _may_match(clause: KeyClause, column: Column) -> bool:
    """Return whether a key attribute of this shape may match a condition on a sort key."""
    if not isinstance(column, TextColumn) or "S" not in clause.values[0]:
        return True
    texts = [value["S"] for value in clause.values]
    # All texts of the column are from `first` to `last`.
    first = column.template.prefix({})
    last = column.template.after(first) if first else MAX_TEXT
    if not column.template.fields:
        last = first
    match clause.comparator:
        case "<" | "<=":
            return first <= texts[0]
        case ">" | ">=":
            return texts[0] <= last
        case "begins_with":
            return first <= texts[0] + MAX_TEXT and texts[0] <= last
        case "=" | "BETWEEN":
            return first <= texts[-1] and texts[0] <= last


def text_clause(
    column: TextColumn,
    values: Mapping[str, object],
    range_: SortKeyRange | None,
    *,
    with_longer: bool = False,
) -> SortClause | None:
    """Return the condition for the given values and the range of the next; None if unrestricted.

    A range `with_longer` keys includes those that continue one of its keys.
    """
    template = column.template
    prefix = template.prefix(values)
    following = template.next_value(values)
    if following is None:
        return _clause(column, "=", prefix), None
    if range_ is None:
        return (_clause(column, "begins_with", prefix), None) if prefix else None
    position, segment = following
    if range_.comparison == "begins_with":
        prefix += template.prefix_text(position, segment, range_.bounds[0])
        return (_clause(column, "begins_with", prefix), None) if prefix else None
    return _range_clause(column, prefix, position, segment, range_, with_longer=with_longer)


def _range_clause(
    column: TextColumn,
    prefix: str,
    position: int,
    segment: FieldSegment,
    range_: SortKeyRange,
    *,
    with_longer: bool,
) -> SortClause:
    template = column.template
    if not segment.encoding.ordered:
        raise InvalidValue(
            f"{template.owner}.{segment.field} has no declared order in the key {template}: select "
            "one value with eq(), or declare it with ordered()."
        )
    if not template.is_sorted(position, segment, with_longer=with_longer):
        raise InvalidValue(
            f"{template.owner}.{segment.field} is followed by a text in the key {template}, so the "
            "keys do not sort as its values do: select one value with eq(), or use begins_with()."
        )
    comparison, bounds = range_.comparison, range_.bounds
    if segment.encoding.descending:
        comparison, bounds = _REVERSED.get(comparison, comparison), bounds[::-1]
    first = prefix + template.value_text(position, segment, bounds[0])
    ends = position == len(template.segments) - 1
    # Whether `first` may be a key: of this entity, or of another one.
    is_key = ends or with_longer
    if with_longer:
        ends = template.is_last(position)
    # All texts with exactly this value are from `first` to `last`.
    last = first if ends else template.after(first)
    low, high = prefix, template.after(prefix) if prefix else ""
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
            return _to(column, low, first), first if is_key else None
        case "between" | "begins_with":
            second = prefix + template.value_text(position, segment, bounds[1])
            if first > second:
                raise InvalidValue(
                    f"{template.owner}.{segment.field}: between({range_.bounds[0]!r}, "
                    f"{range_.bounds[1]!r}) has the higher value first."
                )
            upper = second if ends else template.after(second)
            return _clause(column, "BETWEEN", first, upper), None


def _from(column: TextColumn, low: str, high: str) -> KeyClause:
    return _clause(column, "BETWEEN", low, high) if high else _clause(column, ">=", low)


def _to(column: TextColumn, low: str, high: str) -> KeyClause:
    return _clause(column, "BETWEEN", low, high) if low else _clause(column, "<=", high)


def _clause(
    column: TextColumn,
    comparator: Literal["=", "<", "<=", ">", ">=", "BETWEEN", "begins_with"],
    *texts: str,
) -> KeyClause:
    values: tuple[AttributeValue, ...] = tuple({"S": column.checked(text)} for text in texts)
    return KeyClause(column.attribute.name, comparator, values)
