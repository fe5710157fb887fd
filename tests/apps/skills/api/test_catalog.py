"""The original's `/master-skills`, skills by category, merges and jobs."""

from __future__ import annotations

import pytest

from tests.apps.skills.api.client import Server, problem
from tests.apps.skills.support.recount import check_consistent

RUST = {"skill_name": "Rust", "category": "Programming", "tags": ["safe"], "aliases": ["rustlang"]}


def test_create_read_change_and_delete_master_skills(server: Server) -> None:
    ada, bob = server.sign_in("ada"), server.sign_in("bob")
    created = ada.post("/master-skills", RUST)
    assert (created.status_code, created.json()["skill_id"]) == (201, "rust")
    assert bob.get("/master-skills/RustLang").headers["ETag"] == created.headers["ETag"]
    assert bob.get(created.headers["Location"].removeprefix("/api/skills")).status_code == 200
    assert problem(ada.post("/master-skills", RUST))[:2] == (409, "already-exists")
    taken = ada.post("/master-skills", {"skill_name": "Iron", "aliases": ["RUST"]})
    assert problem(taken) == (409, "already-exists", ["/aliases"])
    changed = ada.put("/master-skills/rust", {"skill_name": "Rust 2"})
    assert changed.status_code == 200
    assert (changed.json()["skill_name"], changed.json()["tags"]) == ("Rust 2", ["safe"])
    assert changed.json()["aliases"] == ["rustlang", "Rust"]
    stale = ada.put("/master-skills/rust", {"tags": []}, headers={"If-Match": '"1"'})
    assert problem(stale)[0] == 412
    assert [each["skill_id"] for each in bob.get("/master-skills").json()] == [
        "go",
        "python",
        "rust",
    ]
    assert ada.delete("/master-skills/rust").status_code == 200
    assert problem(bob.get("/master-skills/rust"))[:2] == (404, "not-found")
    assert problem(ada.delete("/master-skills/go"))[:2] == (409, "in-use")


@pytest.mark.parametrize(
    ("body", "place"),
    [
        ({"skill_name": "Go 2", "skill_id": "Not An Id"}, "/skill_id"),
        ({"skill_name": "Go 2", "skill_id": "-"}, "/skill_id"),
        ({"skill_name": "Go 2", "category": "Cooking"}, "/category"),
        ({"skill_name": "x"}, "/skill_name"),
        ({"skill_name": "!!"}, "/skill_name"),
        ({"skill_name": "Инженер"}, "/skill_id"),
        ({"skill_name": "Go 2", "aliases": ["\x00"]}, "/aliases"),
        ({"skill_name": "Go 2", "unknown": 1}, "/unknown"),
    ],
)
def test_invalid_master_skills_are_rejected(
    server: Server, body: dict[str, object], place: str
) -> None:
    status, kind, places = problem(server.sign_in("ada").post("/master-skills", body))
    assert (status, kind) == (400, "invalid-request")
    assert place in places


def test_only_administrators_change_the_catalog(server: Server) -> None:
    mia = server.sign_in("mia")
    assert problem(mia.post("/master-skills", RUST))[0] == 403
    assert problem(mia.put("/master-skills/go", {"tags": []}))[0] == 403
    assert problem(mia.delete("/master-skills/go"))[0] == 403
    assert problem(mia.post("/master-skills/go/merge", {"into": "python"}))[0] == 403
    assert problem(server.visitor().get("/master-skills"))[0] == 401


def test_skills_of_a_category_with_counts(server: Server) -> None:
    bob = server.sign_in("bob")
    [go, python] = bob.get("/skills", params={"category": "Programming"}).json()
    assert (go["skill_id"], go["total"], go["levels"]["Expert"]) == ("go", 2, 1)
    assert (python["skill_name"], python["total"]) == ("Python", 2)
    assert bob.get("/skills", params={"category": "Cloud"}).json() == []
    assert problem(bob.get("/skills", params={"category": "x"})) == (
        400,
        "invalid-request",
        ["category"],
    )


def test_merge_with_preview(server: Server) -> None:
    ada = server.sign_in("ada")
    preview = ada.get("/master-skills/go/merge", params={"into": "Python"}).json()
    assert preview == {
        "skill_id": "go",
        "into": "python",
        "people": 2,
        "both": 1,
        "roles": [],
        "aliases": ["Go"],
    }
    merged = ada.post("/master-skills/go/merge", {"into": "PYTHON"}).json()
    assert (merged["skill_id"], merged["aliases"]) == ("python", ["Go"])
    check_consistent(server.world)
    again = ada.post("/master-skills/python/merge", {"into": "go"})
    assert problem(again) == (400, "invalid-request", ["/into"])


def test_jobs(server: Server) -> None:
    mia, bob = server.sign_in("mia"), server.sign_in("bob")
    body = {"name": "Backend", "targets": {"GO": "Advanced"}}
    created = mia.post("/roles", body)
    assert (created.status_code, created.json()["targets"]) == (201, {"go": "Advanced"})
    assert problem(mia.post("/roles", body)) == (409, "already-exists", ["/name"])
    assert problem(bob.post("/roles", body))[0] == 403
    unknown = mia.put("/roles/backend", {"name": "Backend", "targets": {"Cobol": "Expert"}})
    assert problem(unknown) == (400, "invalid-request", ["/targets"])
    edited = mia.put("/roles/backend", {"name": "Back end"}, headers={"If-Match": '"1"'})
    assert (edited.json()["name"], edited.json()["targets"]) == ("Back end", {})
    assert [each["role_id"] for each in bob.get("/roles").json()] == ["backend"]
    assert mia.delete("/roles/backend").status_code == 200
    assert problem(bob.get("/roles/backend"))[0] == 404
