"""Expired items: readable until swept, and swept by the configured attribute."""

from __future__ import annotations

import time

import pytest

from dynamodb_engine.errors import ResourceNotFound
from dynamodb_engine.operations import (
    Driver,
    GetItem,
    ReadChanges,
    Scan,
    SweepExpired,
    TimeToLiveSpecification,
    UpdateItem,
    UpdateTimeToLive,
)
from dynamodb_engine.values import AttributeValue, Item
from tests.conformance.errors import validation_error
from tests.conformance.requests import fill, number, query, text, values_of
from tests.conformance.tables import global_index, local_index, make_table, put, unused_name
from tests.conformance.transaction_actions import key

YEAR = 365 * 24 * 60 * 60
PAST = int(time.time()) - 3600
FUTURE = int(time.time()) + 3600


def let_expire(
    driver: Driver, table: str, attribute: str = "expires", enabled: bool = True
) -> None:
    """Enable or disable time to live."""
    driver.execute(UpdateTimeToLive(table, TimeToLiveSpecification(enabled, attribute)))


@pytest.fixture
def table(driver: Driver) -> str:
    """Create a table whose items expire by `expires`."""
    name = make_table(driver, pk="S")
    let_expire(driver, name)
    return name


def left(driver: Driver, table: str) -> list[str]:
    """Return the keys of the remaining items."""
    return sorted(values_of(driver.execute(Scan(table)).items, "pk"))


def test_expired_item_is_readable_until_swept(driver: Driver, table: str) -> None:
    item = key("a") | {"expires": number(PAST)}
    put(driver, table, item)
    assert driver.execute(GetItem(table, key("a"))).item == item
    swept = driver.execute(SweepExpired(table))
    assert (swept.removed, swept.more) == (1, False)
    assert driver.execute(GetItem(table, key("a"))).item is None


# DynamoDB expires numbers that are Unix times; it ignores everything else, very old numbers
# included, which are probably not times.
ENDS: dict[str, AttributeValue] = {
    "an hour ago": number(PAST),
    "four years ago": number(PAST - 4 * YEAR),
    "a fraction of a second later": number(f"{PAST}.1234"),
}
STAYS: dict[str, AttributeValue] = {
    "in an hour": number(FUTURE),
    "a fraction of a second after it": number(f"{FUTURE}.5"),
    "six years ago": number(PAST - 6 * YEAR),
    "the beginning": number(0),
    "before the beginning": number(-1),
    "milliseconds": number(f"{FUTURE}000"),
    "never": number("9" * 38),
    "text": text(str(PAST)),
    "a set": {"NS": [str(PAST)]},
    "null": {"NULL": True},
    "a map": {"M": {"expires": number(PAST)}},
}


@pytest.mark.parametrize("until", [*ENDS, *STAYS])
def test_only_past_timestamps_expire_items(driver: Driver, table: str, until: str) -> None:
    item: Item = key("a") | {"expires": (ENDS | STAYS)[until]}
    put(driver, table, item, key("no time at all"))
    assert driver.execute(SweepExpired()).removed == (1 if until in ENDS else 0)
    assert left(driver, table) == [*(["a"] if until in STAYS else []), "no time at all"]


# Any spelling of a number is a timestamp.
def test_timestamp_may_use_an_exponent(driver: Driver, table: str) -> None:
    put(driver, table, key("a") | {"expires": number(f"{PAST}.0e0")})
    assert driver.execute(SweepExpired()).removed == 1


def test_updating_the_timestamp_extends_an_item(driver: Driver, table: str) -> None:
    put(driver, table, key("a") | {"expires": number(PAST)}, key("b") | {"expires": number(FUTURE)})
    for name, until in (("a", FUTURE), ("b", PAST)):
        driver.execute(
            UpdateItem(
                table,
                key(name),
                update_expression="SET expires = :u",
                expression_attribute_values={":u": number(until)},
            )
        )
    driver.execute(SweepExpired())
    assert left(driver, table) == ["a"]


def test_removing_the_timestamp_keeps_an_item(driver: Driver, table: str) -> None:
    put(driver, table, key("a") | {"expires": number(PAST)})
    driver.execute(UpdateItem(table, key("a"), update_expression="REMOVE expires"))
    assert driver.execute(SweepExpired()).removed == 0


# Items expire whether the attribute was configured before or after they were written.
def test_items_written_before_ttl_was_enabled_expire(driver: Driver) -> None:
    table = make_table(driver, pk="S")
    put(driver, table, key("a") | {"expires": number(PAST)}, key("b") | {"ends": number(PAST)})
    assert driver.execute(SweepExpired()).removed == 0
    let_expire(driver, table, "ends")
    driver.execute(SweepExpired())
    assert left(driver, table) == ["a"]


def test_nothing_expires_while_ttl_is_disabled(driver: Driver, table: str) -> None:
    put(driver, table, key("a") | {"expires": number(PAST)})
    let_expire(driver, table, enabled=False)
    put(driver, table, key("b") | {"expires": number(PAST)})
    assert driver.execute(SweepExpired()).removed == 0
    let_expire(driver, table, "ends")
    assert driver.execute(SweepExpired()).removed == 0
    assert left(driver, table) == ["a", "b"]


def test_sweep_can_be_limited_to_one_table(driver: Driver, table: str) -> None:
    other = make_table(driver, pk="S")
    let_expire(driver, other)
    for name in (table, other):
        put(driver, name, key("a") | {"expires": number(PAST)})
    assert driver.execute(SweepExpired(table)).removed == 1
    assert (left(driver, table), left(driver, other)) == ([], ["a"])
    assert driver.execute(SweepExpired()).removed == 1


def test_sweeping_a_missing_table_raises_resource_not_found(driver: Driver) -> None:
    with pytest.raises(ResourceNotFound):
        driver.execute(SweepExpired(unused_name()))


# A sweep works in batches, so that other writes get their turn; the oldest items go first.
def test_sweep_stops_at_its_limit(driver: Driver, table: str) -> None:
    fill(driver, table, [key(str(i)) | {"expires": number(PAST - i)} for i in range(5)])
    swept = driver.execute(SweepExpired(limit=2))
    assert (swept.removed, swept.more) == (2, True)
    assert left(driver, table) == ["0", "1", "2"]
    swept = driver.execute(SweepExpired(limit=1000))
    assert (swept.removed, swept.more) == (3, False)


@pytest.mark.parametrize("limit", [0, 1001])
def test_sweep_removes_at_most_1000_items(driver: Driver, limit: int) -> None:
    assert "Limit must have value" in validation_error(driver, SweepExpired(limit=limit))


def test_sweep_removes_expired_items_from_indexes(driver: Driver) -> None:
    table = make_table(
        driver,
        local_index("local", pk="S", kind="S"),
        global_index("global", kind="S"),
        pk="S",
        sk="S",
    )
    let_expire(driver, table)
    item: Item = {"pk": text("p"), "sk": text("1"), "kind": text("k"), "expires": number(PAST)}
    put(driver, table, item)
    driver.execute(SweepExpired())
    for index in ("local", "global"):
        assert driver.execute(Scan(table, index_name=index)).count == 0
    assert driver.execute(query(table, "pk = :p", p=text("p"))).count == 0


# A reader of the feed can distinguish expiry from deletion.
def test_change_record_marks_expired_items(driver: Driver, table: str) -> None:
    item = key("a") | {"expires": number(PAST)}
    put(driver, table, item)
    start = driver.execute(ReadChanges(after=None)).position
    driver.execute(SweepExpired())
    (change,) = driver.execute(ReadChanges(after=start)).changes
    assert (change.kind, change.old, change.new) == ("REMOVE", item, None)
    assert (change.table_name, change.keys, change.expired) == (table, key("a"), True)
