"""Deleting a poll with all that belongs to it, piece by piece; broken off, it is taken up again."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from singletable import ConditionFailed, Selection, key_of
from singletable_apps.polls.entities import Lane, Line, Made, Poll, Snapshot, SnapshotPart, Vote
from singletable_apps.polls.errors import Busy
from singletable_apps.polls.rules import gone
from singletable_apps.polls.service.desk import LOST, Basis, Desk, any_basis
from singletable_apps.polls.service.lanes import bring_all_along

E = TypeVar("E")
TRIES = 10
# So many are read before they are deleted: however many votes there are, they are never all held.
TOGETHER = 1_000


@dataclass(frozen=True, slots=True)
class Deleting:
    """How polls go."""

    desk: Desk

    def delete(self, poll_id: str, admin_key: str, *, basis: Basis = any_basis) -> None:
        """Delete the poll and every vote in it; from the first moment on nobody sees it."""
        store = self.desk.store
        poll = self._marked(poll_id, admin_key, basis)
        # A vote on its way is in by now, or finds its lane closed.
        bring_all_along(store, poll)
        self._drop_all(Vote.key.partition(poll_id))
        for lane in range(poll.lanes):
            self._drop_all(Line.key.partition(poll_id, lane))
        # A batch, even of one, is sent again by itself if its answer is lost.
        store.delete_many(Lane.key(poll_id, lane) for lane in range(poll.lanes))
        store.delete_many([Snapshot.key(poll_id)])
        self._drop_all(SnapshotPart.key.partition(poll_id))
        if poll.maker is not None:
            store.delete_many([Made.key(poll.maker, poll.created_at, poll_id)])
        store.delete_many([Poll.key(poll_id)])

    def _marked(self, poll_id: str, admin_key: str, basis: Basis) -> Poll:
        """The poll, marked as deleted by us or by whoever was broken off."""
        for _ in range(TRIES):
            poll = self.desk.found(poll_id)
            if poll is None:
                raise gone(poll_id)
            self.desk.check_secret(poll)
            self.desk.check_admin(poll_id, admin_key)
            if poll.deleted:
                return poll
            basis(poll.revision)
            try:
                return self.desk.store.update(
                    Poll.key(poll_id),
                    Poll.deleted.set(True),
                    Poll.closed.set(True),
                    Poll.edition.set(poll.edition + 1),
                    if_=Poll.revision == poll.revision,
                )
            except (ConditionFailed, *LOST):
                continue
        raise Busy(f"The poll '{poll_id}' was changed by others all the time. Ask again.")

    def _drop_all(self, selection: Selection[E]) -> None:
        store = self.desk.store
        found: Iterable[E] = store.query(selection, consistent=True)
        while some := list(islice(found, TOGETHER)):
            store.delete_many(key_of(item) for item in some)
