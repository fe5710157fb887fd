"""Results over HTTP: the count and what explains it, for those who may see it, and no others."""

from __future__ import annotations

from collections.abc import Callable

import httpx2
import pytest

from singletable_apps.polls.rules import PROTECTION_TEXT
from tests.apps.polls.api.client import Made, Person, Server, type_of


def cast(server: Server, poll: Made, *ballots: tuple[int, str]) -> None:
    for many, order in ballots:
        for _ in range(many):
            answer = server.new_visitor().votes(poll, *order.split(" > "))
            assert answer.status_code == 201, answer.text


# The vectors of the original, counted as they should have been.
def test_rounds_account_for_every_vote(server: Server) -> None:
    ada = server.new_visitor()
    poll = ada.makes(candidates=["A", "B", "C"])
    cast(server, poll, (4, "A"), (3, "B"), (1, "C > B"), (1, "C"))
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


def test_poll_without_votes_has_no_winner(server: Server) -> None:
    ada = server.new_visitor()
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
def test_tie_is_reported_and_broken_deterministically(server: Server) -> None:
    ada = server.new_visitor()
    poll = ada.makes(candidates=["A", "B"])
    cast(server, poll, (1, "A"), (1, "B"))
    found = ada.get(f"{poll.path}/results").json()
    tie = found["rounds"][0]["tieBreak"]
    assert tie == {"tied": ["A", "B"], "brokenBy": "seed", "mattered": "yes"}
    assert found["tieOrder"]["seed"] == poll.path[1:]
    assert found["winner"] == found["tieOrder"]["order"][0]
    assert found["possibleWinners"] == ["A", "B"]
    assert (found["bordaWinners"], "bordaWinner" in found) == (["A", "B"], False)
    assert not found["methodsDisagree"]
    assert ada.get(f"{poll.path}/results").json() == found


def test_results_say_when_methods_disagree(server: Server) -> None:
    ada = server.new_visitor()
    poll = ada.makes(candidates=["niche", "satisfactory", "bought", "cult"])
    cast(
        server,
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
def test_results_name_the_protection(server: Server, protection: str) -> None:
    ada = server.new_visitor()
    poll = ada.makes(protection=protection)
    found = ada.get(f"{poll.path}/results").json()["protection"]
    assert found["level"] == protection
    assert found["words"] in PROTECTION_TEXT.values()


def test_results_are_304_until_a_vote(server: Server) -> None:
    ada = server.new_visitor()
    poll = ada.makes()
    tag = ada.get(f"{poll.path}/results").headers["ETag"]
    tags = {tag}

    def unchanged() -> bool:
        seen = ada.get(f"{poll.path}/results", headers={"If-None-Match": tag})
        assert (seen.status_code == 304) is (seen.headers["ETag"] == tag)
        assert (seen.status_code == 304) is (seen.content == b"")
        return seen.status_code == 304

    assert unchanged()
    ben = server.new_visitor()
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


def test_results_are_final_after_the_closing_time(server: Server) -> None:
    ada = server.new_visitor()
    poll = ada.makes(expiresAt="2026-01-02T00:00:00Z")
    ada.votes(poll, "Go")
    before = ada.get(f"{poll.path}/results")
    server.clock.move(days=2)
    after = ada.get(f"{poll.path}/results", headers={"If-None-Match": before.headers["ETag"]})
    assert (before.json()["isFinal"], after.json()["isFinal"]) == (False, True)


def seen_by(person: Person, poll: Made, **more: object) -> list[str]:
    """Return the statuses of the results and of every export."""
    paths = ["results", *(f"export/{form}" for form in ("csv", "abif", "json", "rctab"))]
    answers = [person.get(f"{poll.path}/{path}", **more) for path in paths]
    return ["200" if answer.is_success else type_of(answer) for answer in answers]


SHOWN, HIDDEN = ["200"] * 5, ["403 hidden"] * 5


def test_results_after_voting_require_a_vote(server: Server) -> None:
    ada, ben = server.new_visitor(), server.new_visitor()
    poll = ada.makes(results="after-voting")
    assert seen_by(ben, poll) == HIDDEN
    vote = ben.votes(poll, "Go").json()
    assert seen_by(ben, poll) == SHOWN
    assert seen_by(server.new_visitor(), poll) == HIDDEN
    assert seen_by(server.new_visitor(), poll, params={"vote": vote["id"]}) == SHOWN
    assert seen_by(server.new_visitor(), poll, params={"vote": poll.path[1:]}) == HIDDEN
    ada.post(f"{poll.path}/close", key=poll.key, tag="*")
    assert seen_by(server.new_visitor(), poll) == SHOWN


def test_results_after_closing_are_visible_to_the_organizer(server: Server) -> None:
    ada, ben = server.new_visitor(), server.new_visitor()
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


def test_recount_matches_the_results(server: Server) -> None:
    ada = server.new_visitor()
    poll = ada.makes()
    cast(server, poll, (3, "Go"), (2, "Rust > Go"))
    ada.votes(poll, "Go")
    ada.votes(poll, "Python")
    found = ada.get(f"{poll.path}/recount", key=poll.key)
    assert found.json() == {"pollId": poll.path[1:], "votes": 6, "rankings": 3, "agrees": True}
