"""Every supported type: values round-trip, DynamoDB accepts them, other types are rejected."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any, cast
from uuid import uuid4

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynamodb_engine.values import check_item, check_value
from singletable import InvalidValue, ItemMismatch
from singletable.schema.codec import Codec, StoredField, codec_of, compile_codec
from tests.schema.codec.strategies import (
    TYPES,
    Card,
    Color,
    Level,
    Point,
    Ranking,
    Shade,
    Transfer,
    Tree,
    texts,
)

every_type = pytest.mark.parametrize("name", TYPES)
CODECS: dict[str, Codec] = {name: codec_of(kind) for name, (kind, _) in TYPES.items()}
ITEMS = {
    name: compile_codec("Thing", [StoredField("it", "It", codec, None, None)], frozenset())
    for name, codec in CODECS.items()
}
# One value of each Python type that may be passed for a field.
SAMPLES: list[Any] = [
    None,
    "text",
    7,
    Decimal("7.5"),
    7.5,
    True,
    b"bytes",
    datetime(2026, 11, 15, tzinfo=UTC),
    date(2026, 11, 15),
    uuid4(),
    Color.RED,
    Level.LOW,
    ["text"],
    [7],
    [None],
    ("text",),
    (7,),
    {"name": "text"},
    {"name": 7},
    {"name": True},
    {"name": {7}},
    {"text"},
    {7},
    {b"bytes"},
    frozenset({Decimal(7)}),
    {Color.RED},
    {uuid4()},
    {date(2026, 11, 15)},
    Ranking("text"),
    Tree("text"),
    timedelta(seconds=1.5),
    {"street": "text"},
    {"street": "text", "tags": {"text"}, "city": "text"},
    {"street": "text", "tags": {7}},
    {"label": "text", "parts": [{}]},
    {"kind": "cash"},
    {"kind": "card"},
    {"kind": ["cash"]},
    Card("text"),
    Card(cast(Any, 7)),
    Transfer(cast(Any, "card")),
    Point(1, 2),
    Point(1, cast(Any, "2/3")),
    {"name": [7.5]},
    1e23,
    object(),
]


# The types are many, and alike in pairs.
FEW = settings(max_examples=settings().max_examples // 2)


@every_type
@FEW
@given(data=st.data())
def test_value_round_trips_and_is_valid_in_dynamodb(name: str, data: st.DataObject) -> None:
    value = data.draw(TYPES[name][1])
    codec = CODECS[name]
    stored = codec.encode(value)
    assert check_value(stored)[0] == stored  # conditions compare values in canonical form
    assert codec.decode(stored) == value
    assert stored.keys() <= codec.types | {"NULL"}


# The generated code and the slow path must agree.
@every_type
@FEW
@given(data=st.data())
def test_generated_code_equals_the_codec(name: str, data: st.DataObject) -> None:
    value = data.draw(TYPES[name][1])
    compiled, codec = ITEMS[name], CODECS[name]
    item = compiled.encode({"it": value})
    check_item(item)
    if item:
        assert item == {"It": codec.encode(value)}
    else:
        assert value is None or value == set()
    decoded = compiled.decode(item)
    assert decoded == {"it": value}
    assert type(decoded["it"]) is type(codec.decode(codec.encode(value)))


# Generated code must reject the same values as the codec.
@every_type
def test_invalid_value_is_rejected_by_both_paths(name: str) -> None:
    codec, compiled = CODECS[name], ITEMS[name]
    errors = [_error(codec.encode, value) for value in SAMPLES]
    assert any(errors)
    for value, error in zip(SAMPLES, errors, strict=True):
        if error is None:
            stored = codec.encode(value)
            assert codec.decode(stored) == value
            assert compiled.encode({"it": value}) in ({"It": stored}, {})
            continue
        for method in (compiled.encode, compiled.check):
            rejected = _error(method, {"it": value})
            assert str(rejected).startswith(f"Thing.it{error.path}: expected ")


def _error(act: Callable[[Any], object], value: object) -> InvalidValue | ItemMismatch | None:
    """Return the error, if there is one."""
    try:
        act(value)
    except (InvalidValue, ItemMismatch) as error:
        return error
    return None


# A value of one type passed to a field of another type is rejected or reads back as the same.
@pytest.mark.rest
@every_type
@FEW
@given(data=st.data())
def test_values_are_never_coerced(name: str, data: st.DataObject) -> None:
    other = data.draw(st.sampled_from(sorted(TYPES)))
    value = data.draw(TYPES[other][1])
    codec = CODECS[name]
    try:
        stored = codec.encode(value)
    except InvalidValue:
        return
    check_value(stored)
    assert codec.decode(stored) == value


@pytest.mark.rest
@every_type
@FEW
@given(data=st.data())
def test_any_attribute_is_decoded_or_rejected_by_both_paths(name: str, data: st.DataObject) -> None:
    other = data.draw(st.sampled_from(sorted(TYPES)))
    stored = CODECS[other].encode(data.draw(TYPES[other][1]))
    codec, compiled = CODECS[name], ITEMS[name]
    error = _error(codec.decode, stored)
    if error is None:
        assert compiled.decode({"It": stored}) == {"it": codec.decode(stored)}
    else:
        rejected = _error(compiled.decode, {"It": stored})
        assert str(rejected).startswith(f"Thing.it{error.path}: attribute 'It': expected ")


@given(texts, st.characters(categories=["Cs"]))
def test_half_of_a_surrogate_pair_is_rejected(text: str, half: str) -> None:
    for kind, value in (
        (str, text + half),
        (list[str], [text + half]),
        (dict[str, int], {text + half: 1}),
        (set[str], {text + half}),
        (Any, {text + half: 1}),
    ):
        with pytest.raises(InvalidValue, match="half of a surrogate pair"):
            codec_of(kind).encode(value)
        compiled = compile_codec("Thing", [StoredField("it", "It", codec_of(kind))], frozenset())
        with pytest.raises(InvalidValue, match="half of a surrogate pair"):
            compiled.encode({"it": value})


@dataclass
class Chain:
    next: list[Chain] = field(default_factory=list["Chain"])


def _chain(levels: int) -> Chain:
    chain = Chain()
    for _ in range(levels - 1):
        chain = Chain([chain])
    return chain


# DynamoDB allows 32 levels; a chain has two for each link, its map and its list.
def test_value_nested_too_deep_is_rejected() -> None:
    codec = codec_of(Chain)
    check_value(codec.encode(_chain(15)))
    with pytest.raises(InvalidValue, match="Nesting Levels"):
        codec.encode(_chain(17))
    deep: Any = "bottom"
    for _ in range(40):
        deep = [deep]
    with pytest.raises(InvalidValue, match="Nesting Levels"):
        codec_of(Any).encode(deep)


def test_value_that_contains_itself_is_rejected() -> None:
    chain = Chain()
    chain.next.append(chain)
    with pytest.raises(InvalidValue, match="may contain itself"):
        codec_of(Chain).encode(chain)


def test_set_and_frozenset_are_interchangeable() -> None:
    assert codec_of(set[str]).encode(frozenset({"b", "a"})) == {"SS": ["a", "b"]}
    assert codec_of(frozenset[int]).encode({10, 9}) == {"NS": ["9", "10"]}


def test_str_subclass_is_stored_as_plain_str() -> None:
    compiled = compile_codec("Thing", [StoredField("it", "It", codec_of(str))], frozenset())
    stored = compiled.encode({"it": Shade.DARK})["It"]["S"]
    assert type(stored) is str
    assert stored == "dark"
