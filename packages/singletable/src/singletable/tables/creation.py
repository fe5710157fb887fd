"""Create a declared table at an address, and describe a table that exists there."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from msgspec.structs import replace

from dynamodb_engine import operations as ops
from singletable.errors import (
    BackupTableNotFound,
    ContinuousBackupsUnavailable,
    ResourceNotFound,
    ServiceUnavailable,
    UnknownOperation,
)
from singletable.schema import Table, create_operation
from singletable.tables.settings import (
    MAX_RECOVERY_DAYS,
    NO_SETTINGS,
    TableSettings,
    sse_specification,
)

POLL_SECONDS = 0.5
MAX_POLLS = 240


@dataclass(frozen=True, slots=True)
class DescribedTable:
    """A table as DynamoDB describes it.

    `recovery_days` is None if it was not requested or the address does not support backups.
    """

    table: ops.TableDescription
    time_to_live: ops.TimeToLiveDescription
    recovery_days: int | None = None

    @property
    def ttl(self) -> str | None:
        """The TTL attribute, if TTL is enabled or being enabled."""
        ttl = self.time_to_live
        enabled = ttl.time_to_live_status in ("ENABLED", "ENABLING")
        return ttl.attribute_name if enabled else None

    @property
    def kms_key(self) -> str | None:
        """The ARN of the KMS key that encrypts the table, or will; None for an AWS owned key."""
        sse = self.table.sse_description
        if sse is None or sse.status in ("DISABLED", "DISABLING"):
            return None
        return sse.kms_master_key_arn or "an unknown KMS key"


def describe_table(
    driver: ops.Driver, name: str, settings: TableSettings = NO_SETTINGS
) -> DescribedTable | None:
    """Describe the table, including what `settings` compares; return None if it does not exist."""
    try:
        output = driver.execute(ops.DescribeTable(name))
    except ResourceNotFound:  # not TableNotFound: DynamoDB Local's error text differs
        return None
    ttl = driver.execute(ops.DescribeTimeToLive(name)).time_to_live_description
    # DescribeContinuousBackups is a separate permission, so it is sent only if needed.
    days = None if settings.recovery_days is None else _recovery_days(driver, name)
    return DescribedTable(output.table, ttl, days)


def create_table(
    driver: ops.Driver,
    table: Table,
    name: str,
    settings: TableSettings,
    sleep: Callable[[float], None] = time.sleep,
) -> None:
    """Create the table, wait until it is active, then enable TTL and recovery if declared.

    At an address without point-in-time recovery the table is created without it;
    `find_unverifiable` reports that.
    """
    driver.execute(_create_operation(table, name, settings))
    _wait(lambda: _is_active(driver, name), sleep, f"Table {name!r} is not active")
    if table.ttl is not None:
        ttl = ops.TimeToLiveSpecification(enabled=True, attribute_name=table.ttl)
        driver.execute(ops.UpdateTimeToLive(name, ttl))
    if days := settings.recovery_days:
        problem = f"Table {name!r} is active, but continuous backups are not"
        _wait(lambda: _enable_recovery(driver, name, days), sleep, problem)


def _create_operation(table: Table, name: str, settings: TableSettings) -> ops.CreateTable:
    return replace(
        create_operation(table, name),
        deletion_protection_enabled=settings.deletion_protection,
        stream_specification=settings.stream and ops.StreamSpecification(True, settings.stream),
        sse_specification=sse_specification(settings.encryption),
        table_class=settings.table_class,
    )


def _is_active(driver: ops.Driver, name: str) -> bool:
    try:
        return driver.execute(ops.DescribeTable(name)).table.table_status == "ACTIVE"
    except ResourceNotFound:
        return False  # DescribeTable is eventually consistent, also right after CreateTable


def _enable_recovery(driver: ops.Driver, name: str, days: int) -> bool:
    """Enable point-in-time recovery; return False if DynamoDB is not ready for it yet."""
    try:
        recovery = ops.PointInTimeRecoverySpecification(True, days)
        driver.execute(ops.UpdateContinuousBackups(name, recovery))
    except (ContinuousBackupsUnavailable, BackupTableNotFound):
        # DynamoDB sets up backups a few seconds after a table becomes active.
        return False
    except UnknownOperation:
        return True
    return True


def _recovery_days(driver: ops.Driver, name: str) -> int | None:
    """Return the recovery period, 0 if recovery is off, or None if the address cannot tell."""
    try:
        backups = driver.execute(ops.DescribeContinuousBackups(name)).continuous_backups_description
    except (UnknownOperation, BackupTableNotFound):
        # Raised by dynalite and DynamoDB Local, and by DynamoDB for an archived table.
        return None
    if backups.continuous_backups_status != "ENABLED":
        return None  # the engine keeps no history
    recovery = backups.point_in_time_recovery_description
    if recovery is None or recovery.point_in_time_recovery_status != "ENABLED":
        return 0
    # Servers from before the period was configurable leave it out.
    return recovery.recovery_period_in_days or MAX_RECOVERY_DAYS


def _wait(is_done: Callable[[], bool], sleep: Callable[[float], None], problem: str) -> None:
    for _ in range(MAX_POLLS):
        if is_done():
            return
        sleep(POLL_SECONDS)
    raise ServiceUnavailable(
        f"{problem} after {MAX_POLLS * POLL_SECONDS:.0f} seconds. DynamoDB may still finish, but "
        "later steps were not run. Check the table in a few minutes: singletable table check"
    )
