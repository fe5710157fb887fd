"""Patterns that upsert and modify, compared with the requests that the store sends."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from singletable.errors import DeclarationError
from singletable.patterns import (
    Pattern,
    PatternCatalog,
    estimate,
    modifies,
    planned_requests,
    upserts,
)
from singletable.schema import Attr, Entity, Index, Key, Table, Unique, attr, evolve
from singletable.store import Call, Store
from tests.patterns.sent_requests import sent_requests
from tests.store.stores import open_store

by_state = Index("by_state", pk="GSI1PK", sk="GSI1SK")
table = Table("upserted", indexes=[by_state])


class Hits(Entity, table=table):
    name: Attr[str] = attr()
    count: Attr[int] = attr(default=0)
    key = Key(pk=("HITS", name), sk="HITS")


class Task(Entity, table=table):
    name: Attr[str] = attr()
    slug: Attr[str] = attr()
    state: Attr[str] = attr(default="open")
    key = Key(pk=("TASK", name), sk="TASK")
    of_state = Key(pk=("STATE", state), sk=(name,)).on(by_state)
    one_slug = Unique(slug)


catalog = PatternCatalog("upserts", table, unused={by_state: "only to be written"})
hit = catalog.write("W1", "Count a hit", upserts(Hits, Hits.count))
save = catalog.write("W2", "Save a task", upserts(Task))
change = catalog.write("W3", "Change a task", modifies(Task))
count = catalog.write("W4", "Change the hits", modifies(Hits))
ensure = catalog.write("W5", "Save a task and count a hit", upserts(Task), upserts(Hits))


def save_and_count(store: Store, name: str) -> None:
    with store.transaction() as transaction:
        transaction.upsert(Task.key(name), on_create=(Task.slug.set(name),))
        transaction.upsert(Hits.key(name), Hits.count.add(1))


CALLS: dict[str, tuple[Pattern, Callable[[Store], object]]] = {
    "upsert": (hit, lambda s: s.upsert(Hits.key("a"), Hits.count.add(1))),
    "upsert, new": (save, lambda s: s.upsert(Task.key("b"), Task.slug.set("t"))),
    "upsert, old": (save, lambda s: s.upsert(Task.key("a"), Task.slug.set("t"))),
    "upsert without edits, old": (
        save,
        lambda s: s.upsert(Task.key("a"), on_create=(Task.slug.set("s"),)),
    ),
    "upsert without edits in a transaction, new": (ensure, lambda s: save_and_count(s, "b")),
    "upsert without edits in a transaction, old": (ensure, lambda s: save_and_count(s, "a")),
    "modify": (change, lambda s: s.modify(Task.key("a"), lambda one: evolve(one, slug="t"))),
    "modify alone": (count, lambda s: s.modify(Hits.key("old"), lambda one: evolve(one, count=9))),
}


@pytest.mark.parametrize("name", CALLS)
def test_calls_are_recognized_and_planned(name: str, calls: list[Call]) -> None:
    pattern, call = CALLS[name]
    store = open_store(table, observers=[calls.append])
    store.create(Task(name="a", slug="s"))
    store.create(Hits(name="old"))
    calls.clear()
    call(store)
    (done,) = calls
    assert catalog.recognize(done.shape) is pattern
    sent = {action for action, _ in sent_requests(done)}
    assert sent <= {one.action for one in planned_requests(pattern)}
    assert done.read_units <= estimate(pattern).read
    assert done.write_units <= estimate(pattern).write


# An upsert updates the item or puts a new one, never both.
def test_upsert_estimate_is_that_of_the_larger_write() -> None:
    assert estimate(hit).write == 1
    # The task, its move in the index, and the markers of the old and the new slug.
    assert estimate(save).write == 2 + 2 + 2 * 2


def test_upserts_rejects_other_fields() -> None:
    with pytest.raises(DeclarationError, match=r"upserts\(Task, …\)"):
        upserts(Task, Hits.count)
