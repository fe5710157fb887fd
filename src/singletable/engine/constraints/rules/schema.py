"""What describes a table to the operations on tables: keys, indexes, throughput, stream."""

from __future__ import annotations

from singletable.engine.constraints.rules.words import (
    ATTRIBUTE_TYPE,
    KEY_TYPE,
    PROJECTION_TYPE,
    SSE_TYPE,
    STREAM_VIEW_TYPE,
)
from singletable.engine.constraints.shape import (
    LEAST_INTEGER,
    Flag,
    List,
    Member,
    Number,
    Struct,
    TableName,
    Text,
    required,
)
from singletable.operations import (
    AttributeDefinition,
    CreateGlobalSecondaryIndexAction,
    DeleteGlobalSecondaryIndexAction,
    GlobalSecondaryIndex,
    GlobalSecondaryIndexUpdate,
    KeySchemaElement,
    LocalSecondaryIndex,
    OnDemandThroughput,
    Projection,
    ProvisionedThroughput,
    SSESpecification,
    StreamSpecification,
    UpdateGlobalSecondaryIndexAction,
    WarmThroughput,
)

TABLE = required(
    "table_name",
    TableName(least=3),
    absent="The parameter 'TableName' is required but was not present in the request",
)
ATTRIBUTE_NAME = required("attribute_name", Text(1, 255))
ATTRIBUTE_DEFINITIONS = List(
    Struct(AttributeDefinition, (required("attribute_type", ATTRIBUTE_TYPE), ATTRIBUTE_NAME))
)

_KEY = Struct(KeySchemaElement, (ATTRIBUTE_NAME, required("key_type", KEY_TYPE)))
KEY_SCHEMA = required("key_schema", List(_KEY, 1, 2))
# A global index may have up to eight key attributes; AWS counts them later, in other words.
GLOBAL_KEY_SCHEMA = required("key_schema", List(_KEY, 1))

PROJECTION = required(
    "projection",
    Struct(
        Projection,
        (
            Member("projection_type", PROJECTION_TYPE),
            Member("non_key_attributes", List(Text(1, 255), 1, 20)),
        ),
    ),
)
PROVISIONED = Member(
    "provisioned_throughput",
    Struct(
        ProvisionedThroughput,
        (required("write_capacity_units", Number(1)), required("read_capacity_units", Number(1))),
    ),
)
# Here any number will do: what is out of range depends on the table, and AWS has words for it.
_ANY = Number(LEAST_INTEGER)
ON_DEMAND = Member(
    "on_demand_throughput",
    Struct(
        OnDemandThroughput,
        (Member("max_read_request_units", _ANY), Member("max_write_request_units", _ANY)),
    ),
)
WARM = Member(
    "warm_throughput",
    Struct(
        WarmThroughput,
        (Member("read_units_per_second", _ANY), Member("write_units_per_second", _ANY)),
    ),
)
THROUGHPUT = (PROVISIONED, ON_DEMAND, WARM)

INDEX_NAME = required("index_name", Text(3, 255, pattern="last"))
_GLOBAL = (INDEX_NAME, GLOBAL_KEY_SCHEMA, PROJECTION, *THROUGHPUT)
LOCAL_INDEXES = Member(
    "local_secondary_indexes",
    List(Struct(LocalSecondaryIndex, (INDEX_NAME, KEY_SCHEMA, PROJECTION))),
)
GLOBAL_INDEXES = Member("global_secondary_indexes", List(Struct(GlobalSecondaryIndex, _GLOBAL)))
INDEX_UPDATES = Member(
    "global_secondary_index_updates",
    List(
        Struct(
            GlobalSecondaryIndexUpdate,
            (
                Member(
                    "update",
                    Struct(UpdateGlobalSecondaryIndexAction, (INDEX_NAME, *THROUGHPUT)),
                ),
                Member("create", Struct(CreateGlobalSecondaryIndexAction, _GLOBAL)),
                Member("delete", Struct(DeleteGlobalSecondaryIndexAction, (INDEX_NAME,))),
            ),
        )
    ),
)

STREAM = Member(
    "stream_specification",
    Struct(
        StreamSpecification,
        (required("stream_enabled", Flag()), Member("stream_view_type", STREAM_VIEW_TYPE)),
    ),
)
ENCRYPTION = Member(
    "sse_specification",
    Struct(
        SSESpecification,
        (
            Member("enabled", Flag()),
            Member("sse_type", SSE_TYPE),
            Member("kms_master_key_id", Text(1)),
        ),
    ),
)
PROTECTION = Member("deletion_protection_enabled", Flag())
