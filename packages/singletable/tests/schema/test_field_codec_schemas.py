"""Codecs, unions and TypedDicts in pydantic schemas and generated docs."""

# pyright: reportUnusedClass=false

from __future__ import annotations

from datetime import timedelta
from ipaddress import IPv4Address
from typing import Annotated, Any, Literal, NotRequired, TypeAlias

import pytest
from pydantic import BaseModel, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from singletable import Json, codec
from singletable.errors import DeclarationError, ItemMismatch
from singletable.schema import Attr, Entity, Key, ModelEntity, Table, attr, model_of
from tests.store.stores import open_store


class Color:
    """A class that pydantic does not know."""

    def __init__(self, red: int, green: int, blue: int) -> None:
        self.parts = (red, green, blue)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Color) and other.parts == self.parts

    __hash__ = None  # type: ignore[assignment]


def write_color(color: Color) -> str:
    return "#" + bytes(color.parts).hex()


def read_color(text: str) -> Color:
    if not text.startswith("#"):
        raise ValueError("expected #rrggbb")
    return Color(*bytes.fromhex(text[1:]))


COLOR = codec(encode=write_color, decode=read_color, stored_as=str)
StoredColor: TypeAlias = Annotated[Color, COLOR]
HOST = codec(encode=int, decode=IPv4Address, stored_as=int)


class Size(TypedDict):
    width: int
    height: NotRequired[int]


class Cat(BaseModel):
    kind: Literal["cat"] = "cat"
    lives: int = 9


class Dog(BaseModel):
    kind: Literal["dog"] = "dog"


things = Table("things")


class Thing(Entity, table=things):
    name: Attr[str] = attr()
    color: Attr[Color] = attr(codec=COLOR)
    others: Attr[list[StoredColor]] = attr(factory=list[Color])
    host: Attr[IPv4Address | None] = attr(codec=HOST, default=None)
    size: Attr[Size | None] = attr(default=None)
    pet: Attr[Cat | Dog | None] = attr(default=None)
    lasts: Attr[timedelta] = attr(default=timedelta(hours=1))
    extra: Attr[Any] = attr(codec=Json(), default=None)

    key = Key(pk=("THING", name), sk="THING")


RED = Color(255, 0, 0)


def test_type_unknown_to_pydantic_is_in_json_as_it_is_stored() -> None:
    adapter = TypeAdapter(Thing)
    thing = adapter.validate_json('{"name": "1", "color": "#ff0000", "others": ["#00ff00"]}')
    assert thing == Thing(name="1", color=RED, others=[Color(0, 255, 0)])
    dumped = adapter.dump_python(thing, mode="json")
    assert (dumped["color"], dumped["others"]) == ("#ff0000", ["#00ff00"])
    properties = adapter.json_schema()["properties"]
    assert properties["color"]["type"] == "string"
    assert properties["others"]["items"]["type"] == "string"
    with pytest.raises(ValidationError, match="expected #rrggbb"):
        adapter.validate_python({"name": "1", "color": "red"})


def test_type_known_to_pydantic_is_in_json_as_pydantic_has_it() -> None:
    adapter = TypeAdapter(Thing)
    thing = adapter.validate_json('{"name": "1", "color": "#ff0000", "host": "10.0.0.1"}')
    assert thing.host == IPv4Address("10.0.0.1")
    assert adapter.dump_python(thing, mode="json")["host"] == "10.0.0.1"


def test_union_and_typed_dict_round_trip_through_json() -> None:
    adapter = TypeAdapter(Thing)
    thing = Thing(name="1", color=RED, size={"width": 3}, pet=Dog(), extra=[1.5])
    assert adapter.validate_json(adapter.dump_json(thing)) == thing


def test_union_of_pydantic_models_is_distinguished_by_a_literal() -> None:
    model = model_of(Thing)
    for pet in (Cat(lives=3), Dog(), None):
        thing = Thing(name="1", color=RED, pet=pet)
        assert model.instance(model.item(vars(thing))) == thing


class Shirt(BaseModel):
    name: str
    color: StoredColor
    trim: StoredColor | None = None


class Shirts(ModelEntity[Shirt], table=Table("shirts")):
    name: Attr[str] = attr()
    key = Key(pk=("SHIRT", name), sk="SHIRT")


def test_model_field_with_a_codec_is_stored_by_it() -> None:
    store = open_store(model_of(Shirt).table)
    shirt = store.create(Shirt(name="1", color=RED))
    assert model_of(Shirt).item(vars(shirt))["color"] == {"S": "#ff0000"}
    assert store.get(Shirts.key("1")) == shirt
    changed = store.update(Shirts.key("1"), Shirts.trim.set(RED), if_=Shirts.color == RED)
    assert changed.trim == RED


def test_wrong_codec_is_rejected() -> None:
    with pytest.raises(DeclarationError, match=r"attr\(codec=<class 'str'>\): expected a codec"):
        attr(codec=str)  # type: ignore[call-overload] # pyright: ignore
    with pytest.raises(DeclarationError, match=r"codec\(decode=None\): expected a function"):
        codec(encode=str, decode=None, stored_as=str)  # type: ignore[arg-type] # pyright: ignore
    with pytest.raises(DeclarationError, match=r"Wrong\.name: str contains no Any, so Json\(\)"):

        class Wrong(Entity, table=things):
            name: Attr[str] = attr(codec=Json())
            key = Key(pk=("WRONG", name), sk="WRONG")


def test_mismatch_names_the_function_and_the_value() -> None:
    item = model_of(Thing).item(vars(Thing(name="1", color=RED)))
    with pytest.raises(ItemMismatch, match="read_color accepts, but it rejected 'red': ValueError"):
        model_of(Thing).instance({**item, "color": {"S": "red"}})
