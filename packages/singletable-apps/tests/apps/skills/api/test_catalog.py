"""The original's `/master-skills`, skills by category, merges and jobs."""

from __future__ import annotations

from tests.apps.skills.api.client import Server
from tests.apps.support.api_client import problem

RUST = {"skill_name": "Rust", "category": "Programming", "tags": ["safe"], "aliases": ["rustlang"]}


def test_create_read_change_and_delete_master_skills(server: Server) -> None:
    ada, bob = server.sign_in("ada"), server.sign_in("bob")
    created = ada.post("/master-skills", RUST)
    assert (created.status_code, created.json()["skill_id"]) == (201, "rust")
    assert bob.get("/master-skills/RustLang").headers["ETag"] == created.headers["ETag"]
    assert bob.get(created.headers["Location"].removeprefix("/api/skills")).status_code == 200
    changed = ada.put("/master-skills/rust", {"skill_name": "Rust 2"}, tag="*")
    assert changed.status_code == 200
    assert (changed.json()["skill_name"], changed.json()["tags"]) == ("Rust 2", ["safe"])
    assert changed.json()["aliases"] == ["rustlang", "Rust"]
    stale = ada.put("/master-skills/rust", {"tags": []}, headers={"If-Match": '"1"'})
    assert problem(stale)[0] == 412
    listed = bob.get("/master-skills").json()
    assert [each["skill_id"] for each in listed] == ["go", "python", "rust"]
    assert ada.delete("/master-skills/rust", tag="*").status_code == 200
    assert problem(bob.get("/master-skills/rust"))[:2] == (404, "not-found")


def test_skills_of_a_category_have_counts(server: Server) -> None:
    bob = server.sign_in("bob")
    [go, python] = bob.get("/skills", params={"category": "Programming"}).json()
    assert (go["skill_id"], go["total"], go["levels"]["Expert"]) == ("go", 2, 1)
    assert (python["skill_name"], python["total"]) == ("Python", 2)
    assert bob.get("/skills", params={"category": "Cloud"}).json() == []


def test_skills_are_merged(server: Server) -> None:
    ada = server.sign_in("ada")
    merged = ada.post("/master-skills/go/merge", {"into": "PYTHON"}, tag="*").json()
    assert (merged["skill_id"], merged["aliases"]) == ("python", ["Go"])


def test_create_read_change_and_delete_jobs(server: Server) -> None:
    mia, bob = server.sign_in("mia"), server.sign_in("bob")
    body = {"name": "Backend", "targets": {"GO": "Advanced"}}
    created = mia.post("/roles", body)
    assert (created.status_code, created.json()["targets"]) == (201, {"go": "Advanced"})
    assert problem(mia.post("/roles", body)) == (409, "already-exists", ["/name"])
    edited = mia.put("/roles/backend", {"name": "Back end"}, headers={"If-Match": '"1"'})
    assert (edited.json()["name"], edited.json()["targets"]) == ("Back end", {})
    assert [each["role_id"] for each in bob.get("/roles").json()] == ["backend"]
    assert mia.delete("/roles/backend", tag="*").status_code == 200
    assert problem(bob.get("/roles/backend"))[0] == 404
