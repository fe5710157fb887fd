"""Elections over HTTP: set up, edited by tag, conducted, given away, deleted."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from singletable_apps.elections.api import PREFIX
from singletable_apps.elections.roles import Role
from tests.apps.elections.api.client import Api, at, finalize, launch, make_api, set_up, type_of
from tests.apps.elections.api.test_users import NAMES, pages

BEFORE, AFTER = "2027-01-02T00:00:00Z", "2027-01-03T00:00:00+01:00"


@pytest.fixture
def api() -> Api:
    api = make_api("Ada", "Ben")
    api.register("Vera", Role.VOTER)
    return api


def test_created_election_has_location_and_etag(api: Api) -> None:
    ben = api.clients["Ben"]
    made = ben.post("/elections", {"name": "Tea / coffee"})
    assert made.status_code == 201
    assert made.headers["Location"] == "/api/elections/elections/Tea%20%2F%20coffee"
    found = ben.get(made.headers["Location"].removeprefix(PREFIX))
    assert found.json() == made.json()
    assert found.headers["ETag"] == made.headers["ETag"]
    assert made.json()["status"] == "Being set up"
    assert made.json()["publication"] == "confirmations"


@pytest.mark.parametrize(
    ("sent", "kind", "pointer"),
    [
        ({"name": "TEA"}, "409 taken", "/name"),
        ({"name": ".."}, "422 invalid-request", "/name"),
        ({"name": "a\u200bb"}, "422 invalid-request", "/name"),
        ({"name": 7}, "422 invalid-request", "/name"),
        ({"secret_ballot": "yes"}, "422 invalid-request", "/secret_ballot"),
        ({"publication": "all"}, "422 invalid-request", "/publication"),
        ({"no_voting_after": 1893456000}, "422 invalid-request", "/no_voting_after"),
        ({"no_voting_after": "2027-01-02T00:00:00"}, "422 invalid-request", "/no_voting_after"),
        ({"no_voting_after": "0001-01-01T00:00:00Z"}, "422 invalid-request", "/no_voting_after"),
        ({"owner": "Ada"}, "422 invalid-request", "/owner"),
    ],
)
def test_invalid_election_is_rejected_with_a_pointer(
    api: Api, sent: dict[str, object], kind: str, pointer: str
) -> None:
    set_up(api.clients["Ada"], "Tea")
    response = api.clients["Ben"].post("/elections", {"name": "Wine", **sent})
    assert type_of(response) == kind
    assert [fault["pointer"] for fault in response.json()["errors"]] == [pointer]


def test_voters_cannot_create_elections(api: Api) -> None:
    assert type_of(api.clients["Vera"].post("/elections", {"name": "Tea"})) == "403 not-allowed"


def test_elections_are_paginated_and_filtered_by_owner(api: Api) -> None:
    ada, ben = api.clients["Ada"], api.clients["Ben"]
    for number in range(5):
        set_up(ben if number % 2 else ada, f"Election {number}")

    def named(found: list[list[Any]]) -> list[list[str]]:
        return [[one["name"][-1] for one in page] for page in found]

    assert named(pages(ada, "/elections", 2)) == [["0", "1"], ["2", "3"], ["4"]]
    assert named(pages(ada, "/elections", 1, owner="BEN")) == [["1"], ["3"]]
    assert type_of(ada.get("/elections?owner=nobody")) == "404 not-found"


def test_settings_change_alone_or_together_and_null_clears_them(api: Api) -> None:
    ben = api.clients["Ben"]
    set_up(ben, "Tea", no_voting_before=BEFORE)
    tag = ben.tag("/elections/Tea")
    change = {"name": "Teas", "secret_ballot": True, "no_voting_after": AFTER}
    response = ben.patch("/elections/tea", change, tag)
    assert response.status_code == 200
    # Nobody has asked for more to be published of a secret ballot than goes with it.
    assert response.json()["publication"] == "totals"
    assert response.json()["no_voting_before"] == BEFORE
    assert response.json()["no_voting_after"] == "2027-01-02T23:00:00Z"
    assert type_of(ben.patch("/elections/Teas", change, tag)) == "412 precondition-failed"
    cleared = ben.patch("/elections/Teas", {"no_voting_before": None}).json()
    assert cleared["no_voting_before"] is None
    assert cleared["no_voting_after"] is not None
    assert type_of(ben.get("/elections/Tea")) == "404 not-found"


def test_chosen_publication_is_kept(api: Api) -> None:
    ben = api.clients["Ben"]
    set_up(ben, "Tea", publication="anonymous")
    assert ben.patch("/elections/Tea", {"secret_ballot": True}).json()["publication"] == "anonymous"


# After the launch a name may still change, and a setting may not: then neither does.
def test_edit_is_atomic(api: Api) -> None:
    ben = api.clients["Ben"]
    set_up(ben, "Tea", "Assam", "Ceylon")
    launch(ben, "Tea")
    response = ben.patch("/elections/Tea", {"name": "Wine", "secret_ballot": True})
    assert type_of(response) == "409 wrong-state"
    assert ben.patch("/elections/Tea", {"name": "Wine"}).status_code == 200


@pytest.mark.parametrize(
    ("change", "pointer"),
    [
        ({}, ""),
        ({"name": None}, "/name"),
        ({"secret_ballot": None}, "/secret_ballot"),
        ({"allow_vote": True}, "/allow_vote"),
        ({"no_voting_before": AFTER, "no_voting_after": BEFORE}, "/no_voting_after"),
    ],
)
def test_invalid_edit_is_rejected(api: Api, change: dict[str, object], pointer: str) -> None:
    set_up(api.clients["Ben"], "Tea")
    response = api.clients["Ben"].patch("/elections/Tea", change)
    assert type_of(response) == "422 invalid-request"
    assert [fault["pointer"] for fault in response.json()["errors"]] == [pointer]


# Each step sends the tag of the previous one, so that outdated requests are rejected.
def test_election_lifecycle(api: Api) -> None:
    ben = api.clients["Ben"]
    set_up(ben, "Tea", "Assam", "Ceylon")
    tag = ben.tag("/elections/Tea")
    for step, body, state in (
        ("launch", {"allow_edit": True}, "editable"),
        ("fix", None, "fixed"),
        ("finalize", None, "closed"),
    ):
        path = f"/elections/Tea/{step}"
        assert type_of(ben.post(path, body)) == "428 precondition-required"
        assert type_of(ben.post(path, body, '"1"')) == "412 precondition-failed"
        assert type_of(api.clients["Ada"].post(path, body, tag)) == "403 not-allowed"
        response = ben.post(path, body, tag)
        assert (response.status_code, response.json()["state"]) == (200, state)
        tag = response.headers["ETag"]
        assert type_of(ben.post(path, body, tag)) == "409 wrong-state"


def test_election_is_handed_over(api: Api) -> None:
    ada, ben = api.clients["Ada"], api.clients["Ben"]
    set_up(ben, "Tea")
    nobody = ben.put("/elections/Tea/owner", {"owner": "nobody"})
    assert type_of(nobody) == "422 invalid-request"
    assert nobody.json()["errors"][0]["pointer"] == "/owner"
    assert type_of(ben.put("/elections/Tea/owner", {"owner": "Vera"})) == "409 wrong-state"
    assert ben.put("/elections/Tea/owner", {"owner": "ada"}).json()["owner_name"] == "Ada"
    assert type_of(ben.delete("/elections/Tea")) == "403 not-allowed"
    assert ada.delete("/elections/Tea").status_code == 204
    assert type_of(ada.get("/elections/Tea")) == "404 not-found"


def test_candidates_are_replaced(api: Api) -> None:
    ben = api.clients["Ben"]
    set_up(ben, "Tea", "Assam", "Ceylon")
    path = "/elections/Tea/candidates"
    tag = ben.tag(path)
    assert tag == ben.tag("/elections/Tea")
    response = ben.put(path, {"candidate_names": ["Darjeeling", "Assam"]}, tag)
    assert response.json() == {"candidate_names": ["Assam", "Darjeeling"]}
    assert response.headers["ETag"] == ben.tag(path) != tag
    assert type_of(ben.put(path, {"candidate_names": []}, tag)) == "412 precondition-failed"
    twice = ben.put(path, {"candidate_names": ["Assam", "assam"]})
    assert twice.json()["errors"][0]["pointer"] == "/candidate_names"


def test_voter_list_is_replaced_or_cleared(api: Api) -> None:
    ben = api.clients["Ben"]
    set_up(ben, "Tea")
    path = "/elections/Tea/voters"
    assert ben.get(path).json() == {"items": [], "next": None, "everybody": True}
    strangers = ben.put(path, {"voter_names": ["vera", "Nobody"]})
    assert strangers.json()["errors"][0]["pointer"] == "/voter_names"
    response = ben.put(path, {"voter_names": ["vera", "ADA"]}, ben.tag(path))
    assert response.json() == {"everybody": False, "voter_count": 2}
    assert pages(ben, path, 1)[0] == ["Ada"]
    assert not ben.get(path).json()["everybody"]
    for name, eligible in (("ada", True), ("Ben", False)):
        assert ben.get(f"/elections/Tea/eligibility/{name}").json()["eligible"] is eligible
    assert ben.put(path, {"voter_names": []}).json() == {"everybody": True, "voter_count": 0}
    assert ben.get("/elections/Tea/eligibility/ben").json()["eligible"]


@pytest.mark.parametrize("name", NAMES)
def test_names_with_special_characters_work_in_paths(api: Api, name: str) -> None:
    ben = api.clients["Ben"]
    set_up(ben, name, "Assam / 1", "#2")
    launch(ben, name)
    assert ben.cast(name, {"assam / 1": 1}, "1").status_code == 201
    finalize(ben, name)
    for spelling in (name.upper(), name.lower()):
        assert ben.get(at(spelling)).json()["name"] == name
        assert ben.get(f"{at(spelling)}/tally").json()["result"]["winner"] == "Assam / 1"


def test_reading_an_election_closes_it_when_its_time_is_up(api: Api) -> None:
    ben = api.clients["Ben"]
    set_up(ben, "Tea", "Assam", "Ceylon", no_voting_after="2027-01-01T12:05:00Z")
    launch(ben, "Tea")
    assert ben.get("/elections/Tea").json()["state"] == "editable"
    api.clock.advance(minutes=6)
    assert ben.get("/elections/Tea").json()["state"] == "closed"


# Of concurrent edits one succeeds, and the others are rejected instead of overwriting it.
def test_only_one_of_concurrent_edits_succeeds(api: Api) -> None:
    ben = api.clients["Ben"]
    set_up(ben, "Tea")
    tag = ben.tag("/elections/Tea")

    def edit(number: int) -> int:
        change = {"no_voting_after": f"2028-01-0{number}T00:00:00Z"}
        return ben.patch("/elections/Tea", change, tag).status_code

    with ThreadPoolExecutor(6) as pool:
        statuses = list(pool.map(edit, range(1, 7)))
    assert sorted(statuses) == [200, 412, 412, 412, 412, 412]
