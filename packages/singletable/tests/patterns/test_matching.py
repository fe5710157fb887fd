"""PatternCatalog.recognize matches calls to patterns: by id, or else by what they do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from singletable import Call, Collection, Store
from singletable.patterns.matcher import is_undeclared_scan, needs_pattern
from tests.store.stores import transact
from tools.testing.designs.election_catalog import (
    ballots,
    cast_ballot,
    elections,
    file,
    newest,
    one_ballot,
    since,
    voters,
)
from tools.testing.designs.members import Member
from tools.testing.designs.votes import NOON, Ballot, Candidate, Election, File, ballot, votes


# The writes of transactions.
def cast(to: Any) -> object:
    return to.create(ballot("ben"))


def cast_again(to: Any) -> object:
    return to.create(ballot("cid"))


def check(to: Any) -> object:
    return to.check(Election.key("L"))


def nominate(to: Any) -> object:
    return to.put(Candidate(election="L", name="py"))


class Nominations(Collection):
    election: Election
    candidates: list[Candidate]


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
    "transaction": (lambda s: transact(s, cast, check), "AP10"),
    "transaction with a missing write": (lambda s: transact(s, cast, cast_again), None),
    "transaction with an extra write": (lambda s: transact(s, cast, check, nominate), None),
    "marked transaction with a missing write": (
        lambda s: transact(s, cast, pattern=cast_ballot),
        "AP10",
    ),
    "marked transaction with an extra write": (
        lambda s: transact(s, cast, nominate, pattern=cast_ballot),
        None,
    ),
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
    "undeclared transaction with a read pattern's key": (
        lambda s: transact(s, lambda to: to.delete(one_ballot("L", "ada"))),
        None,
    ),
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
