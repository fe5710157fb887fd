"""Making polls, finding one's own, and handing out codes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import uuid4

from singletable import AlreadyExists, ConditionFailed, Page
from singletable_apps.polls import patterns
from singletable_apps.polls.entities import Made, Poll, Vote
from singletable_apps.polls.errors import Busy, Invalid
from singletable_apps.polls.rules import Draft, checked, draft_like
from singletable_apps.polls.secret import MOST_CODES
from singletable_apps.polls.service.desk import LOST, Basis, Desk, any_basis
from singletable_apps.polls.service.lanes import new_lanes

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

    desk: Desk

    def make(self, draft: Draft, browser: str | None = None) -> Own:
        """A new poll; a browser that is named finds it among its own."""
        now = self.desk.clock()
        sound = checked(draft, now)
        maker = None if browser is None else self.desk.secret.browser(browser)
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
            secret=self.desk.secret.name,
        )
        try:
            with self.desk.store.transaction(pattern=patterns.make) as together:
                together.create(poll)
                for lane in new_lanes(poll):
                    together.create(lane)
                if maker is not None:
                    together.create(Made(browser=maker, poll_id=poll.id, created_at=now))
        except (AlreadyExists, *LOST):
            # Nobody else has the id: if it is there it is ours, whose answer was lost on the way.
            if self.desk.found(poll.id) is None:
                raise
            poll.revision = 1
        return Own(poll, self.desk.secret.admin_key(poll.id))

    def copy(self, poll_id: str, browser: str | None = None) -> Own:
        """A new poll that asks the same; it has no closing time if that is over."""
        return self.make(draft_like(self.desk.poll(poll_id), self.desk.clock()), browser)

    def issue_codes(
        self, poll_id: str, admin_key: str, count: int, *, basis: Basis = any_basis
    ) -> Sequence[str]:
        """So many one-time codes more; they are numbered, and can be shown again at any time.

        `basis` is told how many there are.
        """
        for _ in range(TRIES):
            poll = self.desk.managed(poll_id, admin_key)
            basis(poll.codes)
            after = poll.codes + count
            if count < 1 or after > MOST_CODES:
                raise Invalid({"count": _too_many(poll.codes)})
            try:
                # A transaction, since what is sent again must not issue twice as many.
                with self.desk.store.transaction(pattern=patterns.issue_codes) as together:
                    together.update(
                        Poll.key(poll_id),
                        Poll.codes.set(after),
                        if_=Poll.revision == poll.revision,
                    )
            except (ConditionFailed, *LOST):
                # Others changed the poll; or these may be issued, and nobody gets them.
                continue
            secret = self.desk.secret
            return [secret.code(poll_id, number) for number in range(poll.codes, after)]
        raise Busy(f"The poll '{poll_id}' was changed by others all the time. Ask again.")

    def codes(
        self, poll_id: str, admin_key: str, *, first: int = 0, size: int = MOST_CODES
    ) -> list[Code]:
        """The codes that were issued, and whether each was voted with; not what was voted."""
        poll = self.desk.managed(poll_id, admin_key)
        secret = self.desk.secret
        numbers = range(first, min(first + size, poll.codes))
        ids = [secret.vote_id(poll_id, "code", str(number)) for number in numbers]
        votes = self.desk.store.get_many([Vote.key(poll_id, one) for one in ids])
        return [
            Code(secret.code(poll_id, number), vote is not None)
            for number, vote in zip(numbers, votes, strict=True)
        ]

    def mine(self, browser: str, size: int, cursor: str | None = None) -> Page[Own]:
        """The polls that a browser has made, the newest first, a page at a time."""
        store = self.desk.store
        page = store.page(
            Made.key.partition(self.desk.secret.browser(browser)), size, cursor=cursor, reverse=True
        )
        found = store.get_many([Poll.key(one.poll_id) for one in page.items])
        own = [
            Own(poll, self.desk.secret.admin_key(poll.id))
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
