"""Observers receive what each call did and consumed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

import pytest

from dynamodb_engine.engine import AsyncEngine, Engine
from dynamodb_engine.faults import Faults, FaultyDriver, Next
from dynamodb_engine.operations import BatchGetItem, GetItem, Operation, PutItem, Query
from singletable.errors import AlreadyExists, InvalidValue, Throttled
from singletable.store import AsyncStore, Call, CallShape, EntityAccess, Store
from tests.store.stores import open_store
from tools.testing.designs.members import Member, members
from tools.testing.designs.votes import Ballot, Candidate, Election, File, ballot, votes

R = TypeVar("R")

ADA = Ballot.key("L", "ada")
ALL = Ballot.key.partition("L")


class Cancelled(AsyncEngine):
    """An engine whose every call is canceled."""

    async def execute(self, operation: Operation[R], /) -> R:
        raise asyncio.CancelledError


@pytest.fixture
def driver(waits: list[float]) -> FaultyDriver:
    return FaultyDriver(Engine.in_memory())


@pytest.fixture
def store(driver: FaultyDriver, calls: list[Call]) -> Store:
    return open_store(votes, members, driver=driver, observers=[calls.append])


def shape(method: str, *accesses: EntityAccess, **options: Any) -> CallShape:
    return CallShape(method, accesses, **options)


def query(key: str, *fields: str, range_field: str | None = None) -> EntityAccess:
    return EntityAccess("query", Ballot, key, fields, range_field)


GET, PUT = EntityAccess("get", Ballot), EntityAccess("put", Ballot)
CREATE, DELETE = EntityAccess("create", Ballot), EntityAccess("delete", Ballot)
UPDATE = EntityAccess("update", Ballot, edited_fields=frozenset({"rank", "choice"}))
FIND = EntityAccess("find", Member, "one_email", ("email",))
PUT_CANDIDATE, GET_ELECTION = EntityAccess("put", Candidate), EntityAccess("get", Election)
COLLECT = [EntityAccess("collect", one, "key", ("name",)) for one in File.entities()]
FEED, SCAN = EntityAccess("feed", Ballot), EntityAccess("scan", Ballot)
QUERY, CHOICE = query("key", "election"), query("by_choice", "election", "choice")
BEN, PY = ballot("ben"), Candidate(election="L", name="py")
OF_PY = Ballot.by_choice("L", "py")
SHAPES: list[tuple[Callable[[Store], object], CallShape]] = [
    (lambda s: s.get(ADA), shape("get", GET)),
    (lambda s: s.get(ADA, consistent=True), shape("get", GET, consistent=True)),
    (lambda s: s.find(Member.one_email("a@b.c")), shape("find", FIND, consistent=True)),
    (lambda s: s.create(BEN), shape("create", CREATE)),
    (lambda s: s.put(BEN), shape("put", PUT)),
    (lambda s: s.replace(ballot("ada")), shape("replace", PUT)),
    (
        lambda s: s.update(ADA, Ballot.rank.add(1), Ballot.choice.set("py")),
        shape("update", UPDATE),
    ),
    (lambda s: s.delete(ADA), shape("delete", DELETE)),
    (lambda s: s.get_many([ADA, Ballot.key("L", "ben")]), shape("get_many", GET)),
    (lambda s: s.put_many([BEN, PY]), shape("put_many", PUT, PUT_CANDIDATE)),
    (lambda s: s.delete_many([ADA]), shape("delete_many", DELETE)),
    (lambda s: list(s.query(ALL)), shape("query", QUERY)),
    (lambda s: list(s.query(ALL.eq("ada"))), shape("query", query("key", "election", "voter"))),
    (
        lambda s: list(s.query(ALL.gt("a"))),
        shape("query", query("key", "election", range_field="voter")),
    ),
    (lambda s: list(s.query(Ballot.by_voter("ada"))), shape("query", query("by_voter", "voter"))),
    (lambda s: list(s.hydrate(OF_PY)), shape("hydrate", CHOICE, hydrates=True)),
    (lambda s: s.page(OF_PY, 5, hydrate=True), shape("page", CHOICE, hydrates=True)),
    (lambda s: s.page(ALL, 10), shape("page", QUERY)),
    (lambda s: s.count(ALL), shape("count", QUERY)),
    (lambda s: list(s.select(ALL, Ballot.rank)), shape("select", QUERY)),
    (lambda s: s.collect(File, Election.key.partition("L")), shape("collect", *COLLECT)),
    (
        lambda s: s.transact_get(ADA, Election.key("L")),
        shape("transact_get", GET, GET_ELECTION, consistent=True),
    ),
    (lambda s: s.changes(Ballot), shape("changes", FEED)),
    (lambda s: list(s.admin.scan(Ballot)), shape("scan", SCAN)),
    (lambda s: s.admin.items(votes, 10), shape("items")),
    (lambda s: s.admin.clear(votes), shape("clear")),
]


@pytest.mark.parametrize(("call", "expected"), SHAPES, ids=lambda one: getattr(one, "method", ""))
def test_each_call_has_a_shape(
    store: Store, calls: list[Call], call: Callable[[Store], object], expected: CallShape
) -> None:
    store.put_many([Election(name="L"), ballot("ada")])
    calls.clear()
    call(store)
    assert calls[0].shape == expected
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
    assert call.shape == shape(
        "transaction",
        CREATE,
        EntityAccess("put", Election),
        EntityAccess("update", Member, edited_fields=frozenset({"town"})),
        EntityAccess("check", Candidate),
        EntityAccess("delete", Candidate),
    )


def test_shape_of_an_upsert_keeps_the_edits_it_was_called_with(
    store: Store, calls: list[Call]
) -> None:
    on_create = [Ballot.choice.set("py")]
    with store.transaction() as transaction:
        transaction.upsert(ADA, Ballot.rank.add(1), on_create=on_create)
        on_create.clear()
    (access,) = calls[0].shape.accesses
    assert access.edited_fields == {"rank", "choice"}


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


def test_canceled_call_is_observed(calls: list[Call]) -> None:
    store = AsyncStore(Cancelled(Engine.in_memory()), observers=[calls.append])
    with pytest.raises(asyncio.CancelledError):
        asyncio.run(store.get(ADA))
    assert isinstance(calls[0].error, asyncio.CancelledError)


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
