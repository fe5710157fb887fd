"""Fields with codecs of their own."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from decimal import Decimal
from ipaddress import IPv4Address
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from singletable import Compressed, Condition, Edit, Encrypted, Json, codec
from singletable.schema import Attr, Entity, Key, Table, attr

SECRET = Encrypted(key=lambda key_id: key_id.encode(), key_id="1")
HOST = codec(encode=str, decode=IPv4Address, stored_as=str)


@dataclass
class Card:
    """A way to pay."""

    digits: str
    kind: Literal["card"] = "card"


@dataclass
class Transfer:
    """Another way to pay."""

    iban: str
    kind: Literal["transfer"] = "transfer"


class Size(TypedDict):
    """Numbers by name."""

    width: int
    height: NotRequired[Decimal]


class Visit(Entity, table=Table("visits")):
    """All kinds of fields."""

    host: Attr[IPv4Address] = attr(codec=HOST)
    proxy: Attr[IPv4Address | None] = attr(codec=HOST, default=None)
    later: Attr[IPv4Address | None] = attr(codec=HOST)
    hosts: Attr[list[Annotated[IPv4Address, HOST]]] = attr(factory=list[IPv4Address])
    data: Attr[dict[str, Any]] = attr(codec=Json(), factory=dict[str, Any])
    length: Attr[timedelta] = attr(default=timedelta())
    size: Attr[Size | None] = attr(default=None)
    by: Attr[Card | Transfer] = attr()
    label: Attr[int | str] = attr(default=1)
    page: Attr[str] = attr(codec=Compressed(), default="")
    secret: Attr[str | None] = attr(codec=SECRET)

    key = Key(pk=("HOST", host), sk=("VISIT", length))


host = IPv4Address("10.0.0.1")
visit = Visit(host=host, later=None, secret="x", by=Card("1"), size={"width": 1})
Visit.key(host, timedelta(1))
edits: list[Edit[Visit]] = [
    Visit.length.add(timedelta(1)),
    Visit.proxy.set(host),
    Visit.size.nested(lambda size: size["width"]).set(1),
    Visit.label.set("x"),
    Visit.label.set(2),
    Visit.secret.set("y"),
    Visit.secret.set(None),
]
conditions: list[Condition[Visit]] = [
    Visit.host == host,
    Visit.length < timedelta(1),
    Visit.by.nested(lambda by: by.kind) == "card",
]
