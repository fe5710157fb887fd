"""One-time codes over HTTP: issued, listed in pages, typed sloppily, guessed."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from singletable_apps.polls.api import PREFIX, Limits
from singletable_apps.shared.web import RateLimit
from tests.apps.polls.api.people import Made, Person, Place, make_place, places, type_of
from tests.apps.polls.rig.world import dump


def issued(person: Person, poll: Made, count: int) -> list[str]:
    answer = person.post(f"{poll.path}/codes", {"count": count}, key=poll.key)
    assert answer.status_code == 201, answer.text
    return [one["code"] for one in answer.json()["codes"]]


def test_a_code_is_one_vote_however_it_is_typed(place: Place) -> None:
    ada, poll = place.somebody(), place.somebody().makes(protection="codes")
    (code,) = issued(ada, poll, 1)
    first = ada.votes(poll, "Go", code=code)
    assert first.status_code == 201
    sloppy = ada.votes(poll, "Rust", code=f" {code.lower().replace('-', ' ')} ")
    assert (sloppy.status_code, sloppy.json()["id"]) == (200, first.json()["id"])
    mine = ada.get(f"{poll.path}/vote", params={"code": code})
    assert mine.json() == sloppy.json()
    assert ada.get(f"{poll.path}/results").json()["totalVotes"] == 1


# The organizer knows every code, but must not learn or change how it voted.
def test_vote_cast_with_a_code_is_read_and_changed_only_by_its_voter(place: Place) -> None:
    ada, poll = place.somebody(), place.somebody().makes(protection="codes")
    (code,) = issued(ada, poll, 1)
    vote = ada.votes(poll, "Go", code=code).json()
    organizer = place.somebody()
    # A right guess of the ranking gets the same answer as a wrong one.
    for ranking in ("Go", "Rust"):
        assert type_of(organizer.votes(poll, ranking, code=code)) == "403 code-used"
    assert type_of(organizer.get(f"{poll.path}/vote", params={"code": code})) == "403 code-used"
    assert ada.get(f"{poll.path}/vote", params={"code": code}).json() == vote
    assert ada.votes(poll, "Rust", code=code).status_code == 200


# A program without cookies proves by its Idempotency-Key that the vote is its own.
def test_idempotency_key_proves_a_vote_cast_with_a_code(place: Place) -> None:
    poll = place.somebody().makes(protection="codes")
    (code,) = issued(place.somebody(), poll, 1)
    key = {"Idempotency-Key": "0b7e3c4e-5f0a-4e27-9a55-6a1f3a1c2d3e"}
    statuses = [
        place.somebody().votes(poll, ranking, code=code, headers=key).status_code
        for ranking in ("Go", "Go", "Rust")
    ]
    assert statuses == [201, 200, 200]
    assert place.somebody().votes(poll, "Go", code=code).status_code == 403


def test_codes_are_listed_in_pages_with_who_is_used(place: Place) -> None:
    ada, poll = place.somebody(), place.somebody().makes(protection="codes")
    codes = [*issued(ada, poll, 3), *issued(ada, poll, 2)]
    assert ada.votes(poll, "Go", code=codes[3]).status_code == 201
    first = ada.get(f"{poll.path}/codes", key=poll.key, params={"limit": 3})
    following = first.links["next"]["url"].removeprefix(PREFIX)
    rest = ada.get(following, key=poll.key)
    found = [*first.json()["items"], *rest.json()["items"]]
    assert [one["code"] for one in found] == codes
    assert [one["used"] for one in found] == [False, False, False, True, False]
    assert found[0]["link"] == f"https://polls.example/polls/p{poll.path}?code={codes[0]}"
    assert rest.json()["next"] is None
    other = place.somebody().makes()
    stolen = ada.get(following.replace(poll.path, other.path), key=other.key)
    assert type_of(stolen) == "400 cursor-refused"


@pytest.mark.parametrize("count", [0, -1, 10_001, 1.5, "3", True, None])
def test_a_number_of_codes_that_is_none_is_refused(place: Place, count: object) -> None:
    poll = place.somebody().makes(protection="codes")
    before = dump(place.driver)
    answer = place.somebody().post(f"{poll.path}/codes", {"count": count}, key=poll.key)
    assert (type_of(answer), places(answer)) == ("422 invalid-request", ["/count"])
    assert dump(place.driver) == before


def test_a_poll_has_so_many_codes_and_no_more(place: Place) -> None:
    ada, poll = place.somebody(), place.somebody().makes(protection="codes")
    issued(ada, poll, 9_999)
    answer = ada.post(f"{poll.path}/codes", {"count": 2}, key=poll.key)
    assert (type_of(answer), places(answer)) == ("422 invalid-request", ["/count"])
    assert "has 9,999" in answer.json()["detail"]
    assert len(issued(ada, poll, 1)) == 1


def test_codes_that_are_issued_at_once_are_all_different(place: Place) -> None:
    ada, poll = place.somebody(), place.somebody().makes(protection="codes")
    with ThreadPoolExecutor(4) as pool:
        found = [
            code for some in pool.map(lambda _: issued(ada, poll, 5), range(6)) for code in some
        ]
    assert len(set(found)) == 30


@pytest.mark.parametrize("code", [None, "", "nonsense", "000A-7K3M-QX9T", "é", "0" * 100])
def test_without_a_code_of_the_poll_nobody_votes(place: Place, code: str | None) -> None:
    ada, poll = place.somebody(), place.somebody().makes(protection="codes")
    issued(ada, poll, 1)
    (others,) = issued(ada, place.somebody().makes(protection="codes"), 1)
    before = dump(place.driver)
    for typed in (code, others):
        assert type_of(ada.votes(poll, "Go", code=typed)) == "403 no-code"
        asked = ada.get(f"{poll.path}/vote", params={"code": typed} if typed else {})
        assert type_of(asked) == "403 no-code"
    assert dump(place.driver) == before


def test_who_guesses_codes_learns_of_no_further_one() -> None:
    place = make_place(limits=Limits(None, None, RateLimit("guess", 3, 60)))
    ada, poll = place.somebody(), place.somebody().makes(protection="codes")
    (code,) = issued(ada, poll, 1)
    # No code at all is no guess, and neither is a good one.
    assert type_of(ada.votes(poll, "Go")) == "403 no-code"
    assert ada.votes(poll, "Go", code=code).status_code == 201
    for left in (2, 1, 0):
        wrong = ada.votes(poll, "Go", code="0000-0000-0000")
        assert type_of(wrong) == "403 no-code"
        assert wrong.headers["RateLimit"].startswith(f'"guess";r={left};')
    before = dump(place.driver)
    for answer in (
        ada.votes(poll, "Rust", code=code),
        ada.get(f"{poll.path}/vote", params={"code": code}),
    ):
        assert type_of(answer) == "429 too-many-requests"
        assert int(answer.headers["Retry-After"]) >= 1
    assert dump(place.driver) == before
