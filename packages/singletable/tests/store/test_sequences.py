"""Sequences: items get the next number of their parent when they are created."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any

import pytest

from dynamodb_engine.engine import Engine
from dynamodb_engine.faults import Faults, FaultyDriver, Next
from dynamodb_engine.operations import TransactWriteItems, UpdateItem
from singletable.errors import AlreadyExists, ConditionFailed, InvalidValue, NotFound, OutOfScope
from singletable.schema import (
    Attr,
    Count,
    Entity,
    Key,
    Table,
    Unique,
    attr,
    created,
    evolve,
    expires,
    key_of,
    padded,
    sequence,
    updated,
    version,
)
from singletable.store import Call, Store
from singletable.testing import StoreClock
from tests.store.stores import existing, open_store

table = Table("tracker", ttl="gone")


class Project(Entity, table=table):
    org: Attr[str] = attr()
    project: Attr[str] = attr()
    title: Attr[str] = attr(default="")
    last_number: Attr[int] = attr(default=0)
    issues: Attr[int] = attr(default=0)
    gone: Attr[datetime | None] = expires(default=None)
    changed: Attr[datetime] = updated()
    version: Attr[int] = version()
    key = Key(pk=("ORG", org), sk=("PROJECT", project))


class Issue(Entity, table=table):
    org: Attr[str] = attr()
    project: Attr[str] = attr()
    number: Attr[int] = sequence(Project.last_number, key=(org, project))
    title: Attr[str] = attr(default="")
    slug: Attr[str | None] = attr(default=None)
    made: Attr[datetime] = created()
    key = Key(pk=("PROJECT", org, project), sk=("ISSUE", padded(number, 6)))
    one_slug = Unique(org, slug)
    counted = Count(Project, Project.issues, key=(org, project))


class Release(Entity, table=table):
    """Shares the numbers of issues, as pull requests do, but not in its key."""

    org: Attr[str] = attr()
    project: Attr[str] = attr()
    name: Attr[str] = attr()
    number: Attr[int] = sequence(Project.last_number, key=(org, project))
    key = Key(pk=("PROJECT", org, project), sk=("RELEASE", name))


class Counter(Entity, table=table):
    """Its numbers start after 1000, also where the stored item has none."""

    name: Attr[str] = attr()
    last: Attr[int] = attr(default=1000)
    key = Key(pk=("COUNTER", name), sk="COUNTER")


class Invoice(Entity, table=table):
    counter: Attr[str] = attr()
    number: Attr[int] = sequence(Counter.last, key=(counter,), name="no")
    total: Attr[int] = attr(default=0)
    key = Key(pk=("COUNTER", counter), sk=("INVOICE", padded(number, 6)))


class OldCounter(Entity, table=Table("tracker")):
    """A counter as it was before it had a number."""

    name: Attr[str] = attr()
    key = Key(pk=("COUNTER", name), sk="COUNTER")


@pytest.fixture
def store(empty: Store) -> Store:
    empty.admin.create_table(table)
    for project in ("web", "api"):
        empty.create(Project(org="acme", project=project))
    return empty


def issue(project: str = "web", **values: Any) -> Issue:
    return Issue(org="acme", project=project, **values)


def last_number(store: Store, project: str = "web") -> int:
    return existing(store.get(Project.key("acme", project))).last_number


def test_items_are_numbered_from_one_for_each_parent(store: Store) -> None:
    numbers = [store.create(issue(project)).number for project in ("web", "web", "api", "web")]
    assert numbers == [1, 2, 1, 3]
    assert (last_number(store), last_number(store, "api")) == (3, 1)
    assert existing(store.get(Issue.key("acme", "web", 3))).number == 3
    assert [one.number for one in store.query(Issue.key.partition("acme", "web"))] == [1, 2, 3]


def test_two_entities_share_a_sequence(store: Store) -> None:
    first = store.create(issue())
    release = store.create(Release(org="acme", project="web", name="1.0"))
    assert (first.number, release.number, store.create(issue()).number) == (1, 2, 3)


def test_taking_a_number_changes_neither_version_nor_time_of_the_parent(
    store: Store, clock: StoreClock
) -> None:
    before = existing(store.get(Project.key("acme", "web")))
    clock.advance(hours=1)
    store.create(issue())
    after = existing(store.get(Project.key("acme", "web")))
    assert (after.version, after.changed) == (before.version, before.changed)
    assert (after.last_number, after.issues) == (1, 1)


def test_put_and_modify_of_the_parent_keep_its_number(store: Store) -> None:
    old = existing(store.get(Project.key("acme", "web")))
    store.create(issue())
    old.title = "Website"
    assert store.replace(old).last_number == 1

    def rename(project: Project) -> None:
        project.title, project.last_number = "Web", 0

    assert store.modify(Project.key("acme", "web"), rename).last_number == 1
    assert store.create(issue()).number == 2


def test_the_constructor_rejects_a_number() -> None:
    with pytest.raises(InvalidValue, match=r"Issue\.number is set by the store"):
        Issue(org="acme", project="web", number=7)  # type: ignore[call-arg]  # pyright: ignore[reportCallIssue]


def test_an_item_has_no_number_and_no_key_before_it_is_created() -> None:
    new = issue()
    with pytest.raises(AttributeError, match=r"Issue\.number has no value yet: store\.create"):
        _ = new.number
    with pytest.raises(AttributeError, match=r"Issue\.number has no value yet"):
        key_of(new)


def test_evolve_and_edits_reject_the_number(store: Store) -> None:
    stored = store.create(issue())
    assert evolve(stored, title="x").number == 1
    assert evolve(issue(), title="x").title == "x"
    with pytest.raises(InvalidValue, match="set by the store"):
        evolve(stored, number=2)
    with pytest.raises(InvalidValue, match="set by the store"):
        Release.edits({"number": 2})
    with pytest.raises(InvalidValue, match="counts or numbers other items"):
        Project.edits({"last_number": 2})


def test_an_assigned_number_is_kept_and_the_parent_is_unchanged(store: Store) -> None:
    old = issue()
    old.number = 7
    assert store.create(old).number == 7
    assert last_number(store) == 0
    store.update(Project.key("acme", "web"), Project.last_number.set(7))
    assert store.create(issue()).number == 8


@pytest.mark.parametrize("clears", [True, False])
def test_create_without_parent_writes_nothing(
    store: Store, clock: StoreClock, clears: bool
) -> None:
    if clears:
        store.delete(Project.key("acme", "web"))
    else:
        gone = clock() + timedelta(minutes=1)
        store.update(Project.key("acme", "web"), Project.gone.set(gone))
        clock.advance(minutes=2)
    new = issue()
    with pytest.raises(NotFound) as error:
        store.create(new)
    assert "Project.key(org='acme', project='web'), which numbers Issue items" in str(error.value)
    assert "number" not in vars(new)
    assert list(store.query(Issue.key.partition("acme", "web"))) == []


def test_a_failing_create_leaves_the_item_without_number(store: Store) -> None:
    store.create(issue(slug="home"))
    new = issue(slug="home")
    with pytest.raises(AlreadyExists):
        store.create(new)
    assert "number" not in vars(new)
    new.slug = "start"
    # The number of the create that failed is not used.
    assert store.create(new).number == 3
    blocked = issue()
    with pytest.raises(ConditionFailed):
        store.create(blocked, if_=Issue.title == "x")
    assert "number" not in vars(blocked)


def test_an_invalid_item_takes_no_number(store: Store) -> None:
    new = issue()
    new.title = 3  # type: ignore[assignment]  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(InvalidValue):
        store.create(new)
    with pytest.raises(InvalidValue), store.transaction() as tx:
        tx.create(new)
    assert last_number(store) == 0


def test_other_writes_need_a_number(store: Store) -> None:
    message = r"Issue\.number has no value: only create\(\) assigns the next number"
    calls: list[Callable[[], object]] = [
        lambda: store.put(issue()),
        lambda: store.replace(issue()),
        lambda: store.bulk_load([issue()]),
    ]
    for call in calls:
        with pytest.raises(InvalidValue, match=message):
            call()
    with pytest.raises(InvalidValue, match=message), store.transaction() as tx:
        tx.put(issue())
    release = Release(org="acme", project="web", name="1.0")
    with pytest.raises(InvalidValue, match=r"Release\.number has no value"):
        store.put_many([release])
    with pytest.raises(InvalidValue, match=r"Project has a version"):
        store.put_many([Project(org="acme", project="web")])
    with pytest.raises(InvalidValue, match="needs a value for number"):
        store.upsert(Release.key("acme", "web", "1.0"))
    assert last_number(store) == 0


def test_numbered_items_are_put_loaded_and_upserted(store: Store) -> None:
    first = store.create(issue())
    first.title = "Changed"
    store.put(first)
    old = issue(title="old")
    old.number = 40
    parent = Project(org="acme", project="old", last_number=40)
    child = issue("old")
    child.number = 40
    assert store.bulk_load([old, parent, child]).written == 3
    assert store.bulk_load([old, parent, child]).skipped == 3
    assert store.create(issue("old")).number == 41
    # The parent has numbered another item since.
    parent = Project(org="acme", project="old", last_number=40)
    assert store.bulk_load([parent]).skipped == 1
    assert store.upsert(Issue.key("acme", "web", 40), Issue.title.set("new")).number == 40
    assert store.upsert(Issue.key("acme", "web", 50), Issue.title.set("new")).number == 50


def test_a_transaction_numbers_its_items_before_it_is_sent(store: Store) -> None:
    one, two, other, kept = issue(), issue(), issue("api"), issue()
    kept.number = 90
    with store.transaction() as tx:
        for new in (one, two, other, kept):
            tx.create(new)
        assert "number" not in vars(one)
    assert [new.number for new in (one, two, other, kept)] == [1, 2, 1, 90]
    assert last_number(store) == 2
    assert store.get(key_of(two)) == two


def test_a_failing_transaction_leaves_items_without_numbers(store: Store) -> None:
    new = issue()
    with pytest.raises(NotFound), store.transaction() as tx:  # noqa: PT012
        tx.create(new)
        tx.check(Project.key("acme", "missing"))
    assert "number" not in vars(new)
    assert store.get(Issue.key("acme", "web", 1)) is None


def test_a_parent_of_the_same_transaction_is_explained(store: Store) -> None:
    parent, child = Project(org="acme", project="new"), issue("new")
    message = "would create it, but numbers are taken before"
    with pytest.raises(NotFound, match=message), store.transaction() as tx:  # noqa: PT012
        tx.create(parent)
        tx.create(child)
    parent.last_number = child.number = 1
    with store.transaction() as tx:
        tx.create(parent)
        tx.create(child)
    assert store.create(issue("new")).number == 2


def test_numbers_start_after_the_default_of_the_parent(store: Store) -> None:
    store.create(OldCounter(name="old"))
    store.create(Counter(name="new"))
    for name in ("old", "new"):
        numbers = [store.create(Invoice(counter=name)).number for _ in range(2)]
        assert numbers == [1001, 1002]


def test_a_scoped_store_takes_numbers_in_its_scope_only(store: Store) -> None:
    scoped = store.scoped(org="acme")
    assert scoped.create(issue()).number == 1
    store.create(Project(org="other", project="web"))
    with pytest.raises(OutOfScope):
        scoped.create(Issue(org="other", project="web"))
    assert existing(store.get(Project.key("other", "web"))).last_number == 0


@pytest.mark.usefixtures("waits")
def test_a_retry_after_a_conflict_takes_no_other_number(calls: list[Call]) -> None:
    driver = FaultyDriver(Engine.in_memory())
    store = open_store(table, driver=driver, observers=[calls.append])
    store.create(Project(org="acme", project="web"))
    conflicts = Faults(conflict=Next(3), operations=("TransactWriteItems",))
    with driver.inject(conflicts):
        assert store.create(issue()).number == 1
    new = issue()
    with driver.inject(conflicts), store.transaction() as tx:
        tx.create(new)
    assert new.number == 2
    sent = [one.operation for call in calls for one in call.requests]
    updates = [one for one in sent if isinstance(one, UpdateItem)]
    assert [one.return_values for one in updates] == ["UPDATED_NEW"] * 2
    assert sum(isinstance(one, TransactWriteItems) for one in sent) == 2 * 4


def test_concurrent_creates_get_distinct_numbers() -> None:
    store = open_store(table)
    store.create(Project(org="acme", project="web"))

    def create(at: int) -> int:
        new = Release(org="acme", project="web", name=f"r{at}")
        return store.create(new).number

    with ThreadPoolExecutor(8) as threads:
        numbers = list(threads.map(create, range(200)))
    assert sorted(numbers) == list(range(1, 201))
    assert last_number(store) == 200
