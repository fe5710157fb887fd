"""A design whose names are special characters in Markdown and XML."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal
from enum import Enum
from typing import Literal

from singletable import (
    Attr,
    Entity,
    Index,
    Key,
    LocalIndex,
    Number,
    PatternCatalog,
    Provisioned,
    Selection,
    Shards,
    Table,
    Unique,
    attr,
    created,
    updated,
    version,
)


class Color(Enum):
    RED = "red"
    BLUE = "blue"


by_level = Index(
    "by-level", pk=("area", "level"), sk=(Number("score"), "name"), projection=["level"]
)
by_time = LocalIndex("by.time", sk="at", projection="KEYS_ONLY")
spread = Index("spread", pk="spread", sk="at")
odd = Table(
    "odd.things", pk="id|key", sk="sort", indexes=[by_level, by_time, spread],
    capacity=Provisioned(1_000, 5),
)  # fmt: skip


class Thing(Entity, table=odd, type_tag=("kind", "THING")):
    area: Attr[str] = attr()
    level: Attr[Literal["low", "high"]] = attr(default="low")
    score: Attr[Decimal] = attr()
    name: Attr[str] = attr(default="<b>&|`x`")
    at: Attr[datetime] = attr()
    color: Attr[Color | None] = attr(default=None)
    made: Attr[datetime] = created()
    changed: Attr[datetime] = updated()
    state: Attr[int] = version()
    key = Key(pk=("A<B>", area), sk=("`", at))
    ranked = Key(pk=(area, level), sk=(score, name)).on(by_level)
    timed = Key(pk=("A<B>", area), sk=at).on(by_time)
    shared = Key(pk=("ALL", Shards(4)), sk=at).on(spread, when=level == "high")
    one_name = Unique(name, area)


class Note(Entity, table=odd):
    area: Attr[str] = attr()
    text: Attr[str] = attr()
    key = Key(pk=("A<B>", area), sk=("`", "NOTE"))


catalog = PatternCatalog("odd", odd, unused={by_time: "an *old* | report"})


@catalog.read_function("T1", example=("x", "low"))
def of_level(area: str, level: Literal["low", "high"]) -> Selection[Thing]:
    """Things | of a <level>, `sorted` by [score](x)."""
    return Thing.ranked(area, level)


things = catalog.read("T2", "Things of an area", Thing.key.partition)
shared = catalog.read("T3", "Things that are shared", Thing.shared)
catalog.check()
