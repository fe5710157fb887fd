"""The log back from a file: wholly checked first, and never taken for whole before it is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from singletable import Store
from singletable_apps.elections import patterns
from singletable_apps.elections.archive.lines import End, entry_line, events_in
from singletable_apps.elections.entities import Counts, Sync, votes
from singletable_apps.elections.errors import NotEmpty
from singletable_apps.elections.log import Event, Restoring, log
from singletable_apps.elections.projection import Progress, head
from singletable_apps.elections.view import View
from singletable_apps.shared.kept import kept

# What a transaction takes, with some room: a hundred items, and 4 MB.
MOST_EVENTS = 50
MOST_BYTES = 3_000_000


def restore_log(store: Store, lines: Iterable[bytes], progress: Progress | None = None) -> End:
    """Fill an empty log with the lines of an export, which are read twice: then rebuild the table.

    Broken off, it is called again with the same lines, and goes on. Until it is done, and until
    the table is built anew, nobody can use either. Everybody has to sign in again.
    """
    if iter(lines) is lines:
        raise TypeError("Lines are read twice, so give a list of them, or what reads a file anew.")
    end = End(0, "")
    for event in events_in(lines):
        end = End(event.event_id, event.hash)
    for table in (votes, log, kept):
        store.admin.create_table(table, if_missing=True)
    there = _begin(store, end)
    _close_table(store)
    # Whoever is signed in is known by the number of an event, which may be another's now.
    store.admin.clear(kept)
    for some in _portions(event for event in events_in(lines) if event.event_id > there):
        with store.transaction(pattern=patterns.append) as together:
            for event in some:
                together.create(event)
        if progress is not None:
            progress(some[-1].event_id, end.events)
    store.delete(Restoring.key())
    return end


def _begin(store: Store, end: End) -> int:
    """Say in the log that it is not whole yet; how many events are there already."""
    begun = store.get(patterns.restoring(), consistent=True)
    newest = head(store)
    if begun is None:
        if newest is not None:
            raise NotEmpty(
                f"The log has {newest.event_id:,} events already, and a log is restored into an "
                "empty one only. Restore it at another address, or with other tables."
            )
        store.create(Restoring(events=end.events, head=end.head))
        return 0
    if (begun.events, begun.head) != (end.events, end.head):
        raise NotEmpty(
            f"Another export was being restored here, of {begun.events:,} events; the hash of the "
            f"last is {begun.head}. Restore that one to its end, or restore this one at another "
            "address."
        )
    return newest.event_id if newest is not None else 0


def _close_table(store: Store) -> None:
    """Let nobody follow the log before the table is built anew."""
    if View(store).sync() is None:
        with store.transaction(pattern=patterns.begin) as together:
            together.create(Sync(rebuilding=True))
            together.put(Counts())
        return
    with store.transaction(pattern=patterns.rebuild) as together:
        together.update(Sync.key(), Sync.rebuilding.set(True))


def _portions(events: Iterable[Event]) -> Iterator[list[Event]]:
    """Events in as many as one transaction takes, so that the log never has a gap."""
    some: list[Event] = []
    size = 0
    for event in events:
        more = len(entry_line(event))
        if some and (len(some) == MOST_EVENTS or size + more > MOST_BYTES):
            yield some
            some, size = [], 0
        some.append(event)
        size += more
    if some:
        yield some
