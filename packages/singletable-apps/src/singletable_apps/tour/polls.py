"""Polls: the table `ranked-choice-polls`."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from singletable.schema import Attr, Collection, Entity, Key, Table, TimeFormat, attr
from singletable_apps.tour.design import Design, Step

POLL_ID = UUID("123e4567-e89b-12d3-a456-426614174000")
ranked_choice_polls = Table("ranked-choice-polls")


class Poll(Entity, table=ranked_choice_polls):
    """A poll and its options."""

    id: Attr[UUID] = attr()
    title: Attr[str] = attr()
    description: Attr[str] = attr()
    candidates: Attr[list[str]] = attr()
    created_at: Attr[datetime] = attr(name="createdAt", time_format=TimeFormat.SECONDS)
    key = Key(pk=("POLL", id), sk="METADATA")  # noqa: A003


class Vote(Entity, table=ranked_choice_polls):
    """A vote, from the first choice to the last."""

    poll_id: Attr[UUID] = attr(name="pollId")
    id: Attr[UUID] = attr()
    rankings: Attr[list[str]] = attr()
    voted_at: Attr[datetime] = attr(name="votedAt", time_format=TimeFormat.SECONDS)
    key = Key(pk=("POLL", poll_id), sk=("VOTE", id))  # noqa: A003


class PollWithVotes(Collection):
    """A poll and its votes, which are one item collection."""

    poll: Poll
    votes: list[Vote]


def _vote(vote_id: str, *rankings: str) -> Vote:
    voted_at = datetime(2024, 1, 15, 14, 22, tzinfo=UTC)
    return Vote(poll_id=POLL_ID, id=UUID(vote_id), rankings=[*rankings], voted_at=voted_at)


def _items(now: datetime) -> list[object]:
    return [
        Poll(
            id=POLL_ID,
            title="Best Programming Language 2024",
            description="Vote for your favorite programming language",
            candidates=["JavaScript", "Python", "Go", "Rust"],
            created_at=datetime(2024, 1, 15, 10, 30, tzinfo=UTC),
        ),
        _vote("987fcdeb-51a2-43d1-b234-567890abcdef", "Go", "Rust", "Python", "JavaScript"),
        _vote("5b1a7c52-90de-4d0a-8f63-2f1f0d6f3a11", "Python", "Go"),
    ]


_OWN_VOTE = _vote("c0ffee00-1dea-4bad-9a7e-0123456789ab", "Rust", "Go")

POLLS = Design(
    title="Polls",
    description="Anyone with the link ranks the options of a poll. One table and no index: every "
    "access pattern reads one partition.",
    tables=(ranked_choice_polls,),
    items=_items,
    steps=(
        Step(
            title="Get Poll by ID",
            document="PK = POLL#{pollId} AND SK = METADATA",
            call=lambda session: session.store.get(Poll.key(POLL_ID)),
            columns=("title", "candidates"),
        ),
        Step(
            title="Vote",
            document="PK: POLL#{pollId}, SK: VOTE#{voteId}",
            call=lambda session: session.store.create(_OWN_VOTE),
        ),
        Step(
            title="The same vote, sent twice",
            document="PK: POLL#{pollId}, SK: VOTE#{voteId}",
            call=lambda session: session.store.create(_OWN_VOTE),
            note="The condition is evaluated against the stored item, so a vote counts once.",
            rejected=True,
        ),
        Step(
            title="Get All Votes for a Poll",
            document='PK = POLL#{pollId} AND begins_with(SK, "VOTE#")',
            call=lambda session: [*session.store.query(Vote.key.partition(POLL_ID))],
            columns=("rankings", "voted_at"),
        ),
        Step(
            title="Calculate Results",
            document="Get poll metadata + all votes",
            call=lambda session: session.store.collect(PollWithVotes, Poll.key.partition(POLL_ID)),
            columns=("title", "rankings"),
            note="The poll and its votes are one item collection: one request reads them all.",
        ),
    ),
)
