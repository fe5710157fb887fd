"""What UpdateTable rejects, with which message and in which order."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from singletable.errors import LimitExceeded, ResourceNotFound, TableNotFound
from singletable.operations import (
    CreateTable,
    DeleteGlobalSecondaryIndexAction,
    Driver,
    OnDemandThroughput,
    Projection,
    ProvisionedThroughput,
    SSESpecification,
    StreamSpecification,
    UpdateGlobalSecondaryIndexAction,
    UpdateTable,
    WarmThroughput,
)
from singletable.operations import GlobalSecondaryIndexUpdate as IndexUpdate
from tests.conformance.errors import INVALID, validation_error
from tests.conformance.table_requests import (
    FIVE,
    TEN,
    added,
    described,
    hashed,
    local,
    made,
    on_demand,
    provisioned,
    ranged,
    sorted_table,
    typed,
    wide,
)
from tests.conformance.tables import unused_name

STREAM = StreamSpecification(stream_enabled=True, stream_view_type="KEYS_ONLY")
BEYOND = ProvisionedThroughput(1_000_000_000_001, 1_000_000_000_001)
G = {"attribute_definitions": typed(pk="S", g="S")}


def asking(*indexes: IndexUpdate, **changes: object) -> UpdateTable:
    """Return a request with changes to a table and its indexes."""
    request = UpdateTable("any", global_secondary_index_updates=list(indexes) or None)
    return replace(request, **changes)


def adding(*, definitions: bool = True, **changes: object) -> UpdateTable:
    """Return a request with one more index and other changes."""
    return asking(added(), attribute_definitions=typed(g="S") if definitions else None, **changes)


def remove(name: str = "by-g") -> IndexUpdate:
    """Return an update that deletes an index."""
    return IndexUpdate(delete=DeleteGlobalSecondaryIndexAction(name))


def rate(units: ProvisionedThroughput | None = TEN, name: str = "by-g") -> IndexUpdate:
    """Return an update of an index's units."""
    return IndexUpdate(update=UpdateGlobalSecondaryIndexAction(name, units))


NOTHING_ASKED = (
    "At least one of ProvisionedThroughput, BillingMode, UpdateStreamEnabled, "
    "GlobalSecondaryIndexUpdates, SSESpecification, ReplicaUpdates, MultiAccountReplicaReady, "
    "ReplicaTransitRoleArn, MultiRegionConsistency, DeletionProtectionEnabled, "
    "OnDemandThroughput, WarmThroughput or TableClass is required"
)
UNDEFINED = "Some index key attributes are not defined in AttributeDefinitions. "
ONLY_SSE = f"{INVALID}Server-Side Encryption modification must be the only operation in the request"
ONLY_CLASS = f"{INVALID}TableClass modification must be the only operation in the request"
ONLY_PROTECTION = (
    f"{INVALID}DeletionProtection modification must be the only operation in the request"
)
SSE = SSESpecification(enabled=True)
LIMITS = OnDemandThroughput(1, 1)
WARM = WarmThroughput(20_000)

ANY_TABLE: list[tuple[UpdateTable, str]] = [
    (asking(), NOTHING_ASKED),
    (asking(attribute_definitions=typed(pk="S")), NOTHING_ASKED),
    (asking(global_secondary_index_updates=[]), NOTHING_ASKED),
    (
        asking(global_secondary_index_updates=[], deletion_protection_enabled=True),
        f"{INVALID}List of GlobalSecondaryIndexUpdates is empty",
    ),
    (
        asking(billing_mode="PAY_PER_REQUEST", provisioned_throughput=FIVE),
        f"{INVALID}ProvisionedThroughput cannot be specified when BillingMode is PAY_PER_REQUEST",
    ),
    (
        asking(billing_mode="PROVISIONED"),
        f"{INVALID}ProvisionedThroughput must be specified when BillingMode is PROVISIONED",
    ),
    (
        asking(provisioned_throughput=BEYOND),
        "Given value 1000000000001 for ReadCapacityUnits is out of bounds",
    ),
    (
        asking(IndexUpdate()),
        f"{INVALID}One of GlobalSecondaryIndexUpdate.Update, GlobalSecondaryIndexUpdate.Create, "
        "GlobalSecondaryIndexUpdate.Delete must not be null",
    ),
    (
        asking(replace(remove(), create=added().create)),
        f"{INVALID}Only one global secondary index action is allowed per "
        "GlobalSecondaryIndexUpdate object",
    ),
    *[
        (
            asking(*twice),
            f"{INVALID}Only one global secondary index update per index is allowed "
            "simultaneously. Index: by-g",
        )
        for twice in ((remove(), remove()), (remove(), added()), (rate(), rate()))
    ],
    (
        adding(definitions=False),
        f"{INVALID}AttributeDefinitions is not specified for index: by-g",
    ),
    (
        asking(added(), attribute_definitions=typed(h="S")),
        f"{INVALID}{UNDEFINED}Keys: [g], AttributeDefinitions: [h]",
    ),
    (
        asking(added(keys=ranged("g")), attribute_definitions=typed(g="S")),
        "Invalid KeySchema: The first KeySchemaElement is not a HASH key type",
    ),
    (
        asking(added(keys=hashed("g", "g")), attribute_definitions=typed(g="S")),
        "Both the Hash Key and the Range Key element in the KeySchema have the same name",
    ),
    (
        asking(added(projection=Projection("INCLUDE")), attribute_definitions=typed(g="S")),
        f"{INVALID}ProjectionType is INCLUDE, but NonKeyAttributes is not specified",
    ),
    (
        asking(added(provisioned_throughput=BEYOND), attribute_definitions=typed(g="S")),
        "Given value 1000000000001 for ReadCapacityUnits is out of bounds for index by-g",
    ),
    (
        asking(stream_specification=StreamSpecification(stream_enabled=True)),
        f"{INVALID}If stream is being enabled then UpdateViewType is required",
    ),
    (
        asking(stream_specification=replace(STREAM, stream_enabled=False)),
        f"{INVALID}If stream is being disabled, then UpdateViewType must not be specified",
    ),
    (
        asking(sse_specification=SSESpecification(enabled=True, sse_type="AES256")),
        f"{INVALID}SSEType AES256 is not supported",
    ),
    # Changes that must be requested alone; of several, the first in this order is reported.
    (
        asking(
            sse_specification=SSE,
            table_class="STANDARD",
            deletion_protection_enabled=True,
            warm_throughput=WARM,
        ),
        ONLY_SSE,
    ),
    (
        asking(table_class="STANDARD", deletion_protection_enabled=True, warm_throughput=WARM),
        ONLY_CLASS,
    ),
    (asking(deletion_protection_enabled=True, warm_throughput=WARM), ONLY_PROTECTION),
    (
        asking(warm_throughput=WARM, billing_mode="PAY_PER_REQUEST"),
        f"{INVALID}WarmThroughput must be the only operation in the request",
    ),
    (adding(sse_specification=SSE), ONLY_SSE),
    (adding(table_class="STANDARD"), ONLY_CLASS),
    (adding(deletion_protection_enabled=False), ONLY_PROTECTION),
    (
        adding(warm_throughput=WARM),
        f"{INVALID}Create global secondary index cannot be specified when updating WarmThroughput",
    ),
    (
        asking(on_demand_throughput=LIMITS, stream_specification=STREAM),
        f"{INVALID}OnDemandThroughput can only be combined with BillingMode in an UpdateTable "
        "request",
    ),
    *[
        (
            asking(index, attribute_definitions=typed(g="S"), provisioned_throughput=TEN),
            f"{INVALID}You cannot create or delete index while updating table IOPS",
        )
        for index in (added(), remove())
    ],
    *[
        (
            asking(index, attribute_definitions=typed(g="S"), stream_specification=STREAM),
            f"{INVALID}You cannot create or delete index while changing stream status",
        )
        for index in (added(), remove())
    ],
    (
        asking(stream_specification=STREAM, provisioned_throughput=TEN),
        f"{INVALID}You cannot modify stream status while updating table IOPS",
    ),
]


# The request is checked before the table, so it is rejected whether or not the table exists.
@pytest.mark.parametrize(("request_", "message"), ANY_TABLE, ids=[m for _, m in ANY_TABLE])
def test_invalid_requests_are_rejected_before_table_lookup(
    driver: Driver, request_: UpdateTable, message: str
) -> None:
    for table in (made(driver, on_demand()), unused_name()):
        assert validation_error(driver, replace(request_, table_name=table)) == message


def same(what: str, units: str) -> str:
    """Return the error for units that are unchanged."""
    return (
        f"The provisioned throughput for {what} will not change. The requested value equals the "
        "current value. "
        + " ".join(
            f"Current {kind}CapacityUnits provisioned for {what.removeprefix('the ')}: {units}. "
            f"Requested {kind}CapacityUnits: {units}."
            for kind in ("Read", "Write")
        )
        + " Refer to the Amazon DynamoDB Developer Guide for current limits and how to request "
        "higher limits."
    )


def on_demand_indexed() -> CreateTable:
    """Create an on-demand table with an index."""
    return on_demand(**G, global_secondary_indexes=[wide()])


def provisioned_indexed() -> CreateTable:
    """Create a table with 5 units and an index with 5."""
    return provisioned(**G, global_secondary_indexes=[wide(provisioned_throughput=FIVE)])


def encrypted() -> CreateTable:
    """Create a table encrypted with a customer key."""
    return on_demand(sse_specification=SSE)


SAME_TABLE = same("the table", "5").replace("for table:", "for the table:")
NOT_ON_DEMAND = (
    f"{INVALID}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified when BillingMode "
    "is PAY_PER_REQUEST"
)
ONE_TABLE: list[tuple[Callable[[], CreateTable], UpdateTable, str]] = [
    (on_demand, asking(provisioned_throughput=FIVE), NOT_ON_DEMAND),
    (provisioned, asking(provisioned_throughput=FIVE), SAME_TABLE),
    (provisioned, asking(provisioned_throughput=FIVE, billing_mode="PROVISIONED"), SAME_TABLE),
    (provisioned_indexed, asking(rate(FIVE)), same("the index by-g", "5")),
    (
        provisioned_indexed,
        asking(rate(BEYOND)),
        "This operation cannot be performed with given input values. Please contact DynamoDB "
        "service team for more info: Action Blocked: IndexUpdate",
    ),
    (
        on_demand_indexed,
        asking(rate(TEN)),
        f"{INVALID}The only Updates for index: by-g when TableThroughputMode is PAY_PER_REQUEST "
        "can be to OnDemandThroughput, WarmThroughput",
    ),
    (
        on_demand_indexed,
        asking(billing_mode="PROVISIONED", provisioned_throughput=FIVE),
        f"{INVALID}ProvisionedThroughput must be specified for index: by-g",
    ),
    (
        on_demand,
        asking(added(provisioned_throughput=FIVE), attribute_definitions=typed(g="S")),
        f"{INVALID}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified for index: "
        "by-g when BillingMode is PAY_PER_REQUEST",
    ),
    (
        provisioned,
        adding(),
        f"{INVALID}Both ReadCapacityUnits and WriteCapacityUnits must be specified for index: by-g",
    ),
    (
        provisioned,
        asking(on_demand_throughput=OnDemandThroughput(0, 0)),
        f"{INVALID}MaxReadRequestUnits for OnDemandThroughput cannot be specified when the table "
        "BillingMode is PROVISIONED",
    ),
    (
        provisioned_indexed,
        asking(
            IndexUpdate(
                update=UpdateGlobalSecondaryIndexAction(
                    "by-g", on_demand_throughput=OnDemandThroughput(None, 1)
                )
            )
        ),
        f"{INVALID}MaxWriteRequestUnits for OnDemandThroughput for index : by-g cannot be "
        "specified when the table BillingMode is PROVISIONED",
    ),
    *[
        (
            on_demand,
            asking(on_demand_throughput=OnDemandThroughput(units)),
            f"{INVALID}Requested MaxReadRequestUnits for OnDemandThroughput for table is outside "
            "of valid range",
        )
        for units in (0, -2)
    ],
    (
        on_demand,
        asking(warm_throughput=WarmThroughput(11_999)),
        f"{INVALID}Requested ReadUnitsPerSecond for WarmThroughput for table is lower than current "
        "WarmThroughput, decreasing WarmThroughput is not supported",
    ),
    (
        on_demand_indexed,
        asking(
            IndexUpdate(
                update=UpdateGlobalSecondaryIndexAction(
                    "by-g", warm_throughput=WarmThroughput(12_000, 1)
                )
            )
        ),
        f"{INVALID}Requested WriteUnitsPerSecond for WarmThroughput for index by-g is lower than "
        "current WarmThroughput, decreasing WarmThroughput is not supported",
    ),
    (
        lambda: on_demand(table_name="streamed", stream_specification=STREAM),
        asking(stream_specification=replace(STREAM, stream_view_type="NEW_IMAGE")),
        "Table already has an enabled stream: TableName: streamed",
    ),
    (
        lambda: on_demand(table_name="streamless"),
        asking(stream_specification=StreamSpecification(stream_enabled=False)),
        "Table has no stream to disable: TableName: streamless",
    ),
    (
        on_demand,
        asking(sse_specification=SSESpecification(enabled=False)),
        f"{INVALID}Table is already encrypted by default",
    ),
    (
        encrypted,
        asking(sse_specification=SSE),
        f"{INVALID}Table is already encrypted with given KMSMasterKeyId. Use KMSMasterKeyId "
        "parameter if you want to change Master Key",
    ),
    (
        on_demand_indexed,
        adding(),
        "Attempting to create an index which already exists",
    ),
    (
        lambda: sorted_table(
            attribute_definitions=typed(pk="S", sk="S", l="S"),
            local_secondary_indexes=[local("local")],
        ),
        asking(remove("local")),
        "Cannot delete an index that is not a GlobalSecondaryIndex: local",
    ),
    (
        lambda: sorted_table(
            attribute_definitions=typed(pk="S", sk="S", l="S"),
            local_secondary_indexes=[local("local")],
        ),
        asking(rate(name="local")),
        "Cannot update an index that is not a GlobalSecondaryIndex: local",
    ),
]


# What does not fit the table is rejected after lookup, and nothing changes.
@pytest.mark.parametrize(
    ("table", "request_", "message"), ONE_TABLE, ids=[message for _, _, message in ONE_TABLE]
)
def test_rejects_invalid_updates_for_the_table(
    driver: Driver, table: Callable[[], CreateTable], request_: UpdateTable, message: str
) -> None:
    name = made(driver, table())
    before = described(driver, name)
    assert validation_error(driver, replace(request_, table_name=name)) == message
    assert described(driver, name) == before


# Creating or deleting an index is expensive, so AWS allows one at a time.
@pytest.mark.parametrize(
    "indexes",
    [
        (added("by-x"), added("by-y")),
        (added("by-x"), remove()),
        tuple(remove(f"never-{n}") for n in range(6)),
    ],
    ids=["two more", "one more, one less", "many less"],
)
def test_only_one_index_is_created_or_deleted_at_a_time(
    driver: Driver, indexes: tuple[IndexUpdate, ...]
) -> None:
    table = made(driver, on_demand_indexed())
    request = asking(*indexes, attribute_definitions=typed(g="S"), table_name=table)
    with pytest.raises(LimitExceeded) as raised:
        driver.execute(request)
    assert raised.value.code == "LimitExceededException"
    assert raised.value.message == (
        "Subscriber limit exceeded: Only 1 online index can be created or deleted simultaneously "
        "per table"
    )


# Unlike in CreateTable, this is LimitExceeded rather than a validation error.
def test_table_has_at_most_20_global_indexes(driver: Driver) -> None:
    twenty = [wide(f"by-{n}") for n in range(20)]
    table = made(driver, on_demand(**G, global_secondary_indexes=twenty))
    with pytest.raises(LimitExceeded) as raised:
        driver.execute(adding(table_name=table))
    assert raised.value.message == (
        "Subscriber limit exceeded: Number of global secondary indexes exceeds per-table limit "
        "of 20"
    )


@pytest.mark.parametrize("index", [remove("never"), rate(name="never")], ids=["remove", "change"])
def test_missing_index_error_names_the_index(driver: Driver, index: IndexUpdate) -> None:
    table = made(driver, on_demand())
    with pytest.raises(ResourceNotFound) as raised:
        driver.execute(asking(index, table_name=table))
    assert raised.value.message == (f"Requested resource not found: Index never for table {table}")


def test_missing_table_error_names_the_table(driver: Driver) -> None:
    name = unused_name()
    with pytest.raises(TableNotFound) as raised:
        driver.execute(asking(table_name=name, provisioned_throughput=TEN))
    assert raised.value.message == f"Requested resource not found: Table: {name} not found"
