"""Import a NoSQL Workbench model: its tables as declarations, with their facets and items."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import msgspec

from dynamodb_engine.values import AttributeType, Item, check_item
from singletable.errors import DeclarationError, ValidationError
from singletable.schema import Binary, Index, Number, Provisioned, Table
from singletable.schema.table import KeyType
from singletable_design.workbench.format import (
    DataModel,
    DataTable,
    GlobalIndex,
    KeyEntry,
    TableFacet,
)


@dataclass(frozen=True, slots=True)
class Facet:
    """A named view of items, with the aliases of its keys and the types of its attributes."""

    name: str
    items: Sequence[Item]
    pk: str | None
    sk: str | None
    attributes: dict[str, AttributeType]


@dataclass(frozen=True, slots=True)
class ModelTable:
    """A table of a model, with the items of all its facets."""

    table: Table
    items: Sequence[Item]
    facets: Sequence[Facet]


def read_model(text: str | bytes) -> list[ModelTable]:
    """Return the tables of a model; raise DeclarationError if the text is not a valid model."""
    try:
        model = msgspec.json.decode(text, type=DataModel)
    except msgspec.ValidationError as problem:
        raise DeclarationError(
            f"This is not a NoSQL Workbench data model: {problem}. {_guess_format(text)}"
        ) from None
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as problem:
        raise DeclarationError(
            f"This is not JSON, so it is not a data model: {problem}. In NoSQL Workbench, choose "
            "Export data model and the NoSQL Workbench format."
        ) from None
    if not model.data_model:
        raise DeclarationError(f"The model {model.model_name!r} has no tables.")
    return [_table(table) for table in model.data_model]


def _table(entry: DataTable) -> ModelTable:
    table = Table(
        entry.table_name,
        pk=_key(entry.key_attributes.partition_key),
        sk=None if entry.key_attributes.sort_key is None else _key(entry.key_attributes.sort_key),
        indexes=[_index(index) for index in entry.global_secondary_indexes],
        capacity=_capacity(entry),
    )
    types: dict[str, AttributeType] = {
        one.attribute_name: one.attribute_type for one in entry.non_key_attributes
    }
    facets = [_facet(facet, types) for facet in entry.table_facets]
    items = _distinct_items(table, [entry.table_data, *(facet.items for facet in facets)])
    return ModelTable(table, items, facets)


def _key(entry: KeyEntry) -> KeyType:
    match entry.attribute_type:
        case "S":
            return entry.attribute_name
        case "N":
            return Number(entry.attribute_name)
        case "B":
            return Binary(entry.attribute_name)


def _index(entry: GlobalIndex) -> Index:
    sort = entry.key_attributes.sort_key
    kind = entry.projection.projection_type
    return Index(
        entry.index_name,
        pk=_key(entry.key_attributes.partition_key),
        sk=None if sort is None else _key(sort),
        projection=entry.projection.non_key_attributes or "KEYS_ONLY"
        if kind == "INCLUDE"
        else kind,
    )


def _capacity(entry: DataTable) -> Provisioned | None:
    settings = entry.provisioned_capacity_settings
    if entry.billing_mode != "PROVISIONED" or settings is None:
        return None
    units = settings.provisioned_throughput
    return Provisioned(units.read_capacity_units, units.write_capacity_units)


def _facet(entry: TableFacet, types: dict[str, AttributeType]) -> Facet:
    alias = entry.key_attribute_alias
    return Facet(
        entry.facet_name,
        entry.table_data,
        None if alias is None else alias.partition_key_alias,
        None if alias is None else alias.sort_key_alias,
        {name: types.get(name, "S") for name in entry.non_key_attributes},
    )


def _distinct_items(table: Table, sources: Iterable[Sequence[Item]]) -> list[Item]:
    """Return all items without duplicates; several facets may show the same item."""
    items_by_key: dict[str, Item] = {}
    for items in sources:
        for item in items:
            _check_sample_item(table, item)
            key = [item[attribute.name] for attribute in table.key_attributes]
            items_by_key[json.dumps(key, sort_keys=True)] = item
    return list(items_by_key.values())


def _check_sample_item(table: Table, item: Item) -> None:
    """Raise DeclarationError unless the item is valid for the table."""
    for attribute in table.key_attributes:
        value = item.get(attribute.name)
        if value is None or attribute.type not in value:
            raise DeclarationError(
                f"Table {table.name!r} has sample data without its key: expected "
                f"{attribute.name!r} of type {attribute.type}, but got {value!r} in "
                f"{str(item)[:200]}"
            )
    try:
        check_item(item)
    except ValidationError as problem:
        raise DeclarationError(
            f"Table {table.name!r} has sample data that DynamoDB would reject: {problem} Item: "
            f"{str(item)[:200]}"
        ) from None


def _guess_format(text: str | bytes) -> str:
    """Guess the actual format of the file."""
    content = text if isinstance(text, bytes) else text.encode()
    if b"AWSTemplateFormatVersion" in content or b"AWS::DynamoDB::Table" in content:
        return (
            "It looks like a CloudFormation template. In NoSQL Workbench, export the model in the "
            "NoSQL Workbench format."
        )
    if b"Keyspace" in content:
        return "It may be a model for Amazon Keyspaces; only DynamoDB models are supported."
    return "In NoSQL Workbench, choose Export data model and the NoSQL Workbench format."
