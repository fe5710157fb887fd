"""Limits of on-demand tables: who may have them, which they may be, how a change merges."""

from __future__ import annotations

from singletable.errors import ValidationError
from singletable.operations import BillingMode, OnDemandThroughput
from singletable.values import INVALID

NO_LIMIT = -1


def check_limits_at_creation(
    limits: OnDemandThroughput | None, mode: BillingMode, index: str | None = None
) -> None:
    """Raise unless the limits suit a new table, or a new index of it."""
    whose = "" if index is None else f" for index: {index}"
    _check(
        limits, mode, index, f"{whose} cannot be specified when table BillingMode is PROVISIONED."
    )


def check_limits(
    limits: OnDemandThroughput | None, mode: BillingMode, index: str | None = None
) -> None:
    """Raise unless the limits suit a table that is there, or an index of it."""
    whose = "" if index is None else f" for index : {index}"
    refusal = f"{whose} cannot be specified when the table BillingMode is PROVISIONED"
    _check(limits, mode, index, refusal, allowed=NO_LIMIT)


def merged_limits(
    old: OnDemandThroughput | None, new: OnDemandThroughput | None
) -> OnDemandThroughput | None:
    """The old limits, each replaced if there is a new one."""
    if old is None or new is None:
        return new or old
    read, write = new.max_read_request_units, new.max_write_request_units
    return OnDemandThroughput(
        old.max_read_request_units if read is None else read,
        old.max_write_request_units if write is None else write,
    )


def kept_limits(limits: OnDemandThroughput | None) -> OnDemandThroughput | None:
    """The limits without those that are none."""
    if limits is None:
        return None
    read, write = (None if units == NO_LIMIT else units for _, units in _members(limits))
    return None if read is None and write is None else OnDemandThroughput(read, write)


def _check(
    limits: OnDemandThroughput | None,
    mode: BillingMode,
    index: str | None,
    refusal: str,
    allowed: int | None = None,
) -> None:
    given = [] if limits is None else [m for m in _members(limits) if m[1] is not None]
    for name, _ in given:
        if mode == "PROVISIONED":
            raise ValidationError(f"{INVALID}{name} for OnDemandThroughput{refusal}")
    for name, units in given:
        if units is not None and units < 1 and units != allowed:
            whose = "table" if index is None else f"index : {index}"
            raise ValidationError(
                f"{INVALID}Requested {name} for OnDemandThroughput for {whose} is outside of "
                "valid range"
            )


def _members(limits: OnDemandThroughput) -> tuple[tuple[str, int | None], tuple[str, int | None]]:
    return (
        ("MaxReadRequestUnits", limits.max_read_request_units),
        ("MaxWriteRequestUnits", limits.max_write_request_units),
    )
