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
from mysite.app import APP, SAMPLE
from mysite.service import Service

USERNAME, PASSWORD = SAMPLE
ADA = {"username": USERNAME, "name": "Ada", "password": PASSWORD}


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    """Return the service on empty tables."""
    with APP.open(Opening(connect("memory:"), tmp_path / "secret.key")) as service:
        yield service


@pytest.fixture
def client(service: Service) -> TestClient:
    """Return a browser, which can call the API too."""
    return TestClient(APP.make_app(service, limited=False), base_url="https://testserver")


def post(client: TestClient, path: str, **form: str) -> httpx2.Response:
    """Submit a form of the pages, and return the page after it."""
    headers = {"Accept": "text/html", "Origin": str(client.base_url)}
    return client.post(f"/mysite{path}", data=form, headers=headers)


def test_note_is_written_found_changed_and_deleted(client: TestClient) -> None:
    assert "Welcome, Ada!" in post(client, "/register", **ADA).text
    for title in ("Tea", "Milk"):
        post(client, "/new", title=title, text="To buy.")
    assert "Please fill this in." in post(client, "/new", title=" ").text
    found = client.get("/mysite?q=milk buy").text
    assert "Milk" in found and "Tea" not in found
    path = found.partition('href="/mysite/notes/')[2].partition('"')[0]
    saved = post(client, f"/notes/{path}", title="Oat milk", revision="1")
    assert "Saved “Oat milk”." in saved.text
    stale = post(client, f"/notes/{path}", title="Soy milk", revision="1")
    assert stale.status_code == 412
    assert "cannot be undone" in client.get(f"/mysite/notes/{path}/delete").text
    deleted = post(client, f"/notes/{path}/delete", revision="2")
    assert "Deleted “Oat milk”." in deleted.text
    assert client.get(f"/mysite/notes/{path}").status_code == 404


def test_people_sign_in_to_their_own_notes(client: TestClient) -> None:
    post(client, "/register", **ADA)
    post(client, "/new", title="Secret")
    assert "You’re signed out." in post(client, "/sign-out").text
    assert client.get("/mysite").url.path == "/mysite/sign-in"
    post(client, "/register", **(ADA | {"username": "bob"}))
    assert "Secret" not in client.get("/mysite").text
    post(client, "/sign-out")
    assert "Wrong username" in post(client, "/sign-in", who="ada", password="?").text
    assert "Secret" in post(client, "/sign-in", who="ada", password=PASSWORD).text
    assert "Your account" in client.get("/mysite/account").text


def test_api_lists_creates_changes_and_deletes_notes(client: TestClient) -> None:
    api = "/api/mysite"
    assert client.get(f"{api}/notes").status_code == 401
    tokens = client.post(f"{api}/register", json=ADA).json()
    client.headers["Authorization"] = f"Bearer {tokens['access_token']}"
    created = client.post(f"{api}/notes", json={"title": "Tea"})
    url, tag = created.headers["location"], created.headers["etag"]
    client.post(f"{api}/notes", json={"title": "Milk"})
    page = client.get(f"{api}/notes", params={"limit": 1}).json()
    assert [note["title"] for note in page["items"]] == ["Milk"]
    rest = client.get(f"{api}/notes", params={"cursor": page["next"]}).json()
    assert rest["items"] == [created.json()]
    changed = client.put(url, json={"title": "Green tea"}, headers={"If-Match": tag})
    assert client.get(url).json()["title"] == changed.json()["title"] == "Green tea"
    assert client.put(url, json={"title": ""}, headers={"If-Match": "*"}).status_code == 422
    assert client.delete(url, headers={"If-Match": tag}).status_code == 412
    assert client.delete(url, headers={"If-Match": "*"}).status_code == 204
    assert client.get(url).status_code == 404


def test_api_is_described(client: TestClient) -> None:
    paths = client.get("/api/mysite/openapi.json").json()["paths"]
    assert {"get", "put", "delete"} <= set(paths["/api/mysite/notes/{note_id}"])
    assert client.get("/api/mysite/docs").status_code == 200


def test_sample_has_an_account_with_notes(client: TestClient, service: Service) -> None:
    assert APP.sample is not None
    APP.sample(service, lambda done, total: None)
    page = post(client, "/sign-in", who=USERNAME, password=PASSWORD)
    assert "1 to 20 of 30" in page.text


# A change that stored items cannot follow needs a migration.
def test_schema_has_not_changed_without_a_migration() -> None:
    check_schema(entities)
