"""Results over HTTP: the count, its explanation, and who may see it."""

from __future__ import annotations

from uuid import UUID

from singletable_apps.polls.service import Voter
from tests.apps.polls.api.client import Made, Person, Server, type_of


def cast(server: Server, poll: Made, *ballots: tuple[int, str]) -> None:
    for many, order in ballots:
        for number in range(many):
            voter = Voter(f"{order} {number}")
            server.polls.voting.cast(poll.path[1:], order.split(" > "), voter)


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
    assert found["plurality"] == {"votes": {"A": 4, "B": 3, "C": 2}, "winners": ["A"]}
    assert any("tied for last" in sentence for sentence in found["explanation"])
    assert not any("split" in sentence for sentence in found["rules"])
    assert found["tieOrder"]["seed"] == poll.path[1:]
    assert found["protection"]["level"] == "browser"
    assert "One vote per browser" in found["protection"]["words"]


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


def test_results_have_names_only_where_the_poll_asks_for_them(server: Server) -> None:
    ada = server.new_visitor()
    for names, expected in (
        (True, [{"name": "Ada", "rankings": ["Go"], "maybe": []}]),
        (False, None),
    ):
        poll = ada.makes(names=names)
        vote = {"rankings": ["Go"], "name": "Ada" if names else ""}
        assert ada.post(f"{poll.path}/vote", vote).status_code == 201
        for path in ("results", "export/json"):
            assert ada.get(f"{poll.path}/{path}").json().get("voters") == expected


def test_results_are_304_until_a_vote(server: Server) -> None:
    ada, tags = server.new_visitor(), [""]
    poll = ada.makes()
    for path, body in (
        ("vote", {"rankings": ["Go"]}),
        ("vote", {"rankings": ["Rust"]}),
        ("close", None),
    ):
        assert ada.post(f"{poll.path}/{path}", body, key=poll.key, tag="*").is_success
        for status in (200, 304):
            seen = ada.get(f"{poll.path}/results", headers={"If-None-Match": tags[-1]})
            assert (seen.status_code, seen.content == b"") == (status, status == 304)
            tags.append(seen.headers["ETag"])
    assert len(set(tags)) == 4


def seen_by(person: Person, poll: Made, **more: object) -> str:
    """Return the status of the results, which is that of an export too."""
    answers = [person.get(f"{poll.path}/{path}", **more) for path in ("results", "export/csv")]
    [status] = {"200" if answer.is_success else type_of(answer) for answer in answers}
    return status


SHOWN, HIDDEN = "200", "403 hidden"


# The rules are in test_rules.py; here is how viewers prove who they are.
def test_viewers_are_voters_holders_of_a_vote_and_the_organizer(server: Server) -> None:
    ada, ben = server.new_visitor(), server.new_visitor()
    poll = ada.makes(results="after-voting")
    tag = ada.get(f"{poll.path}/results").headers["ETag"]
    hidden = ben.get(f"{poll.path}/results", headers={"If-None-Match": tag})
    assert (type_of(hidden), "ETag" in hidden.headers) == (HIDDEN, False)
    vote = ben.votes(poll, "Go").json()
    for person, more, shown in (
        (ben, {}, SHOWN),
        (server.new_visitor(), {}, HIDDEN),
        (server.new_visitor(), {"params": {"vote": vote["id"]}}, SHOWN),
        (server.new_visitor(), {"params": {"vote": str(UUID(int=7))}}, HIDDEN),
        (server.new_visitor(), {"key": "not-the-key"}, HIDDEN),
        (server.new_visitor(), {"key": poll.key}, SHOWN),
        (ada, {}, SHOWN),
    ):
        assert seen_by(person, poll, **more) == shown
