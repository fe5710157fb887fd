"""The items of the table.

partition             sort keys
EVENT#{event_id}      EVENT, and BOOKING#{guest} for each guest

So one query reads an event with its bookings. The index GSI1 has two more lists: all events by
time (EVENTS), and the bookings of a guest (GUEST#{guest}).
"""

from __future__ import annotations

from datetime import datetime

from singletable import (
    Attr,
    Collection,
    Entity,
    Index,
    Key,
    Table,
    attr,
    created,
)

gsi1 = Index("GSI1", pk="GSI1PK", sk="GSI1SK")
table = Table("myapp", indexes=[gsi1])


class Event(Entity, table=table):
    """An event. Each booking takes some of its free seats."""

    event_id: Attr[str] = attr()
    title: Attr[str] = attr()
    starts: Attr[datetime] = attr()
    free_seats: Attr[int] = attr()
    created: Attr[datetime] = created()

    key = Key(pk=("EVENT", event_id), sk="EVENT")
    # One partition has all events, which is fine until thousands are written each second.
    by_time = Key(pk="EVENTS", sk=(starts, event_id)).on(gsi1)


class Booking(Entity, table=table):
    """The seats that a guest has booked at an event."""

    event_id: Attr[str] = attr()
    guest: Attr[str] = attr()
    seats: Attr[int] = attr()
    booked: Attr[datetime] = created()

    key = Key(pk=("EVENT", event_id), sk=("BOOKING", guest))
    by_guest = Key(pk=("GUEST", guest), sk=(booked, event_id)).on(gsi1)


class EventPage(Collection):
    """An event with its bookings."""

    event: Event | None
    bookings: list[Booking]
