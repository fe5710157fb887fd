"""Skills of people and endorsements, with the shapes and statuses of the original."""

from __future__ import annotations

from datetime import date

from tests.apps.skills.api.client import Server
from tests.apps.skills.support.world import World
from tests.apps.support.api_client import problem

PYTHON = {
    "skill_name": "python",
    "proficiency_level": "Advanced",
    "years_of_experience": 4,
    "notes": "Mostly services",
}


def test_add_read_change_and_remove_a_skill(server: Server) -> None:
    bob = server.sign_in("bob")
    added = bob.post("/users/bob/skills", PYTHON)
    assert added.status_code == 201
    body = added.json()
    assert {name: body[name] for name in ("username", "skill_name", "skill_id", "source")} == {
        "username": "bob",
        "skill_name": "Python",
        "skill_id": "python",
        "source": "self",
    }
    assert (body["endorsements"], body["last_used_date"]) == (0, "2026-01-01")
    path = added.headers["Location"].removeprefix("/api/skills")
    assert path == "/users/bob/skills/python"
    read = bob.get("/users/BOB/skills/PYTHON")
    assert (read.json(), read.headers["ETag"]) == (body, added.headers["ETag"])
    changed = bob.put(
        path, {"proficiency_level": "Expert", "last_used_date": "2025-12-31"}, tag="*"
    )
    assert changed.status_code == 200
    expected = {"proficiency_level": "Expert", "last_used_date": "2025-12-31"}
    assert changed.json() == body | expected | {"updated_at": changed.json()["updated_at"]}
    stale = bob.put(path, {"notes": ""}, headers={"If-Match": read.headers["ETag"]})
    assert problem(stale)[:2] == (412, "precondition-failed")
    assert [each["skill_id"] for each in bob.get("/users/bob/skills").json()] == ["go", "python"]
    assert bob.delete(path, tag="*").json() == {"message": "Skill deleted successfully"}
    assert problem(bob.delete(path, tag="*"))[0] == 404


def test_endorse_and_withdraw_are_idempotent(server: Server) -> None:
    bob, ada = server.sign_in("bob"), server.sign_in("ada")
    path = "/users/ada/skills/go"
    for _ in range(2):
        assert bob.put(f"{path}/endorsement").json()["endorsements"] == 1
    page = ada.get(f"{path}/endorsements?limit=1").json()
    assert ([each["endorser"] for each in page["items"]], page["next"]) == (["bob"], None)
    for _ in range(2):
        assert bob.delete(f"{path}/endorsement").json()["endorsements"] == 0


def test_people_with_a_skill_are_filtered_and_paged(memory: World) -> None:
    memory.fill(
        {
            "eve": {"Rust": ("Expert", 9, date(2024, 5, 1))},
            "fay": {"Rust": ("Expert", 6, date(2025, 5, 1))},
            "gil": {"Rust": ("Expert", 2, date(2025, 6, 1))},
            "hal": {"Rust": ("Beginner", 7, date(2025, 6, 1))},
        }
    )
    ada = Server(memory).sign_in("eve")

    def names(query: str) -> list[str]:
        return [each["username"] for each in ada.get(f"/skills/rust/users{query}").json()["items"]]

    assert {*names("")} == {"eve", "fay", "gil", "hal"}
    assert names("")[-1] == "hal"
    assert names("?level=Beginner") == ["hal"]
    assert {*names("?level=Expert")} == {"eve", "fay", "gil"}
