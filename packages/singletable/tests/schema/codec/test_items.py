"""Codecs of whole items: defaults, absent and unknown attributes, and errors."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynamodb_engine.values import check_item
from singletable import DeclarationError, InvalidValue, Item, ItemMismatch
from singletable.schema.codec import ItemCodec, StoredField, codec_of, compile_codec
from tests.schema.codec.strategies import TYPES, Ranking

NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)


def _codec(
    default: Callable[[], object] | None = None,
    check: Callable[[Any], object] | None = None,
    **fields: Any,
) -> ItemCodec:
    """Return the codec of a Ballot; each field is stored under its name in capitals."""
    stored = [
        StoredField(name, name.upper(), codec_of(kind), default, check)
        for name, kind in fields.items()
    ]
    return compile_codec("Ballot", stored, frozenset({"PK", "SK"}))


BALLOT = _codec(voter=str, rank=int, cast=datetime, rankings=list[Ranking], nick=str | None)
VALUES: dict[str, object] = {
    "voter": "ada",
    "rank": 1,
    "cast": NOON,
    "rankings": [Ranking("red", 1), Ranking("blue", 2)],
    "nick": None,
}


@settings(max_examples=settings().max_examples // 2)
@given(data=st.data())
def test_item_with_every_type_round_trips(data: st.DataObject) -> None:
    every = _codec(**{name: kind for name, (kind, _) in TYPES.items()})
    values = {name: data.draw(strategy) for name, (_, strategy) in TYPES.items()}
    item = every.encode(values)
    check_item(item)
    assert every.decode(item) == values
    every.check(values)


def test_none_and_empty_sets_are_not_stored() -> None:
    codec = _codec(nick=str | None, tags=set[str], marks=frozenset[int])
    values = {"nick": None, "tags": set[str](), "marks": frozenset[int]()}
    assert codec.encode(values) == {}
    assert codec.decode({}) == values


# If None were left out, it would be read as the default.
def test_none_is_stored_as_null_if_the_field_has_a_default() -> None:
    codec = _codec(default=lambda: "none given", nick=str | None)
    assert codec.decode({}) == {"nick": "none given"}
    assert codec.encode({"nick": None}) == {"NICK": {"NULL": True}}
    assert codec.decode({"NICK": {"NULL": True}}) == {"nick": None}


def test_empty_set_is_stored_as_null_if_the_field_has_a_default() -> None:
    codec = _codec(default=lambda: {"new"}, tags=set[str])
    assert codec.encode({"tags": set[str]()}) == {"TAGS": {"NULL": True}}
    assert codec.decode({"TAGS": {"NULL": True}}) == {"tags": set()}
    assert _codec(default=set, tags=set[str]).encode({"tags": set[str]()}) == {}


# Readers that share a default would see each other's changes.
def test_default_is_created_for_each_read() -> None:
    codec = _codec(default=list, names=list[str], ranks=list[int])
    first, second = codec.decode({}), codec.decode({})
    assert first == {"names": [], "ranks": []}
    assert first["names"] is not second["names"]
    assert first["names"] is not first["ranks"]


def test_dataclass_gets_defaults_for_missing_entries_and_drops_unknown_ones() -> None:
    codec = _codec(best=Ranking)
    item: Item = {"BEST": {"M": {"name": {"S": "red"}, "shape": {"S": "round"}}}}
    assert codec.decode(item) == {"best": Ranking("red")}


# Older and newer programs use the same table, and one writes attributes unknown to the other.
def test_unknown_attributes_are_preserved() -> None:
    more: Item = {"Later": {"S": "new"}, "PK": {"S": "key"}, "SK": {"S": "key"}}
    item = BALLOT.encode(VALUES) | more
    values = BALLOT.decode(item)
    assert values == {**VALUES, "_unknown": {"Later": {"S": "new"}}}
    assert BALLOT.encode(values) == BALLOT.encode(VALUES) | {"Later": {"S": "new"}}
    # The slow path behaves like the generated code.
    unusual: Item = {"RANK": {"N": "1.0"}}
    assert BALLOT.decode(item | unusual) == values


@pytest.mark.parametrize(
    ("field_name", "value", "message"),
    [
        (
            "rank",
            "first",
            "Ballot.rank: expected an integer (int), but got 'first' (str). "
            "Convert it first: int(…).",
        ),
        ("voter", None, "Ballot.voter: expected a string (str), but got None."),
        (
            "rankings",
            [Ranking("red"), Ranking("blue"), Ranking(3)],  # type: ignore[arg-type]
            "Ballot.rankings[2].name: expected a string (str), but got 3 (int).",
        ),
        ("rankings", (), "Ballot.rankings: expected a list, each member a Ranking, but got ()"),
    ],
)
def test_invalid_value_is_reported_with_its_path(
    field_name: str, value: object, message: str
) -> None:
    for act in (BALLOT.encode, BALLOT.check):
        with pytest.raises(InvalidValue) as rejected:
            act({**VALUES, field_name: value})
        assert str(rejected.value).startswith(message)
        assert isinstance(rejected.value, ValueError)


def test_missing_value_is_reported_with_its_path() -> None:
    with pytest.raises(InvalidValue) as rejected:
        BALLOT.encode({name: value for name, value in VALUES.items() if name != "rank"})
    assert rejected.value.path == "Ballot.rank"


MISMATCHES: list[tuple[Item, str]] = [
    (
        {"RANK": {"S": "first"}},
        "Ballot.rank: attribute 'RANK': expected an integer (N), but the item has "
        "a string (S): 'first'.",
    ),
    (
        {"RANKINGS": {"L": [{"M": {"name": {"S": "red"}}}, {"M": {}}]}},
        "Ballot.rankings[1].name: attribute 'RANKINGS': expected a string (str), but attribute "
        "'name' is missing and the field has no default.",
    ),
    (
        {"VOTER": {"NULL": True}},
        "Ballot.voter: attribute 'VOTER': expected a string (S), but the item has null (NULL).",
    ),
    ({"NICK": {}}, "Ballot.nick: attribute 'NICK': expected a string (S), but the item has no"),
]


@pytest.mark.parametrize(("change", "message"), MISMATCHES)
def test_mismatched_attribute_is_reported_with_its_path(change: Item, message: str) -> None:
    with pytest.raises(ItemMismatch) as rejected:
        BALLOT.decode(BALLOT.encode(VALUES) | change)
    assert str(rejected.value).startswith(message)


def test_missing_attribute_is_reported_with_its_path() -> None:
    item = BALLOT.encode(VALUES)
    del item["RANK"]
    with pytest.raises(ItemMismatch, match=r"Ballot.rank: attribute 'RANK': .* no default"):
        BALLOT.decode(item)


# The exception of the fast path would only confuse a reader of the traceback.
def test_error_has_no_visible_context() -> None:
    with pytest.raises(InvalidValue) as rejected:
        BALLOT.encode({**VALUES, "rank": "first"})
    assert rejected.value.__context__ is None or rejected.value.__suppress_context__


def test_check_rejects_by_raising_or_returning_false() -> None:
    def even(number: int) -> bool:
        return number % 2 == 0

    def short(text: str) -> None:
        if len(text) > 3:
            raise ValueError("A name has three letters at most.")

    evens, shorts = _codec(check=even, rank=int), _codec(check=short, name=str | None)
    evens.check({"rank": 2})
    shorts.check({"name": "ada"})
    shorts.check({"name": None})
    with pytest.raises(InvalidValue, match=r"Ballot.rank: .* that even accepts, but got 3"):
        evens.check({"rank": 3})
    with pytest.raises(InvalidValue, match=r"Ballot.name: A name has three letters at most"):
        shorts.check({"name": "grace"})
    # The type is checked first, so a check can rely on it.
    with pytest.raises(InvalidValue, match=r"expected an integer"):
        evens.check({"rank": "3"})


@dataclass(frozen=True)
class Positive:
    number: int
    square: int = field(init=False)

    def __post_init__(self) -> None:
        if self.number < 0:
            raise ValueError("below zero")
        object.__setattr__(self, "square", self.number**2)


def test_dataclass_may_reject_stored_values() -> None:
    codec = _codec(one=Positive)
    assert codec.decode(codec.encode({"one": Positive(3)})) == {"one": Positive(3)}
    with pytest.raises(ItemMismatch, match=r"Ballot.one: .*Positive accepts.*below zero"):
        codec.decode({"ONE": {"M": {"number": {"N": "-1"}}}})


# Attribute names are data, and must never become code.
@given(st.text(max_size=20))
def test_any_attribute_name_is_allowed(attribute: str) -> None:
    codec = compile_codec("Odd", [StoredField("it", attribute, codec_of(int))], frozenset())
    assert codec.decode(codec.encode({"it": 5})) == {"it": 5}


def test_duplicate_and_reserved_names_are_rejected() -> None:
    one, two = StoredField("a", "X", codec_of(int)), StoredField("b", "X", codec_of(int))
    with pytest.raises(DeclarationError, match=r"Ballot has the attribute 'X' 2 times"):
        compile_codec("Ballot", [one, two], frozenset())
    with pytest.raises(DeclarationError, match="reserved for undeclared attributes"):
        compile_codec("Ballot", [StoredField("_unknown", "X", codec_of(int))], frozenset())


def test_traceback_shows_generated_code() -> None:
    def broken() -> object:
        raise KeyboardInterrupt

    codec = _codec(default=broken, names=list[str])
    with pytest.raises(KeyboardInterrupt) as stopped:
        codec.decode({})
    shown = "".join(traceback.format_tb(stopped.value.__traceback__))
    assert "'names': ([" in shown
