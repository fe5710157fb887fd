"""Observers receive what each call did and consumed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import TypeVar

import pytest

from singletable.engine import AsyncEngine, Engine
from singletable.errors import AlreadyExists, InvalidValue, Throttled
from singletable.faults import Faults, FaultyDriver, Next
from singletable.operations import BatchGetItem, GetItem, Operation, PutItem, Query
from singletable.store import AsyncStore, Call, CallShape, EntityAccess, Store
from tests.store.entities import Ballot, Candidate, Election, File, ballot, votes
from tests.store.member_entity import Member, members

R = TypeVar("R")

ADA = Ballot.key("L", "ada")
ALL = Ballot.key.partition("L")


class Cancelled(AsyncEngine):
    """An engine whose every call is canceled."""

    async def execute(self, operation: Operation[R], /) -> R:
        raise asyncio.CancelledError


@pytest.fixture
def calls() -> list[Call]:
    return []


@pytest.fixture
def driver(monkeypatch: pytest.MonkeyPatch) -> Iterator[FaultyDriver]:
    waits: list[float] = []
    monkeypatch.setattr("time.sleep", waits.append)
    with Engine.in_memory() as engine:
        yield FaultyDriver(engine)


@pytest.fixture
def store(driver: FaultyDriver, calls: list[Call]) -> Store:
    store = Store(driver, observers=[calls.append])
    store.admin.create_table(votes)
    store.admin.create_table(members)
    return store


QUERY = EntityAccess("query", Ballot, "key", ("election",))
CHOICE = EntityAccess("query", Ballot, "by_choice", ("election", "choice"))
QUESTIONS: dict[str, tuple[Callable[[Store], object], CallShape]] = {
    "get": (lambda s: s.get(ADA), CallShape("get", (EntityAccess("get", Ballot),))),
    "get, consistent": (
        lambda s: s.get(ADA, consistent=True),
        CallShape("get", (EntityAccess("get", Ballot),), consistent=True),
    ),
    "find": (
        lambda s: s.find(Member.one_email("a@b.c")),
        CallShape(
            "find", (EntityAccess("find", Member, "one_email", ("email",)),), consistent=True
        ),
    ),
    "create": (
        lambda s: s.create(ballot("ben")),
        CallShape("create", (EntityAccess("create", Ballot),)),
    ),
    "put": (lambda s: s.put(ballot("ben")), CallShape("put", (EntityAccess("put", Ballot),))),
    "replace": (
        lambda s: s.replace(ballot("ada")),
        CallShape("replace", (EntityAccess("put", Ballot),)),
    ),
    "update": (
        lambda s: s.update(ADA, Ballot.rank.add(1), Ballot.choice.set("py")),
        CallShape(
            "update", (EntityAccess("update", Ballot, edited_fields=frozenset({"rank", "choice"})),)
        ),
    ),
    "delete": (lambda s: s.delete(ADA), CallShape("delete", (EntityAccess("delete", Ballot),))),
    "get_many": (
        lambda s: s.get_many([ADA, Ballot.key("L", "ben")]),
        CallShape("get_many", (EntityAccess("get", Ballot),)),
    ),
    "put_many": (
        lambda s: s.put_many([ballot("ben"), Candidate(election="L", name="py")]),
        CallShape("put_many", (EntityAccess("put", Ballot), EntityAccess("put", Candidate))),
    ),
    "delete_many": (
        lambda s: s.delete_many([ADA]),
        CallShape("delete_many", (EntityAccess("delete", Ballot),)),
    ),
    "query": (lambda s: list(s.query(ALL)), CallShape("query", (QUERY,))),
    "query, one value of the sort key": (
        lambda s: list(s.query(ALL.eq("ada"))),
        CallShape("query", (EntityAccess("query", Ballot, "key", ("election", "voter")),)),
    ),
    "query, a range": (
        lambda s: list(s.query(ALL.gt("a"))),
        CallShape("query", (EntityAccess("query", Ballot, "key", ("election",), "voter"),)),
    ),
    "query, an index": (
        lambda s: list(s.query(Ballot.by_voter("ada"))),
        CallShape("query", (EntityAccess("query", Ballot, "by_voter", ("voter",)),)),
    ),
    "fetch": (
        lambda s: list(s.hydrate(Ballot.by_choice("L", "py"))),
        CallShape("hydrate", (CHOICE,), hydrates=True),
    ),
    "hydrated page": (
        lambda s: s.page(Ballot.by_choice("L", "py"), 5, hydrate=True),
        CallShape("page", (CHOICE,), hydrates=True),
    ),
    "page": (lambda s: s.page(ALL, 10), CallShape("page", (QUERY,))),
    "count": (lambda s: s.count(ALL), CallShape("count", (QUERY,))),
    "pick": (lambda s: list(s.select(ALL, Ballot.rank)), CallShape("select", (QUERY,))),
    "collect": (
        lambda s: s.collect(File, Election.key.partition("L")),
        CallShape(
            "collect",
            tuple(EntityAccess("collect", one, "key", ("name",)) for one in File.entities()),
        ),
    ),
    "transact_get": (
        lambda s: s.transact_get(ADA, Election.key("L")),
        CallShape(
            "transact_get",
            (EntityAccess("get", Ballot), EntityAccess("get", Election)),
            consistent=True,
        ),
    ),
    "changes": (lambda s: s.changes(Ballot), CallShape("changes", (EntityAccess("feed", Ballot),))),
    "scan": (
        lambda s: list(s.admin.scan(Ballot)),
        CallShape("scan", (EntityAccess("scan", Ballot),)),
    ),
    "items": (lambda s: s.admin.items(votes, 10), CallShape("items", ())),
    "clear": (lambda s: s.admin.clear(votes), CallShape("clear", ())),
}


@pytest.mark.parametrize(("ask", "question"), QUESTIONS.values(), ids=QUESTIONS)
def test_each_call_has_a_shape(
    store: Store,
    calls: list[Call],
    ask: Callable[[Store], object],
    question: CallShape,
) -> None:
    store.put_many([Election(name="L"), ballot("ada")])
    calls.clear()
    ask(store)
    assert calls[0].shape == question
    assert not calls[0].continued
    assert all(call.continued for call in calls[1:])


def test_transaction_is_one_call_with_several_accesses(store: Store, calls: list[Call]) -> None:
    with store.transaction() as transaction:
        transaction.create(ballot("ada"))
        transaction.create(ballot("ben"))
        transaction.put(Election(name="L"))
        transaction.update(Member.key("m"), Member.town.set("x"))
        transaction.check(Candidate.key("L", "py"))
        transaction.delete(Candidate.key("L", "c"))
        transaction._changes.clear()  # only the shape matters here
    (call,) = calls
    assert call.shape == CallShape(
        "transaction",
        (
            EntityAccess("create", Ballot),
            EntityAccess("put", Election),
            EntityAccess("update", Member, edited_fields=frozenset({"town"})),
            EntityAccess("check", Candidate),
            EntityAccess("delete", Candidate),
        ),
    )


def test_call_lists_requests_and_consumed_capacity(store: Store, calls: list[Call]) -> None:
    store.create(ballot("ada"))
    (call,) = calls
    (sent,) = call.requests
    assert isinstance(sent.operation, PutItem)
    # The item and its index entry.
    assert (call.write_units, call.read_units) == (2.0, 0.0)
    (consumed,) = sent.consumed
    assert consumed.global_secondary_indexes is not None
    assert list(consumed.global_secondary_indexes) == ["by_person"]
    store.get(ADA, consistent=True)
    assert calls[-1].read_units == 1.0
    assert isinstance(calls[-1].requests[0].operation, GetItem)
    assert 0 < calls[-1].seconds < 60


def test_further_pages_of_a_query_are_continued_calls(store: Store, calls: list[Call]) -> None:
    store.put_many([ballot(f"v{number}", notes=["x" * 300_000]) for number in range(8)])
    calls.clear()
    assert len(list(store.query(ALL))) == 8
    assert [call.continued for call in calls] == [False, True, True]
    assert all(isinstance(call.requests[0].operation, Query) for call in calls)


def test_failed_call_has_its_error(store: Store, calls: list[Call]) -> None:
    store.create(ballot("ada"))
    with pytest.raises(AlreadyExists):
        store.create(ballot("ada"))
    assert isinstance(calls[-1].error, AlreadyExists)
    assert calls[0].error is None


def test_call_lists_reasons_of_pauses(
    driver: FaultyDriver, store: Store, calls: list[Call]
) -> None:
    driver.faults = Faults(throttle=Next(2))
    store.get(ADA)
    assert list(calls[-1].pauses) == ["unavailable", "unavailable"]
    assert (calls[-1].retries, calls[-1].conflicts) == (2, 0)
    assert [type(sent.error) for sent in calls[-1].requests[:2]] == [Throttled, Throttled]
    driver.faults = Faults(conflict=Next(1))
    store.create(Member(name="ada", email="a@b.c"))
    assert calls[-1].conflicts == 1
    driver.faults = Faults(unprocessed=Next(1))
    store.get_many([Ballot.key("L", f"v{number}") for number in range(9)])
    assert list(calls[-1].pauses) == ["unprocessed"]
    assert isinstance(calls[-1].requests[0].operation, BatchGetItem)


def test_failing_observer_does_not_fail_the_call(
    driver: FaultyDriver, store: Store, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(call: Call) -> None:
        raise ZeroDivisionError

    Store(driver, observers=[broken]).put(ballot("ada"))
    assert store.get(ADA) is not None
    assert "An observer of the store failed" in caplog.text


# The work of a canceled call is abandoned; Python signals it with GeneratorExit.
def test_canceled_call_is_observed() -> None:
    calls: list[Call] = []

    async def cancelled() -> None:
        with Engine.in_memory() as engine:
            store = AsyncStore(Cancelled(engine), observers=[calls.append])
            with pytest.raises(asyncio.CancelledError):
                await store.get(ADA)

    asyncio.run(cancelled())
    assert isinstance(calls[0].error, GeneratorExit)


def test_observed_store_reports_its_own_calls_to_one_more_observer(
    store: Store, calls: list[Call]
) -> None:
    own: list[Call] = []
    observed = store.observed(own.append)
    observed.put(ballot("ada"))
    store.get(ADA)
    assert [call.shape.method for call in own] == ["put"]
    assert [call.shape.method for call in calls] == ["put", "get"]
    with pytest.raises(InvalidValue, match="observers"):
        store.observed("log")  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]


def test_requests_count_the_items_they_examined_and_returned(
    store: Store, calls: list[Call]
) -> None:
    store.put_many([ballot("ada"), ballot("bob")])
    list(store.query(ALL, where=Ballot.choice == "none"))
    store.get_many([ADA, Ballot.key("L", "nobody")])
    store.get(ADA)
    store.transact_get(ADA, Ballot.key("L", "nobody"))
    counts = [[(sent.scanned_count, sent.count) for sent in call.requests] for call in calls]
    assert counts == [[(0, 0)], [(2, 0)], [(1, 1)], [(1, 1)], [(1, 1)]]
