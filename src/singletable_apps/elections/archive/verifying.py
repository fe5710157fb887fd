"""Whether the log is whole, and the table what the log says, to the byte."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from singletable import Engine, Item, Store
from singletable_apps.elections import patterns
from singletable_apps.elections.entities import votes
from singletable_apps.elections.errors import Busy, Rebuilding, TableBroken
from singletable_apps.elections.log import Event, check_entry, check_whole, log
from singletable_apps.elections.projection import Progress, follow
from singletable_apps.elections.view import View

REPORTED = 10
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Difference:
    """An item that is not in the table as it should be, by its key, and what is wrong with it."""

    partition_key: str
    sort_key: str
    what: str


@dataclass(frozen=True, slots=True)
class Verified:
    """What was found: how long the log is, how far the table followed it, and what differs."""

    events: int
    head: str
    followed: int
    items: int
    differences: tuple[Difference, ...]


def verify_log(store: Store, progress: Progress | None = None) -> Verified:
    """Walk the log, build a table in memory as far as this one is, and compare item by item.

    LogBroken if the log is not whole. Nothing is written; the first differences are reported.
    """
    check_whole(store)
    sync = View(store).sync()
    if sync is not None and sync.rebuilding:
        raise Rebuilding("The table is being built anew from the log. Verify it when that is done.")
    followed = sync.last_event_id if sync is not None else 0
    if sync is not None and sync.step > 0:
        raise Busy(
            f"Event {followed + 1:,} is half in the table: somebody is applying it, or was broken "
            "off. Open the service, which goes on with it, and verify again."
        )
    with Engine.in_memory() as memory:
        scratch = Store(memory)
        for table in (votes, log):
            scratch.admin.create_table(table)
        events, head = _copied(store, scratch, followed)
        if followed > events:
            raise TableBroken(
                f"The table has followed {followed:,} events, and the log has {events:,}: it may "
                "lag, and never lead. Build it anew."
            )
        if sync is not None:
            follow(scratch, progress=lambda done: progress(done, followed) if progress else None)
        items, differences = _compared(store, scratch)
    if (now := View(store).sync()) != sync:
        moved = now.last_event_id if now is not None else 0
        raise Busy(
            f"While the table was compared, it followed the log from event {followed:,} to "
            f"{moved:,}. Verify it when nobody writes."
        )
    return Verified(events, head, followed, items, tuple(differences))


def _copied(store: Store, scratch: Store, followed: int) -> tuple[int, str]:
    """Check every entry of the log, and copy those that the table has followed."""
    number, previous = 0, ""
    waiting: list[Event] = []
    for event in store.query(patterns.all_events(), consistent=True):
        number += 1
        check_entry(event, number, previous)
        previous = event.hash
        if number <= followed:
            waiting.append(event)
        if len(waiting) == _AT_ONCE:
            scratch.put_many(waiting)
            waiting = []
    scratch.put_many(waiting)
    return number, previous


def _compared(store: Store, scratch: Store) -> tuple[int, list[Difference]]:
    """How many items the table has, and the first that differ from those that it should have."""
    expected = {_key(item): item for item in _items(scratch)}
    found: list[Difference] = []
    count = 0
    for item in _items(store):
        count += 1
        key = _key(item)
        should = expected.pop(key, None)
        if should is None:
            found.append(Difference(*key, "is in the table, and not in the log"))
        elif should != item:
            found.append(Difference(*key, f"differs in {', '.join(_differing(item, should))}"))
    found += [Difference(*key, "is missing from the table") for key in expected]
    return count, sorted(found, key=_order)[:REPORTED]


def _items(store: Store) -> Iterator[Item]:
    cursor = None
    while True:
        page = store.admin.items(votes, _AT_ONCE, cursor=cursor)
        yield from page.items
        cursor = page.cursor
        if cursor is None:
            return


def _key(item: Item) -> tuple[str, str]:
    return item["PK"]["S"], item["SK"]["S"]


def _differing(item: Item, should: Item) -> list[str]:
    names = sorted(item.keys() | should.keys())
    return [name for name in names if item.get(name) != should.get(name)]


def _order(difference: Difference) -> tuple[str, str]:
    return difference.partition_key, difference.sort_key
