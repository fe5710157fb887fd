"""Count views, likes and comments per day, for the whole site and for each post.

Nothing personal is involved: no cookie and no address, so a reader who returns is another view.
Views are counted in memory and written together every few seconds, so that reading a post costs no
write. A process that crashes loses the views of those seconds; the likes of a post have an exact
counter of their own (see `likes.py`).
"""

from __future__ import annotations

import logging
import threading
from collections import Counter
from datetime import UTC, date, datetime, time, timedelta

from singletable import SingleTableError
from singletable_apps.portfolio import patterns
from singletable_apps.portfolio.entities import DayStats
from singletable_apps.portfolio.service.context import Context
from singletable_apps.shared.service import UNKNOWN_OUTCOME

SITE = "SITE"
FLUSH_AFTER = timedelta(seconds=10)
FLUSH_EVENTS = 100
KEPT = timedelta(days=400)
_log = logging.getLogger(__name__)


class StatsService:
    """Record what happens on the site. Days are in UTC."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._lock = threading.Lock()
        self._flushing = threading.Lock()
        # The number of events of a kind ("views", "likes", "comments") by scope and day.
        self._buffer: Counter[tuple[str, date, str]] = Counter()
        self._events = 0
        self._flushed_at = context.clock()

    def record_view(self, blog_id: str | None) -> None:
        """Count a view of a post or, without an id, of another page."""
        self._record("views", blog_id, self._context.clock(), 1)

    def record_like(self, blog_id: str, liked_at: datetime, change: int = 1) -> None:
        """Count a like, or take it back with -1, on the day on which it was given."""
        self._record("likes", blog_id, liked_at, change)

    def record_comment(self, blog_id: str) -> None:
        """Count a comment that was approved."""
        self._record("comments", blog_id, self._context.clock(), 1)

    def days(self, scope: str, number: int) -> list[DayStats]:
        """Return the last days of a post, or of the site (SITE), oldest first.

        Days on which nothing happened are zeros. Views that other processes have not written yet
        are missing.
        """
        self.flush()
        number = max(1, min(number, KEPT.days))
        last = self._context.clock().astimezone(UTC).date()
        first = last - timedelta(days=number - 1)
        found = self._context.store.run(patterns.stats_of_days, scope, first, last)
        stored = {each.day: each for each in found}
        days = (first + timedelta(days=offset) for offset in range(number))
        return [
            stored.get(day) or DayStats(scope=scope, day=day, ends=_end_of(day)) for day in days
        ]

    def flush(self) -> None:
        """Write what was counted. What cannot be written now is kept for the next time."""
        with self._flushing:
            self._write_all()

    def _record(self, kind: str, blog_id: str | None, at: datetime, change: int) -> None:
        day = at.astimezone(UTC).date()
        with self._lock:
            for scope in (SITE, blog_id):
                if scope is not None:
                    self._buffer[scope, day, kind] += change
            self._events += 1
            waited = self._context.clock() - self._flushed_at
            is_due = self._events >= FLUSH_EVENTS or waited >= FLUSH_AFTER
        # While another thread writes, this one goes on.
        if is_due and self._flushing.acquire(blocking=False):
            try:
                self._write_all()
            finally:
                self._flushing.release()

    def _write_all(self) -> None:
        with self._lock:
            counted, self._buffer = self._buffer, Counter()
            self._events, self._flushed_at = 0, self._context.clock()
        for scope, day in dict.fromkeys((scope, day) for scope, day, _ in counted):
            if not self._write(counted, scope, day):
                break
        with self._lock:
            self._buffer.update(counted)

    def _write(self, counted: Counter[tuple[str, date, str]], scope: str, day: date) -> bool:
        """Add to one day, and remove it from what was counted; return False if it must wait."""
        amounts = {field: counted[scope, day, kind] for kind, field in _FIELDS.items()}
        edits = [field.add(amount) for field, amount in amounts.items() if amount]
        ends = DayStats.ends.set(_end_of(day))
        try:
            if edits:
                self._context.store.upsert(DayStats.key(scope, day), *edits, on_create=[ends])
        except UNKNOWN_OUTCOME as error:
            # Losing some views is better than counting them twice.
            _log.warning("Statistics of %s on %s may be incomplete: %s", scope, day, error)
        except SingleTableError as error:
            _log.warning("Statistics of %s on %s are not written yet: %s", scope, day, error)
            return False
        for kind in _FIELDS:
            del counted[scope, day, kind]
        return True


_FIELDS = {"views": DayStats.views, "likes": DayStats.likes, "comments": DayStats.comments}


def _end_of(day: date) -> datetime:
    return datetime.combine(day, time(), UTC) + KEPT
