"""Make a declared table at an address, and wait until it can be used."""

from __future__ import annotations

import time
from collections.abc import Callable

from msgspec.structs import replace

from singletable.errors import ResourceNotFound, ServiceUnavailable
from singletable.infrastructure.encryption import specification
from singletable.infrastructure.recovery import switched_on
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
        sse_specification=specification(settings.encryption),
        table_class=settings.table_class,
    )


def create(
    driver: Driver,
    table: Table,
    name: str,
    settings: TableSettings,
    pause: Callable[[float], None] = time.sleep,
) -> None:
    """Make the table, wait for it, and let its items expire and itself be recovered if it says so.

    An address that knows of no recovery makes the table without; `untold` says so.
    """
    driver.execute(creation(table, name, settings))
    _wait(lambda: _is_active(driver, name), pause, f"Table {name!r} is not active")
    if table.ttl is not None:
        told = TimeToLiveSpecification(enabled=True, attribute_name=table.ttl)
        driver.execute(UpdateTimeToLive(name, told))
    if days := settings.recovery_days:
        late = f"Table {name!r} is there, and DynamoDB has no backups of it"
        _wait(lambda: switched_on(driver, name, days), pause, late)


def _is_active(driver: Driver, name: str) -> bool:
    try:
        return driver.execute(DescribeTable(name)).table.table_status == "ACTIVE"
    except ResourceNotFound:
        return False  # DynamoDB may not yet know of a table that it has just agreed to make


def _wait(done: Callable[[], bool], pause: Callable[[float], None], late: str) -> None:
    for _ in range(MOST_LOOKS):
        if done():
            return
        pause(BETWEEN_LOOKS)
    raise ServiceUnavailable(
        f"{late} after {MOST_LOOKS * BETWEEN_LOOKS:.0f} seconds. It was asked for, and may still "
        "come; what was to follow is not done. Compare the table in some minutes: singletable "
        "table check"
    )
