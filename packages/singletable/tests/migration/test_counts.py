"""AddCount: numbers are exact although items are created and deleted while they are counted."""

from __future__ import annotations

import pytest

from dynamodb_engine.operations import PutItem, Query, Scan, TransactWriteItems
from dynamodb_engine.testing import InterruptedDriver
from dynamodb_engine.values import Item
from singletable import Attr, Count, Driver, Engine, Entity, Key, Store, Table, attr, errors
from singletable.migration import AddCount
from tests.migration.in_place import crash_at_every_request, environment, notes_of, stored

app = Table("app")
old_app = Table("app")


class OldPoll(Entity, table=old_app, type_tag=("type", "poll")):
    poll: Attr[str] = attr()
    key = Key(pk=("POLL", poll), sk="POLL")


class OldVote(Entity, table=old_app, type_tag=("type", "vote")):
    poll: Attr[str] = attr()
    voter: Attr[str] = attr()
    key = Key(pk=("POLL", poll), sk=("VOTE", voter))


class OldComment(Entity, table=old_app, type_tag=("type", "comment")):
    poll: Attr[str] = attr()
    number: Attr[str] = attr()
    key = Key(pk=("COMMENT", number), sk="COMMENT")


class Poll(Entity, table=app, type_tag=("type", "poll")):
    poll: Attr[str] = attr()
    votes: Attr[int] = attr(default=0)
    comments: Attr[int] = attr(default=0)
    key = Key(pk=("POLL", poll), sk="POLL")


class Vote(Entity, table=app, type_tag=("type", "vote")):
    """Counted in its own partition."""

    poll: Attr[str] = attr()
    voter: Attr[str] = attr()
    key = Key(pk=("POLL", poll), sk=("VOTE", voter))
    in_poll = Count(Poll, Poll.votes, key=(poll,))


class Comment(Entity, table=app, type_tag=("type", "comment")):
    """Counted in another partition."""

    poll: Attr[str | None] = attr(default=None)
    number: Attr[str] = attr()
    key = Key(pk=("COMMENT", number), sk="COMMENT")
    in_poll = Count(Poll, Poll.comments, key=(poll,))


VOTES = AddCount(Vote, "in_poll")
COMMENTS = AddCount(Comment, "in_poll")


def fill(driver: Driver, polls: int = 4) -> None:
    store = Store(driver)
    store.admin.create_table(app)
    store.put_many([OldPoll(poll=f"p{n}") for n in range(polls)])
    for n in range(polls):
        store.put_many([OldVote(poll=f"p{n}", voter=f"v{k}") for k in range(n)])
        store.put_many([OldComment(poll=f"p{n}", number=f"{n}-{k}") for k in range(n)])


def numbers(driver: Driver) -> list[tuple[int, int]]:
    polls = [item for item in stored(driver, app) if item["type"] == {"S": "poll"}]
    return [(int(one["votes"]["N"]), int(one["comments"]["N"])) for one in polls]


def test_existing_items_are_counted(driver: Driver) -> None:
    fill(driver)
    env = environment(driver, app, segments=2)
    VOTES.run(env)
    COMMENTS.run(env)
    assert numbers(driver) == [(0, 0), (1, 1), (2, 2), (3, 3)]
    Store(driver).create(Vote(poll="p3", voter="new"))
    VOTES.run(env)
    VOTES.undo(env)
    assert numbers(driver)[3] == (4, 3)


def test_wrong_numbers_are_corrected(engine: Engine) -> None:
    fill(engine, 3)
    store = Store(engine)
    for n in range(3):
        store.put(Poll(poll=f"p{n}", votes=99, comments=0))
    VOTES.run(environment(engine, app))
    assert [votes for votes, _ in numbers(engine)] == [0, 1, 2]


@pytest.mark.parametrize("step", [VOTES, COMMENTS], ids=["same partition", "other partition"])
def test_counts_are_exact_while_items_are_created_and_deleted(
    engine: Engine, step: AddCount
) -> None:
    fill(engine, 5)
    store = Store(engine)
    requests = 0

    def write() -> None:
        # Deletes an item that was not read yet, and creates one that the scan has passed, so that
        # the number stays the same; then others, so that it does not.
        nonlocal requests
        requests += 1
        if step is VOTES:
            store.delete(Vote.key(f"p{requests % 5}", "v0"))
            store.put(Vote(poll="p4", voter=f"w{requests}"))
        else:
            store.delete(Comment.key(f"{requests % 5}-0"))
            store.put(Comment(poll="p4", number=f"w{requests}"))

    driver = InterruptedDriver(engine, (Scan, TransactWriteItems), before=write, times=40)
    env = environment(driver, app, page_size=2)
    step.run(env)
    assert requests > 20
    tag = {"S": "vote" if step is VOTES else "comment"}
    polls = [item for item in stored(engine, app) if item["type"] == {"S": "poll"}]
    for poll in polls:
        items = [
            item
            for item in stored(engine, app)
            if item["type"] == tag and item["poll"] == poll["poll"]
        ]
        field = "votes" if step is VOTES else "comments"
        assert poll[field] == {"N": str(len(items))}, poll


def test_a_parent_that_always_changes_is_reported(engine: Engine) -> None:
    fill(engine, 3)
    store = Store(engine)
    number = 0

    def write() -> None:
        nonlocal number
        number += 1
        store.create(Vote(poll="p1", voter=f"new{number}"))

    driver = InterruptedDriver(engine, (Scan, Query), before=write, times=None)
    with pytest.raises(errors.MigrationError, match=r"1 of its parents .*PK=POLL#p1"):
        VOTES.run(environment(driver, app))
    VOTES.run(environment(engine, app))
    assert [one["votes"]["N"] for one in stored(engine, app) if one["type"]["S"] == "poll"] == [
        "0",
        str(number + 1),
        "2",
    ]


def test_items_without_a_parent_are_reported(engine: Engine) -> None:
    fill(engine, 2)
    store = Store(engine)
    store.put(OldComment(poll="gone", number="x"))
    store.put(OldVote(poll="gone", voter="v"))
    env = environment(engine, app)
    notes = notes_of(env)
    VOTES.run(env)
    COMMENTS.run(env)
    assert [note for note in notes if "no Poll" in note] == [
        "1 Vote item has no Poll, such as PK=POLL#gone SK=VOTE#v",
        "1 Comment item has no Poll, such as PK=COMMENT#x SK=COMMENT",
    ]
    assert env.state.counts == {"Vote items without Poll": 1, "Comment items without Poll": 1}
    assert numbers(engine) == [(0, 0), (1, 1)]


def test_an_item_that_cannot_be_read_is_reported(engine: Engine) -> None:
    fill(engine, 2)
    bad: Item = {"PK": {"S": "POLL#p1"}, "SK": {"S": "VOTE#x"}, "type": {"S": "vote"}}
    engine.execute(PutItem("app", {**bad, "poll": {"N": "5"}, "voter": {"S": "x"}}))
    with pytest.raises(errors.TransformFailed, match=r"SK=VOTE#x: .*poll"):
        VOTES.run(environment(engine, app))


@pytest.mark.parametrize("step", [VOTES, COMMENTS], ids=["same partition", "other partition"])
def test_a_crash_at_any_request_changes_nothing_in_the_result(step: AddCount) -> None:
    crashes = crash_at_every_request(
        [app], lambda engine: fill(engine, 2), lambda env: step.run(env)
    )
    assert crashes > 8
