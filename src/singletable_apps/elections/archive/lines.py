"""The lines of an export: an event each in canonical JSON, and at the end how many there were."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, TypeAlias, cast

import msgspec

from singletable_apps.elections.errors import ExportBroken, LogBroken
from singletable_apps.elections.log import Event, fact_of, hash_of
from singletable_apps.elections.proofs import canonical


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


class End(_Line, frozen=True, tag="end"):
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


def end_line(end: End) -> bytes:
    """The last line."""
    return _written({"line": "end", "events": end.events, "head": end.head})


def events_in(lines: Iterable[bytes]) -> Iterator[Event]:
    """The events of an export; ExportBroken where it is not whole, and not as it was written."""
    last, end = End(0, ""), None
    for number, text in enumerate(lines, 1):
        if end is not None:
            raise ExportBroken(f"Line {number} comes after the end. {_AGAIN}")
        line = _read(number, text)
        if isinstance(line, End):
            end = line
            continue
        event = _checked(number, line, last)
        last = End(event.event_id, event.hash)
        yield event
    if end is None:
        raise ExportBroken(
            f"The last line is missing, which says how many events there are: after event "
            f"{last.events:,} the file just ends. {_AGAIN}"
        )
    if end != last:
        raise ExportBroken(
            f"The last line says that there are {end.events:,} events and that the hash of the "
            f"last is {end.head or 'none'}, but there are {last.events:,} and it is "
            f"{last.head or 'none'}. {_AGAIN}"
        )


_AGAIN = "Take another copy of the export, or export the log again."
_Lines: TypeAlias = Entry | End


def _written(line: dict[str, object]) -> bytes:
    return canonical(line) + b"\n"


def _read(number: int, text: bytes) -> Entry | End:
    try:
        return cast(_Lines, msgspec.json.decode(text, type=_Lines))
    except msgspec.MsgspecError as error:
        raise ExportBroken(
            f"Line {number} is no line of an exported log: {error}. {_AGAIN}"
        ) from error
    except UnicodeDecodeError as error:
        raise ExportBroken(f"Line {number} is not UTF-8 at byte {error.start}. {_AGAIN}") from error


def _checked(number: int, line: Entry, last: End) -> Event:
    """The event of a line, if it is the one that follows the last."""
    expected = last.events + 1
    if line.event_id != expected:
        raise ExportBroken(
            f"Line {number} has event {line.event_id}, and {expected} was expected. {_AGAIN}"
        )
    event = Event(**{name: getattr(line, name) for name in line.__struct_fields__})
    written = hash_of(
        event.event_id,
        event.actor,
        event.when_occurred,
        event.event_type,
        event.event_data,
        event.previous_hash,
    )
    if line.previous_hash != last.head or line.hash != written:
        raise ExportBroken(
            f"Line {number}, event {expected}, is not as it was written: its hash does not follow "
            f"from it and from the event before. {_AGAIN}"
        )
    try:
        fact_of(event)
    except LogBroken as unknown:
        raise ExportBroken(f"Line {number}: {unknown}") from unknown
    return event
