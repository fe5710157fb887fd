"""The entities that the typing files use."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Literal
from uuid import UUID

from singletable.schema import (
    Attr,
    Entity,
    Index,
    Key,
    Number,
    Shards,
    Table,
    attr,
    casefold,
    created,
    descending,
    expires,
    ordered,
    padded,
    repeated,
    sequence,
    updated,
    version,
)
from singletable.schema.count import Count
from singletable.schema.unique import Unique


class Stage(Enum):
    """The status of an election."""

    OPEN = "open"
    CLOSED = "closed"


@dataclass
class Ranking:
    """The rank of one option."""

    name: str
    rank: int


@dataclass
class Place:
    """A postal address."""

    street: str
    floors: list[int]


by_voter = Index("GSI-1", pk="GSI1PK", sk="GSI1SK")
by_stage = Index("GSI-2", pk="GSI2PK", sk="GSI2SK")
levels = Index("levels", pk=("skill", Number("level")), sk=(Number("years"), "last_used"))
votes = Table("votes", indexes=[by_voter, by_stage, levels], ttl="TTL")


class Stamped(Entity):
    """Fields that other entities inherit."""

    made: Attr[datetime] = created()
    changed: Attr[datetime] = updated()
    version: Attr[int] = version()


class Election(Stamped, table=votes):
    """An election."""

    name: Attr[str] = attr()
    stage: Attr[Stage] = attr(default=Stage.OPEN)
    ballots: Attr[int] = attr(default=0)
    key = Key(pk=("ELECTION", name), sk="METADATA")


class Ballot(Stamped, table=votes, type_tag=("entity_type", "BALLOT")):
    """The ballot of a voter."""

    election: Attr[str] = attr()
    voter: Attr[str] = attr()
    when_cast: Attr[datetime] = attr()
    rankings: Attr[list[Ranking]] = attr(factory=list[Ranking])
    note: Attr[str | None] = attr(default=None)
    tags: Attr[set[str]] = attr(factory=set[str])
    colours: Attr[frozenset[str]] = attr(factory=frozenset[str])
    weight: Attr[int] = attr(default=1)
    fee: Attr[Decimal] = attr(default=Decimal(0))
    place: Attr[Place | None] = attr(default=None)
    extra: Attr[dict[str, int]] = attr(factory=dict[str, int])
    status: Attr[Literal["cast", "spoiled"]] = attr(default="cast")
    region: Attr[str | None] = attr(default=None)
    gone: Attr[datetime | None] = expires(default=None)

    key = Key(pk=("ELECTION", election), sk=("BALLOT", voter))
    of_voter = Key(pk=("VOTER", voter), sk=(when_cast, election)).on(by_voter, when=weight > 0)
    of_region = Key(pk=("REGION", region), sk=("WEIGHT", weight)).on(by_stage)


class Vote(Entity, table=votes):
    """A vote that an election counts."""

    election: Attr[str] = attr()
    number: Attr[int] = attr()
    key = Key(pk=("ELECTION", election), sk=("VOTE", number))
    counted = Count(Election, Election.ballots, key=(election,))


class Protest(Entity, table=votes):
    """A protest, numbered in each election."""

    election: Attr[str] = attr()
    number: Attr[int] = sequence(Election.ballots, key=(election,))
    text: Attr[str] = attr()
    key = Key(pk=("ELECTION", election), sk=("PROTEST", number))


class Person(Entity, table=votes):
    """A person with a unique email address."""

    number: Attr[int] = attr()
    email: Attr[str] = attr()
    born: Attr[date] = attr()
    key = Key(pk=("PERSON", padded(number, 8)), sk=("PERSON", repeated(number)))
    address = Unique(casefold(email))
    birthday = Unique(born, number)


class UserSkill(Entity, table=votes):
    """A skill of a person, with its level."""

    user: Attr[str] = attr()
    skill: Attr[str] = attr()
    level: Attr[int] = attr()
    years: Attr[int] = attr()
    last_used: Attr[date] = attr()
    key = Key(pk=("USER", user), sk=("SKILL", skill))
    by_level = Key(pk=(skill, level), sk=(years, last_used)).on(levels)


class Event(Entity, table=votes):
    """An event; the latest sorts first."""

    day: Attr[date] = attr()
    at: Attr[datetime] = attr()
    event: Attr[UUID] = attr()
    stage: Attr[Stage] = attr()
    key = Key(pk=("EVENTS", day, Shards(4, by=event)), sk=(descending(at), event))
    by_stage = Key(pk=("STAGE", Shards(8)), sk=(ordered(stage), at, event)).on(by_stage)
