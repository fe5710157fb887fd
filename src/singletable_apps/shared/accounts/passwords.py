"""Passwords at rest: argon2id, a few at a time, and as slow for whom nobody knows."""

from __future__ import annotations

import secrets
import unicodedata
from collections.abc import Iterable
from threading import BoundedSemaphore

from argon2 import PasswordHasher, Type
from argon2.exceptions import Argon2Error, InvalidHashError

from singletable_apps.shared.accounts.errors import PasswordRejected

SHORTEST = 12
LONGEST = 200
# Letters may be written as several characters, and become one when they are normalised.
LONGEST_WRITTEN = 10 * LONGEST

# Long enough for the first rule, and of the kind that guessers begin with.
_GUESSED_FIRST = """
    000000000000 0123456789012 012345678910 111111111111 111222333444 112233445566 121212121212
    123123123123 123321123321 1234512345123 123456123456 1234567812345678 123456789000
    12345678900987654321 123456789012 1234567890123 1234567890qwertyuiop 1234567891011
    123456789101112 123456789abc 12345qwertasdfg 123qweasdzxc 1q2w3e4r5t6y 1q2w3e4r5t6y7u
    1q2w3e4r5t6y7u8i 1q2w3e4r5t6y7u8i9o0p 1qaz2wsx3edc 1qaz2wsx3edc4rfv 1qazxsw23edc 987654321000
    abcabcabcabc abcd1234abcd abcdefgh1234 abcdefghijkl abcdefghijklm abcdefghijklmnop
    abcdefghijklmnopqrstuvwxyz admin1234567 adminadminadmin administrator administrator1
    asdfasdfasdf asdfghjkl123 asdfghjkl;'# changeme1234 changemeplease correcthorsebatterystaple
    footballfootball iloveyou1234 iloveyouiloveyou letmein12345 letmeinletmein mypassword123
    p@ssw0rd1234 p@ssword1234 passw0rd1234 password0000 password1111 password1234 password12345
    password123456 password123456789 password2024 password2025 password2026 passwordpassword
    qazwsxedc123 qazwsxedcrfv qwe123qwe123 qweasdzxc123 qwer1234qwer qwerqwerqwer qwerty123456
    qwertyqwerty qwertyuiop123 qwertyuiop1234567890 qwertyuiop[] qwertyuiopasdfghjkl
    qwertyuiopasdfghjklzxcvbnm qwertzuiopasdfghjkl secret123456 secretsecret sunshine1234
    superman1234 thisismypassword trustno1trustno1 welcome12345 welcomewelcome zaq12wsxcde3
    zxcvbnm12345 zxcvbnmasdfghjkl
"""
COMMON = frozenset(_GUESSED_FIRST.split())


def check_password(password: str, *, about: Iterable[str] = ()) -> None:
    """Raise PasswordRefused unless the password may be chosen by whom these names are about."""
    text = normalised(password)
    if len(text) < SHORTEST:
        raise PasswordRejected(
            f"A password has at least {SHORTEST} characters, and this one has {len(text)}. "
            "Several words in a row are long and easy to remember."
        )
    if len(set(text)) == 1:
        raise PasswordRejected("The password is one character again and again. Choose another.")
    folded = text.casefold()
    if folded in COMMON:
        raise PasswordRejected(
            "The password is one of those that are guessed first. Choose another."
        )
    for name in about:
        own = unicodedata.normalize("NFKC", name).casefold().strip()
        if folded.strip() in (own, own.partition("@")[0]):
            raise PasswordRejected("The password is your own name or address. Choose another.")


def normalised(password: str) -> str:
    """The password as every keyboard gives it; PasswordRefused if it cannot be one at all."""
    text = password
    if len(password) <= LONGEST_WRITTEN:
        text = unicodedata.normalize("NFKC", password)
    if len(text) > LONGEST:
        raise PasswordRejected(
            f"A password has at most {LONGEST} characters, and this one has {len(text):,}."
        )
    try:
        text.encode()
    except UnicodeEncodeError:
        raise PasswordRejected(
            "The password holds half a character (a lone surrogate). Type it anew."
        ) from None
    return text


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
        except PasswordRejected:
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
