"""Users that are items of the app's table: their accounts, and changes to them."""

from __future__ import annotations

from contextlib import suppress
from typing import Any, Generic, TypeVar

from singletable import ConditionFailed, Store, key_of
from singletable_apps.shared.accounts.errors import NotSignedIn
from singletable_apps.shared.accounts.notices import Account

U = TypeVar("U")


class StoredUsers(Generic[U]):
    """Reads and changes users with the fields of `Account`, where `user_id` is the subject.

    A write raises `error` if the user was deleted or has another password since they were read.
    The number is compared too: another user may have the name or address of a deleted one.
    """

    def __init__(self, store: Store, entity: type[U], error: type[NotSignedIn]) -> None:
        self._store = store
        self._entity: Any = entity
        self._error = error

    def account_of(self, user: Any) -> Account:
        """Return the account of a user."""
        return Account(
            user.user_id, user.credentials, user.password_hash, user.name, user.email, user.role
        )

    def set_password(self, user: U, password_hash: str) -> U:
        """Change the password, unless it was changed since `user` was read."""
        edit = self._entity.password_hash.set(password_hash)
        return self.update(user, edit, self._entity.credentials.add(1))

    def rehash(self, user: U, password_hash: str) -> None:
        """Store the same password with the current parameters. Sessions stay valid."""
        with suppress(self._error):
            self.update(user, self._entity.password_hash.set(password_hash))

    def update(self, user: Any, *edits: Any) -> U:
        """Edit a user and return them as stored."""
        is_same = self._entity.user_id == user.user_id
        unchanged = is_same & (self._entity.credentials == user.credentials)
        try:
            changed: U = self._store.update(key_of(user), *edits, if_=unchanged)
        except ConditionFailed:
            text = "Your account was changed or deleted a moment ago. Sign in again."
            raise self._error(text) from None
        return changed
