"""Deleting a partition releases the unique values of its items and reduces the counters."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any, TypeVar

import pytest

from dynamodb_engine.engine import Engine
from dynamodb_engine.faults import Faults, FaultyDriver
from dynamodb_engine.operations import PutItem, Scan, TransactWriteItems
from dynamodb_engine.testing import Crash, InterruptedDriver
from dynamodb_engine.values import Item
from singletable.errors import InvalidValue, ItemMismatch, SingleTableError
from singletable.store import Call, DeleteResult, Progress, Store
from singletable.testing import StoreClock
from tests.store.bulk_entities import Comment, Issue, Person, Project, Session, Shelf, tracker
from tests.store.store_adapter import StoreOpener
from tests.store.stores import existing, open_store
from tests.store.test_bulk_load import design

R = TypeVar("R")

ACME = Issue.key.partition("acme")


@pytest.fixture
def store(empty: Store) -> Store:
    empty.admin.create_table(tracker)
    load(empty)
    return empty


def load(store: Store) -> None:
    """Store 2 people, and the partition of acme: 2 projects, 30 issues, 30 comments."""
    store.bulk_load([*design(), Project(org="other", name="web")])
    store.bulk_load(
        [
            Issue(org="other", project="web", number=n, slug=f"slug-{n}", reporter="ada")
            for n in (1, 2)
        ]
    )


def check_only_acme_is_deleted(store: Store) -> None:
    """Check that counters and unique values are as if the partition had never been there."""
    people = store.get_many([Person.key("ada"), Person.key("bea")])
    assert [one and one.reported for one in people] == [2, 0]
    items = store.admin.items(tracker, 100).items
    assert not [item for item in items if item["PK"] == {"S": "ORG#acme"}]
    # 2 people with their e-mails, a session with its token, a project with 2 issues and slugs
    assert len(items) == 4 + 2 + 1 + 4
    assert store.find(Issue.one_slug("acme", "slug-1")) is None
    assert store.find(Issue.one_slug("other", "slug-1")) is not None


def test_delete_partition_deletes_items_of_all_entities(store: Store) -> None:
    assert store.delete_partition(ACME, dry_run=True) == DeleteResult(deleted=62, kept=0)
    assert len(list(store.query(ACME))) == 30
    assert store.delete_partition(ACME) == DeleteResult(deleted=62, kept=0)
    check_only_acme_is_deleted(store)
    assert store.delete_partition(ACME) == DeleteResult(deleted=0, kept=0)
    assert store.bulk_load(design()).written == 62


def test_narrowed_partition_deletes_its_range_with_descendants(store: Store) -> None:
    assert store.delete_partition(ACME.eq("web").eq(1)).deleted == 1 + 30  # with its comments
    assert store.get(Issue.key("acme", "web", 1)) is None
    assert store.get(Issue.key("acme", "web", 11)) is not None
    assert existing(store.get(Project.key("acme", "web"))).issues == 14
    assert store.delete_partition(ACME.eq("api")).deleted == 15
    assert existing(store.get(Project.key("acme", "api"))).issues == 0
    assert store.delete_partition(Project.key.partition("acme").eq("api")).deleted == 1
    assert len(list(store.query(ACME))) == 14


def test_delete_partition_deletes_every_shard(store: Store) -> None:
    store.put_many(Shelf(org="acme", book=f"b{n}") for n in range(40))
    store.put(Shelf(org="other", book="b1"))
    assert store.delete_partition(Shelf.key.partition("acme")).deleted == 40
    assert store.get(Shelf.key("other", "b1")) is not None


def test_delete_partition_deletes_expired_items(store: Store, clock: StoreClock) -> None:
    store.create(
        Session(person="ada", device="old", token="t2", ends=clock.now + timedelta(minutes=1))
    )
    clock.advance(hours=1)
    assert store.delete_partition(Session.key.partition("ada")).deleted == 3
    assert store.bulk_load([Session(person="bea", device="x", token="t2")]).written == 1


def test_delete_killed_at_every_request_can_be_repeated(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("singletable.store.bulk.MAX_TRANSACTION_ITEMS", 16)
    loaded = Engine.in_memory()
    load(open_store(tracker, driver=loaded))
    for requests in range(1000):
        engine = loaded.copy()
        killed = InterruptedDriver(engine)
        killed.crash_after(requests)
        try:
            Store(killed).delete_partition(ACME)
        except Crash:
            Store(engine).delete_partition(ACME)
        else:
            assert requests >= 7
            return
        check_only_acme_is_deleted(Store(engine))


FAULTS = [
    Faults(throttle=0.2, conflict=0.2, unprocessed=0.3, seed=1),
    Faults(internal=0.2, internal_after=0.2, seed=2),
]


@pytest.mark.parametrize("faults", FAULTS)
@pytest.mark.usefixtures("waits")
def test_delete_on_a_failing_driver(faults: Faults, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("singletable.store.bulk.MAX_TRANSACTION_ITEMS", 16)
    with Engine.in_memory() as engine:
        driver = FaultyDriver(engine)
        store = Store(engine)
        Store(driver).admin.create_table(tracker)
        load(Store(driver))
        with driver.inject(faults):
            for _ in range(20):
                try:
                    Store(driver).delete_partition(ACME)
                except SingleTableError:
                    continue
                break
        check_only_acme_is_deleted(store)


def test_item_that_changes_meanwhile_is_deleted_as_it_is() -> None:
    other = open_store(tracker)
    load(other)

    def rename() -> None:
        other.update(Issue.key("acme", "web", 1), Issue.slug.set("changed"))

    renaming = InterruptedDriver(other.driver, TransactWriteItems, before=rename)
    Store(renaming).delete_partition(ACME)
    check_only_acme_is_deleted(other)


STRANGE: Item = {"PK": {"S": "ORG#acme"}, "SK": {"S": "STRANGE"}}


def test_items_of_no_entity_raise_unless_kept_or_deleted(store: Store, opener: StoreOpener) -> None:
    opener.driver.execute(PutItem("tracker", STRANGE))
    with pytest.raises(ItemMismatch, match="undeclared='delete'") as caught:
        store.delete_partition(ACME)
    assert caught.value.key == STRANGE
    assert store.get(Issue.key("acme", "web", 1)) is not None
    assert store.delete_partition(ACME, undeclared="keep") == DeleteResult(deleted=62, kept=1)
    assert STRANGE in opener.driver.execute(Scan("tracker")).items
    assert store.delete_partition(ACME, undeclared="delete") == DeleteResult(deleted=1, kept=0)
    check_only_acme_is_deleted(store)


def test_delete_partition_reports_progress_and_calls(store: Store, calls: list[Call]) -> None:
    store.put_many(Comment(org="a", project="w", number=n, text=f"{n}") for n in range(60))
    seen: list[Progress] = []
    observed = store.observed(calls.append)
    deleted = observed.delete_partition(Comment.key.partition("a"), on_progress=seen.append)
    assert deleted.deleted == 60
    assert seen == [Progress(60, None)]
    assert [call.shape.method for call in calls] == ["delete_partition"]


INVALID: dict[str, tuple[Callable[[Any], object], str]] = {
    "an index": (lambda store: store.delete_partition(Issue.by_title()), "is in an index"),
    "a key": (lambda s: s.delete_partition(Issue.key("a", "b", 1)), "expected a selection"),
    "an entity": (lambda s: s.delete_partition(Issue), "expected a selection"),
    "a choice": (lambda s: s.delete_partition(ACME, undeclared="drop"), "undeclared: expected"),
    "no function": (lambda s: s.delete_partition(ACME, on_progress=True), "expected a function"),
}


@pytest.mark.parametrize("name", INVALID)
def test_invalid_arguments_are_rejected(name: str) -> None:
    store = open_store(tracker)
    load(store)
    call, message = INVALID[name]
    with pytest.raises(InvalidValue, match=message):
        call(store)
    assert len(list(store.query(ACME))) == 30
