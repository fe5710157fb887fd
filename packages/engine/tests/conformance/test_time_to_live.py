"""UpdateTimeToLive and DescribeTimeToLive."""

from __future__ import annotations

import pytest

from dynamodb_engine.errors import TableNotFound
from dynamodb_engine.operations import (
    DescribeTimeToLive,
    Driver,
    SweepExpired,
    TimeToLiveDescription,
    TimeToLiveSpecification,
    UpdateTimeToLive,
)
from dynamodb_engine.values import Item
from tests.conformance.errors import validation_error
from tests.conformance.tables import make_table, put, stored, unused_name

ON = TimeToLiveSpecification(enabled=True, attribute_name="ttl")
OFF = TimeToLiveSpecification(enabled=False, attribute_name="ttl")


def described(driver: Driver, table: str) -> TimeToLiveDescription:
    """Return the table's current TTL description."""
    return driver.execute(DescribeTimeToLive(table)).time_to_live_description


def test_new_table_has_ttl_disabled(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    assert described(driver, table) == TimeToLiveDescription("DISABLED")


# The attribute is described only while TTL is enabled.
def test_ttl_can_be_enabled_and_disabled(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    assert driver.execute(UpdateTimeToLive(table, ON)).time_to_live_specification == ON
    assert described(driver, table) == TimeToLiveDescription("ENABLED", "ttl")
    assert driver.execute(UpdateTimeToLive(table, OFF)).time_to_live_specification == OFF
    assert described(driver, table) == TimeToLiveDescription("DISABLED")


# AWS accepts any attribute, a key included, though no item would expire sensibly by it.
def test_ttl_attribute_may_be_a_key(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    driver.execute(UpdateTimeToLive(table, TimeToLiveSpecification(True, "pk")))
    assert described(driver, table) == TimeToLiveDescription("ENABLED", "pk")


STALE: Item = {"pk": {"S": "stale"}, "ttl": {"N": "1700000000"}}
OTHERS: list[Item] = [
    {"pk": {"S": "none"}},
    {"pk": {"S": "text"}, "ttl": {"S": "1700000000"}},
    {"pk": {"S": "ahead"}, "ttl": {"N": "32503680000"}},
]


# Enabling TTL affects existing items too.
def test_existing_items_expire_once_ttl_is_enabled(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    put(driver, table, STALE, *OTHERS)
    driver.execute(UpdateTimeToLive(table, ON))
    driver.execute(SweepExpired(table))
    assert stored(driver, table, {"pk": STALE["pk"]}) is None
    for item in OTHERS:
        assert stored(driver, table, {"pk": item["pk"]}) == item


def test_items_stop_expiring_once_ttl_is_disabled(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    driver.execute(UpdateTimeToLive(table, ON))
    put(driver, table, STALE)
    driver.execute(UpdateTimeToLive(table, OFF))
    driver.execute(SweepExpired(table))
    assert stored(driver, table, {"pk": STALE["pk"]}) == STALE


# After disabling and enabling with another attribute, the first one no longer counts.
def test_items_expire_by_the_latest_ttl_attribute(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    put(driver, table, STALE, {"pk": {"S": "other"}, "until": {"N": "1700000000"}})
    for specification in (ON, OFF, TimeToLiveSpecification(True, "until")):
        driver.execute(UpdateTimeToLive(table, specification))
    driver.execute(SweepExpired(table))
    assert stored(driver, table, {"pk": STALE["pk"]}) == STALE
    assert stored(driver, table, {"pk": {"S": "other"}}) is None


def test_rejects_setting_the_current_ttl_status(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    assert (
        validation_error(driver, UpdateTimeToLive(table, OFF)) == "TimeToLive is already disabled"
    )
    driver.execute(UpdateTimeToLive(table, ON))
    assert validation_error(driver, UpdateTimeToLive(table, ON)) == "TimeToLive is already enabled"


# Changing the attribute requires disabling TTL first.
@pytest.mark.parametrize("enabled", [True, False])
def test_rejects_another_ttl_attribute_while_enabled(driver: Driver, enabled: bool) -> None:
    table = make_table(driver, pk="S")
    driver.execute(UpdateTimeToLive(table, ON))
    other = TimeToLiveSpecification(enabled, "until")
    assert validation_error(driver, UpdateTimeToLive(table, other)) == (
        "TimeToLive is active on a different AttributeName: current AttributeName is ttl"
    )


def test_empty_attribute_name_is_rejected_before_table_lookup(
    driver: Driver,
) -> None:
    nameless = TimeToLiveSpecification(enabled=True, attribute_name="")
    for table in (make_table(driver, pk="S"), unused_name()):
        assert "ttributeName" in validation_error(driver, UpdateTimeToLive(table, nameless))


def test_missing_table_error_names_the_table(driver: Driver) -> None:
    name = unused_name()
    for operation in (UpdateTimeToLive(name, ON), DescribeTimeToLive(name)):
        with pytest.raises(TableNotFound) as raised:
            driver.execute(operation)
        assert raised.value.message == f"Requested resource not found: Table: {name} not found"
