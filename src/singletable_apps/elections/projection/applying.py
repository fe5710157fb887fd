"""Which event does what to the table, and under which access pattern."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from singletable import WritePattern
from singletable_apps.elections import facts, patterns
from singletable_apps.elections.facts import Fact
from singletable_apps.elections.projection import elections, users, voting, whole
from singletable_apps.elections.projection.chunk import Chunk

F = TypeVar("F", bound=Fact)


@dataclass(frozen=True, slots=True)
class Effect:
    """What a fact does: it writes one step, and says whether it was the last."""

    pattern: WritePattern
    apply: Callable[[Chunk, Any], bool]


EFFECTS: dict[type[object], Effect] = {}


def _on(kind: type[F], pattern: WritePattern, apply: Callable[[Chunk, F], bool]) -> None:
    EFFECTS[kind] = Effect(pattern, apply)


_on(facts.UserRegistered, patterns.register, users.registered)
_on(facts.UserRoleChanged, patterns.change_user, users.role_changed)
_on(facts.OwnershipTransferred, patterns.change_user, users.ownership_transferred)
_on(facts.UserPasswordChanged, patterns.change_user, users.password_changed)
_on(facts.UserEmailChanged, patterns.change_user, users.email_changed)
_on(facts.UserNameChanged, patterns.rename_user, users.name_changed)
_on(facts.UserRemoved, patterns.remove_user, users.removed)

_on(facts.ElectionCreated, patterns.create_election, elections.created)
_on(facts.ElectionUpdated, patterns.change_election, elections.updated)
_on(facts.ElectionLaunched, patterns.change_election, elections.launched)
_on(facts.ElectionFixed, patterns.change_election, elections.fixed)
_on(facts.ElectionFinalized, patterns.change_election, elections.finalized)
_on(facts.ElectionOwnerChanged, patterns.hand_over, elections.owner_changed)
_on(facts.ElectionNameChanged, patterns.rename_election, whole.name_changed)
_on(facts.ElectionDeleted, patterns.delete_election, whole.deleted)

_on(facts.CandidatesAdded, patterns.change_candidates, voting.candidates_added)
_on(facts.CandidatesRemoved, patterns.change_candidates, voting.candidates_removed)
_on(facts.VotersAdded, patterns.change_voters, voting.voters_added)
_on(facts.VotersRemoved, patterns.change_voters, voting.voters_removed)
_on(facts.BallotCast, patterns.cast_ballot, voting.ballot_cast)
_on(facts.BallotWithdrawn, patterns.withdraw_ballot, voting.ballot_withdrawn)
