"""Polls: as they are made, changed and shown."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any, Self

from pydantic import ConfigDict, Field, model_validator

from singletable_apps.polls.api.models.base import Sent, Shown, absent_if_none
from singletable_apps.polls.entities import Poll, Protection, Results
from singletable_apps.polls.links import admin_link, share_link
from singletable_apps.polls.rules import (
    FEWEST_OPTIONS,
    LONGEST_DESCRIPTION,
    LONGEST_OPTION,
    LONGEST_TITLE,
    MOST_OPTIONS,
    Draft,
)
from singletable_apps.polls.service import Own
from singletable_apps.shared.web import Moment, Yes, may_be_left_out

TITLE = f"The question, of at most {LONGEST_TITLE} characters."
DESCRIPTION = f"More about it, of at most {LONGEST_DESCRIPTION} characters."
CANDIDATES = (
    f"The options, {FEWEST_OPTIONS} to {MOST_OPTIONS} of at most {LONGEST_OPTION} characters. They "
    "are trimmed, and differ by more than capital letters."
)
EXPIRES_AT = "When the poll closes; without it, when somebody closes it."
RESULTS = "When those who have the link may see the results."
PROTECTION = "What keeps people from voting twice."
CHANGEABLE = (
    "Whether people may change their vote while the poll is open; where anybody may vote as often "
    "as they like, each vote is a new one."
)


# The rules check lengths and numbers, all of them at once; here are the types alone.
class NewPoll(Sent):
    """A poll to be made."""

    title: str = Field(description=TITLE, examples=["Best Programming Language 2024"])
    candidates: list[str] = Field(
        description=CANDIDATES,
        examples=[["JavaScript", "Python", "Go", "Rust"]],
        json_schema_extra={"minItems": FEWEST_OPTIONS, "maxItems": MOST_OPTIONS},
    )
    description: str = Field("", description=DESCRIPTION)
    expires_at: Moment | None = Field(None, description=EXPIRES_AT)
    results: Results = Field(Results.ALWAYS, description=RESULTS)
    protection: Protection = Field(Protection.BROWSER, description=PROTECTION)
    changeable: Yes = Field(True, description=CHANGEABLE)

    def draft(self) -> Draft:
        """What is asked for."""
        return Draft(**dict(self))


class PollChanges(Sent):
    """What is to be another about a poll, all of it or nothing; what is left out stays."""

    title: str = may_be_left_out(TITLE)
    candidates: list[str] = may_be_left_out(f"{CANDIDATES} They stay once somebody has voted.")
    description: str = may_be_left_out(DESCRIPTION)
    expires_at: Moment | None = may_be_left_out(
        "When the poll closes; null is when somebody closes it. Another time opens it again."
    )
    results: Results = may_be_left_out(RESULTS)
    protection: Protection = may_be_left_out(f"{PROTECTION} It stays once somebody has voted.")
    changeable: Yes = may_be_left_out(CHANGEABLE)

    model_config = ConfigDict(
        json_schema_extra={"minProperties": 1, "examples": [{"results": "after-closing"}]}
    )

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if not self.model_fields_set:
            raise ValueError("Expected something that is to be another")
        return self

    def on(self, draft: Draft) -> Draft:
        """The draft with what was said, and nothing else."""
        said: dict[str, Any] = {name: getattr(self, name) for name in self.model_fields_set}
        return replace(draft, **said)


class PollShown(Shown):
    """A poll, for everybody who has the link."""

    id: str
    title: str
    description: str
    candidates: list[str]
    created_at: datetime
    expires_at: datetime | None = absent_if_none("When the poll closes, or has closed.")
    results: Results = Field(description=RESULTS)
    protection: Protection = Field(description=PROTECTION)
    changeable: bool = Field(description=CHANGEABLE)
    link: str = Field(description="Where people vote.")

    @classmethod
    def of(cls, poll: Poll, public: str) -> PollShown:
        """The poll, with links under the address that people use."""
        return cls(**_said(poll, public))


class OwnPoll(PollShown):
    """A poll, for whoever made it."""

    admin_key: str = Field(description="Keep it: it changes, closes and deletes the poll.")
    admin_link: str = Field(description="Where people manage it; whoever has it may.")

    @classmethod
    def own(cls, own: Own, public: str) -> OwnPoll:
        """The poll, with its key."""
        link = admin_link(public, own.poll.id, own.admin_key)
        return cls(**_said(own.poll, public), admin_key=own.admin_key, admin_link=link)


def _said(poll: Poll, public: str) -> dict[str, Any]:
    return {
        "id": poll.id,
        "title": poll.title,
        "description": poll.description,
        "candidates": poll.candidates,
        "created_at": poll.created_at,
        "expires_at": poll.expires_at,
        "results": poll.results,
        "protection": poll.protection,
        "changeable": poll.changeable,
        "link": share_link(public, poll.id),
    }
