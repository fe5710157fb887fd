"""Operations on tables, and what describes a table."""

from __future__ import annotations

from typing import Literal

from msgspec import field

from singletable.operations.operation import Operation, Shape
from singletable.operations.shapes import (
    AttributeDefinition,
    BillingMode,
    IndexStatus,
    KeySchemaElement,
    OnDemandThroughput,
    Projection,
    ProvisionedThroughput,
    SSESpecification,
    StreamSpecification,
    TableClass,
    TableStatus,
    Tag,
    WarmThroughput,
)


class LocalSecondaryIndex(Shape, frozen=True):
    """An index with the table's partition key and another sort key."""

    index_name: str
    key_schema: list[KeySchemaElement]
    projection: Projection


class GlobalSecondaryIndex(Shape, frozen=True):
    """An index with keys of its own: up to four partition and four sort attributes."""

    index_name: str
    key_schema: list[KeySchemaElement]
    projection: Projection
    provisioned_throughput: ProvisionedThroughput | None = None
    on_demand_throughput: OnDemandThroughput | None = None
    warm_throughput: WarmThroughput | None = None


class ProvisionedThroughputDescription(Shape, frozen=True):
    """Reserved capacity, and how often it was lowered today."""

    number_of_decreases_today: int
    read_capacity_units: int
    write_capacity_units: int
    last_increase_date_time: float | None = None
    last_decrease_date_time: float | None = None


class BillingModeSummary(Shape, frozen=True):
    """How the table is billed."""

    billing_mode: BillingMode
    last_update_to_pay_per_request_date_time: float | None = None


class TableClassSummary(Shape, frozen=True):
    """The storage class of the table."""

    table_class: TableClass
    last_update_date_time: float | None = None


class SSEDescription(Shape, frozen=True):
    """Encryption with a key of the customer's."""

    status: Literal["ENABLING", "ENABLED", "DISABLING", "DISABLED", "UPDATING"]
    sse_type: Literal["AES256", "KMS"] | None = field(name="SSEType", default=None)
    kms_master_key_arn: str | None = field(name="KMSMasterKeyArn", default=None)


class WarmThroughputDescription(Shape, frozen=True):
    """Units a second that the table or index can bear at once."""

    read_units_per_second: int
    write_units_per_second: int
    status: TableStatus


class LocalSecondaryIndexDescription(Shape, frozen=True):
    """A local secondary index as it stands."""

    index_name: str
    key_schema: list[KeySchemaElement]
    projection: Projection
    index_size_bytes: int
    item_count: int
    index_arn: str


class GlobalSecondaryIndexDescription(Shape, frozen=True):
    """A global secondary index as it stands."""

    index_name: str
    key_schema: list[KeySchemaElement]
    projection: Projection
    index_status: IndexStatus
    provisioned_throughput: ProvisionedThroughputDescription
    index_size_bytes: int
    item_count: int
    index_arn: str
    backfilling: bool | None = None
    on_demand_throughput: OnDemandThroughput | None = None
    warm_throughput: WarmThroughputDescription | None = None


class TableDescription(Shape, frozen=True):
    """A table as it stands."""

    attribute_definitions: list[AttributeDefinition]
    table_name: str
    key_schema: list[KeySchemaElement]
    table_status: TableStatus
    creation_date_time: float
    provisioned_throughput: ProvisionedThroughputDescription
    table_size_bytes: int
    item_count: int
    table_arn: str
    table_id: str
    deletion_protection_enabled: bool
    billing_mode_summary: BillingModeSummary | None = None
    local_secondary_indexes: list[LocalSecondaryIndexDescription] | None = None
    global_secondary_indexes: list[GlobalSecondaryIndexDescription] | None = None
    stream_specification: StreamSpecification | None = None
    latest_stream_label: str | None = None
    latest_stream_arn: str | None = None
    sse_description: SSEDescription | None = field(name="SSEDescription", default=None)
    table_class_summary: TableClassSummary | None = None
    on_demand_throughput: OnDemandThroughput | None = None
    warm_throughput: WarmThroughputDescription | None = None


class CreateTableOutput(Shape, frozen=True):
    """The new table, still in the making."""

    table_description: TableDescription


class CreateTable(Operation[CreateTableOutput], frozen=True):
    """Make a table."""

    table_name: str
    attribute_definitions: list[AttributeDefinition]
    key_schema: list[KeySchemaElement]
    local_secondary_indexes: list[LocalSecondaryIndex] | None = None
    global_secondary_indexes: list[GlobalSecondaryIndex] | None = None
    billing_mode: BillingMode | None = None
    provisioned_throughput: ProvisionedThroughput | None = None
    stream_specification: StreamSpecification | None = None
    sse_specification: SSESpecification | None = field(name="SSESpecification", default=None)
    tags: list[Tag] | None = None
    table_class: TableClass | None = None
    deletion_protection_enabled: bool | None = None
    warm_throughput: WarmThroughput | None = None
    resource_policy: str | None = None
    on_demand_throughput: OnDemandThroughput | None = None


class DescribeTableOutput(Shape, frozen=True):
    """The table as it stands."""

    table: TableDescription


class DescribeTable(Operation[DescribeTableOutput], frozen=True):
    """Ask for a table's description."""

    table_name: str


class CreateGlobalSecondaryIndexAction(Shape, frozen=True):
    """Add a global secondary index and fill it from the table."""

    index_name: str
    key_schema: list[KeySchemaElement]
    projection: Projection
    provisioned_throughput: ProvisionedThroughput | None = None
    on_demand_throughput: OnDemandThroughput | None = None
    warm_throughput: WarmThroughput | None = None


class UpdateGlobalSecondaryIndexAction(Shape, frozen=True):
    """Change the capacity of a global secondary index."""

    index_name: str
    provisioned_throughput: ProvisionedThroughput | None = None
    on_demand_throughput: OnDemandThroughput | None = None
    warm_throughput: WarmThroughput | None = None


class DeleteGlobalSecondaryIndexAction(Shape, frozen=True):
    """Remove a global secondary index."""

    index_name: str


class GlobalSecondaryIndexUpdate(Shape, frozen=True):
    """One change to a global secondary index: exactly one field is there."""

    update: UpdateGlobalSecondaryIndexAction | None = None
    create: CreateGlobalSecondaryIndexAction | None = None
    delete: DeleteGlobalSecondaryIndexAction | None = None


class UpdateTableOutput(Shape, frozen=True):
    """The table, while the change is being made."""

    table_description: TableDescription


class UpdateTable(Operation[UpdateTableOutput], frozen=True):
    """Change a table's billing, capacity, indexes, stream, class or protection."""

    table_name: str
    attribute_definitions: list[AttributeDefinition] | None = None
    billing_mode: BillingMode | None = None
    provisioned_throughput: ProvisionedThroughput | None = None
    global_secondary_index_updates: list[GlobalSecondaryIndexUpdate] | None = None
    stream_specification: StreamSpecification | None = None
    sse_specification: SSESpecification | None = field(name="SSESpecification", default=None)
    table_class: TableClass | None = None
    deletion_protection_enabled: bool | None = None
    on_demand_throughput: OnDemandThroughput | None = None
    warm_throughput: WarmThroughput | None = None


class DeleteTableOutput(Shape, frozen=True):
    """The table, while it is being deleted."""

    table_description: TableDescription


class DeleteTable(Operation[DeleteTableOutput], frozen=True):
    """Delete a table with everything in it."""

    table_name: str


class ListTablesOutput(Shape, frozen=True):
    """Names in order, and the last of them if there are more."""

    table_names: list[str]
    last_evaluated_table_name: str | None = None


class ListTables(Operation[ListTablesOutput], frozen=True):
    """Ask for the tables' names."""

    exclusive_start_table_name: str | None = None
    limit: int | None = None


class TimeToLiveSpecification(Shape, frozen=True):
    """Whether items expire, and by which attribute."""

    enabled: bool
    attribute_name: str


class UpdateTimeToLiveOutput(Shape, frozen=True):
    """What was asked for."""

    time_to_live_specification: TimeToLiveSpecification


class UpdateTimeToLive(Operation[UpdateTimeToLiveOutput], frozen=True):
    """Let items expire, or no longer."""

    table_name: str
    time_to_live_specification: TimeToLiveSpecification


class TimeToLiveDescription(Shape, frozen=True):
    """Whether items expire, and by which attribute."""

    time_to_live_status: Literal["ENABLING", "DISABLING", "ENABLED", "DISABLED"]
    attribute_name: str | None = None


class DescribeTimeToLiveOutput(Shape, frozen=True):
    """The table's time to live as it stands."""

    time_to_live_description: TimeToLiveDescription


class DescribeTimeToLive(Operation[DescribeTimeToLiveOutput], frozen=True):
    """Ask whether items expire."""

    table_name: str
