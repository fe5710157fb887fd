"""A table as it stands at an address."""

from __future__ import annotations

from dataclasses import dataclass

from singletable.errors import ResourceNotFound
from singletable.infrastructure.recovery import recovery_days
from singletable.infrastructure.settings import NO_SETTINGS, TableSettings
from singletable.operations import (
    DescribeTable,
    DescribeTimeToLive,
    Driver,
    TableDescription,
    TimeToLiveDescription,
)


@dataclass(frozen=True, slots=True)
class Described:
    """What DynamoDB tells of a table."""

    table: TableDescription
    time_to_live: TimeToLiveDescription
    # None if it was not asked for, or the address cannot tell.
    recovery_days: int | None = None

    @property
    def ttl(self) -> str | None:
        """The attribute by which items expire, or soon will."""
        live = self.time_to_live
        on = live.time_to_live_status in ("ENABLED", "ENABLING")
        return live.attribute_name if on else None

    @property
    def key(self) -> str | None:
        """The KMS key that encrypts the table, or soon will; None if it is one that AWS owns."""
        sse = self.table.sse_description
        if sse is None or sse.status in ("DISABLED", "DISABLING"):
            return None
        return sse.kms_master_key_arn or "a key of KMS that is not told"


def describe(driver: Driver, name: str, settings: TableSettings = NO_SETTINGS) -> Described | None:
    """The table of this name, with what the settings are about; None if there is none."""
    try:
        found = driver.execute(DescribeTable(name))
    except ResourceNotFound:  # DynamoDB Local words it otherwise than DynamoDB
        return None
    live = driver.execute(DescribeTimeToLive(name))
    # To ask is a permission of its own, which nobody needs who does not care.
    days = None if settings.recovery_days is None else recovery_days(driver, name)
    return Described(found.table, live.time_to_live_description, days)
