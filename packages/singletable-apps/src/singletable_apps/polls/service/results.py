"""Compute results without reading every vote: the latest snapshot and the lane entries after it.

Each process caches the tallies that it has read, so that all viewers of a poll share one read, and
the table stores snapshots, from which a new process starts. A recount reads every vote and proves
that votes and entries agree.
"""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from dataclasses import dataclass, field
from uuid import uuid4

from singletable import ConditionFailed, SingleTableError, retry_conflicts
from singletable_apps.polls import entities, patterns
from singletable_apps.polls.errors import Busy, CodeUsed
from singletable_apps.polls.rules import check_results_visible, is_final
from singletable_apps.polls.service.context import Context
from singletable_apps.polls.service.notices import CLOSED, Notices
from singletable_apps.polls.service.voting import Voter, Voting, update_lanes
from singletable_apps.polls.tally import (
    MethodResults,
    PickResult,
    Tally,
    add_entries,
    count_votes,
    empty_tally,
    encode_ranking,
    is_snapshot_due,
    split_counts,
)
from singletable_apps.shared.results import ResultCache

MAX_ATTEMPTS = 5
CACHED_TALLIES = 1_000
CACHED_VOTERS = 10_000
MAX_NAMED = 1_000


class _PollChanged(Exception):
    """The options or votes of the poll changed while they were counted."""


@dataclass(frozen=True, slots=True)
class SnapshotStore:
    """Read and replace snapshots.

    The parts are written first, under a new name; then the head that refers to them replaces the
    old one, unless another process was faster. Entries are never deleted, so a lost snapshot costs
    time but no votes.
    """

    context: Context

    def read(self, poll: entities.Poll) -> tuple[entities.Snapshot | None, Tally]:
        """Return the latest snapshot and its tally."""
        head: entities.Snapshot | None = None
        for _ in range(MAX_ATTEMPTS):
            head = self.context.store.run(patterns.snapshot, poll.id)
            if head is None:
                break
            keys = [patterns.snapshot_part(poll.id, head.name, part) for part in range(head.parts)]
            parts = [part for part in self.context.store.get_many(keys, consistent=True) if part]
            if len(parts) == head.parts:
                counts = {ranking: n for part in parts for ranking, n in part.counts.items()}
                return head, Tally(tuple(head.positions), counts)
            # Another process has replaced this snapshot and deleted its parts: read again.
        if head is not None:
            head.positions = [0] * poll.lanes  # its parts are missing: count all entries
        return head, empty_tally(poll.lanes)

    def replace(
        self, poll: entities.Poll, old: entities.Snapshot | None, tally: Tally
    ) -> entities.Snapshot:
        """Replace the old snapshot, and return the one that is stored afterwards."""
        parts = list(split_counts(tally))
        new = entities.Snapshot(
            poll_id=poll.id, name=uuid4().hex, parts=len(parts), positions=list(tally.positions)
        )
        if old is not None:
            new.revision = old.revision
        self.context.store.put_many(
            entities.SnapshotPart(poll_id=poll.id, name=new.name, part=number, counts=counts)
            for number, counts in enumerate(parts)
        )
        stored = self._put(poll, new)
        if stored.name != new.name:
            self._delete_parts(new)
        elif old is not None:
            self._delete_parts(old)
        return stored

    def _put(self, poll: entities.Poll, new: entities.Snapshot) -> entities.Snapshot:
        try:
            with self.context.store.transaction(pattern=patterns.put_snapshot) as transaction:
                transaction.put(new)
                # Deleting a poll looks for snapshots only once.
                transaction.check(entities.Poll.key(poll.id), entities.Poll.deleted == False)  # noqa: E712
        except ConditionFailed as error:
            if isinstance(error.current, entities.Snapshot):
                return error.current  # of another process, or ours whose response was lost
            self._delete_parts(new)
            raise
        return new

    def _delete_parts(self, head: entities.Snapshot) -> None:
        self.context.store.delete_many(
            entities.SnapshotPart.key(head.poll_id, head.name, part) for part in range(head.parts)
        )


@dataclass(frozen=True, slots=True)
class Recount:
    """The tally of all votes, next to the tally of all lane entries."""

    votes: int
    by_votes: Tally
    by_entries: Tally

    @property
    def agrees(self) -> bool:
        """Return whether both tallies are equal."""
        return self.by_votes.counts == self.by_entries.counts


@dataclass(slots=True)
class _CachedTally:
    """The tally of a poll in this process.

    Reads are numbered: `started` is the last one that started, `finished` the last one that
    finished. `closed_edition` is the edition in which all lanes were found closed.
    """

    lock: threading.Lock = field(default_factory=threading.Lock)
    started: int = 0
    finished: int = 0
    tally: Tally | None = None
    snapshot: entities.Snapshot | None = None
    closed_edition: int = 0


@dataclass(frozen=True, slots=True)
class Tallies:
    """Read the tallies of polls."""

    context: Context
    snapshots: SnapshotStore
    cache: OrderedDict[str, _CachedTally] = field(default_factory=OrderedDict[str, _CachedTally])
    lock: threading.Lock = field(default_factory=threading.Lock)

    def get(self, poll: entities.Poll) -> Tally:
        """Return the current tally, with every vote that was confirmed before this call."""
        cached = self._cached(poll.id)
        called_at = cached.started
        with cached.lock:
            is_closing = poll.closed and cached.closed_edition < poll.edition
            if cached.tally is not None and cached.finished > called_at and not is_closing:
                return cached.tally  # another thread's read started after this call
            cached.started = number = cached.started + 1
            if is_closing:
                # Closing may have been interrupted before all lanes were updated.
                update_lanes(self.context.store, poll)
                cached.closed_edition = poll.edition
            if cached.tally is None:
                cached.snapshot, cached.tally = self.snapshots.read(poll)
            cached.tally = tally = self._add_new_entries(poll, cached.tally)
            cached.finished = number
            stored = cached.snapshot
            counted = Tally(tuple(stored.positions), {}) if stored else empty_tally(poll.lanes)
            if is_snapshot_due(counted, tally):
                self._save_snapshot(poll, cached, tally)
            return tally

    def recount(self, poll: entities.Poll) -> Recount:
        """Count every vote one by one, starting again if votes arrive in the meantime."""
        busy = Busy(
            f"New votes kept arriving during the recount of “{poll.title}”. Close the poll, or try "
            "again later."
        )

        @retry_conflicts(attempts=MAX_ATTEMPTS, also=[_PollChanged], otherwise=lambda: busy)
        def count() -> Recount:
            now = self.context.get_poll(poll.id)
            before = self.get(now)
            votes = self.context.store.run(patterns.all_votes, poll.id)
            rankings = Counter((tuple(vote.rankings), tuple(vote.maybe)) for vote in votes)
            after = self.get(now)
            # Options can change until the first vote.
            candidates = self.context.get_poll(poll.id).candidates
            if before.positions != after.positions or candidates != now.candidates:
                raise _PollChanged
            counts = {encode_ranking(now, *one): n for one, n in rankings.items()}
            return Recount(rankings.total(), Tally(after.positions, counts), after)

        return count()

    def _cached(self, poll_id: str) -> _CachedTally:
        with self.lock:
            cached = self.cache.setdefault(poll_id, _CachedTally())
            self.cache.move_to_end(poll_id)
            while len(self.cache) > CACHED_TALLIES:
                self.cache.popitem(last=False)
            return cached

    def _add_new_entries(self, poll: entities.Poll, tally: Tally) -> Tally:
        run = self.context.store.run
        new = [
            run(patterns.entries_after, poll.id, lane, number)
            for lane, number in enumerate(tally.positions)
        ]
        return add_entries(tally, new)

    def _save_snapshot(self, poll: entities.Poll, cached: _CachedTally, tally: Tally) -> None:
        """Store a snapshot; viewers have their results anyway, so a failure is retried later."""
        try:
            cached.snapshot = self.snapshots.replace(poll, cached.snapshot, tally)
        except SingleTableError:
            cached.tally = None


@dataclass(frozen=True, slots=True)
class Viewer:
    """A viewer of results: a voter, the holder of a vote id, or the organizer."""

    voter: Voter = field(default_factory=Voter)
    vote_id: str | None = None
    admin_key: str | None = None


@dataclass(frozen=True, slots=True)
class PollResults:
    """The results of a poll, provisional or final."""

    poll: entities.Poll
    tally: Tally
    count: MethodResults | PickResult
    is_final: bool

    @property
    def methods(self) -> MethodResults:
        """Return the count of a poll in which people rank."""
        if isinstance(self.count, PickResult):
            raise TypeError(f"Expected a poll to rank, but got the kind {self.poll.settings.kind}.")
        return self.count

    @property
    def version(self) -> str:
        """Return a text that changes with every vote and every edit, for ETags."""
        return f"{self.poll.revision}.{'.'.join(map(str, self.tally.positions))}.{self.is_final:d}"


@dataclass(frozen=True, slots=True)
class ResultsService:
    """Compute results and control access to them."""

    context: Context
    voting: Voting
    tallies: Tallies
    notices: Notices
    counts: ResultCache[MethodResults | PickResult] = field(
        default_factory=ResultCache[MethodResults | PickResult]
    )
    # Votes are never withdrawn, so each viewer of a poll is looked up once.
    voters: OrderedDict[tuple[str, Voter, str | None], None] = field(
        default_factory=OrderedDict[tuple[str, Voter, str | None], None]
    )
    lock: threading.Lock = field(default_factory=threading.Lock)

    def get(self, poll_id: str, viewer: Viewer) -> PollResults:
        """Return the results, or raise ResultsHidden if the viewer cannot see them yet."""
        poll = self.context.get_poll(poll_id)
        self.check_visible(poll, viewer)
        return self.compute(poll)

    def compute(self, poll: entities.Poll) -> PollResults:
        """Return the results without a permission check."""
        busy = Busy(f"The options of “{poll.title}” keep changing. Try again.")

        @retry_conflicts(attempts=MAX_ATTEMPTS, also=[_PollChanged], otherwise=lambda: busy)
        def count() -> PollResults:
            nonlocal poll
            # Decided before reading the votes, so that final results miss no vote.
            final = is_final(poll, self.context.clock())
            tally = self.tallies.get(poll)
            try:
                counted = self._count(poll, tally)
            except _PollChanged:
                poll = self.context.get_poll(poll.id)
                raise
            if final:
                self.notices.notify(poll, CLOSED)
            return PollResults(poll, tally, counted, final)

        return count()

    def list_voters(self, poll: entities.Poll) -> list[entities.Vote]:
        """Return the votes of a poll that asks for names, at most the first thousand."""
        if not poll.settings.names:
            return []
        selection = patterns.all_votes(poll.id)
        votes = self.context.store.query(selection, consistent=True, limit=MAX_NAMED)
        return sorted(votes, key=lambda vote: vote.voted_at)

    def check_visible(self, poll: entities.Poll, viewer: Viewer) -> None:
        """Raise ResultsHidden unless the viewer can see the results."""
        is_admin = viewer.admin_key is not None and self.context.secret.is_admin_key(
            poll.id, viewer.admin_key
        )
        is_secret = poll.settings.protection is entities.Protection.CODES
        check_results_visible(
            poll,
            self.context.clock(),
            voted=self._has_voted(poll, viewer),
            admin=is_admin,
            votes=self.tallies.get(poll).votes if is_secret else 0,
        )

    def _has_voted(self, poll: entities.Poll, viewer: Viewer) -> bool:
        """Return whether the viewer has voted; looked up only where it decides what they see."""
        if poll.settings.results is not entities.ResultsVisibility.AFTER_VOTING:
            return False
        key = (poll.id, viewer.voter, viewer.vote_id)
        with self.lock:
            if key in self.voters:
                return True
        vote = self.voting.get_vote(poll.id, viewer.vote_id) if viewer.vote_id else None
        if vote is None:
            try:
                vote = self.voting.find_vote(poll, viewer.voter)
            except CodeUsed:
                return False
        if vote is None:
            return False
        with self.lock:
            self.voters[key] = None
            while len(self.voters) > CACHED_VOTERS:
                self.voters.popitem(last=False)
        return True

    def _count(self, poll: entities.Poll, tally: Tally) -> MethodResults | PickResult:
        """Count once for all viewers of the same votes."""

        def count() -> MethodResults | PickResult:
            # Options can change until the first vote, or be added, and the poll may be deleted.
            now = self.context.get_poll(poll.id)
            if (now.settings.kind, now.candidates) != (poll.settings.kind, poll.candidates):
                raise _PollChanged
            return count_votes(poll, tally)

        basis = (poll.settings.kind, tuple(poll.candidates), tally.positions)
        return self.counts.get(poll.id, count, self.context.clock, basis)
