"""Change an e-mail address: confirm the new one, and notify the old one.

If someone else requested the change, password resets are off once it takes effect, until the owner
of the account accepts the address: on the account page with the password, or from the old address.
Otherwise an administrator could enter an address of their own and reset the password. Signing in is
not enough, because people do that without looking at their address.
"""

from __future__ import annotations

import hmac
import re
import secrets
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Generic, TypeVar

from singletable import AlreadyExists, ConditionFailed, Store
from singletable_apps.shared.accounts import notices
from singletable_apps.shared.accounts.entities import EmailChange, RecoveryLock
from singletable_apps.shared.accounts.errors import NotSignedIn
from singletable_apps.shared.accounts.throttle import AttemptKey, Throttle
from singletable_apps.shared.accounts.tokens import mac
from singletable_apps.shared.accounts.users import Users
from singletable_apps.shared.outbox import SECURITY, Outbox
from singletable_apps.shared.sealed import derive_key

LIFETIME = timedelta(days=1)
_TOKEN = re.compile(r"(-?[0-9]{1,18})\.([\w-]{43})", re.ASCII)

U = TypeVar("U")


@dataclass(frozen=True, slots=True)
class AddressNotice:
    """A change requested by someone else, for the owner of the account to decide on."""

    old_email: str
    by: str
    is_done: bool


class EmailChanges(Generic[U]):
    """Requests and confirms changes of e-mail addresses.

    `link(page, token)` returns the URL of a page: "email" confirms a new address, and "email/old"
    keeps the old one.
    """

    def __init__(
        self,
        users: Users[U],
        store: Store,
        mail: Outbox,
        *,
        secret: bytes,
        link: Callable[[str, str], str],
        clock: Callable[[], datetime],
    ) -> None:
        self._users = users
        self._store = store
        self._mail = mail
        self._key = derive_key(secret, "email changes")
        self._link = link
        self._clock = clock
        self._throttle = Throttle(store, secret=secret, free=5)

    def check_request(self, new: str) -> None:
        """Raise TooManyAttempts if too many links were sent to this address."""
        self._throttle.check([_address_key(new)], self._clock())

    def request(self, user: U, new: str, *, by: str = "") -> None:
        """Send a link to the new address and a notice to the old one.

        `by` is the name of the person who requested it, if that is not the user. The caller does
        not learn whether another account has the address. Earlier requests stop working.
        """
        account, now = self._users.account_of(user), self._clock()
        keys = [("email change", str(account.subject)), _address_key(new)]
        self._throttle.attempt(keys, now)
        change = EmailChange(
            subject=account.subject,
            change=secrets.token_urlsafe(16),
            old_email=account.email,
            new_email=new,
            by=by,
            state=account.state,
            ends=now + LIFETIME,
        )
        self._store.put(change)
        if self._users.is_taken(user, new):
            self._mail.send(notices.ADDRESS_IN_USE.to(new), now)
        else:
            link = self._link("email", self._token("new", change))
            self._mail.send(notices.CONFIRM_ADDRESS.to(new, link=link), now)
        link = self._link("email/old", self._token("old", change))
        requested = notices.CHANGE_REQUESTED_BY_OTHERS if by else notices.CHANGE_REQUESTED
        notice = requested.to(account.email, account.name, new=new, by=by, link=link)
        self._mail.send(notice, now, SECURITY)

    def read(self, token: str) -> str:
        """Return the address that a link confirms, without using up the link."""
        return self._find(token)[0].new_email

    def confirm(self, token: str) -> U:
        """Change the address with the single-use link from the e-mail to the new one."""
        change, user = self._find(token)
        try:
            self._store.delete(
                EmailChange.key(change.subject), if_=EmailChange.change == change.change
            )
        except ConditionFailed:
            raise _invalid() from None
        unaccepted_by = "" if change.is_accepted else change.by
        if unaccepted_by:
            self._lock(change)
        try:
            changed = self._users.set_email(user, change.new_email, change.by)
        except Exception as error:
            with suppress(ConditionFailed):
                is_ours = RecoveryLock.change == change.change
                self._store.delete(RecoveryLock.key(change.subject), if_=is_ours)
            if isinstance(error, NotSignedIn):
                raise _invalid() from None
            raise
        name, new = self._users.account_of(changed).name, change.new_email
        kind = notices.ADDRESS_CHANGED_BY_OTHERS if unaccepted_by else notices.ADDRESS_CHANGED
        for address in (change.old_email, new):
            notice = kind.to(address, name, new=new, by=unaccepted_by)
            self._mail.send(notice, self._clock(), SECURITY)
        if not change.by:
            self._store.delete(RecoveryLock.key(change.subject))  # the owner chose this address
        return changed

    def read_notice(self, token: str) -> AddressNotice:
        """Return the change that the link in the notice to the old address refers to."""
        found, _ = self._find_notice(token)
        return AddressNotice(found.old_email, found.by, isinstance(found, RecoveryLock))

    def keep_old(self, token: str) -> None:
        """Stop or undo a change requested by someone else, with the link to the old address."""
        found, user = self._find_notice(token)
        if isinstance(found, RecoveryLock):
            self._users.set_email(user, found.old_email, "")
        self._settle(found)

    def accept_new(self, token: str) -> None:
        """Accept the change, so that passwords can be reset, with the link to the old address."""
        found, _ = self._find_notice(token)
        if isinstance(found, RecoveryLock):
            self._settle(found)
            return
        try:
            self._store.update(
                EmailChange.key(found.subject),
                EmailChange.is_accepted.set(True),
                if_=EmailChange.change == found.change,
            )
        except ConditionFailed:
            raise _invalid() from None

    def find_unaccepted(self, user: U) -> AddressNotice | None:
        """Return the change that the owner has not accepted yet, or None."""
        lock = self._store.get(RecoveryLock.key(self._users.account_of(user).subject))
        return None if lock is None else AddressNotice(lock.old_email, lock.by, is_done=True)

    def accept_own(self, user: U, email: str) -> None:
        """Allow resets with `email`. Check the password first.

        `email` is the address that the owner has seen; it may have changed since.
        """
        account = self._users.account_of(user)
        if account.email != email:
            raise _invalid()
        self._store.delete(RecoveryLock.key(account.subject))

    def _lock(self, change: EmailChange) -> None:
        """Switch resets off. Keep an earlier lock, because its old address is the owner's."""
        try:
            self._store.create(
                RecoveryLock(
                    subject=change.subject,
                    change=change.change,
                    old_email=change.old_email,
                    by=change.by,
                )
            )
        except AlreadyExists:
            return

    def _settle(self, found: EmailChange | RecoveryLock) -> None:
        self._store.delete(type(found).key(found.subject))

    def _find(self, token: str) -> tuple[EmailChange, U]:
        """Return the change that a link confirms, and the user."""
        change = self._store.get(EmailChange.key(self._subject(token)), consistent=True)
        user = self._users.find_by_id(change.subject) if change is not None else None
        if change is None or user is None or change.ends <= self._clock():
            raise _invalid()
        if not self._matches(token, "new", change):
            raise _invalid()
        # The password, the role or the address has changed since.
        if self._users.account_of(user).state != change.state:
            raise _invalid()
        return change, user

    def _find_notice(self, token: str) -> tuple[EmailChange | RecoveryLock, U]:
        """Return the change that the link to the old address refers to, and the user."""
        subject = self._subject(token)
        user = self._users.find_by_id(subject)
        for found in (
            self._store.get(RecoveryLock.key(subject), consistent=True),
            self._store.get(EmailChange.key(subject), consistent=True),
        ):
            if found is None or not found.by or not self._matches(token, "old", found):
                continue
            if user is not None and (isinstance(found, RecoveryLock) or not found.is_accepted):
                return found, user
        raise _invalid()

    def _token(self, kind: str, change: EmailChange | RecoveryLock) -> str:
        """Return the token of a link, which is only valid for the address it is sent to."""
        address = change.old_email
        if kind == "new" and isinstance(change, EmailChange):
            address = change.new_email
        parts = (str(change.subject), change.change, address)
        return f"{change.subject}.{mac(self._key, kind, *parts)}"

    def _matches(self, token: str, kind: str, change: EmailChange | RecoveryLock) -> bool:
        return hmac.compare_digest(token, self._token(kind, change))

    def _subject(self, token: str) -> int:
        parts = _TOKEN.fullmatch(token)
        if parts is None:
            raise _invalid()
        return int(parts[1])


def _invalid() -> NotSignedIn:
    return NotSignedIn(
        "This link has been used, has expired, or was replaced by a newer one.", field="token"
    )


def _address_key(address: str) -> AttemptKey:
    return ("email to", address.casefold())
