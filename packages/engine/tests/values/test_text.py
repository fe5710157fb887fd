"""Values as text for people."""

from __future__ import annotations

import pytest

from dynamodb_engine.values import AttributeValue
from dynamodb_engine.values.text import format_value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"L": [{"S": "a"}, {"L": [{"N": "1"}, {"N": "2"}]}]}, "a, [1, 2]"),
        ({"SS": ["x", "y"]}, "x, y"),
        (
            {"M": {"k": {"NS": ["1", "2"]}, "z": {"M": {"n": {"NULL": True}}}}},
            "{k: [1, 2], z: {n: null}}",
        ),
    ],
)
def test_nested_values_show_their_names(value: AttributeValue, text: str) -> None:
    assert format_value(value) == text
