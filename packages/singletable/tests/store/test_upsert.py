"""Upsert: one call that creates an item or updates it, compared with doing so in Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dynamodb_engine.engine import Engine
from singletable.errors import AlreadyExists, ConditionFailed, InvalidValue, NotFound
from singletable.schema import (
    Attr,
    Edit,
    Entity,
    ItemKey,
    Key,
    Selection,
    attr,
    created,
    expires,
    model_of,
    updated,
    version,
)
from singletable.store import Call, Store
from singletable.testing import StoreClock
from tests.store.issue_entities import ONE, Issue, Project, by_owner, tracker
from tests.store.stores import existing, expect_error, open_store, request_names


class Counter(Entity, table=tracker, type_tag=("kind", "COUNTER")):
    name: Attr[str] = attr()
    hits: Attr[int] = attr(default=0)
    start: Attr[int] = attr(default=10)
    label: Attr[str | None] = attr(default=None)
    unit: Attr[str] = attr()
    tags: Attr[set[str]] = attr(factory=set)
    log: Attr[list[str]] = attr(factory=list)
    made: Attr[datetime] = created()
    changed: Attr[datetime] = updated()
    version: Attr[int] = version()
    key = Key(pk=("COUNTER", name), sk="COUNTER")
    named = Key(pk="COUNTERS", sk=(name,)).on(by_owner)


class Tagged(Entity, table=tracker):
    name: Attr[str] = attr()
    tags: Attr[set[str]] = attr()
    key = Key(pk=("TAGGED", name), sk="TAGGED")


class Session(Entity, table=tracker):
    user: Attr[str] = attr()
    device: Attr[str] = attr(default="phone")
    visits: Attr[int] = attr(default=0)
    note: Attr[str | None] = attr(default=None)
    made: Attr[datetime] = created()
    ends: Attr[datetime | None] = expires(default=None)
    key = Key(pk=("SESSION", user), sk="SESSION")


@pytest.fixture
def store(empty: Store) -> Store:
    empty.admin.create_table(tracker)
    empty.create(Project(name="web"))
    return empty


HITS = Counter.key("hits")
TAGGED = Tagged.key("a")


def test_upsert_creates_then_updates(store: Store, clock: StoreClock) -> None:
    first = store.upsert(HITS, Counter.hits.add(1), Counter.unit.set("a"))
    assert (first.hits, first.start, first.unit, first.version) == (1, 10, "a", 1)
    made = clock.now
    clock.advance(minutes=1)
    second = store.upsert(HITS, Counter.hits.add(1), Counter.unit.set("b"))
    assert (second.hits, second.start, second.unit, second.version) == (2, 10, "b", 2)
    assert (second.made, second.changed) == (made, clock.now)
    assert store.get(HITS) == second
    assert [one.name for one in store.query(Counter.named())] == ["hits"]


def test_transaction_upserts_the_item_that_counts_another(store: Store) -> None:
    for number in (1, 2):
        with store.transaction() as transaction:
            transaction.upsert(Project.key("new"))
            transaction.create(Issue(project="new", number=number, title="x"))
        assert existing(store.get(Project.key("new"))).issues == number
    with store.transaction() as transaction:
        transaction.create(Issue(project="newer", number=1, title="x"))
        transaction.upsert(Project.key("newer"))
    assert store.get(Project.key("newer")) == Project(name="newer", issues=1)


# An iterator was read by the check, and then had no edits left.
@pytest.mark.parametrize("wrong", [None, iter([Counter.unit.set("a")]), "unit"])
def test_on_create_must_be_a_list(store: Store, wrong: Any) -> None:
    with pytest.raises(InvalidValue, match=r"on_create: expected a list of edits, but got"):
        store.upsert(HITS, Counter.unit.set("b"), on_create=wrong)
    assert store.get(HITS) is None


def test_upsert_sends_one_request_where_that_is_exact(calls: list[Call]) -> None:
    store = open_store(tracker, observers=[calls.append])
    store.create(Project(name="web"))
    calls.clear()
    edits = [Counter.hits.add(1), Counter.tags.add_members("x"), Counter.log.append("y")]
    for _ in range(2):
        store.upsert(HITS, *edits, on_create=[Counter.unit.set("a")])
    assert request_names(calls) == [["UpdateItem"], ["UpdateItem"]]
    assert calls[0].shape.method == "upsert"
    found = existing(store.get(HITS))
    assert (found.hits, found.tags, found.log, found.unit) == (2, {"x"}, ["y", "y"], "a")
    calls.clear()
    # A default other than zero, and a value that an old item may lack, need the stored item.
    store.upsert(HITS, Counter.start.add(1), on_create=[Counter.unit.set("a")])
    store.upsert(ONE, Issue.title.set("x"))
    sent = request_names(calls)
    assert sent == [["GetItem", "UpdateItem"], ["GetItem", "TransactWriteItems"]]


def test_add_starts_at_the_default(store: Store) -> None:
    unit = [Counter.unit.set("a")]
    assert store.upsert(HITS, Counter.start.add(5), on_create=unit).start == 15
    assert store.upsert(HITS, Counter.start.add(5), on_create=unit).start == 20


def test_on_create_applies_to_new_items_only(store: Store) -> None:
    on_create = [Counter.unit.set("a"), Counter.label.set("first"), Counter.hits.set(100)]
    found = store.upsert(HITS, Counter.hits.add(1), on_create=on_create)
    assert (found.unit, found.label, found.hits) == ("a", "first", 101)
    store.update(HITS, Counter.label.remove())
    found = store.upsert(
        HITS, Counter.hits.add(1), on_create=[Counter.unit.set("z"), Counter.label.set("again")]
    )
    assert (found.unit, found.label, found.hits) == ("a", None, 102)


# Without edits it is get-or-create.
def test_upsert_without_edits_gets_or_creates(store: Store) -> None:
    first = store.upsert(HITS, on_create=[Counter.unit.set("a"), Counter.label.set("x")])
    again = store.upsert(HITS, on_create=[Counter.unit.set("b"), Counter.label.set("y")])
    assert (again.unit, again.label) == ("a", "x")
    assert first.name == again.name == "hits"


def test_expired_items_count_as_absent(store: Store, clock: StoreClock) -> None:
    key = Session.key("ada")
    ends = clock.advance(hours=1)
    store.upsert(key, Session.ends.set(ends), Session.visits.add(1), Session.note.set("old"))
    clock.advance(days=1)
    fresh = store.upsert(key, Session.visits.add(1))
    assert (fresh.visits, fresh.note, fresh.ends, fresh.made) == (1, None, None, clock.now)
    assert store.get(key) == fresh


def test_uniques_counts_and_index_keys_are_maintained(store: Store) -> None:
    store.upsert(ONE, Issue.title.set("a"), Issue.slug.set("s"), Issue.owner.set("ada"))
    store.upsert(Issue.key("web", 2), Issue.title.set("b"))
    assert existing(store.get(Project.key("web"))).issues == 2
    with pytest.raises(AlreadyExists):
        store.upsert(Issue.key("web", 2), Issue.title.set("b"), Issue.slug.set("s"))
    with pytest.raises(AlreadyExists):
        store.upsert(Issue.key("web", 3), Issue.title.set("b"), Issue.slug.set("s"))
    assert store.get(Issue.key("web", 3)) is None
    # Partial edits: the index keys need the stored title and number.
    store.upsert(ONE, Issue.owner.set("eve"), on_create=[Issue.title.set("?")])
    assert [one.title for one in store.query(Issue.of_owner("eve"))] == ["a"]
    assert [*store.query(Issue.of_owner("ada"))] == []
    store.upsert(ONE, Issue.state.set("gone"), on_create=[Issue.title.set("?")])
    assert [one.number for one in store.query(Issue.of_state("web", "open"))] == [2]
    assert [*store.query(Issue.of_state("web", "gone"))] == []
    with pytest.raises(NotFound, match="counts Issue"):
        store.upsert(Issue.key("none", 1), Issue.title.set("b"))


def test_condition_is_on_existing_items(store: Store) -> None:
    cases: list[Any] = [
        (HITS, (Counter.hits.add(1), Counter.unit.set("a")), Counter.hits < 2),
        (ONE, (Issue.votes.add(1), Issue.title.set("a")), Issue.votes < 5),
    ]
    for key, edits, if_ in cases:
        store.upsert(key, *edits, if_=if_)
        before = store.upsert(key, *edits, if_=if_)
        with pytest.raises(ConditionFailed) as failed:
            store.upsert(key, *edits, if_=if_)
        assert failed.value.current == before
        assert store.get(key) == before


def test_upsert_in_a_transaction(store: Store) -> None:
    for expected in (1, 2):
        with store.transaction() as tx:
            tx.upsert(HITS, Counter.hits.add(1), on_create=[Counter.unit.set("a")])
            tx.upsert(ONE, Issue.votes.add(1), on_create=[Issue.title.set("t")])
            tx.update(Project.key("web"), Project.issues.add(0))
        assert existing(store.get(HITS)).hits == expected
        assert existing(store.get(ONE)).votes == 3 + expected
    with expect_error(ConditionFailed), store.transaction() as tx:
        tx.upsert(Counter.key("x"), Counter.unit.set("a"))
        tx.check(ONE, Issue.votes > 100)
    assert store.get(Counter.key("x")) is None


REJECTED: dict[str, tuple[Callable[[Any], object], str]] = {
    "required set": (lambda s: s.upsert(TAGGED), "needs a value for tags"),
    "no members": (lambda s: s.upsert(TAGGED, Tagged.tags.remove_members("a")), "value for tags"),
    "required": (lambda s: s.upsert(HITS, Counter.hits.add(1)), "needs a value for unit"),
    "key": (lambda s: s.upsert(ONE, Issue.number.set(2)), "primary key"),
    "key on create": (
        lambda s: s.upsert(ONE, Issue.title.set("x"), on_create=[Issue.number.set(2)]),
        "primary key",
    ),
    "version": (lambda s: s.upsert(ONE, Issue.version.set(2)), "set by the store"),
    "other entity": (lambda s: s.upsert(ONE, Counter.unit.set("x")), "not a field of Issue"),
    "no key": (lambda s: s.upsert(Issue, Issue.title.set("x")), "expected an item key"),
    "twice": (lambda s: s.upsert(ONE, Issue.title.set("x"), Issue.title.set("y")), "two edits"),
    "on_create": (lambda s: s.upsert(ONE, on_create=Issue.title.set("x")), "a list of edits"),
    "no edit": (lambda s: s.upsert(ONE, "title"), "expected edits"),
}


@pytest.mark.parametrize("name", REJECTED)
def test_upsert_rejects(store: Store, name: str) -> None:
    call, message = REJECTED[name]
    with pytest.raises(InvalidValue, match=message):
        call(store)
    assert store.get(ONE) is None


def test_concurrent_upserts_lose_nothing() -> None:
    store = open_store(tracker)
    store.create(Project(name="web"))

    def work(worker: int) -> None:
        for _ in range(10):
            store.upsert(HITS, Counter.start.add(1), on_create=[Counter.unit.set("a")])
            store.upsert(ONE, Issue.votes.add(1), on_create=[Issue.title.set("t")])

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(work, range(4)))
    assert existing(store.get(HITS)).start == 50
    assert existing(store.get(ONE)).votes == 43


def test_required_set_may_be_empty(store: Store) -> None:
    edits = Tagged.tags.set(set())
    assert store.upsert(TAGGED, on_create=[edits]) == Tagged(name="a", tags=set())
    assert store.upsert(TAGGED, Tagged.tags.add_members("x")).tags == {"x"}
    assert store.upsert(TAGGED, on_create=[edits]).tags == {"x"}
    assert store.upsert(TAGGED, edits).tags == set()
    assert store.update(TAGGED, edits).tags == set()
    assert store.upsert(TAGGED, on_create=[Tagged.tags.set({"y"})]).tags == set()


TEXTS = st.sampled_from(["a", "b", "gone"])
COUNTER_EDITS: dict[str, st.SearchStrategy[Edit[Any]]] = {
    "hits": st.integers(-2, 2).map(Counter.hits.add) | st.integers(0, 3).map(Counter.hits.set),
    "start": st.integers(-2, 2).map(Counter.start.add) | st.just(Counter.start.remove()),
    "label": st.sampled_from([None, "a", "b"]).map(Counter.label.set)
    | TEXTS.map(Counter.label.set_if_missing),
    "unit": TEXTS.map(Counter.unit.set) | TEXTS.map(Counter.unit.set_if_missing),
    "tags": TEXTS.map(Counter.tags.add_members) | TEXTS.map(Counter.tags.remove_members),
    "log": TEXTS.map(Counter.log.append) | TEXTS.map(Counter.log.prepend),
}
ISSUE_EDITS: dict[str, st.SearchStrategy[Edit[Any]]] = {
    "title": TEXTS.map(Issue.title.set),
    "slug": st.sampled_from([None, "a", "b"]).map(Issue.slug.set),
    "state": TEXTS.map(Issue.state.set) | st.just(Issue.state.remove()),
    "owner": st.sampled_from([None, "a", "b"]).map(Issue.owner.set),
    "votes": st.integers(-2, 2).map(Issue.votes.add),
}


def some(edits: dict[str, st.SearchStrategy[Edit[Any]]]) -> st.SearchStrategy[list[Edit[Any]]]:
    """Draw at most one edit for each field."""
    chosen = st.lists(st.sampled_from(sorted(edits)), unique=True, max_size=4)
    return chosen.flatmap(lambda names: st.tuples(*(edits[name] for name in names))).map(list)


@pytest.mark.rest
@settings(max_examples=3 * settings().max_examples)
@given(data=st.data())
def test_upsert_equals_create_or_update_in_python(data: st.DataObject) -> None:
    clock = StoreClock()
    real, model = (open_store(tracker, clock=clock) for _ in range(2))
    for one in (real, model):
        one.create(Project(name="web"))
    for _ in range(data.draw(st.integers(1, 6))):
        clock.advance(minutes=1)
        if data.draw(st.booleans()):
            key: ItemKey[Any] = HITS
            edits, on_create = data.draw(some(COUNTER_EDITS)), data.draw(some(COUNTER_EDITS))
        else:
            key = Issue.key("web", data.draw(st.integers(1, 2)))
            edits, on_create = data.draw(some(ISSUE_EDITS)), data.draw(some(ISSUE_EDITS))
        if data.draw(st.integers(0, 5)) == 0:
            for one in (real, model):
                one.delete(key)
        arguments = key, edits, on_create
        assert _outcome(_upsert, real, *arguments) == _outcome(_model_upsert, model, *arguments)
        for each in (HITS, Issue.key("web", 1), Issue.key("web", 2), Project.key("web")):
            assert real.get(each) == model.get(each)
        selections: list[Selection[Any]] = [
            Counter.named(),
            *(Issue.of_state("web", state) for state in ("a", "b", "open", "gone")),
            *(Issue.of_owner(owner) for owner in ("a", "b")),
        ]
        for selection in selections:
            assert [*real.query(selection)] == [*model.query(selection)]
        for slug in ("a", "b"):
            assert real.find(Issue.one_slug(slug)) == model.find(Issue.one_slug(slug))


def _upsert(
    store: Store, key: ItemKey[Any], edits: Sequence[Edit[Any]], on_create: Sequence[Edit[Any]]
) -> object:
    return store.upsert(key, *edits, on_create=on_create)


def _outcome(call: Callable[..., object], *arguments: object) -> object:
    try:
        return call(*arguments)
    except (InvalidValue, AlreadyExists) as error:
        return type(error)


SCRATCH = Engine.in_memory()
open_store(tracker, driver=SCRATCH).create(Project(name="web"))


def _model_upsert(
    store: Store, key: ItemKey[Any], edits: Sequence[Edit[Any]], on_create: Sequence[Edit[Any]]
) -> object:
    """Read the item, then update it, or create it: with the edits applied to another store."""
    model = model_of(key.entity)
    required = "unit" if key.entity is Counter else "title"
    old = store.get(key, consistent=True)
    scratch = Store(SCRATCH.copy(), clock=StoreClock())
    new = key.entity(**{**key.values, required: "required"})
    scratch.create(new)
    changes = [*on_create, *edits]
    given_values = [edit for edit in changes if edit.field == required]
    if not given_values:
        raise InvalidValue("no value for a required field")
    first = given_values[0]
    term: Any = first.action
    value = getattr(term.term, "value", None) or term.term.default.value
    scratch.update(key, getattr(key.entity, required).set(value["S"]))
    for edit in changes:
        if edit is not first:
            scratch.update(key, edit)
    created_item = existing(scratch.get(key))
    if old is not None:
        return store.update(key, *edits)
    values = {
        name: getattr(created_item, name)
        for name, field in model.fields.items()
        if field.role is None
    }
    return store.create(key.entity(**values))
