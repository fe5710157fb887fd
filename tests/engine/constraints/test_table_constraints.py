"""How AWS reports violations in operations on tables, in all regions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

from singletable.operations import (
    AttributeDefinition,
    CreateTable,
    DeleteTable,
    DescribeContinuousBackups,
    DescribeTable,
    DescribeTimeToLive,
    KeySchemaElement,
    ListTables,
    Operation,
    PointInTimeRecoverySpecification,
    ProvisionedThroughput,
    SSESpecification,
    StreamSpecification,
    TimeToLiveSpecification,
    UpdateContinuousBackups,
    UpdateTable,
    UpdateTimeToLive,
)

Claim: TypeAlias = tuple[Operation[object], str]

ONE, TWO = "1 validation error detected: ", "2 validation errors detected: "
FAILED = "failed to satisfy constraint: Member must"
NO_NAME = "The parameter 'TableName' is required but was not present in the request"
SHORT = "have length greater than or equal to 3"
PATTERN = "satisfy regular expression pattern: [a-zA-Z0-9_.-]+"
NOTHING: Any = None

PK = KeySchemaElement("pk", "HASH")
DEFINED = AttributeDefinition("pk", "S")


def create(table_name: Any = "tab", **fields: Any) -> CreateTable:
    attribute_definitions: Any = fields.pop("attribute_definitions", [DEFINED])
    key_schema: Any = fields.pop("key_schema", [PK])
    return CreateTable(table_name, attribute_definitions, key_schema, **fields)


def update(table_name: Any = "tab", **fields: Any) -> UpdateTable:
    return UpdateTable(table_name, **fields)


def any_word(word: Any) -> Any:
    return word


def null(path: str) -> str:
    return f"Value null at '{path}' {FAILED} not be null"


NAMES: list[Claim] = [
    (create(table_name=None), NO_NAME),
    (create(table_name=None, key_schema=None), NO_NAME),
    (update(table_name=None), NO_NAME),
    (DescribeTable(NOTHING), NO_NAME),
    (DeleteTable(NOTHING), NO_NAME),
    (DescribeTimeToLive(NOTHING), NO_NAME),
    (UpdateTimeToLive(NOTHING, NOTHING), NO_NAME),
    (DescribeContinuousBackups(NOTHING), NO_NAME),
    (UpdateContinuousBackups(NOTHING, NOTHING), NO_NAME),
    (create(table_name="ab"), f"{ONE}Value 'ab' at 'tableName' {FAILED} {SHORT}"),
    (update(table_name="ab"), f"{ONE}Value 'ab' at 'tableName' {FAILED} {SHORT}"),
    (
        create(table_name="a" * 256),
        f"{ONE}Value '{'a' * 256}' at 'tableName' {FAILED} have length less than or equal to 255",
    ),
    (
        DescribeTable(""),
        f"{TWO}Value '' at 'tableName' {FAILED} {SHORT}; Value '' at 'tableName' {FAILED} "
        f"{PATTERN}",
    ),
    (
        create(table_name="", key_schema=[], attribute_definitions=[]),
        f"{TWO}Value '' at 'tableName' {FAILED} {SHORT}; Value '' at 'tableName' {FAILED} "
        f"{PATTERN}",
    ),
    (
        create(table_name="abc;", attribute_definitions=None, key_schema=None),
        f"3 validation errors detected: {null('attributeDefinitions')}; "
        f"Value 'abc;' at 'tableName' {FAILED} {PATTERN}; {null('keySchema')}",
    ),
    (
        DeleteTable("arn:aws:dynamodb:eu-west-2:000000000000:backup/b"),
        f"{ONE}Invalid resource type in 'arn:aws:dynamodb:eu-west-2:000000000000:backup/b'",
    ),
]
SETTINGS: list[Claim] = [
    (
        create(billing_mode="INVALID_MODE"),
        f"{ONE}Value 'INVALID_MODE' at 'billingMode' {FAILED} "
        "satisfy enum value set: [PROVISIONED, PAY_PER_REQUEST]",
    ),
    (
        update(provisioned_throughput=ProvisionedThroughput(0, 0)),
        f"{TWO}Value '0' at 'provisionedThroughput.writeCapacityUnits' {FAILED} "
        "have value greater than or equal to 1; "
        f"Value '0' at 'provisionedThroughput.readCapacityUnits' {FAILED} "
        "have value greater than or equal to 1",
    ),
    (
        update(provisioned_throughput=ProvisionedThroughput(1, NOTHING)),
        ONE + null("provisionedThroughput.writeCapacityUnits"),
    ),
    (
        create(stream_specification=StreamSpecification(NOTHING)),
        ONE + null("streamSpecification.streamEnabled"),
    ),
    (
        create(stream_specification=StreamSpecification(True, any_word("new_image"))),
        f"{ONE}Value 'new_image' at 'streamSpecification.streamViewType' {FAILED} "
        "satisfy enum value set: [OLD_IMAGE, KEYS_ONLY, NEW_AND_OLD_IMAGES, NEW_IMAGE]",
    ),
    (
        create(sse_specification=SSESpecification(True, any_word("kms"))),
        f"{ONE}Value 'kms' at 'sSESpecification.sSEType' {FAILED} "
        "satisfy enum value set: [AES256, KMS]",
    ),
    (
        update(sse_specification=SSESpecification(True, "KMS", "")),
        f"{ONE}Value '' at 'sSESpecification.kMSMasterKeyId' {FAILED} "
        "have length greater than or equal to 1",
    ),
    (
        update(table_class="COLD"),
        "Invalid table-class parameter provided. Please try again with a valid table-class value: "
        "[STANDARD, STANDARD_INFREQUENT_ACCESS].",
    ),
    (
        UpdateTimeToLive("tab", TimeToLiveSpecification(NOTHING, NOTHING)),
        f"{TWO}{null('timeToLiveSpecification.attributeName')}; "
        f"{null('timeToLiveSpecification.enabled')}",
    ),
    (
        UpdateTimeToLive("tab", TimeToLiveSpecification(True, "")),
        f"{ONE}Value '' at 'timeToLiveSpecification.attributeName' {FAILED} "
        "have length greater than or equal to 1",
    ),
    (UpdateTimeToLive("tab", NOTHING), ONE + null("timeToLiveSpecification")),
    (
        UpdateContinuousBackups("tab", NOTHING),
        ONE + null("pointInTimeRecoverySpecification"),
    ),
    (
        UpdateContinuousBackups("tab", PointInTimeRecoverySpecification(NOTHING)),
        ONE + null("pointInTimeRecoverySpecification.pointInTimeRecoveryEnabled"),
    ),
]
LISTS: list[Claim] = [
    (
        ListTables("a;", 500),
        f"3 validation errors detected: Value '500' at 'limit' {FAILED} "
        f"have value less than or equal to 100; Value 'a;' at 'exclusiveStartTableName' {FAILED} "
        f"{PATTERN}; Value 'a;' at 'exclusiveStartTableName' {FAILED} {SHORT}",
    ),
    (
        ListTables(limit=0),
        f"{ONE}Value '0' at 'limit' {FAILED} have value greater than or equal to 1",
    ),
]


@pytest.mark.parametrize(("operation", "message"), NAMES + SETTINGS + LISTS)
def test_table_violations_are_reported_as_at_aws(
    operation: Operation[object], message: str, message_of: Callable[[Operation[object]], str]
) -> None:
    assert message_of(operation) == message
