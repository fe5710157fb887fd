"""Specifications of the tables, entities, fields and keys that introspection infers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from dynamodb_engine.values import Item
from singletable.schema import Table
from singletable_design.introspection.field_types import DataclassSpec, FieldType

Role: TypeAlias = Literal["version", "expires"]


@dataclass(frozen=True, slots=True)
class FieldPart:
    """A field in a key and its encoding: `padded(number, 8)`; `repeated` is `repeated(name)`."""

    field: str
    encoding: Literal["plain", "padded", "casefold"] = "plain"
    width: int = 0
    repeated: bool = False


# A constant or a field.
KeyPart: TypeAlias = str | FieldPart


class ConcatParts(tuple[KeyPart, ...]):
    """The parts of a key that are written as they are: `concat("CUST|", name)`."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class FieldSpec:
    """A field: its name, the attribute it is stored in, and its type."""

    name: str
    attribute: str
    type: FieldType
    optional: bool = False
    # False if the value is part of a key and has no attribute of its own.
    stored: bool = True
    role: Role | None = None


@dataclass(frozen=True, slots=True)
class IndexCondition:
    """The condition of a sparse index: a field and the value it must have."""

    field: str
    value: str | bool


@dataclass(frozen=True, slots=True)
class KeySpec:
    """The primary key of an entity, or its key in an index."""

    name: str
    pk: tuple[KeyPart, ...]
    sk: tuple[KeyPart, ...] | None
    index: str | None = None
    when: IndexCondition | None = None


@dataclass(frozen=True, slots=True)
class UniqueSpec:
    """A unique constraint, with the key of its markers."""

    name: str
    part: FieldPart
    pk: tuple[KeyPart, ...]
    sk: tuple[KeyPart, ...] | None


@dataclass(frozen=True, slots=True)
class EntitySpec:
    """An entity, the items it was inferred from, and notes to write above it."""

    name: str
    tag: tuple[str, str] | None
    fields: tuple[FieldSpec, ...]
    key: KeySpec
    indexes: tuple[KeySpec, ...] = ()
    uniques: tuple[UniqueSpec, ...] = ()
    items: Sequence[Item] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class UnmatchedItems:
    """Items that match no inferred entity, and the reason."""

    shape: str
    items: Sequence[Item]
    reason: str


@dataclass
class TableSpec:
    """A table with the entities that were inferred from its items."""

    table: Table
    entities: list[EntitySpec]
    unmatched: list[UnmatchedItems]
    dataclasses: list[DataclassSpec]
    notes: list[str] = field(default_factory=list[str])


# The key shapes for which type checkers know the parameters: t is a constant, v a value.
# The overloads of Key declare them.
_TYPED = re.compile(
    "t{0,3}|t?vt{0,3}|t{2,3}v|tttvt|t?vt?vt?|tvtvt{2,3}|t?vtttv|t{2,3}vtv|t?vt?vt?v|tvtvtttv"
    "|tvtttvtv|tttvtvtv|t?vt?vt?vt?v"
)


def has_typed_shape(parts: Sequence[KeyPart]) -> bool:
    """Return whether type checkers know the parameter types of a key with these parts."""
    marks = "".join(
        "t" if isinstance(part, str) or part.repeated else "v" for part in join_constants(parts)
    )
    return _TYPED.fullmatch(marks) is not None


def join_constants(parts: Sequence[KeyPart]) -> list[KeyPart]:
    """Join adjacent constants into one."""
    joined: list[KeyPart] = []
    separator = "" if isinstance(parts, ConcatParts) else "#"
    for part in parts:
        if isinstance(part, str) and joined and isinstance(joined[-1], str):
            joined[-1] += f"{separator}{part}"
        else:
            joined.append(part)
    return joined


def is_verbatim(table: Table, entity: EntitySpec) -> bool:
    """Return whether a key attribute is declared as one field, which matches any text."""
    stored = {field.name: field.attribute for field in entity.fields if field.stored}
    keys = [attribute.name for attribute in table.key_attributes]
    parts = (*entity.key.pk, *(entity.key.sk or ()))
    return any(isinstance(part, FieldPart) and stored.get(part.field) in keys for part in parts)


def template_text(parts: Sequence[KeyPart]) -> str:
    """Return the template as text: `POLL#{id}`."""
    separator = "" if isinstance(parts, ConcatParts) else "#"
    return separator.join(part if isinstance(part, str) else f"{{{part.field}}}" for part in parts)


def key_text(key: KeySpec) -> str:
    """Return the whole key as text: `POLL#{id} / VOTE#{vote_id}`."""
    texts = [template_text(key.pk), *([] if key.sk is None else [template_text(key.sk)])]
    return " / ".join(texts)
