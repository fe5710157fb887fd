"""Patterns of entities with older items plan, and allow, what the store sends for those."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from singletable.patterns import (
    Pattern,
    PatternCatalog,
    deletes,
    planned_requests,
    updates,
)
from singletable.schema import Attr, Entity, Key, Table, Unique, attr
from singletable.store import EntityAccess

table = Table("people")


class PersonV1(Entity):
    code: Attr[str] = attr()
    name: Attr[str] = attr()
    mail: Attr[str] = attr()


class Person(Entity, table=table, schema_version=2):
    code: Attr[str] = attr()
    title: Attr[str] = attr(default="")
    mail: Attr[str] = attr()
    key = Key(pk=("PERSON", code), sk="PERSON")
    one_mail = Unique(mail)


@Person.upgrade(from_=1)
def rename(old: PersonV1) -> Person:
    return Person(code=old.code, title=old.name, mail=old.mail)


def _pattern(effect: EntityAccess) -> Pattern:
    return PatternCatalog("people", table).write("AP1", "Write", effect)


class Guest(Entity, table=table, schema_version=2):
    code: Attr[str] = attr()
    title: Attr[str] = attr(default="")
    key = Key(pk=("GUEST", code), sk="GUEST")


@pytest.mark.parametrize(("make", "puts_item"), [(updates, True), (deletes, False)])
def test_only_an_update_puts_items_of_older_versions(
    make: Callable[[type[Guest]], EntityAccess], puts_item: bool
) -> None:
    actions = {one.action for one in planned_requests(_pattern(make(Guest)))}
    assert "GetItem" in actions
    assert ("PutItem" in actions) == puts_item


def test_an_update_may_read_and_put_older_items() -> None:
    planned = planned_requests(_pattern(updates(Person)))
    assert {(one.action, str(one.access)) for one in planned} >= {
        ("GetItem", "Person.key"),
        ("UpdateItem", "Person.key"),
        ("PutItem", "Person.key"),
    }
