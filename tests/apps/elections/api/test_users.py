"""Users over HTTP: who sees whom, edits by tag, roles, and removal."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest

from singletable_apps.elections.roles import ROLES, Role
from tests.apps.elections.api.town import Person, Town, make_town, set_up, type_of


@pytest.fixture
def town() -> Town:
    town = make_town("Ada", "Ben")
    town.joins("Max", Role.ADMIN)
    town.joins("Olga", Role.OBSERVER)
    return town


def pages(person: Person, path: str, limit: int, **filters: str) -> list[list[Any]]:
    """All pages of a list, by their cursors."""
    found: list[list[Any]] = []
    cursor: str | None = None
    while True:
        more = {"cursor": cursor} if cursor else {}
        answer = person.get(path, params={"limit": limit, **filters, **more})
        assert answer.status_code == 200, answer.text
        found.append(answer.json()["items"])
        cursor = answer.json()["next"]
        assert ("Link" in answer.headers) == (cursor is not None)
        if cursor is None:
            return found


def test_who_manages_users_sees_all_with_the_roles_to_choose_from(town: Town) -> None:
    some = pages(town.people["Max"], "/users", 3)
    assert [len(page) for page in some] == [3, 1]
    users = {user["name"]: user for page in some for user in page}
    assert users["Ben"]["email"] == "Ben@example.org"
    assert users["Ben"]["allowed_roles"] == ["NO_ACCESS", "OBSERVER", "VOTER", "USER"]
    assert users["Ada"]["allowed_roles"] == ["OWNER"]
    assert type_of(town.people["Ben"].get("/users")) == "403 not-allowed"


def test_names_are_for_whoever_sets_up_elections(town: Town) -> None:
    assert pages(town.people["Ben"], "/user-names", 2) == [["Ada", "Ben"], ["Max", "Olga"]]
    assert type_of(town.people["Olga"].get("/user-names")) == "403 not-allowed"


def test_a_cursor_goes_with_its_list_alone(town: Town) -> None:
    ada = town.people["Ada"]
    cursor = ada.get("/user-names", params={"limit": 1}).json()["next"]
    for path, text in (("/elections", cursor), ("/user-names", "made-up"), ("/events", cursor)):
        assert type_of(ada.get(path, params={"cursor": text})) == "400 cursor-refused"


def test_one_sees_oneself_and_who_manages_users_everybody(town: Town) -> None:
    ada, ben = town.people["Ada"], town.people["Ben"]
    assert ben.get("/users/BEN").json() == ben.get("/me").json()
    assert ada.get("/users/ben").json()["role"] == "USER"
    assert type_of(ben.get("/users/ada")) == "403 not-allowed"
    assert type_of(ada.get("/users/nobody")) == "404 not-found"


def test_an_edit_says_what_it_is_based_on(town: Town) -> None:
    ben = town.people["Ben"]
    change = {"name": "Benjamin", "email": "b@example.org"}
    assert type_of(ben.patch("/users/Ben", change, None)) == "428 precondition-required"
    tag = ben.tag("/me")
    answer = ben.patch("/users/Ben", change, tag)
    assert (answer.status_code, answer.json()["email"]) == (200, "b@example.org")
    assert answer.headers["ETag"] == ben.tag("/users/benjamin") != tag
    old = ben.patch("/users/Benjamin", {"name": "Ben"}, tag)
    assert type_of(old) == "412 precondition-failed"
    assert old.headers["ETag"] == answer.headers["ETag"]
    assert type_of(ben.patch("/users/Benjamin", {"name": "Ben"}, "7")) == "422 invalid-request"


# A name that is free and an address that is not: neither changes.
def test_an_edit_is_whole_or_not_at_all(town: Town) -> None:
    ben = town.people["Ben"]
    answer = ben.patch("/users/Ben", {"name": "Benjamin", "email": "ADA@example.org"})
    assert type_of(answer) == "409 taken"
    assert answer.json()["errors"][0]["pointer"] == "/email"
    assert ben.get("/me").json()["name"] == "Ben"
    assert type_of(ben.patch("/users/Ben", {"name": "max"})) == "409 taken"


@pytest.mark.parametrize("body", [{}, {"name": None}, {"name": ""}, {"role": "OWNER"}, [], "Ben"])
def test_an_edit_that_makes_no_sense_is_refused(town: Town, body: object) -> None:
    assert type_of(town.people["Ben"].patch("/users/Ben", body)) == "422 invalid-request"


NAMES = ["Ben/Cy #1 ?&", "Ελένη 🫖 Ω", "a%2Fb", "names", "Zoë", "..x", "x;y=1"]


# A name is one segment of a path, whatever is in it.
@pytest.mark.parametrize("name", NAMES)
def test_names_of_any_kind_are_found_by_their_address(town: Town, name: str) -> None:
    ben = town.people["Ben"]
    assert ben.patch("/users/Ben", {"name": name}).status_code == 200
    for spelling in (name, name.upper(), name.lower()):
        answer = ben.get(f"/users/{quote(spelling, safe='')}")
        assert answer.json()["name"] == name, spelling


def test_a_name_is_found_in_every_form_of_unicode(town: Town) -> None:
    ben = town.people["Ben"]
    assert ben.patch("/users/Ben", {"name": "Zoe\u0308"}).json()["name"] == "Zo\u00eb"
    for spelling in ("Zo\u00eb", "Zoe\u0308", "ZOE\u0308"):
        assert ben.get(f"/users/{quote(spelling, safe='')}").status_code == 200


@pytest.mark.parametrize("segment", ["%FF", "%F4%8F%BF%BD"])
def test_an_address_that_is_no_text_is_refused(town: Town, segment: str) -> None:
    assert type_of(town.people["Ben"].get(f"/users/{segment}")) == "400 malformed-path"


@pytest.mark.parametrize("name", ["x" * 201, quote("\U0001d160" * 200), quote("ΐ" * 200)])
def test_a_name_that_no_key_holds_is_refused(town: Town, name: str) -> None:
    assert type_of(town.people["Ada"].get(f"/users/{name}")) == "422 invalid-request"
    assert type_of(town.people["Ada"].get(f"/elections/{name}")) == "422 invalid-request"


def test_roles_are_given_by_who_may(town: Town) -> None:
    ada, max_, ben = (town.people[name] for name in ("Ada", "Max", "Ben"))
    tag = ada.tag("/users/Ben")
    assert max_.put("/users/ben/role", {"role": "VOTER"}, tag).json()["role"] == "VOTER"
    assert type_of(max_.put("/users/ben/role", {"role": "USER"}, tag)) == "412 precondition-failed"
    assert type_of(max_.put("/users/ben/role", {"role": "ADMIN"})) == "403 not-allowed"
    assert type_of(ben.put("/users/ben/role", {"role": "OWNER"})) == "403 not-allowed"
    assert type_of(max_.put("/users/ben/role", {"role": "KING"})) == "422 invalid-request"
    handed = ada.put("/users/ben/role", {"role": "OWNER"})
    assert handed.json()["allowed_roles"] == ["OWNER"]
    assert ada.get("/me").json()["role"] == "AUDITOR"


def test_a_user_is_removed_with_a_tag(town: Town) -> None:
    ada, ben = town.people["Ada"], town.people["Ben"]
    set_up(ben, "Tea", "Assam", "Ceylon")
    tag = ada.tag("/users/Ben")
    assert type_of(ada.delete("/users/Ben", tag)) == "409 wrong-state"
    assert ben.delete("/elections/Tea").status_code == 204
    assert type_of(ada.delete("/users/Ben", '"1"')) == "412 precondition-failed"
    assert type_of(ada.delete("/users/Ben", None)) == "428 precondition-required"
    assert ada.delete("/users/Ben", tag).status_code == 204
    assert type_of(ben.get("/me")) == "401 not-signed-in"
    assert type_of(ada.delete("/users/Ada")) == "409 wrong-state"


def test_permissions_are_told_by_role(town: Town) -> None:
    olga = town.people["Olga"]
    listed = olga.get("/permissions").json()
    assert [one["role"] for one in listed] == list(ROLES)
    assert listed[2] == olga.get("/permissions/VOTER").json()
    assert listed[2]["permissions"] == ["VIEW_APPLICATION", "VOTE"]
    assert type_of(olga.get("/permissions/KING")) == "422 invalid-request"


def test_counts_and_a_version_that_moves(town: Town) -> None:
    ada = town.people["Ada"]
    before = town.stranger().get("/version").json()["version"]
    assert ada.get("/counts").json() == {"users": 4, "elections": 0}
    set_up(ada, "Tea", "Assam", "Ceylon")
    assert ada.get("/counts").json() == {"users": 4, "elections": 1}
    assert town.stranger().get("/version").json()["version"] == before + 2
