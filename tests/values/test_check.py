"""Values: what is taken comes back canonical and measured; the rest is refused in AWS's words."""

from __future__ import annotations

from typing import cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable.errors import SerializationError, ValidationError
from singletable.values import (
    MODERN,
    OLDER,
    AttributeValue,
    Item,
    Layer,
    check_item,
    check_value,
    item_from_json,
    item_size,
    item_to_json,
)

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
def test_a_canonical_item_stays_as_it_is_through_check_and_json(item: Item) -> None:
    canonical, size = check_item(item)
    assert check_item(canonical) == (canonical, size)
    assert item_from_json(item_to_json(canonical)) == canonical
    assert item_size(canonical) == size


@given(items, items)
def test_the_size_of_an_item_is_the_sum_of_its_attributes(one: Item, two: Item) -> None:
    apart = {f"1{k}": v for k, v in one.items()}, {f"2{k}": v for k, v in two.items()}
    assert item_size({**apart[0], **apart[1]}) == item_size(apart[0]) + item_size(apart[1])


@given(items)
def test_checking_leaves_the_given_item_alone(item: Item) -> None:
    before = item_to_json(item)
    check_item(item)
    assert item_to_json(item) == before


@pytest.mark.parametrize(
    ("value", "size"),
    [
        ({"S": ""}, 0),
        ({"S": "é𝄞"}, 6),
        ({"B": "AAEC"}, 3),
        ({"BOOL": False}, 1),
        ({"NULL": True}, 1),
        ({"SS": ["a", "bc"]}, 3),
        ({"NS": ["1", "22"]}, 4),
        ({"L": []}, 3),
        ({"L": [{"S": "ab"}, {"BOOL": True}]}, 3 + 1 + 2 + 1 + 1),
        ({"M": {"key": {"S": "ab"}}}, 3 + 1 + 3 + 2),
    ],
)
def test_the_size_of_a_value(value: AttributeValue, size: int) -> None:
    assert check_value(value)[1] == size


# DynamoDB gives sets back in its own order, not as they were written.
@pytest.mark.parametrize(
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
def test_values_become_canonical(value: AttributeValue, canonical: AttributeValue) -> None:
    assert check_value(value)[0] == canonical


INVALID = "One or more parameter values were invalid: "


@pytest.mark.parametrize(
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
            OLDER,
            INVALID + "Input collection [b, a, b] contains duplicates.",
        ),
        (
            {"BS": ["/w==", "AA==", "AA=="]},
            MODERN,
            INVALID + 'Input collection ["AA==","/w==","AA=="]of type BS contains duplicates.',
        ),
        (
            {"BS": ["/w==", "AA==", "AA=="]},
            OLDER,
            INVALID + "Input collection [/w==, AA==, AA==]of type BS contains duplicates.",
        ),
        ({"NS": ["2", "1", "2.0"]}, MODERN, INVALID + "Input collection contains duplicates."),
        ({"NS": ["2", "1", "2.0"]}, OLDER, "Input collection contains duplicates"),
        ({"N": ""}, MODERN, "The parameter cannot be converted to a numeric value: "),
        ({"N": ""}, OLDER, "The parameter cannot be converted to a numeric value"),
        (
            {"N": "1e2147483647"},
            OLDER,
            "Number underflow. Attempting to store a number with magnitude smaller than supported "
            "range",
        ),
    ],
)
def test_a_refused_value_is_refused_in_the_words_of_its_layer(
    value: AttributeValue, layer: Layer, message: str
) -> None:
    with pytest.raises(ValidationError) as refused:
        check_value(value, layer)
    assert refused.value.message == message


def nested(depth: int) -> AttributeValue:
    value: AttributeValue = {"S": "leaf"}
    for _ in range(depth):
        value = {"M": {"x": value}}
    return value


def test_thirty_one_maps_around_a_value_are_allowed_and_no_more() -> None:
    check_value(nested(31))
    with pytest.raises(ValidationError, match="Nesting Levels have exceeded supported limits"):
        check_value(nested(32))


# Whatever comes, the answer is a refusal that says what was expected.
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
        # Python prints neither of these.
        {"S": 10**5000},
        {"S": nested(5000)},
    ],
    ids=lambda value: f"{type(value).__name__}",
)
def test_a_misshapen_value_is_refused_clearly(value: object) -> None:
    with pytest.raises((ValidationError, SerializationError)):
        check_value(cast(AttributeValue, value))


@pytest.mark.parametrize("name", [None, 5, b"a", ("a",)])
def test_a_name_that_is_no_text_is_refused(name: object) -> None:
    with pytest.raises(ValidationError, match=r"^One or more .*: An attribute's name is text"):
        check_item(cast(Item, {name: {"S": "a"}}))


# A set of a megabyte is refused in one go through it, not in one for each of its members.
def test_the_first_member_that_comes_again_is_found_in_a_large_set() -> None:
    members = [str(number) for number in range(200_000)]
    with pytest.raises(ValidationError, match="contains duplicates"):
        check_value({"SS": [*members, "199999"]})


# In DynamoDB bad base64 is found when the request is read, before anything is checked.
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("abc", "Base64 encoded length is expected a multiple of 4 bytes but found: 3"),
        ("====", "Invalid last non-pad Base64 character dectected"),
    ],
)
def test_what_is_not_base64_is_no_binary(text: str, message: str) -> None:
    for value in ({"B": text}, {"BS": [text]}):
        with pytest.raises(SerializationError) as refused:
            check_value(cast(AttributeValue, value))
        assert refused.value.message == message
