"""The log in a file, back from it, and whether log and table are what they should be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeAlias, cast

import msgspec

from singletable import Engine, Item, Store
from singletable_apps.elections import patterns
from singletable_apps.elections.entities import Counts, Sync, votes
from singletable_apps.elections.errors import (
    Busy,
    CorruptLog,
    CorruptTable,
    InvalidExport,
    LogNotEmpty,
    RebuildInProgress,
)
from singletable_apps.elections.events import (
    Event,
    RestoreMarker,
    check_event,
    check_not_restoring,
    event_log,
    hash_event,
    parse_event_data,
)
from singletable_apps.elections.projection import Progress, catch_up, get_last_event
from singletable_apps.elections.proofs import canonical_json
from singletable_apps.elections.read_model import ReadModel
from singletable_apps.shared.accounts.entities import expiring


class _Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="line"):
    pass


class Entry(_Line, frozen=True, tag="event"):
    """An event, as the log has it."""

    event_id: int
    when_occurred: datetime
    actor: str
    event_type: str
    event_data: dict[str, Any]
    previous_hash: str
    hash: str


class ExportEnd(_Line, frozen=True, tag="end"):
    """The last line: how many events there are, and the hash of the last."""

    events: int
    head: str


def entry_line(event: Event) -> bytes:
    """The line of an event."""
    return _written(
        {
            "line": "event",
            "event_id": event.event_id,
            "when_occurred": event.when_occurred.isoformat(),
            "actor": event.actor,
            "event_type": event.event_type,
            "event_data": event.event_data,
            "previous_hash": event.previous_hash,
            "hash": event.hash,
        }
    )


def end_line(end: ExportEnd) -> bytes:
    """The last line."""
    return _written({"line": "end", "events": end.events, "head": end.head})


def events_in(lines: Iterable[bytes]) -> Iterator[Event]:
    """The events of an export; ExportBroken where it is not whole, and not as it was written."""
    last, end = ExportEnd(0, ""), None
    for number, text in enumerate(lines, 1):
        if end is not None:
            raise InvalidExport(f"Line {number} comes after the end. {_AGAIN}")
        line = _read(number, text)
        if isinstance(line, ExportEnd):
            end = line
            continue
        event = _checked(number, line, last)
        last = ExportEnd(event.event_id, event.hash)
        yield event
    if end is None:
        raise InvalidExport(
            f"The last line is missing, which says how many events there are: after event "
            f"{last.events:,} the file just ends. {_AGAIN}"
        )
    if end != last:
        raise InvalidExport(
            f"The last line says that there are {end.events:,} events and that the hash of the "
            f"last is {end.head or 'none'}, but there are {last.events:,} and it is "
            f"{last.head or 'none'}. {_AGAIN}"
        )


_AGAIN = "Take another copy of the export, or export the log again."
_Lines: TypeAlias = Entry | ExportEnd


def _written(line: dict[str, object]) -> bytes:
    return canonical_json(line) + b"\n"


def _read(number: int, text: bytes) -> Entry | ExportEnd:
    try:
        return cast(_Lines, msgspec.json.decode(text, type=_Lines))
    except msgspec.MsgspecError as error:
        raise InvalidExport(
            f"Line {number} is no line of an exported log: {error}. {_AGAIN}"
        ) from error
    except UnicodeDecodeError as error:
        raise InvalidExport(
            f"Line {number} is not UTF-8 at byte {error.start}. {_AGAIN}"
        ) from error


def _checked(number: int, line: Entry, last: ExportEnd) -> Event:
    """The event of a line, if it is the one that follows the last."""
    expected = last.events + 1
    if line.event_id != expected:
        raise InvalidExport(
            f"Line {number} has event {line.event_id}, and {expected} was expected. {_AGAIN}"
        )
    event = Event(**{name: getattr(line, name) for name in line.__struct_fields__})
    written = hash_event(
        event.event_id,
        event.actor,
        event.when_occurred,
        event.event_type,
        event.event_data,
        event.previous_hash,
    )
    if line.previous_hash != last.head or line.hash != written:
        raise InvalidExport(
            f"Line {number}, event {expected}, is not as it was written: its hash does not follow "
            f"from it and from the event before. {_AGAIN}"
        )
    try:
        parse_event_data(event)
    except CorruptLog as unknown:
        raise InvalidExport(f"Line {number}: {unknown}") from unknown
    return event


def export_log(
    store: Store, write: Callable[[bytes], object], progress: Progress | None = None
) -> ExportEnd:
    """Write the log line by line; a service may go on writing to it meanwhile.

    It holds all there is, hashes of passwords included: keep it as you keep the tables.
    """
    check_not_restoring(store)
    newest = get_last_event(store)
    last = ExportEnd(0, "")
    for event in store.query(patterns.all_events(), consistent=True):
        check_event(event, last.events + 1, last.head)
        write(entry_line(event))
        last = ExportEnd(event.event_id, event.hash)
        if progress is not None:
            progress(last.events, max(last.events, newest.event_id if newest else 0))
    write(end_line(last))
    return last


# What a transaction takes, with some room: a hundred items, and 4 MB.
BATCH_EVENTS = 50
BATCH_BYTES = 3_000_000


def restore_log(
    store: Store, lines: Iterable[bytes], progress: Progress | None = None
) -> ExportEnd:
    """Fill an empty log with the lines of an export, which are read twice: then rebuild the table.

    Broken off, it is called again with the same lines, and goes on. Until it is done, and until
    the table is built anew, nobody can use either. Everybody has to sign in again.
    """
    if iter(lines) is lines:
        raise TypeError("Lines are read twice, so give a list of them, or what reads a file anew.")
    end = ExportEnd(0, "")
    for event in events_in(lines):
        end = ExportEnd(event.event_id, event.hash)
    for table in (votes, event_log, expiring):
        store.admin.create_table(table, if_missing=True)
    there = _begin(store, end)
    _close_table(store)
    # Whoever is signed in is known by the number of an event, which may be another's now.
    store.admin.clear(expiring)
    for some in _portions(event for event in events_in(lines) if event.event_id > there):
        with store.transaction(pattern=patterns.append) as together:
            for event in some:
                together.create(event)
        if progress is not None:
            progress(some[-1].event_id, end.events)
    store.delete(RestoreMarker.key())
    return end


def _begin(store: Store, end: ExportEnd) -> int:
    """Say in the log that it is not whole yet; how many events are there already."""
    begun = store.get(patterns.restoring(), consistent=True)
    newest = get_last_event(store)
    if begun is None:
        if newest is not None:
            raise LogNotEmpty(
                f"The log has {newest.event_id:,} events already, and a log is restored into an "
                "empty one only. Restore it at another address, or with other tables."
            )
        store.create(RestoreMarker(events=end.events, head=end.head))
        return 0
    if (begun.events, begun.head) != (end.events, end.head):
        raise LogNotEmpty(
            f"Another export was being restored here, of {begun.events:,} events; the hash of the "
            f"last is {begun.head}. Restore that one to its end, or restore this one at another "
            "address."
        )
    return newest.event_id if newest is not None else 0


def _close_table(store: Store) -> None:
    """Let nobody follow the log before the table is built anew."""
    if ReadModel(store).get_sync() is None:
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
        if some and (len(some) == BATCH_EVENTS or size + more > BATCH_BYTES):
            yield some
            some, size = [], 0
        some.append(event)
        size += more
    if some:
        yield some


MAX_DIFFERENCES = 10
_AT_ONCE = 500


@dataclass(frozen=True, slots=True)
class Difference:
    """An item that is not in the table as it should be, by its key, and what is wrong with it."""

    partition_key: str
    sort_key: str
    problem: str


@dataclass(frozen=True, slots=True)
class VerificationResult:
    """What was found: how long the log is, how far the table followed it, and what differs."""

    events: int
    head: str
    followed: int
    items: int
    differences: tuple[Difference, ...]


def verify_log(store: Store, progress: Progress | None = None) -> VerificationResult:
    """Walk the log, build a table in memory as far as this one is, and compare item by item.

    LogBroken if the log is not whole. Nothing is written; the first differences are reported.
    """
    check_not_restoring(store)
    sync = ReadModel(store).get_sync()
    if sync is not None and sync.rebuilding:
        raise RebuildInProgress(
            "The table is being built anew from the log. Verify it when that is done."
        )
    followed = sync.last_event_id if sync is not None else 0
    if sync is not None and sync.step > 0:
        raise Busy(
            f"Event {followed + 1:,} is half in the table: somebody is applying it, or was broken "
            "off. Open the service, which goes on with it, and verify again."
        )
    with Engine.in_memory() as memory:
        scratch = Store(memory)
        for table in (votes, event_log):
            scratch.admin.create_table(table)
        events, head = _copied(store, scratch, followed)
        if followed > events:
            raise CorruptTable(
                f"The table has followed {followed:,} events, and the log has {events:,}: it may "
                "lag, and never lead. Build it anew."
            )
        if sync is not None:
            catch_up(scratch, progress=lambda done: progress(done, followed) if progress else None)
        items, differences = _compared(store, scratch)
    if (now := ReadModel(store).get_sync()) != sync:
        moved = now.last_event_id if now is not None else 0
        raise Busy(
            f"While the table was compared, it followed the log from event {followed:,} to "
            f"{moved:,}. Verify it when nobody writes."
        )
    return VerificationResult(events, head, followed, items, tuple(differences))


def _copied(store: Store, scratch: Store, followed: int) -> tuple[int, str]:
    """Check every entry of the log, and copy those that the table has followed."""
    number, previous = 0, ""
    waiting: list[Event] = []
    for event in store.query(patterns.all_events(), consistent=True):
        number += 1
        check_event(event, number, previous)
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
    return count, sorted(found, key=_order)[:MAX_DIFFERENCES]


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
