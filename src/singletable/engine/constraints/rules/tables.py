"""The rules of the operations on tables."""

from __future__ import annotations

from singletable.engine.constraints.rules.account import TAGS
from singletable.engine.constraints.rules.rule import Rule
from singletable.engine.constraints.rules.schema import (
    ATTRIBUTE_DEFINITIONS,
    ATTRIBUTE_NAME,
    ENCRYPTION,
    GLOBAL_INDEXES,
    INDEX_UPDATES,
    KEY_SCHEMA,
    LOCAL_INDEXES,
    ON_DEMAND,
    PROTECTION,
    PROVISIONED,
    STREAM,
    TABLE,
    WARM,
)
from singletable.engine.constraints.rules.words import BILLING_MODE, TABLE_CLASS
from singletable.engine.constraints.shape import (
    Flag,
    Member,
    Number,
    Struct,
    Text,
    required,
)
from singletable.engine.constraints.wording import TABLE as ANSWERS
from singletable.operations import (
    CreateTable,
    DeleteTable,
    DescribeContinuousBackups,
    DescribeTable,
    DescribeTimeToLive,
    ListTables,
    PointInTimeRecoverySpecification,
    TimeToLiveSpecification,
    UpdateContinuousBackups,
    UpdateTable,
    UpdateTimeToLive,
)

BILLING = Member("billing_mode", BILLING_MODE)
CLASS = Member("table_class", TABLE_CLASS)

CREATE_TABLE = Struct(
    CreateTable,
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
        CLASS,
    ),
)
UPDATE_TABLE = Struct(
    UpdateTable,
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
        CLASS,
    ),
)
LIST_TABLES = Struct(
    ListTables,
    (
        Member("limit", Number(1, 100)),
        Member("exclusive_start_table_name", Text(3, 255, pattern="first")),
    ),
)
UPDATE_TIME_TO_LIVE = Struct(
    UpdateTimeToLive,
    (
        TABLE,
        required(
            "time_to_live_specification",
            Struct(TimeToLiveSpecification, (ATTRIBUTE_NAME, required("enabled", Flag()))),
        ),
    ),
)
UPDATE_CONTINUOUS_BACKUPS = Struct(
    UpdateContinuousBackups,
    (
        TABLE,
        required(
            "point_in_time_recovery_specification",
            Struct(
                PointInTimeRecoverySpecification,
                (
                    required("point_in_time_recovery_enabled", Flag()),
                    Member("recovery_period_in_days", Number(1, 35)),
                ),
            ),
        ),
    ),
)

TABLES = tuple(
    Rule(shape, ANSWERS, falls_back=False)
    for shape in (
        CREATE_TABLE,
        UPDATE_TABLE,
        Struct(DescribeTable, (TABLE,)),
        Struct(DeleteTable, (TABLE,)),
        LIST_TABLES,
        UPDATE_TIME_TO_LIVE,
        Struct(DescribeTimeToLive, (TABLE,)),
        UPDATE_CONTINUOUS_BACKUPS,
        Struct(DescribeContinuousBackups, (TABLE,)),
    )
)
