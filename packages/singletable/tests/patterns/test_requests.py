"""Planned requests and estimates agree with what the store sends and consumes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from singletable import Call, Engine, Pattern, PatternCatalog, Store, puts
from singletable.patterns import estimate, planned_requests
from singletable.patterns.requests import selection_condition
from tests.patterns.sent_requests import sent_requests
from tests.store.stores import open_store, transact
from tools.testing.designs import election_catalog as p
from tools.testing.designs.members import Member, members
from tools.testing.designs.votes import (
    NOON,
    Ballot,
    Candidate,
    Election,
    File,
    Session,
    ballot,
    votes,
)


@pytest.fixture(scope="module")
def filled() -> Engine:
    """Return an engine with ballots of about 600 bytes, the size that the catalog declares."""
    engine = Engine.in_memory()
    store = open_store(votes, members, driver=engine)
    store.put_many(ballot(f"v{at}", election="M", notes=["x" * 400]) for at in range(500))
    store.put_many([Election(name="L"), ballot("ada", choice="py")])
    store.create(Member(name="mia", email="m@b.c", handle="m"))
    return engine


@pytest.fixture
def store(filled: Engine, calls: list[Call]) -> Store:
    return Store(filled.copy(), observers=[calls.append])


CALLS: dict[str, tuple[Pattern, Callable[[Store], object]]] = {
    "get": (p.one_ballot, lambda s: s.get(p.one_ballot("L", "ada"), consistent=True)),
    "query": (p.ballots, lambda s: s.count(p.ballots("M"))),
    "collect": (p.file, lambda s: s.collect(File, p.file("L"))),
    "find": (p.by_mail, lambda s: s.find(p.by_mail("m@b.c"))),
    "range": (p.since, lambda s: list(s.query(p.since("ada", NOON)))),
    "keys only": (p.choices, lambda s: list(s.hydrate(p.choices("L", "py")))),
    "hydrated page": (p.choices, lambda s: s.page(p.choices("L", "py"), 5, hydrate=True)),
    "hydrated, all fields": (p.fresh, lambda s: list(s.hydrate(p.fresh("ada")))),
    "only what the index contains": (p.voters, lambda s: s.count(p.voters("L", "py"))),
    "sessions": (p.devices, lambda s: list(s.query(p.devices("phone")))),
    "transaction": (
        p.cast_ballot,
        lambda s: transact(
            s,
            lambda to: to.create(ballot("ben", choice="py")),
            lambda to: to.check(Election.key("L")),
        ),
    ),
    "update": (
        p.correct,
        lambda s: s.update(
            Ballot.key("L", "ada"), Ballot.choice.set_if_missing("go"), Ballot.rank.set(1)
        ),
    ),
    "unique create": (
        p.join,
        lambda s: s.create(Member(name="zoe", email="z@b.c", handle="z")),
    ),
    "unique update": (
        p.move,
        lambda s: s.update(Member.key("mia"), Member.email.set("n@b.c")),
    ),
    "unique delete": (p.leave, lambda s: s.delete(Member.key("mia"))),
}


@pytest.mark.parametrize(("pattern", "call"), CALLS.values(), ids=CALLS)
def test_planned_requests_are_those_that_the_store_sends(
    store: Store, calls: list[Call], pattern: Pattern, call: Callable[[Store], object]
) -> None:
    call(store)
    planned = [
        (request.action, None if request.index is None else request.index.name)
        for request in planned_requests(pattern)
    ]
    sent = [
        (action, getattr(request, "index_name", None))
        for call in calls
        for action, request in sent_requests(call)
    ]
    assert sent == planned


# The store reads the markers of unchanged values to see whether they exist.
def test_put_reads_the_markers_of_unchanged_values(store: Store, calls: list[Call]) -> None:
    store.put(Member(name="mia", email="m@b.c", handle="m"))
    keeps = PatternCatalog("c", members).write("AP1", "Keep a member", puts(Member))
    planned = [request.action for request in planned_requests(keeps)]
    assert [action for action, _ in sent_requests(calls[0])] == planned[:4]
    assert estimate(keeps).read >= calls[0].read_units


@pytest.mark.parametrize("name", [name for name in list(CALLS)[:10] if name != "collect"])
def test_read_estimate_equals_consumed_units(store: Store, calls: list[Call], name: str) -> None:
    pattern, call = CALLS[name]
    call(store)
    estimated = estimate(pattern, p.elections.sizes).read
    assert estimated == pytest.approx(sum(call.read_units for call in calls), rel=0.25, abs=0.5)


@pytest.mark.parametrize("name", ["transaction", "update", "unique create", "unique update"])
def test_write_estimate_is_not_below_consumed_units(
    store: Store, calls: list[Call], name: str
) -> None:
    pattern, call = CALLS[name]
    call(store)
    estimated = estimate(pattern, p.elections.sizes).write
    assert calls[0].write_units <= estimated <= 2 * calls[0].write_units


# The items of one query may be of any entity of the collection.
def test_collection_estimate_uses_the_largest_items() -> None:
    sizes: dict[type, int] = {Election: 100, Candidate: 100, Ballot: 600}
    assert estimate(p.file, sizes).read == estimate(p.ballots, {Ballot: 720}).read


# Hydrating 25 items costs a read of each, besides the query of the index.
def test_estimate_includes_the_items_that_are_hydrated(store: Store, calls: list[Call]) -> None:
    catalog = PatternCatalog("c", votes)
    whole = catalog.read("A", "Whole ballots", Ballot.by_choice, items=25)
    names = catalog.read("B", "Voters", Ballot.by_choice, items=25, hydrate=False)
    store.put_many([ballot(f"w{number}", choice="go") for number in range(25)])
    calls.clear()
    assert len(list(store.hydrate(whole("L", "go")))) == 25
    assert store.count(names("L", "go")) == 25
    consumed = {call.shape.method: call.read_units for call in calls if call.requests}
    assert consumed == {"hydrate": 13.0, "count": 0.5}
    assert (estimate(whole).read, estimate(names).read) == (13.0, 0.5)


# A table has one stream for all entities.
def test_feed_plans_one_request_per_table() -> None:
    catalog = PatternCatalog("c", votes, members)
    follow = catalog.feed("A", "All", Ballot, Candidate, Member)
    assert [(one.action, one.table) for one in planned_requests(follow)] == [
        ("GetRecords", votes),
        ("GetRecords", members),
    ]


CONDITIONS = {
    "AP1": "PK = ELECTION#{election} and SK = BALLOT#{voter}",
    "AP2": "PK = ELECTION#{election} and SK begins with BALLOT#",
    "AP3": "PK = ELECTION#{name}",
    "AP4": "PK = EMAIL#{email} and SK = EMAIL",
    "AP5": "GSI1PK = VOTER#{voter} and GSI1SK ≥ {when_cast}",
    "AP6": "GSI2PK = CHOICE#{election}#{choice}",
    "AP8": "GSI1PK = DEVICE#{device} and GSI1SK begins with SESSION#",
    "AP20": "everything",
}


@pytest.mark.parametrize(("code", "condition"), CONDITIONS.items(), ids=CONDITIONS)
def test_key_condition_shows_templates(code: str, condition: str) -> None:
    assert planned_requests(p.elections[code])[0].condition == condition


@pytest.mark.parametrize(
    ("selection", "condition"),
    [
        (Ballot.key.partition("L").eq("a"), "SK = BALLOT#{voter}"),
        (Ballot.key.partition("L").begins_with("a"), "SK begins with BALLOT#{voter}"),
        (Ballot.key.partition("L").between("a", "b"), "SK between BALLOT#{low} and BALLOT#{high}"),
        (Ballot.key.partition("L").lt("a"), "SK < BALLOT#{voter}"),
        (Candidate.key.partition("L"), "SK begins with CANDIDATE#"),
        (Session.key.partition("a").gt(3), "SK > SESSION#{number}"),
    ],
    ids=str,
)
def test_sort_key_condition_shows_templates(selection: Any, condition: str) -> None:
    assert selection_condition(selection).partition(" and ")[2] == condition
