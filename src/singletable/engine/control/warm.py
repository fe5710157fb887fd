"""Warm throughput: what a table can bear at once. It begins somewhere and never falls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from msgspec.structs import replace

from singletable.engine.table_record import IndexRecord, TableRecord
from singletable.errors import ValidationError
from singletable.operations import BillingMode, ProvisionedThroughput, WarmThroughput
from singletable.values import INVALID

ON_DEMAND = ProvisionedThroughput(12_000, 4_000)
_KINDS = {"PAY_PER_REQUEST": "OnDemand", "PROVISIONED": "Provisioned"}

R = TypeVar("R", TableRecord, IndexRecord)


def check_warm_at_creation(
    asked: WarmThroughput | None,
    mode: BillingMode,
    units: ProvisionedThroughput | None,
    whose: str = "table",
) -> None:
    """Raise if less is asked for than a new table or index has anyway."""
    initial = units or ON_DEMAND
    least = (initial.read_capacity_units, initial.write_capacity_units)
    for name in _lower(asked, *least):
        raise ValidationError(
            f"{INVALID}Requested {name} for WarmThroughput for {whose} is lower than initial "
            f"throughput for {_KINDS[mode]}"
        )


def check_warm(
    asked: WarmThroughput | None, current: TableRecord | IndexRecord, whose: str = "table"
) -> None:
    """Raise if less is asked for than there is."""
    for name in _lower(asked, current.warm_read, current.warm_write):
        raise ValidationError(
            f"{INVALID}Requested {name} for WarmThroughput for {whose} is lower than current "
            "WarmThroughput, decreasing WarmThroughput is not supported"
        )


def warmed(record: R, asked: WarmThroughput | None) -> R:
    """The record with at least the warm throughput that is asked for."""
    if asked is None:
        return record
    return replace(
        record,
        warm_read=max(record.warm_read, asked.read_units_per_second or 0),
        warm_write=max(record.warm_write, asked.write_units_per_second or 0),
    )


def warmed_on_demand(record: R) -> R:
    """The record with at least what every on-demand table can bear."""
    return replace(
        record,
        warm_read=max(record.warm_read, ON_DEMAND.read_capacity_units),
        warm_write=max(record.warm_write, ON_DEMAND.write_capacity_units),
    )


def _lower(asked: WarmThroughput | None, read: int, write: int) -> Iterator[str]:
    if asked is None:
        return
    for name, units, least in (
        ("ReadUnitsPerSecond", asked.read_units_per_second, read),
        ("WriteUnitsPerSecond", asked.write_units_per_second, write),
    ):
        if units is not None and units < least:
            yield name
