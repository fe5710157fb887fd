"""Elections: the tables `vote_data` and `vote_event_log`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from singletable.operations import Query, Scan
from singletable.schema import Attr, Entity, Index, Key, Table, TimeFormat, attr, padded
from singletable_apps.tour.design import Design, Step, TourSession

ELECTION = "Favorite Language"
gsi_1 = Index("GSI-1", pk="GSI1PK", sk="GSI1SK")
vote_data = Table("vote_data", indexes=[gsi_1])
vote_event_log = Table("vote_event_log")


@dataclass
class Ranking:
    """A candidate and its rank on a ballot."""

    rank: int
    candidate_name: str


class User(Entity, table=vote_data, type_tag=("entity_type", "USER")):
    """A person who may own elections or vote."""

    name: Attr[str] = attr()
    email: Attr[str] = attr()
    role: Attr[str] = attr()
    key = Key(pk=("USER", name), sk="METADATA")
    by_email = Key(pk=email, sk=("USER", name)).on(gsi_1)


class Election(Entity, table=vote_data, type_tag=("entity_type", "ELECTION")):
    """An election and its settings."""

    name: Attr[str] = attr()
    owner_name: Attr[str] = attr()
    secret_ballot: Attr[bool] = attr(default=True)
    allow_vote: Attr[bool] = attr(default=True)
    key = Key(pk=("ELECTION", name), sk="METADATA")


class Candidate(Entity, table=vote_data, type_tag=("entity_type", "CANDIDATE")):
    """A candidate of an election."""

    election_name: Attr[str] = attr(key_only=True)
    candidate_name: Attr[str] = attr()
    key = Key(pk=("ELECTION", election_name), sk=("CANDIDATE", candidate_name))


class Voter(Entity, table=vote_data, type_tag=("entity_type", "VOTER")):
    """A user who is eligible to vote in an election."""

    election_name: Attr[str] = attr(key_only=True)
    voter_name: Attr[str] = attr()
    key = Key(pk=("ELECTION", election_name), sk=("VOTER", voter_name))


class Ballot(Entity, table=vote_data, type_tag=("entity_type", "BALLOT")):
    """The rankings of one voter."""

    election_name: Attr[str] = attr()
    voter_name: Attr[str] = attr()
    rankings: Attr[list[Ranking]] = attr()
    key = Key(pk=("ELECTION", election_name), sk=("BALLOT", voter_name))


class Counts(Entity, table=vote_data):
    """Counters of the whole table."""

    user_count: Attr[int] = attr()
    key = Key(pk="METADATA", sk="COUNTS")


class Event(Entity, table=vote_event_log):
    """An entry of the event log."""

    event_id: Attr[int] = attr()
    time: Attr[datetime] = attr(time_format=TimeFormat.SECONDS, key_only=True)
    actor: Attr[str] = attr()
    event_type: Attr[str] = attr(default="BallotCast")
    key = Key(pk="EVENTS", sk=(padded(event_id, 8), time))


def _ballot(voter: str, *candidates: str) -> Ballot:
    rankings = [Ranking(rank, name) for rank, name in enumerate(candidates, start=1)]
    return Ballot(election_name=ELECTION, voter_name=voter, rankings=rankings)


def _event(number: int, actor: str) -> Event:
    return Event(event_id=number, time=datetime(2025, 1, 15, 10, 30, tzinfo=UTC), actor=actor)


def _items(now: datetime) -> list[object]:
    roles = {"alice": "OWNER", "bob": "VOTER", "carol": "VOTER"}
    languages = ("Java", "Kotlin", "Python", "Rust")
    return [
        *(User(name=n, email=f"{n}@example.com", role=role) for n, role in roles.items()),
        Election(name=ELECTION, owner_name="alice"),
        *(Candidate(election_name=ELECTION, candidate_name=name) for name in languages),
        *(Voter(election_name=ELECTION, voter_name=name) for name in ("alice", "bob")),
        _ballot("bob", "Rust", "Kotlin"),
        Counts(user_count=len(roles)),
        _event(41, "bob"),
    ]


def _cast(session: TourSession, voter: str, event_number: int, *candidates: str) -> None:
    with session.store.transaction() as transaction:
        transaction.check(Voter.key(ELECTION, voter))
        transaction.put(_ballot(voter, *candidates))
        transaction.create(_event(event_number, voter))


ELECTIONS = Design(
    title="Elections",
    description="Registered voters rank the candidates of an election. Users, elections, "
    "candidates, voters and ballots share one table; the event log has its own.",
    tables=(vote_data, vote_event_log),
    items=_items,
    steps=(
        Step(
            title="Lookup by username",
            document="GetItem(PK=USER#{name}, SK=METADATA)",
            call=lambda session: session.store.get(User.key("alice")),
            columns=("name", "email", "role"),
        ),
        Step(
            title="Lookup by email",
            document="Query GSI-1 where GSI1PK={email}",
            call=lambda session: [*session.store.query(User.by_email("alice@example.com"))],
            columns=("name", "email", "role"),
        ),
        Step(
            title="List candidates for election",
            document="Query(PK=ELECTION#{name}, SK begins_with CANDIDATE#)",
            call=lambda session: [*session.store.query(Candidate.key.partition(ELECTION))],
            columns=("candidate_name",),
        ),
        Step(
            title="Cast ballot, append event",
            document="PutItem with above keys; PutItem with next sequence number",
            call=lambda session: _cast(session, "alice", 42, "Kotlin", "Python", "Rust", "Java"),
            note="One transaction over both tables: no ballot without its event, and no ballot "
            "from anybody who is not an eligible voter.",
        ),
        Step(
            title="The same for carol, who is not eligible",
            document="Check eligibility: GetItem(PK=ELECTION#{name}, SK=VOTER#{voterName})",
            call=lambda session: _cast(session, "carol", 43, "Java"),
            rejected=True,
        ),
        Step(
            title="List all ballots for election",
            document="Query(PK=ELECTION#{name}, SK begins_with BALLOT#)",
            call=lambda session: [*session.store.query(Ballot.key.partition(ELECTION))],
            columns=("voter_name", "rankings"),
        ),
        Step(
            title="Update counts",
            document="Increment via UpdateItem",
            call=lambda session: session.store.update(Counts.key(), Counts.user_count.add(1)),
            columns=("user_count",),
        ),
        Step(
            title="List all users",
            document="Query where PK begins_with USER# AND SK=METADATA",
            call=lambda session: session.send(
                Query(
                    vote_data.name,
                    key_condition_expression="begins_with(PK, :user) AND SK = :metadata",
                    expression_attribute_values={
                        ":user": {"S": "USER#"},
                        ":metadata": {"S": "METADATA"},
                    },
                )
            ),
            note="The document is wrong here, and the embedded engine rejects it as DynamoDB "
            "would: a partition key must be compared with =. The store has no method for such a "
            "query, so the request is sent as it is.",
            rejected=True,
        ),
        Step(
            title="Count users",
            document="Scan with COUNT (acceptable for admin operations)",
            call=lambda session: session.send(
                Scan(
                    vote_data.name,
                    select="COUNT",
                    filter_expression="begins_with(PK, :user) AND SK = :metadata",
                    expression_attribute_values={
                        ":user": {"S": "USER#"},
                        ":metadata": {"S": "METADATA"},
                    },
                    return_consumed_capacity="INDEXES",
                )
            ),
        ),
        Step(
            title="Read events since last sync",
            document="Query(PK=EVENTS, SK >= {lastSeq})",
            call=lambda session: [*session.store.query(Event.key.partition().ge(42))],
            columns=("event_id", "event_type", "actor"),
        ),
    ),
)
