"""Users over HTTP: who sees whom, edits by tag, roles, and removal."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

from singletable_apps.elections.roles import ROLES, Role
from tests.apps.elections.api.client import PASSWORD, Api, Client, make_api, set_up, type_of


@pytest.fixture
def api() -> Api:
    api = make_api("Ada", "Ben")
    api.register("Max", Role.ADMIN)
    api.register("Olga", Role.OBSERVER)
    return api


def pages(person: Client, path: str, limit: int, **filters: str) -> list[list[Any]]:
    """All pages of a list, by their cursors."""
    found: list[list[Any]] = []
    cursor: str | None = None
    while True:
        more = {"cursor": cursor} if cursor else {}
        response = person.get(path, params={"limit": limit, **filters, **more})
        assert response.status_code == 200, response.text
        found.append(response.json()["items"])
        cursor = response.json()["next"]
        assert ("Link" in response.headers) == (cursor is not None)
        if cursor is None:
            return found


def test_administrators_list_users_with_the_roles_they_can_give(api: Api) -> None:
    some = pages(api.clients["Max"], "/users", 3)
    assert [len(page) for page in some] == [3, 1]
    users = {user["name"]: user for page in some for user in page}
    assert users["Ben"]["email"] == "Ben@example.org"
    assert users["Ben"]["allowed_roles"] == ["NO_ACCESS", "OBSERVER", "VOTER", "USER"]
    assert users["Ada"]["allowed_roles"] == ["OWNER"]
    assert type_of(api.clients["Ben"].get("/users")) == "403 not-allowed"


def test_user_names_are_for_members(api: Api) -> None:
    assert pages(api.clients["Ben"], "/user-names", 2) == [["Ada", "Ben"], ["Max", "Olga"]]
    assert type_of(api.clients["Olga"].get("/user-names")) == "403 not-allowed"


def test_cursor_of_another_list_is_rejected(api: Api) -> None:
    ada = api.clients["Ada"]
    cursor = ada.get("/user-names", params={"limit": 1}).json()["next"]
    for path, text in (("/elections", cursor), ("/user-names", "made-up"), ("/events", cursor)):
        assert type_of(ada.get(path, params={"cursor": text})) == "400 cursor-refused"


def test_users_see_themselves_and_administrators_see_everyone(api: Api) -> None:
    ada, ben = api.clients["Ada"], api.clients["Ben"]
    assert ben.get("/users/BEN").json() == ben.get("/me").json()
    assert ada.get("/users/ben").json()["role"] == "USER"
    assert type_of(ben.get("/users/ada")) == "403 not-allowed"
    assert type_of(ada.get("/users/nobody")) == "404 not-found"


def test_edit_needs_a_matching_etag(api: Api) -> None:
    ben = api.clients["Ben"]
    change = {"name": "Benjamin", "email": "b@example.org"}
    assert type_of(ben.patch("/users/Ben", change, None)) == "428 precondition-required"
    tag = ben.tag("/me")
    response = ben.patch("/users/Ben", change, tag)
    # The new address must be confirmed first.
    assert (response.status_code, response.json()["email"]) == (200, "Ben@example.org")
    assert response.headers["ETag"] == ben.tag("/users/benjamin") != tag
    old = ben.patch("/users/Benjamin", {"name": "Ben"}, tag)
    assert type_of(old) == "412 precondition-failed"
    assert old.headers["ETag"] == response.headers["ETag"]
    assert type_of(ben.patch("/users/Benjamin", {"name": "Ben"}, "7")) == "422 invalid-request"


def test_sensitive_actions_need_a_recent_sign_in(api: Api) -> None:
    ada = api.clients["Ada"]
    api.clock.advance(minutes=6)
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


# The response does not reveal whether an address has an account, but names are public.
def test_user_edit_reveals_taken_names_only(api: Api) -> None:
    ben = api.clients["Ben"]
    assert type_of(ben.patch("/users/Ben", {"name": "max"})) == "409 taken"
    answers = [
        ben.patch("/users/Ben", {"email": address}).json()
        for address in ("ADA@example.org", "free@example.org")
    ]
    assert answers[0] == answers[1]


@pytest.mark.parametrize("body", [{}, {"name": None}, {"name": ""}, {"role": "OWNER"}, [], "Ben"])
def test_invalid_edit_is_rejected(api: Api, body: object) -> None:
    assert type_of(api.clients["Ben"].patch("/users/Ben", body)) == "422 invalid-request"


NAMES = ["Ben/Cy #1 ?&", "Ελένη 🫖 Ω", "a%2Fb", "names", "Zoë", "..x", "x;y=1"]


# A name is one segment of a path, whatever is in it.
@pytest.mark.parametrize("name", NAMES)
def test_names_with_special_characters_work_in_paths(api: Api, name: str) -> None:
    ben = api.clients["Ben"]
    assert ben.patch("/users/Ben", {"name": name}).status_code == 200
    for spelling in (name, name.upper(), name.lower()):
        response = ben.get(f"/users/{quote(spelling, safe='')}")
        assert response.json()["name"] == name, spelling


def test_names_in_paths_are_normalized(api: Api) -> None:
    ben = api.clients["Ben"]
    assert ben.patch("/users/Ben", {"name": "Zoe\u0308"}).json()["name"] == "Zo\u00eb"
    for spelling in ("Zo\u00eb", "Zoe\u0308", "ZOE\u0308"):
        assert ben.get(f"/users/{quote(spelling, safe='')}").status_code == 200


@pytest.mark.parametrize("segment", ["%FF", "%F4%8F%BF%BD"])
def test_path_that_is_not_utf8_is_rejected(api: Api, segment: str) -> None:
    assert type_of(api.clients["Ben"].get(f"/users/{segment}")) == "400 malformed-path"


@pytest.mark.parametrize("name", ["x" * 201, quote("\U0001d160" * 200), quote("ΐ" * 200)])
def test_name_too_long_for_a_key_is_rejected(api: Api, name: str) -> None:
    assert type_of(api.clients["Ada"].get(f"/users/{name}")) == "422 invalid-request"
    assert type_of(api.clients["Ada"].get(f"/elections/{name}")) == "422 invalid-request"


def test_roles_are_changed_by_those_above(api: Api) -> None:
    ada, max_, ben = (api.clients[name] for name in ("Ada", "Max", "Ben"))
    tag = ada.tag("/users/Ben")
    assert max_.put("/users/ben/role", {"role": "VOTER"}, tag).json()["role"] == "VOTER"
    assert type_of(max_.put("/users/ben/role", {"role": "USER"}, tag)) == "412 precondition-failed"
    assert type_of(max_.put("/users/ben/role", {"role": "ADMIN"})) == "403 not-allowed"
    assert type_of(ben.put("/users/ben/role", {"role": "OWNER"})) == "403 not-allowed"
    assert type_of(max_.put("/users/ben/role", {"role": "KING"})) == "422 invalid-request"
    handed = ada.put("/users/ben/role", {"role": "OWNER"})
    assert handed.json()["allowed_roles"] == ["OWNER"]
    assert ada.get("/me").json()["role"] == "AUDITOR"


def test_user_is_removed_with_a_matching_etag(api: Api) -> None:
    ada, ben = api.clients["Ada"], api.clients["Ben"]
    set_up(ben, "Tea", "Assam", "Ceylon")
    tag = ada.tag("/users/Ben")
    assert type_of(ada.delete("/users/Ben", tag)) == "409 wrong-state"
    assert ben.delete("/elections/Tea").status_code == 204
    assert type_of(ada.delete("/users/Ben", '"1"')) == "412 precondition-failed"
    assert type_of(ada.delete("/users/Ben", None)) == "428 precondition-required"
    assert ada.delete("/users/Ben", tag).status_code == 204
    assert type_of(ben.get("/me")) == "401 not-signed-in"
    assert type_of(ada.delete("/users/Ada")) == "409 wrong-state"


def test_permissions_are_listed_by_role(api: Api) -> None:
    olga = api.clients["Olga"]
    listed = olga.get("/permissions").json()
    assert [one["role"] for one in listed] == list(ROLES)
    assert listed[2] == olga.get("/permissions/VOTER").json()
    assert listed[2]["permissions"] == ["VIEW_APPLICATION", "VOTE"]
    assert type_of(olga.get("/permissions/KING")) == "422 invalid-request"


def test_counts_and_version_change(api: Api) -> None:
    ada = api.clients["Ada"]
    before = api.anonymous().get("/version").json()["version"]
    assert ada.get("/counts").json() == {"users": 4, "elections": 0}
    set_up(ada, "Tea", "Assam", "Ceylon")
    assert ada.get("/counts").json() == {"users": 4, "elections": 1}
    assert api.anonymous().get("/version").json()["version"] == before + 2
