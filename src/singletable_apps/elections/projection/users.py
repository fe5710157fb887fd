"""How users stand in the table after an event about them."""

from __future__ import annotations

from copy import copy

from singletable import ItemKey
from singletable_apps.elections import patterns
from singletable_apps.elections.entities import (
    Ballot,
    Counts,
    Election,
    Ownership,
    PendingRename,
    User,
    Voter,
    removed_user_name,
)
from singletable_apps.elections.events import (
    OwnershipTransferred,
    UserEmailChanged,
    UserNameChanged,
    UserPasswordChanged,
    UserRegistered,
    UserRemoved,
    UserRoleChanged,
)
from singletable_apps.elections.projection.chunks import ProjectionStep, copy_with, load_indexed
from singletable_apps.elections.roles import Role
from singletable_apps.elections.rules.elections import has_ended


def registered(chunk: ProjectionStep, fact: UserRegistered) -> bool:
    """A new user; its number is that of the event."""
    chunk.transaction.create(
        User(
            name=fact.name,
            email=fact.email,
            hash=fact.hash,
            role=fact.role,
            user_id=chunk.revision,
            credentials=chunk.revision,
            when_registered=chunk.event.when_occurred,
            revision=chunk.revision,
        )
    )
    count_users(chunk, 1)
    return True


def role_changed(chunk: ProjectionStep, fact: UserRoleChanged) -> bool:
    """Another role."""
    _give(chunk, fact.name, fact.role)
    return True


def ownership_transferred(chunk: ProjectionStep, fact: OwnershipTransferred) -> bool:
    """The owner is an auditor, and another is the owner."""
    _give(chunk, fact.old_owner, Role.AUDITOR)
    _give(chunk, fact.new_owner, Role.OWNER)
    return True


def password_changed(chunk: ProjectionStep, fact: UserPasswordChanged) -> bool:
    """Another hash; unless it is the same password, whoever is signed in is so no longer."""
    edits = [User.hash.set(fact.hash)]
    if not fact.renewed:
        edits.append(User.credentials.set(chunk.revision))
    chunk.transaction.update(User.key(fact.name), *edits, User.revision.set(chunk.revision))
    return True


def email_changed(chunk: ProjectionStep, fact: UserEmailChanged) -> bool:
    """Another address, and the marker that keeps it theirs."""
    chunk.transaction.update(
        User.key(fact.name), User.email.set(fact.email), User.revision.set(chunk.revision)
    )
    return True


def name_changed(chunk: ProjectionStep, fact: UserNameChanged) -> bool:
    """First the user itself, then chunk by chunk whatever bears the name."""
    if chunk.number == 0:
        old = chunk.require(chunk.read.find_user(fact.old_name), fact.old_name)
        user = copy(old)
        user.name = fact.new_name
        user.revision = chunk.revision
        left = PendingRename(old.name, old.elections_owned, old.ballots_cast, old.eligible_in)
        user.moving = left if left.elections or left.ballots or left.voters else None
        chunk.transaction.delete(User.key(old.name))
        chunk.transaction.create(user)
        return user.moving is None
    user = chunk.require(chunk.read.find_user(fact.new_name), fact.new_name)
    left = _move_some(chunk, chunk.require(user.moving, "what is to be moved"), user.name)
    done = not (left.elections or left.ballots or left.voters)
    chunk.transaction.update(User.key(user.name), User.moving.set(None if done else left))
    return done


def removed(chunk: ProjectionStep, fact: UserRemoved) -> bool:
    """Ballots go where voting has not ended; all else that bears the name loses it."""
    user = chunk.require(chunk.read.find_user(fact.name), fact.name)
    nobody = removed_user_name(user.user_id)
    shown = chunk.store.query(patterns.ballots_by_voter(user.name))
    ballots = load_indexed(chunk, shown, user.ballots_cast, _ballot_of)
    if ballots:
        for ballot in ballots:
            election = chunk.require(
                chunk.read.find_election(ballot.election_name), ballot.election_name
            )
            chunk.transaction.delete(_ballot_of(ballot))
            if not election.allow_vote or has_ended(election, chunk.event.when_occurred):
                chunk.transaction.create(copy_with(ballot, voter_name=nobody))
        chunk.transaction.update(User.key(user.name), User.ballots_cast.add(-len(ballots)))
        return False
    entries = load_indexed(
        chunk,
        chunk.store.query(patterns.eligible_where(user.name)),
        user.eligible_in,
        _entry_of,
    )
    if entries:
        # A list that loses its last name would let everybody vote; this way it never does.
        for entry in entries:
            chunk.transaction.delete(_entry_of(entry))
            chunk.transaction.create(copy_with(entry, voter_name=nobody))
        chunk.transaction.update(User.key(user.name), User.eligible_in.add(-len(entries)))
        return False
    chunk.transaction.delete(User.key(user.name))
    count_users(chunk, -1)
    return True


def count_users(chunk: ProjectionStep, change: int) -> None:
    """Let METADATA/COUNTS know."""
    chunk.transaction.update(
        Counts.key(),
        Counts.user_count.add(change),
        Counts.last_updated.set(chunk.event.when_occurred),
    )


def _give(chunk: ProjectionStep, name: str, role: Role) -> None:
    chunk.transaction.update(User.key(name), User.role.set(role), User.revision.set(chunk.revision))


def _move_some(chunk: ProjectionStep, left: PendingRename, name: str) -> PendingRename:
    """Give some of what bears the old name the new one; say what is left."""
    if left.elections:
        owned = load_indexed(
            chunk,
            chunk.store.query(patterns.elections_of_owner(left.old_name)),
            left.elections,
            lambda one: Ownership.key(one.election_name),
            still=lambda one: one.owner_name == left.old_name,
        )
        for one in owned:
            chunk.transaction.update(
                Ownership.key(one.election_name), Ownership.owner_name.set(name)
            )
            chunk.transaction.update(
                Election.key(one.election_name),
                Election.owner_name.set(name),
                Election.revision.set(chunk.revision),
            )
        return PendingRename(left.old_name, left.elections - len(owned), left.ballots, left.voters)
    if left.ballots:
        shown = chunk.store.query(patterns.ballots_by_voter(left.old_name))
        ballots = load_indexed(chunk, shown, left.ballots, _ballot_of)
        for ballot in ballots:
            chunk.transaction.delete(_ballot_of(ballot))
            chunk.transaction.create(copy_with(ballot, voter_name=name))
        return PendingRename(left.old_name, 0, left.ballots - len(ballots), left.voters)
    listed = chunk.store.query(patterns.eligible_where(left.old_name))
    entries = load_indexed(chunk, listed, left.voters, _entry_of)
    for entry in entries:
        chunk.transaction.delete(_entry_of(entry))
        chunk.transaction.create(copy_with(entry, voter_name=name))
    return PendingRename(left.old_name, 0, 0, left.voters - len(entries))


def _ballot_of(ballot: Ballot) -> ItemKey[Ballot]:
    return Ballot.key(ballot.election_name, ballot.voter_name)


def _entry_of(entry: Voter) -> ItemKey[Voter]:
    return Voter.key(entry.election_name, entry.voter_name)
