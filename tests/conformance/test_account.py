"""What the account is told of itself: DescribeLimits and DescribeEndpoints."""

from __future__ import annotations

from singletable.operations import DescribeEndpoints, DescribeLimits, Driver


# What a new account may provision; whoever plans capacity reads it from here.
def test_describe_limits_returns_new_account_limits(driver: Driver) -> None:
    limits = driver.execute(DescribeLimits())
    assert limits.account_max_read_capacity_units == 80_000
    assert limits.account_max_write_capacity_units == 80_000
    assert limits.table_max_read_capacity_units == 40_000
    assert limits.table_max_write_capacity_units == 40_000


# Clients with endpoint discovery ask once and keep the answer as long as it says.
def test_describe_endpoints_returns_endpoint_and_cache_period(driver: Driver) -> None:
    (endpoint,) = driver.execute(DescribeEndpoints()).endpoints
    assert endpoint.address.startswith("dynamodb.")
    assert endpoint.cache_period_in_minutes > 0
