"""Migrations that change a table in place, from their first run to their undoing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import pytest

from dynamodb_engine.operations import GetItem, Operation, Scan, TransactWriteItems
from dynamodb_engine.testing import Crash, InterruptedDriver
from singletable import Attr, Count, Driver, Engine, Entity, Index, Key, Store, Table, Unique, attr
from singletable.errors import (
    DeclarationError,
    InternalError,
    MigrationError,
    TransactionConflict,
    TransformFailed,
)
from singletable.migration import (
    AddCount,
    AddIndex,
    AddUnique,
    Backfill,
    Copy,
    CreateTable,
    DropTable,
    Migration,
    Rewrite,
    each,
    unchanged,
)
from singletable.migration.runner import MigrationRunner
from tests.migration.doubles import Clock
from tests.migration.in_place import stored

R = TypeVar("R")

first = Table("shop")
second = Table("shop", indexes=[Index("GSI1", pk="GSI1PK", sk="GSI1SK")])
totals = Table("totals", pk="id", sk=None)


class FirstOrder(Entity, table=first, type_tag=("type", "order")):
    number: Attr[str] = attr(name="id")
    customer: Attr[str] = attr()
    name: Attr[str] = attr(name="FullName")
    key = Key(pk=("ORDER", number), sk="ORDER")


class Total(Entity, table=totals):
    customer: Attr[str] = attr(name="id")
    orders: Attr[int] = attr(default=0)
    key = Key(pk=customer)


class OrderV1(Entity):
    number: Attr[str] = attr(name="id")
    customer: Attr[str] = attr()
    name: Attr[str] = attr(name="FullName")


class Order(Entity, table=second, type_tag=("type", "order"), schema_version=2):
    """The order of today."""

    number: Attr[str] = attr(name="id")
    customer: Attr[str] = attr()
    surname: Attr[str] = attr()
    reference: Attr[str | None] = attr(default=None)
    key = Key(pk=("ORDER", number), sk="ORDER")
    by_customer = Key(pk=("CUSTOMER", customer), sk=("ORDER", number)).on(second.indexes[0])
    by_reference = Unique(reference)
    in_total = Count(Total, Total.orders, key=(customer,))


@Order.upgrade(from_=1)
def take_surname(old: OrderV1) -> Order:
    return Order(number=old.number, customer=old.customer, surname=old.name.rpartition(" ")[2])


def set_reference(order: Order) -> None:
    order.reference = f"R{order.number}"


def drop_reference(order: Order) -> None:
    order.reference = None


MIGRATION = Migration(
    AddIndex(second, "GSI1"),
    CreateTable(totals),
    Rewrite(each(Order, lambda order: None if order.customer == "test" else order)),
    Backfill(Order, set_reference, drop_reference),
    AddUnique(Order, "by_reference"),
    name="0002_orders",
)
COUNT = Migration(AddCount(Order, "in_total"), name="0003_totals")


@pytest.fixture
def shop() -> Iterator[Engine]:
    with Engine.in_memory() as engine:
        store = Store(engine)
        store.admin.create_table(first)
        store.put_many(
            [FirstOrder(number=f"{n}", customer=f"c{n % 3}", name=f"A B{n}") for n in range(9)]
        )
        store.put(FirstOrder(number="x", customer="test", name="T"))
        yield engine


def runner(migration: Migration, driver: Driver) -> MigrationRunner:
    return MigrationRunner(migration, driver, page_size=2, segments=2, sleep=lambda seconds: None)


def check(engine: Engine) -> None:
    store = Store(engine)
    orders = list(store.query(Order.by_customer("c1")))
    assert [(order.number, order.surname, order.reference) for order in orders] == [
        (str(n), f"B{n}", f"R{n}") for n in (1, 4, 7)
    ]
    assert store.find(Order.by_reference("R7")) == orders[2]
    assert store.get(Order.key("x")) is None
    items = [item for item in stored(engine, second) if item.get("type") == {"S": "order"}]
    assert all(item["schema_version"] == {"N": "2"} for item in items)
    assert not any("FullName" in item or "name" in item for item in items)


@pytest.mark.parametrize("declare", [CreateTable, DropTable, unchanged, Copy])
def test_steps_reject_the_name_of_a_table(declare: Callable[[Any], object]) -> None:
    with pytest.raises(DeclarationError, match="expected a Table, but got 'shop'"):
        declare("shop")


def test_a_migration_of_many_steps_runs_and_counts(shop: Engine) -> None:
    status = runner(MIGRATION, shop).run()
    assert (status.phase, status.step) == ("finished", 5)
    check(shop)
    store = Store(shop)
    for n in range(3):
        store.create(Total(customer=f"c{n}"))
    assert runner(COUNT, shop).run().phase == "finished"
    assert [store.get(Total.key(f"c{n}")) for n in range(3)] == [
        Total(customer=f"c{n}", orders=3) for n in range(3)
    ]
    store.delete(Order.key("4"))
    assert store.get(Total.key("c1")) == Total(customer="c1", orders=2)


def test_a_migration_continues_after_a_crash_at_any_step(shop: Engine) -> None:
    driver = InterruptedDriver(shop)
    for attempt in range(30):
        driver.crash_after(11 + attempt * 5)
        # The lease of the process that crashed has expired.
        clock = Clock(now=1e9 + attempt * 100)
        failing = MigrationRunner(MIGRATION, driver, page_size=2, segments=1, clock=clock)
        try:
            failing.run()
        except Crash:
            continue
        assert attempt > 2
        check(shop)
        return
    raise AssertionError


class LostResponses:
    """Executes each transaction, but answers first that its outcome is unknown, then a conflict."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._answers: dict[str, int] = {}

    def execute(self, operation: Operation[R], /) -> R:
        request: object = operation
        if isinstance(request, TransactWriteItems):
            text = repr(request.transact_items)
            self._answers[text] = number = self._answers.get(text, 0) + 1
            if number == 1:
                self._engine.execute(operation)
                raise InternalError("The response was lost.")
            if number == 2:
                raise TransactionConflict("Another transaction is writing.")
        return self._engine.execute(operation)


def raise_surname(order: Order) -> None:
    order.surname += "!"


def test_a_lost_response_changes_no_item_twice(shop: Engine) -> None:
    louder = Migration(Backfill(Order, raise_surname), name="0004_louder")
    for migration in (MIGRATION, COUNT, louder):
        if migration is COUNT:
            Store(shop).bulk_load(Total(customer=f"c{n}") for n in range(3))
        assert runner(migration, LostResponses(shop)).run().phase == "finished"
        if migration is MIGRATION:
            check(shop)
    store = Store(shop)
    assert [store.get(Total.key(f"c{n}")) for n in range(3)] == [
        Total(customer=f"c{n}", orders=3) for n in range(3)
    ]
    assert {order.surname for order in store.query(Order.by_customer("c1"))} == {
        "B1!",
        "B4!",
        "B7!",
    }


def test_a_migration_is_undone_in_reverse_order(shop: Engine) -> None:
    without_rewrite = Migration(
        *(step for step in MIGRATION.steps if not isinstance(step, Rewrite)), name="0002_orders"
    )
    migrating = runner(without_rewrite, shop)
    migrating.run()
    assert migrating.down().phase == "down"
    items = stored(shop, second)
    assert len(items) == 10
    assert not any("reference" in item or "owner_PK" in item for item in items)
    migrating.run()
    assert Store(shop).find(Order.by_reference("R7")) is not None


def test_steps_that_cannot_be_undone_are_found_before(shop: Engine) -> None:
    migrating = runner(MIGRATION, shop)
    migrating.run()
    expected = stored(shop, second)
    with pytest.raises(MigrationError, match=r"Rewrite\(Order\) cannot be undone"):
        migrating.down()
    assert stored(shop, second) == expected


def test_a_new_index_is_complete_although_orders_come_in(shop: Engine) -> None:
    store = Store(shop)
    number = 100

    def write() -> None:
        nonlocal number
        number += 1
        # Programs of both versions are running.
        store.put(FirstOrder(number=f"{number % 9}", customer="c1", name=f"New N{number}"))
        store.put(Order(number=f"{number}", customer="c1", surname="S"))

    index = Migration(AddIndex(second, "GSI1"), Backfill(Order), name="0002_index")
    store.admin.create_table(totals)
    store.put(Total(customer="c1", orders=0))
    driver = InterruptedDriver(shop, (Scan, TransactWriteItems), before=write, times=10)
    migrating = MigrationRunner(index, driver, page_size=3, segments=1, sleep=lambda seconds: None)
    migrating.run()
    assert number == 110
    everything = [item for item in stored(shop, second) if item["customer"] == {"S": "c1"}]
    # What a program of the first version writes again afterwards has no index key.
    indexed = {order.number for order in store.query(Order.by_customer("c1"))}
    assert indexed <= {item["id"]["S"] for item in everything}
    assert {str(n) for n in range(101, 111)} <= indexed
    runner(Migration(Backfill(Order), name="0003_again"), shop).run()
    assert {order.number for order in store.query(Order.by_customer("c1"))} == {
        item["id"]["S"] for item in everything
    }


def test_duplicates_stop_the_migration_until_they_are_corrected(shop: Engine) -> None:
    def same(order: Order) -> None:
        order.reference = "R" if order.number in "123" else f"R{order.number}"

    # The transform claims no markers for values that an item had before.
    store = Store(shop)
    migrating = runner(
        Migration(AddIndex(second, "GSI1"), Backfill(Order, same), name="0002_same"), shop
    )
    with pytest.raises(TransformFailed, match="another Order has the same reference"):
        migrating.run()
    assert sum(order.reference == "R" for order in store.admin.scan(Order)) == 1


def test_a_dropped_table_is_gone(shop: Engine) -> None:
    Store(shop).admin.create_table(totals)
    drop = Migration(Backfill(Order), DropTable(totals), name="0004_drop")
    assert runner(drop, shop).run().phase == "finished"
    with pytest.raises(MigrationError, match="cannot be undone"):
        runner(drop, shop).down()


@pytest.mark.parametrize(
    ("seconds", "rate"), [(4.0, None), (0.0, 1.0)], ids=["slow requests", "slow rate"]
)
def test_the_lease_is_renewed_during_a_long_page(
    shop: Engine, seconds: float, rate: float | None
) -> None:
    clock = Clock()
    remaining: list[float] = []

    def take_time() -> None:
        clock.now += seconds

    def check_lease() -> None:
        lease = Store(shop).driver.execute(GetItem("shop", migrating.states.key)).item
        assert lease is not None
        remaining.append(float(lease["lease_until"]["N"]) - clock.now)

    Store(shop).put_many(
        [FirstOrder(number=f"{n}", customer="c", name="x" * 200) for n in range(1000, 1200)]
    )
    checked = InterruptedDriver(shop, (Scan, TransactWriteItems), before=check_lease, times=None)
    migrating = MigrationRunner(
        Migration(AddIndex(second, "GSI1"), Backfill(Order), name="0002_index"),
        InterruptedDriver(checked, before=take_time, times=None),
        rate=rate,
        segments=1,
        clock=clock,
        sleep=clock.sleep,
    )
    started = clock.now
    assert migrating.run().phase == "finished"
    assert clock.now - started > 40
    assert min(remaining) > 0
