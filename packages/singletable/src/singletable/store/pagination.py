"""Pages of a query, in both directions, and reads that stop at a bound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from dynamodb_engine.steps import NextItems, Steps
from singletable.errors import InvalidCursor, ReadLimitReached
from singletable.store.cursors import CursorSealer
from singletable.store.query import ItemQuery

E = TypeVar("E")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Page(Generic[E]):
    """Some items, the cursor of the next page and that of the previous one.

    `cursor` is None on the last page, and `previous` on the first.
    """

    items: list[E]
    cursor: str | None
    previous: str | None = None


def read_page(query: ItemQuery[Any], size: int, next_results: NextItems[E]) -> Steps[Page[E]]:
    """Return one page of `size` results, which `next_results` returns from the query.

    A page before a position is read in the other direction, and then reversed.
    """
    sealer = _sealer(query)
    backward = False
    if query.cursor is not None:
        positions, backward = sealer.open(query.cursor)
        query.seek(positions)
        query.reverse ^= backward
    # One more item shows whether this is the last page, without another request.
    query.lookahead = 1
    yield from query.fill(size)
    behind = query.opposite_positions()
    results: list[E] = []
    while len(results) < size:
        more = yield from next_results(size - len(results))
        if not more:
            break
        results += more
    ahead = query.positions()
    following = yield from query.next_raw_items(1)
    if not following and query.is_exhausted:
        ahead = query.positions()
    has_more = bool(following) or query.is_exhausted
    onward = sealer.seal(ahead, backward=backward) if has_more else None
    if backward:
        return Page(results[::-1], sealer.seal(behind), onward)
    is_first = query.cursor is None
    return Page(results, onward, None if is_first else sealer.seal(behind, backward=True))


def start_at_cursor(query: ItemQuery[E]) -> ItemQuery[E]:
    """Return the query, continued at its cursor if it has one."""
    if query.cursor is not None:
        positions, backward = _sealer(query).open(query.cursor)
        if backward:
            raise InvalidCursor(
                "The cursor is that of a previous page. Read that page with page(…, cursor=…)."
            )
        query.seek(positions)
    return query


def check_bound(query: ItemQuery[Any], count: int | None = None) -> None:
    """Raise ReadLimitReached if the query ended because of `max_read`."""
    if query.max_read is not None and query.is_exhausted:
        cursor = _sealer(query).seal(query.positions())
        raise ReadLimitReached(query.max_read, cursor, count)


def within_bound(query: ItemQuery[Any], next_results: NextItems[R]) -> NextItems[R]:
    """Return the function, raising ReadLimitReached where it ends because of `max_read`."""

    def checked(limit: int | None) -> Steps[list[R]]:
        results = yield from next_results(limit)
        if not results:
            check_bound(query)
        return results

    return next_results if query.max_read is None else checked


def count_items(query: ItemQuery[Any], limit: int | None) -> Steps[int]:
    """Return the number of items, up to `limit`; raise ReadLimitReached if it is not known."""
    total = yield from query.count(limit)
    if limit is None or total < limit:
        check_bound(query, total)
    return total


def _sealer(query: ItemQuery[Any]) -> CursorSealer:
    """Return the sealer of the query's cursors; call it before the direction changes."""
    return CursorSealer.of(query.context.cursor_secret, query.fingerprint())
