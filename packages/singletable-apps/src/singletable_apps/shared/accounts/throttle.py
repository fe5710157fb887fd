"""Throttling of attempts such as sign-ins: a few are free, then each wait is twice the last.

An attempt is counted before the password is checked, so concurrent guesses cannot all get through.
Attempts during a wait are rejected without being counted: they do not make the wait longer.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import TypeAlias

from singletable import ConditionFailed, Store, TransactionConflict, evolve
from singletable_apps.shared.accounts.entities import Attempts
from singletable_apps.shared.accounts.errors import TooManyAttempts
from singletable_apps.shared.accounts.tokens import mac
from singletable_apps.shared.sealed import derive_key

FIRST_WAIT = timedelta(seconds=1)
MAX_WAIT = WINDOW = timedelta(minutes=15)
# Enough for any maximum wait, and small enough not to overflow.
_MAX_DOUBLINGS = 40

AttemptKey: TypeAlias = tuple[str, str]


class Throttle:
    """Counts attempts by key, such as ("account", "alice") or ("address", "192.0.2.7").

    The first `free` attempts do not wait; then the waits are 1, 2, 4, … seconds up to a quarter
    of an hour; `first_wait` is another first one. The count is reset that long after the last wait.
    The table stores an HMAC instead of the key.
    """

    def __init__(
        self, store: Store, *, secret: bytes, free: int = 5, first_wait: timedelta = FIRST_WAIT
    ) -> None:
        self._store = store
        self._key = derive_key(secret, "throttle")
        self._free = free
        self._first_wait = first_wait

    def check(self, keys: Iterable[AttemptKey], now: datetime) -> None:
        """Raise TooManyAttempts if one of the keys must wait. Count nothing."""
        _check_waits(self._load(self._digests(keys)), now)

    def attempt(self, keys: Iterable[AttemptKey], now: datetime) -> None:
        """Count an attempt for each key. Raise TooManyAttempts if one of them must wait."""
        digests = self._digests(keys)
        _check_waits(self._load(digests), now)
        for digest in digests:
            self._count(digest, now)

    def succeeded(self, key: AttemptKey, *, others: Iterable[AttemptKey] = ()) -> None:
        """Reset the count of `key`, and subtract one attempt from `others`.

        Pass the client's address in `others`: if it were reset, someone with one account could
        guess the passwords of all others from the same address.
        """
        self._store.delete(Attempts.key(self._digest(key)))
        for digest in self._digests(others):
            try:
                self._store.update(
                    Attempts.key(digest), Attempts.tries.add(-1), if_=Attempts.tries > 0
                )
            except ConditionFailed:
                continue  # It has expired.

    def _count(self, digest: str, now: datetime) -> None:
        def count(stored: Attempts) -> Attempts:
            _check_waits([stored], now)
            tries = 1 if stored.ends <= now else stored.tries + 1
            opens = now + self._wait(tries)
            return evolve(stored, tries=tries, opens=opens, ends=opens + WINDOW)

        none = Attempts(digest=digest, tries=0, opens=now, ends=now)
        try:
            self._store.modify(Attempts.key(digest), count, default=none)
        except TransactionConflict:
            raise TooManyAttempts(FIRST_WAIT) from None

    def _wait(self, tries: int) -> timedelta:
        if tries < self._free:
            return timedelta(0)
        return min(MAX_WAIT, self._first_wait * (1 << min(tries - self._free, _MAX_DOUBLINGS)))

    def _load(self, digests: Iterable[str]) -> list[Attempts | None]:
        return self._store.get_many(map(Attempts.key, digests), consistent=True)

    def _digests(self, keys: Iterable[AttemptKey]) -> list[str]:
        return list(dict.fromkeys(map(self._digest, keys)))

    def _digest(self, key: AttemptKey) -> str:
        return mac(self._key, *key)


def _check_waits(counts: Iterable[Attempts | None], now: datetime) -> None:
    waits = [stored.opens - now for stored in counts if stored is not None and stored.opens > now]
    if waits:
        raise TooManyAttempts(max(waits))
