"""Exports: rankings with their number, but not who voted, when or in which order."""

from __future__ import annotations

import re

import pytest

from ranked_ballots.formats import read_ballots
from singletable_apps.polls.service import Voter
from tests.apps.polls.api.client import Made, Person, Server

BALLOTS = (["Python"], ["Go", "Rust"], ["Rust"], ["Go", "Rust"])


def voted(server: Server, ballots: tuple[list[str], ...], **terms: object) -> tuple[Person, Made]:
    ada = server.new_visitor()
    poll = ada.makes(**terms)
    for number, ranked in enumerate(ballots):
        server.polls.voting.cast(poll.path[1:], ranked, Voter(f"{number}"))
    return ada, poll


@pytest.mark.parametrize(
    ("form", "media_type", "ending"),
    [
        ("csv", "text/csv; charset=utf-8", "csv"),
        ("json", "application/json", "json"),
    ],
)
def test_export_hides_the_order_of_votes(
    server: Server, form: str, media_type: str, ending: str
) -> None:
    ada = server.new_visitor()
    assert ada.get(f"{ada.makes().path}/export/{form}").status_code == 200, "without votes"
    contents: list[str] = []
    for ballots in (BALLOTS, BALLOTS[::-1]):
        ada, poll = voted(server, ballots, title="Best / of?")
        answer = ada.get(f"{poll.path}/export/{form}")
        assert answer.status_code == 200, answer.text
        assert answer.headers["Content-Type"] == media_type
        assert f'filename="Best _ of_.{ending}"' in answer.headers["Content-Disposition"]
        assert server.clock.now.isoformat()[:16] not in answer.text
        # Ties are broken by the id of the poll, so of the rest these alone must be the same.
        found: dict[str, object] = answer.json() if media_type == "application/json" else {}
        contents.append(str(found.get("rankings") or answer.text))
        if form == "csv":
            assert read_ballots(answer.content, form).ballots.cast == 4
    assert contents[0] == contents[1]


def test_json_export_has_results_and_rankings(server: Server) -> None:
    ada, poll = voted(server, BALLOTS)
    found = ada.get(f"{poll.path}/export/json").json()
    assert found["rankings"] == [
        {"rankings": ["Go", "Rust"], "votes": 2},
        {"rankings": ["Python"], "votes": 1},
        {"rankings": ["Rust"], "votes": 1},
    ]
    assert (found["title"], found["candidates"]) == ("Best?", ["Go", "Rust", "Python"])
    results = ada.get(f"{poll.path}/results").json()
    assert {name: found[name] for name in results} == results


# Option names can look like numbers or like spreadsheet formulas.
@pytest.mark.parametrize(
    "options",
    [["1", "2", "3"], ["-1", "+1", "=1+1"], ["count", "id", "x"], ["a;=1", "a; -1", "id;@b"]],
)
def test_csv_export_escapes_formulas(server: Server, options: list[str]) -> None:
    ada, poll = voted(server, (options, options[:1]), candidates=options)
    content = ada.get(f"{poll.path}/export/csv").content
    assert not re.search(rb"(^|[,;])[\" ]?[=+@-]", content)
    assert read_ballots(content, "csv").ballots.candidates == tuple(options)
