"""Who is here: joining, and what happens to names, addresses, roles and people."""

from __future__ import annotations

from collections.abc import Sequence

from singletable_apps.elections.entities import User
from singletable_apps.elections.errors import AlreadyTaken, InvalidInput
from singletable_apps.elections.events import (
    SYSTEM_ACTOR,
    EventData,
    OwnershipTransferred,
    UserEmailChanged,
    UserNameChanged,
    UserRegistered,
    UserRemoved,
    UserRoleChanged,
)
from singletable_apps.elections.read_model import ReadModel
from singletable_apps.elections.roles import Role
from singletable_apps.elections.rules.names import clean_email, clean_user_name, is_same_name
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
    get_user,
    reload_actor,
)
from singletable_apps.shared.accounts import PasswordRejected, Sessions, check_password


class People:
    """Commands about users."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._sessions = Sessions(context.store, secret=context.keys.secret)

    def register(self, name: str, address: str, password: str) -> User:
        """A new user; the first of all is the owner of the application."""
        name, address = clean_user_name(name), clean_email(address)
        check_new_password(password, about=(name, address))
        hashed = self._context.passwords.hash(password)

        def decide(view: ReadModel) -> Sequence[EventData]:
            check_available(view, name=name, address=address)
            role = role_for_new_user(view.get_counts().user_count, self._context.settings.newcomer)
            return [UserRegistered(name=name, email=address, hash=hashed, role=role)]

        (event,) = self._context.bus.execute(name, decide)
        return get_user(self._context.read, event.event_id, name)

    def rename(
        self, actor: User, target: str, new: str, basis: RevisionCheck = any_revision
    ) -> User:
        """Give somebody another name: all that bears the old one follows."""
        return self.edit(actor, target, name=new, basis=basis)

    def change_email(
        self, actor: User, target: str, new: str, basis: RevisionCheck = any_revision
    ) -> User:
        """Give somebody another e-mail address."""
        return self.edit(actor, target, address=new, basis=basis)

    def edit(
        self,
        actor: User,
        target: str,
        *,
        name: str | None = None,
        address: str | None = None,
        basis: RevisionCheck = any_revision,
    ) -> User:
        """Give somebody another name, another e-mail address, or both at once or neither."""
        new_name = clean_user_name(name) if name is not None else None
        new_address = clean_email(address) if address is not None else None
        edited: list[User] = []

        def decide(view: ReadModel) -> Sequence[EventData]:
            me, user = reload_actor(view, actor), view.get_user(target)
            check_edit_user(me, user)
            basis(user.revision)
            edited[:] = [user]
            facts: list[EventData] = []
            if new_address is not None and new_address != user.email:
                if not is_same_name(new_address, user.email):
                    check_available(view, address=new_address)
                facts.append(UserEmailChanged(name=user.name, email=new_address))
            if new_name is not None and new_name != user.name:
                if not is_same_name(new_name, user.name):
                    check_available(view, name=new_name)
                facts.append(UserNameChanged(old_name=user.name, new_name=new_name))
            return facts

        self._context.execute(actor, decide)
        return reload_actor(self._context.read, edited[0])

    def change_role(
        self, actor: User, target: str, role: Role, basis: RevisionCheck = any_revision
    ) -> User:
        """Give somebody another role; who makes another the owner is an auditor then."""
        changed: list[User] = []

        def decide(view: ReadModel) -> Sequence[EventData]:
            me, user = reload_actor(view, actor), view.get_user(target)
            check_role_change(me, user, role)
            basis(user.revision)
            changed[:] = [user]
            if is_ownership_transfer(me, role):
                return [OwnershipTransferred(old_owner=me.name, new_owner=user.name)]
            return [UserRoleChanged(name=user.name, role=role)] if role is not user.role else []

        self._context.execute(actor, decide)
        return reload_actor(self._context.read, changed[0])

    def remove(self, actor: User, target: str, basis: RevisionCheck = any_revision) -> None:
        """Remove somebody: ballots in open elections go, those in closed ones lose the name."""
        gone: list[User] = []

        def decide(view: ReadModel) -> Sequence[EventData]:
            me, user = reload_actor(view, actor), view.get_user(target)
            counts = view.get_counts()
            check_remove_user(
                me, user, user_count=counts.user_count, election_count=counts.election_count
            )
            basis(user.revision)
            gone[:] = [user]
            return [UserRemoved(name=user.name)]

        self._context.execute(actor, decide)
        for user in gone:
            self._sessions.end_all(user.user_id)


def check_available(
    view: ReadModel, *, name: str | None = None, address: str | None = None
) -> None:
    """Refuse a name or an address that another has."""
    if name is not None and view.find_user(name) is not None:
        raise AlreadyTaken(f"Another user has the name '{name}'. Choose another.", field="name")
    if name is not None and is_same_name(name, SYSTEM_ACTOR):
        raise AlreadyTaken(
            f"'{name}' stands in the log for the application itself. Choose another.", field="name"
        )
    if address is not None and view.find_user_by_email(address) is not None:
        raise AlreadyTaken(
            f"Another user has the e-mail address '{address}'. Sign in as that user, or give "
            "another address.",
            field="email",
        )


def check_new_password(password: str, *, about: Sequence[str], field: str = "password") -> None:
    """Refuse a password that is too easy to guess."""
    try:
        check_password(password, about=about)
    except PasswordRejected as refusal:
        raise InvalidInput(str(refusal), field=field) from refusal
