"""What CreateTable rejects, with which message and in which order."""

from __future__ import annotations

import pytest

from singletable.operations import (
    CreateTable,
    Driver,
    OnDemandThroughput,
    Projection,
    ProvisionedThroughput,
    SSESpecification,
    StreamSpecification,
    Tag,
    WarmThroughput,
)
from tests.conformance.errors import INVALID, validation_error
from tests.conformance.table_requests import (
    FIVE,
    hashed,
    local,
    on_demand,
    provisioned,
    ranged,
    sorted_table,
    typed,
    wide,
)

G = {"attribute_definitions": typed(pk="S", g="S")}
L = {"attribute_definitions": typed(pk="S", sk="S", l="S")}

UNDEFINED = f"{INVALID}Some index key attributes are not defined in AttributeDefinitions. "
NO_DEFINITION = "Invalid KeySchema: Some index key attribute have no definition"
NOT_HASH = "Invalid KeySchema: The first KeySchemaElement is not a HASH key type"
NOT_RANGE = "Invalid KeySchema: The second KeySchemaElement is not a RANGE key type"
SAME_NAME = "Both the Hash Key and the Range Key element in the KeySchema have the same name"

KEYS = [
    (
        on_demand(key_schema=[*hashed("pk"), *ranged("pk")]),
        NO_DEFINITION,
    ),
    (on_demand(attribute_definitions=[]), NO_DEFINITION),
    (
        on_demand(attribute_definitions=typed(b="S")),
        f"{UNDEFINED}Keys: [pk], AttributeDefinitions: [b]",
    ),
    (
        sorted_table(attribute_definitions=typed(pk="S", b="S")),
        f"{UNDEFINED}Keys: [sk, pk], AttributeDefinitions: [b, pk]",
    ),
    (sorted_table(key_schema=[*hashed("pk"), *ranged("pk")]), SAME_NAME),
    (sorted_table(key_schema=[*ranged("pk"), *hashed("sk")]), NOT_HASH),
    (sorted_table(key_schema=hashed("pk", "sk")), NOT_RANGE),
    (
        on_demand(attribute_definitions=typed(pk="S", extra="N")),
        f"{INVALID}Number of attributes in KeySchema does not exactly match number of attributes "
        "defined in AttributeDefinitions",
    ),
    (
        on_demand(attribute_definitions=[*typed(pk="S"), *typed(pk="N")]),
        "Attribute Name is duplicated: pk",
    ),
]


# The table's key is checked before everything except its capacity.
@pytest.mark.parametrize(("request_", "message"), KEYS, ids=[message for _, message in KEYS])
def test_rejects_invalid_key_schemas(driver: Driver, request_: CreateTable, message: str) -> None:
    assert validation_error(driver, request_) == message


INDEXES = [
    (
        sorted_table(local_secondary_indexes=[]),
        f"{INVALID}List of LocalSecondaryIndexes is empty",
    ),
    (on_demand(global_secondary_indexes=[]), f"{INVALID}List of GlobalSecondaryIndexes is empty"),
    (
        on_demand(local_secondary_indexes=[local()]),
        f"{INVALID}Table KeySchema does not have a range key, which is required when specifying a "
        "LocalSecondaryIndex",
    ),
    (
        sorted_table(local_secondary_indexes=[local()]),
        f"{UNDEFINED}Keys: [pk, l], AttributeDefinitions: [sk, pk]",
    ),
    (sorted_table(local_secondary_indexes=[local(keys=ranged("pk"))]), NOT_HASH),
    (sorted_table(local_secondary_indexes=[local(keys=hashed("pk", "sk"))]), NOT_RANGE),
    (
        sorted_table(local_secondary_indexes=[local(keys=[*hashed("pk"), *ranged("pk")])]),
        SAME_NAME,
    ),
    (
        sorted_table(local_secondary_indexes=[local(keys=hashed("pk"))]),
        f"{INVALID}Index KeySchema does not have a range key for index: by-l",
    ),
    (
        sorted_table(local_secondary_indexes=[local(keys=[*hashed("sk"), *ranged("pk")])]),
        f"{INVALID}Index KeySchema does not have the same leading hash key as table KeySchema for "
        "index: by-l. index hash key: sk, table hash key: pk",
    ),
    (
        on_demand(global_secondary_indexes=[wide()]),
        f"{UNDEFINED}Keys: [g], AttributeDefinitions: [pk]",
    ),
    (on_demand(**G, global_secondary_indexes=[wide(keys=ranged("g"))]), NOT_HASH),
    (
        on_demand(**G, global_secondary_indexes=[wide(keys=[*ranged("g"), *hashed("pk")])]),
        NOT_HASH,
    ),
    (on_demand(**G, global_secondary_indexes=[wide(keys=hashed("g", "g"))]), SAME_NAME),
    (
        on_demand(**G, global_secondary_indexes=[wide(keys=hashed("g", "pk", "g"))]),
        "The KeySchema contains multiple key attributes with the same name",
    ),
    (
        sorted_table(
            global_secondary_indexes=[
                wide(keys=[*hashed("pk"), *ranged("sk"), *hashed("g")]),
            ],
            attribute_definitions=typed(pk="S", sk="S", g="S"),
        ),
        f"{INVALID}All HASH key attributes must precede RANGE key attributes in the KeySchema",
    ),
    (
        on_demand(
            attribute_definitions=typed(pk="S", a="S", b="S", c="S", d="S"),
            global_secondary_indexes=[wide(keys=hashed("pk", "a", "b", "c", "d"))],
        ),
        f"{INVALID}The KeySchema exceeds the maximum allowed number of HASH key attributes",
    ),
    (
        on_demand(
            attribute_definitions=typed(pk="S", a="S", b="S", c="S", d="S", e="S"),
            global_secondary_indexes=[wide(keys=[*hashed("pk"), *ranged("a", "b", "c", "d", "e")])],
        ),
        f"{INVALID}The KeySchema exceeds the maximum allowed number of RANGE key attributes",
    ),
    # AWS lists these in hash order; this order was observed.
    (
        sorted_table(
            attribute_definitions=typed(pk="S", sk="S", a="S", b="S", c="S"),
            global_secondary_indexes=[wide(keys=hashed("a"))],
        ),
        f"{INVALID}Some AttributeDefinitions are not used. AttributeDefinitions: "
        "[sk, a, b, pk, c], keys used: [a, sk, pk]",
    ),
    (
        on_demand(**G, global_secondary_indexes=[wide(), wide()]),
        f"{INVALID}Duplicate index name: by-g",
    ),
    (
        sorted_table(
            **L,
            local_secondary_indexes=[local("same")],
            global_secondary_indexes=[wide("same", hashed("sk"))],
        ),
        f"{INVALID}Duplicate index name: same",
    ),
    (
        sorted_table(**L, local_secondary_indexes=[local(f"by-{n}") for n in range(6)]),
        f"{INVALID}Number of LocalSecondaryIndexes exceeds per-table limit of 5",
    ),
    (
        on_demand(**G, global_secondary_indexes=[wide(f"by-{n}") for n in range(21)]),
        f"{INVALID}GlobalSecondaryIndex count exceeds the per-table limit of 20",
    ),
]


@pytest.mark.parametrize(("request_", "message"), INDEXES, ids=[message for _, message in INDEXES])
def test_rejects_invalid_indexes(driver: Driver, request_: CreateTable, message: str) -> None:
    assert validation_error(driver, request_) == message


PROJECTIONS = [
    (Projection(), "Unknown ProjectionType: null"),
    (Projection("ALL", ["x"]), "ProjectionType is ALL, but NonKeyAttributes is specified"),
    (
        Projection("KEYS_ONLY", ["x"]),
        "ProjectionType is KEYS_ONLY, but NonKeyAttributes is specified",
    ),
    (Projection("INCLUDE"), "ProjectionType is INCLUDE, but NonKeyAttributes is not specified"),
    (Projection("INCLUDE", ["x", "y", "x"]), "Duplicate element in NonKeyAttributes: x"),
]


@pytest.mark.parametrize(("projection", "message"), PROJECTIONS, ids=[m for _, m in PROJECTIONS])
def test_rejects_invalid_projections_on_both_index_kinds(
    driver: Driver, projection: Projection, message: str
) -> None:
    for request in (
        on_demand(**G, global_secondary_indexes=[wide(projection=projection)]),
        sorted_table(**L, local_secondary_indexes=[local(projection=projection)]),
    ):
        assert validation_error(driver, request) == INVALID + message


BEYOND = 1_000_000_000_001
CAPACITY = [
    (
        on_demand(provisioned_throughput=FIVE),
        f"{INVALID}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when "
        "BillingMode is PAY_PER_REQUEST",
    ),
    *[
        (
            on_demand(billing_mode=mode),
            f"{INVALID}ReadCapacityUnits and WriteCapacityUnits must both be specified when "
            "BillingMode is PROVISIONED",
        )
        for mode in (None, "PROVISIONED")
    ],
    (
        provisioned(provisioned_throughput=ProvisionedThroughput(BEYOND, BEYOND)),
        f"Given value {BEYOND} for ReadCapacityUnits is out of bounds",
    ),
    (
        provisioned(provisioned_throughput=ProvisionedThroughput(1, BEYOND)),
        f"Given value {BEYOND} for WriteCapacityUnits is out of bounds",
    ),
    (
        on_demand(**G, global_secondary_indexes=[wide(provisioned_throughput=FIVE)]),
        f"{INVALID}ProvisionedThroughput should not be specified for index: by-g when BillingMode "
        "is PAY_PER_REQUEST",
    ),
    (
        provisioned(**G, global_secondary_indexes=[wide()]),
        f"{INVALID}ProvisionedThroughput is not specified for index: by-g",
    ),
    (
        provisioned(
            **G,
            global_secondary_indexes=[
                wide(provisioned_throughput=ProvisionedThroughput(BEYOND, 1))
            ],
        ),
        f"Given value {BEYOND} for ReadCapacityUnits is out of bounds for index by-g",
    ),
    (
        provisioned(on_demand_throughput=OnDemandThroughput(0)),
        f"{INVALID}MaxReadRequestUnits for OnDemandThroughput cannot be specified when table "
        "BillingMode is PROVISIONED.",
    ),
    (
        provisioned(on_demand_throughput=OnDemandThroughput(None, 1)),
        f"{INVALID}MaxWriteRequestUnits for OnDemandThroughput cannot be specified when table "
        "BillingMode is PROVISIONED.",
    ),
    (
        provisioned(
            **G,
            global_secondary_indexes=[
                wide(provisioned_throughput=FIVE, on_demand_throughput=OnDemandThroughput(1))
            ],
        ),
        f"{INVALID}MaxReadRequestUnits for OnDemandThroughput for index: by-g cannot be specified "
        "when table BillingMode is PROVISIONED.",
    ),
    *[
        (
            on_demand(on_demand_throughput=OnDemandThroughput(units)),
            f"{INVALID}Requested MaxReadRequestUnits for OnDemandThroughput for table is outside "
            "of valid range",
        )
        for units in (0, -1)
    ],
    (
        on_demand(
            **G, global_secondary_indexes=[wide(on_demand_throughput=OnDemandThroughput(1, 0))]
        ),
        f"{INVALID}Requested MaxWriteRequestUnits for OnDemandThroughput for index : by-g is "
        "outside of valid range",
    ),
    (
        on_demand(warm_throughput=WarmThroughput(12_000, 3_999)),
        f"{INVALID}Requested WriteUnitsPerSecond for WarmThroughput for table is lower than "
        "initial throughput for OnDemand",
    ),
    (
        on_demand(**G, global_secondary_indexes=[wide(warm_throughput=WarmThroughput(1, 1))]),
        f"{INVALID}Requested ReadUnitsPerSecond for WarmThroughput for index by-g is lower than "
        "initial throughput for OnDemand",
    ),
]


@pytest.mark.parametrize(("request_", "message"), CAPACITY, ids=[m for _, m in CAPACITY])
def test_rejects_invalid_capacity(driver: Driver, request_: CreateTable, message: str) -> None:
    assert validation_error(driver, request_) == message


OTHERS = [
    (
        on_demand(stream_specification=StreamSpecification(stream_enabled=True)),
        f"{INVALID}Table is being created with a stream enabled, UpdateViewType is required",
    ),
    (
        on_demand(
            stream_specification=StreamSpecification(
                stream_enabled=False, stream_view_type="NEW_IMAGE"
            )
        ),
        f"{INVALID}Table is being created with a stream disabled, UpdateViewType should not be "
        "specified",
    ),
    (
        on_demand(sse_specification=SSESpecification(enabled=False, sse_type="KMS")),
        f"{INVALID}SSEType can not be specified if Enabled is false",
    ),
    (
        on_demand(sse_specification=SSESpecification(enabled=False, kms_master_key_id="key")),
        f"{INVALID}KMSMasterKeyId can not be specified if Enabled is false",
    ),
    (
        on_demand(sse_specification=SSESpecification(enabled=True, kms_master_key_id="key")),
        f"{INVALID}SSEType KMS is required if KMSMasterKeyId is specified",
    ),
    (
        on_demand(sse_specification=SSESpecification(enabled=True, sse_type="AES256")),
        f"{INVALID}SSEType AES256 is not supported",
    ),
    (on_demand(tags=[Tag("aws:x", "1")]), "Tag Key cannot be prefixed with aws:, Key: aws:x"),
    (
        on_demand(tags=[Tag(str(n), "") for n in range(51)]),
        "Number of Tags exceed the current limit for the provided ResourceArn",
    ),
]


@pytest.mark.parametrize(("request_", "message"), OTHERS, ids=[m for _, m in OTHERS])
def test_rejects_invalid_streams_encryption_and_tags(
    driver: Driver, request_: CreateTable, message: str
) -> None:
    assert validation_error(driver, request_) == message


# Of two errors, AWS reports the one it checks first.
@pytest.mark.parametrize(
    ("request_", "first"),
    [
        (on_demand(billing_mode=None, key_schema=ranged("b")), "ReadCapacityUnits and"),
        (on_demand(key_schema=ranged("b"), global_secondary_indexes=[]), "Some index key"),
        (
            on_demand(**L, local_secondary_indexes=[], global_secondary_indexes=[]),
            "List of Local",
        ),
        (
            on_demand(
                **L, global_secondary_indexes=[wide(keys=hashed("l"), projection=Projection())]
            ),
            "Some AttributeDefinitions are not used",
        ),
        (
            provisioned(**G, global_secondary_indexes=[wide(projection=Projection())]),
            "Unknown ProjectionType",
        ),
        (
            on_demand(
                billing_mode=None,
                stream_specification=StreamSpecification(
                    stream_enabled=False, stream_view_type="NEW_IMAGE"
                ),
            ),
            "ReadCapacityUnits and",
        ),
        (
            provisioned(on_demand_throughput=OnDemandThroughput(0)),
            "MaxReadRequestUnits for OnDemandThroughput cannot",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_reports_the_first_error_only(driver: Driver, request_: CreateTable, first: str) -> None:
    assert validation_error(driver, request_).startswith(INVALID + first)
