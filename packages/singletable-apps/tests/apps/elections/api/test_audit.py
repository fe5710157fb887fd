"""Auditors see all tables, except password hashes and the secret ballots of others."""

from __future__ import annotations

from itertools import pairwise

import pytest

from singletable_apps.elections.events import Event
from singletable_apps.elections.roles import Role
from singletable_apps.elections.urls import API
from tests.apps.elections.api.client import Api, make_api, type_of

RAW = ("/events", "/query?sql=SELECT * FROM events")


@pytest.fixture(scope="module")
def api() -> Api:
    api = make_api("Ada", "Ben", "Cy")
    api.register("Una", Role.AUDITOR)
    for name in ("Running", "Closed"):
        api.launch("Ada", name, secret_ballot=True)
        for person in ("Ada", "Ben", "Cy"):
            ranks: dict[str, int | None] = {"Red": 1} if person == "Ben" else {"Green": 1}
            assert api.clients[person].cast(name, ranks, "1").status_code == 201
    api.close("Ada", "Closed")
    return api


def test_events_are_newest_first_and_paginated(api: Api) -> None:
    found = [event for page in api.clients["Una"].pages("/events", 3) for event in page]
    numbers = [event["event_id"] for event in found]
    assert numbers == list(range(numbers[0], 0, -1))
    assert all(event["previous_hash"] == before["hash"] for event, before in pairwise(found))
    assert found[-1]["event_type"] == "UserRegistered"
    assert found[-1]["event_data"]["hash"].endswith("(hidden)")
    assert api.clients["Una"].get("/events").json()["hidden"] == ["hash", "data"]


def test_query_returns_columns_and_rows(api: Api) -> None:
    una = api.clients["Una"]
    sql = "SELECT name, secret_ballot, x'ff' FROM elections ORDER BY name"
    found = una.get("/query", params={"sql": sql}).json()
    assert found == {
        "columns": ["name", "secret_ballot", "x'ff'"],
        "rows": [["Closed", 1, "ff"], ["Running", 1, "ff"]],
    }
    assert una.get("/query", params={"sql": "DELETE FROM users"}).status_code == 422
    assert api.clients["Ben"].get("/query", params={"sql": sql}).status_code == 403


# Everything that Una, who may see most, can read without an id that she would have to guess.
def test_no_response_reveals_a_hash_or_a_secret_ballot(api: Api) -> None:
    una, office = api.clients["Una"], api.elections.context
    responses = {path: una.get(path).text for path in readable(api)}
    everything = "\n".join(responses.values())
    for name in ("Ben", "Cy", "Una"):
        assert office.read.get_user(name).hash not in everything
        assert office.read.get_user(name).hash.rpartition("$")[2] not in everything
    assert office.keys.secret.hex() not in everything
    public = "\n".join(text for path, text in responses.items() if not path.startswith(RAW))
    for election in ("Running", "Closed"):
        record = office.book.record(office.read.get_election(election))
        for ballot in office.book.ballots(record):
            assert ballot.content.nonce.hex() not in everything
            assert ballot.event.event_data["sealed"] not in public
            assert (ballot.content.confirmation in public) is (election == "Closed")


def readable(api: Api) -> list[str]:
    """Return the URL of everything that can be read."""
    described = api.anonymous().get("/openapi.json").json()["paths"]
    values: dict[str, list[str]] = {
        "voter": ["Ben", "Cy"],
        "confirmation": ["a" * 52],
        "code": ["0" * 24],
    }
    found = [path.removeprefix(API) for path, methods in described.items() if "get" in methods]
    for name, chosen in values.items():
        found = [path.replace(f"{{{name}}}", one) for path in found for one in chosen]
    found = [
        path.replace("{name}", one)
        for path in found
        for one in (["Ben", "Una"] if path.startswith("/users/") else ["Running", "Closed"])
    ]
    assert not [path for path in found if "{" in path]
    lists = ("users", "elections", "ballots", "rankings", "events")
    queries = {f"/query?sql=SELECT * FROM {each}" for each in lists}
    files = {f"{path}?format=csv" if path.endswith("export") else path for path in found}
    return sorted((files - {"/query"}) | queries)


# The client cannot repair it, and must not see the contents of the log.
def test_corrupt_log_is_reported_to_operators_only(caplog: pytest.LogCaptureFixture) -> None:
    api = make_api("Ada")
    store = api.elections.context.store
    forged = Event(
        event_id=2,
        actor="Eve",
        when_occurred=api.world.clock(),
        event_type="UserRoleChanged",
        event_data={"name": "Ada", "role": "NO_ACCESS"},
        previous_hash="none",
        hash="none",
    )
    store.create(forged)
    response = api.clients["Ada"].post("/elections", {"name": "Tea"})
    assert type_of(response) == "503 try-later"
    assert "Eve" not in response.text
    assert "Event 2" not in response.text
    assert "Event 2 does not continue the log" in caplog.text
