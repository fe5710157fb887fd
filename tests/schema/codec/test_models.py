"""Models of pydantic's kind as the types of fields."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, RootModel

from singletable import InvalidValue, ItemMismatch
from singletable.schema.codec import StoredField, codec_of, compile_codec
from singletable.values import check_value
from tests.schema.codec.values import Color, decimals, floats, lists, moments, sets, texts


class Point(BaseModel):
    x: float
    y: float = 0.0


class Route(BaseModel):
    name: str = Field(alias="routeName")
    points: list[Point]
    tags: set[str]
    seen: datetime | None
    color: Color
    length: Decimal


class Names(RootModel[list[str]]):
    pass


points = st.builds(Point, x=floats, y=floats)
routes = st.builds(
    Route,
    routeName=texts,
    points=lists(points),
    tags=sets(texts),
    seen=st.none() | moments(),
    color=st.sampled_from(Color),
    length=decimals,
)


@given(routes)
def test_a_model_comes_back_as_it_was_and_dynamodb_takes_it(route: Route) -> None:
    compiled = compile_codec("Trip", [StoredField("it", "It", codec_of(Route))], frozenset())
    item = compiled.encode({"it": route})
    check_value(item["It"])
    assert item["It"]["M"]["routeName"] == {"S": route.name}
    assert compiled.decode(item) == {"it": route}


def test_what_a_model_refuses_is_told_in_its_words() -> None:
    with pytest.raises(ItemMismatch, match=r"a map that Point accepts(?s:.*)Field required"):
        codec_of(Point).decode({"M": {"y": {"N": "1"}}})
    with pytest.raises(ItemMismatch, match=r"expected a map \(M\)"):
        codec_of(Point).decode({"S": "here"})


@pytest.mark.parametrize("value", [{"x": 1.0}, None, Names(["ada"])])
def test_a_model_is_given_as_one(value: Any) -> None:
    with pytest.raises(InvalidValue, match="expected a Point, but got"):
        codec_of(Point).encode(value)


def test_a_model_that_is_no_map_is_refused() -> None:
    with pytest.raises(InvalidValue, match="that dumps a dict, but it dumped"):
        codec_of(Names).encode(Names(["ada"]))


def test_a_number_that_dynamodb_cannot_hold_is_refused() -> None:
    with pytest.raises(InvalidValue, match=r"\['x'\]: expected a number"):
        codec_of(Point).encode(Point(x=1e300))
