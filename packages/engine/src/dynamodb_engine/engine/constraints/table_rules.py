"""The constraints of the operations on tables, tags, the account, streams and the change feed."""

from __future__ import annotations

from dynamodb_engine import operations as ops
from dynamodb_engine.engine.constraints.messages import CONTROL, OURS, Rule
from dynamodb_engine.engine.constraints.types import (
    FLAG,
    MIN_INTEGER,
    TIMESTAMP,
    Choice,
    CustomChoice,
    Integer,
    List,
    Member,
    Structure,
    TableName,
    Text,
    required,
)

# --- Keys and indexes

TABLE = required(
    "table_name",
    TableName(minimum=3),
    missing_message="The parameter 'TableName' is required but was not present in the request",
)
ATTRIBUTE_NAME = required("attribute_name", Text(1, 255))
ATTRIBUTE_DEFINITIONS = List(
    Structure(
        ops.AttributeDefinition,
        (required("attribute_type", Choice(("B", "N", "S"))), ATTRIBUTE_NAME),
    )
)
_KEY = Structure(
    ops.KeySchemaElement, (ATTRIBUTE_NAME, required("key_type", Choice(("HASH", "RANGE"))))
)
KEY_SCHEMA = required("key_schema", List(_KEY, 1, 2))
# A global index may have up to eight key attributes; AWS counts them later, with another message.
GLOBAL_KEY_SCHEMA = required("key_schema", List(_KEY, 1))
PROJECTION = required(
    "projection",
    Structure(
        ops.Projection,
        (
            Member("projection_type", Choice(("ALL", "INCLUDE", "KEYS_ONLY"))),
            Member("non_key_attributes", List(Text(1, 255), 1, 20)),
        ),
    ),
)

PROVISIONED = Member(
    "provisioned_throughput",
    Structure(
        ops.ProvisionedThroughput,
        (required("write_capacity_units", Integer(1)), required("read_capacity_units", Integer(1))),
    ),
)
# Any number passes here: the valid range depends on the table, and AWS has other messages for it.
_ANY_NUMBER = Integer(MIN_INTEGER)
ON_DEMAND = Member(
    "on_demand_throughput",
    Structure(
        ops.OnDemandThroughput,
        (
            Member("max_read_request_units", _ANY_NUMBER),
            Member("max_write_request_units", _ANY_NUMBER),
        ),
    ),
)
WARM = Member(
    "warm_throughput",
    Structure(
        ops.WarmThroughput,
        (
            Member("read_units_per_second", _ANY_NUMBER),
            Member("write_units_per_second", _ANY_NUMBER),
        ),
    ),
)
THROUGHPUT = (PROVISIONED, ON_DEMAND, WARM)

INDEX_NAME = required("index_name", Text(3, 255, pattern="last"))
_GLOBAL_INDEX = (INDEX_NAME, GLOBAL_KEY_SCHEMA, PROJECTION, *THROUGHPUT)
LOCAL_INDEXES = Member(
    "local_secondary_indexes",
    List(Structure(ops.LocalSecondaryIndex, (INDEX_NAME, KEY_SCHEMA, PROJECTION))),
)
GLOBAL_INDEXES = Member(
    "global_secondary_indexes", List(Structure(ops.GlobalSecondaryIndex, _GLOBAL_INDEX))
)
INDEX_UPDATES = Member(
    "global_secondary_index_updates",
    List(
        Structure(
            ops.GlobalSecondaryIndexUpdate,
            (
                Member(
                    "update",
                    Structure(ops.UpdateGlobalSecondaryIndexAction, (INDEX_NAME, *THROUGHPUT)),
                ),
                Member("create", Structure(ops.CreateGlobalSecondaryIndexAction, _GLOBAL_INDEX)),
                Member("delete", Structure(ops.DeleteGlobalSecondaryIndexAction, (INDEX_NAME,))),
            ),
        )
    ),
)

# --- Other settings

BILLING = Member("billing_mode", Choice(("PROVISIONED", "PAY_PER_REQUEST")))
STREAM = Member(
    "stream_specification",
    Structure(
        ops.StreamSpecification,
        (
            required("stream_enabled", FLAG),
            Member(
                "stream_view_type",
                Choice(("OLD_IMAGE", "KEYS_ONLY", "NEW_AND_OLD_IMAGES", "NEW_IMAGE")),
            ),
        ),
    ),
)
ENCRYPTION = Member(
    "sse_specification",
    Structure(
        ops.SSESpecification,
        (
            Member("enabled", FLAG),
            Member("sse_type", Choice(("AES256", "KMS"))),
            Member("kms_master_key_id", Text(1)),
        ),
    ),
)
PROTECTION = Member("deletion_protection_enabled", FLAG)
TABLE_CLASS = Member(
    "table_class",
    CustomChoice(
        ("STANDARD", "STANDARD_INFREQUENT_ACCESS"),
        "Invalid table-class parameter provided. Please try again with a valid table-class value: "
        "[STANDARD, STANDARD_INFREQUENT_ACCESS].",
    ),
)
# A tag's key and value are checked with the existing tags; even null has another message there.
TAGS = List(Structure(ops.Tag, (Member("key", Text()), Member("value", Text()))))
TAGGED_RESOURCE = required("resource_arn", Text(), missing_message="Invalid TableArn")

# --- Operations

CREATE_TABLE = Structure(
    ops.CreateTable,
    (
        required("attribute_definitions", ATTRIBUTE_DEFINITIONS),
        TABLE,
        BILLING,
        PROVISIONED,
        KEY_SCHEMA,
        GLOBAL_INDEXES,
        LOCAL_INDEXES,
        STREAM,
        ENCRYPTION,
        ON_DEMAND,
        WARM,
        PROTECTION,
        Member("tags", TAGS),
        Member("resource_policy", Text()),
        TABLE_CLASS,
    ),
)
UPDATE_TABLE = Structure(
    ops.UpdateTable,
    (
        Member("attribute_definitions", ATTRIBUTE_DEFINITIONS),
        TABLE,
        BILLING,
        PROVISIONED,
        INDEX_UPDATES,
        STREAM,
        ENCRYPTION,
        ON_DEMAND,
        WARM,
        PROTECTION,
        TABLE_CLASS,
    ),
)
LIST_TABLES = Structure(
    ops.ListTables,
    (
        Member("limit", Integer(1, 100)),
        Member("exclusive_start_table_name", Text(3, 255, pattern="first")),
    ),
)
UPDATE_TIME_TO_LIVE = Structure(
    ops.UpdateTimeToLive,
    (
        TABLE,
        required(
            "time_to_live_specification",
            Structure(ops.TimeToLiveSpecification, (ATTRIBUTE_NAME, required("enabled", FLAG))),
        ),
    ),
)
UPDATE_CONTINUOUS_BACKUPS = Structure(
    ops.UpdateContinuousBackups,
    (
        TABLE,
        required(
            "point_in_time_recovery_specification",
            Structure(
                ops.PointInTimeRecoverySpecification,
                (
                    required("point_in_time_recovery_enabled", FLAG),
                    Member("recovery_period_in_days", Integer(1, 35)),
                ),
            ),
        ),
    ),
)
# AWS accepts short texts, too, which are no ARNs.
KINESIS_ARN = required("stream_arn", Text(0, 1024))
PRECISION = Member(
    "approximate_creation_date_time_precision", Choice(("MILLISECOND", "MICROSECOND"))
)
ENABLE_KINESIS = Member(
    "enable_kinesis_streaming_configuration",
    Structure(ops.EnableKinesisStreamingConfiguration, (PRECISION,)),
)
UPDATE_KINESIS = Member(
    "update_kinesis_streaming_configuration",
    Structure(ops.UpdateKinesisStreamingConfiguration, (PRECISION,)),
)
# Upper limits have messages of their own, in the handlers.
STREAM_LIMIT = Member("limit", Integer(1))
STREAM_ARN, SHARD_ID = Text(37, 1024), Text(28, 65)
# In the order that Kinesis lists the same words in.
ITERATOR_TYPE = Choice(
    ("AFTER_SEQUENCE_NUMBER", "LATEST", "AT_TIMESTAMP", "AT_SEQUENCE_NUMBER", "TRIM_HORIZON")
)
LIST_STREAMS = Structure(
    ops.ListStreams,
    (
        Member("table_name", Text(3, 255, pattern="first")),  # no ARN
        Member("exclusive_start_stream_arn", STREAM_ARN),
        STREAM_LIMIT,
    ),
)
DESCRIBE_STREAM = Structure(
    ops.DescribeStream,
    (
        required("stream_arn", STREAM_ARN),
        STREAM_LIMIT,
        Member("exclusive_start_shard_id", SHARD_ID),
        Member(
            "shard_filter",
            Structure(
                ops.ShardFilter,
                (required("type", Choice(("CHILD_SHARDS",))), required("shard_id", SHARD_ID)),
            ),
        ),
    ),
)
GET_SHARD_ITERATOR = Structure(
    ops.GetShardIterator,
    (
        required("stream_arn", STREAM_ARN),
        required("shard_id", SHARD_ID),
        required("shard_iterator_type", ITERATOR_TYPE),
        Member("sequence_number", Text(21, 40)),
        Member("timestamp", TIMESTAMP),
    ),
)
GET_RECORDS = Structure(ops.GetRecords, (required("shard_iterator", Text(1, 2048)), STREAM_LIMIT))
# The operations that DynamoDB does not have, with messages of our own.
FEED_TABLE = Member("table_name", TableName(minimum=3))
FEED_LIMIT = required("limit", Integer(1, 1000))

TABLE_RULES = (
    *(
        Rule(structure, CONTROL, falls_back=False)
        for structure in (
            CREATE_TABLE,
            UPDATE_TABLE,
            Structure(ops.DescribeTable, (TABLE,)),
            Structure(ops.DeleteTable, (TABLE,)),
            LIST_TABLES,
            UPDATE_TIME_TO_LIVE,
            Structure(ops.DescribeTimeToLive, (TABLE,)),
            UPDATE_CONTINUOUS_BACKUPS,
            Structure(ops.DescribeContinuousBackups, (TABLE,)),
            Structure(ops.EnableKinesisStreamingDestination, (TABLE, KINESIS_ARN, ENABLE_KINESIS)),
            Structure(ops.DisableKinesisStreamingDestination, (TABLE, KINESIS_ARN, ENABLE_KINESIS)),
            Structure(ops.UpdateKinesisStreamingDestination, (TABLE, KINESIS_ARN, UPDATE_KINESIS)),
            Structure(ops.DescribeKinesisStreamingDestination, (TABLE,)),
            Structure(ops.TagResource, (TAGGED_RESOURCE, required("tags", TAGS))),
            Structure(ops.UntagResource, (TAGGED_RESOURCE, required("tag_keys", List(Text())))),
            Structure(ops.ListTagsOfResource, (TAGGED_RESOURCE, Member("next_token", Text()))),
            Structure(ops.DescribeLimits, ()),
            Structure(ops.DescribeEndpoints, ()),
            LIST_STREAMS,
            DESCRIBE_STREAM,
            GET_SHARD_ITERATOR,
            GET_RECORDS,
        )
    ),
    *(
        Rule(structure, OURS, falls_back=False)
        for structure in (
            Structure(ops.ReadChanges, (Member("after", Integer(0)), FEED_TABLE, FEED_LIMIT)),
            Structure(ops.SweepExpired, (FEED_TABLE, FEED_LIMIT)),
        )
    ),
)
