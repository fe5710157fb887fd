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
from singletable.drafting.text import common_look, padded_width
from singletable.schema.key_template import escape, unescape
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
    if attribute.type != "S":
        return (as_it_is(making, attribute.name, used),)
    why = _why_whole(making, attribute.name, column)
    if why is not None:
        making.notes.append(f"{attribute.name} is kept as it is: {why}")
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
        first = at == 0 and attribute is making.table.pk
        usual = known.get(label, ()) if label or first else ()
        called = making.called.get((attribute.name, at))
        part = making.telling(texts, label, called)
        if part is None:
            name = called or _name(attribute.name, texts, label, usual)
            part = _in_key_only(making, name, texts)
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


def _why_whole(making: Making, attribute: str, column: Column) -> str | None:
    """Why the parts, written by singletable, would not give the same keys again."""
    if column.count(None) > MOST:
        return f"it has more than {MOST} values."
    for item in making.items:
        parts = parts_of(item, attribute)
        for at, text in enumerate(parts):
            written = escape(unescape(text), last=at == len(column) - 1)
            if not text:
                return f"a part of {'#'.join(parts)!r} is empty, and parts of keys never are."
            if written != text:
                return f"singletable would write {text!r} in {'#'.join(parts)!r} as {written!r}."
    return None


def _texts(making: Making, attribute: str, at: int) -> list[str]:
    return [unescape(parts_of(item, attribute)[at]) for item in making.items]


def _in_key_only(making: Making, name: str, texts: Sequence[str]) -> FieldPart:
    """A field that no attribute says, and that is read from the key."""
    width = padded_width(texts)
    kind = text_kind(texts) if width is None else Kind("int")
    held: list[AttributeValue | None] = [
        {"S": text} if width is None else {"N": str(int(text))} for text in texts
    ]
    field = making.add(DraftField(name, "", kind, stored=False), held)
    if width is None or width == WIDE:
        return FieldPart(field.name)
    return FieldPart(field.name, "padded", width)


def _name(attribute: str, texts: Sequence[str], label: str, usual: Sequence[str]) -> str:
    """What the value is called: as in other entities, or by the word before it, or by its look."""
    look = common_look(texts)
    word = snake(label) if label else ""
    if usual:
        name = min(usual, key=lambda one: word not in one)
        return name if word in name else f"{word}_{name}"
    if label:
        return f"{word}_{_NAMES[look] if look in ('email', 'time', 'date') else 'id'}"
    return snake(attribute) if look is None else _NAMES[look]
