"""Conducting elections: from the first setting to the signed end."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from singletable_apps.elections.entities import Election, User
from singletable_apps.elections.errors import Invalid, Taken
from singletable_apps.elections.events import (
    SYSTEM_ACTOR,
    ElectionCreated,
    ElectionDeleted,
    ElectionFinalized,
    ElectionFixed,
    ElectionLaunched,
    ElectionNameChanged,
    ElectionOwnerChanged,
    ElectionUpdated,
    EventData,
)
from singletable_apps.elections.proofs import canonical_json, compute_commitment
from singletable_apps.elections.read_model import ReadModel
from singletable_apps.elections.rules import (
    check_create,
    check_delete,
    check_finalise,
    check_fix,
    check_handover,
    check_launch,
    check_rename,
    check_settings,
    check_window,
    default_publication,
    election_name,
    same,
)
from singletable_apps.elections.service.closing import closing_statement
from singletable_apps.elections.service.context import Context, RevisionCheck, any_revision, still
from singletable_apps.elections.states import Publication

T = TypeVar("T")


class Terms(msgspec.Struct, frozen=True):
    """What is settled before an election opens. No publication: what goes with its secrecy."""

    secret_ballot: bool = False
    publication: Publication | None = None
    no_voting_before: datetime | None = None
    no_voting_after: datetime | None = None

    @property
    def published(self) -> Publication:
        """What will be published."""
        return self.publication or default_publication(self.secret_ballot)


class Changes(msgspec.Struct, frozen=True):
    """What is to be another; what is left out stays as it is.

    A publication that was what goes with the secrecy of the ballot, follows it: nobody who makes
    a ballot secret shall have all ballots published because of what was settled before.
    """

    name: str | UnsetType = UNSET
    secret_ballot: bool | UnsetType = UNSET
    publication: Publication | UnsetType = UNSET
    no_voting_before: datetime | UnsetType | None = UNSET
    no_voting_after: datetime | UnsetType | None = UNSET

    @property
    def is_about_settings(self) -> bool:
        """Whether more than the name is to be another."""
        return any(getattr(self, field) is not UNSET for field in self.__struct_fields__[1:])

    def made_to(self, election: Election) -> ElectionUpdated:
        """The settings that the election would have."""
        now = settings_of(election)
        secret = _chosen(self.secret_ballot, now.secret_ballot)
        usual = now.publication is default_publication(now.secret_ballot)
        follows = default_publication(secret) if usual else now.publication
        return ElectionUpdated(
            name=election.name,
            secret_ballot=secret,
            publication=_chosen(self.publication, follows),
            no_voting_before=_chosen(self.no_voting_before, now.no_voting_before),
            no_voting_after=_chosen(self.no_voting_after, now.no_voting_after),
        )


def settings_of(election: Election) -> ElectionUpdated:
    """The settings that an election has."""
    return ElectionUpdated(
        name=election.name,
        secret_ballot=election.secret_ballot,
        publication=election.publication,
        no_voting_before=election.no_voting_before,
        no_voting_after=election.no_voting_after,
    )


def _chosen(wanted: T | UnsetType, now: T) -> T:
    return now if isinstance(wanted, UnsetType) else wanted


class Lifecycle:
    """Commands about elections."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def create(self, actor: User, name: str, terms: Terms | None = None) -> Election:
        """A new election, which its owner sets up before it is launched."""
        name, terms = election_name(name), terms or Terms()
        check_window(terms.no_voting_before, terms.no_voting_after)

        def decide(view: ReadModel) -> Sequence[EventData]:
            me = still(view, actor)
            check_create(me)
            _check_free(view, name)
            return [
                ElectionCreated(
                    owner=me.name,
                    name=name,
                    secret_ballot=terms.secret_ballot,
                    publication=terms.published,
                    no_voting_before=terms.no_voting_before,
                    no_voting_after=terms.no_voting_after,
                )
            ]

        self._context.execute(actor, decide)
        return self._context.read.get_election(name)

    def settle(
        self, actor: User, name: str, terms: Terms, basis: RevisionCheck = any_revision
    ) -> Election:
        """Other settings, all of them: what is left out is none."""
        whole = Changes(
            secret_ballot=terms.secret_ballot,
            publication=terms.published,
            no_voting_before=terms.no_voting_before,
            no_voting_after=terms.no_voting_after,
        )
        return self.edit(actor, name, whole, basis)

    def rename(
        self, actor: User, name: str, new: str, basis: RevisionCheck = any_revision
    ) -> Election:
        """Another name: all that is in the election follows."""
        return self.edit(actor, name, Changes(name=new), basis)

    def edit(
        self, actor: User, name: str, changes: Changes, basis: RevisionCheck = any_revision
    ) -> Election:
        """Another name, other settings, or both at once or neither."""
        new = election_name(changes.name) if isinstance(changes.name, str) else None
        edited: list[str] = []

        def decide(view: ReadModel) -> Sequence[EventData]:
            me, election = still(view, actor), view.get_election(name)
            if changes.is_about_settings:
                check_settings(me, election)
            if new is not None:
                check_rename(me, election)
            basis(election.revision)
            edited[:] = [new or election.name]
            facts: list[EventData] = []
            now, wanted = settings_of(election), changes.made_to(election)
            check_window(wanted.no_voting_before, wanted.no_voting_after)
            if wanted != now:
                facts.append(wanted)
            if new is not None and new != election.name:
                if not same(new, election.name):
                    _check_free(view, new)
                facts.append(ElectionNameChanged(old_name=election.name, new_name=new))
            return facts

        self._context.execute(actor, decide)
        return self._context.read.get_election(edited[0])

    def launch(
        self, actor: User, name: str, *, allow_edit: bool, basis: RevisionCheck = any_revision
    ) -> Election:
        """Accept votes; a secret is chosen now that will order ties at the end."""
        secret, iv = self._context.random(32), self._context.random(12)

        def decide(view: ReadModel) -> Sequence[EventData]:
            me, election = still(view, actor), view.get_election(name)
            check_launch(me, election, self._context.clock())
            basis(election.revision)
            sealed = self._context.keys.ballot_key.seal_secret(election.election_id, secret, iv=iv)
            return [
                ElectionLaunched(
                    name=election.name,
                    allow_edit=allow_edit,
                    tie_commitment=compute_commitment(secret),
                    tie_sealed=sealed,
                )
            ]

        self._context.execute(actor, decide)
        return self._context.read.get_election(name)

    def fix(self, actor: User, name: str, basis: RevisionCheck = any_revision) -> Election:
        """Let nothing be edited any more while votes are accepted."""

        def decide(view: ReadModel) -> Sequence[EventData]:
            me, election = still(view, actor), view.get_election(name)
            check_fix(me, election)
            basis(election.revision)
            return [ElectionFixed(name=election.name)]

        self._context.execute(actor, decide)
        return self._context.read.get_election(name)

    def finalise(
        self, actor: User | None, name: str, basis: RevisionCheck = any_revision
    ) -> Election:
        """Close an election and sign with which ballots; without an actor, because time is up."""

        def decide(view: ReadModel) -> Sequence[EventData]:
            me, election = still(view, actor) if actor else None, view.get_election(name)
            now = self._context.clock()
            check_finalise(me, election, now)
            basis(election.revision)
            statement = closing_statement(view, election, self._context.keys, now)
            return [
                ElectionFinalized(
                    name=election.name,
                    statement=canonical_json(statement).decode(),
                    signature=self._context.keys.signer.sign(statement),
                )
            ]

        self._context.bus.execute(actor.name if actor else SYSTEM_ACTOR, decide)
        return self._context.read.get_election(name)

    def hand_over(
        self, actor: User, name: str, to: str, basis: RevisionCheck = any_revision
    ) -> Election:
        """Make an election somebody else's."""

        def decide(view: ReadModel) -> Sequence[EventData]:
            me, election, other = still(view, actor), view.get_election(name), view.find_user(to)
            if other is None:
                raise Invalid(f"There is no user '{to}' to give it to.", field="owner")
            check_handover(me, election, other)
            basis(election.revision)
            if same(other.name, election.owner_name):
                return []
            return [ElectionOwnerChanged(election.name, election.owner_name, other.name)]

        self._context.execute(actor, decide)
        return self._context.read.get_election(name)

    def delete(self, actor: User, name: str, basis: RevisionCheck = any_revision) -> None:
        """Remove an election with all that is in it."""

        def decide(view: ReadModel) -> Sequence[EventData]:
            me, election = still(view, actor), view.get_election(name)
            check_delete(me, election)
            basis(election.revision)
            return [ElectionDeleted(name=election.name)]

        self._context.execute(actor, decide)


def _check_free(view: ReadModel, name: str) -> None:
    if view.find_election(name) is not None:
        raise Taken(f"Another election has the name '{name}'. Choose another.", field="name")
