"""A shop with every kind of access pattern, and a function that fills its table."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum
from uuid import UUID

from singletable import (
    Attr,
    Collection,
    Entity,
    Index,
    Key,
    PatternCatalog,
    Selection,
    Store,
    Table,
    Unique,
    attr,
    connect,
    creates,
    expires,
    padded,
)

by_day = Index("by_day", pk="GSI1PK", sk="GSI1SK", projection=["ttl"])
shop = Table("shop", indexes=[by_day], ttl="ttl")
log = Table("shop-log", sk=None)


class Size(Enum):
    SMALL = "s"
    LARGE = "l"


class Customer(Entity, table=shop):
    name: Attr[str] = attr()
    email: Attr[str] = attr()
    key = Key(pk=("CUSTOMER", name), sk="PROFILE")
    one_email = Unique(email)


class Order(Entity, table=shop):
    customer: Attr[str] = attr()
    number: Attr[int] = attr()
    day: Attr[date] = attr(default=date(2026, 3, 1))
    ends: Attr[datetime | None] = expires(default=None)
    key = Key(pk=("CUSTOMER", customer), sk=("ORDER", padded(number, 4)))
    of_day = Key(pk=("DAY", day), sk=padded(number, 4)).on(by_day)


class CustomerFile(Collection):
    customer: Customer
    orders: list[Order]


patterns = PatternCatalog("shop", shop)
customer = patterns.read("C1", "A customer", Customer.key)
by_email = patterns.read("C2", "By e-mail", Customer.one_email)
file = patterns.read("C3", "All of a customer", Customer.key.partition, collection=CustomerFile)
order = patterns.read("O1", "An order", Order.key, consistent=True)
orders = patterns.read("O2", "Orders", Order.key.partition)
of_day = patterns.read("O3", "Orders of a day", Order.of_day)
whole_of_day = patterns.read("O4", "Whole orders of a day", Order.of_day, hydrate=True)
join = patterns.write("W1", "Join", creates(Customer))
everything = patterns.scan("X1", "All orders", Order, reason="the nightly copy")
follow = patterns.feed("X2", "New orders", Order)


@patterns.read_function(
    "T1", example=(1, Decimal(1), datetime.now(UTC), True, Size.SMALL, UUID(int=1), "")
)
def typed(
    a: int, b: Decimal, c: datetime, d: bool, e: Size, f: UUID | None, g: str
) -> Selection[Order]:
    """Return a selection by a key of many types."""
    return Order.key.partition(f"{a} {b} {c.isoformat()} {d} {e.name} {f} {g}")


patterns.check()


def fill(address: str, orders: int = 3) -> None:
    """Create the table at an address and put a customer with some orders."""
    with connect(address) as driver:
        store = Store(driver)
        store.admin.create_table(shop)
        store.create(Customer(name="ada", email="ada@example.com"))
        late = datetime.now(UTC) + timedelta(days=300)
        store.put_many([Order(customer="ada", number=n, ends=late) for n in range(1, orders + 1)])
