"""People in the API: the original's list and profile, and what it lacked."""

from __future__ import annotations

from tests.apps.skills.api.client import Server
from tests.apps.support.api_client import problem


def test_list_is_paged(server: Server) -> None:
    bob = server.sign_in("bob")
    first = bob.get("/users", params={"limit": "3"})
    rows = first.json()["items"]
    assert [row["username"] for row in rows] == ["ada", "bob", "joan"]
    assert {"username", "name"} <= set(rows[0])
    assert not any("password" in name or name == "email" for name in rows[0])
    second = bob.get("/users", params={"limit": "3", "cursor": first.json()["next"]})
    assert [row["username"] for row in second.json()["items"]] == ["mia"]
    assert second.json()["next"] is None
    assert [row["name"] for row in bob.get("/users?q=J").json()["items"]] == ["Joan"]
    assert bob.get("/users", params={"department": "None"}).json()["items"] == []


def test_profile_has_all_skills(server: Server) -> None:
    answer = server.sign_in("bob").get("/users/ADA")
    assert answer.headers["etag"] == '"1"'
    body = answer.json()
    assert (body["username"], body["role"]) == ("ada", "admin")
    assert {skill["skill_name"]: skill["proficiency_level"] for skill in body["skills"]} == {
        "Go": "Expert",
        "Python": "Advanced",
    }


def test_people_change_their_profile(server: Server) -> None:
    bob = server.sign_in("bob")
    assert problem(bob.put("/users/bob", {"name": "Robert"}))[0] == 428
    answer = bob.put("/users/bob", {"name": "Robert", "title": "Tester"}, tag="*")
    assert (answer.status_code, answer.json()["name"]) == (200, "Robert")
    assert answer.headers["etag"] == bob.get("/users/bob").headers["etag"] == '"2"'
    assert bob.get("/me").json()["title"] == "Tester"
    assert problem(bob.put("/users/bob", {"title": "x"}, tag='"1"'))[0] == 412


def test_administrator_invites_promotes_renames_and_deletes(server: Server) -> None:
    ada = server.sign_in("ada")
    new = {"username": "eve", "name": "Eve Moss", "email": "eve@example.org"}
    invited = ada.post("/users", new)
    assert (invited.status_code, invited.json()["is_sent"]) == (201, True)
    promoted = ada.put("/users/eve/role", {"role": "manager"}, tag="*")
    assert promoted.json()["role"] == "manager"
    renamed = ada.put("/users/eve/username", {"username": "moss"}, tag="*")
    assert renamed.json()["username"] == "moss"
    # The rename has not settled yet.
    assert problem(ada.delete("/users/moss", tag="*"))[0] == 503
    assert ada.delete("/users/bob", tag="*").status_code == 200
    assert problem(ada.get("/users/bob"))[0] == 404


def test_addresses_of_others_cannot_be_guessed(server: Server) -> None:
    bob = server.sign_in("bob")
    server.world.clock.advance(minutes=6)
    statuses = {
        bob.put("/users/joan", {"email": email}, tag="*").status_code
        for email in ("joan@example.org", "jo@example.org")
    }
    assert statuses == {403}


def test_sensitive_actions_need_a_recent_sign_in(server: Server) -> None:
    ada = server.sign_in("ada")
    server.world.clock.advance(minutes=6)
    new = {"username": "eve", "name": "Eve", "email": "eve@example.org", "role": "admin"}
    refused = [
        ada.put("/users/ada", {"email": "new@example.org"}, tag="*"),
        ada.put("/users/joan", {"email": "new@example.org"}, tag="*"),
        ada.put("/users/joan/role", {"role": "admin"}, tag="*"),
        ada.delete("/users/joan", tag="*"),
        ada.post("/users", new),
        ada.get("/export"),
    ]
    assert {problem(answer)[:2] for answer in refused} == {(401, "not-signed-in")}
    joan = ada.get("/users/joan").json()
    same = {"title": "Engineer", "email": joan["email"]}
    assert ada.put("/users/joan", same, tag="*").status_code == 200
