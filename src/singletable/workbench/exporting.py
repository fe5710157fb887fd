"""Declared tables as a data model of NoSQL Workbench: entities are facets, with sample data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import msgspec

from singletable.schema import Index, Model, Table, model_of
from singletable.schema.resolved_key import Column, TextColumn
from singletable.schema.table import KeyAttribute
from singletable.values import AttributeType, Item, type_of
from singletable.workbench.examples import example_items
from singletable.workbench.format import (
    Alias,
    DataModel,
    DataTable,
    GlobalIndex,
    KeyNamed,
    Keys,
    Metadata,
    Named,
    Projected,
    Provisioning,
    TableFacet,
    Throughput,
)


@dataclass(frozen=True, slots=True)
class Exported:
    """The file's text, and what it has no place for."""

    text: str
    notes: Sequence[str]


def export_model(
    tables: Sequence[Table], name: str, now: datetime, patterns: Sequence[str] = ()
) -> Exported:
    """The tables as a data model. What Workbench cannot hold is told in notes, and in the model.

    Access patterns are listed in the description: how version 3.20 and later write them into the
    file is not published.
    """
    notes: list[str] = []
    data = [_table(table, notes) for table in tables]
    made = now.strftime("%b %d, %Y, %I:%M %p")
    about = " ".join(["Exported from a declaration in Python (singletable).", *notes])
    if patterns:
        about += "\n\nAccess patterns:" + "".join(f"\n* {pattern}" for pattern in patterns)
    model = DataModel(name, data, Metadata("", made, made, about))
    text = msgspec.json.format(msgspec.json.encode(model), indent=2).decode()
    return Exported(f"{text}\n", notes)


def _table(table: Table, notes: list[str]) -> DataTable:
    samples = {entity: example_items(model_of(entity)) for entity in table.entities}
    types = _types(table, [item for items in samples.values() for item in items])
    if table.ttl is not None:
        notes.append(f"Items of {table.name} expire by {table.ttl!r}.")
    notes += [
        f"No sample data could be made up for {entity.__name__}."
        for entity, items in samples.items()
        if not items
    ]
    return DataTable(
        table.name,
        _keys([table.pk], [] if table.sk is None else [table.sk]),
        [Named(name, kind) for name, kind in types.items()],
        [_facet(model_of(entity), items, types) for entity, items in samples.items()],
        [one for one in (_index(table, index, notes) for index in table.indexes) if one],
        data_access={"MySql": dict[str, object]()},
        billing_mode="PAY_PER_REQUEST" if table.capacity is None else "PROVISIONED",
        provisioned_capacity_settings=None
        if table.capacity is None
        else Provisioning(Throughput(table.capacity.read, table.capacity.write)),
    )


def _keys(pk: Sequence[KeyAttribute], sk: Sequence[KeyAttribute]) -> Keys:
    named = [KeyNamed(one.name, one.type) for one in (*pk, *sk)]
    return Keys(*named)


def _index(table: Table, index: Index, notes: list[str]) -> GlobalIndex | None:
    if index.local or len(index.pk) > 1 or len(index.sk) > 1:
        kind = "a local index" if index.local else "an index with keys of several attributes"
        notes.append(
            f"{index.name} of {table.name} is {kind}, for which a model has no place; it is left "
            "out."
        )
        return None
    return GlobalIndex(index.name, _keys(index.pk, index.sk), _projected(index))


def _projected(index: Index) -> Projected:
    if index.projection == "ALL":
        return Projected("ALL")
    if index.projection == "KEYS_ONLY":
        return Projected("KEYS_ONLY")
    return Projected("INCLUDE", list(index.projection))


def _types(table: Table, items: Sequence[Item]) -> dict[str, AttributeType]:
    """The type of each attribute that is no key; an attribute has one type in the whole table."""
    found: dict[str, AttributeType] = {}
    keys = {one.name for one in table.key_attributes}
    for attribute in table.all_key_attributes():
        if attribute.name not in keys:
            found[attribute.name] = attribute.type
    for entity in table.entities:
        model = model_of(entity)
        for field in model.fields.values():
            kinds = sorted(field.codec().types)
            if field.stored and field.attribute not in keys and len(kinds) == 1:
                found.setdefault(field.attribute, kinds[0])  # type: ignore[arg-type]
        if model.tag is not None and model.tag[0] not in keys:
            found.setdefault(model.tag[0], "S")
    for item in items:
        for name, held in item.items():
            if name not in keys and "NULL" not in held:
                found.setdefault(name, type_of(held))  # type: ignore[arg-type]
    return found


def _facet(model: Model, items: Sequence[Item], types: dict[str, AttributeType]) -> TableFacet:
    """The entity, its keys called by their templates. What is of another type is not shown."""
    keys = {one.name for one in model.table.key_attributes}
    shown = [
        {
            name: held
            for name, held in item.items()
            if name in keys or type_of(held) == types.get(name)
        }
        for item in items
    ]
    stored = [field.attribute for field in model.fields.values() if field.stored]
    made = [name for access in model.indexes.values() for name in access.dedicated_attributes]
    tag = [] if model.tag is None else [model.tag[0]]
    names = [name for name in dict.fromkeys((*tag, *stored, *made)) if name not in keys]
    pk, *sk = [_template(column) for column in model.key.columns]
    return TableFacet(model.name, Alias(pk, *sk), shown, names)


def _template(column: Column) -> str:
    return str(column.template) if isinstance(column, TextColumn) else f"{{{column.field}}}"
