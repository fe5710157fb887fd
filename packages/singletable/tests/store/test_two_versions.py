"""Programs of two versions of a declaration write the same items, and lose nothing.

The versions are steps of one change: rename attributes (but store the old version), store the new
version, write all items again, and forget the old version.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynamodb_engine.engine import Engine
from dynamodb_engine.operations import GetItem
from dynamodb_engine.testing import InterruptedDriver
from singletable.errors import ConditionFailed
from singletable.schema import Attr, Edit, Entity, ItemKey, Key, Table, attr
from singletable.store import Store
from tests.store.stores import existing, open_store

accounts = [Table("accounts") for _ in range(4)]


class Original(Entity, table=accounts[0]):
    """Before the change."""

    id_: Attr[str] = attr(name="id")
    name: Attr[str] = attr(name="FullName")
    points: Attr[int] = attr(name="score", default=0)
    nick: Attr[str | None] = attr(name="Nick", default=None)
    tags: Attr[set[str]] = attr(name="labels", factory=set)
    log: Attr[list[str]] = attr(name="events", factory=list)
    key = Key(pk=("ACCOUNT", id_), sk="ACCOUNT")


class Both(Entity, table=accounts[1], schema_version=2, write_version=1):
    """Reads both versions, and writes the one that the original program can read."""

    id_: Attr[str] = attr(name="id")
    name: Attr[str] = attr()
    points: Attr[int] = attr(default=0)
    nick: Attr[str | None] = attr(default=None)
    tags: Attr[set[str]] = attr(factory=set)
    log: Attr[list[str]] = attr(factory=list)
    key = Key(pk=("ACCOUNT", id_), sk="ACCOUNT")


class Renamed(Entity, table=accounts[2], schema_version=2):
    """Reads both versions, and writes the new one."""

    id_: Attr[str] = attr(name="id")
    name: Attr[str] = attr()
    points: Attr[int] = attr(default=0)
    nick: Attr[str | None] = attr(default=None)
    tags: Attr[set[str]] = attr(factory=set)
    log: Attr[list[str]] = attr(factory=list)
    key = Key(pk=("ACCOUNT", id_), sk="ACCOUNT")


for _version in (Both, Renamed):
    _version.renamed(
        from_=1, name="FullName", points="score", nick="Nick", tags="labels", log="events"
    )


class Final(Entity, table=accounts[3], schema_version=2, oldest_version=2):
    """Knows the new names only."""

    id_: Attr[str] = attr(name="id")
    name: Attr[str] = attr()
    points: Attr[int] = attr(default=0)
    nick: Attr[str | None] = attr(default=None)
    tags: Attr[set[str]] = attr(factory=set)
    log: Attr[list[str]] = attr(factory=list)
    key = Key(pk=("ACCOUNT", id_), sk="ACCOUNT")


@dataclass
class Account:
    """What the item should be."""

    name: str = "Ada"
    points: int = 0
    nick: str | None = None
    tags: set[str] = field(default_factory=set[str])
    log: list[str] = field(default_factory=list[str])

    def values(self) -> dict[str, Any]:
        return {**vars(self), "tags": set(self.tags), "log": list(self.log)}


# A write by a version of the program, and the same change of what the item should be.
Change = tuple[Callable[[Store, type[Any]], object], Callable[[Account], object]]


def _key(version: type[Any]) -> ItemKey[Any]:
    key: ItemKey[Any] = version.key("ada")
    return key


def _update(edit: Callable[[Any], Edit[Any]], change: Callable[[Account], object]) -> Change:
    return lambda store, version: store.update(_key(version), edit(version)), change


def _upsert(edit: Callable[[Any], Edit[Any]], change: Callable[[Account], object]) -> Change:
    return (
        lambda store, version: store.upsert(
            _key(version), edit(version), on_create=[version.name.set("new")]
        ),
        change,
    )


def _modify(change: Callable[[Any], object]) -> Change:
    def modified(one: Any) -> None:
        change(one)

    return lambda store, version: store.modify(_key(version), modified), change


def _set(name: str, value: object) -> Callable[[Any], object]:
    return lambda one: setattr(one, name, value)


words = st.sampled_from(["a", "b", "c"])
changes = st.one_of(
    words.map(lambda word: _update(lambda one: one.name.set(word), _set("name", word))),
    words.map(lambda word: _update(lambda one: one.nick.set(word), _set("nick", word))),
    st.just(_update(lambda one: one.nick.remove(), _set("nick", None))),
    st.integers(-2, 2).map(
        lambda n: _update(
            lambda one: one.points.add(n), lambda one: _set("points", one.points + n)(one)
        )
    ),
    st.integers(-2, 2).map(
        lambda n: _upsert(
            lambda one: one.points.add(n), lambda one: _set("points", one.points + n)(one)
        )
    ),
    words.map(lambda word: _upsert(lambda one: one.nick.set(word), _set("nick", word))),
    words.map(
        lambda word: _update(lambda one: one.tags.add_members(word), lambda one: one.tags.add(word))
    ),
    words.map(
        lambda word: _update(
            lambda one: one.tags.remove_members(word), lambda one: one.tags.discard(word)
        )
    ),
    words.map(
        lambda word: _update(lambda one: one.log.append(word), lambda one: one.log.append(word))
    ),
    # A modification that changes nothing writes nothing, so each of these changes something.
    st.just(_modify(lambda one: _set("nick", None if one.nick else "m")(one))),
    words.map(lambda word: _modify(lambda one: one.log.append(word))),
)
steps = st.lists(st.tuples(st.integers(0, 1), changes, st.none() | changes), max_size=6)


def check_versions(store: Store, versions: tuple[type[Any], type[Any]], account: Account) -> None:
    """Check that both versions read and test the latest values."""
    for version in versions:
        found = store.get(_key(version))
        assert {name: getattr(found, name) for name in vars(account)} == account.values()
        query = version.key.partition("ada")
        assert store.count(query, where=version.name == account.name) == 1
        is_absent = version.nick.missing() if account.nick is None else version.nick == account.nick
        assert store.count(query, where=is_absent) == 1
        assert store.count(query, where=version.points == account.points) == 1
        with pytest.raises(ConditionFailed):
            store.update(_key(version), version.name.set("x"), if_=version.name != account.name)


def run_race(race: Change, store: Store, version: type[Any], account: Account) -> None:
    write, change = race
    write(store, version)
    change(account)


def run_steps(
    driver: InterruptedDriver,
    versions: tuple[type[Any], type[Any]],
    account: Account,
    planned: list[tuple[int, Change, Change | None]],
) -> None:
    """Let both versions write in turn; a race is a write of the other version after a read."""
    store, other_store = Store(driver), Store(driver.driver)
    for number, (write, change), race in planned:
        if race is not None:
            other = versions[1 - number]
            driver.interrupt(GetItem, after=partial(run_race, race, other_store, other, account))
        write(store, versions[number])
        change(account)
        driver.interrupt()
        check_versions(other_store, versions, account)


@settings(derandomize=True, max_examples=25, deadline=None, database=None)
@given(first=steps, second=steps, third=steps)
def test_versions_side_by_side_lose_no_write(first: Any, second: Any, third: Any) -> None:
    driver, account = InterruptedDriver(Engine.in_memory()), Account()
    store = Store(driver.driver)
    store.admin.create_table(accounts[0])
    store.create(Original(id_="ada", name="Ada"))
    run_steps(driver, (Original, Both), account, first)
    run_steps(driver, (Both, Renamed), account, second)
    rewritten = existing(store.get(_key(Renamed)))
    store.put(rewritten)
    run_steps(driver, (Renamed, Final), account, third)


# The original program keeps attributes that it does not know, as the new name of a value.
def test_original_program_puts_what_it_read() -> None:
    store = open_store(accounts[0])
    store.create(Both(id_="ada", name="Ada", nick="A", points=1))
    read = existing(store.get(Original.key("ada")))
    read.name, read.nick, read.points = "Eve", None, 2
    store.put(read)
    found = existing(store.get(Both.key("ada")))
    assert (found.name, found.nick, found.points) == ("Eve", None, 2)
    store.put(found)
    assert store.get(Original.key("ada")) == read
