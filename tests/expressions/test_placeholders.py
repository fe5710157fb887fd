"""The names and values of a request: their form, and that each is used."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from singletable.errors import ValidationError
from singletable.expressions import (
    Placeholders,
    parse_condition,
    parse_projection,
    parse_update,
)
from singletable.values import AttributeValue

ONE: AttributeValue = {"N": "1"}


def as_it_is(alias: str, value: AttributeValue) -> AttributeValue:
    return value


def refuse(alias: str, value: AttributeValue) -> AttributeValue:
    raise ValidationError(f"looked at {alias}")


@pytest.mark.parametrize(
    ("names", "values", "words"),
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
        ({"#a": "a"}, {}, "ExpressionAttributeValues must not be empty"),
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
        ({"#a": "a"}, {":v": ONE, ":w": ONE}, "looked at :v"),
    ],
)
def test_the_maps_are_checked_names_first_and_values_last(
    names: Mapping[str, str] | None, values: Mapping[str, AttributeValue] | None, words: str
) -> None:
    with pytest.raises(ValidationError) as refused:
        Placeholders.checked(names, values, refuse)
    assert refused.value.message == words


# The engine checks values, each operation in its own words, and hands back the canonical form.
def test_expressions_see_the_values_as_they_were_checked() -> None:
    def canonical(alias: str, value: AttributeValue) -> AttributeValue:
        return {"S": f"checked {alias}"}

    checked = Placeholders.checked(None, {":v": ONE}, canonical)
    assert parse_condition("a = :v", checked) == parse_condition(
        "a = :v", Placeholders(None, {":v": {"S": "checked :v"}})
    )


def test_placeholders_may_begin_with_a_digit_or_underscore() -> None:
    placeholders = Placeholders.checked({"#0": "a", "#_": "b"}, {":0": ONE, ":_": ONE}, as_it_is)
    parse_condition("#0 = :0 AND #_ = :_", placeholders)
    placeholders.check_unused()


# What is used counts over all expressions of the request.
def test_every_name_and_value_is_used_somewhere() -> None:
    names = {"#a": "a", "#b": "b", "#c": "c", "#d": "d"}
    placeholders = Placeholders(names, {":v": ONE, ":w": ONE, ":x": ONE})
    parse_condition("#a = :v", placeholders)
    with pytest.raises(ValidationError) as refused:
        placeholders.check_unused()
    assert refused.value.message == (
        "Value provided in ExpressionAttributeNames unused in expressions: keys: {#b, #c, #d}"
    )
    parse_update("SET x = #b REMOVE #c", placeholders)
    parse_projection("#d", placeholders)
    with pytest.raises(ValidationError) as refused:
        placeholders.check_unused()
    assert refused.value.message == (
        "Value provided in ExpressionAttributeValues unused in expressions: keys: {:w, :x}"
    )
    parse_update("ADD n :w, o :x", placeholders)
    placeholders.check_unused()


# JSON has no other names than strings; Python has.
def test_values_are_named_by_strings() -> None:
    odd: Any = {b":a": ONE}
    with pytest.raises(ValidationError, match="must be named by strings"):
        Placeholders.checked(None, odd, as_it_is)
