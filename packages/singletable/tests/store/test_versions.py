"""Versions and timestamps that the store sets with every write."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from dynamodb_engine.operations import PutItem, UpdateItem
from dynamodb_engine.values import Item
from singletable import errors
from singletable.schema import Attr, Entity, Key, Table, TimeFormat, attr, created, updated
from singletable.store import Store
from singletable.testing import StoreClock
from tests.store.store_adapter import StoreOpener
from tests.store.stores import existing, transact
from tools.testing.designs.votes import Voter, votes

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


TABLES = (votes,)


def read(store: Store) -> Voter:
    return existing(store.get(ADA))


NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
BY_STORE: dict[str, tuple[object, str]] = {
    "version": (1, "Voter.version is set by the store: leave it out"),
    "made": (NOON, "Voter.made is set by the store: leave it out"),
    "changed": (NOON, "Voter.changed is set by the store on every write: leave it out"),
}


# A type error too; an item that only looked like version 1 would overwrite another writer's work.
@pytest.mark.parametrize("name", BY_STORE)
def test_constructor_does_not_accept_stamps(name: str) -> None:
    value, said = BY_STORE[name]
    with pytest.raises(errors.InvalidValue, match=said):
        Voter(name="ada", **{name: value})  # type: ignore[arg-type]


# JSON from a client has no version of the store's; the version that the client saw is assigned.
def test_version_can_be_assigned(store: Store) -> None:
    store.create(Voter(name="ada", town="Bern"))
    sent = Voter(name="ada", town="Basel")
    sent.version = 1
    assert store.put(sent).version == 2
    sent.version = 1
    with pytest.raises(errors.VersionConflict):
        store.put(sent)


def test_assigned_creation_timestamp_is_kept(store: Store) -> None:
    ada = Voter(name="ada")
    ada.made = NOON - timedelta(days=1000)
    store.create(ada)
    assert read(store).made == NOON - timedelta(days=1000)


def test_every_write_increments_the_version(store: Store) -> None:
    ada = store.create(Voter(name="ada"))
    assert (ada.version, read(store).version) == (1, 1)
    ada.town = "Bern"
    store.put(ada)
    assert (ada.version, read(store).version) == (2, 2)
    store.replace(ada)
    assert (ada.version, read(store).version) == (3, 3)
    assert store.update(ADA, Voter.town.set("Basel")).version == 4
    with store.transaction() as transaction:
        transaction.update(ADA, Voter.town.set("Biel"))
    assert read(store).version == 5


@pytest.mark.parametrize("write", ["put", "replace"])
def test_put_with_an_outdated_version_raises(store: Store, write: str) -> None:
    store.create(Voter(name="ada"))
    mine, theirs = read(store), read(store)
    theirs.town = "Basel"
    store.put(theirs)
    mine.town = "Bern"
    with pytest.raises(errors.VersionConflict, match="expected version 1, but it has 2") as raised:
        getattr(store, write)(mine)
    assert raised.value.current == theirs
    assert read(store) == theirs
    assert mine.version == 1, "what was raised is as it was"


def test_transaction_put_with_an_outdated_version_raises(store: Store) -> None:
    store.create(Voter(name="ada"))
    mine = read(store)
    store.update(ADA, Voter.town.set("Basel"))
    with pytest.raises(errors.VersionConflict):
        transact(store, lambda to: to.put(mine), lambda to: to.create(Voter(name="bea")))
    assert store.get(Voter.key("bea")) is None


def test_put_of_a_new_item_over_an_existing_one_raises(store: Store) -> None:
    there = store.create(Voter(name="ada"))
    with pytest.raises(errors.AlreadyExists) as raised:
        store.put(Voter(name="ada", town="Bern"))
    assert raised.value.current == there
    with pytest.raises(errors.VersionConflict):
        store.replace(Voter(name="ada", town="Bern"))


def test_put_of_a_deleted_item_raises(store: Store) -> None:
    ada = store.create(Voter(name="ada"))
    store.delete(ADA)
    with pytest.raises(errors.NotFound):
        store.put(ada)
    assert store.get(ADA) is None


def test_item_without_a_version_has_version_zero(store: Store, opener: StoreOpener) -> None:
    def without_version() -> Voter:
        store.delete(ADA)
        store.create(Voter(name="ada"))
        opener.driver.execute(
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
    with pytest.raises(errors.AlreadyExists):
        store.put(Voter(name="ada"))
    without_version()
    assert store.update(ADA, Voter.town.set("Bern")).version == 1
    older = without_version()
    with pytest.raises(errors.ConditionFailed) as raised:
        store.put(older, if_=Voter.town == "Basel")
    assert type(raised.value) is errors.ConditionFailed


def test_update_with_an_expected_version(store: Store) -> None:
    store.create(Voter(name="ada"))
    store.update(ADA, Voter.town.set("Bern"), if_=Voter.version == 1)
    with pytest.raises(errors.VersionConflict, match="expected version 1, but it has 2"):
        store.update(ADA, Voter.town.set("Basel"), if_=Voter.version == 1)


# Read-decide-write code gets the same error from every kind of write.
def test_outdated_expected_version_conflicts_in_every_write(store: Store) -> None:
    ada = store.create(Voter(name="ada", town="Bern"))
    store.put(ada)
    demanded = (Voter.version == 1) & (Voter.town == "Bern")
    with pytest.raises(errors.VersionConflict):
        store.delete(ADA, if_=demanded)
    with pytest.raises(errors.VersionConflict), store.transaction() as transaction:
        transaction.check(ADA, demanded)
    # The version is right and another condition fails: that is not a version conflict.
    with pytest.raises(errors.ConditionFailed) as failed:
        store.update(ADA, Voter.town.set("x"), if_=(Voter.version == 2) & (Voter.town == "Rome"))
    assert not isinstance(failed.value, errors.VersionConflict)


def test_timestamps_are_set_on_create_and_update(store: Store, clock: StoreClock) -> None:
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


# The timestamp set by the store equals the one read back, though the attribute stores less
# precision.
def test_timestamp_has_stored_precision(empty: Store, clock: StoreClock) -> None:
    empty.admin.create_table(pages)
    clock.advance(microseconds=123_456)
    page = empty.create(Page(name="home"))
    assert page.changed == clock.now.replace(microsecond=0)
    assert page.made == clock.now
    assert empty.get(Page.key("home")) == page


# A new timestamp field with None as its type says that older items have none.
def test_item_without_timestamps_is_read(empty: Store, opener: StoreOpener) -> None:
    empty.admin.create_table(pages)
    older: Item = {**Note.key("old").key, "name": {"S": "old"}}
    opener.driver.execute(PutItem("pages", older))
    found, new = empty.get(Note.key("old")), empty.create(Note(name="new"))
    assert found is not None
    assert found.made is None
    assert new.made is not None
