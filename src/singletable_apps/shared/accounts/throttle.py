"""Guessing made slow: some tries are free, and after them each wait is twice the last.

An attempt is counted before it is looked at, so of a hundred guesses at the same moment those that
are free come through, and the others are told to wait. What is told to wait is not counted: the
wait ends when it was said to end, however often somebody asks.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import TypeAlias

from singletable import ConditionFailed, Store
from singletable_apps.shared.accounts.entities import Attempts
from singletable_apps.shared.accounts.errors import TooManyAttempts
from singletable_apps.shared.accounts.tokens import derive_key, mac

FIRST_WAIT = timedelta(seconds=1)
# More than enough doublings for any longest wait.
MOST_DOUBLINGS = 40
# Whoever loses this often against others has come with a crowd.
MORE_ROUNDS = 10

Guessed: TypeAlias = tuple[str, str]


class Throttle:
    """Counts attempts by what is guessed or who guesses: ("account", "alice"), ("address", …).

    `free` tries wait for nothing; then come waits of 1, 2, 4, … seconds up to `longest`. All is
    forgotten a `window` after the last wait. The table holds an HMAC in place of names.
    """

    def __init__(
        self,
        store: Store,
        *,
        secret: bytes,
        free: int = 5,
        window: timedelta = timedelta(minutes=15),
        longest: timedelta = timedelta(minutes=15),
    ) -> None:
        self._store = store
        self._key = derive_key(secret, "throttle")
        self._free = free
        self._window = window
        self._longest = longest

    def check(self, keys: Iterable[Guessed], now: datetime) -> None:
        """Raise TooManyAttempts if one of the keys has to wait; nothing is counted."""
        _refuse(self._held(self._digests(keys)), now)

    def attempt(self, keys: Iterable[Guessed], now: datetime) -> None:
        """Count an attempt for each of the keys, or raise TooManyAttempts: before it is made."""
        digests = self._digests(keys)
        found = self._held(digests)
        _refuse(found, now)
        for digest, held in zip(digests, found, strict=True):
            self._count(digest, held, now)

    def succeeded(self, key: Guessed, *, others: Iterable[Guessed] = ()) -> None:
        """Forget a key that was rightly named, and give the other keys back this one attempt.

        An address is not forgotten: who has one account could guess at all others from it.
        """
        self._store.delete(Attempts.key(self._digest(key)))
        for digest in self._digests(others):
            try:
                self._store.update(
                    Attempts.key(digest), Attempts.tries.add(-1), if_=Attempts.tries > 0
                )
            except ConditionFailed:
                continue  # forgotten in the meantime

    def _count(self, digest: str, held: Attempts | None, now: datetime) -> None:
        """Count one more. Each round that is lost against another has counted theirs."""
        for _ in range(self._free + MORE_ROUNDS):
            try:
                self._write(digest, held, now)
            except ConditionFailed:
                [held] = self._held([digest])
                _refuse([held], now)
            else:
                return
        raise TooManyAttempts(FIRST_WAIT)

    def _write(self, digest: str, held: Attempts | None, now: datetime) -> None:
        over = held is None or held.ends <= now
        tries = 1 if held is None or over else held.tries + 1
        opens = now + self._wait(tries)
        ends = opens + self._window
        if held is None:
            self._store.create(Attempts(digest=digest, tries=tries, opens=opens, ends=ends))
            return
        self._store.update(
            Attempts.key(digest),
            Attempts.tries.set(tries),
            Attempts.opens.set(opens),
            Attempts.ends.set(ends),
            if_=Attempts.version == held.version,
        )

    def _wait(self, tries: int) -> timedelta:
        if tries < self._free:
            return timedelta(0)
        return min(self._longest, FIRST_WAIT * (1 << min(tries - self._free, MOST_DOUBLINGS)))

    def _held(self, digests: Iterable[str]) -> list[Attempts | None]:
        return self._store.get_many(map(Attempts.key, digests), consistent=True)

    def _digests(self, keys: Iterable[Guessed]) -> list[str]:
        return list(dict.fromkeys(map(self._digest, keys)))

    def _digest(self, key: Guessed) -> str:
        return mac(self._key, *key)


def _refuse(found: Iterable[Attempts | None], now: datetime) -> None:
    waits = [held.opens - now for held in found if held is not None and held.opens > now]
    if waits:
        raise TooManyAttempts(max(waits))
