"""The people of an app, as the shared pages and API list, change and remove them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any, ClassVar, Generic, TypeVar, cast

from singletable import Page, Store
from singletable_apps.shared.accounts import notices
from singletable_apps.shared.accounts.email_changes import EmailChanges
from singletable_apps.shared.accounts.entities import Registration
from singletable_apps.shared.accounts.errors import TooManyAttempts
from singletable_apps.shared.accounts.throttle import MAX_WAIT, Throttle
from singletable_apps.shared.accounts.users import Account
from singletable_apps.shared.errors import RequestRejected
from singletable_apps.shared.outbox import Outbox
from singletable_apps.shared.permissions import NotPermitted
from singletable_apps.shared.service import RevisionCheck, any_revision

# How many people a search reads at most before it shows what it has found.
MAX_READ = 2_000
NO_INVITATIONS = "This site has no invitations. Ask people to register."

U = TypeVar("U")


class People(ABC, Generic[U]):
    """What people may do with accounts: their own, and those of others.

    Each method checks that the actor may do this. `who` is what `url_part` returns. People register
    themselves if there is a role `waiting`, which newcomers have until they get `member` or another
    one; administrators may change that to registration without approval.
    """

    waiting: ClassVar[Any] = None
    member: ClassVar[Any]
    # What people sign in with, and whether they have usernames.
    login: ClassVar[str] = "E-mail address"
    has_usernames: ClassVar[bool] = False
    max_name: ClassVar[int] = 100
    # Whether administrators invite people, and whether account pages edit names and addresses.
    invites: ClassVar[bool] = True
    edits_profiles: ClassVar[bool] = True
    # The parts of the URL of the list of people.
    people_path: ClassVar[tuple[str, ...]] = ("people",)
    emails: EmailChanges[U]

    @abstractmethod
    def manages_accounts(self, role: Any) -> bool:
        """Return whether people with this role manage accounts; giving it needs the password."""

    def login_of(self, user: Any) -> str:
        """Return what someone signs in with, for the password manager of the browser."""
        return cast(str, user.email)

    def register_visitor(self, *args: Any, **values: Any) -> U | None:
        """Create an account for someone; return None if they have to confirm their address."""
        raise NotPermitted("Nobody can register here. Ask for an invitation.")

    @abstractmethod
    def check_manager(self, actor: U) -> None:
        """Raise NotPermitted unless someone may manage accounts."""

    @abstractmethod
    def url_part(self, user: U) -> str:
        """Return the last part of the URL of a person."""

    @abstractmethod
    def get_person(self, actor: U, who: Any) -> U:
        """Return a person visible to the actor, or raise NotFound."""

    @abstractmethod
    def read_people(self, limit: int, cursor: str | None) -> Page[Any]:
        """Return some people, by name."""

    def list_people(
        self,
        actor: U,
        search: str = "",
        *,
        role: Any = None,
        limit: int = 50,
        cursor: str | None = None,
    ) -> Page[U]:
        """Return people with the words of `search` in their name or e-mail address."""
        self.check_manager(actor)

        return search_people(
            lambda at: self.read_people(limit, at),
            lambda user: f"{user.name} {user.email}",
            search,
            limit=limit,
            cursor=cursor,
            is_wanted=lambda user: role in (None, user.role),
        )

    def invite(self, actor: U, *args: Any, **fields: Any) -> Any:
        """Create an account without a password, and e-mail a link, if the app has invitations."""
        raise NotPermitted(NO_INVITATIONS)

    def invite_again(self, actor: U, who: Any) -> Any:
        """E-mail another link to someone who has never signed in."""
        raise NotPermitted(NO_INVITATIONS)

    @abstractmethod
    def allowed_roles(self, actor: U, user: U) -> Sequence[Any]:
        """Return the current role of someone, and those that the actor may give to them."""

    @abstractmethod
    def change_role(self, actor: U, who: Any, role: Any, check: RevisionCheck = any_revision) -> U:
        """Change what someone may do."""

    @abstractmethod
    def may_edit(self, actor: U, user: U) -> bool:
        """Return whether the actor may change the name and the e-mail address of someone."""

    @abstractmethod
    def edit_person(
        self,
        actor: U,
        who: Any,
        *,
        name: str | None = None,
        email: str | None = None,
        check: RevisionCheck = any_revision,
    ) -> U:
        """Change a name, and send a link to a new e-mail address."""

    @abstractmethod
    def check_removable(self, actor: U, user: U) -> None:
        """Raise RequestRejected if the actor cannot remove someone now."""

    def why_kept(self, actor: U, user: U) -> str:
        """Return why the actor cannot remove someone now, or an empty string."""
        try:
            self.check_removable(actor, user)
        except RequestRejected as error:
            return str(error)
        return ""

    @abstractmethod
    def remove(self, actor: U, who: Any, check: RevisionCheck = any_revision) -> object:
        """Remove an account and end its sessions."""

    @abstractmethod
    def setup_code(self) -> str | None:
        """Return the code to create the first account, or None if there is one."""

    @abstractmethod
    def registration(self) -> Registration:
        """Return the setting: registration is open, by approval or closed."""

    @abstractmethod
    def set_registration(self, actor: U, registration: Registration) -> object:
        """Change the registration setting."""


def search_people(
    read: Callable[[str | None], Page[U]],
    text: Callable[[U], str],
    search: str,
    *,
    limit: int,
    cursor: str | None,
    is_wanted: Callable[[U], bool] = lambda user: True,
) -> Page[U]:
    """Return the wanted people with all words of `search` in their text, in any case.

    `read(cursor)` returns some people. A page has at least `limit` of those who match, unless there
    are fewer or `MAX_READ` people were read.
    """
    words, found, seen = search.casefold().split(), list[U](), 0
    while True:
        page = read(cursor)
        found += (
            user
            for user in page.items
            if is_wanted(user) and all(word in text(user).casefold() for word in words)
        )
        cursor, seen = page.cursor, seen + len(page.items)
        if cursor is None or len(found) >= limit or seen >= MAX_READ:
            return Page(found, cursor, None)


class ApprovalNotices:
    """Tells administrators that someone waits for approval, at most four times an hour."""

    def __init__(self, store: Store, mail: Outbox, *, secret: bytes) -> None:
        self._mail = mail
        self._throttle = Throttle(store, secret=secret, free=1, first_wait=MAX_WAIT)

    def send(self, name: str, admins: Iterable[Account], link: str, now: datetime) -> None:
        """Send the e-mails, at most once every few minutes."""
        try:
            self._throttle.attempt([("approval", "")], now)
        except TooManyAttempts:
            return
        for account in admins:
            notice = notices.APPROVAL_NEEDED.to(
                account.email, account.name, newcomer=name, link=link
            )
            self._mail.send(notice, now)
