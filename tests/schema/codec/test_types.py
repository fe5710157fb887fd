"""Every type: what goes in comes out, DynamoDB takes it, and other types are refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable import InvalidValue, ItemMismatch
from singletable.schema.codec import Codec, StoredField, codec_of, compile_codec
from singletable.values import check_item, check_value
from tests.schema.codec.values import TYPES, Color, Level, Ranking, Shade, Tree, texts

every_type = pytest.mark.parametrize("name", TYPES)
CODECS: dict[str, Codec] = {name: codec_of(kind) for name, (kind, _) in TYPES.items()}
ITEMS = {
    name: compile_codec("Thing", [StoredField("it", "It", codec, None, None)], frozenset())
    for name, codec in CODECS.items()
}
# One value of each Python type that a field may be given.
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
    object(),
]


@every_type
@given(data=st.data())
def test_a_value_comes_back_as_it_was_and_dynamodb_takes_it(name: str, data: st.DataObject) -> None:
    value = data.draw(TYPES[name][1])
    codec = CODECS[name]
    held = codec.encode(value)
    check_value(held)
    assert codec.decode(held) == value
    assert held.keys() <= codec.types | {"NULL"}


# The compiled way and the slow way are two descriptions of one thing.
@every_type
@given(data=st.data())
def test_compiled_code_does_what_the_codec_does(name: str, data: st.DataObject) -> None:
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


# Compiled code must refuse whatever the codec refuses, and nothing else.
@every_type
def test_what_does_not_fit_is_refused_in_both_ways(name: str) -> None:
    codec, compiled = CODECS[name], ITEMS[name]
    refusals = [_refusal(codec.encode, value) for value in SAMPLES]
    assert any(refusals)
    for value, problem in zip(SAMPLES, refusals, strict=True):
        if problem is None:
            held = codec.encode(value)
            assert codec.decode(held) == value
            assert compiled.encode({"it": value}) in ({"It": held}, {})
            continue
        for compiled_way in (compiled.encode, compiled.check):
            refused = _refusal(compiled_way, {"it": value})
            assert str(refused).startswith(f"Thing.it{problem.path}: expected ")


def _refusal(act: Callable[[Any], object], value: object) -> InvalidValue | ItemMismatch | None:
    """What is said against it, if anything."""
    try:
        act(value)
    except (InvalidValue, ItemMismatch) as problem:
        return problem
    return None


# Values of one type, given to a field of each other type: refused, or the same when read again.
@every_type
@given(data=st.data())
def test_nothing_is_coerced(name: str, data: st.DataObject) -> None:
    other = data.draw(st.sampled_from(sorted(TYPES)))
    value = data.draw(TYPES[other][1])
    codec = CODECS[name]
    try:
        held = codec.encode(value)
    except InvalidValue:
        return
    check_value(held)
    assert codec.decode(held) == value


# Whatever an attribute holds is read, or is refused in words; compiled or not.
@every_type
@given(data=st.data())
def test_any_attribute_is_read_or_refused_in_words(name: str, data: st.DataObject) -> None:
    other = data.draw(st.sampled_from(sorted(TYPES)))
    held = CODECS[other].encode(data.draw(TYPES[other][1]))
    codec, compiled = CODECS[name], ITEMS[name]
    problem = _refusal(codec.decode, held)
    if problem is None:
        assert compiled.decode({"It": held}) == {"it": codec.decode(held)}
    else:
        refused = _refusal(compiled.decode, {"It": held})
        assert str(refused).startswith(f"Thing.it{problem.path}: attribute 'It': expected ")


@given(texts, st.characters(categories=["Cs"]))
def test_half_a_character_is_refused(text: str, half: str) -> None:
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


# DynamoDB nests 32 levels; a chain has two for each link, its map and its list.
def test_what_is_nested_too_deep_is_refused() -> None:
    codec = codec_of(Chain)
    check_value(codec.encode(_chain(15)))
    with pytest.raises(InvalidValue, match="Nesting Levels"):
        codec.encode(_chain(17))
    deep: Any = "bottom"
    for _ in range(40):
        deep = [deep]
    with pytest.raises(InvalidValue, match="Nesting Levels"):
        codec_of(Any).encode(deep)


def test_what_contains_itself_is_refused() -> None:
    chain = Chain()
    chain.next.append(chain)
    with pytest.raises(InvalidValue, match="may contain itself"):
        codec_of(Chain).encode(chain)


# Edits of a set are given as any set.
def test_a_frozen_set_will_do_for_a_set() -> None:
    assert codec_of(set[str]).encode(frozenset({"b", "a"})) == {"SS": ["a", "b"]}
    assert codec_of(frozenset[int]).encode({10, 9}) == {"NS": ["9", "10"]}


# A member of a StrEnum is a string, and is held as the bare one.
def test_a_string_of_a_type_of_its_own_is_held_bare() -> None:
    compiled = compile_codec("Thing", [StoredField("it", "It", codec_of(str))], frozenset())
    held = compiled.encode({"it": Shade.DARK})["It"]["S"]
    assert type(held) is str
    assert held == "dark"
