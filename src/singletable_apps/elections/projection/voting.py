"""How candidates, voters and ballots stand in the table after an event about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from singletable_apps.elections.entities import (
    Ballot,
    Candidate,
    CastRequest,
    Election,
    RankedCandidate,
    User,
    Voter,
    WithdrawnBallot,
    is_removed_user,
)
from singletable_apps.elections.events import (
    BallotCast,
    BallotWithdrawn,
    CandidatesAdded,
    CandidatesRemoved,
    VotersAdded,
    VotersRemoved,
)
from singletable_apps.elections.projection.chunks import ProjectionStep
from singletable_apps.elections.projection.elections import define

# So many requests to cast are remembered for each ballot, and for those taken back: the latest.
REMEMBERED_REQUESTS = 8


def candidates_added(chunk: ProjectionStep, fact: CandidatesAdded) -> bool:
    """More to vote for; once votes are accepted, ballots are about something else now."""
    names, last = chunk.slice_names(fact.candidates)
    for name in names:
        chunk.transaction.create(
            Candidate(election_name=fact.election, candidate_name=name, since=chunk.revision)
        )
    if last:
        _candidates_changed(chunk, fact.election, added=fact.candidates)
    return last


def candidates_removed(chunk: ProjectionStep, fact: CandidatesRemoved) -> bool:
    """Fewer to vote for. Ballots stay as they were cast; what they say of these does not count."""
    names, last = chunk.slice_names(fact.candidates)
    for name in names:
        chunk.transaction.delete(Candidate.key(fact.election, name))
    if last:
        _candidates_changed(chunk, fact.election, removed=fact.candidates)
    return last


def voters_added(chunk: ProjectionStep, fact: VotersAdded) -> bool:
    """More on the list."""
    names, last = chunk.slice_names(fact.voters)
    for name in names:
        chunk.transaction.create(Voter(election_name=fact.election, voter_name=name))
        chunk.transaction.update(User.key(name), User.eligible_in.add(1))
    if last:
        _list_changed(chunk, fact.election, len(fact.voters))
    return last


def voters_removed(chunk: ProjectionStep, fact: VotersRemoved) -> bool:
    """Fewer on the list."""
    names, last = chunk.slice_names(fact.voters)
    for name in names:
        chunk.transaction.delete(Voter.key(fact.election, name))
        if not is_removed_user(name):
            chunk.transaction.update(User.key(name), User.eligible_in.add(-1))
    if last:
        _list_changed(chunk, fact.election, -len(fact.voters))
    return last


def ballot_cast(chunk: ProjectionStep, fact: BallotCast) -> bool:
    """The voter's one ballot, in place of an earlier one."""
    before = chunk.read.find_ballot(fact.election, fact.voter)
    asked = dict(before.asked) if before is not None else {}
    asked[fact.request] = CastRequest(fact.fingerprint, chunk.revision)
    chunk.transaction.put(
        Ballot(
            election_name=fact.election,
            voter_name=fact.voter,
            when_cast=chunk.event.when_occurred,
            definition=fact.definition,
            confirmation=fact.confirmation,
            nonce=fact.nonce,
            rankings=_lines(fact.levels),
            sealed=fact.sealed,
            asked=_latest(asked),
            revision=chunk.revision,
        )
    )
    if before is None:
        chunk.transaction.update(User.key(fact.voter), User.ballots_cast.add(1))
    return True


def ballot_withdrawn(chunk: ProjectionStep, fact: BallotWithdrawn) -> bool:
    """As if it had never been cast, but for its requests: one that comes late casts nothing."""
    user = chunk.require(chunk.read.find_user(fact.voter), fact.voter)
    election = chunk.require(chunk.read.find_election(fact.election), fact.election)
    ballot = chunk.require(chunk.read.find_ballot(fact.election, fact.voter), "the ballot")
    before = chunk.read.find_withdrawn(election.election_id, user.user_id)
    asked = {**(before.asked if before is not None else {}), **ballot.asked}
    chunk.transaction.put(
        WithdrawnBallot(
            election_id=election.election_id, user_id=user.user_id, asked=_latest(asked)
        )
    )
    chunk.transaction.delete(Ballot.key(fact.election, fact.voter))
    chunk.transaction.update(User.key(fact.voter), User.ballots_cast.add(-1))
    return True


def _latest(asked: Mapping[str, CastRequest]) -> dict[str, CastRequest]:
    latest = sorted(asked, key=lambda key: asked[key].event_id)[-REMEMBERED_REQUESTS:]
    return {key: asked[key] for key in latest}


def _lines(levels: Sequence[Sequence[str]] | None) -> list[RankedCandidate] | None:
    if levels is None:
        return None
    return [RankedCandidate(name, rank) for rank, level in enumerate(levels, 1) for name in level]


def _candidates_changed(
    chunk: ProjectionStep, name: str, *, added: Sequence[str] = (), removed: Sequence[str] = ()
) -> None:
    election = chunk.require(chunk.read.find_election(name), name)
    edits = [
        Election.candidate_count.add(len(added) - len(removed)),
        Election.revision.set(chunk.revision),
    ]
    if election.allow_vote:
        now = {one.candidate_name for one in chunk.read.list_candidates(name)} | set(added)
        edits.append(Election.definition.set(define(chunk, election, sorted(now - set(removed)))))
    chunk.transaction.update(Election.key(name), *edits)


def _list_changed(chunk: ProjectionStep, name: str, change: int) -> None:
    chunk.transaction.update(
        Election.key(name),
        Election.voter_count.add(change),
        Election.revision.set(chunk.revision),
    )
