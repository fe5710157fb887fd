"""Ballots over HTTP: cast exactly once, changed, taken back, and seen by whom they may be."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import httpx2
import pytest

from singletable_apps.elections.api import PREFIX
from singletable_apps.elections.roles import Role
from tests.apps.elections.api.client import Api, at, finalize, launch, make_api, set_up, type_of
from tests.apps.elections.api.test_users import NAMES

REPLAYED = "Idempotency-Replayed"


@pytest.fixture
def api() -> Api:
    api = make_api("Ada", "Ben")
    api.register("Vera", Role.VOTER)
    api.register("Olga", Role.OBSERVER)
    for name, secret in (("Open", False), ("Secret", True)):
        set_up(api.clients["Ada"], name, "Red", "Green", "Blue", secret_ballot=secret)
        launch(api.clients["Ada"], name)
    return api


@pytest.mark.parametrize("election", ["Open", "Secret"])
def test_cast_ballot_returns_its_receipt(api: Api, election: str) -> None:
    vera = api.clients["Vera"]
    response = vera.cast(election, {"red": 3, "Green": 3, "Blue": None}, "k-1")
    assert response.status_code == 201
    assert REPLAYED not in response.headers
    cast = response.json()
    assert cast["ranking"] == cast["receipt"]["ranking"] == [["Green", "Red"]]
    assert cast["readable"].replace("-", "") == cast["confirmation"]
    assert vera.get(f"/elections/{election}/ballot").json() == cast
    assert vera.get(f"/elections/{election}/rankings").json()["rankings"] == [
        {"candidate_name": "Blue", "rank": None},
        {"candidate_name": "Green", "rank": 1},
        {"candidate_name": "Red", "rank": 1},
    ]


@pytest.mark.parametrize("election", ["Open", "Secret"])
def test_repeated_ballot_is_cast_once(api: Api, election: str) -> None:
    vera = api.clients["Vera"]
    first = vera.cast(election, {"Red": 1}, "k-1")
    version = vera.get("/version").json()
    again = vera.cast(election, {"Red": 1}, "k-1")
    assert (again.status_code, again.headers[REPLAYED]) == (201, "true")
    assert again.json() == first.json()
    assert vera.get("/version").json() == version
    other = vera.cast(election, {"Green": 1}, "k-1")
    assert type_of(other) == "422 key-reused"
    assert other.json()["errors"][0]["header"] == "Idempotency-Key"
    changed = vera.cast(election, {"Green": 1}, "k-2")
    assert changed.json()["confirmation"] != first.json()["confirmation"]
    # What was answered to a key stays the response to it, whatever came after.
    assert vera.cast(election, {"Red": 1}, "k-1").json() == first.json()


# A browser that sends a form twice does so at once: one ballot, and both get its receipt.
@pytest.mark.parametrize("election", ["Open", "Secret"])
def test_concurrent_identical_ballots_are_cast_once(api: Api, election: str) -> None:
    vera = api.clients["Vera"]

    def cast(_: int) -> httpx2.Response:
        person = api.anonymous()
        person.token = vera.token
        return person.cast(election, {"Red": 1, "Blue": 2}, "the-same")

    before = vera.get("/version").json()["version"]
    with ThreadPoolExecutor(8) as pool:
        responses = list(pool.map(cast, range(8)))
    assert {response.status_code for response in responses} == {201}
    assert len({response.text for response in responses}) == 1
    assert sum(REPLAYED not in response.headers for response in responses) == 1
    assert vera.get("/version").json()["version"] == before + 1


@pytest.mark.parametrize(
    ("rankings", "pointer"),
    [
        ([], "/rankings"),
        ([{"candidate_name": "Pink", "rank": 1}], "/rankings"),
        ([{"candidate_name": "Red", "rank": 1}, {"candidate_name": "red"}], "/rankings"),
        ([{"candidate_name": "Red", "rank": 0}], "/rankings/0/rank"),
        ([{"candidate_name": "Red", "rank": "1"}], "/rankings/0/rank"),
        ([{"candidate_name": "Red", "rank": True}], "/rankings/0/rank"),
        ([{"candidate_name": "Red", "voter": "Ben"}], "/rankings/0/voter"),
        (None, "/rankings"),
    ],
)
def test_invalid_ballot_is_rejected(api: Api, rankings: object, pointer: str) -> None:
    response = api.clients["Vera"].request(
        "POST",
        "/elections/Open/ballot",
        json={"rankings": rankings},
        headers={"Idempotency-Key": "k"},
    )
    assert type_of(response) == "422 invalid-request"
    assert [fault["pointer"] for fault in response.json()["errors"]] == [pointer]


@pytest.mark.parametrize("key", [None, "with space", "x" * 201])
def test_ballot_needs_an_idempotency_key(api: Api, key: str | None) -> None:
    headers = {"Idempotency-Key": key} if key is not None else {}
    body = {"rankings": [{"candidate_name": "Red"}]}
    response = api.clients["Vera"].request(
        "POST", "/elections/Open/ballot", json=body, headers=headers
    )
    assert type_of(response) == "400 idempotency-key"


def test_ineligible_voters_are_rejected(api: Api) -> None:
    ada, vera = api.clients["Ada"], api.clients["Vera"]
    assert type_of(api.clients["Olga"].cast("Open", {"Red": 1}, "k")) == "403 not-allowed"
    assert ada.put("/elections/Open/voters", {"voter_names": ["Ben"]}).status_code == 200
    assert type_of(vera.cast("Open", {"Red": 1}, "k")) == "403 not-allowed"
    assert type_of(vera.cast("None", {"Red": 1}, "k")) == "404 not-found"
    set_up(ada, "Later", "Red", "Green")
    assert type_of(vera.cast("Later", {"Red": 1}, "k")) == "409 wrong-state"


def test_ballot_is_withdrawn_while_editable(api: Api) -> None:
    vera = api.clients["Vera"]
    assert type_of(vera.delete("/elections/Open/ballot", None)) == "404 not-found"
    vera.cast("Open", {"Red": 1}, "k")
    assert vera.delete("/elections/Open/ballot", None).status_code == 204
    assert type_of(vera.get("/elections/Open/ballot")) == "404 not-found"
    vera.cast("Open", {"Red": 1}, "k-2")
    api.clients["Ada"].post("/elections/Open/fix", None, "*")
    assert type_of(vera.delete("/elections/Open/ballot", None)) == "409 wrong-state"
    assert type_of(vera.cast("Open", {"Green": 1}, "k-3")) == "409 wrong-state"


def test_ballots_of_others_are_visible_if_open(api: Api) -> None:
    ada, ben, vera = (api.clients[name] for name in ("Ada", "Ben", "Vera"))
    for election in ("Open", "Secret"):
        cast = vera.cast(election, {"Red": 1}, "k").json()
        own = vera.get(f"/elections/{election}/ballots/VERA").json()
        assert own == {name: cast[name] for name in own}
        assert "receipt" not in own
    assert ben.get("/elections/Open/ballots/vera").json()["ranking"] == [["Red"]]
    assert type_of(ben.get("/elections/Open/ballots/ben")) == "404 not-found"
    for person in (ben, ada):
        assert type_of(person.get("/elections/Secret/ballots/vera")) == "403 not-allowed"
    finalize(ada, "Secret")
    assert type_of(ada.get("/elections/Secret/ballots/vera")) == "403 not-allowed"


def test_voters_who_voted_are_public_and_paginated(api: Api) -> None:
    for name in ("Ben", "Vera", "Ada"):
        api.clients[name].cast("Secret", {"Red": 1}, "k")
    olga = api.clients["Olga"]
    first = olga.get("/elections/Secret/who-voted", params={"limit": 2}).json()
    rest = olga.get("/elections/Secret/who-voted", params={"cursor": first["next"]}).json()
    assert (first["items"], rest["items"], rest["next"]) == (["Ada", "Ben"], ["Vera"], None)


# A link is an address, in which a name is written as the path has it.
@pytest.mark.parametrize("name", NAMES)
def test_next_links_work_for_special_names(name: str) -> None:
    api = make_api("Ada", "Ben")
    set_up(api.clients["Ada"], name, "Red", "Green")
    launch(api.clients["Ada"], name)
    for person in api.clients.values():
        assert person.cast(name, {"Red": 1}, "k").status_code == 201
    for what in ("who-voted", "ballots"):
        first = api.clients["Ben"].get(f"{at(name)}/{what}", params={"limit": 1})
        rest = api.clients["Ben"].get(first.links["next"]["url"].removeprefix(PREFIX))
        assert len(rest.json()["items"]) == 1
        assert rest.json()["items"] != first.json()["items"]
