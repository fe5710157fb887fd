"""Expressions of a known shape are made of the values, and say what they say when they are read."""

from __future__ import annotations

import pytest

from singletable.engine.request_expressions import parse_expressions
from singletable.engine.validation import READ
from singletable.errors import ValidationError
from singletable.expressions import BeginsWith, Constant, Placeholders, Set, parse_condition
from singletable.operations import Query, Scan, UpdateItem
from singletable.values import AttributeValue, Item

KEY: Item = {"pk": {"S": "a"}}


def scan(text: str, values: dict[str, AttributeValue]) -> Scan:
    return Scan("things", filter_expression=text, expression_attribute_values=values)


@pytest.mark.parametrize("word", ["first", "second"])
def test_each_request_has_its_own_values(word: str) -> None:
    read = parse_expressions(scan("begins_with(a, :v)", {":v": {"S": word}}), READ)
    assert isinstance(read.filter, BeginsWith)
    assert read.filter.prefix == Constant({"S": word})


def test_values_that_are_one_object_are_told_apart() -> None:
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


# What a value holds decides here whether the expression is right.
@pytest.mark.parametrize(
    ("text", "right", "wrong"),
    [
        ("a BETWEEN :v AND :w", ({"N": "1"}, {"N": "2"}), ({"N": "2"}, {"N": "1"})),
        ("attribute_type(a, :v) AND a <> :w", ({"S": "S"}, {"S": ""}), ({"S": "?"}, {"S": ""})),
        ("a = :v AND a = :w", ({"N": "1"}, {"N": "1"}), ({"N": "1"}, {"N": "x"})),
    ],
)
def test_a_known_shape_is_no_excuse_for_a_wrong_value(
    text: str,
    right: tuple[AttributeValue, AttributeValue],
    wrong: tuple[AttributeValue, AttributeValue],
) -> None:
    for _ in range(2):
        parse_expressions(scan(text, {":v": right[0], ":w": right[1]}), READ)
        with pytest.raises(ValidationError):
            parse_expressions(scan(text, {":v": wrong[0], ":w": wrong[1]}), READ)


def test_the_bounds_of_a_key_are_looked_at_each_time() -> None:
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


# The size of a value is a number from the moment that the value is known.
@pytest.mark.parametrize("word", ["one", "three"])
def test_the_size_of_a_value_is_that_of_this_value(word: str) -> None:
    values: dict[str, AttributeValue] = {":v": {"S": word}}
    read = parse_expressions(scan("a = size(:v)", values), READ)
    assert read.filter == parse_condition("a = size(:v)", Placeholders(None, values))


def test_a_chain_deeper_than_python_reads_is_read() -> None:
    text = " AND ".join(["a = :v"] * 150)
    values: dict[str, AttributeValue] = {":v": {"N": "1"}}
    read = parse_expressions(scan(text, values), READ)
    assert read.filter == parse_condition(text, Placeholders(None, values))
