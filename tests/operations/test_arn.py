"""Amazon Resource Names: their parts, and the tables that they name."""

from __future__ import annotations

import pytest

from singletable.operations.arn import Arn, parse_arn, table_name

TABLE = "arn:aws:dynamodb:eu-west-2:123456789012:table/orders"


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
    ("given", "name"),
    [
        ("orders", "orders"),
        (TABLE, "orders"),
        (f"{TABLE}/index/by_day", "orders"),
        (f"{TABLE}/stream/2026-01-01T00:00:00.000", "orders"),
        ("arn:aws:s3:::table/orders", "arn:aws:s3:::table/orders"),
        (f"{TABLE[:-6]}", f"{TABLE[:-6]}"),
    ],
)
def test_table_name_is_read_from_names_and_arns(given: str, name: str) -> None:
    assert table_name(given) == name
