"""Snapshots: the sums of a poll in the table, so that nobody reads all lines again.

The parts are written first, under a name of their own; then the head that names them takes the
place of the one before, if nobody else was faster. Lines are never touched: a snapshot that is
lost costs time, and no vote.
"""

from __future__ import annotations

from dataclasses import dataclass
from uuid import uuid4

from singletable import ConditionFailed
from singletable_apps.polls import patterns
from singletable_apps.polls.entities import Poll, Snapshot, SnapshotPart
from singletable_apps.polls.service.desk import Desk
from singletable_apps.polls.tally import Tally, nothing, parts_of

TRIES = 5


@dataclass(frozen=True, slots=True)
class Snapshots:
    """Where sums are kept."""

    desk: Desk

    def read(self, poll: Poll) -> tuple[Snapshot | None, Tally]:
        """The last snapshot, and its sums, whole."""
        head: Snapshot | None = None
        for _ in range(TRIES):
            head = self.desk.store.get(Snapshot.key(poll.id), consistent=True)
            if head is None:
                break
            addresses = [SnapshotPart.key(poll.id, head.name, part) for part in range(head.parts)]
            parts = [one for one in self.desk.store.get_many(addresses, consistent=True) if one]
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
        self.desk.store.put_many(
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
            with self.desk.store.transaction(pattern=patterns.put_snapshot) as together:
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
        self.desk.store.delete_many(
            SnapshotPart.key(head.poll_id, head.name, part) for part in range(head.parts)
        )
