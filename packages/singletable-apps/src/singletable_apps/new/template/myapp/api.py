"""The web API: each handler is one access pattern.

There is no sign-in. Add one before you let guests in.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated
from uuid import uuid4

from fastapi import APIRouter, Depends, FastAPI, Query, Request
from pydantic import AwareDatetime, BaseModel, Field
from singletable import NotFound, Page, Store
from singletable.fastapi import add_error_handlers

from myapp import patterns
from myapp.entities import Booking, Event, EventPage

router = APIRouter()


class NewEvent(BaseModel):
    """An event to create."""

    title: Annotated[str, Field(min_length=1, max_length=200)]
    starts: AwareDatetime
    seats: Annotated[int, Field(ge=1, le=100_000)]


class NewBooking(BaseModel):
    """The number of seats to book."""

    seats: Annotated[int, Field(ge=1, le=20)] = 1


def get_store(request: Request) -> Store:
    """Return the store of the application."""
    store: Store = request.app.state.store
    return store


StoreOfApp = Annotated[Store, Depends(get_store)]
PageSize = Annotated[int, Query(ge=1, le=100)]


@router.post("/events", status_code=201)
def create_event(store: StoreOfApp, body: NewEvent) -> Event:
    """Create an event."""
    event = Event(
        event_id=uuid4().hex,
        title=body.title,
        starts=body.starts.astimezone(UTC),
        free_seats=body.seats,
    )
    return store.create(event)


@router.get("/events")
def list_events(
    store: StoreOfApp, size: PageSize = 20, cursor: str | None = None
) -> Page[Event]:
    """Return a page of the events to come, the next one first."""
    # The beginning of the day, so that a cursor is valid for the next page, too.
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return store.page(patterns.events_from(today), size, cursor=cursor)


@router.get("/events/{event_id}")
def read_event(store: StoreOfApp, event_id: str) -> EventPage:
    """Return an event with its bookings."""
    page = store.collect(EventPage, patterns.event_page(event_id))
    if page.event is None:
        raise NotFound("There is no such event.")
    return page


@router.put("/events/{event_id}/bookings/{guest}", status_code=201)
def book_seats(
    store: StoreOfApp, event_id: str, guest: str, body: NewBooking
) -> Booking:
    """Book seats; respond with 409 if there are too few, or the guest has a booking."""
    booking = Booking(event_id=event_id, guest=guest, seats=body.seats)
    with store.transaction() as tx:
        tx.create(booking)
        tx.update(
            Event.key(event_id),
            Event.free_seats.add(-body.seats),
            if_=Event.free_seats >= body.seats,
        )
    return booking


@router.delete("/events/{event_id}/bookings/{guest}", status_code=204)
def cancel_booking(store: StoreOfApp, event_id: str, guest: str) -> None:
    """Cancel a booking, and free its seats."""
    key = patterns.get_booking(event_id, guest)
    booking = store.get(key, consistent=True)
    if booking is None:
        raise NotFound("There is no such booking.")
    with store.transaction() as tx:
        tx.delete(key, if_=Booking.seats == booking.seats)
        tx.update(Event.key(event_id), Event.free_seats.add(booking.seats))


@router.get("/guests/{guest}/bookings")
def list_bookings(store: StoreOfApp, guest: str) -> list[Booking]:
    """Return the bookings of a guest, the oldest first."""
    return list(store.query(patterns.bookings_of_guest(guest)))


def make_app(store: Store) -> FastAPI:
    """Return the API on a store."""
    app = FastAPI(title="myapp", version="0.1.0")
    app.state.store = store
    add_error_handlers(app)
    app.include_router(router)
    return app
