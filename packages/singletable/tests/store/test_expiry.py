"""Expired items that are still in the table are hidden."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import pytest

from dynamodb_engine.operations import GetItem, PutItem, Scan
from dynamodb_engine.values import Item
from singletable.errors import AlreadyExists, ConditionFailed, NotFound
from singletable.schema import (
    Attr,
    Collection,
    Entity,
    Index,
    Key,
    Table,
    Unique,
    attr,
    expires,
    version,
)
from singletable.store import Store
from singletable.testing import StoreClock
from tests.store.store_adapter import StoreOpener
from tests.store.stores import existing, transact

by_room = Index("by_room", pk="GSI1PK", sk="GSI1SK", projection=["until"])
table = Table("rooms", indexes=[by_room], ttl="until")


class Room(Entity, table=table):
    name: Attr[str] = attr()
    key = Key(pk=("ROOM", name), sk="ROOM")


class Player(Entity, table=table):
    room: Attr[str] = attr()
    name: Attr[str] = attr()
    nick: Attr[str | None] = attr(default=None)
    points: Attr[int] = attr(default=0)
    ends: Attr[datetime | None] = expires(default=None)
    version: Attr[int] = version()
    key = Key(pk=("ROOM", room), sk=("PLAYER", name))
    in_room = Key(pk=("IN", room), sk=(name,)).on(by_room)
    one_nick = Unique(nick)


class Plain(Entity, table=table):
    room: Attr[str] = attr()
    name: Attr[str] = attr()
    note: Attr[str] = attr(default="")
    ends: Attr[datetime | None] = expires(default=None)
    key = Key(pk=("ROOM", room), sk=("PLAIN", name))


class Everyone(Collection):
    room: Room | None
    players: list[Player]


NAMES = ["ada", "bea", "cid"]
ADA, BEA = Player.key("R", "ada"), Player.key("R", "bea")
ALL = Player.key.partition("R")


@pytest.fixture
def store(empty: Store, clock: StoreClock) -> Store:
    empty.admin.create_table(table)
    empty.create(Room(name="R"))
    hour = clock.now + timedelta(hours=1)
    empty.create(Player(room="R", name="ada", nick="A", ends=hour))
    empty.create(Player(room="R", name="bea", nick="B", ends=hour + timedelta(hours=1)))
    empty.create(Player(room="R", name="cid"))
    return empty


# To the second: an item that expires now is expired.
@pytest.mark.parametrize(("seconds", "there"), [(3599, True), (3600, False), (9999, False)])
def test_reads_hide_expired_items(
    store: Store, clock: StoreClock, opener: StoreOpener, seconds: int, there: bool
) -> None:
    clock.advance(seconds=seconds)
    names = NAMES[0 if there else 1 if seconds < 7200 else 2 :]
    assert (store.get(ADA) is not None) is there
    assert (store.get(ADA, consistent=True) is not None) is there
    assert [one.name for one in store.query(ALL)] == names
    assert [one.name for one in store.query(ALL, limit=1)] == names[:1]
    assert store.count(ALL) == len(names)
    assert store.count(Player.in_room("R")) == len(names)
    page = store.page(ALL, len(names))
    assert ([one.name for one in page.items], page.cursor) == (names, None)
    assert [one.name for one in store.collect(Everyone, ALL).players] == names
    assert (store.get_many([ADA])[0] is not None) is there
    assert (store.transact_get(ADA)[0] is not None) is there
    assert [one for (one,) in store.select(ALL, Player.name)] == names
    assert [one.name for one in store.hydrate(Player.in_room("R"))] == names
    assert sorted(one.name for one in store.admin.scan(Player)) == names
    assert (store.find(Player.one_nick("A")) is not None) is there
    assert opener.driver.execute(GetItem("rooms", ADA.key)).item is not None


def test_writes_treat_expired_items_as_missing(store: Store, clock: StoreClock) -> None:
    clock.advance(hours=1)
    writes: list[Callable[[], object]] = [
        lambda: store.update(ADA, Player.points.add(1)),
        lambda: store.update(ADA, Player.nick.set("N")),
        lambda: store.replace(Player(room="R", name="ada")),
        lambda: transact(store, lambda to: to.check(ADA), lambda to: to.delete(BEA)),
    ]
    for write in writes:
        with pytest.raises(NotFound):
            write()
    with pytest.raises(ConditionFailed):
        store.delete(ADA, if_=Player.points == 0)
    assert store.get(BEA) is not None


def test_create_replaces_an_expired_item(store: Store, clock: StoreClock) -> None:
    with pytest.raises(AlreadyExists):
        store.create(Player(room="R", name="ada"))
    clock.advance(hours=1)
    made = store.create(Player(room="R", name="ada", nick="A", points=5))
    assert store.get(ADA) == made
    assert made.version == 1
    assert store.find(Player.one_nick("A")) == made


def test_delete_of_an_expired_item_returns_none(
    store: Store, clock: StoreClock, opener: StoreOpener
) -> None:
    clock.advance(hours=1)
    assert store.delete(ADA) is None
    assert opener.driver.execute(GetItem("rooms", ADA.key)).item is None


# The marker of an expired item may belong to another item by now and must not be taken away.
@pytest.mark.parametrize("write", ["delete", "put", "create"])
def test_deleting_an_expired_item_keeps_the_marker_of_another(
    store: Store, clock: StoreClock, write: str
) -> None:
    clock.advance(hours=1)
    other = store.create(Player(room="R", name="dan", nick="A"))
    if write == "delete":
        store.delete(ADA)
    elif write == "put":
        store.put(Player(room="R", name="ada"))
    else:
        with pytest.raises(AlreadyExists) as raised:
            store.create(Player(room="R", name="ada", nick="A"))
        assert raised.value.fields == ("nick",)
    assert store.find(Player.one_nick("A")) == other
    with pytest.raises(AlreadyExists):
        store.create(Player(room="R", name="eva", nick="A"))


def test_unique_value_expires_with_its_owner(store: Store, clock: StoreClock) -> None:
    store.update(ADA, Player.ends.set(clock.now + timedelta(hours=3)))
    clock.advance(hours=2)
    with pytest.raises(AlreadyExists):
        store.create(Player(room="R", name="dan", nick="A"))
    ada = existing(store.get(ADA))
    ada.ends = None
    store.put(ada)
    clock.advance(hours=9)
    with pytest.raises(AlreadyExists):
        store.create(Player(room="R", name="dan", nick="A"))


def test_items_that_expire_during_iteration_are_hidden(empty: Store, clock: StoreClock) -> None:
    empty.admin.create_table(table)
    soon = clock.now + timedelta(minutes=1)
    names = [f"p{number:04d}" for number in range(1500)]
    # More than one page, so that the items expire before the last page is read.
    empty.put_many(Plain(room="R", name=name, note="x" * 1000) for name in names)
    empty.put(Plain(room="R", name=names[-1], ends=soon))
    each = empty.query(Plain.key.partition("R"))
    assert next(each).name == names[0]
    clock.advance(minutes=2)
    assert [one.name for one in each] == names[1:-1]


# DynamoDB ignores an expiry attribute that is not a number, and so do we: every reader sees the
# item.
@pytest.mark.parametrize("held", [{"NULL": True}, {"S": "2020-01-01"}])
def test_item_without_ttl_does_not_expire(empty: Store, opener: StoreOpener, held: Any) -> None:
    empty.admin.create_table(table)
    item: Item = {**Plain.key("R", "x").key, "room": {"S": "R"}, "name": {"S": "x"}, "until": held}
    opener.driver.execute(PutItem("rooms", item))
    assert empty.count(Plain.key.partition("R")) == 1
    assert len(opener.driver.execute(Scan("rooms")).items) == 1
