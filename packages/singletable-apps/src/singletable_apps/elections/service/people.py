"""Commands about users: register, rename, change e-mail address and role, remove."""

from __future__ import annotations

from collections.abc import Sequence

from singletable_apps.elections import events
from singletable_apps.elections.entities import User
from singletable_apps.elections.errors import AlreadyExists, InvalidInput, NotSignedIn
from singletable_apps.elections.events import SYSTEM_ACTOR, EventData
from singletable_apps.elections.read_model import ReadModel
from singletable_apps.elections.roles import ROLE_NAMES, Role
from singletable_apps.elections.rules.names import clean_email, clean_user_name, is_same_name, quote
from singletable_apps.elections.rules.users import (
    check_edit_user,
    check_remove_user,
    check_role_change,
    is_ownership_transfer,
)
from singletable_apps.elections.service.context import (
    Context,
    get_user_by_id,
    reload_user,
)
from singletable_apps.shared.accounts import (
    NEEDS_SETUP_CODE,
    Account,
    EmailChanges,
    NewAccount,
    PasswordRejected,
    Registrations,
    Sessions,
    SetupCode,
    Throttle,
    check_password,
    notices,
    send_notice,
)
from singletable_apps.shared.mail import Mailer
from singletable_apps.shared.service import RevisionCheck, any_revision


class People:
    """Commands about users. `check_revision` is called with the user's current revision."""

    def __init__(
        self, context: Context, emails: EmailChanges[User], mailer: Mailer | None = None
    ) -> None:
        self._context = context
        self._mailer = mailer or context.mailer
        self._emails = emails
        secret = context.keys.secret
        self._sessions = Sessions(context.store, secret=secret)
        self._setup_code = SetupCode(secret)
        self._registrations = Registrations(context.store, secret=secret)
        self._throttle = Throttle(context.store, secret=secret, free=3)

    def register(self, name: str, email: str, password: str) -> User:
        """Register a user without confirmation, for commands. The first one is the owner."""
        return self._create(self._prepare(name, email, password), may_own=True)

    def register_visitor(
        self, name: str, email: str, password: str, setup_code: str = ""
    ) -> User | None:
        """Register someone from the web, or return None if the address must be confirmed first.

        The first user needs the set-up code, and becomes the owner of the site. If registrations
        are confirmed, the result does not reveal whether the address has an account.
        """
        self._context.check_not_rebuilding()
        new = self._prepare(name, email, password)
        if self.setup_code() is not None:
            if not self._setup_code.matches(setup_code, self._log_position()):
                raise _needs_setup_code()
            return self._create(new, may_own=True)
        if not self._context.confirm_registrations:
            return self._create(new)
        read, now = self._context.read, self._context.clock()
        check_available(read, name=new.name)
        self._throttle.attempt([("register", new.email.casefold())], now)
        token = self._registrations.keep(new, now)
        link = self._context.urls.link("register/confirm", token)
        notice = (
            notices.confirm_registration(new.email, link)
            if read.find_user_by_email(new.email) is None
            else notices.address_in_use(new.email)
        )
        send_notice(self._mailer, notice, now)
        return None

    def read_registration(self, token: str) -> NewAccount:
        """Return the registration that a link confirms, without using up the link."""
        new = self._registrations.find(token, self._context.clock())
        if new is None:
            raise NotSignedIn("This link has been used or has expired. Register again.")
        return new

    def confirm_registration(self, token: str, password: str) -> User:
        """Create the account with the single-use link from the e-mail and the password.

        Without the password, someone could register with another person's address, and that person
        could open the link and use an account with a password known to someone else.
        """
        new = self.read_registration(token)
        self._throttle.attempt([("confirm", token)], self._context.clock())
        if not self._context.passwords.matches(new.password_hash, password):
            message = (
                "Enter the password with which you registered. If you don’t know it, register "
                "again."
            )
            raise InvalidInput({"password": message})
        check_available(self._context.read, name=new.name, email=new.email)
        if not self._registrations.use_up(token):
            raise NotSignedIn("This link has been used. Sign in.")
        return self._create(new, is_confirmed=True)

    def setup_code(self) -> str | None:
        """Return the set-up code for the first user, or None if there are users."""
        if self._context.read.get_counts().user_count > 0:
            return None
        return self._setup_code.code(self._log_position())

    def _log_position(self) -> str:
        """Return the length of the log, so that the code changes after all users were removed."""
        sync = self._context.read.get_sync()
        return str(sync.last_event_id if sync is not None else 0)

    def _prepare(self, name: str, email: str, password: str) -> NewAccount:
        name, email = clean_user_name(name), clean_email(email)
        check_new_password(password, about=(name, email))
        return NewAccount(name, email, self._context.passwords.hash(password))

    def _create(
        self, new: NewAccount, *, may_own: bool = False, is_confirmed: bool = False
    ) -> User:
        def decide(read: ReadModel) -> Sequence[EventData]:
            check_available(read, name=new.name, email=new.email)
            count = read.get_counts().user_count
            if count == 0 and not may_own:
                raise _needs_setup_code()
            role = Role.OWNER if count == 0 else Role.USER
            return [
                events.UserRegistered(
                    name=new.name,
                    email=new.email,
                    hash=new.password_hash,
                    role=role,
                    is_confirmed=is_confirmed,
                )
            ]

        (event,) = self._context.bus.execute(new.name, decide)
        return get_user_by_id(self._context.read, event.event_id)

    def rename(
        self, actor: User, target: str, new: str, check_revision: RevisionCheck = any_revision
    ) -> User:
        """Rename a user."""
        return self.edit(actor, target, name=new, check_revision=check_revision)

    def edit(
        self,
        actor: User,
        target: str,
        *,
        name: str | None = None,
        email: str | None = None,
        check_revision: RevisionCheck = any_revision,
    ) -> User:
        """Change the name, and send a link to a new e-mail address.

        The address changes when its owner opens the link. The actor does not learn whether someone
        else has it.
        """
        new_name = clean_user_name(name) if name is not None else None
        new_email = clean_email(email) if email is not None else None
        edited: list[User] = []

        def decide(read: ReadModel) -> Sequence[EventData]:
            me, user = reload_user(read, actor), read.get_user(target)
            check_edit_user(me, user)
            check_revision(user.revision)
            edited[:] = [user]
            if new_name is None or new_name == user.name:
                return []
            if not is_same_name(new_name, user.name):
                check_available(read, name=new_name)
            return [events.UserNameChanged(old_name=user.name, new_name=new_name)]

        self._context.execute(actor, decide)
        user = reload_user(self._context.read, edited[0])
        if new_email is not None and new_email != user.email:
            is_own = actor.user_id == user.user_id
            self._emails.request(user, new_email, by="" if is_own else actor.name)
        return user

    def change_role(
        self, actor: User, target: str, role: Role, check_revision: RevisionCheck = any_revision
    ) -> User:
        """Change the role of a user. If it is the owner's, the old owner becomes an auditor."""
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

        if self._context.execute(actor, decide):
            self._tell_role(changed[0], actor.name)
            if role is Role.OWNER:
                self._tell_role(actor, actor.name)
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
            self._sessions.forget(user.user_id)

    def _tell_role(self, user: User, by: str) -> None:
        user = reload_user(self._context.read, user)
        notice = notices.role_changed(account_of(user), ROLE_NAMES[user.role], by)
        send_notice(self._mailer, notice, self._context.clock())


def account_of(user: User) -> Account:
    """Return the account of a user."""
    return Account(user.user_id, user.credentials, user.hash, user.name, user.email, user.role)


def set_email(context: Context, user: User, email: str, by: str = "") -> User:
    """Change the e-mail address of a user, unless someone else has it."""

    def decide(read: ReadModel) -> Sequence[EventData]:
        now = reload_user(read, user)
        if not is_same_name(email, now.email):
            check_available(read, email=email)
        is_confirmed = context.confirm_registrations
        change = events.UserEmailChanged(name=now.name, email=email, is_confirmed=is_confirmed)
        return [] if email == now.email else [change]

    context.bus.execute(by or user.name, decide)
    return reload_user(context.read, user)


def _needs_setup_code() -> InvalidInput:
    return InvalidInput({"setup_code": NEEDS_SETUP_CODE})


def check_new_password(password: str, *, about: Sequence[str], field: str = "password") -> None:
    """Raise InvalidInput if the password is too easy to guess."""
    try:
        check_password(password, about=about)
    except PasswordRejected as error:
        raise InvalidInput({field: str(error)}) from error


def check_available(read: ReadModel, *, name: str | None = None, email: str | None = None) -> None:
    """Raise AlreadyExists if someone has the name or e-mail address."""
    if name is not None and read.find_user(name) is not None:
        raise AlreadyExists({"name": f"The name {quote(name)} is taken. Choose another."})
    # The log names the application itself so.
    if name is not None and is_same_name(name, SYSTEM_ACTOR):
        raise AlreadyExists({"name": f"The name {quote(name)} is reserved. Choose another."})
    if email is not None and read.find_user_by_email(email) is not None:
        message = (
            "There is already an account with this e-mail address. Sign in instead, or use another "
            "address."
        )
        raise AlreadyExists({"email": message})
