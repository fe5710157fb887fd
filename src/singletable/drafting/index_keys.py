"""The keys of an entity in the indexes of its table, sparse ones included."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from singletable.drafting.drafted import DraftKey, FieldPart, Part, When, is_typed
from singletable.drafting.generic import is_generic, is_generic_index
from singletable.drafting.grouping import parts_of
from singletable.drafting.keys import as_it_is
from singletable.drafting.making import Making
from singletable.drafting.names import free, snake
from singletable.drafting.text import is_word
from singletable.schema import Index
from singletable.schema.key_template import DIVIDER, escape, unescape
from singletable.schema.table import KeyAttribute


def made_for_indexes(making: Making) -> set[str]:
    """The attributes of the items that are there for an index, and say nothing of their own."""
    keys = {one.name for one in making.table.key_attributes}
    return {
        attribute.name
        for index in making.table.indexes
        for attribute in (*index.pk, *index.sk)
        if attribute.name not in keys
        and attribute.type == "S"
        and len(index.pk) == 1
        and len(index.sk) <= 1
        and (is_generic(attribute.name) or _is_joined(making, attribute.name))
    }


def _is_joined(making: Making, attribute: str) -> bool:
    texts = [held["S"] for held in making.column(attribute) if held is not None and "S" in held]
    return bool(texts) and all(DIVIDER in text for text in texts)


def index_keys(making: Making, key: DraftKey) -> list[DraftKey]:
    """A key for each index that some of the items are in."""
    found: list[DraftKey] = []
    for index in making.table.indexes:
        names = [attribute.name for attribute in (*index.pk, *index.sk)]
        if not any(all(name in item for name in names) for item in making.items):
            _keep(making, names)
            continue
        made = _made(making, index, key) or _raw(making, index, key)
        taken = {*making.fields, *(one.name for one in found)}
        found.append(replace(made, name=_name(index, made, taken)))
    return found


def _keep(making: Making, names: Sequence[str]) -> None:
    """Attributes of an index that no item is in are fields like others."""
    made = made_for_indexes(making)
    for name in names:
        if name in made and any(name in item for item in making.items):
            as_it_is(making, name, set())


def _made(making: Making, index: Index, key: DraftKey) -> DraftKey | None:
    """The key made of fields; None if some item would then be elsewhere in the index."""
    used: set[str] = set()
    there = [all(one.name in item for one in (*index.pk, *index.sk)) for item in making.items]
    pk = _columns(making, index.pk, key, there, used)
    sk = _columns(making, index.sk, key, there, used) if index.sk else ()
    if pk is None or sk is None or not _none_is_partly_there(making, index, there):
        return None
    if not is_typed(pk) or not is_typed(sk):
        return None
    parts = [part for part in (*pk, *sk) if isinstance(part, FieldPart)]
    made = DraftKey("", pk, sk or None, index.name)
    wrong = [
        not present and all(making.held[part.field][at] is not None for part in parts)
        for at, present in enumerate(there)
    ]
    if not any(wrong):
        return made
    when = _when(making, there, wrong)
    return None if when is None else replace(made, when=when)


def _none_is_partly_there(making: Making, index: Index, there: Sequence[bool]) -> bool:
    """Whether items that are not in the index have none of the attributes made for it."""
    made = made_for_indexes(making) & {one.name for one in (*index.pk, *index.sk)}
    return not any(
        not present and made & set(item) for item, present in zip(making.items, there, strict=True)
    )


def _columns(
    making: Making,
    attributes: Sequence[KeyAttribute],
    key: DraftKey,
    there: Sequence[bool],
    used: set[str],
) -> tuple[Part, ...] | None:
    if len(attributes) > 1:
        return tuple(as_it_is(making, attribute.name, used) for attribute in attributes)
    (attribute,) = attributes
    if attribute.name == making.table.pk.name:
        return _again(key.pk, used)
    if making.table.sk is not None and attribute.name == making.table.sk.name:
        return _again(key.sk or (), used)
    if attribute.name == making.tag:
        tags = {held["S"] for held in making.column(attribute.name) if held is not None}
        return tuple(tags) if len(tags) == 1 else None
    if attribute.name not in made_for_indexes(making):
        return (as_it_is(making, attribute.name, used),)
    return _template(making, attribute.name, there, used)


def _again(parts: Sequence[Part], used: set[str]) -> tuple[Part, ...]:
    """The parts of the primary key, in the key of an index."""
    found: list[Part] = []
    for part in parts:
        if isinstance(part, str):
            found.append(part)
            continue
        found.append(replace(part, again=part.field in used))
        used.add(part.field)
    return tuple(found)


def _template(
    making: Making, attribute: str, there: Sequence[bool], used: set[str]
) -> tuple[Part, ...] | None:
    rows = [
        parts_of(item, attribute) if present else None
        for item, present in zip(making.items, there, strict=True)
    ]
    widths = {len(row) for row in rows if row is not None}
    if len(widths) != 1:
        return None
    (width,) = widths
    parts: list[Part] = []
    for at in range(width):
        raw = [None if row is None else row[at] for row in rows]
        if any(text is not None and not _same(text, last=at == width - 1) for text in raw):
            return None
        texts = [None if text is None else unescape(text) for text in raw]
        label = parts[-1] if parts and isinstance(parts[-1], str) else ""
        told = making.telling(texts, label)
        fixed = {text for text in texts if text is not None}
        if told is not None:
            parts.append(replace(told, again=told.field in used))
            used.add(told.field)
        elif len(fixed) == 1 and is_word(next(iter(fixed))):
            parts.append(fixed.pop())
        else:
            return None
    return tuple(parts)


def _same(text: str, *, last: bool) -> bool:
    return bool(text) and escape(unescape(text), last=last) == text


def _when(making: Making, there: Sequence[bool], wrong: Sequence[bool]) -> When | None:
    """The field that says which items are in the index: all of those in it have one value."""
    for name, field in making.fields.items():
        if not field.stored or field.kind.text not in ("str", "bool"):
            continue
        held = making.held[name]
        inside = [value for value, present in zip(held, there, strict=True) if present]
        outside = [value for value, other in zip(held, wrong, strict=True) if other]
        if inside[0] is None or any(one != inside[0] for one in inside) or inside[0] in outside:
            continue
        return When(name, inside[0]["S"] if "S" in inside[0] else inside[0]["BOOL"])
    return None


def _raw(making: Making, index: Index, key: DraftKey) -> DraftKey:
    """The attributes of the index as fields: what they hold is kept, and nothing is made."""
    used: set[str] = set()
    own = {one.name for one in making.table.key_attributes}

    def columns(attributes: Sequence[KeyAttribute]) -> tuple[Part, ...]:
        if len(attributes) == 1 and attributes[0].name in own:
            parts = key.pk if attributes[0].name == making.table.pk.name else key.sk or ()
            return _again(parts, used)
        return tuple(as_it_is(making, attribute.name, used) for attribute in attributes)

    pk, sk = columns(index.pk), columns(index.sk)
    names = ", ".join(one.name for one in (*index.pk, *index.sk) if one.name not in own)
    if any(is_generic(name) for name in names.split(", ")):
        making.notes.append(
            f"{names}: no field says what these keys of index {index.name!r} are made of, so they "
            "are fields, and whoever writes an item gives them."
        )
    return DraftKey("", pk, sk or None, index.name)


def _name(index: Index, key: DraftKey, taken: set[str]) -> str:
    if not is_generic_index(index.name):
        return free(snake(index.name), taken)
    parts = (*key.pk, *(key.sk or ()))
    fields = [part.field for part in parts if isinstance(part, FieldPart)]
    word = next((part for part in parts if isinstance(part, str)), index.name)
    short, long = f"by_{(fields or [snake(word)])[0]}", f"by_{'_and_'.join(fields[:2])}"
    return long if short in taken and len(fields) > 1 else free(short, taken)
