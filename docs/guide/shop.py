# shop.py
from datetime import date, datetime
from typing import Literal

from singletable import (
    Attr,
    PatternCatalog,
    Collection,
    Count,
    Entity,
    Index,
    ItemCount,
    Key,
    Selection,
    Table,
    Unique,
    attr,
    casefold,
    creates,
    deletes,
    padded,
    expires,
    per_day,
    per_minute,
    per_second,
    updates,
    version,
    zipf,
)

by_kind = Index("GSI1", pk="GSI1PK", sk="GSI1SK")
shop = Table("shop", indexes=[by_kind], ttl="expires")


class Customer(Entity, table=shop):
    name: Attr[str] = attr()
    email: Attr[str] = attr()
    orders: Attr[int] = attr(default=0)

    key = Key(pk=("CUSTOMER", name), sk="PROFILE")
    one_email = Unique(casefold(email))


class Order(Entity, table=shop):
    customer: Attr[str] = attr()
    number: Attr[int] = attr()
    placed: Attr[date] = attr()
    status: Attr[Literal["open", "sent"]] = attr(default="open")
    version: Attr[int] = version()

    key = Key(pk=("CUSTOMER", customer), sk=("ORDER", padded(number, 6)))
    waiting = Key(pk="WAITING", sk=(placed, padded(number, 6))).on(by_kind, when=status == "open")
    counted = Count(Customer, Customer.orders, key=(customer,))


class Line(Entity, table=shop):
    customer: Attr[str] = attr()
    order: Attr[int] = attr()
    sku: Attr[str] = attr()
    quantity: Attr[int] = attr(default=1)

    key = Key(pk=("CUSTOMER", customer), sk=("LINE", padded(order, 6), sku))


class Basket(Entity, table=shop):
    customer: Attr[str] = attr()
    skus: Attr[list[str]] = attr(factory=list)
    ends: Attr[datetime] = expires()

    key = Key(pk=("CUSTOMER", customer), sk="BASKET")


class Product(Entity, table=shop):
    sku: Attr[str] = attr()
    category: Attr[str] = attr()
    cents: Attr[int] = attr()
    title: Attr[str] = attr()

    key = Key(pk=("PRODUCT", sku), sk="PRODUCT")
    in_category = Key(pk=("CATEGORY", category), sk=(padded(cents, 8), sku)).on(by_kind)


class CustomerFile(Collection):
    customer: Customer
    orders: list[Order]
    lines: list[Line]
    basket: Basket | None


patterns = PatternCatalog(
    "shop",
    shop,
    sizes={Customer: 300, Order: 250, Line: 120, Basket: 500, Product: 700},
    counts={
        Customer: ItemCount(5_000_000, growth=0.08),
        Order: ItemCount(20_000_000, growth=0.1, shares={"waiting": 0.002}),
        Line: ItemCount(80_000_000, growth=0.1),
        Basket: 20_000,
        Product: 5_000,
    },
    values=[zipf(Product.category, 40)],
)

customer = patterns.read("C1", "A customer", Customer.key, rate=per_second(50))
by_email = patterns.read("C2", "The customer with this e-mail address", Customer.one_email)
everything = patterns.read(
    "C3", "A customer and their orders", Customer.key.partition, collection=CustomerFile, items=60
)
order = patterns.read("O1", "An order", Order.key, consistent=True, rate=per_second(20))
orders_of = patterns.read(
    "O2", "Orders of a customer", Order.key.partition, items=10, rate=per_second(5)
)
lines_of = patterns.lookup("O3", "Lines of an order", Line, Line.customer, Line.order, items=4)


@patterns.read_function("O4", items=200, rate=per_minute(1))
def waiting_since(day: date) -> Selection[Order]:
    """Open orders placed on this day or later."""
    return Order.waiting().ge(day)


in_category = patterns.lookup(
    "P1",
    "Products of a category, cheapest first",
    Product,
    Product.category,
    order=Product.cents,
    items=40,
    rate=per_second(100, peak=400, by_hour="evening", growth=0.04),
)

join = patterns.write("W1", "Create a customer", creates(Customer), rate=per_minute(10))
place = patterns.write(
    "W2",
    "Place an order of four lines",
    creates(Order),
    *[creates(Line)] * 4,
    deletes(Basket),
    rate=per_second(1),
)
send = patterns.write("W3", "Ship an order", updates(Order, Order.status), rate=per_second(1))
fill = patterns.write("W4", "Fill a basket", updates(Basket, Basket.skus), size=500)

copy = patterns.scan("X1", "All orders", Order, reason="the nightly copy", rate=per_day(1))
follow = patterns.feed("X2", "New orders and lines", Order, Line)

patterns.check()
