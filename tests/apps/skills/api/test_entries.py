"""Entries of people over the API."""

from __future__ import annotations

from tests.apps.skills.api.client import Server, problem

JOB = {"position": "Engineer", "employer": "Acme", "started": "2020-01-01"}


def test_entry_is_created_read_changed_and_deleted(server: Server) -> None:
    bob = server.sign_in("bob")
    created = bob.post("/users/BOB/experience", JOB)
    assert created.status_code == 201
    body = created.json()
    assert body.items() >= {**JOB, "username": "bob", "description": ""}.items()
    assert "school" not in body
    path = created.headers["location"].removeprefix("/api/skills")
    assert bob.get(path).json() == body
    assert server.sign_in("joan").get("/users/bob/experience").json() == [body]
    changed = bob.put(path, {"ended": "2024-12-31"}, headers={"If-Match": '"1"'})
    assert (changed.json()["ended"], changed.headers["etag"]) == ("2024-12-31", '"2"')
    stale = bob.put(path, {"ended": "2024-12-30"}, headers={"If-Match": '"1"'})
    assert problem(stale)[:2] == (412, "precondition-failed")
    assert bob.delete(path).status_code == 200
    assert problem(bob.get(path))[:2] == (404, "not-found")


def test_projects_are_listed_by_status(server: Server) -> None:
    bob = server.sign_in("bob")
    for number in range(3):
        new = {"name": f"Kestrel {number}", "skills": ["golang" if number else "Go"]}
        expected = 400 if number else 201
        assert bob.post("/users/bob/projects", new).status_code == expected
    assert bob.post("/users/bob/projects", {"name": "Heron", "skills": ["GO"]}).status_code == 201
    first = bob.get("/projects?limit=1").json()
    assert (first["items"][0]["name"], first["items"][0]["skills"]) == ("Heron", ["go"])
    rest = bob.get(f"/projects?limit=1&cursor={first['next']}").json()
    assert [each["name"] for each in rest["items"]] == ["Kestrel 0"]
    assert bob.get("/projects?status=Done").json()["items"] == []
    assert problem(bob.get("/projects?status=Late"))[0] == 400
    assert problem(bob.get("/projects?cursor=zzz"))[0] == 400


def test_wrong_requests_are_problems(server: Server) -> None:
    mia = server.sign_in("mia")
    assert problem(mia.post("/users/bob/experience", JOB))[:2] == (403, "not-allowed")
    assert problem(mia.post("/users/mia/experience", {**JOB, "ended": "2019-01-01"})) == (
        400, "invalid-request", ["/ended"],
    )  # fmt: skip
    assert problem(mia.post("/users/mia/education", {}))[2] == ["/degree", "/school", "/started"]
    assert problem(mia.get("/users/mia/hobbies"))[0] == 404
    assert problem(mia.get("/users/nobody/projects"))[:2] == (404, "not-found")
    assert problem(server.visitor().get("/projects"))[0] == 401
