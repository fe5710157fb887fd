"""Provisioned capacity: how much may be asked for, and what a change leaves behind."""

from __future__ import annotations

from typing import TypeVar

from msgspec.structs import replace

from singletable.engine.table_record import IndexRecord, TableRecord
from singletable.errors import ValidationError
from singletable.operations import (
    BillingMode,
    CreateTable,
    GlobalSecondaryIndex,
    ProvisionedThroughput,
)
from singletable.values import INVALID

MAX_UNITS = 1_000_000_000_000
NOT_ON_DEMAND = (
    f"{INVALID}Neither ReadCapacityUnits nor WriteCapacityUnits can be specified "
    "when BillingMode is PAY_PER_REQUEST"
)
BOTH_REQUIRED = (
    f"{INVALID}ReadCapacityUnits and WriteCapacityUnits must both be specified "
    "when BillingMode is PROVISIONED"
)
_NONE = ProvisionedThroughput(0, 0)
_DAY = 24 * 60 * 60

R = TypeVar("R", TableRecord, IndexRecord)


def check_table_throughput(request: CreateTable) -> None:
    """Raise unless capacity is given for a provisioned table, and for no other."""
    units = request.provisioned_throughput
    if request.billing_mode == "PAY_PER_REQUEST":
        if units is not None:
            raise ValidationError(NOT_ON_DEMAND)
    elif units is None:
        raise ValidationError(BOTH_REQUIRED)
    else:
        check_bounds(units)


def check_index_throughput(index: GlobalSecondaryIndex, mode: BillingMode) -> None:
    """Raise unless capacity is given for an index of a provisioned table, and for no other."""
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
        check_bounds(units, f" for index {name}")


def check_bounds(units: ProvisionedThroughput, whose: str = "") -> None:
    """Raise if more is asked for than anyone could get."""
    for name, value in (
        ("ReadCapacityUnits", units.read_capacity_units),
        ("WriteCapacityUnits", units.write_capacity_units),
    ):
        if value > MAX_UNITS:
            raise ValidationError(f"Given value {value} for {name} is out of bounds{whose}")


def check_differs(current: R, units: ProvisionedThroughput) -> None:
    """Raise if the capacity asked for is what there is."""
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


def provisioned(record: R, units: ProvisionedThroughput, now: float) -> R:
    """The record with other capacity, and when it was raised or lowered."""
    old = record.provisioned_throughput or _NONE
    read = units.read_capacity_units - old.read_capacity_units
    write = units.write_capacity_units - old.write_capacity_units
    lowered = min(read, write) < 0
    return replace(
        record,
        provisioned_throughput=units,
        # What a table has once borne it can bear again: warm throughput never falls.
        warm_read=max(record.warm_read, units.read_capacity_units),
        warm_write=max(record.warm_write, units.write_capacity_units),
        last_increase=now if max(read, write) > 0 else record.last_increase,
        last_decrease=now if lowered else record.last_decrease,
        decreases=decreases_today(record, now) + lowered,
    )


def decreases_today(record: TableRecord | IndexRecord, now: float) -> int:
    """How often the capacity was lowered since midnight, by UTC."""
    if record.last_decrease is None or record.last_decrease // _DAY != now // _DAY:
        return 0
    return record.decreases
