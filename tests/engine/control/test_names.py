"""Names as ARNs, and names in lists."""

from __future__ import annotations

import pytest

from singletable.engine import Settings
from singletable.engine.control.indexes import format_presized_set, format_set
from singletable.engine.control.settings import resolve_table_name
from singletable.errors import ValidationError

SETTINGS = Settings(region="eu-west-2", account="123456789012")


# Seen at AWS: the definitions are listed as a set made for five, the keys as one that grew.
def test_names_are_listed_as_java_lists_them() -> None:
    assert format_presized_set(["pk", "sk", "a", "b", "c"]) == "[sk, a, b, pk, c]"
    assert format_set(["pk", "sk", "a"]) == "[a, sk, pk]"
    assert format_presized_set(["pk", "sk"]) == "[sk, pk]"
    assert format_set(["q"]) == "[q]"
    assert format_set([]) == format_presized_set([]) == "[]"


def test_a_name_is_listed_once() -> None:
    assert format_set(["a", "b", "a"]) == "[a, b]"


def test_a_table_is_meant_by_its_name_or_its_arn() -> None:
    for given in ("votes", SETTINGS.table_arn("votes")):
        assert resolve_table_name(given, "DescribeTable", SETTINGS) == "votes"


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ("arn:moon:dynamodb:eu-west-2:123456789012:table/votes", "AWS partition"),
        ("arn:aws:dynamodb:us-east-1:123456789012:table/votes", "AWS region"),
        ("arn:aws:dynamodb:eu-west-2:123456789012:global-table/votes", "resource type"),
        ("arn:aws:dynamodb:eu-west-2:123456789012:table", "resource type"),
    ],
)
def test_an_arn_of_something_else_is_refused(given: str, what: str) -> None:
    with pytest.raises(ValidationError) as refused:
        resolve_table_name(given, "DescribeTable", SETTINGS)
    assert refused.value.message == f"1 validation error detected: Invalid {what} in '{given}'"
