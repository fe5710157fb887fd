"""A model of NoSQL Workbench, read: tables as they would be declared, with facets and items."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import msgspec

from singletable.errors import DeclarationError, ValidationError
from singletable.schema import Binary, Index, Number, Provisioned, Table
from singletable.schema.table import KeyAttribute, KeyType
from singletable.values import AttributeType, Item, check_item
from singletable.workbench.format import DataModel, DataTable, GlobalIndex, KeyNamed, TableFacet


@dataclass(frozen=True, slots=True)
class Facet:
    """A named view of items; what its keys are called, and the types of its attributes."""

    name: str
    items: Sequence[Item]
    pk: str | None
    sk: str | None
    attributes: dict[str, AttributeType]


@dataclass(frozen=True, slots=True)
class ModelTable:
    """A table of a model, with all items it has anywhere."""

    table: Table
    items: Sequence[Item]
    facets: Sequence[Facet]


def read_model(text: str | bytes) -> list[ModelTable]:
    """The tables of a model; DeclarationError says where it is none."""
    try:
        model = msgspec.json.decode(text, type=DataModel)
    except msgspec.ValidationError as problem:
        raise DeclarationError(
            f"This is no data model of NoSQL Workbench: {problem}. {_likely(text)}"
        ) from None
    except (msgspec.DecodeError, UnicodeDecodeError) as problem:
        raise DeclarationError(
            f"This is no JSON, and so no data model: {problem}. In NoSQL Workbench, choose Export "
            "data model, and its own format."
        ) from None
    if not model.data_model:
        raise DeclarationError(f"The model {model.model_name!r} has no tables.")
    return [_table(table) for table in model.data_model]


def _table(said: DataTable) -> ModelTable:
    table = Table(
        said.table_name,
        pk=_key(said.key_attributes.partition_key),
        sk=None if said.key_attributes.sort_key is None else _key(said.key_attributes.sort_key),
        indexes=[_index(index) for index in said.global_secondary_indexes],
        capacity=_capacity(said),
    )
    types: dict[str, AttributeType] = {
        one.attribute_name: one.attribute_type for one in said.non_key_attributes
    }
    facets = [_facet(facet, types) for facet in said.table_facets]
    items = _once(table, [said.table_data, *(facet.items for facet in facets)])
    return ModelTable(table, items, facets)


def _key(said: KeyNamed) -> KeyType:
    match said.attribute_type:
        case "S":
            return said.attribute_name
        case "N":
            return Number(said.attribute_name)
        case "B":
            return Binary(said.attribute_name)


def _index(said: GlobalIndex) -> Index:
    sort = said.key_attributes.sort_key
    kind = said.projection.projection_type
    return Index(
        said.index_name,
        pk=_key(said.key_attributes.partition_key),
        sk=None if sort is None else _key(sort),
        projection=said.projection.non_key_attributes or "KEYS_ONLY" if kind == "INCLUDE" else kind,
    )


def _capacity(said: DataTable) -> Provisioned | None:
    settings = said.provisioned_capacity_settings
    if said.billing_mode != "PROVISIONED" or settings is None:
        return None
    units = settings.provisioned_throughput
    return Provisioned(units.read_capacity_units, units.write_capacity_units)


def _facet(said: TableFacet, types: dict[str, AttributeType]) -> Facet:
    alias = said.key_attribute_alias
    return Facet(
        said.facet_name,
        said.table_data,
        None if alias is None else alias.partition_key_alias,
        None if alias is None else alias.sort_key_alias,
        {name: types.get(name, "S") for name in said.non_key_attributes},
    )


def _once(table: Table, sources: Iterable[Sequence[Item]]) -> list[Item]:
    """All items, each once: one may be shown by several facets."""
    found: dict[str, Item] = {}
    for items in sources:
        for item in items:
            _check(table, item)
            key = [item[attribute.name] for attribute in table.key_attributes]
            found[json.dumps(key, sort_keys=True)] = item
    return list(found.values())


def _check(table: Table, item: Item) -> None:
    """DeclarationError unless the item could be in the table."""
    for attribute in table.key_attributes:
        held = item.get(attribute.name)
        if held is None or attribute.type not in held:
            raise DeclarationError(
                f"Table {table.name!r} has sample data without its key: {_expected(attribute)}, "
                f"but an item has {held!r} there: {str(item)[:200]}"
            )
    try:
        check_item(item)
    except ValidationError as problem:
        raise DeclarationError(
            f"Table {table.name!r} has sample data that DynamoDB would refuse: {problem} It is "
            f"{str(item)[:200]}"
        ) from None


def _expected(attribute: KeyAttribute) -> str:
    return f"expected {attribute.name!r} of type {attribute.type}"


def _likely(text: str | bytes) -> str:
    """What else the file may be."""
    said = text if isinstance(text, bytes) else text.encode()
    if b"AWSTemplateFormatVersion" in said or b"AWS::DynamoDB::Table" in said:
        return (
            "It looks like a CloudFormation template. In NoSQL Workbench, export the model in its "
            "own format."
        )
    if b"Keyspace" in said:
        return "It may be a model for Amazon Keyspaces; those for DynamoDB are read here."
    return "In NoSQL Workbench, choose Export data model, and its own format."
