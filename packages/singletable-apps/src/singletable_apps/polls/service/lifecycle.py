"""Create, edit, close and delete polls, and issue their voting codes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeVar

from singletable import AlreadyExists, ConditionFailed, Page, Selection, key_of, retry_conflicts
from singletable_apps.polls import patterns
from singletable_apps.polls.entities import CreatedPoll, Poll, Snapshot, VotingLane
from singletable_apps.polls.errors import Busy, InvalidInput
from singletable_apps.polls.rules import (
    PollDraft,
    changes_ballot,
    check_draft,
    check_reopening,
    draft_from,
    poll_has_votes,
    poll_not_found,
)
from singletable_apps.polls.service.context import (
    MAX_ATTEMPTS,
    Context,
    retry_edits,
)
from singletable_apps.polls.service.notices import CLOSED, Notices, check_email
from singletable_apps.polls.service.options import Pictures
from singletable_apps.polls.service.voting import new_lanes, update_lanes
from singletable_apps.polls.tokens import MAX_CODES, new_poll_id
from singletable_apps.shared.service import UNKNOWN_OUTCOME, RevisionCheck, any_revision

E = TypeVar("E")
# Eight votes at a time can be written to a poll without waiting for each other.
LANES = 8
# Items are read and deleted in batches, so that a large poll is never in memory as a whole.
DELETE_BATCH = 1_000


@dataclass(frozen=True, slots=True)
class ManagedPoll:
    """A poll with its admin key."""

    poll: Poll
    admin_key: str


class _IdTaken(Exception):
    """Another poll has the id of a new one."""


@dataclass(frozen=True, slots=True)
class PollLifecycle:
    """Create, list, edit, close and delete polls."""

    context: Context
    notices: Notices
    pictures: Pictures

    def create(
        self, draft: PollDraft, browser: str | None = None, *, email: str = "", source: str = ""
    ) -> ManagedPoll:
        """Create a poll and add it to the polls of the browser, if one is given.

        Notices go to `email` once its owner has confirmed it. Pictures of options are copied from
        the poll with the id `source`.
        """
        if email:
            check_email(email)
        now = self.context.clock()
        creator = None if browser is None else self.context.secret.browser_id(browser)
        draft = check_draft(draft, now)

        @retry_conflicts(
            attempts=MAX_ATTEMPTS,
            also=[_IdTaken],
            otherwise=lambda: Busy("All ids that we tried are taken. Try again."),
        )
        def write() -> Poll:
            return self._create(
                Poll(
                    id=new_poll_id(),
                    title=draft.title,
                    description=draft.description,
                    candidates=list(draft.candidates),
                    created_at=now,
                    expires_at=draft.expires_at,
                    settings=draft.settings,
                    creator=creator,
                    email=email or None,
                    lanes=LANES,
                    secret=self.context.secret.fingerprint,
                )
            )

        poll = write()
        self.notices.ask(poll)
        poll = self.pictures.copy(source, poll)
        return ManagedPoll(poll, self.context.secret.admin_key(poll.id))

    def _create(self, poll: Poll) -> Poll:
        """Write a new poll and return it; raise _IdTaken if another poll has its id."""
        try:
            with self.context.store.transaction(pattern=patterns.create_poll) as transaction:
                transaction.create(poll)
                for lane in new_lanes(poll):
                    transaction.create(lane)
                if poll.creator is not None:
                    transaction.create(
                        CreatedPoll(
                            browser=poll.creator, poll_id=poll.id, created_at=poll.created_at
                        )
                    )
        except (AlreadyExists, *UNKNOWN_OUTCOME):
            stored = self.context.find_poll(poll.id)
            if stored is None:
                raise
            # The response was lost, unless another poll has the same id.
            mine = (poll.created_at, poll.creator, poll.title)
            if (stored.created_at, stored.creator, stored.title) != mine:
                raise _IdTaken from None
            poll.revision = 1
        return poll

    def list_created(self, browser: str, size: int, cursor: str | None = None) -> Page[ManagedPoll]:
        """Return a page of the polls that were created in a browser, newest first."""
        store = self.context.store
        page = store.page(
            patterns.polls_of_browser(self.context.secret.browser_id(browser)),
            size,
            cursor=cursor,
            reverse=True,
        )
        polls = store.get_many([patterns.poll_by_id(created.poll_id) for created in page.items])
        managed = [
            ManagedPoll(poll, self.context.secret.admin_key(poll.id))
            for poll in polls
            if poll is not None and not poll.deleted
        ]
        return Page(managed, page.cursor)

    def edit(
        self,
        poll_id: str,
        admin_key: str,
        change: Callable[[PollDraft], PollDraft],
        *,
        check: RevisionCheck = any_revision,
    ) -> Poll:
        """Apply `change` to the poll. A new closing time in the future reopens it."""
        is_first = True

        @retry_edits
        def write() -> Poll:
            nonlocal is_first
            poll = self.context.get_managed_poll(poll_id, admin_key)
            current = draft_from(poll)
            draft = check_draft(
                change(current), self.context.clock(), unchanged_time=poll.expires_at
            )
            # From the second attempt on, this call itself may have made the change.
            if draft != current or is_first:
                check(poll.revision)
            is_first = False
            if draft.expires_at != poll.expires_at:
                check_reopening(poll, self.context.clock())
            if draft != current:
                return self._write(poll, draft)
            update_lanes(self.context.store, poll)
            return poll

        return write()

    @retry_edits
    def close(self, poll_id: str, admin_key: str, *, check: RevisionCheck = any_revision) -> Poll:
        """Close the poll. When this returns, no later vote is counted."""
        poll = self.context.get_managed_poll(poll_id, admin_key)
        if not poll.closed:
            check(poll.revision)
            now = self.context.clock()
            closes_at = now if poll.expires_at is None else min(now, poll.expires_at)
            poll = self.context.store.update(
                Poll.key(poll_id),
                Poll.closed.set(True),
                Poll.expires_at.set(closes_at),
                Poll.edition.set(poll.edition + 1),
                if_=Poll.revision == poll.revision,
            )
        update_lanes(self.context.store, poll)
        self.notices.notify(poll, CLOSED)
        return poll

    def delete(self, poll_id: str, admin_key: str, *, check: RevisionCheck = any_revision) -> None:
        """Delete the poll and its votes. If it is interrupted, call it again."""
        store = self.context.store
        poll = self._mark_deleted(poll_id, admin_key, check)
        # After this, votes in flight are either written or rejected by their lane.
        update_lanes(store, poll)
        self._delete_all(patterns.all_votes(poll_id))
        for lane in range(poll.lanes):
            self._delete_all(patterns.entries_of_lane(poll_id, lane))
        # Batches, even of one item, are retried if their response is lost.
        store.delete_many(VotingLane.key(poll_id, lane) for lane in range(poll.lanes))
        store.delete_many([Snapshot.key(poll_id)])
        self._delete_all(patterns.snapshot_parts(poll_id))
        self._delete_all(patterns.comments_of_poll(poll_id))
        self._delete_all(patterns.pictures_of_poll(poll_id))
        if poll.creator is not None:
            store.delete_many([CreatedPoll.key(poll.creator, poll.created_at, poll_id)])
        store.delete_many([Poll.key(poll_id)])

    def _write(self, poll: Poll, draft: PollDraft) -> Poll:
        store = self.context.store
        is_unchanged = Poll.revision == poll.revision
        reopens, has_new_ballot = draft.expires_at != poll.expires_at, changes_ballot(poll, draft)
        settings = draft.settings
        is_new = has_new_ballot or reopens or settings.changeable != poll.settings.changeable
        edition = poll.edition + is_new
        if not has_new_ballot:
            settings = settings.model_copy(update={"zone": poll.settings.zone})
        fields = [
            Poll.title.set(draft.title),
            Poll.description.set(draft.description),
            Poll.candidates.set(list(draft.candidates)),
            Poll.expires_at.set(draft.expires_at),
            Poll.settings.set(settings),
            Poll.closed.set(poll.closed and not reopens),
            Poll.edition.set(edition),
        ]
        if not has_new_ballot:
            edited = store.update(Poll.key(poll.id), *fields, if_=is_unchanged)
            if is_new:
                update_lanes(store, edited)
            return edited
        fields.append(Poll.numbers.set([]))
        try:
            # In one transaction with the lanes, so that no vote can come in between.
            with store.transaction(pattern=patterns.edit_options) as transaction:
                transaction.update(Poll.key(poll.id), *fields, if_=is_unchanged)
                for number in range(poll.lanes):
                    transaction.update(
                        VotingLane.key(poll.id, number),
                        VotingLane.edition.set(edition),
                        if_=VotingLane.entries == 0,
                    )
        except ConditionFailed as error:
            if isinstance(error.current, VotingLane):
                raise poll_has_votes(poll) from error
            raise
        return self.context.get_poll(poll.id)

    @retry_edits
    def _mark_deleted(self, poll_id: str, admin_key: str, check: RevisionCheck) -> Poll:
        """Mark the poll as deleted, unless an interrupted call has already done so."""
        poll = self.context.find_poll(poll_id)
        if poll is None:
            raise poll_not_found()
        self.context.check_secret(poll)
        self.context.check_admin_key(poll_id, admin_key)
        if poll.deleted:
            return poll
        check(poll.revision)
        return self.context.store.update(
            Poll.key(poll_id),
            Poll.deleted.set(True),
            Poll.closed.set(True),
            Poll.edition.set(poll.edition + 1),
            if_=Poll.revision == poll.revision,
        )

    def _delete_all(self, selection: Selection[E]) -> None:
        store = self.context.store
        items: Iterable[E] = store.query(selection, consistent=True)
        while batch := list(islice(items, DELETE_BATCH)):
            store.delete_many(key_of(item) for item in batch)


@dataclass(frozen=True, slots=True)
class VotingCode:
    """A voting code, and whether it was used."""

    code: str
    is_used: bool


@dataclass(frozen=True, slots=True)
class VotingCodes:
    """Issue and list voting codes. Codes are numbered and derived from the secret, not stored."""

    context: Context

    @retry_edits
    def issue(
        self, poll_id: str, admin_key: str, count: int, *, check: RevisionCheck = any_revision
    ) -> Sequence[str]:
        """Issue `count` more codes. `check` is called with the number of codes issued so far."""
        poll = self.context.get_managed_poll(poll_id, admin_key)
        check(poll.codes)
        total = poll.codes + count
        if count < 1 or total > MAX_CODES:
            raise InvalidInput({"count": _count_error(poll.codes)})
        # A transaction is idempotent: a retry does not issue twice as many. If it was applied after
        # an unknown outcome, its codes stay unused.
        with self.context.store.transaction(pattern=patterns.issue_codes) as transaction:
            is_unchanged = Poll.revision == poll.revision
            transaction.update(Poll.key(poll_id), Poll.codes.set(total), if_=is_unchanged)
        secret = self.context.secret
        return [secret.voting_code(poll_id, number) for number in range(poll.codes, total)]

    def list_issued(
        self, poll_id: str, admin_key: str, *, first: int = 0, size: int = MAX_CODES
    ) -> list[VotingCode]:
        """Return the issued codes and whether each was used, but never what was voted."""
        poll = self.context.get_managed_poll(poll_id, admin_key)
        secret = self.context.secret
        numbers = range(first, min(first + size, poll.codes))
        ids = [secret.vote_id(poll_id, "code", str(number)) for number in numbers]
        votes = self.context.store.get_many([patterns.vote_by_id(poll_id, each) for each in ids])
        return [
            VotingCode(secret.voting_code(poll_id, number), vote is not None)
            for number, vote in zip(numbers, votes, strict=True)
        ]


def _count_error(issued: int) -> str:
    if issued == MAX_CODES:
        return f"This poll has all {MAX_CODES:,} codes that a poll can have."
    return (
        f"A poll can have {MAX_CODES:,} codes, and this one has {issued:,}. Issue 1 to "
        f"{MAX_CODES - issued:,} more."
    )
