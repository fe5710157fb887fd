"""A table as it stands at an address."""

from __future__ import annotations

from dataclasses import dataclass

from singletable.errors import TableNotFound
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

    @property
    def ttl(self) -> str | None:
        """The attribute by which items expire, or soon will."""
        live = self.time_to_live
        on = live.time_to_live_status in ("ENABLED", "ENABLING")
        return live.attribute_name if on else None


def describe(driver: Driver, name: str) -> Described | None:
    """The table of this name; None if there is none."""
    try:
        found = driver.execute(DescribeTable(name))
    except TableNotFound:
        return None
    live = driver.execute(DescribeTimeToLive(name))
    return Described(found.table, live.time_to_live_description)
