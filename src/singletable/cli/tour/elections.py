"""Elections: `vote_data` and `vote_event_log`."""

from __future__ import annotations

from singletable.cli.tour.chapter import Chapter, Fill, Walk, ask
from singletable.cli.tour.declare import index, key, table
from singletable.cli.tour.plain import PlainItem, to_item
from singletable.operations import (
    ConditionCheck,
    GetItem,
    Put,
    Query,
    Scan,
    TransactWriteItem,
    TransactWriteItems,
    UpdateItem,
)

DATA = "vote_data"
LOG = "vote_event_log"
ELECTION = "ELECTION#Favorite Language"


def fill(now: int) -> Fill:
    """Three users, one election with candidates and voters, one ballot, one event."""
    people = {"alice": "OWNER", "bob": "VOTER", "carol": "VOTER"}
    users: list[PlainItem] = [
        {
            "PK": f"USER#{name}",
            "SK": "METADATA",
            "entity_type": "USER",
            "name": name,
            "email": f"{name}@example.com",
            "role": role,
            "GSI1PK": f"{name}@example.com",
            "GSI1SK": f"USER#{name}",
        }
        for name, role in people.items()
    ]
    election: PlainItem = {
        "PK": ELECTION,
        "SK": "METADATA",
        "entity_type": "ELECTION",
        "name": "Favorite Language",
        "owner_name": "alice",
        "secret_ballot": True,
        "allow_vote": True,
    }
    candidates: list[PlainItem] = [
        {
            "PK": ELECTION,
            "SK": f"CANDIDATE#{name}",
            "entity_type": "CANDIDATE",
            "candidate_name": name,
        }
        for name in ("Java", "Kotlin", "Python", "Rust")
    ]
    voters: list[PlainItem] = [
        {"PK": ELECTION, "SK": f"VOTER#{name}", "entity_type": "VOTER", "voter_name": name}
        for name in ("alice", "bob")
    ]
    counts: PlainItem = {"PK": "METADATA", "SK": "COUNTS", "user_count": len(users)}
    return {
        DATA: [*users, election, *candidates, *voters, ballot("bob", "Rust", "Kotlin"), counts],
        LOG: [event(41, "bob")],
    }


def ballot(voter: str, *ranked: str) -> PlainItem:
    """A ballot with its rankings inside, as the document has it."""
    return {
        "PK": ELECTION,
        "SK": f"BALLOT#{voter}",
        "entity_type": "BALLOT",
        "election_name": "Favorite Language",
        "voter_name": voter,
        "rankings": [
            {"rank": rank, "candidate_name": name} for rank, name in enumerate(ranked, start=1)
        ],
    }


def event(number: int, actor: str) -> PlainItem:
    """An entry of the event log."""
    return {
        "PK": "EVENTS",
        "SK": f"{number:08}#2025-01-15T10:30:00Z",
        "event_id": number,
        "actor": actor,
        "event_type": "BallotCast",
    }


def walk(now: int) -> Walk[None]:
    """Sign in, look at the election, vote, count."""
    yield from ask(
        "Lookup by username",
        "GetItem(PK=USER#{name}, SK=METADATA)",
        GetItem(DATA, key("USER#alice", "METADATA")),
        columns=("name", "email", "role"),
    )
    yield from ask(
        "Lookup by email",
        "Query GSI-1 where GSI1PK={email}",
        Query(
            DATA,
            "GSI-1",
            key_condition_expression="GSI1PK = :email",
            expression_attribute_values=to_item({":email": "alice@example.com"}),
        ),
        columns=("GSI1PK", "GSI1SK", "role"),
    )
    yield from ask(
        "List candidates for election",
        "Query(PK=ELECTION#{name}, SK begins_with CANDIDATE#)",
        _part_of_election("CANDIDATE#"),
        columns=("SK", "candidate_name"),
    )
    yield from ask(
        "Cast ballot, append event",
        "PutItem with above keys; PutItem with next sequence number",
        _cast("alice", 42, "Kotlin", "Python", "Rust", "Java"),
        remark="One transaction over both tables: no ballot without its event, and none at all "
        "from somebody who is not an eligible voter.",
    )
    yield from ask(
        "The same for carol, who is not eligible",
        "Check eligibility: GetItem(PK=ELECTION#{name}, SK=VOTER#{voterName})",
        _cast("carol", 43, "Java"),
        refused=True,
    )
    yield from ask(
        "List all ballots for election",
        "Query(PK=ELECTION#{name}, SK begins_with BALLOT#)",
        _part_of_election("BALLOT#"),
        columns=("voter_name", "rankings"),
    )
    yield from ask(
        "Update counts",
        "Increment via UpdateItem",
        UpdateItem(
            DATA,
            key("METADATA", "COUNTS"),
            update_expression="ADD user_count :one",
            expression_attribute_values=to_item({":one": 1}),
            return_values="UPDATED_NEW",
        ),
        columns=("user_count",),
    )
    yield from ask(
        "List all users",
        "Query where PK begins_with USER# AND SK=METADATA",
        Query(
            DATA,
            key_condition_expression="begins_with(PK, :user) AND SK = :metadata",
            expression_attribute_values=to_item({":user": "USER#", ":metadata": "METADATA"}),
        ),
        remark="The document is mistaken here, and the embedded engine says so as DynamoDB would: "
        "a partition key takes = alone. You learn it today, not in production.",
        refused=True,
    )
    yield from ask(
        "Count users",
        "Scan with COUNT (acceptable for admin operations)",
        Scan(
            DATA,
            select="COUNT",
            filter_expression="begins_with(PK, :user) AND SK = :metadata",
            expression_attribute_values=to_item({":user": "USER#", ":metadata": "METADATA"}),
        ),
    )
    yield from ask(
        "Read events since last sync",
        "Query(PK=EVENTS, SK >= {lastSeq})",
        Query(
            LOG,
            key_condition_expression="PK = :events AND SK >= :last",
            expression_attribute_values=to_item({":events": "EVENTS", ":last": "00000042"}),
        ),
        columns=("SK", "event_type", "actor"),
    )


def _part_of_election(prefix: str) -> Query:
    return Query(
        DATA,
        key_condition_expression="PK = :pk AND begins_with(SK, :sk)",
        expression_attribute_values=to_item({":pk": ELECTION, ":sk": prefix}),
    )


def _cast(voter: str, number: int, *ranked: str) -> TransactWriteItems:
    eligible = ConditionCheck(DATA, key(ELECTION, f"VOTER#{voter}"), "attribute_exists(PK)")
    append = Put(LOG, to_item(event(number, voter)), "attribute_not_exists(PK)")
    return TransactWriteItems(
        [
            TransactWriteItem(condition_check=eligible),
            TransactWriteItem(put=Put(DATA, to_item(ballot(voter, *ranked)))),
            TransactWriteItem(put=append),
        ]
    )


ELECTIONS = Chapter(
    title="Elections",
    about="Registered voters rank the candidates of an election. Users, elections, candidates, "
    "voters and ballots share one table; the event log has a table of its own.",
    tables=(table(DATA, index("GSI-1", ["GSI1PK"], ["GSI1SK"])), table(LOG)),
    fill=fill,
    walk=walk,
)
