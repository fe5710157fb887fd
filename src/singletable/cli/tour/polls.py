"""Polls: `ranked-choice-polls`."""

from __future__ import annotations

from singletable.cli.tour.chapter import Chapter, Fill, Walk, ask
from singletable.cli.tour.declare import table
from singletable.cli.tour.plain import PlainItem, to_item
from singletable.operations import PutItem, Query

POLLS = "ranked-choice-polls"
POLL_ID = "123e4567-e89b-12d3-a456-426614174000"
POLL = f"POLL#{POLL_ID}"


def fill(now: int) -> Fill:
    """The document's poll, with two votes."""
    poll: PlainItem = {
        "PK": POLL,
        "SK": "METADATA",
        "id": POLL_ID,
        "title": "Best Programming Language 2024",
        "description": "Vote for your favorite programming language",
        "candidates": ["JavaScript", "Python", "Go", "Rust"],
        "createdAt": "2024-01-15T10:30:00Z",
    }
    votes = [
        vote("987fcdeb-51a2-43d1-b234-567890abcdef", "Go", "Rust", "Python", "JavaScript"),
        vote("5b1a7c52-90de-4d0a-8f63-2f1f0d6f3a11", "Python", "Go"),
    ]
    return {POLLS: [poll, *votes]}


def vote(vote_id: str, *ranked: str) -> PlainItem:
    """A vote, first choice to last."""
    return {
        "PK": POLL,
        "SK": f"VOTE#{vote_id}",
        "id": vote_id,
        "pollId": POLL_ID,
        "rankings": list(ranked),
        "votedAt": "2024-01-15T14:22:00Z",
    }


def walk(now: int) -> Walk[None]:
    """Look at the poll, vote once, see all votes."""
    yield from ask(
        "Get Poll by ID",
        "PK = POLL#{pollId} AND SK = METADATA",
        Query(
            POLLS,
            key_condition_expression="PK = :poll AND SK = :metadata",
            expression_attribute_values=to_item({":poll": POLL, ":metadata": "METADATA"}),
        ),
        columns=("title", "candidates"),
    )
    mine = PutItem(
        POLLS,
        to_item(vote("c0ffee00-1dea-4bad-9a7e-0123456789ab", "Rust", "Go")),
        condition_expression="attribute_not_exists(PK)",
    )
    yield from ask("Vote", "PK: POLL#{pollId}, SK: VOTE#{voteId}", mine)
    yield from ask(
        "The same vote, sent twice",
        "PK: POLL#{pollId}, SK: VOTE#{voteId}",
        mine,
        remark="The condition is tested against the item that is there, so a vote counts once.",
        refused=True,
    )
    yield from ask(
        "Get All Votes for a Poll",
        'PK = POLL#{pollId} AND begins_with(SK, "VOTE#")',
        Query(
            POLLS,
            key_condition_expression="PK = :poll AND begins_with(SK, :vote)",
            expression_attribute_values=to_item({":poll": POLL, ":vote": "VOTE#"}),
        ),
        columns=("rankings", "votedAt"),
    )
    yield from ask(
        "Calculate Results",
        "Get poll metadata + all votes",
        Query(
            POLLS,
            key_condition_expression="PK = :poll",
            expression_attribute_values=to_item({":poll": POLL}),
        ),
        columns=("SK", "rankings"),
        remark="The poll and its votes are one item collection: one request, metadata first.",
    )


RANKED_CHOICE_POLLS = Chapter(
    title="Polls",
    about="Anyone with the link ranks the options of a poll. One table, no index: every pattern is "
    "a query of one partition.",
    tables=(table(POLLS),),
    fill=fill,
    walk=walk,
)
