"""A draft before it is written down: tables, entities, fields and keys as plain values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from singletable.drafting.kinds import Kind, Record
from singletable.schema import Table
from singletable.values import Item

Role: TypeAlias = Literal["version", "expires"]


@dataclass(frozen=True, slots=True)
class FieldPart:
    """A field in a key, plain or in a form of its own: `padded(number, 8)`, `repeated(name)`."""

    field: str
    form: Literal["plain", "padded", "casefold"] = "plain"
    width: int = 0
    again: bool = False


# A text that stays, or a field.
Part: TypeAlias = str | FieldPart


@dataclass(frozen=True, slots=True)
class DraftField:
    """A field: its name, the attribute it stands for, and its type."""

    name: str
    attribute: str
    kind: Kind
    optional: bool = False
    # Whether the value is an attribute of its own, and not in the key alone.
    stored: bool = True
    role: Role | None = None


@dataclass(frozen=True, slots=True)
class When:
    """What an item must be to stand in an index: a field, and the value it has."""

    field: str
    value: str | bool


@dataclass(frozen=True, slots=True)
class DraftKey:
    """The primary key of an entity, or its key in an index."""

    name: str
    pk: tuple[Part, ...]
    sk: tuple[Part, ...] | None
    index: str | None = None
    when: When | None = None


@dataclass(frozen=True, slots=True)
class DraftUnique:
    """A value that no two items share, with the key of its markers."""

    name: str
    part: FieldPart
    pk: tuple[Part, ...]
    sk: tuple[Part, ...] | None


@dataclass(frozen=True, slots=True)
class DraftEntity:
    """An entity, the items it was found in, and what a reader should know of it."""

    name: str
    tag: tuple[str, str] | None
    fields: tuple[DraftField, ...]
    key: DraftKey
    indexes: tuple[DraftKey, ...] = ()
    uniques: tuple[DraftUnique, ...] = ()
    items: Sequence[Item] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unplaced:
    """Items that no drafted entity holds, and why."""

    shape: str
    items: Sequence[Item]
    why: str


@dataclass
class DraftTable:
    """A table with the entities that were found in it."""

    table: Table
    entities: list[DraftEntity]
    unplaced: list[Unplaced]
    records: list[Record]
    notes: list[str] = field(default_factory=list[str])


# The shapes of keys that checkers know: a text (t) or a value (v) in each place. See schema/shapes.
_TYPED = re.compile("t{0,3}|v|vt|tv|tvtt?|t{2,3}v|t?vt?vt?|tvtvtt|t?vt?vt?v|t?vt?vt?vt?v")


def is_typed(parts: Sequence[Part]) -> bool:
    """Whether checkers would know the types of the values."""
    marks = "".join("t" if isinstance(part, str) or part.again else "v" for part in joined(parts))
    return _TYPED.fullmatch(marks) is not None


def joined(parts: Sequence[Part]) -> list[Part]:
    """The parts; texts that meet are one text."""
    found: list[Part] = []
    for part in parts:
        if isinstance(part, str) and found and isinstance(found[-1], str):
            found[-1] = f"{found[-1]}#{part}"
        else:
            found.append(part)
    return found


def is_whole(table: Table, entity: DraftEntity) -> bool:
    """Whether a key attribute is a field as it is, and so could be anything."""
    stored = {field.name: field.attribute for field in entity.fields if field.stored}
    keys = [attribute.name for attribute in table.key_attributes]
    parts = (*entity.key.pk, *(entity.key.sk or ()))
    return any(isinstance(part, FieldPart) and stored.get(part.field) in keys for part in parts)


def key_text(parts: Sequence[Part]) -> str:
    """The template as it is shown: `POLL#{id}`."""
    return "#".join(part if isinstance(part, str) else f"{{{part.field}}}" for part in parts)


def shape_of(key: DraftKey) -> str:
    """The whole key as it is shown: `POLL#{id} / VOTE#{vote_id}`."""
    texts = [key_text(key.pk), *([] if key.sk is None else [key_text(key.sk)])]
    return " / ".join(texts)
