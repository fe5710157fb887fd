"""Votes over HTTP: by which cookie, key or code a voter is recognized."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import httpx2
import pytest

from singletable_apps.polls.urls import API
from tests.apps.polls.api.client import COOKIE, Made, Server, type_of


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
    # Some forms send a code that the poll does not ask for.
    assert ada.votes(poll, "Rust", code="x").status_code == 200
    assert total(server, poll) == 1
    server.new_visitor().votes(poll, "Go")
    assert total(server, poll) == 2


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


def test_vote_is_at_its_location(server: Server) -> None:
    poll = server.new_visitor().makes()
    cast = server.new_visitor().votes(poll, "Go")
    address = cast.headers["Location"].removeprefix(API)
    assert server.new_visitor().get(address).json() == cast.json()
    other = server.new_visitor().makes()
    elsewhere = address.replace(poll.path, other.path)
    assert type_of(server.new_visitor().get(elsewhere)) == "404 not-found"
