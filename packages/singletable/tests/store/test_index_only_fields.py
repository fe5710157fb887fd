"""Fields that only a key in an index has, as tables of other programs often have them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dynamodb_engine.values import Item
from singletable import (
    AlreadyExists,
    Attr,
    Edit,
    Entity,
    Index,
    InvalidValue,
    ItemMismatch,
    Key,
    PutItem,
    Store,
    Table,
    Unique,
    attr,
    concat,
    connect,
    padded,
)
from singletable.errors import DeclarationError
from singletable.migration import Backfill, Migration
from singletable.migration.runner import MigrationRunner
from tests.store.stores import stored_item

by_risk = Index("risk", pk="riskKey", sk="riskSort")
by_name = Index("name", pk="nameKey", projection=["number"])
bank = Table("bank", indexes=[by_risk, by_name])


class Customer(Entity, table=bank):
    number: Attr[str] = attr()
    name: Attr[str | None] = attr(default=None)
    level: Attr[str | None] = attr(key_only=True, default=None)
    score: Attr[int | None] = attr(key_only=True, default=None)
    key = Key(pk=concat("C|", number), sk="C")
    risk = Key(pk=concat("RISK|", level), sk=concat(padded(score, 3), "|", number)).on(by_risk)
    named = Key(pk=("NAME", name)).on(by_name)


ONE = Customer.key("1")
STORED: Item = {
    "PK": {"S": "C|1"},
    "SK": {"S": "C"},
    "number": {"S": "1"},
    "name": {"S": "a"},
    "nameKey": {"S": "NAME#a"},
    "riskKey": {"S": "RISK|MED"},
    "riskSort": {"S": "007|1"},
    "level": {"S": "an attribute of another program"},
}


@pytest.fixture
def store() -> Store:
    store = Store(connect("memory:"))
    store.admin.create_table(bank)
    store.driver.execute(PutItem("bank", STORED))
    return store


def keys(store: Store) -> tuple[str | None, str | None]:
    item = stored_item(store.driver, ONE)
    risk, sort = item.get("riskKey", {}).get("S"), item.get("riskSort", {}).get("S")
    return risk, sort


def test_value_is_read_from_the_index_key_and_put_leaves_the_item(store: Store) -> None:
    customer = store.get(ONE)
    assert customer == Customer(number="1", name="a", level="MED", score=7)
    assert list(store.query(Customer.risk("MED"))) == [customer]
    assert list(store.query(Customer.risk("MED").eq(7))) == [customer]
    store.put(customer)
    assert stored_item(store.driver, ONE) == STORED


EDITS: dict[str, tuple[list[Edit[Customer]], tuple[str | None, str | None]]] = {
    "one": ([Customer.level.set("HIGH")], ("RISK|HIGH", "007|1")),
    "both": ([Customer.level.set("LOW"), Customer.score.set(12)], ("RISK|LOW", "012|1")),
    "added": ([Customer.score.add(3)], ("RISK|MED", "010|1")),
    "none": ([Customer.level.set(None), Customer.score.remove()], (None, None)),
    "another field": ([Customer.name.set("b")], ("RISK|MED", "007|1")),
}


@pytest.mark.parametrize(("edits", "expected"), EDITS.values(), ids=EDITS)
@pytest.mark.parametrize("how", ["update", "transaction", "upsert"])
def test_update_writes_the_index_key(
    store: Store,
    edits: list[Edit[Customer]],
    expected: tuple[str | None, str | None],
    how: str,
) -> None:
    match how:
        case "update":
            store.update(ONE, *edits)
        case "upsert":
            # A new item needs a value for each part of the key.
            absent = [Customer.level.set_if_missing("LOW"), Customer.score.set_if_missing(1)]
            given = {edit.field for edit in edits}
            store.upsert(ONE, *edits, *(one for one in absent if one.field not in given))
        case _:
            with store.transaction() as transaction:
                transaction.update(ONE, *edits)
    assert keys(store) == expected
    item = stored_item(store.driver, ONE)
    assert (item["level"], "score" in item) == (STORED["level"], False)
    assert store.get(ONE) is not None


def test_upsert_and_modify_write_the_index_key(store: Store) -> None:
    new = store.upsert(Customer.key("2"), Customer.level.set("LOW"), Customer.score.set(1))
    assert store.get(Customer.key("2")) == new == Customer(number="2", level="LOW", score=1)
    created = store.upsert(
        Customer.key("3"),
        Customer.name.set("c"),
        on_create=[Customer.level.set("LOW"), Customer.score.set(2)],
    )
    assert store.get(Customer.key("3")) == created
    assert [one.number for one in store.query(Customer.risk("LOW"))] == ["2", "3"]
    item = stored_item(store.driver, Customer.key("3"))
    assert not {"level", "score"} & set(item)

    def raise_level(customer: Customer) -> None:
        customer.level = "HIGH"

    store.modify(ONE, raise_level)
    assert keys(store) == ("RISK|HIGH", "007|1")


def test_value_that_no_key_would_have_is_rejected(store: Store) -> None:
    lost: list[Callable[[], object]] = [
        lambda: store.put(Customer(number="1", level="HIGH")),
        lambda: store.update(ONE, Customer.score.set(None)),
        lambda: store.upsert(Customer.key("4"), Customer.level.set("HIGH")),
    ]
    for write in lost:
        with pytest.raises(InvalidValue, match=r"which an item without .* does not have"):
            write()
    assert keys(store) == ("RISK|MED", "007|1")


def test_select_and_hydrate_read_the_value(store: Store) -> None:
    everything = store.select(Customer.key.partition("1"), Customer.level, Customer.score)
    assert list(everything) == [("MED", 7)]
    assert list(store.select(Customer.risk("MED"), Customer.score)) == [(7,)]
    with pytest.raises(InvalidValue, match="does not contain"):
        store.select(Customer.named("a"), Customer.level)
    with pytest.raises(InvalidValue, match="level"):
        store.query(Customer.named("a"))
    (customer,) = store.hydrate(Customer.named("a"))
    assert customer.level == "MED"


@pytest.mark.parametrize(
    "changes",
    [
        {"riskKey": {"S": "HAZARD|MED"}},
        {"riskSort": {"S": "7|1"}},
        {"riskSort": {"S": "007|2"}},
    ],
    ids=str,
)
def test_key_of_another_form_is_rejected(store: Store, changes: Item) -> None:
    store.driver.execute(PutItem("bank", {**STORED, **changes}))
    reads: list[Callable[[], object]] = [
        lambda: store.get(ONE),
        lambda: store.update(ONE, Customer.level.set("LOW")),
    ]
    for read in reads:
        with pytest.raises(ItemMismatch, match=r"riskKey|riskSort"):
            read()
    assert stored_item(store.driver, ONE) == {**STORED, **changes}


def test_backfill_leaves_the_value(store: Store) -> None:
    MigrationRunner(Migration(Backfill(Customer), name="fill"), store.driver).run()
    assert stored_item(store.driver, ONE) == STORED


handles = Table("handles", indexes=[Index("handle", pk="handleKey")])


class Owner(Entity, table=handles):
    number: Attr[str] = attr()
    handle: Attr[str] = attr(key_only=True)
    key = Key(pk=("OWNER", number), sk="OWNER")
    by_handle = Key(pk=("HANDLE", handle)).on(handles.indexes[0])
    one_handle = Unique(handle)


def test_value_may_be_required_and_unique() -> None:
    store = Store(connect("memory:"))
    store.admin.create_table(handles)
    store.create(Owner(number="1", handle="a"))
    with pytest.raises(AlreadyExists):
        store.create(Owner(number="2", handle="a"))
    store.update(Owner.key("1"), Owner.handle.set("b"))
    assert store.find(Owner.one_handle("b")) == Owner(number="1", handle="b")
    store.create(Owner(number="2", handle="a"))
    item = stored_item(store.driver, Owner.key("1"))
    without: Item = {name: value for name, value in item.items() if name != "handleKey"}
    store.driver.execute(PutItem("handles", without))
    with pytest.raises(ItemMismatch, match="handleKey"):
        store.get(Owner.key("1"))


def test_index_with_a_condition_cannot_be_the_only_place() -> None:
    table = Table("flags", indexes=[Index("flag", pk="flagKey")])
    with pytest.raises(DeclarationError, match="without when"):

        class _Flag(Entity, table=table):
            name: Attr[str] = attr()
            flag: Attr[str | None] = attr(key_only=True, default=None)
            key = Key(pk=("FLAG", name), sk="FLAG")
            flagged = Key(pk=("FLAG", flag)).on(table.indexes[0], when=name == "a")
