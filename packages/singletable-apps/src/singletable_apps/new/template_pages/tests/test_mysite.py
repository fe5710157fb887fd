"""What people do on the pages, and programs with the API, on tables in memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from fastapi.testclient import TestClient
from singletable import connect
from singletable.migration import check_schema
from singletable_apps.shared.frame import Opening

from mysite import entities
from mysite.app import APP, SAMPLE, create_sample

USERNAME, PASSWORD = SAMPLE
BOB = {"username": "bob", "name": "Bob", "password": PASSWORD}


@pytest.fixture
def client(tmp_path: Path) -> Iterator[TestClient]:
    """Return a browser, which can call the API too, on tables with the sample."""
    with APP.open(Opening(connect("memory:"), tmp_path)) as service:
        create_sample(service, lambda done, total: None)
        app = APP.make_app(service, limited=False)
        yield TestClient(app, base_url="https://testserver")


def post(client: TestClient, path: str, **form: str) -> httpx2.Response:
    """Submit a form, and return the page after it; fail if it is an error of ours."""
    page = client.post(APP.prefix + path, data=form)
    assert page.status_code < 500
    return page


def test_notes_are_written_found_changed_and_deleted(client: TestClient) -> None:
    page = post(client, "/sign-in", who=USERNAME, password=PASSWORD)
    assert "1 to 20 of 30" in page.text
    assert "Saved “Milk”." in post(client, "/new", title="Milk", text="To buy.").text
    assert "Please fill this in." in post(client, "/new", title=" ").text
    found = client.get(APP.prefix + "?q=milk buy").text
    assert "Milk" in found and "Note 1" not in found
    path = "/notes/" + found.partition(f"{APP.prefix}/notes/")[2].partition('"')[0]
    assert "Saved “Tea”." in post(client, path, title="Tea", revision="1").text
    assert post(client, path, title="Cake", revision="1").status_code == 412
    assert "cannot be undone" in client.get(f"{APP.prefix}{path}/delete").text
    assert "Deleted “Tea”." in post(client, f"{path}/delete", revision="2").text
    assert client.get(APP.prefix + path).status_code == 404


def test_people_register_sign_in_and_sign_out(client: TestClient) -> None:
    assert client.get(APP.prefix).url.path.endswith("/sign-in")
    assert "Wrong username" in post(client, "/sign-in", who="bob", password="?").text
    assert "Welcome, Bob!" in post(client, "/register", **BOB).text
    assert "Change password" in client.get(APP.prefix + "/account").text
    assert client.get(APP.prefix + "/people").status_code == 403
    assert "You’re signed out." in post(client, "/sign-out").text


def test_administrator_manages_people(client: TestClient) -> None:
    client.post(f"{APP.api}/register", json=BOB)
    post(client, "/sign-in", who=USERNAME, password=PASSWORD)
    assert "Bob" in client.get(APP.prefix + "/people?q=ob").text
    assert "Bob was removed." in post(client, "/people/bob/remove", revision="1").text
    assert "Bob" not in client.get(APP.prefix + "/people").text


def test_api_lists_creates_changes_and_deletes_notes(client: TestClient) -> None:
    notes = f"{APP.api}/notes"
    assert client.get(notes).status_code == 401
    assert client.post(f"{APP.api}/register", json=BOB).status_code == 201
    credentials = {"username": "bob", "password": PASSWORD}
    tokens = client.post(f"{APP.api}/sign-in", json=credentials).json()
    client.headers["Authorization"] = f"Bearer {tokens['access_token']}"
    created = client.post(notes, json={"title": "Tea"})
    url, based_on = created.headers["location"], {"If-Match": created.headers["etag"]}
    client.post(notes, json={"title": "Milk"})
    page = client.get(notes, params={"limit": 1}).json()
    assert [note["title"] for note in page["items"]] == ["Milk"]
    rest = client.get(notes, params={"cursor": page["next"]}).json()
    assert rest == {"items": [created.json()], "next": None}
    assert client.put(url, json={"title": ""}, headers=based_on).status_code == 422
    changed = client.put(url, json={"title": "Green tea"}, headers=based_on)
    assert client.get(url).json() == changed.json()
    assert client.delete(url, headers=based_on).status_code == 412
    assert client.delete(url, headers={"If-Match": '"2"'}).status_code == 204
    assert client.get(url).status_code == 404


def test_api_is_described(client: TestClient) -> None:
    paths = client.get(f"{APP.api}/openapi.json").json()["paths"]
    assert {"get", "put", "delete"} <= set(paths[f"{APP.api}/notes/{{note_id}}"])
    assert client.get(f"{APP.api}/docs").status_code == 200


# A change that stored items cannot follow needs a migration.
def test_schema_has_not_changed_without_a_migration() -> None:
    check_schema(entities)
