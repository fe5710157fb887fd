"""Settings of a table are made and compared if somebody cares, and what is not told is told."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import pytest
from msgspec.structs import replace

from singletable import (
    BackupTableNotFound,
    DeclarationError,
    Engine,
    Operation,
    OperationError,
    Table,
)
from singletable.infrastructure import (
    AwsManagedKey,
    AwsOwnedKey,
    CustomerKey,
    Deployment,
    Described,
    Difference,
    Encryption,
    TableSettings,
    create,
    describe,
    differences,
    settings_of,
    untold,
)
from singletable.operations import (
    DescribeContinuousBackups,
    PointInTimeRecoverySpecification,
    SSEDescription,
    UpdateContinuousBackups,
)
from singletable.wire import UnknownOperation

TABLE = Table("shop")
KEY = "arn:aws:kms:us-east-1:123456789012:key/0b9d0b4e-2a3c-4f6c-8f0e-1d2c3b4a5f60"
OTHER = "arn:aws:kms:us-east-1:123456789012:key/ffffffff-2a3c-4f6c-8f0e-1d2c3b4a5f60"
ALIAS = "arn:aws:kms:us-east-1:123456789012:alias/shop"
OWNED, MANAGED = AwsOwnedKey(), AwsManagedKey()


UNTOLD = (
    "point-in-time recovery: cannot be told at this address, which knows of no backups of the "
    "table."
)


@pytest.fixture
def driver() -> Iterator[Engine]:
    with Engine.in_memory() as engine:
        yield engine


class Elsewhere:
    """A server that has no backups."""

    def __init__(self, engine: Engine, refusal: OperationError) -> None:
        self.engine = engine
        self.refusal = refusal

    def execute(self, operation: Operation[Any], /) -> Any:
        if isinstance(operation, DescribeContinuousBackups | UpdateContinuousBackups):
            raise self.refusal
        return self.engine.execute(cast("Operation[object]", operation))


def stands(driver: Engine | Elsewhere, asked: TableSettings, made: TableSettings) -> Described:
    """A table that was made with some settings, as it is described to who asks for others."""
    create(driver, TABLE, "shop", made)
    described = describe(driver, "shop", asked)
    assert described is not None
    return described


def told(found: list[Difference]) -> list[tuple[str, str, str]]:
    return [(one.about, one.declared, one.found) for one in found]


def test_settings_are_compared_if_somebody_cares(driver: Engine) -> None:
    asked = TableSettings(
        deletion_protection=True,
        stream="NEW_IMAGE",
        table_class="STANDARD_INFREQUENT_ACCESS",
        recovery_days=35,
        encryption=CustomerKey(KEY),
    )
    described = stands(driver, asked, TableSettings())
    assert told(differences(TABLE, described, asked)) == [
        ("stream", "NEW_IMAGE", "none"),
        ("deletion protection", "on", "off"),
        ("table class", "STANDARD_INFREQUENT_ACCESS", "STANDARD"),
        ("point-in-time recovery", "35 days", "off"),
        ("encryption", KEY, "a key that AWS owns"),
    ]
    assert differences(TABLE, described) == []


def test_settings_are_made_with_the_table(driver: Engine) -> None:
    asked = TableSettings(
        deletion_protection=True,
        stream="KEYS_ONLY",
        table_class="STANDARD_INFREQUENT_ACCESS",
        recovery_days=7,
        encryption=CustomerKey(KEY),
    )
    described = stands(driver, asked, asked)
    assert (described.recovery_days, described.key) == (7, KEY)
    assert differences(TABLE, described, asked) == []
    assert untold(described, asked) == []


# What is written as infrastructure can be compared with what was made of it.
def test_a_deployment_says_all_settings(driver: Engine) -> None:
    asked = settings_of(Deployment())
    assert asked == TableSettings(
        deletion_protection=True, table_class="STANDARD", recovery_days=35, encryption=OWNED
    )
    assert settings_of(Deployment(recovery_days=None)).recovery_days == 0
    assert differences(TABLE, stands(driver, asked, asked), asked) == []


@pytest.mark.parametrize(
    ("wanted", "there", "words"),
    [
        (35, 0, ("35 days", "off", "switches it on; what was before cannot be recovered")),
        (0, 35, ("off", "35 days", "what is older is lost")),
        (1, 35, ("1 day", "35 days", "what is older is lost")),
        (35, 1, ("35 days", "1 day", "UpdateContinuousBackups changes it.")),
    ],
)
def test_recovery_is_compared_by_its_days(
    driver: Engine, wanted: int, there: int, words: tuple[str, str, str]
) -> None:
    asked = TableSettings(recovery_days=wanted)
    described = stands(driver, asked, TableSettings(recovery_days=there))
    (difference,) = differences(TABLE, described, asked)
    assert (difference.declared, difference.found) == words[:2]
    assert words[2] in difference.advice


@pytest.mark.parametrize("days", [0, 1, 35])
def test_recovery_that_is_as_asked_does_not_differ(driver: Engine, days: int) -> None:
    asked = TableSettings(recovery_days=days)
    assert differences(TABLE, stands(driver, asked, asked), asked) == []


# Whoever does not care needs no permission to ask.
def test_recovery_is_asked_for_only_if_somebody_cares(driver: Engine) -> None:
    described = stands(driver, TableSettings(), TableSettings(recovery_days=7))
    assert described.recovery_days is None
    assert untold(described) == []


# DynamoDB tells no days to whoever is older than they are: 35 was the only choice.
def test_recovery_without_days_is_of_35(driver: Engine) -> None:
    class Older(Elsewhere):
        def execute(self, operation: Operation[Any], /) -> Any:
            answer = self.engine.execute(cast("Operation[object]", operation))
            if not isinstance(operation, DescribeContinuousBackups):
                return answer
            backups = cast("Any", answer).continuous_backups_description
            recovery = replace(
                backups.point_in_time_recovery_description, recovery_period_in_days=None
            )
            backups = replace(backups, point_in_time_recovery_description=recovery)
            return replace(cast("Any", answer), continuous_backups_description=backups)

    asked = TableSettings(recovery_days=35)
    assert stands(Older(driver, UnknownOperation("")), asked, asked).recovery_days == 35


@pytest.mark.parametrize("days", [0, 7])
def test_where_recovery_is_unknown_the_table_is_made_and_that_is_told(
    driver: Engine, days: int
) -> None:
    asked = TableSettings(recovery_days=days)
    described = stands(Elsewhere(driver, UnknownOperation("")), asked, asked)
    assert differences(TABLE, described, asked) == []
    assert untold(described, asked) == [UNTOLD]


# What DynamoDB answers of a table that it has archived.
def test_a_table_may_be_there_and_its_backups_not(driver: Engine) -> None:
    stands(driver, TableSettings(), TableSettings())
    archived = Elsewhere(driver, BackupTableNotFound("Table not found: shop"))
    asked = TableSettings(recovery_days=35)
    described = describe(archived, "shop", asked)
    assert described is not None
    assert untold(described, asked) == [UNTOLD]


@pytest.mark.parametrize(
    ("wanted", "there", "declared", "found"),
    [
        (OWNED, CustomerKey(KEY), "a key that AWS owns", KEY),
        (MANAGED, OWNED, "the account's key for DynamoDB", "a key that AWS owns"),
        (CustomerKey(KEY), CustomerKey(OTHER), KEY, OTHER),
        (CustomerKey(ALIAS), OWNED, ALIAS, "a key that AWS owns"),
    ],
)
def test_another_key_is_a_difference(
    driver: Engine, wanted: Encryption, there: Encryption, declared: str, found: str
) -> None:
    asked = TableSettings(encryption=wanted)
    described = stands(driver, asked, TableSettings(encryption=there))
    assert told(differences(TABLE, described, asked)) == [("encryption", declared, found)]
    assert untold(described, asked) == []


# DynamoDB tells the ARN of a key, and neither whose it is nor what it is also called.
@pytest.mark.parametrize(
    ("wanted", "meant"), [(MANAGED, "the account's key for DynamoDB"), (CustomerKey(ALIAS), ALIAS)]
)
def test_what_only_kms_can_tell_is_no_difference(
    driver: Engine, wanted: Encryption, meant: str
) -> None:
    asked = TableSettings(encryption=wanted)
    described = stands(driver, asked, TableSettings(encryption=CustomerKey(KEY)))
    assert differences(TABLE, described, asked) == []
    assert untold(described, asked) == [
        f"encryption: there is {KEY}. Only KMS can tell if it is {meant}."
    ]


@pytest.mark.parametrize(
    ("sse", "key"),
    [
        (None, None),
        (SSEDescription("DISABLED"), None),
        (SSEDescription("DISABLING", "KMS", KEY), None),
        (SSEDescription("ENABLING", "KMS", KEY), KEY),
        (SSEDescription("UPDATING", "KMS", KEY), KEY),
    ],
)
def test_a_key_counts_from_when_it_is_on_its_way(
    driver: Engine, sse: SSEDescription | None, key: str | None
) -> None:
    found = stands(driver, TableSettings(), TableSettings())
    table = replace(found.table, sse_description=sse)
    assert Described(table, found.time_to_live).key == key


@pytest.mark.parametrize("days", [-1, 36])
def test_days_out_of_bounds_are_refused(days: int) -> None:
    with pytest.raises(DeclarationError, match=f"within 1 to 35 days, and here it is {days}"):
        TableSettings(recovery_days=days)


# Recovery can be changed at any time, and is compared as it stands.
def test_recovery_that_was_switched_off_is_a_difference(driver: Engine) -> None:
    asked = TableSettings(recovery_days=35)
    stands(driver, asked, asked)
    off = PointInTimeRecoverySpecification(point_in_time_recovery_enabled=False)
    driver.execute(UpdateContinuousBackups("shop", off))
    described = describe(driver, "shop", asked)
    assert described is not None
    assert told(differences(TABLE, described, asked)) == [
        ("point-in-time recovery", "35 days", "off")
    ]
