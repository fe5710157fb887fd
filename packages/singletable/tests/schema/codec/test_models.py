"""Pydantic models as the types of fields."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field, PrivateAttr, RootModel, SecretStr

from dynamodb_engine.values import check_value
from singletable import InvalidValue, ItemMismatch
from singletable.schema.codec import StoredField, codec_of, compile_codec
from tests.schema.codec.strategies import Color, datetimes, decimals, floats, lists, sets, texts


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
    seen=st.none() | datetimes(),
    color=st.sampled_from(Color),
    length=decimals,
)


@given(routes)
def test_model_round_trips_and_is_valid_in_dynamodb(route: Route) -> None:
    compiled = compile_codec("Trip", [StoredField("it", "It", codec_of(Route))], frozenset())
    item = compiled.encode({"it": route})
    check_value(item["It"])
    assert item["It"]["M"]["routeName"] == {"S": route.name}
    assert compiled.decode(item) == {"it": route}


def test_stored_map_that_the_model_rejects_is_a_mismatch() -> None:
    with pytest.raises(ItemMismatch, match=r"a map that Point accepts(?s:.*)Field required"):
        codec_of(Point).decode({"M": {"y": {"N": "1"}}})
    with pytest.raises(ItemMismatch, match=r"expected a map \(M\)"):
        codec_of(Point).decode({"S": "here"})


@pytest.mark.parametrize("value", [{"x": 1.0}, None, Names(["ada"])])
def test_value_must_be_an_instance_of_the_model(value: Any) -> None:
    with pytest.raises(InvalidValue, match="expected a Point, but got"):
        codec_of(Point).encode(value)


class Login(BaseModel):
    password: SecretStr = SecretStr("")
    attempts: int = Field(default=0, exclude=True)
    _cache: list[str] = PrivateAttr(default_factory=list[str])


class Admin(Login):
    level: int = 1


# pydantic dumps stars for the secret, leaves out what is excluded, and reads another class.
@pytest.mark.parametrize("value", [Login(password=SecretStr("x")), Login(attempts=1), Admin()])
def test_model_that_pydantic_reads_back_as_another_is_rejected(value: Login) -> None:
    with pytest.raises(InvalidValue, match="pydantic reads back unchanged"):
        codec_of(Login).encode(value)


def test_private_attributes_of_a_model_are_not_stored() -> None:
    login = Login()
    login._cache.append("a")  # pyright: ignore[reportPrivateUsage]
    assert codec_of(Login).decode(codec_of(Login).encode(login)) == Login()


def test_model_that_does_not_dump_a_dict_is_rejected() -> None:
    with pytest.raises(InvalidValue, match="that dumps a dict, but it dumped"):
        codec_of(Names).encode(Names(["ada"]))


def test_number_in_a_model_that_dynamodb_cannot_store_is_rejected() -> None:
    with pytest.raises(InvalidValue, match=r"\['x'\]: expected a number"):
        codec_of(Point).encode(Point(x=1e300))
