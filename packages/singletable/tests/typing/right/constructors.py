"""Instances: the parameters of constructors, and the types of attributes."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal
from typing import Literal

from tests.typing.declared import Ballot, Election, Place, Protest, Ranking, Stage

NOW = datetime(2026, 11, 3, tzinfo=UTC)


def protest(text: str) -> int:
    """Leave out the number, which the store assigns."""
    item = Protest(election="Languages", text=text)
    item.number = 7
    return item.number


def stamps(ballot: Ballot) -> tuple[datetime, datetime]:
    """Read the fields that the store sets when it writes the item."""
    return ballot.made, ballot.changed


least = Ballot(election="Languages", voter="alice", when_cast=NOW)
full = Ballot(
    election="Languages",
    voter="alice",
    when_cast=NOW,
    rankings=[Ranking("Python", 1)],
    note="late",
    tags={"a"},
    colours=frozenset({"blue"}),
    weight=2,
    fee=Decimal(3),
    place=Place("Main Street", [1]),
    extra={"pages": 2},
    status="spoiled",
    region=None,
    gone=NOW,
)

election: str = full.election
when: datetime = full.when_cast
rankings: list[Ranking] = full.rankings
note: str | None = full.note
tags: set[str] = full.tags
weight: int = full.weight
fee: Decimal = full.fee
place: Place | None = full.place
extra: dict[str, int] = full.extra
status: Literal["cast", "spoiled"] = full.status
gone: datetime | None = full.gone
counted: int = full.version
stage: Stage = Election(name="Languages").stage

full.weight = 4
full.note = None
full.status = "cast"
full.rankings.append(Ranking("Rust", 2))
