"""Results without reading every vote: the last snapshot, and the lines that came after it.

A process keeps what it has read, so that all who look at a poll there share one reading; and the
table keeps a snapshot, so that a new process begins there. The recount reads every vote, and
proves that both say the same.
"""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from dataclasses import dataclass, field
from uuid import uuid4

from singletable import ConditionFailed, SingleTableError
from singletable_apps.polls import patterns
from singletable_apps.polls.entities import Line, Poll, Snapshot, SnapshotPart, Vote
from singletable_apps.polls.errors import Busy
from singletable_apps.polls.service.desk import Desk
from singletable_apps.polls.service.lanes import bring_all_along
from singletable_apps.polls.tally import (
    Tally,
    brought_forward,
    is_worth_keeping,
    nothing,
    order_of,
    parts_of,
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
                known.snapshot, known.tally = self._snapshot(poll)
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

    def _snapshot(self, poll: Poll) -> tuple[Snapshot | None, Tally]:
        """The last snapshot in the table, whole."""
        for _ in range(TRIES):
            head = self.desk.store.get(Snapshot.key(poll.id), consistent=True)
            if head is None:
                return None, nothing(poll.lanes)
            addresses = [SnapshotPart.key(poll.id, head.name, part) for part in range(head.parts)]
            parts = self.desk.store.get_many(addresses, consistent=True)
            if all(part is not None for part in parts):
                counts = {
                    order: count
                    for part in parts
                    if part is not None
                    for order, count in part.counts.items()
                }
                return head, Tally(tuple(head.lines), counts)
            # Another has put a new one in its place, and dropped these parts.
        # They are lost; the lines are all there, and make a new one.
        return head, nothing(poll.lanes)

    def _keep(self, poll: Poll, known: _Known, tally: Tally) -> None:
        """Put a snapshot into the table, unless another process was faster.

        Whoever looks at the results has them already: if this fails, the next one tries again.
        """
        old, store = known.snapshot, self.desk.store
        parts = list(parts_of(tally))
        new = Snapshot(poll_id=poll.id, name=uuid4().hex, parts=len(parts), lines=list(tally.lines))
        if old is not None:
            new.revision = old.revision
        try:
            store.put_many(
                SnapshotPart(poll_id=poll.id, name=new.name, part=number, counts=counts)
                for number, counts in enumerate(parts)
            )
            known.snapshot = self._put(poll, new)
            if known.snapshot.name != new.name:
                self._drop(new)
            elif old is not None:
                self._drop(old)
        except SingleTableError:
            known.tally = None

    def _put(self, poll: Poll, new: Snapshot) -> Snapshot:
        """The snapshot that the table has then: the new one, or another's who was faster."""
        try:
            with self.desk.store.transaction(pattern=patterns.put_snapshot) as together:
                together.put(new)
                # Whoever deletes the poll looks for snapshots once.
                together.check(Poll.key(poll.id), Poll.deleted == False)  # noqa: E712
        except ConditionFailed as refusal:
            if isinstance(refusal.current, Snapshot):
                return refusal.current
            self._drop(new)
            raise
        return new

    def _drop(self, head: Snapshot) -> None:
        self.desk.store.delete_many(
            SnapshotPart.key(head.poll_id, head.name, part) for part in range(head.parts)
        )


def _kept(poll: Poll, snapshot: Snapshot | None) -> Tally:
    """How far the table has sums."""
    return nothing(poll.lanes) if snapshot is None else Tally(tuple(snapshot.lines), {})
