"""Voting: one transaction that makes or changes a vote, and leaves a line in the vote's lane.

The poll's own item is read, never written, so a poll has no one place where all voters meet. That
it is open, and asks what was read, is a condition of the write: the lane says so.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import uuid4

from singletable import ConditionFailed, Store, TransactionConflict
from singletable_apps.polls import patterns
from singletable_apps.polls.entities import Lane, Line, Poll, Protection, Vote
from singletable_apps.polls.errors import AlreadyVoted, Busy, NoCode
from singletable_apps.polls.rules import check_open, checked_ranking, gone, is_changeable
from singletable_apps.polls.service.context import LOST, Context
from singletable_apps.polls.tally import lane_of, order_of
from singletable_apps.polls.text import is_id, shown

# The lanes of a poll follow its own item: whoever finds one behind brings it along.
#
# What a vote depends on is in the lane that it goes down, so that many can vote without meeting at
# the poll's own item. The poll is changed first, then its lanes; if that is interrupted, the next
# vote in a lane that is behind brings it along before it counts.

LANE_ATTEMPTS = 10


def new_lanes(poll: Poll) -> list[Lane]:
    """The lanes of a new poll."""
    return [
        Lane(poll_id=poll.id, lane=number, edition=poll.edition) for number in range(poll.lanes)
    ]


def bring_all_along(store: Store, poll: Poll) -> None:
    """Let every lane follow: once this is done, no vote counts that relied on the poll before."""
    addresses = [Lane.key(poll.id, number) for number in range(poll.lanes)]
    for lane in store.get_many(addresses, consistent=True):
        if lane is not None and lane.edition < poll.edition:
            bring_along(store, poll, lane.lane)


def bring_along(store: Store, poll: Poll, number: int) -> None:
    """Let a lane follow its poll, unless it has already, or is gone."""
    for _ in range(LANE_ATTEMPTS):
        try:
            store.update(
                Lane.key(poll.id, number),
                Lane.edition.set(poll.edition),
                if_=Lane.edition < poll.edition,
            )
        except ConditionFailed:
            return
        except (TransactionConflict, *LOST):
            continue  # voters were faster, or nobody knows: it can be done twice
        return
    raise Busy(f"So many vote in '{poll.title}' that a change of it found no way in. Ask again.")


TRIES = 60
# The store has patience of its own in each attempt; nobody waits for an answer much longer.
LONGEST_SECONDS = 10.0
_TURNS = 64
_WHO = {
    Protection.BROWSER: "This browser",
    Protection.CODES: "This code",
    Protection.OPEN: "This request",
}


@dataclass(frozen=True, slots=True)
class Voter:
    """By what somebody is known who votes: a poll asks for one of these, or for nothing.

    `browser` is the token of a browser. `request` names a vote in an open poll, where sending it
    again must not count twice.
    """

    browser: str | None = None
    code: str | None = None
    request: str | None = None


@dataclass(frozen=True, slots=True)
class Cast:
    """A vote, and whether it is new, or in place of another."""

    vote: Vote
    is_new: bool


@dataclass(frozen=True, slots=True)
class Voting:
    """Where votes are cast."""

    context: Context
    # Threads of one process would only meet at the lane; here they wait for their turn.
    turns: Sequence[threading.Lock] = field(
        default_factory=lambda: tuple(threading.Lock() for _ in range(_TURNS))
    )

    def vote_id(self, poll: Poll, voter: Voter) -> str | None:
        """The id of somebody's one vote; None if they are not known, and each vote is a new one."""
        self.context.check_secret(poll)
        secret = self.context.secret
        if poll.protection is Protection.CODES:
            number = None if voter.code is None else secret.number_of(poll.id, voter.code)
            if number is None or number >= poll.codes:
                raise NoCode(_no_code(voter.code))
            return secret.vote_id(poll.id, "code", str(number))
        if poll.protection is Protection.BROWSER and voter.browser is not None:
            return secret.vote_id(poll.id, "browser", voter.browser)
        if poll.protection is Protection.OPEN and voter.request is not None:
            return secret.vote_id(poll.id, "request", voter.request)
        return None

    def vote(self, poll_id: str, vote_id: str) -> Vote | None:
        """A vote by its id."""
        if not is_id(vote_id):
            return None
        return self.context.store.get(Vote.key(poll_id, vote_id), consistent=True)

    def vote_of(self, poll: Poll, voter: Voter) -> Vote | None:
        """The vote that somebody has cast, if there is one, and they can be known again."""
        try:
            vote_id = self.vote_id(poll, voter)
        except NoCode:
            return None
        return None if vote_id is None else self.vote(poll.id, vote_id)

    def cast(self, poll_id: str, rankings: Sequence[str], voter: Voter) -> Cast:
        """Vote, or change a vote. Nothing is stored unless all is well when it is written."""
        poll = self.context.poll(poll_id)
        unknown = str(uuid4())  # the id of a vote whose voter cannot be known again
        known: Vote | None = None
        ranked: list[str] = []
        lost = False
        until = time.monotonic() + LONGEST_SECONDS
        with self._turn(poll, self.vote_id(poll, voter) or unknown):
            for attempt in range(TRIES):
                if known is not None and known.rankings == ranked:
                    # As it was before; or our own, whose answer was lost: it counts, whatever
                    # has happened since.
                    return Cast(known, is_new=lost and known.revision == 1)
                if attempt and time.monotonic() > until:
                    break
                now = self.context.clock()
                check_open(poll, now)
                # Asked each time: until somebody has voted, a poll may ask for codes instead.
                vote_id = self.vote_id(poll, voter) or unknown
                ranked = checked_ranking(poll, rankings)
                if known is not None and not is_changeable(poll):
                    raise AlreadyVoted(_already(poll, known))
                vote = _vote(poll, vote_id, ranked, now, known)
                try:
                    if self._write(poll, vote, known):
                        return Cast(vote, is_new=known is None)
                except ConditionFailed as refusal:
                    if isinstance(refusal.current, Vote):
                        known = refusal.current
                        continue
                except (TransactionConflict, *LOST):
                    lost = True
                    known = self.vote(poll_id, vote_id)
                time.sleep(random.uniform(0, min(0.1, 0.001 * 2**attempt)))
                poll = self.context.poll(poll_id)
        raise Busy(
            f"So many vote in '{poll.title}' at this moment that your vote found no way in. Vote "
            "again; it counts once."
        )

    def _turn(self, poll: Poll, vote_id: str) -> threading.Lock:
        lane = lane_of(vote_id, poll.lanes)
        return self.turns[hash((poll.id, lane)) % len(self.turns)]

    def _write(self, poll: Poll, vote: Vote, known: Vote | None) -> bool:
        """Write the vote, its line and the end of its lane; False if the lane was behind."""
        number = lane_of(vote.id, poll.lanes)
        lane = self.context.store.get(Lane.key(poll.id, number), consistent=True)
        if lane is None:
            raise gone(poll.id)
        if lane.edition != poll.edition:
            bring_along(self.context.store, poll, number)
            return False
        line = Line(
            poll_id=poll.id,
            lane=number,
            number=lane.lines + 1,
            order=order_of(poll.candidates, vote.rankings),
            replaced=None if known is None else order_of(poll.candidates, known.rankings),
        )
        with self.context.store.transaction(pattern=patterns.cast) as together:
            together.put(vote)
            together.update(
                Lane.key(poll.id, number),
                Lane.lines.set(line.number),
                if_=(Lane.lines == lane.lines) & (Lane.edition == poll.edition),
            )
            together.create(line)
        return True


def _vote(poll: Poll, vote_id: str, ranked: list[str], now: datetime, known: Vote | None) -> Vote:
    """The vote as it will be: in place of the one that is known, or where there is none."""
    vote = Vote(poll_id=poll.id, id=vote_id, rankings=ranked, voted_at=now)
    if known is not None:
        vote.revision = known.revision
    return vote


def _no_code(typed: str | None) -> str:
    if not typed:
        return "This poll asks for a one-time code. Ask whoever made the poll for yours."
    return (
        f"'{shown(typed)}' is no code of this poll. A code has twelve letters and digits, as "
        "000A-7K3M-QX9T; look at it again."
    )


def _already(poll: Poll, known: Vote) -> str:
    return (
        f"{_WHO[poll.protection]} has voted in '{poll.title}' already, on "
        f"{known.voted_at:%Y-%m-%d at %H:%M} UTC, and votes of this poll cannot be changed."
    )
