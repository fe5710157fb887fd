"""Password rules and hashing (argon2id), and old hashes (bcrypt)."""

from __future__ import annotations

import re
import secrets
import unicodedata
from collections.abc import Iterable, Sequence
from threading import BoundedSemaphore

import bcrypt
from argon2 import PasswordHasher, Type
from argon2.exceptions import Argon2Error, InvalidHashError

from singletable_apps.shared.accounts.errors import PasswordRejected
from singletable_apps.shared.languages import Phrase
from singletable_apps.shared.text import InputChecks

MIN_LENGTH = 12
MAX_LENGTH = 200
# Normalization may join several characters into one.
_MAX_RAW_LENGTH = 10 * MAX_LENGTH

# A hash of bcrypt, up to a cost that is verified within a few seconds.
_BCRYPT = re.compile(r"\$2[aby]\$(0[4-9]|1[0-4])\$[./A-Za-z0-9]{53}")
# bcrypt ignores what follows.
_BCRYPT_BYTES = 72

# Common passwords that are long enough to pass the length rule.
_COMMON = """
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
COMMON_PASSWORDS = frozenset(_COMMON.split())


def check_password(password: str, *, about: Iterable[str] = ()) -> None:
    """Raise PasswordRejected unless the password is acceptable.

    `about` are names and addresses of its owner, which must not be the password.
    """
    text = normalize_password(password)
    if len(text) < MIN_LENGTH:
        raise PasswordRejected(
            Phrase(
                "Use at least %(shortest)s characters; this password has %(size)s. Several words "
                "in a row are long and easy to remember.",
                shortest=MIN_LENGTH,
                size=len(text),
            )
        )
    if len(set(text)) == 1:
        raise PasswordRejected("This password repeats one character. Choose another one.")
    folded = text.casefold()
    if folded in COMMON_PASSWORDS:
        raise PasswordRejected("This password is too common. Choose another one.")
    for name in about:
        own = unicodedata.normalize("NFKC", name).casefold().strip()
        if folded.strip() in (own, own.partition("@")[0]):
            raise PasswordRejected("This password is your name or address. Choose another one.")


def normalize_password(password: str) -> str:
    """Return the password in NFKC, so that every keyboard gives the same text."""
    text = password
    if len(password) <= _MAX_RAW_LENGTH:
        text = unicodedata.normalize("NFKC", password)
    if len(text) > MAX_LENGTH:
        raise PasswordRejected(
            f"Use at most {MAX_LENGTH} characters; this password has {len(text):,}."
        )
    try:
        text.encode()
    except UnicodeEncodeError:
        raise PasswordRejected(
            "This password contains half a character (a lone surrogate). Type it again."
        ) from None
    return text


class Passwords:
    """Hashes passwords, at most `at_once` in parallel: each one takes `memory_kib` of memory.

    The defaults are the minimum that OWASP recommends. Hashes of bcrypt, which migrated accounts
    have, are verified too, and replaced at the next sign-in unless `keep_bcrypt`: a system that
    only knows bcrypt must still be able to read them if the migration is rolled back.
    """

    def __init__(
        self,
        memory_kib: int = 19456,
        passes: int = 2,
        lanes: int = 1,
        at_once: int = 2,
        *,
        keep_bcrypt: bool = False,
    ) -> None:
        self._hasher = PasswordHasher(
            time_cost=passes, memory_cost=memory_kib, parallelism=lanes, type=Type.ID
        )
        self._slots = BoundedSemaphore(at_once)
        self._keep_bcrypt = keep_bcrypt
        self._dummy_hash = self._hasher.hash(secrets.token_bytes(32))

    def hash(self, password: str) -> str:
        """Return the hash to store. It includes the salt and the parameters."""
        text = normalize_password(password)
        with self._slots:
            return self._hasher.hash(text)

    def matches(self, encoded: str | None, password: str) -> bool:
        """Return whether the password is right.

        `encoded` is None for an unknown account, which takes as long as for a known one. (A hash of
        bcrypt takes its own time.)
        """
        try:
            text = normalize_password(password)
        except PasswordRejected:
            return False
        with self._slots:
            if encoded is not None and _BCRYPT.fullmatch(encoded):
                # The system before did not normalize, and bcrypt has cut off long passwords.
                return bcrypt.checkpw(password.encode()[:_BCRYPT_BYTES], encoded.encode())
            if encoded is not None:
                try:
                    return self._hasher.verify(encoded, text)
                except InvalidHashError:
                    pass  # Take as long as for a valid hash.
                except (Argon2Error, UnicodeError):
                    return False
            self._verify_dummy(text)
            return False

    def needs_rehash(self, encoded: str) -> bool:
        """Return whether other parameters were used: hash again at the next sign-in."""
        if self._keep_bcrypt and _BCRYPT.fullmatch(encoded):
            return False
        try:
            return self._hasher.check_needs_rehash(encoded)
        except InvalidHashError:
            return True

    def _verify_dummy(self, text: str) -> None:
        try:
            self._hasher.verify(self._dummy_hash, text)
        except Argon2Error:
            return


def check_password_field(
    checks: InputChecks, password: str, *, about: Sequence[str], field: str = "password"
) -> None:
    """Check a new password as a field of a form or request."""
    try:
        check_password(password, about=about)
    except PasswordRejected as error:
        checks.reject(field, str(error))
