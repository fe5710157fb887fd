"""A transaction that writes an item several times does what the same calls do one by one."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from datetime import datetime
from itertools import product
from typing import Any, TypeAlias

import pytest

from dynamodb_engine.engine import Engine
from dynamodb_engine.operations import DeleteItem, GetItem, PutItem, Scan
from dynamodb_engine.testing import InterruptedDriver
from dynamodb_engine.values import Item
from singletable.errors import ConditionFailed, ValidationError
from singletable.schema import (
    Attr,
    Count,
    Entity,
    Index,
    Key,
    Table,
    Unique,
    attr,
    expires,
    updated,
    version,
)
from singletable.store import Store
from singletable.store.calls import Call as StoreCall
from singletable.testing import StoreClock
from tests.store.stores import open_store, request_names

# Of all triples of calls, one of so many is tested; `make fuzz` tests all.
STEP = 1 if "FUZZ_EXAMPLES" in os.environ else 31

by_a = Index("by_a", pk="GSI1PK", sk="GSI1SK")
table = Table("merged", indexes=[by_a], ttl="until")


class Plain(Entity, table=table):
    k: Attr[str] = attr()
    a: Attr[int] = attr(default=0)
    b: Attr[int] = attr(default=0)
    tags: Attr[set[str]] = attr(factory=set)
    log: Attr[list[str | None]] = attr(factory=list)
    key = Key(pk=("PLAIN", k), sk="PLAIN")


class Indexed(Entity, table=table):
    k: Attr[str] = attr()
    a: Attr[int] = attr(default=0)
    b: Attr[int] = attr(default=0)
    revision: Attr[int] = version()
    at: Attr[datetime] = updated()
    until: Attr[datetime | None] = expires(default=None)
    key = Key(pk=("INDEXED", k), sk="INDEXED")
    by_a = Key(pk=("A", a), sk=("B", b)).on(by_a)


class Team(Entity, table=table):
    k: Attr[str] = attr()
    a: Attr[int] = attr(default=0)
    b: Attr[int] = attr(default=0)  # counts the members
    key = Key(pk=("TEAM", k), sk="TEAM")


class Member(Entity, table=table):
    k: Attr[str] = attr()
    a: Attr[int] = attr(default=1)
    team: Attr[str | None] = attr(default="x")
    email: Attr[str | None] = attr(default=None)
    handle: Attr[str | None] = attr(default=None)
    key = Key(pk=("MEMBER", k), sk="MEMBER")
    one_email = Unique(email)
    one_handle = Unique(handle)
    counted = Count(Team, Team.b, key=(team,))


class FormerFields(Entity):
    k: Attr[str] = attr()
    a: Attr[int] = attr(default=0)


class Upgraded(Entity, table=table, schema_version=2):
    k: Attr[str] = attr()
    a: Attr[int] = attr(default=0)
    b: Attr[int] = attr(default=0)
    key = Key(pk=("UPGRADED", k), sk="UPGRADED")


@Upgraded.upgrade(from_=1)
def add_b(old: FormerFields) -> Upgraded:
    """Add a field."""
    return Upgraded(k=old.k, a=old.a, b=10)


# A call of a store or of a transaction; and calls by their names.
Call: TypeAlias = Callable[[Any], object]
Calls: TypeAlias = dict[str, Call]
PLAIN, INDEXED, MEMBER = Plain.key("x"), Indexed.key("x"), Member.key("x")


def calls_of(e: Any) -> Calls:
    """Return calls that write an item in every way, with and without conditions."""
    key = e.key("x")
    return {
        "create": lambda to: to.create(e(k="x", a=1)),
        "put": lambda to: to.put(e(k="x", a=5)),
        "put if a=1": lambda to: to.put(e(k="x", a=6), if_=e.a == 1),
        "replace": lambda to: to.replace(e(k="x", b=7)),
        "update a+1": lambda to: to.update(key, e.a.add(1)),
        "update a=2 if a=1": lambda to: to.update(key, e.a.set(2), if_=e.a == 1),
        "update b+1 if a=2": lambda to: to.update(key, e.b.add(1), if_=e.a == 2),
        "update b=3": lambda to: to.update(key, e.b.set(3)),
        "upsert a+1": lambda to: to.upsert(key, e.a.add(1)),
        "upsert b+1 if a=1": lambda to: to.upsert(key, e.b.add(1), if_=e.a == 1),
        "delete": lambda to: to.delete(key),
        "delete if a=2": lambda to: to.delete(key, if_=e.a == 2),
        "check": lambda to: to.check(key),
        "check a=1": lambda to: to.check(key, e.a == 1),
    }


def indexed(revision: int) -> Indexed:
    """Return an item as it was read with this version."""
    item = Indexed(k="x", a=2)
    item.revision = revision
    return item


CALLS: dict[type, Calls] = {
    Plain: {
        **calls_of(Plain),
        "tag": lambda to: to.update(PLAIN, Plain.tags.add_members("n")),
        "log": lambda to: to.update(PLAIN, Plain.log.append("n")),
        "cut": lambda to: to.update(PLAIN, Plain.log[0].remove()),
        "check tag": lambda to: to.check(PLAIN, Plain.tags.contains("n")),
    },
    Indexed: {
        **calls_of(Indexed),
        "put 1": lambda to: to.put(indexed(1)),
        "update if 1": lambda to: to.update(
            INDEXED, Indexed.b.add(1), if_=(Indexed.revision == 1) & (Indexed.a == 1)
        ),
        "delete if 2": lambda to: to.delete(INDEXED, if_=Indexed.revision == 2),
        "expire": lambda to: to.update(INDEXED, Indexed.until.set(StoreClock().now)),
    },
    Upgraded: calls_of(Upgraded),
    Member: {
        "create free": lambda to: to.create(Member(k="x", email="f", handle="f")),
        "create taken": lambda to: to.create(Member(k="x", email="t")),
        "put own": lambda to: to.put(Member(k="x", email="o", handle="o")),
        "put none": lambda to: to.put(Member(k="x", team="y")),
        "update free": lambda to: to.update(MEMBER, Member.email.set("f"), Member.handle.set("f")),
        "update taken": lambda to: to.update(MEMBER, Member.email.set("t")),
        "update own if a=1": lambda to: to.update(MEMBER, Member.email.set("o"), if_=Member.a == 1),
        "update team": lambda to: to.update(MEMBER, Member.team.set("y"), Member.a.add(1)),
        "update no team": lambda to: to.update(MEMBER, Member.team.set("z")),
        "upsert": lambda to: to.upsert(MEMBER, Member.email.set("f")),
        "delete": lambda to: to.delete(MEMBER),
        "delete if a=1": lambda to: to.delete(MEMBER, if_=Member.a == 1),
        "check": lambda to: to.check(MEMBER, Member.email == "f"),
    },
    Team: {
        **calls_of(Team),
        "create member": lambda to: to.create(Member(k="x")),
        "delete member": lambda to: to.delete(MEMBER),
        "move member": lambda to: to.update(MEMBER, Member.team.set("y")),
        "check b=1": lambda to: to.check(Team.key("x"), Team.b == 1),
    },
}
OLD: Item = {"a": {"N": "1"}, "k": {"S": "x"}}
OTHERS = (Team(k="y"), Member(k="t", email="t", handle="t", team=None))
STATES: dict[type, list[list[Entity | Item]]] = {
    Plain: [[], [Plain(k="x", a=1, tags={"m"}, log=["p", "q"])]],
    Indexed: [[], [Indexed(k="x", a=1)], [Indexed(k="x", a=1, until=StoreClock().now)]],
    Upgraded: [[{**OLD, **Upgraded.key("x").key}]],
    Member: [
        [Team(k="x"), *OTHERS],
        [Team(k="x"), *OTHERS, Member(k="x", email="o", handle="o")],
        [Team(k="x"), *OTHERS, Member(k="x", email="f", team="y")],
    ],
    Team: [[*OTHERS], [Team(k="x", a=1), *OTHERS], [Team(k="x", a=1), *OTHERS, Member(k="x")]],
}


class Trial:
    """A table, and what calls do to the items in it."""

    def __init__(self, engine: Engine) -> None:
        self.engine, self.store = engine, Store(engine, clock=StoreClock())
        self.store.admin.create_table(table)
        self.results: dict[tuple[str, str], str | Exception] = {}

    def state(self) -> str:
        """Return all items as text."""
        items = self.engine.execute(Scan(table.name)).items
        return f"[{','.join(sorted(json.dumps(item, sort_keys=True) for item in items))}]"

    def restore(self, state: str) -> None:
        """Make these the items of the table."""
        if self.state() != state:
            for item in self.engine.execute(Scan(table.name)).items:
                self.engine.execute(DeleteItem(table.name, {"PK": item["PK"], "SK": item["SK"]}))
            for item in json.loads(state):
                self.engine.execute(PutItem(table.name, item))

    def run(self, state: str, *calls: Call, together: bool = True) -> str | Exception:
        """Return the state after these calls, or their error if nothing has changed."""
        self.restore(state)
        try:
            if together:
                with self.store.transaction() as transaction:
                    for call in calls:
                        call(transaction)
            else:
                calls[0](self.store)
        except (ConditionFailed, ValidationError) as error:
            assert self.state() == state, "a call that failed has changed something"
            return error
        return self.state()

    def run_one_by_one(self, state: str, calls: Calls, names: tuple[str, ...]) -> str | Exception:
        """Return the state after these calls, or the first error."""
        result: str | Exception = state
        for name in names:
            if isinstance(result, str):
                case = result, name
                if case not in self.results:
                    together = name.startswith("check")  # which only transactions have
                    self.results[case] = self.run(result, calls[name], together=together)
                result = self.results[case]
        return result


@pytest.mark.rest
@pytest.mark.parametrize("entity", CALLS, ids=lambda entity: entity.__name__)
def test_transaction_equals_the_same_calls_one_by_one(entity: type) -> None:
    calls = CALLS[entity]
    triples = list(product(calls, repeat=3))[::STEP]
    with Engine.in_memory() as engine:
        trial = Trial(engine)
        for items in STATES[entity]:
            trial.restore("[]")
            for item in items:
                if isinstance(item, dict):
                    engine.execute(PutItem(table.name, item))
                else:
                    trial.store.put(item)
            initial = trial.state()
            for names in (*product(calls, repeat=2), *triples):
                expected = trial.run_one_by_one(initial, calls, names)
                actual = trial.run(initial, *[calls[name] for name in names])
                if isinstance(expected, str):
                    assert actual == expected, names
                elif "which counts" in str(expected) and isinstance(actual, str):
                    # The item may be created after those that it counts.
                    later = {*names[names.index("create member") :]}
                    assert later & {"create", "put", "upsert a+1", "upsert b+1 if a=1"}, names
                else:
                    # If writes of several items fail, the error is that of any of them.
                    kind = ConditionFailed if entity in (Member, Team) else type(expected)
                    assert isinstance(actual, kind), names


# Otherwise additions to one item would conflict more often in transactions.
def test_writes_that_do_not_depend_on_each_other_are_merged_without_a_read() -> None:
    sent: list[StoreCall] = []
    store = open_store(table, observers=[sent.append])
    store.create(Plain(k="x", a=1))
    sent.clear()
    with store.transaction() as transaction:
        transaction.check(PLAIN, Plain.a == 1)
        transaction.update(PLAIN, Plain.a.add(1), if_=Plain.b == 0)
        transaction.update(PLAIN, Plain.a.add(1), Plain.b.set(2), if_=Plain.tags.missing())
        transaction.update(PLAIN, Plain.b.set(3), Plain.tags.add_members("n"))
    with store.transaction() as transaction:
        transaction.put(Plain(k="y"), if_=Plain.a.missing())
        transaction.update(Plain.key("y"), Plain.a.add(1), if_=Plain.b == 0)
    assert request_names(sent) == [["TransactWriteItems"]] * 2
    assert store.get(PLAIN) == Plain(k="x", a=3, b=3, tags={"n"})


def test_merged_writes_are_planned_again_if_the_item_changes() -> None:
    store = open_store(table)
    store.create(Plain(k="x"))

    def add() -> None:
        store.update(PLAIN, Plain.a.add(10))

    racing = Store(InterruptedDriver(store.driver, GetItem, after=add))
    with racing.transaction() as transaction:
        transaction.upsert(PLAIN, Plain.a.add(1))
        transaction.upsert(PLAIN, Plain.b.add(1), if_=Plain.a >= 1)
    assert store.get(PLAIN) == Plain(k="x", a=11, b=1)


def test_each_write_may_have_its_own_time() -> None:
    clock = StoreClock()
    store = open_store(table, clock=lambda: clock.advance(seconds=1))
    store.create(Indexed(k="x"))
    with store.transaction() as transaction:
        for number in (1, 2):
            transaction.update(INDEXED, Indexed.a.set(number), Indexed.b.set(number))
    now, found = clock.now, store.get(INDEXED)
    assert found is not None
    assert (found.a, found.b, found.revision, found.at) == (2, 2, 3, now)
