"""Operations on tables, their TTL, backups and tags, and on the account."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import field

from dynamodb_engine.operations.base import Operation, Shape
from dynamodb_engine.values import KeyType

__all__ = [
    "AttributeDefinition",
    "BillingMode",
    "BillingModeSummary",
    "ContinuousBackupsDescription",
    "CreateGlobalSecondaryIndexAction",
    "CreateTable",
    "CreateTableOutput",
    "DeleteGlobalSecondaryIndexAction",
    "DeleteTable",
    "DeleteTableOutput",
    "DescribeContinuousBackups",
    "DescribeContinuousBackupsOutput",
    "DescribeEndpoints",
    "DescribeEndpointsOutput",
    "DescribeLimits",
    "DescribeLimitsOutput",
    "DescribeTable",
    "DescribeTableOutput",
    "DescribeTimeToLive",
    "DescribeTimeToLiveOutput",
    "EmptyOutput",
    "Endpoint",
    "GlobalSecondaryIndex",
    "GlobalSecondaryIndexDescription",
    "GlobalSecondaryIndexUpdate",
    "IndexStatus",
    "KeySchemaElement",
    "ListTables",
    "ListTablesOutput",
    "ListTagsOfResource",
    "ListTagsOfResourceOutput",
    "LocalSecondaryIndex",
    "LocalSecondaryIndexDescription",
    "OnDemandThroughput",
    "PointInTimeRecoveryDescription",
    "PointInTimeRecoverySpecification",
    "Projection",
    "ProvisionedThroughput",
    "ProvisionedThroughputDescription",
    "SSEDescription",
    "SSESpecification",
    "StreamSpecification",
    "StreamViewType",
    "TableClass",
    "TableClassSummary",
    "TableDescription",
    "TableStatus",
    "Tag",
    "TagResource",
    "TimeToLiveDescription",
    "TimeToLiveSpecification",
    "UntagResource",
    "UpdateContinuousBackups",
    "UpdateContinuousBackupsOutput",
    "UpdateGlobalSecondaryIndexAction",
    "UpdateTable",
    "UpdateTableOutput",
    "UpdateTimeToLive",
    "UpdateTimeToLiveOutput",
    "WarmThroughput",
    "WarmThroughputDescription",
]

BillingMode: TypeAlias = Literal["PROVISIONED", "PAY_PER_REQUEST"]
TableClass: TypeAlias = Literal["STANDARD", "STANDARD_INFREQUENT_ACCESS"]
IndexStatus: TypeAlias = Literal["CREATING", "UPDATING", "DELETING", "ACTIVE"]
# The embedded engine never has the last four.
TableStatus: TypeAlias = Literal[
    "CREATING",
    "UPDATING",
    "DELETING",
    "ACTIVE",
    "INACCESSIBLE_ENCRYPTION_CREDENTIALS",
    "ARCHIVING",
    "ARCHIVED",
    "REPLICATION_NOT_AUTHORIZED",
]
StreamViewType: TypeAlias = Literal["NEW_IMAGE", "OLD_IMAGE", "NEW_AND_OLD_IMAGES", "KEYS_ONLY"]
EnabledOrDisabled: TypeAlias = Literal["ENABLED", "DISABLED"]


# --- Parts of requests


class AttributeDefinition(Shape, frozen=True):
    """The type of a key attribute."""

    attribute_name: str
    attribute_type: KeyType


class KeySchemaElement(Shape, frozen=True):
    """One attribute of a key, of the partition key (HASH) or the sort key (RANGE)."""

    attribute_name: str
    key_type: Literal["HASH", "RANGE"]


class Projection(Shape, frozen=True):
    """The attributes that an index contains."""

    projection_type: Literal["ALL", "KEYS_ONLY", "INCLUDE"] | None = None
    non_key_attributes: list[str] | None = None


class ProvisionedThroughput(Shape, frozen=True):
    """Reserved capacity units per second."""

    read_capacity_units: int
    write_capacity_units: int


class OnDemandThroughput(Shape, frozen=True):
    """The maximum that an on-demand table may consume; -1 removes a limit."""

    max_read_request_units: int | None = None
    max_write_request_units: int | None = None


class WarmThroughput(Shape, frozen=True):
    """Units per second that a table can serve at once."""

    read_units_per_second: int | None = None
    write_units_per_second: int | None = None


class StreamSpecification(Shape, frozen=True):
    """Whether changes are streamed, and with which images of the item."""

    stream_enabled: bool
    stream_view_type: StreamViewType | None = None


class SSESpecification(Shape, frozen=True):
    """Encryption at rest. The embedded engine stores this setting and encrypts nothing."""

    enabled: bool | None = None
    sse_type: Literal["AES256", "KMS"] | None = field(name="SSEType", default=None)
    kms_master_key_id: str | None = field(name="KMSMasterKeyId", default=None)


class Tag(Shape, frozen=True):
    """A label on a table."""

    key: str
    value: str


class LocalSecondaryIndex(Shape, frozen=True):
    """An index with the table's partition key and another sort key."""

    index_name: str
    key_schema: list[KeySchemaElement]
    projection: Projection


class GlobalSecondaryIndex(Shape, frozen=True):
    """An index with its own key of up to four partition and four sort attributes."""

    index_name: str
    key_schema: list[KeySchemaElement]
    projection: Projection
    provisioned_throughput: ProvisionedThroughput | None = None
    on_demand_throughput: OnDemandThroughput | None = None
    warm_throughput: WarmThroughput | None = None


# --- Descriptions


class ProvisionedThroughputDescription(Shape, frozen=True):
    """Reserved capacity, and how often it was decreased today."""

    number_of_decreases_today: int
    read_capacity_units: int
    write_capacity_units: int
    last_increase_date_time: float | None = None
    last_decrease_date_time: float | None = None


class BillingModeSummary(Shape, frozen=True):
    """The billing mode of a table."""

    billing_mode: BillingMode
    last_update_to_pay_per_request_date_time: float | None = None


class TableClassSummary(Shape, frozen=True):
    """The storage class of a table."""

    table_class: TableClass
    last_update_date_time: float | None = None


class SSEDescription(Shape, frozen=True):
    """Encryption with a customer's key."""

    status: Literal["ENABLING", "ENABLED", "DISABLING", "DISABLED", "UPDATING"]
    sse_type: Literal["AES256", "KMS"] | None = field(name="SSEType", default=None)
    kms_master_key_arn: str | None = field(name="KMSMasterKeyArn", default=None)


class WarmThroughputDescription(Shape, frozen=True):
    """Units per second that a table or index can serve at once."""

    read_units_per_second: int
    write_units_per_second: int
    status: TableStatus


class LocalSecondaryIndexDescription(Shape, frozen=True):
    """The current state of a local secondary index."""

    index_name: str
    key_schema: list[KeySchemaElement]
    projection: Projection
    index_size_bytes: int
    item_count: int
    index_arn: str


class GlobalSecondaryIndexDescription(Shape, frozen=True):
    """The current state of a global secondary index."""

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
    """The current state of a table."""

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


# --- Tables


class CreateTableOutput(Shape, frozen=True):
    """The new table, which is being created."""

    table_description: TableDescription


class CreateTable(Operation[CreateTableOutput], frozen=True):
    """Create a table."""

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
    """The current state of the table."""

    table: TableDescription


class DescribeTable(Operation[DescribeTableOutput], frozen=True):
    """Return the description of a table."""

    table_name: str


class CreateGlobalSecondaryIndexAction(Shape, frozen=True):
    """Add a global secondary index and backfill it from the table."""

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
    """One change to a global secondary index; exactly one field is set."""

    update: UpdateGlobalSecondaryIndexAction | None = None
    create: CreateGlobalSecondaryIndexAction | None = None
    delete: DeleteGlobalSecondaryIndexAction | None = None


class UpdateTableOutput(Shape, frozen=True):
    """The table, which is being changed."""

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
    """The table, which is being deleted."""

    table_description: TableDescription


class DeleteTable(Operation[DeleteTableOutput], frozen=True):
    """Delete a table and all its items."""

    table_name: str


class ListTablesOutput(Shape, frozen=True):
    """Names of tables in order, and the last one if there are more."""

    table_names: list[str]
    last_evaluated_table_name: str | None = None


class ListTables(Operation[ListTablesOutput], frozen=True):
    """Return the names of the tables."""

    exclusive_start_table_name: str | None = None
    limit: int | None = None


# --- TTL


class TimeToLiveSpecification(Shape, frozen=True):
    """Whether items expire, and by which attribute."""

    enabled: bool
    attribute_name: str


class UpdateTimeToLiveOutput(Shape, frozen=True):
    """The requested specification."""

    time_to_live_specification: TimeToLiveSpecification


class UpdateTimeToLive(Operation[UpdateTimeToLiveOutput], frozen=True):
    """Enable or disable TTL."""

    table_name: str
    time_to_live_specification: TimeToLiveSpecification


class TimeToLiveDescription(Shape, frozen=True):
    """Whether items expire, and by which attribute."""

    time_to_live_status: Literal["ENABLING", "DISABLING", "ENABLED", "DISABLED"]
    attribute_name: str | None = None


class DescribeTimeToLiveOutput(Shape, frozen=True):
    """The current TTL of a table."""

    time_to_live_description: TimeToLiveDescription


class DescribeTimeToLive(Operation[DescribeTimeToLiveOutput], frozen=True):
    """Return whether items expire."""

    table_name: str


# --- Continuous backups


class PointInTimeRecoverySpecification(Shape, frozen=True):
    """Whether a table can be restored to any second of the last days, 35 by default."""

    point_in_time_recovery_enabled: bool
    recovery_period_in_days: int | None = None


class PointInTimeRecoveryDescription(Shape, frozen=True):
    """Whether a table can be restored, and to any second between which times."""

    point_in_time_recovery_status: EnabledOrDisabled
    recovery_period_in_days: int | None = None
    earliest_restorable_date_time: float | None = None
    latest_restorable_date_time: float | None = None


class ContinuousBackupsDescription(Shape, frozen=True):
    """The state of continuous backups and, separately, of point-in-time recovery."""

    continuous_backups_status: EnabledOrDisabled
    point_in_time_recovery_description: PointInTimeRecoveryDescription | None = None


class UpdateContinuousBackupsOutput(Shape, frozen=True):
    """The new state of the table's backups."""

    continuous_backups_description: ContinuousBackupsDescription


class UpdateContinuousBackups(Operation[UpdateContinuousBackupsOutput], frozen=True):
    """Enable or disable point-in-time recovery."""

    table_name: str
    point_in_time_recovery_specification: PointInTimeRecoverySpecification


class DescribeContinuousBackupsOutput(Shape, frozen=True):
    """The state of the table's backups."""

    continuous_backups_description: ContinuousBackupsDescription


class DescribeContinuousBackups(Operation[DescribeContinuousBackupsOutput], frozen=True):
    """Return whether a table has point-in-time recovery."""

    table_name: str


# --- Tags


class EmptyOutput(Shape, frozen=True):
    """An empty output: the operation succeeded."""


class TagResource(Operation[EmptyOutput], frozen=True):
    """Add tags to a table."""

    resource_arn: str
    tags: list[Tag]


class UntagResource(Operation[EmptyOutput], frozen=True):
    """Remove tags from a table."""

    resource_arn: str
    tag_keys: list[str]


class ListTagsOfResourceOutput(Shape, frozen=True):
    """The tags of a table."""

    tags: list[Tag]
    next_token: str | None = None


class ListTagsOfResource(Operation[ListTagsOfResourceOutput], frozen=True):
    """Return the tags of a table."""

    resource_arn: str
    next_token: str | None = None


# --- The account


class DescribeLimitsOutput(Shape, frozen=True):
    """The maximum capacity that may be provisioned."""

    account_max_read_capacity_units: int
    account_max_write_capacity_units: int
    table_max_read_capacity_units: int
    table_max_write_capacity_units: int


class DescribeLimits(Operation[DescribeLimitsOutput], frozen=True):
    """Return the limits of the account."""


class Endpoint(Shape, frozen=True):
    """An address to send requests to."""

    address: str
    cache_period_in_minutes: int


class DescribeEndpointsOutput(Shape, frozen=True):
    """The addresses to send requests to."""

    endpoints: list[Endpoint]


class DescribeEndpoints(Operation[DescribeEndpointsOutput], frozen=True):
    """Return the addresses to send requests to."""
