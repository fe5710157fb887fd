"""How elections stand in the table after an event about them."""

from __future__ import annotations

from copy import copy

from singletable_apps.elections import patterns
from singletable_apps.elections.entities import (
    Ballot,
    Candidate,
    Counts,
    Definition,
    Election,
    Ownership,
    User,
    Voter,
    WithdrawnBallot,
    is_removed_user,
)
from singletable_apps.elections.events import (
    ElectionCreated,
    ElectionDeleted,
    ElectionFinalized,
    ElectionFixed,
    ElectionLaunched,
    ElectionNameChanged,
    ElectionOwnerChanged,
    ElectionUpdated,
)
from singletable_apps.elections.projection.chunks import ProjectionStep, copy_with, take_step
from singletable_apps.elections.proofs import create_definition, hash_definition


def created(chunk: ProjectionStep, fact: ElectionCreated) -> bool:
    """A new election; its number is that of the event."""
    chunk.transaction.create(
        Election(
            name=fact.name,
            owner_name=fact.owner,
            secret_ballot=fact.secret_ballot,
            publication=fact.publication,
            no_voting_before=fact.no_voting_before,
            no_voting_after=fact.no_voting_after,
            election_id=chunk.revision,
            when_created=chunk.event.when_occurred,
            revision=chunk.revision,
        )
    )
    chunk.transaction.create(Ownership(election_name=fact.name, owner_name=fact.owner))
    chunk.transaction.update(User.key(fact.owner), User.elections_owned.add(1))
    count_elections(chunk, 1)
    return True


def updated(chunk: ProjectionStep, fact: ElectionUpdated) -> bool:
    """Other settings: what the event does not name is none."""
    chunk.transaction.update(
        Election.key(fact.name),
        Election.secret_ballot.set(fact.secret_ballot),
        Election.publication.set(fact.publication),
        Election.no_voting_before.set(fact.no_voting_before),
        Election.no_voting_after.set(fact.no_voting_after),
        Election.revision.set(chunk.revision),
    )
    return True


def owner_changed(chunk: ProjectionStep, fact: ElectionOwnerChanged) -> bool:
    """Another owner."""
    chunk.transaction.update(
        Election.key(fact.name),
        Election.owner_name.set(fact.new_owner),
        Election.revision.set(chunk.revision),
    )
    chunk.transaction.update(Ownership.key(fact.name), Ownership.owner_name.set(fact.new_owner))
    chunk.transaction.update(User.key(fact.old_owner), User.elections_owned.add(-1))
    chunk.transaction.update(User.key(fact.new_owner), User.elections_owned.add(1))
    return True


def launched(chunk: ProjectionStep, fact: ElectionLaunched) -> bool:
    """Votes are accepted, about the candidates there are now."""
    election = chunk.require(chunk.read.find_election(fact.name), fact.name)
    names = [candidate.candidate_name for candidate in chunk.read.list_candidates(election.name)]
    asked = copy(election)
    asked.tie_commitment = fact.tie_commitment
    chunk.transaction.update(
        Election.key(election.name),
        Election.allow_vote.set(True),
        Election.allow_edit.set(fact.allow_edit),
        Election.tie_commitment.set(fact.tie_commitment),
        Election.tie_sealed.set(fact.tie_sealed),
        Election.definition.set(define(chunk, asked, names)),
        Election.revision.set(chunk.revision),
    )
    return True


def fixed(chunk: ProjectionStep, fact: ElectionFixed) -> bool:
    """Nothing can be edited any more."""
    chunk.transaction.update(
        Election.key(fact.name),
        Election.allow_edit.set(False),
        Election.revision.set(chunk.revision),
    )
    return True


def finalized(chunk: ProjectionStep, fact: ElectionFinalized) -> bool:
    """Closed, and signed."""
    chunk.transaction.update(
        Election.key(fact.name),
        Election.allow_edit.set(False),
        Election.allow_vote.set(False),
        Election.statement.set(fact.statement),
        Election.signature.set(fact.signature),
        Election.revision.set(chunk.revision),
    )
    return True


def define(chunk: ProjectionStep, election: Election, names: list[str]) -> str:
    """Keep what ballots are about from now on, and give its digest."""
    digest = hash_definition(
        create_definition(
            election.election_id,
            names,
            election.secret_ballot,
            level=election.publication.value,
            commitment=election.tie_commitment or "",
        )
    )
    chunk.transaction.put(
        Definition(election_name=election.name, digest=digest, candidate_names=sorted(names))
    )
    return digest


def count_elections(chunk: ProjectionStep, change: int) -> None:
    """Let METADATA/COUNTS know."""
    chunk.transaction.update(
        Counts.key(),
        Counts.election_count.add(change),
        Counts.last_updated.set(chunk.event.when_occurred),
    )


def name_changed(chunk: ProjectionStep, fact: ElectionNameChanged) -> bool:
    """What is in it goes first, the election itself at the end."""
    old, new = fact.old_name, fact.new_name
    for ballot in (ballots := _ballots(chunk, old)):
        chunk.transaction.create(copy_with(ballot, election_name=new))
        chunk.transaction.delete(Ballot.key(old, ballot.voter_name))
    if ballots:
        return False
    for voter in (voters := _voters(chunk, old)):
        chunk.transaction.create(copy_with(voter, election_name=new))
        chunk.transaction.delete(Voter.key(old, voter.voter_name))
    if voters:
        return False
    for candidate in (candidates := _candidates(chunk, old)):
        chunk.transaction.create(copy_with(candidate, election_name=new))
        chunk.transaction.delete(Candidate.key(old, candidate.candidate_name))
    if candidates:
        return False
    for asked in (definitions := _definitions(chunk, old)):
        chunk.transaction.create(copy_with(asked, election_name=new))
        chunk.transaction.delete(Definition.key(old, asked.digest))
    if definitions:
        return False
    election = copy(chunk.require(chunk.read.find_election(old), old))
    election.name, election.revision = new, chunk.revision
    chunk.transaction.delete(Election.key(old))
    chunk.transaction.create(election)
    chunk.transaction.delete(Ownership.key(old))
    chunk.transaction.create(Ownership(election_name=new, owner_name=election.owner_name))
    return True


def deleted(chunk: ProjectionStep, fact: ElectionDeleted) -> bool:
    """What is in it goes first, the election itself at the end."""
    name = fact.name
    for ballot in (ballots := _ballots(chunk, name)):
        chunk.transaction.delete(Ballot.key(name, ballot.voter_name))
        if not is_removed_user(ballot.voter_name):
            chunk.transaction.update(User.key(ballot.voter_name), User.ballots_cast.add(-1))
    if ballots:
        return False
    for voter in (voters := _voters(chunk, name)):
        chunk.transaction.delete(Voter.key(name, voter.voter_name))
        if not is_removed_user(voter.voter_name):
            chunk.transaction.update(User.key(voter.voter_name), User.eligible_in.add(-1))
    if voters:
        return False
    for candidate in (candidates := _candidates(chunk, name)):
        chunk.transaction.delete(Candidate.key(name, candidate.candidate_name))
    if candidates:
        return False
    for asked in (definitions := _definitions(chunk, name)):
        chunk.transaction.delete(Definition.key(name, asked.digest))
    if definitions:
        return False
    election = chunk.require(chunk.read.find_election(name), name)
    number = election.election_id
    for back in (withdrawn := take_step(chunk.read.list_withdrawn(number))):
        chunk.transaction.delete(WithdrawnBallot.key(number, back.user_id))
    if withdrawn:
        return False
    chunk.transaction.delete(Election.key(name))
    chunk.transaction.delete(Ownership.key(name))
    chunk.transaction.update(User.key(election.owner_name), User.elections_owned.add(-1))
    count_elections(chunk, -1)
    return True


def _ballots(chunk: ProjectionStep, election: str) -> list[Ballot]:
    return take_step(chunk.read.list_ballots(election))


def _voters(chunk: ProjectionStep, election: str) -> list[Voter]:
    return take_step(chunk.store.query(patterns.voters_of(election), consistent=True))


def _candidates(chunk: ProjectionStep, election: str) -> list[Candidate]:
    return take_step(chunk.read.list_candidates(election))


def _definitions(chunk: ProjectionStep, election: str) -> list[Definition]:
    return take_step(chunk.read.list_definitions(election))
