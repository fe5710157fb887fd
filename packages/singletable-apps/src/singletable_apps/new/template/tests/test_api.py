"""What the API does, on a table in memory.

Strict mode (pyproject.toml) fails a test that calls the store in a way that is not one of the
declared patterns.
"""

from __future__ import annotations

import pytest
from fastapi.testclient import TestClient
from singletable.testing import StoreFactory

from myapp.api import make_app

STARTS = "2100-06-01T20:00:00Z"


@pytest.fixture
def client(make_store: StoreFactory) -> TestClient:
    """Return a client of the API, on an empty table."""
    return TestClient(make_app(make_store()))


def create_event(client: TestClient, seats: int = 3, starts: str = STARTS) -> str:
    """Create an event, and return its URL."""
    body = {"title": "Concert", "starts": starts, "seats": seats}
    return f"/events/{client.post('/events', json=body).json()['event_id']}"


def test_events_are_listed_by_time(client: TestClient) -> None:
    late = create_event(client, starts="2100-12-01T20:00:00+01:00")
    early = create_event(client)
    page = client.get("/events", params={"size": 1}).json()
    assert [f"/events/{one['event_id']}" for one in page["items"]] == [early]
    params = {"size": 1, "cursor": page["cursor"]}
    rest = client.get("/events", params=params).json()
    assert [f"/events/{one['event_id']}" for one in rest["items"]] == [late]


def test_past_events_are_not_listed(client: TestClient) -> None:
    create_event(client, starts="2001-01-01T00:00:00Z")
    assert client.get("/events").json()["items"] == []


def test_booking_takes_seats_of_its_event(client: TestClient) -> None:
    event = create_event(client, seats=3)
    assert client.put(f"{event}/bookings/ada", json={"seats": 2}).status_code == 201
    page = client.get(event).json()
    assert page["event"]["free_seats"] == 1
    assert [(one["guest"], one["seats"]) for one in page["bookings"]] == [("ada", 2)]
    assert len(client.get("/guests/ada/bookings").json()) == 1


def test_event_is_never_overbooked(client: TestClient) -> None:
    event = create_event(client, seats=3)
    client.put(f"{event}/bookings/ada", json={"seats": 2})
    assert client.put(f"{event}/bookings/bob", json={"seats": 2}).status_code == 409
    page = client.get(event).json()
    assert page["event"]["free_seats"] == 1
    assert [one["guest"] for one in page["bookings"]] == ["ada"]


def test_guest_has_one_booking_for_an_event(client: TestClient) -> None:
    event = create_event(client)
    client.put(f"{event}/bookings/ada", json={})
    again = client.put(f"{event}/bookings/ada", json={})
    assert (again.status_code, again.json()["code"]) == (409, "already-exists")
    assert client.get(event).json()["event"]["free_seats"] == 2


def test_canceled_booking_frees_its_seats(client: TestClient) -> None:
    event = create_event(client, seats=3)
    client.put(f"{event}/bookings/ada", json={"seats": 2})
    assert client.delete(f"{event}/bookings/ada").status_code == 204
    assert client.delete(f"{event}/bookings/ada").status_code == 404
    assert client.get(event).json()["event"]["free_seats"] == 3


def test_invalid_requests_are_rejected(client: TestClient) -> None:
    event = create_event(client)
    assert client.get("/events/unknown").status_code == 404
    assert client.put("/events/unknown/bookings/ada", json={}).status_code in (404, 409)
    assert client.put(f"{event}/bookings/ada", json={"seats": 0}).status_code == 422
    assert client.post("/events", json={"title": ""}).status_code == 422
    assert client.get("/events", params={"cursor": "forged"}).status_code == 400
