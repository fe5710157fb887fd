"""The page of a tally says who won and why, of each kind of count there is."""

from __future__ import annotations

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


SAID = {
    "Where we go in summer": [
        "Result Lake wins Nobody beats everybody head to head",
        "It would have taken between 1 and 2 different ballots to change the winner.",
        "Ballots cast 9 Blank 0 Counted 9",
        "The methods disagree.",
        "Castle – 5 (the weakest) → Lake",
        "4 44.4 % Lake Museum Castle",
    ],
    "The name of the boat": [
        "wins a tie Heron and Kingfisher share the first place",
        "How the tie was broken",
        "Promised at launch",
        "Every method has the same tie for first: Heron and Kingfisher.",
        "3 Rubber Duck beats 0, loses to 2",
    ],
    "Board 2026": [
        "Katherine wins Katherine beats every other candidate head to head.",
        "8 of 8 who may",
        "Every method has the same winner: Katherine.",
        "12.5 % of these ballots are like no other",
        "Ballots by confirmation",
    ],
    "What is for lunch": [
        "So far Refresh Pancakes leads",
        "One different ballot could change the winner.",
        "3 Soup beats 0, level with 1, loses to 2 Stew",
        "Soup = Stew Noodles",
    ],
    "Treasurer": [
        "No count yet Counted when it closes These ballots are secret.",
        "as soon as Ada closes the election.",
        "5 of 10 who may",
    ],
    "Next year's motto": ["Voting has not begun It opens on"],
    "Colour of the door": ["It has not begun The election is being set up."],
}


@pytest.mark.parametrize("name", SAID)
def test_a_tally_says_how_the_election_stands(sample: SampleCopy, name: str) -> None:
    read = reader(sample.elections, sample.user("Hedy")).read(name, "tally")
    assert [text for text in SAID[name] if text not in read] == [], read


def test_a_tie_is_broken_by_what_was_promised_and_revealed(sample: SampleCopy) -> None:
    election = sample.elections.context.read.get_election("The name of the boat")
    html = reader(sample.elections, sample.user("Hedy")).get(election.name, "tally").text
    tally = sample.elections.results.tally(sample.user("Hedy"), election.name)
    assert tally.closing is not None
    assert tally.result.tie_break is not None
    for told in (
        election.tie_commitment or "",
        tally.closing["statement"]["secret"],
        tally.result.tie_break.seed,
    ):
        assert len(told) == 64
        assert f">{told}</code>" in html


def test_the_map_of_pairs_is_a_table_with_headings_in_the_order_of_the_result(
    sample: SampleCopy,
) -> None:
    html = reader(sample.elections, sample.user("Hedy")).get("Where we go in summer", "tally").text
    heat = html.partition('<table class="heat">')[2].partition("</table>")[0]
    assert heat.count('<th scope="col">') == heat.count('<th scope="row">') == 3
    assert text_in(heat.partition("<tbody>")[2]) == (
        "Lake – 6 : 3 4 : 5 Museum 3 : 6 – 7 : 2 Castle 5 : 4 2 : 7 –"
    )
    assert heat.count('class="heat-7"') == 1
    assert heat.count('class="heat-3"') == 1


def test_any_two_candidates_can_be_drawn_and_nobody_else(sample: SampleCopy) -> None:
    hedy = reader(sample.elections, sample.user("Hedy"))
    for asked, told in {
        ("Castle", "Museum"): "from Castle to Museum is",
        ("Castle", "Castle"): "from Lake to Museum is",
        ("Castle", "<script>"): "from Lake to Museum is",
    }.items():
        query = dict(zip("ab", asked, strict=True))
        answer = hedy.get("Where we go in summer", "tally", params=query)
        assert told in text_in(answer.text)
        assert "<script>" not in answer.text


# Nothing that a page brings may need more than its policy allows.
def test_a_tally_has_no_styles_and_no_scripts_within(sample: SampleCopy) -> None:
    hedy = reader(sample.elections, sample.user("Hedy"))
    for name in ("Where we go in summer", "What is for lunch"):
        html = hedy.get(name, "tally").text
        assert "<style" not in html
        assert " style=" not in html
        assert " onclick" not in html
        assert html.count("<svg") > 2


def test_without_ballots_nobody_has_won() -> None:
    world = World(connect("memory:"))
    (ada,) = world.register("Ada")
    world.launch(ada, "Empty")
    read = reader(world.service, ada).read("Empty", "tally")
    assert "So far Refresh Nobody has voted yet" in read
    assert "Head to head" not in read
    assert "Only totals" not in read
    world.service.lifecycle.close(ada, "Empty")
    read = reader(world.service, ada).read("Empty", "tally")
    assert "Result Nobody voted It closed without a ballot." in read
    assert " wins" not in read


def test_blank_ballots_are_counted_and_decide_nothing() -> None:
    world = World(connect("memory:"))
    ada, ben = world.register("Ada", "Ben")
    world.launch(ada, "Blank")
    world.service.voting.cast(ada, "Blank", [("Red", None)], "one")
    read = reader(world.service, ada).read("Blank", "tally")
    assert "Everybody is tied 1 ballot was cast, and every one is blank." in read
    assert "blank: nobody is ranked" in read
    world.service.voting.cast(ben, "Blank", ballot("Red"), "two")
    assert "Ballots cast 2 Blank 1 they rank nobody Counted 1" in reader(world.service, ada).read(
        "Blank", "tally"
    )


def test_a_tie_that_is_not_broken_yet_says_how_it_would_be() -> None:
    world = World(connect("memory:"))
    ada, ben = world.register("Ada", "Ben")
    election = world.launch(ada, "Even", ("Red", "Blue"))
    world.service.voting.cast(ada, "Even", ballot("Red", "Blue"), "one")
    world.service.voting.cast(ben, "Even", ballot("Blue", "Red"), "two")
    read = reader(world.service, ada).read("Even", "tally")
    assert "Blue and Red are tied" in read
    assert "If it stays so, an order decides that nobody can choose or foresee" in read
    assert election.tie_commitment
    assert election.tie_commitment in read


# Ten thousand ballots must not be ten thousand rows: rankings are grouped, and lists have pages.
def test_many_ballots_are_few_rows_and_pages_of_them() -> None:
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
