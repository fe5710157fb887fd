"""Items of earlier versions: values of another type, and fields that they do not have."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Any, Literal

import pytest
from pydantic import BaseModel, TypeAdapter

from singletable import (
    Attr,
    Encrypted,
    Entity,
    Index,
    ItemMismatch,
    Key,
    ModelEntity,
    PutItem,
    Store,
    Table,
    TimeFormat,
    attr,
)
from singletable.schema import model_of
from singletable.values import AttributeValue, Item
from tests.store.store_adapter import StoreOpener
from tests.store.stores import existing, open_store

by_day = Index("by_day", pk="GSI1PK", sk="GSI1SK")
orders = Table("orders", indexes=[by_day])
KEY: Item = {"PK": {"S": "ORDER#1"}, "SK": {"S": "ORDER"}, "number": {"S": "1"}}
SECRET = Encrypted(key=lambda key_id: bytes(32), key_id="1")


def from_seconds(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


class Order(Entity, table=orders):
    """Fields that had other types."""

    number: Attr[str] = attr()
    placed: Attr[datetime] = attr(old_types={int: from_seconds})
    due: Attr[datetime | None] = attr(
        default=None, old_types={int: from_seconds, str: datetime.fromisoformat}
    )
    total: Attr[int] = attr(name="Total", old_names=("total",), old_types={str: int})
    lines: Attr[list[str]] = attr(factory=list, old_types={str: lambda text: text.split(",")})
    card: Attr[str | None] = attr(default=None, codec=SECRET, old_types={str: str})
    status: Attr[str] = attr(default="open")
    key = Key(pk=("ORDER", number), sk="ORDER")
    by_time = Key(pk=("STATUS", status), sk=(placed,)).on(by_day, when=total > 0)


OLD: Item = {
    **KEY,
    "placed": {"N": "60"},
    "due": {"S": "2026-01-01T00:00:00+00:00"},
    "total": {"S": "12"},
    "lines": {"S": "a,b"},
    "card": {"S": "4111"},
}
ONE = Order.key("1")


TABLES = (orders,)


def in_memory(*items: Item) -> Store:
    store = open_store(orders)
    for item in items:
        store.driver.execute(PutItem("orders", item))
    return store


def stored(store: Store) -> Item:
    (item,) = store.admin.items(orders, 5).items
    return item


def test_values_of_old_types_are_read_and_written_with_the_current_type(
    store: Store, opener: StoreOpener
) -> None:
    opener.driver.execute(PutItem("orders", OLD))
    order = existing(store.get(ONE))
    assert (order.placed, order.due) == (from_seconds(60), datetime(2026, 1, 1, tzinfo=UTC))
    assert (order.total, order.lines, order.card) == (12, ["a", "b"], "4111")
    paths = (Order.placed, Order.total, Order.card)
    assert list(store.select(Order.key.partition("1"), *paths)) == [(from_seconds(60), 12, "4111")]
    assert list(store.query(Order.key.partition("1"))) == [order]
    store.put(order)
    item = stored(store)
    assert set(item["placed"]) == set(item["due"]) == {"S"}
    assert (item["Total"], "total" in item) == ({"N": "12"}, False)
    assert set(item["card"]) == {"B"}
    assert store.get(ONE) == order
    assert store.count(Order.by_time("open")) == 1


def test_edit_of_an_old_value_converts_it_first() -> None:
    store = in_memory(OLD)
    updated = store.update(
        ONE, Order.total.add(3), Order.lines.append("c"), Order.card.set_if_missing("x")
    )
    assert (updated.total, updated.lines, updated.card) == (15, ["a", "b", "c"], "4111")
    assert store.upsert(ONE, Order.total.add(1), on_create=[Order.placed.set(from_seconds(1))])
    assert store.modify(ONE, lambda one: setattr(one, "status", "done")).total == 16


def test_modify_without_a_change_writes_an_item_with_old_types() -> None:
    store = in_memory(OLD)
    store.modify(ONE, lambda one: None)
    item = stored(store)
    types = ["".join(item[name]) for name in ("placed", "Total", "lines", "card")]
    assert types == ["S", "N", "L", "B"]
    assert model_of(Order).is_current(item)
    assert not model_of(Order).is_current({**item, "card": {"S": "4111"}})
    assert not model_of(Order).is_current({**item, "placed": {"N": "60"}})


# The index key is written with the next write of a field that it depends on.
def test_index_key_of_an_old_value_is_written_with_the_item() -> None:
    store = in_memory(OLD)
    assert store.count(Order.by_time("open")) == 0
    store.update(ONE, Order.status.set("paid"))
    assert [one.total for one in store.query(Order.by_time("paid"))] == [12]


def test_condition_compares_the_current_encoding_only() -> None:
    store = in_memory(OLD)
    partition = Order.key.partition("1")
    assert store.count(partition, where=Order.placed == from_seconds(60)) == 0
    assert store.count(partition, where=Order.placed.exists()) == 1
    store.modify(ONE, lambda one: setattr(one, "status", "seen"))
    assert store.count(partition, where=Order.placed == from_seconds(60)) == 1


@pytest.mark.parametrize(
    ("changed", "path", "text"),
    [
        ({"placed": {"BOOL": True}}, "Order.placed", "but the item has a boolean"),
        (
            {"due": {"S": "soon"}},
            "Order.due",
            "fromisoformat of old_types accepts, but it rejected",
        ),
        ({"total": {"S": "many"}}, "Order.total", "it rejected 'many': ValueError"),
    ],
)
def test_value_of_no_known_type_is_a_mismatch(changed: Item, path: str, text: str) -> None:
    store = in_memory({**OLD, **changed})
    with pytest.raises(ItemMismatch, match=text) as raised:
        store.get(ONE)
    assert raised.value.path == path
    assert raised.value.key == {"PK": {"S": "ORDER#1"}, "SK": {"S": "ORDER"}}


def test_function_that_returns_another_type_is_a_mismatch() -> None:
    convert: Any = str

    class Wrong(Entity, table=Table("orders")):
        """Converts seconds to text."""

        number: Attr[str] = attr()
        placed: Attr[datetime] = attr(old_types={int: convert})
        key = Key(pk=("ORDER", number), sk="ORDER")

    with pytest.raises(ItemMismatch, match="to convert 60 to the type of the field, but: expected"):
        in_memory(OLD).get(Wrong.key("1"))


class Widened(Entity, table=orders):
    """Types that accept more than before, and fields that old items do not have."""

    number: Attr[str] = attr()
    state: Attr[Literal["open", "done", "lost"]] = attr()
    amount: Attr[Decimal] = attr()
    ratio: Attr[float] = attr()
    note: Attr[str | None] = attr()
    label: Attr[int | str] = attr()
    level: Attr[int] = attr(default=1)
    tags: Attr[set[str]] = attr(factory=set)
    moved: Attr[datetime | None] = attr(default=None, time_format=TimeFormat.SECONDS)
    key = Key(pk=("WIDENED", number), sk="WIDENED")
    of_level = Key(pk=("LEVEL", level), sk=(number,)).on(by_day)


WIDENED: Item = {
    "PK": {"S": "WIDENED#1"},
    "SK": {"S": "WIDENED"},
    "number": {"S": "1"},
    "state": {"S": "open"},
    "amount": {"N": "5"},
    "ratio": {"N": "2"},
    "note": {"S": "n"},
    "label": {"N": "7"},
}


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ({}, {"state": "open", "amount": Decimal(5), "ratio": 2.0, "note": "n", "label": 7}),
        ({"state": {"S": "lost"}, "label": {"S": "x"}}, {"state": "lost", "label": "x"}),
        ({"amount": {"N": "5.5"}, "ratio": {"N": "0.5"}}, {"amount": Decimal("5.5"), "ratio": 0.5}),
        ({"note": {"NULL": True}}, {"note": None}),
        ({"level": {"N": "3"}, "tags": {"SS": ["a"]}}, {"level": 3, "tags": {"a"}}),
        ({"tags": {"NULL": True}}, {"level": 1, "tags": set[str](), "moved": None}),
    ],
)
def test_widened_type_reads_old_and_new_items(changed: Item, expected: dict[str, Any]) -> None:
    store = in_memory({**WIDENED, **changed})
    found = existing(store.get(Widened.key("1")))
    assert {name: getattr(found, name) for name in expected} == expected
    store.put(found)
    assert store.get(Widened.key("1")) == found


def test_optional_attribute_may_be_missing_in_old_items() -> None:
    item = {name: value for name, value in WIDENED.items() if name != "note"}
    assert existing(in_memory(item).get(Widened.key("1"))).note is None


def test_item_without_a_new_field_has_its_default_but_not_in_conditions_and_indexes() -> None:
    store = in_memory(WIDENED)
    partition = Widened.key.partition("1")
    assert [one.level for one in store.query(partition)] == [1]
    # DynamoDB does not know the default: test for the missing attribute as well.
    assert store.count(partition, where=Widened.level == 1) == 0
    assert store.count(partition, where=(Widened.level == 1) | Widened.level.missing()) == 1
    # The item is in the index after its next write that sets a field of the index key.
    assert store.count(Widened.of_level(1)) == 0
    store.put(next(iter(store.query(partition))))
    assert store.count(Widened.of_level(1)) == 1


def test_update_of_a_new_field_adds_to_the_index() -> None:
    store = in_memory(WIDENED)
    store.update(Widened.key("1"), Widened.level.set(2))
    assert store.count(Widened.of_level(2)) == 1


class Person(BaseModel):
    """A pydantic model, which knows only the names of its fields."""

    user: str
    name: str
    born: datetime | None = None


class People(ModelEntity[Person], table=Table("orders")):
    """How people are stored, and were stored before."""

    user: Attr[str] = attr()
    name: Attr[str] = attr(name="Name", old_names=("FullName",))
    born: Attr[datetime | None] = attr(old_types={int: from_seconds})
    key = Key(pk=("PERSON", user), sk="PERSON")


PERSON: dict[str, AttributeValue] = {
    "PK": {"S": "PERSON#a"},
    "SK": {"S": "PERSON"},
    "user": {"S": "a"},
    "FullName": {"S": "Ada"},
    "born": {"N": "60"},
}


def test_pydantic_model_has_no_old_names() -> None:
    store = in_memory(PERSON)
    person = store.get(People.key("a"))
    assert person == Person(user="a", name="Ada", born=from_seconds(60))
    assert person is not None
    assert set(person.model_dump()) == {"user", "name", "born"}
    updated = store.update(People.key("a"), *People.edits({"name": "Eve"}))
    assert (updated.name, "FullName" in stored(store)) == ("Eve", False)
    store.put(updated)
    assert set(stored(store)["born"]) == {"S"}


def test_api_of_an_entity_has_no_old_names() -> None:
    schema = TypeAdapter(Order).json_schema()
    assert set(schema["properties"]) == set(model_of(Order).fields)
    order = existing(in_memory(OLD).get(ONE))
    dumped = TypeAdapter(Order).dump_python(order, mode="json")
    assert set(dumped) == set(model_of(Order).fields)
