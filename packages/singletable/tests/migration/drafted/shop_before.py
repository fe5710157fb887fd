"""A shop before two migrations."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import Enum
from typing import Literal

from singletable import (
    Attr,
    Compressed,
    Entity,
    Index,
    Key,
    Shards,
    Table,
    TimeFormat,
    Unique,
    attr,
    casefold,
    created,
    descending,
    expires,
    ordered,
    padded,
    sequence,
    version,
)

gsi1 = Index("GSI1", pk="GSI1PK", sk="GSI1SK")
table = Table("shop", indexes=[gsi1], ttl="until")


class Status(Enum):
    NEW = "new"
    ACTIVE = "active"


@dataclass
class Address:
    city: str
    tags: list[str]


class Org(Entity, table=table, type_tag=("type", "ORG")):
    org: Attr[str] = attr()
    users: Attr[int] = attr(default=0)
    last: Attr[int] = attr(default=0)
    key = Key(pk=("ORG", org), sk="ORG")


class User(Entity, table=table, type_tag=("type", "USER")):
    org: Attr[str] = attr(key_only=True)
    number: Attr[int] = sequence(Org.last, key=(org,))
    email: Attr[str] = attr(name="Email")
    age: Attr[int | None] = attr(default=None)
    tags: Attr[set[str]] = attr(factory=set[str])
    notes: Attr[str] = attr(default='it\'s "new"', codec=Compressed())
    status: Attr[Status] = attr(default=Status.NEW)
    speed: Attr[Literal["slow", "fast"]] = attr(default="slow")
    address: Attr[Address | None] = attr(default=None)
    since: Attr[datetime] = created(time_format=TimeFormat.SECONDS)
    until: Attr[datetime | None] = expires(default=None)
    version: Attr[int] = version()

    key = Key(pk=("ORG", org), sk=("USER", padded(number, 6)))
    board = Key(
        pk=("STATUS", org, Shards(4, by=number)),
        sk=(ordered(status), descending(ordered(speed)), number),
    ).on(gsi1, when=status == Status.ACTIVE)
    one_email = Unique(org, casefold(email), include={"kind": "email", "at": since})
