"""Conducting elections: from the first setting to the signed end."""

from __future__ import annotations

from collections.abc import Sequence

from singletable_apps.elections.entities import Election, User
from singletable_apps.elections.errors import Invalid, Taken
from singletable_apps.elections.facts import (
    ElectionCreated,
    ElectionDeleted,
    ElectionFinalized,
    ElectionFixed,
    ElectionLaunched,
    ElectionNameChanged,
    ElectionOwnerChanged,
    Fact,
)
from singletable_apps.elections.log import SYSTEM
from singletable_apps.elections.proofs import canonical, commitment
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
    election_name,
    same,
)
from singletable_apps.elections.service.closing import closing_statement
from singletable_apps.elections.service.desk import Basis, Office, any_basis, still
from singletable_apps.elections.service.terms import Changes, Terms, settings_of
from singletable_apps.elections.view import View


class Conducting:
    """Commands about elections."""

    def __init__(self, office: Office) -> None:
        self._office = office

    def create(self, actor: User, name: str, terms: Terms | None = None) -> Election:
        """A new election, which its owner sets up before it is launched."""
        name, terms = election_name(name), terms or Terms()
        check_window(terms.no_voting_before, terms.no_voting_after)

        def decide(view: View) -> Sequence[Fact]:
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

        self._office.carry_out(actor, decide)
        return self._office.view.election(name)

    def settle(self, actor: User, name: str, terms: Terms, basis: Basis = any_basis) -> Election:
        """Other settings, all of them: what is left out is none."""
        whole = Changes(
            secret_ballot=terms.secret_ballot,
            publication=terms.published,
            no_voting_before=terms.no_voting_before,
            no_voting_after=terms.no_voting_after,
        )
        return self.edit(actor, name, whole, basis)

    def rename(self, actor: User, name: str, new: str, basis: Basis = any_basis) -> Election:
        """Another name: all that is in the election follows."""
        return self.edit(actor, name, Changes(name=new), basis)

    def edit(self, actor: User, name: str, changes: Changes, basis: Basis = any_basis) -> Election:
        """Another name, other settings, or both at once or neither."""
        new = election_name(changes.name) if isinstance(changes.name, str) else None
        edited: list[str] = []

        def decide(view: View) -> Sequence[Fact]:
            me, election = still(view, actor), view.election(name)
            if changes.is_about_settings:
                check_settings(me, election)
            if new is not None:
                check_rename(me, election)
            basis(election.revision)
            edited[:] = [new or election.name]
            facts: list[Fact] = []
            now, wanted = settings_of(election), changes.made_to(election)
            check_window(wanted.no_voting_before, wanted.no_voting_after)
            if wanted != now:
                facts.append(wanted)
            if new is not None and new != election.name:
                if not same(new, election.name):
                    _check_free(view, new)
                facts.append(ElectionNameChanged(old_name=election.name, new_name=new))
            return facts

        self._office.carry_out(actor, decide)
        return self._office.view.election(edited[0])

    def launch(
        self, actor: User, name: str, *, allow_edit: bool, basis: Basis = any_basis
    ) -> Election:
        """Accept votes; a secret is chosen now that will order ties at the end."""
        secret, iv = self._office.random(32), self._office.random(12)

        def decide(view: View) -> Sequence[Fact]:
            me, election = still(view, actor), view.election(name)
            check_launch(me, election, self._office.clock())
            basis(election.revision)
            sealed = self._office.keys.ballots.seal_secret(election.election_id, secret, iv=iv)
            return [
                ElectionLaunched(
                    name=election.name,
                    allow_edit=allow_edit,
                    tie_commitment=commitment(secret),
                    tie_sealed=sealed,
                )
            ]

        self._office.carry_out(actor, decide)
        return self._office.view.election(name)

    def fix(self, actor: User, name: str, basis: Basis = any_basis) -> Election:
        """Let nothing be edited any more while votes are accepted."""

        def decide(view: View) -> Sequence[Fact]:
            me, election = still(view, actor), view.election(name)
            check_fix(me, election)
            basis(election.revision)
            return [ElectionFixed(name=election.name)]

        self._office.carry_out(actor, decide)
        return self._office.view.election(name)

    def finalise(self, actor: User | None, name: str, basis: Basis = any_basis) -> Election:
        """Close an election and sign with which ballots; without an actor, because time is up."""

        def decide(view: View) -> Sequence[Fact]:
            me, election = still(view, actor) if actor else None, view.election(name)
            now = self._office.clock()
            check_finalise(me, election, now)
            basis(election.revision)
            statement = closing_statement(view, election, self._office.keys, now)
            return [
                ElectionFinalized(
                    name=election.name,
                    statement=canonical(statement).decode(),
                    signature=self._office.keys.signer.sign(statement),
                )
            ]

        self._office.desk.carry_out(actor.name if actor else SYSTEM, decide)
        return self._office.view.election(name)

    def hand_over(self, actor: User, name: str, to: str, basis: Basis = any_basis) -> Election:
        """Make an election somebody else's."""

        def decide(view: View) -> Sequence[Fact]:
            me, election, other = still(view, actor), view.election(name), view.search_user(to)
            if other is None:
                raise Invalid(f"There is no user '{to}' to give it to.", field="owner")
            check_handover(me, election, other)
            basis(election.revision)
            if same(other.name, election.owner_name):
                return []
            return [ElectionOwnerChanged(election.name, election.owner_name, other.name)]

        self._office.carry_out(actor, decide)
        return self._office.view.election(name)

    def delete(self, actor: User, name: str, basis: Basis = any_basis) -> None:
        """Remove an election with all that is in it."""

        def decide(view: View) -> Sequence[Fact]:
            me, election = still(view, actor), view.election(name)
            check_delete(me, election)
            basis(election.revision)
            return [ElectionDeleted(name=election.name)]

        self._office.carry_out(actor, decide)


def _check_free(view: View, name: str) -> None:
    if view.search_election(name) is not None:
        raise Taken(f"Another election has the name '{name}'. Choose another.", field="name")
