"""Ballots over HTTP: cast exactly once, changed, withdrawn, and seen by whom they may be."""

from __future__ import annotations

import pytest

from singletable_apps.elections.roles import Role
from tests.apps.elections.api.client import Api, make_api, type_of

REPLAYED = "Idempotency-Replayed"


@pytest.fixture
def api() -> Api:
    api = make_api("Ada", "Ben")
    api.register("Vera", Role.VOTER)
    for name, secret in (("Open", False), ("Secret", True)):
        api.launch("Ada", name, ["Red", "Green", "Blue"], secret_ballot=secret)
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


def test_repeated_ballot_is_cast_once(api: Api) -> None:
    vera = api.clients["Vera"]
    first = vera.cast("Secret", {"Red": 1}, "k-1")
    again = vera.cast("Secret", {"Red": 1}, "k-1")
    assert (again.status_code, again.headers[REPLAYED]) == (201, "true")
    assert again.json() == first.json()
    other = vera.cast("Secret", {"Green": 1}, "k-1")
    assert type_of(other) == "422 key-reused"
    assert other.json()["errors"][0]["header"] == "Idempotency-Key"
    changed = vera.cast("Secret", {"Green": 1}, "k-2")
    assert changed.json()["confirmation"] != first.json()["confirmation"]
    # What was answered to a key stays the response to it, whatever came after.
    assert vera.cast("Secret", {"Red": 1}, "k-1").json() == first.json()


def test_ballots_of_others_are_visible_if_open(api: Api) -> None:
    vera, ben = api.clients["Vera"], api.clients["Ben"]
    for election in ("Open", "Secret"):
        cast = vera.cast(election, {"Red": 1}, "k").json()
        own = vera.get(f"/elections/{election}/ballots/VERA").json()
        assert own == {name: cast[name] for name in own}
        assert "receipt" not in own
    assert ben.get("/elections/Open/ballots/vera").json()["ranking"] == [["Red"]]
    assert type_of(ben.get("/elections/Secret/ballots/vera")) == "403 not-allowed"


def test_voters_who_voted_are_public_and_paginated(api: Api) -> None:
    for name in ("Ben", "Vera", "Ada"):
        api.clients[name].cast("Secret", {"Red": 1}, "k")
    olga = api.register("Olga", Role.OBSERVER)
    assert olga.pages("/elections/Secret/who-voted", 2) == [["Ada", "Ben"], ["Vera"]]
