"""Who won, for those who may know."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass, field

from singletable_apps.polls.counts import Counts, counts_of
from singletable_apps.polls.entities import Poll, Results
from singletable_apps.polls.errors import Busy
from singletable_apps.polls.rules import check_visible, is_final
from singletable_apps.polls.service.counting import Counting
from singletable_apps.polls.service.desk import Desk
from singletable_apps.polls.service.voting import Voter, Voting
from singletable_apps.polls.tally import Tally

KEPT = 100
TRIES = 5
KNOWN = 10_000


@dataclass(frozen=True, slots=True)
class Viewer:
    """Who looks at results: a voter who may be known again, a vote of theirs, or an admin key."""

    voter: Voter = field(default_factory=Voter)
    vote_id: str | None = None
    admin_key: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a poll stands, or has ended; `mark` is another as soon as a vote is."""

    poll: Poll
    tally: Tally
    counts: Counts
    is_final: bool

    @property
    def mark(self) -> str:
        """What tells this outcome from any other of the poll."""
        return f"{self.poll.revision}.{'.'.join(map(str, self.tally.lines))}.{self.is_final:d}"


@dataclass(frozen=True, slots=True)
class Standing:
    """The results of polls."""

    desk: Desk
    voting: Voting
    counting: Counting
    made: OrderedDict[str, tuple[object, Counts]] = field(
        default_factory=OrderedDict[str, tuple[object, Counts]]
    )
    # Nobody takes a vote back, so those who watch a poll are looked up once.
    voted: OrderedDict[tuple[str, Voter, str | None], None] = field(
        default_factory=OrderedDict[tuple[str, Voter, str | None], None]
    )
    lock: threading.Lock = field(default_factory=threading.Lock)

    def outcome(self, poll_id: str, viewer: Viewer) -> Outcome:
        """How a poll stands; Hidden unless whoever asks may know."""
        poll = self.desk.poll(poll_id)
        self.check(poll, viewer)
        return self.of(poll)

    def of(self, poll: Poll) -> Outcome:
        """How a poll stands, for whoever has been checked."""
        for _ in range(TRIES):
            # Asked before the votes are: those that come in between are in it, and more may follow.
            final = is_final(poll, self.desk.clock())
            tally = self.counting.tally(poll)
            counts = self._counts(poll, tally)
            if counts is not None:
                return Outcome(poll, tally, counts, final)
            poll = self.desk.poll(poll.id)
        raise Busy(f"The options of '{poll.title}' were changed all the time. Look again.")

    def check(self, poll: Poll, viewer: Viewer) -> None:
        """Raise Hidden unless whoever asks may know how the poll stands."""
        admin = viewer.admin_key is not None and self.desk.secret.is_admin(
            poll.id, viewer.admin_key
        )
        now = self.desk.clock()
        check_visible(poll, now, voted=self._has_voted(poll, viewer), admin=admin)

    def _has_voted(self, poll: Poll, viewer: Viewer) -> bool:
        """Asked only of polls whose results wait for it."""
        if poll.results is not Results.AFTER_VOTING:
            return False
        who = (poll.id, viewer.voter, viewer.vote_id)
        with self.lock:
            if who in self.voted:
                return True
        vote = self.voting.vote(poll.id, viewer.vote_id) if viewer.vote_id else None
        if vote is None and self.voting.vote_of(poll, viewer.voter) is None:
            return False
        with self.lock:
            self.voted[who] = None
            while len(self.voted) > KNOWN:
                self.voted.popitem(last=False)
        return True

    def _counts(self, poll: Poll, tally: Tally) -> Counts | None:
        """Counted once for as many as look at the same votes; None if they are on other options."""
        basis = (poll.candidates, tally.lines)
        with self.lock:
            known = self.made.get(poll.id)
        if known is not None and known[0] == basis:
            return known[1]
        # Until somebody has voted, options change; and a poll may be deleted while it is read.
        if self.desk.poll(poll.id).candidates != poll.candidates:
            return None
        counts = counts_of(poll.id, poll.candidates, tally)
        with self.lock:
            self.made[poll.id] = (basis, counts)
            self.made.move_to_end(poll.id)
            while len(self.made) > KEPT:
                self.made.popitem(last=False)
        return counts
