"""The users of an app, as sign-in and e-mails find and change them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Generic, TypeVar

U = TypeVar("U")
# The `credentials` of a new account without a password, until someone signs in to it.
UNCLAIMED = 1


@dataclass(frozen=True, slots=True)
class Account:
    """An app's user in the form that sign-in and e-mails need.

    `subject` is the user's number, and `credentials` a number that changes with the password, and
    when someone signs in to a new account for the first time without one.
    """

    subject: int
    credentials: int
    password_hash: str
    name: str
    email: str
    role: str = ""

    @property
    def state(self) -> str:
        """Return the state that links are bound to: password, role and address."""
        return f"{self.credentials} {self.role} {self.email.casefold()}"


class Users(ABC, Generic[U]):
    """The users of an app."""

    @abstractmethod
    def find_by_login(self, login: str) -> U | None:
        """Return the user with this name or e-mail address, in any case, or None."""

    @abstractmethod
    def find_by_id(self, subject: int) -> U | None:
        """Return the user with this number, or None."""

    @abstractmethod
    def account_of(self, user: U) -> Account:
        """Return the account of a user."""

    @abstractmethod
    def check_password(self, user: U, password: str, field: str) -> None:
        """Raise InvalidInput for `field` if the new password is too easy to guess."""

    @abstractmethod
    def set_password(self, user: U, password_hash: str) -> U:
        """Store a new password and change `credentials`. Return the user as stored.

        Raise NotSignedIn if `credentials` have changed since `user` was read.
        """

    def claim(self, user: U) -> U:
        """Change `credentials` of an unclaimed account, unless it was changed since it was read.

        Links that were sent before stop working. Override it if accounts may have no password.
        """
        return user

    @abstractmethod
    def rehash(self, user: U, password_hash: str) -> None:
        """Store another hash of the same password, unless the password has changed since."""

    @abstractmethod
    def is_taken(self, user: U, email: str) -> bool:
        """Return whether someone else has the address, if the app requires unique addresses."""

    @abstractmethod
    def set_email(self, user: U, email: str, by: str) -> U:
        """Store a new address and return the user as stored. Raise InvalidInput if it is taken.

        Raise NotSignedIn if the user was deleted since they were read. `by` is the name of the
        person who requested it; empty if that was the user.
        """
