"""Known gaps of other engines, with their reasons.

Rule 1: a test that needs a missing feature is an expected failure, with the reason.
Rule 2: `test_known_failures.py` checks that the gaps still exist; remove those that do not.
Rule 3: a test in `FAILS` must fail on that engine; if it passes, it is reported as a failure.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from dynamodb_engine import operations as ops

LOCAL, DYNALITE, MOTO = "DynamoDB Local", "dynalite", "moto server"
FOREIGN = (LOCAL, DYNALITE, MOTO)
TABLE = ops.CreateTable(
    "plain",
    [ops.AttributeDefinition("PK", "S")],
    [ops.KeySchemaElement("PK", "HASH")],
    billing_mode="PAY_PER_REQUEST",
)


@dataclass(frozen=True)
class Lack:
    """A feature that an engine lacks, and an operation that shows it."""

    engine: str
    feature: str
    why: str
    example: ops.Operation[Any]
    needs: Callable[[ops.Operation[Any]], bool]


def _operations(engine: str, feature: str, why: str, *examples: ops.Operation[Any]) -> list[Lack]:
    return [
        Lack(engine, feature, why, example, partial(_is_a, type(example))) for example in examples
    ]


def _is_a(kind: type[ops.Operation[Any]], asked: ops.Operation[Any]) -> bool:
    return type(asked) is kind


def _has_many_attributes(asked: ops.Operation[Any]) -> bool:
    return isinstance(asked, ops.CreateTable) and any(
        len(index.key_schema) > 2 for index in asked.global_secondary_indexes or ()
    )


def _has_stream(asked: ops.Operation[Any]) -> bool:
    return isinstance(asked, ops.UpdateTable) and asked.stream_specification is not None


_MANY_ATTRIBUTES = ops.CreateTable(
    "many",
    [ops.AttributeDefinition(name, "S") for name in ("PK", "a", "b", "c")],
    [ops.KeySchemaElement("PK", "HASH")],
    billing_mode="PAY_PER_REQUEST",
    global_secondary_indexes=[
        ops.GlobalSecondaryIndex(
            "by_three",
            [
                ops.KeySchemaElement("a", "HASH"),
                ops.KeySchemaElement("b", "HASH"),
                ops.KeySchemaElement("c", "RANGE"),
            ],
            ops.Projection("ALL"),
        )
    ],
)

LACKS: list[Lack] = [
    *(
        lack
        for engine in FOREIGN
        for lack in _operations(
            engine, "change feed", "it is singletable's own", ops.ReadChanges(), ops.SweepExpired()
        )
    ),
    *_operations(
        DYNALITE,
        "transactions",
        "it is older than they are",
        ops.TransactWriteItems([ops.TransactWriteItem(put=ops.Put("plain", {"PK": {"S": "a"}}))]),
        ops.TransactGetItems([ops.TransactGetItem(ops.Get("plain", {"PK": {"S": "a"}}))]),
    ),
    *_operations(
        DYNALITE,
        "time to live",
        "it is older than that",
        ops.UpdateTimeToLive(
            "plain", ops.TimeToLiveSpecification(enabled=True, attribute_name="TTL")
        ),
    ),
    Lack(
        DYNALITE,
        "streams",
        "it is older than they are",
        ops.UpdateTable("plain", stream_specification=ops.StreamSpecification(True, "NEW_IMAGE")),
        _has_stream,
    ),
    *_operations(DYNALITE, "streams", "it is older than they are", ops.ListStreams("plain")),
    Lack(
        DYNALITE,
        "index keys of many attributes",
        "it is older than they are",
        _MANY_ATTRIBUTES,
        _has_many_attributes,
    ),
]

# Tests that an engine fails, because it does something else than DynamoDB.
_NO_OLD_ITEM = "it does not give the item that a condition failed on"
_NO_EMPTY_UPDATE = "it breaks on an update without an expression"
FAILS: dict[tuple[str, str], str] = {
    (DYNALITE, "test_conditions_are_evaluated_on_the_item"): _NO_OLD_ITEM,
    (DYNALITE, "test_delete_with_a_condition"): _NO_OLD_ITEM,
    (
        DYNALITE,
        "test_outdated_expected_version_conflicts_in_every_write",
    ): _NO_OLD_ITEM,
    (DYNALITE, "test_put_of_a_new_item_over_an_existing_one_raises"): _NO_OLD_ITEM,
    (DYNALITE, "test_put_with_an_outdated_version_raises"): _NO_OLD_ITEM,
    (DYNALITE, "test_condition_is_on_existing_items"): _NO_OLD_ITEM,
    (DYNALITE, "test_current_as_is_typed"): _NO_OLD_ITEM,
    (DYNALITE, "test_current_as_of_a_model_expects_the_model"): _NO_OLD_ITEM,
    (DYNALITE, "test_put_with_a_condition"): _NO_OLD_ITEM,
    (DYNALITE, "test_update_of_an_older_item_writes_the_upgraded_one"): _NO_OLD_ITEM,
    (DYNALITE, "test_replace_with_a_condition"): _NO_OLD_ITEM,
    (DYNALITE, "test_table_without_a_sort_key"): _NO_OLD_ITEM,
    (DYNALITE, "test_create_table_creates_the_declared_table"): "it has no time to live",
    (DYNALITE, "test_version_can_be_assigned"): _NO_OLD_ITEM,
    (DYNALITE, "test_update_with_a_condition"): _NO_OLD_ITEM,
    (DYNALITE, "test_item_without_a_version_has_version_zero"): _NO_OLD_ITEM,
    (DYNALITE, "test_update_with_an_expected_version"): _NO_OLD_ITEM,
    (DYNALITE, "test_create_of_an_existing_item_raises"): _NO_OLD_ITEM,
    (
        DYNALITE,
        "test_union_is_read_back_as_the_type_that_was_written[dynalite-last0]",
    ): "it does not compare maps",
    (
        DYNALITE,
        "test_union_is_read_back_as_the_type_that_was_written[dynalite-last1]",
    ): "it does not compare maps",
    (MOTO, "test_update_without_edits_returns_the_item_unchanged"): _NO_EMPTY_UPDATE,
    (MOTO, "test_upsert_of_an_existing_item_leaves_an_empty_set"): _NO_EMPTY_UPDATE,
    (MOTO, "test_upsert_without_edits_gets_or_creates"): _NO_EMPTY_UPDATE,
    (MOTO, "test_required_set_may_be_empty"): _NO_EMPTY_UPDATE,
    (MOTO, "test_edits_of_a_patch[moto server-patch3-old-open-place3]"): _NO_EMPTY_UPDATE,
    (MOTO, "test_edits_of_a_patch[moto server-patch6-old-open-place6]"): _NO_EMPTY_UPDATE,
    (MOTO, "test_edits_of_a_patch[moto server-patch8-old-open-place8]"): _NO_EMPTY_UPDATE,
    (MOTO, "test_conditions_are_evaluated_on_the_item[moto server-not]"): "NOT breaks its parser",
    (MOTO, "test_token_of_another_transaction_raises"): "it ignores tokens",
    (MOTO, "test_token_applies_a_transaction_once"): "it ignores tokens",
    (
        MOTO,
        "test_item_without_ttl_does_not_expire[moto server-held1]",
    ): "it breaks on a list compared",
}
