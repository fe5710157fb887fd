"""The latest of what many look at at once: however many ask, it is made once in a while."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Generic, TypeVar

T = TypeVar("T")

KEPT = 100


@dataclass(frozen=True, slots=True)
class _Made(Generic[T]):
    version: Hashable
    when: datetime
    value: T


@dataclass(slots=True)
class _Place(Generic[T]):
    """Where one thing is made: by one at a time, the others wait and take what that one made."""

    turn: threading.Lock = field(default_factory=threading.Lock)
    made: _Made[T] | None = None


class Latest(Generic[T]):
    """Values by what they are of: good while their version is, and for a moment after.

    What has no version to go by (None) is good for that moment alone.
    """

    def __init__(self, longest: timedelta) -> None:
        self._longest = longest
        self._places: OrderedDict[Hashable, _Place[T]] = OrderedDict()
        self._lock = threading.Lock()

    def value(
        self,
        of: Hashable,
        make: Callable[[], T],
        clock: Callable[[], datetime],
        version: Hashable = None,
    ) -> T:
        """The latest one, or a new one if that is too old."""
        place = self._place(of)
        with place.turn:
            if place.made is None or not self._is_good(place.made, version, clock()):
                value = make()
                # From when it is there: if it takes long, those who waited must not begin anew.
                place.made = _Made(version, clock(), value)
            return place.made.value

    def keep(self, of: Hashable, value: T, now: datetime, version: Hashable = None) -> None:
        """Let a value be the latest that somebody has made for themselves."""
        place = self._place(of)
        with place.turn:
            place.made = _Made(version, now, value)

    def _place(self, of: Hashable) -> _Place[T]:
        with self._lock:
            place = self._places.setdefault(of, _Place[T]())
            self._places.move_to_end(of)
            while len(self._places) > KEPT:
                self._places.popitem(last=False)
            return place

    def _is_good(self, made: _Made[T], version: Hashable, now: datetime) -> bool:
        if version is not None and made.version == version:
            return True
        return timedelta(0) <= now - made.when < self._longest
