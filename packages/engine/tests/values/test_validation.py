"""Valid values are returned in canonical form with their size; others raise AWS's errors."""

from __future__ import annotations

from enum import StrEnum
from types import MappingProxyType
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dynamodb_engine.errors import SerializationError, ValidationError
from dynamodb_engine.values import (
    LEGACY,
    MODERN,
    AttributeValue,
    Item,
    ValidationLayer,
    check_item,
    check_value,
    item_from_json,
    item_size,
    item_to_json,
)
from tools.testing.cases import every

scalars: st.SearchStrategy[AttributeValue] = st.one_of(
    st.text().map(lambda text: cast(AttributeValue, {"S": text})),
    st.integers(-(10**30), 10**30).map(lambda n: cast(AttributeValue, {"N": str(n)})),
    st.booleans().map(lambda b: cast(AttributeValue, {"BOOL": b})),
    st.just(cast(AttributeValue, {"NULL": True})),
    st.sets(st.text(), min_size=1).map(lambda s: cast(AttributeValue, {"SS": list(s)})),
    st.sets(st.integers(), min_size=1).map(
        lambda s: cast(AttributeValue, {"NS": [str(n) for n in s]})
    ),
)
values: st.SearchStrategy[AttributeValue] = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4).map(lambda v: cast(AttributeValue, {"L": v})),
        st.dictionaries(st.text(), inner, max_size=4).map(lambda v: cast(AttributeValue, {"M": v})),
    ),
    max_leaves=12,
)
items = st.dictionaries(st.text(min_size=1), values, max_size=6)


@given(items)
def test_canonical_item_survives_check_and_json_unchanged(item: Item) -> None:
    canonical, size = check_item(item)
    assert check_item(canonical) == (canonical, size)
    assert item_from_json(item_to_json(canonical)) == canonical
    assert item_size(canonical) == size


@given(items, items)
def test_item_size_is_sum_of_attribute_sizes(first: Item, second: Item) -> None:
    left = {f"1{k}": v for k, v in first.items()}
    right = {f"2{k}": v for k, v in second.items()}
    assert item_size({**left, **right}) == item_size(left) + item_size(right)


@given(items)
def test_check_item_does_not_modify_its_argument(item: Item) -> None:
    before = item_to_json(item)
    check_item(item)
    assert item_to_json(item) == before


@every(
    ("value", "size"),
    [
        ({"S": ""}, 0),
        ({"S": "é𝄞"}, 6),
        ({"N": "0"}, 1),
        ({"N": "10"}, 2),
        ({"B": "AAEC"}, 3),
        ({"BOOL": False}, 1),
        ({"NULL": True}, 1),
        ({"SS": ["a", "bc"]}, 3),
        ({"NS": ["0", "1", "22"]}, 5),
        ({"L": []}, 3),
        ({"L": [{"S": "ab"}, {"BOOL": True}]}, 3 + 1 + 2 + 1 + 1),
        ({"M": {"key": {"S": "ab"}}}, 3 + 1 + 3 + 2),
    ],
)
def test_check_value_returns_size(value: AttributeValue, size: int) -> None:
    assert check_value(value)[1] == size


# DynamoDB returns sets in its own order, not in the order they were sent.
@every(
    ("value", "canonical"),
    [
        ({"N": "1.50"}, {"N": "1.5"}),
        ({"NS": ["10", "9", "-1.0"]}, {"NS": ["-1", "9", "10"]}),
        ({"SS": ["b", "a", "é", "z"]}, {"SS": ["a", "b", "z", "é"]}),
        ({"BS": ["/w==", "AA=="]}, {"BS": ["AA==", "/w=="]}),
        ({"L": [{"N": "+1"}]}, {"L": [{"N": "1"}]}),
        ({"M": {"x": {"N": "01"}}}, {"M": {"x": {"N": "1"}}}),
    ],
)
def test_check_value_returns_canonical(value: AttributeValue, canonical: AttributeValue) -> None:
    assert check_value(value)[0] == canonical


INVALID = "One or more parameter values were invalid: "


@every(
    ("value", "layer", "message"),
    [
        (
            {},
            MODERN,
            "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes",
        ),
        (
            {"S": "a", "N": "1"},
            MODERN,
            "Supplied AttributeValue has more than one datatypes set, must contain exactly one of "
            "the supported datatypes",
        ),
        (
            {"NULL": False},
            MODERN,
            INVALID + "Null attribute value types must have the value of true",
        ),
        ({"SS": []}, MODERN, INVALID + "An string set  may not be empty"),
        ({"NS": []}, MODERN, INVALID + "An number set  may not be empty"),
        ({"BS": []}, MODERN, INVALID + "Binary sets should not be empty"),
        (
            {"SS": ["b", "a", "b"]},
            MODERN,
            INVALID + 'Input collection ["a", "b", "b"] contains duplicates.',
        ),
        (
            {"SS": ["b", "a", "b"]},
            LEGACY,
            INVALID + "Input collection [b, a, b] contains duplicates.",
        ),
        (
            {"BS": ["/w==", "AA==", "AA=="]},
            MODERN,
            INVALID + 'Input collection ["AA==","/w==","AA=="]of type BS contains duplicates.',
        ),
        (
            {"BS": ["/w==", "AA==", "AA=="]},
            LEGACY,
            INVALID + "Input collection [/w==, AA==, AA==]of type BS contains duplicates.",
        ),
        ({"NS": ["2", "1", "2.0"]}, MODERN, INVALID + "Input collection contains duplicates."),
        ({"NS": ["2", "1", "2.0"]}, LEGACY, "Input collection contains duplicates"),
        ({"N": ""}, MODERN, "The parameter cannot be converted to a numeric value: "),
        ({"N": ""}, LEGACY, "The parameter cannot be converted to a numeric value"),
        (
            {"N": "1e2147483647"},
            LEGACY,
            "Number underflow. Attempting to store a number with magnitude smaller than supported "
            "range",
        ),
    ],
)
def test_error_uses_wording_of_validation_layer(
    value: AttributeValue, layer: ValidationLayer, message: str
) -> None:
    with pytest.raises(ValidationError) as error:
        check_value(value, layer)
    assert error.value.message == message


def nested(depth: int) -> AttributeValue:
    value: AttributeValue = {"S": "leaf"}
    for _ in range(depth):
        value = {"M": {"x": value}}
    return value


def test_values_nest_at_most_31_maps_deep() -> None:
    check_value(nested(31))
    with pytest.raises(ValidationError, match="Nesting Levels have exceeded supported limits"):
        check_value(nested(32))


# Python callers can pass anything; they get our errors, not an AttributeError.
@pytest.mark.parametrize(
    "value",
    [
        {"S": 1},
        {"N": 1},
        {"B": "not base64"},
        {"L": {}},
        {"M": []},
        {"SS": [1]},
        {"X": "y"},
        "text",
        {"S": chr(0xD800)},
        {"BOOL": "true"},
        None,
        5,
        {"NS": "12"},
        {"M": {5: {"S": "a"}}},
        {"M": {b"a": {"S": "a"}}},
        # repr() raises for both of these.
        {"S": 10**5000},
        {"S": nested(5000)},
    ],
    ids=lambda value: f"{type(value).__name__}",
)
def test_malformed_value_is_rejected(value: object) -> None:
    with pytest.raises((ValidationError, SerializationError)):
        check_value(cast(AttributeValue, value))


@every("name", [None, 5, b"a", ("a",)])
def test_attribute_name_that_is_not_a_string_is_rejected(name: object) -> None:
    with pytest.raises(ValidationError, match="Attribute names are strings"):
        check_item(cast(Item, {name: {"S": "a"}}))


# Rejecting a set of a megabyte must not take quadratic time.
def test_duplicate_in_large_set_is_found_in_linear_time() -> None:
    members = [str(number) for number in range(200_000)]
    with pytest.raises(ValidationError, match="contains duplicates"):
        check_value({"SS": [*members, "199999"]})


# DynamoDB rejects bad base64 while it parses the request, before it validates anything.
@every(
    ("text", "message"),
    [
        ("abc", "Base64 encoded length is expected a multiple of 4 bytes but found: 3"),
        ("====", "Invalid last non-pad Base64 character dectected"),
        ("+/+=", "Invalid last non-pad Base64 character dectected"),
        ("AAAAAB==", "Invalid last non-pad Base64 character dectected"),
    ],
)
def test_invalid_base64_is_a_serialization_error(text: str, message: str) -> None:
    for value in ({"B": text}, {"BS": [text]}):
        with pytest.raises(SerializationError) as error:
            check_value(cast(AttributeValue, value))
        assert error.value.message == message


class Label(str):
    """A string whose str() differs from its content."""

    def __str__(self) -> str:
        return "something else"


class Stage(StrEnum):
    """An enum whose members are strings."""

    OPEN = "open"


@every(
    ("item", "kept"),
    [
        ({"pk": {"S": Label("ada")}}, {"pk": {"S": "ada"}}),
        ({Label("pk"): {"SS": ["b", "a"]}}, {"pk": {"SS": ["a", "b"]}}),
        ({Stage.OPEN: {"S": Stage.OPEN}}, {"open": {"S": "open"}}),
        ({"pk": MappingProxyType({"N": "1.0"})}, {"pk": {"N": "1"}}),
        ({"pk": {"M": MappingProxyType({"a": {"S": "b"}})}}, {"pk": {"M": {"a": {"S": "b"}}}}),
    ],
)
def test_subclasses_of_builtins_are_stored_as_builtins(item: Any, kept: Any) -> None:
    assert item_from_json(item_to_json(check_item(item)[0])) == kept


def test_type_without_json_equivalent_raises_type_error() -> None:
    item: Any = {"pk": {"S": object()}}
    with pytest.raises(TypeError, match="Python type object"):
        item_to_json(item)
