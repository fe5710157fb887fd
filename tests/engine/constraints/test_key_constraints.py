"""How AWS reports violations in keys and indexes, in all regions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import pytest

from singletable.operations import (
    AttributeDefinition,
    CreateGlobalSecondaryIndexAction,
    CreateTable,
    DeleteGlobalSecondaryIndexAction,
    GlobalSecondaryIndex,
    GlobalSecondaryIndexUpdate,
    KeySchemaElement,
    LocalSecondaryIndex,
    Operation,
    Projection,
    ProvisionedThroughput,
    UpdateGlobalSecondaryIndexAction,
    UpdateTable,
)

Claim: TypeAlias = tuple[Operation[object], str]

ONE, TWO = "1 validation error detected: ", "2 validation errors detected: "
FAILED = "failed to satisfy constraint: Member must"
SHORT = "have length greater than or equal to 3"
PATTERN = "satisfy regular expression pattern: [a-zA-Z0-9_.-]+"
NOTHING: Any = None

PK = KeySchemaElement("pk", "HASH")
SK = KeySchemaElement("sk", "RANGE")
DEFINED = AttributeDefinition("pk", "S")
ALL = Projection("ALL")


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


def local(name: Any, keys: Any = (PK, SK), projection: Any = ALL) -> LocalSecondaryIndex:
    return LocalSecondaryIndex(name, list(keys), projection)


def index(name: Any, keys: Any = (PK,), projection: Any = ALL) -> GlobalSecondaryIndex:
    return GlobalSecondaryIndex(name, keys and list(keys), projection)


KEYS: list[Claim] = [
    (
        create(key_schema=[]),
        f"{ONE}Value '[]' at 'keySchema' {FAILED} have length greater than or equal to 1",
    ),
    (
        create(key_schema=[PK, SK, KeySchemaElement("extra", "RANGE")]),
        f"{ONE}Value '[KeySchemaElement(attributeName=pk, keyType=HASH), "
        "KeySchemaElement(attributeName=sk, keyType=RANGE), "
        "KeySchemaElement(attributeName=extra, keyType=RANGE)]' at 'keySchema' "
        f"{FAILED} have length less than or equal to 2",
    ),
    (
        create(key_schema=[KeySchemaElement("pk", any_word("INVALID"))]),
        f"{ONE}Value 'INVALID' at 'keySchema.1.member.keyType' {FAILED} "
        "satisfy enum value set: [HASH, RANGE]",
    ),
    (
        create(key_schema=[KeySchemaElement(NOTHING, NOTHING)]),
        f"{TWO}{null('keySchema.1.member.attributeName')}; {null('keySchema.1.member.keyType')}",
    ),
    (
        create(attribute_definitions=[AttributeDefinition("pk", any_word("INVALID"))]),
        f"{ONE}Value 'INVALID' at 'attributeDefinitions.1.member.attributeType' {FAILED} "
        "satisfy enum value set: [B, N, S]",
    ),
    (
        create(attribute_definitions=[AttributeDefinition(NOTHING, NOTHING)]),
        f"{TWO}{null('attributeDefinitions.1.member.attributeType')}; "
        f"{null('attributeDefinitions.1.member.attributeName')}",
    ),
    (
        update(attribute_definitions=[AttributeDefinition("a", any_word(""))]),
        f"{ONE}Value '' at 'attributeDefinitions.1.member.attributeType' {FAILED} "
        "satisfy enum value set: [B, N, S]",
    ),
    (
        create(key_schema=[KeySchemaElement("x" * 256, "HASH")]),
        f"{ONE}Value '{'x' * 256}' at 'keySchema.1.member.attributeName' {FAILED} "
        "have length less than or equal to 255",
    ),
]
# The global index is reported first, whatever the names and their order.
INDEXES: list[Claim] = [
    (
        create(
            local_secondary_indexes=[local("l1")],
            global_secondary_indexes=[index("g1")],
        ),
        f"{TWO}Value 'g1' at 'globalSecondaryIndexes.1.member.indexName' {FAILED} {SHORT}; "
        f"Value 'l1' at 'localSecondaryIndexes.1.member.indexName' {FAILED} {SHORT}",
    ),
    (
        create(global_secondary_indexes=[index("")]),
        f"{TWO}Value '' at 'globalSecondaryIndexes.1.member.indexName' {FAILED} {SHORT}; "
        f"Value '' at 'globalSecondaryIndexes.1.member.indexName' {FAILED} {PATTERN}",
    ),
    (
        create(global_secondary_indexes=[index(None, None, None)]),
        f"3 validation errors detected: {null('globalSecondaryIndexes.1.member.indexName')}; "
        f"{null('globalSecondaryIndexes.1.member.keySchema')}; "
        f"{null('globalSecondaryIndexes.1.member.projection')}",
    ),
    (
        create(local_secondary_indexes=[local("one"), local("two", [PK, SK, SK])]),
        f"{ONE}Value '[KeySchemaElement(attributeName=pk, keyType=HASH), "
        "KeySchemaElement(attributeName=sk, keyType=RANGE), "
        "KeySchemaElement(attributeName=sk, keyType=RANGE)]' at "
        f"'localSecondaryIndexes.2.member.keySchema' {FAILED} have length less than or equal to 2",
    ),
    (
        create(local_secondary_indexes=[local("one", projection=Projection(any_word("all")))]),
        f"{ONE}Value 'all' at 'localSecondaryIndexes.1.member.projection.projectionType' {FAILED} "
        "satisfy enum value set: [ALL, INCLUDE, KEYS_ONLY]",
    ),
    (
        create(global_secondary_indexes=[index("one", projection=Projection("INCLUDE", []))]),
        f"{ONE}Value '[]' at 'globalSecondaryIndexes.1.member.projection.nonKeyAttributes' "
        f"{FAILED} have length greater than or equal to 1",
    ),
    (
        create(
            global_secondary_indexes=[index("one", projection=Projection("INCLUDE", ["a"] * 21))]
        ),
        f"{ONE}Value '[{', '.join(['a'] * 21)}]' at "
        "'globalSecondaryIndexes.1.member.projection.nonKeyAttributes' "
        f"{FAILED} have length less than or equal to 20",
    ),
    (
        update(
            global_secondary_index_updates=[
                GlobalSecondaryIndexUpdate(
                    update=UpdateGlobalSecondaryIndexAction(
                        "one", ProvisionedThroughput(NOTHING, NOTHING)
                    )
                )
            ]
        ),
        TWO
        + null(
            "globalSecondaryIndexUpdates.1.member.update.provisionedThroughput.writeCapacityUnits"
        )
        + "; "
        + null(
            "globalSecondaryIndexUpdates.1.member.update.provisionedThroughput.readCapacityUnits"
        ),
    ),
    (
        update(
            global_secondary_index_updates=[
                GlobalSecondaryIndexUpdate(
                    create=CreateGlobalSecondaryIndexAction("", [PK], ALL),
                )
            ]
        ),
        f"{TWO}Value '' at 'globalSecondaryIndexUpdates.1.member.create.indexName' {FAILED} "
        f"{SHORT}; Value '' at 'globalSecondaryIndexUpdates.1.member.create.indexName' {FAILED} "
        f"{PATTERN}",
    ),
    (
        update(
            global_secondary_index_updates=[
                GlobalSecondaryIndexUpdate(delete=DeleteGlobalSecondaryIndexAction(NOTHING))
            ]
        ),
        ONE + null("globalSecondaryIndexUpdates.1.member.delete.indexName"),
    ),
]


@pytest.mark.parametrize(("operation", "message"), KEYS + INDEXES)
def test_key_and_index_violations_are_reported_as_at_aws(
    operation: Operation[object], message: str, message_of: Callable[[Operation[object]], str]
) -> None:
    assert message_of(operation) == message
