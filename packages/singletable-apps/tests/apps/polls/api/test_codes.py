"""Voting codes in the API: issue, list, vote with one, and rate-limit guesses."""

from __future__ import annotations

from singletable_apps.polls.urls import API
from singletable_apps.shared.web import RateLimit
from tests.apps.polls.api.client import Made, Person, Server, make_server, type_of
from tests.apps.polls.support.harness import dump


def issued(person: Person, poll: Made, count: int) -> list[str]:
    answer = person.post(f"{poll.path}/codes", {"count": count}, key=poll.key)
    assert answer.status_code == 201, answer.text
    return [one["code"] for one in answer.json()["codes"]]


# Who has the proof: service/test_voting.py.
def test_vote_cast_with_a_code_is_for_its_browser(server: Server) -> None:
    ada, poll = server.new_visitor(), server.new_visitor().makes(protection="codes")
    (code,) = issued(ada, poll, 1)
    vote = ada.votes(poll, "Go", code=code).json()
    organizer = server.new_visitor()
    assert type_of(organizer.votes(poll, "Go", code=code)) == "403 code-used"
    assert type_of(organizer.get(f"{poll.path}/vote", params={"code": code})) == "403 code-used"
    assert ada.get(f"{poll.path}/vote", params={"code": code}).json() == vote
    assert ada.votes(poll, "Rust", code=code).status_code == 200


# A program without cookies proves by its Idempotency-Key that the vote is its own.
def test_idempotency_key_proves_a_vote_cast_with_a_code(server: Server) -> None:
    poll = server.new_visitor().makes(protection="codes")
    (code,) = issued(server.new_visitor(), poll, 1)
    key = {"Idempotency-Key": "0b7e3c4e-5f0a-4e27-9a55-6a1f3a1c2d3e"}
    statuses = [
        server.new_visitor().votes(poll, ranking, code=code, headers=key).status_code
        for ranking in ("Go", "Go", "Rust")
    ]
    assert statuses == [201, 200, 200]
    assert server.new_visitor().votes(poll, "Go", code=code).status_code == 403


def test_codes_are_listed_in_pages_with_their_use(server: Server) -> None:
    ada, poll = server.new_visitor(), server.new_visitor().makes(protection="codes")
    codes = [*issued(ada, poll, 3), *issued(ada, poll, 2)]
    assert ada.votes(poll, "Go", code=codes[3]).status_code == 201
    first = ada.get(f"{poll.path}/codes", key=poll.key, params={"limit": 3})
    following = first.links["next"]["url"].removeprefix(API)
    rest = ada.get(following, key=poll.key)
    found = [*first.json()["items"], *rest.json()["items"]]
    assert [one["code"] for one in found] == codes
    assert [one["used"] for one in found] == [False, False, False, True, False]
    assert found[0]["link"] == f"https://polls.example/polls{poll.path}?code={codes[0]}"
    assert rest.json()["next"] is None
    other = server.new_visitor().makes()
    stolen = ada.get(following.replace(poll.path, other.path), key=other.key)
    assert type_of(stolen) == "400 cursor-refused"


def test_guessing_codes_is_rate_limited() -> None:
    server = make_server(limits={"guess": RateLimit("guess", 3, 60)})
    ada, poll = server.new_visitor(), server.new_visitor().makes(protection="codes")
    (code,) = issued(ada, poll, 1)
    # A missing code and a valid one are not guesses.
    assert type_of(ada.votes(poll, "Go")) == "403 no-code"
    assert ada.votes(poll, "Go", code=code).status_code == 201
    for left in (2, 1, 0):
        wrong = ada.votes(poll, "Go", code="0000-0000-0000")
        assert type_of(wrong) == "403 no-code"
        assert wrong.headers["RateLimit"].startswith(f'"guess";r={left};')
    before = dump(server.world.driver)
    for answer in (
        ada.votes(poll, "Rust", code=code),
        ada.get(f"{poll.path}/vote", params={"code": code}),
    ):
        assert type_of(answer) == "429 too-many-requests"
        assert int(answer.headers["Retry-After"]) >= 1
    assert dump(server.world.driver) == before
