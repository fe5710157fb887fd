"""An election that moves to another name, or goes, with all that is in it."""

from __future__ import annotations

from copy import copy

from singletable_apps.elections import patterns
from singletable_apps.elections.entities import (
    Ballot,
    Candidate,
    Definition,
    Election,
    Ownership,
    User,
    Voter,
    Withdrawn,
)
from singletable_apps.elections.facts import ElectionDeleted, ElectionNameChanged
from singletable_apps.elections.projection.chunk import Chunk, renamed, some
from singletable_apps.elections.projection.elections import count_elections
from singletable_apps.elections.removed import is_removed


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
