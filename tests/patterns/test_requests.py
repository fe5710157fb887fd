"""What a pattern is said to ask of DynamoDB is what the store then asks."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from singletable import Call, Engine, Pattern, PatternCatalog, Store, TransactWriteItems, puts
from singletable.patterns import estimate, requests_of
from singletable.patterns.words import selection_words
from tests.patterns import declared as p
from tests.store.declared import NOON, Ballot, Candidate, Election, File, Session, ballot, votes
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
        store.put_many([Election(name="L"), *(_of(f"v{number}") for number in range(500))])
        store.put(ballot("ada", choice="py"))
        store.create(Member(name="mia", email="m@b.c", handle="m"))
        calls.clear()
        yield store


def _of(voter: str) -> Ballot:
    """A ballot of some 600 bytes, as the catalog expects them."""
    return ballot(voter, election="M", notes=["x" * 400])


def cast(store: Store) -> None:
    with store.transaction() as together:
        together.create(ballot("ben", choice="py"))
        together.check(Election.key("L"))


CALLS: dict[str, tuple[Pattern, Callable[[Store], object]]] = {
    "get": (p.one_ballot, lambda s: s.get(p.one_ballot("L", "ada"), consistent=True)),
    "query": (p.ballots, lambda s: s.count(p.ballots("M"))),
    "collect": (p.file, lambda s: s.collect(File, p.file("L"))),
    "find": (p.by_mail, lambda s: s.find(p.by_mail("m@b.c"))),
    "range": (p.since, lambda s: list(s.query(p.since("ada", NOON)))),
    "keys only": (p.choices, lambda s: s.count(p.choices("L", "py"))),
    "sessions": (p.devices, lambda s: list(s.query(p.devices("phone")))),
    "transaction": (p.cast_ballot, cast),
    "update": (
        p.correct,
        lambda s: s.update(Ballot.key("L", "ada"), Ballot.choice.set("go"), Ballot.rank.set(1)),
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


def _asked(call: Call) -> list[tuple[str, str | None]]:
    """The requests of a call, those of a transaction one by one, each with its index."""
    found: list[tuple[str, str | None]] = []
    for sent in call.requests:
        operation: Any = sent.operation
        if isinstance(operation, TransactWriteItems):
            for action in operation.transact_items:
                for name, member in (
                    ("PutItem", action.put),
                    ("UpdateItem", action.update),
                    ("DeleteItem", action.delete),
                    ("ConditionCheckItem", action.condition_check),
                ):
                    if member is not None:
                        found.append((name, None))
        else:
            found.append((type(operation).__name__, getattr(operation, "index_name", None)))
    return found


@pytest.mark.parametrize(("pattern", "ask"), CALLS.values(), ids=CALLS)
def test_the_requests_of_a_pattern_are_those_that_are_sent(
    store: Store, calls: list[Call], pattern: Pattern, ask: Callable[[Store], object]
) -> None:
    ask(store)
    said = [
        (request.action, None if request.index is None else request.index.name)
        for request in requests_of(pattern)
    ]
    sent = [one for call in calls for one in _asked(call)]
    # After a transaction a store may read what became of the item.
    assert sent[: len(said)] == said
    assert sent[len(said) :] in ([], [("GetItem", None)])


# Whether values that stay the same have their markers is looked at; what changes them may follow.
def test_a_put_looks_for_the_markers_of_values_that_it_keeps(
    store: Store, calls: list[Call]
) -> None:
    store.put(Member(name="mia", email="m@b.c", handle="m"))
    keeps = PatternCatalog("c", members).write("AP1", "Keep a member", puts(Member))
    said = [request.action for request in requests_of(keeps)]
    assert [action for action, _ in _asked(calls[0])] == said[:4]
    assert estimate(keeps).read >= calls[0].read_units


@pytest.mark.parametrize("name", ["get", "query", "find", "range", "keys only", "sessions"])
def test_the_estimate_of_a_read_is_what_it_consumes(
    store: Store, calls: list[Call], name: str
) -> None:
    pattern, ask = CALLS[name]
    ask(store)
    said = estimate(pattern, p.elections.sizes).read
    assert said == pytest.approx(sum(call.read_units for call in calls), rel=0.25, abs=0.5)


@pytest.mark.parametrize("name", ["transaction", "update", "unique create", "unique update"])
def test_the_estimate_of_a_write_is_never_too_low(
    store: Store, calls: list[Call], name: str
) -> None:
    pattern, ask = CALLS[name]
    ask(store)
    said = estimate(pattern, p.elections.sizes).write
    assert calls[0].write_units <= said <= 2 * calls[0].write_units


# Items of one query may be of any entity of the collection, so the largest are reckoned with.
def test_a_collection_is_priced_by_its_largest_items() -> None:
    sizes: dict[type, int] = {Election: 100, Candidate: 100, Ballot: 600}
    assert estimate(p.file, sizes).read == estimate(p.ballots, {Ballot: 720}).read


# A stream is a table's, whatever is looked for in it.
def test_a_stream_is_followed_once_for_each_table() -> None:
    catalog = PatternCatalog("c", votes, members)
    follow = catalog.feed("A", "All", Ballot, Candidate, Member)
    assert [(one.action, one.table) for one in requests_of(follow)] == [
        ("GetRecords", votes),
        ("GetRecords", members),
    ]


WORDS = {
    "AP1": "PK = ELECTION#{election} and SK = BALLOT#{voter}",
    "AP2": "PK = ELECTION#{election} and SK begins with BALLOT#",
    "AP3": "PK = ELECTION#{name}",
    "AP4": "PK = EMAIL#{email} and SK = EMAIL",
    "AP5": "GSI1PK = VOTER#{voter} and GSI1SK ≥ {when_cast}",
    "AP6": "GSI2PK = CHOICE#{election}#{choice}",
    "AP8": "GSI1PK = DEVICE#{device} and GSI1SK begins with SESSION#",
    "AP20": "everything",
}


@pytest.mark.parametrize(("code", "words"), WORDS.items(), ids=WORDS)
def test_a_key_condition_is_told_in_words(code: str, words: str) -> None:
    assert requests_of(p.elections[code])[0].condition == words


@pytest.mark.parametrize(
    ("made", "words"),
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
def test_a_sort_key_is_told_in_words(made: Any, words: str) -> None:
    assert selection_words(made).partition(" and ")[2] == words
