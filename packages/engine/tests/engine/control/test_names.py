"""Lists of names in errors."""

from __future__ import annotations

from dynamodb_engine.engine.control.indexes import format_presized_set, format_set


# Observed on AWS: definitions are in a set created for five, keys in one that grew.
def test_names_are_listed_in_the_order_of_java_sets() -> None:
    assert format_presized_set(["pk", "sk", "a", "b", "c"]) == "[sk, a, b, pk, c]"
    assert format_set(["pk", "sk", "a"]) == "[a, sk, pk]"
    assert format_presized_set(["pk", "sk"]) == "[sk, pk]"
    assert format_set(["q"]) == "[q]"
    assert format_set([]) == format_presized_set([]) == "[]"


def test_duplicate_names_are_listed_once() -> None:
    assert format_set(["a", "b", "a"]) == "[a, b]"
