"""Votes over HTTP: by which cookie, key or code a voter is recognized."""

from __future__ import annotations

from uuid import uuid4

import pytest

from singletable_apps.polls.urls import API
from tests.apps.polls.api.client import COOKIE, Made, Server, type_of


def total(server: Server, poll: Made) -> int:
    found: int = server.new_visitor().get(f"{poll.path}/results").json()["totalVotes"]
    return found


def test_first_vote_is_201_and_a_change_200(server: Server) -> None:
    ada, poll = server.new_visitor(), server.new_visitor().makes()
    first = ada.votes(poll, "rust", " Go ")
    assert (first.status_code, first.json()["rankings"]) == (201, ["Rust", "Go"])
    assert first.headers["set-cookie"].startswith(f"{COOKIE}=")
    # Some forms send a code that the poll does not ask for.
    changed = ada.votes(poll, "Python", code="x")
    assert (changed.status_code, changed.json()["id"]) == (200, first.json()["id"])
    assert "set-cookie" not in changed.headers
    assert ada.get(f"{poll.path}/vote").json() == changed.json()


# A client that lost the response has no cookie either: only the key is the same.
@pytest.mark.parametrize("protection", ["browser", "open"])
def test_repeated_idempotency_key_is_one_vote(server: Server, protection: str) -> None:
    poll = server.new_visitor().makes(protection=protection)
    for count in (1, 2):
        headers = {"Idempotency-Key": str(uuid4())}
        votes = [server.new_visitor().votes(poll, "Go", headers=headers) for _ in range(2)]
        assert [vote.status_code for vote in votes] == [201, 200]
        assert votes[0].text == votes[1].text
        assert total(server, poll) == count


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
