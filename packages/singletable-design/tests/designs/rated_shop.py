"""A shop whose access patterns have rates, for plans, alarms and dashboards."""

from __future__ import annotations

from singletable import (
    Attr,
    Entity,
    Index,
    Key,
    LocalIndex,
    PatternCatalog,
    Table,
    attr,
    creates,
    padded,
    per_day,
    per_second,
    updates,
)

by_day = Index("by-day", pk="GSI1PK", sk="GSI1SK")
by_status = LocalIndex("by-status", sk="status")
shop = Table("shop", indexes=[by_day, by_status])


class Customer(Entity, table=shop):
    name: Attr[str] = attr()
    orders: Attr[int] = attr(default=0)
    key = Key(pk=("CUSTOMER", name), sk="PROFILE")


class Order(Entity, table=shop):
    customer: Attr[str] = attr()
    number: Attr[int] = attr()
    day: Attr[str] = attr()
    status: Attr[str] = attr(default="open")
    key = Key(pk=("CUSTOMER", customer), sk=("ORDER", padded(number, 6)))
    of_day = Key(pk=("DAY", day), sk=padded(number, 6)).on(by_day)
    with_status = Key(pk=("CUSTOMER", customer), sk=status).on(by_status)


catalog = PatternCatalog("shop", shop, sizes={Customer: 300, Order: 250})
customer = catalog.read("C1", "A customer", Customer.key, rate=per_second(50, peak=2_000))
orders_of_day = catalog.read(
    "O1", "Orders of a day", Order.of_day, items=100, rate=per_second(2, peak=5)
)
open_orders = catalog.read(
    "O2", "Orders of a customer by status", Order.with_status, items=3, rate=per_second(4)
)
rename = catalog.write("W1", "Count {{orders}}", updates(Customer, Customer.orders))
place = catalog.write(
    "W2", "Place an order", creates(Order), updates(Customer, Customer.orders), rate=per_second(3)
)
export = catalog.scan(
    "X1", "All orders", Order, reason="the nightly copy", items=50_000, rate=per_day(1)
)
catalog.check()
