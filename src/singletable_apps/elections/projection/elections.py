"""How elections stand in the table after an event about them."""

from __future__ import annotations

from copy import copy

from singletable_apps.elections.entities import Counts, Definition, Election, Ownership, User
from singletable_apps.elections.facts import (
    ElectionCreated,
    ElectionFinalized,
    ElectionFixed,
    ElectionLaunched,
    ElectionOwnerChanged,
    ElectionUpdated,
)
from singletable_apps.elections.projection.chunk import Chunk
from singletable_apps.elections.proofs import definition, definition_digest


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
