"""At the booth: by what somebody is known who votes, what they have voted, and on which paper."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from fastapi import Request

from singletable_apps.polls.entities import Poll, Protection, Vote
from singletable_apps.polls.pages.addresses import poll_address
from singletable_apps.polls.pages.carrying import VOTE, carried, carried_code
from singletable_apps.polls.pages.limiting import check_guess
from singletable_apps.polls.pages.site import Site
from singletable_apps.polls.rules import is_open
from singletable_apps.polls.service import Voter
from singletable_apps.shared.ballot import Choice, Paper, Words

WORDS = Words(
    start="Tap an option to rank it first, or drag it here.",
    review="Review and vote",
    cast="Vote",
    sure="Vote like this?",
    blank_sure="Nothing is ranked yet",
    blank_means="Rank at least one option; leave out those you do not care for.",
)
LONGEST_KEY = 100


@dataclass(frozen=True, slots=True)
class Booth:
    """A poll as somebody meets it: their vote so far, and whether another is taken."""

    poll: Poll
    voter: Voter
    vote: Vote | None
    is_open: bool

    @property
    def code(self) -> str:
        """The code that somebody votes with; nothing if there is none yet."""
        return self.voter.code or ""

    @property
    def draft(self) -> str:
        """What a draft is kept under in the browser."""
        return f"polls {self.poll.id}"

    @property
    def basis(self) -> str:
        """What a draft is based on: what is asked, and the vote that it would replace."""
        asked = repr((self.poll.title, self.poll.candidates)).encode()
        cast = "" if self.vote is None else f"{self.vote.id} {self.vote.revision}"
        return f"{hashlib.sha256(asked).hexdigest()[:16]} {cast}"


def enter(
    request: Request, site: Site, poll: Poll, browser: str | None, code: str = "", key: str = ""
) -> Booth:
    """How somebody meets the poll. A code that is given comes before one that is carried."""
    if poll.protection is Protection.CODES:
        check_guess(request, site, poll, code)
        code = code or carried_code(request, site, poll) or ""
    voter = Voter(browser, code or None, key[:LONGEST_KEY] or None)
    vote = site.polls.voting.vote_of(poll, voter)
    return Booth(poll, voter, vote, is_open(poll, site.polls.desk.clock()))


def cast_vote(request: Request, site: Site, booth: Booth) -> Vote | None:
    """The vote that the browser has cast, in an open poll too, where each is a new one."""
    last = carried(request, site, VOTE)
    if booth.vote is None and booth.poll.protection is Protection.OPEN and last is not None:
        return site.polls.voting.vote(booth.poll.id, last)
    return booth.vote


def paper_of(booth: Booth, choices: Sequence[Choice]) -> Paper:
    """The paper to fill in. The key lets it count once, however often it is sent."""
    return Paper(
        to=poll_address(booth.poll.id),
        choices=tuple(choices),
        means=meaning(booth.poll),
        fields=fields_of(booth),
        draft=booth.draft,
        basis=booth.basis,
        words=WORDS,
        equals=False,
        blank=False,
    )


def fields_of(booth: Booth) -> dict[str, str]:
    """What is sent along with the ranks: what was asked, and a key."""
    return {"key": booth.voter.request or secrets.token_hex(16), "title": booth.poll.title}


def meaning(poll: Poll) -> str:
    """What becomes of a vote, and whether it can be changed."""
    return (
        "Votes carry no name. Whoever may see the results sees how often each ranking was voted "
        f"for. {_lasts(poll)}"
    )


def _lasts(poll: Poll) -> str:
    if poll.protection is Protection.OPEN:
        return "Once cast, a vote stays as it is."
    if poll.changeable:
        return "You can change your vote until the poll closes."
    return "Your vote is final: once cast, it cannot be changed."
