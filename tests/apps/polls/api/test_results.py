"""Results over HTTP: the count and what explains it, for those who may see it, and no others."""

from __future__ import annotations

from collections.abc import Callable

import httpx2
import pytest

from singletable_apps.polls.text import PROTECTION_TEXT
from tests.apps.polls.api.people import Made, Person, Place, type_of


def cast(place: Place, poll: Made, *ballots: tuple[int, str]) -> None:
    for many, order in ballots:
        for _ in range(many):
            answer = place.somebody().votes(poll, *order.split(" > "))
            assert answer.status_code == 201, answer.text


# The vectors of the original, counted as they should have been.
def test_rounds_say_where_every_vote_is(place: Place) -> None:
    ada = place.somebody()
    poll = ada.makes(candidates=["A", "B", "C"])
    cast(place, poll, (4, "A"), (3, "B"), (1, "C > B"), (1, "C"))
    found = ada.get(f"{poll.path}/results").json()
    assert found["totalVotes"] == 9
    assert found["rounds"] == [
        {
            "roundNumber": 1,
            "votes": {"A": 4, "B": 3, "C": 2},
            "eliminated": "C",
            "continuing": 9,
            "exhausted": 0,
            "transfers": [{"to": "B", "votes": 1}, {"votes": 1}],
        },
        {
            "roundNumber": 2,
            "votes": {"A": 4, "B": 4},
            "eliminated": found["rounds"][1]["eliminated"],
            "continuing": 8,
            "exhausted": 1,
            "transfers": found["rounds"][1]["transfers"],
            "tieBreak": {"tied": ["A", "B"], "brokenBy": "earlier rounds", "mattered": "yes"},
        },
        {
            "roundNumber": 3,
            "votes": {"A": 4},
            "winner": "A",
            "continuing": 4,
            "exhausted": 5,
            "transfers": [],
        },
    ]
    assert found["rounds"][1]["eliminated"] == "B"
    assert (found["winner"], found["possibleWinners"]) == ("A", ["A", "B"])
    assert found["plurality"] == {
        "votes": {"A": 4, "B": 3, "C": 2},
        "winners": ["A"],
        "winner": "A",
    }
    assert any("tied for last" in sentence for sentence in found["explanation"])
    assert not any("split" in sentence for sentence in found["rules"])


def test_nobody_wins_where_nobody_has_voted(place: Place) -> None:
    ada = place.somebody()
    found = ada.get(f"{ada.makes().path}/results").json()
    assert (found["totalVotes"], found["rounds"], found["possibleWinners"]) == (0, [], [])
    assert found["bordaCount"] == {"Go": 0, "Rust": 0, "Python": 0}
    assert not {"winner", "bordaWinner"} & set(found)
    for method in ("plurality", "schulze"):
        assert found[method]["winners"] == []
        assert "winner" not in found[method]
    assert not found["methodsDisagree"]
    assert not found["isFinal"]
    assert found["explanation"]


# The original drew lots at every request: the same votes had another winner on reload.
def test_a_tie_is_said_plainly_and_broken_the_same_way_always(place: Place) -> None:
    ada = place.somebody()
    poll = ada.makes(candidates=["A", "B"])
    cast(place, poll, (1, "A"), (1, "B"))
    found = ada.get(f"{poll.path}/results").json()
    tie = found["rounds"][0]["tieBreak"]
    assert tie == {"tied": ["A", "B"], "brokenBy": "seed", "mattered": "yes"}
    assert found["tieOrder"]["seed"] == poll.path[1:]
    assert found["winner"] == found["tieOrder"]["order"][0]
    assert found["possibleWinners"] == ["A", "B"]
    assert (found["bordaWinners"], "bordaWinner" in found) == (["A", "B"], False)
    assert not found["methodsDisagree"]
    assert ada.get(f"{poll.path}/results").json() == found


def test_people_see_when_methods_disagree(place: Place) -> None:
    ada = place.somebody()
    poll = ada.makes(candidates=["niche", "satisfactory", "bought", "cult"])
    cast(
        place,
        poll,
        (4, "niche > satisfactory > bought > cult"),
        (3, "bought > satisfactory > niche > cult"),
        (3, "cult > satisfactory > niche > bought"),
    )
    found = ada.get(f"{poll.path}/results").json()
    assert (found["winner"], found["bordaWinner"]) == ("niche", "satisfactory")
    assert found["bordaCount"]["satisfactory"] == 30
    assert found["schulze"]["condorcetWinner"] == "satisfactory"
    assert found["schulze"]["places"][0] == ["satisfactory"]
    assert found["methodsDisagree"]
    assert "Instant runoff decides this poll" in found["comparison"]


@pytest.mark.parametrize("protection", PROTECTION_TEXT)
def test_the_level_of_protection_is_said(place: Place, protection: str) -> None:
    ada = place.somebody()
    poll = ada.makes(protection=protection)
    found = ada.get(f"{poll.path}/results").json()["protection"]
    assert found["level"] == protection
    assert found["words"] in PROTECTION_TEXT.values()


def test_who_has_seen_the_results_is_told_when_they_change(place: Place) -> None:
    ada = place.somebody()
    poll = ada.makes()
    tag = ada.get(f"{poll.path}/results").headers["ETag"]
    tags = {tag}

    def unchanged() -> bool:
        seen = ada.get(f"{poll.path}/results", headers={"If-None-Match": tag})
        assert (seen.status_code == 304) is (seen.headers["ETag"] == tag)
        assert (seen.status_code == 304) is (seen.content == b"")
        return seen.status_code == 304

    assert unchanged()
    ben = place.somebody()
    changes: list[Callable[[], httpx2.Response]] = [
        lambda: ben.votes(poll, "Go"),
        lambda: ben.votes(poll, "Rust"),
        lambda: ada.post(f"{poll.path}/close", key=poll.key, tag="*"),
    ]
    for change in changes:
        assert change().is_success
        assert not unchanged()
        tag = ada.get(f"{poll.path}/results").headers["ETag"]
        assert tag not in tags
        tags.add(tag)
        assert unchanged()


def test_results_are_final_when_the_time_is_over(place: Place) -> None:
    ada = place.somebody()
    poll = ada.makes(expiresAt="2026-01-02T00:00:00Z")
    ada.votes(poll, "Go")
    before = ada.get(f"{poll.path}/results")
    place.clock.move(days=2)
    after = ada.get(f"{poll.path}/results", headers={"If-None-Match": before.headers["ETag"]})
    assert (before.json()["isFinal"], after.json()["isFinal"]) == (False, True)


def seen_by(person: Person, poll: Made, **more: object) -> list[str]:
    """What the results, and every file of them, are answered with."""
    paths = ["results", *(f"export/{form}" for form in ("csv", "abif", "json", "rctab"))]
    answers = [person.get(f"{poll.path}/{path}", **more) for path in paths]
    return ["200" if answer.is_success else type_of(answer) for answer in answers]


SHOWN, HIDDEN = ["200"] * 5, ["403 hidden"] * 5


def test_results_after_voting_are_for_those_who_voted(place: Place) -> None:
    ada, ben = place.somebody(), place.somebody()
    poll = ada.makes(results="after-voting")
    assert seen_by(ben, poll) == HIDDEN
    vote = ben.votes(poll, "Go").json()
    assert seen_by(ben, poll) == SHOWN
    assert seen_by(place.somebody(), poll) == HIDDEN
    assert seen_by(place.somebody(), poll, params={"vote": vote["id"]}) == SHOWN
    assert seen_by(place.somebody(), poll, params={"vote": poll.path[1:]}) == HIDDEN
    ada.post(f"{poll.path}/close", key=poll.key, tag="*")
    assert seen_by(place.somebody(), poll) == SHOWN


def test_results_after_closing_are_for_the_maker_until_then(place: Place) -> None:
    ada, ben = place.somebody(), place.somebody()
    poll = ada.makes(results="after-closing")
    ben.votes(poll, "Go")
    assert seen_by(ben, poll) == HIDDEN
    assert seen_by(ben, poll, key="not-the-key") == HIDDEN
    assert seen_by(ben, poll, key=poll.key) == SHOWN
    assert seen_by(ada, poll) == SHOWN
    tag = ada.get(f"{poll.path}/results").headers["ETag"]
    hidden = ben.get(f"{poll.path}/results", headers={"If-None-Match": tag})
    assert type_of(hidden) == "403 hidden"
    assert "ETag" not in hidden.headers
    ada.post(f"{poll.path}/close", key=poll.key, tag="*")
    assert seen_by(ben, poll) == SHOWN


def test_the_recount_proves_the_results(place: Place) -> None:
    ada = place.somebody()
    poll = ada.makes()
    cast(place, poll, (3, "Go"), (2, "Rust > Go"))
    ada.votes(poll, "Go")
    ada.votes(poll, "Python")
    found = ada.get(f"{poll.path}/recount", key=poll.key)
    assert found.json() == {"pollId": poll.path[1:], "votes": 6, "rankings": 3, "agrees": True}
