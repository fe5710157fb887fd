"""Tenant isolation: a scoped store sends only requests for partition keys in its scope.

A scope is a value for a field, such as `org="acme"`. Which partition keys it contains follows from
the entities of the table: those that a key template with the field renders for this value. In a key
a `#` always separates segments, so a key belongs to the value in the segment of the field, and no
value of another field can change that.

The driver of a scoped store checks every operation before it is sent. It sees all requests: those
of batches and transactions, of the markers of unique values, of counters and of indexes. What has
no partition key, such as a scan, is rejected.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product, takewhile
from typing import Any, TypeAlias, TypeVar

from dynamodb_engine.operations import AsyncDriver, Driver, Operation, Query, Scan
from dynamodb_engine.operations.partition_keys import canonical_key_texts, partition_values
from dynamodb_engine.operations.touches import ItemRequest, item_requests
from dynamodb_engine.values import Item
from singletable.errors import InvalidValue, OutOfScope
from singletable.schema import Model, ResolvedKey, Table, model_of
from singletable.schema.fields import declared_entity
from singletable.schema.key_template import (
    FieldSegment,
    FixedSegment,
    KeyTemplate,
    RepeatedSegment,
    ShardSegment,
)
from singletable.schema.model import MODELS
from singletable.schema.resolved_key import Column, FieldColumn
from singletable.schema.unique import BoundUnique, UniqueConstraint
from singletable.store.context import Context
from singletable.store.validation import check_iterable

R = TypeVar("R")
D = TypeVar("D", Driver, AsyncDriver)

# What a scope allows besides its own keys: shared entities, and unique values across tenants.
Shared: TypeAlias = "type[Any] | BoundUnique[Any, *tuple[Any, ...]]"
# What a segment of a key may be: a text, one of several, or anything (None).
_Segment: TypeAlias = str | frozenset[str] | None
# A key attribute's template and segments; or it is a field, with this text, or any (None).
_KeyShape: TypeAlias = tuple[KeyTemplate, tuple[_Segment, ...]] | str | None


@dataclass(frozen=True, slots=True)
class _ScopedKey:
    """A key of an entity: which partition keys it has, and which of them are in the scope.

    There is a shape for each attribute of the partition key. `inside` is None if the key does not
    contain the fields of the scope.
    """

    access: ResolvedKey
    all: tuple[_KeyShape, ...]
    inside: tuple[_KeyShape, ...] | None
    shared: bool
    marker: UniqueConstraint | None
    # Whether every marker with this key is deleted with its owner.
    ends_with_owner: bool

    def has(self, texts: Sequence[str]) -> bool:
        return all(map(_matches, self.all, texts))

    def has_inside(self, texts: Sequence[str]) -> bool:
        return self.inside is not None and all(map(_matches, self.inside, texts))


def _matches(shape: _KeyShape, text: str) -> bool:
    if not isinstance(shape, tuple):
        return shape is None or shape == text
    template, segments = shape
    pieces = template.split(text)
    return pieces is not None and all(map(_matches_segment, segments, pieces))


@dataclass(frozen=True, slots=True)
class _Partitions:
    """Partition keys: their common prefix, and the list of them if it is known."""

    prefix: str
    keys: tuple[str, ...]
    is_of_markers: bool

    @classmethod
    def of(cls, shape: _KeyShape, *, is_of_markers: bool) -> _Partitions:
        """Return the partitions of a key of this shape."""
        if not isinstance(shape, tuple):
            return cls(shape or "", () if shape is None else (shape,), is_of_markers)
        template, segments = shape
        texts = [str(one) for one in takewhile(lambda one: isinstance(one, str), segments)]
        join = template.separator.join
        prefix = join(texts if len(texts) == len(segments) else [*texts, ""])
        options = [[one] if isinstance(one, str) else sorted(one or ()) for one in segments]
        return cls(prefix, tuple(map(join, product(*options))), is_of_markers)


def _matches_segment(segment: _Segment, piece: str) -> bool:
    if segment is None:
        return bool(piece)
    return piece == segment if isinstance(segment, str) else piece in segment


# The name of a table, one of its indexes, and the declared tables of that name, each with its
# revision.
_CacheKey: TypeAlias = tuple[str, str | None, frozenset[tuple[Table, int]]]


@dataclass(frozen=True, slots=True)
class Scope:
    """The values of the scope, and the entities and unique values that need not have them."""

    values: Mapping[str, object]
    # Entities, each with an empty string, or with the name of a unique value.
    shared: frozenset[tuple[type, str]] = frozenset()
    # The tables that the store uses, by their real names.
    tables: dict[str, dict[Table, None]] = field(
        default_factory=dict[str, dict[Table, None]], compare=False
    )
    _keys: dict[_CacheKey, list[_ScopedKey]] = field(
        default_factory=dict[_CacheKey, list[_ScopedKey]], repr=False, compare=False
    )

    def __str__(self) -> str:
        return ", ".join(f"{name}={value!r}" for name, value in self.values.items())

    def check(self, operation: Operation[Any]) -> None:
        """Raise OutOfScope unless all partition keys of the operation are in the scope."""
        requests = item_requests(operation)
        if requests is None or isinstance(operation, Scan):
            raise OutOfScope(
                f"{type(operation).__name__} cannot be restricted to the scope {self}: it has no "
                "partition key. Use a store without a scope, or query by a key.",
                scope=self.values,
            )
        for table, request in requests:
            index = request.index_name if isinstance(request, Query) else None
            self._check_request(type(operation).__name__, table, index, request)

    def check_items(self, table: str, items: Iterable[Item]) -> None:
        """Raise OutOfScope unless the items, or keys, are in the scope."""
        keys = self._scoped_keys(table, None)
        for attribute in _attributes(keys):
            for item in items:
                for text in canonical_key_texts(item[attribute]):
                    self._check_texts("The item", table, keys, (attribute,), (text,))

    def contains(self, table: str, item: Item) -> bool:
        """Return whether an item is in the scope; shared items are not."""
        keys = self._scoped_keys(table, None)
        texts = [next(canonical_key_texts(item[name])) for name in _attributes(keys)]
        possible = [key for key in keys if key.inside is not None and key.has(texts)]
        return bool(possible) and all(key.has_inside(texts) for key in possible)

    def partitions(self, table: str) -> list[_Partitions]:
        """Return the partitions of the scope, by the keys that contain its fields.

        The markers of unique values are among them only if they can outlive their owners.
        """
        return [
            _Partitions.of(key.inside[0], is_of_markers=key.marker is not None)
            for key in self._scoped_keys(table, None)
            if key.inside is not None and key.inside != ("",) and not key.ends_with_owner
        ]

    def _check_request(
        self, operation: str, table: str, index: str | None, request: ItemRequest
    ) -> None:
        keys = self._scoped_keys(table, index)
        attributes = _attributes(keys)
        values = [partition_values(request, attribute) for attribute in attributes]
        if not attributes or not all(values):
            raise OutOfScope(
                f"{operation} of {table}{f', index {index}' if index else ''} cannot be restricted "
                f"to the scope {self}: no entity of this store has a key there, or the request has "
                "no partition key.",
                scope=self.values,
            )
        for texts in product(*values):
            self._check_texts(operation, table, keys, attributes, texts)

    def _check_texts(
        self,
        operation: str,
        table: str,
        keys: Sequence[_ScopedKey],
        attributes: Sequence[str],
        texts: Sequence[str],
    ) -> None:
        possible = [key for key in keys if key.has(texts)]
        # A partition that may contain items of another tenant is not in the scope, even if items
        # of this one could be in it too.
        foreign = [key for key in possible if key.inside is not None and not key.has_inside(texts)]
        if not foreign and any(key.shared or key.inside is not None for key in possible):
            return
        shown = ", ".join(f"{name}={text!r}" for name, text in zip(attributes, texts, strict=True))
        where = f"{operation}, {table}: the partition {shown}"
        if foreign or not possible:
            by = f" of {', '.join(str(key.access) for key in foreign)}" if foreign else ""
            raise OutOfScope(
                f"{where}{by} is outside the scope {self}. Nothing was sent.",
                key={
                    name: {_type_of(keys, name): text}
                    for name, text in zip(attributes, texts, strict=True)
                },
                scope=self.values,
            )
        raise OutOfScope(f"{where} {self._explain(possible[0].access)}", scope=self.values)

    def _explain(self, access: ResolvedKey) -> str:
        """Return why a key has no scope, and what to do."""
        missing = next(name for name in self.values if _segment_of(access, name) is None)
        template = ", ".join(_shown(column) for column in access.pk)
        casefolded = any(missing in column.fields for column in access.pk)
        problem = "is not written exactly in" if casefolded else "is not in"
        subject = access.owner if access.name == "key" else str(access)
        advice = (
            f"Start that key with a text and the field, such as "
            f'("{missing.upper()}", {missing}), or use a store without a scope.'
        )
        if access.index is None:
            advice += f" To share it with all tenants: scoped(…, also=({subject},))."
        return (
            f"belongs to {subject}. {missing} {problem} its partition key {template}, so it cannot "
            f"be restricted to the scope {self}. {advice}"
        )

    def _scoped_keys(self, table: str, index: str | None) -> list[_ScopedKey]:
        # Entities may be declared later, and again.
        used = self.tables.get(table) or {model.table for model in self._models(table)}
        cache_key = (table, index, frozenset((one, one.revision) for one in used))
        keys = self._keys.get(cache_key)
        if keys is None:
            models = self._models(table)
            keys = [self._scoped_key(model, key) for model in models for key in _keys(model, index)]
            self._keys[cache_key] = keys
        return keys

    def _models(self, name: str) -> list[Model]:
        used = self.tables.get(name)
        if used is not None:
            return [model_of(entity) for table in used for entity in table.entities]
        return [model for model in MODELS.values() if model.table.name == name]

    def _scoped_key(self, model: Model, access: ResolvedKey) -> _ScopedKey:
        every = tuple(_shape(column, {}) for column in access.pk)
        inside = None
        if all(_segment_of(access, name) is not None for name in self.values):
            try:
                inside = tuple(_shape(column, self.values) for column in access.pk)
            except InvalidValue:
                # The field has another type here: no key has the value.
                inside = tuple("" for _ in access.pk)
        shared = not self.shared.isdisjoint(((model.entity, ""), (model.entity, access.name)))
        marker = model.uniques.get(access.name)
        ends_with_owner = marker is not None and "expires" not in model.roles
        return _ScopedKey(access, every, inside, shared, marker, ends_with_owner)


def create_scope(
    outer: Scope | None, values: Mapping[str, object], shared: Iterable[Shared]
) -> Scope:
    """Return the scope, narrowed from `outer`; raise InvalidValue if it can contain nothing."""
    if not values:
        raise InvalidValue('scoped(…) expects a value for a field, such as scoped(org="acme").')
    known: Mapping[str, object] = {} if outer is None else outer.values
    for name, value in values.items():
        if name in known and known[name] != value:
            raise InvalidValue(
                f"scoped({name}={value!r}): the store is already restricted to "
                f"{name}={known[name]!r}. Narrow it with another field, or start from a store "
                "without a scope."
            )
        _check_value(name, value)
    check_iterable("also", shared)
    allowed = frozenset(_shared_id(one) for one in shared)
    if outer is not None:
        if not allowed <= outer.shared:
            raise InvalidValue("scoped(also=…): a narrower scope cannot share more than its outer.")
        allowed = allowed or outer.shared
    return Scope({**known, **values}, allowed)


def _check_value(name: str, value: object) -> None:
    """Raise unless some entity has the field in its partition key, and the value fits there."""
    columns = [
        (model, column)
        for model in MODELS.values()
        for column in model.key.pk
        if _segment_in(column, name) is not None
    ]
    if not columns:
        raise InvalidValue(
            f"scoped({name}=…): no entity has a field {name} in its partition key, so nothing can "
            f'be restricted to it. Declare it there: Key(pk=("{name.upper()}", {name}), …).'
        )
    problem = ""
    for model, column in columns:
        try:
            _shape(column, {name: value})
        except InvalidValue as error:
            problem = problem or f"{model.name}: {error}"
        else:
            return
    raise InvalidValue(f"scoped({name}={value!r}): {problem}")


def _shared_id(shared: Shared) -> tuple[type, str]:
    if isinstance(shared, BoundUnique):
        return shared._entity, shared._name
    if isinstance(shared, type):  # pyright: ignore[reportUnnecessaryIsInstance]
        return model_of(declared_entity(shared)).entity, ""
    raise InvalidValue(
        f"scoped(also=…): expected entities, or unique values such as User.one_email, but got "
        f"{shared!r}."
    )


def _keys(model: Model, index: str | None) -> list[ResolvedKey]:
    if index is None:
        uniques = (unique.access for unique in model.uniques.values())
        return [model.key, *uniques]
    return [key for key in model.indexes.values() if key.index and key.index.name == index]


def _attributes(keys: Sequence[_ScopedKey]) -> list[str]:
    return [column.attribute.name for column in keys[0].access.pk] if keys else []


def _type_of(keys: Sequence[_ScopedKey], attribute: str) -> str:
    columns = keys[0].access.pk
    return next(one.attribute.type for one in columns if one.attribute.name == attribute)


def _segment_of(access: ResolvedKey, name: str) -> object | None:
    found = (_segment_in(column, name) for column in access.pk)
    return next((segment for segment in found if segment is not None), None)


def _segment_in(column: Column, name: str) -> object | None:
    """Return where a key attribute has the exact value of a field; None if it does not."""
    if isinstance(column, FieldColumn):
        return column if column.field == name else None
    for segment in column.template.segments:
        value = segment.value if isinstance(segment, RepeatedSegment) else segment
        # Two values may have the same text if it cannot be read back, as with casefold().
        if isinstance(value, FieldSegment) and value.field == name and value.encoding.lossless:
            return value
    return None


def _shape(column: Column, values: Mapping[str, object]) -> _KeyShape:
    """Return the shape of the texts of a key attribute, with these values for its fields."""
    if isinstance(column, FieldColumn):
        if column.field not in values:
            return None
        encoded = column.value(values)
        if encoded is None:
            raise InvalidValue(f"{column.field}: expected a value, but got None.")
        return next(canonical_key_texts(encoded))
    template = column.template
    positions = range(len(template.segments))
    return template, tuple(_segment_shape(template, position, values) for position in positions)


def _segment_shape(template: KeyTemplate, position: int, values: Mapping[str, object]) -> _Segment:
    match template.segments[position]:
        case FixedSegment(text):
            return text
        case ShardSegment(shards):
            return frozenset(shards.suffixes)
        case (FieldSegment() as segment) | RepeatedSegment(segment):
            if segment.field not in values:
                return None
            return template.value_text(position, segment, values[segment.field])


def _shown(column: Column) -> str:
    return f"{{{column.field}}}" if isinstance(column, FieldColumn) else str(column.template)


@dataclass(frozen=True, slots=True)
class ScopedContext(Context):
    """The settings of a scoped store."""

    scope: Scope = field(default_factory=lambda: Scope({}))

    def table_name(self, table: Table) -> str:
        """Return the table's real name, and remember that the store uses this table."""
        name = self.table_names.get(table, table.name)
        self.scope.tables.setdefault(name, {}).setdefault(table)
        return name

    def check_scope(self, table: str, items: Iterable[Item]) -> None:
        """Raise OutOfScope unless the items, or keys, are in the scope."""
        self.scope.check_items(table, items)


def scope_context(
    context: Context, values: Mapping[str, object], shared: Iterable[Shared]
) -> ScopedContext:
    """Return the settings of a store with this scope; narrower, if it has one already."""
    outer = context.scope if isinstance(context, ScopedContext) else None
    return ScopedContext(
        table_names=context.table_names,
        clock=context.clock,
        cursor_secret=context.cursor_secret,
        retry_policy=context.retry_policy,
        observers=context.observers,
        may_lose_responses=context.may_lose_responses,
        scope=create_scope(outer, values, shared),
    )


def unscoped(driver: D) -> D:
    """Return the driver of a scoped store without its checks."""
    return driver._unscoped if isinstance(driver, ScopedDriver | AsyncScopedDriver) else driver


class ScopedDriver:
    """A driver that rejects operations outside a scope."""

    def __init__(self, driver: Driver, scope: Scope) -> None:
        # Not named `inner`: that is how retries are unwrapped, which must not remove the check.
        self._unscoped: Driver = driver._unscoped if isinstance(driver, ScopedDriver) else driver
        self._scope = scope

    def execute(self, operation: Operation[R], /) -> R:
        """Execute the operation, or raise OutOfScope."""
        self._scope.check(operation)
        return self._unscoped.execute(operation)


class AsyncScopedDriver:
    """An async driver that rejects operations outside a scope."""

    def __init__(self, driver: AsyncDriver, scope: Scope) -> None:
        self._unscoped: AsyncDriver = (
            driver._unscoped if isinstance(driver, AsyncScopedDriver) else driver
        )
        self._scope = scope

    async def execute(self, operation: Operation[R], /) -> R:
        """Execute the operation, or raise OutOfScope."""
        self._scope.check(operation)
        return await self._unscoped.execute(operation)
