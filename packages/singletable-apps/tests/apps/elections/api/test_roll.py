"""Rolls and personal links over HTTP."""

from __future__ import annotations

import pytest

from singletable_apps.elections.proofs import checker
from tests.apps.elections.api.client import Api, Client, make_api, type_of

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


def _code(api: Api, number: int) -> str:
    code: str = api.clients["Ada"].post(f"{CLUB}/roll/{number}/link").json()["code"]
    return code


def _cast(client: Client, code: str, key: str = "k-1") -> int:
    body = {"rankings": [{"candidate_name": "Red", "rank": 1}]}
    headers = {"Idempotency-Key": key}
    path = f"/links/{code}/ballot"
    return client.post(path, body, headers=headers).status_code


def test_owner_previews_changes_and_reads_the_roll(api: Api) -> None:
    ada = api.clients["Ada"]
    preview = ada.post(f"{CLUB}/roll/preview", {"text": "Cleo\nFinn <finn@example.org>\nGus <gus>"})
    found = preview.json()
    assert (found["added"], found["problems"][0]["line"]) == (2, 3)
    assert ada.post(f"{CLUB}/roll", {"people": found["people"]}, "*").json() == {
        "everybody": False,
        "voter_count": 5,
    }
    assert ada.delete(f"{CLUB}/roll/5").status_code == 204
    assert ada.post(f"{CLUB}/roll/invitations").json() == {"queued": 3}
    [[first, *_], *others] = ada.pages(f"{CLUB}/roll", 2)
    assert (first["name"], first["weight"], first["invitation"]) == ("Cleo", 3, "waiting")
    assert len(others) == 1
    assert ada.post(f"{CLUB}/roll/reminders").json() == {"queued": 3}


def test_all_problems_of_sent_people_are_told(api: Api) -> None:
    people = [{"name": "A", "email": "a"}, {"group": "x"}]
    problem = api.clients["Ada"].put(f"{CLUB}/roll", {"people": people}).json()
    assert "Person 1: " in problem["detail"]
    assert "Person 2: " in problem["detail"]


def test_only_the_owner_uses_the_roll(api: Api) -> None:
    ben = api.clients["Ben"]
    assert ben.get(f"{CLUB}/voters").json() == {"items": [], "next": None, "everybody": False}
    for response in (
        ben.get(f"{CLUB}/roll"),
        ben.put(f"{CLUB}/roll", {"people": []}),
        ben.post(f"{CLUB}/roll/preview", {"text": ""}),
        ben.post(f"{CLUB}/roll/1/link"),
        ben.post(f"{CLUB}/roll/invitations"),
    ):
        assert type_of(response) == "403 not-allowed"


def test_link_votes_without_a_token(api: Api) -> None:
    anonymous, codes = api.anonymous(), [_code(api, number) for number in (1, 2, 3)]
    session = anonymous.get(f"/links/{codes[0].lower()}").json()
    assert (session["voter_name"], session["weight"]) == ("Cleo", 3)
    assert (session["candidates"], session["has_voted"]) == (["Red", "Green"], False)
    assert _cast(anonymous, codes[0]) == 201
    assert anonymous.delete(f"/links/{codes[0]}/ballot").status_code == 204
    assert type_of(anonymous.get(f"/links/{codes[0]}/ballot")) == "404 not-found"
    for number, code in enumerate(codes):
        assert _cast(anonymous, code, f"k-{number + 2}") == 201
    assert type_of(anonymous.get(f"/links/{codes[0]}/tally")) == "409 wrong-state"
    api.close("Ada", "Club")
    assert anonymous.get(f"/links/{codes[0]}/tally").json()["ballots_cast"] == 3
    receipt = anonymous.get(f"/links/{codes[0]}/ballot").json()["receipt"]
    checker.RECEIPT(receipt, "receipt")
    assert all(finding.ok for finding in checker.check_receipt(receipt, None))
    assert _cast(anonymous, codes[0], "k-9") == 409


def test_wrong_code_is_not_found_and_nothing_is_said_about_it(api: Api) -> None:
    code = _code(api, 1)
    for wrong in (code[:-1] + ("0" if code[-1] != "0" else "1"), "x", "0" * 100):
        assert type_of(api.anonymous().get(f"/links/{wrong}")) == "404 not-found"
