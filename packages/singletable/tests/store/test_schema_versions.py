"""Schema versions: every read upgrades older items, and no write mixes two versions."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

from dynamodb_engine.engine import Engine
from dynamodb_engine.operations import GetItem, Operation, PutItem
from dynamodb_engine.values import Item
from singletable import errors
from singletable.schema import (
    Attr,
    Collection,
    Condition,
    Edit,
    Entity,
    Key,
    Table,
    Unique,
    attr,
    evolve,
)
from singletable.store import DeleteResult, Store, parse_stream_event
from singletable.testing import StoreClock
from tests.store.store_adapter import StoreOpener
from tests.store.stores import existing, open_store, transact
from tests.store.versioned_entities import (
    Club,
    Former,
    Member,
    Mixed,
    Person,
    club_table,
    old_person,
    table,
)

ADA = Person(slug="7", team="red", first="Ada King", last="Lovelace", points=3)
KEY = Person.key("7")
ONE = Member.key("chess", "1")


class Recorder:
    """A driver that remembers the operations it executes, and may write in between."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.names: list[str] = []
        # Items that another program writes before the next write is executed.
        self.intrusions: list[Item] = []

    def execute(self, operation: Operation[Any], /) -> Any:
        """Execute the operation on the engine."""
        name = type(operation).__name__
        if self.intrusions and name not in ("GetItem", "BatchGetItem", "Query"):
            self.engine.execute(PutItem("people", self.intrusions.pop(0)))
        self.names.append(name)
        return self.engine.execute(operation)


OLD_ADA = old_person("7", "Ada King Lovelace", shoe="42")


@pytest.fixture
def people(opener: StoreOpener) -> Store:
    """Return a store with an item of version 1."""
    store = opener.open()
    store.admin.create_table(table)
    opener.driver.execute(PutItem("people", OLD_ADA))
    return store


@pytest.fixture
def recorder() -> Recorder:
    """Return a driver in memory with an item of version 1."""
    engine = Engine.in_memory()
    open_store(table, driver=engine)
    engine.execute(PutItem("people", OLD_ADA))
    return Recorder(engine)


@pytest.fixture
def store(recorder: Recorder) -> Store:
    """Return a store on the recorder."""
    return Store(recorder, clock=StoreClock())


def stored(driver: Any, id_: str = "7") -> Item:
    """Return the stored attributes of a person."""
    return driver.execute(GetItem("people", Person.key(id_).key, consistent_read=True)).item or {}


class Team(Collection):
    people: list[Person]


def test_every_read_returns_the_upgraded_item(people: Store, opener: StoreOpener) -> None:
    store, team = people, Person.in_team("red")
    assert store.get(KEY) == ADA
    assert store.get_many([KEY]) == [ADA]
    assert store.transact_get(KEY) == (ADA,)
    assert list(store.query(Person.key.partition("7"))) == [ADA]
    assert list(store.query(team)) == [ADA]
    assert list(store.hydrate(team)) == [ADA]
    assert list(store.hydrate(Person.partial("red"))) == [ADA]
    assert list(store.select(team, Person.first, Person.slug)) == [("Ada King", "7")]
    assert list(store.select(team, Person.last)) == [("Lovelace",)]
    assert store.collect(Team, team).people == [ADA]
    assert list(store.admin.scan(Person)) == [ADA]
    assert stored(opener.driver)["name"] == {"S": "Ada King Lovelace"}


def test_conditions_of_reads_test_the_upgraded_item(people: Store) -> None:
    store = people
    store.put(Person(slug="8", team="red", first="Grace", last="Hopper"))
    team, is_ada = Person.in_team("red"), Person.first.begins_with("Ada")
    assert list(store.query(team, where=is_ada)) == [ADA]
    assert [one.slug for one in store.query(team, where=~is_ada)] == ["8"]
    assert store.count(team, where=is_ada) == 1
    assert store.count(Person.key.partition("7"), where=is_ada) == 1
    assert store.count(Person.key.partition("8"), where=is_ada) == 0
    assert list(store.hydrate(team, where=is_ada)) == [ADA]
    assert list(store.select(team, Person.slug, where=is_ada)) == [("7",)]
    assert store.collect(Team, team, where=is_ada).people == [ADA]


def test_update_of_an_older_item_writes_the_upgraded_one(
    people: Store, opener: StoreOpener
) -> None:
    updated = people.update(KEY, Person.points.add(1), Person.nickname.set("A"))
    assert updated == Person(
        slug="7", team="red", first="Ada King", last="Lovelace", points=4, nickname="A"
    )
    assert stored(opener.driver) == {
        "PK": {"S": "PERSON#7"},
        "SK": {"S": "PERSON"},
        "team": {"S": "red"},
        "first": {"S": "Ada King"},
        "last": {"S": "Lovelace"},
        "points": {"N": "4"},
        "nickname": {"S": "A"},
        "schema_version": {"N": "2"},
        "shoe": {"S": "42"},
        "GSI1PK": {"S": "TEAM#red"},
        "GSI1SK": {"S": "Lovelace#Ada King"},
        "GSI2PK": {"S": "TEAM#red"},
        "GSI2SK": {"S": "Lovelace#Ada King"},
    }


def test_update_returns_the_older_item_upgraded(store: Store) -> None:
    assert store.update(KEY, Person.points.set(9), returning="old") == ADA
    assert store.update(KEY, Person.points.set(8), returning="old").points == 9


def test_current_items_take_one_request(recorder: Recorder, store: Store) -> None:
    store.put(ADA)
    recorder.names.clear()
    store.update(KEY, Person.points.add(1))
    store.upsert(KEY, *_names())
    store.delete(KEY, if_=Person.first == "Ada")
    assert recorder.names == ["UpdateItem", "UpdateItem", "DeleteItem"]


def _names() -> list[Edit[Person]]:
    return [Person.team.set("red"), Person.first.set("Ada"), Person.last.set("L")]


BYRON = Person(slug="7", team="red", first="Ada", last="Byron")
# Writes by a store or in a transaction.
CONDITIONAL: dict[str, Callable[[Any, Condition[Person]], object]] = {
    "put": lambda to, condition: to.put(BYRON, if_=condition),
    "replace": lambda to, condition: to.replace(BYRON, if_=condition),
    "delete": lambda to, condition: to.delete(KEY, if_=condition),
    "update": lambda to, condition: to.update(KEY, Person.points.set(1), if_=condition),
    "empty update": lambda to, condition: to.update(KEY, if_=condition),
    "upsert": lambda to, condition: to.upsert(
        KEY, Person.points.set(1), on_create=_names(), if_=condition
    ),
    "check": lambda to, condition: to.check(KEY, condition),
}


@pytest.mark.parametrize("together", [False, True], ids=["alone", "transaction"])
@pytest.mark.parametrize("name", CONDITIONAL)
def test_a_condition_on_an_older_item_is_tested_after_the_upgrade(
    name: str, together: bool, recorder: Recorder, store: Store
) -> None:
    def write(condition: Condition[Person]) -> None:
        if together or name == "check":
            transact(store, lambda to: CONDITIONAL[name](to, condition))
        else:
            CONDITIONAL[name](store, condition)

    before = stored(recorder.engine)
    with pytest.raises(errors.ConditionFailed):
        # Version 1 has no such attribute, so the stored item satisfies this condition.
        write(Person.first != "Ada King")
    assert stored(recorder.engine) == before
    write(Person.first == "Ada King")


def test_upsert_of_an_older_item_edits_it(recorder: Recorder, store: Store) -> None:
    upserted = store.upsert(KEY, Person.points.add(2), on_create=_names())
    assert (upserted.first, upserted.points) == ("Ada King", 5)
    assert "name" not in stored(recorder.engine)
    new = store.upsert(Person.key("9"), Person.points.add(2), on_create=_names())
    assert new.first == "Ada"
    assert stored(recorder.engine, "9")["schema_version"] == {"N": "2"}


def test_modify_writes_the_upgraded_item(recorder: Recorder, store: Store) -> None:
    store.modify(KEY, lambda one: evolve(one, first="Augusta"))
    item = stored(recorder.engine)
    assert "name" not in item
    assert item["shoe"] == {"S": "42"}
    assert store.get(KEY) == Person(
        slug="7", team="red", first="Augusta", last="Lovelace", points=3
    )


def test_modify_without_changes_upgrades_an_older_item_once(
    recorder: Recorder, store: Store
) -> None:
    assert store.modify(KEY, lambda one: one) == ADA
    assert "name" not in stored(recorder.engine)
    recorder.names.clear()
    store.modify(KEY, lambda one: one)
    assert recorder.names == ["GetItem"]


INCREMENTS: dict[str, Callable[[Store], object]] = {
    "update": lambda s: s.update(KEY, Person.points.add(1)),
    "upsert": lambda s: s.upsert(KEY, Person.points.add(1), on_create=_names()),
    "modify": lambda s: s.modify(KEY, lambda one: evolve(one, points=one.points + 1)),
    "transaction": lambda s: transact(s, lambda to: to.update(KEY, Person.points.add(1))),
}


@pytest.mark.parametrize("increment", INCREMENTS.values(), ids=INCREMENTS)
def test_an_older_item_that_changes_meanwhile_is_read_again(
    increment: Callable[[Store], object], recorder: Recorder, store: Store
) -> None:
    # The first write fails because of the version, the second because of this change.
    recorder.intrusions = [old_person("7", "Ada Lovelace"), old_person("7", "Ada Byron")]
    increment(store)
    person = existing(store.get(KEY))
    assert (person.last, person.points) == ("Byron", 4)


def test_an_item_that_another_program_upgrades_meanwhile_is_updated(
    recorder: Recorder, store: Store
) -> None:
    store.put(Person(slug="8", team="red", first="Ada", last="Byron", points=5))
    current: Item = {**stored(recorder.engine, "8"), "PK": {"S": "PERSON#7"}}
    recorder.intrusions = [old_person("7", "Ada Lovelace"), current]
    assert store.update(KEY, Person.points.add(1)).points == 6


def test_a_newer_version_is_never_misread(recorder: Recorder, store: Store) -> None:
    newer: Item = {**old_person("7", "Ada Lovelace"), "schema_version": {"N": "3"}}
    recorder.engine.execute(PutItem("people", newer))

    def unchanged(person: Person) -> None:
        raise AssertionError(person)

    calls: list[Callable[[], object]] = [
        lambda: store.get(KEY),
        lambda: store.get_many([KEY]),
        lambda: list(store.query(Person.in_team("red"))),
        lambda: list(store.query(Person.in_team("red"), where=Person.first == "Ada")),
        lambda: store.count(Person.in_team("red"), where=Person.first == "Ada"),
        lambda: list(store.select(Person.in_team("red"), Person.team)),
        lambda: list(store.admin.scan(Person)),
        lambda: store.update(KEY, Person.points.add(1)),
        lambda: store.upsert(KEY, Person.points.add(1), on_create=_names()),
        lambda: store.modify(KEY, unchanged),
        lambda: store.delete(KEY, if_=Person.first == "Ada"),
    ]
    for call in calls:
        with pytest.raises(
            errors.ItemMismatch, match="schema version 3, but this program knows 2: deploy"
        ):
            call()
    assert stored(recorder.engine) == newer
    skipped: list[errors.ItemMismatch] = []
    team = Person.in_team("red")
    assert list(store.query(team, where=Person.first == "x", on_mismatch=skipped.append)) == []
    assert [error.key for error in skipped] == [{"PK": newer["PK"], "SK": newer["SK"]}]


def test_missing_items_are_not_found(store: Store) -> None:
    with pytest.raises(errors.NotFound):
        store.update(Person.key("none"), Person.points.set(1))
    with pytest.raises(errors.NotFound):
        store.replace(Person(slug="none", team="red", first="A", last="B"), if_=Person.points == 1)
    assert store.delete(Person.key("none")) is None


def test_a_partial_index_returns_current_items_only(recorder: Recorder, store: Store) -> None:
    with pytest.raises(errors.ItemMismatch, match=r"schema version 1.*hydrate\(\)"):
        list(store.select(Person.partial("red"), Person.last))
    store.update(KEY, Person.points.set(1))
    assert list(store.select(Person.partial("red"), Person.last)) == [("Lovelace",)]


def test_changes_are_upgraded(recorder: Recorder, store: Store) -> None:
    store.update(KEY, Person.points.set(4))
    first, second = store.changes(Person).changes
    assert (first.old, first.new) == (None, ADA)
    assert (second.old, second.new and second.new.points) == (ADA, 4)
    record = {
        "eventName": "INSERT",
        "dynamodb": {"NewImage": old_person("7", "Ada King Lovelace")},
    }
    (change,) = parse_stream_event({"Records": [record]}, Person)
    assert change.new == ADA


def test_put_and_bulk_writes_store_the_current_version(recorder: Recorder, store: Store) -> None:
    store.put_many([Person(slug="a", team="red", first="A", last="B")])
    same = Person(slug="7", team="red", first="Ada King", last="Lovelace", points=3)
    # The stored item has an undeclared attribute, so it differs from the one to load.
    result = store.bulk_load(
        [Person(slug="b", team="red", first="A", last="B"), same], on_conflict=lambda one: None
    )
    assert (result.written, result.conflicts) == (1, 1)
    recorder.engine.execute(PutItem("people", old_person("7", "Ada King Lovelace")))
    assert store.bulk_load([same]).skipped == 1
    store.put(ADA)
    for id_ in ("a", "b", "7"):
        assert stored(recorder.engine, id_)["schema_version"] == {"N": "2"}
    store.delete_many([KEY])
    assert store.get(KEY) is None


def test_deleting_an_older_item_returns_it_upgraded(recorder: Recorder, store: Store) -> None:
    assert store.delete(KEY) == ADA
    assert stored(recorder.engine) == {}


@pytest.fixture
def clubs() -> Store:
    """Return a store with a club of version 1, and a member of version 1."""
    store = open_store(club_table, clock=StoreClock())
    store.create(Club(name="chess"))
    store.create(Member(club="chess", slug="1", email="ada@example.com"))
    old: Item = {"club": {"S": "chess"}, "slug": {"S": "1"}, "mail": {"S": "ada@example.com"}}
    club: Item = {"name": {"S": "chess"}, "members": {"N": "1"}, "revision": {"N": "7"}}
    for item in (ONE.key | old, Club.key("chess").key | club):
        store.driver.execute(PutItem("clubs", item))
    return store


def test_upgrades_run_in_a_chain_and_keep_counts_and_versions(clubs: Store) -> None:
    store = clubs
    store.create(Member(club="chess", slug="2", email="bob@example.com"))
    club = existing(store.get(Club.key("chess")))
    assert (club.motto, club.members, club.revision) == ("chess first", 2, 7)
    club.motto = "checkmate"
    store.put(club)
    assert (club.revision, club.members) == (8, 2)
    with pytest.raises(errors.VersionConflict):
        store.update(Club.key("chess"), Club.motto.set("x"), if_=Club.revision == 7)
    store.delete(Member.key("chess", "2"))
    assert store.update(Club.key("chess"), Club.motto.set("stalemate")).members == 1


def test_an_older_club_is_updated_with_its_count(clubs: Store) -> None:
    with clubs.transaction() as writes:
        writes.update(Club.key("chess"), Club.motto.set("x"))
        writes.create(Member(club="chess", slug="2", email="bob@example.com"))
    club = existing(clubs.get(Club.key("chess")))
    assert (club.motto, club.members, club.revision) == ("x", 2, 8)


def test_unique_values_of_an_upgraded_item_move(clubs: Store) -> None:
    assert clubs.find(Member.unique_email("ada@example.com")) is not None
    clubs.update(ONE, Member.joined.set("today"))
    with pytest.raises(errors.AlreadyExists):
        clubs.create(Member(club="chess", slug="3", email="ada@example.com"))
    clubs.update(ONE, Member.email.set("new@example.com"))
    assert clubs.find(Member.unique_email("ada@example.com")) is None
    assert clubs.find(Member.unique_email("new@example.com")) is not None


RELEASES: dict[str, Callable[[Store], object]] = {
    "update": lambda s: s.update(ONE, Member.email.set("new@example.com")),
    "put": lambda s: s.put(Member(club="chess", slug="1", email="new@example.com")),
    "delete": lambda s: s.delete(ONE),
    "delete_partition": lambda s: s.delete_partition(Member.key.partition("chess")),
}


@pytest.mark.parametrize("name", RELEASES)
def test_the_marker_of_an_older_item_is_released(name: str, clubs: Store) -> None:
    result = RELEASES[name](clubs)
    if name == "delete_partition":
        assert result == DeleteResult(deleted=2, kept=0)
    clubs.put(Club(name="hockey"))
    clubs.create(Member(club="hockey", slug="4", email="ada@example.com"))


def test_write_version_stores_the_older_shape_with_new_index_keys() -> None:
    engine = Engine.in_memory()
    store = open_store(table, driver=engine, clock=StoreClock())
    person = store.create(Mixed(slug="7", team="red", first="Ada King", last="Lovelace"))
    assert stored(engine) == {
        "PK": {"S": "PERSON#7"},
        "SK": {"S": "PERSON"},
        "team": {"S": "red"},
        "name": {"S": "Ada King Lovelace"},
        "points": {"N": "0"},
        "schema_version": {"N": "1"},
        "GSI1PK": {"S": "TEAM#red"},
        "GSI1SK": {"S": "Lovelace#Ada King"},
    }
    assert store.get(Mixed.key("7")) == person
    assert existing(store.get(Former.key("7"))).name == "Ada King Lovelace"
    store.update(Mixed.key("7"), Mixed.points.add(1))
    names = [Mixed.team.set("red"), Mixed.first.set("A"), Mixed.last.set("B")]
    store.upsert(Mixed.key("7"), Mixed.points.add(1), on_create=names)
    assert stored(engine)["points"] == {"N": "2"}
    assert stored(engine)["schema_version"] == {"N": "1"}


@pytest.mark.parametrize(
    "edit",
    [Mixed.nickname.set("A"), Mixed.last.set("King Lovelace")],
    ids=["a new field", "a last name with a space"],
)
def test_write_version_rejects_what_it_cannot_store(edit: Edit[Mixed]) -> None:
    engine = Engine.in_memory()
    store = open_store(table, driver=engine)
    store.create(Mixed(slug="7", team="red", first="Ada", last="Lovelace"))
    before = stored(engine)
    with pytest.raises(errors.InvalidValue, match="would be read back as"):
        store.update(Mixed.key("7"), edit)
    assert stored(engine) == before


def test_two_versions_side_by_side_lose_nothing() -> None:
    """Programs of both versions write the same items in random order, as a model says."""
    store = open_store(table, clock=StoreClock())
    chance = random.Random(20)
    expected: dict[str, tuple[str, str, int]] = {}
    for _ in range(300):
        id_, old = str(chance.randrange(4)), chance.random() < 0.4
        name = chance.choice(["Ada", "Bo"]), chance.choice(["Lee", "Fox"])
        action = chance.choice(["put", "add", "delete", "modify"])
        known = expected.get(id_)
        if action == "put":
            expected[id_] = (*name, 0)
            if old:
                store.put(Former(slug=id_, team="red", name=" ".join(name)))
            else:
                store.put(Mixed(slug=id_, team="red", first=name[0], last=name[1]))
        elif action == "delete":
            expected.pop(id_, None)
            store.delete(Former.key(id_) if old else Mixed.key(id_))
        elif known is None:
            with pytest.raises(errors.NotFound):
                store.update(Mixed.key(id_), Mixed.points.add(1))
        elif action == "add":
            expected[id_] = (*known[:2], known[2] + 1)
            if old:
                store.update(Former.key(id_), Former.points.add(1))
            else:
                store.update(Mixed.key(id_), Mixed.points.add(1))
        elif old:
            expected[id_] = (*name, known[2])
            store.update(Former.key(id_), Former.name.set(" ".join(name)))
        else:
            expected[id_] = (known[0], name[1], known[2])
            store.update(Mixed.key(id_), Mixed.last.set(name[1]))
        for one in expected:
            former, new = store.get(Former.key(one)), store.get(Mixed.key(one))
            assert former is not None
            assert new is not None
            assert (new.first, new.last, new.points) == expected[one]
            assert (former.name, former.points) == (" ".join(expected[one][:2]), expected[one][2])


lowered = Table("accounts")


class Account(Entity, table=lowered, schema_version=2):
    number: Attr[int] = attr()
    email: Attr[str] = attr()
    key = Key(pk=("ACCOUNT", number), sk="ACCOUNT")
    one_email = Unique(email)


class AccountV1(Entity):
    number: Attr[int] = attr()
    email: Attr[str] = attr()


@Account.upgrade(from_=1)
def lower_email(old: AccountV1) -> Account:
    return Account(number=old.number, email=old.email.lower())


FIRST = Account.key(1)
ACCOUNT_WRITES: dict[str, Callable[[Store], object]] = {
    "update": lambda s: s.update(FIRST, Account.email.set("eve")),
    "modify": lambda s: s.modify(FIRST, lambda account: None),
    "put": lambda s: s.put(Account(number=1, email="eve")),
    "delete": lambda s: s.delete(FIRST),
}


@pytest.mark.parametrize("name", ACCOUNT_WRITES)
def test_the_marker_of_a_value_that_the_upgrade_changes_is_released(name: str) -> None:
    store = open_store(lowered, clock=StoreClock())
    store.create(Account(number=1, email="Ada"))
    old: Item = {**FIRST.key, "number": {"N": "1"}, "email": {"S": "Ada"}}
    store.driver.execute(PutItem("accounts", old))
    ACCOUNT_WRITES[name](store)
    store.create(Account(number=2, email="Ada"))
    if name == "modify":
        with pytest.raises(errors.AlreadyExists):
            store.create(Account(number=3, email="ada"))
