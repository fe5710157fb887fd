"""The table matches the original design, plus the listed additions."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from pydantic import StrictBool

from dynamodb_engine.operations import DescribeTimeToLive
from singletable import Attr, DescribeTable, Engine, Item, Key, PutItem, Query, Store, Table, attr
from singletable.schema import model_of
from singletable_apps.polls.entities import (
    CreatedPoll,
    LaneEntry,
    Poll,
    PollFields,
    PollKind,
    PollSettings,
    PollV1,
    Protection,
    Snapshot,
    Vote,
    embed_settings,
    polls,
)
from singletable_apps.polls.rules import PollDraft
from singletable_apps.polls.service import Voter
from tests.apps.polls.support.harness import OPTIONS, World, cast, changed, edit, items_of, results

POLL_ID = "123e4567-e89b-12d3-a456-426614174000"
VOTE_ID = "987fcdeb-51a2-43d1-b234-567890abcdef"

# The document's two examples. A time is written with all its digits, so that times sort as texts.
POLL: Item = {
    "PK": {"S": f"POLL#{POLL_ID}"},
    "SK": {"S": "METADATA"},
    "id": {"S": POLL_ID},
    "title": {"S": "Best Programming Language 2024"},
    "description": {"S": "Vote for your favorite programming language"},
    "candidates": {"L": [{"S": "JavaScript"}, {"S": "Python"}, {"S": "Go"}, {"S": "Rust"}]},
    "createdAt": {"S": "2024-01-15T10:30:00.000000Z"},
}
VOTE: Item = {
    "PK": {"S": f"POLL#{POLL_ID}"},
    "SK": {"S": f"VOTE#{VOTE_ID}"},
    "id": {"S": VOTE_ID},
    "pollId": {"S": POLL_ID},
    "rankings": {"L": [{"S": "Go"}, {"S": "Rust"}, {"S": "Python"}, {"S": "JavaScript"}]},
    "votedAt": {"S": "2024-01-15T14:22:00.000000Z"},
}
# The attributes that we added to a poll.
MORE_OF_A_POLL: Item = {
    "schema_version": {"N": "2"},
    "settings": {
        "M": {
            "results": {"S": "always"},
            "protection": {"S": "browser"},
            "changeable": {"BOOL": True},
            "kind": {"S": "rank"},
            "max_picks": {"N": "0"},
            "write_ins": {"BOOL": False},
            "names": {"BOOL": False},
            "comments": {"BOOL": False},
            "zone": {"S": "UTC"},
        }
    },
    "codes": {"N": "0"},
    "closed": {"BOOL": False},
    "deleted": {"BOOL": False},
    "numbers": {"L": []},
    "pictures": {"M": {}},
    "confirmed": {"BOOL": False},
    "notices": {"L": []},
    "lanes": {"N": "8"},
    "edition": {"N": "1"},
    "secret": {"S": "ABCDEFGH"},
    "revision": {"N": "1"},
}
NEW_IN_2 = {"settings", "schema_version"}
MORE_OF_A_VOTE: Item = {"maybe": {"L": []}, "name": {"S": ""}, "revision": {"N": "1"}}


def _poll() -> Poll:
    return Poll(
        id=POLL_ID,
        title="Best Programming Language 2024",
        description="Vote for your favorite programming language",
        candidates=["JavaScript", "Python", "Go", "Rust"],
        created_at=datetime(2024, 1, 15, 10, 30, tzinfo=UTC),
        lanes=8,
        secret="ABCDEFGH",
    )


def _stored(store: Store, sort_key: str) -> Item:
    (found,) = store.driver.execute(
        Query(
            polls.name,
            key_condition_expression="PK = :pk AND SK = :sk",
            expression_attribute_values={":pk": POLL["PK"], ":sk": {"S": sort_key}},
        )
    ).items
    return dict(found)


@pytest.fixture
def store() -> Store:
    """Return a store with an empty table."""
    opened = Store(Engine.in_memory())
    opened.admin.create_table(polls)
    return opened


def test_poll_is_stored_as_documented(store: Store) -> None:
    store.create(_poll())
    assert _stored(store, "METADATA") == POLL | MORE_OF_A_POLL


def test_poll_of_the_first_version_is_read_and_upgraded(memory: World) -> None:
    managed = memory.made()
    store, poll = memory.service.context.store, managed.poll
    (item,) = (one for one in items_of(memory.driver) if one["SK"] == POLL["SK"] and "lanes" in one)
    first = {name: value for name, value in item.items() if name not in NEW_IN_2}
    chosen: Item = {"kind": {"S": "several"}, "maxPicks": {"N": "2"}, "writeIns": {"BOOL": True}}
    store.driver.execute(PutItem(polls.name, {**first, **chosen}))
    read = memory.service.context.get_poll(poll.id)
    # Polls without an attribute for it are open.
    assert read.settings == PollSettings(
        protection=Protection.OPEN, kind=PollKind.SEVERAL, max_picks=2, write_ins=True
    )
    assert (read.title, read.candidates, read.secret) == (poll.title, poll.candidates, poll.secret)
    cast(memory.service, managed, OPTIONS[:2], Voter(request_key="r"))
    edited = edit(memory.service, managed, title="New")
    assert (edited.settings, edited.revision) == (read.settings, read.revision + 1)
    (item,) = (one for one in items_of(memory.driver) if one["SK"] == POLL["SK"] and "lanes" in one)
    assert item.keys() >= NEW_IN_2
    assert not chosen.keys() & item.keys()


class MoreSettings(PollSettings):
    """The settings of polls with one that the first version did not have."""

    reminders: StrictBool = True


class LaterPoll(PollFields, table=Table("later-polls"), schema_version=2):
    """A poll with these settings."""

    id: Attr[str] = attr()
    settings: Attr[MoreSettings] = attr()

    key = Key(pk="POLLS", sk="METADATA")


def test_setting_newer_than_the_first_version_has_its_default(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("singletable_apps.polls.entities.PollSettings", MoreSettings)
    monkeypatch.setattr("singletable_apps.polls.entities.Poll", LaterPoll)
    created_at = datetime(2024, 1, 15, 10, 30, tzinfo=UTC)
    old = PollV1(
        id="7", title="Tea?", candidates=["Green"], created_at=created_at, lanes=8, secret="s"
    )
    assert embed_settings(old).settings == MoreSettings(protection=Protection.OPEN)


def test_vote_is_stored_as_documented(store: Store) -> None:
    store.create(
        Vote(
            poll_id=POLL_ID,
            id=VOTE_ID,
            rankings=["Go", "Rust", "Python", "JavaScript"],
            voted_at=datetime(2024, 1, 15, 14, 22, tzinfo=UTC),
        )
    )
    assert _stored(store, f"VOTE#{VOTE_ID}") == VOTE | MORE_OF_A_VOTE


def test_vote_in_the_documented_format_is_read(store: Store) -> None:
    theirs: Item = {**VOTE, "votedAt": {"S": "2024-01-15T14:22:00Z"}}
    store.driver.execute(PutItem(polls.name, theirs))
    vote = store.get(Vote.key(POLL_ID, VOTE_ID))
    assert vote is not None
    assert vote.voted_at == datetime(2024, 1, 15, 14, 22, tzinfo=UTC)
    assert vote.rankings == ["Go", "Rust", "Python", "JavaScript"]


def test_closing_time_is_stored_as_a_timestamp(store: Store) -> None:
    poll = _poll()
    poll.expires_at = datetime(2024, 2, 1, tzinfo=UTC)
    store.create(poll)
    expected = POLL | MORE_OF_A_POLL | {"expiresAt": {"S": "2024-02-01T00:00:00.000000Z"}}
    assert _stored(store, "METADATA") == expected


def test_service_writes_the_documented_attributes(memory: World) -> None:
    managed = memory.made(PollDraft("Q", OPTIONS, "D"))
    vote = cast(memory.service, managed, ["Go"], "b").vote
    partition = Query(
        polls.name,
        key_condition_expression="PK = :pk",
        expression_attribute_values={":pk": {"S": f"POLL#{managed.poll.id}"}},
    )
    poll, stored = memory.driver.execute(partition).items
    assert (poll["SK"], stored["SK"]) == ({"S": "METADATA"}, {"S": f"VOTE#{vote.id}"})
    assert set(poll) == set(POLL | MORE_OF_A_POLL) | {"maker"}
    assert set(stored) == set(VOTE | MORE_OF_A_VOTE)


@pytest.mark.parametrize(
    ("item", "key"),
    [
        (
            LaneEntry(poll_id="7", lane=3, number=12, ranking="0"),
            ("POLL#7#LANE#03", "LINE#0000000012"),
        ),
        (Snapshot(poll_id="7", name="n", parts=1, positions=[0]), ("POLL#7", "SNAPSHOT")),
        (
            CreatedPoll(browser="B", poll_id="7", created_at=datetime(2024, 1, 15, tzinfo=UTC)),
            ("BROWSER#B", "POLL#2024-01-15T00:00:00.000000Z#7"),
        ),
    ],
)
def test_keys_of_added_items(item: object, key: tuple[str, str]) -> None:
    made = model_of(type(item)).item(item.__dict__)
    assert (made["PK"]["S"], made["SK"]["S"]) == key


def test_table_has_no_index_no_ttl_and_on_demand_billing(memory: World) -> None:
    table = memory.driver.execute(DescribeTable(polls.name)).table
    assert table.table_name == "ranked-choice-polls"
    assert [(one.attribute_name, one.key_type) for one in table.key_schema] == [
        ("PK", "HASH"),
        ("SK", "RANGE"),
    ]
    assert {(one.attribute_name, one.attribute_type) for one in table.attribute_definitions} == {
        ("PK", "S"),
        ("SK", "S"),
    }
    assert not table.global_secondary_indexes
    assert not table.local_secondary_indexes
    assert table.billing_mode_summary is not None
    assert table.billing_mode_summary.billing_mode == "PAY_PER_REQUEST"
    expiry = memory.driver.execute(DescribeTimeToLive(polls.name)).time_to_live_description
    assert expiry.time_to_live_status == "DISABLED"


def test_poll_is_kept_after_its_closing_time(memory: World) -> None:
    ends = memory.clock() + timedelta(hours=1)
    managed = memory.made(
        changed(PollDraft("Q", OPTIONS, expires_at=ends), protection=Protection.OPEN)
    )
    cast(memory.service, managed, ["Go"], Voter())
    memory.clock.advance(days=4000)
    assert memory.service.context.get_poll(managed.poll.id).title == "Q"
    outcome = results(memory.service, managed)
    assert (outcome.tally.votes, outcome.is_final) == (1, True)
    created = memory.service.lifecycle.list_created("maker", 5).items
    assert [one.poll.id for one in created] == [managed.poll.id]
