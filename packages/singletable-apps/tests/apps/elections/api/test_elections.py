"""Elections over HTTP: set up, edited by tag, conducted, given away, deleted."""

from __future__ import annotations

from base64 import b64encode
from datetime import UTC, datetime
from typing import Any

import pytest

from singletable_apps.elections.roles import Role
from singletable_apps.elections.service import ElectionSettings
from singletable_apps.elections.urls import API
from tests.apps.elections.api.client import Api, at, make_api, type_of
from tests.apps.elections.api.test_users import NAMES
from tests.apps.support.elections.scenario import make_image

OPENS = datetime(2027, 1, 2, tzinfo=UTC)


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
    found = ben.get(made.headers["Location"].removeprefix(API))
    assert found.json() == made.json()
    assert found.headers["ETag"] == made.headers["ETag"]
    assert made.json()["status"] == "Being set up"
    assert made.json()["publication"] == "confirmations"


def test_elections_are_paginated_and_filtered_by_owner(api: Api) -> None:
    ada = api.clients["Ada"]
    for number in range(5):
        api.create("Ben" if number % 2 else "Ada", f"Election {number}")

    def named(found: list[list[Any]]) -> list[list[str]]:
        return [[one["name"][-1] for one in page] for page in found]

    assert named(ada.pages("/elections", 2)) == [["0", "1"], ["2", "3"], ["4"]]
    assert named(ada.pages("/elections", 1, owner="BEN")) == [["1"], ["3"]]


def test_settings_change_alone_or_together_and_null_clears_them(api: Api) -> None:
    ben = api.clients["Ben"]
    api.create("Ben", "Tea", no_voting_before=OPENS)
    change = {"name": "Teas", "secret_ballot": True, "no_voting_after": "2027-01-03T00:00:00+01:00"}
    response = ben.patch("/elections/tea", change, ben.tag("/elections/Tea"))
    assert response.status_code == 200
    # Nobody has asked for more to be published of a secret ballot than goes with it.
    assert response.json()["publication"] == "totals"
    assert response.json()["no_voting_before"] == "2027-01-02T00:00:00Z"
    assert response.json()["no_voting_after"] == "2027-01-02T23:00:00Z"
    cleared = ben.patch("/elections/Teas", {"no_voting_before": None}).json()
    assert cleared["no_voting_before"] is None
    assert cleared["no_voting_after"] is not None
    assert type_of(ben.get("/elections/Tea")) == "404 not-found"


# Each step sends the tag of the previous one, so that outdated requests are rejected.
def test_election_lifecycle(api: Api) -> None:
    ben = api.clients["Ben"]
    api.create("Ben", "Tea", ["Assam", "Ceylon"])
    tag = ben.tag("/elections/Tea")
    for step, body, state in (
        ("launch", {"allow_edit": True}, "editable"),
        ("fix", None, "fixed"),
        ("finalize", None, "closed"),
    ):
        response = ben.post(f"/elections/Tea/{step}", body, tag)
        assert (response.status_code, response.json()["state"]) == (200, state)
        tag = response.headers["ETag"]
    handed = ben.put("/elections/Tea/owner", {"owner": "ada"}, tag)
    assert handed.json()["owner_name"] == "Ada"
    tag = handed.headers["ETag"]
    assert type_of(ben.delete("/elections/Tea", tag)) == "403 not-allowed"
    assert api.clients["Ada"].delete("/elections/Tea", tag).status_code == 204
    assert type_of(ben.get("/elections/Tea")) == "404 not-found"


def test_deleting_ballots_requires_a_recent_sign_in(api: Api) -> None:
    ben = api.clients["Ben"]
    for name in ("Tea", "Tee"):
        api.create("Ben", name, ["Assam", "Ceylon"])
        ben.post(f"/elections/{name}/launch", {"allow_edit": True}, "*")
    assert ben.cast("Tea", {"Assam": 1}, "k").status_code == 201
    api.world.clock.advance(minutes=6)
    assert type_of(ben.delete("/elections/Tea")) == "401 not-signed-in"
    assert ben.delete("/elections/Tee").status_code == 204


def test_candidates_are_replaced(api: Api) -> None:
    ben = api.clients["Ben"]
    api.create("Ben", "Tea", ["Assam", "Ceylon"])
    path = "/elections/Tea/candidates"
    tag = ben.tag(path)
    assert tag == ben.tag("/elections/Tea")
    names = ["Darjeeling", "Assam"]
    response = ben.put(path, {"candidate_names": names}, tag)
    assert response.json() == {"candidate_names": names, "statements": {}, "pictures": {}}
    assert response.headers["ETag"] == ben.tag(path) != tag
    image = b64encode(make_image()).decode()
    changes = {"name": "Assam 2", "statement": "*Strong*", "picture": image, "alt": "Leaves"}
    edited = ben.patch(f"{path}/Assam", changes).json()
    picture = edited.pop("pictures")["Assam 2"]
    assert edited == {
        "candidate_names": ["Darjeeling", "Assam 2"],
        "statements": {"Assam 2": "*Strong*"},
    }
    assert picture["alt"] == "Leaves"
    assert picture["url"].endswith(".webp")
    assert type_of(ben.patch(f"{path}/Assam 2", {"picture": "%"})) == "422 invalid-request"
    assert ben.patch(f"{path}/Assam 2", {"picture": ""}).json()["pictures"] == {}


def test_election_has_method_texts_and_copies(api: Api) -> None:
    ben = api.clients["Ben"]
    terms = {"method": "meek stv", "seats": 2, "quorum": "25 %", "none_of_these": True}
    created = ben.post("/elections", {"name": "Tea", **terms})
    assert created.json() | {**terms, "quorum": "25%", "order": "entered"} == created.json()
    rejected = ben.patch("/elections/Tea", {"method": "approval"})
    assert type_of(rejected) == "422 invalid-request"
    texts = {"question": "Which tea?", "description": "*One* kind."}
    assert ben.put("/elections/Tea/texts", texts).json() == texts
    copied = ben.post("/elections/Tea/copy", {"name": "Tea 2"})
    assert copied.headers["Location"] == f"{API}/elections/Tea%202"
    assert copied.json() | {"method": "meek stv", "seats": 2, "quorum": "25%"} == copied.json()
    assert ben.get("/elections/Tea 2/texts").json() == texts
    api.launch("Ben", "Open")
    # People vote on what they read.
    assert type_of(ben.put("/elections/Open/texts", texts)) == "409 wrong-state"


def test_tally_has_method_elected_and_quorum(api: Api) -> None:
    ben = api.clients["Ben"]
    terms = ElectionSettings(method="approval", quorum="1")
    owner = api.world.service.context.read.get_user("Ben")
    api.world.launch(owner, "Tea", ["Zen", "Assam"], terms=terms)
    ben.cast("Tea", {"Zen": 1}, "k-1")
    tally = ben.get("/elections/Tea/tally").json()
    assert (tally["method"], tally["seats"], tally["elected"]) == ("approval", 1, ["Zen"])
    assert tally["quorum"]["is_valid"]
    assert type_of(ben.get("/elections/Tea/tally?method=schulze")) == "422 invalid-request"


def test_voter_list_is_replaced_or_cleared(api: Api) -> None:
    ben = api.clients["Ben"]
    api.create("Ben", "Tea")
    path = "/elections/Tea/voters"
    assert ben.get(path).json() == {"items": [], "next": None, "everybody": True}
    response = ben.put(path, {"voter_names": ["vera", "ADA"]}, ben.tag(path))
    assert response.json() == {"everybody": False, "voter_count": 2}
    assert ben.pages(path, 1)[0] == ["Ada"]
    assert not ben.get(path).json()["everybody"]
    for name, eligible in (("ada", True), ("Ben", False)):
        assert ben.get(f"/elections/Tea/eligibility/{name}").json()["eligible"] is eligible
    assert ben.put(path, {"voter_names": []}).json() == {"everybody": True, "voter_count": 0}
    assert ben.get("/elections/Tea/eligibility/ben").json()["eligible"]


# A link to the next page is a URL, in which the name is percent-encoded.
@pytest.mark.parametrize("name", NAMES[:3])
def test_names_with_special_characters_work_in_paths(api: Api, name: str) -> None:
    api.launch("Ben", name, ["Assam / 1", "#2"])
    for person in api.clients.values():
        assert person.cast(name, {"assam / 1": 1}, "1").status_code == 201
    api.close("Ben", name)
    ben = api.clients["Ben"]
    for spelling in (name.upper(), name.lower()):
        assert ben.get(at(spelling)).json()["name"] == name
        assert ben.get(f"{at(spelling)}/tally").json()["result"]["winner"] == "Assam / 1"
    for what in ("who-voted", "ballots"):
        first = ben.get(f"{at(name)}/{what}", params={"limit": 2})
        rest = ben.get(first.links["next"]["url"].removeprefix(API)).json()["items"]
        assert len(rest) == 1
        assert rest[0] not in first.json()["items"]
