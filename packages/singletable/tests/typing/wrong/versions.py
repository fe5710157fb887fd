"""Conversions of schema versions that type checkers reject."""

from __future__ import annotations

from singletable import Attr, Entity, Key, Table, attr

people = Table("people")


class PersonV1(Entity):
    """The fields of version 1."""

    name: Attr[str] = attr()


class Person(Entity, table=people, schema_version=2):
    """A person."""

    first: Attr[str] = attr()
    key = Key(pk=("PERSON", first), sk="PERSON")


@Person.upgrade(from_=1)
def wrong_field(old: PersonV1) -> Person:
    """Use a field that the old version does not have."""
    return Person(first=old.first)  # error: attr-defined | reportAttributeAccessIssue


@Person.upgrade(from_=1)
def wrong_result(old: PersonV1) -> Person:
    """Return the old version."""
    return old  # error: return-value | reportReturnType


@Person.upgrade(from_=1)  # error: type-var | reportArgumentType
def no_entity(old: str) -> Person:
    """Take a text."""
    return Person(first=old)


@Person.upgrade(from_=1)  # error: arg-type | reportArgumentType
def two_parameters(old: PersonV1, other: PersonV1) -> Person:
    """Take two items."""
    return Person(first=old.name + other.name)


@Person.upgrade(from_="1")  # error: arg-type | reportArgumentType
def wrong_number(old: PersonV1) -> Person:
    """Name the version by a text."""
    return Person(first=old.name)


@Person.downgrade(to=1)
def wrong_type(new: Person) -> PersonV1:
    """Pass a number for a text."""
    return PersonV1(name=1)  # error: arg-type | reportArgumentType


class Numbered(Entity, table=people, schema_version="2"):  # error: arg-type | reportArgumentType, reportGeneralTypeIssues
    """A version that is a text."""

    first: Attr[str] = attr()
    key = Key(pk=("NUMBERED", first), sk="PERSON")


Person.renamed(from_=1, first=1)  # error: arg-type | reportArgumentType
Person.renamed(first="name")  # error: call-arg | reportCallIssue
