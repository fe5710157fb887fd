"""Cast votes: one transaction writes the vote and appends an entry to the vote's lane.

The item of the poll is read but never written, so that voters do not contend for it. That the poll
is still open and unchanged is a condition on the lane, which carries the edition of the poll. The
poll is changed first, then its lanes; if that is interrupted, the next vote updates its lane.
"""

from __future__ import annotations

import hmac
import random
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from uuid import uuid4

from singletable import ConditionFailed, Store, TransactionConflict, retry_conflicts
from singletable_apps.polls import patterns, rules
from singletable_apps.polls.entities import LaneEntry, Poll, Protection, Vote, VotingLane
from singletable_apps.polls.errors import AlreadyVoted, Busy, CodeUsed, InvalidCode
from singletable_apps.polls.service.context import Context
from singletable_apps.polls.service.notices import FIRST_VOTE, Notices
from singletable_apps.polls.tally import encode_ranking, lane_for
from singletable_apps.shared.service import UNKNOWN_OUTCOME, is_uuid

LANE_ATTEMPTS = 10
VOTE_ATTEMPTS = 60
# The store retries within each attempt; people do not wait much longer for a page.
MAX_SECONDS = 10.0
_LOCKS = 64
_VOTER_NAMES = {
    Protection.BROWSER: "This browser",
    Protection.CODES: "This code",
    Protection.OPEN: "This request",
}


def new_lanes(poll: Poll) -> list[VotingLane]:
    """Return the lanes of a new poll."""
    return [
        VotingLane(poll_id=poll.id, lane=number, edition=poll.edition)
        for number in range(poll.lanes)
    ]


def update_lanes(store: Store, poll: Poll) -> None:
    """Update every lane to the poll's edition. Votes for earlier editions are rejected from now."""
    keys = [VotingLane.key(poll.id, number) for number in range(poll.lanes)]
    for lane in store.get_many(keys, consistent=True):
        if lane is not None and lane.edition < poll.edition:
            update_lane(store, poll, lane.lane)


@retry_conflicts(
    attempts=LANE_ATTEMPTS,
    also=[TransactionConflict],
    idempotent=True,
    otherwise=lambda: Busy("This poll is very busy. Try again."),
)
def update_lane(store: Store, poll: Poll, number: int) -> None:
    """Update a lane to the poll's edition, unless it is up to date or deleted."""
    with suppress(ConditionFailed):
        store.update(
            VotingLane.key(poll.id, number),
            VotingLane.edition.set(poll.edition),
            if_=VotingLane.edition < poll.edition,
        )


@dataclass(frozen=True, slots=True)
class Voter:
    """How a voter is identified; the protection of the poll decides which field counts.

    `browser` is the token in the browser's cookie, `code` a voting code. `request_key` identifies
    a vote in an open poll, so that sending it twice counts once. `proof` is a secret of the voter:
    a vote cast with a code can be read and changed only with the proof it was cast with, because
    the organizer knows the code as well.
    """

    browser: str | None = None
    code: str | None = None
    request_key: str | None = None
    proof: str | None = None


@dataclass(frozen=True, slots=True)
class CastVote:
    """A vote that was cast, and whether it is new or replaced an earlier one."""

    vote: Vote
    is_new: bool


@dataclass(frozen=True, slots=True)
class Identity:
    """An identified voter, and the vote they have cast.

    `is_code_used` means that someone has voted with this code, but not in this browser.
    """

    voter: Voter
    vote: Vote | None
    is_code_used: bool = False


@dataclass(frozen=True, slots=True)
class Voting:
    """Cast and find votes."""

    context: Context
    notices: Notices
    # Threads of one process wait for a lock instead of failing on the condition of the lane.
    locks: Sequence[threading.Lock] = field(
        default_factory=lambda: tuple(threading.Lock() for _ in range(_LOCKS))
    )

    def vote_id(self, poll: Poll, voter: Voter) -> str | None:
        """Return the id of the voter's vote, or None if the voter cannot be identified."""
        self.context.check_secret(poll)
        secret = self.context.secret
        if poll.settings.protection is Protection.CODES:
            number = None if voter.code is None else secret.code_number(poll.id, voter.code)
            if number is None or number >= poll.codes:
                raise InvalidCode(_code_error(voter.code))
            return secret.vote_id(poll.id, "code", str(number))
        if poll.settings.protection is Protection.BROWSER and voter.browser is not None:
            return secret.vote_id(poll.id, "browser", voter.browser)
        if poll.settings.protection is Protection.OPEN and voter.request_key is not None:
            return secret.vote_id(poll.id, "request", voter.request_key)
        return None

    def get_vote(self, poll_id: str, vote_id: str) -> Vote | None:
        """Return a vote by its id, or None."""
        if not is_uuid(vote_id):
            return None
        return self.context.store.run(patterns.vote_by_id, poll_id, vote_id)

    def identify(self, poll: Poll, typed: Voter, saved: Voter | None = None) -> Identity:
        """Return the voter, identified by the code they typed or the one that the browser saved.

        A cookie can be forged: a saved code counts only with the proof of a vote.
        """
        if saved is not None and (not typed.code or self._is_same_code(poll, typed, saved)):
            known = self._identity(poll, saved)
            if known.vote is not None:
                return known
        return self._identity(poll, typed)

    def _identity(self, poll: Poll, voter: Voter) -> Identity:
        try:
            return Identity(voter, self.find_vote(poll, voter))
        except CodeUsed:
            return Identity(voter, None, is_code_used=True)

    def _is_same_code(self, poll: Poll, one: Voter, other: Voter) -> bool:
        number = self.context.secret.code_number
        return number(poll.id, one.code or "") == number(poll.id, other.code or "")

    def find_vote(self, poll: Poll, voter: Voter) -> Vote | None:
        """Return the vote that this voter has cast, or None; CodeUsed without the right proof."""
        try:
            vote_id = self.vote_id(poll, voter)
        except InvalidCode:
            return None
        vote = None if vote_id is None else self.get_vote(poll.id, vote_id)
        if vote is not None:
            self._check_proof(poll, vote, voter)
        return vote

    def cast(self, poll_id: str, ballot: rules.Ballot | Sequence[str], voter: Voter) -> CastVote:
        """Cast or change a vote. Nothing is stored if the poll has changed in the meantime."""
        poll = self.context.get_poll(poll_id)
        sent = ballot if isinstance(ballot, rules.Ballot) else rules.Ballot(ballot)
        cast = self._cast(poll, sent, voter)
        if cast.is_new:
            self.notices.notify(poll, FIRST_VOTE)
        return cast

    def _cast(self, poll: Poll, sent: rules.Ballot, voter: Voter) -> CastVote:
        poll_id = poll.id
        random_id = str(uuid4())  # for a voter who cannot be identified
        current: Vote | None = None
        attempted: list[Vote] = []
        deadline = time.monotonic() + MAX_SECONDS
        with self._lock(poll, self.vote_id(poll, voter) or random_id):
            for attempt in range(VOTE_ATTEMPTS):
                if current is not None:
                    is_own = any(_is_same_write(current, vote) for vote in attempted)
                    if not is_own:
                        self._check_proof(poll, current, voter)
                    if is_own or (attempted and _content(current) == _content(attempted[-1])):
                        # Our own write whose response was lost, or the same ranking as before.
                        return CastVote(current, is_new=is_own and current.revision == 1)
                if attempt and time.monotonic() > deadline:
                    break
                now = self.context.clock()
                rules.check_open(poll, now)
                # Checked in each attempt: the protection can change until someone has voted.
                vote_id = self.vote_id(poll, voter) or random_id
                ballot = rules.check_ballot(poll, sent)
                if current is not None and not rules.is_changeable(poll):
                    raise AlreadyVoted(_already_voted(poll, current))
                vote = Vote(
                    poll_id=poll.id,
                    id=vote_id,
                    rankings=list(ballot.rankings),
                    maybe=list(ballot.maybe),
                    name=ballot.name,
                    voted_at=now,
                )
                if poll.settings.protection is Protection.CODES:
                    vote.proof = self._proof_digest(poll, voter)
                if current is not None:
                    vote.revision = current.revision
                attempted.append(vote)
                try:
                    if self._write(poll, vote, current):
                        return CastVote(vote, is_new=current is None)
                except ConditionFailed as error:
                    if isinstance(error.current, Vote):
                        current = error.current
                        continue
                except (TransactionConflict, *UNKNOWN_OUTCOME):
                    current = self.get_vote(poll_id, vote_id)
                time.sleep(random.uniform(0, min(0.1, 0.001 * 2**attempt)))
                poll = self.context.get_poll(poll_id)
        raise Busy("This poll is very busy. Submit again; your vote is counted once.")

    def _check_proof(self, poll: Poll, vote: Vote, voter: Voter) -> None:
        """Raise CodeUsed if the vote was cast with a code and another proof."""
        if poll.settings.protection is not Protection.CODES:
            return
        expected, given = vote.proof or "", self._proof_digest(poll, voter) or ""
        if not expected or not hmac.compare_digest(expected.encode(), given.encode()):
            raise CodeUsed(
                "This code has already been used. The vote can only be seen or changed in the "
                "browser that cast it, or with its private link. If you did not cast it, ask for "
                "another code."
            )

    def _proof_digest(self, poll: Poll, voter: Voter) -> str | None:
        return self.context.secret.proof_digest(poll.id, voter.proof) if voter.proof else None

    def _lock(self, poll: Poll, vote_id: str) -> threading.Lock:
        lane = lane_for(vote_id, poll.lanes)
        return self.locks[hash((poll.id, lane)) % len(self.locks)]

    def _write(self, poll: Poll, vote: Vote, current: Vote | None) -> bool:
        """Write the vote and its lane entry; return False if the lane had to be updated first."""
        number = lane_for(vote.id, poll.lanes)
        lane = self.context.store.run(patterns.lane_by_number, poll.id, number)
        if lane is None:
            raise rules.poll_not_found()
        if lane.edition != poll.edition:
            update_lane(self.context.store, poll, number)
            return False
        entry = LaneEntry(
            poll_id=poll.id,
            lane=number,
            number=lane.entries + 1,
            ranking=encode_ranking(poll, vote.rankings, vote.maybe),
            replaced_ranking=(
                None if current is None else encode_ranking(poll, current.rankings, current.maybe)
            ),
        )
        with self.context.store.transaction(pattern=patterns.cast_vote) as transaction:
            transaction.put(vote)
            transaction.update(
                VotingLane.key(poll.id, number),
                VotingLane.entries.set(entry.number),
                if_=(VotingLane.entries == lane.entries) & (VotingLane.edition == poll.edition),
            )
            transaction.create(entry)
        return True


def _is_same_write(stored: Vote, attempted: Vote) -> bool:
    """Return whether this attempt wrote the stored vote and lost only the response."""
    return (
        _content(stored) == _content(attempted)
        and stored.voted_at == attempted.voted_at
        and stored.proof == attempted.proof
    )


def _content(vote: Vote) -> tuple[object, ...]:
    return (vote.rankings, vote.maybe, vote.name)


def _code_error(typed: str | None) -> str:
    if not typed:
        return "Enter your voting code. The organizer of the poll hands them out."
    return (
        f"“{rules.printable_excerpt(typed)}” is not a voting code of this poll. Codes look like "
        "000A-7K3M-QX9T."
    )


def _already_voted(poll: Poll, vote: Vote) -> str:
    return (
        f"{_VOTER_NAMES[poll.settings.protection]} voted in “{poll.title}” on "
        f"{vote.voted_at:%Y-%m-%d at %H:%M} UTC, and votes in this poll cannot be changed."
    )
