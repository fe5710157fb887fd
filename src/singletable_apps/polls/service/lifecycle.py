"""Making polls, finding one's own, and handing out codes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar
from uuid import uuid4

from singletable import AlreadyExists, ConditionFailed, Page, Selection, key_of
from singletable_apps.polls import patterns
from singletable_apps.polls.entities import Lane, Line, Made, Poll, Snapshot, SnapshotPart, Vote
from singletable_apps.polls.errors import Busy, Invalid
from singletable_apps.polls.rules import (
    Draft,
    checked,
    draft_like,
    draft_of,
    gone,
    is_other_question,
    settled,
)
from singletable_apps.polls.service.context import LOST, Context, RevisionCheck, any_revision
from singletable_apps.polls.service.voting import bring_all_along, new_lanes
from singletable_apps.polls.tokens import MOST_CODES

# Eight at a time may vote in a poll; more take turns.
LANES = 8
TRIES = 10


@dataclass(frozen=True, slots=True)
class Own:
    """A poll, and the key that manages it."""

    poll: Poll
    admin_key: str


@dataclass(frozen=True, slots=True)
class Code:
    """A one-time code, and whether somebody has voted with it."""

    code: str
    is_used: bool


@dataclass(frozen=True, slots=True)
class Making:
    """How polls come to be, and to those who are to vote."""

    context: Context

    def make(self, draft: Draft, browser: str | None = None) -> Own:
        """A new poll; a browser that is named finds it among its own."""
        now = self.context.clock()
        sound = checked(draft, now)
        maker = None if browser is None else self.context.secret.browser(browser)
        poll = Poll(
            id=str(uuid4()),
            title=sound.title,
            description=sound.description,
            candidates=list(sound.candidates),
            created_at=now,
            expires_at=sound.expires_at,
            results=sound.results,
            protection=sound.protection,
            changeable=sound.changeable,
            lanes=LANES,
            maker=maker,
            secret=self.context.secret.name,
        )
        try:
            with self.context.store.transaction(pattern=patterns.make) as together:
                together.create(poll)
                for lane in new_lanes(poll):
                    together.create(lane)
                if maker is not None:
                    together.create(Made(browser=maker, poll_id=poll.id, created_at=now))
        except (AlreadyExists, *LOST):
            # Nobody else has the id: if it is there it is ours, whose answer was lost on the way.
            if self.context.found(poll.id) is None:
                raise
            poll.revision = 1
        return Own(poll, self.context.secret.admin_key(poll.id))

    def copy(self, poll_id: str, browser: str | None = None) -> Own:
        """A new poll that asks the same; it has no closing time if that is over."""
        return self.make(draft_like(self.context.poll(poll_id), self.context.clock()), browser)

    def issue_codes(
        self, poll_id: str, admin_key: str, count: int, *, basis: RevisionCheck = any_revision
    ) -> Sequence[str]:
        """So many one-time codes more; they are numbered, and can be shown again at any time.

        `basis` is told how many there are.
        """
        for _ in range(TRIES):
            poll = self.context.managed(poll_id, admin_key)
            basis(poll.codes)
            after = poll.codes + count
            if count < 1 or after > MOST_CODES:
                raise Invalid({"count": _too_many(poll.codes)})
            try:
                # A transaction, since what is sent again must not issue twice as many.
                with self.context.store.transaction(pattern=patterns.issue_codes) as together:
                    together.update(
                        Poll.key(poll_id),
                        Poll.codes.set(after),
                        if_=Poll.revision == poll.revision,
                    )
            except (ConditionFailed, *LOST):
                # Others changed the poll; or these may be issued, and nobody gets them.
                continue
            secret = self.context.secret
            return [secret.code(poll_id, number) for number in range(poll.codes, after)]
        raise Busy(f"The poll '{poll_id}' was changed by others all the time. Ask again.")

    def codes(
        self, poll_id: str, admin_key: str, *, first: int = 0, size: int = MOST_CODES
    ) -> list[Code]:
        """The codes that were issued, and whether each was voted with; not what was voted."""
        poll = self.context.managed(poll_id, admin_key)
        secret = self.context.secret
        numbers = range(first, min(first + size, poll.codes))
        ids = [secret.vote_id(poll_id, "code", str(number)) for number in numbers]
        votes = self.context.store.get_many([Vote.key(poll_id, one) for one in ids])
        return [
            Code(secret.code(poll_id, number), vote is not None)
            for number, vote in zip(numbers, votes, strict=True)
        ]

    def mine(self, browser: str, size: int, cursor: str | None = None) -> Page[Own]:
        """The polls that a browser has made, the newest first, a page at a time."""
        store = self.context.store
        page = store.page(
            Made.key.partition(self.context.secret.browser(browser)),
            size,
            cursor=cursor,
            reverse=True,
        )
        found = store.get_many([Poll.key(one.poll_id) for one in page.items])
        own = [
            Own(poll, self.context.secret.admin_key(poll.id))
            for poll in found
            if poll is not None and not poll.deleted
        ]
        return Page(own, page.cursor)


def _too_many(issued: int) -> str:
    if issued == MOST_CODES:
        return f"A poll has at most {MOST_CODES:,} codes, and this one has them all."
    return (
        f"A poll has at most {MOST_CODES:,} codes, and this one has {issued:,}. Ask for 1 to "
        f"{MOST_CODES - issued:,} more."
    )


@dataclass(frozen=True, slots=True)
class Changing:
    """How a poll becomes another, and ends."""

    context: Context

    def change(
        self,
        poll_id: str,
        admin_key: str,
        wanted: Callable[[Draft], Draft],
        *,
        basis: RevisionCheck = any_revision,
    ) -> Poll:
        """The poll with some things different. A closing time in the future opens it again."""
        for attempt in range(TRIES):
            poll = self.context.managed(poll_id, admin_key)
            draft = checked(wanted(draft_of(poll)), self.context.clock(), kept=poll.expires_at)
            is_so = draft == draft_of(poll)
            if not (is_so and attempt):  # it may be so by our own doing, whose answer was lost
                basis(poll.revision)
            if is_so:
                bring_all_along(self.context.store, poll)
                return poll
            try:
                return self._write(poll, draft)
            except (ConditionFailed, *LOST):  # somebody else changed it meanwhile: decide anew
                continue
        raise Busy(f"The poll '{poll_id}' was changed by others all the time. Ask again.")

    def close(self, poll_id: str, admin_key: str, *, basis: RevisionCheck = any_revision) -> Poll:
        """Take no more votes: when this returns, none is counted that comes later."""
        for _ in range(TRIES):
            poll = self.context.managed(poll_id, admin_key)
            if poll.closed:
                bring_all_along(self.context.store, poll)
                return poll
            basis(poll.revision)
            now = self.context.clock()
            ends = now if poll.expires_at is None else min(now, poll.expires_at)
            try:
                closed = self.context.store.update(
                    Poll.key(poll_id),
                    Poll.closed.set(True),
                    Poll.expires_at.set(ends),
                    Poll.edition.set(poll.edition + 1),
                    if_=Poll.revision == poll.revision,
                )
            except (ConditionFailed, *LOST):
                continue
            bring_all_along(self.context.store, closed)
            return closed
        raise Busy(f"The poll '{poll_id}' was changed by others all the time. Ask again.")

    def _write(self, poll: Poll, draft: Draft) -> Poll:
        words = [
            Poll.title.set(draft.title),
            Poll.description.set(draft.description),
            Poll.results.set(draft.results),
        ]
        unchanged = Poll.revision == poll.revision
        store = self.context.store
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
            with self.context.store.transaction(pattern=patterns.ask_anew) as together:
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
        return self.context.poll(poll.id)


E = TypeVar("E")
# So many are read before they are deleted: however many votes there are, they are never all held.
TOGETHER = 1_000


@dataclass(frozen=True, slots=True)
class Deleting:
    """How polls go."""

    context: Context

    def delete(self, poll_id: str, admin_key: str, *, basis: RevisionCheck = any_revision) -> None:
        """Delete the poll and every vote in it; from the first moment on nobody sees it."""
        store = self.context.store
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

    def _marked(self, poll_id: str, admin_key: str, basis: RevisionCheck) -> Poll:
        """The poll, marked as deleted by us or by whoever was broken off."""
        for _ in range(TRIES):
            poll = self.context.found(poll_id)
            if poll is None:
                raise gone(poll_id)
            self.context.check_secret(poll)
            self.context.check_admin(poll_id, admin_key)
            if poll.deleted:
                return poll
            basis(poll.revision)
            try:
                return self.context.store.update(
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
        store = self.context.store
        found: Iterable[E] = store.query(selection, consistent=True)
        while some := list(islice(found, TOGETHER)):
            store.delete_many(key_of(item) for item in some)
