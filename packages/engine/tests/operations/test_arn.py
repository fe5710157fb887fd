"""Amazon Resource Names: their parts, and the tables that they name."""

from __future__ import annotations

import pytest

from dynamodb_engine.errors import AccessDenied, ValidationError
from dynamodb_engine.operations.arn import Arn, TableArns, parse_arn

TABLE = "arn:aws:dynamodb:eu-west-2:123456789012:table/orders"
ARNS = TableArns("eu-west-2", "123456789012")
ACTION = "dynamodb:GetItem"


def test_parse_arn_returns_its_parts() -> None:
    arn = Arn("aws", "dynamodb", "eu-west-2", "123456789012", "table/orders")
    assert parse_arn(TABLE) == arn


def test_resource_may_contain_colons() -> None:
    arn = parse_arn(f"{TABLE}/stream/2026-10-08T23:07:31.275")
    assert arn is not None
    assert arn.resource == "table/orders/stream/2026-10-08T23:07:31.275"


@pytest.mark.parametrize("text", ["", "orders", "arn:aws:dynamodb", "urn:a:b:c:d:e"])
def test_parse_arn_returns_none_for_other_text(text: str) -> None:
    assert parse_arn(text) is None


@pytest.mark.parametrize(
    ("text", "table"),
    [
        (TABLE, "orders"),
        (f"{TABLE}/index/by_day", "orders"),
        (f"{TABLE}/stream/2026-01-01T00:00:00.000", "orders"),
        ("arn:aws:s3:::table/orders", None),
        (TABLE.removesuffix("orders"), None),
    ],
)
def test_arn_names_its_table(text: str, table: str | None) -> None:
    arn = parse_arn(text)
    assert arn is not None
    assert arn.table == table


@pytest.mark.parametrize("text", ["orders", TABLE])
def test_table_is_resolved_by_name_or_arn(text: str) -> None:
    assert ARNS.resolve(text, ACTION) == "orders"


# On AWS too, these are compared with the pattern of names.
@pytest.mark.parametrize(
    "text", ["", "a b", "arn:aws:dynamodb", "ARN" + TABLE[3:], TABLE.replace("dynamodb", "s3")]
)
def test_other_text_is_left_to_the_validation_of_names(text: str) -> None:
    assert ARNS.resolve(text, ACTION) == text


@pytest.mark.parametrize(
    ("old", "new", "part"),
    [
        ("aws", "moon", "AWS partition"),
        ("aws", "aws-cn", "AWS partition"),
        ("eu-west-2", "us-east-1", "AWS region"),
        ("eu-west-2", "EU-WEST-2", "AWS region"),
        ("eu-west-2", "", "AWS region"),
        ("table/", "global-table/", "resource type"),
        ("table/orders", "table", "resource type"),
        ("orders", "orders/index/by_day", "resource type"),
        ("orders", "orders/stream/2026-01-01T00:00:00.000", "resource type"),
    ],
)
def test_arn_of_another_resource_is_rejected(old: str, new: str, part: str) -> None:
    arn = TABLE.replace(old, new)
    with pytest.raises(ValidationError) as error:
        ARNS.resolve(arn, ACTION)
    assert error.value.message == f"1 validation error detected: Invalid {part} in '{arn}'"


@pytest.mark.parametrize("account", ["999999999999", ""])
def test_arn_of_another_account_is_denied(account: str) -> None:
    arn = TABLE.replace("123456789012", account)
    with pytest.raises(AccessDenied, match=f"perform: dynamodb:GetItem on resource: {arn}$"):
        ARNS.resolve(arn, ACTION)
