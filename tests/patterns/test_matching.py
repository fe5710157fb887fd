"""PatternCatalog.recognize matches calls to patterns: by id, or else by what they do."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from singletable import Call, Collection, Store
from singletable.patterns.matcher import is_undeclared_scan, needs_pattern
from tests.patterns.election_catalog import (
    ballots,
    cast_ballot,
    elections,
    file,
    newest,
    one_ballot,
    since,
    voters,
)
from tests.store.entities import NOON, Ballot, Candidate, Election, File, ballot, votes
from tests.store.member_entity import Member, members
from tests.store.stores import memory_store


@pytest.fixture
def calls() -> list[Call]:
    return []


@pytest.fixture
def store(calls: list[Call]) -> Iterator[Store]:
    store = memory_store(votes, members, observers=[calls.append])
    store.put_many([Election(name="L"), ballot("ada")])
    store.create(Member(name="mia", email="m@b.c"))
    calls.clear()
    return store


def cast(store: Store) -> None:
    with store.transaction() as transaction:
        transaction.create(ballot("ben"))
        transaction.check(Election.key("L"))


def cast_marked(store: Store) -> None:
    with store.transaction(pattern=cast_ballot) as transaction:
        transaction.create(ballot("ben"))


def cast_marked_and_nominate(store: Store) -> None:
    with store.transaction(pattern=cast_ballot) as transaction:
        transaction.create(ballot("ben"))
        transaction.put(Candidate(election="L", name="py"))


def cast_twice_without_check(store: Store) -> None:
    with store.transaction() as transaction:
        transaction.create(ballot("ben"))
        transaction.create(ballot("cid"))


def cast_and_nominate(store: Store) -> None:
    with store.transaction() as transaction:
        transaction.create(ballot("ben"))
        transaction.check(Election.key("L"))
        transaction.put(Candidate(election="L", name="py"))


class Nominations(Collection):
    election: Election
    candidates: list[Candidate]


def delete_in_transaction(store: Store) -> None:
    with store.transaction() as transaction:
        transaction.delete(one_ballot("L", "ada"))


ADA = Ballot.key("L", "ada")
CALLS: dict[str, tuple[Callable[[Store], object], str | None]] = {
    "get": (lambda s: s.get(ADA), "AP1"),
    "get_many": (lambda s: s.get_many([ADA]), "AP1"),
    "get of an undeclared entity": (lambda s: s.get(Candidate.key("L", "py")), None),
    "query": (lambda s: list(s.query(Ballot.key.partition("L"))), "AP2"),
    "page": (lambda s: s.page(Ballot.key.partition("L"), 3), "AP2"),
    "count": (lambda s: s.count(Ballot.key.partition("L")), "AP2"),
    "select": (lambda s: list(s.select(Ballot.key.partition("L"), Ballot.rank)), "AP2"),
    "narrower than declared": (lambda s: list(s.query(Ballot.key.partition("L").eq("a"))), None),
    "narrowed selection of a pattern": (lambda s: list(s.query(ballots("L").eq("a"))), "AP2"),
    "collect": (lambda s: s.collect(File, Election.key.partition("L")), "AP3"),
    "find": (lambda s: s.find(Member.one_email("m@b.c")), "AP4"),
    "find by an undeclared unique value": (lambda s: s.find(Member.one_handle("m")), None),
    "range": (lambda s: list(s.query(Ballot.by_voter("ada").ge(NOON))), "AP5"),
    "range with another bound": (lambda s: list(s.query(Ballot.by_voter("ada").lt(NOON))), "AP5"),
    "selection of a pattern": (lambda s: list(s.query(since("ada", NOON))), "AP5"),
    "hydrate": (lambda s: list(s.hydrate(Ballot.by_choice("L", "py"))), "AP6"),
    "hydrated page": (lambda s: s.page(Ballot.by_choice("L", "py"), 3, hydrate=True), "AP6"),
    "hydrate of a full index": (lambda s: list(s.hydrate(Ballot.by_voter("ada"))), "AP9"),
    "undeclared hydrate": (lambda s: list(s.hydrate(ballots("L"))), None),
    "hydrated page of a key that another pattern hydrates": (
        lambda s: s.page(voters("L", "py"), 3, hydrate=True),
        "AP6",
    ),
    "hydrate of a collection": (lambda s: list(s.hydrate(file("L"))), None),
    "lookup": (lambda s: list(s.query(newest("ada"))), "AP7"),
    "transaction": (cast, "AP10"),
    "transaction with a missing write": (cast_twice_without_check, None),
    "transaction with an extra write": (cast_and_nominate, None),
    "marked transaction with a missing write": (cast_marked, "AP10"),
    "marked transaction with an extra write": (cast_marked_and_nominate, None),
    "create alone": (lambda s: s.create(ballot("ben")), None),
    "update of named fields": (lambda s: s.update(ADA, Ballot.rank.set(2)), "AP11"),
    "update of other fields": (lambda s: s.update(ADA, Ballot.notes.append("x")), "AP12"),
    "update of both": (
        lambda s: s.update(ADA, Ballot.rank.set(2), Ballot.notes.append("x")),
        "AP12",
    ),
    "update of undeclared fields": (
        lambda s: s.update(Member.key("mia"), Member.town.set("x")),
        None,
    ),
    "update of a read pattern's key": (
        lambda s: s.update(one_ballot("L", "ada"), Ballot.notes.append("x")),
        "AP12",
    ),
    "undeclared write of a read pattern's key": (lambda s: s.delete(one_ballot("L", "ada")), None),
    "undeclared transaction with a read pattern's key": (delete_in_transaction, None),
    "reads of declared and undeclared entities": (
        lambda s: s.get_many([one_ballot("L", "ada"), Candidate.key("L", "py")]),
        None,
    ),
    "collection from the key of another pattern": (
        lambda s: s.collect(Nominations, ballots("L")),
        None,
    ),
    "query in the partition of a collection": (lambda s: list(s.query(file("L"))), "AP3"),
    "create": (lambda s: s.create(Member(name="ben")), "AP13"),
    "delete": (lambda s: s.delete(Member.key("mia")), "AP15"),
    "put_many": (lambda s: s.put_many([Candidate(election="L", name="py")]), "AP16"),
    "scan": (lambda s: list(s.admin.scan(Ballot)), "AP20"),
    "scan of an undeclared entity": (lambda s: list(s.admin.scan(Candidate)), None),
    "feed": (lambda s: s.changes(Ballot), "AP21"),
}


@pytest.mark.parametrize(("call", "code"), CALLS.values(), ids=CALLS)
def test_recognize_matches_calls_to_patterns(
    store: Store, calls: list[Call], call: Callable[[Store], object], code: str | None
) -> None:
    call(store)
    pattern = elections.recognize(calls[0].shape)
    assert (None if pattern is None else pattern.code) == code


def test_scan_without_a_scan_pattern_is_undeclared(store: Store, calls: list[Call]) -> None:
    list(store.admin.scan(Ballot))
    list(store.admin.scan(Candidate))
    store.changes(Candidate)
    undeclared = [is_undeclared_scan(elections.recognize(call.shape), call.shape) for call in calls]
    assert undeclared == [False, True, False]
    assert [needs_pattern(call.shape) for call in calls] == [True, True, False]


# A console reads and clears whole tables, which is not part of the design.
def test_admin_calls_need_no_pattern(store: Store, calls: list[Call]) -> None:
    store.admin.items(votes, 10)
    store.admin.clear(votes)
    assert [call.shape.method for call in calls] == ["items", "clear"]
    for call in calls:
        assert not needs_pattern(call.shape)
        assert not is_undeclared_scan(elections.recognize(call.shape), call.shape)
