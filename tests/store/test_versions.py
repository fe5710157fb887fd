"""Versions and times: what the store sets by itself with every write."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from singletable.errors import (
    AlreadyExists,
    ConditionFailed,
    InvalidValue,
    NotFound,
    VersionConflict,
)
from singletable.operations import PutItem, UpdateItem
from singletable.schema import Attr, Entity, Key, Table, TimeFormat, attr, created, updated
from singletable.store import Store
from singletable.values import Item
from tests.store.clock import Clock
from tests.store.declared import Voter, votes
from tests.store.faces import Face
from tests.store.refusals import refusal

ADA = Voter.key("ada")
pages = Table("pages")


class Page(Entity, table=pages):
    name: Attr[str] = attr()
    made: Attr[datetime] = created()
    changed: Attr[datetime] = updated(time_format=TimeFormat.EPOCH_SECONDS)
    key = Key(pk=("PAGE", name), sk="PAGE")


class Note(Entity, table=pages):
    name: Attr[str] = attr()
    made: Attr[datetime | None] = created()
    key = Key(pk=("NOTE", name), sk="NOTE")


@pytest.fixture
def store(empty: Store) -> Store:
    empty.admin.create_table(votes)
    return empty


def read(store: Store) -> Voter:
    found = store.get(ADA)
    assert found is not None
    return found


NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
BY_STORE: dict[str, tuple[object, str]] = {
    "version": (1, "Voter.version is set by the store: leave it out"),
    "made": (NOON, "Voter.made is set by the store: leave it out"),
    "changed": (NOON, "Voter.changed is set by the store on every write: leave it out"),
}


# A type error too; and an item that only looked like a version 1 would be put over another's work.
@pytest.mark.parametrize("name", BY_STORE)
def test_what_the_store_sets_is_not_given_to_the_constructor(name: str) -> None:
    value, said = BY_STORE[name]
    with pytest.raises(InvalidValue, match=said):
        Voter(name="ada", **{name: value})  # type: ignore[arg-type]


# What a client sends back as JSON has no version of the store's; the one it saw is assigned.
def test_a_version_that_was_seen_elsewhere_is_assigned(store: Store) -> None:
    store.create(Voter(name="ada", town="Bern"))
    sent = Voter(name="ada", town="Basel")
    sent.version = 1
    assert store.put(sent).version == 2
    sent.version = 1
    with pytest.raises(VersionConflict):
        store.put(sent)


def test_a_time_of_creation_from_elsewhere_is_kept(store: Store) -> None:
    ada = Voter(name="ada")
    ada.made = NOON - timedelta(days=1000)
    store.create(ada)
    assert read(store).made == NOON - timedelta(days=1000)


def test_every_write_adds_one(store: Store) -> None:
    ada = store.create(Voter(name="ada"))
    assert (ada.version, read(store).version) == (1, 1)
    ada.town = "Bern"
    store.put(ada)
    assert (ada.version, read(store).version) == (2, 2)
    store.replace(ada)
    assert (ada.version, read(store).version) == (3, 3)
    assert store.update(ADA, Voter.town.set("Basel")).version == 4
    with store.transaction() as together:
        together.update(ADA, Voter.town.set("Biel"))
    assert read(store).version == 5


@pytest.mark.parametrize("write", ["put", "replace"])
def test_a_put_from_an_older_state_is_refused(store: Store, write: str) -> None:
    store.create(Voter(name="ada"))
    mine, theirs = read(store), read(store)
    theirs.town = "Basel"
    store.put(theirs)
    mine.town = "Bern"
    with pytest.raises(VersionConflict, match="expected version 1, but it has 2") as refused:
        getattr(store, write)(mine)
    assert refused.value.current == theirs
    assert read(store) == theirs
    assert mine.version == 1, "what was refused is as it was"


def test_a_put_from_an_older_state_is_refused_in_a_transaction(store: Store) -> None:
    store.create(Voter(name="ada"))
    mine = read(store)
    store.update(ADA, Voter.town.set("Basel"))
    with refusal(VersionConflict), store.transaction() as together:
        together.put(mine)
        together.create(Voter(name="bea"))
    assert store.get(Voter.key("bea")) is None


def test_a_new_item_does_not_take_the_place_of_one_that_was_never_read(store: Store) -> None:
    there = store.create(Voter(name="ada"))
    with pytest.raises(AlreadyExists) as refused:
        store.put(Voter(name="ada", town="Bern"))
    assert refused.value.current == there
    with pytest.raises(VersionConflict):
        store.replace(Voter(name="ada", town="Bern"))


def test_what_was_deleted_since_it_was_read_is_not_put_back(store: Store) -> None:
    ada = store.create(Voter(name="ada"))
    store.delete(ADA)
    with pytest.raises(NotFound):
        store.put(ada)
    assert store.get(ADA) is None


def test_items_from_before_the_version_was_declared_count_as_zero(store: Store, face: Face) -> None:
    def without_version() -> Voter:
        store.delete(ADA)
        store.create(Voter(name="ada"))
        face.driver.execute(
            UpdateItem(
                "vote_data",
                ADA.key,
                update_expression="REMOVE #v",
                expression_attribute_names={"#v": "version"},
            )
        )
        return read(store)

    older = without_version()
    assert older.version == 0
    assert store.put(older).version == 1
    older = without_version()
    assert store.replace(older).version == 1
    with pytest.raises(AlreadyExists):
        store.put(Voter(name="ada"))
    without_version()
    assert store.update(ADA, Voter.town.set("Bern")).version == 1
    older = without_version()
    with pytest.raises(ConditionFailed) as refused:
        store.put(older, if_=Voter.town == "Basel")
    assert type(refused.value) is ConditionFailed


def test_the_caller_may_demand_a_version_in_an_update(store: Store) -> None:
    store.create(Voter(name="ada"))
    store.update(ADA, Voter.town.set("Bern"), if_=Voter.version == 1)
    with pytest.raises(VersionConflict, match="expected version 1, but it has 2"):
        store.update(ADA, Voter.town.set("Basel"), if_=Voter.version == 1)


# Whoever reads, decides and writes meets the same error whichever write it is.
def test_a_demanded_version_that_is_gone_is_a_conflict_in_every_write(store: Store) -> None:
    ada = store.create(Voter(name="ada", town="Bern"))
    store.put(ada)
    demanded = (Voter.version == 1) & (Voter.town == "Bern")
    with pytest.raises(VersionConflict):
        store.delete(ADA, if_=demanded)
    with pytest.raises(VersionConflict), store.transaction() as together:
        together.check(ADA, demanded)
    # The version is right, and something else is not: that is no conflict.
    with pytest.raises(ConditionFailed) as failed:
        store.update(ADA, Voter.town.set("x"), if_=(Voter.version == 2) & (Voter.town == "Rome"))
    assert not isinstance(failed.value, VersionConflict)


def test_times_are_set_when_an_item_is_made_and_when_it_changes(store: Store, clock: Clock) -> None:
    begun = clock.now
    ada = store.create(Voter(name="ada"))
    assert (ada.made, ada.changed) == (begun, begun)
    assert read(store) == ada
    later = clock.advance(hours=1)
    store.put(ada)
    assert (ada.made, ada.changed) == (begun, later)
    last = clock.advance(hours=1)
    found = store.update(ADA, Voter.town.set("Bern"))
    assert (found.made, found.changed) == (begun, last)
    assert read(store) == found


# What the store set is what will be read, though the attribute may hold less of it.
def test_a_time_is_given_as_it_is_held(empty: Store, clock: Clock) -> None:
    empty.admin.create_table(pages)
    clock.advance(microseconds=123_456)
    page = empty.create(Page(name="home"))
    assert page.changed == clock.now.replace(microsecond=0)
    assert page.made == clock.now
    assert empty.get(Page.key("home")) == page


# Who adds a time to an entity says with None that older items have none.
def test_an_item_from_before_a_time_was_kept_is_read(empty: Store, face: Face) -> None:
    empty.admin.create_table(pages)
    older: Item = {**Note.key("old").key, "name": {"S": "old"}}
    face.driver.execute(PutItem("pages", older))
    found, new = empty.get(Note.key("old")), empty.create(Note(name="new"))
    assert found is not None
    assert found.made is None
    assert new.made is not None
