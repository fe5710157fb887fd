"""ExpressionAttributeNames and ExpressionAttributeValues: form and use."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from dynamodb_engine.errors import ValidationError
from dynamodb_engine.expressions import (
    Placeholders,
    parse_condition,
    parse_projection,
    parse_update,
)
from dynamodb_engine.values import AttributeValue
from tools.testing.cases import every

ONE: AttributeValue = {"N": "1"}


def keep(alias: str, value: AttributeValue) -> AttributeValue:
    return value


def reject(alias: str, value: AttributeValue) -> AttributeValue:
    raise ValidationError(f"looked at {alias}")


@every(
    ("names", "values", "message"),
    [
        ({}, None, "ExpressionAttributeNames must not be empty"),
        ({"a": "a"}, {}, 'ExpressionAttributeNames contains invalid key: Syntax error; key: "a"'),
        ({"#": "a"}, None, 'ExpressionAttributeNames contains invalid key: Syntax error; key: "#"'),
        (
            {"#a-b": "a"},
            None,
            'ExpressionAttributeNames contains invalid key: Syntax error; key: "#a-b"',
        ),
        (
            {"#a": ""},
            None,
            "ExpressionAttributeNames contains invalid value: Empty attribute name for key #a",
        ),
        (
            {"-" * 256: "a"},
            {},
            "ExpressionAttributeNames contains invalid key: The expression attribute map contains "
            "a key that is too long; size of key: 256",
        ),
        (
            {"#a": "\u00e4" * 32768},
            {},
            "Attribute name is too large, must be less than 65536 bytes",
        ),
        ({"#" + "a" * 254: "a" * 65535}, {}, "ExpressionAttributeValues must not be empty"),
        (
            {"#a": "a"},
            {":" + "v" * 255: ONE},
            "ExpressionAttributeValues contains invalid key: The expression attribute map contains "
            "a key that is too long;",
        ),
        (
            {"#a": "a"},
            {":ok": ONE, "b": ONE},
            'ExpressionAttributeValues contains invalid key: Syntax error; key: "b"',
        ),
        (
            None,
            {":": ONE},
            'ExpressionAttributeValues contains invalid key: Syntax error; key: ":"',
        ),
        ({"#a": "a"}, {":" + "v" * 254: ONE, ":w": ONE}, "looked at :" + "v" * 254),
    ],
)
def test_names_are_checked_before_values(
    names: Mapping[str, str] | None, values: Mapping[str, AttributeValue] | None, message: str
) -> None:
    with pytest.raises(ValidationError) as error:
        Placeholders.checked(names, values, reject)
    assert error.value.message == message


# The engine checks the values and returns them in canonical form.
def test_expressions_use_the_checked_values() -> None:
    def canonical(alias: str, value: AttributeValue) -> AttributeValue:
        return {"S": f"checked {alias}"}

    checked = Placeholders.checked(None, {":v": ONE}, canonical)
    assert parse_condition("a = :v", checked) == parse_condition(
        "a = :v", Placeholders(None, {":v": {"S": "checked :v"}})
    )


def test_placeholders_may_start_with_digit_or_underscore() -> None:
    placeholders = Placeholders.checked({"#0": "a", "#_": "b"}, {":0": ONE, ":_": ONE}, keep)
    parse_condition("#0 = :0 AND #_ = :_", placeholders)
    placeholders.check_unused()


# A placeholder may be used by any expression of the request.
def test_unused_names_and_values_are_rejected() -> None:
    names = {"#a": "a", "#b": "b", "#c": "c", "#d": "d"}
    placeholders = Placeholders(names, {":v": ONE, ":w": ONE, ":x": ONE})
    parse_condition("#a = :v", placeholders)
    with pytest.raises(ValidationError) as error:
        placeholders.check_unused()
    assert error.value.message == (
        "Value provided in ExpressionAttributeNames unused in expressions: keys: {#b, #c, #d}"
    )
    parse_update("SET x = #b REMOVE #c", placeholders)
    parse_projection("#d", placeholders)
    with pytest.raises(ValidationError) as error:
        placeholders.check_unused()
    assert error.value.message == (
        "Value provided in ExpressionAttributeValues unused in expressions: keys: {:w, :x}"
    )
    parse_update("ADD n :w, o :x", placeholders)
    placeholders.check_unused()


# Python callers can pass keys that JSON cannot express.
def test_value_keys_must_be_strings() -> None:
    values: Any = {b":a": ONE}
    with pytest.raises(ValidationError, match="ExpressionAttributeValues are strings"):
        Placeholders.checked(None, values, keep)
