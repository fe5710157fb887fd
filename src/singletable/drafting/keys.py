"""The primary key of an entity: which field says what each part of it says."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from singletable.drafting.drafted import DraftField, DraftKey, FieldPart, Part
from singletable.drafting.generic import is_generic
from singletable.drafting.grouping import Column, parts_of
from singletable.drafting.kinds import Kind, kind_of, text_kind
from singletable.drafting.making import WIDE, Making
from singletable.drafting.names import free, snake
from singletable.drafting.text import common_look, look_of, padded_width
from singletable.schema.escape import escape, unescape
from singletable.schema.table import KeyAttribute
from singletable.values import AttributeValue

# What is known of values by the words before them: `{"ELECTION": ["election_name"]}`.
Known = Mapping[str, Sequence[str]]

# A key takes as many values, on each side.
MOST = 4

_NAMES = {
    "time": "time",
    "date": "day",
    "number": "number",
    "uuid": "id",
    "ulid": "id",
    "code": "id",
    "email": "email",
    "address": "ip",
}


def raw_key(making: Making) -> DraftKey:
    """The key attributes as fields: whatever they hold is written as it was."""
    used: set[str] = set()
    pk, *sk = [as_it_is(making, one.name, used) for one in making.table.key_attributes]
    return DraftKey("key", (pk,), tuple(sk) or None)


def primary_key(making: Making, pk: Column, sk: Column, known: Known) -> DraftKey:
    """The key, made of fields that items have, and of new ones that stand in the key alone."""
    used: set[str] = set()
    parts = _column(making, making.table.pk, pk, known, used)
    if making.table.sk is None:
        return DraftKey("key", parts, None)
    return DraftKey("key", parts, _column(making, making.table.sk, sk, known, used))


def _column(
    making: Making, attribute: KeyAttribute, column: Column, known: Known, used: set[str]
) -> tuple[Part, ...]:
    values = column.count(None)
    if attribute.type != "S" or values > MOST or not _divides(making, attribute.name, column):
        return (as_it_is(making, attribute.name, used),)
    if column == (None,) and not is_generic(attribute.name):
        told = making.telling(_texts(making, attribute.name, 0), "")
        if told is None:
            return (as_it_is(making, attribute.name, used),)
    parts: list[Part] = []
    for at, fixed in enumerate(column):
        if fixed is not None:
            parts.append(fixed)
            continue
        label = (column[at - 1] or "") if at else ""
        texts = _texts(making, attribute.name, at)
        part = making.telling(texts, label) or _in_key_only(
            making, attribute.name, texts, label, known
        )
        parts.append(replace(part, again=part.field in used))
        used.add(part.field)
    return tuple(parts)


def as_it_is(making: Making, attribute: str, used: set[str]) -> FieldPart:
    """The key attribute as a field: whatever it holds is written as it was."""
    field = making.by_attribute(attribute)
    if field is None:
        held = making.column(attribute)
        there = [value for value in held if value is not None]
        kind = kind_of(attribute, there, making.records)
        if kind.text == "datetime" and "N" in there[0]:
            kind = Kind("int")
        made = DraftField(
            free(snake(attribute), making.fields), attribute, kind, optional=len(there) < len(held)
        )
        field = making.add(made, held)
    part = FieldPart(field.name, again=field.name in used)
    used.add(field.name)
    return part


def _divides(making: Making, attribute: str, column: Column) -> bool:
    """Whether the parts, written by singletable, would give the same keys again."""
    for item in making.items:
        for at, text in enumerate(parts_of(item, attribute)):
            last = at == len(column) - 1
            if not text or escape(unescape(text), last=last) != text:
                return False
    return True


def _texts(making: Making, attribute: str, at: int) -> list[str | None]:
    return [unescape(parts_of(item, attribute)[at]) for item in making.items]


def _in_key_only(
    making: Making, attribute: str, texts: Sequence[str | None], label: str, known: Known
) -> FieldPart:
    """A field that no attribute says, and that is read from the key."""
    there = [text for text in texts if text is not None]
    width = padded_width(there)
    kind = text_kind(there) if width is None else Kind("int")
    name = free(_name(attribute, there, label, known), making.fields)
    held: list[AttributeValue | None] = [
        {"S": text} if width is None else {"N": str(int(text))} for text in there
    ]
    field = making.add(DraftField(name, "", kind, stored=False), held)
    if width is None or width == WIDE:
        return FieldPart(field.name)
    return FieldPart(field.name, "digits", width)


def _name(attribute: str, texts: Sequence[str], label: str, known: Known) -> str:
    look = common_look(texts)
    if label:
        word = snake(label)
        told = sorted(known.get(label, ()), key=lambda name: word not in name)
        if told:
            return told[0] if word in told[0] else f"{word}_{told[0]}"
        return f"{word}_{_NAMES[look] if look in ('email', 'time', 'date') else 'id'}"
    if look is not None:
        return _NAMES[look]
    return snake(attribute) if look_of(texts[0]) is None else "id"
