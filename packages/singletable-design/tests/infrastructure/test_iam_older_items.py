"""A policy for patterns allows what the store sends for items of older versions."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from dynamodb_engine.operations import PutItem
from dynamodb_engine.values import Item
from singletable.errors import AccessDenied
from singletable.patterns import (
    Pattern,
    PatternCatalog,
    checks,
    deletes,
    puts,
    updates,
)
from singletable.schema import Attr, Entity, Key, Table, Unique, attr
from singletable.store import EntityAccess, Store
from singletable_design.infrastructure.iam import ArnScope, create_policy, grants_for_patterns
from tools.testing.enforcement import enforce

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


KEY = Person.key("a")


def _check(store: Store) -> None:
    with store.transaction() as writes:
        writes.check(KEY, Person.title == "A")


CALLS: dict[str, tuple[EntityAccess, Callable[[Store], object]]] = {
    "update": (updates(Person), lambda store: store.update(KEY, Person.title.set("B"))),
    "put": (
        puts(Person),
        lambda store: store.put(Person(code="a", mail="b"), if_=Person.title == "A"),
    ),
    "delete": (deletes(Person), lambda store: store.delete(KEY, if_=Person.title == "A")),
    "check": (checks(Person), _check),
}


def _pattern(effect: EntityAccess) -> Pattern:
    return PatternCatalog("people", table).write("AP1", "Write", effect)


OLD_ITEM: Item = {
    "PK": {"S": "PERSON#a"},
    "SK": {"S": "PERSON"},
    "code": {"S": "a"},
    "name": {"S": "A"},
    "mail": {"S": "a"},
}


def test_policy_allows_writes_of_older_items(tmp_path: Path) -> None:
    patterns = [_pattern(effect) for effect, _ in CALLS.values()]
    here = ArnScope("us-east-1", "123456789012")
    policy = create_policy(grants_for_patterns(patterns), scope=here)
    with enforce(policy, tmp_path, [table]) as both:
        app = Store(both.app)
        for _, call in CALLS.values():
            Store(both.operator).admin.clear(table)
            both.operator.execute(PutItem("people", OLD_ITEM))
            call(app)
        with pytest.raises(AccessDenied):
            list(app.admin.scan(Person))
