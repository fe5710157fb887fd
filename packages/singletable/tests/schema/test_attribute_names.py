"""Stored names by a rule of the table: what it applies to, and what has names of its own."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
from pydantic import BaseModel, Field

from singletable import (
    Attr,
    DeclarationError,
    Entity,
    Key,
    ModelEntity,
    Table,
    attr,
    camel_case,
    created,
    expires,
    pascal_case,
    updated,
)
from singletable.schema import model_of


def stored_names(entity: type) -> dict[str, str]:
    return {field.name: field.attribute for field in model_of(entity).fields.values()}


@pytest.mark.parametrize(
    ("name", "pascal", "camel"),
    [
        ("name", "Name", "name"),
        ("created_at", "CreatedAt", "createdAt"),
        ("set_id2", "SetId2", "setId2"),
        ("from_", "From", "from"),
        ("userID", "UserID", "userID"),
    ],
)
def test_rules(name: str, pascal: str, camel: str) -> None:
    assert (pascal_case(name), camel_case(name)) == (pascal, camel)


class Timestamps(Entity):
    """Fields for others to inherit."""

    created_at: Attr[datetime] = created()
    updated_at: Attr[datetime] = updated(name="changed")


def test_rule_names_the_fields_that_have_no_name_of_their_own() -> None:
    table = Table("named", ttl="TTL", attribute_names=pascal_case)

    class Person(Timestamps, table=table):
        user_id: Attr[str] = attr()
        level: Attr[str] = attr(name="level")
        ends_at: Attr[datetime] = expires()
        key = Key(pk=("PERSON", user_id), sk="PERSON")

    assert stored_names(Person) == {
        "created_at": "CreatedAt",
        "updated_at": "changed",
        "user_id": "UserId",
        "level": "level",
        "ends_at": "TTL",
    }


def test_each_table_names_inherited_fields_by_its_own_rule() -> None:
    def declare(table: Table) -> type:
        class Note(Timestamps, table=table):
            note_id: Attr[str] = attr()
            key = Key(pk=("NOTE", note_id), sk="NOTE")

        return Note

    plain, camel = declare(Table("plain")), declare(Table("camel", attribute_names=camel_case))
    assert stored_names(plain)["created_at"] == "created_at"
    assert stored_names(camel)["created_at"] == "createdAt"


def test_older_versions_of_an_entity_have_names_by_the_rule() -> None:
    table = Table("versions", attribute_names=camel_case)

    class UserV1(Entity):
        user_id: Attr[str] = attr()
        full_name: Attr[str] = attr()

    class User(Entity, table=table, schema_version=2):
        user_id: Attr[str] = attr()
        display_name: Attr[str] = attr()
        key = Key(pk=("USER", user_id), sk="USER")

    @User.upgrade(from_=1)
    def rename(old: UserV1) -> User:  # pyright: ignore[reportUnusedFunction]
        return User(user_id=old.user_id, display_name=old.full_name)

    assert UserV1.full_name.document_path() == ("fullName",)


class Settings(BaseModel):
    """A model with an alias."""

    user_id: str
    color_name: str = Field(alias="colour")


@pytest.mark.parametrize(("by_alias", "color"), [(False, "ColorName"), (True, "colour")])
def test_aliases_of_a_model_come_before_the_rule(by_alias: bool, color: str) -> None:
    table = Table("settings", attribute_names=pascal_case)

    class Stored(ModelEntity[Settings], table=table, by_alias=by_alias):
        user_id: Attr[str] = attr()
        key = Key(pk=("USER", user_id), sk="SETTINGS")

    assert stored_names(Settings) == {"user_id": "UserId", "color_name": color}
    assert Stored.user_id.document_path() == ("UserId",)


@pytest.mark.parametrize("rule", ["pascal", 1])
def test_rule_must_be_a_function(rule: Any) -> None:
    with pytest.raises(DeclarationError, match="attribute_names=pascal_case"):
        Table("rejected", attribute_names=rule)


@pytest.mark.parametrize("name", ["", None])
def test_rule_must_return_a_name(name: Any) -> None:
    table = Table("rejected", attribute_names=lambda field: name)
    with pytest.raises(DeclarationError, match=r"Person\.user_id: expected the name"):

        class Person(Entity, table=table):  # pyright: ignore[reportUnusedClass]
            user_id: Attr[str] = attr()
            key = Key(pk=("PERSON", user_id), sk="PERSON")


def test_two_fields_with_one_name_are_rejected() -> None:
    table = Table("rejected", attribute_names=lambda field: "same")
    with pytest.raises(DeclarationError, match="both stored as 'same'"):

        class Person(Entity, table=table):  # pyright: ignore[reportUnusedClass]
            user_id: Attr[str] = attr()
            name: Attr[str] = attr()
            key = Key(pk=("PERSON", user_id), sk="PERSON")
