"""Member keys.

- User key: needs items to be rewritten
"""

from __future__ import annotations

from datetime import datetime
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
    descending,
    expires,
    ordered,
    padded,
)
from singletable.migration import Migration, Rewrite, each

from tests.migration.drafted.shop_key import Address, Status, User

old_gsi1 = Index("GSI1", pk="GSI1PK", sk="GSI1SK")
old_shop = Table("shop", indexes=[old_gsi1], ttl="until")


class OldUser(Entity, table=old_shop, type_tag=("type", "USER")):
    """User before this migration."""

    address: Attr[Address | None] = attr(default=None)
    age: Attr[int | None] = attr(default=None)
    email: Attr[str] = attr(name="Email")
    notes: Attr[str] = attr(default='it\'s "new"', codec=Compressed())
    number: Attr[int] = attr()
    org: Attr[str] = attr(key_only=True)
    since: Attr[datetime] = attr(time_format=TimeFormat.SECONDS)
    speed: Attr[Literal["slow", "fast"]] = attr(default="slow")
    status: Attr[Status] = attr(default=Status.NEW)
    tags: Attr[set[str]] = attr(factory=set[str])
    until: Attr[datetime | None] = expires(default=None)
    version: Attr[int] = attr(default=0)

    key = Key(pk=("ORG", org), sk=("USER", padded(number, 6)))
    board = Key(
        pk=("STATUS", org, Shards(4, by=number)),
        sk=(
            ordered(status, [Status.NEW, Status.ACTIVE]),
            descending(ordered(speed)),
            number,
        ),
    ).on(old_gsi1, when=status == Status.ACTIVE)
    one_email = Unique(
        org,
        casefold(email),
        pk=("UNIQUE#User#org+email", org, casefold(email)),
        sk="UNIQUE",
        include={"at": since, "kind": "email"},
    )


def to_user(old: OldUser) -> User:
    item = User(
        org=old.org,
        email=old.email,
        age=old.age,
        tags=old.tags,
        notes=old.notes,
        status=old.status,
        speed=old.speed,
        address=old.address,
        until=old.until,
    )
    item.number = old.number
    item.since = old.since
    item.version = old.version
    return item


def to_old_user(new: User) -> OldUser:
    return OldUser(
        address=new.address,
        age=new.age,
        email=new.email,
        notes=new.notes,
        number=new.number,
        org=new.org,
        since=new.since,
        speed=new.speed,
        status=new.status,
        tags=new.tags,
        until=new.until,
        version=new.version,
    )


migration = Migration(
    Rewrite(each(OldUser, to_user), back=[each(User, to_old_user)]),
    schema="485eab4ce9c9",
)
