"""Changes of entities, from the engine's change feed and from DynamoDB Streams events."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, cast

import pytest

from dynamodb_engine.operations import PutItem, SweepExpired
from singletable.errors import InvalidValue, ItemMismatch
from singletable.schema import Attr, Entity, Key, Table, attr, model_of
from singletable.store import Store, parse_stream_event
from tests.store.store_adapter import StoreOpener
from tools.testing.designs.members import Member, members
from tools.testing.designs.votes import Ballot, Candidate, Election, Session, ballot, votes

twin = Table("twin")


class Twin(Entity, table=twin):
    election: Attr[str] = attr()
    name: Attr[str] = attr()
    key = Key(pk=("ELECTION", election), sk=("CANDIDATE", name))


TABLES = (votes, members, twin)


def test_each_write_is_one_change_record(store: Store) -> None:
    store.create(ballot("ada"))
    store.update(Ballot.key("L", "ada"), Ballot.rank.set(2))
    store.create(Election(name="L"))
    store.delete(Ballot.key("L", "ada"))
    read = store.changes(Ballot)
    assert [(one.kind, one.old, one.new) for one in read.changes] == [
        ("INSERT", None, ballot("ada")),
        ("MODIFY", ballot("ada"), ballot("ada", rank=2)),
        ("REMOVE", ballot("ada", rank=2), None),
    ]
    assert not any(one.expired for one in read.changes)
    assert all(abs((datetime.now(UTC) - one.when).total_seconds()) < 60 for one in read.changes)


def test_changes_continue_after_a_position(store: Store) -> None:
    store.create(ballot("ada"))
    first = store.changes(Ballot)
    assert store.changes(Ballot, after=first.position).changes == []
    store.create(ballot("bea"))
    later = store.changes(Ballot, after=first.position)
    assert [one.new for one in later.changes] == [ballot("bea")]
    some = store.changes(Ballot, limit=1)
    assert len(some.changes) == 1
    assert len(store.changes(Ballot, after=some.position).changes) == 1


def test_changes_of_several_entities_are_in_order(store: Store) -> None:
    store.create(Election(name="L"))
    store.create(Candidate(election="L", name="Ann"))
    store.create(Member(name="ada", email="a@x"))
    store.create(ballot("ada"))
    read = store.changes(Ballot, Election, Member)
    assert [type(one.new).__name__ for one in read.changes] == ["Election", "Member", "Ballot"]


def test_changes_end_before_the_item_that_does_not_fit(store: Store, opener: StoreOpener) -> None:
    store.create(ballot("ada"))
    unfit = {**image(ballot("eve")), "rank": {"S": "12,5"}}
    opener.driver.execute(PutItem("vote_data", unfit))
    store.create(ballot("bob"))
    read = store.changes(Ballot)
    assert [one.new for one in read.changes] == [ballot("ada")]
    with pytest.raises(ItemMismatch) as raised:
        store.changes(Ballot, after=read.position)
    assert raised.value.when is not None
    after = int(raised.value.position or 0)
    assert [one.new for one in store.changes(Ballot, after=after).changes] == [ballot("bob")]


# Two tables may have items of the same shape; each belongs to the entity of its own table.
def test_changes_distinguish_tables_with_similar_items(store: Store) -> None:
    store.create(Candidate(election="L", name="Ann"))
    store.create(Twin(election="L", name="Ann"))
    read = store.changes(Candidate, Twin)
    assert [type(one.new).__name__ for one in read.changes] == ["Candidate", "Twin"]


def test_change_of_an_expired_item_is_marked(store: Store, opener: StoreOpener) -> None:
    yesterday = datetime.now(UTC) - timedelta(days=1)
    store.put(Session(voter="ada", number=1, ends=yesterday))
    opener.driver.execute(SweepExpired())
    changes = store.changes(Session).changes
    assert [(one.kind, one.expired) for one in changes] == [("INSERT", False), ("REMOVE", True)]


def image(item: Ballot) -> dict[str, Any]:
    return dict(model_of(type(item)).item(item.__dict__))


def record(kind: str, old: Ballot | None, new: Ballot | None, **more: Any) -> dict[str, Any]:
    described: dict[str, Any] = {"SequenceNumber": "111", "ApproximateCreationDateTime": 1767268800}
    if old is not None:
        described["OldImage"] = image(old)
    if new is not None:
        described["NewImage"] = image(new)
    return {"eventName": kind, "eventSource": "aws:dynamodb", "dynamodb": described, **more}


def test_parse_stream_event_returns_changes() -> None:
    one, two = ballot("ada"), ballot("ada", rank=2)
    service = {"type": "Service", "principalId": "dynamodb.amazonaws.com"}
    event = {
        "Records": [
            record("INSERT", None, one),
            record("MODIFY", one, two),
            record("REMOVE", two, None),
            record("REMOVE", two, None, userIdentity=service),
        ]
    }
    changes = parse_stream_event(event, Ballot)
    assert [(one.kind, one.old, one.new, one.expired) for one in changes] == [
        ("INSERT", None, one, False),
        ("MODIFY", one, two, False),
        ("REMOVE", two, None, False),
        ("REMOVE", two, None, True),
    ]
    assert changes[0].when == datetime(2026, 1, 1, 12, tzinfo=UTC)
    assert changes[0].position == "111"


def test_parse_stream_event_skips_other_entities() -> None:
    event = {"Records": [record("INSERT", None, ballot("ada"))]}
    assert parse_stream_event(event, Candidate) == []
    assert len(parse_stream_event(event, Candidate, Ballot)) == 1
    assert parse_stream_event({}, Ballot) == []


def test_parse_stream_event_reports_items_that_do_not_fit() -> None:
    unfit = record("INSERT", None, ballot("eve"))
    unfit["dynamodb"]["NewImage"]["rank"] = {"S": "12,5"}
    event = {"Records": [unfit, record("INSERT", None, ballot("ada"))]}
    with pytest.raises(ItemMismatch) as raised:
        parse_stream_event(event, Ballot)
    assert raised.value.position == "111"
    assert raised.value.when == datetime(2026, 1, 1, 12, tzinfo=UTC)
    problems: list[ItemMismatch] = []
    changes = parse_stream_event(event, Ballot, on_mismatch=problems.append)
    assert [one.new for one in changes] == [ballot("ada")]
    assert [one.path for one in problems] == ["Ballot.rank"]


def source(table: str) -> str:
    return f"arn:aws:dynamodb:eu-west-1:123456789012:table/{table}/stream/2026-01-01T00:00:00.000"


def inserted(table: str) -> dict[str, Any]:
    """Return an event for an item that may be a candidate or its twin."""
    key = {"PK": {"S": "ELECTION#L"}, "SK": {"S": "CANDIDATE#Ann"}}
    described = {"NewImage": {**key, "election": {"S": "L"}, "name": {"S": "Ann"}}}
    return {
        "Records": [{"eventName": "INSERT", "dynamodb": described, "eventSourceARN": source(table)}]
    }


REAL = {votes: "votes-prod", twin: "twin-prod"}


@pytest.mark.parametrize(
    ("table", "names", "entity"),
    [
        ("vote_data", None, "Candidate"),
        ("twin", None, "Twin"),
        ("votes-prod", REAL, "Candidate"),
        ("twin-prod", REAL, "Twin"),
        ("twin", {votes: "votes-prod"}, "Twin"),
    ],
)
def test_stream_record_belongs_to_the_table_of_its_arn(
    table: str, names: dict[Table, str] | None, entity: str
) -> None:
    for asked in ((Candidate, Twin), (Twin, Candidate)):
        (change,) = parse_stream_event(inserted(table), *asked, tables=names)
        assert type(change.new).__name__ == entity


def test_parse_stream_event_with_tables_skips_other_tables() -> None:
    assert parse_stream_event(inserted("twin"), Candidate, tables={votes: "vote_data"}) == []
    assert parse_stream_event(inserted("vote_data"), Candidate, tables=REAL) == []


# It may be the table under its real name, or another, so neither is assumed.
def test_stream_record_of_an_unknown_table_raises() -> None:
    with pytest.raises(InvalidValue, match=r"tables=\{vote_data: 'votes-prod'\}"):
        parse_stream_event(inserted("votes-prod"), Candidate)


@pytest.mark.parametrize("arn", [None, "votes", "arn:aws:kinesis:eu-west-1:1:stream/votes"])
def test_stream_record_without_arn_raises_for_two_tables(arn: str | None) -> None:
    event = inserted("vote_data")
    event["Records"][0]["eventSourceARN"] = arn
    with pytest.raises(ItemMismatch, match="eventSourceARN"):
        parse_stream_event(event, Candidate, Twin)


@pytest.mark.parametrize(
    ("kind", "old", "new"),
    [
        ("INSERT", None, None),
        ("MODIFY", None, ballot("ada")),
        ("MODIFY", ballot("ada"), None),
        ("REMOVE", None, None),
    ],
)
def test_stream_record_without_images_raises(
    kind: str, old: Ballot | None, new: Ballot | None
) -> None:
    with pytest.raises(ItemMismatch, match="NEW_AND_OLD_IMAGES"):
        parse_stream_event({"Records": [record(kind, old, new)]}, Ballot)


@pytest.mark.parametrize(
    "malformed", [{}, {"eventName": "INSERT"}, {"eventName": "TRUNCATE", "dynamodb": {}}]
)
def test_parse_stream_event_rejects_malformed_records(malformed: dict[str, Any]) -> None:
    with pytest.raises(ItemMismatch, match="DynamoDB Streams record"):
        parse_stream_event({"Records": [malformed]}, Ballot)


def test_changes_requires_entities(store: Store) -> None:
    with pytest.raises(InvalidValue, match="at least one entity"):
        store.changes()
    with pytest.raises(InvalidValue):
        store.changes(cast(Any, "Ballot"))
    with pytest.raises(InvalidValue, match="limit"):
        store.changes(Ballot, limit=0)
