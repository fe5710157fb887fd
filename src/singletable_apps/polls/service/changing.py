"""Changing a poll, and closing it: what its admin key is for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from singletable import ConditionFailed
from singletable_apps.polls import patterns
from singletable_apps.polls.entities import Lane, Poll
from singletable_apps.polls.errors import Busy
from singletable_apps.polls.rules import Draft, checked, draft_of, is_other_question, settled
from singletable_apps.polls.service.desk import LOST, Basis, Desk, any_basis
from singletable_apps.polls.service.lanes import bring_all_along

TRIES = 10


@dataclass(frozen=True, slots=True)
class Changing:
    """How a poll becomes another, and ends."""

    desk: Desk

    def change(
        self,
        poll_id: str,
        admin_key: str,
        wanted: Callable[[Draft], Draft],
        *,
        basis: Basis = any_basis,
    ) -> Poll:
        """The poll with some things different. A closing time in the future opens it again."""
        for attempt in range(TRIES):
            poll = self.desk.managed(poll_id, admin_key)
            draft = checked(wanted(draft_of(poll)), self.desk.clock(), kept=poll.expires_at)
            is_so = draft == draft_of(poll)
            if not (is_so and attempt):  # it may be so by our own doing, whose answer was lost
                basis(poll.revision)
            if is_so:
                bring_all_along(self.desk.store, poll)
                return poll
            try:
                return self._write(poll, draft)
            except (ConditionFailed, *LOST):  # somebody else changed it meanwhile: decide anew
                continue
        raise Busy(f"The poll '{poll_id}' was changed by others all the time. Ask again.")

    def close(self, poll_id: str, admin_key: str, *, basis: Basis = any_basis) -> Poll:
        """Take no more votes: when this returns, none is counted that comes later."""
        for _ in range(TRIES):
            poll = self.desk.managed(poll_id, admin_key)
            if poll.closed:
                bring_all_along(self.desk.store, poll)
                return poll
            basis(poll.revision)
            now = self.desk.clock()
            ends = now if poll.expires_at is None else min(now, poll.expires_at)
            try:
                closed = self.desk.store.update(
                    Poll.key(poll_id),
                    Poll.closed.set(True),
                    Poll.expires_at.set(ends),
                    Poll.edition.set(poll.edition + 1),
                    if_=Poll.revision == poll.revision,
                )
            except (ConditionFailed, *LOST):
                continue
            bring_all_along(self.desk.store, closed)
            return closed
        raise Busy(f"The poll '{poll_id}' was changed by others all the time. Ask again.")

    def _write(self, poll: Poll, draft: Draft) -> Poll:
        words = [
            Poll.title.set(draft.title),
            Poll.description.set(draft.description),
            Poll.results.set(draft.results),
        ]
        unchanged = Poll.revision == poll.revision
        store = self.desk.store
        if is_other_question(poll, draft):
            return self._ask_anew(poll, draft)
        opened = draft.expires_at != poll.expires_at
        if not opened and draft.changeable == poll.changeable:
            return store.update(Poll.key(poll.id), *words, if_=unchanged)
        changed = store.update(
            Poll.key(poll.id),
            *words,
            Poll.changeable.set(draft.changeable),
            Poll.expires_at.set(draft.expires_at),
            Poll.closed.set(poll.closed and not opened),
            Poll.edition.set(poll.edition + 1),
            if_=unchanged,
        )
        bring_all_along(store, changed)
        return changed

    def _ask_anew(self, poll: Poll, draft: Draft) -> Poll:
        """Other options: only if no lane has a line, which the same transaction makes sure of."""
        edition = poll.edition + 1
        opened = draft.expires_at != poll.expires_at
        try:
            with self.desk.store.transaction(pattern=patterns.ask_anew) as together:
                together.update(
                    Poll.key(poll.id),
                    Poll.title.set(draft.title),
                    Poll.description.set(draft.description),
                    Poll.candidates.set(list(draft.candidates)),
                    Poll.results.set(draft.results),
                    Poll.protection.set(draft.protection),
                    Poll.changeable.set(draft.changeable),
                    Poll.expires_at.set(draft.expires_at),
                    Poll.closed.set(poll.closed and not opened),
                    Poll.edition.set(edition),
                    if_=Poll.revision == poll.revision,
                )
                for number in range(poll.lanes):
                    together.update(
                        Lane.key(poll.id, number),
                        Lane.edition.set(edition),
                        if_=Lane.lines == 0,
                    )
        except ConditionFailed as refusal:
            if isinstance(refusal.current, Lane):
                raise settled(poll) from refusal
            raise
        return self.desk.poll(poll.id)
