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
    Withdrawn,
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
from singletable_apps.elections.projection.chunks import Chunk, renamed, some
from singletable_apps.elections.proofs import definition, definition_digest
from singletable_apps.elections.removed import is_removed


def created(chunk: Chunk, fact: ElectionCreated) -> bool:
    """A new election; its number is that of the event."""
    chunk.write.create(
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
    chunk.write.create(Ownership(election_name=fact.name, owner_name=fact.owner))
    chunk.write.update(User.key(fact.owner), User.elections_owned.add(1))
    count_elections(chunk, 1)
    return True


def updated(chunk: Chunk, fact: ElectionUpdated) -> bool:
    """Other settings: what the event does not name is none."""
    chunk.write.update(
        Election.key(fact.name),
        Election.secret_ballot.set(fact.secret_ballot),
        Election.publication.set(fact.publication),
        Election.no_voting_before.set(fact.no_voting_before),
        Election.no_voting_after.set(fact.no_voting_after),
        Election.revision.set(chunk.revision),
    )
    return True


def owner_changed(chunk: Chunk, fact: ElectionOwnerChanged) -> bool:
    """Another owner."""
    chunk.write.update(
        Election.key(fact.name),
        Election.owner_name.set(fact.new_owner),
        Election.revision.set(chunk.revision),
    )
    chunk.write.update(Ownership.key(fact.name), Ownership.owner_name.set(fact.new_owner))
    chunk.write.update(User.key(fact.old_owner), User.elections_owned.add(-1))
    chunk.write.update(User.key(fact.new_owner), User.elections_owned.add(1))
    return True


def launched(chunk: Chunk, fact: ElectionLaunched) -> bool:
    """Votes are accepted, about the candidates there are now."""
    election = chunk.has(chunk.view.search_election(fact.name), fact.name)
    names = [candidate.candidate_name for candidate in chunk.view.candidates(election.name)]
    asked = copy(election)
    asked.tie_commitment = fact.tie_commitment
    chunk.write.update(
        Election.key(election.name),
        Election.allow_vote.set(True),
        Election.allow_edit.set(fact.allow_edit),
        Election.tie_commitment.set(fact.tie_commitment),
        Election.tie_sealed.set(fact.tie_sealed),
        Election.definition.set(define(chunk, asked, names)),
        Election.revision.set(chunk.revision),
    )
    return True


def fixed(chunk: Chunk, fact: ElectionFixed) -> bool:
    """Nothing can be edited any more."""
    chunk.write.update(
        Election.key(fact.name),
        Election.allow_edit.set(False),
        Election.revision.set(chunk.revision),
    )
    return True


def finalized(chunk: Chunk, fact: ElectionFinalized) -> bool:
    """Closed, and signed."""
    chunk.write.update(
        Election.key(fact.name),
        Election.allow_edit.set(False),
        Election.allow_vote.set(False),
        Election.statement.set(fact.statement),
        Election.signature.set(fact.signature),
        Election.revision.set(chunk.revision),
    )
    return True


def define(chunk: Chunk, election: Election, names: list[str]) -> str:
    """Keep what ballots are about from now on, and give its digest."""
    digest = definition_digest(
        definition(
            election.election_id,
            names,
            election.secret_ballot,
            level=election.publication.value,
            commitment=election.tie_commitment or "",
        )
    )
    chunk.write.put(
        Definition(election_name=election.name, digest=digest, candidate_names=sorted(names))
    )
    return digest


def count_elections(chunk: Chunk, change: int) -> None:
    """Let METADATA/COUNTS know."""
    chunk.write.update(
        Counts.key(),
        Counts.election_count.add(change),
        Counts.last_updated.set(chunk.event.when_occurred),
    )


def name_changed(chunk: Chunk, fact: ElectionNameChanged) -> bool:
    """What is in it goes first, the election itself at the end."""
    old, new = fact.old_name, fact.new_name
    for ballot in (ballots := _ballots(chunk, old)):
        chunk.write.create(renamed(ballot, election_name=new))
        chunk.write.delete(Ballot.key(old, ballot.voter_name))
    if ballots:
        return False
    for voter in (voters := _voters(chunk, old)):
        chunk.write.create(renamed(voter, election_name=new))
        chunk.write.delete(Voter.key(old, voter.voter_name))
    if voters:
        return False
    for candidate in (candidates := _candidates(chunk, old)):
        chunk.write.create(renamed(candidate, election_name=new))
        chunk.write.delete(Candidate.key(old, candidate.candidate_name))
    if candidates:
        return False
    for asked in (definitions := _definitions(chunk, old)):
        chunk.write.create(renamed(asked, election_name=new))
        chunk.write.delete(Definition.key(old, asked.digest))
    if definitions:
        return False
    election = copy(chunk.has(chunk.view.search_election(old), old))
    election.name, election.revision = new, chunk.revision
    chunk.write.delete(Election.key(old))
    chunk.write.create(election)
    chunk.write.delete(Ownership.key(old))
    chunk.write.create(Ownership(election_name=new, owner_name=election.owner_name))
    return True


def deleted(chunk: Chunk, fact: ElectionDeleted) -> bool:
    """What is in it goes first, the election itself at the end."""
    name = fact.name
    for ballot in (ballots := _ballots(chunk, name)):
        chunk.write.delete(Ballot.key(name, ballot.voter_name))
        if not is_removed(ballot.voter_name):
            chunk.write.update(User.key(ballot.voter_name), User.ballots_cast.add(-1))
    if ballots:
        return False
    for voter in (voters := _voters(chunk, name)):
        chunk.write.delete(Voter.key(name, voter.voter_name))
        if not is_removed(voter.voter_name):
            chunk.write.update(User.key(voter.voter_name), User.eligible_in.add(-1))
    if voters:
        return False
    for candidate in (candidates := _candidates(chunk, name)):
        chunk.write.delete(Candidate.key(name, candidate.candidate_name))
    if candidates:
        return False
    for asked in (definitions := _definitions(chunk, name)):
        chunk.write.delete(Definition.key(name, asked.digest))
    if definitions:
        return False
    election = chunk.has(chunk.view.search_election(name), name)
    number = election.election_id
    for back in (withdrawn := some(chunk.view.all_withdrawn(number))):
        chunk.write.delete(Withdrawn.key(number, back.user_id))
    if withdrawn:
        return False
    chunk.write.delete(Election.key(name))
    chunk.write.delete(Ownership.key(name))
    chunk.write.update(User.key(election.owner_name), User.elections_owned.add(-1))
    count_elections(chunk, -1)
    return True


def _ballots(chunk: Chunk, election: str) -> list[Ballot]:
    return some(chunk.view.ballots(election))


def _voters(chunk: Chunk, election: str) -> list[Voter]:
    return some(chunk.store.query(patterns.voters_of(election), consistent=True))


def _candidates(chunk: Chunk, election: str) -> list[Candidate]:
    return some(chunk.view.candidates(election))


def _definitions(chunk: Chunk, election: str) -> list[Definition]:
    return some(chunk.view.definitions(election))
