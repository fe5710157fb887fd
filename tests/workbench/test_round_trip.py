"""A declaration that is exported, imported and run declares the same tables, keys and indexes."""

from __future__ import annotations

import json
from datetime import datetime

import pytest
from pydantic import BaseModel

from singletable import Attr, Entity, Key, Shards, Table, Unique, attr, padded
from singletable.drafting import Draft, Sample, Told, draft
from singletable.schema import Model, ResolvedKey, create_operation, model_of
from singletable.schema.key_template import (
    FieldSegment,
    FixedSegment,
    RepeatedSegment,
    ShardSegment,
)
from singletable.schema.resolved_key import FieldColumn, TextColumn
from singletable.workbench import export_model, read_model
from tests.drafting.designs import TABLES, data, games, glad, polls

NOW = datetime(2026, 11, 15, 9, 5)


def drafted(text: str) -> Draft:
    """The draft that the command makes of a model."""
    return draft(
        [
            Sample(
                one.table,
                one.items,
                told=[Told(f.name, f.items, f.pk, f.sk, f.attributes) for f in one.facets],
            )
            for one in read_model(text)
        ]
    )


def run(made: Draft) -> list[Table]:
    """The tables that a draft declares."""
    names: dict[str, object] = {"__name__": "a draft"}
    exec(compile(made.source, "a draft", "exec", dont_inherit=True), names)
    return [value for value in names.values() if isinstance(value, Table)]


def key_of(model: Model, access: ResolvedKey) -> list[str]:
    """What each attribute of a key is made of, by the attributes that its fields stand for."""
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
    """All that is compared of a table's entities."""
    models = [model_of(entity) for entity in table.entities]
    return {
        model.name: (
            model.tag,
            key_of(model, model.key),
            {
                access.index.name: key_of(model, access)
                for access in model.indexes.values()
                # There is no place in a model for keys of several attributes.
                if access.index is not None and len(access.columns) <= 2
            },
        )
        for model in models
    }


@pytest.mark.filterwarnings("ignore::singletable.DeclarationWarning")
@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_entities_keys_and_indexes_come_back(table: Table) -> None:
    made = drafted(export_model([table], "a model", NOW).text)
    (again,) = run(made)
    assert described(again) == described(table)
    assert not made.tables[0].unplaced


@pytest.mark.parametrize("table", [table for table in TABLES if table is not glad], ids=str)
def test_the_table_itself_comes_back(table: Table) -> None:
    (again,) = run(drafted(export_model([table], "a model", NOW).text))
    assert create_operation(again) == create_operation(table)


def test_several_tables_are_one_model() -> None:
    exported = export_model([polls, games], "both", NOW)
    assert [table.name for table in run(drafted(exported.text))] == [polls.name, games.name]


# Workbench refuses a model without these; a person sees the rest.
def test_the_file_has_the_shape_that_workbench_has() -> None:
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
    # One poll is the poll of its votes.
    assert poll["TableData"][0]["PK"] == vote["TableData"][0]["PK"]


def test_what_a_model_has_no_place_for_is_told() -> None:
    notes = " ".join(export_model([glad, data], "two", NOW).notes)
    assert "GSI2 of glad-entities is an index with keys of several attributes" in notes
    assert "Items of DataTable expire by 'ttl'" in notes


def test_access_patterns_stand_in_the_description() -> None:
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


# A model without data is better than none; and the facet is drafted from its templates.
def test_what_cannot_be_made_up_is_told() -> None:
    exported = export_model([odd], "odd", NOW)
    assert "No sample data could be made up for Kept." in exported.notes
    assert "No sample data could be made up for Picky." in exported.notes
    (again,) = run(drafted(exported.text))
    assert [entity.__name__ for entity in again.entities] == ["Kept", "Picky", "Spread"]
    assert key_of(model_of(again.entities[0]), model_of(again.entities[0]).key) == [
        "KEPT#{number as text}",
        "KEPT",
    ]


# An attribute has one type in the whole table there, and null is a type of its own.
@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_every_attribute_is_listed_with_the_one_type_it_has(table: Table) -> None:
    (model,) = json.loads(export_model([table], "a model", NOW).text)["DataModel"]
    types = {one["AttributeName"]: one["AttributeType"] for one in model["NonKeyAttributes"]}
    keys = {one.name for one in table.key_attributes}
    for facet in model["TableFacets"]:
        assert facet["TableData"]
        for item in facet["TableData"]:
            assert {name: {*held} for name, held in item.items() if name not in keys} == {
                name: {types[name]} for name in item if name not in keys
            }
