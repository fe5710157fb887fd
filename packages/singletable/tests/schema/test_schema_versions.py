"""Conversions between schema versions: what is rejected at first use, and what they keep."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from pydantic import BaseModel

from dynamodb_engine.values import Item
from singletable import (
    Attr,
    Count,
    DeclarationError,
    Encrypted,
    Entity,
    ItemMismatch,
    Key,
    ModelEntity,
    Table,
    attr,
    created,
    expires,
    updated,
)
from singletable.schema import model_of

KEY: Item = {"PK": {"S": "P#a"}, "SK": {"S": "P"}}


class Old(Entity):
    slug: Attr[str] = attr()
    name: Attr[str] = attr()


class Older(Entity):
    slug: Attr[str] = attr()
    title: Attr[str] = attr()


def old_item(**more: str) -> Item:
    return {**KEY, "slug": {"S": "a"}, "name": {"S": "x"}, **{k: {"S": v} for k, v in more.items()}}


def test_a_missing_upgrade_is_reported_at_first_use() -> None:
    class Post(Entity, table=Table("things"), schema_version=3):
        slug: Attr[str] = attr()
        key = Key(pk=("P", slug), sk="P")

    model = model_of(Post)
    with pytest.raises(DeclarationError, match=r"no upgrade from version 1.*oldest_version=2"):
        model.item({"slug": "a"})
    with pytest.raises(DeclarationError, match="no upgrade from version 1"):
        model.instance(old_item())

    @Post.upgrade(from_=1)
    def convert(old: Older) -> Old:
        return Old(slug=old.slug, name=old.title)

    with pytest.raises(DeclarationError, match="no upgrade from version 2"):
        model.item({"slug": "a"})
    assert convert(Older(slug="a", title="x")) == Old(slug="a", name="x")
    assert repr(Old(slug="a", name="x")) == "Old(slug='a', name='x')"


def test_an_upgrade_to_a_version_that_leads_nowhere_is_reported_at_first_use() -> None:
    class Post(Entity, table=Table("things"), schema_version=2):
        slug: Attr[str] = attr()
        key = Key(pk=("P", slug), sk="P")

    @Post.upgrade(from_=1)
    def convert(old: Older) -> Old:
        return Old(slug=old.slug, name=old.title)

    assert convert is not None
    with pytest.raises(DeclarationError, match="to Old, which no upgrade takes from there"):
        model_of(Post).item({"slug": "a"})


def test_a_missing_downgrade_is_reported_at_first_use() -> None:
    class Post(Entity, table=Table("things"), schema_version=2, write_version=1):
        slug: Attr[str] = attr()
        key = Key(pk=("P", slug), sk="P")

    @Post.upgrade(from_=1)
    def convert(old: Old) -> Post:
        return Post(slug=old.slug)

    assert convert is not None
    with pytest.raises(DeclarationError, match=r"no downgrade to version 1.*downgrade\(to=1\)"):
        model_of(Post).item({"slug": "a"})


def test_oldest_version_needs_no_upgrades_of_the_versions_before() -> None:
    class Post(Entity, table=Table("things"), schema_version=2, oldest_version=2):
        slug: Attr[str] = attr()
        key = Key(pk=("P", slug), sk="P")

    model = model_of(Post)
    assert model.item({"slug": "a"})["schema_version"] == {"N": "2"}
    with pytest.raises(ItemMismatch, match=r"version 1.*oldest version is 2"):
        model.instance(old_item())


def test_a_schema_version_that_is_not_a_number_is_reported() -> None:
    class Post(Entity, table=Table("things"), schema_version=1):
        slug: Attr[str] = attr()
        key = Key(pk=("P", slug), sk="P")

    model = model_of(Post)
    assert model.instance(old_item()) == Post(slug="a")
    for number in ({"S": "1"}, {"N": "0"}, {"N": "1.5"}):
        with pytest.raises(ItemMismatch, match="expected the number of a schema version") as caught:
            model.instance({**old_item(), "schema_version": number})  # type: ignore[dict-item]
        assert caught.value.key == KEY


class Broken(Entity, table=Table("things"), schema_version=2):
    slug: Attr[str] = attr()
    name: Attr[str] = attr()
    key = Key(pk=("P", slug), sk="P")


@Broken.upgrade(from_=1)
def convert_badly(old: Old) -> Broken:
    match old.name:
        case "raises":
            raise ValueError("no such name")
        case "another key":
            return Broken(slug="b", name="x")
        case "invalid":
            new = Broken(slug="a", name="x")
            new.name = 5  # type: ignore[assignment]  # pyright: ignore[reportAttributeAccessIssue]
            return new
        case _:
            return old  # type: ignore[return-value]  # pyright: ignore[reportReturnType]


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("raises", r"convert_badly could not convert the item to Broken: ValueError: no such name"),
        ("another key", r"changed the key.*migration with Rewrite or Copy"),
        ("invalid", r"Broken.name: the upgrade from schema version 1.*returned an invalid Broken"),
    ],
)
def test_an_upgrade_that_fails_is_a_mismatch(name: str, message: str) -> None:
    with pytest.raises(ItemMismatch, match=message):
        model_of(Broken).instance(old_item(name=name))


def test_an_upgrade_gets_declared_attributes_only() -> None:
    values = model_of(Broken).versions.old_values(old_item(extra="1"))
    assert values == {"slug": "a", "name": "x"}


def test_an_upgrade_that_returns_another_type_is_a_wrong_declaration() -> None:
    with pytest.raises(DeclarationError, match="returned Old, but it is declared to return Broken"):
        model_of(Broken).instance(old_item())


def _secret(_: str) -> bytes:
    return bytes(32)


class Kept(Entity, table=Table("things", ttl="TTL"), schema_version=2):
    slug: Attr[str] = attr()
    text: Attr[str] = attr(codec=Encrypted(key=_secret, key_id="1"))
    made: Attr[datetime] = created()
    changed: Attr[datetime] = updated()
    until: Attr[datetime | None] = expires(default=None)
    key = Key(pk=("P", slug), sk="P")


class KeptV1(Entity):
    slug: Attr[str] = attr()
    secret: Attr[str] = attr(codec=Encrypted(key=_secret, key_id="1"))


@Kept.upgrade(from_=1)
def rename_secret(old: KeptV1) -> Kept:
    return Kept(slug=old.slug, text=old.secret)


def test_an_upgrade_keeps_times_and_reads_encrypted_fields() -> None:
    class Before(Entity, table=Table("things", ttl="TTL")):
        slug: Attr[str] = attr()
        secret: Attr[str] = attr(codec=Encrypted(key=_secret, key_id="1"))
        made: Attr[datetime] = created()
        changed: Attr[datetime] = updated()
        until: Attr[datetime | None] = expires(default=None)
        key = Key(pk=("P", slug), sk="P")

    noon = datetime(2026, 1, 1, 12, tzinfo=UTC)
    values = {"slug": "a", "secret": "s", "made": noon, "changed": noon, "until": noon}
    kept = model_of(Kept).instance(model_of(Before).item(values))
    assert (kept.text, kept.made, kept.changed, kept.until) == ("s", noon, noon, noon)


def test_a_count_must_have_one_name_in_all_versions() -> None:
    table = Table("things")

    class Parent(Entity, table=table, schema_version=2):
        slug: Attr[str] = attr()
        children: Attr[int] = attr(default=0)
        key = Key(pk=("P", slug), sk="P")

    class Child(Entity, table=table):
        parent: Attr[str] = attr()
        slug: Attr[str] = attr()
        key = Key(pk=("P", parent), sk=("C", slug))
        counted = Count(Parent, Parent.children, key=(parent,))

    class ParentV1(Entity):
        slug: Attr[str] = attr()
        kids: Attr[int] = attr()

    @Parent.upgrade(from_=1)
    def convert(old: ParentV1) -> Parent:
        return Parent(slug=old.slug, children=old.kids)

    assert (Child, convert) is not None
    with pytest.raises(DeclarationError, match=r"Parent.children counts.*attr\(name=…\)"):
        model_of(Parent).instance({**KEY, "slug": {"S": "a"}, "kids": {"N": "3"}})


class Pet(BaseModel):
    slug: str
    name: str


class Pets(ModelEntity[Pet], table=Table("things"), schema_version=("v", 2), write_version=1):
    slug: Attr[str] = attr()
    key = Key(pk=("P", slug), sk="P")


class PetV1(Entity):
    slug: Attr[str] = attr()
    title: Attr[str] = attr()


@Pets.upgrade(from_=1)
def upgrade_pet(old: PetV1) -> Pet:
    return Pet(slug=old.slug, name=old.title)


@Pets.downgrade(to=1)
def downgrade_pet(new: Pet) -> PetV1:
    return PetV1(slug=new.slug, title=new.name)


def test_pydantic_models_have_schema_versions() -> None:
    model = model_of(Pet)
    old: Item = {**KEY, "slug": {"S": "a"}, "title": {"S": "Rex"}, "shoe": {"S": "42"}}
    pet = model.instance(old)
    assert pet == Pet(slug="a", name="Rex")
    assert model.versions.stored(model.item(pet.__dict__)) == {**old, "v": {"N": "1"}}
