"""The entities that most store tests use: elections, candidates, ballots and voters."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from singletable.schema import (
    Attr,
    Collection,
    Entity,
    Index,
    Key,
    Table,
    attr,
    created,
    expires,
    updated,
    version,
)

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)

by_person = Index("by_person", pk="GSI1PK", sk="GSI1SK")
keys_only = Index("keys_only", pk="GSI2PK", sk="GSI2SK", projection="KEYS_ONLY")
votes = Table("vote_data", indexes=[by_person, keys_only], ttl="TTL")


@dataclass
class Place:
    """Where a ballot was cast."""

    town: str
    booth: int


class Election(Entity, table=votes):
    name: Attr[str] = attr()
    title: Attr[str] = attr(default="")
    key = Key(pk=("ELECTION", name), sk="METADATA")


class Candidate(Entity, table=votes):
    election: Attr[str] = attr()
    name: Attr[str] = attr()
    key = Key(pk=("ELECTION", election), sk=("CANDIDATE", name))


class Ballot(Entity, table=votes, type_tag=("entity_type", "BALLOT")):
    election: Attr[str] = attr()
    voter: Attr[str] = attr()
    when_cast: Attr[datetime] = attr(default=NOON)
    choice: Attr[str | None] = attr(default=None)
    rank: Attr[int] = attr(default=0)
    tags: Attr[set[str]] = attr(factory=set)
    notes: Attr[list[str]] = attr(factory=list)
    marks: Attr[dict[str, int]] = attr(factory=dict)
    place: Attr[Place | None] = attr(default=None)
    key = Key(pk=("ELECTION", election), sk=("BALLOT", voter))
    by_voter = Key(pk=("VOTER", voter), sk=(when_cast, election)).on(by_person)
    by_choice = Key(pk=("CHOICE", election, choice), sk=(voter,)).on(keys_only)


class Session(Entity, table=votes):
    voter: Attr[str] = attr()
    number: Attr[int] = attr()
    device: Attr[str] = attr(default="phone")
    ends: Attr[datetime | None] = expires(default=None)
    key = Key(pk=("VOTER", voter), sk=("SESSION", number))
    by_device = Key(pk=("DEVICE", device), sk=("SESSION", number)).on(by_person)


class Voter(Entity, table=votes):
    name: Attr[str] = attr()
    town: Attr[str | None] = attr(default=None)
    made: Attr[datetime] = created()
    changed: Attr[datetime] = updated()
    version: Attr[int] = version()
    key = Key(pk=("VOTER", name), sk="PROFILE")


class File(Collection):
    election: Election
    candidates: list[Candidate]
    ballots: list[Ballot]


def ballot(voter: str, election: str = "L", **values: object) -> Ballot:
    return Ballot(election=election, voter=voter, **values)  # type: ignore[arg-type]
