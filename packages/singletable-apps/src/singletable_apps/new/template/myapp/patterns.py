"""The access patterns: everything that the API does with the table, and how often."""

from __future__ import annotations

from datetime import datetime

from singletable import (
    PatternCatalog,
    Selection,
    creates,
    deletes,
    per_day,
    per_hour,
    per_minute,
    per_second,
    updates,
)

from myapp.entities import (
    Booking,
    Event,
    EventPage,
    table,
)

catalog = PatternCatalog(
    "myapp",
    table,
    sizes={Event: 300, Booking: 200},
    counts={Event: 2_000, Booking: 100_000},
)

# Events
event_page = catalog.read(
    "E1",
    "An event with its bookings",
    Event.key.partition,
    collection=EventPage,
    items=51,
    rate=per_second(20),
)


@catalog.read_function("E2", items=20, rate=per_second(50))
def events_from(time: datetime) -> Selection[Event]:
    """Events that start at this time or later, the next one first."""
    return Event.by_time().ge(time)


create_event = catalog.write("E3", "Create an event", creates(Event), rate=per_day(20))

# Bookings
get_booking = catalog.read(
    "B1", "A booking", Booking.key, consistent=True, rate=per_hour(10)
)
bookings_of_guest = catalog.read(
    "B2", "Bookings of a guest", Booking.by_guest, items=5, rate=per_second(5)
)
book_seats = catalog.write(
    "B3",
    "Book seats, if there are enough",
    creates(Booking),
    updates(Event, Event.free_seats),
    rate=per_minute(2, peak=600),  # when a popular event is announced
)
cancel_booking = catalog.write(
    "B4",
    "Cancel a booking, and free its seats",
    deletes(Booking),
    updates(Event, Event.free_seats),
    rate=per_hour(10),
)

catalog.check()
