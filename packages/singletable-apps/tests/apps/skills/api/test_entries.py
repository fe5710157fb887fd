"""Entries of people over the API."""

from __future__ import annotations

from tests.apps.skills.api.client import Server
from tests.apps.skills.api.test_rejected import JOB
from tests.apps.support.api_client import problem


def test_entry_is_created_read_changed_and_deleted(server: Server) -> None:
    bob = server.sign_in("bob")
    created = bob.post("/users/BOB/experience", JOB)
    assert created.status_code == 201
    body = created.json()
    assert body.items() >= {**JOB, "username": "bob", "description": ""}.items()
    assert "school" not in body
    path = created.headers["location"].removeprefix("/api/skills")
    read = bob.get(path)
    assert (read.json(), read.headers["etag"]) == (body, created.headers["etag"])
    assert server.sign_in("joan").get("/users/bob/experience").json() == [body]
    changed = bob.put(path, {"ended": "2024-12-31"}, headers={"If-Match": '"1"'})
    assert (changed.json()["ended"], changed.headers["etag"]) == ("2024-12-31", '"2"')
    stale = bob.put(path, {"ended": "2024-12-30"}, headers={"If-Match": '"1"'})
    assert problem(stale)[:2] == (412, "precondition-failed")
    assert bob.delete(path, tag="*").status_code == 200
    assert problem(bob.get(path))[:2] == (404, "not-found")


def test_projects_are_listed_by_status(server: Server) -> None:
    bob = server.sign_in("bob")
    for name in ("Kestrel", "Heron"):
        assert bob.post("/users/bob/projects", {"name": name, "skills": ["GO"]}).is_success
    first = bob.get("/projects?limit=1").json()
    assert (first["items"][0]["name"], first["items"][0]["skills"]) == ("Heron", ["go"])
    rest = bob.get(f"/projects?limit=1&cursor={first['next']}").json()
    assert [each["name"] for each in rest["items"]] == ["Kestrel"]
    assert bob.get("/projects?status=Done").json()["items"] == []
