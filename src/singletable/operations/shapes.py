"""The parts that requests and results share: keys, projections, throughput, what was consumed."""

from __future__ import annotations

from typing import Literal, TypeAlias

from msgspec import field

from singletable.operations.operation import Shape
from singletable.values import AttributeValue, Item, KeyType

ComparisonOperator: TypeAlias = Literal[
    "EQ",
    "NE",
    "IN",
    "LE",
    "LT",
    "GE",
    "GT",
    "BETWEEN",
    "NOT_NULL",
    "NULL",
    "CONTAINS",
    "NOT_CONTAINS",
    "BEGINS_WITH",
]
BillingMode: TypeAlias = Literal["PROVISIONED", "PAY_PER_REQUEST"]
ConditionalOperator: TypeAlias = Literal["AND", "OR"]
ReturnConsumedCapacity: TypeAlias = Literal["INDEXES", "TOTAL", "NONE"]
ReturnItemCollectionMetrics: TypeAlias = Literal["SIZE", "NONE"]
ReturnValue: TypeAlias = Literal["NONE", "ALL_OLD", "UPDATED_OLD", "ALL_NEW", "UPDATED_NEW"]
ReturnOnFailure: TypeAlias = Literal["ALL_OLD", "NONE"]
Select: TypeAlias = Literal[
    "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES", "SPECIFIC_ATTRIBUTES", "COUNT"
]
TableClass: TypeAlias = Literal["STANDARD", "STANDARD_INFREQUENT_ACCESS"]
IndexStatus: TypeAlias = Literal["CREATING", "UPDATING", "DELETING", "ACTIVE"]
# The last four the embedded engine never has.
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


class AttributeDefinition(Shape, frozen=True):
    """The type of a key attribute."""

    attribute_name: str
    attribute_type: KeyType


class KeySchemaElement(Shape, frozen=True):
    """One attribute of a key, and whether it partitions or sorts."""

    attribute_name: str
    key_type: Literal["HASH", "RANGE"]


class Projection(Shape, frozen=True):
    """Which attributes an index carries."""

    projection_type: Literal["ALL", "KEYS_ONLY", "INCLUDE"] | None = None
    non_key_attributes: list[str] | None = None


class ProvisionedThroughput(Shape, frozen=True):
    """Capacity units a second that are reserved."""

    read_capacity_units: int
    write_capacity_units: int


class OnDemandThroughput(Shape, frozen=True):
    """The most that an on-demand table may consume; -1 takes a limit away."""

    max_read_request_units: int | None = None
    max_write_request_units: int | None = None


class WarmThroughput(Shape, frozen=True):
    """Units a second that a table can bear at once."""

    read_units_per_second: int | None = None
    write_units_per_second: int | None = None


class StreamSpecification(Shape, frozen=True):
    """Whether changes are streamed, and what each record shows."""

    stream_enabled: bool
    stream_view_type: StreamViewType | None = None


class SSESpecification(Shape, frozen=True):
    """Encryption at rest. The embedded engine remembers it and encrypts nothing."""

    enabled: bool | None = None
    sse_type: Literal["AES256", "KMS"] | None = field(name="SSEType", default=None)
    kms_master_key_id: str | None = field(name="KMSMasterKeyId", default=None)


class Tag(Shape, frozen=True):
    """A label on a table."""

    key: str
    value: str


class ExpectedAttributeValue(Shape, frozen=True):
    """What an attribute must be, in the legacy form of a condition."""

    value: AttributeValue | None = None
    exists: bool | None = None
    comparison_operator: ComparisonOperator | None = None
    attribute_value_list: list[AttributeValue] | None = None


class Condition(Shape, frozen=True):
    """A comparison, in the legacy form of a key condition or a filter."""

    comparison_operator: ComparisonOperator
    attribute_value_list: list[AttributeValue] | None = None


class AttributeValueUpdate(Shape, frozen=True):
    """What to do with an attribute, in the legacy form of an update."""

    value: AttributeValue | None = None
    action: Literal["ADD", "PUT", "DELETE"] | None = None


class Capacity(Shape, frozen=True):
    """Units consumed by a table or an index."""

    capacity_units: float
    read_capacity_units: float | None = None
    write_capacity_units: float | None = None


class ConsumedCapacity(Shape, frozen=True):
    """Units consumed by an operation on one table; the parts are there for INDEXES only."""

    table_name: str
    capacity_units: float
    read_capacity_units: float | None = None
    write_capacity_units: float | None = None
    table: Capacity | None = None
    local_secondary_indexes: dict[str, Capacity] | None = None
    global_secondary_indexes: dict[str, Capacity] | None = None


class ItemCollectionMetrics(Shape, frozen=True):
    """An item collection that a write touched, and a lower and upper guess of its size."""

    item_collection_key: Item
    size_estimate_range_gb: list[float] = field(name="SizeEstimateRangeGB")
