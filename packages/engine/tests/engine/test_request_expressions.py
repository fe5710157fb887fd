"""Expressions of a cached shape are the same as parsed ones, with the values of each request."""

from __future__ import annotations

import pytest

from dynamodb_engine.engine.request_expressions import parse_expressions
from dynamodb_engine.engine.validation import READ
from dynamodb_engine.errors import ValidationError
from dynamodb_engine.expressions import BeginsWith, Constant, Placeholders, Set, parse_condition
from dynamodb_engine.operations import Query, Scan, UpdateItem
from dynamodb_engine.values import AttributeValue, Item

KEY: Item = {"pk": {"S": "a"}}


def scan(text: str, values: dict[str, AttributeValue]) -> Scan:
    return Scan("things", filter_expression=text, expression_attribute_values=values)


@pytest.mark.parametrize("word", ["first", "second"])
def test_cached_shape_uses_the_values_of_each_request(word: str) -> None:
    parsed = parse_expressions(scan("begins_with(a, :v)", {":v": {"S": word}}), READ)
    assert isinstance(parsed.filter, BeginsWith)
    assert parsed.filter.prefix == Constant({"S": word})


def test_placeholders_that_share_a_value_object_are_distinguished() -> None:
    one: AttributeValue = {"N": "1"}
    two: AttributeValue = {"N": "2"}
    for first, second in ((one, one), (one, two)):
        request = UpdateItem(
            "things",
            KEY,
            update_expression="SET a = :a, b = :b",
            expression_attribute_values={":a": first, ":b": second},
        )
        assert parse_expressions(request, READ).update == (
            Set(("a",), Constant(first)),
            Set(("b",), Constant(second)),
        )


# Here the value decides whether the expression is valid.
@pytest.mark.parametrize(
    ("text", "valid", "invalid"),
    [
        ("a BETWEEN :v AND :w", ({"N": "1"}, {"N": "2"}), ({"N": "2"}, {"N": "1"})),
        ("attribute_type(a, :v) AND a <> :w", ({"S": "S"}, {"S": ""}), ({"S": "?"}, {"S": ""})),
        ("a = :v AND a = :w", ({"N": "1"}, {"N": "1"}), ({"N": "1"}, {"N": "x"})),
    ],
)
def test_invalid_value_is_rejected_for_a_cached_shape(
    text: str,
    valid: tuple[AttributeValue, AttributeValue],
    invalid: tuple[AttributeValue, AttributeValue],
) -> None:
    for _ in range(2):
        parse_expressions(scan(text, {":v": valid[0], ":w": valid[1]}), READ)
        with pytest.raises(ValidationError):
            parse_expressions(scan(text, {":v": invalid[0], ":w": invalid[1]}), READ)


def test_key_bounds_are_checked_for_every_request() -> None:
    def query(low: str, high: str) -> Query:
        return Query(
            "things",
            key_condition_expression="pk = :p AND sk BETWEEN :l AND :h",
            expression_attribute_values={":p": {"S": "a"}, ":l": {"N": low}, ":h": {"N": high}},
        )

    for _ in range(2):
        parse_expressions(query("1", "2"), READ)
        with pytest.raises(ValidationError, match="BETWEEN"):
            parse_expressions(query("2", "1"), READ)


# size() of a value becomes a number as soon as the value is known.
@pytest.mark.parametrize("word", ["one", "three"])
def test_size_is_that_of_the_value_in_the_request(word: str) -> None:
    values: dict[str, AttributeValue] = {":v": {"S": word}}
    parsed = parse_expressions(scan("a = size(:v)", values), READ)
    assert parsed.filter == parse_condition("a = size(:v)", Placeholders(None, values))


def test_chain_deeper_than_the_python_parser_allows_is_parsed() -> None:
    text = " AND ".join(["a = :v"] * 150)
    values: dict[str, AttributeValue] = {":v": {"N": "1"}}
    parsed = parse_expressions(scan(text, values), READ)
    assert parsed.filter == parse_condition(text, Placeholders(None, values))
