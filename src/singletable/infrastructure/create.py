"""Make a declared table at an address, and wait until it can be used."""

from __future__ import annotations

import time
from collections.abc import Callable

from msgspec.structs import replace

from singletable.errors import ServiceUnavailable, TableNotFound
from singletable.infrastructure.settings import TableSettings
from singletable.operations import (
    CreateTable,
    DescribeTable,
    Driver,
    StreamSpecification,
    TimeToLiveSpecification,
    UpdateTimeToLive,
)
from singletable.schema import Table, create_operation

BETWEEN_LOOKS = 0.5
MOST_LOOKS = 240


def creation(table: Table, name: str, settings: TableSettings) -> CreateTable:
    """CreateTable for the table as it is declared, with the settings that are given."""
    stream = settings.stream and StreamSpecification(True, settings.stream)
    return replace(
        create_operation(table, name),
        deletion_protection_enabled=settings.deletion_protection,
        stream_specification=stream,
        table_class=settings.table_class,
    )


def create(
    driver: Driver,
    table: Table,
    name: str,
    settings: TableSettings,
    pause: Callable[[float], None] = time.sleep,
) -> None:
    """Make the table, wait for it, and let its items expire if it says so."""
    driver.execute(creation(table, name, settings))
    _wait_for(driver, name, pause)
    if table.ttl is not None:
        told = TimeToLiveSpecification(enabled=True, attribute_name=table.ttl)
        driver.execute(UpdateTimeToLive(name, told))


def _wait_for(driver: Driver, name: str, pause: Callable[[float], None]) -> None:
    for _ in range(MOST_LOOKS):
        try:
            if driver.execute(DescribeTable(name)).table.table_status == "ACTIVE":
                return
        except TableNotFound:
            pass  # DynamoDB may not yet know of a table that it has just agreed to make
        pause(BETWEEN_LOOKS)
    raise ServiceUnavailable(
        f"Table {name!r} is not active after {MOST_LOOKS * BETWEEN_LOOKS:.0f} seconds. It was "
        "asked for, and may still come; its time to live is not switched on."
    )
