"""Rules as a pure function: units, targets, failures, and carrying changes over."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from singletable import (
    Attr,
    Engine,
    Entity,
    Key,
    Store,
    Table,
    TransformFailed,
    Unique,
    attr,
    created,
    version,
)
from singletable.migration import Copy, Part, each, leave_out, merge, unchanged
from singletable.migration.derivation import Derivation
from singletable.migration.places import Places, at
from singletable.retry import run
from singletable.store.context import create_context
from singletable.values import Item

users = Table("users", pk="username", sk=None)
likes = Table("likes", pk="post", sk="visitor")
entities = Table("entities", pk="PK", sk="SK")
MOMENT = datetime(2026, 1, 1, tzinfo=UTC)


class OldUser(Entity, table=users):
    username: Attr[str] = attr()
    name: Attr[str] = attr()
    email: Attr[str] = attr(default="")
    key = Key(pk=username)


class OldLike(Entity, table=likes):
    post: Attr[str] = attr()
    visitor: Attr[str] = attr()
    key = Key(pk=post, sk=visitor)


class User(Entity, table=entities):
    username: Attr[str] = attr()
    email: Attr[str] = attr()
    since: Attr[datetime] = created()
    revision: Attr[int] = version()
    key = Key(pk=("USER", username), sk="PROFILE")
    by_email = Unique(email)


class Name(Entity, table=entities):
    username: Attr[str] = attr()
    name: Attr[str] = attr()
    key = Key(pk=("USER", username), sk="NAME")


class Likes(Entity, table=entities):
    post: Attr[str] = attr()
    count: Attr[int] = attr()
    key = Key(pk=("POST", post), sk="LIKES")


def split(old: OldUser) -> Iterator[User | Name]:
    if not old.email:
        raise ValueError("has no e-mail address")
    yield User(username=old.username, email=old.email)
    yield Name(username=old.username, name=old.name)


def count(found: list[OldLike]) -> Likes:
    return Likes(post=found[0].post, count=len(found))


class Site:
    def __init__(self, engine: Engine) -> None:
        self.copy = Copy(
            entities,
            each(OldUser, split),
            merge(
                Part(OldLike, group=lambda like: like.post, read=OldLike.key.partition), into=count
            ),
        )
        names = {users: at("source", "users"), likes: at("source", "likes")}
        context = create_context({**names, entities: at("target", "entities")})
        self.driver = Places(engine, engine)
        self.derivation = Derivation(self.copy.rules, entities, context, MOMENT)
        self.store = Store(engine)
        for table in (users, likes, entities):
            self.store.admin.create_table(table)

    def carry_over(self, table: Table, item: dict[str, dict[str, str]]) -> int:
        unit = self.derivation.unit_of(table, item)  # type: ignore[arg-type]
        assert unit is not None
        old = [] if len(item) == 1 else [[item]]
        return run(self.driver, self.derivation.carry_over({unit: old}))


@pytest.fixture
def site() -> Iterator[Site]:
    with Engine.in_memory() as engine:
        yield Site(engine)


def test_an_item_is_split_with_its_markers_and_stamps(site: Site) -> None:
    site.store.put(OldUser(username="ada", name="Ada", email="a@x.org"))
    site.carry_over(users, {"username": {"S": "ada"}})
    user = site.store.find(User.by_email("a@x.org"))
    assert user is not None
    assert (user.username, user.since, user.revision) == ("ada", MOMENT, 1)
    assert site.store.get(Name.key("ada")) == Name(username="ada", name="Ada")


def test_a_group_is_merged_from_all_its_items(site: Site) -> None:
    for visitor in ("v1", "v2", "v3"):
        site.store.put(OldLike(post="p", visitor=visitor))
    site.carry_over(likes, {"post": {"S": "p"}, "visitor": {"S": "v2"}})
    assert site.store.get(Likes.key("p")) == Likes(post="p", count=3)


def test_targets_of_a_deleted_item_are_deleted(site: Site) -> None:
    old = OldUser(username="ada", name="Ada", email="a@x.org")
    site.store.put(old)
    site.carry_over(users, {"username": {"S": "ada"}})
    site.store.delete(OldUser.key("ada"))
    stored = {"username": {"S": "ada"}, "name": {"S": "Ada"}, "email": {"S": "a@x.org"}}
    site.carry_over(users, stored)
    assert site.store.admin.items(entities, 10).items == []


def test_a_failing_function_is_reported_with_the_key(site: Site) -> None:
    site.store.put(OldUser(username="bob", name="Bob"))
    with pytest.raises(TransformFailed, match=r"username=bob: ValueError: has no e-mail") as failed:
        site.carry_over(users, {"username": {"S": "bob"}})
    assert failed.value.failures[0][0] == {"username": {"S": "bob"}}


def test_an_item_without_a_rule_is_reported() -> None:
    context = create_context({})
    derivation = Derivation([each(User, lambda user: None)], users, context, MOMENT)
    with pytest.raises(TransformFailed, match="no rule takes this item"):
        derivation.unit_of(entities, {"PK": {"S": "X"}, "SK": {"S": "Y"}})


def test_left_out_and_unchanged_items() -> None:
    context = create_context({})
    derivation = Derivation([leave_out(User), unchanged(entities)], users, context, MOMENT)
    profile = {"PK": {"S": "USER#ada"}, "SK": {"S": "PROFILE"}}
    assert derivation.unit_of(entities, profile) is None  # type: ignore[arg-type]
    assert derivation.unit_of(entities, {"PK": {"S": "X"}, "SK": {"S": "Y"}}) is not None


def test_failing_items_are_skipped_and_recorded_if_wanted(site: Site) -> None:
    context = create_context({})
    derivation = Derivation(site.copy.rules, entities, context, MOMENT, skip_failures=True)
    bob: Item = {"username": {"S": "bob"}, "name": {"S": "Bob"}}
    unit = derivation.unit_of(users, bob)
    assert unit is not None
    assert derivation.targets(unit, [bob]) == {}
    assert derivation.skipped == {"username=bob": "ValueError: has no e-mail address"}
    strange: Item = {"username": {"S": "eve"}, "name": {"N": "7"}}
    assert derivation.targets(unit, [strange]) == {}
