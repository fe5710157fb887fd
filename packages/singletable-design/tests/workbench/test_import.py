"""Models of NoSQL Workbench are imported as declarations that match their sample data."""

from __future__ import annotations

import json
from typing import Any

import pytest

from singletable import DeclarationError, Provisioned
from singletable.schema import model_of
from singletable_design.workbench import read_model
from tests.introspection.foreign_tables import item
from tests.workbench.models import COMPLAINTS, PAYMENTS, PLANNED, SIMPLE, keys, model
from tests.workbench.test_round_trip import declared_tables, import_model


@pytest.mark.parametrize("content", [PAYMENTS, COMPLAINTS, PLANNED, SIMPLE], ids=str)
def test_sample_data_is_encoded_unchanged(content: dict[str, Any]) -> None:
    text = json.dumps(content)
    tables = {table.name: table for table in declared_tables(import_model(text))}
    for source in read_model(text):
        models = [model_of(entity) for entity in tables[source.table.name].entities]
        for stored in source.items:
            (matching,) = [each for each in models if each.matches(stored)]
            instance: object = matching.instance(stored)
            assert matching.item(vars(instance)) == stored


@pytest.mark.parametrize(
    ("content", "lines"),
    [
        (
            PAYMENTS,
            [
                'gsi_1 = Index("GSI-1", pk="NextDate", sk="LastDate", projection=["SKU", "Email"])',
                "class Subscription(Entity, table=recurring_payments):",
                'key = Key(pk=("ACC", acc_id), sk=("SUB", sub_id, "SKU", sku))',
                "by_next_date = Key(pk=next_date, sk=last_date).on(gsi_1)",
                "class Receipts(Entity, table=recurring_payments):",
                'key = Key(pk=("ACC", acc_id), sk=("REC", processed_date, "SKU", sku))',
                "# 'TTL' looks like a TTL attribute",
            ],
        ),
        (
            COMPLAINTS,
            [
                'key = Key(pk=complaint_id, sk=("comm", comm_date, comm_id))',
                'key = Key(pk=complaint_id, sk="metadata")',
                "attachments: Attr[set[str]] = attr(factory=set)",
                "escalated_to: Attr[str | None] = attr(default=None)",
            ],
        ),
        (
            PLANNED,
            [
                'shop = Table("shop", pk="pk", sk="sk")',
                'key = Key(pk=("CUSTOMER", customer_id), sk=("ORDER", order_id))',
                "total: Attr[Decimal] = attr()",
                "# There are no items of this entity",
                "# 'Everything' has no sample data and no key templates",
            ],
        ),
        (
            SIMPLE,
            [
                'users = Table("users", pk="user_id", sk=None)',
                'readings = Table("readings", pk="device", sk=Number("at"))',
                "key = Key(pk=device, sk=at)",
            ],
        ),
    ],
    ids=["payments", "complaints", "planned", "simple"],
)
def test_source_has_the_expected_lines(content: dict[str, Any], lines: list[str]) -> None:
    source = import_model(json.dumps(content)).source
    for line in lines:
        assert line in source, source


def test_provisioned_capacity_is_imported() -> None:
    (table,) = declared_tables(import_model(json.dumps(PAYMENTS)))
    assert table.capacity == Provisioned(5, 7)


def test_item_in_two_facets_is_imported_once() -> None:
    twice = json.loads(json.dumps(PAYMENTS))
    facets = twice["DataModel"][0]["TableFacets"]
    facets.append({**facets[0], "FacetName": "Accounts"})
    (table,) = read_model(json.dumps(twice))
    assert len(table.items) == 3


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"\xff\xfe", "not JSON"),
        ("PK,SK\n1,2", "not JSON"),
        ("[]", "Expected `object`, got `array`"),
        (json.dumps(model()), "has no tables"),
        ("{}", "missing required field `ModelName`"),
        ('{"AWSTemplateFormatVersion": "2010-09-09"}', "CloudFormation"),
        ('{"ModelName": "x", "DataModel": [{"Keyspace": 1}]}', "Amazon Keyspaces"),
        ('{"ModelName": "x", "DataModel": [{"TableName": 5}]}', "$.DataModel[0].TableName"),
        (
            json.dumps(model({"TableName": "tab", "KeyAttributes": keys("a", types="XX")})),
            "Invalid enum value 'X'",
        ),
        (
            json.dumps(
                model({"TableName": "tab", "KeyAttributes": keys("a"), "TableData": [item(b="1")]})
            ),
            "sample data without its key: expected 'a' of type S",
        ),
        (
            json.dumps(
                model(
                    {
                        "TableName": "tab",
                        "KeyAttributes": keys("a"),
                        "TableData": [item(a="1", n={"N": "many"})],
                    }
                )
            ),
            "that DynamoDB would reject",
        ),
        (
            json.dumps(model({"TableName": "tab", "KeyAttributes": keys("a", "a")})),
            "Key attributes need distinct names",
        ),
    ],
)
def test_invalid_model_is_rejected(content: str | bytes, reason: str) -> None:
    with pytest.raises(DeclarationError) as error:
        read_model(content)
    assert reason in str(error.value)
