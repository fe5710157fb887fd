"""A proposal is a kind of election: what its two options are called changes nothing."""

from __future__ import annotations

import html
from itertools import product

import pytest

from ranked_ballots import Ballots, Ranking
from singletable_apps.elections import events
from singletable_apps.elections.entities import Publication, User
from singletable_apps.elections.errors import WrongState
from singletable_apps.elections.pages.results_view import (
    describe_decision,
    make_chart,
    make_headline,
)
from singletable_apps.elections.rules.methods import NONE_OF_THESE, PROPOSAL
from singletable_apps.elections.service import ElectionSettings
from singletable_apps.elections.service.results import count_ballots
from tests.apps.elections.pages.client import CHAIR, Browser, PagesApp
from tests.apps.support.html import text_in

# The last ones are names that mean something else, or the opposite.
OPTIONS = [
    ("Yes", "No"),
    ("Ja", "Nein"),
    ("Oui", "Non"),
    ("はい", "いいえ"),
    ("Accept the budget", "Keep the old one"),
    ("No", "Yes"),
    ("Nein", "Ja"),
    ("Blank", "Abstain"),
]
NAMES = ("Ben", "Cleo", "Dan", "Eve")
PROMISE = "is accepted if more people choose “{}” than “{}”."
TIE = "With equally many votes for both, the proposal is rejected."
LOT = "The order that breaks ties"


@pytest.mark.parametrize("options", OPTIONS)
def test_result_of_a_proposal_does_not_depend_on_its_words(options: tuple[str, str]) -> None:
    accept, reject = options
    for yes, no in product(range(4), repeat=2):
        rankings = [
            (Ranking.from_levels([accept]), yes),
            (Ranking.from_levels([reject]), no),
            (Ranking(), 1),
        ]
        ballots = Ballots.from_counts(options, [each for each in rankings if each[1]])
        for seed in ("seed", "another", None):
            result = count_ballots(PROPOSAL, ballots, 1, seed)
            headline = make_headline(result, is_final=seed is not None)
            verb, answer = "is" if seed else "would be", "accepted" if yes > no else "rejected"
            assert headline.title == f"The proposal {verb} {answer}"
            assert LOT.lower() not in headline.why
            if yes == no:
                assert f"Without more votes for {accept} than for {reject}" in headline.why
            assert not any("tie-break" in row.note for row in make_chart(result))
            if seed:
                assert result.winner == (accept if yes > no else reject)
                assert f"is {answer}" in describe_decision(result, "Yes or no")


def launch(app: PagesApp, options: tuple[str, str], *, is_old: bool = False) -> User:
    """Launch a secret proposal with these options; an old one is as earlier versions made it."""
    [ada] = app.world.register("Ada")
    lifecycle = app.world.service.lifecycle
    if is_old:
        created = events.ElectionCreated(
            name=CHAIR,
            owner="Ada",
            secret_ballot=True,
            publication=Publication.TOTALS,
            method="plurality",
        )
        added = events.CandidatesAdded(CHAIR, options)
        app.world.service.context.bus.execute("Ada", lambda _: [created, added])
    else:
        browser = app.browser(ada)
        page = browser.get("new", query="?template=proposal")
        assert browser.submit(page, name=CHAIR).status_code == 303
        browser.submit(browser.get("e", CHAIR, "voters", "list"), who="everybody")
        for old, new in zip(app.candidates(CHAIR), ("first", "second"), strict=True):
            lifecycle.edit_candidate(ada, CHAIR, old, new_name=new)
        lifecycle.set_candidates(ada, CHAIR, options)
    return ada


def tie(app: PagesApp, ada: User, options: tuple[str, str]) -> tuple[Browser, str, str]:
    """Let two accept and two reject; return a browser, the ballot and the result as text."""
    app.world.service.lifecycle.launch(ada, CHAIR, allow_edit=True)
    browser, ballot = app.browser(ada), ""
    for name, choice in zip(NAMES, (*options, *options), strict=True):
        voter = app.register(name)
        ballot = voter.read("e", CHAIR, "ballot")
        app.vote(name, CHAIR, choice)
    app.world.service.lifecycle.close(ada, CHAIR)
    return browser, ballot, browser.read("e", CHAIR, "tally")


@pytest.mark.parametrize("options", OPTIONS)
def test_ballot_review_and_result_of_a_proposal_agree(
    app: PagesApp, options: tuple[str, str]
) -> None:
    ada = launch(app, options)
    review = app.browser(ada).read("e", CHAIR, "review")
    browser, ballot, result = tie(app, ada, options)
    minutes = browser.read("e", CHAIR, "protocol")
    for text in (review, ballot):
        assert PROMISE.format(*options) in text
        assert TIE in text
        assert LOT not in text
    assert "The proposal is rejected" in result
    assert "The proposal is rejected" in minutes
    assert "How the tie was broken" not in result
    assert app.world.service.results.tally(ada, CHAIR).elected == (options[1],)


def test_old_election_between_yes_and_no_is_a_proposal_still(app: PagesApp) -> None:
    options = ("No", "Yes")  # in any order
    ada = launch(app, options, is_old=True)
    assert PROMISE.format("Yes", "No") in app.browser(ada).read("e", CHAIR, "review")
    _, ballot, result = tie(app, ada, options)
    assert TIE in ballot
    assert "The proposal is rejected" in result
    assert app.world.service.results.tally(ada, CHAIR).elected == ("No",)
    # A copy is a proposal by its kind, with the options in their order.
    app.world.service.lifecycle.copy(ada, CHAIR, "Again")
    assert app.candidates("Again") == ["Yes", "No"]
    assert app.election("Again").method == PROPOSAL


@pytest.mark.parametrize("options", OPTIONS[:3])
@pytest.mark.parametrize("is_old", [False, True])
def test_plurality_between_two_candidates_says_that_a_lot_decides(
    app: PagesApp, options: tuple[str, str], is_old: bool
) -> None:
    if is_old and options == OPTIONS[0]:
        return
    if is_old:
        ada = launch(app, options, is_old=True)
    else:
        [ada] = app.world.register("Ada")
        terms = ElectionSettings(secret_ballot=True, method="plurality")
        app.world.service.lifecycle.create(ada, CHAIR, terms)
        app.world.service.lifecycle.set_candidates(ada, CHAIR, options)
        app.world.service.lifecycle.set_voters(ada, CHAIR, [])
    _, ballot, result = tie(app, ada, options)
    assert LOT in ballot
    assert "proposal" not in ballot
    assert "wins a tie" in result
    assert "How the tie was broken" in result


def test_proposal_has_two_options_which_are_final(app: PagesApp) -> None:
    ada = launch(app, ("Ja", "Nein"))
    lifecycle = app.world.service.lifecycle
    for names in (["Ja", "Nein", "Vielleicht"], ["Ja"]):
        lifecycle.set_candidates(ada, CHAIR, names)
        with pytest.raises(WrongState, match=r"two options|at least 2"):
            lifecycle.launch(ada, CHAIR, allow_edit=True)
    lifecycle.set_candidates(ada, CHAIR, ["Ja", "Nein"])
    lifecycle.edit(ada, CHAIR, {"secret_ballot": False})
    lifecycle.launch(ada, CHAIR, allow_edit=True)
    with pytest.raises(WrongState, match="final from the launch"):
        lifecycle.set_candidates(ada, CHAIR, ["Nein", "Ja"])
    page = app.browser(ada).get("e", CHAIR, "candidates")
    assert "<textarea" not in page.text


def test_page_of_candidates_says_which_option_accepts(app: PagesApp) -> None:
    page = app.browser(launch(app, ("Ja", "Nein"))).get("e", CHAIR, "candidates")
    assert "the first one accepts the proposal" in html.unescape(page.text)


# A candidate of this name counts like any other, unless ballots offer the choice.
def test_name_alone_does_not_set_a_candidate_apart(app: PagesApp) -> None:
    app.launch("Red", NONE_OF_THESE)
    ben = app.register("Ben")
    ben.cast(**{NONE_OF_THESE: "1", "Red": "2"})
    text = text_in(ben.get("e", CHAIR, "receipt").text)
    assert "Not counted" not in text
    tally = app.world.service.results.tally(app.user("Ben"), CHAIR)
    assert (tally.result.winner, tally.abstained) == (NONE_OF_THESE, 0)
