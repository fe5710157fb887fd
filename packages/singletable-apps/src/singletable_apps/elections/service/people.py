"""Commands about users: register, rename, change e-mail address and role, remove."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from unicodedata import normalize

from singletable import Page
from singletable_apps.elections import events, patterns
from singletable_apps.elections.entities import User
from singletable_apps.elections.events import SYSTEM_ACTOR, EventData
from singletable_apps.elections.poll_book import PollBook
from singletable_apps.elections.roles import ROLE_NAMES, Permission, Role, has_permission
from singletable_apps.elections.rules import users as rules
from singletable_apps.elections.rules.names import clean_email, clean_user_name, is_same_name, quote
from singletable_apps.elections.service.context import Context, get_user_by_id, reload_user
from singletable_apps.shared import accounts as shared
from singletable_apps.shared.errors import AlreadyExists, InvalidInput, RequestRejected
from singletable_apps.shared.outbox import SECURITY
from singletable_apps.shared.permissions import NotPermitted, is_permitted
from singletable_apps.shared.service import RevisionCheck, any_revision


class People(shared.People[User]):
    """Commands about users. `check` is called with the user's current revision."""

    waiting, member = Role.NO_ACCESS, Role.USER
    login = "Name or e-mail address"
    max_name = 200
    invites = False

    def __init__(self, context: Context, emails: shared.EmailChanges[User]) -> None:
        self._context = context
        self._mail = context.mail
        self.emails = self._emails = emails
        secret = context.keys.secret
        self._approvals = shared.ApprovalNotices(context.store, self._mail, secret=secret)
        self._sessions = shared.Sessions(context.store, secret=secret)
        self._setup_code = shared.SetupCode(secret)
        self._registrations = shared.Registrations(context.store, secret=secret)
        self._throttle = shared.Throttle(context.store, secret=secret, free=3)

    def register(self, name: str, email: str, password: str) -> User:
        """Register a user without confirmation, for commands. The first one is the owner."""
        return self._create(self._prepare(name, email, password), is_trusted=True)

    def register_visitor(
        self,
        name: str,
        email: str,
        password: str,
        setup_code: str = "",
        *,
        is_confirmed: bool = False,
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
            return self._create(new, is_trusted=True)
        self._check_open()
        if is_confirmed or not self._context.confirm_registrations:
            return self._create(new, is_confirmed=is_confirmed)
        read, now = self._context.read, self._context.clock()
        check_available(read, name=new.name)
        self._throttle.attempt([("register", new.email.casefold())], now)
        token = self._registrations.keep(new, now)
        link = self._context.urls.link("register/confirm", token)
        notice = (
            shared.notices.CONFIRM_REGISTRATION.to(new.email, link=link)
            if read.find_user_by_email(new.email) is None
            else shared.notices.ADDRESS_IN_USE.to(new.email)
        )
        self._mail.send(notice, now)
        return None

    def read_registration(self, token: str) -> shared.NewAccount:
        """Return the registration that a link confirms, without using up the link."""
        new = self._registrations.find(token, self._context.clock())
        if new is None:
            raise shared.NotSignedIn("This link has been used or has expired. Register again.")
        return new

    def confirm_registration(self, token: str, password: str) -> User:
        """Create the account with the single-use link from the e-mail and the password.

        Without the password, someone could register with another person's address, and that person
        could open the link and use an account with a password known to someone else.
        """
        new = self.read_registration(token)
        self._check_open()
        self._throttle.attempt([("confirm", token)], self._context.clock())
        if not self._context.passwords.matches(new.password_hash, password):
            message = (
                "Enter the password with which you registered. If you don’t know it, register "
                "again."
            )
            raise InvalidInput({"password": message})
        check_available(self._context.read, name=new.name, email=new.email)
        if not self._registrations.use_up(token):
            raise shared.NotSignedIn("This link has been used. Sign in.")
        return self._create(new, is_confirmed=True)

    def setup_code(self) -> str | None:
        """Return the set-up code for the first user, or None if there are users."""
        if self._context.read.counts().user_count > 0:
            return None
        return self._setup_code.code(self._log_position())

    def _log_position(self) -> str:
        """Return the length of the log, so that the code changes after all users were removed."""
        return str(self._context.read.position)

    def _prepare(self, name: str, email: str, password: str) -> shared.NewAccount:
        """Check a registration, and collect the errors of all fields."""
        read, errors = self._context.read, dict[str, str]()
        raised: type[RequestRejected] = InvalidInput
        checks: dict[str, Callable[[], None]] = {
            "name": lambda: check_available(read, name=clean_user_name(name)),
            "email": lambda: self._check_email(email),
            "password": lambda: check_new_password(password, about=(name, email)),
        }
        for field, check in checks.items():
            try:
                check()
            except RequestRejected as error:
                errors[field], raised = str(error), type(error)
        if len(errors) == 1 and raised is AlreadyExists:
            raise AlreadyExists(errors)
        if errors:
            raise InvalidInput(errors)
        return shared.NewAccount(
            clean_user_name(name), clean_email(email), self._context.passwords.hash(password)
        )

    def _check_email(self, email: str) -> None:
        address = clean_email(email)
        # With confirmation links, nothing must reveal whether the address has an account.
        if not self._context.confirm_registrations:
            check_available(self._context.read, email=address)

    def _create(
        self, new: shared.NewAccount, *, is_trusted: bool = False, is_confirmed: bool = False
    ) -> User:
        def decide(read: PollBook) -> Sequence[EventData]:
            check_available(read, name=new.name, email=new.email)
            counts = read.counts()
            is_first = counts.user_count == 0
            if is_first and not is_trusted:
                raise _needs_setup_code()
            waits = counts.registration is not shared.Registration.OPEN and not is_trusted
            role = Role.OWNER if is_first else Role.NO_ACCESS if waits else Role.USER
            return [
                events.UserRegistered(
                    name=new.name,
                    email=new.email,
                    hash=new.password_hash,
                    role=role,
                    is_confirmed=is_confirmed,
                    registration=shared.Registration.APPROVAL if is_first else None,
                )
            ]

        (event,) = self._context.bus.execute(new.name, decide)
        user = get_user_by_id(self._context.read, event.event_id)
        if user.role is Role.NO_ACCESS:
            self._tell_waiting(user)
        return user

    def _check_open(self) -> None:
        if self.registration() is shared.Registration.CLOSED:
            raise NotPermitted("Registration is closed. Ask an administrator for an account.")

    def _tell_waiting(self, user: User) -> None:
        context = self._context
        users = context.store.query(patterns.list_users())
        admins = (
            account_of(each) for each in users if has_permission(each.role, Permission.MANAGE_USERS)
        )
        link = context.urls.absolute(context.urls.page("people", role=Role.NO_ACCESS.value))
        self._approvals.send(user.name, admins, link, context.clock())

    # What the shared pages use.

    def manages_accounts(self, role: Role) -> bool:
        """Return whether people with this role manage accounts."""
        return has_permission(role, Permission.MANAGE_USERS)

    def login_of(self, user: User) -> str:
        """Return the name."""
        return user.name

    def check_manager(self, actor: User) -> None:
        """Raise NotPermitted unless someone may manage accounts."""
        rules.check_permission(actor, Permission.MANAGE_USERS)

    def url_part(self, user: User) -> str:
        """Return the name."""
        return user.name

    def get_person(self, actor: User, who: str) -> User:
        """Return oneself, or as an administrator anyone."""
        user = self._context.read.get_user(normalize("NFC", who))
        rules.check_view_user(actor, user)
        return user

    def read_people(self, limit: int, cursor: str | None) -> Page[User]:
        """Return some people, by name."""
        return self._context.store.page(patterns.list_users(), limit, cursor=cursor)

    def allowed_roles(self, actor: User, user: User) -> Sequence[Role]:
        """Return the current role of someone, and those that the actor may give in a list.

        The role of the owner is given on a page that asks first.
        """
        allowed = rules.allowed_roles(actor, user)
        return [role for role in allowed if role is not Role.OWNER or role is user.role]

    def may_make_owner(self, actor: User, user: User) -> bool:
        """Return whether the actor may transfer the site to someone."""
        return user.role is not Role.OWNER and Role.OWNER in rules.allowed_roles(actor, user)

    def may_edit(self, actor: User, user: User) -> bool:
        """Return whether the actor may change the name and the e-mail address of someone."""
        return is_permitted(rules.check_edit_user, actor, user)

    def check_removable(self, actor: User, user: User) -> None:
        """Raise WrongState or NotPermitted if the actor cannot remove someone now."""
        _check_removable(self._context.read, actor, user)

    def registration(self) -> shared.Registration:
        """Return the setting: registration is open, by approval or closed."""
        return self._context.read.counts().registration

    def set_registration(self, actor: User, registration: shared.Registration) -> object:
        """Change the registration setting."""

        def decide(read: PollBook) -> Sequence[EventData]:
            self.check_manager(reload_user(read, actor))
            if read.counts().registration is registration:
                return []
            return [events.RegistrationChanged(registration=registration)]

        return self._context.execute(actor, decide)

    def rename(self, actor: User, who: str, new: str, check: RevisionCheck = any_revision) -> User:
        """Rename a user."""
        return self.edit_person(actor, who, name=new, check=check)

    def edit_person(
        self,
        actor: User,
        who: str,
        *,
        name: str | None = None,
        email: str | None = None,
        check: RevisionCheck = any_revision,
    ) -> User:
        """Change the name, and send a link to a new e-mail address.

        The address changes when its owner opens the link. The actor does not learn whether someone
        else has it.
        """
        new_name = clean_user_name(name) if name is not None else None
        new_email = clean_email(email) if email is not None else None
        edited: list[User] = []

        def decide(read: PollBook) -> Sequence[EventData]:
            me, user = reload_user(read, actor), read.get_user(normalize("NFC", who))
            rules.check_edit_user(me, user)
            check(user.revision)
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
        self, actor: User, who: str, role: Role, check: RevisionCheck = any_revision
    ) -> User:
        """Change the role of a user. If it is the owner's, the old owner becomes an auditor."""
        changed: list[User] = []

        def decide(read: PollBook) -> Sequence[EventData]:
            me, user = reload_user(read, actor), read.get_user(normalize("NFC", who))
            rules.check_role_change(me, user, role)
            check(user.revision)
            changed[:] = [user]
            if rules.is_ownership_transfer(me, role):
                return [events.OwnershipTransferred(old_owner=me.name, new_owner=user.name)]
            return (
                [events.UserRoleChanged(name=user.name, role=role)] if role is not user.role else []
            )

        if self._context.execute(actor, decide):
            self.tell_role(changed[0], actor.name)
            if role is Role.OWNER:
                self.tell_role(actor, actor.name)
        return reload_user(self._context.read, changed[0])

    def remove(self, actor: User, who: str, check: RevisionCheck = any_revision) -> None:
        """Remove a user, their ballots in open elections, and their name in closed ones."""
        removed: list[User] = []

        def decide(read: PollBook) -> Sequence[EventData]:
            me, user = reload_user(read, actor), read.get_user(normalize("NFC", who))
            _check_removable(read, me, user)
            check(user.revision)
            removed[:] = [user]
            return [events.UserRemoved(name=user.name)]

        self._context.execute(actor, decide)
        for user in removed:
            self._sessions.forget(user.user_id)

    def tell_role(self, user: User, by: str) -> None:
        """Tell someone about their new role."""
        user = reload_user(self._context.read, user)
        role = ROLE_NAMES[user.role]
        notice = shared.notices.ROLE_CHANGED.to(user.email, user.name, role=role, by=by)
        self._mail.send(notice, self._context.clock(), SECURITY)


def _check_removable(read: PollBook, actor: User, user: User) -> None:
    counts = read.counts()
    rules.check_remove_user(
        actor, user, user_count=counts.user_count, election_count=counts.election_count
    )


def account_of(user: User) -> shared.Account:
    """Return the account of a user."""
    return shared.Account(
        user.user_id, user.credentials, user.hash, user.name, user.email, user.role
    )


def set_email(context: Context, user: User, email: str, by: str = "") -> User:
    """Change the e-mail address of a user, unless someone else has it."""

    def decide(read: PollBook) -> Sequence[EventData]:
        now = reload_user(read, user)
        if not is_same_name(email, now.email):
            check_available(read, email=email)
        is_confirmed = context.confirm_registrations
        change = events.UserEmailChanged(name=now.name, email=email, is_confirmed=is_confirmed)
        return [] if email == now.email else [change]

    context.bus.execute(by or user.name, decide)
    return reload_user(context.read, user)


def _needs_setup_code() -> InvalidInput:
    return InvalidInput({"setup_code": shared.NEEDS_SETUP_CODE})


def check_new_password(password: str, *, about: Sequence[str], field: str = "password") -> None:
    """Raise InvalidInput if the password is too easy to guess."""
    try:
        shared.check_password(password, about=about)
    except shared.PasswordRejected as error:
        raise InvalidInput({field: str(error)}) from error


def check_available(read: PollBook, *, name: str | None = None, email: str | None = None) -> None:
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
