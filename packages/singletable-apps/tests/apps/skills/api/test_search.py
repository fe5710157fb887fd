"""Search and teams in the API."""

from __future__ import annotations

from tests.apps.skills.api.client import Server
from tests.apps.support.api_client import problem


def test_search_returns_people_with_scores(server: Server) -> None:
    bob = server.sign_in("bob")
    answer = bob.get("/search?skill=GO&skill=python:advanced")
    found = answer.json()
    assert (answer.status_code, found["total"], found["next"]) == (200, 1, None)
    [ada] = found["items"]
    assert ada["person"]["name"] == "Ada"
    assert [each["skill"]["skill_id"] for each in ada["skills"]] == ["go", "python"]
    assert ada["skills"][0]["score"] == {
        "level": 40.0,
        "years": 0.0,
        "endorsements": 0.0,
        "recency": 1.0,
        "total": 40.0,
    }
    assert ada["score"] == 70.0
    assert bob.get("/search?skill=python::8").json()["items"][0]["person"]["username"] == "mia"
    assert bob.get("/search?skill=go&department=none").json()["items"] == []


def test_search_is_paged(server: Server) -> None:
    bob = server.sign_in("bob")
    first = bob.get("/search?skill=go&limit=1")
    assert [each["person"]["username"] for each in first.json()["items"]] == ["ada"]
    assert 'rel="next"' in first.headers["link"]
    second = bob.get("/search", params={"skill": "go", "limit": 1, "cursor": first.json()["next"]})
    assert [each["person"]["username"] for each in second.json()["items"]] == ["bob"]


def test_teams_are_saved_changed_and_deleted(server: Server) -> None:
    bob, mia, joan = (server.sign_in(name) for name in ("bob", "mia", "joan"))
    made = bob.post("/teams", {"name": "Gophers", "members": ["ADA"]})
    assert made.status_code == 201
    path = made.headers["location"].removeprefix("/api/skills")
    tag = {"If-Match": made.headers["etag"]}
    assert bob.put(path, {"members": ["ada", "joan"]}, tag="*").json()["members"] == ["ada", "joan"]
    assert problem(bob.put(path, {"name": "Late"}, headers=tag))[0] == 412
    renamed = mia.put(path, {"name": "Best"}, tag="*")
    assert renamed.json()["name"] == "Best"
    assert renamed.headers["etag"] == mia.get(path).headers["etag"]
    assert [team["name"] for team in joan.get("/teams").json()["items"]] == ["Best", "mia"]
    ada = server.sign_in("ada")
    assert problem(mia.put(path, {"manager": "mia"}, tag="*"))[0] == 403
    assert ada.put(path, {"manager": "mia"}, tag="*").json()["manager"] == "mia"
    assert problem(bob.delete(path, tag="*"))[0] == 403
    assert ada.put(path, {"manager": ""}, tag="*").json()["manager"] == ""
    assert problem(bob.put(path, {"members": ["x"]}, tag="*")) == (
        422,
        "invalid-request",
        ["/members"],
    )
    assert bob.delete(path, tag="*").status_code == 200
    assert problem(bob.get(path))[0] == problem(bob.delete(path, tag="*"))[0] == 404
