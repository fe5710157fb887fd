"""Cache results that many people watch at once: each is computed by one thread at a time."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Generic, TypeVar

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class _Cached(Generic[T]):
    version: Hashable
    computed_at: datetime
    value: T


@dataclass(slots=True)
class _Entry(Generic[T]):
    """A value and the lock under which it is computed; other threads wait and share it."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    cached: _Cached[T] | None = None


class ResultCache(Generic[T]):
    """The latest `size` values by key, fresh for `max_age`, and while their version is current.

    Without a version (None), a value is fresh for `max_age` only.
    """

    def __init__(self, max_age: timedelta = timedelta(0), *, size: int = 100) -> None:
        self._max_age = max_age
        self._size = size
        self._entries: OrderedDict[Hashable, _Entry[T]] = OrderedDict()
        self._lock = threading.Lock()

    def get(
        self,
        key: Hashable,
        compute: Callable[[], T],
        clock: Callable[[], datetime],
        version: Hashable = None,
    ) -> T:
        """Return the cached value, or compute it if it is missing or stale."""
        entry = self._entry(key)
        with entry.lock:
            if entry.cached is None or not self._is_fresh(entry.cached, version, clock()):
                value = compute()
                # The age starts now: if computing takes long, waiting threads must not repeat it.
                entry.cached = _Cached(version, clock(), value)
            return entry.cached.value

    def put(self, key: Hashable, value: T, now: datetime) -> None:
        """Store a value that was computed elsewhere."""
        entry = self._entry(key)
        with entry.lock:
            entry.cached = _Cached(None, now, value)

    def _entry(self, key: Hashable) -> _Entry[T]:
        with self._lock:
            entry = self._entries.setdefault(key, _Entry[T]())
            self._entries.move_to_end(key)
            while len(self._entries) > self._size:
                self._entries.popitem(last=False)
            return entry

    def _is_fresh(self, cached: _Cached[T], version: Hashable, now: datetime) -> bool:
        if version is not None and cached.version == version:
            return True
        return timedelta(0) <= now - cached.computed_at < self._max_age
