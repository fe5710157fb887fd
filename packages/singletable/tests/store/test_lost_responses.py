"""Every write is applied at most once and reported truly, whatever happens to its responses.

Rule 1. A call that returns was applied once.
Rule 2. A call that raises an error with `outcome_unknown` was applied once or not at all.
Rule 3. A call that raises another error changed nothing.

Each kind of write runs with every sequence of responses: those of the script, and then the real
ones or the script again and again. A sequence that a call does not use up is not extended.
"""

from __future__ import annotations

import asyncio
import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import chain, count, repeat
from typing import Any, TypeAlias, TypeVar, cast

import pytest

from dynamodb_engine.engine import Engine
from dynamodb_engine.operations import GetItem, Operation, UpdateItem
from dynamodb_engine.operations.registry import OPERATIONS
from singletable import errors
from singletable.schema import Attr, Count, Entity, Key, Table, Unique, attr, sequence, version
from singletable.store import AsyncStore, Store
from tests.store.store_adapter import AsyncDriverAdapter, AwaitedStore
from tests.store.stores import existing
from tools.testing.exchangeable import Exchangeable
from tools.testing.scripted_driver import RESPONSES, Response, ScriptedDriver

R = TypeVar("R")

Script: TypeAlias = tuple[Response, ...]
# `make fuzz` runs every sequence of five; test_retry.py does that for the core, without an engine.
DEPTH = int(os.environ.get("RESPONSES", "2"))
FACES = {"sync": 0, "async": 0, "http": 1}

things = Table("things")


class Box(Entity, table=things):
    ident: Attr[str] = attr()
    n: Attr[int] = attr(default=0)
    rival: Attr[int] = attr(default=0)
    key = Key(pk=("BOX", ident), sk="BOX")


class Versioned(Entity, table=things):
    ident: Attr[str] = attr()
    n: Attr[int] = attr(default=0)
    rival: Attr[int] = attr(default=0)
    version: Attr[int] = version()
    key = Key(pk=("VERSIONED", ident), sk="VERSIONED")


class Member(Entity, table=things):
    ident: Attr[str] = attr()
    email: Attr[str] = attr()
    rival: Attr[int] = attr(default=0)
    key = Key(pk=("MEMBER", ident), sk="MEMBER")
    one_email = Unique(email)


class Parent(Entity, table=things):
    ident: Attr[str] = attr()
    children: Attr[int] = attr(default=0)
    last: Attr[int] = attr(default=0)
    rival: Attr[int] = attr(default=0)
    key = Key(pk=("PARENT", ident), sk="PARENT")


class Child(Entity, table=things):
    parent: Attr[str] = attr()
    number: Attr[int] = sequence(Parent.last, key=(parent,))
    key = Key(pk=("PARENT", parent), sk=("CHILD", number))
    counted = Count(Parent, Parent.children, key=(parent,))


class Write:
    """A kind of write: what exists before it, the call, and how often it was applied."""

    entity: Any = Box

    def set_up(self, store: Store, name: str) -> None:
        store.create(self.entity(ident=name))

    def call(self, store: Store, name: str) -> None:
        raise AssertionError

    def applied(self, store: Store, name: str) -> int:
        found = store.get(self.entity.key(name))
        return 0 if found is None else found.n


class Create(Write):
    def set_up(self, store: Store, name: str) -> None:
        pass

    def call(self, store: Store, name: str) -> None:
        store.create(self.entity(ident=name, n=1))


class CreateVersioned(Create):
    entity = Versioned


class Upsert(Create):
    def call(self, store: Store, name: str) -> None:
        store.upsert(Box.key(name), Box.n.add(1))


class BulkLoad(Create):
    entity: Any = Versioned

    def call(self, store: Store, name: str) -> None:
        loaded = store.bulk_load([self.entity(ident=name, n=1)])
        assert (loaded.written, loaded.skipped, loaded.conflicts) == (1, 0, 0)


class LoadPlain(BulkLoad):
    entity = Box


class Batch(Create):
    def call(self, store: Store, name: str) -> None:
        store.put_many([Box(ident=name, n=1), Box(ident=f"{name}/other")])


class Put(Write):
    def call(self, store: Store, name: str) -> None:
        store.put(Box(ident=name, n=1))


class Update(Write):
    def call(self, store: Store, name: str) -> None:
        assert store.update(Box.key(name), Box.n.add(1)).n == 1


class UpdateVersioned(Write):
    entity = Versioned

    def call(self, store: Store, name: str) -> None:
        store.update(Versioned.key(name), Versioned.n.add(1))

    def applied(self, store: Store, name: str) -> int:
        found = existing(store.get(Versioned.key(name)))
        assert found.version == found.n + 1
        return found.n


class Modify(Write):
    def call(self, store: Store, name: str) -> None:
        def add(box: Box) -> None:
            box.n += 1

        store.modify(Box.key(name), add)


class Delete(Write):
    def call(self, store: Store, name: str) -> None:
        assert store.delete(Box.key(name)) is not None

    def applied(self, store: Store, name: str) -> int:
        return int(store.get(Box.key(name)) is None)


class DeleteMany(Delete):
    def call(self, store: Store, name: str) -> None:
        store.delete_many([Box.key(name)])


class Transaction(Write):
    def set_up(self, store: Store, name: str) -> None:
        store.put_many([Box(ident=name), Box(ident=f"{name}/other")])

    def call(self, store: Store, name: str) -> None:
        with store.transaction() as transaction:
            transaction.update(Box.key(name), Box.n.add(1), if_=Box.n == 0)
            transaction.update(Box.key(f"{name}/other"), Box.n.add(1))
            transaction.create(Versioned(ident=name))

    def applied(self, store: Store, name: str) -> int:
        counts = {
            box.n for box in (store.get(Box.key(name)), store.get(Box.key(f"{name}/other"))) if box
        }
        created = store.get(Versioned.key(name)) is not None
        assert counts == {int(created)}
        return int(created)


class Additions(Transaction):
    """A transaction that could be applied twice without breaking a condition."""

    def call(self, store: Store, name: str) -> None:
        with store.transaction() as transaction:
            transaction.update(Box.key(name), Box.n.add(1))
            transaction.update(Box.key(f"{name}/other"), Box.n.add(1))

    def applied(self, store: Store, name: str) -> int:
        boxes = [store.get(Box.key(name)), store.get(Box.key(f"{name}/other"))]
        (number,) = {box.n for box in boxes if box is not None}
        return number


class CreateUnique(Write):
    entity = Member

    def set_up(self, store: Store, name: str) -> None:
        pass

    def call(self, store: Store, name: str) -> None:
        store.create(Member(ident=name, email=f"{name}@x"))

    def applied(self, store: Store, name: str) -> int:
        owner = store.find(Member.one_email(f"{name}@x"))
        assert owner == store.get(Member.key(name))
        return int(owner is not None)


class ChangeUnique(Write):
    entity = Member

    def set_up(self, store: Store, name: str) -> None:
        store.create(Member(ident=name, email=f"{name}@old"))

    def call(self, store: Store, name: str) -> None:
        store.update(Member.key(name), Member.email.set(f"{name}@new"))

    def applied(self, store: Store, name: str) -> int:
        found = [store.find(Member.one_email(f"{name}@{host}")) for host in ("old", "new")]
        assert [one is None for one in found].count(True) == 1
        return int(found[0] is None)


class CreateCounted(Write):
    """A create that takes the next number of its parent, and is counted there."""

    entity = Parent

    def call(self, store: Store, name: str) -> None:
        store.create(Child(parent=name))

    def applied(self, store: Store, name: str) -> int:
        parent = existing(store.get(Parent.key(name)))
        children = store.count(Child.key.partition(name))
        assert parent.children == children
        return children


class LoadCounted(CreateCounted):
    def call(self, store: Store, name: str) -> None:
        child = Child(parent=name)
        child.number = 7
        assert store.bulk_load([child]).written == 1


WRITES = {kind.__name__: kind() for kind in (
    Create, CreateVersioned, CreateUnique, CreateCounted, Put, Update, UpdateVersioned,
    ChangeUnique, Upsert, Modify, Delete, Transaction, Additions, Batch, DeleteMany, BulkLoad,
    LoadPlain, LoadCounted,
)}  # fmt: skip


class Bench:
    """Runs one kind of write with scripts of responses, each on new items."""

    def __init__(self, write: Write, driver: ScriptedDriver, plain: Store) -> None:
        self._write = write
        self._driver = driver
        self._plain = plain
        self._names = count()
        self.outcomes = Counter[str]()

    def explore(self, connect: Callable[[], Store], depth: int, script: Script = ()) -> None:
        """Run the script and everything that begins with it."""
        used = self._run(connect(), script, iter(script))
        if script:
            self._run(connect(), script, chain.from_iterable(repeat(script)))
        if used == len(script) < depth:
            for response in RESPONSES:
                self.explore(connect, depth, (*script, response))

    def _run(self, store: Store, script: Script, responses: Iterator[Response]) -> int:
        name = str(next(self._names))
        write, driver = self._write, self._driver
        write.set_up(self._plain, name)
        driver.script, driver.used = responses, 0
        driver.rival = lambda: self._touch(name)
        outcome = "applied"
        try:
            write.call(store, name)
        except errors.SingleTableError as error:
            outcome = "unknown" if error.outcome_unknown else "nothing"
        driver.script = iter(())
        expected = {"applied": {1}, "unknown": {0, 1}, "nothing": {0}}[outcome]
        assert write.applied(self._plain, name) in expected, (outcome, script)
        self.outcomes[outcome] += 1
        return driver.used

    def _touch(self, name: str) -> None:
        """Change the item as another client does."""
        key = self._write.entity.key(name).key
        touch = UpdateItem(
            "things",
            key,
            update_expression="ADD rival :one",
            condition_expression="attribute_exists(PK)",
            expression_attribute_values={":one": {"N": "1"}},
        )
        with suppress(errors.ConditionFailed):
            self._plain.driver.execute(touch)


@pytest.fixture(autouse=True)
def _no_waiting(monkeypatch: pytest.MonkeyPatch) -> None:
    async def pass_on(seconds: float) -> None:
        pass

    monkeypatch.setattr("dynamodb_engine.steps.time.sleep", lambda seconds: None)
    monkeypatch.setattr("dynamodb_engine.steps.asyncio.sleep", pass_on)


@pytest.fixture
def driver() -> Iterator[ScriptedDriver]:
    with Engine.in_memory() as engine:
        Store(engine).admin.create_table(things)
        yield ScriptedDriver(engine)


@pytest.mark.parametrize(
    "face", ["sync", *(pytest.param(one, marks=pytest.mark.rest) for one in ("async", "http"))]
)
@pytest.mark.parametrize("kind", WRITES)
def test_write_is_applied_once_and_reported_truly(
    kind: str, face: str, driver: ScriptedDriver, far_end: tuple[Exchangeable, Any]
) -> None:
    loop = asyncio.new_event_loop()
    behind, remote = far_end
    behind.engine = AsyncDriverAdapter(driver)

    def connect() -> Store:
        if face == "async":
            return cast(Store, AwaitedStore(AsyncStore(AsyncDriverAdapter(driver)), loop))
        return Store(driver if face == "sync" else remote)

    bench = Bench(WRITES[kind], driver, Store(driver.engine))
    try:
        bench.explore(connect, DEPTH - FACES[face])
    finally:
        loop.close()
    assert bench.outcomes["applied"]
    assert bench.outcomes["unknown"]


# A transaction returns no item, so an update reads it afterwards. That the read fails must not look
# as if the update had failed.
@pytest.mark.parametrize("name", ["ChangeUnique", "Upsert"])
def test_failed_read_after_a_write_is_not_reported_as_a_failed_write(
    name: str, driver: ScriptedDriver
) -> None:
    class ReadsFailAfterWrite:
        is_written = False

        def execute(self, operation: Operation[R], /) -> R:
            if self.is_written and isinstance(cast(object, operation), GetItem):
                raise errors.Throttled("busy")
            output = driver.execute(operation)
            self.is_written = self.is_written or OPERATIONS[type(operation)].writes
            return output

    plain = Store(driver.engine)
    WRITES[name].set_up(plain, "a")
    WRITES[name].call(Store(ReadsFailAfterWrite()), "a")
    assert WRITES[name].applied(plain, "a") == 1
