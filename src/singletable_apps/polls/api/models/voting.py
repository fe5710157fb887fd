"""Votes, and the codes that some polls ask for."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import Field

from singletable_apps.polls.api.models.base import Sent, Shown
from singletable_apps.polls.entities import Vote
from singletable_apps.polls.links import code_link
from singletable_apps.polls.rules import MOST_OPTIONS
from singletable_apps.polls.secret import MOST_CODES

Typed = Annotated[str, Field(max_length=100, description="A one-time code, however it is typed.")]


class NewVote(Sent):
    """What somebody votes."""

    rankings: list[str] = Field(
        description="Options, the best first; those not cared for are left out.",
        max_length=MOST_OPTIONS,
        examples=[["Go", "Rust"]],
        json_schema_extra={"minItems": 1},
    )
    code: Typed | None = Field(None, examples=["000A-7K3M-QX9T"])


class VoteShown(Shown):
    """A vote."""

    id: str = Field(description="Whoever knows it can read the vote again.")
    poll_id: str
    rankings: list[str]
    voted_at: datetime

    @classmethod
    def of(cls, vote: Vote) -> VoteShown:
        """The vote."""
        return cls(id=vote.id, poll_id=vote.poll_id, rankings=vote.rankings, voted_at=vote.voted_at)


class NewCodes(Sent):
    """How many codes are to be issued."""

    count: Annotated[int, Field(strict=True, ge=1, le=MOST_CODES, examples=[30])]


class CodeShown(Shown):
    """A one-time code, and whether somebody has voted with it."""

    code: str
    link: str = Field(description="Where its owner votes.")
    used: bool

    @classmethod
    def of(cls, public: str, poll_id: str, code: str, *, used: bool) -> CodeShown:
        """The code with its link."""
        return cls(code=code, link=code_link(public, poll_id, code), used=used)


class IssuedCodes(Shown):
    """Codes that are new; each lets one vote."""

    codes: list[CodeShown]
