"""What UpdateTable changes, and what its response shows."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from dynamodb_engine.operations import (
    Driver,
    OnDemandThroughput,
    ProvisionedThroughput,
    SSESpecification,
    StreamSpecification,
    TableDescription,
    UpdateGlobalSecondaryIndexAction,
    UpdateTable,
    WarmThroughput,
)
from dynamodb_engine.operations import GlobalSecondaryIndexUpdate as IndexUpdate
from tests.conformance.table_requests import (
    FIVE,
    TEN,
    described,
    indexes,
    made,
    on_demand,
    provisioned,
    typed,
    wide,
)

G = {"attribute_definitions": typed(pk="S", g="S")}


def units(table: TableDescription) -> tuple[int, int]:
    """Return the read and write units of a table."""
    shown = table.provisioned_throughput
    return shown.read_capacity_units, shown.write_capacity_units


def changed(driver: Driver, request: UpdateTable) -> TableDescription:
    """Return the table description in the response."""
    return driver.execute(request).table_description


# The response shows the current units; the new ones apply afterwards.
def test_new_units_apply_once_the_table_is_active(driver: Driver) -> None:
    table = made(driver, provisioned())
    answer = changed(driver, UpdateTable(table, provisioned_throughput=TEN))
    assert (answer.table_status, units(answer)) == ("UPDATING", (5, 5))
    after = described(driver, table)
    assert (after.table_status, units(after)) == ("ACTIVE", (10, 10))


# Decreases are counted per day; increases are not.
def test_increases_and_decreases_are_recorded(driver: Driver) -> None:
    table = made(driver, provisioned())
    raised = changed(driver, UpdateTable(table, provisioned_throughput=TEN)).provisioned_throughput
    assert raised.last_increase_date_time is not None
    assert raised.last_decrease_date_time is None
    request = UpdateTable(table, provisioned_throughput=ProvisionedThroughput(10, 3))
    lowered = changed(driver, request).provisioned_throughput
    assert lowered.last_decrease_date_time is not None
    assert lowered.number_of_decreases_today == 0
    assert described(driver, table).provisioned_throughput.number_of_decreases_today == 1


# Warm throughput never decreases.
def test_warm_throughput_never_decreases(driver: Driver) -> None:
    table = made(driver, provisioned())
    for throughput in (TEN, FIVE):
        driver.execute(UpdateTable(table, provisioned_throughput=throughput))
    warm = described(driver, table).warm_throughput
    assert warm is not None
    assert (warm.read_units_per_second, warm.write_units_per_second) == (10, 10)
    driver.execute(UpdateTable(table, warm_throughput=WarmThroughput(20)))
    warm = described(driver, table).warm_throughput
    assert warm is not None
    assert (warm.read_units_per_second, warm.write_units_per_second) == (20, 10)


def test_table_switches_to_on_demand(driver: Driver) -> None:
    index = wide(provisioned_throughput=TEN)
    table = made(driver, provisioned(**G, global_secondary_indexes=[index]))
    answer = changed(driver, UpdateTable(table, billing_mode="PAY_PER_REQUEST"))
    assert (answer.table_status, units(answer)) == ("UPDATING", (5, 5))
    after = described(driver, table)
    assert after.billing_mode_summary is not None
    assert after.billing_mode_summary.billing_mode == "PAY_PER_REQUEST"
    assert after.billing_mode_summary.last_update_to_pay_per_request_date_time is not None
    assert units(after) == (0, 0)
    (by_g,) = indexes(after)
    assert by_g.provisioned_throughput.read_capacity_units == 0
    assert by_g.warm_throughput is not None
    assert by_g.warm_throughput.read_units_per_second == 12_000


# The first units are shown at once, unlike those that replace others; on-demand limits are removed.
def test_table_switches_back_to_provisioned(driver: Driver) -> None:
    limits = OnDemandThroughput(100, 100)
    index = wide(on_demand_throughput=limits)
    table = made(
        driver, on_demand(**G, on_demand_throughput=limits, global_secondary_indexes=[index])
    )
    update = IndexUpdate(update=UpdateGlobalSecondaryIndexAction("by-g", TEN))
    request = UpdateTable(
        table,
        billing_mode="PROVISIONED",
        provisioned_throughput=FIVE,
        global_secondary_index_updates=[update],
    )
    for shown in (changed(driver, request), described(driver, table)):
        assert units(shown) == (5, 5)
        assert shown.billing_mode_summary is not None
        assert shown.billing_mode_summary.billing_mode == "PROVISIONED"
        assert shown.on_demand_throughput is None
        (by_g,) = indexes(shown)
        assert by_g.provisioned_throughput.read_capacity_units == 10
        assert by_g.on_demand_throughput is None


# Setting the current billing mode is allowed only for PAY_PER_REQUEST.
def test_switching_to_on_demand_twice_succeeds(driver: Driver) -> None:
    table = made(driver, on_demand())
    before = described(driver, table)
    assert (
        changed(driver, UpdateTable(table, billing_mode="PAY_PER_REQUEST")).table_status
        == "UPDATING"
    )
    assert described(driver, table) == before


# An index is updated while its table stays ACTIVE.
def test_index_units_change_independently(driver: Driver) -> None:
    index = wide(provisioned_throughput=FIVE)
    table = made(driver, provisioned(**G, global_secondary_indexes=[index]))
    update = IndexUpdate(update=UpdateGlobalSecondaryIndexAction("by-g", TEN))
    answer = changed(driver, UpdateTable(table, global_secondary_index_updates=[update]))
    (by_g,) = indexes(answer)
    assert (answer.table_status, by_g.index_status) == ("ACTIVE", "UPDATING")
    assert by_g.provisioned_throughput.read_capacity_units == 5
    (by_g,) = indexes(described(driver, table))
    assert by_g.index_status == "ACTIVE"
    assert by_g.provisioned_throughput.read_capacity_units == 10
    assert by_g.provisioned_throughput.last_increase_date_time is not None


# A limit that is not named stays; -1 removes one: the response repeats it, and later descriptions
# omit it.
def test_on_demand_limits_are_merged(driver: Driver) -> None:
    table = made(driver, on_demand(on_demand_throughput=OnDemandThroughput(10, 5)))
    answer = changed(driver, UpdateTable(table, on_demand_throughput=OnDemandThroughput(20)))
    assert answer.table_status == "ACTIVE"
    assert answer.on_demand_throughput == OnDemandThroughput(20, 5)
    answer = changed(driver, UpdateTable(table, on_demand_throughput=OnDemandThroughput(-1)))
    assert answer.on_demand_throughput == OnDemandThroughput(-1, 5)
    assert described(driver, table).on_demand_throughput == OnDemandThroughput(None, 5)
    driver.execute(UpdateTable(table, on_demand_throughput=OnDemandThroughput(-1, -1)))
    assert described(driver, table).on_demand_throughput is None


# Deletion protection changes immediately, and setting it twice is fine.
def test_deletion_protection_changes_immediately(driver: Driver) -> None:
    table = made(driver, on_demand())
    for protected in (True, True, False):
        answer = changed(driver, UpdateTable(table, deletion_protection_enabled=protected))
        assert answer.table_status == "ACTIVE"
        assert answer.deletion_protection_enabled is protected
        assert described(driver, table).deletion_protection_enabled is protected


def test_table_class_changes_once_the_table_is_active(driver: Driver) -> None:
    table = made(driver, on_demand())
    answer = changed(driver, UpdateTable(table, table_class="STANDARD_INFREQUENT_ACCESS"))
    assert (answer.table_status, answer.table_class_summary) == ("UPDATING", None)
    summary = described(driver, table).table_class_summary
    assert summary is not None
    assert summary.table_class == "STANDARD_INFREQUENT_ACCESS"
    assert summary.last_update_date_time is not None


# The default table class is not described.
def test_standard_table_class_is_not_described(driver: Driver) -> None:
    table = made(driver, on_demand())
    driver.execute(UpdateTable(table, table_class="STANDARD"))
    assert described(driver, table).table_class_summary is None


# A disabled stream can still be read, so its ARN stays; a new stream gets a new one.
def test_stream_can_be_enabled_and_disabled(driver: Driver) -> None:
    table = made(driver, on_demand())
    on = StreamSpecification(stream_enabled=True, stream_view_type="KEYS_ONLY")
    off = StreamSpecification(stream_enabled=False)
    assert changed(driver, UpdateTable(table, stream_specification=on)).table_status == "UPDATING"
    enabled = described(driver, table)
    assert enabled.stream_specification == on
    assert enabled.latest_stream_arn == f"{enabled.table_arn}/stream/{enabled.latest_stream_label}"
    driver.execute(UpdateTable(table, stream_specification=off))
    disabled = described(driver, table)
    assert disabled.stream_specification is None
    assert disabled.latest_stream_arn == enabled.latest_stream_arn
    assert disabled.latest_stream_label == enabled.latest_stream_label


# Encryption changes while the table is in use.
def test_encryption_changes_while_the_table_stays_active(driver: Driver) -> None:
    table = made(driver, on_demand())
    mine = SSESpecification(enabled=True, sse_type="KMS", kms_master_key_id="mine")
    answer = changed(driver, UpdateTable(table, sse_specification=mine))
    assert answer.table_status == "ACTIVE"
    assert answer.sse_description is not None
    assert answer.sse_description.status == "UPDATING"
    description = described(driver, table).sse_description
    assert description is not None
    assert description.status == "ENABLED"
    assert (description.kms_master_key_arn or "").endswith(":key/mine")
    driver.execute(UpdateTable(table, sse_specification=SSESpecification(enabled=False)))
    assert described(driver, table).sse_description is None


# These may be combined; most others must be requested alone.
@pytest.mark.parametrize(
    "changes",
    [
        {"on_demand_throughput": OnDemandThroughput(7)},
        {
            "stream_specification": StreamSpecification(
                stream_enabled=True, stream_view_type="NEW_IMAGE"
            )
        },
    ],
    ids=["limits", "a stream"],
)
def test_on_demand_switch_combines_with_other_changes(
    driver: Driver, changes: dict[str, object]
) -> None:
    table = made(driver, provisioned())
    request = replace(UpdateTable(table, billing_mode="PAY_PER_REQUEST"), **changes)
    assert units(changed(driver, request)) == (5, 5)
    after = described(driver, table)
    assert units(after) == (0, 0)
    assert after.on_demand_throughput == changes.get("on_demand_throughput")
    assert after.stream_specification == changes.get("stream_specification")


def test_table_can_be_updated_by_arn(driver: Driver) -> None:
    table = described(driver, made(driver, provisioned()))
    driver.execute(UpdateTable(table.table_arn, provisioned_throughput=TEN))
    assert units(described(driver, table.table_name)) == (10, 10)
