"""The results page says who won and why, for every kind of count."""

from __future__ import annotations

import re
from itertools import permutations

import pytest

from singletable import connect
from tests.apps.elections.pages.client import reader
from tests.apps.support.elections.sample import SampleCopy, copy_sample
from tests.apps.support.elections.world import World, ballot
from tests.apps.support.html import text_in


@pytest.fixture(scope="module")
def sample() -> SampleCopy:
    return copy_sample()


TEXTS = {
    "Summer trip": [
        "Result Lake wins No candidate beats all others head to head",
        "It would have taken 1 or 2 different ballots to change the winner.",
        "9 ballots · counted with the Schulze method",
        "The methods disagree.",
        "Castle – 5 (the weakest) → Lake",
        "4 44.4% Lake Museum Castle",
    ],
    "Name of the boat": [
        "wins a tie Heron and Kingfisher are tied for first",
        "How the tie was broken",
        "Locked in at the launch",
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
def test_results_page_describes_the_state_of_the_election(sample: SampleCopy, name: str) -> None:
    page = reader(sample.elections, sample.user("Hedy")).read(name, "tally")
    assert [text for text in TEXTS[name] if text not in page] == [], page


def test_tie_break_shows_its_commitment_secret_and_seed(sample: SampleCopy) -> None:
    election = sample.elections.context.read.get_election("Name of the boat")
    html = reader(sample.elections, sample.user("Hedy")).get(election.name, "tally").text
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


def test_matrix_is_a_table_in_the_order_of_the_result(
    sample: SampleCopy,
) -> None:
    html = reader(sample.elections, sample.user("Hedy")).get("Summer trip", "tally").text
    heat = html.partition('<table class="heat">')[2].partition("</table>")[0]
    assert heat.count('<th scope="col">') == heat.count('<th scope="row">') == 3
    assert text_in(heat.partition("<tbody>")[2]) == (
        "Lake – 6 : 3 4 : 5 Museum 3 : 6 – 7 : 2 Castle 5 : 4 2 : 7 –"
    )
    assert heat.count('class="heat-7"') == 1
    assert heat.count('class="heat-3"') == 1


def test_chains_can_be_drawn_for_any_two_candidates(sample: SampleCopy) -> None:
    hedy = reader(sample.elections, sample.user("Hedy"))
    for pair, text in {
        ("Castle", "Museum"): "from Castle to Museum is",
        ("Castle", "Castle"): "from Lake to Museum is",
        ("Castle", "<script>"): "from Lake to Museum is",
    }.items():
        query = dict(zip("ab", pair, strict=True))
        answer = hedy.get("Summer trip", "tally", params=query)
        assert text in text_in(answer.text)
        assert "<script>" not in answer.text


# The content security policy forbids inline styles and scripts.
def test_results_page_has_no_inline_styles_or_scripts(sample: SampleCopy) -> None:
    hedy = reader(sample.elections, sample.user("Hedy"))
    for name in ("Summer trip", "Team lunch"):
        html = hedy.get(name, "tally").text
        assert "<style" not in html
        assert " style=" not in html
        assert " onclick" not in html
        assert html.count("<svg") > 2


def test_election_without_ballots_has_no_winner() -> None:
    world = World(connect("memory:"))
    (ada,) = world.register("Ada")
    world.launch(ada, "Empty")
    read = reader(world.service, ada).read("Empty", "tally")
    assert "So far Refresh No one has voted yet" in read
    assert "Head to head" not in read
    assert "Only totals" not in read
    world.service.lifecycle.close(ada, "Empty")
    read = reader(world.service, ada).read("Empty", "tally")
    assert "Result No one voted It closed without a ballot." in read
    assert " wins " not in read.partition("The tie is broken")[0]


def test_blank_ballots_are_shown_and_decide_nothing() -> None:
    world = World(connect("memory:"))
    ada, ben = world.register("Ada", "Ben")
    world.launch(ada, "Blank")
    world.service.voting.cast(ada, "Blank", [("Red", None)], "one")
    read = reader(world.service, ada).read("Blank", "tally")
    assert "Everyone is tied The only ballot is blank." in read
    assert "1 100% blank" in read
    world.service.voting.cast(ben, "Blank", ballot("Red"), "two")
    assert "2 ballots · 1 blank" in reader(world.service, ada).read("Blank", "tally")


def test_tie_in_an_open_election_says_how_it_will_be_broken() -> None:
    world = World(connect("memory:"))
    ada, ben = world.register("Ada", "Ben")
    election = world.launch(ada, "Even", ("Red", "Blue"))
    world.service.voting.cast(ada, "Even", ballot("Red", "Blue"), "one")
    world.service.voting.cast(ben, "Even", ballot("Blue", "Red"), "two")
    read = reader(world.service, ada).read("Even", "tally")
    assert "Blue and Red are tied" in read
    assert "If it stays a tie, an order that no one can choose or predict decides" in read
    assert election.tie_commitment
    assert election.tie_commitment in read


# Ten thousand ballots must not become ten thousand rows: rankings are grouped and lists have pages.
def test_many_ballots_are_grouped_and_paginated() -> None:
    world = World(connect("memory:"))
    ada = world.register("Ada")[0]
    names = [f"Candidate {number}" for number in range(8)]
    world.launch(ada, "Large", names)
    people = world.register(*(f"Voter {number}" for number in range(60)))
    for person, order in zip(people, permutations(names), strict=False):
        world.service.voting.cast(person, "Large", ballot(*order), "once")
    ada_reads = reader(world.service, ada)
    tally = ada_reads.get("Large", "tally").text
    assert "All 60 rankings" in tally
    assert tally.count('class="ranking"') == 12
    for part, rows in (("rankings", 'class="ranking"'), ("ballots", 'class="ballot-code"')):
        first = ada_reads.get("Large", "tally", part)
        last = ada_reads.get("Large", "tally", part, params={"from": 50})
        assert (first.text.count(rows), last.text.count(rows)) == (50, 10)
        assert f"/tally/{part}?from=50" in first.text
        assert "?from=" not in last.text


# Bars once were relative to the longest one: 8.3% and 44.4% both looked full.
def test_bars_of_rankings_are_shares_of_all_ballots(sample: SampleCopy) -> None:
    html = reader(sample.elections, sample.user("Hedy")).get("Summer trip", "tally").text
    table = html.partition('<table class="table groups">')[2].partition("</table>")[0]
    bars = re.findall(r'<progress value="(\d+)" max="(\d+)"', table)
    assert [value for value, _ in bars] == ["4", "3", "2"]
    assert {maximum for _, maximum in bars} == {"9"}


# The first screen shows the places, not how many ballots were blank.
def test_chart_of_places_comes_right_after_the_headline(sample: SampleCopy) -> None:
    page = reader(sample.elections, sample.user("Hedy")).read("Summer trip", "tally")
    first = page.index("Place 1 Lake ahead of 2 of 2")
    assert page.index("Lake wins") < first < page.index("Head to head")


# Fourteen columns do not fit on a screen.
def test_wide_matrix_says_that_it_scrolls() -> None:
    world = World(connect("memory:"))
    (ada,) = world.register("Ada")
    names = [f"Candidate {number}" for number in range(14)]
    world.launch(ada, "Wide", names)
    world.service.voting.cast(ada, "Wide", ballot(*names), "once")
    page = reader(world.service, ada).get("Wide", "tally").text
    assert '<div class="matrix is-wide">' in page
    assert "Scroll sideways to see all 14 columns" in page
    table = page.partition('<table class="heat">')[2].partition("</table>")[0]
    assert table.count('<th scope="col">') == 14


# The picture of an instant runoff once had more rounds than the table below it.
def test_round_table_has_every_round_of_the_picture(sample: SampleCopy) -> None:
    for name in TEXTS:
        hedy = sample.user("Hedy")
        html = reader(sample.elections, hedy).get(name, "tally").text
        picture = html.partition('id="runoff"')[2].partition("</figure>")[0]
        table = html.partition('<table class="table rounds">')[2].partition("</table>")[0]
        drawn = set(re.findall(r">Round (\d+)<", picture))
        assert drawn == set(re.findall(r">Round (\d+)<", table)), name
