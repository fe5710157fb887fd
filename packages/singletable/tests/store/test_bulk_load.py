"""A bulk load stores items of any entity once, however often it is interrupted and repeated."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

import pytest

from dynamodb_engine.engine import AsyncEngine, Engine
from dynamodb_engine.faults import AsyncFaultyDriver, Faults, FaultyDriver
from dynamodb_engine.operations import Driver, PutItem, Scan, TransactWriteItems
from dynamodb_engine.testing import Crash, InterruptedDriver
from dynamodb_engine.values import Item
from singletable import errors
from singletable.schema import key_of
from singletable.store import AsyncStore, Call, LoadConflict, LoadResult, Progress, Store
from singletable.testing import StoreClock
from tests.store.bulk_entities import (
    Comment,
    Event,
    Issue,
    Person,
    Project,
    Session,
    Visit,
    Visitor,
    tracker,
    visits,
)
from tests.store.store_adapter import StoreOpener
from tests.store.stores import existing, open_store, request_names

R = TypeVar("R")
TABLES = (tracker,)


def design(issues: int = 30) -> list[object]:
    """Return new items of all kinds; those that count others come first."""
    return [
        *(Project(org="acme", name=name) for name in ("api", "web")),
        *(Person(name=name, email=f"{name}@x") for name in ("ada", "bea")),
        *(
            Issue(
                org="acme",
                project=("api", "web")[number % 2],
                number=number,
                slug=f"slug-{number}" if number % 3 else None,
                reporter=("ada", "bea", None)[number % 3],
                title=f"Issue {number}",
                labels={"b", "a"},
            )
            for number in range(issues)
        ),
        *(Comment(org="acme", project="web", number=1, text=f"c{n}") for n in range(issues)),
        Session(person="ada", device="phone", token="t1"),
    ]


def check_design(store: Store, issues: int = 30) -> None:
    """Check that all items are stored once, with their counters and markers."""
    assert None not in store.get_many([key_of(item) for item in design(issues)])
    projects = [store.get(Project.key("acme", name)) for name in ("api", "web")]
    assert [one and one.issues for one in projects] == [issues // 2, issues // 2]
    people = [store.get(Person.key(name)) for name in ("ada", "bea")]
    assert [one and one.reported for one in people] == [issues // 3, issues // 3]
    assert store.find(Issue.one_slug("acme", "slug-1")) == store.get(Issue.key("acme", "web", 1))
    assert store.find(Person.one_email("ada@x")) == people[0]


def dump(driver: Driver) -> list[str]:
    """Return everything that is stored."""
    items = driver.execute(Scan("tracker")).items
    return sorted(str(sorted(item.items())) for item in items)


def test_bulk_load_stores_items_of_any_entity(store: Store) -> None:
    loaded = design()
    assert store.bulk_load(loaded) == LoadResult(written=65, skipped=0, conflicts=0)
    check_design(store)
    # Projects and people, the first four, have counted since.
    assert store.get_many([key_of(item) for item in loaded[4:]]) == loaded[4:]


def test_repeated_load_skips_stored_items(store: Store, opener: StoreOpener) -> None:
    store.bulk_load(design())
    before = dump(opener.driver)
    again = design()
    assert store.bulk_load(again) == LoadResult(written=0, skipped=65, conflicts=0)
    assert dump(opener.driver) == before
    ada = again[2]
    assert isinstance(ada, Person)
    assert (ada.version, ada.made) == (1, datetime(2026, 1, 1, 12, tzinfo=UTC))


def test_repeated_load_skips_a_later_load(store: Store, clock: StoreClock) -> None:
    store.bulk_load(design(6))
    clock.advance(hours=1)
    assert store.bulk_load(design(12)).skipped == 17
    check_design(store, 12)


def test_load_killed_at_every_request_counts_nothing_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Many small transactions, and several windows.
    monkeypatch.setattr("singletable.store.bulk.MAX_TRANSACTION_ITEMS", 10)
    monkeypatch.setattr("singletable.store.bulk_load.WINDOW", 20)
    for requests in range(1000):
        engine = Engine.in_memory()
        store = open_store(tracker, driver=engine)
        killed = InterruptedDriver(engine)
        killed.crash_after(requests)
        try:
            Store(killed).bulk_load(design(12))
        except Crash:
            result = store.bulk_load(design(12))
        else:
            assert requests >= 10
            return
        assert result.written + result.skipped == 29
        check_design(store, 12)
        assert len(dump(engine)) == 29 + 8 + 2 + 1  # with the markers of slugs, e-mails and tokens


FAULTS = {
    "throttled": Faults(throttle=0.3, seed=1),
    "unavailable": Faults(unavailable=0.3, seed=2),
    "conflicts": Faults(conflict=0.6, seed=3),
    "unprocessed": Faults(unprocessed=0.5, seed=4),
    "lost responses": Faults(internal_after=0.6, seed=5),
    "all": Faults(
        throttle=0.1, conflict=0.1, unprocessed=0.3, internal=0.1, internal_after=0.1, seed=6
    ),
}


@pytest.mark.usefixtures("waits")
@pytest.mark.parametrize("name", FAULTS)
def test_load_on_a_failing_driver_counts_nothing_twice(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("singletable.store.bulk.MAX_TRANSACTION_ITEMS", 12)
    with Engine.in_memory() as engine:
        driver = FaultyDriver(engine)
        Store(driver).admin.create_table(tracker)
        with driver.inject(FAULTS[name]):
            for _ in range(20):
                try:
                    result = Store(driver).bulk_load(design())
                except errors.SingleTableError:
                    continue
                break
            assert sum(driver.injected.values()) > 2
        assert result.written + result.skipped == 65
        check_design(Store(engine))


def test_async_load_sends_transactions_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("singletable.store.bulk.MAX_TRANSACTION_ITEMS", 12)

    async def no_wait(seconds: float) -> None:
        pass

    async def each() -> AsyncIterator[object]:
        for item in design():
            yield item

    async def load() -> LoadResult:
        with Engine.in_memory() as engine:
            driver = AsyncFaultyDriver(AsyncEngine(engine), Faults(conflict=0.2, unprocessed=0.2))
            store = AsyncStore(driver)
            await store.admin.create_table(tracker)
            with monkeypatch.context() as patch:
                patch.setattr("asyncio.sleep", no_wait)
                result = await store.bulk_load(each())
            check_design(Store(engine))
            return result

    assert asyncio.run(load()) == LoadResult(65, 0, 0)


def test_load_needs_few_requests(store: Store, calls: list[Call]) -> None:
    issues = (Issue(org="acme", project="web", number=n) for n in range(390))
    store.observed(calls.append).bulk_load([Project(org="acme", name="web"), *issues])
    assert request_names(calls) == [["BatchGetItem"] * 4 + ["TransactWriteItems"] * 4]
    assert calls[0].shape.method == "bulk_load"
    assert existing(store.get(Project.key("acme", "web"))).issues == 390


# A window is read only if something was stored before; otherwise its transactions find out.
@pytest.mark.parametrize("stored", [range(0), range(5), range(45, 46), range(119, 120)], ids=str)
def test_load_finds_stored_items_in_any_window(
    store: Store, calls: list[Call], stored: range, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("singletable.store.bulk_load.WINDOW", 40)
    store.put(Project(org="acme", name="web"))
    issues = [Issue(org="acme", project="web", number=n, slug=f"s{n}") for n in range(120)]
    store.bulk_load([issues[n] for n in stored])
    changed = Issue(org="acme", project="web", number=110, title="changed")
    store.create(changed)
    conflicts: list[LoadConflict] = []
    result = store.observed(calls.append).bulk_load(issues, on_conflict=conflicts.append)
    assert result == LoadResult(119 - len(stored), len(stored), 1)
    assert [one.item for one in conflicts] == [issues[110]]
    assert store.get(key_of(changed)) == changed
    assert existing(store.get(Project.key("acme", "web"))).issues == 120
    reads = ["BatchGetItem" in names for names in request_names(calls)]
    assert reads[:3] == [True, 0 in stored, 45 in stored]


# DynamoDB limits the length of a condition, and merging counters must not repeat it.
def test_load_merges_counters_of_items_that_expire(empty: Store) -> None:
    empty.admin.create_table(visits)
    ends = datetime(2027, 1, 1, tzinfo=UTC)
    empty.create(Visitor(name="ada", ends=ends))
    assert empty.bulk_load(Visit(visitor="ada", number=n) for n in range(250)).written == 250
    assert existing(empty.get(Visitor.key("ada"))).visits == 250


def test_load_reports_progress(store: Store) -> None:
    seen: list[Progress] = []
    items = [Comment(org="acme", project="w", number=1, text=str(n)) for n in range(900)]
    store.bulk_load(items, on_progress=seen.append)
    assert seen == [Progress(400, 900), Progress(800, 900), Progress(900, 900)]
    seen.clear()
    store.bulk_load(iter(items[:3]), on_progress=seen.append)
    assert seen == [Progress(3, None)]
    assert store.bulk_load([], on_progress=seen.append) == LoadResult(0, 0, 0)
    assert len(seen) == 1


def test_load_reads_a_generator_as_it_writes(store: Store) -> None:
    taken: list[int] = []

    def items() -> Iterator[Comment]:
        for number in range(2000):
            taken.append(number)
            yield Comment(org="acme", project="w", number=1, text=str(number))

    done: list[tuple[int, int]] = []
    store.bulk_load(items(), on_progress=lambda progress: done.append((progress.done, len(taken))))
    assert done == [(n, n) for n in (400, 800, 1200, 1600, 2000)]


def test_load_raises_if_the_stored_item_differs(store: Store) -> None:
    store.bulk_load(design(6))
    changed = Comment(org="acme", project="web", number=1, text="c1")
    store.update(Issue.key("acme", "web", 1), Issue.title.set("Other"))
    with pytest.raises(errors.AlreadyExists, match="differs in title") as caught:
        store.bulk_load(design(6))
    assert caught.value.current == store.get(Issue.key("acme", "web", 1))
    assert any("on_conflict" in note for note in caught.value.__notes__)
    assert store.bulk_load([changed]).skipped == 1


def test_on_conflict_leaves_items_out(store: Store) -> None:
    store.bulk_load(design(6))
    store.update(Issue.key("acme", "web", 1), Issue.title.set("Other"))
    conflicts: list[LoadConflict] = []
    result = store.bulk_load(
        [
            *design(12),
            Issue(org="acme", project="web", number=99, slug="slug-2"),
            Issue(org="acme", project="none", number=1),
            Person(name="cid", email="ada@x"),
            Comment(org="acme", project="web", number=1, text="c0"),
        ],
        on_conflict=conflicts.append,
    )
    assert result == LoadResult(written=12, skipped=17, conflicts=4)
    assert {type(one.error) for one in conflicts} == {errors.AlreadyExists, errors.NotFound}
    assert {(str(one.key), getattr(one.error, "fields", None)) for one in conflicts} == {
        (str(Issue.key("acme", "web", 1)), ("org", "project", "number")),
        (str(Issue.key("acme", "web", 99)), ("org", "slug")),
        (str(Issue.key("acme", "none", 1)), None),
        (str(Person.key("cid")), ("email",)),
    }
    check_design(store, 12)


def test_equal_keys_and_values_in_one_load_are_found(store: Store) -> None:
    conflicts: list[LoadConflict] = []
    people = [
        Person(name="ada", email="ada@x"),
        Person(name="ada", email="ada@x"),
        Person(name="ada", email="other@x"),
        Person(name="bea", email="ada@x"),
        Comment(org="a", project="w", number=1, text="c"),
        Comment(org="a", project="w", number=1, text="c"),
    ]
    result = store.bulk_load(people, on_conflict=conflicts.append)
    assert result == LoadResult(written=2, skipped=2, conflicts=2)
    assert [one.item for one in conflicts] == [people[2], people[3]]
    with pytest.raises(errors.AlreadyExists):
        store.bulk_load(people)


def test_load_keeps_version_and_times_of_items_from_elsewhere(store: Store) -> None:
    then = datetime(2020, 1, 1, tzinfo=UTC)
    ada = Person(name="ada", email="ada@x")
    ada.version, ada.made, ada.changed = 7, then, then
    assert store.bulk_load([ada, Person(name="bea", email="bea@x")]).written == 2
    stored = existing(store.get(Person.key("ada")))
    assert (stored.version, stored.made, stored.changed) == (7, then, then)
    assert stored == ada
    assert store.bulk_load([ada]).skipped == 1
    store.replace(ada)


# An item that was read elsewhere has the count of the items there, which are loaded after it.
def test_load_counts_from_zero(store: Store) -> None:
    result = store.bulk_load(
        [
            Project(org="acme", name="web", issues=2),
            Issue(org="acme", project="web", number=1),
            Issue(org="acme", project="web", number=2),
        ]
    )
    assert result.written == 3
    project = existing(store.get(Project.key("acme", "web")))
    assert project.issues == 2
    copied = [project, *store.query(Issue.key.partition("acme"))]
    assert store.bulk_load(copied).skipped == 3


def test_load_writes_over_expired_items(store: Store, clock: StoreClock) -> None:
    store.bulk_load(
        [Session(person="ada", device="phone", token="t1", ends=clock.now + timedelta(minutes=1))]
    )
    renewed = Session(person="ada", device="phone", token="t2")
    with pytest.raises(errors.AlreadyExists, match="differs in ends, token"):
        store.bulk_load([renewed])
    clock.advance(hours=1)
    assert store.bulk_load([renewed]).written == 1
    assert store.find(Session.one_token("t2")) == renewed


def test_load_finds_an_item_that_another_program_wrote_meanwhile() -> None:
    other = open_store(tracker)
    people = [Person(name=name, email=f"{name}@x") for name in ("ada", "bea")]

    def create() -> None:
        other.create(Person(name="ada", email="ada@x"))

    racing = Store(InterruptedDriver(other.driver, TransactWriteItems, before=create))
    assert racing.bulk_load(people) == LoadResult(written=1, skipped=1, conflicts=0)
    with pytest.raises(errors.AlreadyExists):
        racing.bulk_load([Person(name="cid", email="bea@x")])


def test_large_items_are_split_into_several_transactions(store: Store) -> None:
    project = Project(org="acme", name="web")
    issues = (Issue(org="acme", project="web", number=n, title="x" * 300_000) for n in range(25))
    with pytest.raises(errors.InvalidValue, match="title"):
        # An index key has at most 1024 bytes.
        store.bulk_load([project, *issues])
    large = (
        Issue(org="acme", project="web", number=n, labels={f"{n}{'x' * 300_000}"})
        for n in range(25)
    )
    assert store.bulk_load([project, *large]).written == 26


INVALID: dict[str, tuple[Callable[[Any], object], str]] = {
    "no list": (lambda store: store.bulk_load(Project(org="a", name="b")), "expected a list"),
    "no item": (lambda store: store.bulk_load([Project]), "expected an item"),
    "a key": (lambda store: store.bulk_load([Project.key("a", "b")]), "expected an item"),
    "no function": (lambda store: store.bulk_load([], on_progress=3), "on_progress: expected a f"),
    "a time in the key": (lambda s: s.bulk_load([Event(org="acme")]), "store the item twice"),
}


@pytest.mark.parametrize("name", INVALID)
def test_invalid_arguments_are_rejected(name: str) -> None:
    call, message = INVALID[name]
    store = open_store(tracker)
    with pytest.raises(errors.InvalidValue, match=message):
        call(store)
    assert dump(store.driver) == []


def test_invalid_item_is_named_by_its_position(store: Store, opener: StoreOpener) -> None:
    event = Event(org="acme")
    event.at = datetime(2026, 1, 1, tzinfo=UTC)
    with pytest.raises(errors.InvalidValue) as caught:
        store.bulk_load([*([event] * 2), Project])
    assert "items[2]" in caught.value.__notes__[0]
    assert dump(opener.driver) == []
    assert store.bulk_load([event, event]) == LoadResult(1, 1, 0)


def test_item_of_another_entity_at_the_key_is_a_conflict(store: Store, opener: StoreOpener) -> None:
    strange: Item = {"PK": {"S": "ORG#acme"}, "SK": {"S": "PROJECT#web"}, "issues": {"S": "many"}}
    opener.driver.execute(PutItem("tracker", strange))
    with pytest.raises(errors.AlreadyExists):
        store.bulk_load([Project(org="acme", name="web")])


@pytest.mark.usefixtures("waits")
def test_overloaded_table_raises_throttled() -> None:
    store = Store(FaultyDriver(open_store(tracker).driver, Faults(throttle=1.0)))
    with pytest.raises(errors.Throttled):
        store.bulk_load([Comment(org="a", project="w", number=1, text="c")])
