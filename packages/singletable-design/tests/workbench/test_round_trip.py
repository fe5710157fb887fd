"""Exporting and importing a declaration yields the same tables, keys and indexes."""

from __future__ import annotations

import json
from datetime import datetime

import pytest
from pydantic import BaseModel

from singletable import Attr, Entity, Key, Shards, Table, Unique, attr, padded
from singletable.schema import Model, ResolvedKey, create_operation, model_of
from singletable.schema.key_template import (
    FieldSegment,
    FixedSegment,
    RepeatedSegment,
    ShardSegment,
)
from singletable.schema.resolved_key import FieldColumn, TextColumn
from singletable_design.introspection import EntityHint, Introspection, TableSample, introspect
from singletable_design.workbench import export_model, read_model
from tests.introspection.designs import TABLES, data, games, glad, polls

NOW = datetime(2026, 11, 15, 9, 5)


def import_model(text: str) -> Introspection:
    """Introspect a model as the import command does."""
    return introspect(
        [
            TableSample(
                one.table,
                one.items,
                hints=[EntityHint(f.name, f.items, f.pk, f.sk, f.attributes) for f in one.facets],
            )
            for one in read_model(text)
        ]
    )


def declared_tables(result: Introspection) -> list[Table]:
    """Execute the generated source and return the tables it declares."""
    names: dict[str, object] = {"__name__": "generated source"}
    exec(compile(result.source, "generated source", "exec", dont_inherit=True), names)
    return [value for value in names.values() if isinstance(value, Table)]


def key_of(model: Model, access: ResolvedKey) -> list[str]:
    """Return the template of each key attribute, with attribute names in place of fields."""
    texts: list[str] = []
    for column in access.columns:
        match column:
            case FieldColumn():
                texts.append(model.fields[column.field].attribute)
            case TextColumn():
                texts.append("#".join(_segment(model, one) for one in column.template.segments))
    return texts


def _segment(
    model: Model, segment: FixedSegment | FieldSegment | RepeatedSegment | ShardSegment
) -> str:
    match segment:
        case FixedSegment(text):
            return text
        case FieldSegment(field, form) | RepeatedSegment(FieldSegment(field, form)):
            stored = model.fields[field].stored
            return f"{{{model.fields[field].attribute if stored else ''} as {form.name}}}"
        case ShardSegment():
            return "shards"


def described(table: Table) -> dict[str, object]:
    """Return the compared parts of a table's entities: type tags and keys."""
    models = [model_of(entity) for entity in table.entities]
    return {
        model.name: (
            model.tag,
            key_of(model, model.key),
            {
                access.index.name: key_of(model, access)
                for access in model.indexes.values()
                # The format has no multi-attribute index keys.
                if access.index is not None and len(access.columns) <= 2
            },
        )
        for model in models
    }


@pytest.mark.filterwarnings("ignore::singletable.DeclarationWarning")
@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_entities_and_keys_survive_the_round_trip(table: Table) -> None:
    result = import_model(export_model([table], "a model", NOW).text)
    (imported,) = declared_tables(result)
    assert described(imported) == described(table)
    assert not result.tables[0].unmatched


@pytest.mark.parametrize("table", [table for table in TABLES if table is not glad], ids=str)
def test_table_definition_survives_the_round_trip(table: Table) -> None:
    (imported,) = declared_tables(import_model(export_model([table], "a model", NOW).text))
    assert create_operation(imported) == create_operation(table)


def test_model_may_have_several_tables() -> None:
    exported = export_model([polls, games], "both", NOW)
    assert [table.name for table in declared_tables(import_model(exported.text))] == [
        polls.name,
        games.name,
    ]


# Workbench rejects a model that lacks any of these.
def test_exported_file_has_the_workbench_format() -> None:
    exported = export_model([polls], "Polls", NOW)
    model = json.loads(exported.text)
    assert model["ModelName"] == "Polls"
    assert model["ModelMetadata"] == {
        "Author": "",
        "DateCreated": "Nov 15, 2026, 09:05 AM",
        "DateLastModified": "Nov 15, 2026, 09:05 AM",
        "Description": "Exported from a declaration in Python (singletable).",
        "AWSService": "Amazon DynamoDB",
        "Version": "3.0",
    }
    (table,) = model["DataModel"]
    assert table["TableName"] == "ranked-choice-polls"
    assert table["KeyAttributes"] == {
        "PartitionKey": {"AttributeName": "PK", "AttributeType": "S"},
        "SortKey": {"AttributeName": "SK", "AttributeType": "S"},
    }
    assert {"AttributeName": "rankings", "AttributeType": "L"} in table["NonKeyAttributes"]
    assert table["BillingMode"] == "PAY_PER_REQUEST"
    poll, vote = table["TableFacets"]
    assert vote["FacetName"] == "Vote"
    assert vote["KeyAttributeAlias"] == {
        "PartitionKeyAlias": "POLL#{poll_id}",
        "SortKeyAlias": "VOTE#{id}",
    }
    assert vote["NonKeyAttributes"] == ["pollId", "id", "rankings"]
    assert vote["DataAccess"] == {"MySql": {}}
    # The example votes belong to the example poll.
    assert poll["TableData"][0]["PK"] == vote["TableData"][0]["PK"]


def test_notes_name_what_the_format_cannot_represent() -> None:
    notes = " ".join(export_model([glad, data], "two", NOW).notes)
    assert "GSI2 of glad-entities is omitted" in notes
    assert "Items of DataTable expire by 'ttl'" in notes


def test_description_lists_the_access_patterns() -> None:
    exported = export_model([polls], "Polls", NOW, ["AP1: Get a poll", "AP2: Votes of a poll"])
    about = json.loads(exported.text)["ModelMetadata"]["Description"]
    assert about.endswith("Access patterns:\n* AP1: Get a poll\n* AP2: Votes of a poll")


odd = Table("odd")


class Tree(BaseModel):
    name: str
    children: list[Tree] = []


class Kept(Entity, table=odd):
    number: Attr[str] = attr()
    tree: Attr[Tree] = attr()
    key = Key(pk=("KEPT", number), sk="KEPT")


class Picky(Entity, table=odd):
    number: Attr[str] = attr(check=lambda text: text == "the one")
    key = Key(pk=("PICKY", number), sk="PICKY")


class Spread(Entity, table=odd):
    page: Attr[str] = attr()
    number: Attr[int] = attr()
    one_page = Unique(page)
    key = Key(pk=("CLICKS", page, Shards(4, by=number)), sk=(padded(number, 6),))


# A facet without sample data is imported from its key templates.
def test_entities_without_sample_data_are_noted_and_imported() -> None:
    exported = export_model([odd], "odd", NOW)
    assert "No sample data could be generated for Kept." in exported.notes
    assert "No sample data could be generated for Picky." in exported.notes
    (imported,) = declared_tables(import_model(exported.text))
    assert [entity.__name__ for entity in imported.entities] == ["Kept", "Picky", "Spread"]
    assert key_of(model_of(imported.entities[0]), model_of(imported.entities[0]).key) == [
        "KEPT#{number as str}",
        "KEPT",
    ]


# In a model, an attribute has one type in the whole table, and NULL is a type.
@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_every_attribute_is_listed_with_its_only_type(table: Table) -> None:
    (model,) = json.loads(export_model([table], "a model", NOW).text)["DataModel"]
    types = {one["AttributeName"]: one["AttributeType"] for one in model["NonKeyAttributes"]}
    keys = {one.name for one in table.key_attributes}
    for facet in model["TableFacets"]:
        assert facet["TableData"]
        for item in facet["TableData"]:
            assert {name: {*held} for name, held in item.items() if name not in keys} == {
                name: {types[name]} for name in item if name not in keys
            }
