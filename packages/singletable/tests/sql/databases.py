"""Entities with every type of field, and the databases whose views show them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import Enum, IntEnum
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, Literal, TypedDict
from uuid import UUID

from dynamodb_engine.operations import Driver
from singletable import (
    Attr,
    Entity,
    Key,
    Store,
    Table,
    TimeFormat,
    attr,
    codec,
    concat,
    connect,
    expires,
    padded,
)
from singletable.sql import open_database, views_of

SERVERS = ("postgresql", "mariadb")


def reversed_text(text: str) -> str:
    return text[::-1]


things = Table("things", ttl="until")


class Color(Enum):
    RED = "red"
    GREEN = "green"


class Level(IntEnum):
    LOW = 1
    HIGH = 2


class Size(TypedDict):
    width: int
    unit: str


@dataclass(frozen=True)
class Line:
    product: str
    price: Decimal | None
    sizes: list[Size] = field(default_factory=list[Size])
    notes: dict[str, str] = field(default_factory=dict[str, str])


class Thing(Entity, table=things):
    """An entity without a type tag: its key identifies it."""

    name: Attr[str] = attr()
    text: Attr[str] = attr(name="it's a.b-c")
    number: Attr[int] = attr()
    amount: Attr[Decimal] = attr()
    ratio: Attr[float] = attr()
    flag: Attr[bool] = attr(default=True)
    data: Attr[bytes] = attr()
    day: Attr[date] = attr()
    moment: Attr[datetime] = attr()
    seconds: Attr[datetime] = attr(time_format=TimeFormat.EPOCH_SECONDS)
    milliseconds: Attr[datetime] = attr(time_format=TimeFormat.EPOCH_MILLISECONDS)
    duration: Attr[timedelta] = attr()
    uuid: Attr[UUID] = attr()
    color: Attr[Color] = attr(default=Color.RED)
    level: Attr[Level | None] = attr(default=None)
    grade: Attr[Literal[1, 2]] = attr(default=1)
    maybe: Attr[str | None] = attr(default="none yet")
    tags: Attr[set[str]] = attr(factory=set)
    numbers: Attr[frozenset[Decimal]] = attr(factory=frozenset)
    blobs: Attr[set[bytes]] = attr(factory=set)
    days: Attr[list[date]] = attr(factory=list)
    lines: Attr[list[Line]] = attr(factory=list)
    options: Attr[dict[str, int]] = attr(factory=dict)
    best: Attr[Line | None] = attr(default=None)
    anything: Attr[Any] = attr(default=None)
    reverse: Attr[str] = attr(
        codec=codec(encode=reversed_text, decode=reversed_text, stored_as=str)
    )
    secret: Attr[str] = attr(hidden=True, default="hidden")
    until: Attr[datetime | None] = expires(default=None)

    key = Key(pk=("THING", name), sk="THING")


class Part(Entity, table=things):
    """An entity whose key alone has its fields."""

    thing: Attr[str] = attr(key_only=True)
    number: Attr[int] = attr(key_only=True)
    position: Attr[int] = attr(key_only=True)
    color: Attr[Color] = attr(key_only=True)
    name: Attr[str] = attr(key_only=True)

    key = Key(pk=("THING", thing), sk=("PART", number, padded(position, 4), color, name))


class Note(Entity, table=things):
    """An entity whose key is not separated by #."""

    thing: Attr[str] = attr()
    code: Attr[str] = attr()

    key = Key(pk=concat("note_", thing), sk=concat("code_", code))


class Reply(Entity, table=things):
    """An entity whose keys start as those of notes do."""

    thing: Attr[str] = attr()
    code: Attr[str] = attr()
    number: Attr[int] = attr()

    key = Key(pk=concat("note_", thing), sk=concat("code_", code, "_reply_", number))


def new_address(kind: str, folder: Path) -> str:
    """Return the address of a new, empty database."""
    if kind == "file":
        return f"file:{folder / 'things.db'}"
    address: str = import_module("tools.testing.sql_servers").new_address(kind)
    return address


def store_at(address: str, change: Callable[[Store], object]) -> None:
    """Change items with a store; afterwards no engine has a file open."""
    execute_at(address, lambda driver: change(Store(driver)))


def execute_at(address: str, change: Callable[[Driver], object]) -> None:
    """Change items with a driver. For servers, one engine stays open for all tests."""
    if not address.startswith("file:"):
        change(_server_driver(address))
        return
    with connect(address) as driver:
        Store(driver).admin.create_table(things, if_missing=True)
        change(driver)


@cache
def _server_driver(address: str) -> Driver:
    driver = connect(address)
    Store(driver).admin.create_table(things, if_missing=True)
    return driver


def rows_of(address: str, sql: str) -> list[dict[str, Any]]:
    """Return the rows of a query."""
    views = views_of([things])
    with open_database(address).query(sql, views, {things: things.name}) as result:
        return [dict(zip(result.columns, row, strict=True)) for row in result.rows]
