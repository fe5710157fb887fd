"""Fields whose type is a NewType, which have the methods of its base type."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import NewType

from singletable.schema import Attr, Condition, Edit, Entity, Key, Selection, attr
from tests.typing.declared import by_voter, votes

Slug = NewType("Slug", str)
Cents = NewType("Cents", int)
Rate = NewType("Rate", Decimal)
Lap = NewType("Lap", timedelta)


class Product(Entity, table=votes):
    """A product with types of its own."""

    shop: Attr[Slug] = attr()
    slug: Attr[Slug] = attr()
    label: Attr[Slug | None] = attr(default=None)
    labels: Attr[set[Slug]] = attr(factory=set[Slug])
    price: Attr[Cents] = attr()
    deposit: Attr[Cents | None] = attr(default=None)
    tax: Attr[Rate] = attr()
    lap: Attr[Lap | None] = attr(default=None)
    key = Key(pk=("SHOP", shop), sk=("PRODUCT", slug))
    by_slug = Key(pk="PRODUCTS", sk=(slug, shop)).on(by_voter)


conditions: list[Condition[Product]] = [
    Product.slug.begins_with("x"),
    Product.label.begins_with("x"),
    Product.slug.contains("x"),
    Product.label.contains("x"),
    Product.labels.contains(Slug("x")),
    Product.slug == Slug("x"),
    Product.price < Cents(5),
]
edits: list[Edit[Product]] = [
    Product.price.add(5),
    Product.deposit.add(5),
    Product.tax.add(Decimal("0.5")),
    Product.lap.add(timedelta(seconds=1)),
    Product.price.set(Cents(5)),
    Product.labels.add_members(Slug("x")),
]
selections: list[Selection[Product]] = [
    Product.key.partition(Slug("a")).begins_with("x"),
    Product.by_slug().begins_with("x"),
    Product.by_slug().eq(Slug("x")).begins_with("a"),
]
