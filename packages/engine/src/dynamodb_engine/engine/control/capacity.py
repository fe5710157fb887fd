"""Capacity of tables and indexes: provisioned, on-demand limits and warm throughput."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from msgspec.structs import replace

from dynamodb_engine import operations as ops
from dynamodb_engine.engine.table_record import IndexRecord, TableRecord
from dynamodb_engine.errors import ValidationError
from dynamodb_engine.values import INVALID

MAX_UNITS = 1_000_000_000_000
# In an update, this value removes an on-demand limit.
NO_LIMIT = -1
# The warm throughput that every on-demand table has from the beginning.
INITIAL_ON_DEMAND = ops.ProvisionedThroughput(12_000, 4_000)
UNITS_NOT_ALLOWED = (
    f"{INVALID}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified "
    "when BillingMode is PAY_PER_REQUEST"
)
UNITS_REQUIRED = (
    f"{INVALID}ReadCapacityUnits and WriteCapacityUnits must both be specified "
    "when BillingMode is PROVISIONED"
)
_WARM_KINDS = {"PAY_PER_REQUEST": "OnDemand", "PROVISIONED": "Provisioned"}
_NO_UNITS = ops.ProvisionedThroughput(0, 0)
_DAY = 24 * 60 * 60

R = TypeVar("R", TableRecord, IndexRecord)


def billing_mode(record: TableRecord) -> ops.BillingMode:
    """Return the billing mode of a table, which is PROVISIONED by default."""
    return record.billing_mode or "PROVISIONED"


# --- Provisioned throughput


def check_table_throughput(request: ops.CreateTable) -> None:
    """Raise unless a provisioned table has capacity and an on-demand table has none."""
    units = request.provisioned_throughput
    if request.billing_mode == "PAY_PER_REQUEST":
        if units is not None:
            raise ValidationError(UNITS_NOT_ALLOWED)
    elif units is None:
        raise ValidationError(UNITS_REQUIRED)
    else:
        check_throughput_bounds(units)


def check_index_throughput(index: ops.GlobalSecondaryIndex, mode: ops.BillingMode) -> None:
    """Raise unless an index of a provisioned table has capacity, and any other index has none."""
    name, units = index.index_name, index.provisioned_throughput
    if mode == "PAY_PER_REQUEST":
        if units is not None:
            raise ValidationError(
                f"{INVALID}ProvisionedThroughput should not be specified for index: {name} "
                "when BillingMode is PAY_PER_REQUEST"
            )
    elif units is None:
        raise ValidationError(f"{INVALID}ProvisionedThroughput is not specified for index: {name}")
    else:
        check_throughput_bounds(units, f" for index {name}")


def check_throughput_bounds(units: ops.ProvisionedThroughput, suffix: str = "") -> None:
    """Raise if the units exceed the limit that applies to every account."""
    for name, value in (
        ("ReadCapacityUnits", units.read_capacity_units),
        ("WriteCapacityUnits", units.write_capacity_units),
    ):
        if value > MAX_UNITS:
            raise ValidationError(f"Given value {value} for {name} is out of bounds{suffix}")


def check_throughput_changes(current: R, units: ops.ProvisionedThroughput) -> None:
    """Raise if the table or index already has this capacity."""
    if current.provisioned_throughput != units:
        return
    read, write = units.read_capacity_units, units.write_capacity_units
    short = f"index {current.name}" if isinstance(current, IndexRecord) else "the table"
    full = f"the {short}" if isinstance(current, IndexRecord) else short
    raise ValidationError(
        f"The provisioned throughput for {full} will not change. The requested value equals the "
        f"current value. Current ReadCapacityUnits provisioned for {short}: {read}. "
        f"Requested ReadCapacityUnits: {read}. Current WriteCapacityUnits provisioned for {short}: "
        f"{write}. Requested WriteCapacityUnits: {write}. Refer to the Amazon DynamoDB Developer "
        "Guide for current limits and how to request higher limits."
    )


def set_throughput(record: R, units: ops.ProvisionedThroughput, now: float) -> R:
    """Return the record with this capacity, and with the time of the increase or decrease."""
    old = record.provisioned_throughput or _NO_UNITS
    read = units.read_capacity_units - old.read_capacity_units
    write = units.write_capacity_units - old.write_capacity_units
    decreased = min(read, write) < 0
    return replace(
        record,
        provisioned_throughput=units,
        # Warm throughput never decreases: a table can always serve what it once served.
        warm_read=max(record.warm_read, units.read_capacity_units),
        warm_write=max(record.warm_write, units.write_capacity_units),
        last_increase=now if max(read, write) > 0 else record.last_increase,
        last_decrease=now if decreased else record.last_decrease,
        decreases=decreases_today(record, now) + decreased,
    )


def decreases_today(record: TableRecord | IndexRecord, now: float) -> int:
    """Return how many times the capacity was decreased since midnight UTC."""
    if record.last_decrease is None or record.last_decrease // _DAY != now // _DAY:
        return 0
    return record.decreases


# --- On-demand limits


def check_initial_limits(
    limits: ops.OnDemandThroughput | None, mode: ops.BillingMode, index: str | None = None
) -> None:
    """Raise unless a new table, or an index of it, may have these limits."""
    target = "" if index is None else f" for index: {index}"
    rejection = f"{target} cannot be specified when table BillingMode is PROVISIONED."
    _check_limits(limits, mode, index, rejection)


def check_limits(
    limits: ops.OnDemandThroughput | None, mode: ops.BillingMode, index: str | None = None
) -> None:
    """Raise unless an existing table, or an index of it, may have these limits."""
    target = "" if index is None else f" for index : {index}"
    rejection = f"{target} cannot be specified when the table BillingMode is PROVISIONED"
    _check_limits(limits, mode, index, rejection, allowed=NO_LIMIT)


def merge_limits(
    old: ops.OnDemandThroughput | None, new: ops.OnDemandThroughput | None
) -> ops.OnDemandThroughput | None:
    """Return the old limits, overridden by the new ones."""
    if old is None or new is None:
        return new or old
    read, write = new.max_read_request_units, new.max_write_request_units
    return ops.OnDemandThroughput(
        old.max_read_request_units if read is None else read,
        old.max_write_request_units if write is None else write,
    )


def drop_removed_limits(limits: ops.OnDemandThroughput | None) -> ops.OnDemandThroughput | None:
    """Return the limits that are not NO_LIMIT, or None if there are none."""
    if limits is None:
        return None
    read, write = (None if units == NO_LIMIT else units for _, units in _limit_members(limits))
    return None if read is None and write is None else ops.OnDemandThroughput(read, write)


def _check_limits(
    limits: ops.OnDemandThroughput | None,
    mode: ops.BillingMode,
    index: str | None,
    rejection: str,
    allowed: int | None = None,
) -> None:
    members = [] if limits is None else [m for m in _limit_members(limits) if m[1] is not None]
    for name, _ in members:
        if mode == "PROVISIONED":
            raise ValidationError(f"{INVALID}{name} for OnDemandThroughput{rejection}")
    for name, units in members:
        if units is not None and units < 1 and units != allowed:
            target = "table" if index is None else f"index : {index}"
            raise ValidationError(
                f"{INVALID}Requested {name} for OnDemandThroughput for {target} is outside of "
                "valid range"
            )


def _limit_members(limits: ops.OnDemandThroughput) -> tuple[tuple[str, int | None], ...]:
    return (
        ("MaxReadRequestUnits", limits.max_read_request_units),
        ("MaxWriteRequestUnits", limits.max_write_request_units),
    )


# --- Warm throughput: the load that a table can serve immediately. It never decreases.


def check_initial_warm_throughput(
    warm: ops.WarmThroughput | None,
    mode: ops.BillingMode,
    units: ops.ProvisionedThroughput | None,
    target: str = "table",
) -> None:
    """Raise if the request is for less than a new table or index has by default."""
    initial = units or INITIAL_ON_DEMAND
    for name in _too_low(warm, initial.read_capacity_units, initial.write_capacity_units):
        raise ValidationError(
            f"{INVALID}Requested {name} for WarmThroughput for {target} is lower than initial "
            f"throughput for {_WARM_KINDS[mode]}"
        )


def check_warm_throughput(
    warm: ops.WarmThroughput | None, current: TableRecord | IndexRecord, target: str = "table"
) -> None:
    """Raise if the request is for less than the table or index has."""
    for name in _too_low(warm, current.warm_read, current.warm_write):
        raise ValidationError(
            f"{INVALID}Requested {name} for WarmThroughput for {target} is lower than current "
            "WarmThroughput, decreasing WarmThroughput is not supported"
        )


def increase_warm_throughput(record: R, warm: ops.WarmThroughput | None) -> R:
    """Return the record with at least this warm throughput."""
    if warm is None:
        return record
    return replace(
        record,
        warm_read=max(record.warm_read, warm.read_units_per_second or 0),
        warm_write=max(record.warm_write, warm.write_units_per_second or 0),
    )


def ensure_on_demand_warm_throughput(record: R) -> R:
    """Return the record with at least the warm throughput of every on-demand table."""
    read, write = INITIAL_ON_DEMAND.read_capacity_units, INITIAL_ON_DEMAND.write_capacity_units
    return increase_warm_throughput(record, ops.WarmThroughput(read, write))


def _too_low(warm: ops.WarmThroughput | None, min_read: int, min_write: int) -> Iterator[str]:
    if warm is None:
        return
    for name, units, minimum in (
        ("ReadUnitsPerSecond", warm.read_units_per_second, min_read),
        ("WriteUnitsPerSecond", warm.write_units_per_second, min_write),
    ):
        if units is not None and units < minimum:
            yield name
