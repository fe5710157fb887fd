"""Handlers for events about elections, candidates, voters and ballots.

A handler writes one step and returns whether it was the last one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import copy
from typing import Any, TypeAlias

from singletable import Edit, key_of
from singletable_apps.elections import events
from singletable_apps.elections.changes import definition_of, new_election
from singletable_apps.elections.entities import (
    Ballot,
    Candidate,
    Counts,
    Election,
    Ownership,
    RankedCandidate,
    User,
    Voter,
    is_account,
)
from singletable_apps.elections.projection.event_transaction import (
    ITEMS_PER_STEP,
    ProjectionStep,
    copy_with,
    set_fields,
    take_step,
)
from singletable_apps.elections.proofs.documents import hash_definition

# An entry of a roll is one write of at most 3 KB.
ENTRIES_PER_STEP = 90

ElectionItem: TypeAlias = Ballot | Voter | Candidate


def create_election(step: ProjectionStep, data: events.ElectionCreated) -> bool:
    """Create the election."""
    step.transaction.create(new_election(step.event, data))
    step.transaction.create(Ownership(election_name=data.name, owner_name=data.owner))
    step.transaction.update(User.key(data.owner), User.elections_owned.add(1))
    _count_elections(step, 1)
    return True


def change_owner(step: ProjectionStep, data: events.ElectionOwnerChanged) -> bool:
    """Set the owner."""
    step.transaction.update(Ownership.key(data.name), Ownership.owner_name.set(data.new_owner))
    step.transaction.update(User.key(data.old_owner), User.elections_owned.add(-1))
    step.transaction.update(User.key(data.new_owner), User.elections_owned.add(1))
    return set_fields(step, data)


def launch_election(step: ProjectionStep, data: events.ElectionLaunched) -> bool:
    """Open voting on the current candidates."""
    election = step.require(step.read.find_election(data.name), data.name)
    names = [candidate.candidate_name for candidate in step.read.list_candidates(election.name)]
    launched = copy_with(election, tie_commitment=data.tie_commitment, is_weighted=data.is_weighted)
    digest = hash_definition(definition_of(launched, names))
    return set_fields(step, data, Election.definition.set(digest))


def rename_election(step: ProjectionStep, data: events.ElectionNameChanged) -> bool:
    """Move the items of the election step by step, and the election itself last."""
    if items := _take_items(step, data.old_name):
        for item in items:
            step.transaction.create(copy_with(item, election_name=data.new_name))
            step.transaction.delete(key_of(item))
        return False
    election = copy(step.require(step.read.find_election(data.old_name), data.old_name))
    election.name, election.revision = data.new_name, step.revision
    step.transaction.delete(Election.key(data.old_name))
    step.transaction.create(election)
    step.transaction.delete(Ownership.key(data.old_name))
    step.transaction.create(Ownership(election_name=data.new_name, owner_name=election.owner_name))
    return True


def delete_election(step: ProjectionStep, data: events.ElectionDeleted) -> bool:
    """Delete the items of the election step by step, and the election itself last."""
    if items := _take_items(step, data.name):
        for item in items:
            step.transaction.delete(key_of(item))
            if isinstance(item, Ballot | Voter) and is_account(item.voter_name):
                counter = User.ballots_cast if isinstance(item, Ballot) else User.eligible_in
                step.transaction.update(User.key(item.voter_name), counter.add(-1))
        return False
    election = step.require(step.read.find_election(data.name), data.name)
    step.transaction.delete(Election.key(data.name))
    step.transaction.delete(Ownership.key(data.name))
    step.transaction.update(User.key(election.owner_name), User.elections_owned.add(-1))
    _count_elections(step, -1)
    return True


def _take_items(step: ProjectionStep, election: str) -> Sequence[ElectionItem]:
    """Return the next items of an election. All are of one kind, so each user is in them once."""
    kinds: tuple[Callable[[str], Iterable[ElectionItem]], ...] = (
        step.read.list_ballots,
        step.read.list_voters_and_removed,
        step.read.list_candidates,
    )
    for list_items in kinds:
        if items := take_step(list_items(election)):
            return items
    return []


def _count_elections(step: ProjectionStep, change: int) -> None:
    step.transaction.update(
        Counts.key(),
        Counts.election_count.add(change),
        Counts.last_updated.set(step.event.when_occurred),
    )


# Candidates and voters.


def change_candidates(
    step: ProjectionStep, data: events.CandidatesAdded | events.CandidatesRemoved
) -> bool:
    """Create or delete the candidates. If voting is open, ballots get a new definition.

    Ballots stay as they were cast; the tally skips removed candidates.
    """
    is_new = isinstance(data, events.CandidatesAdded)
    names, is_last = step.slice(data.candidates)
    election = step.require(step.read.find_election(data.election), data.election)
    for name in names:
        if is_new:
            step.transaction.create(
                Candidate(
                    election_name=data.election,
                    candidate_name=name,
                    since=step.revision,
                    position=_position(step, data.candidates.index(name)),
                )
            )
        else:
            step.transaction.delete(Candidate.key(data.election, name))
    if is_last:
        count = Election.candidate_count.add(len(data.candidates) * (1 if is_new else -1))
        known = step.read.list_candidates(data.election) if election.allow_vote else []
        left = [each.candidate_name for each in known if each.candidate_name not in data.candidates]
        _finish_candidates(step, election, [*left, *(data.candidates if is_new else ())], count)
    return is_last


def order_candidates(step: ProjectionStep, data: events.CandidatesOrdered) -> bool:
    """Put the candidates into another order. If voting is open, ballots get a new definition."""
    names, is_last = step.slice(data.candidates)
    election = step.require(step.read.find_election(data.election), data.election)
    for name in names:
        position = _position(step, data.candidates.index(name))
        step.transaction.update(
            Candidate.key(data.election, name), Candidate.position.set(position)
        )
    if is_last:
        _finish_candidates(step, election, list(data.candidates))
    return is_last


def rename_candidate(step: ProjectionStep, data: events.CandidateRenamed) -> bool:
    """Give a candidate another name."""
    election = step.require(step.read.find_election(data.election), data.election)
    for candidate in step.read.list_candidates(data.election):
        if candidate.candidate_name == data.old_name:
            step.transaction.delete(key_of(candidate))
            step.transaction.create(copy_with(candidate, candidate_name=data.new_name))
    _finish_candidates(step, election, [])
    return True


def _position(step: ProjectionStep, at: int) -> int:
    """Return a position after all that earlier events have set."""
    return step.revision * 1000 + at


def _finish_candidates(
    step: ProjectionStep, election: Election, names: list[str], *edits: Edit[Any]
) -> None:
    """Update the election. If voting is open, ballots are about these candidates from now on."""
    if election.allow_vote:
        digest = hash_definition(definition_of(election, names))
        edits = (*edits, Election.definition.set(digest))
    step.transaction.update(
        Election.key(election.name), *edits, Election.revision.set(step.revision)
    )


def change_voters(step: ProjectionStep, data: events.VotersAdded | events.VotersRemoved) -> bool:
    """Add voters to the list, or remove them."""
    sign = 1 if isinstance(data, events.VotersAdded) else -1
    # On a roll, there are no users to update.
    size = ITEMS_PER_STEP if is_account(data.voters[0]) else ENTRIES_PER_STEP
    names, is_last = step.slice(data.voters, size)
    for name in names:
        if sign > 0:
            step.transaction.create(Voter(election_name=data.election, voter_name=name))
        else:
            step.transaction.delete(Voter.key(data.election, name))
        if is_account(name):
            step.transaction.update(User.key(name), User.eligible_in.add(sign))
    if is_last:
        step.transaction.update(
            Election.key(data.election),
            Election.voter_count.add(sign * len(data.voters)),
            Election.revision.set(step.revision),
        )
    return is_last


def change_roll(
    step: ProjectionStep, data: events.RollVotersAdded | events.RollVotersChanged
) -> bool:
    """Put voters on the roll, or replace their entries."""
    voters, is_last = step.slice(data.voters, ENTRIES_PER_STEP)
    for voter in voters:
        step.transaction.put(Voter(election_name=data.election, voter_name=voter.key, entry=voter))
    if is_last:
        added = len(data.voters) if isinstance(data, events.RollVotersAdded) else 0
        step.transaction.update(
            Election.key(data.election),
            Election.voter_count.add(added),
            Election.revision.set(step.revision),
        )
    return is_last


# Ballots.


def cast_ballot(step: ProjectionStep, data: events.BallotCast) -> bool:
    """Put the voter's ballot, in place of an earlier one."""
    step.transaction.put(
        Ballot(
            election_name=data.election,
            voter_name=data.voter,
            when_cast=step.event.when_occurred,
            confirmation=data.confirmation,
            rankings=_to_rankings(data.levels),
            sealed=data.sealed,
            revision=step.revision,
        )
    )
    if is_account(data.voter) and step.read.find_ballot(data.election, data.voter) is None:
        step.transaction.update(User.key(data.voter), User.ballots_cast.add(1))
    return True


def withdraw_ballot(step: ProjectionStep, data: events.BallotWithdrawn) -> bool:
    """Delete the ballot."""
    step.transaction.delete(Ballot.key(data.election, data.voter))
    if is_account(data.voter):
        step.transaction.update(User.key(data.voter), User.ballots_cast.add(-1))
    return True


def _to_rankings(levels: Sequence[Sequence[str]] | None) -> list[RankedCandidate] | None:
    if levels is None:
        return None
    return [RankedCandidate(name, rank) for rank, level in enumerate(levels, 1) for name in level]
