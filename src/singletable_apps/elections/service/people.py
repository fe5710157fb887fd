"""Commands about users: register, rename, change e-mail address and role, remove."""

from __future__ import annotations

from collections.abc import Sequence

from singletable_apps.elections import events
from singletable_apps.elections.entities import User
from singletable_apps.elections.errors import AlreadyTaken, InvalidInput
from singletable_apps.elections.events import SYSTEM_ACTOR, EventData
from singletable_apps.elections.read_model import ReadModel
from singletable_apps.elections.roles import Role
from singletable_apps.elections.rules.names import clean_email, clean_user_name, is_same_name, quote
from singletable_apps.elections.rules.users import (
    check_edit_user,
    check_remove_user,
    check_role_change,
    is_ownership_transfer,
    role_for_new_user,
)
from singletable_apps.elections.service.context import (
    Context,
    RevisionCheck,
    any_revision,
    get_user_by_id,
    reload_user,
)
from singletable_apps.shared.accounts import PasswordRejected, Sessions, check_password


class People:
    """Commands about users. `check_revision` is called with the user's current revision."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._sessions = Sessions(context.store, secret=context.keys.secret)

    def register(self, name: str, email: str, password: str) -> User:
        """Register a user. The first one becomes the owner of the site."""
        name, email = clean_user_name(name), clean_email(email)
        check_new_password(password, about=(name, email))
        password_hash = self._context.passwords.hash(password)

        def decide(read: ReadModel) -> Sequence[EventData]:
            check_available(read, name=name, email=email)
            default = self._context.settings.new_user_role
            role = role_for_new_user(read.get_counts().user_count, default)
            return [events.UserRegistered(name=name, email=email, hash=password_hash, role=role)]

        (event,) = self._context.bus.execute(name, decide)
        return get_user_by_id(self._context.read, event.event_id)

    def rename(
        self, actor: User, target: str, new: str, check_revision: RevisionCheck = any_revision
    ) -> User:
        """Rename a user."""
        return self.edit(actor, target, name=new, check_revision=check_revision)

    def change_email(
        self, actor: User, target: str, new: str, check_revision: RevisionCheck = any_revision
    ) -> User:
        """Change the e-mail address of a user."""
        return self.edit(actor, target, email=new, check_revision=check_revision)

    def edit(
        self,
        actor: User,
        target: str,
        *,
        name: str | None = None,
        email: str | None = None,
        check_revision: RevisionCheck = any_revision,
    ) -> User:
        """Change the name, the e-mail address, or both, completely or not at all."""
        new_name = clean_user_name(name) if name is not None else None
        new_email = clean_email(email) if email is not None else None
        edited: list[User] = []

        def decide(read: ReadModel) -> Sequence[EventData]:
            me, user = reload_user(read, actor), read.get_user(target)
            check_edit_user(me, user)
            check_revision(user.revision)
            edited[:] = [user]
            changes: list[EventData] = []
            if new_email is not None and new_email != user.email:
                if not is_same_name(new_email, user.email):
                    check_available(read, email=new_email)
                changes.append(events.UserEmailChanged(name=user.name, email=new_email))
            if new_name is not None and new_name != user.name:
                if not is_same_name(new_name, user.name):
                    check_available(read, name=new_name)
                changes.append(events.UserNameChanged(old_name=user.name, new_name=new_name))
            return changes

        self._context.execute(actor, decide)
        return reload_user(self._context.read, edited[0])

    def change_role(
        self, actor: User, target: str, role: Role, check_revision: RevisionCheck = any_revision
    ) -> User:
        """Change the role of a user. An owner who makes another the owner becomes an auditor."""
        changed: list[User] = []

        def decide(read: ReadModel) -> Sequence[EventData]:
            me, user = reload_user(read, actor), read.get_user(target)
            check_role_change(me, user, role)
            check_revision(user.revision)
            changed[:] = [user]
            if is_ownership_transfer(me, role):
                return [events.OwnershipTransferred(old_owner=me.name, new_owner=user.name)]
            return (
                [events.UserRoleChanged(name=user.name, role=role)] if role is not user.role else []
            )

        self._context.execute(actor, decide)
        return reload_user(self._context.read, changed[0])

    def remove(
        self, actor: User, target: str, check_revision: RevisionCheck = any_revision
    ) -> None:
        """Remove a user, their ballots in open elections, and their name in closed ones."""
        removed: list[User] = []

        def decide(read: ReadModel) -> Sequence[EventData]:
            me, user = reload_user(read, actor), read.get_user(target)
            counts = read.get_counts()
            check_remove_user(
                me, user, user_count=counts.user_count, election_count=counts.election_count
            )
            check_revision(user.revision)
            removed[:] = [user]
            return [events.UserRemoved(name=user.name)]

        self._context.execute(actor, decide)
        for user in removed:
            self._sessions.end_all(user.user_id)


def check_new_password(password: str, *, about: Sequence[str], field: str = "password") -> None:
    """Raise InvalidInput if the password is too easy to guess."""
    try:
        check_password(password, about=about)
    except PasswordRejected as error:
        raise InvalidInput(str(error), field=field) from error


def check_available(read: ReadModel, *, name: str | None = None, email: str | None = None) -> None:
    """Raise AlreadyTaken if someone has the name or e-mail address."""
    if name is not None and read.find_user(name) is not None:
        raise AlreadyTaken(f"The name {quote(name)} is taken. Choose another.", field="name")
    # The log names the application itself so.
    if name is not None and is_same_name(name, SYSTEM_ACTOR):
        raise AlreadyTaken(f"The name {quote(name)} is reserved. Choose another.", field="name")
    if email is not None and read.find_user_by_email(email) is not None:
        raise AlreadyTaken(
            "There is already an account with this e-mail address. Sign in instead, or use another "
            "address.",
            field="email",
        )
