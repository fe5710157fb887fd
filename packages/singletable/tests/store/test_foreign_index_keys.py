"""Items whose index keys another program wrote are read as they will be written, or not at all."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from dynamodb_engine.values import Item
from singletable import (
    Attr,
    Collection,
    Driver,
    Entity,
    Index,
    ItemMismatch,
    Key,
    LocalIndex,
    Number,
    PutItem,
    Shards,
    Store,
    Table,
    attr,
    concat,
    connect,
    parse_stream_event,
)
from singletable.migration import Backfill, Migration
from singletable.migration.runner import MigrationRunner
from singletable.schema import ItemKey, key_of
from tests.store.stores import stored_item

by_risk = Index("risk", pk="riskKey", sk="riskSort")
by_city = Index("city", pk="cityKey", projection="KEYS_ONLY")
by_size = Index("size", pk=("kind", Number("size")), sk=("made", "makerKey"))
by_note = LocalIndex("note", sk="noteKey")
by_copy = Index("copy", pk=Number("copied"))
by_day = Index("day", pk="dayKey", sk="daySort")
shop = Table(
    "shop",
    indexes=[by_risk, by_city, by_size, by_note, by_copy, by_day],
)


class Customer(Entity, table=shop, type_tag=("type", "CUSTOMER")):
    number: Attr[str] = attr()
    name: Attr[str] = attr(default="")
    rank: Attr[str | None] = attr(name="riskSort", default=None)
    city: Attr[str | None] = attr(default=None)
    status: Attr[str] = attr(default="open")
    kind: Attr[str | None] = attr(default=None)
    size: Attr[int] = attr(default=1)
    made: Attr[str] = attr(default="2026")
    note: Attr[str | None] = attr(default=None)
    amount: Attr[int] = attr(default=100)
    key = Key(pk=concat("C|", number), sk="C")
    risk = Key(pk="HIGH", sk=rank).on(by_risk)
    in_city = Key(pk=("CITY", city)).on(by_city, when=status == "open")
    of_size = Key(pk=(kind, size), sk=(made, name)).on(by_size)
    noted = Key(pk=concat("C|", number), sk=("NOTE", note)).on(by_note)
    of_amount = Key(pk=amount).on(by_copy)
    of_day = Key(pk=("DAY", Shards(4)), sk=(made, name)).on(by_day)


class File(Collection):
    customer: Customer


ONE = Customer.key("1")
STORED: Item = {
    "PK": {"S": "C|1"},
    "SK": {"S": "C"},
    "type": {"S": "CUSTOMER"},
    "number": {"S": "1"},
    "name": {"S": "a"},
    "riskKey": {"S": "HIGH"},
    "riskSort": {"S": "7"},
    "city": {"S": "Bern"},
    "cityKey": {"S": "CITY#Bern"},
    "status": {"S": "open"},
    "kind": {"S": "k"},
    "size": {"N": "1"},
    "made": {"S": "2026"},
    "makerKey": {"S": "a"},
    "note": {"S": "n"},
    "noteKey": {"S": "NOTE#n"},
    "amount": {"N": "100"},
    "copied": {"N": "100"},
    "dayKey": {"S": "DAY#2"},
    "daySort": {"S": "2026#a"},
    "undeclared": {"S": "kept"},
}


@pytest.fixture
def store() -> Store:
    store = Store(connect("memory:"))
    store.admin.create_table(shop)
    return store


def write(driver: Driver, item: Item) -> None:
    driver.execute(PutItem("shop", item))


def changed(*without: str, **attributes: str | int) -> Item:
    """Return the stored item with other attributes, and without some."""
    other: Item = {
        name: {"N": str(value)} if isinstance(value, int) else {"S": value}
        for name, value in attributes.items()
    }
    return {name: value for name, value in {**STORED, **other}.items() if name not in without}


READS: dict[str, Callable[[Store], object]] = {
    "get": lambda store: store.get(ONE),
    "get_many": lambda store: store.get_many([ONE]),
    "transact_get": lambda store: store.transact_get(ONE),
    "query": lambda store: list(store.query(Customer.key.partition("1"))),
    "page": lambda store: store.page(Customer.key.partition("1"), 9),
    "hydrate": lambda store: list(store.hydrate(Customer.in_city("Bern"))),
    "collect": lambda store: store.collect(File, Customer.key.partition("1")),
    "scan": lambda store: list(store.admin.scan(Customer)),
    "decode": lambda store: [
        store.admin.decode(shop, item) for item in store.admin.items(shop, 9).items
    ],
    "changes": lambda store: store.changes(Customer),
    "event": lambda store: parse_stream_event(
        {
            "Records": [
                {"eventName": "INSERT", "dynamodb": {"NewImage": stored_item(store.driver, ONE)}}
            ]
        },
        Customer,
    ),
    "modify": lambda store: store.modify(ONE, lambda customer: None),
    "update": lambda store: store.update(ONE, Customer.status.set("open")),
    "delete": lambda store: store.delete(ONE),
}


def test_update_of_part_of_a_key_says_which_item_has_another_one(store: Store) -> None:
    write(store.driver, changed(cityKey="CITY#Rome"))
    with pytest.raises(ItemMismatch) as caught:
        store.update(ONE, Customer.city.set("Basel"))
    assert caught.value.key == ONE.key
    assert "cityKey='CITY#Rome'" in caught.value.text


# A put would move this customer from the risk MED to HIGH.
@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_every_read_rejects_another_index_key(
    store: Store, read: Callable[[Store], object]
) -> None:
    write(store.driver, changed(riskKey="MED"))
    with pytest.raises(ItemMismatch) as caught:
        read(store)
    assert (caught.value.key, caught.value.path) == (ONE.key, "Customer.risk")
    assert "riskKey='MED'" in caught.value.text
    assert "expects riskKey='HIGH'" in caught.value.text
    assert "would move it in the index risk" in caught.value.text


@pytest.mark.parametrize("read", READS.values(), ids=READS)
def test_every_read_accepts_the_rendered_index_keys(
    store: Store, read: Callable[[Store], object]
) -> None:
    write(store.driver, STORED)
    assert read(store)


OTHERS: dict[str, Item] = {
    "another text": changed(riskKey="MED"),
    "without its field": changed("riskSort", riskKey="HIGH"),
    "another value": changed(cityKey="CITY#Basel"),
    "while the condition is false": changed(status="done"),
    "one of several attributes": changed(makerKey="b"),
    "of a local index": changed(noteKey="NOTE#m"),
    "another number": changed(copied=99),
    "sharded": changed(daySort="2026#b"),
    "an unknown shard's text": changed(dayKey="NIGHT#1"),
    "of an escaped text": changed(city="a#b", cityKey="CITY#a#b"),
}


@pytest.mark.parametrize("item", OTHERS.values(), ids=OTHERS)
def test_item_with_another_index_key_is_reported_and_skipped(store: Store, item: Item) -> None:
    write(store.driver, item)
    problems: list[ItemMismatch] = []
    customers = store.query(Customer.key.partition("1"), on_mismatch=problems.append)
    assert (list(customers), [one.key for one in problems]) == ([], [ONE.key])


KEPT: dict[str, Item] = {
    "as rendered": STORED,
    "not in the sparse indexes": changed(
        "riskKey", "riskSort", "city", "cityKey", "kind", "makerKey", "note", "noteKey"
    ),
    "the condition is false": changed("cityKey", status="done"),
    "escaped": changed(city="a#b", cityKey="CITY#a$23b"),
    "another notation of a number": {**STORED, "copied": {"N": "1E2"}},
}


@pytest.mark.parametrize("item", KEPT.values(), ids=KEPT)
def test_get_and_put_leave_the_item_as_it_is(store: Store, item: Item) -> None:
    write(store.driver, item)
    before = stored_item(store.driver, ONE)
    customer = store.get(ONE)
    assert customer is not None
    assert list(store.query(Customer.key.partition("1"))) == [customer]
    store.put(customer)
    after = stored_item(store.driver, ONE)
    assert {**after, "dayKey": before["dayKey"]} == before


# After AddIndex, old items lack the attributes of the index until they are written again.
@pytest.mark.parametrize(
    "lacks",
    [("riskKey",), ("cityKey",), ("makerKey",), ("noteKey",), ("copied",), ("dayKey", "daySort")],
    ids=str,
)
def test_item_that_is_not_in_a_new_index_is_read(store: Store, lacks: tuple[str, ...]) -> None:
    write(store.driver, changed(*lacks))
    customer = store.get(ONE)
    assert customer is not None
    assert list(store.query(Customer.key.partition("1"))) == [customer]
    MigrationRunner(Migration(Backfill(Customer), name="fill"), store.driver).run()
    assert store.get(ONE) == customer
    for name in set(lacks) - {"dayKey"}:
        assert stored_item(store.driver, ONE)[name] == STORED[name]


def test_index_entry_with_some_attributes_is_read(store: Store) -> None:
    write(store.driver, STORED)
    assert list(store.select(Customer.in_city("Bern"), Customer.number)) == [("1",)]


class Changing(Entity, table=shop, type_tag=("type", "CHANGING")):
    """An entity whose key in an index is being changed from `("OLD", city)`."""

    number: Attr[str] = attr()
    city: Attr[str] = attr()
    key = Key(pk=("CHANGING", number), sk="C")
    in_city = Key(pk=("NEW", city)).on(by_city, checked=False)


def test_unchecked_index_key_is_read_and_written_as_declared(store: Store) -> None:
    store.put(Changing(number="1", city="Bern"))
    key: ItemKey[Changing] = Changing.key("1")
    old: Item = {**stored_item(store.driver, key), "cityKey": {"S": "OLD#Bern"}}
    write(store.driver, old)
    changing = store.get(key)
    assert changing is not None
    assert key_of(changing) == key
    assert list(store.query(Changing.key.partition("1"))) == [changing]
    store.put(changing)
    assert stored_item(store.driver, key)["cityKey"] == {"S": "NEW#Bern"}
    write(store.driver, old)
    MigrationRunner(Migration(Backfill(Changing), name="change"), store.driver).run()
    assert stored_item(store.driver, key)["cityKey"] == {"S": "NEW#Bern"}


# The migration that repairs the keys must be able to read the items, with a function, too.
@pytest.mark.parametrize("function", [None, lambda customer: None], ids=["plain", "function"])
def test_backfill_reads_items_with_other_index_keys(
    store: Store, function: Callable[[Customer], Customer | None] | None
) -> None:
    write(store.driver, changed(riskKey="MED"))
    MigrationRunner(Migration(Backfill(Customer, function), name="repair"), store.driver).run()
    assert stored_item(store.driver, ONE)["riskKey"] == {"S": "HIGH"}
    assert store.get(ONE) is not None
