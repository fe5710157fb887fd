"""Schema versions: conversions keep their types."""

from __future__ import annotations

from collections.abc import Callable

from pydantic import BaseModel

from singletable import Attr, Entity, Key, ModelEntity, Table, attr

people = Table("people")


class PersonV1(Entity):
    """The fields of version 1."""

    slug: Attr[str] = attr()
    name: Attr[str] = attr()


class PersonV2(Entity):
    """The fields of version 2."""

    slug: Attr[str] = attr()
    names: Attr[list[str]] = attr()


class Person(Entity, table=people, schema_version=3, write_version=1):
    """A person."""

    slug: Attr[str] = attr()
    first: Attr[str] = attr()
    key = Key(pk=("PERSON", slug), sk="PERSON")


@Person.upgrade(from_=1)
def split(old: PersonV1) -> PersonV2:
    """Upgrade to the next version."""
    return PersonV2(slug=old.slug, names=old.name.split())


@Person.upgrade(from_=2)
def choose(old: PersonV2) -> Person:
    """Upgrade to the current version."""
    return Person(slug=old.slug, first=old.names[0])


@Person.downgrade(to=1)
def join(new: Person) -> PersonV1:
    """Store version 1."""
    return PersonV1(slug=new.slug, name=new.first)


upgrade: Callable[[PersonV1], PersonV2] = split
downgrade: Callable[[Person], PersonV1] = join


class Pet(BaseModel):
    """A pydantic model."""

    name: str


class PetV1(Entity):
    """The fields of version 1."""

    title: Attr[str] = attr()


class Pets(ModelEntity[Pet], table=people, schema_version=("v", 3)):
    """How pets are stored."""

    name: Attr[str] = attr()
    key = Key(pk=("PET", name), sk="PET")


@Pets.upgrade(from_=1)
def rename(old: PetV1) -> Pet:
    """Upgrade to the pydantic model."""
    return Pet(name=old.title)


class Account(Entity, table=people, schema_version=2):
    """An entity with another attribute name in version 1."""

    number: Attr[int] = attr(name="Number")
    key = Key(pk=("ACCOUNT", number), sk="ACCOUNT")


Account.renamed(from_=1, number="no")
Pets.renamed(from_=2, name="Name")
