"""Users over HTTP: who sees whom, names in paths, roles, and removal."""

from __future__ import annotations

from urllib.parse import quote

import pytest

from singletable_apps.elections.roles import Role
from tests.apps.elections.api.client import Api, make_api, type_of
from tests.apps.support.elections.world import PASSWORD


@pytest.fixture
def api() -> Api:
    api = make_api("Ada", "Ben")
    api.register("Max", Role.ADMIN)
    api.register("Olga", Role.OBSERVER)
    return api


def test_administrators_list_users_with_the_roles_they_can_give(api: Api) -> None:
    some = api.clients["Max"].pages("/users", 3)
    assert [len(page) for page in some] == [3, 1]
    users = {user["name"]: user for page in some for user in page}
    assert users["Ben"]["email"] == "ben@example.org"
    assert users["Ben"]["allowed_roles"] == ["NO_ACCESS", "OBSERVER", "VOTER", "USER"]
    assert users["Ada"]["allowed_roles"] == ["OWNER"]
    assert api.clients["Ben"].pages("/user-names", 2) == [["Ada", "Ben"], ["Max", "Olga"]]


def test_user_is_edited(api: Api) -> None:
    ben = api.clients["Ben"]
    tag = ben.tag("/me")
    response = ben.patch("/users/Ben", {"name": "Benjamin", "email": "b@example.org"}, tag)
    # The new address must be confirmed first.
    assert (response.status_code, response.json()["email"]) == (200, "ben@example.org")
    assert response.headers["ETag"] == ben.tag("/users/benjamin") != tag


def test_sensitive_actions_need_a_recent_sign_in(api: Api) -> None:
    ada = api.clients["Ada"]
    api.world.clock.advance(minutes=6)
    refused = [
        ada.patch("/users/Ada", {"email": "new@example.org"}),
        ada.patch("/users/Ben", {"email": "new@example.org"}),
        ada.put("/users/Ben/role", {"role": "ADMIN"}),
        ada.put("/users/Ben/role", {"role": "OWNER"}),
        ada.delete("/users/Ben"),
    ]
    assert {type_of(answer) for answer in refused} == {"401 not-signed-in"}
    assert ada.patch("/users/Ben", {"name": "Benjamin"}).status_code == 200
    again = ada.post("/sign-in", {"name_or_email": "Ada", "password": PASSWORD})
    ada.token = again.json()["access_token"]
    assert ada.delete("/users/Benjamin").status_code == 204


NAMES = ["Ben/Cy #1 ?&", "Ελένη 🫖 Ω", "a%2Fb", "names", "Zoë", "..x", "x;y=1"]


# A name is one segment of a path, whatever is in it.
def test_names_with_special_characters_work_in_paths(api: Api) -> None:
    ben, path = api.clients["Ben"], "Ben"
    for name in NAMES:
        assert ben.patch(f"/users/{path}", {"name": name}).status_code == 200
        path = quote(name, safe="")
        for spelling in (name, name.upper(), name.lower()):
            response = ben.get(f"/users/{quote(spelling, safe='')}")
            assert response.json()["name"] == name, spelling


def test_names_in_paths_are_normalized(api: Api) -> None:
    ben = api.clients["Ben"]
    assert ben.patch("/users/Ben", {"name": "Zoe\u0308"}).json()["name"] == "Zo\u00eb"
    for spelling in ("Zo\u00eb", "Zoe\u0308", "ZOE\u0308"):
        assert ben.get(f"/users/{quote(spelling, safe='')}").status_code == 200


def test_role_is_changed_and_ownership_transferred(api: Api) -> None:
    ada = api.clients["Ada"]
    tag = ada.tag("/users/Ben")
    changed = api.clients["Max"].put("/users/ben/role", {"role": "VOTER"}, tag)
    assert changed.json()["role"] == "VOTER"
    handed = ada.put("/users/ben/role", {"role": "OWNER"})
    assert handed.json()["allowed_roles"] == ["OWNER"]
    assert ada.get("/me").json()["role"] == "AUDITOR"


def test_version_changes(api: Api) -> None:
    before = api.anonymous().get("/version").json()["version"]
    api.create("Ada", "Tea", ["Assam", "Ceylon"])
    assert api.anonymous().get("/version").json()["version"] == before + 2
