"""Who won, for those who may know."""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from dataclasses import dataclass, field
from uuid import uuid4

from singletable import ConditionFailed, SingleTableError
from singletable_apps.polls import patterns
from singletable_apps.polls.entities import Line, Poll, Results, Snapshot, SnapshotPart, Vote
from singletable_apps.polls.errors import Busy
from singletable_apps.polls.rules import check_visible, is_final
from singletable_apps.polls.service.context import Context
from singletable_apps.polls.service.voting import Voter, Voting, bring_all_along
from singletable_apps.polls.tally import (
    Counts,
    Tally,
    brought_forward,
    counts_of,
    is_worth_keeping,
    nothing,
    order_of,
    parts_of,
)

# Snapshots: the sums of a poll in the table, so that nobody reads all lines again.
#
# The parts are written first, under a name of their own; then the head that names them takes the
# place of the one before, if nobody else was faster. Lines are never touched: a snapshot that is
# lost costs time, and no vote.

TRIES = 5


@dataclass(frozen=True, slots=True)
class Snapshots:
    """Where sums are kept."""

    context: Context

    def read(self, poll: Poll) -> tuple[Snapshot | None, Tally]:
        """The last snapshot, and its sums, whole."""
        head: Snapshot | None = None
        for _ in range(TRIES):
            head = self.context.store.get(Snapshot.key(poll.id), consistent=True)
            if head is None:
                break
            addresses = [SnapshotPart.key(poll.id, head.name, part) for part in range(head.parts)]
            parts = [one for one in self.context.store.get_many(addresses, consistent=True) if one]
            if len(parts) == head.parts:
                counts = {order: many for part in parts for order, many in part.counts.items()}
                return head, Tally(tuple(head.lines), counts)
            # Another has put a new one in its place, and dropped these parts.
        if head is not None:
            head.lines = [0] * poll.lanes  # its parts are lost, and all lines must be read
        return head, nothing(poll.lanes)

    def keep(self, poll: Poll, old: Snapshot | None, tally: Tally) -> Snapshot:
        """Put a new one in place of the old; gives the one that is there then."""
        parts = list(parts_of(tally))
        new = Snapshot(poll_id=poll.id, name=uuid4().hex, parts=len(parts), lines=list(tally.lines))
        if old is not None:
            new.revision = old.revision
        self.context.store.put_many(
            SnapshotPart(poll_id=poll.id, name=new.name, part=number, counts=counts)
            for number, counts in enumerate(parts)
        )
        there = self._put(poll, new)
        if there.name != new.name:
            self._drop(new)
        elif old is not None:
            self._drop(old)
        return there

    def _put(self, poll: Poll, new: Snapshot) -> Snapshot:
        try:
            with self.context.store.transaction(pattern=patterns.put_snapshot) as together:
                together.put(new)
                # Whoever deletes the poll looks for snapshots once.
                together.check(Poll.key(poll.id), Poll.deleted == False)  # noqa: E712
        except ConditionFailed as refusal:
            if isinstance(refusal.current, Snapshot):
                return refusal.current  # another was faster; or it is ours, whose answer was lost
            self._drop(new)
            raise
        return new

    def _drop(self, head: Snapshot) -> None:
        self.context.store.delete_many(
            SnapshotPart.key(head.poll_id, head.name, part) for part in range(head.parts)
        )


# Results without reading every vote: the last snapshot, and the lines that came after it.
#
# A process keeps what it has read, so that all who look at a poll there share one reading; and the
# table keeps a snapshot, so that a new process begins there. The recount reads every vote, and
# proves that both say the same.

CACHED_TALLIES = 1_000


@dataclass(frozen=True, slots=True)
class Recount:
    """What all votes say, beside what the lines say."""

    votes: int
    by_votes: Tally
    by_lines: Tally

    @property
    def agrees(self) -> bool:
        """Whether both say the same."""
        return self.by_votes.counts == self.by_lines.counts


@dataclass(slots=True)
class _Known:
    """What is known of a poll in this process: its tally, and what the table has of it.

    Readings are numbered: the last that was begun, and the last that came to an end. `closed_in` is
    the edition in which every lane was seen closed.
    """

    turn: threading.Lock = field(default_factory=threading.Lock)
    begun: int = 0
    done: int = 0
    tally: Tally | None = None
    snapshot: Snapshot | None = None
    closed_in: int = 0


@dataclass(frozen=True, slots=True)
class Counting:
    """How polls stand."""

    context: Context
    snapshots: Snapshots
    known: OrderedDict[str, _Known] = field(default_factory=OrderedDict[str, _Known])
    lock: threading.Lock = field(default_factory=threading.Lock)

    def tally(self, poll: Poll) -> Tally:
        """How the poll stands: every vote that was answered before this was asked is in it."""
        known = self._known(poll.id)
        asked = known.begun
        with known.turn:
            closes = poll.closed and known.closed_in < poll.edition
            if known.tally is not None and known.done > asked and not closes:
                return known.tally  # read by another, who began after this was asked
            known.begun = begun = known.begun + 1
            if closes:
                # Whoever closed it may have been broken off before every lane followed.
                bring_all_along(self.context.store, poll)
                known.closed_in = poll.edition
            if known.tally is None:
                known.snapshot, known.tally = self.snapshots.read(poll)
            known.tally = tally = self._forward(poll, known.tally)
            known.done = begun
            if is_worth_keeping(_kept(poll, known.snapshot), tally):
                self._keep(poll, known, tally)
            return tally

    def recount(self, poll: Poll) -> Recount:
        """Every vote, counted one by one; and again, if some came while it was done."""
        for _ in range(TRIES):
            before = self.tally(poll)
            votes = self.context.store.query(Vote.key.partition(poll.id), consistent=True)
            ranked = Counter(tuple(vote.rankings) for vote in votes)
            after = self.tally(poll)
            # Options may change until somebody votes.
            poll, asked = self.context.poll(poll.id), poll
            if before.lines == after.lines and poll.candidates == asked.candidates:
                counts = {order_of(poll.candidates, one): count for one, count in ranked.items()}
                return Recount(ranked.total(), Tally(after.lines, counts), after)
        raise Busy(
            f"Votes came in '{poll.title}' all the while it was recounted, {TRIES} times. Close "
            "it, or recount when it is calm."
        )

    def _known(self, poll_id: str) -> _Known:
        with self.lock:
            found = self.known.setdefault(poll_id, _Known())
            self.known.move_to_end(poll_id)
            while len(self.known) > CACHED_TALLIES:
                self.known.popitem(last=False)
            return found

    def _forward(self, poll: Poll, tally: Tally) -> Tally:
        new = [
            self.context.store.query(Line.key.partition(poll.id, lane).gt(number), consistent=True)
            for lane, number in enumerate(tally.lines)
        ]
        return brought_forward(tally, new)

    def _keep(self, poll: Poll, known: _Known, tally: Tally) -> None:
        """Keep a snapshot. Who looks at the results has them: if this fails, the next one tries."""
        try:
            known.snapshot = self.snapshots.keep(poll, known.snapshot, tally)
        except SingleTableError:
            known.tally = None


def _kept(poll: Poll, snapshot: Snapshot | None) -> Tally:
    """How far the table has sums."""
    return nothing(poll.lanes) if snapshot is None else Tally(tuple(snapshot.lines), {})


KEPT = 100
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

    context: Context
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
        poll = self.context.poll(poll_id)
        self.check(poll, viewer)
        return self.of(poll)

    def of(self, poll: Poll) -> Outcome:
        """How a poll stands, for whoever has been checked."""
        for _ in range(TRIES):
            # Asked before the votes are: those that come in between are in it, and more may follow.
            final = is_final(poll, self.context.clock())
            tally = self.counting.tally(poll)
            counts = self._counts(poll, tally)
            if counts is not None:
                return Outcome(poll, tally, counts, final)
            poll = self.context.poll(poll.id)
        raise Busy(f"The options of '{poll.title}' were changed all the time. Look again.")

    def check(self, poll: Poll, viewer: Viewer) -> None:
        """Raise Hidden unless whoever asks may know how the poll stands."""
        admin = viewer.admin_key is not None and self.context.secret.is_admin(
            poll.id, viewer.admin_key
        )
        now = self.context.clock()
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
        if self.context.poll(poll.id).candidates != poll.candidates:
            return None
        counts = counts_of(poll.id, poll.candidates, tally)
        with self.lock:
            self.made[poll.id] = (basis, counts)
            self.made.move_to_end(poll.id)
            while len(self.made) > KEPT:
                self.made.popitem(last=False)
        return counts
