"""Table names in requests, and lists of names in errors."""

from __future__ import annotations

import pytest

from singletable.engine import Settings
from singletable.engine.control.indexes import format_presized_set, format_set
from singletable.engine.control.settings import resolve_table_name
from singletable.errors import ValidationError

SETTINGS = Settings(region="eu-west-2", account="123456789012")


# Observed on AWS: definitions are in a set created for five, keys in one that grew.
def test_names_are_listed_in_the_order_of_java_sets() -> None:
    assert format_presized_set(["pk", "sk", "a", "b", "c"]) == "[sk, a, b, pk, c]"
    assert format_set(["pk", "sk", "a"]) == "[a, sk, pk]"
    assert format_presized_set(["pk", "sk"]) == "[sk, pk]"
    assert format_set(["q"]) == "[q]"
    assert format_set([]) == format_presized_set([]) == "[]"


def test_duplicate_names_are_listed_once() -> None:
    assert format_set(["a", "b", "a"]) == "[a, b]"


def test_table_is_resolved_by_name_or_arn() -> None:
    for name in ("votes", SETTINGS.table_arn("votes")):
        assert resolve_table_name(name, "DescribeTable", SETTINGS) == "votes"


@pytest.mark.parametrize(
    ("arn", "part"),
    [
        ("arn:moon:dynamodb:eu-west-2:123456789012:table/votes", "AWS partition"),
        ("arn:aws:dynamodb:us-east-1:123456789012:table/votes", "AWS region"),
        ("arn:aws:dynamodb:eu-west-2:123456789012:global-table/votes", "resource type"),
        ("arn:aws:dynamodb:eu-west-2:123456789012:table", "resource type"),
    ],
)
def test_arn_of_another_resource_is_rejected(arn: str, part: str) -> None:
    with pytest.raises(ValidationError) as error:
        resolve_table_name(arn, "DescribeTable", SETTINGS)
    assert error.value.message == f"1 validation error detected: Invalid {part} in '{arn}'"
