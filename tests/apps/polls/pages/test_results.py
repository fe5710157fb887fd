"""The results page: what it shows, and to whom."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import timedelta
from typing import cast

import pytest
from fastapi import FastAPI

from singletable_apps.polls.entities import Protection, ResultsVisibility
from singletable_apps.polls.rules import GRACE_PERIOD, PollDraft
from singletable_apps.polls.service import ManagedPoll, Voter
from tests.apps.polls.pages.client import HOME, Server, Typed, Visitor, id_in
from tests.apps.support.html import text_in

# Rankings like "AB" (A first, then B), each with how often it is voted for.
Votes = dict[str, int]
LATE = "4 of 7 continuing votes: more than half."
HEADLINES: list[tuple[str, Votes, str, tuple[str, ...]]] = [
    ("AB", {}, "No votes yet", ("with the first vote", "Link to the poll")),
    ("ABC", {"B": 1}, "B leads", ("The only vote ranks it first.", "1 vote for 3")),
    ("ABC", {"AB": 3, "BA": 1}, "A leads", ("3 of 4 votes rank it first: more than half",)),
    (
        "ABC",
        {"A": 4, "B": 3, "C": 2},
        "A leads",
        (LATE, "2 exhausted votes have no further choice"),
    ),
    (
        "ABC",
        {"ABC": 4, "BCA": 3, "CBA": 2},
        "B leads",
        ("C has the fewest votes (2) and drops out. Its votes go on: 2 to B.",),
    ),
    (
        "AB",
        {"A": 1, "B": 1},
        "A and B are tied",
        (
            "They have 1 vote each.",
            "All are tied",
            "This mattered: with another choice",
            "sha256sum",
        ),
    ),
    ("ABCD", dict.fromkeys("ABCD", 2), "4 options are tied", ("They have 2 votes each.",)),
    # If B drops out, C wins, and the other way round.
    (
        "ABC",
        {"A": 4, "BC": 3, "CB": 3},
        "leads by a tie-break",
        ("In round 1, B and C were tied for last, and the tie-break decided who wins",),
    ),
    (
        "ABCDE",
        {"A": 3, "BCDE": 2, "CDEB": 2, "DEBC": 2, "EBCD": 2},
        "leads by a tie-break",
        ("In round 1, 4 options were tied for last, and the tie-break decided who wins",),
    ),
    # The last two are level, and B had more first choices.
    (
        "ABC",
        {"BA": 3, "AB": 2, "CA": 1},
        "B leads by a tie-break",
        ("A had fewer votes in an earlier round and dropped out. This mattered",),
    ),
    ("ABC", {"AB": 5, "B": 1, "C": 1}, "A leads", ("5 of 7 votes rank it first",)),
]


def polled(server: Server, options: str, votes: Votes, **terms: object) -> ManagedPoll:
    """Create a poll with these votes."""
    draft = PollDraft("Which letter?", tuple(options), protection=Protection.OPEN)
    managed = server.polls.lifecycle.create(replace(draft, **terms))  # type: ignore[arg-type]
    for ranking, often in votes.items():
        for _ in range(often):
            server.polls.voting.cast(managed.poll.id, list(ranking), Voter())
    return managed


def results(visitor: Visitor, managed: ManagedPoll) -> str:
    """Return the text of the results page."""
    answer = visitor.look(f"/polls/p/{managed.poll.id}/results")
    assert answer.status_code == 200, answer.text
    return text_in(answer.text)


def downloads(visitor: Visitor, link: str) -> int:
    """Return the status of a download; all tests share an app, so set its service first."""
    state = cast(FastAPI, visitor.browser.app).state
    state.polls = replace(state.polls, polls=visitor.server.polls)
    return visitor.look(link).status_code


@pytest.mark.parametrize(("options", "votes", "title", "words"), HEADLINES, ids=str)
def test_headline_and_reasons(
    server: Server, ada: Visitor, options: str, votes: Votes, title: str, words: tuple[str, ...]
) -> None:
    shown = results(ada, polled(server, options, votes))
    assert title in shown
    assert [each for each in words if each not in shown] == []


def test_chart_shows_places_and_votes_in_the_last_round_of_each_option(
    server: Server, ada: Visitor
) -> None:
    """A tie for first shares place 1, with the votes that are tied."""

    def chart(votes: Votes) -> list[tuple[str, ...]]:
        html = ada.look(f"/polls/p/{polled(server, 'ABC', votes).poll.id}/results").text
        rows = re.findall(r'<li class="chart-row.*?</li>', html)
        parts = (
            r"Place </span>(\d).*?<bdi>(.*?)</bdi>(?:.*?meta\">(.*?)<)?"
            r".*?label\">(.*?)<.*?value=\"(.*?)\""
        )
        return [match.groups() for row in rows if (match := re.search(parts, row))]

    assert chart({"ABC": 4, "BCA": 3, "CBA": 2}) == [
        ("1", "B", None, "5 votes", "5.0"),
        ("2", "A", None, "4 votes", "4.0"),
        ("3", "C", "out in round 1", "2 votes", "2.0"),
    ]
    tied = chart({"A": 1, "B": 1})
    assert sorted(row[:4] for row in tied) == [
        ("1", "A", "tied", "1 vote"),
        ("1", "B", "tied", "1 vote"),
        ("3", "C", "out in round 1", "0 votes"),
    ]


# All four options are tied from round 1 on; the tie-break makes the rounds after that.
def test_rounds_in_the_list_are_those_in_the_picture(server: Server, ada: Visitor) -> None:
    managed = polled(server, "ABCD", dict.fromkeys("ABCD", 2))
    html = ada.look(f"/polls/p/{managed.poll.id}/results").text
    assert re.findall(r'id="round-(\d+)"', html) == ["1", "2", "3", "4"]
    picture = html.partition('class="count-picture')[2].partition("</svg>")[0]
    assert sorted(set(re.findall(r">Round (\d+)<", picture))) == ["1", "2", "3", "4"]


# C has no votes and goes first without any effect; only the tie of A and B decides.
def test_tie_without_votes_is_not_said_to_matter(server: Server, ada: Visitor) -> None:
    shown = results(ada, polled(server, "ABCD", {"A": 2, "B": 2}))
    assert shown.count("This mattered") == 1
    assert "C and D were tied for last with 0 votes each" in shown


def test_bars_have_the_colors_of_the_picture(server: Server, ada: Visitor) -> None:
    html = ada.look(f"/polls/p/{polled(server, 'AB', {'AB': 2, 'BA': 1}).poll.id}/results").text
    assert re.findall(r'class="bar (count-color-\d)', html) == ["count-color-0", "count-color-1"]


def test_final_results_are_not_live(server: Server, ada: Visitor) -> None:
    managed = polled(server, "AB", {"AB": 2, "BA": 1})
    server.polls.lifecycle.close(managed.poll.id, managed.admin_key)
    html = ada.look(f"/polls/p/{managed.poll.id}/results").text
    assert "A wins" in text_in(html)
    assert not [live for live in ("data-live", "live.js", "Refresh", "hx-get") if live in html]


def test_closed_poll_without_votes_has_no_winner(server: Server, ada: Visitor) -> None:
    managed = polled(server, "AB", {})
    server.polls.lifecycle.close(managed.poll.id, managed.admin_key)
    shown = results(ada, managed)
    assert "No one voted" in shown
    assert "wins" not in shown.partition("How instant runoff works")[0]


# Three camps that rank each other last, and one option that all can live with.
def test_disagreeing_methods_are_compared(server: Server, ada: Visitor) -> None:
    shown = results(ada, polled(server, "NSBC", {"NSBC": 4, "BSNC": 3, "CSNB": 3}))
    assert "N leads" in shown
    assert "Other methods have a different winner" in shown
    assert "Instant runoff and Plurality: N. Borda and Schulze: S." in shown
    assert "most voters prefer S to each other candidate" in shown
    assert "Instant runoff decides this poll" in shown


@pytest.mark.parametrize("protection", Protection)
def test_results_page_names_the_protection(
    server: Server, ada: Visitor, protection: Protection
) -> None:
    managed = server.poll(PollDraft("Where to?", ("Lake", "Museum"), protection=protection))
    words = {
        "browser": "One vote per browser",
        "codes": "One vote per voting code",
        "open": "as often as",
    }
    assert words[protection] in results(ada, managed)


def test_results_page_links_to_vote_share_copy_and_downloads(server: Server, ada: Visitor) -> None:
    managed = polled(server, "AB", {"A": 1})
    html = ada.look(f"/polls/p/{managed.poll.id}/results").text
    links = [
        f'href="/polls/p/{managed.poll.id}"',
        f'href="/polls/new?from={managed.poll.id}"',
        f"{HOME}/polls/p/{managed.poll.id}<",
        *(f'href="/api/polls/{managed.poll.id}/export/{form}"' for form in ("csv", "json", "abif")),
    ]
    assert [link for link in links if link not in html] == []
    for form in ("csv", "json", "abif", "rctab"):
        assert downloads(ada, f"/api/polls/{managed.poll.id}/export/{form}") == 200


# ABIF gives brackets a meaning of their own, and RCTab a word.
@pytest.mark.parametrize(("form", "option"), [("abif", "Lake [north]"), ("rctab", "exhausted")])
def test_unwritable_formats_are_not_offered(
    server: Server, ada: Visitor, form: str, option: str
) -> None:
    options = (option, "Museum", "Castle")
    managed = server.poll(PollDraft("Where to?", options, protection=Protection.OPEN))
    for ranked in (["Castle", option], ["Museum"], ["Museum"], [option], [option]):
        server.polls.voting.cast(managed.poll.id, ranked, Voter())
    html = ada.look(f"/polls/p/{managed.poll.id}/results").text
    assert "export/csv" in html
    assert f"export/{form}" not in html


def test_hidden_results_say_when_they_become_visible(server: Server, ada: Visitor) -> None:
    closes = server.now + timedelta(hours=2)
    managed = polled(
        server, "AB", {"AB": 3}, results=ResultsVisibility.AFTER_CLOSING, expires_at=closes
    )
    shown = results(ada, managed)
    assert "Results are shown when the poll closes" in shown
    assert "14:00" in shown
    assert "3 votes so far" in shown
    assert "leads" not in shown
    server.wait(hours=2)
    # Until the last who were let in have voted, it is shown, and not final.
    assert "Closed 15 November 2026, 14:00" in results(ada, managed)
    assert "A leads" in results(ada, managed)
    server.now += GRACE_PERIOD
    assert "A wins" in results(ada, managed)


def test_results_after_voting_are_hidden_from_others(server: Server, ada: Visitor) -> None:
    terms = PollDraft("Where to?", ("Lake", "Museum"), results=ResultsVisibility.AFTER_VOTING)
    managed = server.poll(terms)
    assert "Vote to see the results" in results(ada, managed)
    ada.follow(ada.vote(managed.poll.id, "Museum"))
    assert "Museum leads" in results(ada, managed)
    assert "Vote to see the results" in results(server.new_visitor(), managed)


# The files come from the API, which does not know what a browser carries for the pages.
def test_downloads_work_for_code_voters(server: Server, ada: Visitor) -> None:
    terms = PollDraft("Where to?", ("Lake", "Museum"), results=ResultsVisibility.AFTER_VOTING)
    managed = server.poll(replace(terms, protection=Protection.CODES), codes=1)
    code = server.polls.codes.list_issued(managed.poll.id, managed.admin_key)[0].code
    ada.follow(ada.vote(managed.poll.id, "Museum", code=code))
    html = ada.look(f"/polls/p/{managed.poll.id}/results").text
    (link,) = [part for part in html.split('"') if "/export/csv" in part]
    assert downloads(ada, link) == 200
    assert downloads(ada, link.partition("?")[0]) == 403


# Anyone with such a link can read the vote.
def test_download_links_have_no_vote_id_if_not_needed(server: Server, ada: Visitor) -> None:
    managed = server.poll(
        PollDraft("Where to?", ("Lake", "Museum"), results=ResultsVisibility.AFTER_VOTING)
    )
    ada.follow(ada.vote(managed.poll.id, "Museum"))
    html = ada.look(f"/polls/p/{managed.poll.id}/results").text
    assert "?vote=" not in html
    assert downloads(ada, f"/api/polls/{managed.poll.id}/export/csv") == 200


def test_organizer_can_download_hidden_results(server: Server, ada: Visitor) -> None:
    form = ada.look("/polls/new")
    terms: dict[str, Typed] = {"title": "Where to?", "candidates": ["a", "b"]}
    poll_id = id_in(ada.send(form, "/new", **terms, results="after-closing"))
    server.new_visitor().vote(poll_id, "a")
    at = f"/api/polls/{poll_id}/export/csv"
    assert at in ada.look(f"/polls/p/{poll_id}/results").text
    assert (downloads(ada, at), downloads(server.new_visitor(), at)) == (200, 403)


def test_page_with_fifty_options_stays_small(server: Server, ada: Visitor) -> None:
    names = [f"Option {number}" for number in range(50)]
    managed = server.poll(PollDraft("Which one?", names, protection=Protection.OPEN))
    for at in range(60):
        ranking = [names[at % 50], names[(at * 7 + 3) % 50], names[at % 4]]
        server.polls.voting.cast(managed.poll.id, list(dict.fromkeys(ranking)), Voter())
    html = ada.look(f"/polls/p/{managed.poll.id}/results").text
    assert html.count('class="round"') == 9
    assert html.count('class="bar') < 9 * 13 * 6
    assert "more options" in html
    assert len(html) < 400_000
