"""The results page says who won and why, for every kind of count."""

from __future__ import annotations

import re
from itertools import permutations

import pytest

from singletable_apps.elections.pages import results
from tests.apps.elections.pages.client import Browser, PagesApp, browser
from tests.apps.support.elections.sample import SampleCopy, copy_sample
from tests.apps.support.html import text_in


@pytest.fixture(scope="module")
def sample() -> SampleCopy:
    return copy_sample()


@pytest.fixture(scope="module")
def hedy(sample: SampleCopy) -> Browser:
    return browser(sample.elections, sample.user("Hedy"))


TEXTS = {
    "Summer trip": [
        "Result Lake wins No candidate beats all others head to head",
        "It would have taken 1 or 2 different ballots to change the winner or make it a tie.",
        "9 ballots · Schulze method",
        "The methods disagree.",
        "Castle – 5 (the weakest) → Lake",
        "4 44.4% Lake Museum Castle",
    ],
    "Name of the boat": [
        "wins a tie Heron and Kingfisher are tied for first",
        "How the tie was broken",
        "Locked in at the launch",
        "tied; first by the tie-break ahead of 1 of 2",
        "Every method has the same tie for first: Heron and Kingfisher.",
        "Place 3 Rubber Duck ahead of 0 of 2",
    ],
    "Board 2026": [
        "Katherine wins Katherine beats every other candidate head to head.",
        "8 of 8 voted",
        "Every method has the same winner: Katherine.",
        "12.5% of these ballots are unique",
        "Ballots by tracking code",
    ],
    "Team lunch": [
        "So far Refresh Pancakes leads",
        "One different ballot could change the winner.",
        "Place 3 Soup tied ahead of 0 of 3",
        "Soup = Stew Noodles",
    ],
    "Treasurer": [
        "No results yet Counted after voting closes",
        "as soon as Ada closes the election.",
        "5 of 10 have voted",
    ],
    "Next year's motto": ["Voting hasn’t opened yet It opens on"],
    "Color of the door": ["Still being set up"],
}


@pytest.mark.parametrize("name", TEXTS)
def test_results_page_describes_the_state_of_the_election(hedy: Browser, name: str) -> None:
    page = hedy.read("e", name, "tally")
    assert [text for text in TEXTS[name] if text not in page] == [], page


def test_tie_break_shows_its_commitment_secret_and_seed(sample: SampleCopy, hedy: Browser) -> None:
    election = sample.elections.context.read.get_election("Name of the boat")
    html = hedy.get("e", election.name, "tally").text
    tally = sample.elections.results.tally(sample.user("Hedy"), election.name)
    assert tally.closing is not None
    assert tally.result.tie_break is not None
    for code in (
        election.tie_commitment or "",
        tally.closing["statement"]["secret"],
        tally.result.tie_break.seed,
    ):
        assert len(code) == 64
        assert f">{code}</code>" in html


def test_matrix_is_a_table_in_the_order_of_the_result(hedy: Browser) -> None:
    html = hedy.get("e", "Summer trip", "tally").text
    heat = html.partition('<table class="heat">')[2].partition("</table>")[0]
    assert heat.count('<th scope="col">') == heat.count('<th scope="row">') == 3
    assert text_in(heat.partition("<tbody>")[2]) == (
        "Lake – 6 : 3 4 : 5 Museum 3 : 6 – 7 : 2 Castle 5 : 4 2 : 7 –"
    )
    assert heat.count('class="heat-7"') == 1
    assert heat.count('class="heat-3"') == 1


def test_chains_can_be_drawn_for_any_two_candidates(hedy: Browser) -> None:
    for other, text in {
        "Museum": "from Castle to Museum is",
        "Castle": "from Lake to Museum is",
        "<script>": "from Lake to Museum is",
    }.items():
        answer = hedy.get("e", "Summer trip", "tally", query=f"?a=Castle&b={other}")
        assert text in text_in(answer.text)
        assert "<script>" not in answer.text


def test_election_without_ballots_has_no_winner(app: PagesApp, ada: Browser) -> None:
    app.world.launch(app.user("Ada"), "Empty")
    read = ada.read("e", "Empty", "tally")
    assert "So far Refresh No one has voted yet" in read
    assert "Head to head" not in read
    assert "Only totals" not in read
    app.world.service.lifecycle.close(app.user("Ada"), "Empty")
    read = ada.read("e", "Empty", "tally")
    assert "Result No one voted It closed without a ballot." in read
    assert " wins " not in read.partition("The tie is broken")[0]


def test_blank_ballots_are_shown_and_decide_nothing(
    app: PagesApp, ada: Browser, ben: Browser
) -> None:
    app.world.launch(app.user("Ada"), "Blank")
    app.world.service.voting.cast(app.user("Ada"), "Blank", [("Red", None)], "one")
    read = ada.read("e", "Blank", "tally")
    assert "Everyone is tied The only ballot is blank." in read
    assert "1 100% blank" in read
    app.vote("Ben", "Blank", "Red")
    assert "2 ballots · 1 blank" in ada.read("e", "Blank", "tally")


def test_tie_in_an_open_election_says_how_it_will_be_broken(
    app: PagesApp, ada: Browser, ben: Browser
) -> None:
    election = app.world.launch(app.user("Ada"), "Even", ("Red", "Blue"))
    app.vote("Ada", "Even", "Red", "Blue")
    app.vote("Ben", "Even", "Blue", "Red")
    read = ada.read("e", "Even", "tally")
    assert "Red and Blue are tied" in read
    assert "If it stays a tie, an order that no one can choose or predict decides" in read
    assert election.tie_commitment
    assert election.tie_commitment in read


# Ten thousand ballots must not become ten thousand rows: rankings are grouped and lists have pages.
def test_many_ballots_are_grouped_and_paginated(
    app: PagesApp, ada: Browser, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "BALLOTS_PER_PAGE", 5)
    names = [f"Candidate {number}" for number in range(8)]
    app.world.launch(app.user("Ada"), "Large", names)
    people = app.world.register(*(f"Voter {number}" for number in range(8)))
    for person, order in zip(people, permutations(names), strict=False):
        app.vote(person.name, "Large", *order)
    tally = ada.get("e", "Large", "tally").text
    assert "All 8 rankings" in tally
    assert tally.count('class="ranking"') == 6
    for part, rows in (("rankings", 'class="ranking"'), ("ballots", 'class="ballot-code"')):
        first = ada.get("e", "Large", "tally", part)
        last = ada.get("e", "Large", "tally", part, query="?from=5")
        assert (first.text.count(rows), last.text.count(rows)) == (5, 3)
        assert f"/tally/{part}?from=5" in first.text
        assert "?from=" not in last.text


# Bars once were relative to the longest one: 8.3% and 44.4% both looked full.
def test_bars_of_rankings_are_shares_of_all_ballots(hedy: Browser) -> None:
    html = hedy.get("e", "Summer trip", "tally").text
    table = html.partition('<table class="table groups">')[2].partition("</table>")[0]
    bars = re.findall(r'<progress value="(\d+)" max="(\d+)"', table)
    assert [value for value, _ in bars] == ["4", "3", "2"]
    assert {maximum for _, maximum in bars} == {"9"}


# The first screen shows the places, not how many ballots were blank.
def test_chart_of_places_comes_right_after_the_headline(hedy: Browser) -> None:
    page = hedy.read("e", "Summer trip", "tally")
    first = page.index("Place 1 Lake ahead of 2 of 2")
    assert page.index("Lake wins") < first < page.index("Head to head")


# Most people want to know who won. Everything else is there for those who ask.
def test_details_of_the_count_are_folded_and_unfold_for_a_chosen_pair(hedy: Browser) -> None:
    page = hedy.get("e", "Summer trip", "tally").text
    before, _, rest = page.partition('<details class="disclosure how-counted" id="how">')
    folded, _, after = rest.partition("<h2>Ballots</h2>")
    for part in ("Head to head", "Who beats whom", "Chains of wins", "Other methods"):
        assert part in folded
        assert part not in before + after
    chosen = hedy.get("e", "Summer trip", "tally", query="?a=Castle&b=Museum").text
    assert 'id="how" open>' in chosen


def test_results_can_be_shared(sample: SampleCopy, hedy: Browser) -> None:
    page = hedy.get("e", "Summer trip", "tally").text
    election = sample.elections.context.read.get_election("Summer trip")
    link = f"http://127.0.0.1:8000/elections/r/{election.election_id}"
    assert f'data-share="{link}"' in page
    assert 'data-share-title="Summer trip: Lake wins"' in page


# Fourteen columns do not fit on a screen, and twelve only on a large one.
def test_wide_matrix_says_that_it_scrolls(app: PagesApp, ada: Browser) -> None:
    names = [f"Candidate {number}" for number in range(14)]
    app.world.launch(app.user("Ada"), "Wide", names)
    app.vote("Ada", "Wide", *names)
    page = ada.get("e", "Wide", "tally").text
    assert '<div class="matrix is-wide">' in page
    assert "Scroll sideways to see all 12 columns" in page
    table = page.partition('<table class="heat">')[2].partition("</table>")[0]
    assert table.count('<th scope="col">') == 12
    assert "Showing the first 12 of 14 candidates." in page


# Forty names on each of several rankings would be longer than the rest of the page.
def test_rankings_of_many_candidates_are_on_a_page_of_their_own(
    app: PagesApp, ada: Browser
) -> None:
    names = [f"Candidate {number}" for number in range(40)]
    app.world.launch(app.user("Ada"), "Many", names)
    app.vote("Ada", "Many", *names)
    page = ada.get("e", "Many", "tally").text
    assert ("/tally/rankings" in page, "The most frequent rankings" in page) == (True, False)
    assert "Candidate 39" in ada.read("e", "Many", "tally", "rankings")
