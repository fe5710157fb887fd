"""Tables of many shapes: shared, with several key attributes, with numbers, bytes and capacity."""

from __future__ import annotations

from datetime import date, datetime

from singletable import (
    Attr,
    Binary,
    Count,
    Entity,
    Index,
    Key,
    LocalIndex,
    Number,
    Provisioned,
    Table,
    Unique,
    attr,
    casefold,
    expires,
)

# Elections: a shared table, an index by e-mail address, and a table for events.
by_email = Index("GSI-1", pk="GSI1PK", sk="GSI1SK")
votes = Table("vote_data", indexes=[by_email], ttl="expires_at")
log = Table("vote_event_log", sk=Number("SK"))


class User(Entity, table=votes, type_tag=("entity_type", "USER")):
    name: Attr[str] = attr()
    email: Attr[str] = attr()
    key = Key(pk=("USER", name), sk="METADATA")
    at_email = Key(pk=email, sk=("USER", name)).on(by_email)
    one_email = Unique(casefold(email))


class Election(Entity, table=votes, type_tag=("entity_type", "ELECTION")):
    name: Attr[str] = attr()
    ballots: Attr[int] = attr(default=0)
    key = Key(pk=("ELECTION", name), sk="METADATA")


class Candidate(Entity, table=votes, type_tag=("entity_type", "CANDIDATE")):
    election: Attr[str] = attr()
    name: Attr[str] = attr()
    expires_at: Attr[datetime | None] = expires(default=None)
    key = Key(pk=("ELECTION", election), sk=("CANDIDATE", name))


class Ballot(Entity, table=votes, type_tag=("entity_type", "BALLOT")):
    election: Attr[str] = attr()
    voter: Attr[str] = attr()
    rankings: Attr[list[str]] = attr()
    key = Key(pk=("ELECTION", election), sk=("BALLOT", voter))
    counted = Count(Election, Election.ballots, key=(election,))


class Event(Entity, table=log):
    number: Attr[int] = attr()
    text: Attr[str] = attr()
    key = Key(pk="EVENTS", sk=number)


# Skills: an index with several partition and sort key attributes, some of them numbers.
by_level = Index(
    "by-level",
    pk=("skill", Number("level")),
    sk=(Number("years"), "lastUsed"),
    projection=["person"],
)
by_site = Index("by-site", pk=("site", "person"), projection="KEYS_ONLY")
recent = LocalIndex("recent", sk="lastUsed", projection="KEYS_ONLY")
skills = Table("glad-entities", indexes=[by_level, by_site, recent])


class Skill(Entity, table=skills):
    person: Attr[str] = attr()
    skill: Attr[str] = attr()
    level: Attr[int] = attr()
    years: Attr[int] = attr()
    last_used: Attr[date] = attr(name="lastUsed")
    site: Attr[str] = attr(default="north")
    key = Key(pk=("PERSON", person), sk=("SKILL", skill))
    at_level = Key(pk=(skill, level), sk=(years, last_used)).on(by_level)
    on_site = Key(pk=(site, person)).on(by_site)
    lately = Key(pk=("PERSON", person), sk=last_used).on(recent)


# Binary and number keys, and provisioned capacity.
by_size = Index("by-size", pk=Number("size"), sk=Binary("digest"))
digests = Table(
    "digests",
    pk=Binary("digest"),
    sk=None,
    indexes=[by_size],
    capacity=Provisioned(5, 10),
)

ALL = [votes, log, skills, digests]
