"""A call of a store is recognized as a pattern: by its mark, else by what it does."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from singletable import Call, Engine, Store
from singletable.patterns.recognize import is_reading_all, needs_pattern
from tests.patterns.declared import ballots, cast_ballot, elections, newest, since
from tests.store.declared import NOON, Ballot, Candidate, Election, File, ballot, votes
from tests.store.members import Member, members


@pytest.fixture
def calls() -> list[Call]:
    return []


@pytest.fixture
def store(calls: list[Call]) -> Iterator[Store]:
    with Engine.in_memory() as engine:
        store = Store(engine, observers=[calls.append])
        store.admin.create_table(votes)
        store.admin.create_table(members)
        store.put_many([Election(name="L"), ballot("ada")])
        store.create(Member(name="mia", email="m@b.c"))
        calls.clear()
        yield store


def cast(store: Store) -> None:
    with store.transaction() as together:
        together.create(ballot("ben"))
        together.check(Election.key("L"))


def named(store: Store) -> None:
    with store.transaction(pattern=cast_ballot) as together:
        together.create(ballot("ben"))


def named_and_more(store: Store) -> None:
    with store.transaction(pattern=cast_ballot) as together:
        together.create(ballot("ben"))
        together.put(Candidate(election="L", name="py"))


def half_cast(store: Store) -> None:
    with store.transaction() as together:
        together.create(ballot("ben"))
        together.create(ballot("cid"))


def cast_and_nominate(store: Store) -> None:
    with store.transaction() as together:
        together.create(ballot("ben"))
        together.check(Election.key("L"))
        together.put(Candidate(election="L", name="py"))


ADA = Ballot.key("L", "ada")
CALLS: dict[str, tuple[Callable[[Store], object], str | None]] = {
    "get": (lambda s: s.get(ADA), "AP1"),
    "get_many": (lambda s: s.get_many([ADA]), "AP1"),
    "get of an entity that nobody gets": (lambda s: s.get(Candidate.key("L", "py")), None),
    "query": (lambda s: list(s.query(Ballot.key.partition("L"))), "AP2"),
    "page": (lambda s: s.page(Ballot.key.partition("L"), 3), "AP2"),
    "count": (lambda s: s.count(Ballot.key.partition("L")), "AP2"),
    "pick": (lambda s: list(s.select(Ballot.key.partition("L"), Ballot.rank)), "AP2"),
    "narrower than declared": (lambda s: list(s.query(Ballot.key.partition("L").eq("a"))), None),
    "narrowed, but made by the pattern": (lambda s: list(s.query(ballots("L").eq("a"))), "AP2"),
    "collect": (lambda s: s.collect(File, Election.key.partition("L")), "AP3"),
    "find": (lambda s: s.find(Member.one_email("m@b.c")), "AP4"),
    "find by what no pattern has": (lambda s: s.find(Member.one_handle("m")), None),
    "a range": (lambda s: list(s.query(Ballot.by_voter("ada").ge(NOON))), "AP5"),
    "another end of the range": (lambda s: list(s.query(Ballot.by_voter("ada").lt(NOON))), "AP5"),
    "made by a pattern": (lambda s: list(s.query(since("ada", NOON))), "AP5"),
    "fetch": (lambda s: list(s.hydrate(Ballot.by_choice("L", "py"))), "AP6"),
    "by fields": (lambda s: list(s.query(newest("ada"))), "AP7"),
    "transaction": (cast, "AP10"),
    "transaction that lacks a part": (half_cast, None),
    "transaction that does more": (cast_and_nominate, None),
    "transaction by name, which does a part": (named, "AP10"),
    "transaction by name, which does more": (named_and_more, None),
    "create alone": (lambda s: s.create(ballot("ben")), None),
    "update of named fields": (lambda s: s.update(ADA, Ballot.rank.set(2)), "AP11"),
    "update of other fields": (lambda s: s.update(ADA, Ballot.notes.append("x")), "AP12"),
    "update of both": (
        lambda s: s.update(ADA, Ballot.rank.set(2), Ballot.notes.append("x")),
        "AP12",
    ),
    "update of what no pattern changes": (
        lambda s: s.update(Member.key("mia"), Member.town.set("x")),
        None,
    ),
    "create": (lambda s: s.create(Member(name="ben")), "AP13"),
    "delete": (lambda s: s.delete(Member.key("mia")), "AP15"),
    "put_many": (lambda s: s.put_many([Candidate(election="L", name="py")]), "AP16"),
    "scan": (lambda s: list(s.admin.scan(Ballot)), "AP20"),
    "scan of what nobody scans": (lambda s: list(s.admin.scan(Candidate)), None),
    "feed": (lambda s: s.changes(Ballot), "AP21"),
}


@pytest.mark.parametrize(("ask", "code"), CALLS.values(), ids=CALLS)
def test_a_call_is_recognised(
    store: Store, calls: list[Call], ask: Callable[[Store], object], code: str | None
) -> None:
    ask(store)
    found = elections.recognize(calls[0].shape)
    assert (None if found is None else found.code) == code


def test_a_scan_is_told_unless_a_pattern_has_a_reason(store: Store, calls: list[Call]) -> None:
    list(store.admin.scan(Ballot))
    list(store.admin.scan(Candidate))
    store.changes(Candidate)
    scanned = [is_reading_all(elections.recognize(call.shape), call.shape) for call in calls]
    assert scanned == [False, True, False]
    assert [needs_pattern(call.shape) for call in calls] == [True, True, False]


# A console looks at everything, and clears what was tried out: that is no use of the design.
def test_what_an_operator_does_to_a_table_is_no_pattern(store: Store, calls: list[Call]) -> None:
    store.admin.items(votes, 10)
    store.admin.clear(votes)
    assert [call.shape.verb for call in calls] == ["items", "clear"]
    for call in calls:
        assert not needs_pattern(call.shape)
        assert not is_reading_all(elections.recognize(call.shape), call.shape)
