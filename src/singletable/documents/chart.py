"""The chart of a table: each entity with its keys, and the fields of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from singletable.documents.markdown import code, lines, plain, table
from singletable.documents.wording import condition_words, type_words
from singletable.patterns.requests import key_template
from singletable.schema import Attr, Index, Model, ResolvedKey, Table, model_of
from singletable.schema.resolved_key import Column

_ROLES = {
    "version": "version: a write of an item that was changed since it was read is refused",
    "created": "set when the item is created",
    "updated": "set at every write",
    "expires": "time to live: never seen after it",
}


def entity_chart(declared: Table) -> str:
    """The entities of a table, with their primary keys and their keys in indexes."""
    titles = ["entity", *(code(key.name) for key in declared.key_attributes)]
    titles += [_titled(index) for index in declared.indexes]
    rows: list[list[str]] = []
    models = [model_of(entity) for entity in declared.entities]
    for model in models:
        cells = [f"**{plain(model.name)}**", *_columns(model.key.columns)]
        rows.append(cells + [_in_index(model, index) for index in declared.indexes])
    for model in models:
        for marker in model.uniques.values():
            who = f"marker of {code(f'{model.name}.{marker.name}')}"
            cells = [who, *_columns(marker.access.columns)]
            rows.append(cells + ["" for _ in declared.indexes])
    return table(titles, rows)


def fields_of(model: Model) -> str:
    """The fields of an entity: how each is stored, of which type it is, and what it is for."""
    rows: list[list[str]] = []
    for name, field in model.fields.items():
        codec = field.codec()
        kind = type_words(field.annotation) + (" | None" if codec.optional else "")
        held = " or ".join(sorted(codec.types - {"NULL"})) if field.stored else "in the key alone"
        attribute = code(field.attribute) if field.stored else ""
        rows.append([code(name), attribute, code(kind), held, lines(_notes(model, name, field))])
    return table(["field", "attribute", "type", "held as", ""], rows)


def _notes(model: Model, name: str, field: Attr[Any]) -> Iterator[str]:
    if name in model.key.fields:
        yield "primary key"
    for access in model.indexes.values():
        if name in access.fields:
            yield f"key {code(access.name)}"
    for marker in model.uniques.values():
        if name in marker.fields:
            kept = "; a value once taken stays taken" if marker.keep_released else ""
            with_ = [code(other) for other in marker.fields if other != name]
            together = f" together with {', '.join(with_)}" if with_ else ""
            yield f"unique{together} ({code(marker.name)}){kept}"
    if field.role is not None:
        yield _ROLES[field.role]
    yield from _counted(model, name)
    if field.default is not None and field.constant:
        default = field.default()
        if default is not None:
            yield f"default {code(repr(default))}"


def _counted(model: Model, name: str) -> Iterator[str]:
    """Which items are counted in a field; they may be in the same table only."""
    for other in map(model_of, model.table.entities):
        for count in other.counts.values():
            if count.entity is model.entity and count.path.field == name:
                yield f"counts {plain(other.name)} ({code(f'{other.name}.{count.name}')})"


def _in_index(model: Model, index: Index) -> str:
    found = [access for access in model.indexes.values() if access.index is index]
    return lines(part for access in found for part in _entry(access))


def _entry(access: ResolvedKey) -> Iterator[str]:
    sides = (access.pk, access.sk)
    keys = (", ".join(code(key_template(column)) for column in side) for side in sides if side)
    yield f"{' / '.join(keys)} ({code(access.name)})"
    if access.condition is not None:
        yield f"only if {code(condition_words(access.condition))}"


def _columns(columns: Sequence[Column]) -> list[str]:
    return [code(key_template(column)) for column in columns]


def _titled(index: Index) -> str:
    sides = (", ".join(plain(key.name) for key in side) for side in (index.pk, index.sk) if side)
    return f"{code(index.name)}: {' / '.join(sides)}"
