"""Conducting elections: from the first setting to the signed end."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import TypeVar

import msgspec
from msgspec import UNSET, UnsetType

from singletable_apps.elections.entities import Election, Publication, User, is_removed_user
from singletable_apps.elections.errors import AlreadyTaken, InvalidInput
from singletable_apps.elections.events import (
    SYSTEM_ACTOR,
    CandidatesAdded,
    CandidatesRemoved,
    ElectionCreated,
    ElectionDeleted,
    ElectionFinalized,
    ElectionFixed,
    ElectionLaunched,
    ElectionNameChanged,
    ElectionOwnerChanged,
    ElectionUpdated,
    EventData,
    VotersAdded,
    VotersRemoved,
)
from singletable_apps.elections.proofs import canonical_json, compute_commitment
from singletable_apps.elections.read_model import ReadModel
from singletable_apps.elections.rules.elections import (
    check_close,
    check_create_election,
    check_delete,
    check_edit_settings,
    check_launch,
    check_lock,
    check_rename_election,
    check_set_candidates,
    check_set_voters,
    check_transfer,
    check_window,
    default_publication,
)
from singletable_apps.elections.rules.names import (
    clean_candidate_names,
    clean_election_name,
    clean_voter_names,
    fold_name,
    is_same_name,
)
from singletable_apps.elections.service.closing import closing_statement
from singletable_apps.elections.service.context import (
    Context,
    RevisionCheck,
    any_revision,
    reload_actor,
)

T = TypeVar("T")

# An event is one item of at most 400 KB, and names may be long.
NAMES_AN_EVENT = 200
# What a command appends is one transaction of at most 4 MB.
MOST_BYTES = 3_000_000


class ElectionSettings(msgspec.Struct, frozen=True):
    """What is settled before an election opens. No publication: what goes with its secrecy."""

    secret_ballot: bool = False
    publication: Publication | None = None
    no_voting_before: datetime | None = None
    no_voting_after: datetime | None = None

    @property
    def published(self) -> Publication:
        """What will be published."""
        return self.publication or default_publication(self.secret_ballot)


class ElectionEdit(msgspec.Struct, frozen=True):
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

    def create(self, actor: User, name: str, terms: ElectionSettings | None = None) -> Election:
        """A new election, which its owner sets up before it is launched."""
        name, terms = clean_election_name(name), terms or ElectionSettings()
        check_window(terms.no_voting_before, terms.no_voting_after)

        def decide(view: ReadModel) -> Sequence[EventData]:
            me = reload_actor(view, actor)
            check_create_election(me)
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

    def replace_settings(
        self, actor: User, name: str, terms: ElectionSettings, basis: RevisionCheck = any_revision
    ) -> Election:
        """Other settings, all of them: what is left out is none."""
        whole = ElectionEdit(
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
        return self.edit(actor, name, ElectionEdit(name=new), basis)

    def edit(
        self, actor: User, name: str, changes: ElectionEdit, basis: RevisionCheck = any_revision
    ) -> Election:
        """Another name, other settings, or both at once or neither."""
        new = clean_election_name(changes.name) if isinstance(changes.name, str) else None
        edited: list[str] = []

        def decide(view: ReadModel) -> Sequence[EventData]:
            me, election = reload_actor(view, actor), view.get_election(name)
            if changes.is_about_settings:
                check_edit_settings(me, election)
            if new is not None:
                check_rename_election(me, election)
            basis(election.revision)
            edited[:] = [new or election.name]
            facts: list[EventData] = []
            now, wanted = settings_of(election), changes.made_to(election)
            check_window(wanted.no_voting_before, wanted.no_voting_after)
            if wanted != now:
                facts.append(wanted)
            if new is not None and new != election.name:
                if not is_same_name(new, election.name):
                    _check_free(view, new)
                facts.append(ElectionNameChanged(old_name=election.name, new_name=new))
            return facts

        self._context.execute(actor, decide)
        return self._context.read.get_election(edited[0])

    def set_candidates(
        self, actor: User, name: str, names: Sequence[str], basis: RevisionCheck = any_revision
    ) -> Election:
        """The candidates there are to be; who is there already stays."""
        wanted = clean_candidate_names(names)

        def decide(view: ReadModel) -> Sequence[EventData]:
            me, election = reload_actor(view, actor), view.get_election(name)
            check_set_candidates(me, election, count=len(wanted))
            basis(election.revision)
            now = [one.candidate_name for one in view.list_candidates(election.name)]
            added, removed = _changes(now, wanted)
            _check_size([*added, *removed])
            return [
                *(CandidatesRemoved(election.name, part) for part in _parts(removed)),
                *(CandidatesAdded(election.name, part) for part in _parts(added)),
            ]

        self._context.execute(actor, decide)
        return self._context.read.get_election(name)

    def set_voters(
        self, actor: User, name: str, names: Sequence[str], basis: RevisionCheck = any_revision
    ) -> Election:
        """Those who may vote; none is everybody whose role lets them vote."""
        wanted = clean_voter_names(names)

        def decide(view: ReadModel) -> Sequence[EventData]:
            me, election = reload_actor(view, actor), view.get_election(name)
            check_set_voters(me, election)
            basis(election.revision)
            now = [one.voter_name for one in view.list_voters_and_removed(election.name)]
            listed = {fold_name(one) for one in now}
            added = [one for one in wanted if fold_name(one) not in listed]
            registered = _registered(view, added)
            stay = {fold_name(one) for one in wanted}
            # Who was removed as a user stays listed under no name, unless the list ends.
            removed = [
                one
                for one in now
                if fold_name(one) not in stay and (not is_removed_user(one) or not wanted)
            ]
            _check_size([*registered, *removed])
            return [
                *(VotersRemoved(election.name, part) for part in _parts(removed)),
                *(VotersAdded(election.name, part) for part in _parts(registered)),
            ]

        self._context.execute(actor, decide)
        return self._context.read.get_election(name)

    def launch(
        self, actor: User, name: str, *, allow_edit: bool, basis: RevisionCheck = any_revision
    ) -> Election:
        """Accept votes; a secret is chosen now that will order ties at the end."""
        secret, iv = self._context.random(32), self._context.random(12)

        def decide(view: ReadModel) -> Sequence[EventData]:
            me, election = reload_actor(view, actor), view.get_election(name)
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

    def lock(self, actor: User, name: str, basis: RevisionCheck = any_revision) -> Election:
        """Let nothing be edited any more while votes are accepted."""

        def decide(view: ReadModel) -> Sequence[EventData]:
            me, election = reload_actor(view, actor), view.get_election(name)
            check_lock(me, election)
            basis(election.revision)
            return [ElectionFixed(name=election.name)]

        self._context.execute(actor, decide)
        return self._context.read.get_election(name)

    def close(self, actor: User | None, name: str, basis: RevisionCheck = any_revision) -> Election:
        """Close an election and sign with which ballots; without an actor, because time is up."""

        def decide(view: ReadModel) -> Sequence[EventData]:
            me, election = reload_actor(view, actor) if actor else None, view.get_election(name)
            now = self._context.clock()
            check_close(me, election, now)
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

    def transfer(
        self, actor: User, name: str, to: str, basis: RevisionCheck = any_revision
    ) -> Election:
        """Make an election somebody else's."""

        def decide(view: ReadModel) -> Sequence[EventData]:
            me, election, other = (
                reload_actor(view, actor),
                view.get_election(name),
                view.find_user(to),
            )
            if other is None:
                raise InvalidInput(f"There is no user '{to}' to give it to.", field="owner")
            check_transfer(me, election, other)
            basis(election.revision)
            if is_same_name(other.name, election.owner_name):
                return []
            return [ElectionOwnerChanged(election.name, election.owner_name, other.name)]

        self._context.execute(actor, decide)
        return self._context.read.get_election(name)

    def delete(self, actor: User, name: str, basis: RevisionCheck = any_revision) -> None:
        """Remove an election with all that is in it."""

        def decide(view: ReadModel) -> Sequence[EventData]:
            me, election = reload_actor(view, actor), view.get_election(name)
            check_delete(me, election)
            basis(election.revision)
            return [ElectionDeleted(name=election.name)]

        self._context.execute(actor, decide)


def _check_free(view: ReadModel, name: str) -> None:
    if view.find_election(name) is not None:
        raise AlreadyTaken(f"Another election has the name '{name}'. Choose another.", field="name")


def _changes(now: Sequence[str], wanted: Sequence[str]) -> tuple[list[str], list[str]]:
    """Who is to be added, and who to be removed; another spelling of a name is both."""
    there, to_be = set(now), set(wanted)
    return [name for name in wanted if name not in there], [
        name for name in now if name not in to_be
    ]


def _registered(view: ReadModel, names: Sequence[str]) -> list[str]:
    """The users of these names, as they are written; refused if there is one who is none."""
    found = dict(zip(names, view.find_users(names), strict=True))
    strangers = [name for name, user in found.items() if user is None]
    if strangers:
        raise InvalidInput(
            f"Cannot set eligibility for unregistered users: {', '.join(strangers)}. Have them "
            "register first, or leave them out.",
            field="voters",
        )
    return [user.name for user in found.values() if user is not None]


def _check_size(names: Sequence[str]) -> None:
    if len(json.dumps(names, ensure_ascii=False).encode()) > MOST_BYTES:
        raise InvalidInput(
            f"{len(names):,} names of this length are more than one step can take. Change the "
            "list in several steps.",
        )


def _parts(names: Sequence[str]) -> list[tuple[str, ...]]:
    return [tuple(names[at : at + NAMES_AN_EVENT]) for at in range(0, len(names), NAMES_AN_EVENT)]
