"""Results without reading every vote: the last snapshot, and the lines that came after it.

A process keeps what it has read, so that all who look at a poll there share one reading; and the
table keeps a snapshot, so that a new process begins there. The recount reads every vote, and
proves that both say the same.
"""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from dataclasses import dataclass, field

from singletable import SingleTableError
from singletable_apps.polls.entities import Line, Poll, Snapshot, Vote
from singletable_apps.polls.errors import Busy
from singletable_apps.polls.service.desk import Desk
from singletable_apps.polls.service.lanes import bring_all_along
from singletable_apps.polls.service.snapshots import Snapshots
from singletable_apps.polls.tally import (
    Tally,
    brought_forward,
    is_worth_keeping,
    nothing,
    order_of,
)

KEPT = 1_000
TRIES = 5


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

    desk: Desk
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
                bring_all_along(self.desk.store, poll)
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
            votes = self.desk.store.query(Vote.key.partition(poll.id), consistent=True)
            ranked = Counter(tuple(vote.rankings) for vote in votes)
            after = self.tally(poll)
            # Options may change until somebody votes.
            poll, asked = self.desk.poll(poll.id), poll
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
            while len(self.known) > KEPT:
                self.known.popitem(last=False)
            return found

    def _forward(self, poll: Poll, tally: Tally) -> Tally:
        new = [
            self.desk.store.query(Line.key.partition(poll.id, lane).gt(number), consistent=True)
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
