"""Response models with fields of an entity."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from pydantic import BeforeValidator, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from singletable.errors import DeclarationError
from singletable.fastapi import ApiModel
from singletable.schema import Attr, Entity, Key, Table, attr, created, version

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
people = Table("people")


@dataclass
class Badge:
    name: str
    secret: str = "x"


class Person(Entity, table=people):
    """How a person is stored."""

    login: Attr[str] = attr()
    name: Attr[str] = attr(default="")
    hash: Attr[str] = attr(default="", hidden=True)
    photo: Attr[bytes | None] = attr(default=None)
    badges: Attr[list[Badge]] = attr(factory=list[Badge])
    seen: Attr[list[datetime]] = attr(factory=list[datetime])
    created_at: Attr[datetime] = created()
    revision: Attr[int] = version()

    key = Key(pk=("PERSON", login), sk="PERSON")


def stored() -> Person:
    """Return a person as the store returns it."""
    person = Person(
        login="ada", name="Ada", hash="h", photo=b"\xff", badges=[Badge("first")], seen=[NOON]
    )
    person.created_at, person.revision = NOON, 3
    return person


class BadgeBody(ApiModel):
    name: str


class Whole(ApiModel, of=Person):
    """All but hidden fields."""


class Named(ApiModel, of=Person, only="login full_name teams badges", rename={"name": "full_name"}):
    """A person in a list."""

    badges: list[BadgeBody]
    teams: int = Field(description="How many there are.")
    link: str = ""


class NamedSince(Named, of=Person, only=("created_at",)):
    """A person in a longer list."""


def test_model_has_the_fields_of_the_entity_but_hidden_ones() -> None:
    assert Whole.from_object(stored()).model_dump(mode="json") == {
        "login": "ada",
        "name": "Ada",
        "photo": "/w==",
        "badges": [{"name": "first", "secret": "x"}],
        "seen": ["2026-01-01T12:00:00Z"],
        "created_at": "2026-01-01T12:00:00Z",
        "revision": 3,
    }


def test_omit_leaves_fields_out() -> None:
    class Short(ApiModel, of=Person, omit="photo badges seen revision"):
        """A person."""

    assert list(Short.model_fields) == ["login", "name", "created_at"]


def test_only_orders_fields_and_own_ones_replace_those_of_the_entity() -> None:
    body = Named.from_object(stored(), teams=2, link="/ada")
    assert list(body.model_dump().items()) == [
        ("login", "ada"),
        ("full_name", "Ada"),
        ("teams", 2),
        ("badges", [{"name": "first"}]),
        ("link", "/ada"),
    ]


def test_subclass_adds_fields_and_keeps_new_names() -> None:
    body = NamedSince.from_object(stored(), teams=2, link="")
    assert list(body.model_dump()) == [*Named.model_fields, "created_at"]
    assert body.model_dump()["full_name"] == "Ada"


def test_old_name_can_be_that_of_another_field() -> None:
    class Swapped(ApiModel, of=Person, only="name full_name", rename={"name": "full_name"}):
        name: str

    body = Swapped.from_object(stored(), name="computed")
    assert body.model_dump() == {"name": "computed", "full_name": "Ada"}


def test_nested_models_take_fields_from_entities() -> None:
    class Row(ApiModel, of=Person, only="full_name", rename={"name": "full_name"}):
        """A person in a team."""

    class Team(ApiModel):
        members: list[Row]

    team = Team.from_object(object(), members=[stored()])
    assert team.model_dump() == {"members": [{"full_name": "Ada"}]}


def test_schema_requires_what_every_entity_has() -> None:
    schema = Whole.model_json_schema(mode="serialization")
    assert schema["title"] == "Whole"
    assert schema["description"] == "All but hidden fields."
    assert schema["required"] == list(Whole.model_fields)
    assert schema["properties"]["created_at"]["format"] == "date-time"
    named = Named.model_json_schema(mode="serialization")
    assert named["properties"]["teams"]["description"] == "How many there are."


def test_types_can_be_replaced_for_all_models_of_an_api() -> None:
    def to_seconds(time: object) -> object:
        return int(time.timestamp()) if isinstance(time, datetime) else time

    class Body(ApiModel, json_types={datetime: Annotated[int, BeforeValidator(to_seconds)]}):
        """A response with Unix seconds."""

    class Times(Body, of=Person, only="seen created_at photo"):
        """Times of a person."""

    seconds = int(NOON.timestamp())
    dumped = Times.from_object(stored()).model_dump(mode="json")
    assert dumped == {"seen": [seconds], "created_at": seconds, "photo": "/w=="}


def test_aliases_rename_only_in_json() -> None:
    class Camel(
        ApiModel,
        of=Person,
        only="full_name created_at",
        rename={"name": "full_name"},
        alias_generator=to_camel,
        extra="forbid",
    ):
        """A person, in camel case."""

    body = Camel.from_object(stored())
    assert body.model_dump(mode="json", by_alias=True) == {
        "fullName": "Ada",
        "createdAt": "2026-01-01T12:00:00Z",
    }


# FastAPI reads the attributes of what a handler returns.
def test_handlers_may_return_the_entity() -> None:
    class Row(ApiModel, of=Person, only="login full_name", rename={"name": "full_name"}):
        """A person in a list."""

        model_config = ConfigDict(extra="forbid")

    app = FastAPI()

    @app.get("/people", response_model=list[Row])
    def list_people() -> list[Person]:
        return [stored()]

    assert TestClient(app).get("/people").json() == [{"login": "ada", "full_name": "Ada"}]
    schemas: dict[str, Any] = app.openapi()["components"]["schemas"]
    assert list(schemas["Row"]["properties"]) == ["login", "full_name"]


@pytest.mark.parametrize(
    ("options", "unknown"),
    [
        ({"only": "login nmae"}, "nmae"),
        ({"omit": ("nmae", "x")}, "nmae or x"),
        ({"rename": {"nmae": "full_name"}}, "nmae"),
        ({"only": "hash"}, "hash"),
        ({"rename": {"hash": "digest"}}, "hash"),
    ],
)
def test_unknown_and_hidden_fields_are_rejected(options: Any, unknown: str) -> None:
    with pytest.raises(DeclarationError, match=f"Row: Person has no field {unknown} for responses"):
        type("Row", (ApiModel,), {}, of=Person, **options)


@pytest.mark.parametrize(
    "rename", [{"name": "login"}, {"name": "hash"}, {"name": "id", "login": "id"}]
)
def test_new_name_of_another_field_is_rejected(rename: dict[str, str]) -> None:
    with pytest.raises(DeclarationError, match=r"already has a field .* Choose another name"):
        type("Row", (ApiModel,), {}, of=Person, rename=rename)


def test_object_must_have_what_is_neither_computed_nor_has_a_default() -> None:
    assert Named.from_object(stored(), teams=2).link == ""
    with pytest.raises(ValidationError, match="1 validation error for Named\nteams"):
        Named.from_object(stored())
