"""Models as others make them become declarations that hold their sample data."""

from __future__ import annotations

import json
from typing import Any

import pytest

from singletable import DeclarationError, Provisioned
from singletable.schema import model_of
from singletable.workbench import read_model
from tests.drafting.foreign import item
from tests.workbench.models import COMPLAINTS, PAYMENTS, PLANNED, SIMPLE, keys, model
from tests.workbench.test_round_trip import drafted, run


@pytest.mark.parametrize("said", [PAYMENTS, COMPLAINTS, PLANNED, SIMPLE], ids=str)
def test_sample_data_is_held_as_it_is(said: dict[str, Any]) -> None:
    text = json.dumps(said)
    tables = {table.name: table for table in run(drafted(text))}
    for one in read_model(text):
        models = [model_of(entity) for entity in tables[one.table.name].entities]
        for stored in one.items:
            (holding,) = [each for each in models if each.matches(stored)]
            instance: object = holding.instance(stored)
            assert holding.item(vars(instance)) == stored


@pytest.mark.parametrize(
    ("said", "lines"),
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
                "# 'TTL' looks like a time to live",
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
                "# There are no items of it",
                "# 'Everything' has no sample data, and its keys are not known",
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
def test_a_draft_reads_as_if_a_person_had_written_it(
    said: dict[str, Any], lines: list[str]
) -> None:
    source = drafted(json.dumps(said)).source
    for line in lines:
        assert line in source, source


def test_reserved_capacity_comes_along() -> None:
    (table,) = run(drafted(json.dumps(PAYMENTS)))
    assert table.capacity == Provisioned(5, 7)


# One item may be shown by several facets; it is one item all the same.
def test_an_item_in_two_facets_is_one() -> None:
    twice = json.loads(json.dumps(PAYMENTS))
    facets = twice["DataModel"][0]["TableFacets"]
    facets.append({**facets[0], "FacetName": "Accounts"})
    (table,) = read_model(json.dumps(twice))
    assert len(table.items) == 3


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (b"\xff\xfe", "no JSON"),
        ("PK,SK\n1,2", "no JSON"),
        ("[]", "Expected `object`, got `array`"),
        (json.dumps(model()), "has no tables"),
        ("{}", "missing required field `ModelName`"),
        ('{"AWSTemplateFormatVersion": "2010-09-09"}', "CloudFormation"),
        ('{"ModelName": "x", "DataModel": [{"Keyspace": 1}]}', "Amazon Keyspaces"),
        ('{"ModelName": "x", "DataModel": [{"TableName": 5}]}', "$.DataModel[0].TableName"),
        (
            json.dumps(model({"TableName": "t", "KeyAttributes": keys("a", types="XX")})),
            "Invalid enum value 'X'",
        ),
        (
            json.dumps(
                model({"TableName": "t", "KeyAttributes": keys("a"), "TableData": [item(b="1")]})
            ),
            "sample data without its key: expected 'a' of type S",
        ),
        (
            json.dumps(
                model(
                    {
                        "TableName": "t",
                        "KeyAttributes": keys("a"),
                        "TableData": [item(a="1", n={"N": "many"})],
                    }
                )
            ),
            "that DynamoDB would refuse",
        ),
        (
            json.dumps(model({"TableName": "t", "KeyAttributes": keys("a", "a")})),
            "Each key attribute has a name of its own",
        ),
    ],
)
def test_what_is_no_model_is_refused_in_words(said: str | bytes, words: str) -> None:
    with pytest.raises(DeclarationError) as refused:
        read_model(said)
    assert words in str(refused.value)
