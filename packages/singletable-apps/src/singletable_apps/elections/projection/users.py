"""Handlers for events about users.

A handler writes one step and returns whether it was the last one.
"""

from __future__ import annotations

from copy import copy

from singletable import Edit, key_of
from singletable_apps.elections import events, patterns
from singletable_apps.elections.changes import keeps_ballots, new_user
from singletable_apps.elections.entities import (
    Counts,
    Election,
    Ownership,
    PendingRename,
    User,
    removed_user_name,
)
from singletable_apps.elections.projection.event_transaction import ProjectionStep, copy_with


def register_user(step: ProjectionStep, data: events.UserRegistered) -> bool:
    """Create the user."""
    step.transaction.create(new_user(step.event, data))
    rule = [] if data.registration is None else [Counts.registration.set(data.registration)]
    _count_users(step, 1, *rule)
    return True


def change_registration(step: ProjectionStep, data: events.RegistrationChanged) -> bool:
    """Store who may register."""
    _count_users(step, 0, Counts.registration.set(data.registration))
    return True


def rename_user(step: ProjectionStep, data: events.UserNameChanged) -> bool:
    """Move the user first, then step by step the items that contain the name."""
    if step.number == 0:
        old = step.require(step.read.find_user(data.old_name), data.old_name)
        user = copy(old)
        user.name = data.new_name
        user.revision = step.revision
        left = PendingRename(old.name, old.elections_owned, old.ballots_cast, old.eligible_in)
        user.pending_rename = left if left.elections or left.ballots or left.voters else None
        step.transaction.delete(User.key(old.name))
        step.transaction.create(user)
        return user.pending_rename is None
    user = step.require(step.read.find_user(data.new_name), data.new_name)
    left = _rename_items(
        step, step.require(user.pending_rename, "the list of items to move"), user.name
    )
    is_last = not (left.elections or left.ballots or left.voters)
    step.transaction.update(User.key(user.name), User.pending_rename.set(None if is_last else left))
    return is_last


def _rename_items(step: ProjectionStep, left: PendingRename, name: str) -> PendingRename:
    """Rename some of the items that contain the old name. Return the remaining ones."""
    if left.elections:
        owned = step.load_indexed(
            step.store.run(patterns.elections_of_owner, left.old_name),
            left.elections,
            is_current=lambda item: item.owner_name == left.old_name,
        )
        for ownership in owned:
            step.transaction.update(key_of(ownership), Ownership.owner_name.set(name))
            step.transaction.update(
                Election.key(ownership.election_name),
                Election.owner_name.set(name),
                Election.revision.set(step.revision),
            )
        return PendingRename(left.old_name, left.elections - len(owned), left.ballots, left.voters)
    if left.ballots:
        indexed = step.store.run(patterns.ballots_by_voter, left.old_name)
        ballots = step.load_indexed(indexed, left.ballots)
        for ballot in ballots:
            step.transaction.delete(key_of(ballot))
            step.transaction.create(copy_with(ballot, voter_name=name))
        return PendingRename(left.old_name, 0, left.ballots - len(ballots), left.voters)
    listed = step.store.run(patterns.eligible_where, left.old_name)
    voters = step.load_indexed(listed, left.voters)
    for voter in voters:
        step.transaction.delete(key_of(voter))
        step.transaction.create(copy_with(voter, voter_name=name))
    return PendingRename(left.old_name, 0, 0, left.voters - len(voters))


def remove_user(step: ProjectionStep, data: events.UserRemoved) -> bool:
    """Delete ballots in open elections; remove the name from everything else; delete the user."""
    user = step.require(step.read.find_user(data.name), data.name)
    placeholder = removed_user_name(user.user_id)
    indexed = step.store.run(patterns.ballots_by_voter, user.name)
    if ballots := step.load_indexed(indexed, user.ballots_cast):
        for ballot in ballots:
            election = step.require(
                step.read.find_election(ballot.election_name), ballot.election_name
            )
            step.transaction.delete(key_of(ballot))
            if keeps_ballots(election, step.event.when_occurred):
                step.transaction.create(copy_with(ballot, voter_name=placeholder))
        step.transaction.update(User.key(user.name), User.ballots_cast.add(-len(ballots)))
        return False
    listed = step.store.run(patterns.eligible_where, user.name)
    if voters := step.load_indexed(listed, user.eligible_in):
        # If the entry were deleted and was the last one, everyone could vote.
        for voter in voters:
            step.transaction.delete(key_of(voter))
            step.transaction.create(copy_with(voter, voter_name=placeholder))
        step.transaction.update(User.key(user.name), User.eligible_in.add(-len(voters)))
        return False
    step.transaction.delete(User.key(user.name))
    _count_users(step, -1)
    return True


def _count_users(step: ProjectionStep, change: int, *edits: Edit[Counts]) -> None:
    step.transaction.update(
        Counts.key(),
        *edits,
        Counts.user_count.add(change),
        Counts.last_updated.set(step.event.when_occurred),
    )
