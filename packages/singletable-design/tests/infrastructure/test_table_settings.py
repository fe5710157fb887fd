"""Table settings are applied and compared if given; unverifiable ones are reported."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import pytest
from msgspec.structs import replace

from dynamodb_engine import operations as ops
from dynamodb_engine.testing import InterruptedDriver
from singletable import Engine, Table
from singletable.errors import (
    BackupTableNotFound,
    DeclarationError,
    OperationError,
    UnknownOperation,
)
from singletable.tables import (
    AwsManagedKey,
    AwsOwnedKey,
    CustomerKey,
    DescribedTable,
    Difference,
    Encryption,
    TableSettings,
    compare_table,
    create_table,
    describe_table,
    find_unverifiable,
)
from singletable_design.infrastructure import Deployment
from tools.testing.recovery import RecoveryDriver

TABLE = Table("shop")
KEY = "arn:aws:kms:us-east-1:123456789012:key/0b9d0b4e-2a3c-4f6c-8f0e-1d2c3b4a5f60"
OTHER = "arn:aws:kms:us-east-1:123456789012:key/ffffffff-2a3c-4f6c-8f0e-1d2c3b4a5f60"
ALIAS = "arn:aws:kms:us-east-1:123456789012:alias/shop"
OWNED, MANAGED = AwsOwnedKey(), AwsManagedKey()


RECOVERY_UNKNOWN = (
    "point-in-time recovery: unknown, because this address does not support backups of the table."
)


@pytest.fixture
def driver() -> Iterator[RecoveryDriver]:
    with Engine.in_memory() as engine:
        yield RecoveryDriver(engine)


def without_backups(driver: ops.Driver, error: OperationError) -> InterruptedDriver:
    """Return a driver that rejects requests for backups."""
    requests = (ops.DescribeContinuousBackups, ops.UpdateContinuousBackups)
    return InterruptedDriver(driver, requests, before=error, times=None)


def create_and_describe(
    driver: ops.Driver, wanted: TableSettings, created: TableSettings
) -> DescribedTable:
    """Create a table with some settings and describe it for comparison with others."""
    create_table(driver, TABLE, "shop", created)
    described = describe_table(driver, "shop", wanted)
    assert described is not None
    return described


def summarize(differences: list[Difference]) -> list[tuple[str, str, str]]:
    return [
        (difference.subject, difference.declared, difference.actual) for difference in differences
    ]


def test_settings_are_compared_if_given(driver: RecoveryDriver) -> None:
    wanted = TableSettings(
        deletion_protection=True,
        stream="NEW_IMAGE",
        table_class="STANDARD_INFREQUENT_ACCESS",
        recovery_days=35,
        encryption=CustomerKey(KEY),
    )
    described = create_and_describe(driver, wanted, TableSettings())
    assert summarize(compare_table(TABLE, described, wanted)) == [
        ("stream", "NEW_IMAGE", "none"),
        ("deletion protection", "on", "off"),
        ("table class", "STANDARD_INFREQUENT_ACCESS", "STANDARD"),
        ("point-in-time recovery", "35 days", "off"),
        ("encryption", KEY, "an AWS owned key"),
    ]
    assert compare_table(TABLE, described) == []


def test_create_table_applies_settings(driver: RecoveryDriver) -> None:
    wanted = TableSettings(
        deletion_protection=True,
        stream="KEYS_ONLY",
        table_class="STANDARD_INFREQUENT_ACCESS",
        recovery_days=7,
        encryption=CustomerKey(KEY),
    )
    described = create_and_describe(driver, wanted, wanted)
    assert (described.recovery_days, described.kms_key) == (7, KEY)
    assert compare_table(TABLE, described, wanted) == []
    assert find_unverifiable(described, wanted) == []


# Lets a table be compared with the template it was deployed from.
def test_settings_from_deployment_match_table(driver: RecoveryDriver) -> None:
    wanted = Deployment().table_settings
    assert wanted == TableSettings(
        deletion_protection=True, table_class="STANDARD", recovery_days=35, encryption=OWNED
    )
    assert Deployment(recovery_days=None).table_settings.recovery_days == 0
    assert compare_table(TABLE, create_and_describe(driver, wanted, wanted), wanted) == []


@pytest.mark.parametrize(
    ("wanted", "actual", "texts"),
    [
        (35, 0, ("35 days", "off", "turns it on. Earlier states cannot be recovered")),
        (0, 35, ("off", "35 days", "deletes older backups")),
        (1, 35, ("1 day", "35 days", "deletes older backups")),
        (35, 1, ("35 days", "1 day", "UpdateContinuousBackups changes it.")),
    ],
)
def test_recovery_difference_depends_on_days(
    driver: RecoveryDriver, wanted: int, actual: int, texts: tuple[str, str, str]
) -> None:
    settings = TableSettings(recovery_days=wanted)
    described = create_and_describe(driver, settings, TableSettings(recovery_days=actual))
    (difference,) = compare_table(TABLE, described, settings)
    assert (difference.declared, difference.actual) == texts[:2]
    assert texts[2] in difference.advice


@pytest.mark.parametrize("days", [0, 1, 35])
def test_matching_recovery_is_not_a_difference(driver: RecoveryDriver, days: int) -> None:
    wanted = TableSettings(recovery_days=days)
    assert compare_table(TABLE, create_and_describe(driver, wanted, wanted), wanted) == []


# DescribeContinuousBackups is a separate permission.
def test_recovery_is_not_requested_unless_compared(driver: RecoveryDriver) -> None:
    described = create_and_describe(driver, TableSettings(), TableSettings(recovery_days=7))
    assert described.recovery_days is None
    assert find_unverifiable(described) == []


# Servers from before the period was configurable leave it out; it was 35 days.
def test_missing_recovery_period_means_35_days(driver: RecoveryDriver) -> None:
    class OlderServer:
        def execute(self, operation: ops.Operation[Any], /) -> Any:
            output = driver.execute(cast("ops.Operation[object]", operation))
            if not isinstance(operation, ops.DescribeContinuousBackups):
                return output
            backups = cast("Any", output).continuous_backups_description
            recovery = replace(
                backups.point_in_time_recovery_description, recovery_period_in_days=None
            )
            backups = replace(backups, point_in_time_recovery_description=recovery)
            return replace(cast("Any", output), continuous_backups_description=backups)

    wanted = TableSettings(recovery_days=35)
    assert create_and_describe(OlderServer(), wanted, wanted).recovery_days == 35


@pytest.mark.parametrize("days", [0, 7])
def test_address_without_recovery_is_reported_unverifiable(
    driver: RecoveryDriver, days: int
) -> None:
    wanted = TableSettings(recovery_days=days)
    described = create_and_describe(without_backups(driver, UnknownOperation("")), wanted, wanted)
    assert compare_table(TABLE, described, wanted) == []
    assert find_unverifiable(described, wanted) == [RECOVERY_UNKNOWN]


# The engine keeps no history, whatever it is asked to keep.
@pytest.mark.parametrize("days", [0, 7])
def test_engine_has_no_recovery(driver: RecoveryDriver, days: int) -> None:
    wanted = TableSettings(recovery_days=days)
    described = create_and_describe(driver.engine, wanted, wanted)
    assert compare_table(TABLE, described, wanted) == []
    assert find_unverifiable(described, wanted) == [RECOVERY_UNKNOWN]


# DynamoDB rejects the request like this for an archived table.
def test_archived_table_recovery_is_unverifiable(driver: RecoveryDriver) -> None:
    create_and_describe(driver, TableSettings(), TableSettings())
    archived = without_backups(driver, BackupTableNotFound("Table not found: shop"))
    wanted = TableSettings(recovery_days=35)
    described = describe_table(archived, "shop", wanted)
    assert described is not None
    assert find_unverifiable(described, wanted) == [RECOVERY_UNKNOWN]


@pytest.mark.parametrize(
    ("wanted", "actual", "declared", "found"),
    [
        (OWNED, CustomerKey(KEY), "an AWS owned key", KEY),
        (MANAGED, OWNED, "the AWS managed key for DynamoDB", "an AWS owned key"),
        (CustomerKey(KEY), CustomerKey(OTHER), KEY, OTHER),
        (CustomerKey(ALIAS), OWNED, ALIAS, "an AWS owned key"),
    ],
)
def test_other_encryption_key_is_a_difference(
    driver: RecoveryDriver, wanted: Encryption, actual: Encryption, declared: str, found: str
) -> None:
    settings = TableSettings(encryption=wanted)
    described = create_and_describe(driver, settings, TableSettings(encryption=actual))
    assert summarize(compare_table(TABLE, described, settings)) == [("encryption", declared, found)]
    assert find_unverifiable(described, settings) == []


# DynamoDB reports the ARN of a key, but neither its owner nor its aliases.
@pytest.mark.parametrize(
    ("wanted", "text"), [(MANAGED, "the AWS managed key for DynamoDB"), (CustomerKey(ALIAS), ALIAS)]
)
def test_key_that_only_kms_can_identify_is_unverifiable(
    driver: RecoveryDriver, wanted: Encryption, text: str
) -> None:
    settings = TableSettings(encryption=wanted)
    described = create_and_describe(driver, settings, TableSettings(encryption=CustomerKey(KEY)))
    assert compare_table(TABLE, described, settings) == []
    assert find_unverifiable(described, settings) == [
        f"encryption: the key is {KEY}. Only KMS can tell whether that is {text}."
    ]


@pytest.mark.parametrize(
    ("sse", "key"),
    [
        (None, None),
        (ops.SSEDescription("DISABLED"), None),
        (ops.SSEDescription("DISABLING", "KMS", KEY), None),
        (ops.SSEDescription("ENABLING", "KMS", KEY), KEY),
        (ops.SSEDescription("UPDATING", "KMS", KEY), KEY),
    ],
)
def test_kms_key_counts_once_encryption_is_enabling(
    driver: RecoveryDriver, sse: ops.SSEDescription | None, key: str | None
) -> None:
    described = create_and_describe(driver, TableSettings(), TableSettings())
    table = replace(described.table, sse_description=sse)
    assert DescribedTable(table, described.time_to_live).kms_key == key


@pytest.mark.parametrize("days", [-1, 36])
def test_recovery_days_out_of_range_are_rejected(days: int) -> None:
    with pytest.raises(DeclarationError, match=f"expected 1 to 35, but got {days}"):
        TableSettings(recovery_days=days)


def test_disabled_recovery_is_a_difference(driver: RecoveryDriver) -> None:
    wanted = TableSettings(recovery_days=35)
    create_and_describe(driver, wanted, wanted)
    off = ops.PointInTimeRecoverySpecification(point_in_time_recovery_enabled=False)
    driver.execute(ops.UpdateContinuousBackups("shop", off))
    described = describe_table(driver, "shop", wanted)
    assert described is not None
    assert summarize(compare_table(TABLE, described, wanted)) == [
        ("point-in-time recovery", "35 days", "off")
    ]
