"""New table.

- table name: needs a new table
- key: needs a new table
- User.status: is dangerous
- User.address: is dangerous
- User.board in index 'GSI1': needs a new table
- User.one_email: needs a new table
"""

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
    descending,
    expires,
    ordered,
    padded,
)
from singletable.migration import Copy, CreateTable, Migration, each, undecided

from tests.migration.drafted.shop_copy import Org, Status, User, table


@dataclass(kw_only=True)
class OldAddress:
    city: str
    tags: list[str]


class OldStatus(Enum):
    ACTIVE = "active"
    NEW = "new"


old_gsi1 = Index("GSI1", pk="GSI1PK", sk="GSI1SK")
old_shop = Table("shop", indexes=[old_gsi1], ttl="until")


class OldOrg(Entity, table=old_shop, type_tag=("type", "ORG")):
    """Org before this migration."""

    last: Attr[int] = attr(default=0)
    org: Attr[str] = attr()
    users: Attr[int] = attr(default=0)

    key = Key(pk=("ORG", org), sk="ORG")


class OldUser(Entity, table=old_shop, type_tag=("type", "USER")):
    """User before this migration."""

    address: Attr[OldAddress | None] = attr(default=None)
    age: Attr[int | None] = attr(default=None)
    email: Attr[str] = attr(name="Email")
    notes: Attr[str] = attr(default='it\'s "new"', codec=Compressed())
    number: Attr[int] = attr()
    org: Attr[str] = attr(key_only=True)
    since: Attr[datetime] = attr(time_format=TimeFormat.SECONDS)
    speed: Attr[Literal["slow", "fast"]] = attr(default="slow")
    status: Attr[OldStatus] = attr(default=OldStatus.NEW)
    tags: Attr[set[str]] = attr(factory=set[str])
    until: Attr[datetime | None] = expires(default=None)
    version: Attr[int] = attr(default=0)

    key = Key(pk=("ORG", org), sk=("USER", padded(number, 6)))
    board = Key(
        pk=("STATUS", org, Shards(4, by=number)),
        sk=(
            ordered(status, [OldStatus.NEW, OldStatus.ACTIVE]),
            descending(ordered(speed)),
            number,
        ),
    ).on(old_gsi1, when=status == OldStatus.ACTIVE)
    one_email = Unique(
        org,
        casefold(email),
        pk=("UNIQUE#User#org+email", org, casefold(email)),
        sk="UNIQUE",
        include={"at": since, "kind": "email"},
    )


def to_org(old: OldOrg) -> Org:
    return Org(org=old.org, users=old.users, last=old.last)


def to_old_org(new: Org) -> OldOrg:
    return OldOrg(last=new.last, org=new.org, users=new.users)


to_user_address = undecided(
    "compute User.address (Address | None) from old.address (OldAddress | None) in to_user",
)


def to_user(old: OldUser) -> User:
    item = User(
        org=old.org,
        email=old.email,
        age=old.age,
        tags=old.tags,
        notes=old.notes,
        status=Status(old.status.value),
        speed=old.speed,
        address=to_user_address,
        until=old.until,
    )
    item.number = old.number
    item.since = old.since
    item.version = old.version
    return item


to_old_user_address = undecided(
    "compute OldUser.address (OldAddress | None) from new.address (Address | None) in to_old_user",
)


def to_old_user(new: User) -> OldUser:
    return OldUser(
        address=to_old_user_address,
        age=new.age,
        email=new.email,
        notes=new.notes,
        number=new.number,
        org=new.org,
        since=new.since,
        speed=new.speed,
        status=OldStatus(new.status.value),
        tags=new.tags,
        until=new.until,
        version=new.version,
    )


migration = Migration(
    CreateTable(table),
    Copy(
        table,
        each(OldOrg, to_org),
        each(OldUser, to_user),
        back=[each(Org, to_old_org), each(User, to_old_user)],
    ),
    schema="7d77893fbcc7",
)
