"""Each setting that a request can make is described afterwards, or rejected."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import Struct
from msgspec.structs import asdict, fields, replace

from dynamodb_engine import Engine, UnknownOperation
from dynamodb_engine import operations as ops

ALL = ops.Projection("ALL")
KEY = [ops.KeySchemaElement("pk", "HASH")]
BY_DAY = ops.GlobalSecondaryIndex("by_day", [ops.KeySchemaElement("day", "HASH")], ALL)
LOCAL = ops.LocalSecondaryIndex("local", [*KEY, ops.KeySchemaElement("day", "RANGE")], ALL)
STREAM = ops.StreamSpecification(True, "KEYS_ONLY")
ONE_A_SECOND = ops.ProvisionedThroughput(1, 1)
TABLE = ops.CreateTable(
    "settings",
    [ops.AttributeDefinition("pk", "S")],
    KEY,
    billing_mode="PAY_PER_REQUEST",
)
SORTED = [
    *(ops.AttributeDefinition(name, "S") for name in ("pk", "day")),
]
SETTINGS: dict[str, dict[str, Any]] = {
    "billing_mode": {"billing_mode": "PROVISIONED", "provisioned_throughput": ONE_A_SECOND},
    "provisioned_throughput": {
        "billing_mode": "PROVISIONED",
        "provisioned_throughput": ops.ProvisionedThroughput(7, 7),
    },
    "stream_specification": {"stream_specification": STREAM},
    "sse_specification": {"sse_specification": ops.SSESpecification(True, "KMS")},
    "table_class": {"table_class": "STANDARD_INFREQUENT_ACCESS"},
    "deletion_protection_enabled": {"deletion_protection_enabled": True},
    "warm_throughput": {"warm_throughput": ops.WarmThroughput(13_000, 5_000)},
    "on_demand_throughput": {"on_demand_throughput": ops.OnDemandThroughput(100, 100)},
}
CREATED: dict[str, dict[str, Any]] = {
    **SETTINGS,
    "table_name": {"table_name": "other"},
    "attribute_definitions": {"attribute_definitions": [ops.AttributeDefinition("pk", "N")]},
    "key_schema": {
        "key_schema": [*KEY, ops.KeySchemaElement("day", "RANGE")],
        "attribute_definitions": SORTED,
    },
    "local_secondary_indexes": {
        "key_schema": [*KEY, ops.KeySchemaElement("day", "RANGE")],
        "attribute_definitions": SORTED,
        "local_secondary_indexes": [LOCAL],
    },
    "global_secondary_indexes": {
        "attribute_definitions": SORTED,
        "global_secondary_indexes": [BY_DAY],
    },
    "tags": {"tags": [ops.Tag("team", "votes")]},
}
# The members of a description that have other names than the setting.
DESCRIBED = {
    "billing_mode": "billing_mode_summary",
    "sse_specification": "sse_description",
    "table_class": "table_class_summary",
    "global_secondary_index_updates": "global_secondary_indexes",
}
ADD_INDEX = ops.GlobalSecondaryIndexUpdate(
    create=ops.CreateGlobalSecondaryIndexAction(BY_DAY.index_name, BY_DAY.key_schema, ALL)
)
UPDATED: dict[str, dict[str, Any]] = {
    **SETTINGS,
    "attribute_definitions": {
        "attribute_definitions": SORTED,
        "global_secondary_index_updates": [ADD_INDEX],
    },
    "global_secondary_index_updates": {
        "attribute_definitions": SORTED,
        "global_secondary_index_updates": [ADD_INDEX],
    },
}


def describe(engine: Engine, name: str) -> dict[str, object]:
    """Return everything that can be asked about the settings of a table."""
    table = engine.execute(ops.DescribeTable(name)).table
    return {
        **asdict(table),
        "tags": engine.execute(ops.ListTagsOfResource(table.table_arn)).tags,
        "ttl": engine.execute(ops.DescribeTimeToLive(name)),
        "kinesis": engine.execute(ops.DescribeKinesisStreamingDestination(name)),
        "backups": engine.execute(ops.DescribeContinuousBackups(name)),
    }


def settings_of(request: type[Struct]) -> list[str]:
    return [field.name for field in fields(request)]


@pytest.fixture
def plain() -> dict[str, object]:
    """Return the description of a table with defaults."""
    with Engine.in_memory() as engine:
        engine.execute(TABLE)
        return describe(engine, "settings")


@pytest.mark.parametrize("name", settings_of(ops.CreateTable))
def test_each_setting_of_a_new_table_is_described(name: str, plain: dict[str, object]) -> None:
    with Engine.in_memory() as engine:
        if name == "resource_policy":
            with pytest.raises(UnknownOperation, match="ResourcePolicy of CreateTable"):
                engine.execute(replace(TABLE, resource_policy="{}"))
            return
        request = replace(TABLE, **CREATED[name])
        engine.execute(request)
        check_changed(name, plain, describe(engine, request.table_name))


@pytest.mark.parametrize("name", [n for n in settings_of(ops.UpdateTable) if n != "table_name"])
def test_each_changed_setting_is_described(name: str, plain: dict[str, object]) -> None:
    with Engine.in_memory() as engine:
        engine.execute(TABLE)
        engine.execute(ops.UpdateTable("settings", **UPDATED[name]))
        check_changed(name, plain, describe(engine, "settings"))


def check_changed(name: str, before: dict[str, object], after: dict[str, object]) -> None:
    """Check that the description shows the setting."""
    member = DESCRIBED.get(name, name)
    assert after[member] != before[member]


@pytest.mark.parametrize(
    ("request_", "described"),
    [
        (ops.UpdateTimeToLive("settings", ops.TimeToLiveSpecification(True, "gone")), "ttl"),
        (
            ops.EnableKinesisStreamingDestination(
                "settings", "arn:aws:kinesis:us-east-1:123456789012:stream/changes"
            ),
            "kinesis",
        ),
    ],
)
def test_other_settings_are_described(
    request_: ops.Operation[object], described: str, plain: dict[str, object]
) -> None:
    with Engine.in_memory() as engine:
        engine.execute(TABLE)
        engine.execute(request_)
        assert describe(engine, "settings")[described] != plain[described]


def test_recovery_is_rejected(plain: dict[str, object]) -> None:
    on = ops.PointInTimeRecoverySpecification(True)
    with Engine.in_memory() as engine:
        engine.execute(TABLE)
        with pytest.raises(UnknownOperation):
            engine.execute(ops.UpdateContinuousBackups("settings", on))
        assert describe(engine, "settings")["backups"] == plain["backups"]
