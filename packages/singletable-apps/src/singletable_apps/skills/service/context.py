"""The context of the service: store, clock, secrets and settings."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from typing import TypeVar

from singletable import Condition, Edit, Entity, ItemKey, evolve
from singletable_apps.shared.accounts import AccountsContext
from singletable_apps.shared.errors import Busy
from singletable_apps.shared.permissions import NotPermitted
from singletable_apps.shared.service import check_found
from singletable_apps.skills import patterns, rules
from singletable_apps.skills.entities import Directory, Role, Skill, Team, User
from singletable_apps.skills.urls import Urls

E = TypeVar("E", bound=Entity)
# How often a write is tried again if someone else has changed the item meanwhile.
ATTEMPTS = 5
# What a write that adds something to a person checks: the person was not renamed or deleted.
IS_HERE: Condition[User] = ~User.left_at.exists()


def busy(what: str) -> Callable[[], Busy]:
    """Return a factory of the error if others keep changing `what`; nothing was changed."""
    return lambda: Busy(f"Someone else is changing {what} right now. Try again.")


def edits_of(item: E, *names: str) -> list[Edit[E]]:
    """Return the edits that store some fields of an item."""
    return [getattr(type(item), name).set(getattr(item, name)) for name in names]


@dataclass(frozen=True, slots=True)
class Context(AccountsContext):
    """The context of the service: store, clock, secrets and settings."""

    urls: Urls

    def today(self) -> date:
        """Return the current day, in UTC."""
        return self.clock().date()

    def words(self) -> rules.Words:
        """Return the names of levels, and the categories."""
        return rules.words_of(self.store.run(patterns.directory) or Directory())

    def find(
        self, key: Callable[[str], ItemKey[E]], item_id: str, *, consistent: bool = False
    ) -> E | None:
        """Return the item with an id from a URL, or None; also for text that cannot be one."""
        return (
            self.store.get(key(item_id), consistent=consistent) if rules.is_key(item_id) else None
        )

    def find_user(self, username: str, *, consistent: bool = False) -> User | None:
        """Return a person by username in any case, or None; also for text that cannot be one."""
        user = self.find(User.key, username, consistent=consistent)
        return None if user is None or user.left_at else user

    def get_user(self, username: str, *, consistent: bool = False) -> User:
        """Return a person, or raise NotFound."""
        user = self.find_user(username, consistent=consistent)
        return check_found(user, "There is no such person. The account may have been deleted.")

    def reach(self, actor: User) -> rules.Reach:
        """Return the people that the actor may rate, with access to their gaps."""
        reads_teams = actor.role is Role.MANAGER
        return rules.find_reach(actor, [*self.store.run(patterns.teams)] if reads_teams else ())

    def lines(self) -> list[Team]:
        """Return all teams, leaving out managers without the role."""
        teams = [*self.store.run(patterns.teams)]
        users = self.get_users(each.manager for each in teams).values()
        names = {
            user.username
            for user in users
            if rules.PERMISSIONS.allows(user.role, rules.Permission.RATE_OTHERS)
        }
        return [each if each.manager in names else evolve(each, manager="") for each in teams]

    def check_reach(self, actor: User, username: str) -> None:
        """Raise NotPermitted unless these are the actor's own data, or those of their people."""
        if not rules.is_same_user(actor.username, username):
            rules.PERMISSIONS.check(actor.role, rules.Permission.RATE_OTHERS)
            self.get_user(username)
            if username not in self.reach(actor):
                text = "You manage the members of your teams. An administrator can add this person."
                raise NotPermitted(text)

    def get_users(self, usernames: Iterable[str]) -> dict[str, User]:
        """Return people by casefolded username. Texts that cannot be usernames are left out."""
        names = sorted({name.casefold() for name in usernames if rules.is_key(name)})
        found = self.store.get_many([User.key(name) for name in names])
        return {user.username.casefold(): user for user in found if user and not user.left_at}

    def get_skill(self, skill_id: str, *, consistent: bool = False) -> Skill:
        """Return a skill of the catalog by its id, or raise NotFound."""
        skill = self.find(Skill.key, skill_id, consistent=consistent)
        return check_found(skill, "There is no such skill in the catalog.")
