"""Deleting a poll with all that belongs to it, piece by piece; broken off, it is taken up again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from singletable import Selection, address_of
from singletable_apps.polls.entities import Lane, Line, Made, Poll, Snapshot, SnapshotPart, Vote
from singletable_apps.polls.rules import gone
from singletable_apps.polls.service.desk import Basis, Desk, any_basis
from singletable_apps.polls.service.lanes import bring_all_along

E = TypeVar("E")
# So many are read before they are deleted: however many votes there are, they are never all held.
TOGETHER = 1_000


@dataclass(frozen=True, slots=True)
class Deleting:
    """How polls go."""

    desk: Desk

    def delete(self, poll_id: str, admin_key: str, *, basis: Basis = any_basis) -> None:
        """Delete the poll and every vote in it; from the first moment on nobody sees it."""
        store = self.desk.store
        poll = store.get(Poll.key(poll_id), consistent=True) if poll_id else None
        if poll is None:
            raise gone(poll_id)
        self.desk.check_secret(poll)
        self.desk.check_admin(poll_id, admin_key)
        if not poll.deleted:
            basis(poll.revision)
            poll = store.update(
                Poll.key(poll_id),
                Poll.deleted.set(True),
                Poll.closed.set(True),
                Poll.edition.add(1),
            )
        # A vote on its way is in by now, or finds its lane closed.
        bring_all_along(store, poll)
        self._drop_all(Vote.key.partition(poll_id))
        for lane in range(poll.lanes):
            self._drop_all(Line.key.partition(poll_id, lane))
            store.delete(Lane.key(poll_id, lane))
        self._drop_all(SnapshotPart.key.partition(poll_id))
        store.delete(Snapshot.key(poll_id))
        if poll.maker is not None:
            store.delete(Made.key(poll.maker, poll.created_at, poll_id))
        store.delete(Poll.key(poll_id))

    def _drop_all(self, selection: Selection[E]) -> None:
        store = self.desk.store
        found: Iterable[E] = store.query(selection, consistent=True)
        while some := list(islice(found, TOGETHER)):
            store.delete_many(address_of(item) for item in some)
