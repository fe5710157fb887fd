"""Votes over HTTP: cast, changed, sent again, seen again; and refused without a trace."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import httpx2
import pytest

from singletable_apps.polls.api import PREFIX
from tests.apps.polls.api.people import COOKIE, OPTIONS, Made, Place, places, type_of
from tests.apps.polls.rig.world import dump


def total(place: Place, poll: Made) -> int:
    found: int = place.somebody().get(f"{poll.path}/results").json()["totalVotes"]
    return found


def test_a_browser_has_one_vote_and_may_change_it(place: Place) -> None:
    ada, poll = place.somebody(), place.somebody().makes()
    first = ada.votes(poll, "rust", " Go ")
    assert first.status_code == 201
    assert first.json()["rankings"] == ["Rust", "Go"]
    assert first.headers["set-cookie"].startswith(f"{COOKIE}=")
    again = ada.votes(poll, "Rust", "Go")
    assert (again.status_code, again.json()) == (200, first.json())
    assert "set-cookie" not in again.headers
    changed = ada.votes(poll, "Python")
    assert (changed.status_code, changed.json()["id"]) == (200, first.json()["id"])
    assert ada.get(f"{poll.path}/vote").json() == changed.json()
    assert total(place, poll) == 1
    place.somebody().votes(poll, "Go")
    assert total(place, poll) == 2


def test_a_vote_stays_where_votes_cannot_be_changed(place: Place) -> None:
    ada, poll = place.somebody(), place.somebody().makes(changeable=False)
    first = ada.votes(poll, "Go")
    before = dump(place.driver)
    assert type_of(ada.votes(poll, "Rust")) == "409 already-voted"
    # Sent again it is the same vote, and nobody is frightened.
    assert (ada.votes(poll, "Go").status_code, ada.votes(poll, "Go").json()) == (200, first.json())
    assert dump(place.driver) == before


@pytest.mark.parametrize(
    ("body", "pointers"),
    [
        ({"rankings": []}, ["/rankings"]),
        ({"rankings": ["Zig"]}, ["/rankings/0"]),
        ({"rankings": ["Go", "go"]}, ["/rankings/1"]),
        ({"rankings": ["Go", "Zig", "GO", "C"]}, [f"/rankings/{n}" for n in (1, 2, 3)]),
        ({"rankings": ["Go"] * 51}, ["/rankings"]),
        ({"rankings": ["Go", None]}, ["/rankings/1"]),
        ({"rankings": [["Go"]]}, ["/rankings/0"]),
        ({"rankings": "Go"}, ["/rankings"]),
        ({"rankings": {"Go": 1}}, ["/rankings"]),
        ({}, ["/rankings"]),
        ({"rankings": ["Go"], "votedAt": "2026-01-01T00:00:00Z"}, ["/votedAt"]),
        ({"rankings": ["Go"], "id": "mine"}, ["/id"]),
        ({"rankings": ["Go"], "code": 7}, ["/code"]),
        ({"rankings": ["Go"], "code": "x" * 101}, ["/code"]),
        ({"rankings": ["x" * 100_000]}, ["/rankings/0"]),
    ],
)
def test_a_wrong_vote_is_refused_with_the_place_of_each_fault(
    place: Place, body: dict[str, object], pointers: list[str]
) -> None:
    poll = place.somebody().makes()
    before = dump(place.driver)
    answer = place.somebody().post(f"{poll.path}/vote", body)
    assert type_of(answer) == "422 invalid-request"
    assert places(answer) == pointers
    assert len(answer.content) < 5_000
    assert "set-cookie" not in answer.headers
    assert dump(place.driver) == before


def test_an_open_poll_takes_every_vote(place: Place) -> None:
    ada, poll = place.somebody(), place.somebody().makes(protection="open")
    ids = {ada.votes(poll, "Go").json()["id"] for _ in range(3)}
    assert len(ids) == total(place, poll) == 3
    assert type_of(ada.get(f"{poll.path}/vote")) == "404 not-found"
    assert ada.get(f"{poll.path}/vote", params={"vote": ids.pop()}).json()["rankings"] == ["Go"]


# Whoever did not hear the answer has no cookie either: the key is all that is the same.
@pytest.mark.parametrize("protection", ["browser", "open"])
def test_a_vote_with_a_key_is_one_vote_however_often_it_is_sent(
    place: Place, protection: str
) -> None:
    poll = place.somebody().makes(protection=protection)
    headers = {"Idempotency-Key": str(uuid4())}

    def send(_: int) -> httpx2.Response:
        return place.somebody().votes(poll, "Go", "Rust", headers=headers)

    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(send, range(12)))
    assert sorted(answer.status_code for answer in answers) == [*[200] * 11, 201]
    assert len({answer.text for answer in answers}) == 1
    assert total(place, poll) == 1
    headers["Idempotency-Key"] = str(uuid4())
    assert send(0).status_code == 201
    assert total(place, poll) == 2


def test_a_browser_that_voted_by_a_key_is_known_by_its_cookie(place: Place) -> None:
    ada, poll = place.somebody(), place.somebody().makes()
    first = ada.votes(poll, "Go", headers={"Idempotency-Key": str(uuid4())})
    assert ada.votes(poll, "Rust").json()["id"] == first.json()["id"]
    other = place.somebody().makes()
    assert ada.votes(other, "Go").status_code == 201
    assert ada.get(f"{poll.path}/vote").json()["rankings"] == ["Rust"]


# Two people who both number their requests must not have one vote together.
def test_the_same_key_of_two_browsers_is_two_votes(place: Place) -> None:
    poll = place.somebody().makes(protection="open")
    headers = {"Idempotency-Key": "request-number-1"}
    for _ in range(2):
        person = place.somebody()
        person.makes()
        assert person.votes(poll, "Go", headers=headers).status_code == 201
        assert person.votes(poll, "Go", headers=headers).status_code == 200
    assert total(place, poll) == 2


# Some forms send a code along whatever the poll asks for.
@pytest.mark.parametrize("protection", ["browser", "open"])
def test_a_code_that_nobody_asked_for_makes_no_second_vote(place: Place, protection: str) -> None:
    ada, poll = place.somebody(), place.somebody().makes(protection=protection)
    headers = {"Idempotency-Key": str(uuid4())}
    sent = [ada.votes(poll, "Go", code="x", headers=headers) for _ in range(2)]
    assert [answer.status_code for answer in sent] == [201, 200]
    assert total(place, poll) == 1


def test_a_browser_that_sends_a_code_in_vain_is_known_by_its_cookie(place: Place) -> None:
    ada, poll = place.somebody(), place.somebody().makes()
    ada.votes(poll, "Go")
    assert ada.votes(poll, "Rust", code="x").status_code == 200
    assert total(place, poll) == 1


# A request that is sent again may be late: it must not take another vote away.
def test_a_key_of_an_open_poll_is_good_for_one_vote(place: Place) -> None:
    ada, poll = place.somebody(), place.somebody().makes(protection="open")
    headers = {"Idempotency-Key": str(uuid4())}
    first = ada.votes(poll, "Go", headers=headers).json()
    assert type_of(ada.votes(poll, "Rust", headers=headers)) == "409 already-voted"
    found = ada.get(f"{poll.path}/vote", params={"vote": first["id"]})
    assert found.json()["rankings"] == ["Go"]


@pytest.mark.parametrize("key", ["1", "x" * 15, "x" * 201, "with space in between", ""])
def test_a_key_that_anybody_could_come_upon_is_refused(place: Place, key: str) -> None:
    poll = place.somebody().makes()
    before = dump(place.driver)
    answer = place.somebody().votes(poll, "Go", headers={"Idempotency-Key": key})
    assert type_of(answer) == "400 idempotency-key"
    assert places(answer) == ["Idempotency-Key"]
    assert dump(place.driver) == before


def test_a_vote_is_found_where_the_answer_says(place: Place) -> None:
    poll = place.somebody().makes()
    cast = place.somebody().votes(poll, "Go")
    address = cast.headers["Location"].removeprefix(PREFIX)
    assert place.somebody().get(address).json() == cast.json()
    assert type_of(place.somebody().get(f"{poll.path}/vote")) == "404 not-found"
    other = place.somebody().makes()
    elsewhere = address.replace(poll.path, other.path)
    assert type_of(place.somebody().get(elsewhere)) == "404 not-found"
    odd = place.somebody().get(f"{poll.path}/vote", params={"vote": "1"})
    assert (type_of(odd), places(odd)) == ("422 invalid-request", ["vote"])


def test_many_vote_at_once_and_each_counts_once(place: Place) -> None:
    poll = place.somebody().makes()
    people = [place.somebody() for _ in range(20)]

    def vote(number: int) -> int:
        return people[number % 20].votes(poll, OPTIONS[number % 3]).status_code

    with ThreadPoolExecutor(8) as pool:
        statuses = list(pool.map(vote, range(40)))
    assert set(statuses) <= {200, 201}
    assert total(place, poll) == statuses.count(201)
    # A browser that sent two votes at once had no cookie yet, and was taken for two.
    assert 20 <= statuses.count(201) <= 40
