"""Rolls over HTTP."""

from __future__ import annotations

import pytest

from tests.apps.elections.api.client import Api, make_api, type_of

CLUB = "/elections/Club"
PEOPLE = [{"name": name, "email": f"{name}@example.org"} for name in ("Cleo", "Dan", "Eve")]


@pytest.fixture
def api() -> Api:
    api = make_api("Ada", "Ben")
    ada = api.clients["Ada"]
    created = ada.post("/elections", {"name": "Club", "secret_ballot": True})
    assert created.json()["electorate"] == "roll"
    assert ada.put(f"{CLUB}/candidates", {"candidate_names": ["Red", "Green"]}).status_code == 200
    assert type_of(ada.post(f"{CLUB}/launch", {"allow_edit": True}, "*")) == "409 wrong-state"
    weighted = [{**PEOPLE[0], "weight": 3}, *PEOPLE[1:]]
    saved = ada.put(f"{CLUB}/roll", {"people": weighted}, ada.tag(CLUB))
    assert saved.json() == {"everybody": False, "voter_count": 3}
    assert ada.post(f"{CLUB}/launch", {"allow_edit": True}, "*").json()["is_weighted"] is True
    return api


def test_owner_changes_and_reads_the_roll(api: Api) -> None:
    ada = api.clients["Ada"]
    people = [{"name": "Finn", "email": "finn@example.org"}, {"name": "Gus"}]
    saved = ada.post(f"{CLUB}/roll", {"people": people}, "*")
    assert saved.json() == {"everybody": False, "voter_count": 5}
    assert ada.delete(f"{CLUB}/roll/5").status_code == 204
    assert ada.post(f"{CLUB}/roll/invitations").json() == {"queued": 4}
    [[first, *_], *others] = ada.pages(f"{CLUB}/roll", 2)
    assert (first["name"], first["weight"], first["invitation"]) == ("Cleo", 3, "waiting")
    assert len(others) == 1
    assert ada.post(f"{CLUB}/roll/reminders").json() == {"queued": 4}


def test_owner_edits_someone_on_the_roll(api: Api) -> None:
    ada, changes = api.clients["Ada"], {"name": "Dan Ray", "group": "Rowing", "weight": 2}
    tag = ada.tag(f"{CLUB}/roll")
    answer = ada.patch(f"{CLUB}/roll/2", changes, tag)
    edited = answer.json()
    assert {name: edited[name] for name in changes} == changes
    assert edited["email"] == "Dan@example.org"
    assert type_of(ada.patch(f"{CLUB}/roll/2", changes, tag)) == "412 precondition-failed"
    assert ada.tag(f"{CLUB}/roll") == answer.headers["ETag"] != tag
    for sent in ({}, {"weight": 0}, {"name": "Cleo", "email": "Cleo@example.org"}):
        assert type_of(ada.patch(f"{CLUB}/roll/2", sent)) == "422 invalid-request"
    assert type_of(ada.patch(f"{CLUB}/roll/99", changes)) == "404 not-found"


def test_all_problems_of_sent_people_are_told(api: Api) -> None:
    people = [{"name": "A", "email": "a"}, {"group": "x"}]
    problem = api.clients["Ada"].put(f"{CLUB}/roll", {"people": people}).json()
    assert "Person 1: " in problem["detail"]
    assert "Person 2: " in problem["detail"]
