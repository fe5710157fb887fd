"""What the account is told of itself: DescribeLimits and DescribeEndpoints."""

from __future__ import annotations

from singletable.operations import DescribeEndpoints, DescribeLimits, Driver


# What a new account may provision; whoever plans capacity reads it from here.
def test_limits_are_those_of_a_new_account(driver: Driver) -> None:
    limits = driver.execute(DescribeLimits())
    assert limits.account_max_read_capacity_units == 80_000
    assert limits.account_max_write_capacity_units == 80_000
    assert limits.table_max_read_capacity_units == 40_000
    assert limits.table_max_write_capacity_units == 40_000


# Clients with endpoint discovery ask once and keep the answer as long as it says.
def test_there_is_an_endpoint_to_keep_for_a_while(driver: Driver) -> None:
    (endpoint,) = driver.execute(DescribeEndpoints()).endpoints
    assert endpoint.address.startswith("dynamodb.")
    assert endpoint.cache_period_in_minutes > 0
