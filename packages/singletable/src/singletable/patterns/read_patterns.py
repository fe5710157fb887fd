"""Read patterns: their parameters with example values, and the key that serves a lookup.

A pattern is tried once with the examples when it is declared. The example of a text is its name in
braces, so that a key formatted with it reads like its template.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, NewType, Union, get_args, get_origin, get_type_hints
from uuid import UUID

from singletable import schema
from singletable.errors import DeclarationError, UnsupportedPattern
from singletable.patterns.checks import (
    check_collection,
    check_consistent,
    check_members,
    check_table,
)
from singletable.patterns.pattern import Parameter
from singletable.schema.keys import BoundIndexKey, BoundKey
from singletable.schema.resolved_key import in_order
from singletable.schema.unique import BoundUnique
from singletable.store import EntityAccess
from singletable.store.calls import call_shape, collection_accesses, query_access

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)

_EXAMPLES: dict[object, object] = {
    bool: True,
    bytes: b"x",
    date: NOON.date(),
    datetime: NOON,
    Decimal: Decimal(1),
    float: 1.0,
    int: 1,
    time: NOON.timetz(),
    timedelta: timedelta(seconds=1),
    UUID: UUID(int=1),
}


@dataclass(frozen=True, slots=True)
class FieldLookup:
    """A query by field values, through the key that serves it."""

    model: schema.Model
    access: schema.ResolvedKey
    fields: tuple[str, ...]

    def __call__(self, *values: object, **by_name: object) -> schema.Selection[Any]:
        """Return the selection for the values of the fields, in their order or by name."""
        if by_name:
            values = in_order(self.access, self.fields, values, by_name)
        named = self.access.bind(self.fields, values)
        pk_values = tuple(named[name] for name in self.access.pk_fields)
        partition: Any = schema.Partition[Any].of(self.model.entity, self.access, pk_values)
        for name in self.access.sk_fields[: len(self.fields) - len(pk_values)]:
            partition = partition.eq(named[name])
        return partition  # type: ignore[no-any-return]


def find_lookup_key(
    where: str, model: schema.Model, fields: Sequence[str], order: str | None
) -> FieldLookup:
    """Return the query by `fields`, sorted by `order` if given; raise if no key serves it."""
    for access in (model.key, *model.indexes.values()):
        if _serves(access, fields, order):
            return FieldLookup(model, access, tuple(fields))
    raise UnsupportedPattern(_unsupported(where, model, fields, order))


def _serves(access: schema.ResolvedKey, fields: Sequence[str], order: str | None) -> bool:
    """Return whether the fields are the partition key and a prefix of the sort key."""
    pk, sk = access.pk_fields, access.sk_fields
    prefix = len(fields) - len(pk)
    if set(fields) != {*pk, *sk[: max(prefix, 0)]} or prefix > len(sk):
        return False
    return order is None or sk[prefix : prefix + 1] == (order,)


def _unsupported(where: str, model: schema.Model, fields: Sequence[str], order: str | None) -> str:
    keys = [_describe_key(access) for access in (model.key, *model.indexes.values())]
    query = f"by {', '.join(map(repr, fields))}" + (f" ordered by {order!r}" if order else "")
    sort = [*fields[1:], *([order] if order else [])]
    sort_key = f", sk=({', '.join(sort)},)" if sort else ""
    proposal = f"Key(pk=({fields[0]},){sort_key}).on(…)"
    return (
        f"{where} queries {model.name} {query}, but no key of {model.name} starts with that. "
        f"Keys: {'; '.join(keys)}. Add a key on an index, {proposal}, or query by the fields that "
        "one of these starts with: the whole partition key, then the sort key from left to right."
    )


def _describe_key(access: schema.ResolvedKey) -> str:
    sort = f", then {', '.join(access.sk_fields)}" if access.sk_fields else ""
    partition = ", ".join(access.pk_fields) or "one partition"
    return f"{access.name} ({partition}{sort})"


def read_accesses(
    where: str,
    tables: Sequence[schema.Table],
    sample: schema.ItemKey[Any] | schema.Selection[Any] | schema.UniqueValue[Any],
    collection: type[schema.Collection] | None,
    *,
    consistent: bool,
) -> tuple[EntityAccess, ...]:
    """Return what a call does, given the key or selection that the pattern returns."""
    check_collection(where, collection)
    if collection is not None and not isinstance(sample, schema.Selection):
        raise DeclarationError(
            f"{where} reads the collection {collection.__name__} from one item. Use a partition: "
            "key.partition."
        )
    accesses: tuple[EntityAccess, ...]
    if isinstance(sample, schema.ItemKey):
        accesses = (EntityAccess("get", sample.entity),)
    elif isinstance(sample, schema.UniqueValue):
        accesses = call_shape("find", sample).accesses
    elif isinstance(sample, schema.Selection):  # pyright: ignore[reportUnnecessaryIsInstance]
        if consistent:
            check_consistent(where, sample.access)
        if collection is None:
            accesses = (query_access(sample),)
        else:
            check_members(where, sample, collection)
            accesses = collection_accesses(collection, sample)
    else:
        raise DeclarationError(
            f"{where} returned {sample!r}; expected what a key returns: Ballot.key(…), "
            "Ballot.key.partition(…), Ballot.by_voter(…)."
        )
    for access in accesses:
        check_table(where, tables, access.entity)
    return accesses


def read_parameters(
    where: str, selector: Callable[..., object], example: Sequence[object] | None
) -> tuple[Parameter, ...]:
    """Return the parameters of a key or function, with `example` or default example values."""
    signature = _signature(where, selector)
    if example is None:
        return tuple(
            Parameter(name, type_, _example(where, name, type_)) for name, type_ in signature
        )
    if len(example) != len(signature):
        raise DeclarationError(
            f"{where}: example has {len(example)} values, but the pattern has {len(signature)} "
            f"parameters ({', '.join(name for name, _ in signature)})."
        )
    return tuple(
        Parameter(name, type_, value)
        for (name, type_), value in zip(signature, example, strict=True)
    )


def _signature(where: str, selector: Callable[..., object]) -> list[tuple[str, object]]:
    """Return the names and types of the parameters."""
    if isinstance(selector, FieldLookup):
        return [(name, selector.model.fields[name].annotation) for name in selector.fields]
    if isinstance(selector, BoundKey | BoundIndexKey | BoundUnique):
        return _key_signature(selector)  # pyright: ignore[reportUnknownArgumentType]
    if isinstance(selector, type):
        name = selector.__name__
        raise DeclarationError(
            f"{where}: expected a key, but got the class {name}. Use one of its keys: {name}.key "
            f"for one item, {name}.key.partition for several."
        )
    try:
        parameters = inspect.signature(selector).parameters
        hints = get_type_hints(selector)
    except (TypeError, ValueError, NameError) as error:
        raise DeclarationError(
            f"{where}: expected a key (Ballot.key, Ballot.key.partition, Ballot.by_voter) or a "
            f"function with annotated parameters, but got {selector!r} ({error})."
        ) from None
    signature: list[tuple[str, object]] = []
    for name, parameter in parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise DeclarationError(
                f"{where}: *{name} accepts any number of values. Name each parameter."
            )
        if name not in hints:
            raise DeclarationError(f"{where}: the parameter {name} has no type. Annotate it.")
        signature.append((name, hints[name]))
    return signature


def _key_signature(
    key: BoundKey[Any, Any] | BoundIndexKey[Any, Any] | BoundUnique[Any],
) -> list[tuple[str, object]]:
    model = schema.model_of(key._entity)
    if isinstance(key, BoundUnique):
        names = model.uniques[key._name].fields
    elif isinstance(key, BoundIndexKey):
        names = key._access.pk_fields
    else:
        names = model.key.pk_fields + model.key.sk_fields
    return [(name, model.fields[name].annotation) for name in names]


def _example(where: str, name: str, type_: object) -> object:
    if type_ is str:
        return f"{{{name}}}"
    if type_ in _EXAMPLES:
        return _EXAMPLES[type_]
    if isinstance(type_, NewType):
        return _example(where, name, type_.__supertype__)
    if isinstance(type_, type) and issubclass(type_, Enum):
        return next(iter(type_))
    origin, arguments = get_origin(type_), get_args(type_)
    if origin is Literal:
        return arguments[0]
    if origin in (Union, UnionType):
        return _example(where, name, next(one for one in arguments if one is not NoneType))
    if origin is Annotated:
        return _example(where, name, arguments[0])
    type_name = type_.__name__ if isinstance(type_, type) else str(type_)
    raise DeclarationError(
        f"{where}: no example value for {name} of type {type_name}. Pass one value for each "
        "parameter: example=(…)."
    )
