"""The results page: what it shows, and to whom."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest

from singletable_apps.polls.entities import Protection, ResultsVisibility
from singletable_apps.polls.rules import GRACE_PERIOD, PollDraft
from tests.apps.polls.pages.client import HOME, PollPages, Server, Typed, Visitor, id_in
from tests.apps.polls.support.harness import changed
from tests.apps.support.html import text_in

# Rankings like "AB" (A first, then B), each with the number of its votes.
Votes = dict[str, int]
# The options, the votes, and texts on the page.
SHOWN: list[tuple[str, Votes, list[str]]] = [
    ("AB", {}, ["No votes yet", "with the first vote", "Link to the poll"]),
    ("ABC", {"B": 1}, ["B leads", "The only vote ranks B first.", "1 vote for 3"]),
    ("ABC", {"AB": 3, "BA": 1}, ["A leads", "3 of 4 votes rank A first: more than half"]),
    ("ABC", {"AB": 5, "B": 1, "C": 1}, ["A leads", "5 of 7 votes rank A first"]),
    (
        "ABC",
        {"A": 4, "B": 3, "C": 2},
        [
            "A leads",
            "4 of 7 continuing votes: more than half.",
            "2 exhausted votes have no further choice",
        ],
    ),
    (
        "ABC",
        {"ABC": 4, "BCA": 3, "CBA": 2},
        ["B leads", "C has the fewest votes (2) and drops out. Its votes go on: 2 to B."],
    ),
    (
        "AB",
        {"A": 1, "B": 1},
        [
            "A and B are tied",
            "They have 1 vote each.",
            "All are tied",
            "This mattered: with another choice",
            "sha256sum",
        ],
    ),
    ("ABCD", dict.fromkeys("ABCD", 2), ["4 options are tied", "They have 2 votes each."]),
    # If B drops out, C wins, and the other way round.
    (
        "ABC",
        {"A": 4, "BC": 3, "CB": 3},
        [
            "leads by a tie-break",
            "In round 1, B and C were tied for last, and the tie-break decided who wins",
        ],
    ),
    (
        "ABCDE",
        {"A": 3, "BCDE": 2, "CDEB": 2, "DEBC": 2, "EBCD": 2},
        [
            "leads by a tie-break",
            "In round 1, 4 options were tied for last, and the tie-break decided who wins",
        ],
    ),
    # The last two are level, and B had more first choices.
    (
        "ABC",
        {"BA": 3, "AB": 2, "CA": 1},
        [
            "B leads by a tie-break",
            "A had fewer votes in an earlier round and dropped out. This mattered",
        ],
    ),
    # Three camps that rank each other last, and one option that all can live with.
    (
        "NSBC",
        {"NSBC": 4, "BSNC": 3, "CSNB": 3},
        [
            "N leads",
            "Other methods have a different winner",
            "Instant runoff and Plurality: N. Borda and Schulze: S.",
            "most voters prefer S to each other option",
            "Instant runoff decides this poll",
        ],
    ),
]
AFTER_VOTING = changed(
    PollDraft("Where to?", ("Lake", "Museum")), results=ResultsVisibility.AFTER_VOTING
)


def polled(server: Server, options: str, votes: Votes, **terms: Any) -> PollPages:
    """Create a poll with these votes."""
    draft = changed(PollDraft("Which letter?", tuple(options)), protection=Protection.OPEN)
    poll = server.poll(changed(draft, **terms))
    for ranking, often in votes.items():
        for _ in range(often):
            poll.cast(*ranking)
    return poll


def results(visitor: Visitor, poll: PollPages) -> str:
    """Return the text of the results page."""
    answer = visitor.get(f"{poll.at}/results")
    assert answer.status_code == 200, answer.text
    return text_in(answer.text)


def downloads(visitor: Visitor, link: str) -> int:
    """Return the status of a download."""
    return visitor.get(link).status_code


@pytest.mark.parametrize(("options", "votes", "words"), SHOWN, ids=str)
def test_headline_and_reasons(
    server: Server, ada: Visitor, options: str, votes: Votes, words: list[str]
) -> None:
    shown = results(ada, polled(server, options, votes))
    assert [each for each in words if each not in shown] == []


def test_chart_shows_places_and_votes_in_the_last_round_of_each_option(
    server: Server, ada: Visitor
) -> None:
    """A tie for first shares place 1, with the votes that are tied."""

    def chart(votes: Votes) -> list[tuple[str, ...]]:
        html = ada.get(f"{polled(server, 'ABC', votes).at}/results").text
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
    assert {row[1] for row in tied[:2]} == {"A", "B"}
    assert [(row[0], *row[2:4]) for row in tied] == [
        ("1", "tied; first by the tie-break", "1 vote"),
        ("1", "tied", "1 vote"),
        ("3", "out in round 1", "0 votes"),
    ]


# All four options are tied from round 1 on; the tie-break makes the rounds after that.
def test_rounds_in_the_list_are_those_in_the_picture(server: Server, ada: Visitor) -> None:
    poll = polled(server, "ABCD", dict.fromkeys("ABCD", 2))
    html = ada.get(f"{poll.at}/results").text
    assert re.findall(r'id="round-(\d+)"', html) == ["1", "2", "3", "4"]
    picture = html.partition('class="count-picture')[2].partition("</svg>")[0]
    assert sorted(set(re.findall(r">Round (\d+)<", picture))) == ["1", "2", "3", "4"]


# C has no votes and goes first without any effect; only the tie of A and B decides.
def test_tie_without_votes_is_not_said_to_matter(server: Server, ada: Visitor) -> None:
    shown = results(ada, polled(server, "ABCD", {"A": 2, "B": 2}))
    assert shown.count("This mattered") == 1
    assert "C and D were tied for last with 0 votes each" in shown


def test_final_results_are_not_live(server: Server, ada: Visitor) -> None:
    poll = polled(server, "AB", {"AB": 2, "BA": 1})
    poll.close()
    html = ada.get(f"{poll.at}/results").text
    assert "A wins" in text_in(html)
    bars = re.findall(r'class="bar (count-color-\d)', html)
    assert bars == ["count-color-0", "count-color-1"], "as in the picture"
    assert not [live for live in ("data-live", "live.js", "Refresh", "hx-get") if live in html]


def test_closed_poll_without_votes_has_no_winner(server: Server, ada: Visitor) -> None:
    poll = polled(server, "AB", {})
    poll.close()
    shown = results(ada, poll)
    assert "No one voted" in shown
    assert "wins" not in shown.partition("How instant runoff works")[0]


def test_results_page_links_to_vote_share_copy_and_downloads(server: Server, ada: Visitor) -> None:
    poll = polled(server, "AB", {"A": 1})
    html = ada.get(f"{poll.at}/results").text
    links = [
        f'href="{poll.at}"',
        f'href="/polls/new?from={poll.id}"',
        f"{HOME}/polls/{poll.id}<",
        *(f'href="/api/polls/{poll.id}/export/{form}"' for form in ("csv", "json")),
    ]
    assert [link for link in links if link not in html] == []
    for form in ("csv", "json"):
        assert downloads(ada, f"/api/polls/{poll.id}/export/{form}") == 200


def test_hidden_results_say_when_they_become_visible(server: Server, ada: Visitor) -> None:
    closes = server.now + timedelta(hours=2)
    hidden = ResultsVisibility.AFTER_CLOSING
    poll = polled(server, "AB", {"AB": 3}, results=hidden, expires_at=closes)
    shown = results(ada, poll)
    assert "Results are shown when the poll closes" in shown
    assert "14:00" in shown
    assert "Until then only the organizer can see the results" in shown
    assert "3 votes so far" in shown
    assert "leads" not in shown
    server.wait(hours=2)
    # During the grace period it is shown, but not final.
    assert "Closed 15 November 2026, 14:00" in results(ada, poll)
    assert "A leads" in results(ada, poll)
    server.wait(seconds=GRACE_PERIOD.total_seconds())
    assert "A wins" in results(ada, poll)


def test_results_after_voting_are_hidden_from_others(server: Server, ada: Visitor) -> None:
    poll = server.poll(AFTER_VOTING)
    assert "Vote to see the results" in results(ada, poll)
    ada.follow(ada.vote(poll.id, "Museum"))
    assert "Museum leads" in results(ada, poll)
    assert "Vote to see the results" in results(server.new_visitor(), poll)
    # Anyone with a vote in the link could read that vote.
    assert "?vote=" not in ada.get(f"{poll.at}/results").text
    assert downloads(ada, f"/api/polls/{poll.id}/export/csv") == 200


# The files come from the API, which does not read the cookies of the pages.
def test_organizer_can_download_hidden_results(server: Server, ada: Visitor) -> None:
    form = ada.get("/polls/new")
    terms: dict[str, Typed] = {"title": "Where to?", "candidates": ["a", "b"]}
    poll_id = id_in(ada.send(form, "/new", **terms, results="after-closing"))
    server.new_visitor().vote(poll_id, "a")
    at = f"/api/polls/{poll_id}/export/csv"
    assert at in ada.get(f"/polls/p/{poll_id}/results").text
    assert (downloads(ada, at), downloads(server.new_visitor(), at)) == (200, 403)


def test_page_with_fifty_options_stays_small(server: Server, ada: Visitor) -> None:
    names = [f"Option {number}" for number in range(50)]
    poll = server.poll(changed(PollDraft("Which one?", names), protection=Protection.OPEN))
    for at in range(60):
        ranking = [names[at % 50], names[(at * 7 + 3) % 50], names[at % 4]]
        poll.cast(*dict.fromkeys(ranking))
    html = ada.get(f"{poll.at}/results").text
    assert html.count('class="round"') == 9
    assert html.count('class="bar') < 9 * 13 * 6
    assert "more options" in html
    assert len(html) < 400_000
