"""Export the event log to a file, restore it, and verify log and table.

An export is JSON Lines: one line for each event, and a last line with the number of events and the
hash of the last one. It contains everything, password hashes included; protect it like the tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeAlias, cast

import msgspec

from singletable import Engine, Item, Store
from singletable_apps.elections import patterns
from singletable_apps.elections.entities import votes
from singletable_apps.elections.errors import (
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
from singletable_apps.elections.keys import Keys
from singletable_apps.elections.poll_book import PollBook
from singletable_apps.elections.projection import catch_up, get_last_event, get_sync
from singletable_apps.elections.proofs.encoding import canonical_json
from singletable_apps.elections.proofs.keys import BallotKey, is_deletion_signed, is_signed
from singletable_apps.elections.rebuild import Progress, mark_rebuilding
from singletable_apps.elections.rules.names import quote
from singletable_apps.elections.service.closing import closing_statement, get_closing
from singletable_apps.shared.errors import Busy
from singletable_apps.shared.expiry import expiring

# What fits into a transaction, with a margin: it takes 100 items and 4 MB.
BATCH_EVENTS = 50
BATCH_BYTES = 3_000_000
# How many differences `verify_log` reports.
MAX_DIFFERENCES = 10
_PAGE_SIZE = 500


class _Line(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="line"):
    pass


class ExportedEvent(_Line, frozen=True, tag="event"):
    """A line with an event, as the log has it."""

    event_id: int
    when_occurred: datetime
    actor: str
    event_type: str
    event_data: dict[str, Any]
    previous_hash: str
    hash: str
    mac: str


class ExportEnd(_Line, frozen=True, tag="end"):
    """The last line: the number of events, and the hash of the last one."""

    events: int
    head: str


_AnyLine: TypeAlias = ExportedEvent | ExportEnd


def export_log(
    store: Store, write: Callable[[bytes], object], progress: Progress | None = None
) -> ExportEnd:
    """Write the log line by line. The service can keep running."""
    check_not_restoring(store)
    newest = get_last_event(store)
    end = ExportEnd(0, "")
    for event in store.query(patterns.all_events(), consistent=True):
        check_event(event, end.events + 1, end.head)
        write(_event_line(event))
        end = ExportEnd(event.event_id, event.hash)
        if progress is not None:
            progress(end.events, max(end.events, newest.event_id if newest else 0))
    write(_to_line({"line": "end", "events": end.events, "head": end.head}))
    return end


def _event_line(event: Event) -> bytes:
    fields = {name: getattr(event, name) for name in ExportedEvent.__struct_fields__}
    return _to_line({**fields, "line": "event", "when_occurred": event.when_occurred.isoformat()})


def _to_line(fields: dict[str, object]) -> bytes:
    return canonical_json(fields) + b"\n"


def read_export(lines: Iterable[bytes]) -> Iterator[Event]:
    """Yield the events of an export. Raise InvalidExport where it is changed or incomplete."""
    last, end = ExportEnd(0, ""), None
    for number, text in enumerate(lines, 1):
        if end is not None:
            raise _broken(f"Line {number} comes after the end of the export.")
        line = _parse_line(number, text)
        if isinstance(line, ExportEnd):
            end = line
            continue
        event = _check_line(number, line, last)
        last = ExportEnd(event.event_id, event.hash)
        yield event
    if end is None:
        raise _broken(f"The last line is missing: the file ends after event {last.events:,}.")
    if end != last:
        raise _broken(
            f"According to the last line there are {end.events:,} events, ending with the hash "
            f"{end.head or '(none)'}, but there are {last.events:,}, ending with "
            f"{last.head or '(none)'}."
        )


def _parse_line(number: int, text: bytes) -> ExportedEvent | ExportEnd:
    try:
        return cast(_AnyLine, msgspec.json.decode(text, type=_AnyLine))
    except msgspec.MsgspecError as error:
        raise _broken(f"Line {number} is not a line of an exported log: {error}.") from error
    except UnicodeDecodeError as error:
        raise _broken(f"Line {number} is not UTF-8 at byte {error.start}.") from error


def _check_line(number: int, line: ExportedEvent, last: ExportEnd) -> Event:
    """Return the event of a line that must follow `last`."""
    expected = last.events + 1
    if line.event_id != expected:
        raise _broken(f"Line {number} has event {line.event_id}, but {expected} was expected.")
    event = Event(**{name: getattr(line, name) for name in line.__struct_fields__})
    if event.previous_hash != last.head or event.hash != hash_event(event):
        raise _broken(
            f"Line {number} (event {expected}) was changed: its hash does not match its content "
            "and the event before it."
        )
    try:
        parse_event_data(event)
    except CorruptLog as error:
        raise InvalidExport(f"Line {number}: {error}") from error
    return event


def _broken(problem: str) -> InvalidExport:
    return InvalidExport(f"{problem} Use another copy of the export, or export the log again.")


def restore_log(
    store: Store, key: BallotKey, lines: Iterable[bytes], progress: Progress | None = None
) -> ExportEnd:
    """Fill an empty log from an export. Rebuild the table afterwards.

    The lines are read twice: nothing is written before all of them are checked. After a crash,
    call it again with the same lines to continue. Log and table cannot be used until the log is
    complete and the table is rebuilt. All users have to sign in again.
    """
    if iter(lines) is lines:
        raise TypeError("The lines are read twice: pass a list, or an object that reopens a file.")
    end = ExportEnd(0, "")
    for event in read_export(lines):
        check_event(event, event.event_id, event.previous_hash, key)
        end = ExportEnd(event.event_id, event.hash)
    for table in (votes, event_log, expiring):
        store.admin.create_table(table, if_missing=True)
    restored = _begin_restore(store, end)
    mark_rebuilding(store)
    # Sessions identify users by the id of an event, which may belong to another user now.
    store.admin.clear(expiring)
    missing = (event for event in read_export(lines) if event.event_id > restored)
    for batch in _batch_by_size(missing):
        with store.transaction(pattern=patterns.append) as transaction:
            for event in batch:
                transaction.create(event)
        if progress is not None:
            progress(batch[-1].event_id, end.events)
    store.delete(RestoreMarker.key())
    return end


def _begin_restore(store: Store, end: ExportEnd) -> int:
    """Mark the log as incomplete. Return how many events it already has."""
    marker = store.run(patterns.restoring)
    newest = get_last_event(store)
    if marker is None:
        if newest is not None:
            raise LogNotEmpty(
                f"The log already has {newest.event_id:,} events. An export can only be restored "
                "into an empty log: use another database."
            )
        store.create(RestoreMarker(events=end.events, head=end.head))
        return 0
    if (marker.events, marker.head) != (end.events, end.head):
        raise LogNotEmpty(
            f"Another export is being restored here: {marker.events:,} events, ending with the "
            f"hash {marker.head}. Finish restoring that one, or restore this one into another "
            "database."
        )
    return newest.event_id if newest is not None else 0


def _batch_by_size(events: Iterable[Event]) -> Iterator[list[Event]]:
    """Yield as many events as fit into one transaction. The log never has a gap this way."""
    batch: list[Event] = []
    size = 0
    for event in events:
        event_size = len(_event_line(event))
        if batch and (len(batch) == BATCH_EVENTS or size + event_size > BATCH_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(event)
        size += event_size
    if batch:
        yield batch


@dataclass(frozen=True, slots=True)
class Difference:
    """An item of the table that differs from the log, by its key, and how it differs."""

    partition_key: str
    sort_key: str
    problem: str


@dataclass(frozen=True, slots=True)
class VerificationResult:
    """The length and last hash of the log, the position of the table, and their differences.

    `ballots` and `results` are the numbers of opened ballots and recounted results.
    """

    events: int
    head: str
    ballots: int
    results: int
    followed: int
    items: int
    differences: tuple[Difference, ...]


def verify_log(store: Store, keys: Keys, progress: Progress | None = None) -> VerificationResult:
    """Check the log, rebuild the table in memory, and compare it with the stored one.

    Raise CorruptLog if the log, a ballot or a signed result was changed. Nothing is written, and
    only the first differences are returned.
    """
    check_not_restoring(store)
    keys.check_checkpoint(store)
    sync = get_sync(store)
    if sync is not None and sync.rebuilding:
        raise RebuildInProgress(
            "The table is being rebuilt from the log. Verify it when that is done."
        )
    followed = sync.last_event_id if sync is not None else 0
    if sync is not None and sync.step > 0:
        raise Busy(
            f"Event {followed + 1:,} is only partly in the table: it is being applied, or a "
            "process crashed. Start the service, which continues, and verify again."
        )
    with Engine.in_memory() as memory:
        scratch = Store(memory)
        for table in (votes, event_log):
            scratch.admin.create_table(table)
        events, head = _copy_log(store, scratch, keys.ballot_key, followed)
        book = PollBook(store, keys.ballot_key)
        book.refresh()
        ballots, results = _check_elections(book, keys)
        if followed > events:
            raise CorruptTable(
                f"The table contains {followed:,} events, but the log has only {events:,}. Rebuild "
                "the table."
            )
        if sync is not None:
            catch_up(
                scratch,
                PollBook(scratch, keys.ballot_key),
                progress=lambda done: progress(done, followed) if progress else None,
            )
        items, differences = _compare_tables(store, scratch)
    if (now := get_sync(store)) != sync:
        raise Busy(
            f"The table moved from event {followed:,} to {now.last_event_id if now else 0:,} while "
            "it was compared. Verify it when no one writes."
        )
    return VerificationResult(events, head, ballots, results, followed, items, tuple(differences))


def _check_elections(book: PollBook, keys: Keys) -> tuple[int, int]:
    """Return the numbers of ballots and signed results. Raise CorruptLog if one is invalid."""
    ballots = results = 0
    for each in book.deleted_elections():
        if each.statement is not None and not is_deletion_signed(
            each.statement, each.signature, keys.signer.public_key
        ):
            raise CorruptLog(
                f"The statement about the deleted election {quote(each.name)} is not signed with "
                "the key of this service."
            )
    for record in book.records():
        election, closing = record.election, get_closing(record.election, keys)
        ballots += len(record.ballots)
        if closing is None:
            book.ballots(record)
            continue
        statement = closing["statement"]
        # Ballots of removed users still count; other users may have been renamed since.
        eligible = statement.get("eligible")
        expected = closing_statement(book, record, keys, statement["closed_at"], eligible)
        expected["name"] = statement["name"]
        if "earlier_names" not in statement:  # as in results that version 0.1 signed
            expected.pop("earlier_names", None)
        if not is_signed(statement, closing["signature"], keys.signer.public_key):
            problem = "is not signed with the key of this service"
        elif statement != expected:
            names = [name for name, value in expected.items() if statement.get(name) != value]
            problem = f"differs from the log in {', '.join(names)}"
        else:
            results += 1
            continue
        raise CorruptLog(f"The signed result of the election '{election.name}' {problem}.")
    return ballots, results


def _copy_log(store: Store, scratch: Store, key: BallotKey, followed: int) -> tuple[int, str]:
    """Check every event, and copy those that the table contains. Return the count and last hash."""
    event_id, previous_hash = 0, ""
    batch: list[Event] = []
    for event in store.query(patterns.all_events(), consistent=True):
        event_id += 1
        check_event(event, event_id, previous_hash, key)
        previous_hash = event.hash
        if event_id <= followed:
            batch.append(event)
        if len(batch) == _PAGE_SIZE:
            scratch.put_many(batch)
            batch = []
    scratch.put_many(batch)
    return event_id, previous_hash


def _compare_tables(store: Store, scratch: Store) -> tuple[int, list[Difference]]:
    """Return the number of items of the stored table, and its first differences."""
    expected_items = {_key(item): item for item in _scan(scratch)}
    differences: list[Difference] = []
    count = 0
    for item in _scan(store):
        count += 1
        key = _key(item)
        expected = expected_items.pop(key, None)
        if expected is None:
            differences.append(Difference(*key, "is in the table, but not in the log"))
        elif expected != item:
            names = sorted(item.keys() | expected.keys())
            changed = [name for name in names if item.get(name) != expected.get(name)]
            differences.append(Difference(*key, f"differs in {', '.join(changed)}"))
    differences += [Difference(*key, "is missing from the table") for key in expected_items]
    differences.sort(key=lambda each: (each.partition_key, each.sort_key))
    return count, differences[:MAX_DIFFERENCES]


def _scan(store: Store) -> Iterator[Item]:
    cursor = None
    while True:
        page = store.admin.items(votes, _PAGE_SIZE, cursor=cursor)
        yield from page.items
        cursor = page.cursor
        if cursor is None:
            return


def _key(item: Item) -> tuple[str, str]:
    return item["PK"]["S"], item["SK"]["S"]
