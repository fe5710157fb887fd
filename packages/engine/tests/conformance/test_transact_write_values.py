"""TransactWriteItems: values, depths and sizes, and the order of checks."""

from __future__ import annotations

import re
from typing import Literal

import pytest

from dynamodb_engine.operations import Driver, TransactWriteItem, TransactWriteItems
from dynamodb_engine.values import AttributeValue
from tests.conformance.errors import validation_error
from tests.conformance.requests import binary, text
from tests.conformance.tables import make_table, stored
from tests.conformance.transaction_actions import (
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
