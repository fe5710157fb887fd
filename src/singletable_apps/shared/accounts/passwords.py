"""Passwords at rest: argon2id, a few at a time, and as slow for whom nobody knows."""

from __future__ import annotations

import secrets
from threading import BoundedSemaphore

from argon2 import PasswordHasher, Type
from argon2.exceptions import Argon2Error, InvalidHashError

from singletable_apps.shared.accounts.check_password import normalised
from singletable_apps.shared.accounts.errors import PasswordRefused


class Passwords:
    """Hashes passwords, at most `at_once` at the same time: each takes `memory_kib` of memory.

    What is given without arguments is what OWASP asks for at least.
    """

    def __init__(
        self, memory_kib: int = 19456, passes: int = 2, lanes: int = 1, at_once: int = 2
    ) -> None:
        self._hasher = PasswordHasher(
            time_cost=passes, memory_cost=memory_kib, parallelism=lanes, type=Type.ID
        )
        self._slots = BoundedSemaphore(at_once)
        self._nobodys = self._hasher.hash(secrets.token_bytes(32))

    def hash(self, password: str) -> str:
        """The password as it may be stored: salt and parameters are part of it."""
        text = normalised(password)
        with self._slots:
            return self._hasher.hash(text)

    def matches(self, encoded: str | None, password: str) -> bool:
        """Whether it is the password. None is an account that is not there, and takes as long."""
        try:
            text = normalised(password)
        except PasswordRefused:
            return False
        with self._slots:
            if encoded is not None:
                try:
                    return self._hasher.verify(encoded, text)
                except InvalidHashError:
                    pass  # Nobody's: a broken one takes as long as any other, too.
                except (Argon2Error, UnicodeError):
                    return False
            self._verify_nobodys(text)
            return False

    def outdated(self, encoded: str) -> bool:
        """Whether it was made with other parameters: hash anew at the next sign-in."""
        try:
            return self._hasher.check_needs_rehash(encoded)
        except InvalidHashError:
            return True

    def _verify_nobodys(self, text: str) -> None:
        try:
            self._hasher.verify(self._nobodys, text)
        except Argon2Error:
            return
