"""Every difference from DynamoDB that the compatibility page lists."""

from __future__ import annotations

import re
from collections.abc import Iterator
from threading import Thread

import pytest
from msgspec import json
from msgspec.structs import replace

from dynamodb_engine import Delays, Driver, Engine, Item, Settings
from dynamodb_engine import operations as ops
from dynamodb_engine.wire import read_request
from singletable import connect
from singletable.errors import UnknownOperation
from tools.testing.clock import Clock
from tools.testing.sources import ROOT

TABLE = ops.CreateTable(
    "differences",
    [ops.AttributeDefinition("PK", "S")],
    [ops.KeySchemaElement("PK", "HASH")],
    billing_mode="PAY_PER_REQUEST",
)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def engine(clock: Clock) -> Iterator[Engine]:
    with Engine.in_memory(Settings(clock=clock)) as engine:
        yield engine


def key(name: str) -> Item:
    return {"PK": {"S": name}}


def describe(engine: Driver) -> ops.TableDescription:
    return engine.execute(ops.DescribeTable("differences")).table


# Tests and tools should not wait for what takes DynamoDB seconds.
def test_states_are_instant(engine: Engine) -> None:
    engine.execute(TABLE)
    assert describe(engine).table_status == "ACTIVE"


# Delays let users test how they wait for states.
def test_states_take_time_with_delays(clock: Clock) -> None:
    settings = Settings(clock=clock, delays=Delays(create_table=5))
    with connect("memory:", settings) as engine:
        engine.execute(TABLE)
        assert describe(engine).table_status == "CREATING"
        clock.now += 6
        assert describe(engine).table_status == "ACTIVE"


# The specification is described as DynamoDB describes it, for tools that check it.
def test_encryption_settings_are_stored_but_not_applied(engine: Engine) -> None:
    specification = ops.SSESpecification(enabled=True, sse_type="KMS")
    engine.execute(replace(TABLE, sse_specification=specification))
    described = describe(engine).sse_description
    assert described is not None
    assert described.status == "ENABLED"


# To say that recovery is enabled would be a promise that the engine does not keep.
def test_recovery_is_disabled_and_cannot_be_enabled(engine: Engine) -> None:
    engine.execute(TABLE)
    on = ops.PointInTimeRecoverySpecification(True, 7)
    with pytest.raises(UnknownOperation, match="Point-in-time recovery"):
        engine.execute(ops.UpdateContinuousBackups("differences", on))
    off = ops.UpdateContinuousBackups("differences", ops.PointInTimeRecoverySpecification(False))
    none = ops.ContinuousBackupsDescription(
        "DISABLED", ops.PointInTimeRecoveryDescription("DISABLED")
    )
    assert engine.execute(off).continuous_backups_description == none
    described = engine.execute(ops.DescribeContinuousBackups("differences"))
    assert described.continuous_backups_description == none


# Throttling by the clock would make tests flaky; units are counted, but nothing is throttled.
def test_throughput_is_not_enforced(engine: Engine) -> None:
    one = ops.ProvisionedThroughput(1, 1)
    engine.execute(replace(TABLE, billing_mode=None, provisioned_throughput=one))
    for number in range(400):
        put = ops.PutItem("differences", key(str(number)), return_consumed_capacity="TOTAL")
        consumed = engine.execute(put).consumed_capacity
        assert consumed is not None
        assert consumed.capacity_units == 1


# The order differs from the key order and is stable; nothing more is guaranteed.
def test_scan_order_differs_from_aws(engine: Engine) -> None:
    engine.execute(TABLE)
    names = [f"{number:02}" for number in range(25)]
    writes = [ops.WriteRequest(ops.PutRequest(key(name))) for name in names]
    engine.execute(ops.BatchWriteItem({"differences": writes}))
    scanned = [item["PK"]["S"] for item in engine.execute(ops.Scan("differences")).items]
    assert scanned != names
    assert sorted(scanned) == names
    assert scanned == [item["PK"]["S"] for item in engine.execute(ops.Scan("differences")).items]


# A lagging index would make tests flaky; here it is written with the table.
def test_global_index_is_always_consistent(engine: Engine) -> None:
    definitions = [*TABLE.attribute_definitions, ops.AttributeDefinition("email", "S")]
    keys = [ops.KeySchemaElement("email", "HASH")]
    index = ops.GlobalSecondaryIndex("by_email", keys, ops.Projection("ALL"))
    engine.execute(
        replace(TABLE, attribute_definitions=definitions, global_secondary_indexes=[index])
    )
    engine.execute(ops.PutItem("differences", {**key("ada"), "email": {"S": "ada@example.com"}}))
    query = ops.Query(
        "differences",
        "by_email",
        key_condition_expression="email = :email",
        expression_attribute_values={":email": {"S": "ada@example.com"}},
    )
    assert engine.execute(query).count == 1


# There is no background sweep; an item stays until the engine is asked to sweep.
def test_expired_items_are_removed_by_a_sweep(engine: Engine, clock: Clock) -> None:
    engine.execute(TABLE)
    engine.execute(
        ops.UpdateTimeToLive("differences", ops.TimeToLiveSpecification(True, "expires"))
    )
    expires = str(int(clock.now) + 60)
    engine.execute(ops.PutItem("differences", {**key("ada"), "expires": {"N": expires}}))
    clock.now += 3 * 24 * 60 * 60
    assert engine.execute(ops.GetItem("differences", key("ada"))).item is not None
    assert engine.execute(ops.SweepExpired()).removed == 1
    assert engine.execute(ops.GetItem("differences", key("ada"))).item is None


# The feed has every write of every table, with or without a stream.
def test_change_feed_is_always_on(engine: Engine) -> None:
    engine.execute(TABLE)
    engine.execute(ops.PutItem("differences", key("ada")))
    changes = engine.execute(ops.ReadChanges()).changes
    assert [(change.kind, change.keys) for change in changes] == [("INSERT", key("ada"))]


# A difference without a test is hearsay.
def test_every_documented_difference_names_its_test() -> None:
    page = (ROOT / "docs/compatibility.md").read_text()
    section = page.partition("## Differences that we keep")[2].partition("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("|")][2:]
    assert rows
    for row in rows:
        shown_by = row.rstrip("|").rpartition("|")[2]
        assert re.search(r"`(packages/[\w-]+/)?tests/[\w/]+\.py::\w+`", shown_by), row


# A test should see current counts, not those of six hours ago.
def test_item_counts_are_exact(engine: Engine) -> None:
    engine.execute(TABLE)
    engine.execute(ops.PutItem("differences", key("a")))
    table = describe(engine)
    assert (table.item_count, table.table_size_bytes) == (1, len("PK") + len("a"))


# DynamoDB limits how often deletion protection and tables may be changed.
def test_table_updates_may_follow_immediately(engine: Engine) -> None:
    engine.execute(TABLE)
    for protected in (True, False) * 3:
        engine.execute(ops.UpdateTable("differences", deletion_protection_enabled=protected))
    assert not describe(engine).deletion_protection_enabled


def test_item_collection_size_is_measured_but_not_limited(engine: Engine) -> None:
    by_time = ops.LocalSecondaryIndex(
        "by-time",
        [ops.KeySchemaElement("PK", "HASH"), ops.KeySchemaElement("time", "RANGE")],
        ops.Projection("ALL"),
    )
    engine.execute(
        ops.CreateTable(
            "collections",
            [ops.AttributeDefinition(name, "S") for name in ("PK", "SK", "time")],
            [ops.KeySchemaElement("PK", "HASH"), ops.KeySchemaElement("SK", "RANGE")],
            local_secondary_indexes=[by_time],
            billing_mode="PAY_PER_REQUEST",
        )
    )
    put = ops.PutItem(
        "collections",
        {**key("one"), "SK": {"S": "1"}},
        return_item_collection_metrics="SIZE",
    )
    metrics = engine.execute(put).item_collection_metrics
    assert metrics is not None
    assert metrics.size_estimate_range_gb == [0, 1]


# There is one writer at a time, so transactions never conflict.
def test_concurrent_transactions_wait_instead_of_conflicting(engine: Engine) -> None:
    engine.execute(TABLE)
    add = ops.Update(
        "differences",
        key("counter"),
        "ADD hits :one",
        expression_attribute_values={":one": {"N": "1"}},
    )

    def transact() -> None:
        for _ in range(20):
            engine.execute(ops.TransactWriteItems([ops.TransactWriteItem(update=add)]))

    threads = [Thread(target=transact) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    item = engine.execute(ops.GetItem("differences", key("counter"))).item
    assert item is not None
    assert item["hits"] == {"N": "80"}


def test_reads_of_a_transaction_are_not_limited(engine: Engine) -> None:
    engine.execute(TABLE)
    large: Item = {"text": {"S": "x" * 400_000}}
    for number in range(11):
        engine.execute(ops.PutItem("differences", key(str(number)) | large))
    reads = [ops.TransactGetItem(ops.Get("differences", key(str(number)))) for number in range(11)]
    items = [each.item for each in engine.execute(ops.TransactGetItems(reads)).responses]
    assert all(items)


def test_kms_key_alias_is_not_resolved(engine: Engine) -> None:
    specification = ops.SSESpecification(
        enabled=True, sse_type="KMS", kms_master_key_id="alias/mine"
    )
    engine.execute(replace(TABLE, sse_specification=specification))
    description = describe(engine).sse_description
    assert description is not None
    assert (description.kms_master_key_arn or "").endswith("alias/mine")


def test_batch_keeps_the_name_and_the_arn_of_a_table_apart(engine: Engine) -> None:
    engine.execute(TABLE)
    engine.execute(ops.PutItem("differences", key("ada")))
    keys = ops.KeysAndAttributes([key("ada")])
    arn = describe(engine).table_arn or ""
    batch = engine.execute(ops.BatchGetItem({"differences": keys, arn: keys}))
    assert batch.responses == {"differences": [key("ada")], arn: [key("ada")]}


def test_table_throughput_mode_is_ignored() -> None:
    body: dict[str, object] = {
        "TableName": "differences",
        "KeySchema": [{"AttributeName": "PK", "KeyType": "HASH"}],
        "AttributeDefinitions": [{"AttributeName": "PK", "AttributeType": "S"}],
        "BillingMode": "PAY_PER_REQUEST",
        "TableThroughputMode": "PROVISIONED",
    }
    request = read_request("DynamoDB_20120810.CreateTable", json.encode(body))
    assert request == TABLE
