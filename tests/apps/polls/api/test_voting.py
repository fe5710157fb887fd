"""Votes over HTTP: cast, changed, sent again, seen again; and refused without a trace."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import httpx2
import pytest

from singletable_apps.polls.api import PREFIX
from tests.apps.polls.api.client import COOKIE, OPTIONS, Made, Server, places, type_of
from tests.apps.polls.support.harness import dump


def total(server: Server, poll: Made) -> int:
    found: int = server.new_visitor().get(f"{poll.path}/results").json()["totalVotes"]
    return found


def test_browser_has_one_vote_that_it_can_change(server: Server) -> None:
    ada, poll = server.new_visitor(), server.new_visitor().makes()
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
    assert total(server, poll) == 1
    server.new_visitor().votes(poll, "Go")
    assert total(server, poll) == 2


def test_vote_cannot_change_if_not_changeable(server: Server) -> None:
    ada, poll = server.new_visitor(), server.new_visitor().makes(changeable=False)
    first = ada.votes(poll, "Go")
    before = dump(server.driver)
    assert type_of(ada.votes(poll, "Rust")) == "409 already-voted"
    # Sent again it is the same vote, and nobody is frightened.
    assert (ada.votes(poll, "Go").status_code, ada.votes(poll, "Go").json()) == (200, first.json())
    assert dump(server.driver) == before


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
def test_invalid_vote_reports_each_position(
    server: Server, body: dict[str, object], pointers: list[str]
) -> None:
    poll = server.new_visitor().makes()
    before = dump(server.driver)
    answer = server.new_visitor().post(f"{poll.path}/vote", body)
    assert type_of(answer) == "422 invalid-request"
    assert places(answer) == pointers
    assert len(answer.content) < 5_000
    assert "set-cookie" not in answer.headers
    assert dump(server.driver) == before


def test_open_poll_counts_every_vote(server: Server) -> None:
    ada, poll = server.new_visitor(), server.new_visitor().makes(protection="open")
    ids = {ada.votes(poll, "Go").json()["id"] for _ in range(3)}
    assert len(ids) == total(server, poll) == 3
    assert type_of(ada.get(f"{poll.path}/vote")) == "404 not-found"
    assert ada.get(f"{poll.path}/vote", params={"vote": ids.pop()}).json()["rankings"] == ["Go"]


# A client that lost the response has no cookie either: only the key is the same.
@pytest.mark.parametrize("protection", ["browser", "open"])
def test_repeated_idempotency_key_is_one_vote(server: Server, protection: str) -> None:
    poll = server.new_visitor().makes(protection=protection)
    headers = {"Idempotency-Key": str(uuid4())}

    def send(_: int) -> httpx2.Response:
        return server.new_visitor().votes(poll, "Go", "Rust", headers=headers)

    with ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(send, range(12)))
    assert sorted(answer.status_code for answer in answers) == [*[200] * 11, 201]
    assert len({answer.text for answer in answers}) == 1
    assert total(server, poll) == 1
    headers["Idempotency-Key"] = str(uuid4())
    assert send(0).status_code == 201
    assert total(server, poll) == 2


def test_cookie_identifies_the_browser_that_voted_with_a_key(server: Server) -> None:
    ada, poll = server.new_visitor(), server.new_visitor().makes()
    first = ada.votes(poll, "Go", headers={"Idempotency-Key": str(uuid4())})
    assert ada.votes(poll, "Rust").json()["id"] == first.json()["id"]
    other = server.new_visitor().makes()
    assert ada.votes(other, "Go").status_code == 201
    assert ada.get(f"{poll.path}/vote").json()["rankings"] == ["Rust"]


# Two people who both number their requests must not have one vote together.
def test_same_key_in_two_browsers_is_two_votes(server: Server) -> None:
    poll = server.new_visitor().makes(protection="open")
    headers = {"Idempotency-Key": "request-number-1"}
    for _ in range(2):
        person = server.new_visitor()
        person.makes()
        assert person.votes(poll, "Go", headers=headers).status_code == 201
        assert person.votes(poll, "Go", headers=headers).status_code == 200
    assert total(server, poll) == 2


# Some forms send a code along whatever the poll asks for.
@pytest.mark.parametrize("protection", ["browser", "open"])
def test_unneeded_code_does_not_allow_a_second_vote(server: Server, protection: str) -> None:
    ada, poll = server.new_visitor(), server.new_visitor().makes(protection=protection)
    headers = {"Idempotency-Key": str(uuid4())}
    sent = [ada.votes(poll, "Go", code="x", headers=headers) for _ in range(2)]
    assert [answer.status_code for answer in sent] == [201, 200]
    assert total(server, poll) == 1


def test_unneeded_code_does_not_prevent_the_cookie(server: Server) -> None:
    ada, poll = server.new_visitor(), server.new_visitor().makes()
    ada.votes(poll, "Go")
    assert ada.votes(poll, "Rust", code="x").status_code == 200
    assert total(server, poll) == 1


# A request that is sent again may be late: it must not take another vote away.
def test_key_in_open_poll_is_one_vote(server: Server) -> None:
    ada, poll = server.new_visitor(), server.new_visitor().makes(protection="open")
    headers = {"Idempotency-Key": str(uuid4())}
    first = ada.votes(poll, "Go", headers=headers).json()
    assert type_of(ada.votes(poll, "Rust", headers=headers)) == "409 already-voted"
    found = ada.get(f"{poll.path}/vote", params={"vote": first["id"]})
    assert found.json()["rankings"] == ["Go"]


@pytest.mark.parametrize("key", ["1", "x" * 15, "x" * 201, "with space in between", ""])
def test_short_idempotency_key_is_rejected(server: Server, key: str) -> None:
    poll = server.new_visitor().makes()
    before = dump(server.driver)
    answer = server.new_visitor().votes(poll, "Go", headers={"Idempotency-Key": key})
    assert type_of(answer) == "400 idempotency-key"
    assert places(answer) == ["Idempotency-Key"]
    assert dump(server.driver) == before


def test_vote_is_at_its_location(server: Server) -> None:
    poll = server.new_visitor().makes()
    cast = server.new_visitor().votes(poll, "Go")
    address = cast.headers["Location"].removeprefix(PREFIX)
    assert server.new_visitor().get(address).json() == cast.json()
    assert type_of(server.new_visitor().get(f"{poll.path}/vote")) == "404 not-found"
    other = server.new_visitor().makes()
    elsewhere = address.replace(poll.path, other.path)
    assert type_of(server.new_visitor().get(elsewhere)) == "404 not-found"
    odd = server.new_visitor().get(f"{poll.path}/vote", params={"vote": "1"})
    assert (type_of(odd), places(odd)) == ("422 invalid-request", ["vote"])


def test_concurrent_votes_count_once_each(server: Server) -> None:
    poll = server.new_visitor().makes()
    people = [server.new_visitor() for _ in range(20)]

    def vote(number: int) -> int:
        return people[number % 20].votes(poll, OPTIONS[number % 3]).status_code

    with ThreadPoolExecutor(8) as pool:
        statuses = list(pool.map(vote, range(40)))
    assert set(statuses) <= {200, 201}
    assert total(server, poll) == statuses.count(201)
    # A browser that sent two votes at once had no cookie yet, and was taken for two.
    assert 20 <= statuses.count(201) <= 40
