"""Teams: people chosen together, often from a search."""

from __future__ import annotations

import secrets
from collections.abc import Callable, Iterable, Sequence

from singletable import Edit, Page, retry_conflicts
from singletable_apps.shared.service import RevisionCheck, any_revision, check_found
from singletable_apps.shared.text import InputChecks
from singletable_apps.skills import patterns
from singletable_apps.skills.entities import Role, Team, User
from singletable_apps.skills.rules import MAX_NAME, PERMISSIONS, Permission, is_same_user
from singletable_apps.skills.service.catalog import Part
from singletable_apps.skills.service.context import busy

MAX_MEMBERS = 100
Edits = list[Edit[Team]]


class Teams(Part):
    """The teams of the directory. Their creators and managers change them."""

    def page(self, limit: int, cursor: str | None = None) -> Page[Team]:
        """Return a page of all teams by name."""
        return self._store.page(patterns.teams(), limit, cursor=cursor, hydrate=True)

    def list_names(self) -> Sequence[tuple[str, str]]:
        """Return the id and the name of each team, from the index alone."""
        return [*self._store.select(Team.listed(), Team.team_id, Team.name)]

    def managed_by(self, actor: User) -> Sequence[Team]:
        """Return the teams that someone manages."""
        teams = self._store.run(patterns.teams)
        return [each for each in teams if is_same_user(each.manager, actor.username)]

    def get(self, team_id: str, *, consistent: bool = False) -> Team:
        """Return a team, or raise NotFound."""
        team = self._context.find(Team.key, team_id, consistent=consistent)
        return check_found(team, "There is no such team. It may have been deleted.")

    def create(self, actor: User, name: str, members: Iterable[str]) -> Team:
        """Create a team of existing people."""
        checks = InputChecks()
        team = Team(
            team_id=secrets.token_hex(8),
            name=_check_name(checks, name),
            members=self._check_members(checks, members),
            created_by=actor.username,
        )
        checks.raise_errors()
        return self._store.create(team)

    def edit(
        self,
        actor: User,
        team_id: str,
        *,
        name: str | None = None,
        members: Sequence[str] | None = None,
        manager: str | None = None,
        check: RevisionCheck = any_revision,
    ) -> Team:
        """Rename a team, replace its members or, as an administrator, its manager."""

        def edits(team: Team) -> Edits:
            checks = InputChecks()
            changed: Edits = []
            if name is not None:
                changed.append(Team.name.set(_check_name(checks, name)))
            if members is not None:
                changed.append(Team.members.set(self._check_members(checks, members)))
            if manager is not None and manager != team.manager:
                PERMISSIONS.check(actor.role, Permission.ADMINISTER)
                changed.append(Team.manager.set(self._check_manager(checks, manager)))
            checks.raise_errors()
            return changed

        return self._change(actor, team_id, edits, check)

    def add(self, actor: User, team_id: str, *usernames: str) -> Team:
        """Add people, unless they are members already."""

        def edits(team: Team) -> Edits:
            checks = InputChecks()
            added = self._check_members(checks, usernames, field="username")
            members = list({name.casefold(): name for name in [*team.members, *added]}.values())
            if len(members) > MAX_MEMBERS:
                checks.reject("username", f"A team has at most {MAX_MEMBERS} members.")
            checks.raise_errors()
            return [Team.members.set(members)] if len(members) > len(team.members) else []

        return self._change(actor, team_id, edits)

    def remove(self, actor: User, team_id: str, *usernames: str) -> Team:
        """Remove people, also those with deleted accounts."""
        gone = {name.casefold() for name in usernames}

        def edits(team: Team) -> Edits:
            left = [name for name in team.members if name.casefold() not in gone]
            return [Team.members.set(left)] if left != team.members else []

        return self._change(actor, team_id, edits)

    @retry_conflicts(otherwise=busy("this team"))
    def delete(self, actor: User, team_id: str, check: RevisionCheck = any_revision) -> Team:
        """Delete a team, and return it as it was."""
        team = self.get(team_id, consistent=True)
        check_change(actor, team)
        check(team.revision)
        self._store.delete(Team.key(team_id), if_=Team.revision == team.revision)
        return team

    @retry_conflicts(otherwise=busy("this team"))
    def _change(
        self,
        actor: User,
        team_id: str,
        edits: Callable[[Team], Edits],
        check: RevisionCheck = any_revision,
    ) -> Team:
        """Change a team by what `edits` returns for its current state, if anything."""
        team = self.get(team_id, consistent=True)
        check_change(actor, team)
        check(team.revision)
        changed = edits(team)
        if not changed:
            return team
        return self._store.update(Team.key(team_id), *changed, if_=Team.revision == team.revision)

    def _check_members(
        self, checks: InputChecks, members: Iterable[str], field: str = "members"
    ) -> list[str]:
        """Return the usernames as they are spelled in the directory, each once."""
        names = list(dict.fromkeys(name.strip().casefold() for name in members))
        if len(names) > MAX_MEMBERS:
            checks.reject(field, f"A team has at most {MAX_MEMBERS} members.")
            return names
        users = self._context.get_users(names)
        missing = [name for name in names if name not in users]
        if missing:
            checks.reject(field, f"There is no person “{missing[0][:MAX_NAME]}”.")
        return [users[name].username for name in names if name in users]

    def _check_manager(self, checks: InputChecks, username: str) -> str:
        user = self._context.find_user(username)
        if username and (user is None or user.role not in (Role.MANAGER, Role.ADMIN)):
            checks.reject("manager", "Choose someone with the role Manager.")
        return user.username if user else ""


def check_change(actor: User, team: Team) -> None:
    """Raise NotPermitted unless the actor created the team or is a manager.

    Teams with a manager decide who rates whom, so only administrators change them.
    """
    if team.manager:
        PERMISSIONS.check(actor.role, Permission.ADMINISTER)
    elif not is_same_user(actor.username, team.created_by):
        PERMISSIONS.check(actor.role, Permission.CHANGE_TEAMS)


def _check_name(checks: InputChecks, name: str) -> str:
    return checks.line("name", name, longest=MAX_NAME, required=True)
