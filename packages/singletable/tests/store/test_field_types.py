"""Field types beyond the plain ones, in keys, conditions, edits and indexes, on every driver."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from ipaddress import IPv4Address
from typing import Annotated, Any, Literal, NotRequired, TypedDict

import pytest

from dynamodb_engine.operations import PutItem
from dynamodb_engine.values import Item
from singletable import Json, codec
from singletable.errors import ConditionFailed, InvalidValue, ItemMismatch
from singletable.schema import (
    Attr,
    Entity,
    Index,
    Key,
    Number,
    Path,
    Table,
    TimeFormat,
    attr,
    descending,
)
from singletable.store import Store
from tests.store.store_adapter import StoreOpener
from tests.store.stores import existing, stored_item

ADDRESS = codec(encode=str, decode=IPv4Address, stored_as=str)
by_length = Index("by_length", pk="GSI1PK", sk="GSI1SK")
by_host = Index("by_host", pk="host", sk=Number("seconds"))
visits = Table("visits", indexes=[by_length, by_host])


@dataclass(frozen=True)
class Money:
    amount: Decimal
    currency: str


def write_money(money: Money) -> str:
    return f"{money.amount} {money.currency}"


def read_money(text: str) -> Money:
    amount, currency = text.split(" ")
    return Money(Decimal(amount), currency)


MONEY = codec(encode=write_money, decode=read_money, stored_as=str)


class Browser(TypedDict):
    name: str
    version: NotRequired[int]


@dataclass(frozen=True)
class Click:
    x: int
    kind: Literal["click"] = "click"


@dataclass(frozen=True)
class Search:
    text: str
    kind: Literal["search"] = "search"


@dataclass
class Seen:
    first: Annotated[datetime, TimeFormat.EPOCH_SECONDS]


class Visit(Entity, table=visits):
    host: Attr[IPv4Address] = attr(codec=ADDRESS)
    path: Attr[str] = attr()
    length: Attr[timedelta] = attr(default=timedelta())
    seconds: Attr[timedelta | None] = attr(default=None)
    cost: Attr[Money] = attr(codec=MONEY, default=Money(Decimal(0), "EUR"))
    paid: Attr[Money | None] = attr(codec=MONEY, default=None)
    browser: Attr[Browser | None] = attr(default=None)
    last: Attr[Click | Search | str | None] = attr(default=None)
    label: Attr[int | str] = attr(default=0)
    extra: Attr[dict[str, Any]] = attr(codec=Json(), factory=dict[str, Any])
    loose: Attr[dict[str, Any]] = attr(factory=dict[str, Any])
    seen: Attr[Seen | None] = attr(default=None)
    times: Attr[list[datetime]] = attr(time_format=TimeFormat.EPOCH_SECONDS, factory=list[datetime])

    key = Key(pk=("HOST", host), sk=("VISIT", path))
    lengths = Key(pk=("PATH", path), sk=("LENGTH", descending(length), host)).on(by_length)
    hosts = Key(pk=host, sk=seconds).on(by_host)


HOST = IPv4Address("10.0.0.1")
FIRST = Visit.key(HOST, "/")
NOON = datetime(2026, 11, 16, 12, tzinfo=UTC)
TABLES = (visits,)


def test_values_of_custom_codecs_are_stored_as_another_type(
    store: Store, opener: StoreOpener
) -> None:
    visit = Visit(host=HOST, path="/", cost=Money(Decimal("1.5"), "USD"), length=timedelta(1, 2, 3))
    store.create(visit)
    assert store.get(FIRST) == visit
    item = stored_item(opener.driver, FIRST)
    assert (item["PK"], item["host"]) == ({"S": "HOST#10.0.0.1"}, {"S": "10.0.0.1"})
    assert (item["cost"], item["length"]) == ({"S": "1.5 USD"}, {"N": "86402.000003"})
    assert "paid" not in item


def test_custom_codec_converts_the_values_of_conditions_and_edits(store: Store) -> None:
    store.create(Visit(host=HOST, path="/"))
    ten = Money(Decimal(10), "EUR")
    with pytest.raises(ConditionFailed):
        store.update(FIRST, Visit.paid.set(ten), if_=Visit.cost == ten)
    store.update(FIRST, Visit.paid.set(ten), if_=Visit.cost == Money(Decimal(0), "EUR"))
    assert store.update(FIRST, Visit.cost.remove(), if_=Visit.paid.in_(ten)).paid == ten
    assert store.update(FIRST, Visit.paid.set(None)).paid is None


def test_custom_codec_rejects_values_of_other_types(store: Store) -> None:
    with pytest.raises(InvalidValue, match=r"Visit\.host: expected a IPv4Address, but got '10"):
        Visit(host="10.0.0.1", path="/")  # type: ignore[arg-type] # pyright: ignore
    with pytest.raises(InvalidValue, match="expected a IPv4Address"):
        Visit.key("10.0.0.1", "/")  # type: ignore[call-overload] # pyright: ignore
    with pytest.raises(InvalidValue, match=r"Visit\.cost: expected a Money, but got 5"):
        Visit.cost.set(5)  # type: ignore[arg-type] # pyright: ignore
    assert store.get(FIRST) is None


def test_stored_value_that_a_custom_codec_rejects_is_a_mismatch(
    store: Store, opener: StoreOpener
) -> None:
    store.create(Visit(host=HOST, path="/"))
    item: Item = {**stored_item(opener.driver, FIRST), "cost": {"S": "free"}}
    opener.driver.execute(PutItem("visits", item))
    with pytest.raises(ItemMismatch, match=r"Visit\.cost: .*it rejected 'free'"):
        store.get(FIRST)


def test_indexes_sort_timedeltas_and_custom_values(store: Store) -> None:
    lengths = [timedelta(days=-3), timedelta(microseconds=-1), timedelta(), timedelta(days=900)]
    for number, length in enumerate(lengths):
        host = IPv4Address(number)
        store.create(Visit(host=host, path="/", length=length, seconds=length))
        store.create(Visit(host=HOST, path=f"/{number}", seconds=length))
    found = list(store.query(Visit.lengths("/")))
    assert [visit.length for visit in found] == lengths[::-1]
    found = list(store.query(Visit.hosts(HOST).gt(timedelta(days=-1))))
    assert [visit.seconds for visit in found] == lengths[1:]


def test_timedelta_is_compared_and_added(store: Store) -> None:
    store.create(Visit(host=HOST, path="/", length=timedelta(hours=1)))
    longer = store.update(
        FIRST, Visit.length.add(timedelta(seconds=-0.5)), if_=Visit.length > timedelta(minutes=59)
    )
    assert longer.length == timedelta(minutes=59, seconds=59.5)


def test_typed_dict_has_paths_to_its_members(store: Store) -> None:
    store.create(Visit(host=HOST, path="/", browser={"name": "lynx"}))
    assert store.get(FIRST) == Visit(host=HOST, path="/", browser={"name": "lynx"})
    number = Visit.browser.nested(lambda browser: browser["version"])
    name = Visit.browser.nested(lambda browser: browser["name"])
    changed = store.update(FIRST, number.set(3), if_=(name == "lynx") & number.missing())
    assert changed.browser == {"name": "lynx", "version": 3}
    with pytest.raises(InvalidValue, match=r"has no member 'size'\. Members: name, version"):
        Visit.browser.nested(lambda browser: browser["size"])  # type: ignore[typeddict-item] # pyright: ignore


@pytest.mark.parametrize("last", [Click(3), Search("shoes"), "left", None])
def test_union_is_read_back_as_the_type_that_was_written(
    store: Store, last: Click | Search | str | None
) -> None:
    store.create(Visit(host=HOST, path="/", last=last))
    assert store.get(FIRST) == Visit(host=HOST, path="/", last=last)
    changed = store.update(FIRST, Visit.last.set(Click(9)), if_=Visit.last == last)
    assert changed.last == Click(9)


def test_member_of_a_union_can_be_compared(store: Store) -> None:
    store.create(Visit(host=HOST, path="/", last=Search("shoes"), label="x"))
    # Not all types of the union have the members, so type checkers see Any.
    last: Path[Visit, Any] = Visit.last
    kind, text = last.nested(lambda one: one.kind), last.nested(lambda one: one.text)
    changed = store.update(FIRST, text.set("hats"), if_=(kind == "search") & (Visit.label == "x"))
    assert changed.last == Search("hats")
    with pytest.raises(InvalidValue, match="expected one of 'click', 'search'"):
        store.update(FIRST, kind.set("other"))
    with pytest.raises(InvalidValue, match="has a member 'size'"):
        last.nested(lambda one: one.size)


def test_floats_are_stored_by_choice(store: Store) -> None:
    extra = {"price": 1.5, "sizes": [1, 2.25], "whole": 2**70}
    store.create(Visit(host=HOST, path="/", extra=extra))
    found = existing(store.get(FIRST))
    assert found.extra == extra
    assert type(found.extra["price"]) is float
    assert type(found.extra["whole"]) is int
    changed = store.update(
        FIRST, Visit.extra["price"].set(2.5), if_=Visit.extra["sizes"][1] == 2.25
    )
    assert changed.extra["price"] == 2.5
    with pytest.raises(InvalidValue, match=r"Visit\.loose\['price'\].*codec=Json\(\)"):
        Visit(host=HOST, path="/", loose={"price": 1.5})
    with pytest.raises(InvalidValue, match="read back as 100000000000000000000000"):
        Visit(host=HOST, path="/", extra={"price": 1e23})
    with pytest.raises(InvalidValue, match=r"Write float\('1.5'\)"):
        Visit(host=HOST, path="/", extra={"price": Decimal("1.5")})


# A nested path must encode its value in the format in which the value is stored.
def test_nested_paths_use_the_time_format_of_their_field(store: Store) -> None:
    store.create(Visit(host=HOST, path="/", times=[NOON], seen=Seen(NOON)))
    first = Visit.seen.nested(lambda seen: seen.first)
    later = NOON + timedelta(hours=1)
    changed = store.update(
        FIRST, Visit.times[0].set(later), if_=(Visit.times[0] == NOON) & (first == NOON)
    )
    assert changed.times == [later]
    assert store.update(FIRST, first.set(later)).seen == Seen(later)
