"""Collect several entities, select some fields, and hydrate items of an index."""

from __future__ import annotations

from datetime import timedelta

import pytest

from dynamodb_engine.operations import PutItem
from dynamodb_engine.values import Item
from singletable.errors import InvalidValue, ItemMismatch, NotFound, OutOfScope
from singletable.schema import Attr, Collection, Entity, Key, Table, attr, concat, padded
from singletable.store import Store
from tests.store.store_adapter import StoreOpener
from tools.testing.designs.votes import (
    NOON,
    Ballot,
    Candidate,
    Election,
    File,
    Place,
    Session,
    Voter,
    ballot,
    votes,
)

elsewhere = Table("elsewhere")


class Thing(Entity, table=elsewhere):
    name: Attr[str] = attr()
    key = Key(pk=("THING", name), sk="THING")


class Odd(Collection):
    election: Election
    thing: Thing | None


class OfVoter(Collection):
    profile: Voter | None
    sessions: list[Session]


class ByPerson(Collection):
    ballots: list[Ballot]


@pytest.fixture
def store(empty: Store) -> Store:
    empty.admin.create_table(votes)
    empty.create(Election(name="L", title="Languages"))
    for name in ("Ann", "Bob"):
        empty.create(Candidate(election="L", name=name))
    for rank, name in enumerate(("ada", "bea", "cid")):
        empty.create(ballot(name, rank=rank, choice="Ann" if rank else "Bob", notes=["x", name]))
    return empty


@pytest.mark.parametrize("consistent", [False, True])
def test_collect_groups_a_partition_by_entity(store: Store, consistent: bool) -> None:
    found = store.collect(File, Election.key.partition("L"), consistent=consistent)
    assert found.election == Election(name="L", title="Languages")
    assert [one.name for one in found.candidates] == ["Ann", "Bob"]
    assert [one.voter for one in found.ballots] == ["ada", "bea", "cid"]


def test_collect_raises_if_a_required_member_is_missing(store: Store) -> None:
    store.delete(Election.key("L"))
    with pytest.raises(ItemMismatch, match="one Election in the partition, but found 0"):
        store.collect(File, Election.key.partition("L"))


# As for an address with a wrong id: the response to it is a 404.
def test_collect_raises_not_found_if_nothing_is_there(store: Store) -> None:
    with pytest.raises(NotFound, match=r"File\.election: there is no Election in the partition"):
        store.collect(File, Election.key.partition("other"))


def test_collect_reports_a_required_member_that_does_not_fit(
    store: Store, opener: StoreOpener
) -> None:
    item: Item = {**Election.key("bad").key, "name": {"S": "bad"}, "title": {"N": "7"}}
    opener.driver.execute(PutItem("vote_data", item))
    problems: list[ItemMismatch] = []
    with pytest.raises(ItemMismatch, match="but found 0"):
        store.collect(File, Election.key.partition("bad"), on_mismatch=problems.append)
    assert [problem.path for problem in problems] == ["Election.title"]


def test_collect_sets_a_missing_optional_member_to_none(store: Store) -> None:
    found = store.collect(OfVoter, Voter.key.partition("ada"))
    assert (found.profile, found.sessions) == (None, [])
    made = store.create(Voter(name="ada"))
    assert store.collect(OfVoter, Voter.key.partition("ada")).profile == made


def test_collect_raises_for_two_items_of_a_single_member(store: Store) -> None:
    class OneBallot(Collection):
        ballot: Ballot

    with pytest.raises(ItemMismatch, match="found 3"):
        store.collect(OneBallot, Ballot.key.partition("L"))


piped = Table("piped")


class Order(Entity, table=piped):
    customer: Attr[str] = attr()
    number: Attr[str] = attr()
    key = Key(pk=concat("CUST|", customer), sk=concat("ORD|", number))


class Line(Entity, table=piped):
    customer: Attr[str] = attr()
    number: Attr[str] = attr()
    line: Attr[int] = attr()
    key = Key(pk=concat("CUST|", customer), sk=concat("ORD|", number, "|LINE-", padded(line, 3)))


class Note(Entity, table=piped):
    customer: Attr[str] = attr()
    number: Attr[str] = attr()
    text: Attr[str] = attr()
    key = Key(pk=concat("CUST|", customer), sk=concat("ORD|", number, "~", text))


class WholeOrder(Collection):
    order: Order
    lines: list[Line]
    notes: list[Note]


# 51 starts like 5, and no separator is the same.
def test_collect_reads_the_keys_that_continue_one_of_concat(empty: Store) -> None:
    empty.admin.create_table(piped)
    for number in ("5", "51", "5 "):
        empty.create(Order(customer="7", number=number))
        empty.create(Line(customer="7", number=number, line=1))
        empty.create(Note(customer="7", number=number, text="a|LINE-001"))
    for entity in (Order, Line, Note):
        found = empty.collect(WholeOrder, entity.key.partition("7").eq("5"))
        assert found.order.number == "5"
        assert [one.number for one in found.lines] == [one.number for one in found.notes] == ["5"]
    assert len(list(empty.query(Order.key.partition("7")))) == 3
    with pytest.raises(InvalidValue, match=r"contains '\|LINE-'"):
        empty.create(Order(customer="7", number="5|LINE-1"))
    scoped = empty.scoped(customer="7")
    assert scoped.get(Order.key("7", "51")) is not None
    with pytest.raises(OutOfScope):
        scoped.get(Order.key("7|", "51"))


def test_collect_from_an_index(store: Store) -> None:
    found = store.collect(ByPerson, Ballot.by_voter("ada"))
    assert [one.voter for one in found.ballots] == ["ada"]
    with pytest.raises(InvalidValue, match="does not contain"):
        store.collect(ByPerson, Ballot.by_choice("L", "Ann"))


def test_collect_rejects_entities_of_other_tables(store: Store) -> None:
    with pytest.raises(InvalidValue, match="elsewhere"):
        store.collect(Odd, Election.key.partition("L"))


def test_select_returns_tuples(store: Store) -> None:
    everyone = Ballot.key.partition("L")
    assert list(store.select(everyone, Ballot.voter, Ballot.rank)) == [
        ("ada", 0),
        ("bea", 1),
        ("cid", 2),
    ]
    last = store.select(everyone, Ballot.voter, limit=1, reverse=True)
    assert list(last) == [("cid",)]
    assert list(store.select(everyone, Ballot.voter, where=Ballot.rank == 1)) == [("bea",)]


def test_select_reads_nested_values(store: Store) -> None:
    store.put(ballot("ada", place=Place("Bern", 4), notes=["a", "b"], marks={"m": 1}))
    picked = store.select(
        Ballot.key.partition("L"),
        Ballot.notes[1],
        Ballot.notes,
        Ballot.marks["m"],
        Ballot.place.nested(lambda place: place.town),
        limit=1,
    )
    assert list(picked) == [("b", ["a", "b"], 1, "Bern")]
    alone = store.select(Ballot.key.partition("L"), Ballot.notes[1], limit=1)
    assert list(alone) == [("b",)]


def test_select_returns_defaults_for_absent_fields(store: Store, opener: StoreOpener) -> None:
    key = Ballot.key("N", "old").key
    item: Item = {
        **key,
        "election": {"S": "N"},
        "voter": {"S": "old"},
        "entity_type": {"S": "BALLOT"},
    }
    opener.driver.execute(PutItem("vote_data", item))
    picked = store.select(
        Ballot.key.partition("N"), Ballot.rank, Ballot.choice, Ballot.tags, Ballot.marks["m"]
    )
    assert [list(one) for one in picked] == [[0, None, set(), None]]


def test_query_of_a_keys_only_index_raises(store: Store) -> None:
    with pytest.raises(InvalidValue, match="hydrate"):
        store.query(Ballot.by_choice("L", "Ann"))
    with pytest.raises(InvalidValue, match="hydrate"):
        store.page(Ballot.by_choice("L", "Ann"), 1)
    with pytest.raises(InvalidValue, match=r"does not contain Ballot\.rank"):
        store.select(Ballot.by_choice("L", "Ann"), Ballot.rank)
    with pytest.raises(InvalidValue, match="does not contain rank"):
        store.count(Ballot.by_choice("L", "Ann"), where=Ballot.rank > 0)
    assert store.count(Ballot.by_choice("L", "Ann")) == 2


# Its own keys contain the values they were built from.
def test_select_reads_key_fields_from_a_keys_only_index(store: Store) -> None:
    of_ann = Ballot.by_choice("L", "Ann")
    picked = list(store.select(of_ann, Ballot.voter, Ballot.choice, Ballot.election))
    assert picked == [("bea", "Ann", "L"), ("cid", "Ann", "L")]


def test_hydrate_reads_items_from_the_table(store: Store) -> None:
    of_ann = Ballot.by_choice("L", "Ann")
    assert [one.notes for one in store.hydrate(of_ann)] == [["x", "bea"], ["x", "cid"]]
    assert [one.voter for one in store.hydrate(of_ann, reverse=True)] == ["cid", "bea"]
    assert [one.voter for one in store.hydrate(of_ann, limit=1)] == ["bea"]
    assert list(store.hydrate(Ballot.by_choice("L", "Nobody"))) == []


def test_hydrate_reads_several_batches_in_order(store: Store) -> None:
    names = [f"v{number:03d}" for number in range(250)]
    store.put_many(ballot(name, election="M", choice="Ann") for name in names)
    assert [one.voter for one in store.hydrate(Ballot.by_choice("M", "Ann"))] == names


def test_scan_returns_items_of_one_entity(store: Store) -> None:
    store.put(Session(voter="ada", number=1, ends=NOON + timedelta(days=1)))
    store.put(Session(voter="ada", number=2, ends=NOON - timedelta(days=1)))
    assert sorted(one.name for one in store.admin.scan(Candidate)) == ["Ann", "Bob"]
    assert [one.number for one in store.admin.scan(Session)] == [1]
