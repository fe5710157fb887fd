"""Export declared tables as a NoSQL Workbench model: each entity is a facet with sample data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

import msgspec

from dynamodb_engine.values import AttributeType, Item, type_of
from singletable.errors import InvalidValue
from singletable.schema import Index, Model, Table, model_of
from singletable.schema.examples import example_value, field_labels
from singletable.schema.resolved_key import Column, TextColumn
from singletable.schema.table import KeyAttribute
from singletable_design.workbench.format import (
    AttributeEntry,
    CapacitySettings,
    DataModel,
    DataTable,
    GlobalIndex,
    IndexProjection,
    KeyAlias,
    KeyAttributes,
    KeyEntry,
    Metadata,
    TableFacet,
    Throughput,
)

# Two show which values vary, the third which fields may be absent.
EXAMPLES_PER_ENTITY = 3


def example_items(model: Model) -> list[Item]:
    """Return example items of an entity; none if no valid values can be made up."""
    if model.encrypted:
        return []  # made-up values need no key
    labels = field_labels(model.key.columns)
    examples: list[Item] = []
    keys = [one.name for one in model.table.key_attributes]
    for number in range(1, EXAMPLES_PER_ENTITY + 1):
        try:
            values = _values(model, labels, number)
            model.codec.check(
                {name: one for name, one in values.items() if name not in model.key_only_fields}
            )
            item = model.item(values)
        except (InvalidValue, TypeError, ValueError, RecursionError):
            continue
        if all(any(item[key] != other[key] for key in keys) for other in examples):
            examples.append(item)
    return examples


def _values(model: Model, labels: Mapping[str, str], number: int) -> dict[str, object]:
    """Return a value for each field; the last example omits optional fields."""
    values: dict[str, object] = {}
    for name, field in model.fields.items():
        absent = number == EXAMPLES_PER_ENTITY and field.codec().optional
        label = labels.get(name, name)
        values[name] = None if absent else example_value(field.annotation, label, number)
    return values


@dataclass(frozen=True, slots=True)
class ExportedModel:
    """The text of the file, and notes on parts that the format cannot represent."""

    text: str
    notes: Sequence[str]


def export_model(
    tables: Sequence[Table], name: str, now: datetime, patterns: Sequence[str] = ()
) -> ExportedModel:
    """Return the tables as a data model, with notes on what the format cannot represent.

    The notes and the access patterns are also in the model's description; how Workbench 3.20 and
    later store access patterns is not published.
    """
    notes: list[str] = []
    data = [_table(table, notes) for table in tables]
    timestamp = now.strftime("%b %d, %Y, %I:%M %p")
    description = " ".join(["Exported from a declaration in Python (singletable).", *notes])
    if patterns:
        description += "\n\nAccess patterns:" + "".join(f"\n* {pattern}" for pattern in patterns)
    model = DataModel(name, data, Metadata("", timestamp, timestamp, description))
    text = msgspec.json.format(msgspec.json.encode(model), indent=2).decode()
    return ExportedModel(f"{text}\n", notes)


def _table(table: Table, notes: list[str]) -> DataTable:
    samples = {entity: example_items(model_of(entity)) for entity in table.entities}
    types = _attribute_types(table, [item for items in samples.values() for item in items])
    if table.ttl is not None:
        notes.append(f"Items of {table.name} expire by {table.ttl!r}.")
    notes += [
        f"No sample data could be generated for {entity.__name__}."
        for entity, items in samples.items()
        if not items
    ]
    return DataTable(
        table.name,
        _key_attributes([table.pk], [] if table.sk is None else [table.sk]),
        [AttributeEntry(name, kind) for name, kind in types.items()],
        [_facet(model_of(entity), items, types) for entity, items in samples.items()],
        [one for one in (_index(table, index, notes) for index in table.indexes) if one],
        data_access={"MySql": dict[str, object]()},
        billing_mode="PAY_PER_REQUEST" if table.capacity is None else "PROVISIONED",
        provisioned_capacity_settings=None
        if table.capacity is None
        else CapacitySettings(Throughput(table.capacity.read, table.capacity.write)),
    )


def _key_attributes(pk: Sequence[KeyAttribute], sk: Sequence[KeyAttribute]) -> KeyAttributes:
    named = [KeyEntry(one.name, one.type) for one in (*pk, *sk)]
    return KeyAttributes(*named)


def _index(table: Table, index: Index, notes: list[str]) -> GlobalIndex | None:
    if index.local or len(index.pk) > 1 or len(index.sk) > 1:
        kind = "local indexes" if index.local else "indexes with multi-attribute keys"
        notes.append(f"{index.name} of {table.name} is omitted: a Workbench model has no {kind}.")
        return None
    return GlobalIndex(index.name, _key_attributes(index.pk, index.sk), _projection(index))


def _projection(index: Index) -> IndexProjection:
    if index.projection == "ALL":
        return IndexProjection("ALL")
    if index.projection == "KEYS_ONLY":
        return IndexProjection("KEYS_ONLY")
    return IndexProjection("INCLUDE", list(index.projection))


def _attribute_types(table: Table, items: Sequence[Item]) -> dict[str, AttributeType]:
    """Return the type of each non-key attribute; an attribute has one type in the whole table."""
    types: dict[str, AttributeType] = {}
    keys = {one.name for one in table.key_attributes}
    for attribute in table.all_key_attributes():
        if attribute.name not in keys:
            types[attribute.name] = attribute.type
    for entity in table.entities:
        model = model_of(entity)
        for field in model.fields.values():
            kinds = sorted(field.codec().types)
            if field.stored and field.attribute not in keys and len(kinds) == 1:
                types.setdefault(field.attribute, kinds[0])  # type: ignore[arg-type]
        if model.tag is not None and model.tag[0] not in keys:
            types.setdefault(model.tag[0], "S")
    for item in items:
        for name, value in item.items():
            if name not in keys and "NULL" not in value:
                types.setdefault(name, type_of(value))  # type: ignore[arg-type]
    return types


def _facet(model: Model, items: Sequence[Item], types: dict[str, AttributeType]) -> TableFacet:
    """Return the entity as a facet, with key templates as aliases; omit values of another type."""
    keys = {one.name for one in model.table.key_attributes}
    data = [
        {
            name: value
            for name, value in item.items()
            if name in keys or type_of(value) == types.get(name)
        }
        for item in items
    ]
    stored = [field.attribute for field in model.fields.values() if field.stored]
    made = [name for access in model.indexes.values() for name in access.dedicated_attributes]
    tag = [] if model.tag is None else [model.tag[0]]
    names = [name for name in dict.fromkeys((*tag, *stored, *made)) if name not in keys]
    pk, *sk = [_template(column) for column in model.key.columns]
    return TableFacet(model.name, KeyAlias(pk, *sk), data, names)


def _template(column: Column) -> str:
    return str(column.template) if isinstance(column, TextColumn) else f"{{{column.field}}}"
