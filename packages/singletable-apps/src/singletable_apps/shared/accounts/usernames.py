"""Accounts with a username: register, sign in, and an optional e-mail address for resets.

An app declares its users, which may have more fields, and opens the accounts:

    table = Table("notes", indexes=[people_index])

    class User(UserFields, table=table):
        "A person with an account."

    class Accounts(UsernameAccounts[User]):
        issuer, entity = "notes", User
"""

from __future__ import annotations

import re
from datetime import datetime
from enum import StrEnum
from typing import Any, ClassVar, Generic, TypeVar, cast

from singletable import AlreadyExists as ItemExists
from singletable import (
    Attr,
    Entity,
    Index,
    Key,
    Unique,
    attr,
    casefold,
    created,
    retry_conflicts,
    version,
)
from singletable_apps.shared.accounts.entities import Registration
from singletable_apps.shared.accounts.passwords import Passwords, check_password_field
from singletable_apps.shared.accounts.registration import NEEDS_SETUP_CODE
from singletable_apps.shared.accounts.stored_accounts import (
    MAX_NAME,
    AccountsContext,
    Invitation,
    ManagedAccounts,
    busy_account,
    new_user_id,
)
from singletable_apps.shared.errors import AlreadyExists, InvalidInput
from singletable_apps.shared.permissions import NotPermitted
from singletable_apps.shared.service import check_found
from singletable_apps.shared.text import InputChecks

MIN_USERNAME, MAX_USERNAME = 3, 50
TAKEN = "Someone has this username already. Choose another one."
USERNAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")

U = TypeVar("U")


class AccountRole(StrEnum):
    """What an account may do, lowest first."""

    WAITING = "waiting"
    USER = "user"
    ADMIN = "admin"


# The index that lists people by name.
people_index = Index("people", pk="people_pk", sk="people_sk")


class UserFields(Entity):
    """A person with an account. `credentials` changes with the password and ends all sessions."""

    username: Attr[str] = attr()
    user_id: Attr[int] = attr()
    name: Attr[str] = attr()
    email: Attr[str] = attr(default="")
    password_hash: Attr[str] = attr(default="", hidden=True)
    credentials: Attr[int] = attr(default=1)
    role: Attr[AccountRole] = attr(default=AccountRole.USER)
    created_at: Attr[datetime] = created()
    revision: Attr[int] = version()

    key = Key(pk=("USER", casefold(username)), sk="USER")
    listed = Key(pk="USERS", sk=(casefold(name), user_id)).on(people_index)
    one_id = Unique(user_id, pk=("USERID", user_id), sk="USER")


def suggest_username(text: str) -> str:
    """Return a username that is like a text, such as the name at another site."""
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", text).lstrip(".-_")[: MAX_USERNAME - 2]
    return name if len(name) >= MIN_USERNAME else f"user-{name}".rstrip("-")


def check_username(checks: InputChecks, username: str, field: str = "username") -> str:
    """Check a new username: 3 to 50 letters, digits, dots, hyphens and underscores."""
    name = username.strip()
    if not MIN_USERNAME <= len(name) <= MAX_USERNAME:
        checks.reject(field, f"Use {MIN_USERNAME} to {MAX_USERNAME} characters.")
    elif not USERNAME.fullmatch(name):
        checks.reject(field, "Use only letters, digits, dots, hyphens and underscores.")
    return name


class UsernameAccounts(ManagedAccounts[U], Generic[U]):
    """Accounts with a username. The first one needs the set-up code, and is an administrator's."""

    wrong_login = "Wrong username or password."
    about = ("username", "name")
    admin: ClassVar[Any] = AccountRole.ADMIN
    member: ClassVar[Any] = AccountRole.USER
    waiting: ClassVar[Any] = AccountRole.WAITING
    login = "Username"
    has_usernames = True
    last_admin = "Someone must be an administrator. Make someone else an administrator first."

    def __init__(self, context: AccountsContext, passwords: Passwords | None = None) -> None:
        super().__init__(context, passwords)
        self._confirms_addresses = context.confirm_addresses

    def url_part(self, user: Any) -> str:
        """Return the username in lower case."""
        return str(user.username.casefold())

    def login_of(self, user: Any) -> str:
        """Return the username."""
        return cast(str, user.username)

    def register_visitor(self, *args: Any, **values: Any) -> U | None:
        """Create an account for someone, as registration allows."""
        return self.register(*args, **values)

    def find_by_login(self, login: str) -> U | None:
        """Find an account by its username, in any case."""
        if len(login) > MAX_USERNAME or not USERNAME.fullmatch(login):
            return None
        return cast("U | None", self._store.get(self.entity.key(login), consistent=True))

    def find_by_id(self, subject: int) -> U | None:
        """Find an account by its number."""
        return cast("U | None", self._store.find(self.entity.one_id(subject)))

    def get_user(self, who: str) -> U:
        """Return a person by username, or raise NotFound."""
        return check_found(
            self.find_by_login(who), "There is no such person. The account may have been deleted."
        )

    def describe_invitation(self, actor: Any, user: Any) -> tuple[str, str]:
        """Return the subject of an invitation, and its first sentences."""
        site = self._urls.absolute(self._urls.page())
        text = f"{actor.name} invites you to {site}. Your username is {user.username}."
        return "Your new account", text

    def check_removal(self, actor: Any, who: Any) -> U:
        """Return the account to remove: one's own, or as an administrator any."""
        return self.get_person(actor, who)

    def setup_code(self) -> str | None:
        """Return the set-up code, or None if there is an account already."""
        return self._setup_code.code() if self.is_new() else None

    def is_new(self) -> bool:
        """Return whether no account exists yet."""
        return not self._store.page(self.entity.listed(), 1).items

    def register(
        self,
        username: str,
        name: str,
        password: str,
        email: str = "",
        setup_code: str | None = None,
        *,
        is_confirmed: bool = False,
    ) -> U:
        """Create an account. The first one belongs to the administrator and needs the set-up code.

        Commands pass None as the code, because their user is trusted. Others confirm their address
        if the settings say so, unless it `is_confirmed`, and wait for approval if that is the
        setting.
        """
        checks = InputChecks()
        username, name = self._check_names(checks, username, name)
        email = checks.email("email", email)
        check_password_field(checks, password, about=(username, name, email))
        checks.raise_errors()
        registration, is_first = self.registration(), self.is_new()
        if is_first and setup_code is not None and not self._setup_code.matches(setup_code):
            raise InvalidInput({"setup_code": NEEDS_SETUP_CODE})
        if registration is Registration.CLOSED and not is_first:
            raise NotPermitted("Registration is closed. Ask an administrator for an account.")
        is_trusted = is_first or setup_code is None
        waits = registration is Registration.APPROVAL and not is_trusted
        is_confirmed = is_confirmed or is_trusted or not self._confirms_addresses
        if email and not is_confirmed:
            self.emails.check_request(email)
        role = self.admin if is_first else self.waiting if waits else self.member
        user = self._create(
            username=username,
            name=name,
            email=email if is_confirmed else "",
            password_hash=self._passwords.hash(password),
            role=role,
        )
        if email and not is_confirmed:
            self.emails.request(user, email)
        if waits:
            self.tell_waiting(user)
        return user

    @retry_conflicts(otherwise=busy_account)
    def invite(
        self, actor: U, username: str, name: str, email: str, role: Any = None
    ) -> Invitation[U]:
        """Create a person without a password, and e-mail a link to choose one."""
        self.check_manager(actor)
        checks = InputChecks()
        username, name = self._check_names(checks, username, name)
        email = checks.email("email", email, required=True)
        checks.raise_errors()
        user = self._create(username=username, name=name, email=email, role=role or self.member)
        return self._send_invitation(actor, user)

    def _check_names(self, checks: InputChecks, username: str, name: str) -> tuple[str, str]:
        username = check_username(checks, username)
        return username, checks.line("name", name, longest=MAX_NAME, required=True)

    def _create(self, **fields: Any) -> U:
        try:
            user: U = self._store.create(self.entity(user_id=new_user_id(), **fields))
        except ItemExists:
            raise AlreadyExists({"username": TAKEN}) from None
        return user
