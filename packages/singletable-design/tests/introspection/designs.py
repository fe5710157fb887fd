"""The tables of five design documents, and a function that fills them with random items."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any
from uuid import UUID

from singletable import (
    Attr,
    Entity,
    Index,
    Item,
    Key,
    Number,
    Scan,
    Store,
    Table,
    TimeFormat,
    attr,
    connect,
    expires,
    padded,
    repeated,
)
from singletable.schema import model_of

gsi_1 = Index("GSI-1", pk="GSI1PK", sk="GSI1SK")
votes = Table("vote_data", indexes=[gsi_1])


@dataclass
class Ranking:
    rank: int
    candidate_name: str


class User(Entity, table=votes, type_tag=("entity_type", "USER")):
    name: Attr[str] = attr()
    email: Attr[str] = attr()
    role: Attr[str] = attr()
    key = Key(pk=("USER", name), sk="METADATA")
    by_email = Key(pk=email, sk=("USER", name)).on(gsi_1)


class Election(Entity, table=votes, type_tag=("entity_type", "ELECTION")):
    name: Attr[str] = attr()
    secret_ballot: Attr[bool] = attr()
    closes: Attr[datetime | None] = attr(time_format=TimeFormat.SECONDS, default=None)
    key = Key(pk=("ELECTION", name), sk="METADATA")


class Candidate(Entity, table=votes, type_tag=("entity_type", "CANDIDATE")):
    election_name: Attr[str] = attr(key_only=True)
    candidate_name: Attr[str] = attr()
    key = Key(pk=("ELECTION", election_name), sk=("CANDIDATE", candidate_name))


class Ballot(Entity, table=votes, type_tag=("entity_type", "BALLOT")):
    election_name: Attr[str] = attr()
    voter_name: Attr[str] = attr()
    rankings: Attr[list[Ranking]] = attr()
    key = Key(pk=("ELECTION", election_name), sk=("BALLOT", voter_name))


log = Table("vote_event_log")


class Event(Entity, table=log):
    event_id: Attr[int] = attr()
    time: Attr[datetime] = attr(time_format=TimeFormat.SECONDS, key_only=True)
    actor: Attr[str] = attr()
    key = Key(pk="EVENTS", sk=(padded(event_id, 8), time))


polls = Table("ranked-choice-polls")


class Poll(Entity, table=polls):
    id: Attr[UUID] = attr()
    title: Attr[str] = attr()
    candidates: Attr[list[str]] = attr()
    created_at: Attr[datetime] = attr(name="createdAt", time_format=TimeFormat.SECONDS)
    key = Key(pk=("POLL", id), sk="METADATA")  # noqa: A003


class Vote(Entity, table=polls):
    poll_id: Attr[UUID] = attr(name="pollId")
    id: Attr[UUID] = attr()
    rankings: Attr[list[str]] = attr()
    key = Key(pk=("POLL", poll_id), sk=("VOTE", id))  # noqa: A003


by_date = Index("BlogsByDate", pk="GSI1PK", sk="GSI1SK")
by_slug = Index("BlogBySlug", pk="GSI2PK", sk="GSI2SK")
likes = Index("LikesByBlog", pk="GSI3PK", sk="GSI3SK")
data = Table("DataTable", indexes=[by_date, by_slug, likes], ttl="ttl")


class Blog(Entity, table=data):
    id: Attr[str] = attr()
    slug: Attr[str] = attr()
    tags: Attr[set[str]] = attr(factory=set)
    price: Attr[Decimal] = attr()
    created_at: Attr[datetime] = attr(time_format=TimeFormat.MILLISECONDS)
    key = Key(pk=("BLOG", id), sk="METADATA")  # noqa: A003
    in_order = Key(pk="BLOG#ALL", sk=created_at).on(by_date)
    with_slug = Key(pk=("SLUG", slug), sk=id).on(by_slug)  # noqa: A003


class Like(Entity, table=data):
    blog_id: Attr[str] = attr(key_only=True)
    time: Attr[datetime] = attr(time_format=TimeFormat.SECONDS, key_only=True)
    ip: Attr[str] = attr(key_only=True)
    ends: Attr[datetime] = expires()
    key = Key(pk=("LIKE", blog_id, time, ip), sk=(repeated(time), repeated(ip)))
    of_blog = Key(pk=("LIKE", blog_id), sk=(time, ip)).on(likes)


overloaded = Index("GSI1", pk="GSI1PK", sk="GSI1SK")
several = Index("GSI2", pk=("SkillName", "Level"), sk=(Number("Years"), "LastUsed"))
glad = Table("glad-entities", indexes=[overloaded, several])


class Person(Entity, table=glad, type_tag=("EntityType", "User")):
    username: Attr[str] = attr(name="Username")
    version: Attr[int] = attr()
    key = Key(pk=("USER", username), sk="PROFILE")


class Skill(Entity, table=glad, type_tag=("EntityType", "UserSkill")):
    username: Attr[str] = attr(name="Username")
    skill: Attr[str] = attr(name="SkillName")
    level: Attr[str] = attr(name="Level")
    years: Attr[int] = attr(name="Years")
    last_used: Attr[date | None] = attr(name="LastUsed", default=None)
    key = Key(pk=("USER", username), sk=("SKILL", skill))
    by_skill = Key(pk=("SKILL", skill), sk=("LEVEL", level, "USER", username)).on(overloaded)
    by_level = Key(pk=(skill, level), sk=(years, last_used)).on(several)


games = Table("engagements-dev-table", ttl="TTL")


class Game(Entity, table=games):
    game_id: Attr[str] = attr(name="GameId")
    ends: Attr[datetime | None] = expires(default=None)
    key = Key(pk=("GAME", game_id), sk="METADATA")


class State(Entity, table=games):
    game_id: Attr[str] = attr(key_only=True)
    current: Attr[int] = attr(name="CurrentQuestionIndex")
    key = Key(pk=("GAME", game_id), sk="STATE")


class Answer(Entity, table=games):
    game_id: Attr[str] = attr(key_only=True)
    number: Attr[int] = attr(key_only=True)
    player: Attr[str] = attr(name="PlayerName")
    answer: Attr[str] = attr(name="Answer")
    key = Key(pk=("GAME", game_id), sk=("ANSWER", padded(number, 3), player))


TABLES = (votes, log, polls, data, glad, games)
# Values that are hard to encode in keys or look like another type.
TRICKY = (
    "a#b",
    "Favorite Language",
    "50$",
    "METADATA",
    "ü",
    "x" * 60,
    "007",
    "Go",
    "SQL",
    "_",
    "-",
    "42",
)


def random_items(table: Table, seed: int, texts: Callable[[random.Random], str]) -> list[Item]:
    """Fill a table with random entities and return its items."""
    chance = random.Random(seed)
    store = Store(connect("memory:"))
    store.admin.create_table(table)
    for entity in table.entities:
        for _ in range(chance.choice((1, 2, 5, 20))):
            fields = model_of(entity).fields.values()
            store.put(
                entity(
                    **{
                        one.name: _random_value(one.annotation, one, chance, texts)
                        for one in fields
                    }
                )
            )
    return store.driver.execute(Scan(table.name)).items or []


def _random_value(
    kind: Any, field: Attr[Any], chance: random.Random, texts: Callable[[random.Random], str]
) -> object:
    if field.codec().optional and chance.random() < 0.3:
        return None
    if kind is str:
        return texts(chance)
    if kind is int:
        return chance.randrange(1000)
    if kind is bool:
        return chance.random() < 0.5
    if kind is Decimal:
        return Decimal(chance.randrange(10_000)) / 100
    if kind is UUID:
        return UUID(int=chance.getrandbits(128))
    timestamp = datetime(2024, 1, 1, tzinfo=UTC) + timedelta(seconds=chance.randrange(10**8))
    if kind is datetime:
        # Items must not expire during the test.
        return timestamp + timedelta(days=27_000) if field.role == "expires" else timestamp
    if kind is date:
        return timestamp.date()
    if kind == list[Ranking]:
        return [Ranking(rank, texts(chance)) for rank in range(chance.randrange(3))]
    members = [texts(chance) for _ in range(chance.randrange(4))]
    return set(members) if kind == set[str] else members


def plain_text(chance: random.Random) -> str:
    """Return a lowercase word."""
    return "".join(chance.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(8))


def tricky_text(chance: random.Random) -> str:
    """Return a text that is hard to encode or looks like another type."""
    return (
        chance.choice(TRICKY)
        if chance.random() < 0.7
        else plain_text(chance) + chance.choice("#$ 1")
    )
