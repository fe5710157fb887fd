"""Whole items: defaults, absences, unknown attributes, and words for what does not fit."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from singletable import DeclarationError, InvalidValue, Item, ItemMismatch
from singletable.schema.codec import ItemCodec, StoredField, codec_of, compile_codec
from singletable.values import check_item
from tests.schema.codec.values import TYPES, Ranking

NOON = datetime(2026, 11, 15, 12, tzinfo=UTC)


def _codec(
    default: Callable[[], object] | None = None,
    check: Callable[[Any], object] | None = None,
    **fields: Any,
) -> ItemCodec:
    """The codec of a Ballot: each field is held under its name in capitals."""
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


@given(data=st.data())
def test_an_item_of_every_type_comes_back_as_it_was(data: st.DataObject) -> None:
    every = _codec(**{name: kind for name, (kind, _) in TYPES.items()})
    values = {name: data.draw(strategy) for name, (_, strategy) in TYPES.items()}
    item = every.encode(values)
    check_item(item)
    assert every.decode(item) == values
    every.check(values)


def test_none_and_empty_sets_are_left_out_and_read_again() -> None:
    codec = _codec(nick=str | None, tags=set[str], marks=frozenset[int])
    values = {"nick": None, "tags": set[str](), "marks": frozenset[int]()}
    assert codec.encode(values) == {}
    assert codec.decode({}) == values


# Left out, None would be read as the default.
def test_none_is_null_where_absence_means_something_else() -> None:
    codec = _codec(default=lambda: "none given", nick=str | None)
    assert codec.decode({}) == {"nick": "none given"}
    assert codec.encode({"nick": None}) == {"NICK": {"NULL": True}}
    assert codec.decode({"NICK": {"NULL": True}}) == {"nick": None}


def test_an_empty_set_is_null_where_absence_means_something_else() -> None:
    codec = _codec(default=lambda: {"new"}, tags=set[str])
    assert codec.encode({"tags": set[str]()}) == {"TAGS": {"NULL": True}}
    assert codec.decode({"TAGS": {"NULL": True}}) == {"tags": set()}
    assert _codec(default=set, tags=set[str]).encode({"tags": set[str]()}) == {}


# A shared default would carry one reader's change to the next.
def test_a_default_is_made_anew_each_time() -> None:
    codec = _codec(default=list, names=list[str], ranks=list[int])
    first, second = codec.decode({}), codec.decode({})
    assert first == {"names": [], "ranks": []}
    assert first["names"] is not second["names"]
    assert first["names"] is not first["ranks"]


def test_members_that_a_map_lacks_take_their_defaults_and_others_are_dropped() -> None:
    codec = _codec(best=Ranking)
    item: Item = {"BEST": {"M": {"name": {"S": "red"}, "shape": {"S": "round"}}}}
    assert codec.decode(item) == {"best": Ranking("red")}


# Older and newer programs use the same table: what one does not know the other wrote.
def test_unknown_attributes_are_kept_and_put_back() -> None:
    more: Item = {"Later": {"S": "new"}, "PK": {"S": "key"}, "SK": {"S": "key"}}
    item = BALLOT.encode(VALUES) | more
    values = BALLOT.decode(item)
    assert values == {**VALUES, "_unknown": {"Later": {"S": "new"}}}
    assert BALLOT.encode(values) == BALLOT.encode(VALUES) | {"Later": {"S": "new"}}
    # The slow way does as the compiled one.
    unusual: Item = {"RANK": {"N": "1.0"}}
    assert BALLOT.decode(item | unusual) == values


@pytest.mark.parametrize(
    ("field_name", "value", "message"),
    [
        (
            "rank",
            "first",
            "Ballot.rank: expected a whole number (int), but got 'first' (str). "
            "Convert it first: int(…).",
        ),
        ("voter", None, "Ballot.voter: expected text (str), but got None."),
        (
            "rankings",
            [Ranking("red"), Ranking("blue"), Ranking(3)],  # type: ignore[arg-type]
            "Ballot.rankings[2].name: expected text (str), but got 3 (int).",
        ),
        ("rankings", (), "Ballot.rankings: expected a list, each of it a Ranking, but got ()"),
    ],
)
def test_a_value_that_does_not_fit_is_told_with_its_place(
    field_name: str, value: object, message: str
) -> None:
    for act in (BALLOT.encode, BALLOT.check):
        with pytest.raises(InvalidValue) as refused:
            act({**VALUES, field_name: value})
        assert str(refused.value).startswith(message)
        assert isinstance(refused.value, ValueError)


def test_a_value_that_is_not_there_is_told() -> None:
    with pytest.raises(InvalidValue, match=r"Ballot.rank: expected .* but it has no value"):
        BALLOT.encode({name: value for name, value in VALUES.items() if name != "rank"})


MISMATCHES: list[tuple[Item, str]] = [
    (
        {"RANK": {"S": "first"}},
        "Ballot.rank: attribute 'RANK': expected a whole number (N), but the item has "
        "text (S): 'first'.",
    ),
    (
        {"RANKINGS": {"L": [{"M": {"name": {"S": "red"}}}, {"M": {}}]}},
        "Ballot.rankings[1].name: attribute 'RANKINGS': expected text (str), but there is no "
        "'name', and the field has no default.",
    ),
    (
        {"VOTER": {"NULL": True}},
        "Ballot.voter: attribute 'VOTER': expected text (S), but the item has null (NULL).",
    ),
    ({"NICK": {}}, "Ballot.nick: attribute 'NICK': expected text (S), but the item has no"),
]


@pytest.mark.parametrize(("change", "message"), MISMATCHES)
def test_an_attribute_that_does_not_fit_is_told_with_its_place(change: Item, message: str) -> None:
    with pytest.raises(ItemMismatch) as refused:
        BALLOT.decode(BALLOT.encode(VALUES) | change)
    assert str(refused.value).startswith(message)


def test_an_attribute_that_is_not_there_is_told() -> None:
    item = BALLOT.encode(VALUES)
    del item["RANK"]
    with pytest.raises(ItemMismatch, match=r"Ballot.rank: attribute 'RANK': .* no default"):
        BALLOT.decode(item)


# What went wrong on the fast way is of no interest to whoever reads the error.
def test_an_error_has_no_other_behind_it() -> None:
    with pytest.raises(InvalidValue) as refused:
        BALLOT.encode({**VALUES, "rank": "first"})
    assert refused.value.__context__ is None or refused.value.__suppress_context__


def test_a_check_may_raise_or_say_no() -> None:
    def even(number: int) -> bool:
        return number % 2 == 0

    def short(text: str) -> None:
        if len(text) > 3:
            raise ValueError("A name has three letters at most.")

    evens, shorts = _codec(check=even, rank=int), _codec(check=short, name=str | None)
    evens.check({"rank": 2})
    shorts.check({"name": "ada"})
    shorts.check({"name": None})
    with pytest.raises(InvalidValue, match=r"Ballot.rank: expected what even allows, but got 3"):
        evens.check({"rank": 3})
    with pytest.raises(InvalidValue, match=r"Ballot.name: A name has three letters at most"):
        shorts.check({"name": "grace"})
    # The type comes first: a check is only asked about what it was written for.
    with pytest.raises(InvalidValue, match=r"expected a whole number"):
        evens.check({"rank": "3"})


@dataclass(frozen=True)
class Positive:
    number: int
    square: int = field(init=False)

    def __post_init__(self) -> None:
        if self.number < 0:
            raise ValueError("below zero")
        object.__setattr__(self, "square", self.number**2)


def test_a_dataclass_may_refuse_what_it_is_made_from() -> None:
    codec = _codec(one=Positive)
    assert codec.decode(codec.encode({"one": Positive(3)})) == {"one": Positive(3)}
    with pytest.raises(ItemMismatch, match=r"Ballot.one: .*Positive accepts.*below zero"):
        codec.decode({"ONE": {"M": {"number": {"N": "-1"}}}})


# Names in the table are anybody's: they are data, and never code.
@given(st.text(max_size=20))
def test_any_attribute_name_will_do(attribute: str) -> None:
    codec = compile_codec("Odd", [StoredField("it", attribute, codec_of(int))], frozenset())
    assert codec.decode(codec.encode({"it": 5})) == {"it": 5}


def test_fields_and_attributes_have_a_name_of_their_own() -> None:
    one, two = StoredField("a", "X", codec_of(int)), StoredField("b", "X", codec_of(int))
    with pytest.raises(DeclarationError, match=r"Ballot has 2 times the attribute 'X'"):
        compile_codec("Ballot", [one, two], frozenset())
    with pytest.raises(DeclarationError, match="that name is for unknown attributes"):
        compile_codec("Ballot", [StoredField("_unknown", "X", codec_of(int))], frozenset())


# A traceback through compiled code shows its lines, like any other.
def test_compiled_code_can_be_read_in_a_traceback() -> None:
    def broken() -> object:
        raise KeyboardInterrupt

    codec = _codec(default=broken, names=list[str])
    with pytest.raises(KeyboardInterrupt) as stopped:
        codec.decode({})
    shown = "".join(traceback.format_tb(stopped.value.__traceback__))
    assert "'names': ([" in shown
