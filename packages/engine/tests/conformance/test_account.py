"""DescribeLimits and DescribeEndpoints."""

from __future__ import annotations

from dynamodb_engine.operations import DescribeEndpoints, DescribeLimits, Driver


# The limits of a new account; capacity planners read them from here.
def test_describe_limits_returns_new_account_limits(driver: Driver) -> None:
    limits = driver.execute(DescribeLimits())
    assert limits.account_max_read_capacity_units == 80_000
    assert limits.account_max_write_capacity_units == 80_000
    assert limits.table_max_read_capacity_units == 40_000
    assert limits.table_max_write_capacity_units == 40_000


# Clients with endpoint discovery call once and cache the result for as long as it says.
def test_describe_endpoints_returns_endpoint_and_cache_period(driver: Driver) -> None:
    (endpoint,) = driver.execute(DescribeEndpoints()).endpoints
    assert endpoint.address.startswith("dynamodb.")
    assert endpoint.cache_period_in_minutes > 0
