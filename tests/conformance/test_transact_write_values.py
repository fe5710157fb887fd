"""TransactWriteItems: values, depths and sizes, and the order of checks."""

from __future__ import annotations

import re
from typing import Literal

import pytest

from singletable.errors import CancellationReason
from singletable.operations import Driver, TransactWriteItem, TransactWriteItems
from singletable.values import AttributeValue, Item
from tests.conformance.errors import validation_error
from tests.conformance.requests import binary, text
from tests.conformance.tables import make_table, put, stored, unused_name
from tests.conformance.transaction_actions import (
    canceled,
    checking,
    deleting,
    key,
    putting,
    transact,
    updating,
)

TOO_DEEP = (
    "Nesting Levels have exceeded supported limits: "
    "Attributes in the item have nested levels beyond supported limit"
)
NO_NAME = "Empty attribute name"
SYNTAX = 'Invalid ConditionExpression: Syntax error; token: "=", near: "= = b"'
UNUSED = "Value provided in ExpressionAttributeValues unused in expressions: keys: {:u}"
TOO_LONG = "Expression size has exceeded the maximum allowed size;"
LONG_CONDITION = "attribute_exists(" + "a" * 4091 + ")"
LONG_UPDATE = "REMOVE " + "a" * 4097
LARGEST = 409_600


def deep(levels: int, kind: Literal["M", "L"] = "M") -> AttributeValue:
    """Return a string nested in this many maps or lists."""
    value = text("leaf")
    for _ in range(levels):
        value = AttributeValue(M={"m": value}) if kind == "M" else AttributeValue(L=[value])
    return value


@pytest.fixture
def table(driver: Driver) -> str:
    """Create an empty table."""
    return make_table(driver, pk="S")


GONE = "no_such_table"
BAD = "a = = b"


# Actions are checked one after the other, and the first invalid one decides; within an action,
# expressions come before the item or key. No table is needed.
@pytest.mark.parametrize(
    ("actions", "message"),
    [
        ([putting(GONE, key("a")), putting(GONE, key("b"), BAD)], SYNTAX),
        ([putting(GONE, key("a"), BAD), putting(GONE, {"d": deep(32)})], SYNTAX),
        ([putting(GONE, {"d": deep(32)}), putting(GONE, key("b"), BAD)], TOO_DEEP),
        ([putting(GONE, {"d": deep(40)}), putting(GONE, {"": text("a")})], TOO_DEEP),
        ([putting(GONE, {"": text("a")}), putting(GONE, {"d": deep(100)})], NO_NAME),
        ([putting(GONE, {"": text("a"), "d": deep(100)})], NO_NAME),
        ([putting(GONE, {"d": deep(100), "": text("a")})], NO_NAME),
        ([putting(GONE, {"m": {"M": {"": text("a")}}, "d": deep(40)})], TOO_DEEP),
        (
            [putting(GONE, {"": text("a")}), checking(GONE, key("b"), "a = :d", d=deep(100))],
            NO_NAME,
        ),
        (
            [checking(GONE, key("b"), "a = :d", d=deep(40)), putting(GONE, {"": text("a")})],
            TOO_DEEP,
        ),
        (
            [updating(GONE, key("b"), "SET a = :d", d=deep(40)), putting(GONE, {"": text("a")})],
            TOO_DEEP,
        ),
        ([deleting(GONE, {"pk": deep(40)}), putting(GONE, key("b"), BAD)], TOO_DEEP),
        (
            [
                checking(GONE, {"pk": deep(40)}, "attribute_exists(pk)"),
                updating(GONE, key("b"), "REMOVE a", u=text("u")),
            ],
            TOO_DEEP,
        ),
        ([putting(GONE, key("b"), BAD), deleting(GONE, {"pk": deep(100)})], SYNTAX),
        ([deleting(GONE, {"pk": deep(100)}, BAD)], SYNTAX),
        (
            [deleting(GONE, {"pk": deep(100)}, LONG_CONDITION)],
            f"Invalid ConditionExpression: {TOO_LONG} expression size: 4109",
        ),
        (
            [updating(GONE, {"pk": deep(100)}, LONG_UPDATE)],
            f"Invalid UpdateExpression: {TOO_LONG}",
        ),
        ([updating(GONE, {"pk": deep(100)}, "REMOVE a", u=text("u"))], UNUSED),
        (
            [updating(GONE, key("a"), "REMOVE a", u=text("u")), deleting(GONE, {"pk": deep(100)})],
            UNUSED,
        ),
        (
            [updating(GONE, key("a"), LONG_UPDATE), deleting(GONE, {"pk": deep(100)})],
            f"Invalid UpdateExpression: {TOO_LONG}",
        ),
    ],
)
def test_first_invalid_action_decides_the_error(
    driver: Driver, actions: list[TransactWriteItem], message: str
) -> None:
    assert validation_error(driver, TransactWriteItems(actions)) == message


@pytest.mark.parametrize("kind", ["M", "L"])
def test_rejects_items_deeper_than_32_levels(
    driver: Driver, table: str, kind: Literal["M", "L"]
) -> None:
    item: Item = key("a") | {"d": deep(31, kind)}
    transact(driver, putting(table, item))
    assert stored(driver, table, key("a")) == item
    too_deep = putting(table, key("b") | {"d": deep(32, kind)})
    assert validation_error(driver, TransactWriteItems([too_deep])) == TOO_DEEP


# Expression values have the same depth limit, checked before the table is looked up; far beyond it,
# AWS's older validation answers and names the value.
@pytest.mark.parametrize("kind", ["M", "L"])
@pytest.mark.parametrize(
    ("levels", "message"),
    [
        (32, TOO_DEEP),
        (33, TOO_DEEP),
        (61, f"ExpressionAttributeValues contains invalid value: {TOO_DEEP} for key :deep"),
    ],
)
def test_rejects_values_deeper_than_32_levels(
    driver: Driver, table: str, kind: Literal["M", "L"], levels: int, message: str
) -> None:
    value = deep(levels, kind)
    name = unused_name()
    for action in (
        checking(name, key("a"), "d = :deep", deep=value),
        updating(name, key("a"), "SET d = :deep", deep=value),
        putting(name, key("a"), "attribute_not_exists(pk) AND d <> :deep", deep=value),
    ):
        assert validation_error(driver, TransactWriteItems([action])) == message
    transact(driver, updating(table, key("a"), "SET d = :deep", deep=deep(31, kind)))


def sized(size: int) -> Item:
    """Return an item of this many bytes."""
    return key("a") | {"v": text("x" * (size - len("pk" + "a" + "v")))}


def test_rejects_items_over_400_kilobytes(driver: Driver, table: str) -> None:
    transact(driver, putting(table, sized(LARGEST)))
    assert stored(driver, table, key("a")) == sized(LARGEST)
    too_large = putting(table, sized(LARGEST + 1))
    assert validation_error(driver, TransactWriteItems([too_large])) == (
        "Item size has exceeded the maximum allowed size"
    )


# The size of the resulting item depends on the stored one, so exceeding it cancels.
@pytest.mark.parametrize("there", [True, False])
def test_rejects_updates_that_grow_an_item_over_400_kilobytes(
    driver: Driver, table: str, there: bool
) -> None:
    if there:
        put(driver, table, key("a") | {"v": text("old")})
    too_large = updating(table, key("a"), "SET v = :v", v=sized(LARGEST + 1)["v"])
    assert canceled(driver, too_large) == (
        CancellationReason(
            "ValidationError", "Item size to update has exceeded the maximum allowed size"
        ),
    )
    transact(driver, updating(table, key("a"), "SET v = :v", v=sized(LARGEST)["v"]))
    assert stored(driver, table, key("a")) == sized(LARGEST)


# The limit counts what is sent: a delete is as small as its key, whatever the item's size.
def test_transaction_carries_at_most_four_megabytes(driver: Driver, table: str) -> None:
    def puts(count: int) -> list[TransactWriteItem]:
        pad = text("x" * 350_000)
        return [putting(table, key(str(i)) | {"pad": pad}) for i in range(count)]

    message = validation_error(driver, TransactWriteItems(puts(12)))
    # Each item also has a key and two names.
    size = re.fullmatch(
        r"(Transaction payload size cannot exceed 4MB\. Payload Size: ): \1(\d+)", message
    )
    assert size is not None
    assert 12 * 350_000 < int(size[2]) < 12 * 350_100
    assert stored(driver, table, key("0")) is None
    transact(driver, *puts(10))
    transact(driver, *(putting(table, key(f"{i}") | {"b": binary(b"b")}) for i in range(10, 12)))
    transact(driver, *(deleting(table, key(str(i))) for i in range(12)))
    assert stored(driver, table, key("0")) is None


@pytest.mark.parametrize("kind", ["condition", "update"])
def test_rejects_expressions_over_four_kilobytes(driver: Driver, table: str, kind: str) -> None:
    def action(size: int) -> TransactWriteItem:
        if kind == "update":
            return updating(table, key("a"), "REMOVE " + "b" * (size - len("REMOVE ")))
        room = size - len("attribute_not_exists()")
        return putting(table, key("a"), f"attribute_not_exists({'b' * room})")

    transact(driver, action(4096))
    actions = [putting(table, key("other")), action(4097)]
    assert TOO_LONG in validation_error(driver, TransactWriteItems(actions))
    assert stored(driver, table, key("other")) is None
