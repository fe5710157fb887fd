"""Projects that count their issues: a unique value, index keys and fields that the store sets."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from pydantic import BaseModel, Field

from singletable.schema import (
    Attr,
    Count,
    Entity,
    Index,
    Key,
    ModelEntity,
    Table,
    Unique,
    attr,
    created,
    expires,
    updated,
    version,
)

by_state = Index("by_state", pk="GSI1PK", sk="GSI1SK")
by_owner = Index("by_owner", pk="GSI2PK", sk="GSI2SK")
tracker = Table("tracker", indexes=[by_state, by_owner], ttl="TTL")


@dataclass
class Place:
    town: str
    floor: int = 0


class Project(Entity, table=tracker):
    name: Attr[str] = attr()
    issues: Attr[int] = attr(default=0)
    title: Attr[str] = attr(default="")
    key = Key(pk=("PROJECT", name), sk="PROJECT")


class Issue(Entity, table=tracker):
    project: Attr[str] = attr()
    number: Attr[int] = attr()
    title: Attr[str] = attr(check=lambda text: len(text) < 20)
    slug: Attr[str | None] = attr(default=None)
    state: Attr[str] = attr(default="open")
    owner: Attr[str | None] = attr(default=None, read_only=True)
    votes: Attr[int] = attr(default=3)
    voters: Attr[list[str]] = attr(factory=list)
    place: Attr[Place | None] = attr(default=None)
    secret: Attr[str | None] = attr(default=None, hidden=True)
    made: Attr[datetime] = created()
    changed: Attr[datetime] = updated()
    version: Attr[int] = version()
    key = Key(pk=("PROJECT", project), sk=("ISSUE", number))
    of_state = Key(pk=("PROJECT", project, state), sk=(number,)).on(by_state, when=state != "gone")
    of_owner = Key(pk=("OWNER", owner), sk=(title, number)).on(by_owner)
    one_slug = Unique(slug)
    counted = Count(Project, Project.issues, key=(project,))


class Plain(Entity, table=tracker):
    """Without a version: it may expire."""

    name: Attr[str] = attr()
    voters: Attr[list[str]] = attr(factory=list)
    note: Attr[str | None] = attr(default=None)
    ends: Attr[datetime | None] = expires(default=None)
    key = Key(pk=("PLAIN", name), sk="PLAIN")


class Note(BaseModel):
    """A model of pydantic."""

    number: int
    text: str = Field(default="", max_length=20)
    tag: str | None = None
    _seen: bool = False


class Notes(ModelEntity[Note], table=tracker):
    number: Attr[int] = attr()
    key = Key(pk=("NOTE", number), sk="NOTE")


ONE = Issue.key("web", 1)
