"""Read-modify-write: the function sees the newest item, and no update is lost."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from typing import Any

import pytest
from pydantic import BaseModel, field_validator

from dynamodb_engine.engine import Engine
from dynamodb_engine.operations import PutItem
from dynamodb_engine.values import Item
from singletable.errors import AlreadyExists, InvalidValue, NotFound, TransactionConflict
from singletable.schema import Attr, ItemKey, Key, ModelEntity, attr, evolve
from singletable.store import Call, Store
from singletable.testing import StoreClock
from tests.store.issue_entities import ONE, Issue, Note, Notes, Plain, Project, tracker
from tests.store.store_adapter import StoreOpener
from tests.store.stores import existing, open_store, request_names


@pytest.fixture
def store(empty: Store) -> Store:
    empty.admin.create_table(tracker)
    empty.create(Project(name="web"))
    empty.create(Issue(project="web", number=1, title="", slug="s"))
    return empty


def test_modify_in_place_and_by_a_new_item(store: Store, clock: StoreClock) -> None:
    before = existing(store.get(ONE))
    clock.advance(minutes=1)

    def close(issue: Issue) -> None:
        issue.state = "closed"

    found = store.modify(ONE, close)
    assert found == store.get(ONE)
    assert (found.state, found.version, found.made) == ("closed", 2, before.made)
    assert found.changed == clock.now
    found = store.modify(ONE, lambda issue: evolve(issue, title="new"))
    assert (found.state, found.title, found.version) == ("closed", "new", 3)
    found = store.modify(ONE, lambda issue: Issue(project="web", number=1, title="fresh"))
    assert found == store.get(ONE)
    assert (found.state, found.version, found.made) == ("open", 4, before.made)
    store.create(Note(number=1))
    assert store.modify(Notes.key(1), lambda note: Note(number=1, text="x")).text == "x"


def test_modify_maintains_uniques_counts_and_index_keys(store: Store) -> None:
    def change(issue: Issue) -> None:
        issue.slug, issue.state = "t", "closed"

    store.modify(ONE, change)
    assert store.find(Issue.one_slug("s")) is None
    assert store.find(Issue.one_slug("t")) == store.get(ONE)
    assert [one.number for one in store.query(Issue.of_state("web", "closed"))] == [1]
    assert [*store.query(Issue.of_state("web", "open"))] == []
    store.create(Issue(project="web", number=2, title="", slug="u"))
    with pytest.raises(AlreadyExists):
        store.modify(ONE, lambda issue: evolve(issue, slug="u"))
    project = store.modify(Project.key("web"), lambda one: evolve(one, title="x", issues=99))
    assert (project.issues, project.title) == (2, "x")
    assert store.get(Project.key("web")) == project


def test_unknown_attributes_are_kept(store: Store, opener: StoreOpener) -> None:
    stored: Item = {**Plain.key("p").key, "name": {"S": "p"}, "extra": {"S": "x"}}
    opener.driver.execute(PutItem("tracker", stored))
    store.modify(Plain.key("p"), lambda one: evolve(one, voters=["a"]))
    put = PutItem("tracker", stored, return_values="ALL_OLD")
    assert (opener.driver.execute(put).attributes or {})["extra"] == {"S": "x"}


def test_unchanged_items_are_not_written(calls: list[Call]) -> None:
    store = open_store(tracker, observers=[calls.append])
    store.create(Plain(name="p"))
    calls.clear()
    assert store.modify(Plain.key("p"), lambda one: None) == Plain(name="p")
    assert store.modify(Plain.key("p"), lambda one: evolve(one)) == Plain(name="p")
    store.modify(Plain.key("p"), lambda one: evolve(one, note="x"))
    assert request_names(calls) == [["GetItem"], ["GetItem"], ["GetItem", "PutItem"]]
    assert {call.shape.method for call in calls} == {"modify"}


def _fail(_: Issue) -> None:
    raise RuntimeError("no")


async def _wait(_: Issue) -> None: ...


REJECTED: dict[str, tuple[Callable[[Any], object], str]] = {
    "key": (lambda one: evolve(one, number=2), "changed the key"),
    "other type": (lambda one: "x", "must return a Issue"),
    "class": (lambda one: Issue, "must return a Issue"),
    "invalid value": (lambda one: vars(one).update(title=3), "Issue.title"),
    "async": (_wait, "must not be async"),
}


@pytest.mark.parametrize("name", REJECTED)
def test_modify_rejects(store: Store, name: str) -> None:
    function, message = REJECTED[name]
    before = store.get(ONE)
    with pytest.raises(InvalidValue, match=message):
        store.modify(ONE, function)  # type: ignore[arg-type]
    assert store.get(ONE) == before


def test_errors_of_the_function_propagate(store: Store, clock: StoreClock) -> None:
    before = store.get(ONE)
    with pytest.raises(RuntimeError, match="no"):
        store.modify(ONE, _fail)
    with pytest.raises(NotFound):
        store.modify(Issue.key("web", 2), _fail)
    with pytest.raises(InvalidValue, match="expected a function"):
        store.modify(ONE, "x")  # type: ignore[arg-type]
    assert store.get(ONE) == before
    store.create(Plain(name="p", ends=clock.advance(hours=1)))
    clock.advance(days=1)
    with pytest.raises(NotFound):
        store.modify(Plain.key("p"), lambda one: evolve(one, note="x"))


# Another client always writes between the read and the write.
@pytest.mark.parametrize("name", ["version", "attributes"])
def test_modify_calls_the_function_again_after_a_conflict(
    store: Store,
    opener: StoreOpener,
    clock: StoreClock,
    name: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("dynamodb_engine.retry.random.uniform", lambda low, high: 0)
    other = Store(opener.driver, clock=clock)
    store.create(Plain(name="p"))
    key: Any = ONE if name == "version" else Plain.key("p")
    interruptions = 2

    def add(item: Any) -> None:
        nonlocal interruptions
        if interruptions:
            interruptions -= 1
            if key is ONE:
                other.update(ONE, Issue.voters.append("other"))
            else:
                # It adds an attribute that the item did not have.
                edits = [Plain.note.set("x"), Plain.voters.append("other")]
                other.update(Plain.key("p"), edits[interruptions])
        item.voters.append("mine")

    store.modify(key, add)
    found = existing(store.get(key))
    assert found.voters.count("mine") == 1
    assert found.voters.count("other") == (2 if key is ONE else 1)
    if key is ONE:
        interruptions = 1000
        with pytest.raises(TransactionConflict):
            store.modify(key, add)
        found = existing(store.get(key))
        assert found.voters.count("mine") == 1


def test_modify_creates_a_missing_item_from_the_default(store: Store, clock: StoreClock) -> None:
    key, default = Issue.key("web", 2), Issue(project="web", number=2, title="new", slug="n")

    def vote(issue: Issue) -> None:
        issue.voters.append("mine")

    first = store.modify(key, vote, default=default)
    assert first == store.get(key) == store.find(Issue.one_slug("n"))
    assert (first.voters, first.version, first.made) == (["mine"], 1, clock.now)
    assert store.modify(key, vote, default=default).voters == ["mine", "mine"]
    assert default.voters == []
    unchanged = Plain(name="p", ends=clock.now + timedelta(hours=1))
    assert store.modify(Plain.key("p"), lambda one: None, default=unchanged) == unchanged
    clock.advance(days=1)
    expired = store.modify(Plain.key("p"), lambda one: None, default=Plain(name="p", note="x"))
    assert expired == store.get(Plain.key("p")) == Plain(name="p", note="x")


def test_default_is_dropped_if_the_item_is_created_meanwhile(
    store: Store, opener: StoreOpener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dynamodb_engine.retry.random.uniform", lambda low, high: 0)
    other, seen = Store(opener.driver), list[str | None]()

    def vote(plain: Plain) -> None:
        if not seen:
            other.create(Plain(name="p", note="theirs"))
        seen.append(plain.note)
        plain.voters.append("mine")

    found = store.modify(Plain.key("p"), vote, default=Plain(name="p", note="default"))
    assert found == store.get(Plain.key("p")) == Plain(name="p", note="theirs", voters=["mine"])
    assert seen == ["default", "theirs"]


def test_modify_rejects_a_default_of_another_key(store: Store) -> None:
    with pytest.raises(InvalidValue, match="changed the key"):
        store.modify(Plain.key("p"), lambda one: None, default=Plain(name="q"))


def test_concurrent_modifications_lose_nothing(tmp_path: Any) -> None:
    with Engine.on_file(tmp_path / "t.db") as engine:
        store = open_store(tracker, driver=engine)
        store.create(Project(name="web"))
        store.create(Issue(project="web", number=1, title=""))
        store.create(Plain(name="p"))

        def vote(key: ItemKey[Any], voter: str) -> None:
            while True:
                try:
                    store.modify(key, lambda one: one.voters.append(voter))
                    return
                except TransactionConflict:
                    continue

        def work(name: str) -> None:
            for number in range(5):
                vote(ONE, f"{name}{number}")
                vote(Plain.key("p"), f"{name}{number}")

        with ThreadPoolExecutor(4) as threads:
            list(threads.map(work, "abcd"))
        expected = [f"{name}{number}" for name in "abcd" for number in range(5)]
        issue = existing(store.get(ONE))
        assert (sorted(issue.voters), issue.version) == (expected, 21)
        assert sorted(existing(store.get(Plain.key("p"))).voters) == expected


class Slot(BaseModel):
    name: str
    hour: int = 0

    @field_validator("hour")
    @classmethod
    def _in_a_day(cls, hour: int) -> int:
        if hour > 23:
            raise ValueError("a day has 24 hours")
        return hour


class Slots(ModelEntity[Slot], table=tracker):
    name: Attr[str] = attr()
    key = Key(pk=("SLOT", name), sk="SLOT")


# A pydantic model does not check assignments, and the item could not be read again.
def test_item_that_its_model_rejects_is_not_written(store: Store) -> None:
    store.create(Slot(name="lunch", hour=12))

    def move(slot: Slot) -> None:
        slot.hour = 99

    with pytest.raises(InvalidValue, match=r"cannot be read again: .*a day has 24 hours"):
        store.modify(Slots.key("lunch"), move)
    assert store.get(Slots.key("lunch")) == Slot(name="lunch", hour=12)
